"""A damaged library is mended and a whole one copied, in slices between the events of the window."""

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from poolwright.jobs.job import JobPhase
from poolwright.jobs.sliced_job import SlicedJob
from poolwright.texts import first_of, tell

if TYPE_CHECKING:
    from poolwright.store.backups import Backup
    from poolwright.store.database import Database

_MOST_NAMED = 6


class Mending(QObject):
    """``done`` carries what came of it in words, ``failed`` why it could not be done, ``damaged`` what a copy met."""

    done = Signal(str)
    failed = Signal(str)
    damaged = Signal(str)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._job: SlicedJob | None = None
        self._copying: SlicedJob | None = None

    @property
    def at_work(self) -> bool:
        return self._job is not None

    def start(self, path: Path, why: str) -> None:
        """Bring what is whole into a new library; ``why`` is what is wrong, for the log."""
        import logging

        from poolwright.store.salvage import salvage_in_steps

        logging.getLogger("poolwright").error("%s", why)
        if self._copying is not None:
            self._copying.cancel()
        self._job = SlicedJob(tell("Mending the library"), "library", salvage_in_steps(path), self)
        self._job.ended.connect(self._on_ended)
        self._job.start()

    def back_up(self, path: Path) -> None:
        """Copy a library unless there is a copy of today."""
        from poolwright.store.backups import back_up_in_steps

        if self._job is None and self._copying is None:
            steps = back_up_in_steps(path, datetime.now().astimezone().date())
            self._copying = SlicedJob(tell("Copying the library"), "library", steps, self)
            self._copying.ended.connect(self._on_copied)
            self._copying.start()

    def cancel(self) -> None:
        """Stop; the library stays as it is."""
        for job in (self._job, self._copying):
            if job is not None:
                job.cancel()

    def offer(self, database: "Database | None") -> str:
        """Return what the newest useful backup holds that ``database`` does not; empty when there is none."""
        found = _useful(database)
        if found is None:
            return ""
        names = first_of([f"“{name}”" for name in found.missing], _MOST_NAMED)
        text = tell("A backup of {date} holds {names} as of then.")
        return text.format(date=f"{found.made.astimezone():%Y-%m-%d %H:%M}", names=names)

    def take_offer(self, database: "Database") -> str:
        """Bring that into ``database``; return what was brought, for people. Raises PoolwrightError."""
        from poolwright.store.backups import take_missing

        found = _useful(database)
        names = take_missing(database, found.path) if found is not None else ()
        named = ", ".join(f"“{name}”" for name in names)
        return tell("Taken from the backup: {names}", names=named) if names else tell("Nothing is missing.")

    def _on_ended(self) -> None:
        from poolwright.store.salvage import Salvaged

        job, self._job = self._job, None
        if job is None or job.state.phase is JobPhase.CANCELLED:
            return
        job.deleteLater()
        if job.state.phase is JobPhase.FAILED:
            self.failed.emit(job.state.error_text)
        else:
            by_another = tell("Another window mended the library.")
            self.done.emit(job.result.text if isinstance(job.result, Salvaged) else by_another)

    def _on_copied(self) -> None:
        from poolwright.store.checks import LibraryDamaged

        job, self._copying = self._copying, None
        if job is None:
            return
        job.deleteLater()
        if isinstance(job.state.error, LibraryDamaged):
            self.damaged.emit(job.state.error_text)


def _useful(database: "Database | None") -> "Backup | None":
    from poolwright.store.backups import backups_of

    if database is None:
        return None
    return next((backup for backup in backups_of(database) if backup.missing), None)
