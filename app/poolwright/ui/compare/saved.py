"""The comparisons of the library as the window uses them."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from PySide6.QtCore import QObject, Signal

from poolwright.store.comparisons import Comparisons, Part, SavedComparison
from poolwright.ui.state.keeper import Library

_Answer = TypeVar("_Answer")


class SavedComparisons(QObject):
    """Lists, saves, deletes and restores. ``changed`` follows every change; errors go to the library's ``failed``."""

    changed = Signal()

    def __init__(self, library: Library, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._library = library

    def entries(self) -> tuple[SavedComparison, ...]:
        """Return the comparisons, last modified first; nothing when the library cannot be used."""
        return self._ask(Comparisons.list) or ()

    def save(self, name: str, parts: Sequence[Part], *, key: str | None = None) -> SavedComparison | None:
        """Keep these parts under ``name``, in the place of the comparison ``key`` where one is given."""

        def write(kept: Comparisons) -> SavedComparison:
            return kept.save(name, parts, key=key)

        return self._change(write)

    def delete(self, key: str) -> SavedComparison | None:
        """Forget a comparison; return what it was, for `restore`."""

        def write(kept: Comparisons) -> SavedComparison:
            return kept.delete(key)

        return self._change(write)

    def restore(self, gone: SavedComparison) -> SavedComparison | None:
        """Bring a deleted comparison back."""

        def write(kept: Comparisons) -> SavedComparison:
            return kept.restore(gone)

        return self._change(write)

    def _change(self, write: Callable[[Comparisons], _Answer]) -> _Answer | None:
        answer = self._ask(write)
        if answer is not None:
            self.changed.emit()
        return answer

    def _ask(self, what: Callable[[Comparisons], _Answer]) -> _Answer | None:
        return self._library.use(lambda database: what(Comparisons(database)))
