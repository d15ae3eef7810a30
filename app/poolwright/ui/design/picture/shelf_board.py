"""The disks as they sit in their shelves: to select a shelf and see what its loss does, and which bay a disk is in."""

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QWidget

from poolwright.advise.edits.places import Piece
from poolwright.texts import tell
from poolwright.ui.design.picture.board import PictureBoard
from poolwright.ui.design.picture.editing import Editing
from poolwright.ui.design.picture.geometry import Placed, Target
from poolwright.ui.design.picture.shelves import place_shelves, shelves_of


class ShelfBoard(PictureBoard):
    """Moves and marks as the picture does; a press on a shelf selects all its disks. Nothing is dragged here."""

    def __init__(self, editing: Editing, parent: QWidget | None = None) -> None:
        super().__init__(editing, parent)
        self.setAccessibleName(tell("Picture of the shelves"))

    def arranged(self, width: float, height: float) -> Placed:
        """Return the places of shelves and disks."""
        return place_shelves(shelves_of(self._editing.content), width, height)

    def target_at(self, _at: QPointF) -> Target | None:
        """Take no drops."""
        return None

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Select a disk, or every disk of a shelf."""
        at = event.position() + QPointF(0, self._offset())
        if self.spot_at(event.position()) is None and event.button() == Qt.MouseButton.LeftButton:
            inside = next((outer for _, outer in self.placed.shelves if outer.contains(at)), None)
            if inside is not None:
                found = [piece for piece, rect in self.placed.tiles.items() if inside.contains(rect)]
                self._editing.put_selection(next(iter(found), None), found)
            return
        super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Say what is under the pointer."""
        self._hover(event.position())

    def _leave(self) -> None:
        """Let Escape select the whole shelf of the current disk, or unmark what is marked."""
        editing = self._editing
        current = editing.current
        if editing.marks or not isinstance(current, Piece) or current not in self.placed.tiles:
            editing.select(current)
            return
        here = self.placed.tiles[current]
        outer = next(outer for _, outer in self.placed.shelves if outer.contains(here))
        editing.put_selection(current, [p for p, rect in self.placed.tiles.items() if outer.contains(rect)])
