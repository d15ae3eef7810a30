"""A design becomes steps and command lines in the right order."""

import pytest
from tests.emit.pretend import SIZE, bare_design, disk, small_design, vdev

from poolwright.domain.action import CreateDataset
from poolwright.domain.design import Dataset, Design, Setting
from poolwright.domain.disk import Use, UseKind
from poolwright.domain.errors import PoolwrightError, Refusal, UserError
from poolwright.domain.vdev import VdevClass, VdevKind
from poolwright.emit.commands import commands, plan_actions, shell_text, short_lines

BY_ID = "/dev/disk/by-id/ata-ST6000NM0034_ZAD"


def create_argv(design: Design) -> list[str]:
    return list(commands(plan_actions(design))[0].argv)


def devices(*numbers: int) -> list[str]:
    return [f"{BY_ID}{n:05}" for n in numbers]


def test_that_listing_11_of_the_thesis_is_reproduced() -> None:
    """Eight raidz2 of five over 40 disks with a mount point (bachelor thesis, listing 11), by-id instead of sdX."""
    groups = [vdev(VdevKind.RAIDZ, range(5 * i, 5 * i + 5), parity=2) for i in range(8)]
    root = Dataset(name="", settings=(Setting(name="mountpoint", value="/mnt/pool"),))
    argv = create_argv(bare_design(*groups, count=44, datasets=(root,)))
    expected = ["zpool", "create", "-o", "ashift=12", "-m", "/mnt/pool", "tank"]
    for i in range(8):
        expected += ["raidz2", *devices(*range(5 * i, 5 * i + 5))]
    assert argv == expected


@pytest.mark.parametrize(
    ("kind", "changes", "word"),
    [
        (VdevKind.MIRROR, {}, "mirror"),
        (VdevKind.RAIDZ, {"parity": 1}, "raidz1"),
        (VdevKind.RAIDZ, {"parity": 2}, "raidz2"),
        (VdevKind.RAIDZ, {"parity": 3}, "raidz3"),
        (VdevKind.DRAID, {"parity": 2, "draid_data": 4, "draid_spares": 1}, "draid2:4d:8c:1s"),
        (VdevKind.DRAID, {"parity": 1}, "draid1:7d:8c:0s"),
    ],
)
def test_that_every_structuring_keyword_is_written(kind: VdevKind, changes: dict[str, object], word: str) -> None:
    argv = create_argv(bare_design(vdev(kind, range(8), **changes)))
    assert argv[4:] == ["tank", word, *devices(*range(8))]


def test_that_the_classes_come_after_the_data_in_a_fixed_order_each_with_its_word_once() -> None:
    design = bare_design(
        vdev(VdevKind.STRIPE, (9,), vdev_class=VdevClass.CACHE),
        vdev(VdevKind.STRIPE, (8,), vdev_class=VdevClass.SPARE),
        vdev(VdevKind.MIRROR, (6, 7), vdev_class=VdevClass.LOG),
        vdev(VdevKind.MIRROR, (12, 13), vdev_class=VdevClass.LOG),
        vdev(VdevKind.MIRROR, (10, 11), vdev_class=VdevClass.DEDUP),
        vdev(VdevKind.MIRROR, (4, 5), vdev_class=VdevClass.SPECIAL),
        vdev(VdevKind.MIRROR, (0, 1)),
        vdev(VdevKind.MIRROR, (2, 3)),
    )
    words = [w for w in create_argv(design)[5:] if not w.startswith("/")]
    assert " ".join(words) == "mirror mirror special mirror dedup mirror log mirror mirror spare cache"


def test_that_a_bare_disk_never_falls_into_the_group_before_it() -> None:
    design = bare_design(vdev(VdevKind.MIRROR, (0, 1)), vdev(VdevKind.STRIPE, (2,)))
    argv = create_argv(design)
    assert argv[-4:] == [*devices(2), "mirror", *devices(0, 1)]


@pytest.mark.parametrize("ashift", [9, 12, 13, 16])
def test_that_ashift_is_always_written(ashift: int) -> None:
    assert f"ashift={ashift}" in create_argv(small_design(ashift=ashift))


def test_that_recordsize_is_written_before_what_is_checked_against_it() -> None:
    root = (Setting(name="special_small_blocks", value="256K"), Setting(name="recordsize", value="1M"))
    argv = create_argv(small_design(datasets=(Dataset(name="", settings=root),)))
    assert argv.index("recordsize=1M") < argv.index("special_small_blocks=256K")


def test_that_parents_come_before_their_children() -> None:
    design = small_design(datasets=(Dataset(name="a/b/c"), Dataset(name="z"), Dataset(name="a")))
    names = [a.name for a in plan_actions(design) if isinstance(a, CreateDataset)]
    assert names == ["tank/a", "tank/z", "tank/a/b", "tank/a/b/c"]


@pytest.mark.parametrize(
    "datasets",
    [
        (Dataset(name="a"), Dataset(name="a")),
        (Dataset(name="v", volume_bytes=1 << 30), Dataset(name="v/x")),
        (Dataset(name="v", volume_bytes=0),),
        (Dataset(name="v", volume_bytes=1 << 30, settings=(Setting(name="recordsize", value="1M"),)),),
        (Dataset(name="a", settings=(Setting(name="atime", value="on"), Setting(name="atime", value="off"))),),
        (Dataset(name="a", settings=(Setting(name="-o x", value="on"),)),),
    ],
)
def test_that_impossible_datasets_are_refused(datasets: tuple[Dataset, ...]) -> None:
    with pytest.raises((UserError, Refusal)):
        plan_actions(small_design(datasets=datasets))


def test_that_all_reasons_are_given_at_once() -> None:
    busy = disk(0, uses=(Use(kind=UseKind.MOUNTED, detail="/srv"),))
    unknown = disk(1, size_bytes=SIZE, by_id=())
    design = small_design(disks=(busy, unknown, disk(2, size_bytes=1 << 20)))
    with pytest.raises(Refusal) as error:
        plan_actions(design)
    told = "\n".join(error.value.reasons)
    assert len(error.value.reasons) == 3
    assert "mounted: /srv" in told
    assert "no usable name" in told
    assert "64 MiB" in told


def test_that_a_preview_of_disks_that_are_not_bought_yet_has_placeholders() -> None:
    design = small_design(disks=tuple(disk(n, by_id=(), planned=True) for n in range(3)))
    with pytest.raises(Refusal):
        plan_actions(design)
    assert "'/dev/disk/by-id/<disk 1>'" in shell_text(plan_actions(design, placeholders=True))


def test_that_a_disk_without_a_name_is_called_by_where_it_sits_so_that_a_vdev_stays_spread() -> None:
    there = [disk(n, by_id=(), planned=True, enclosure=str(1 + n % 2)) for n in range(3)]
    there += [disk(3, by_id=(), enclosure="it's", slot="7"), disk(4, by_id=(), slot="0")]
    design = small_design(disks=tuple(there), vdevs=(vdev(VdevKind.RAIDZ, range(5), parity=2),))
    (create,) = (c for c in commands(plan_actions(design, placeholders=True)) if c.argv[:2] == ("zpool", "create"))
    names = ["shelf 1, disk 1", "shelf 2, disk 1", "shelf 1, disk 2", "shelf it's, bay 7", "bay 0"]
    assert create.argv[-5:] == tuple(f"/dev/disk/by-id/<{name}>" for name in names)
    short = [word for word in " ".join(short_lines(design)[1][0]).split() if word != "\\"]
    assert short[-5:] == ["SHELF1-1", "SHELF2-1", "SHELF1-2", "SHELF-IT-S-7", "BAY0"]


@pytest.mark.parametrize(
    ("name", "value", "afterwards"),
    [("org.example:owner", "ann", True), ("bootfs", "tank/home", True), ("autoexpand", "on", False)],
)
def test_that_what_create_does_not_take_is_set_on_the_pool_that_is_there(
    name: str, value: str, afterwards: bool
) -> None:
    found = [c.argv for c in commands(plan_actions(small_design(pool_settings=(Setting(name=name, value=value),))))]
    assert (f"{name}={value}" in found[0]) is not afterwards
    later = [argv for argv in found[1:] if argv[:2] == ("zpool", "set")]
    assert later == ([("zpool", "set", f"{name}={value}", "tank")] if afterwards else [])


@pytest.mark.parametrize("name", ["readonly", "size", "ashift"])
def test_that_pool_properties_that_cannot_be_set_are_refused(name: str) -> None:
    with pytest.raises(PoolwrightError):
        plan_actions(small_design(pool_settings=(Setting(name=name, value="on"),)))
