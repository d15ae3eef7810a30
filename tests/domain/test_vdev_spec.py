"""The SPEC notation: what it means, that it comes back the same, and what is said of a wrong one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases import cases

from poolwright.domain.errors import UserError
from poolwright.domain.vdev import VdevClass, VdevKind, VdevSpec, parse_spec

kinds = st.sampled_from(
    [(VdevKind.STRIPE, 0), (VdevKind.MIRROR, 0), *((VdevKind.RAIDZ, p) for p in (1, 2, 3))]
    + [(VdevKind.DRAID, p) for p in (1, 2, 3)]
)


@st.composite
def specs(draw: st.DrawFn) -> VdevSpec:
    kind, parity = draw(kinds)
    draid = kind is VdevKind.DRAID
    return VdevSpec(
        kind=kind,
        parity=parity,
        sizes=tuple(draw(st.lists(st.integers(1, 1 << 60), min_size=1, max_size=30))),
        vdev_class=draw(st.sampled_from(VdevClass)),
        draid_data=draw(st.none() | st.integers(1, 64)) if draid else None,
        draid_spares=draw(st.integers(0, 9)) if draid else 0,
    )


@given(spec=specs())
def test_that_a_spec_comes_back_from_its_own_text(spec: VdevSpec) -> None:
    assert parse_spec(str(spec)) == spec


@pytest.mark.parametrize(("text", "same"), cases(__file__, "understood"))
def test_that_each_way_to_write_a_spec_is_understood(text: str, same: str) -> None:
    assert str(parse_spec(text)) == same


@pytest.mark.parametrize(
    "text",
    [
        "", "raidz2", "raidz4:4x6TB", "raidz2:0x6TB", "raidz2:x6TB", "raidz2:8x", "raidz2:8x6XB", "fast/mirror:2x6TB",
        "raidz2:8x-6TB", "mirror:2x0", "draid4:5x1TB", "draid2:23c:24x6TB", "mirror:99999999x6TB", "raidz2:8x6",
        "raidz2:8x100",
    ],
)  # fmt: skip
def test_that_a_wrong_spec_is_told_what_is_wrong(text: str) -> None:
    with pytest.raises(UserError) as caught:
        parse_spec(text)
    assert caught.value.exit_status == 2
    assert len(caught.value.text) > 20


def test_that_members_that_are_files_have_exactly_the_size_that_is_written() -> None:
    assert parse_spec("raidz2:8x6TB", exact=True) == parse_spec("raidz2:8x6000000000000")
    assert parse_spec("mirror:2x500B", exact=True).sizes == (500, 500)


@pytest.mark.parametrize(
    ("text", "survives", "data"),
    [("stripe:4x1TB", 0, 4), ("mirror:3x1TB", 2, 1), ("raidz2:8x1TB", 2, 6), ("draid2:4d:1s:12x1TB", 2, 4)],
)
def test_that_a_vdev_knows_its_redundancy_and_its_data_disks(text: str, survives: int, data: int) -> None:
    spec = parse_spec(text)
    assert (spec.failures_survived, spec.data_disks) == (survives, data)
