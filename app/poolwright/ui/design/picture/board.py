"""The picture as a widget: hover, pointer, drag and drop, and the keys that move in it."""

import math

from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QFrame, QWidget

from poolwright.design.edits.places import Piece, Tray, VdevPlace
from poolwright.texts import tell
from poolwright.ui.design.picture import words
from poolwright.ui.design.picture.editing import Edit, Editing, Effect, Spot
from poolwright.ui.design.picture.geometry import Placed, Target, place
from poolwright.ui.design.picture.painter import PicturePainter, View, paint_drop, paint_label
from poolwright.ui.design.picture.tile_marks import Ink
from poolwright.ui.parts.theme import GRID, theme

# Dragging disks: what they hover over, what a drop there would do, and the drop.


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


_ARROWS = {Qt.Key.Key_Left: (-1, 0), Qt.Key.Key_Right: (1, 0), Qt.Key.Key_Up: (0, -1), Qt.Key.Key_Down: (0, 1)}
_EDGE = 28  # while dragging, this close to an edge scrolls


class PictureBoard(QAbstractScrollArea):
    """Draws the content of an `Editing` and lets one move in it and drag disks. ``menu_asked`` wants a menu there."""

    menu_asked = Signal(QPoint)

    def __init__(self, editing: Editing, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._editing = editing
        self._placed: Placed | None = None
        self._placed_for = QSize()
        self._pressed_at: QPointF | None = None
        self._haul: Haul | None = None
        self._hovered: Spot | None = None
        self._ink = Ink()
        self.setAccessibleName(tell("Picture of the pool"))
        self.viewport().setToolTip(self._keys())
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMinimumHeight(28 * GRID)
        self.viewport().setMouseTracking(True)
        self.viewport().setAutoFillBackground(False)
        self.verticalScrollBar().valueChanged.connect(self.viewport().update)
        editing.content_changed.connect(self._on_content)
        editing.selection_changed.connect(self._on_selection)
        theme().changed.connect(self._on_theme)

    @property
    def placed(self) -> Placed:
        if self._placed is None:
            self._placed = self._place()
        return self._placed

    def arranged(self, width: float, height: float) -> Placed:
        return place(self._editing.content, width, height)

    def _place(self) -> Placed:
        """Find places for everything; only what is too high even with the smallest tiles gets a scroll bar."""
        bar, height = self.verticalScrollBar(), float(self.height())
        placed = self.arranged(float(self.width()), height)
        scrolls = placed.height > placed.view_height
        if scrolls:
            placed = self.arranged(float(self.width() - bar.sizeHint().width()), height)
        on, off = Qt.ScrollBarPolicy.ScrollBarAlwaysOn, Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        self.setVerticalScrollBarPolicy(on if scrolls else off)
        bar.setPageStep(int(placed.view_height))
        bar.setSingleStep(3 * GRID)
        bar.setRange(0, max(0, math.ceil(placed.height - placed.view_height)))
        return placed

    @property
    def hauling(self) -> Haul | None:
        return self._haul

    def rect_of(self, spot: Spot) -> QRectF:
        """Return where a tile or vdev is in the viewport now; empty where there is none."""
        placed = self.placed
        if isinstance(spot, VdevPlace):
            frame = placed.frames.get(spot)
            return frame.outer.translated(0, -self._offset()) if frame is not None else QRectF()
        rect = placed.tiles.get(spot)
        if rect is None:
            return QRectF()
        return rect if spot in placed.in_tray else rect.translated(0, -self._offset())

    def rect_of_target(self, target: Target) -> QRectF:
        return target.outer if target.tray else target.outer.translated(0, -self._offset())

    def spot_at(self, at: QPointF) -> Spot | None:
        """Return the tile at a point of the viewport, else the vdev; the tray hides what has scrolled below it."""
        placed = self.placed
        in_tray = at.y() >= placed.tray.top()
        here = at if in_tray else at + QPointF(0, self._offset())
        for piece, rect in placed.tiles.items():
            if (piece in placed.in_tray) is in_tray and rect.contains(here):
                return piece
        if in_tray:
            return None
        return next((where for where, frame in placed.frames.items() if frame.outer.contains(here)), None)

    def target_at(self, at: QPointF) -> Target | None:
        in_tray = self.placed.tray.contains(at)
        return self.placed.target_at(at if in_tray else at + QPointF(0, self._offset()))

    def paintEvent(self, event: QPaintEvent) -> None:
        editing = self._editing
        blast = editing.blast() if self._haul is None else None
        lost = blast.lost_keys if blast is not None else frozenset()
        view = View(
            placed=self.placed, content=editing.content, marks=editing.marks, current=editing.current, lost=lost,
            blast=blast, focused=self.hasFocus(), offset=self._offset(), dirty=QRectF(event.rect()), ink=self._ink,
        )  # fmt: skip
        painter = QPainter(self.viewport())
        PicturePainter(painter, view).paint()
        if self._haul is not None:
            self._paint_haul(painter, self._haul)
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._placed is None or self._placed_for != self.size():
            self._replace()

    def showEvent(self, event: QShowEvent) -> None:
        """Take up what changed while nobody saw it."""
        super().showEvent(event)
        if self._placed is None:
            self._replace()
            self._on_selection()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.viewport().update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move with the arrows, mark with Space, leave and enter a vdev with Escape and Return."""
        editing, key = self._editing, Qt.Key(event.key())
        extend = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if key == Qt.Key.Key_Escape and self._haul is not None:
            self._drop_nothing()
        elif key in _ARROWS and not event.modifiers() & Qt.KeyboardModifier.AltModifier:
            self._go(self.placed.beside(editing.current, _ARROWS[key]), extend=extend)
        elif key in (Qt.Key.Key_Home, Qt.Key.Key_End):
            tiles = editing.content.tiles()
            if tiles:
                self._go(tiles[0 if key == Qt.Key.Key_Home else -1].piece, extend=extend)
        elif key == Qt.Key.Key_Space:
            editing.select(editing.current, toggle=True)
        elif key == Qt.Key.Key_A and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self._mark_siblings()
        elif key == Qt.Key.Key_Escape:
            self._leave()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.modifiers():
            self._enter()
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        spot = self.spot_at(event.position())
        modifiers = event.modifiers()
        if event.button() == Qt.MouseButton.LeftButton:
            self._pressed_at = event.position()
        if spot is None:
            self._editing.select(self._editing.current)
        elif modifiers & Qt.KeyboardModifier.ControlModifier:
            self._editing.select(spot, toggle=True)
        elif modifiers & Qt.KeyboardModifier.ShiftModifier:
            self._mark_to(spot)
        else:
            # A press on something marked may begin a drag of all of it; the release tells.
            self._editing.select(spot, keep=spot in self._editing.marks)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if not event.buttons():
            self._hover(event.position())
        if self._pressed_at is None or not event.buttons() & Qt.MouseButton.LeftButton:
            return
        if self._haul is None:
            far = (event.position() - self._pressed_at).manhattanLength()
            if far < QApplication.startDragDistance() or self.spot_at(self._pressed_at) is None:
                return
            self._haul = Haul(self._editing)
            self.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)
        self._scroll_near_edge(event.position())
        self._haul.over(self.target_at(event.position()), event.position())
        self.viewport().update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        haul, pressed = self._haul, self._pressed_at
        self._pressed_at = None
        if haul is not None:
            haul.over(self.target_at(event.position()), event.position())
            self._drop_nothing()
            haul.drop()
        elif pressed is not None and not event.modifiers() & (
            Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
        ):
            self._editing.select(self._editing.current)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if event.reason() == QContextMenuEvent.Reason.Keyboard and self._editing.current is not None:
            at = self.rect_of(self._editing.current).center().toPoint()
        else:
            at = event.pos()
        self.menu_asked.emit(self.viewport().mapToGlobal(at))

    def lines_of(self, spot: Spot) -> list[str]:
        if isinstance(spot, VdevPlace):
            frame = self._editing.frame(spot)
            return words.frame_lines(frame) if frame is not None else []
        tile = self._editing.tile(spot)
        if tile is None:
            return []
        return words.tile_lines(tile, self._editing.frame(tile.place) if tile.place is not None else None)

    def effect_shown(self) -> Effect | None:
        return self._haul.effect if self._haul is not None else None

    def _hover(self, at: QPointF) -> None:
        spot = self.spot_at(at)
        if spot != self._hovered:
            self._hovered = spot
            self.viewport().setToolTip("\n".join(self.lines_of(spot)) if spot is not None else self._keys())

    def _keys(self) -> str:
        return tell(
            "Arrows move, Shift marks on the way, Space marks one, Ctrl+A all of a vdev, Escape leads to the vdev.\n"
            "N new vdev, M move, K kind, S split, G merge, X swap, P partition, O pool, E select, Del to the tray.\n"
            "Alt+Up and Alt+Down move a vdev among the others; Return shows everything that can be done."
        )

    def _offset(self) -> float:
        return float(self.verticalScrollBar().value())

    def _go(self, spot: Spot | None, *, extend: bool = False) -> None:
        if spot is None:
            return
        editing = self._editing
        if extend and editing.current is not None:
            editing.put_selection(spot, editing.marks | {editing.current, spot})
        else:
            editing.select(spot, keep=True)

    def _enter(self) -> None:
        """Go from a vdev to its first disk; of a disk show what can be done with it."""
        current = self._editing.current
        frame = self._editing.frame_at(current) if current is not None else None
        if frame is not None:
            self._go(frame.tiles[0].piece)
        elif current is not None:
            self.menu_asked.emit(self.viewport().mapToGlobal(self.rect_of(current).center().toPoint()))

    def _leave(self) -> None:
        editing = self._editing
        if editing.marks:
            editing.select(editing.current)
        elif isinstance(editing.current, Piece):
            tile = editing.tile(editing.current)
            if tile is not None and tile.place is not None:
                editing.select(tile.place)

    def _mark_siblings(self) -> None:
        editing = self._editing
        current = editing.current
        place_now = current if isinstance(current, VdevPlace) else None
        if isinstance(current, Piece):
            tile = editing.tile(current)
            place_now = tile.place if tile is not None else None
        frame = editing.frame(place_now) if place_now is not None else None
        tiles = frame.tiles if frame is not None else editing.content.tray
        if tiles:
            editing.put_selection(current, {tile.piece for tile in tiles})

    def _mark_to(self, spot: Spot) -> None:
        editing = self._editing
        order = [tile.piece for tile in editing.content.tiles()]
        if isinstance(spot, Piece) and isinstance(editing.current, Piece) and editing.current in order:
            one, other = sorted((order.index(editing.current), order.index(spot)))
            editing.put_selection(spot, editing.marks | set(order[one : other + 1]))
        else:
            editing.select(spot, toggle=True)

    def _drop_nothing(self) -> None:
        self._haul = None
        self._pressed_at = None
        self.viewport().unsetCursor()
        self.viewport().update()

    def _paint_haul(self, painter: QPainter, haul: Haul) -> None:
        if haul.target is None or haul.effect is None:
            return
        paint_drop(painter, self.rect_of_target(haul.target), possible=haul.effect.possible)
        bounds = QRectF(self.viewport().rect())
        paint_label(painter, haul.at, haul.effect.text, bounds, possible=haul.effect.possible)

    def _scroll_near_edge(self, at: QPointF) -> None:
        bar = self.verticalScrollBar()
        if at.y() < _EDGE:
            bar.setValue(bar.value() - bar.singleStep())
        elif self.placed.view_height - _EDGE < at.y() < self.placed.view_height:
            bar.setValue(bar.value() + bar.singleStep())

    def _on_content(self) -> None:
        if self.isVisible():
            self._replace()
        else:  # what nobody sees finds its places when it is asked for
            self._placed = None

    def _replace(self) -> None:
        self._placed_for = self.size()
        self._hovered = None
        self._placed = self._place()
        self.viewport().update()

    def _on_selection(self) -> None:
        spot = self._editing.current
        if not self.isVisible():
            return
        self.setAccessibleDescription(". ".join(self.lines_of(spot)) if spot is not None else "")
        if spot is not None and not (isinstance(spot, Piece) and spot in self.placed.in_tray):
            self._show(self.rect_of(spot))
        self.viewport().update()

    def _show(self, rect: QRectF) -> None:
        bar = self.verticalScrollBar()
        if rect.top() < 0:
            bar.setValue(int(self._offset() + rect.top() - GRID))
        elif rect.bottom() > self.placed.view_height:
            bar.setValue(int(self._offset() + rect.bottom() - self.placed.view_height + GRID))

    def _on_theme(self) -> None:
        self._ink = Ink()
        self.viewport().update()
