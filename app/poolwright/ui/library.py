"""The library as the window uses it: designs are saved as they are made, and listed, opened, renamed, deleted here."""

import contextlib
import weakref
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from PySide6.QtCore import QObject, QTimer, Signal

from poolwright.domain.catalogue import Catalogue
from poolwright.domain.design import Design
from poolwright.domain.errors import PoolwrightError
from poolwright.paths import user_data_folder

if TYPE_CHECKING:
    from poolwright.store.catalogues import Catalogues
    from poolwright.store.database import Database
    from poolwright.store.designs import DesignEntry, Designs, DesignVersion

FILE_NAME = "library.sqlite"
SAVED_AFTER_MILLISECONDS = 300


class Library(QObject):
    """Opens the file when it is first needed. ``changed`` follows every change of what it holds.

    Errors are sent as text in ``failed`` and never raised: the window goes on without its library when it must.
    """

    changed = Signal()
    failed = Signal(str)

    def __init__(self, parent: QObject | None = None, path: Path | None = None) -> None:
        super().__init__(parent)
        self._path = path
        self._database: Database | None = None
        self._designs: Designs | None = None
        self._unusable = ""
        self._waiting: dict[str, Design] = {}
        self._kept: set[str] = set()
        self._end: weakref.finalize[..., Library] | None = None
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(SAVED_AFTER_MILLISECONDS)
        self._pause.timeout.connect(self._save_waiting)

    @property
    def problem(self) -> str:
        """Return why the library cannot be used; empty when it can."""
        return self._unusable

    def database(self) -> "Database | None":
        """Return the open file for what else is kept in it; None when the library cannot be used."""
        self._open()
        return self._database

    def close(self) -> None:
        """Save what still waits and close the file; it opens again when it is needed."""
        self._save_waiting()
        if self._end is not None:
            self._end.detach()
        if self._database is not None:
            self._database.close()
        self._database = self._designs = None

    def entries(self, *, deleted: bool = False) -> tuple["DesignEntry", ...]:
        """Return the designs, last modified first, or those in the bin; nothing when the library cannot be used."""
        designs = self._open()
        if designs is None:
            return ()
        try:
            return designs.list(deleted=deleted)
        except PoolwrightError as error:
            self.failed.emit(error.text)
            return ()

    def holds(self, key: str) -> bool:
        """Tell whether there is such a design outside the bin."""
        return any(entry.key == key for entry in self.entries())

    def versions(self, key: str) -> tuple["DesignVersion", ...]:
        """Return the saved versions of a design, newest first; nothing after a failure."""
        designs = self._open()
        if designs is None:
            return ()
        try:
            return designs.history(key)
        except PoolwrightError as error:
            self.failed.emit(error.text)
            return ()

    def read(self, key: str, *, number: int | None = None) -> Design | None:
        """Return a design, or an older version of it; None after a failure."""
        designs = self._open()
        if designs is None:
            return None
        try:
            return designs.open(key, number=number)
        except PoolwrightError as error:
            self.failed.emit(error.text)
            return None

    def save_soon(self, design: Design) -> None:
        """Keep ``design``: at once when it is new, else a moment after its first edit and before anything is read."""
        if design.key not in self._kept:
            self.save(design)
            return
        self._waiting[design.key] = design
        if not self._pause.isActive():  # never put off by further edits: what a crash can take is this short
            self._pause.start()

    def _save_waiting(self) -> None:
        self._pause.stop()
        while self._waiting:
            self.save(self._waiting.pop(next(iter(self._waiting))))

    def save(self, design: Design) -> bool:
        """Keep ``design``; tell whether it is safe now."""
        designs = self._open()
        if designs is None:
            return False
        try:
            is_new = designs.save(design)
        except PoolwrightError as error:
            self.failed.emit(error.text)
            return False
        self._kept.add(design.key)
        if is_new:
            self.changed.emit()
        return True

    def duplicate(self, key: str, name: str) -> str | None:
        """Save a copy under ``name`` and a key of its own; return the key, None after a failure."""
        design = self.read(key)
        if design is None:
            return None
        copy = replace(design, key=uuid4().hex, name=name)
        return copy.key if self.save(copy) else None

    def rename(self, key: str, name: str) -> Design | None:
        """Give a design another name and return it; None after a failure."""
        designs = self._open()
        if designs is None:
            return None
        try:
            renamed = designs.rename(key, name)
        except PoolwrightError as error:
            self.failed.emit(error.text)
            return None
        self.changed.emit()
        return renamed

    def delete(self, key: str) -> None:
        """Put a design into the bin."""
        self._mark(key, deleted=True)

    def undelete(self, key: str) -> None:
        """Take a design out of the bin."""
        self._mark(key, deleted=False)

    def catalogue(self) -> Catalogue:
        """Return the disks one can buy: the user's catalogue, else the one that ships with the program."""
        from poolwright.catalogue_library import shipped_catalogue

        kept = self._catalogues()
        try:
            own = None if kept is None else kept.load()
        except PoolwrightError as error:
            self.failed.emit(error.text)
            own = None
        return shipped_catalogue() if own is None else own

    def keep_catalogue(self, catalogue: Catalogue | None) -> bool:
        """Keep the user's catalogue, None goes back to the shipped one; tell whether it is safe now."""
        kept = self._catalogues()
        if kept is None:
            return False
        try:
            if catalogue is None or not catalogue.products:
                kept.forget()
            else:
                kept.save(catalogue)
        except PoolwrightError as error:
            self.failed.emit(error.text)
            return False
        return True

    def _catalogues(self) -> "Catalogues | None":
        from poolwright.store.catalogues import Catalogues

        return Catalogues(self._database) if self._open() is not None and self._database is not None else None

    def _mark(self, key: str, *, deleted: bool) -> None:
        designs = self._open()
        if designs is None:
            return
        try:
            (designs.delete if deleted else designs.undelete)(key)
        except PoolwrightError as error:
            self.failed.emit(error.text)
        else:
            self.changed.emit()

    def _open(self) -> "Designs | None":
        """Return what holds the designs, with everything saved that waited; None when the library cannot be used."""
        self._save_waiting()
        if self._designs is not None or self._unusable:
            return self._designs
        from poolwright.store.database import Database
        from poolwright.store.designs import Designs

        try:
            self._database = Database.open(self._path or user_data_folder() / FILE_NAME)
        except PoolwrightError as error:
            # Told once; every later attempt would say the same.
            self._unusable = error.text
            self.failed.emit(error.text)
            return None
        self._designs = Designs(self._database)
        # A session that goes without a window to close it, at the latest with the program, leaves nothing behind.
        self._end = weakref.finalize(self, _end, self._database, self._designs, self._waiting)
        return self._designs


def _end(database: "Database", designs: "Designs", waiting: dict[str, Design]) -> None:
    """Save what waits and close the file, when nobody is there any more to tell that it failed."""
    with contextlib.suppress(PoolwrightError):
        for design in waiting.values():
            designs.save(design)
    database.close()
