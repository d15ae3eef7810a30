"""Keeps each run in the library, and gives back what it kept. What goes wrong is told, and the window goes on.

A run may hold hundreds of megabytes of what tools printed: it is packed, written and read beside the window.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QObject, Signal

from poolwright.bench.judging.verdicts import RunVerdict
from poolwright.bench.record import RunRecord
from poolwright.bench.run_file import raw_bytes, run_archive
from poolwright.bench.run_library import compared_run, keep_stored, kept_run, stored_run
from poolwright.domain.command import Reading
from poolwright.domain.design import Design
from poolwright.domain.errors import PoolwrightError, UserError
from poolwright.jobs.asking import Asking
from poolwright.jobs.command_job import CommandJob
from poolwright.jobs.job import JobPhase
from poolwright.process.elsewhere import done_beside
from poolwright.store.runs import Runs, StoredRun
from poolwright.texts import tell
from poolwright.ui.state.session import Session

JOB_TARGET = "kept runs"  # for machines
PACKED = 8  # times smaller than what the tools printed, about
_T = TypeVar("_T")
_Reader = Callable[[str, Path], RunRecord | None]


class KeptRuns(QObject):
    """``changed`` follows every change of what is kept, ``failed`` sends why something could not be done.

    ``opened`` and ``compared`` send the runs, a tuple, that `open` and `compare` asked for.
    """

    changed = Signal()
    failed = Signal(str)
    opened = Signal(object)
    compared = Signal(object)

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._keeping: dict[CommandJob, tuple[StoredRun, RunRecord]] = {}
        self._opening, self._comparing = Asking(session.jobs, self), Asking(session.jobs, self)
        self._opening.answered.connect(self.opened)
        self._comparing.answered.connect(self.compared)
        for asking in (self._opening, self._comparing):
            asking.failed.connect(self.failed)

    def entries(self) -> tuple[StoredRun, ...]:
        """Return what is kept, the latest first; nothing where the library cannot be used."""
        return self._ask(lambda runs: runs.entries()) or ()

    def in_bin(self) -> tuple[StoredRun, ...]:
        """Return what was deleted and can be put back."""
        return self._ask(lambda runs: runs.entries(deleted=True)) or ()

    def keep(self, record: RunRecord, verdict: RunVerdict, design: Design | None) -> None:
        run = stored_run(record, verdict, design)
        job = CommandJob(tell("Keeping the run"), JOB_TARGET, _kept(run, record, self._session.library.path), self)
        self._keeping[job] = (run, record)
        job.ended.connect(self._on_kept)
        self._session.jobs.add(job)

    def open(self, key: str) -> None:
        """Read a run; ``opened`` follows."""
        self._read((key,), self._opening, kept_run)

    def compare(self, keys: Sequence[str]) -> None:
        """Read several runs; ``compared`` follows."""
        self._read(keys, self._comparing, compared_run)

    def delete(self, key: str) -> None:
        self._ask(lambda runs: runs.delete(key))
        self.changed.emit()

    def put_back(self, key: str) -> None:
        self._ask(lambda runs: runs.put_back(key))
        self.changed.emit()

    def empty_bin(self) -> None:
        """Remove what was deleted, for good."""
        self._ask(lambda runs: runs.empty_bin())
        self.changed.emit()

    def _on_kept(self) -> None:
        job = self.sender()
        assert isinstance(job, CommandJob)
        run, record = self._keeping.pop(job)
        if job.state.phase is JobPhase.CANCELLED:
            # The window may be closing: what was measured is kept all the same.
            self._ask(lambda runs: runs.keep(run, run_archive(record)))
        elif job.state.phase is JobPhase.FAILED:
            self.failed.emit(job.state.error_text)
        self.changed.emit()

    def _read(self, keys: Sequence[str], asking: Asking, read: _Reader) -> None:
        sizes = {run.key: run.size for run in self.entries()}
        asked = {key: sizes.get(key, 0) for key in keys}
        reading = _runs_of(asked, self._session.library.path, read)
        asking.ask(CommandJob(tell("Reading the runs"), JOB_TARGET, reading, self))

    def _ask(self, what: Callable[[Runs], _T]) -> _T | None:
        database = self._session.library.database()
        if database is None:
            return None
        try:
            return what(Runs(database))
        except PoolwrightError as error:
            self.failed.emit(error.text)
            return None


def packed(record: RunRecord) -> Reading[bytes]:
    return (yield from done_beside(raw_bytes(record), run_archive, record))


def _kept(run: StoredRun, record: RunRecord, path: Path) -> Reading[StoredRun]:
    return (yield from done_beside(raw_bytes(record), keep_stored, run, record, path))


def _runs_of(sizes: Mapping[str, int], path: Path, read: _Reader) -> Reading[tuple[RunRecord, ...]]:
    found: tuple[RunRecord, ...] = ()
    for key, size in sizes.items():
        run = yield from done_beside(PACKED * size, read, key, path)
        if run is None:
            raise UserError(tell("The library holds no run “{key}”", key=key), where=str(path))
        found = (*found, run)
    return found
