"""The picture as a widget: hover, pointer, drag and drop, and the keys that move in it."""

import math

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
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
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QFrame, QRubberBand, QWidget

from poolwright.design.blast import Blast
from poolwright.design.edits.places import Piece, Tray, VdevPlace
from poolwright.texts import _
from poolwright.ui.design.picture import words
from poolwright.ui.design.picture.content import Shelf
from poolwright.ui.design.picture.editing import Edit, Editing, Spot
from poolwright.ui.design.picture.geometry import Area, NewVdev, PictureLayout, place
from poolwright.ui.design.picture.painter import (
    Look,
    PicturePainter,
    look_of_each,
    paint_drop,
    paint_label,
    with_border,
)
from poolwright.ui.design.picture.words import Effect
from poolwright.ui.parts.theme import GRID, theme

# Dragging disks: what they hover over, what a drop there would do, and the drop.


class Haul:
    """One drag of what is selected. ``area`` is what it hovers over, ``effect`` what a drop there would do."""

    def __init__(self, editing: Editing) -> None:
        self._editing = editing
        self.pieces, self.places = editing.selection.pieces, editing.whole_vdevs()
        self.area: Area | Tray | None = None
        self.at = QPointF()
        self._known: dict[Area | Tray, Effect] = {}

    @property
    def effect(self) -> Effect | None:
        return None if self.area is None else self._known[self.area]

    def over(self, area: Area | Tray | None, at: QPointF) -> None:
        """Hover over something at a point; what a drop would do is worked out once for each."""
        self.at, self.area = at, area
        if area is not None and area not in self._known:
            self._known[area] = self._editing.effect(self._edit(area))

    def drop(self) -> bool:
        return self.area is not None and self._editing.apply(self._edit(self.area))

    def _edit(self, area: Area | Tray) -> Edit:
        editing = self._editing
        if isinstance(area, NewVdev):
            # Whole vdevs that are dropped where another pool takes new ones keep their kind.
            if self.places and {place.pool for place in self.places} != {area.pool}:
                return editing.to_pool(area.pool)
            return editing.new_vdev(pool=area.pool, pieces=self.pieces)
        if isinstance(area, Tray) and self.places:
            return editing.take_out()
        assert not isinstance(area, Shelf)  # where nothing is dragged
        return editing.move_to(area, self.pieces)


_ARROWS = {Qt.Key.Key_Left: (-1, 0), Qt.Key.Key_Right: (1, 0), Qt.Key.Key_Up: (0, -1), Qt.Key.Key_Down: (0, 1)}
_EDGE = 28  # while dragging, this close to an edge scrolls
_ADDING = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier


class PictureBoard(QAbstractScrollArea):
    """Draws the content of an `Editing` and lets one move in it and drag disks. ``menu_asked`` wants a menu there."""

    menu_asked = Signal(QPoint)
    hauls = True  # disks are dragged, else every drag draws a rubber band

    def __init__(self, editing: Editing, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._editing = editing
        self._placed: PictureLayout | None = None
        self._placed_for = QSize()
        self._shape: object = None
        self._looks: dict[object, Look] = {}
        self._blast: Blast | None = None
        self._pressed_at: QPointF | None = None
        self._haul: Haul | None = None
        self._band = QRubberBand(QRubberBand.Shape.Rectangle, self.viewport())
        self._beside_band: frozenset[Spot] = frozenset()  # what was marked before it
        self._hovered: Spot | None = None
        self.setAccessibleName(_("Picture of the pool"))
        self.viewport().setToolTip(self._keys())
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMinimumHeight(27 * GRID)
        self.viewport().setMouseTracking(True)
        self.viewport().setAutoFillBackground(False)
        self.verticalScrollBar().valueChanged.connect(self.viewport().update)
        editing.content_changed.connect(self._on_content)
        editing.selection_changed.connect(self._on_selection)
        theme().changed.connect(self.viewport().update)

    @property
    def placed(self) -> PictureLayout:
        if self._placed is None:
            self._placed = self._place()
        return self._placed

    def arranged(self, width: float, height: float) -> PictureLayout:
        return place(self._editing.content, width, height)

    def _place(self) -> PictureLayout:
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

    def rect_of(self, spot: Spot) -> QRectF:
        """Return where a tile or vdev is in the viewport now; empty where there is none."""
        placed = self.placed
        rect = placed.areas.get(spot) if isinstance(spot, VdevPlace) else placed.tiles.get(spot)
        return self._in_sight(rect or QRectF(), fixed=spot in placed.in_tray)

    def _in_sight(self, rect: QRectF, *, fixed: bool) -> QRectF:
        return rect if fixed else rect.translated(0, -self._offset())

    def spot_at(self, at: QPointF) -> Spot | None:
        """Return the tile at a point of the viewport, else the vdev; the tray hides what has scrolled below it."""
        placed = self.placed
        in_tray = at.y() >= placed.tray.top()
        here = at if in_tray else at + QPointF(0, self._offset())
        for piece, rect in placed.tiles.items():
            if (piece in placed.in_tray) is in_tray and rect.contains(here):
                return piece
        area = None if in_tray else placed.area_at(here)
        return area if isinstance(area, VdevPlace) else None

    def area_at(self, at: QPointF) -> Area | Tray | None:
        in_tray = at.y() > self.placed.tray.top()
        return self.placed.area_at(at if in_tray else at + QPointF(0, self._offset()))

    def paintEvent(self, event: QPaintEvent) -> None:
        blast = self._blast if self._haul is None else None
        painter = QPainter(self.viewport())
        PicturePainter(
            painter, self.placed, self._editing, blast=blast, focused=self.hasFocus(), offset=self._offset(),
            dirty=event.region(),
        ).paint()  # fmt: skip
        if self._haul is not None:
            self._paint_haul(painter, self._haul)
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if not self.isVisible():
            self._placed = None  # a page that comes to the front has two sizes on the way
        elif self._placed is None or self._placed_for != self.size():
            self._replace()
            self._redraw()

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
            current = editing.current
            self._go(self._first() if current is None else self.placed.beside(current, _ARROWS[key]), extend=extend)
        elif key in (Qt.Key.Key_Home, Qt.Key.Key_End):
            self._go(self._first(-1 if key == Qt.Key.Key_End else 0), extend=extend)
        elif key == Qt.Key.Key_Space:
            editing.select(editing.current, toggle=True)
        elif key == Qt.Key.Key_A and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self._mark_all()
        elif key == Qt.Key.Key_Escape:
            self._leave()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.modifiers():
            self._enter()
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        editing, spot, modifiers = self._editing, self.spot_at(event.position()), event.modifiers()
        left = event.button() == Qt.MouseButton.LeftButton
        self._beside_band = editing.marks if editing.failing or modifiers & _ADDING else frozenset()
        if left:
            self._pressed_at = event.position()
        if spot is None:
            if left and not self._beside_band:
                editing.select(editing.current)
        elif modifiers & Qt.KeyboardModifier.ControlModifier or (editing.failing and left):
            editing.select(spot, toggle=True)
        elif modifiers & Qt.KeyboardModifier.ShiftModifier:
            self._mark_to(spot)
        else:
            # A press on something marked may begin a drag of all of it; the release tells.
            editing.select(spot, keep=spot in editing.marks)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if not event.buttons():
            self._hover(event.position())
        if self._pressed_at is None or not event.buttons() & Qt.MouseButton.LeftButton:
            return
        if self._haul is None and self._band.isHidden():
            if (event.position() - self._pressed_at).manhattanLength() < QApplication.startDragDistance():
                return
            if self._editing.failing or not self.hauls or self.spot_at(self._pressed_at) is None:
                self._band.show()
            else:
                self._haul = Haul(self._editing)
                self.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)
        if self._haul is None:
            self._draw_band(QRect(self._pressed_at.toPoint(), event.position().toPoint()).normalized())
            return
        self._scroll_near_edge(event.position())
        self._haul.over(self.area_at(event.position()), event.position())
        self.viewport().update()

    def _draw_band(self, band: QRect) -> None:
        """Mark the disks that a rubber band touches, beside those that were marked before."""
        self._band.setGeometry(band)
        inside = [piece for piece in self.placed.tiles if self.rect_of(piece).intersects(QRectF(band))]
        self._editing.put_selection(inside[-1] if inside else self._editing.current, self._beside_band.union(inside))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        haul, pressed, banded = self._haul, self._pressed_at, self._band.isVisible()
        self._pressed_at = None
        self._band.hide()
        if haul is not None:
            haul.over(self.area_at(event.position()), event.position())
            self._drop_nothing()
            haul.drop()
        elif pressed is not None and not banded:
            self._click(event)

    def _click(self, event: QMouseEvent) -> None:
        """Select alone what was pressed, which kept what else is marked for a drag."""
        if not self._editing.failing and not event.modifiers() & _ADDING:
            self._editing.select(self._editing.current)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if event.reason() == QContextMenuEvent.Reason.Keyboard and self._editing.current is not None:
            at = self.rect_of(self._editing.current).center().toPoint()
        else:
            at = event.pos()
        self.menu_asked.emit(self.viewport().mapToGlobal(at))

    def lines_of(self, spot: Spot) -> list[str]:
        holder = self._editing.holder(spot)
        if isinstance(spot, VdevPlace):
            return words.frame_lines(holder) if holder is not None else []
        tile = self._editing.tiles.get(spot)
        return words.tile_lines(tile, holder) if tile is not None else []

    def _hover(self, at: QPointF) -> None:
        spot = self.spot_at(at)
        if spot != self._hovered:
            self._hovered = spot
            self.viewport().setToolTip("\n".join(self.lines_of(spot)) if spot is not None else self._keys())

    def _keys(self) -> str:
        return _(
            "Arrows move, Shift selects on the way, Space selects one, Ctrl+A all of the pool, Escape the vdev.\n"
            "F: what if it fails. Return: everything that can be done."
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

    def _first(self, number: int = 0) -> Piece | None:
        """Return the first disk, where the keyboard begins, or the last."""
        return next((tile.piece for tile in self._editing.content.tiles()[number:]), None)

    def _enter(self) -> None:
        """Go from a vdev to its first disk; of a disk show what can be done with it."""
        current = self._editing.current
        if isinstance(current, VdevPlace):
            self._go(self._editing.frames[current].tiles[0].piece)
        elif current is not None:
            self.menu_asked.emit(self.viewport().mapToGlobal(self.rect_of(current).center().toPoint()))

    def _leave(self) -> None:
        editing = self._editing
        holder = editing.holder(editing.current)
        if editing.marks:
            editing.select(editing.current)
        elif isinstance(editing.current, Piece) and holder is not None:
            editing.select(holder.place)

    def _mark_all(self) -> None:
        """Mark every disk of the pool that one is in, or of the tray."""
        editing = self._editing
        holder = editing.holder(editing.current)
        frames = [] if holder is None else editing.content.pools[holder.place.pool].frames
        tiles = [tile for frame in frames for tile in frame.tiles] or editing.content.tray
        editing.put_selection(editing.current, [tile.piece for tile in tiles])

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
        if haul.area is None or haul.effect is None:
            return
        if isinstance(haul.area, Tray):
            rect = self.placed.tray
        else:
            rect = self._in_sight(self.placed.areas[haul.area], fixed=False)
        paint_drop(painter, rect, possible=haul.effect.possible)
        bounds = QRectF(self.viewport().rect())
        paint_label(painter, haul.at, haul.effect, bounds)

    def _scroll_near_edge(self, at: QPointF) -> None:
        bar = self.verticalScrollBar()
        if at.y() < _EDGE:
            bar.setValue(bar.value() - bar.singleStep())
        elif self.placed.view_height - _EDGE < at.y() < self.placed.view_height:
            bar.setValue(bar.value() + bar.singleStep())

    def _on_content(self) -> None:
        if not self.isVisible():  # what nobody sees finds its places when it is asked for
            self._placed = None
        elif self._placed is None or self._shape != self._shape_now():
            self._replace()
        else:
            pools = zip(self._editing.content.pools, self._placed.pools, strict=False)  # shelves are in none
            self._placed.pools = [(pool, rect) for pool, (__, rect) in pools]

    def _shape_now(self) -> object:
        """Return what the places follow: most edits move nothing, and to place a hundred disks takes milliseconds."""
        content = self._editing.content
        frames = (
            (f.place, f.vdev.vdev_class, f.parity_share > 0, *(tile.piece for tile in f.tiles))
            for f in content.frames()
        )
        return len(content.pools), tuple(frames), tuple(tile.piece for tile in content.tray)

    def _replace(self) -> None:
        self._placed_for, self._shape = self.size(), self._shape_now()
        self._hovered = None
        self._placed = self._place()

    def _redraw(self) -> None:
        """Have drawn anew what looks otherwise than before: an edit changes a vdev or two of many."""
        before, self._blast = self._looks, self._editing.selection.blast
        self._looks = look_of_each(self.placed, self._editing, self._blast)
        for part in before.keys() | self._looks.keys():
            looks = before.get(part), self._looks.get(part)
            for look in looks if looks[0] != looks[1] else ():
                if look is not None:
                    self.viewport().update(with_border(self._in_sight(look[0], fixed=look[1])))

    def _on_selection(self) -> None:
        spot = self._editing.current
        if not self.isVisible():
            return
        self.setAccessibleDescription(". ".join(self.lines_of(spot)) if spot is not None else "")
        if spot is not None and not (isinstance(spot, Piece) and spot in self.placed.in_tray):
            self._show(self.rect_of(spot))
        self._redraw()

    def _show(self, rect: QRectF) -> None:
        bar = self.verticalScrollBar()
        if rect.top() < 0:
            bar.setValue(int(self._offset() + rect.top() - GRID))
        elif rect.bottom() > self.placed.view_height:
            bar.setValue(int(self._offset() + rect.bottom() - self.placed.view_height + GRID))
