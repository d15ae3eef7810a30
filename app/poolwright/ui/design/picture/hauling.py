"""Dragging disks: what they hover over, what a drop there would do, and the drop."""

from PySide6.QtCore import QPointF

from poolwright.advise.edits.places import Piece, Tray, VdevPlace
from poolwright.advise.edits.pooling import move_vdevs
from poolwright.advise.edits.shaping import remove
from poolwright.ui.design.picture.editing import Adding, Change, Editing, Moving
from poolwright.ui.design.picture.effects import Effect, effect_of
from poolwright.ui.design.picture.geometry import Target


class Haul:
    """One drag of what is selected. ``target`` is what it hovers over, ``effect`` what a drop there would do."""

    def __init__(self, editing: Editing) -> None:
        self._editing = editing
        self.pieces: tuple[Piece, ...] = editing.pieces()
        spots = editing.acted_on()
        places = [spot for spot in spots if isinstance(spot, VdevPlace)]
        self.places: tuple[VdevPlace, ...] = tuple(places) if len(places) == len(spots) else ()
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
            self._known[key] = effect_of(self._editing, self._change(target))
        self.effect = self._known[key]

    def drop(self) -> bool:
        """Make the change; return whether it was made."""
        target = self.target
        if target is None:
            return False
        editing = self._editing
        if self._moves_vdevs(target):
            return editing.to_pool(target.pool)
        if target.tray:
            return editing.take_out() if self.places else editing.move_to(Tray(), self.pieces)
        if target.where is None:
            return editing.new_vdev(pool=target.pool, pieces=self.pieces)
        return editing.move_to(target.where, self.pieces)

    def _change(self, target: Target) -> Change:
        if self._moves_vdevs(target):
            return lambda design: move_vdevs(design, self.places, target.pool)
        if target.tray and self.places:
            return lambda design: remove(design, self.places)
        if target.tray:
            return Moving(self.pieces, Tray())
        if target.where is None:
            return Adding(self.pieces, None, target.pool)
        return Moving(self.pieces, target.where)

    def _moves_vdevs(self, target: Target) -> bool:
        """Tell whether whole vdevs are dropped where another pool takes new ones: they keep their kind."""
        here = {place.pool for place in self.places}
        return bool(self.places) and target.where is None and not target.tray and here != {target.pool}
