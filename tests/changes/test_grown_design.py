"""A design taken through steps keeps its disks and its space in step, whatever is asked of it."""

import random
from dataclasses import replace

import pytest

from poolwright.changes.growth.design import GrownDesign, created_pool, grow, new_disks
from poolwright.domain.design import Design, Member, Vdev, vdev_of
from poolwright.domain.disk import Disk
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.growth import GrowthKind, GrowthStep, parse_growth_step
from poolwright.domain.units import TB, label_bytes
from poolwright.domain.vdev import parse_spec

DATA = ("raidz1:3x1TB", "raidz2:6x2TB", "mirror:2x1TB", "mirror:3x1TB", "stripe:2x1TB", "draid1:3d:1s:8x1TB")
SUPPORT = (
    "log/mirror:2x100GB",
    "log/stripe:1x100GB",
    "special/mirror:2x1TB",
    "cache/stripe:1x1TB",
    "spare/stripe:1x2TB",
)


def design_of(*texts: str) -> Design:
    vdevs: list[Vdev] = []
    disks: list[Disk] = []
    for text in texts:
        spec = parse_spec(text)
        vdevs.append(vdev_of(spec, tuple(Member(disk_key=f"d{len(disks) + n}") for n in range(spec.width))))
        disks.extend([Disk(key=f"d{len(disks) + n}", size_bytes=size) for n, size in enumerate(spec.sizes)])
    return Design(key="k", name="n", pool_name="tank", vdevs=tuple(vdevs), disks=tuple(disks))


def any_step(numbers: random.Random) -> GrowthStep:
    kind = numbers.choice(list(GrowthKind))
    step = GrowthStep(kind=kind)
    if kind is GrowthKind.ADD:
        return replace(step, vdev=parse_spec(numbers.choice(DATA + SUPPORT)))
    return replace(step, top=numbers.choice((None, 0, 0, 1, 2)), size_bytes=numbers.choice((TB, 2 * TB, 4 * TB)))


def check(state: GrownDesign) -> None:
    assert len(state.tops) == len(state.pool.tops)
    for vdev, top in zip(state.tops, state.pool.tops, strict=True):
        assert (vdev is None) == top.removed
        if vdev is not None:
            sizes = tuple(state.disk(member.disk_key).size_bytes for member in vdev.members)
            assert (vdev.kind, vdev.parity, sizes) == (top.spec.kind, top.spec.parity, top.spec.sizes)
    members = [m.disk_key for vdev in (*state.tops, *state.others) if vdev is not None for m in vdev.members]
    assert len(members) == len(set(members))
    assert state.design.layout()


@pytest.mark.parametrize("seed", range(40))
def test_that_disks_and_space_tell_the_same_pool_after_every_step(seed: int) -> None:
    numbers = random.Random(seed)
    state = created_pool(design_of(numbers.choice(DATA), *numbers.sample(SUPPORT, 2)))
    check(state)
    for number in range(8):
        try:
            after = grow(state, any_step(numbers), number + 1)
        except PoolwrightError:
            continue
        check(after)
        assert after.pool.capacity().available_bytes > 0
        state = after


def test_that_new_disks_are_those_a_step_brought() -> None:
    before = created_pool(design_of("raidz1:3x1TB"))
    after = grow(before, parse_growth_step("add:mirror:2x2TB"), 3)
    assert [(disk.key, disk.size_bytes, disk.planned) for disk in new_disks(before, after)] == [
        ("step 3 disk 1", label_bytes(2000), True),
        ("step 3 disk 2", label_bytes(2000), True),
    ]
    assert new_disks(after, grow(after, parse_growth_step("expand@1"), 4)) == ()


def test_that_the_vdevs_are_numbered_as_the_script_creates_them() -> None:
    state = created_pool(design_of("log/stripe:1x100GB", "raidz1:3x1TB", "stripe:1x1TB"))
    assert [state.pool.name(n) for n in range(3)] == ["disk 1", "raidz1-1", "disk 3"]
