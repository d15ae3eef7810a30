"""A step between two designs that can be undone."""

from typing import Protocol

from PySide6.QtGui import QUndoCommand

from poolwright.domain.design import Design


class StepTo(Protocol):
    """Shows a design; ``fresh`` is True the first time that a step is taken."""

    def __call__(self, design: Design | None, *, fresh: bool) -> None:
        """Show it."""


class DesignStep(QUndoCommand):
    """Puts ``after``, and ``before`` when undone; either may be None (nothing chosen yet).

    With ``taken`` the step was taken before: pushing it puts nothing.
    """

    def __init__(
        self,
        put: StepTo,
        before: Design | None,
        after: Design | None,
        text: str,
        *,
        taken: bool = False,
    ) -> None:
        super().__init__(text)
        self._put, self._before, self._after, self._taken = put, before, after, taken
        self._fresh = not taken

    def again(self) -> "DesignStep":
        """Return the same step, for a stack that is built up anew."""
        return DesignStep(self._put, self._before, self._after, self.actionText(), taken=True)

    def redo(self) -> None:
        """Go on to the later design."""
        if not self._taken:
            self._put(self._after, fresh=self._fresh)
        self._taken = self._fresh = False

    def undo(self) -> None:
        """Go back to the earlier design."""
        self._put(self._before, fresh=False)
