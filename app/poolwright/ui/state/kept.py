"""What was open before other disks took its place, and what a machine says of its OpenZFS."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from poolwright.advise.candidate import Candidate, Recommendation
from poolwright.domain.design import Design
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.inventory import Inventory
from poolwright.domain.version import OLDEST_MODELLED, ZfsVersion
from poolwright.domain.workload import Budget, Workload
from poolwright.predict.expected import Assumptions
from poolwright.ui.state.design_step import DesignStep

if TYPE_CHECKING:
    from poolwright.ui.state.session import Session


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """The state of a session that can be brought back; ``steps`` are those of the Edit menu, to undo and to redo."""

    inventory: Inventory
    ticked: frozenset[str]
    workload: Workload
    budget: Budget
    version: ZfsVersion
    ashift: int | None
    design: Design | None
    recommendation: Recommendation | None
    candidate: Candidate | None
    assumed: Assumptions
    pools_beside: tuple[str, ...]
    steps: tuple[DesignStep, ...]
    steps_taken: int

    def words(self) -> str:
        """Return the sentence that says that other disks took its place."""
        if self.design is None:
            text = _tr("These disks took the place of {name} and what you had ticked there.")
            return text.format(name=self.inventory.name)
        text = _tr("These disks took the place of “{name}”, which stays in the library.")
        return text.format(name=self.design.name)


def kept_of(session: "Session") -> Kept | None:
    """Return what would be a pity to lose; None when nothing was done with these disks yet."""
    inventory, stack = session.inventory, session.undo_stack
    if inventory is None:
        return None
    untouched = session.ticked == frozenset(disk.key for disk in inventory.usable())
    if session.design is None and untouched and not session.pools_beside and session.expectations.afresh:
        return None
    steps = tuple(stack.command(number) for number in range(stack.count()))
    return Kept(
        inventory=inventory,
        ticked=session.ticked,
        workload=session.workload,
        budget=session.budget,
        version=session.version,
        ashift=session.ashift,
        design=session.design,
        recommendation=session.recommendation,
        candidate=session.candidate,
        assumed=session.expectations.assumed,
        pools_beside=session.pools_beside,
        steps=tuple(step.again() for step in steps if isinstance(step, DesignStep)),
        steps_taken=stack.index(),
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


def _tr(text: str) -> str:
    return QCoreApplication.translate("kept", text)
