"""All that is open in the window, as one value: what is kept, gone back to and compared is always the whole."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from poolwright.design.groups import safe_ashift
from poolwright.domain.design import Design
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.inventory import Inventory
from poolwright.domain.origin import Origin, OriginKind
from poolwright.domain.version import DEFAULT_VERSION, OLDEST_MODELLED, ZfsVersion
from poolwright.domain.workload import Budget, Goal, Workload
from poolwright.predict.assumptions import Assumptions
from poolwright.texts import tell
from poolwright.ui.state.at_hand import DisksInFront, MachineAtHand

if TYPE_CHECKING:  # what ranks: the first page does not wait for it
    from poolwright.design.candidate import Candidate, Recommendation

# What a ranking answers: it is forgotten as soon as one of these is another.
_ASKED = frozenset({"inventory", "ticked", "workload", "goal_told", "budget", "version", "ashift"})
# Large values, which are replaced whenever they change: looking into them would take longer than showing them again.
_LARGE = frozenset({"inventory", "recommendation", "candidate", "design", "at_hand"})
_FIRST_WORKLOAD, _NO_WISHES, _USUAL = Workload(goal=Goal.SAFETY), Budget(), Assumptions()


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What is open. ``ticked`` are the keys of the disks that may be used, ``version`` is for new designs.

    ``ashift`` is None where the sectors of the disks decide; ``pools_beside`` are the names of pools designed from
    other disks of this machine; ``at_hand`` is a machine whose disks wait to be bound; ``unread`` holds texts that
    nobody understands: step, field, text.
    """

    inventory: Inventory | None = None
    ticked: frozenset[str] = frozenset()
    workload: Workload = _FIRST_WORKLOAD
    goal_told: bool = False  # else the data decide the goal
    budget: Budget = _NO_WISHES
    version: ZfsVersion = DEFAULT_VERSION
    ashift: int | None = None
    recommendation: "Recommendation | None" = None
    candidate: "Candidate | None" = None
    design: Design | None = None
    script_saved_for: Design | None = None
    pools_beside: tuple[str, ...] = ()
    at_hand: MachineAtHand | None = None
    assumed: Assumptions = _USUAL
    unread: tuple[tuple[str, str, str], ...] = ()

    def with_design(self, design: Design | None) -> "Work":
        """Return it with another design; a wish for an ashift that this one does not have was undone with another."""
        kept = design is None or self.ashift in (None, design.ashift)
        return replace(self, design=design, ashift=self.ashift if kept else None)

    def disks_in_front(self) -> DisksInFront:
        """Return which disks it is about, and which wait to be bound."""
        return DisksInFront(inventory=self.inventory, ticked=self.ticked, at_hand=self.at_hand)

    def with_disks(self, disks: DisksInFront) -> "Work":
        return replace(self, inventory=disks.inventory, ticked=disks.ticked, at_hand=disks.at_hand)

    def ticking(self, keys: frozenset[str]) -> "Work":
        """Return it with these disks allowed; one that has a refusal is left out."""
        usable = self.inventory.usable() if self.inventory is not None else ()
        return replace(self, ticked=keys & {disk.key for disk in usable})

    def reading(self, step: str, unread: Mapping[str, str]) -> "Work":
        """Return it with the texts of a step that nobody understands, by the names of their fields."""
        others = tuple(item for item in self.unread if item[0] != step)
        return replace(self, unread=(*others, *((step, field, text) for field, text in unread.items())))

    def unread_in(self, step: str) -> dict[str, str]:
        """Return the texts of a step that nobody understands, by the names of their fields."""
        return {field: text for of, field, text in self.unread if of == step}


_PARTS = tuple(field.name for field in fields(Work))


def changed_parts(before: Work, after: Work) -> frozenset[str]:
    def same(name: str) -> bool:
        old: Any = getattr(before, name)
        new: Any = getattr(after, name)
        return old is new or (name not in _LARGE and old == new)

    return frozenset(name for name in _PARTS if not same(name))


def without_stale_ranking(before: Work, after: Work) -> Work:
    """Return ``after`` without a ranking that answers what ``before`` asked, where something else is asked now."""
    stale = after.recommendation is before.recommendation and (after.recommendation or after.candidate)
    if stale and _ASKED & changed_parts(before, after):
        return replace(after, recommendation=None, candidate=None)
    return after


def ticked_at_first(inventory: Inventory) -> frozenset[str]:
    """Return the keys of the disks that may be used."""
    return frozenset(disk.key for disk in inventory.usable())


def work_on(inventory: Inventory, before: Work, *, version: ZfsVersion, assumed: Assumptions) -> Work:
    """Return new work on these disks: `ticked_at_first`, wishes stay, the rest of ``before`` goes.

    ``version`` holds where the machine names none that can be computed.
    """
    return Work(
        inventory=inventory,
        ticked=ticked_at_first(inventory),
        workload=before.workload,
        goal_told=before.goal_told,
        budget=before.budget,
        version=version_of(inventory) or version,
        assumed=assumed,
    )


def work_of(design: Design, beside: tuple[str, ...], assumed: Assumptions) -> Work:
    """Return the work that a design was made in; ``beside`` names the other pools of its machine."""
    origin = design.inventory_origin or Origin(
        kind=OriginKind.READ, source=tell("the design “{name}”", name=design.name)
    )
    name = design.inventory_name or design.name
    inventory = Inventory(name=name, host=design.host, disks=design.disks, origin=origin)
    ticked = ticked_at_first(inventory) | design.used_keys()
    usual = safe_ashift(disk for disk in design.disks if disk.key in ticked)
    return Work(
        inventory=inventory,
        ticked=ticked,
        workload=design.workload,
        goal_told=True,
        budget=design.budget,
        version=design.version,
        ashift=design.ashift if design.ashift != usual else None,
        design=design,
        pools_beside=beside,
        assumed=assumed,
    )


def version_of(inventory: Inventory) -> ZfsVersion | None:
    """Return the OpenZFS of the machine, where it is known and one whose space can be computed."""
    known = inventory.host.zfs_version
    if known is None:
        return None
    try:
        version = ZfsVersion.parse(known)
    except PoolwrightError:
        return None
    return version if version >= OLDEST_MODELLED else None
