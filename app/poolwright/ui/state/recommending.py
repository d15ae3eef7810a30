"""From the session to a ranking, in slices beside the window, and from a chosen layout to the design."""

from collections.abc import Generator
from dataclasses import replace
from uuid import uuid4

from PySide6.QtCore import QObject, Signal

from poolwright.design.assign import Identity, design_of, placing_in_steps
from poolwright.design.candidate import Candidate, Recommendation
from poolwright.design.changes import Change, changes_in_steps
from poolwright.design.recommend import recommend_in_steps
from poolwright.design.request import Request
from poolwright.design.search import Progress
from poolwright.design.support import beside_words, with_support
from poolwright.design.told import with_ranking
from poolwright.domain.design import Design
from poolwright.domain.host import Host, told_host
from poolwright.domain.steps import at_each
from poolwright.drive_library import load_drive_book
from poolwright.jobs.job import Asking, JobQueue, SlicedJob
from poolwright.judging import flash_roles, judge_maker, properties_for
from poolwright.rules.model import RuleBook
from poolwright.store.codec import disk_text
from poolwright.texts import tell
from poolwright.ui.state.session import Session
from poolwright.ui.state.work import MANY_DISKS

POOL_NAME = "tank"
_NOBODY = Identity(key="", name="", pool_name=POOL_NAME)  # of a design that nobody sees


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


class Interim:
    """What a running ranking has found up to now. ``look`` ranks it; None before the first step."""

    def __init__(self) -> None:
        self._progress: Progress | None = None

    def look(self) -> Recommendation | None:
        return None if self._progress is None else self._progress.so_far()

    def untried(self) -> str:
        """Return in one sentence what was not tried; empty before the first step."""
        return "" if self._progress is None else self._progress.untried()

    def advance(self, progress: Progress) -> None:
        self._progress = progress


def recommending(
    request: Request, book: RuleBook, host: Host, interim: Interim | None = None
) -> Generator[float, None, Recommendation]:
    """Yield the share of layouts examined, return the ranking; raises what `recommend` raises.

    ``interim`` is told of every step.
    """
    judge = judge_maker(book, told_host(host, request.budget))

    def share(progress: Progress) -> float:
        if interim is not None:
            interim.advance(progress)
        return progress.share

    found = yield from at_each(recommend_in_steps(request, judge), share)
    yield 1.0
    found = replace(found, roles=flash_roles(book, found.best, request))
    yield 1.0
    # A layout that is chosen is saved at once; its disks are written by then.
    for disk in request.disks:
        disk_text(disk)
        yield 1.0
    return found


def free_pool_name(session: Session) -> str:
    """Return a name for a new pool that no pool of the machine has, and none designed beside it."""
    inventory = session.inventory
    taken = {*session.pools_beside, *(pool.name for pool in (inventory.pools if inventory else ()))}
    names = (POOL_NAME, *(f"{POOL_NAME}{number}" for number in range(2, len(taken) + 3)))
    return next(name for name in names if name not in taken)


def changing(
    request: Request, found: Recommendation, book: RuleBook, host: Host
) -> Generator[float, None, tuple[Change, ...]]:
    judge = judge_maker(book, told_host(host, request.budget))
    return (yield from changes_in_steps(request, found, judge))


def design_from(candidate: Candidate, request: Request, session: Session) -> Design:
    """Return the design of ``candidate`` with the properties the rules propose, and flash beside it where that helps.

    A design that is being worked on keeps its key, its name and the name of its pool.
    """
    inventory, before = session.inventory, session.design
    if before is not None:
        identity = Identity(key=before.key, name=before.name, pool_name=before.pool_name)
    else:
        goal = tell(request.workload.goal.value)
        name = tell("{machine}, {goal}", machine=inventory.name, goal=goal) if inventory else goal
        number = len(session.pools_beside) + 1
        identity = Identity(
            key=uuid4().hex, name=name if number == 1 else f"{name} {number}", pool_name=free_pool_name(session)
        )
    book = session.rules or RuleBook()
    properties = properties_for(book, candidate, request, request.host if inventory else None)
    design = design_of(candidate, request, identity, inventory=inventory, properties=properties)
    design = with_support(design, request)
    found = session.recommendation
    ranked = found is not None and any(one is candidate for one in found.candidates)
    return with_ranking(design, candidate, found) if found is not None and ranked else design


def flash_told(candidate: Candidate, request: Request, session: Session) -> str:
    """Return in a sentence what flash drives carry beside this layout in the design that `design_from` makes of it.

    Empty where they carry nothing, and of very many disks: finding their places takes longer than a look at them.
    """
    if candidate.used >= MANY_DISKS:
        return ""
    bare = design_of(candidate, request, _NOBODY, inventory=session.inventory)
    words = beside_words(bare, with_support(bare, request))
    return tell("Beside it on flash, in the design that is made of it: {words}.", words=words) if words else ""


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
