"""A design against a pool that exists: its own design differs in nothing, and the steps lead from one to another."""

import subprocess
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from tests.changes.existing_machines import machine
from tests.changes.live_model import TB, ModelPool, ModelTop, design_of, disks, random_pool, shape_of
from tests.emit.functions import check_shell
from tests.emit.pretend import Machine as Pretended

from poolwright.changes.as_design import design_of_pool
from poolwright.changes.live_difference.difference import compare_with_live
from poolwright.changes.live_difference.values import LiveComparison, LiveWay
from poolwright.domain.action import AddVdevs
from poolwright.domain.design import Design, Member, Setting
from poolwright.domain.disk import Disk, Use, UseKind
from poolwright.domain.host import Host
from poolwright.domain.pool import ExistingDataset, PropertyValue
from poolwright.domain.vdev import VdevClass, VdevKind
from poolwright.emit.commands import action_word
from poolwright.emit.difference_script import guarded_text


def compared(design: Design, pool: ModelPool) -> LiveComparison:
    inventory = pool.inventory()
    return compare_with_live(design, inventory, inventory.pools[0])


@pytest.mark.parametrize("name", ["good", "expanded", "wrong"])
def test_that_a_pool_differs_in_nothing_from_its_own_design(name: str) -> None:
    inventory = machine(name)
    for pool in inventory.pools:
        found = compare_with_live(design_of_pool(inventory, pool).design, inventory, pool)
        assert found.differences == (), pool.name


@pytest.mark.parametrize("seed", range(150))
def test_that_the_steps_turn_a_pool_into_another_one(seed: int) -> None:
    random = Random(seed)
    parity = seed % 2 == 1
    pool, goal = random_pool(random, parity=parity), random_pool(random, parity=parity and seed % 4 == 1)
    design = design_of(goal)
    first = compared(design, pool)
    for step in first.steps:
        pool.take(step)
    left = compared(design, pool)
    # What was refused beside the vdevs that were there may be taken beside those that are there now.
    refused = {one.text for one in first.of_way(LiveWay.CANNOT)}
    assert [one.text for one in left.of_way(LiveWay.STEP) if one.text not in refused] == []
    assert len(list(left.of_way(LiveWay.CANNOT))) <= len(list(first.of_way(LiveWay.CANNOT)))
    held = [*first.of_way(LiveWay.CANNOT), *(one for one in first.of_way(LiveWay.LEFT) if one.name == "disk")]
    if not held:
        assert shape_of(pool) == shape_of(goal)


def raidz(level: int, *keys: str) -> ModelTop:
    return ModelTop(0, VdevKind.RAIDZ, level, VdevClass.DATA, list(keys))


def mirror(number: int, *keys: str, vdev_class: VdevClass = VdevClass.DATA) -> ModelTop:
    return ModelTop(number, VdevKind.MIRROR, 0, vdev_class, list(keys))


FOUR = ("S001", "S002", "S004", "S005")


def reasons(pool: ModelPool, goal: ModelPool) -> list[str]:
    return [one.reason for one in compared(design_of(goal), pool).of_way(LiveWay.CANNOT)]


def kinds(pool: ModelPool, goal: ModelPool) -> list[str]:
    return [action_word(step.action) for step in compared(design_of(goal), pool).steps]


PAIR, OTHER = mirror(0, "S001", "S002"), mirror(1, "S004", "S005")
UNLIKE = (PAIR, ModelTop(1, VdevKind.RAIDZ, 2, VdevClass.DATA, ["S004", "S005", "S007", "S008"]))


@pytest.mark.parametrize(
    ("tops", "wanted", "steps", "reason"),
    [
        ([raidz(1, *FOUR)], [raidz(2, *FOUR)], [], "level of a vdev"),
        ([raidz(1, *FOUR)], [raidz(1, *FOUR[:3])], [], "out of a raidz vdev"),
        ([mirror(0, "S000", "S003")], [mirror(0, "S000", "S001")], [], "too small for the vdev's places"),
        # No vdev leaves where the one beside it cannot come.
        ([PAIR, OTHER], [PAIR, mirror(1, "S007", "S008", "S010")], [], "zpool add wants -f"),
        # zpool compares no more where vdevs differ already: none weaker than all is added.
        ([*UNLIKE], [*UNLIKE, ModelTop(2, VdevKind.STRIPE, 0, VdevClass.DATA, ["S010"])], [], "zpool add wants -f"),
        # Redundancy is raised before it is lowered.
        ([PAIR, mirror(1, *FOUR[2:], "S007")], [mirror(0, "S001", "S002", "S008"), OTHER],
         ["zpool attach", "zpool detach"], ""),
    ],
)  # fmt: skip
def test_that_vdevs_become_what_openzfs_lets_them(
    tops: list[ModelTop], wanted: list[ModelTop], steps: list[str], reason: str
) -> None:
    pool, goal = ModelPool(tops=tops), ModelPool(tops=wanted)
    assert kinds(pool, goal) == steps
    assert reason in " ".join(reasons(pool, goal)[:1])


def test_that_a_raidz_does_not_come_where_a_vdev_was_removed() -> None:
    pool = ModelPool(tops=[mirror(0, "S001", "S002")], removed=True)
    goal = ModelPool(tops=[mirror(0, "S001", "S002"), raidz(1, "S004", "S005", "S007")])
    assert "was removed from this pool before" in reasons(pool, goal)[0]


def test_that_a_raidz_gets_wider_from_2_3_on_alone() -> None:
    pool, goal = ModelPool(tops=[raidz(1, *FOUR)]), ModelPool(tops=[raidz(1, *FOUR, "S007")])
    assert kinds(pool, goal) == ["zpool attach"]
    old = replace(pool.inventory(), host=Host(zfs_version="2.2.7"))
    found = compare_with_live(design_of(goal), old, old.pools[0])
    assert [one.reason for one in found.of_way(LiveWay.CANNOT)] == [
        "It needs OpenZFS 2.3 and the feature raidz_expansion; this is 2.2.7."
    ]


def test_that_nothing_but_spares_caches_and_logs_leaves_a_pool_with_raidz() -> None:
    pool = ModelPool(tops=[raidz(1, *FOUR), mirror(1, "S007", "S008"), mirror(2, "S010", "S011")], spares=["S013"])
    pool.tops[1].vdev_class, pool.tops[2].vdev_class = VdevClass.SPECIAL, VdevClass.LOG
    goal = ModelPool(tops=[raidz(1, *FOUR)])
    assert kinds(pool, goal) == ["zpool remove", "zpool remove"]
    assert ["raidz1-0" in one for one in reasons(pool, goal)] == [True]


def exchanged(*second: str) -> tuple[ModelPool, ModelPool]:
    """Return a pool of two raidz1 and one in which the last disk of the first has the place of one of the second."""
    pool = ModelPool(tops=[raidz(1, "S001", "S002", "S004"), raidz(1, *second)])
    goal = ModelPool(tops=[raidz(1, "S001", "S002", second[-1]), raidz(1, *second[:-1], "S004")])
    for one in (pool, goal):
        one.tops[1].number = 1
    return pool, goal


def test_that_disks_alike_in_each_other_s_places_are_nothing_to_do() -> None:
    pool, goal = exchanged("S005", "S007", "S008")
    (left,) = compared(design_of(goal), pool).differences
    assert left.way is LiveWay.LEFT
    assert (left.found, left.wanted) == (
        "ata-MODEL_S004 in raidz1-0 and ata-MODEL_S008 in raidz1-1",
        "ata-MODEL_S008 in raidz1-0 and ata-MODEL_S004 in raidz1-1",
    )
    assert "nothing is to be done" in left.reason
    assert "exchange the disks and import it again" in left.reason


def test_that_unlike_disks_cannot_change_places_without_a_third() -> None:
    pool, goal = exchanged("S005", "S007", "S006")  # S006 is larger, and its vdev no larger for it
    (held,) = compared(design_of(goal), pool).differences
    assert held.way is LiveWay.CANNOT
    assert "a free disk as large as ata-MODEL_S006 in between" in held.reason


def test_that_three_disks_in_a_circle_are_one_difference() -> None:
    pool = ModelPool(tops=[mirror(0, "S001", "S002"), mirror(1, "S004", "S005"), mirror(2, "S007", "S008")])
    goal = ModelPool(tops=[mirror(0, "S001", "S005"), mirror(1, "S004", "S008"), mirror(2, "S007", "S002")])
    (left,) = compared(design_of(goal), pool).differences
    assert left.way is LiveWay.LEFT
    assert left.place == "mirror-0, mirror-1 and mirror-2"


def test_that_no_vdev_of_another_kind_is_added_beside_one_that_stays() -> None:
    """A design of two raidz2 against a raidz1: adding the second would leave a pool of both kinds for good."""
    pool = ModelPool(tops=[raidz(1, "S001", "S002", "S004", "S005")])
    goal = ModelPool(tops=[raidz(2, "S001", "S002", "S004", "S005"), raidz(2, "S007", "S008", "S010", "S011")])
    goal.tops[1].number = 1
    assert kinds(pool, goal) == []
    assert [one.place for one in compared(design_of(goal), pool).barred_by] == ["raidz1-0"]


def test_that_a_design_out_of_reach_takes_nothing_away() -> None:
    pool = ModelPool(tops=[raidz(2, *FOUR)], spares=["S007"], caches=["S008"], settings={"autotrim": "off"})
    goal = ModelPool(tops=[mirror(0, "S010", "S011")], settings={"autotrim": "on"})
    assert kinds(pool, goal) == []
    assert guarded_text(compared(design_of(goal), pool)) == ""
    assert sum("migrate" in reason for reason in reasons(pool, goal)) == 2  # the spare and the cache stay


def test_that_what_the_design_never_mentions_is_no_difference() -> None:
    pool, goal = ModelPool(tops=[mirror(0, "S001", "S002")]), ModelPool(tops=[mirror(0, "S001", "S002")])
    pool.settings = {"autotrim": "on", "autoexpand": "on"}
    pool.datasets = {"": {"compression": "zstd"}, "a": {"recordsize": "1048576", "quota": str(TB)}}
    goal.datasets = {"": {}, "a": {}}
    assert compared(design_of(goal), pool).differences == ()


def test_that_a_printed_default_is_surer_than_the_table_but_of_where_a_dataset_is_mounted() -> None:
    pool, goal = ModelPool(tops=[PAIR]), ModelPool(tops=[PAIR], datasets={"": {"atime": "off", "mountpoint": "/tank"}})
    inventory = pool.inventory()
    printed = [PropertyValue(name=n, value=v, source="default") for n, v in (("atime", "off"), ("mountpoint", "/mnt"))]
    root = ExistingDataset(name="tank", kind="filesystem", properties=tuple(printed))
    inventory = replace(inventory, existing=(replace(inventory.existing[0], datasets=(root,)),))
    assert compare_with_live(design_of(goal), inventory, inventory.pools[0]).differences == ()


def test_that_an_ashift_that_nobody_read_is_not_written() -> None:
    goal = replace(design_of(ModelPool(tops=[PAIR, OTHER])), ashift_read=False)
    (step,) = compared(goal, ModelPool(tops=[PAIR])).steps
    assert isinstance(step.action, AddVdevs)
    assert (step.action.ashift, step.reason) == (None, "The ashift of the pool was not read: look with `zdb -C`.")


def test_that_a_disk_that_something_else_uses_has_to_be_freed() -> None:
    pool, goal = ModelPool(tops=[mirror(0, "S001", "S002")]), ModelPool(tops=[mirror(0, "S001", "S002", "S004")])
    inventory = pool.inventory()
    used = tuple(
        replace(disk, uses=(Use(kind=UseKind.MOUNTED, detail="/srv"),)) if disk.key == "S004" else disk
        for disk in inventory.disks
    )
    inventory = replace(inventory, disks=used)
    found = compare_with_live(design_of(goal), inventory, inventory.pools[0])
    assert [one.reason for one in found.of_way(LiveWay.CANNOT)] == [
        "ata-MODEL_S004 is in use (mounted: /srv): free it first."
    ]


def test_that_what_is_stored_already_is_told() -> None:
    pool, goal = ModelPool(tops=[mirror(0, "S001", "S002")]), ModelPool(tops=[mirror(0, "S001", "S002")])
    pool.datasets = {"": {}, "a": {}}
    goal.datasets = {"": {"compression": "zstd"}, "a": {"recordsize": "1M"}}
    told = {one.name: one.rewrite for one in compared(design_of(goal), pool).differences}
    assert "zfs rewrite -r" in told["compression"]
    assert "also through zfs rewrite" in told["recordsize"]


def test_that_a_dataset_that_is_more_is_left_alone() -> None:
    pool, goal = ModelPool(tops=[mirror(0, "S001", "S002")]), ModelPool(tops=[mirror(0, "S001", "S002")])
    pool.datasets["old"] = {}
    found = compared(design_of(goal), pool)
    assert [(one.way, one.place) for one in found.differences] == [(LiveWay.LEFT, "tank/old")]
    assert "destroy" not in guarded_text(found)


def test_that_the_settings_of_creation_are_told_as_such() -> None:
    inventory = machine("good")
    pool = next(pool for pool in inventory.pools if pool.name == "tank")
    design = design_of_pool(inventory, pool).design
    root = replace(design.datasets[0], settings=(*design.datasets[0].settings, Setting(name="encryption", value="on")))
    other = replace(design, datasets=(root, *design.datasets[1:]))
    found = compare_with_live(other, inventory, pool)
    assert [(one.way, one.name) for one in found.differences if one.name == "encryption"] == [
        (LiveWay.CANNOT, "encryption")
    ]


@pytest.mark.slow
def test_that_the_text_does_nothing_unless_it_is_whole(tmp_path: Path) -> None:
    pool, goal = ModelPool(tops=[mirror(0, "S001", "S002")]), ModelPool(tops=[mirror(0, "S001", "S004")])
    text = guarded_text(compared(design_of(goal), pool))
    assert "  write zpool replace tank /dev/disk/by-id/ata-MODEL_S002-part1 /dev/disk/by-id/ata-MODEL_S004\n" in text
    script = tmp_path / "change.sh"
    script.write_text(text, encoding="utf-8")
    check_shell(script)
    # Every command as a program that tells that it was run.
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("zpool", "zfs", "wipefs", "id"):
        (programs / name).write_text('#!/bin/sh\necho ran >>"$RAN"\necho 0\n', encoding="utf-8")
        (programs / name).chmod(0o755)
    ran = tmp_path / "ran"
    for end in range(0, len(text) - 1, 997):
        done = subprocess.run(["/bin/bash"], input=text[:end], text=True, capture_output=True, check=False,
                              env={"PATH": str(programs), "RAN": str(ran)})  # fmt: skip
        assert not ran.exists(), (end, done)


@pytest.mark.parametrize(("part", "check", "path"), [(None, "empty", ""), (2, "part", "-part2")])
def test_that_only_what_the_pool_gets_of_a_disk_has_to_be_empty(part: int | None, check: str, path: str) -> None:
    pool, goal = ModelPool(tops=[PAIR], settings={"guid": "4711"}), ModelPool(tops=[mirror(0, "S001", "S004")])
    members = (Member(disk_key="S001"), Member(disk_key="S004", part=part, slice_bytes=4 * TB if part else None))
    design = design_of(goal)
    found = compared(replace(design, vdevs=(replace(design.vdevs[0], members=members),)), pool)
    of_design = guarded_text(found).partition("\n}\n")[0].splitlines()
    new = "/dev/disk/by-id/ata-MODEL_S004"
    assert [line.strip() for line in of_design[-7:]] == [
        "guard pool tank 4711",
        f"guard {check} {new}{' 2' if part else ''}",
        "guard known /dev/disk/by-id/ata-MODEL_S002",
        "ask yes",
        f"write zpool replace tank /dev/disk/by-id/ata-MODEL_S002-part1 {new}{path}",
        "settle tank replace",
        "guard healthy tank 0",
    ]


@pytest.fixture
def change(tmp_path: Path) -> tuple[Pretended, str]:
    """A machine on which S004 is to take the place of S002, and the script for it."""
    pool, goal = ModelPool(tops=[mirror(0, "S001", "S002")]), ModelPool(tops=[mirror(0, "S001", "S004")])
    pool.settings = {"guid": "4711"}
    found = compared(design_of(goal), pool)
    made = Pretended(tmp_path / "machine")
    for kernel, key in (("sda", "S002"), ("sdb", "S004")):
        made.plug(kernel, found.design.disk(key) if key == "S004" else next(d for d in disks() if d.key == key))
    members = "".join(f"\t    {made.root}/dev/{name}1  ONLINE  0 0 0\n" for name in ("sda", "sdz"))
    status = f" state: ONLINE\nconfig:\n\n\tNAME STATE READ WRITE CKSUM\n\ttank ONLINE 0 0 0\n{members}\n"
    (made.root / "status.tank").write_text(f"{status}errors: No known data errors\n", encoding="utf-8")
    return made, made.here(guarded_text(found))


WRONG = (
    ("sdb", "serial", "S0 04", ""),
    ("sdb", "size", "8", "has 8 bytes, the design says 4000000000000"),
    ("sdb", "sector", "4096", "logical sectors of 4096"),
    ("sdb", "serial", "X", "has the serial number X, the design says S004"),
    ("sda", "serial", "X", "has the serial number X, the design says S002"),
    ("sdb", "blkid", "TYPE=ext4\nLABEL=photos", "is not empty: ext4 named photos"),
    ("sdb", "wipefs", "0x438,a2c8,,ext4", "is not empty"),
    ("sdb", "mount", "/srv", "is in use at /srv"),
    ("sdb", "zdb", "pool_guid: 1", "carries the label of a pool"),
    ("sdb", "read_only", "1", "is read-only"),
)


@pytest.mark.parametrize(("kernel", "fact", "told", "said"), WRONG)
def test_that_a_change_is_refused_where_a_disk_is_another_or_not_empty(
    kernel: str, fact: str, told: str, said: str, change: tuple[Pretended, str]
) -> None:
    made, script = change
    made.tell(kernel, fact, told)
    for words, typed in (((), "yes\n"), (("--check",), "")):
        done = made.run(script, *words, typed=typed)
        replaced = [call for call in done.calls if "replace" in call]
        if said:
            assert (done.status, replaced) == (1, []), done.text
            assert said in done.text
            assert "Nothing was changed." in done.text
        else:
            assert (done.status, len(replaced)) == (0, 0 if words else 1), done.text


def test_that_a_change_asks_before_a_step_and_of_what_is_not_zero_and_writes_a_log(
    change: tuple[Pretended, str],
) -> None:
    made, script = change
    refused = made.run(script, typed="no\n")
    assert (refused.status, [call for call in refused.calls if "replace" in call]) == (1, []), refused.text
    (made.root / "dev/sdb").write_text("somebody's " * 4000, encoding="utf-8")
    refused = made.run(script, typed="yes\n")
    assert refused.status == 1, refused.text
    assert 'Type "overwrite ata-MODEL_S004" to go on:' in refused.text
    done = made.run(script, typed="overwrite ata-MODEL_S004\nyes\n")
    assert done.status == 0, done.text
    assert "+ zpool replace tank" in (made.root / "log").read_text(encoding="utf-8")


def test_that_a_change_is_refused_on_another_pool_of_the_name(change: tuple[Pretended, str]) -> None:
    made, script = change
    done = made.run(script.replace("tank 4711", "tank 4712"), typed="yes\n")
    assert done.status == 1, done.text
    assert "its guid is 4711, not 4712" in done.text


def test_that_a_disk_without_a_stable_name_is_a_gap_and_no_kernel_name() -> None:
    inventory = machine("wrong")
    pool = next(pool for pool in inventory.pools if pool.name == "mixed")
    design = design_of_pool(inventory, pool).design
    vdevs = tuple(
        replace(v, members=(*v.members, Member(disk_key="new"))) if v.kind is VdevKind.MIRROR else v
        for v in design.vdevs
    )
    new = Disk(key="new", size_bytes=8 * TB, planned=True)
    found = compare_with_live(replace(design, vdevs=vdevs, disks=(*design.disks, new)), inventory, pool)
    text = guarded_text(found)
    assert "/dev/sd" not in text
    assert "'/dev/disk/by-id/<new disk 1>'" in text
    assert "zpool import -d /dev/disk/by-id" in text
    assert "bind it to a real disk first" in next(found.of_way(LiveWay.STEP)).reason


@pytest.mark.parametrize("state", ["DEGRADED", "ONLINE"])
def test_that_nothing_that_bears_failures_leaves_a_pool_that_is_not_whole(state: str) -> None:
    pool = ModelPool(tops=[mirror(0, "S001", "S002", "S004"), mirror(1, "S005", "S007")], spares=["S008"])
    goal = design_of(ModelPool(tops=[mirror(0, "S001", "S002")]))
    inventory = pool.inventory()
    (whole,) = inventory.pools
    found = compare_with_live(goal, inventory, replace(whole, state=state))
    away = {"zpool remove", "zpool detach"}
    assert {action_word(step.action) for step in found.steps} & away == (away if state == "ONLINE" else set())
    held = [one for one in found.of_way(LiveWay.CANNOT) if "until that is fixed" in one.reason]
    assert len(held) == (3 if state == "DEGRADED" else 0)
