"""The sizes that real pools printed, explained: what is left unexplained is nothing, or some blocks that are told."""

from dataclasses import replace

import pytest
from tests.changes.existing_machines import audits, given, machine

from poolwright.capacity.explained import SizeCascade
from poolwright.changes.as_design import design_of_pool
from poolwright.changes.explain import explain_sizes, with_expansions

MIB = 1 << 20
POOLS = [
    ("good", "tank"), ("good", "fast"), ("expanded", "exp"), ("expanded", "dr"), ("expanded", "sp"), ("wrong", "tank"),
    ("wrong", "mixed"), ("wrong", "full"), ("wrong", "rem"),
]  # fmt: skip


def cascades(name: str, pool: str) -> tuple[SizeCascade, SizeCascade, SizeCascade, SizeCascade]:
    """Return what explains SIZE, USED + AVAIL, USED and ALLOC of a pool."""
    sizes = given(audits(name)[pool].sizes)
    assert sizes.missing == ()
    size, available, used, allocated = sizes.cascades()
    return size, available, used, allocated


def changes(cascade: SizeCascade) -> dict[str, int]:
    return {step.name: step.change_bytes for step in cascade.steps}


@pytest.mark.parametrize(("name", "pool"), POOLS)
def test_that_size_and_usable_space_are_explained_to_the_byte(name: str, pool: str) -> None:
    size, available, *_ = cascades(name, pool)
    assert (size.rest_bytes, available.rest_bytes) == (0, 0)
    for cascade in cascades(name, pool):
        for before, after in zip(cascade.steps, cascade.steps[1:], strict=False):
            assert after.bytes_left == before.bytes_left + after.change_bytes
        assert cascade.steps[-1].bytes_left == cascade.printed_bytes


@pytest.mark.parametrize(("name", "pool"), POOLS)
def test_that_what_is_used_leaves_the_pools_own_records_alone(name: str, pool: str) -> None:
    _, _, used, allocated = cascades(name, pool)
    assert 0 <= used.rest_bytes < 2 * MIB
    assert abs(allocated.rest_bytes) < MIB


def test_that_snapshots_volumes_and_reservations_have_their_bytes() -> None:
    used = changes(cascades("good", "tank")[2])
    assert used["snapshots"] > 20 * MIB  # 20 MiB of a file and 5 MiB of a volume were written over
    assert used["refreservation"] > 20 << 30  # the thick volume of 20 GiB
    assert used["reservation"] == 10737221824  # 10 GiB less what the empty dataset takes


@pytest.mark.parametrize(
    ("name", "pool", "step", "change"),
    [
        # A raidz1 of 4 has 3 data disks of 4; counted as of 3 it loses 1/12 of the raw space more.
        ("expanded", "exp", "old-ratio", -1452101599232),
        ("good", "tank", "old-ratio", None),
        ("expanded", "sp", "checkpoint", -253952),
        ("wrong", "tank", "support", -953482739712),
        # AVAIL of a pool of an old format is SIZE less slop and ALLOC, so that USED beside it lacks 23,040 bytes.
        ("wrong", "old", "freeing", -23040),
    ],
)
def test_that_what_usable_space_lacks_is_a_step_of_its_own(name: str, pool: str, step: str, change: int | None) -> None:
    assert changes(cascades(name, pool)[1]).get(step) == change


@pytest.mark.parametrize(("name", "vdev", "sure"), [("exp", "raidz1-0", True), ("sp", "mirror-0", False)])
def test_that_the_usable_space_tells_how_often_a_raidz_was_expanded(name: str, vdev: str, sure: bool) -> None:
    inventory = machine("expanded")
    pool = next(pool for pool in inventory.pools if pool.name == name)
    known = given(inventory.facts_of(pool))
    once = [replace(v, expansions=1, expansions_at_least=True) if v.name == vdev else v for v in known.vdevs]
    found = with_expansions(design_of_pool(inventory, pool), replace(known, vdevs=tuple(once)))
    assert [(v.expansions, not v.expansions_at_least) for v in found.vdevs if v.name == vdev] == [(1, sure)]


def test_that_without_sizes_it_is_told_what_to_read() -> None:
    inventory = machine("good")
    tank = next(pool for pool in inventory.pools if pool.name == "tank")
    made = design_of_pool(inventory, tank)
    known = given(inventory.facts_of(tank))
    explained = explain_sizes(made, replace(known, properties=(), datasets=None))
    assert explained.cascades() == ()
    assert "zdb -C" not in str(explained.missing)  # it was read
    assert [*explained.missing] == ["zpool list -v -Hp -P", "zpool get -Hp all", "zfs get -Hp -t filesystem,volume all"]


def test_that_what_was_freed_a_moment_ago_is_told_where_both_sums_lack_it() -> None:
    _, available, _, allocated = cascades("wrong", "old")
    assert (available.rest_bytes, allocated.rest_bytes) == (0, 0)
    assert changes(allocated)["freeing"] == -23040
