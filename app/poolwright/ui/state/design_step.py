"""A step between two designs that can be undone."""

from typing import Protocol

from poolwright.domain.design import Design
from poolwright.ui.state.at_hand import DisksInFront


class StepTo(Protocol):
    """Shows a design; ``fresh`` is True the first time that a step is taken. ``disks`` come with it where told."""

    def __call__(self, design: Design | None, *, fresh: bool, disks: DisksInFront | None = None) -> None:
        """Show it."""


class DesignStep:
    """Puts ``after``, and ``before`` when undone; either may be None (nothing chosen yet).

    ``text`` names it in the Edit menu. ``disks`` are those in front before and after, where the step brings others.
    """

    def __init__(
        self,
        put: StepTo,
        before: Design | None,
        after: Design | None,
        text: str,
        *,
        disks: tuple[DisksInFront, DisksInFront] | None = None,
    ) -> None:
        self.text = text
        self._put, self._before, self._after = put, before, after
        self._fresh = True
        self._disks = disks

    def redo(self) -> None:
        fresh, self._fresh = self._fresh, False
        self._put(self._after, fresh=fresh, disks=self._disks and self._disks[1])

    def undo(self) -> None:
        """Go back to the earlier design."""
        self._put(self._before, fresh=False, disks=self._disks and self._disks[0])
