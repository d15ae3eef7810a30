"""By what a pool and the record of its creation are known as a script's own: a mark that follows from the design."""

from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256

from poolwright.domain.design import Setting
from poolwright.emit.actions import CreatePool

MARK = "org.poolwright:design"
_MARK_DIGITS = 16
_LONGEST_NAME = 60


def pool_mark(create: CreatePool) -> str:
    """Return the mark of a pool: the same for the same name and members in the same places, whatever else is edited."""
    lines = [create.pool]
    for vdev in create.vdevs:
        lines += [f"{vdev.vdev_class.value} {vdev.status_word}", *vdev.devices]
    return sha256("\n".join(lines).encode("utf-8", "surrogateescape")).hexdigest()[:_MARK_DIGITS]


def recorded(create: CreatePool) -> CreatePool:
    """Return the creation with its mark as a user property, which comes into being with the pool.

    So a run killed right after `zpool create` leaves a pool that is known as the script's.
    """
    mark = Setting(name=MARK, value=pool_mark(create))
    return replace(create, root_settings=(*create.root_settings, mark))


def record_name(creates: Sequence[CreatePool]) -> str:
    """Return the file name of the record of a design's pools, as the scripts form it."""
    return f"poolwright-{creates[0].pool[:_LONGEST_NAME]}-{pool_mark(creates[0])}.record"
