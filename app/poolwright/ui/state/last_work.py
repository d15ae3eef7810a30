"""What is open when the program ends, however it ends, is open again at the next start: the design and the wishes.

A design keeps only the wishes that it was made for; what is wished for now is kept beside it. Before there is one,
typed disks come back with the wishes for them; those for other disks end with these.
"""

from collections.abc import Generator
from dataclasses import dataclass, replace

from PySide6.QtCore import QObject

from poolwright.domain.design import Design
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.workload import Budget, Workload
from poolwright.store.codec import read_document, write_document
from poolwright.ui.parts import widgets
from poolwright.ui.state.preferences import Preferences
from poolwright.ui.state.session import Session
from poolwright.ui.state.sources import is_typed, typed_disks

_MOMENT_MILLISECONDS = 1000
_KIND, _SCHEMA, _NAME = "wishes", 1, "wishes of the last session"  # for machines


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wishes:
    """What was wished for, beside which design: its key; where none was chosen yet, the typed ``disks``."""

    design: str
    disks: str = ""
    workload: Workload
    budget: Budget
    goal_told: bool = True


def _read_wishes(text: str) -> _Wishes | None:
    try:
        return read_document(text, kind=_KIND, schema=_SCHEMA, name=_NAME, cls=_Wishes, where=None) if text else None
    except PoolwrightError:
        return None  # written by a later program, or by hand: a start without old wishes does no harm


class LastWork(QObject):
    """Keeps in the preferences what is open in a session, and opens it again."""

    def __init__(self, session: Session, preferences: Preferences) -> None:
        super().__init__(session)
        self._session, self._preferences = session, preferences
        self._soon = widgets.single_shot_timer(self, _MOMENT_MILLISECONDS, self._keep_wishes)
        session.changed.connect(self._on_changed)

    def keep(self) -> None:
        if self._soon.isActive():
            self._keep_wishes()

    def reopen_in_steps(self) -> Generator[None, None, str]:
        """Open what was open last, with the wishes beside it; return its name, empty where there is nothing.

        What somebody opens between two steps stays open.
        """
        session, kept = self._session, self._preferences
        key, beside, wishes = kept.last_design, kept.last_beside, _read_wishes(kept.last_wishes)
        typed = wishes.disks if wishes is not None and not key else ""
        if session.inventory is not None or not (typed or (key and session.library.holds(key))):
            return ""
        yield
        opened = typed_disks(typed) if typed else session.library.read(key)
        yield
        if opened is None or session.inventory is not None:
            return ""
        if isinstance(opened, Design):
            session.open_design(opened, beside=beside)
        else:
            session.start_from(opened)
        if wishes is not None and wishes.design == key:
            given = wishes.goal_told
            session.put(replace(session.work, workload=wishes.workload, budget=wishes.budget, goal_told=given))
        return typed or opened.name

    def _on_changed(self, parts: frozenset[str]) -> None:
        work = self._session.work
        if parts & {"inventory", "design", "pools_beside"}:
            self._preferences.last_design = work.design.key if work.design is not None else ""
            self._preferences.last_beside = work.pools_beside
        if parts & {"inventory", "workload", "budget", "design"}:
            self._soon.start()

    def _keep_wishes(self) -> None:
        self._soon.stop()
        work, kept = self._session.work, self._preferences
        key = work.design.key if work.design is not None else ""
        typed = kept.typed_disks if not key and is_typed(work.inventory) else ""
        given = work.goal_told
        wishes = _Wishes(design=key, disks=typed, workload=work.workload, budget=work.budget, goal_told=given)
        kept.last_wishes = write_document(_KIND, _SCHEMA, _NAME, wishes) if key or typed else ""
