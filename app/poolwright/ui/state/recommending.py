"""What is asked of a ranking, the best layout before one is chosen, and how the design that is made of it is called."""

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING
from uuid import uuid4

from PySide6.QtCore import QObject, Signal

from poolwright.design.assign import Identity
from poolwright.design.request import Request
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.host import Inventory
from poolwright.domain.vdev import Layout, disks_and_kind
from poolwright.jobs.job import Asking
from poolwright.table_library import load_drive_book
from poolwright.texts import _
from poolwright.ui.parts import widgets
from poolwright.ui.state.session import Session
from poolwright.ui.state.work import ASKED, work_on

if TYPE_CHECKING:
    from poolwright.design.candidate import Candidate

POOL_NAME = "tank"
_PAUSE_MILLISECONDS = 600  # after the last change; pages that search ask before
_SEARCHING = ("recommendation", "budget")  # for machines: jobs after which the answer is known


def request_of(session: Session, previewed: Inventory | None = None) -> Request | None:
    """Return what is asked of the ticked disks, or of all that are ``previewed``; None without any."""
    work = session.work
    if previewed is not None:
        work = work_on(previewed, work, version=work.version, assumed=work.assumed)
    if work.inventory is None or not work.ticked:
        return None
    return Request(
        disks=tuple(disk for disk in work.inventory.usable() if disk.key in work.ticked),
        workload=work.workload,
        budget=work.budget if work.has_prices else replace(work.budget, money=None),  # without prices it limits nothing
        version=work.version,
        ashift=work.ashift,
        host=work.inventory.host,
        drives=load_drive_book(),
        goal_told=work.goal_told,
    )


def free_pool_name(session: Session) -> str:
    """Return a name for a new pool that no pool of the machine has, and none designed beside it."""
    inventory = session.inventory
    in_use = {*session.pools_beside, *(pool.name for pool in (inventory.pools if inventory else ()))}
    names = (POOL_NAME, *(f"{POOL_NAME}{number}" for number in range(2, len(in_use) + 3)))
    return next(name for name in names if name not in in_use)


def identity_of(session: Session, layout: Layout = ()) -> Identity:
    """Return how the design of a layout is called: by its disks and kind, until somebody names it."""
    before, kind = session.design, disks_and_kind(layout)
    if before is not None:
        with suppress(PoolwrightError):  # a size is unknown: somebody else named it
            if not layout or not before.name.startswith(disks_and_kind(before.layout())):
                return Identity(key=before.key, name=before.name, pool_name=before.pool_name)
    key, pool_name = (before.key, before.pool_name) if before is not None else (uuid4().hex, free_pool_name(session))
    in_use = {entry.name for entry in session.library.entries() if entry.key != key}
    names = (kind, *(f"{kind} {number}" for number in range(2, len(in_use) + 3)))
    return Identity(key=key, name=next(name for name in names if name not in in_use), pool_name=pool_name)


class BestSoFar(QObject):
    """The best layout for what is asked now, looked for beside the window as long as there is no design.

    ``before`` is the one that stands until the next is found; ``problem`` says why there is none.
    """

    changed = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self._asked: Request | None = None
        self.best: Candidate | None = None
        self.before: tuple[Request, Candidate] | None = None
        self.problem = ""
        self._asking = Asking(session.jobs, self, self._on_found, self._on_failed)
        self._pause = widgets.single_shot_timer(self, _PAUSE_MILLISECONDS, self._ask)

    @property
    def busy(self) -> bool:
        return self._asking.busy or self._pause.isActive()

    @property
    def wished(self) -> "tuple[Request, Candidate] | None":
        """Return what was the best before the last wish, of the same disks."""
        asked, before = self._asked, self.before
        return before if before is not None and asked is not None and before[0].disks == asked.disks else None

    def follow(self, parts: frozenset[str] | None) -> None:
        """Look for the best layout anew where something else is asked now; None is everything."""
        if parts is not None and not parts & (ASKED | {"design", "rules", "recommendation", "previewed"}):
            return
        session = self._session
        question = request_of(session, session.previewed)
        request = question if session.design is None and (session.rules or session.rules_problem) else None
        if request != self._asked:
            self._asking.forget()
            if self.best is not None and self._asked is not None:
                self.before = self._asked, self.best
            before = {disk.key for disk in self.before[0].disks} if self.before is not None else set()
            if request is None or before.isdisjoint(disk.key for disk in request.disks):
                self.before = None
            self.best, self.problem, self._asked = None, "", request
            self._pause.stop()
        if self.best is None and request is not None and session.recommendation is not None:
            self._on_found(session.recommendation.best)
        elif self.best is None and request is not None and not self.busy and not self.problem:
            self._pause.start()

    def _ask(self) -> None:
        from poolwright.jobs.worker_job import WorkerJob  # noqa: PLC0415 - the first disks do not wait for these
        from poolwright.questions import best_layout  # noqa: PLC0415

        if any(job.target in _SEARCHING for job in self._session.jobs.jobs):
            self._pause.start()
        elif self._asked is not None:
            job = WorkerJob(_("Looking for the best layout"), "best", self, best_layout, self._asked)
            self._asking.ask(job)

    def _on_found(self, best: "Candidate") -> None:
        self._pause.stop()
        self._asking.forget()
        self.best = best
        self.changed.emit()

    def _on_failed(self, text: str) -> None:
        self.problem = text
        self.changed.emit()
