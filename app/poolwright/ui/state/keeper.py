"""The library as the window uses it: designs are saved as they are made, and listed, opened, renamed, deleted here."""

import contextlib
import logging
import os
import time
import weakref
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QObject, Signal

from poolwright.domain.design import Design
from poolwright.domain.errors import PoolwrightError, UserError
from poolwright.jobs.job import Asking, JobQueue, SlicedJob
from poolwright.paths import library_file, user_folder
from poolwright.texts import _, dated, first_of, quoted
from poolwright.ui.parts import widgets
from poolwright.ui.state.expectations import today_here
from poolwright.ui.state.work import MANY_DISKS

if TYPE_CHECKING:
    from poolwright.domain.catalogue import Catalogue
    from poolwright.domain.host import Inventory
    from poolwright.store.backups import Backup
    from poolwright.store.database import Database
    from poolwright.store.library import DesignEntry, Designs, DesignVersion
    from poolwright.store.salvage import Salvaged

PATIENCE_SECONDS = 0.02  # for another program that writes: the window waits no longer, it tries again
_AGAIN_SECONDS = 1.0  # between two attempts to open what could not be opened
_Answer = TypeVar("_Answer")
AFTER_EDIT_MILLISECONDS = 300
AGAIN_MILLISECONDS = 1000


@dataclass(slots=True)
class _Open:
    """What is open now; apart from the library, so that its end can still be seen to without it."""

    database: "Database | None" = None


class Library(QObject):
    """Opens the file when it is first needed. ``changed`` follows every change of what it holds.

    Errors are sent as text in ``failed`` and never raised: the window goes on without its library when it must.
    What cannot be saved waits in ``unsaved`` and is tried again. A damaged file is mended beside the window;
    ``mended`` tells what came of it. ``noted`` carries what happened to the file or to a design behind the user's back.
    What cannot be opened is tried again; ``opened`` says that it could be at last.
    """

    changed = Signal()
    failed = Signal(str)
    noted = Signal(str)
    mended = Signal(str)
    opened = Signal()

    def __init__(self, parent: QObject | None = None, path: Path | None = None) -> None:
        super().__init__(parent)
        self._path = path
        self._open_now = _Open()
        self.problem, self._for_good, self._tried = "", False, -_AGAIN_SECONDS
        self._kept: set[str] = set()
        self._seen: dict[str, int] = {}
        self.rules: dict[str, int] | None = None  # sums of those that judge what is saved
        self.unsaved = Unsaved(self, path.parent if path is not None else None)
        self.unsaved.due.connect(self._store_waiting)
        jobs = JobQueue(self)  # beside those that the window shows
        self._mending = Asking(jobs, self, self._on_mended, self._on_not_mended)
        self._copying = Asking(jobs, self, failed=self._on_not_copied)
        self._again = widgets.single_shot_timer(self, round(2000 * _AGAIN_SECONDS), self._on_again)
        waiting = (self.unsaved.designs, self.unsaved.rescued, self.unsaved.folders())
        # A session that goes without a window to close it, at the latest with the program, leaves nothing behind.
        self._end = weakref.finalize(self, _end, self._open_now, *waiting)

    @property
    def path(self) -> Path:
        return self._path or library_file()

    @property
    def is_open(self) -> bool:
        return self._open_now.database is not None

    def database(self) -> "Database | None":
        """Return the open file, with everything saved that waited; None when the library cannot be used."""
        self._store_waiting()
        return self._ready()

    def close(self) -> None:
        """Save what still waits and close the file; it opens again when it is needed."""
        self._store_waiting()
        self.unsaved.close()
        self._again.stop()
        self._mending.forget()
        self._copying.forget()
        self._close_file()
        self.problem, self._for_good = "", False

    def back_up(self) -> None:
        """Copy the library beside the window, unless that was done today."""
        from poolwright.store.backups import back_up_in_steps

        if self.database() is not None and not self._mending.busy and not self._copying.busy:
            steps = back_up_in_steps(self.path, today_here())
            self._copying.ask(SlicedJob(_("Copying the library"), "library", steps, self))

    def offer(self) -> str:
        """Return which designs the newest useful backup holds that the library has lost; empty when there is none."""
        found = _useful(self._open_now.database)
        if found is None:
            return ""
        names = first_of(list(map(quoted, found.missing)), _MOST_NAMED)
        text = _("The backup of {date} holds {names}.")
        return text.format(date=dated(found.made.astimezone(), "%Y-%m-%d %H:%M"), names=names)

    def take_offer(self) -> None:
        text = self.use(_taken_from_backup)
        if text is not None:
            self._seen.clear()
            self.noted.emit(text)
            self.changed.emit()

    def entries(self, *, deleted: bool = False) -> tuple["DesignEntry", ...]:
        """Return the designs, last modified first, or those in the bin; nothing when the library cannot be used."""
        return self._ask(lambda designs: designs.list(deleted=deleted)) or ()

    def holds(self, key: str) -> bool:
        return any(entry.key == key for entry in self.entries())

    def versions(self, key: str) -> tuple["DesignVersion", ...]:
        return self._ask(lambda designs: designs.history(key)) or ()

    def read(self, key: str, *, number: int | None = None) -> Design | None:
        """Return a design, or an older version of it; None after a failure."""
        self._seen.pop(key, None)
        design = self._ask(lambda designs: designs.open(key, number=number))
        newest = self._ask(lambda designs: designs.newest_number(key)) if design is not None else None
        if newest is not None:
            self._seen[key] = newest
        return design

    def rules_of(self, key: str) -> dict[str, int] | None:
        return self._ask(lambda designs: designs.rules_of(key))

    def save_soon(self, design: Design) -> None:
        """Keep ``design``: at once when it is new, else a moment after its first edit and before anything is read.

        At once is the next turn of the window for a very large one.
        """
        self.unsaved.designs[design.key] = design
        if design.key in self._kept or self.unsaved.failures:
            self.unsaved.wait()
        elif len(design.disks) < MANY_DISKS:
            self._store_waiting()
        else:
            self.unsaved.wait(next_turn=True)

    def save(self, design: Design) -> bool:
        self.unsaved.designs[design.key] = design
        self._store_waiting()
        return design.key not in self.unsaved.designs and design.key in self._kept

    def _store_waiting(self) -> None:
        self.unsaved.rest()
        for design in tuple(self.unsaved.designs.values()):
            if not self._store(design):
                return

    def _store(self, design: Design) -> bool:
        """Keep one design; False when the next would fail as well."""
        from poolwright.store.database import LibraryDamaged, LibraryGone
        from poolwright.store.library import Designs

        database = self._ready()
        if database is None:
            if self._mending.busy:
                self.unsaved.wait()
            else:
                self.unsaved.failed(self.problem)  # which was told when the file could not be opened
            return False
        try:
            stored = Designs(database).store(design, seen=self._seen.get(design.key), rules=self.rules)
        except LibraryGone:
            return self._bring_back() and self._store(design)
        except LibraryDamaged as error:
            self._mend(error.text)
            return False
        except UserError as error:
            self.unsaved.designs.pop(design.key, None)
            self._kept.discard(design.key)
            self.failed.emit(error.text)
            return True
        except PoolwrightError as error:
            if self.unsaved.failed(error.text):
                self.failed.emit(error.text)
            return False
        self._kept.add(design.key)
        self._seen[design.key] = stored.number
        self.unsaved.stored(design)
        if stored.overtaken is not None:
            text = _("“{name}” was saved by another window at {time} too. Both versions are kept.")
            self.noted.emit(text.format(name=design.name, time=f"{stored.overtaken.saved.astimezone():%H:%M:%S}"))
        if stored.is_new:
            self.changed.emit()
        return True

    def duplicate(self, key: str, name: str) -> str | None:
        design = self.read(key)
        if design is None:
            return None
        from uuid import uuid4

        copy = replace(design, key=uuid4().hex, name=name)
        return copy.key if self.save(copy) else None

    def rename(self, key: str, name: str) -> Design | None:
        renamed = self._ask(lambda designs: designs.rename(key, name))
        if renamed is not None:
            newest = self._ask(lambda designs: designs.newest_number(key))
            self._seen.update({} if newest is None else {key: newest})
            self.changed.emit()
        return renamed

    def delete(self, key: str) -> None:
        self._mark(key, deleted=True)

    def undelete(self, key: str) -> None:
        self._mark(key, deleted=False)

    def catalogue(self) -> "Catalogue":
        """Return the disks one can buy: the user's catalogue, else the one that ships with the program."""
        from poolwright.catalogue_library import shipped_catalogue
        from poolwright.store.library import Catalogues

        own = self.use(lambda database: Catalogues(database).load())
        return shipped_catalogue() if own is None else own

    def with_burn_ins(self, inventory: "Inventory") -> "Inventory":
        """Keep the burn-ins that a machine brings, and give its disks those that are kept."""
        from poolwright.store.library import BurnIns

        return self.use(lambda database: BurnIns(database).completed(inventory)) or inventory

    def keep_catalogue(self, catalogue: "Catalogue | None") -> bool:
        """Keep the user's catalogue, None goes back to the shipped one; tell whether it is safe now."""
        from poolwright.store.library import Catalogues

        def write(database: "Database") -> bool:
            kept = Catalogues(database)
            if catalogue is None or not catalogue.products:
                kept.forget()
            else:
                kept.save(catalogue)
            return True

        return self.use(write) is True

    def _mark(self, key: str, *, deleted: bool) -> None:
        def write(designs: "Designs") -> bool:
            (designs.delete if deleted else designs.undelete)(key)
            return True

        if self._ask(write):
            self.changed.emit()

    def use(self, what: "Callable[[Database], _Answer]") -> _Answer | None:
        """Return what is read from the open file or done to it; None after a failure, which is told."""
        from poolwright.store.database import LibraryDamaged, LibraryGone

        database = self.database()
        if database is None:
            return None
        try:
            return what(database)
        except LibraryGone:
            return self.use(what) if self._bring_back() else None
        except LibraryDamaged as error:
            self._mend(error.text)
        except PoolwrightError as error:
            self.failed.emit(error.text)
        return None

    def _ask(self, what: "Callable[[Designs], _Answer]") -> _Answer | None:
        from poolwright.store.library import Designs

        return self.use(lambda database: what(Designs(database)))

    def _ready(self) -> "Database | None":
        if self.is_open or self._for_good or self._mending.busy:
            return self._open_now.database
        if self.problem and time.monotonic() - self._tried < _AGAIN_SECONDS:
            return None
        from poolwright.store.database import Database, LibraryDamaged

        self._tried = time.monotonic()
        try:
            database = Database.open(self.path, patience_seconds=PATIENCE_SECONDS)
        except LibraryDamaged as error:
            self._mend(error.text)
            return None
        except PoolwrightError as error:
            self._for_good = isinstance(error, UserError)
            if not self._for_good:
                self._again.start()
            if error.text != self.problem:  # told once; every later attempt would say the same
                self.problem = error.text
                self.failed.emit(error.text)
            return None
        self.problem = ""
        self._open_now.database = database
        self._take_rescued(database)
        self._look_for_more(database)
        return database

    def _on_again(self) -> None:
        if self.database() is not None:
            self.opened.emit()
            self.changed.emit()

    def _close_file(self) -> None:
        database = self._open_now.database
        self._open_now.database = None
        if database is not None:
            database.close()

    def _mend(self, why: str) -> None:
        """Let what is whole be brought into a new file, beside the window."""
        from poolwright.store.salvage import salvage_in_steps

        self._close_file()
        self._tried = time.monotonic()
        if not self._mending.busy:
            self.problem = _("The library is damaged. What is whole goes into a new one.")
            logging.getLogger("poolwright").error("%s", why)
            self._copying.forget()
            steps = salvage_in_steps(self.path)
            self._mending.ask(SlicedJob(_("Repairing the library"), "library", steps, self))

    def _on_not_copied(self, why: str) -> None:
        from poolwright.store.database import LibraryDamaged

        if isinstance(self._copying.error, LibraryDamaged):
            self._mend(why)

    def _on_mended(self, salvaged: "Salvaged | None") -> None:
        text = _("Another window repaired the library.") if salvaged is None else salvaged.text
        self._kept.clear()
        self._seen.clear()
        self.problem = ""
        self._store_waiting()
        if self._ready() is not None:
            self.mended.emit(" ".join(part for part in (text, self.offer()) if part))
            self.changed.emit()

    def _on_not_mended(self, text: str) -> None:
        self.problem = text
        self.failed.emit(text)

    def _bring_back(self) -> bool:
        """Go on with the file in its place; where there is none, write all that was open to a new one."""
        database = self._open_now.database
        if database is None:
            return False
        if not self.path.exists():
            try:
                database.copy_to(self.path)
            except PoolwrightError as error:
                if self.unsaved.failed(error.text):
                    self.failed.emit(error.text)
                return False
            text = _("The library was deleted or moved while open. All it held was written again: {path}")
        else:
            text = _("The library was replaced while open. The window goes on with the new one: {path}")
        database.let_go()
        self._open_now.database = None
        self._kept.clear()
        self._seen.clear()
        self.noted.emit(text.format(path=self.path))
        return self._ready() is not None

    def _look_for_more(self, database: "Database") -> None:
        """Offer the backup where the file is empty, as after it was lost."""
        with contextlib.suppress(PoolwrightError):
            empty = not database.rows("SELECT 1 FROM design LIMIT 1")
            found = self.offer() if empty and not self.unsaved.designs else ""
            if found:
                self.mended.emit(_("The library is empty. {offer}", offer=found))

    def _take_rescued(self, database: "Database") -> None:
        """Save what an earlier run of the program could only put into a file."""
        from poolwright.store.library import Designs

        for path, design in self.unsaved.take_rescued():
            with contextlib.suppress(PoolwrightError, OSError):
                if Designs(database).save(design):
                    text = _("“{name}” could not be saved when it was last edited. It is safe now.")
                    self.noted.emit(text.format(name=design.name))
                path.unlink()


def _end(now: _Open, waiting: dict[str, Design], rescued: dict[str, Design], folders: tuple[Path, ...]) -> None:
    """Save what waits and close the file, when nobody is there any more to tell that it failed."""
    if now.database is not None and waiting:
        from poolwright.store.library import Designs

        for design in tuple(waiting.values()):
            with contextlib.suppress(PoolwrightError):
                Designs(now.database).save(design)
                del waiting[design.key]
    rescue(waiting, rescued, folders)
    if now.database is not None:
        now.database.close()


# What the newest useful backup holds.

_MOST_NAMED = 6


def _useful(database: "Database | None") -> "Backup | None":
    from poolwright.store.backups import backups_of

    if database is None:
        return None
    return next((backup for backup in backups_of(database) if backup.missing), None)


def _taken_from_backup(database: "Database") -> str:
    from poolwright.store.backups import take_missing

    found = _useful(database)
    names = take_missing(database, found.path) if found is not None else ()
    named = ", ".join(map(quoted, names))
    return _("Taken from the backup: {names}", names=named) if names else _("Nothing is missing.")


# Edits on their way into the library: kept until they are stored, tried again, and in the end put into files.


class Unsaved(QObject):
    """The designs that wait. ``due`` asks for storing them; ``changed`` follows every change of what is told of them.

    From the second failure on each is also put into a file of its own, in the first folder that takes it, which the
    next start of the program finds.
    """

    due = Signal()
    changed = Signal()

    def __init__(self, parent: QObject, folder: Path | None) -> None:
        super().__init__(parent)
        self._folder = folder
        self.designs: dict[str, Design] = {}
        self.reason = ""
        self.failures = 0
        self.rescued: dict[str, Design] = {}
        self._pause = widgets.single_shot_timer(self, 0, self.due)

    @property
    def text(self) -> str:
        if not self.failures or not self.designs:
            return ""
        names = ", ".join(quoted(design.name) for design in self.designs.values())
        return _("Not saved yet: {names}. Trying again…", names=names)

    @property
    def in_danger(self) -> str:
        nowhere = [d for key, d in self.designs.items() if self.rescued.get(key) is not d]
        return ", ".join(quoted(design.name) for design in nowhere)

    def wait(self, *, next_turn: bool = False) -> None:
        """Store a moment later or in the window's next turn; never put off by further edits: a crash takes no more."""
        if next_turn:
            self._pause.start(0)
        elif not self._pause.isActive():
            self._pause.start(AGAIN_MILLISECONDS if self.failures else AFTER_EDIT_MILLISECONDS)

    def rest(self) -> None:
        self._pause.stop()

    def stored(self, design: Design) -> None:
        """Take out what is safe now, unless it was edited meanwhile; its file is no longer needed."""
        if self.designs.get(design.key) is design:
            del self.designs[design.key]
        if self.rescued.pop(design.key, None) is not None:
            from poolwright.store.design_file import forget

            forget(design.key, self.folders())
        if self.failures and not self.designs:
            self.failures, self.reason = 0, ""
            self.changed.emit()

    def failed(self, reason: str) -> bool:
        """Note that storing failed, and try again; tell whether it is time to say so aloud."""
        self.failures += 1
        before, self.reason = self.reason, reason
        if self.failures > 1:
            rescue(self.designs, self.rescued, self.folders())
        self.wait()
        self.changed.emit()
        return self.failures == 2 or (self.failures > 2 and reason != before)

    def close(self) -> None:
        self.rest()
        rescue(self.designs, self.rescued, self.folders())

    def take_rescued(self) -> tuple[tuple[Path, Design], ...]:
        """Return what an earlier run of the program could not save."""
        from poolwright.store.design_file import kept

        return tuple((path, design) for path, design in kept(self.folders()) if design.key not in self.rescued)

    def folders(self) -> tuple[Path, ...]:
        """Return where a design may be put, on different file systems where there are any."""
        first = (self._folder or user_folder("data")) / "unsaved"
        runtime = os.environ.get("XDG_RUNTIME_DIR", "")
        more = (Path(runtime) / "poolwright-unsaved",) if runtime.startswith("/") else ()
        return (first, user_folder("config") / "unsaved", *more)


def rescue(waiting: dict[str, Design], rescued: dict[str, Design], folders: tuple[Path, ...]) -> None:
    for key, design in waiting.items():
        if rescued.get(key) is design:
            continue
        from poolwright.store.design_file import keep

        with contextlib.suppress(Exception):  # the program ends, and the other designs want to be kept as well
            path = keep(design, folders)
            if path is not None:
                rescued[key] = design
                logging.getLogger("poolwright").warning("a design that could not be saved is kept as %s", path)
