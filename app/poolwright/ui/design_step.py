"""A step between two designs that can be undone."""

from collections.abc import Callable

from PySide6.QtGui import QUndoCommand

from poolwright.domain.design import Design


class DesignStep(QUndoCommand):
    """Puts ``after``, and ``before`` when undone; either may be None (nothing chosen yet)."""

    def __init__(
        self, put: Callable[[Design | None], None], before: Design | None, after: Design | None, text: str
    ) -> None:
        super().__init__(text)
        self._put, self._before, self._after = put, before, after

    def redo(self) -> None:
        """Go on to the later design."""
        self._put(self._after)

    def undo(self) -> None:
        """Go back to the earlier design."""
        self._put(self._before)
