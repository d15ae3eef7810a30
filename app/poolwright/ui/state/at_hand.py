"""A machine that was read while a design is open: it waits to be bound, and the design stays what it is."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from poolwright.domain.design import Design
from poolwright.domain.inventory import Inventory

if TYPE_CHECKING:  # what matches disks: the first page does not wait for it
    from poolwright.design.binding.binding import Binding


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineAtHand:
    """The machine, and what was said by hand of the design's disks: pairs of keys; None leaves a place open.

    ``smaller`` says that disks smaller than planned are taken too.
    """

    inventory: Inventory
    chosen: tuple[tuple[str, str | None], ...] = ()
    smaller: bool = False

    def choosing(self, planned: str, real: str | None) -> "MachineAtHand":
        """Return it with this disk in this place; another place that had it by hand gets what is proposed."""
        others = tuple(pair for pair in self.chosen if pair[0] != planned and (real is None or pair[1] != real))
        return replace(self, chosen=(*others, (planned, real)))

    def proposing(self, planned: str) -> "MachineAtHand":
        return replace(self, chosen=tuple(pair for pair in self.chosen if pair[0] != planned))

    def taking_smaller(self, *, smaller: bool) -> "MachineAtHand":
        """Return it with disks that are smaller than planned, or without them."""
        return replace(self, smaller=smaller)

    def by_hand(self) -> Mapping[str, str | None]:
        return dict(self.chosen)

    def binding(self, design: Design) -> "Binding":
        """Return which of its disks takes which place of the design."""
        from poolwright.design.binding.binding import bind_disks

        return bind_disks(design, self.inventory, chosen=self.by_hand(), smaller=self.smaller)


@dataclass(frozen=True, slots=True, kw_only=True)
class DisksInFront:
    """The part of the work that a step replaces which brings other disks: they go and come back with the design."""

    inventory: Inventory | None
    ticked: frozenset[str]
    at_hand: MachineAtHand | None


def bound_step(binding: "Binding", at_hand: MachineAtHand, ticked: frozenset[str]) -> tuple[Design, DisksInFront]:
    """Return the bound design, and the disks in front with it: those of the machine, and what is planned still.

    Disks that were not allowed stay so where the design was of this machine already; others may be used. While a
    place is left without a disk, the machine stays at hand.
    """
    from poolwright.design.binding.applying import bound_design

    made = bound_design(binding)
    inventory = replace(at_hand.inventory, disks=made.disks)
    known = {disk.key for disk in binding.design.disks}
    usable = {disk.key for disk in inventory.usable() if disk.key not in known or disk.key in ticked}
    return made, DisksInFront(
        inventory=inventory,
        ticked=frozenset(usable) | made.used_keys(),
        at_hand=replace(at_hand, chosen=()) if binding.missing else None,
    )


def machine_beside(design: Design, inventory: Inventory | None, before: MachineAtHand | None) -> MachineAtHand | None:
    """Return the machine that waits for a design that is opened: one that waited before, or the one in front.

    Only a design with planned disks waits for a machine that was there before it.
    """
    if not any(design.disk(key).planned for key in design.used_keys()):
        return None
    if before is not None:
        return replace(before, chosen=())
    real = inventory is not None and any(not disk.planned for disk in inventory.disks)
    return MachineAtHand(inventory=inventory) if inventory is not None and real else None


def stays_open(design: Design | None, inventory: Inventory, *, example: bool = False) -> bool:
    """Tell whether a design stays open when this machine was read, so that its disks can be bound to the machine's.

    Disks that were typed are no machine. An example is one to begin with, unless the design is only planned.
    """
    if design is None or all(disk.planned for disk in inventory.disks):
        return False
    return not example or any(design.disk(key).planned for key in design.used_keys())
