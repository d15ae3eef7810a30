"""What no `zpool create` takes: the last value on either side of each bound, after zpool_vdev.c and vdev_draid.c."""

from dataclasses import replace

import pytest
from tests.cases import cases
from tests.emit.pretend import bare_design, disk, vdev

from poolwright.domain.design import Dataset, Design, FurtherPool, Setting
from poolwright.domain.disk import Use, UseKind
from poolwright.domain.errors import PoolwrightError, Refusal, UserError
from poolwright.domain.units import MIB
from poolwright.domain.vdev import VdevClass, VdevKind, parse_spec
from poolwright.domain.version import ZfsVersion
from poolwright.emit.validity import check_design, force_reason, layout_problems

MIRROR, RAIDZ, DRAID, STRIPE = VdevKind.MIRROR, VdevKind.RAIDZ, VdevKind.DRAID, VdevKind.STRIPE


@pytest.mark.parametrize(("kind", "width", "changes", "problem"), cases(__file__, "widths"))
def test_that_each_kind_of_vdev_has_its_least_and_its_most(
    kind: str, width: int, changes: dict[str, object], problem: str
) -> None:
    found = layout_problems(bare_design(vdev(VdevKind(kind), range(width), **changes), count=width))
    if problem:
        assert [problem in told for told in found][:1] == [True], found
    else:
        assert found == ()


@pytest.mark.parametrize(("place", "kind", "version", "problem"), cases(__file__, "classes"))
def test_that_each_class_takes_its_kinds(place: str, kind: str, version: list[int], problem: str) -> None:
    parity = {"parity": 1} if kind in (RAIDZ, DRAID) else {}
    one = vdev(VdevKind(kind), range(2, 12), vdev_class=VdevClass(place), **parity)
    design = bare_design(vdev(MIRROR, (0, 1)), one, version=ZfsVersion(*version))
    assert layout_problems(design) == tuple(told for told in layout_problems(design) if problem and problem in told)
    assert bool(layout_problems(design)) == bool(problem)


def test_that_a_pool_of_support_vdevs_alone_is_none() -> None:
    alone = bare_design(vdev(MIRROR, (0, 1), vdev_class=VdevClass.SPECIAL))
    assert layout_problems(alone) == ("A pool needs a data vdev",)


def refused(design: Design, *, named: bool = True) -> tuple[str, ...]:
    try:
        check_design(design, named=named)
    except Refusal as error:
        return error.reasons
    return ()


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({}, ""),
        ({"size_bytes": 64 * MIB}, ""),
        ({"size_bytes": 64 * MIB - 1}, "ST6000NM0034 is smaller than 64 MiB"),
        ({"size_bytes": None}, "The size of"),
        ({"uses": (Use(kind=UseKind.MOUNTED, detail="/srv"),)}, "is in use: "),
        ({"by_id": ()}, "has no usable name"),
        ({"planned": True}, "is planned"),
        ({"by_id": ("ata-ST6000NM0034_ZAD00001",)}, "is the name of two disks of the design"),
        ({"logical_sector_bytes": 4096}, ""),
        ({"logical_sector_bytes": None}, ""),
        ({"logical_sector_bytes": 8192}, "has sectors of 8192 bytes: ashift 12 is too small"),
    ],
)
def test_that_each_disk_is_one_that_zpool_takes(changes: dict[str, object], problem: str) -> None:
    pair = (replace(disk(0), **changes), disk(1))  # type: ignore[arg-type]
    found = refused(bare_design(vdev(MIRROR, (0, 1)), disks=pair))
    assert len(found) == bool(problem)
    assert all(problem.removeprefix("ST6000NM0034 ") in told for told in found)


def test_that_a_preview_takes_disks_without_a_name_and_nothing_else() -> None:
    unnamed = bare_design(vdev(MIRROR, (0, 1)), disks=(disk(0, by_id=()), disk(1, by_id=())))
    assert len(refused(unnamed)) == 2
    assert refused(unnamed, named=False) == ()
    assert len(refused(replace(unnamed, disks=(disk(0, size_bytes=1), disk(1))), named=False)) == 1


@pytest.mark.parametrize(("ashift", "fine"), [(8, False), (9, True), (16, True), (17, False)])
def test_that_blocks_are_of_512_bytes_to_64_kib(ashift: int, fine: bool) -> None:
    design = bare_design(vdev(MIRROR, (0, 1)), ashift=ashift)
    if fine:
        assert refused(design) == ()
    else:
        with pytest.raises(UserError, match=f"“{ashift}” is out of range"):
            check_design(design)


def test_that_every_pool_is_looked_at_and_named_where_there_are_several() -> None:
    wide = vdev(RAIDZ, (2, 3), parity=2)
    other = FurtherPool(pool_name="rest", vdevs=(wide,), ashift=9)
    both = bare_design(
        vdev(MIRROR, (0, 1)), further_pools=(other,), disks=tuple(disk(n, logical_sector_bytes=4096) for n in range(4))
    )
    found = refused(both)
    assert found[0] == "Pool rest: raidz2 needs at least 3 members, this one has 2"
    assert [told.startswith("Pool rest: ") and "ashift 9 is too small" in told for told in found[1:]] == [True, True]
    with pytest.raises(PoolwrightError):
        check_design(replace(both, further_pools=(replace(other, pool_name="mirror"),)))
    twice = replace(both, further_pools=(replace(other, pool_name="tank", vdevs=(vdev(MIRROR, (2, 3)),), ashift=12),))
    assert refused(twice)[0] == "Two pools are called tank"


def test_that_mountpoints_of_all_pools_are_compared() -> None:
    at = (Setting(name="mountpoint", value="/srv/x"),)
    other = FurtherPool(pool_name="rest", vdevs=(vdev(MIRROR, (2, 3)),), datasets=(Dataset(name="b", settings=at),))
    design = bare_design(vdev(MIRROR, (0, 1)), datasets=(Dataset(name="a", settings=at),), further_pools=(other,))
    assert refused(design) == ("tank/a and rest/b would both be mounted on /srv/x",)
    # Below another mountpoint is no clash.
    below = replace(other, datasets=(Dataset(name="b", settings=(Setting(name="mountpoint", value="/srv/x/y"),)),))
    assert refused(replace(design, further_pools=(below,))) == ()


@pytest.mark.parametrize(
    ("specs", "reason"),
    [
        (("mirror:6TB,6TB",), None),
        (("mirror:6000000000000,6000016777216",), None),
        (("mirror:6000000000000,6000016777217",), "the disks of mirror differ in size"),
        (("raidz1:6000016777217,6000000000000,6000000000000",), "the disks of raidz1 differ in size"),
        # Each is compared with the one before alone.
        (("raidz1:6000000000000,6000016777216,6000033554432",), None),
        (("stripe:6TB,1TB",), None),
        (("mirror:2x6TB", "stripe:1x6TB"), "mirror of 2 and a bare disk differ in redundancy"),
        (("mirror:2x6TB", "log/stripe:1x1TB", "spare/stripe:1x6TB", "cache/stripe:1x1TB"), None),
        (("raidz2:4x6TB", "special/mirror:2x1TB"), "raidz2 of 4 and special mirror of 2 differ in redundancy"),
        (("raidz1:4x6TB", "special/mirror:2x1TB"), None),
        (("raidz2:4x6TB", "raidz1:4x6TB"), "raidz2 of 4 and raidz1 of 4 differ in redundancy"),
        (("raidz2:4x6TB", "log/stripe:1x1TB", "raidz2:6x6TB"), None),
    ],
)  # fmt: skip
def test_that_force_is_wanted_for_what_zpool_would_ask_about(specs: tuple[str, ...], reason: str | None) -> None:
    layout = tuple(parse_spec(spec) for spec in specs)
    assert force_reason(layout, ZfsVersion(2, 3, 9)) == reason


@pytest.mark.parametrize(
    ("datasets", "fits"),
    [
        ((Dataset(name="vm", volume_bytes=5 << 40),), True),
        ((Dataset(name="vm", volume_bytes=6 << 40),), False),
        ((Dataset(name="vm", volume_bytes=6 << 40, settings=(Setting(name="refreservation", value="none"),)),), True),
        ((Dataset(name="", settings=(Setting(name="reservation", value="9T"),)),), False),
        (tuple(Dataset(name=f"vm/{n}", volume_bytes=2 << 40) for n in range(3)), False),
        (
            (
                Dataset(name="vm", settings=(Setting(name="reservation", value="4T"),)),
                *(Dataset(name=f"vm/{n}", volume_bytes=2 << 40) for n in range(2)),
            ),
            True,
        ),
    ],
)
def test_that_volumes_and_reservations_fit_the_pool(datasets: tuple[Dataset, ...], fits: bool) -> None:
    design = bare_design(vdev(MIRROR, range(2)), datasets=datasets)  # 6 TB
    if fits:
        check_design(design)
        return
    with pytest.raises(Refusal) as refused:
        check_design(design)
    assert any("tank: reservations and volumes set aside" in reason for reason in refused.value.reasons)
