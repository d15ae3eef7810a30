"""Where the user pulled the border between two parts of a page: kept from one start to the next."""

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QSplitter

from poolwright.ui.state.preferences import Preferences


class _Keeper(QObject):
    """Lives with its splitter and writes its sizes down."""

    def __init__(self, split: QSplitter, name: str, preferences: Preferences) -> None:
        super().__init__(split)
        self._split, self._name, self._preferences = split, name, preferences
        sizes = preferences.arrangement(name).split(",")
        if len(sizes) == split.count() and all(size.isdigit() and int(size) > 0 for size in sizes):
            split.setSizes([int(size) for size in sizes])
        split.splitterMoved.connect(self._keep)

    def _keep(self) -> None:
        self._preferences.keep_arrangement(self._name, ",".join(str(size) for size in self._split.sizes()))


def remember_split(split: QSplitter, name: str, preferences: Preferences) -> None:
    """Give ``split`` the sizes it had last time under ``name``, and keep those it gets from now on."""
    _Keeper(split, f"{name}-split", preferences)
