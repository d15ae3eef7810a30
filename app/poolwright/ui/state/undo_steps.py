"""The steps of the Edit menu: what was done to the open design, in order, and how far of it is taken."""

from collections.abc import Iterable

from PySide6.QtCore import QObject, Signal

from poolwright.ui.state.design_step import DesignStep


class UndoSteps(QObject):
    """Takes steps, goes back through them and on again; ``changed`` tells that others can be undone or redone now.

    Not Qt's own stack: its commands are Python's and Qt's at once, and where Python collects both together it may
    free a command before the stack does it again, which ends the program.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._steps: tuple[DesignStep, ...] = ()
        self._taken = 0

    @property
    def steps(self) -> tuple[DesignStep, ...]:
        """Return all steps, those that were undone as well."""
        return self._steps

    @property
    def taken(self) -> int:
        return self._taken

    @property
    def undo_text(self) -> str:
        """Return what `undo` would take back; empty where there is nothing."""
        return self._steps[self._taken - 1].text if self._taken else ""

    @property
    def redo_text(self) -> str:
        """Return what `redo` would do again; empty where there is nothing."""
        return self._steps[self._taken].text if self._taken < len(self._steps) else ""

    def push(self, step: DesignStep) -> None:
        """Take a step; those that were undone are forgotten."""
        step.redo()
        self._go((*self._steps[: self._taken], step), self._taken + 1)

    def undo(self) -> None:
        """Go back by one step; nothing where there is none."""
        if self._taken:
            self._steps[self._taken - 1].undo()
            self._go(self._steps, self._taken - 1)

    def redo(self) -> None:
        """Go on by one step; nothing where there is none."""
        if self._taken < len(self._steps):
            self._steps[self._taken].redo()
            self._go(self._steps, self._taken + 1)

    def clear(self) -> None:
        self.put((), 0)

    def put(self, steps: Iterable[DesignStep], taken: int) -> None:
        """Hold these steps, the first of which were taken before; none of them is taken now."""
        self._go(tuple(steps), taken)

    def _go(self, steps: tuple[DesignStep, ...], taken: int) -> None:
        if (steps, taken) != (self._steps, self._taken):
            self._steps, self._taken = steps, taken
            self.changed.emit()
