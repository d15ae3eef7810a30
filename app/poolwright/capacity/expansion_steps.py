"""Steps of growth, as people plan them, done to a pool's space one after the other."""

from collections.abc import Sequence
from typing import NamedTuple

from poolwright.capacity.device import device_bytes
from poolwright.capacity.expansion import (
    GrownPool,
    add_vdev,
    attach_disk,
    detach_disk,
    expand_vdev,
    remove_vdev,
    replace_disks,
)
from poolwright.capacity.pool import PoolCapacity, VdevDevices
from poolwright.domain.errors import UserError
from poolwright.domain.growth import GrowthKind, GrowthStep
from poolwright.domain.vdev import VdevKind
from poolwright.texts import tell


class Grown(NamedTuple):
    """The pool after ``step``, and its space."""

    step: GrowthStep
    pool: GrownPool
    capacity: PoolCapacity


def take_step(pool: GrownPool, step: GrowthStep, *, logical_sector_bytes: int = 512) -> GrownPool:
    """Return the pool after one step.

    Where the step names no vdev, it is the only one that fits. Raises Refusal where OpenZFS would refuse, UserError
    where the step is not complete or does not say which vdev.
    """

    def device(size: int) -> int:
        return device_bytes(size, pool.members, logical_sector_bytes, pool.version)

    if step.kind is GrowthKind.ADD:
        if step.vdev is None:
            raise UserError(tell("A step that adds a vdev has to say which"), where=str(step))
        return add_vdev(pool, VdevDevices(spec=step.vdev, devices=tuple(device(size) for size in step.vdev.sizes)))
    number = target(pool, step)
    if step.kind is GrowthKind.ATTACH:
        size = _size(step)
        return attach_disk(pool, number, size=size, device=device(size))
    if step.kind is GrowthKind.REPLACE:
        size, width = _size(step), pool.top(number).width
        return replace_disks(pool, number, sizes=(size,) * width, devices=(device(size),) * width)
    if step.kind is GrowthKind.EXPAND:
        return expand_vdev(pool, number)
    return detach_disk(pool, number) if step.kind is GrowthKind.DETACH else remove_vdev(pool, number)


def take_steps(pool: GrownPool, steps: Sequence[GrowthStep], *, logical_sector_bytes: int = 512) -> tuple[Grown, ...]:
    """Return the pool after each step; errors as `take_step`."""
    found: list[Grown] = []
    for step in steps:
        pool = take_step(pool, step, logical_sector_bytes=logical_sector_bytes)
        found.append(Grown(step, pool, pool.capacity()))
    return tuple(found)


def target(pool: GrownPool, step: GrowthStep) -> int:
    """Return the number of the vdev a step is done to; raises UserError where it is open which."""
    if step.top is not None:
        pool.top(step.top)
        return step.top
    fitting = [number for number, top in enumerate(pool.tops) if not top.removed]
    if step.kind is GrowthKind.DETACH:
        fitting = [number for number in fitting if pool.tops[number].kind is VdevKind.MIRROR]
    if len(fitting) != 1:
        raise UserError(
            tell("It is open which of {count} vdevs “{step}” is done to", count=len(fitting), step=step),
            todo=tell("Name it with @1, @2, …."),
        )
    return fitting[0]


def _size(step: GrowthStep) -> int:
    if step.size_bytes is None:
        raise UserError(
            tell("“{step}” has to say how large the disk is", step=step), todo=tell("Write for example attach:6TB.")
        )
    return step.size_bytes
