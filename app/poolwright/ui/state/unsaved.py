"""Edits on their way into the library: kept until they are stored, tried again, and in the end put into files."""

import logging
import os
from contextlib import suppress
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from poolwright.domain.design import Design
from poolwright.paths import user_folder
from poolwright.texts import _, quoted
from poolwright.ui.parts import widgets

AFTER_EDIT_MILLISECONDS = 300
AGAIN_MILLISECONDS = 1000


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

        with suppress(Exception):  # the program ends, and the other designs want to be kept as well
            path = keep(design, folders)
            if path is not None:
                rescued[key] = design
                logging.getLogger("poolwright").warning("a design that could not be saved is kept as %s", path)
