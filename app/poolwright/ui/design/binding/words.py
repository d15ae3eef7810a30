"""What the tab says of a binding as a whole."""

from collections.abc import Sequence

from poolwright.design.binding.applying import SpaceChange
from poolwright.design.binding.binding import Binding
from poolwright.domain.design import Design
from poolwright.domain.plan_only import plan_only
from poolwright.domain.units import binary, size_difference
from poolwright.texts import tell, tell_counted


def without_machine(design: Design) -> str:
    """Return what to do before a machine was read."""
    disks = [design.disk(key) for key in design.used_keys()]
    planned = sum(disk.planned for disk in disks)
    if planned:
        badge = plan_only(disks)
        count = tell_counted("{count} disk of this design", "{count} disks of this design", planned)
        return tell(
            "{disks}: {badge}. Read the machine that the pool will stand on, here or over there; all else stays.",
            disks=count,
            badge=badge,
        )
    return tell(
        "The disks of this design were read on {machine}. Read it again where disks or their names changed, or another "
        "machine to build the same pool there.",
        machine=design.inventory_name or tell("a machine"),
    )


def summary_of(binding: Binding) -> str:
    """Return how many places have a disk, and in how many something is to be looked at."""
    places = [pair for pair in binding.pairs if pair.seat.needed]
    told = tell(
        "{machine}: {bound} of {places} places have a disk",
        machine=binding.inventory.name,
        bound=len(places) - len(binding.missing),
        places=len(places),
    )
    if binding.to_look_at:
        return tell("{told}, {look} to look at.", told=told, look=binding.to_look_at)
    return f"{told}."


def space_words(changes: Sequence[SpaceChange]) -> str:
    """Return what becomes of the usable bytes of each pool."""
    return " ".join(_space(change, alone=len(changes) == 1) for change in changes)


def _space(change: SpaceChange, *, alone: bool) -> str:
    before, after = change.before_bytes, change.after_bytes
    if before is None or after is None:
        told = tell("usable space unknown")
    elif before == after:
        told = tell("{space} usable, as before", space=binary(after))
    else:
        sizes = tell("{after} usable instead of {before}", after=binary(after), before=binary(before))
        if after < before:
            told = tell("{sizes} (less by {difference})", sizes=sizes, difference=size_difference(before - after))
        else:
            told = tell("{sizes} (more by {difference})", sizes=sizes, difference=size_difference(after - before))
    return f"{told[:1].upper()}{told[1:]}." if alone else tell("{pool}: {told}.", pool=change.pool_name, told=told)
