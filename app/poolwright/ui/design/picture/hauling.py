"""Dragging disks: what they hover over, what a drop there would do, and the drop."""

from PySide6.QtCore import QPointF

from poolwright.design.edits.places import Piece, Tray, VdevPlace
from poolwright.ui.design.picture.editing import Edit, Editing, Effect
from poolwright.ui.design.picture.geometry import Target


class Haul:
    """One drag of what is selected. ``target`` is what it hovers over, ``effect`` what a drop there would do."""

    def __init__(self, editing: Editing) -> None:
        self._editing = editing
        self.pieces: tuple[Piece, ...] = editing.pieces()
        self.places: tuple[VdevPlace, ...] = editing.whole_vdevs()
        self.target: Target | None = None
        self.effect: Effect | None = None
        self.at = QPointF()
        self._known: dict[tuple[object, int, bool], Effect] = {}

    def over(self, target: Target | None, at: QPointF) -> None:
        """Hover over something at a point; what a drop would do is worked out once for each target."""
        self.at = at
        self.target = target
        if target is None:
            self.effect = None
            return
        key = (target.where, target.pool, target.tray)
        if key not in self._known:
            self._known[key] = self._editing.effect(self._edit(target))
        self.effect = self._known[key]

    def drop(self) -> bool:
        return self.target is not None and self._editing.apply(self._edit(self.target))

    def _edit(self, target: Target) -> Edit:
        if self._moves_vdevs(target):
            return self._editing.to_pool(target.pool)
        if target.tray:
            return self._editing.take_out() if self.places else self._editing.move_to(Tray(), self.pieces)
        if target.where is None:
            return self._editing.new_vdev(pool=target.pool, pieces=self.pieces)
        return self._editing.move_to(target.where, self.pieces)

    def _moves_vdevs(self, target: Target) -> bool:
        """Tell whether whole vdevs are dropped where another pool takes new ones: they keep their kind."""
        here = {place.pool for place in self.places}
        return bool(self.places) and target.where is None and not target.tray and here != {target.pool}
