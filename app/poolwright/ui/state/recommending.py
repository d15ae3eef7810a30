"""From the session to what is asked of a ranking, and to the name of the design that is made of a layout."""

from uuid import uuid4

from PySide6.QtCore import QObject, Signal

from poolwright.design.assign import Identity, design_of, placing_in_steps
from poolwright.design.candidate import Candidate
from poolwright.design.goals import with_support
from poolwright.design.request import Request
from poolwright.design.told import with_ranking
from poolwright.domain.design import Design
from poolwright.drive_library import load_drive_book
from poolwright.jobs.job import Asking, JobQueue, SlicedJob
from poolwright.judging import properties_for
from poolwright.rules.model import RuleBook
from poolwright.texts import tell
from poolwright.ui.state.session import Session
from poolwright.ui.state.work import MANY_DISKS

POOL_NAME = "tank"


def request_of(session: Session) -> Request | None:
    inventory = session.inventory
    if inventory is None or not session.ticked:
        return None
    disks = tuple(disk for disk in inventory.disks if disk.key in session.ticked)
    return Request(
        disks=disks,
        workload=session.workload,
        budget=session.budget,
        version=session.version,
        ashift=session.ashift,
        host=inventory.host,
        drives=load_drive_book(),
        goal_told=session.work.goal_told,
    )


def free_pool_name(session: Session) -> str:
    """Return a name for a new pool that no pool of the machine has, and none designed beside it."""
    inventory = session.inventory
    taken = {*session.pools_beside, *(pool.name for pool in (inventory.pools if inventory else ()))}
    names = (POOL_NAME, *(f"{POOL_NAME}{number}" for number in range(2, len(taken) + 3)))
    return next(name for name in names if name not in taken)


def identity_of(session: Session) -> Identity:
    """Return how the design of a layout is called: a design that is being worked on keeps its names."""
    inventory, before = session.inventory, session.design
    if before is not None:
        return Identity(key=before.key, name=before.name, pool_name=before.pool_name)
    goal = tell(session.workload.goal.value)
    name = tell("{machine}, {goal}", machine=inventory.name, goal=goal) if inventory else goal
    number = len(session.pools_beside) + 1
    return Identity(
        key=uuid4().hex, name=name if number == 1 else f"{name} {number}", pool_name=free_pool_name(session)
    )


def design_from(candidate: Candidate, request: Request, session: Session) -> Design:
    """Return the design of ``candidate`` with the properties the rules propose, and flash beside it where that helps.

    A design that is being worked on keeps its key, its name and the name of its pool.
    """
    inventory, identity = session.inventory, identity_of(session)
    book = session.rules or RuleBook()
    properties = properties_for(book, candidate, request, request.host if inventory else None)
    design = design_of(candidate, request, identity, inventory=inventory, properties=properties)
    design = with_support(design, request)
    found = session.recommendation
    return with_ranking(design, candidate, found) if found is not None and found.rank_of(candidate) else design


# Where each disk of a layout goes: found at once for an ordinary one, beside the window for a very large one.


class Placing(QObject):
    """Looks for the places of one layout at a time. ``done`` is sent once those of ``candidate`` are known."""

    done = Signal()

    def __init__(self, jobs: JobQueue, parent: QObject) -> None:
        super().__init__(parent)
        self._asking = Asking(jobs, self, self.done)
        self.candidate: Candidate | None = None

    def start(self, candidate: Candidate) -> None:
        if self._asking.busy and self.candidate is candidate:
            return
        self.candidate = candidate
        self._asking.forget()
        if candidate.used < MANY_DISKS:
            self.done.emit()
            return
        self._asking.ask(SlicedJob(tell("Assigning disks"), "places", placing_in_steps(candidate), self))
