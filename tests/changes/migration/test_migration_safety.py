"""What plans claim is held against a machine that takes their commands and tries every set of failing disks."""

import shlex

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.changes.migration.machines import SIZE, machine, migration, script_of
from tests.changes.migration.simulated import Simulated, groups_of, plain, taken

from poolwright.capacity.device import MemberKind, device_bytes
from poolwright.capacity.pool import VdevDevices, predict_devices
from poolwright.changes.migration.values import MigrationPlan, Move
from poolwright.domain.errors import Refusal
from poolwright.domain.host import Inventory
from poolwright.domain.vdev import VdevKind, VdevSpec

KINDS = (("mirror", 2), ("mirror", 3), ("raidz1", 3), ("raidz1", 4), ("raidz2", 4), ("raidz2", 5), ("disk", 1))
LAYOUTS = (
    "raidz1:3x4TB", "raidz1:4x4TB", "raidz2:4x4TB", "raidz2:5x4TB", "raidz2:6x4TB", "raidz3:6x4TB", "mirror:2x4TB",
    "2*mirror:2x4TB", "3*mirror:2x4TB", "2*mirror:3x4TB", "2*raidz1:3x4TB", "mirror:3x4TB",
)  # fmt: skip


def follow(inventory: Inventory, plan: MigrationPlan) -> Simulated:
    """Take all steps; each must leave exactly what it claims at its least moment."""
    there = Simulated.of(inventory)
    for step, lines in zip(plan.steps, script_of(plan), strict=True):
        assert min(taken(there, lines)) == step.survives, (step.move, there)
    return there


def check_end(there: Simulated, plan: MigrationPlan) -> None:
    """The pool is the target, in the old name, with every member there."""
    made = sorted(
        (vdev.sizeless().word if len(vdev.members) > 1 else "stripe", len(vdev.members)) for vdev in plan.target.vdevs
    )
    found = sorted(
        ("stripe" if group.word == "disk" else group.word, len(group.there)) for group in there.pools["tank"]
    )
    assert found == made
    assert all(here for group in there.pools["tank"] for here in group.there.values())
    assert list(there.pools) == ["tank"]


def check_room(plan: MigrationPlan) -> None:
    """The pool that the command creates, with its files, has the room that the plan tells, and the data fit."""
    if plan.in_place:
        return
    number = next(n for n, step in enumerate(plan.steps) if step.move is Move.CREATE)
    lines = [shlex.split(line)[1:] for line in script_of(plan)[number] if line.startswith("write ")]
    files = {words[3]: int(words[2]) for words in lines if words[0] == "truncate"}
    create = next(words for words in lines if words[:2] == ["zpool", "create"])
    vdevs = []
    for group in groups_of(plain(create[2:])[1:]):
        version = plan.target.version
        devices = tuple(files.get(d) or device_bytes(SIZE, MemberKind.DISK, 512, version) for d in group.there)
        parity = int(group.word[-1]) if group.word.startswith("raidz") else 0
        kind = VdevKind.RAIDZ if parity else VdevKind.MIRROR if len(devices) > 1 else VdevKind.STRIPE
        vdevs.append(VdevDevices(spec=VdevSpec(kind=kind, sizes=devices, parity=parity), devices=devices))
    room = predict_devices(tuple(vdevs), ashift=plan.target.ashift, version=plan.target.version).available_bytes
    assert room == plan.first_bytes
    assert plan.needed_bytes is not None
    assert plan.needed_bytes <= room


@pytest.mark.slow
@settings(deadline=None, max_examples=150)
@given(
    old=st.lists(st.sampled_from(KINDS), min_size=1, max_size=3),
    free=st.integers(0, 5),
    layout=st.sampled_from(LAYOUTS),
    fill=st.integers(1, 95),
)
@example(old=[("mirror", 2), ("disk", 1), ("disk", 1)], free=0, layout="raidz1:3x4TB", fill=1)
def test_that_what_each_step_leaves_is_what_every_set_of_failures_leaves(
    old: list[tuple[str, int]], free: int, layout: str, fill: int
) -> None:
    data = sum({"mirror": 1, "raidz1": count - 1, "raidz2": count - 2, "disk": 1}[kind] for kind, count in old)
    inventory = machine(old, free, used=data * SIZE * fill // 110)
    try:
        found = migration(inventory, layout, backup=True)
    except Refusal:
        return
    for plan in (found.plan, *found.others):
        check_end(follow(inventory, plan), plan)
        check_room(plan)
    assert all(plan.least <= found.plan.least for plan in found.others) or found.plan.in_place


@pytest.mark.slow
@settings(deadline=None, max_examples=80)
@given(
    old=st.lists(st.sampled_from(KINDS), min_size=1, max_size=2),
    free=st.integers(0, 5),
    layout=st.sampled_from(LAYOUTS),
)
def test_that_nothing_is_left_bare_unless_a_backup_exists(old: list[tuple[str, int]], free: int, layout: str) -> None:
    inventory = machine(old, free)
    try:
        found = migration(inventory, layout)
    except Refusal:
        return
    for plan in (found.plan, *found.others):
        there = Simulated.of(inventory)
        begun = there.least()
        for lines in script_of(plan):
            assert min(taken(there, lines)) >= min(1, begun)
