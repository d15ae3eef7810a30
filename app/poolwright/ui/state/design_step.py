"""A step between two designs that can be undone."""

from typing import Protocol

from PySide6.QtGui import QUndoCommand

from poolwright.domain.design import Design
from poolwright.ui.state.at_hand import DisksInFront


class StepTo(Protocol):
    """Shows a design; ``fresh`` is True the first time that a step is taken. ``disks`` come with it where told."""

    def __call__(self, design: Design | None, *, fresh: bool, disks: DisksInFront | None = None) -> None:
        """Show it."""


class DesignStep(QUndoCommand):
    """Puts ``after``, and ``before`` when undone; either may be None (nothing chosen yet).

    With ``taken`` the step was taken before: pushing it puts nothing. ``disks`` are those in front before and after,
    where the step brings others.
    """

    def __init__(
        self,
        put: StepTo,
        before: Design | None,
        after: Design | None,
        text: str,
        *,
        taken: bool = False,
        disks: tuple[DisksInFront, DisksInFront] | None = None,
    ) -> None:
        super().__init__(text)
        self._put, self._before, self._after, self._taken = put, before, after, taken
        self._fresh = not taken
        self._disks = disks

    def again(self) -> "DesignStep":
        """Return the same step, for a stack that is built up anew."""
        return DesignStep(self._put, self._before, self._after, self.actionText(), taken=True, disks=self._disks)

    def redo(self) -> None:
        """Go on to the later design."""
        if not self._taken:
            self._put(self._after, fresh=self._fresh, disks=self._disks and self._disks[1])
        self._taken = self._fresh = False

    def undo(self) -> None:
        """Go back to the earlier design."""
        self._put(self._before, fresh=False, disks=self._disks and self._disks[0])
