"""What is open when the program ends, however it ends, is open again at the next start: the design and the wishes.

A design keeps only the wishes that it was made for; what is wished for now is kept beside it.
"""

from collections.abc import Generator
from dataclasses import dataclass, replace

from PySide6.QtCore import QObject

from poolwright.domain.design import Design
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.workload import Budget, Workload
from poolwright.store.codec import read_document, write_document
from poolwright.ui.parts import lay
from poolwright.ui.state.preferences import Preferences
from poolwright.ui.state.session import Session
from poolwright.ui.state.work import Work

_MOMENT_MILLISECONDS = 1000
_KIND, _SCHEMA, _NAME = "wishes", 1, "wishes of the last session"  # for machines


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wishes:
    """What was wished for, beside which design: its key, empty where none was chosen yet."""

    design: str
    workload: Workload
    budget: Budget
    goal_told: bool = True


def wishes_text(work: Work) -> str:
    if (work.workload, work.budget) == (Work().workload, Work().budget):
        return ""
    key = work.design.key if work.design is not None else ""
    wishes = _Wishes(design=key, workload=work.workload, budget=work.budget, goal_told=work.goal_told)
    return write_document(_KIND, _SCHEMA, _NAME, wishes)


def with_wishes(work: Work, text: str) -> Work:
    """Return the work with the wishes that were kept beside the same design; as it is where none can be read."""
    if not text:
        return work
    try:
        found = read_document(text, kind=_KIND, schema=_SCHEMA, name=_NAME, cls=_Wishes, where=None)
    except PoolwrightError:
        return work  # written by a later program, or by hand: a start without old wishes does no harm
    key = work.design.key if work.design is not None else ""
    if found.design != key:
        return work
    return replace(work, workload=found.workload, budget=found.budget, goal_told=found.goal_told)


class LastWork(QObject):
    """Keeps in the preferences what is open in a session, and opens it again."""

    def __init__(self, session: Session, preferences: Preferences) -> None:
        super().__init__(session)
        self._session, self._preferences = session, preferences
        self._first = session.work
        self._soon = lay.later(self, _MOMENT_MILLISECONDS, self._keep_wishes)
        session.changed.connect(self._on_changed)

    def keep(self) -> None:
        if self._soon.isActive():
            self._keep_wishes()

    def reopen_in_steps(self) -> Generator[None, None, Design | None]:
        """Open the design that was open last, with the wishes beside it; return it, None where there is none.

        What somebody opens between two steps stays open.
        """
        kept = self._preferences
        key, beside, wishes = kept.last_design, kept.last_beside, kept.last_wishes
        if not key or self._session.inventory is not None or not self._session.library.holds(key):
            return None
        yield
        design = self._session.library.read(key)
        yield
        if design is None or self._session.inventory is not None:
            return None
        self._session.open_design(design, beside=beside)
        self._session.put(with_wishes(self._session.work, wishes))
        return design

    def wish_again(self) -> None:
        """Wish for what was wished for last without a design, unless something else is wished by now."""
        work, first = self._session.work, self._first
        if work.design is None and (work.workload, work.budget) == (first.workload, first.budget):
            self._session.put(with_wishes(work, self._preferences.last_wishes))

    def _on_changed(self, parts: frozenset[str]) -> None:
        work = self._session.work
        if parts & {"inventory", "design", "pools_beside"}:
            self._preferences.last_design = work.design.key if work.design is not None else ""
            self._preferences.last_beside = work.pools_beside
        if parts & {"workload", "budget", "design"}:
            self._soon.start()

    def _keep_wishes(self) -> None:
        self._soon.stop()
        self._preferences.last_wishes = wishes_text(self._session.work)
