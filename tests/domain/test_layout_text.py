"""A layout is read back as the program prints it, and as people shorten it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases import cases

from poolwright.domain.errors import UserError
from poolwright.domain.units import TB
from poolwright.domain.vdev import Layout, VdevClass, VdevKind, VdevSpec, describe, parse_layout, parse_spec

SIZES = {VdevClass.DATA: 16 * TB, VdevClass.SPARE: 16 * TB, VdevClass.SPECIAL: TB, VdevClass.LOG: TB}


def at_hand(vdev_class: VdevClass) -> int:
    return SIZES[vdev_class]


def vdev(word: str, width: int, vdev_class: VdevClass) -> VdevSpec:
    front = "" if vdev_class is VdevClass.DATA else f"{vdev_class.value}/"
    return parse_spec(f"{front}{word}:{width}x{SIZES[vdev_class]}B")


RUNS = st.one_of(
    st.tuples(st.sampled_from(["mirror", "raidz1", "raidz2", "raidz3"]), st.integers(4, 12), st.just(VdevClass.DATA)),
    st.tuples(st.just("draid2:8d:2s"), st.integers(12, 90), st.just(VdevClass.DATA)),
    st.tuples(st.just("stripe"), st.integers(1, 9), st.sampled_from([VdevClass.DATA, VdevClass.SPARE])),
    st.tuples(st.just("mirror"), st.integers(2, 3), st.sampled_from([VdevClass.SPECIAL, VdevClass.LOG])),
)


@given(runs=st.lists(st.tuples(RUNS, st.integers(1, 9)), min_size=1, max_size=4))
def test_that_what_the_program_prints_is_read_back(runs: list[tuple[tuple[str, int, VdevClass], int]]) -> None:
    layout: Layout = tuple(vdev(*run) for run, count in runs for _ in range(count))
    found = parse_layout([describe(layout)], size_of=at_hand)
    # One stripe of four is four stripes of one.
    assert describe(found) == describe(layout)
    assert disks_of(found) == disks_of(layout)


def test_that_stripes_beside_each_other_are_told_as_the_one_stripe_they_are() -> None:
    layout = tuple(vdev("stripe", width, VdevClass.DATA) for width in (1, 1, 2))
    spares = tuple(vdev("stripe", width, VdevClass.SPARE) for width in (1, 2))
    assert describe((*layout, *spares)) == "stripe of 4, 3 spares"


def disks_of(layout: Layout) -> list[tuple[VdevClass, VdevKind, int]]:
    return sorted((spec.vdev_class, spec.kind, size) for spec in layout for size in spec.sizes)


@pytest.mark.parametrize(
    "text",
    [
        *("2*raidz2:6x16TB spare/stripe:1x16TB", "2 x raidz2:6x16TB, spare/stripe:16TB", "2 × raidz2:6x16TB; 1 spare"),
        *("raidz2:6x16TB raidz2:6x16TB 1 spare", "2 x raidz2 of 6, 1 spare", "raidz2 of 6 + raidz2 of 6 + 1 spare"),
        *("raidz2:6x16 tb raidz2:6 x 16 TB 1 spare", "raidz2:16TB, 5x16TB, raidz2:6x16TB, 1 spare"),
    ],
)
def test_that_one_layout_is_written_in_many_ways(text: str) -> None:
    assert parse_layout([text], size_of=lambda _: parse_spec("stripe:16TB").sizes[0]) == (
        *[parse_spec("raidz2:6x16TB")] * 2,
        parse_spec("spare/stripe:16TB"),
    )
    assert parse_layout(text.split(), size_of=lambda _: parse_spec("stripe:16TB").sizes[0]) == parse_layout(
        [text], size_of=lambda _: parse_spec("stripe:16TB").sizes[0]
    )


@pytest.mark.parametrize(("text", "why"), cases(__file__, "no_layouts"))
def test_that_what_is_no_layout_says_why(text: str, why: str) -> None:
    with pytest.raises(UserError, match=why):
        parse_layout([text])


@pytest.mark.parametrize("text", ["draid2:6d:24c:0s", "draid2:6d:24c:0s-0", "draid2:24c:6d"])
def test_that_draid_is_understood_as_zpool_writes_it(text: str) -> None:
    (spec,) = parse_layout([text], size_of=lambda _: 6_001_175_126_016)
    assert (spec.word, spec.width, spec.sizes[0]) == ("draid2:6d", 24, 6_001_175_126_016)
    both = parse_layout([f"{text} + special/mirror:2x960GB"], size_of=lambda _: 6_001_175_126_016)
    assert [one.width for one in both] == [24, 2]
    (sized,) = parse_layout(["draid2:6d:24c:0s:24x6TB"])
    assert sized == spec


def test_that_equal_vdevs_are_counted_and_sizes_asked_for() -> None:
    assert parse_layout(["3*mirror:2x6TB", "log/mirror:2x1TB"]) == (
        *(parse_spec("mirror:2x6TB"),) * 3, parse_spec("log/mirror:2x1TB"),
    )  # fmt: skip
    assert len(parse_layout(["100000*stripe:6TB"])) == 100_000
    asked: list[str] = []

    def size_of(role: VdevClass) -> int:
        asked.append(role.value)
        return 10**12

    found = parse_layout(["raidz2 of 8, 2 spares"], size_of=size_of)
    assert [(spec.vdev_class.value, spec.width, spec.sizes[0]) for spec in found] == [
        ("data", 8, 10**12), ("spare", 2, 10**12),
    ]  # fmt: skip
    assert asked == ["data", "spare"]
