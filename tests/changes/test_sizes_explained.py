"""The sizes that real pools printed, explained: what is left unexplained is nothing, or some blocks that are told."""

from dataclasses import replace

import pytest
from tests.changes.existing_machines import audits, machine

from poolwright.changes.as_design import design_of_pool
from poolwright.changes.explain import explain_sizes

MIB = 1 << 20
POOLS = [
    ("good", "tank"), ("good", "fast"), ("expanded", "exp"), ("expanded", "dr"), ("expanded", "sp"), ("wrong", "tank"),
    ("wrong", "mixed"), ("wrong", "full"), ("wrong", "rem"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "pool"), POOLS)
def test_that_size_and_usable_space_are_explained_to_the_byte(name: str, pool: str) -> None:
    sizes = audits(name)[pool].sizes
    assert sizes is not None
    assert sizes.size is not None
    assert sizes.available is not None
    assert (sizes.size.rest_bytes, sizes.available.rest_bytes) == (0, 0)
    assert sizes.missing == ()
    for cascade in sizes.cascades():
        for before, after in zip(cascade.steps, cascade.steps[1:], strict=False):
            assert after.bytes_left == before.bytes_left + after.change_bytes
        assert cascade.steps[-1].bytes_left == cascade.printed_bytes


@pytest.mark.parametrize(("name", "pool"), POOLS)
def test_that_what_is_used_leaves_the_pools_own_records_alone(name: str, pool: str) -> None:
    sizes = audits(name)[pool].sizes
    assert sizes is not None
    assert sizes.used is not None
    assert sizes.allocated is not None
    assert 0 <= sizes.used.rest_bytes < 2 * MIB
    assert abs(sizes.allocated.rest_bytes) < MIB


def test_that_snapshots_volumes_and_reservations_have_their_bytes() -> None:
    sizes = audits("good")["tank"].sizes
    assert sizes is not None
    assert sizes.used is not None
    changes = {step.name: step.change_bytes for step in sizes.used.steps}
    assert changes["snapshots"] > 20 * MIB  # 20 MiB of a file and 5 MiB of a volume were written over
    assert changes["refreservation"] > 20 << 30  # the thick volume of 20 GiB
    assert changes["reservation"] == 10737221824  # 10 GiB less what the empty dataset takes


def test_that_the_old_share_of_parity_after_an_expansion_is_a_step_of_its_own() -> None:
    sizes = audits("expanded")["exp"].sizes
    assert sizes is not None
    assert sizes.available is not None
    changes = {step.name: step.change_bytes for step in sizes.available.steps}
    # A raidz1 of 4 has 3 data disks of 4; counted as of 3 it loses 1/12 of the raw space more (in whole 512ths less).
    assert changes["old-ratio"] == -1452101599232
    assert "old-ratio" not in {step.name for step in audits("good")["tank"].sizes.available.steps}  # type: ignore[union-attr]


def test_that_a_checkpoint_and_support_vdevs_are_steps() -> None:
    checkpoint = audits("expanded")["sp"].sizes
    assert checkpoint is not None
    assert checkpoint.available is not None
    assert {s.name: s.change_bytes for s in checkpoint.available.steps}["checkpoint"] == -253952
    support = audits("wrong")["tank"].sizes
    assert support is not None
    assert support.available is not None
    assert {s.name: s.change_bytes for s in support.available.steps}["support"] == -953482739712


def test_that_without_sizes_it_is_told_what_to_read() -> None:
    inventory = machine("good")
    tank = next(pool for pool in inventory.pools if pool.name == "tank")
    made = design_of_pool(inventory, tank)
    known = inventory.facts_of(tank)
    assert known is not None
    explained = explain_sizes(made, replace(known, properties=(), datasets=None))
    assert explained.cascades() == ()
    assert "zdb -C" not in str(explained.missing)  # it was read
    assert [text.partition(": ")[2] for text in explained.missing] == [
        "zpool list -v -Hp -P",
        "zpool get -Hp all",
        "zfs get -Hp -t filesystem,volume all",
    ]


def test_that_what_was_freed_a_moment_ago_is_told_where_both_sums_lack_it() -> None:
    """AVAIL of this pool of an old format is SIZE less slop and ALLOC, so that USED beside it lacks 23,040 bytes."""
    sizes = audits("wrong")["old"].sizes
    assert sizes is not None
    for cascade in (sizes.available, sizes.allocated):
        assert cascade is not None
        assert cascade.rest_bytes == 0
        assert {step.name: step.change_bytes for step in cascade.steps}["freeing"] == -23040
