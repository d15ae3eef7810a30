"""Keeps each run in the library, and gives back what it kept. What goes wrong is told, and the window goes on."""

from collections.abc import Callable
from typing import TypeVar
from uuid import uuid4

from PySide6.QtCore import QObject, Signal

from poolwright.bench.judging.verdict_words import JUDGEMENTS
from poolwright.bench.judging.verdicts import RunVerdict
from poolwright.bench.record import RunRecord
from poolwright.bench.run_file import read_run, run_archive
from poolwright.domain.design import Design
from poolwright.domain.errors import PoolwrightError
from poolwright.store.runs import Runs, StoredRun
from poolwright.texts import tell
from poolwright.ui.state.keeper import Library

_T = TypeVar("_T")


class KeptRuns(QObject):
    """``changed`` follows every change of what is kept, ``failed`` sends why something could not be done."""

    changed = Signal()
    failed = Signal(str)

    def __init__(self, library: Library, parent: QObject) -> None:
        super().__init__(parent)
        self._library = library

    def entries(self) -> tuple[StoredRun, ...]:
        """Return what is kept, the latest first; nothing where the library cannot be used."""
        return self._ask(lambda runs: runs.entries()) or ()

    def keep(self, record: RunRecord, verdict: RunVerdict, design: Design | None) -> None:
        """Keep a run that has ended."""
        run = StoredRun(
            key=str(uuid4()),
            name=record.name,
            made=record.started,
            host=record.place.host,
            profile=record.profile.name,
            judgement=tell(JUDGEMENTS[verdict.judgement]),
            seconds=record.seconds,
            pool=record.place.pool,
            design_name=None if design is None else design.name,
            design_key=None if design is None else design.key,
        )
        if self._ask(lambda runs: runs.keep(run, run_archive(record))) is not None:
            self.changed.emit()

    def open(self, key: str) -> RunRecord | None:
        """Return a run, None where it cannot be read."""
        return self._ask(lambda runs: read_run(runs.archive(key), where=tell("the library")))

    def delete(self, key: str) -> None:
        """Put a run into the bin."""
        self._ask(lambda runs: runs.delete(key))
        self.changed.emit()

    def put_back(self, key: str) -> None:
        """Take a run out of the bin."""
        self._ask(lambda runs: runs.put_back(key))
        self.changed.emit()

    def _ask(self, what: Callable[[Runs], _T]) -> _T | None:
        database = self._library.database()
        if database is None:
            return None
        try:
            return what(Runs(database))
        except PoolwrightError as error:
            self.failed.emit(error.text)
            return None
