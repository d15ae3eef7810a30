"""What to add, replace or rebuild in ordinary pools: what an administrator of many years would say."""

from dataclasses import replace
from functools import cache

import pytest
from tests.changes.existing_machines import TODAY, given, machine
from tests.design.pools_by_hand import machine_with

from poolwright.catalogue_library import shipped_catalogue, shipped_flash
from poolwright.changes.as_design import design_of_pool
from poolwright.changes.growth.design import created_pool
from poolwright.changes.improve.improve import improve
from poolwright.changes.improve.pool_change import ChangeKind, ImproveQuestion, PoolChange, PoolImprovements, Urgency
from poolwright.changes.live_difference.difference import compare_with_live
from poolwright.changes.live_difference.values import LiveWay
from poolwright.cli.improve import commands_of_change
from poolwright.domain.catalogue import Catalogue
from poolwright.domain.errors import UserError
from poolwright.domain.host import Inventory
from poolwright.domain.money import money
from poolwright.domain.units import drive_size
from poolwright.domain.workload import Budget, Goal, Workload
from poolwright.emit.commands import action_word
from poolwright.table_library import load_drive_book

pytestmark = pytest.mark.slow

DATA = "data"
SOURCE = ("--from", "m.capture")
Vdevs = tuple[tuple[str, str, int], ...]


def improved(
    inventory: Inventory,
    *,
    pool: str = "tank",
    spend: int | None = 2000,
    workload: Workload | None = None,
    catalogue: Catalogue | None = None,
) -> PoolImprovements:
    found = next(one for one in inventory.pools if one.name == pool)
    known = given(inventory.facts_of(found))
    budget = Budget(money=None if spend is None else money(spend, "USD"), currency="USD")
    made = design_of_pool(inventory, found, workload=workload or Workload(goal=Goal.SAFETY))
    question = ImproveQuestion(
        budget=budget,
        catalogue=catalogue or shipped_catalogue(),
        drives=load_drive_book(),
        today=TODAY,
        flash=shipped_flash(),
    )
    return improve(replace(made, design=replace(made.design, budget=budget)), known, question)


@cache
def ordinary(name: str) -> Inventory:
    disks, vdevs, told = POOLS[name]
    return machine_with(disks, vdevs, **told)  # type: ignore[arg-type]  # a table of options


POOLS: dict[str, tuple[tuple[str, ...], Vdevs, dict[str, object]]] = {
    "mirror": (("2 x 4TB CMR SATA",), ((DATA, "mirror", 2),), {"fill": 90}),
    "at hand": (("6 x 4TB CMR SATA", "6 x 8TB CMR SATA"), ((DATA, "raidz2", 6),), {"fill": 85}),
    "faulted": (("6 x 6TB CMR SATA",), ((DATA, "mirror", 2),) * 3, {"fill": 60, "states": {1: "FAULTED"}}),
    "roomy": (("8 x 16TB CMR SATA",), ((DATA, "raidz2", 8),), {"fill": 30}),
    "wide raidz1": (("8 x 12TB CMR SATA",), ((DATA, "raidz1", 8),), {"fill": 80}),
    "bare": (("4 x 2TB CMR SATA",), ((DATA, "disk", 4),), {"fill": 80}),
    "old": (("5 x 3TB CMR SATA",), ((DATA, "raidz2", 5),), {"fill": 88, "version": "2.1.11", "failing": (2,)}),
    "empty raidz1": (("8 x 12TB CMR SATA",), ((DATA, "raidz1", 8),), {"fill": 40}),
    "raidz1 of 3": (("3 x 4TB CMR SATA",), ((DATA, "raidz1", 3),), {"fill": 70}),
    "raidz1 of shingled": (("4 x 8TB SMR SATA",), ((DATA, "raidz1", 4),), {"fill": 60}),
    "poor": (("5 x 4TB CMR SATA",), ((DATA, "raidz1", 5),), {"fill": 85}),
    "small blocks": (("6 x 4TB CMR SATA 512e",), ((DATA, "raidz2", 6),), {"fill": 60, "ashift": 9}),
    "lone disk": (("1 x 8TB CMR SATA",), ((DATA, "disk", 1),), {"fill": 60}),
    "on USB": (("2 x 5TB SMR USB",), ((DATA, "mirror", 2),), {"fill": 70}),
    "lone log": (
        ("8 x 4TB CMR SATA", "1 x 400GB NVMe PLP"), ((DATA, "mirror", 2),) * 4 + (("logs", "disk", 1),), {"fill": 50}),
    "two gone": (("6 x 8TB CMR SATA",), ((DATA, "raidz2", 6),), {"fill": 60, "states": {2: "FAULTED", 4: "REMOVED"}}),
    "virtual machines": (("8 x 8TB CMR SATA",), ((DATA, "raidz2", 8),), {"fill": 45}),
    "dRAID": (("24 x 12TB CMR SAS",), ((DATA, "draid2:8d:24c:2s", 24),), {"fill": 70}),
    "shingled": (("6 x 4TB CMR SATA", "6 x 8TB SMR SATA"), ((DATA, "raidz2", 6),), {"fill": 85}),
}  # fmt: skip


def of_kind(found: PoolImprovements, kind: ChangeKind) -> PoolChange:
    return next(change for change in found.changes if change.kind is kind)


def test_that_a_broken_disk_comes_before_all_and_its_price_is_taken_from_the_money() -> None:
    found = improved(ordinary("faulted"))
    first = found.changes[0]
    assert (first.kind, first.urgency) == (ChangeKind.REPLACE_FAILING, Urgency.FIRST)
    assert found.left == given(found.money) - given(first.cost)


@pytest.mark.parametrize(
    ("name", "kind", "bought"),
    [
        ("old", ChangeKind.REPLACE_FAILING, 1),
        ("bare", ChangeKind.MIRROR_BARE, 4),
        ("mirror", ChangeKind.REPLACE_LARGER, 2),  # larger disks before six more
        ("empty raidz1", ChangeKind.REBUILD, 0),  # of its own disks
        ("raidz1 of 3", ChangeKind.REPLACE_LARGER, 3),  # of five disks one failure is too little
    ],
)
def test_that_each_pool_is_told_first_what_it_needs_most(name: str, kind: ChangeKind, bought: int) -> None:
    first = improved(ordinary(name)).changes[0]
    assert (first.kind, len(first.bought)) == (kind, bought)


@pytest.mark.parametrize(
    ("name", "kind", "where", "words"),
    [
        ("old", ChangeKind.REPLACE_FAILING, "title", "ata-DISK_SN0002"),
        ("old", ChangeKind.WIDEN, "why", "needs OpenZFS 2.3"),
        ("roomy", ChangeKind.REPLACE_LARGER, "behind", "more than there is to spend"),
        ("empty raidz1", ChangeKind.REBUILD, "title", "raidz2 of 8"),
        ("raidz1 of 3", ChangeKind.REPLACE_LARGER, "minds", "larger disks take longer"),
        ("raidz1 of shingled", ChangeKind.REPLACE_LARGER, "why", "shingled (SMR) disks leave"),
        ("on USB", ChangeKind.REPLACE_LARGER, "why", "inside the machine"),
        ("roomy", ChangeKind.SPECIAL, "title", "3 flash drives"),
        ("lone disk", ChangeKind.SPECIAL, "title", "2 flash drives"),  # a pool of one disk bears no failure, and yet
        ("lone log", ChangeKind.ADD_SIDES, "minds", "Disks of 4 TB are enough"),
        ("two gone", ChangeKind.REPLACE_FAILING, "why", "raidz2-0 survives no failure: the next one loses"),
    ],
)
def test_that_a_change_says_what_its_owner_must_know(name: str, kind: ChangeKind, where: str, words: str) -> None:
    assert words in str(getattr(of_kind(improved(ordinary(name)), kind), where))


def test_that_a_lone_special_vdev_gets_as_many_sides_as_the_data_bear_failures() -> None:
    first = improved(machine("wrong")).changes[0]
    assert (first.kind, len(first.bought)) == (ChangeKind.MIRROR_SUPPORT, 2)
    assert first.cost is None  # the catalogue has no flash
    assert "only copy" in first.why


@pytest.mark.parametrize("at", ["wrong mixed", "wrong old", "expanded exp", "expanded dr"])
def test_that_no_large_disks_are_bought_to_stand_beside_a_small_one_at_hand(at: str) -> None:
    """A disk of 1 TB lies there: in a vdev five of 8 TB beside it count as 1 TB each, to spare the price of a sixth."""
    together = {ChangeKind.ADD_VDEV, ChangeKind.REPLACE_LARGER, ChangeKind.NEW_POOL}
    name, pool = at.split()
    changes = [one for one in improved(machine(name), pool=pool).changes if one.kind in together and one.bought]
    assert changes
    for change in changes:
        sizes = [disk.size_bytes or 0 for disk in (*change.at_hand, *change.bought)]
        assert min(sizes) > 0.7 * max(sizes), change.title


def test_that_a_disk_at_hand_joins_bought_ones_of_about_its_size() -> None:
    """One of 6 TB in a pool of such disks spares the eighth of 8 TB, which would count no more."""
    change = of_kind(improved(machine("good")), ChangeKind.ADD_VDEV)
    assert (len(change.at_hand), len(change.bought)) == (1, 5)


def test_that_only_the_small_disks_of_a_vdev_give_way_and_to_none_that_is_larger_than_the_others() -> None:
    change = of_kind(
        improved(machine_with(("2 x 8TB CMR SATA", "4 x 4TB CMR SATA"), ((DATA, "raidz2", 6),), fill=60), spend=None),
        ChangeKind.REPLACE_LARGER,
    )
    assert [drive_size(disk.size_bytes) for disk in change.bought] == ["8 TB"] * 4
    assert given(change.design).stranded_bytes() < 1 << 30


def test_that_disks_at_hand_of_one_size_come_together() -> None:
    lying = machine_with(("6 x 2TB CMR SATA", "3 x 2TB CMR SATA", "6 x 8TB CMR SATA"), ((DATA, "raidz2", 6),), fill=85)
    change = of_kind(improved(lying, spend=0), ChangeKind.ADD_VDEV)
    assert len({disk.size_bytes for disk in change.at_hand}) == 1


def test_that_shingled_disks_at_hand_come_into_no_raidz() -> None:
    for change in improved(ordinary("shingled")).changes:
        assert not any(disk.smr for disk in change.at_hand)


def test_that_a_raidz1_of_eight_large_disks_is_left_for_a_raidz2_and_not_doubled() -> None:
    """Another raidz1 beside it never leaves again; two raidz2, the second of the old disks, bear two failures."""
    found = improved(ordinary("wide raidz1"))
    first = found.changes[0]
    assert (first.kind, first.urgency) == (ChangeKind.NEW_POOL, Urgency.WORTH)
    assert [(v.parity, len(v.members)) for v in given(first.design).vdevs] == [(2, 8), (2, 8)]
    assert given(first.cost) <= given(found.money)
    doubled = of_kind(found, ChangeKind.ADD_VDEV)
    assert doubled.urgency is Urgency.NOT
    assert "more of what is wrong" in doubled.why
    assert found.notes[0].startswith("Before changing anything make a backup")


def test_that_a_new_pool_is_led_to_by_a_move_and_by_nothing_that_adds_to_the_old_one() -> None:
    inventory = ordinary("wide raidz1")
    first = improved(inventory).changes[0]
    (line,) = commands_of_change(first, inventory, inventory.pools[0], SOURCE)
    assert line == "poolwright migrate --from m.capture --pool tank --layout raidz2:8x14TB --buy '8 x 14TB'"
    comparison = compare_with_live(given(first.design), inventory, inventory.pools[0])
    assert "zpool add" not in [action_word(step.action) for step in comparison.steps]


def test_that_no_move_is_named_that_could_not_even_begin() -> None:
    """A raidz1 of eight gives one disk away, a raidz2 of eight begins with six: `poolwright migrate` refuses that."""
    inventory = ordinary("empty raidz1")
    rebuilt = improved(inventory).changes[0]
    assert rebuilt.kind is ChangeKind.REBUILD
    assert commands_of_change(rebuilt, inventory, inventory.pools[0], SOURCE) == ()
    assert "Copy everything away" in rebuilt.rewrite
    beside = machine_with(("13 x 12TB CMR SATA",), ((DATA, "raidz1", 8),), fill=40)
    with_others = of_kind(improved(beside), ChangeKind.REBUILD)
    assert commands_of_change(with_others, beside, beside.pools[0], SOURCE) == (
        "poolwright migrate --from m.capture --pool tank --layout raidz2:8x12TB",
    )


def test_that_the_new_pool_holds_the_data_of_the_old_one_alone() -> None:
    """The old disks join it when the copy was looked at: until then the new ones are all there is."""
    found = improved(ordinary("wide raidz1"))
    design = given(found.changes[0].design)
    alone = created_pool(replace(design, vdevs=design.vdevs[:1])).pool.capacity().available_bytes
    assert given(found.before.room_bytes) * 80 // 100 <= alone * 85 // 100


def test_that_shingled_disks_behind_parity_are_left_for_others() -> None:
    found = improved(ordinary("raidz1 of shingled"))
    first = found.changes[0]
    assert first.lifts
    assert "shingled (SMR)" in first.why
    assert not any(disk.smr for disk in first.bought)


def test_that_money_that_reaches_for_nothing_better_buys_nothing() -> None:
    """500 dollars make no raidz2 that holds what the raidz1 does: nothing is called worth it for being cheap."""
    found = improved(ordinary("poor"), spend=500)
    assert all(change.urgency is not Urgency.WORTH for change in found.changes)
    assert of_kind(found, ChangeKind.NEW_POOL).urgency is Urgency.DEAR


def test_that_blocks_smaller_than_sectors_take_another_pool() -> None:
    found = improved(ordinary("small blocks"))
    first = found.changes[0]
    assert first.kind in (ChangeKind.NEW_POOL, ChangeKind.REBUILD)
    assert given(first.design).ashift == 12
    assert "ashift 9" in first.why
    assert of_kind(found, ChangeKind.REBUILD).design is not None


def test_that_a_lone_log_device_is_no_lone_disk_of_the_data() -> None:
    found = improved(ordinary("lone log"), workload=Workload(goal=Goal.CONCURRENT, sync_write_percent=60))
    assert all(change.urgency is not Urgency.FIRST for change in found.changes)
    assert of_kind(found, ChangeKind.MIRROR_LOG).urgency is Urgency.LITTLE


def test_that_a_log_has_a_price_with_its_day_and_power_loss_protection() -> None:
    workload = Workload(goal=Goal.CONCURRENT, sync_write_percent=70, io_size_bytes=16384, sequential_percent=10)
    first = improved(ordinary("virtual machines"), workload=workload).changes[0]
    assert (first.kind, first.cost) == (ChangeKind.LOG, money(218, "USD"))
    assert all(disk.power_loss_protection for disk in first.bought)
    assert all(product.priced_on == "2025-01-05" for product in shipped_flash().products)


def test_that_a_log_is_advised_for_synchronous_writes_alone() -> None:
    none = improved(ordinary("at hand"), workload=Workload(goal=Goal.SAFETY, sync_write_percent=0))
    assert of_kind(none, ChangeKind.LOG).urgency is Urgency.NOT
    many = improved(ordinary("at hand"), workload=Workload(goal=Goal.CONCURRENT, sync_write_percent=80))
    assert of_kind(many, ChangeKind.LOG).urgency is Urgency.WORTH


def test_that_gains_are_those_of_the_models_and_old_blocks_are_told() -> None:
    found = improved(ordinary("at hand"))
    change = of_kind(found, ChangeKind.WIDEN)
    after = given(change.after)
    # zfs list counts the new room by the old share of parity: less than what fits once all is written anew.
    assert given(found.before.usable_bytes) < given(after.usable_bytes) < given(after.room_bytes)
    assert "old share of parity" in change.rewrite


def test_that_an_enlarged_pool_is_as_fast_as_its_new_fill_lets_it_be() -> None:
    found = improved(ordinary("mirror"))
    larger = of_kind(found, ChangeKind.REPLACE_LARGER)
    before, after = found.before, given(larger.after)
    percent = round(90 * given(before.usable_bytes) / given(after.usable_bytes))
    assert given(larger.design).in_use_percent == percent
    assert given(after.seq_write) > 1.5 * given(before.seq_write)


@pytest.mark.parametrize("name", sorted(POOLS))
def test_that_every_change_that_is_advised_has_commands_that_make_it(name: str) -> None:
    inventory = ordinary(name)
    for change in improved(inventory).changes:
        if change.design is None or change.kind in (ChangeKind.REBUILD, ChangeKind.NEW_POOL):
            continue
        comparison = compare_with_live(change.design, inventory, inventory.pools[0])
        assert list(comparison.of_way(LiveWay.CANNOT)) == [], change.title
        assert comparison.steps, change.title


def test_that_larger_disks_bring_their_room_because_autoexpand_is_set() -> None:
    inventory = ordinary("mirror")
    change = of_kind(improved(inventory), ChangeKind.REPLACE_LARGER)
    found = compare_with_live(given(change.design), inventory, inventory.pools[0])
    assert [action_word(step.action) for step in found.steps] == ["zpool set", "zpool replace", "zpool replace"]


def test_that_without_sizes_the_reason_is_told() -> None:
    inventory = ordinary("mirror")
    bare = replace(inventory, disks=(), existing=(replace(inventory.existing[0], vdevs=()),))
    with pytest.raises(UserError, match="sizes of the disks"):
        improved(bare)


def test_that_a_catalogue_without_prices_leaves_the_cost_unknown() -> None:
    found = improved(ordinary("mirror"), catalogue=Catalogue())
    assert of_kind(found, ChangeKind.ADD_VDEV).cost is None
