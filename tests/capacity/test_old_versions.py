"""Pools of OpenZFS before 2.1, against what such systems printed in public reports."""

import pytest

from poolwright.capacity.device import MemberKind
from poolwright.capacity.pool import predict_pool
from poolwright.domain.errors import Refusal
from poolwright.domain.units import TIB, binary
from poolwright.domain.vdev import parse_spec
from poolwright.domain.version import ZfsVersion, parse_modelled


def _usable(spec: str, version: str, members: MemberKind = MemberKind.FILE) -> int:
    layout = (parse_spec(spec, exact=True),)
    return predict_pool(layout, ashift=9, version=parse_modelled(version), members=members).available_bytes


@pytest.mark.parametrize(
    ("spec", "version", "printed"),
    [
        # openzfs/zfs pull request 8106 (November 2018, between 0.7 and 0.8): df of two pools on sparse files.
        ("stripe:512MiB", "0.8.0", "352 MiB"),
        ("stripe:128TiB", "0.8.0", "124 TiB"),
    ],
)
def test_that_an_old_pool_offers_what_such_systems_printed(spec: str, version: str, printed: str) -> None:
    assert binary(_usable(spec, version)) == printed


# Issue 1089 (November 2012, 0.6.0): zpool list and zfs list of one new raidz2 of so many ST3000DM001, ashift 12.
# Issue 8163 (0.7.9): zfs list of a new raidz2 of 11 disks of 4 TB for each ashift.
@pytest.mark.parametrize(
    ("spec", "version", "ashift", "size", "available"),
    [
        ("raidz2:6x3000592982016B", "0.6.0", 12, "16.2", "10.7"),
        ("raidz2:10x3000592982016B", "0.6.0", 12, "27.2", "20.4"),
        ("raidz2:12x3000592982016B", "0.6.0", 12, "32.5", "24.4"),
        ("raidz2:11x4000787030016B", "0.7.9", 9, None, "31.5"),
        ("raidz2:11x4000787030016B", "0.7.9", 10, None, "31.2"),
        ("raidz2:11x4000787030016B", "0.7.9", 11, None, "30.6"),
        ("raidz2:11x4000787030016B", "0.7.9", 12, None, "29.5"),
        ("raidz2:11x4000787030016B", "0.7.9", 13, None, "29.5"),
        ("raidz2:11x4000787030016B", "0.7.9", 14, None, "25.8"),
        ("raidz2:11x4000787030016B", "0.7.9", 15, None, "25.8"),
        ("raidz2:11x4000787030016B", "0.7.9", 16, None, "12.9"),
    ],
)
def test_that_an_old_pool_of_known_disks_is_as_large_as_was_printed(
    spec: str, version: str, ashift: int, size: str | None, available: str
) -> None:
    pool = predict_pool((parse_spec(spec, exact=True),), ashift=ashift, version=parse_modelled(version))
    # The tools print three digits, rounded half to even as printf does.
    assert size in (None, f"{pool.pool_size_bytes / TIB:.1f}")
    assert f"{pool.available_bytes / TIB:.1f}" == available


# `zpool list -Hp` of 0.8.3 on whole emulated disks of 512 MiB and 1 GiB.
@pytest.mark.parametrize(
    ("spec", "size"), [("raidz1:8x512MiB", 4026531840), ("mirror:2x512MiB", 503316480), ("stripe:1GiB", 1006632960)]
)
def test_that_a_pool_of_0_8_has_the_size_that_such_a_system_printed(spec: str, size: int) -> None:
    layout = (parse_spec(spec, exact=True),)
    assert predict_pool(layout, ashift=9, version=ZfsVersion(0, 8, 3)).pool_size_bytes == size


@pytest.mark.parametrize(
    ("specs", "version", "since"),
    [
        (("draid2:8d:2s:24x6TB",), "2.0.7", "2.1.0"),
        (("mirror:2x6TB", "special/mirror:2x1TB"), "0.7.13", "0.8.0"),
        (("mirror:2x6TB", "dedup/mirror:2x1TB"), "0.7.13", "0.8.0"),
    ],
)
def test_that_what_an_old_version_lacks_is_refused_with_the_version_it_came_with(
    specs: tuple[str, ...], version: str, since: str
) -> None:
    layout = tuple(parse_spec(spec) for spec in specs)
    with pytest.raises(Refusal) as caught:
        predict_pool(layout, ashift=12, version=parse_modelled(version))
    assert since in " ".join(caught.value.reasons)
    assert predict_pool(layout, ashift=12, version=parse_modelled(since)).available_bytes > 0


def test_that_the_metaslabs_of_a_pool_are_those_of_its_data_vdevs() -> None:
    layout = (parse_spec("mirror:2x6TB"), parse_spec("mirror:2x6TB"), parse_spec("special/mirror:2x960GB"))
    pool = predict_pool(layout, ashift=12, version=ZfsVersion(2, 3, 2))
    one = predict_pool(layout[:1], ashift=12, version=ZfsVersion(2, 3, 2))
    assert pool.metaslab_count == 2 * one.metaslab_count > 0
    assert pool.metaslab_shift == one.metaslab_shift == one.vdevs[0].capacity.metaslab_shift
    mixed = predict_pool((*layout, parse_spec("mirror:2x1GiB", exact=True)), ashift=12, version=ZfsVersion(2, 3, 2))
    assert mixed.metaslab_shift is None
