"""All that is open in the window, as one value: what is kept, gone back to and compared is always the whole."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from poolwright.design.groups import safe_ashift
from poolwright.domain.design import Design
from poolwright.domain.disk import FLASH_MEDIA, Disk
from poolwright.domain.estimate import Origin, OriginKind
from poolwright.domain.host import Inventory
from poolwright.domain.version import DEFAULT_VERSION, ZfsVersion
from poolwright.domain.workload import Budget, Goal, Workload
from poolwright.predict.assumptions import Assumptions
from poolwright.texts import _

if TYPE_CHECKING:
    from poolwright.design.binding.binding import Binding
    from poolwright.design.candidate import Candidate
    from poolwright.questions import RankedRows

# A machine that was read while a design is open: it waits to be bound, and the design stays what it is.


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineAtHand:
    """The machine, and what was said by hand of the design's disks: pairs of keys; None leaves a place open.

    ``smaller`` says that disks smaller than planned are taken too.
    """

    inventory: Inventory
    chosen: tuple[tuple[str, str | None], ...] = ()
    smaller: bool = False

    def choosing(self, planned: str, real: str | None) -> "MachineAtHand":
        others = tuple(pair for pair in self.chosen if pair[0] != planned and (real is None or pair[1] != real))
        return replace(self, chosen=(*others, (planned, real)))

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

    design = bound_design(binding)
    inventory = replace(at_hand.inventory, disks=design.disks)
    known = {disk.key for disk in binding.design.disks}
    usable = {disk.key for disk in inventory.usable() if disk.key not in known or disk.key in ticked}
    return design, DisksInFront(
        inventory=inventory,
        ticked=frozenset(usable) | design.used_keys(),
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
    if design is None or (not inventory.pools and all(disk.planned for disk in inventory.disks)):
        return False
    return not example or any(design.disk(key).planned for key in design.used_keys())


# What a ranking answers: it is forgotten as soon as one of these is another.
ASKED = frozenset({"inventory", "ticked", "workload", "goal_told", "budget", "version", "ashift"})
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
    recommendation: "RankedRows | None" = None
    candidate: "Candidate | None" = None
    design: Design | None = None
    script_saved_for: Design | None = None
    pools_beside: tuple[str, ...] = ()
    at_hand: MachineAtHand | None = None
    assumed: Assumptions = _USUAL
    unread: tuple[tuple[str, str, str], ...] = ()

    def disks_in_front(self) -> DisksInFront:
        return DisksInFront(inventory=self.inventory, ticked=self.ticked, at_hand=self.at_hand)

    def with_disks(self, disks: DisksInFront) -> "Work":
        return replace(self, inventory=disks.inventory, ticked=disks.ticked, at_hand=disks.at_hand)

    def ticking(self, keys: frozenset[str]) -> "Work":
        """Return it with these disks allowed; one that has a refusal is left out."""
        usable = self.inventory.usable() if self.inventory is not None else ()
        return replace(self, ticked=keys & {disk.key for disk in usable})

    @property
    def has_prices(self) -> bool:
        disks = self.inventory.disks if self.inventory is not None else ()
        return self.budget.price_per_disk is not None or any(d.price for d in disks if d.key in self.ticked)

    def reading(self, step: str, unread: Mapping[str, str]) -> "Work":
        others = tuple(item for item in self.unread if item[0] != step)
        return replace(self, unread=(*others, *((step, field, text) for field, text in unread.items())))

    def unread_in(self, step: str) -> dict[str, str]:
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
    if stale and ASKED & changed_parts(before, after):
        return replace(after, recommendation=None, candidate=None)
    return after


def system_disk(inventory: Inventory) -> Disk | None:
    """Return the lone flash drive beside hard disks that may hold the system, as nobody looked."""
    disks = inventory.usable()
    flash = [disk for disk in disks if disk.media in FLASH_MEDIA]
    lone = len(flash) == 1 < len(disks) - 1 and not (flash[0].use_known or flash[0].planned)
    return flash[0] if lone else None


def ticked_at_first(inventory: Inventory) -> frozenset[str]:
    """Return the disks that may be used, but for what is perhaps the `system_disk`."""
    left = system_disk(inventory)
    return frozenset(disk.key for disk in inventory.usable() if disk is not left)


def with_more(work: Work, inventory: Inventory) -> Work:
    """Return work on the same machine, of which more is known: ticks and typed disks stay, what is new may be used."""
    unticked = {disk.key for disk in work.inventory.usable()} - work.ticked if work.inventory is not None else set()
    typed = (disk for disk in (work.inventory.disks if work.inventory is not None else ()) if disk.planned)
    disks = (*inventory.disks, *typed)
    more = replace(work, inventory=replace(inventory, disks=disks))
    return more.ticking(frozenset(disk.key for disk in disks) - unticked)


def work_on(inventory: Inventory, before: Work, *, version: ZfsVersion, assumed: Assumptions) -> Work:
    """Return new work on these disks: `ticked_at_first`, and of ``before`` what was wished before there were any.

    Wishes for other disks go with these. ``version`` holds where the machine names none that can be computed, or
    another system is chosen for it.
    """
    kept = before.budget
    wishes = before if before.inventory is None else Work(budget=Budget(currency=kept.currency, system=kept.system))
    return Work(
        inventory=inventory,
        ticked=ticked_at_first(inventory),
        workload=wishes.workload,
        goal_told=wishes.goal_told,
        budget=wishes.budget,
        version=(None if before.budget.system else inventory.host.modelled) or version,
        assumed=assumed,
    )


def work_of(design: Design, beside: tuple[str, ...], assumed: Assumptions) -> Work:
    """Return the work that a design was made in; ``beside`` names the other pools of its machine."""
    origin = design.inventory_origin or Origin(kind=OriginKind.READ, source=_("“{title}”", title=design.name))
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


# A step between two designs that can be undone.


@dataclass(frozen=True, slots=True, kw_only=True)
class DesignStep:
    """From ``before`` to ``after``, either of which may be None (nothing chosen yet), with the disks in front of each.

    ``text`` names it in the Edit menu. Disks are those of a step that brings others.
    """

    before: Design | None
    after: Design | None
    text: str
    disks_before: DisksInFront | None = None
    disks_after: DisksInFront | None = None


def step_to(work: Work, design: Design | None, text: str, of: Inventory | None) -> DesignStep:
    """Return the step from this work to a design, with the disks it is ``of`` where these are others."""
    step = DesignStep(before=work.design, after=design, text=text)
    if of is None or of is work.inventory:
        return step
    disks = DisksInFront(inventory=of, ticked=ticked_at_first(of), at_hand=None)
    return replace(step, disks_before=work.disks_in_front(), disks_after=disks)


# From how many disks on the window works in turns. Of fewer, everything is there at once and takes a moment.

MANY_DISKS = 300


# What was open before other disks took its place, and would be a pity to lose.


@dataclass(frozen=True, slots=True)
class Kept:
    """Work that can be gone back to; ``steps`` are those to undo and to redo, of which ``position`` are done."""

    work: Work
    steps: tuple[DesignStep, ...]
    position: int

    def words(self) -> str:
        if self.work.design is not None:
            return _("“{name}” stays in the library.", name=self.work.design.name)
        name = self.work.inventory.name if self.work.inventory is not None else _("the design")
        return _("Your entries for {name} were set aside.", name=name)
