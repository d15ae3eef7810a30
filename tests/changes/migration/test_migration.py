"""Ways from the pool that is there to another layout: which are found, in which order, and which are refused."""

from dataclasses import replace

import pytest
from tests.changes.migration.machines import SIZE, TB, machine, migration, properties, script_of, target_on

from poolwright.changes.migration.search import plan_migration
from poolwright.changes.migration.target import old_pool, target_of_design
from poolwright.changes.migration.values import MigrationPlan, Move
from poolwright.domain.design import Design, Member, Vdev
from poolwright.domain.disk import Use, UseKind
from poolwright.domain.errors import Refusal, UserError
from poolwright.domain.host import Inventory
from poolwright.domain.pool import ExistingDataset
from poolwright.domain.vdev import VdevKind
from poolwright.emit.migration_script import lines_of


def moves(plan: MigrationPlan) -> list[str]:
    return [step.move.value for step in plan.steps]


def commands(plan: MigrationPlan) -> list[str]:
    return [line.removeprefix("write ") for lines in script_of(plan) for line in lines if line.startswith("write ")]


def refused(inventory: Inventory, layout: str, **more: object) -> str:
    with pytest.raises(Refusal) as told:
        migration(inventory, layout, **more)  # type: ignore[arg-type]
    return "; ".join((told.value.text, *told.value.reasons))


def test_that_a_mirror_becomes_a_raidz2_of_four_and_any_disk_may_fail_all_the_time() -> None:
    plan = migration(machine([("mirror", 2)], 2), "raidz2:4x4TB").plan
    assert plan.least == 1
    assert moves(plan) == [
        "look", "create", "copy", "verify", "stop", "copy-rest", "detach", "fill", "destroy", "rename", "fill",
        "finish", "clean-up",
    ]  # fmt: skip
    survived = {step.move: step.survives for step in plan.steps}
    assert (survived[Move.DETACH], survived[Move.FINISH]) == (1, 2)
    assert plan.final_step == moves(plan).index("destroy")
    assert [step.copies for step in plan.steps if step.move is Move.DETACH] == [2]


def test_that_a_moment_without_redundancy_is_refused_unless_a_backup_exists() -> None:
    one_disk = machine([("mirror", 2)], 1)
    told = refused(one_disk, "raidz1:3x4TB")
    assert "--backup-exists" in told
    assert "steps 2 to " in told
    plan = migration(one_disk, "raidz1:3x4TB", backup=True).plan
    assert plan.least == 0
    assert any("backup" in text for text in plan.warnings)


@pytest.mark.parametrize(
    ("vdevs", "layout", "forced"),
    [
        ([("mirror", 2)], "mirror:2x4TB mirror:2x4TB", False),
        ([("mirror", 2)], "mirror:2x4TB raidz1:3x4TB", False),
        ([("mirror", 2)], "mirror:2x4TB spare/stripe:1x4TB", False),
        ([("mirror", 2)], "mirror:2x4TB raidz2:4x4TB", True),
        ([("raidz1", 3)], "raidz1:3x4TB stripe:1x4TB", True),
        # The one that is there is wide enough by then; of vdevs that differ already zpool compares none.
        ([("raidz1", 3)], "raidz1:4x4TB raidz1:4x4TB", False),
        ([("raidz1", 3), ("mirror", 3)], "raidz1:3x4TB mirror:3x4TB mirror:2x4TB", False),
    ],
)
def test_that_a_vdev_is_added_by_force_only_beside_vdevs_unlike_it(
    vdevs: list[tuple[str, int]], layout: str, *, forced: bool
) -> None:
    plan = migration(machine(vdevs, 5), layout).plan
    assert plan.in_place
    (added,) = (text for text in commands(plan) if text.startswith("zpool add"))
    assert ("add -f" in added) is forced


def test_that_a_raidz_is_made_wider_only_by_an_openzfs_that_can() -> None:
    assert moves(migration(machine([("raidz1", 3)], 1), "raidz1:4x4TB").plan) == ["look", "expand", "finish"]
    told = refused(machine([("raidz1", 3)], 1, version="2.2.4"), "raidz1:4x4TB")
    assert "cannot even begin" in told


def test_that_a_lone_disk_is_copied_to_redundancy_without_a_backup_when_nothing_is_taken_away() -> None:
    plan = migration(machine([("disk", 1)], 3), "raidz1:3x4TB").plan
    assert plan.least == 0
    assert plan.unprotected == ()
    assert "backup" in refused(machine([("disk", 1)], 2), "raidz1:3x4TB")


def test_that_mirrors_give_up_a_vdev_rather_than_their_redundancy() -> None:
    found = migration(machine([("mirror", 2), ("mirror", 2)], 0), "raidz2:4x4TB")
    assert moves(found.plan)[1] == "evacuate"
    assert found.plan.least == 1
    full = machine([("mirror", 2), ("mirror", 2)], 0, used=6 * TB)
    assert "backup" in refused(full, "raidz2:4x4TB")
    # `zpool remove` takes no raidz, and no vdev before 0.8.
    assert "backup" in refused(machine([("raidz1", 3), ("raidz1", 3)], 0), "raidz2:4x4TB")
    assert "backup" in refused(machine([("mirror", 2), ("mirror", 2)], 0, version="0.7.13"), "raidz2:4x4TB")


def test_that_data_which_do_not_fit_are_refused_with_both_numbers() -> None:
    told = refused(machine([("mirror", 2), ("mirror", 2)], 2, used=7 * TB), "mirror:2x4TB")
    assert "6.37 TiB" in told
    assert "3.51 TiB" in told


def test_that_an_unknown_amount_is_asked_for_and_a_told_one_taken() -> None:
    unknown = machine([("mirror", 2)], 2, used=None)
    assert "--stored" in refused(unknown, "raidz2:4x4TB")
    assert migration(unknown, "raidz2:4x4TB", stored=TB).plan.needed_bytes == TB


def test_that_more_than_the_pool_can_hold_is_not_believed() -> None:
    with pytest.raises(UserError, match=r"8\.19 TiB cannot lie in tank, which has room for 3\.51 TiB"):
        migration(machine([("mirror", 2)], 2, used=None), "raidz2:4x4TB", stored=9 * TB)


@pytest.mark.parametrize(
    ("vdevs", "layout", "free", "size", "alone"),
    [
        ([("mirror", 2)], "mirror:2x8TB", 2, 8_001_563_222_016, True),
        ([("raidz2", 4)], "raidz2:4x8TB", 4, 8_001_563_222_016, True),
        ([("raidz2", 4)], "raidz1:4x8TB", 4, 8_001_563_222_016, False),
        ([("mirror", 2)], "mirror:2x2TB", 2, 2_000_398_934_016, False),
        ([("mirror", 2)], "raidz2:4x4TB", 2, None, False),
    ],
)
def test_that_other_disks_in_the_same_vdevs_are_replaced_one_by_one(
    vdevs: list[tuple[str, int]], layout: str, free: int, size: int | None, alone: bool
) -> None:
    plan = migration(machine(vdevs, free, free_size=size), layout).plan
    exchanges = [step for step in plan.steps if step.move is Move.REPLACE]
    assert (plan.in_place and len(exchanges) == len(plan.old.keys)) is alone
    assert bool(exchanges) is alone
    # The old disk stays attached: nothing is given up at any moment, and only the last disk lets the vdev grow.
    bears = min(vdev.survives for vdev in plan.old.vdevs if vdev.holds)
    assert all(step.survives == bears for step in exchanges)
    assert [step.final for step in exchanges] == [False] * (len(exchanges) - 1) + [True] * bool(exchanges)


def test_that_small_blocks_need_more_room_in_a_raidz() -> None:
    values = {"used": TB, "usedbydataset": TB, "volblocksize": 8192, "encryption": "off"}
    volume = ExistingDataset(name="tank/vm", kind="volume", properties=properties(values))
    plan = migration(machine([("mirror", 2)], 4, datasets=(volume,)), "raidz2:4x4TB").plan
    assert plan.needed_bytes is not None
    # 8K on a raidz2 of 4 with 4K sectors: two of data and two of parity, padded to six; 128K are charged for 66 of 32.
    assert 1.4 * TB < plan.needed_bytes < 1.5 * TB


def test_that_an_unknown_medium_leaves_times_unknown_with_their_reason() -> None:
    known = machine([("mirror", 2)], 2)
    disks = tuple(replace(d, media=None) if d.key == "new0" else d for d in known.disks)
    plan = migration(replace(known, disks=disks), "raidz2:4x4TB").plan
    assert plan.hours is None
    copy = next(step for step in plan.steps if step.move is Move.COPY)
    assert copy.hours is None
    assert "ata-DISK_new0" in copy.why_no_hours
    assert copy.bytes_moved == TB


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"pool_values": {"bootfs": "tank/ROOT"}}, "starts from it"),
        ({"operations": ("checkpoint: created Mon Nov 23",)}, "checkpoint"),
        ({"scans": ("resilver in progress since Mon Nov 23",)}, "wait"),
        ({"errors": "4 data errors, use '-v' for a list"}, "damaged files"),
    ],
)
def test_that_a_pool_that_must_not_be_moved_now_is_refused(change: dict[str, object], reason: str) -> None:
    inventory = machine([("mirror", 2)], 2, pool_values=change.pop("pool_values", None))  # type: ignore[arg-type]
    inventory = replace(inventory, pools=(replace(inventory.pools[0], **change),))  # type: ignore[arg-type]
    assert reason in refused(inventory, "raidz2:4x4TB")


@pytest.mark.parametrize(
    ("vdevs", "free", "layout", "feature"),
    [
        ([("raidz1", 3)], 1, "raidz1:4x4TB", "raidz_expansion"),
        ([("mirror", 2), ("mirror", 2)], 0, "raidz2:4x4TB", "device_removal"),
    ],
)
def test_that_a_feature_which_the_plan_needs_and_the_pool_lacks_is_enabled_first(
    vdevs: list[tuple[str, int]], free: int, layout: str, feature: str
) -> None:
    """OpenZFS refuses `zpool remove` and `zpool attach` to a raidz in a pool that an older release made."""
    for state, told in (("disabled", True), ("enabled", False), ("active", False)):
        inventory = machine(vdevs, free, pool_values={f"feature@{feature}": state})
        warnings = " ".join(migration(inventory, layout).plan.warnings)
        assert (f"zpool set feature@{feature}=enabled tank" in warnings) is told


def test_that_a_missing_side_counts_as_gone() -> None:
    degraded = machine([("mirror", 2)], 2, offline=1)
    told = refused(degraded, "raidz2:4x4TB")
    assert "without any redundancy" in told
    plan = migration(degraded, "raidz2:4x4TB", backup=True).plan
    assert any("not online" in text for text in plan.warnings)


def test_that_a_degraded_pool_is_not_worked_by_a_scrub_before_its_data_are_copied() -> None:
    plan = migration(machine([("raidz1", 3)], 4, offline=1), "raidz2:4x4TB").plan
    assert moves(plan)[:3] == ["check", "create", "copy"]
    assert script_of(plan)[0] == ["guard names tank tank-new tank-old", "guard healthy tank 1"]
    cacheless = machine([("disk", 1), ("mirror", 2)], 4, offline=1, sections=("cache", "data"))
    assert moves(migration(cacheless, "raidz2:4x4TB").plan)[0] == "look"
    side_first = migration(machine([("mirror", 3)], 1, offline=1), "raidz2:4x4TB", backup=True).plan
    assert moves(side_first)[:2] == ["look", "detach"]


def test_that_a_disk_which_starts_the_system_never_leaves() -> None:
    inventory = machine([("mirror", 2)], 2)
    boot = tuple(
        replace(d, uses=(*d.uses, Use(kind=UseKind.BOOT, detail="/boot/efi"))) if d.key == "old0" else d
        for d in inventory.disks
    )
    assert "starts or carries the system" in refused(replace(inventory, disks=boot), "raidz2:4x4TB")


def test_that_disks_named_by_the_kernel_are_refused_where_they_must_be_named() -> None:
    inventory = machine([("mirror", 2)], 2)
    node = inventory.pools[0].vdevs[0]
    leaves = tuple(
        replace(leaf, name=f"/dev/sd{c}1", path=f"/dev/sd{c}1") for leaf, c in zip(node.children, "ab", strict=True)
    )
    disks = tuple(
        replace(d, path=f"/dev/sd{'ab'[int(d.key[3])]}") if d.key.startswith("old") else d for d in inventory.disks
    )
    pool = replace(inventory.pools[0], vdevs=(replace(node, children=leaves),))
    plan = migration(replace(inventory, pools=(pool,), disks=disks), "raidz2:4x4TB").plan
    with pytest.raises(Refusal) as told:
        lines_of(plan)
    assert "zpool import -d /dev/disk/by-id" in told.value.text


def test_that_a_smaller_disk_cannot_come_to_a_mirror_later() -> None:
    small_old = machine([("raidz1", 3)], 1, size=SIZE, free_size=SIZE + (1 << 30))
    assert "offline" in refused(small_old, "2*mirror:2x4TB")
    plan = migration(small_old, "2*mirror:2x4TB", backup=True).plan
    create = next(step for step in plan.steps if step.move is Move.CREATE)
    assert set(create.disk_keys) == {"new0", "old0"}


def test_that_encrypted_data_are_copied_as_fast_as_the_release_of_the_pool_seals_them() -> None:
    vault = ExistingDataset(name="tank/vault", kind="filesystem", properties=properties({"encryption": "aes-256-gcm"}))
    hours = []
    for version in ("0.8.3", "2.3.2"):
        there = machine([("mirror", 2)], 2, datasets=(vault,), version=version)
        plan = migration(replace(there, host=replace(there.host, cores=1)), "raidz2:4x4TB").plan
        hours += [step.hours.typical for step in plan.steps if step.move is Move.COPY and step.hours]
    assert hours[0] > 3 * hours[1]


def test_that_bare_disks_stand_before_groups_so_that_they_join_none() -> None:
    plan = migration(machine([("mirror", 2)] * 3, 1, used=TB), "2*mirror:3x4TB", backup=True)
    for each in (plan.plan, *plan.others):
        create = next(text for text in commands(each) if text.startswith("zpool create"))
        devices = create.partition(" tank-new ")[2].split()
        groups = [n for n, word in enumerate(devices) if not word.startswith("/")]
        bare = [n for n, word in enumerate(devices) if word.startswith("/") and n < min(groups, default=99)]
        assert len(bare) <= 1
        if bare:
            assert groups == [1]


def test_that_a_move_in_place_takes_the_disks_that_make_the_best_pool() -> None:
    """Two shingled ones of the size lie there as well, and come first among those of the machine."""
    found = machine([("raidz2", 4)], 6, free_size=2 * SIZE)
    odd = {"new0": "OTHER", "new1": "OTHER"}
    disks = tuple(replace(one, model=odd.get(one.key, one.model), smr=one.key in odd) for one in found.disks)
    plan = migration(replace(found, disks=disks), "raidz2:4x8TB").plan
    assert {m.disk_key for m in plan.target.vdevs[0].members} == {f"new{n}" for n in range(2, 6)}
    assert plan.in_place


def test_that_disks_of_the_old_pool_whose_size_nobody_knows_are_not_used() -> None:
    found = machine([("mirror", 2), ("mirror", 2)], 2)
    unread = (replace(disk, size_bytes=None) for disk in found.disks[2:4])
    found = replace(found, disks=(*found.disks[:2], *unread, *found.disks[4:]))
    old = old_pool(found, "tank")
    assert target_on(found, "raidz1:4x4TB", old).design.used_keys() == {"new0", "new1", "old0", "old1"}
    with pytest.raises(Refusal):
        target_on(found, "mirror:2x1.1TB", old)  # their stand-ins have 1 TiB


def test_that_a_design_keeps_its_disks_in_their_places() -> None:
    inventory = machine([("mirror", 2)], 2)
    members = tuple(Member(disk_key=key) for key in ("old0", "new0", "old1", "new1"))
    wanted = Design(
        key="d",
        name="d",
        pool_name="tank",
        disks=inventory.disks,
        vdevs=(Vdev(kind=VdevKind.RAIDZ, parity=2, members=members),),
    )
    old = old_pool(inventory, "tank")
    plan = plan_migration(old, target_of_design(wanted, old, inventory), inventory).plan
    assert [m.disk_key for m in plan.target.vdevs[0].members] == ["old0", "new0", "old1", "new1"]
    other = replace(wanted, disks=tuple(replace(d, serial="x", by_id=("ata-x",), key="x") for d in inventory.disks[:1]))
    with pytest.raises((Refusal, UserError)):
        target_of_design(other, old, inventory)


def test_that_what_is_asked_for_twice_or_not_there_is_refused() -> None:
    inventory = machine([("mirror", 2)], 2)
    with pytest.raises(UserError):
        old_pool(inventory, "nowhere")
    assert "already" in refused(inventory, "mirror:2x4TB")


@pytest.mark.slow
def test_that_a_large_machine_is_planned_in_a_second() -> None:
    found = migration(machine([("mirror", 2)] * 12, 0, used=2 * TB), "3*raidz2:8x4TB")
    assert found.plan.least == 1
