"""Files dropped on the window or chosen to be opened: what they are is found out, then each opens where it belongs."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QMimeData, QObject

from poolwright.jobs.job import Asking, SlicedJob
from poolwright.texts import tell

if TYPE_CHECKING:
    from collections.abc import Generator

    from poolwright.ui.shell.main_window import MainWindow
    from poolwright.ui.state.dropped import DroppedKind

_TARGET = "dropped"  # for machines


class Dropping(QObject):
    """Opens what was dropped anywhere on a window; what it cannot be is told in the window's message."""

    def __init__(self, window: "MainWindow") -> None:
        super().__init__(window)
        self._window = window
        self._paths: tuple[Path, ...] = ()
        self._asking = Asking(window.session.jobs, self)
        self._asking.answered.connect(self._on_known)
        self._asking.failed.connect(window.show_fault)
        window.session.dropped.connect(self.take)

    def take(self, data: QMimeData) -> bool:
        """Begin to open the files and folders, or the text, in ``data``; tell whether there is anything."""
        paths = tuple(Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile())
        if paths:
            self.open(paths)
            return True
        if data.hasText() and data.text().strip():
            self._window.session.sources.open_pasted(data.text())
            return True
        return False

    def open(self, paths: Sequence[str | Path]) -> None:
        self._paths = tuple(map(Path, paths))
        self._asking.ask(SlicedJob(tell("Looking what it is"), _TARGET, _looked(self._paths), self))

    def _on_known(self, kind: object) -> None:
        from poolwright.ui.state.dropped import DroppedKind

        if kind is DroppedKind.DESIGN:
            self._window.open_design_file(self._paths[0])
        elif kind is DroppedKind.MEASURED:
            self._window.ask("verify", self._paths)
        else:
            self._window.session.sources.open_captures(self._paths)


def _looked(paths: tuple[Path, ...]) -> "Generator[None, None, DroppedKind]":
    from poolwright.ui.state.dropped import kind_of_paths

    yield None
    return (yield from kind_of_paths(paths))
