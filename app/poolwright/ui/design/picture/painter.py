"""Draws the picture in the colours of the theme: pools, bays, vdevs, tiles. No colour stands without shape or word."""

from collections.abc import Sequence
from functools import lru_cache

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QFontMetricsF, QGuiApplication, QPainter, QPen, QPolygonF, QRegion

from poolwright.design.blast import Blast, State
from poolwright.design.edits.places import Bay, VdevPlace
from poolwright.domain.disk import Disk, Health, Media
from poolwright.domain.finding import Finding, Severity
from poolwright.domain.units import binary, drive_size
from poolwright.domain.vdev import VdevClass
from poolwright.texts import _, punctuated
from poolwright.ui.design.picture import words
from poolwright.ui.design.picture.content import Frame, PoolBox, Shelf, Tile, gravest
from poolwright.ui.design.picture.editing import Editing, states_of
from poolwright.ui.design.picture.geometry import HEAD, PAD, PARITY, POOL_HEAD, Area, PictureLayout
from poolwright.ui.design.picture.words import sector_kind
from poolwright.ui.parts import icons
from poolwright.ui.parts.finding_rows import SEVERITY_TONES
from poolwright.ui.parts.theme import SMALL_POINTS, Tone, text_font, theme

_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_CENTRE = Qt.AlignmentFlag.AlignCenter
_ICON = 14.0
_EDGE, _RING = 1.0, 3.0  # how far the edge of a box and the ring around the current one reach beyond it
_WIDE_LABEL, _NARROW_FRAME = 82, 104
_SHOWN_SEVERITIES = (Severity.BLOCK, Severity.WARN)


class PicturePainter:
    """Draws what an `Editing` shows, with its marks, where one stands and what a loss would do.

    ``dirty`` is what of the window is to be drawn anew.
    """

    def __init__(
        self,
        painter: QPainter,
        placed: PictureLayout,
        editing: Editing,
        *,
        dirty: QRegion,
        offset: float = 0.0,
        focused: bool = False,
        blast: Blast | None = None,
    ) -> None:
        self._p, self._placed, self._editing = painter, placed, editing
        self._offset, self._dirty, self._focused = offset, dirty, focused
        self._lost = blast.lost_keys if blast is not None else frozenset()
        self._states = states_of(blast)

    def paint(self) -> None:
        painter, placed = self._p, self._placed
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.save()
        above = QRectF(0, 0, placed.width, placed.tray.top() - 1)  # the tray hides what has scrolled below it
        everything, self._dirty = self._dirty, self._dirty.intersected(above.toAlignedRect())
        painter.setClipRect(above)
        painter.translate(0, -self._offset)
        for pool, rect in placed.pools:
            self._pool(pool, rect)
        for area, rect in placed.areas.items():
            if self._is_dirty(rect):
                self._area(area, rect)
        current = _current_rect(placed, self._editing)
        if self._editing.current not in placed.in_tray:
            self._ring(current)
        painter.restore()
        self._offset, self._dirty = 0.0, everything  # the tray does not scroll
        if placed.tray.height() > 0 and self._is_dirty(placed.tray):
            self._tray()
            if self._editing.current in placed.in_tray:
                self._ring(current)

    def _area(self, area: Area, rect: QRectF) -> None:
        if isinstance(area, VdevPlace):
            self._frame(self._editing.frames[area], rect)
        elif isinstance(area, Shelf):
            self._shelf(area, rect)
        else:
            dashed = rect.adjusted(0.5, 0.5, -0.5, -0.5)
            self._box(dashed, 4, None, "edge", dashed=True)
            if isinstance(area, Bay):
                self._text(rect.adjusted(PAD - 2, 0, 0, 0), words.class_word(area.vdev_class), Tone.MUTED)
            else:
                text = words.new_vdev_text(started=bool(self._editing.content.pools), pool=area.pool)
                self._text(rect, text, Tone.MUTED, align=_CENTRE)

    def _is_dirty(self, rect: QRectF) -> bool:
        return self._dirty.intersects(with_border(rect.translated(0, -self._offset)))

    def _pool(self, pool: PoolBox, rect: QRectF) -> None:
        self._box(rect, 5, "window", "line")
        head = _head_of_pool(rect)
        if not self._is_dirty(head):
            return
        name = self._text(head, pool.name, Tone.TEXT, bold=True)
        rest = head.adjusted(name + 10, 0, 0, 0)
        if pool.problem and pool.frames:
            self._icon("block", Tone.BLOCK, QPointF(rest.left(), head.center().y()))
            self._text(rest.adjusted(_ICON + 4, 0, 0, 0), pool.problem, Tone.BLOCK)
            return
        state = self._states.get((pool.number, None))
        if state is not None:
            rest.setRight(self._state(state, rest, of_pool=True) - 8)
        self._pool_finding(pool, rest, self._text(rest, words.pool_text(pool), Tone.MUTED))

    def _pool_finding(self, pool: PoolBox, rest: QRectF, used: float) -> None:
        """Write the gravest finding on the pool as a whole behind what stands at its head."""
        worst = _worst_of(pool)
        room = rest.adjusted(used + 14, 0, 0, 0)
        if worst is None or room.width() < 40:
            return
        tone = SEVERITY_TONES[worst.severity]
        self._icon(worst.severity.value, tone, QPointF(room.left(), room.center().y()))
        self._text(room.adjusted(_ICON + 4, 0, 0, 0), worst.title, tone)

    def _frame(self, frame: Frame, outer: QRectF) -> None:
        worst = _worst_of(frame)
        edge = SEVERITY_TONES[worst.severity] if worst is not None else "edge"
        ground = "selection" if frame.place in self._editing.marks else "alternate"
        self._box(outer, 4, ground, edge, 2.0 if worst is not None else 1.0)
        if self._is_dirty(_head_of(outer)):
            self._frame_head(frame, outer, worst.severity if worst else None)
        if frame.parity_share:
            self._parity(frame, outer)
        self._tiles(frame.tiles)

    def _tiles(self, tiles: Sequence[Tile]) -> None:
        mixed = len({tile.size_bytes for tile in tiles}) > 1
        for tile in tiles:
            rect = self._placed.tiles[tile.piece]
            if self._is_dirty(rect):
                self._tile(tile, rect, mixed=mixed)

    def _frame_head(self, frame: Frame, outer: QRectF, severity: Severity | None) -> None:
        head = _head_of(outer)
        state = self._states.get((frame.place.pool, frame.place.vdev), State.ONLINE)
        if state is not State.ONLINE:
            head.setRight(self._state(state, head, of_pool=False) - 4)
        if severity is not None:
            tone = SEVERITY_TONES[severity]
            self._icon(severity.value, tone, QPointF(head.right() - _ICON, head.center().y()))
            head.setRight(head.right() - _ICON - 4)
        title = words.short_place(frame) if outer.width() < _NARROW_FRAME else words.frame_title(frame)
        used = self._text(head, title, Tone.TEXT, bold=True)
        rest = head.adjusted(used + 7, 0, 0, 0)
        facts = self._facts(frame)
        while ", " in facts and fitting(facts, SMALL_POINTS, rest.width())[0] != facts:
            facts = facts.rpartition(", ")[0]  # a whole fact says more than the beginning of the next
        if fitting(facts, SMALL_POINTS, rest.width())[0] != facts:
            facts = str(len(frame.tiles))
        self._text(rest, facts, Tone.MUTED)

    def _facts(self, frame: Frame) -> str:
        sizes = {tile.size_bytes for tile in frame.tiles}
        count = len(frame.tiles)
        parts = [f"{count} × {drive_size(sizes.pop())}" if len(sizes) == 1 else words.disks_text(count)]
        if frame.usable_bytes is not None and frame.vdev.vdev_class is VdevClass.DATA:
            parts.append(binary(frame.usable_bytes))
        if frame.vdev.vdev_class not in (VdevClass.SPARE, VdevClass.CACHE):
            parts.append(words.parity_text(frame))
        return ", ".join(parts)

    def _parity(self, frame: Frame, outer: QRectF) -> None:
        """Draw how much of a vdev is data and how much parity, at its foot."""
        painter, colours = self._p, theme()
        painter.setPen(Qt.PenStyle.NoPen)
        bar = _foot_of(outer)
        data = bar.adjusted(0, 0, -bar.width() * frame.parity_share, 0)
        painter.setBrush(colours.colour(Tone.ACCENT))
        painter.drawRect(data)
        painter.setBrush(QBrush(colours.colour(Tone.MUTED), Qt.BrushStyle.BDiagPattern))
        painter.setPen(QPen(colours.colour(Tone.MUTED), 0.8))
        painter.drawRect(bar.adjusted(data.width(), 0, 0, 0))

    def _shelf(self, shelf: Shelf, rect: QRectF) -> None:
        self._box(rect, 4, "alternate", "edge")
        self._text(_head_of(rect), shelf.name or _("Place not known"), Tone.TEXT, bold=True)
        for tile in shelf.tiles:
            where = self._placed.tiles[tile.piece]
            if self._is_dirty(where):
                frame = self._editing.holder(tile.piece)
                title = words.frame_title(frame) if frame is not None else _("not used")
                label = title if where.width() >= _WIDE_LABEL else words.short_place(frame)
                self._tile(tile, where, mixed=False, label=label)

    def _tray(self) -> None:
        placed, tiles = self._placed, self._editing.content.tray
        self._box(placed.tray, 5, "base", "line")
        head = placed.tray_head
        title = QRectF(head.left(), head.top() + 3, head.width(), HEAD)
        self._text(title, words.tray_title(), Tone.TEXT, bold=True)
        wrapped = Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap
        text = words.tray_text(tiles)
        self._write(head.adjusted(0, 3 + HEAD, 0, 0), text, Tone.MUTED, SMALL_POINTS - 1, flags=wrapped)
        self._tiles(tiles)

    def _tile(self, tile: Tile, rect: QRectF, *, mixed: bool, label: str = "") -> None:
        painter, marked = self._p, tile.piece in self._editing.marks
        worst = _worst_of(tile)
        edge, ground = SEVERITY_TONES[worst.severity] if worst else "edge", "selection" if marked else "base"
        self._box(rect, 3, ground, edge, 1.8 if worst else 1, dashed=tile.left_over or tile.disk.planned)
        if not tile.whole:
            self._rest_of_disk(tile, rect)
        if tile.partitions:
            paint_beside(painter, tile, rect)
        paint_sectors(painter, tile.disk, rect)
        paint_media(painter, tile.disk, rect)
        paint_health(painter, tile.disk.health, rect)
        self._tile_text(tile, rect, mixed=mixed, label=label)
        if worst is not None and rect.width() >= 46:
            tone = SEVERITY_TONES[worst.severity]
            self._icon(worst.severity.value, tone, QPointF(rect.left() + 7, rect.bottom() - 8), size=11.0)
        if _is_crossed(tile, self._lost):
            self._cross(rect)

    def _rest_of_disk(self, tile: Tile, rect: QRectF) -> None:
        """Hatch what of the disk is not this piece."""
        painter, colours = self._p, theme()
        inner = rect.adjusted(1, 1, -1, -1)
        start = inner.left() + inner.width() * tile.before
        stop = start + inner.width() * tile.share
        painter.setPen(Qt.PenStyle.NoPen)
        hatch = QColor(colours.colour(Tone.MUTED))
        hatch.setAlphaF(0.3)
        painter.setBrush(QBrush(hatch, Qt.BrushStyle.FDiagPattern))
        if start > inner.left() + 1:
            painter.drawRect(QRectF(inner.left(), inner.top(), start - inner.left(), inner.height()))
        if stop < inner.right() - 1:
            painter.drawRect(QRectF(stop, inner.top(), inner.right() - stop, inner.height()))

    def _tile_text(self, tile: Tile, rect: QRectF, *, mixed: bool, label: str) -> None:
        points = 10.0 if rect.width() >= 74 else 9.0 if rect.width() >= 52 else 8.0 if rect.width() >= 36 else 7.0
        inner = rect.adjusted(7, 1, -3, -1)
        size, name = words.piece_size(tile), words.tail(tile.disk)
        if label:  # by shelf, where a disk belongs matters more than its size
            size, name = label, f"{tile.disk.bay}: {words.tail(tile.disk)}" if tile.disk.bay else words.tail(tile.disk)
        if rect.height() >= 32:
            half = inner.height() / 2
            upper = QRectF(inner.left(), inner.top(), inner.width() - 8, half + 2)
            lower = QRectF(inner.left(), inner.top() + half - 1, inner.width() - 9, half)
            self._text(upper, size, Tone.TEXT, points=points)
            indent = 9 if _worst_of(tile) and rect.width() >= 46 else 0
            shown = name if label or rect.width() >= 62 else name.lstrip("…")
            self._text(lower.adjusted(indent, 0, 0, 0), shown, Tone.MUTED, points=max(7.0, points - 1))
            return
        if label:
            self._text(inner, label, Tone.TEXT, points=points)
            return
        if mixed or not tile.whole:
            number, __, unit = words.piece_size(tile).partition(" ")
            self._write(inner, f"{number}{unit[:1]}" if unit else "?", Tone.TEXT, points)  # 16T for 16 TB
            return
        digits = max(2, min(4, int((inner.width() - 6) // (points * 0.78))))
        self._write(inner, name[-digits:], Tone.TEXT, points)

    def _state(self, state: State, room: QRectF, *, of_pool: bool) -> float:
        """Write the outcome at the right end of ``room``; return where it begins."""
        icon, tone = words.STATE_MARKS[state]
        text = words.state_word(state, of_pool=of_pool)
        __, wide = fitting(text, SMALL_POINTS, 1e6, bold=of_pool)
        if wide + _ICON > room.width() * (0.75 if of_pool else 0.6):
            text, wide = "", 0.0
        left = room.right() - wide - _ICON - 4
        self._icon(icon, tone, QPointF(left, room.center().y()))
        self._write(QRectF(left + _ICON + 3, room.top(), wide + 2, room.height()), text, tone, bold=of_pool)
        return left

    def _cross(self, rect: QRectF) -> None:
        shade = theme().colour("window")
        shade.setAlphaF(0.45)
        self._p.setPen(Qt.PenStyle.NoPen)
        self._p.setBrush(shade)
        self._p.drawRoundedRect(rect, 3, 3)
        self._p.setPen(QPen(theme().colour(Tone.TEXT), 1.4))
        inner = rect.adjusted(3, 3, -3, -3)
        self._p.drawLine(inner.topLeft(), inner.bottomRight())

    def _ring(self, rect: QRectF) -> None:
        if rect.isEmpty():
            return
        focused = self._focused
        style = Qt.PenStyle.SolidLine if focused else Qt.PenStyle.DotLine
        self._p.setBrush(Qt.BrushStyle.NoBrush)
        self._p.setPen(QPen(theme().colour(Tone.ACCENT), 2.2 if focused else 1.4, style))
        self._p.drawRoundedRect(rect.adjusted(-1.5, -1.5, 1.5, 1.5), 4, 4)

    def _icon(self, name: str, tone: Tone, left_middle: QPointF, *, size: float = _ICON) -> None:
        where = QRectF(left_middle.x(), left_middle.y() - size / 2, size, size)
        icons.icon(name, tone).paint(self._p, where.toRect())

    def _text(
        self,
        room: QRectF,
        text: str,
        tone: Tone,
        *,
        bold: bool = False,
        points: float = SMALL_POINTS,
        align: Qt.AlignmentFlag = _LEFT,
    ) -> float:
        """Write as much of ``text`` as fits and return how wide it is."""
        if room.width() <= 4 or not text:
            return 0.0
        shown, wide = fitting(punctuated(text), points, room.width(), bold=bold)
        self._write(room, shown, tone, points, bold=bold, flags=align)
        return wide

    def _write(
        self,
        room: QRectF,
        text: str,
        tone: Tone,
        points: float = SMALL_POINTS,
        *,
        bold: bool = False,
        flags: int = _LEFT,
    ) -> None:
        self._p.setFont(font_of(points, bold=bold))
        self._p.setPen(theme().colour(tone))
        self._p.drawText(room, flags, punctuated(text))

    def _box(
        self, rect: QRectF, radius: int, ground: str | None, edge: Tone | str, width: float = 1, *, dashed: bool = False
    ) -> None:
        line = Qt.PenStyle.DashLine if dashed else Qt.PenStyle.SolidLine
        self._p.setBrush(Qt.BrushStyle.NoBrush if ground is None else theme().colour(ground))
        self._p.setPen(QPen(theme().colour(edge), width, line))
        self._p.drawRoundedRect(rect, radius, radius)


def _head_of(outer: QRectF) -> QRectF:
    return QRectF(outer.left() + PAD, outer.top() + 1, outer.width() - 2 * PAD, HEAD - 2)


def _head_of_pool(rect: QRectF) -> QRectF:
    return QRectF(rect.left() + PAD + 2, rect.top(), rect.width() - 2 * PAD - 4, POOL_HEAD)


def _foot_of(outer: QRectF) -> QRectF:
    return QRectF(outer.left() + PAD, outer.bottom() - PAD + 1 - PARITY, outer.width() - 2 * PAD, PARITY)


def _worst_of(what: PoolBox | Frame | Tile) -> Finding | None:
    return gravest(f for f in what.findings if f.severity in _SHOWN_SEVERITIES)


def _is_crossed(tile: Tile, lost: frozenset[str]) -> bool:
    return tile.disk.key in lost and not tile.left_over


def _current_rect(placed: PictureLayout, editing: Editing) -> QRectF:
    current = editing.current
    if isinstance(current, VdevPlace):
        return placed.areas.get(current, QRectF())
    return placed.tiles.get(current, QRectF()) if current is not None else QRectF()


def with_border(rect: QRectF) -> QRect:
    """Return the pixels of a box with its edge."""
    return rect.adjusted(-_EDGE, -_EDGE, _EDGE, _EDGE).toAlignedRect()


# What a part of the picture looks like: where it is, whether it stays there while the pools scroll, and every value
# that is drawn of it.
Look = tuple[QRectF, bool, object]


def look_of_each(placed: PictureLayout, editing: Editing, blast: Blast | None) -> dict[object, Look]:
    """Return the look of every part of the picture; a part whose look has changed is drawn again."""
    states, lost = states_of(blast), blast.lost_keys if blast is not None else frozenset()
    content, found = editing.content, dict[object, Look]()
    for pool, rect in placed.pools:
        facts = pool.name, pool.ashift, pool.problem, pool.capacity, pool.findings, bool(pool.frames)
        found[pool.number] = rect, False, None
        found[pool.number, "head"] = _head_of_pool(rect), False, (facts, states.get((pool.number, None)))
    for area, rect in placed.areas.items():
        frame = editing.frames.get(area) if isinstance(area, VdevPlace) else None
        if frame is None:
            found[area] = rect, False, bool(content.pools)
            continue
        sizes = {tile.size_bytes for tile in frame.tiles}
        looks = frame.place in editing.marks, _worst_of(frame), len(sizes) > 1
        found[area] = rect, False, looks
        state = states.get((frame.place.pool, frame.place.vdev), State.ONLINE)
        shown = frame.name, frame.vdev, frame.usable_bytes, sizes, state
        found[area, "head"] = _head_of(rect), False, shown
        found[area, "foot"] = _foot_of(rect), False, frame.parity_share
    found["tray"] = placed.tray, True, len({tile.size_bytes for tile in content.tray}) > 1
    found["tray", "head"] = placed.tray_head, True, content.tray
    tiles = content.tiles()
    first_in_tray = len(tiles) - len(content.tray)
    for number, tile in enumerate(tiles):  # by number: to look a piece up takes longer than all else
        where = placed.tiles.get(tile.piece)
        if where is not None:
            drawn = tile, bool(editing.marks) and tile.piece in editing.marks, _is_crossed(tile, lost)
            found["tile", number] = where, number >= first_in_tray, drawn
    ring = _current_rect(placed, editing).adjusted(-_RING, -_RING, _RING, _RING)
    found["ring"] = ring, editing.current in placed.in_tray, editing.current
    return found


def paint_drop(painter: QPainter, rect: QRectF, *, possible: bool) -> None:
    tone = Tone.ACCENT if possible else Tone.BLOCK
    ground = theme().colour(tone)
    ground.setAlphaF(0.16)
    painter.setBrush(ground)
    painter.setPen(QPen(theme().colour(tone), 2.4, Qt.PenStyle.SolidLine if possible else Qt.PenStyle.DashLine))
    painter.drawRoundedRect(rect, 5, 5)


def paint_label(painter: QPainter, at: QPointF, effect: words.Effect, bounds: QRectF) -> None:
    """Draw what a drop would do beside the pointer, each figure on a line of its own."""
    font = text_font(SMALL_POINTS, semibold=True)
    metrics, flags = QFontMetricsF(font), Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignLeft
    room = QRectF(0, 0, min(bounds.width() - 16, 420.0) - 38, 400)
    lines = [metrics.boundingRect(room, flags, figure.text).size() for figure in effect.figures]
    wide, high = max(size.width() for size in lines), sum(size.height() for size in lines)
    left = min(max(bounds.left() + 4, at.x() + 14), bounds.right() - wide - 42)
    top = min(max(bounds.top() + 4, at.y() + 16), bounds.bottom() - high - 14)
    tone = Tone.BLOCK if not effect.possible else Tone.WARN if effect.fatal else Tone.ACCENT
    painter.setBrush(theme().colour("base"))
    painter.setPen(QPen(theme().colour(tone), 1.2))
    painter.drawRoundedRect(QRectF(left, top, wide + 38, high + 10), 4, 4)
    icon = QRectF(left + 7, top + 5, 16, 16).toRect()
    icons.icon({Tone.ACCENT: "ok", Tone.WARN: "warn"}.get(tone, "block"), tone).paint(painter, icon)
    painter.setFont(font)
    top += 5
    for figure, size in zip(effect.figures, lines, strict=True):
        painter.setPen(theme().colour(Tone.BLOCK if figure.worse else Tone.TEXT))
        painter.drawText(QRectF(left + 29, top, wide + 2, size.height()), flags, figure.text)
        top += size.height()


# The small marks on a tile: a stripe for the sectors, a corner for the media, a dot for the health; how texts fit.
#
# Each differs in shape as well as in colour: the stripe is in one piece (4Kn), two (512e), four (512n) or an outline
# (unknown); the corner is empty (hard disk), a triangle (SSD), with a line (NVMe) or an outline (unknown); the dot is a
# disc (good), a triangle (suspect), a square (failing) or a circle (unknown). Tiles of planned disks are dashed.
# What is reserved beside the data is a band at the upper edge, at its beginning or end. `words.key_text` tells it all.

_BAND, _LEAST_BAND = 3.0, 8.0
_STRIPES = {"4Kn": (Tone.ACCENT, 1), "512e": (Tone.NOTE, 2), "512n": (Tone.WARN, 4)}


# A font is built and a text measured once: hundreds of tiles are painted at each step of the pointer.


@lru_cache(maxsize=64)
def _font(points: float, bold: bool, _family: str) -> QFont:
    return text_font(points, semibold=bold)


@lru_cache(maxsize=4000)
def _fitting(text: str, points: float, room: float, bold: bool, family: str) -> tuple[str, float]:
    metrics = QFontMetricsF(_font(points, bold, family))
    shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room)
    return shown, metrics.horizontalAdvance(shown)


def font_of(points: float, *, bold: bool = False) -> QFont:
    return _font(points, bold, QGuiApplication.font().key())


def fitting(text: str, points: float, room: float, *, bold: bool = False) -> tuple[str, float]:
    """Return as much of a text as fits into ``room``, and how wide that is."""
    return _fitting(text, points, room, bold, QGuiApplication.font().key())


def paint_sectors(painter: QPainter, disk: Disk, rect: QRectF) -> None:
    stripe = QRectF(rect.left() + 1.5, rect.top() + 3, 3.5, rect.height() - 6)
    known = _STRIPES.get(sector_kind(disk))
    if known is None:
        painter.setPen(QPen(theme().colour(Tone.UNKNOWN), 0.8))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(stripe)
        return
    tone, pieces = known
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme().colour(tone))
    step = stripe.height() / pieces
    for number in range(pieces):
        gap = 0 if pieces == 1 else 1.6
        painter.drawRect(QRectF(stripe.left(), stripe.top() + number * step, stripe.width(), max(1.0, step - gap)))


def paint_media(painter: QPainter, disk: Disk, rect: QRectF) -> None:
    if disk.media is Media.HDD:
        return
    size = min(9.0, rect.height() / 2.4)
    right, top = rect.right() - 0.5, rect.top() + 0.5
    corner = QPolygonF([QPointF(right - size, top), QPointF(right, top), QPointF(right, top + size)])
    if disk.media is None:
        painter.setPen(QPen(theme().colour(Tone.UNKNOWN), 0.9))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPolygon(corner)
        return
    tone = Tone.ACCENT if disk.media is Media.SSD else Tone.NOTE
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme().colour(tone))
    painter.drawPolygon(corner)
    if disk.media is Media.NVME:
        painter.setPen(QPen(theme().colour(tone), 1.3))
        painter.drawLine(QPointF(right - size - 3.5, top), QPointF(right, top + size + 3.5))


def paint_beside(painter: QPainter, tile: Tile, rect: QRectF) -> None:
    """Draw bands at the upper edge for what is reserved in front of the data and behind it, wide enough to be seen."""
    left, right = rect.left() + 6, rect.right() - 10
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QBrush(theme().colour(Tone.WARN), Qt.BrushStyle.Dense3Pattern))
    for at_end in (False, True):
        size = sum(part.size_bytes for part in tile.partitions if part.at_end is at_end)
        if size:
            wide = max(_LEAST_BAND, (right - left) * min(1.0, size / (tile.disk.size_bytes or size)))
            painter.drawRect(QRectF(right - wide if at_end else left, rect.top() + 1, wide, _BAND))


def paint_health(painter: QPainter, health: Health | None, rect: QRectF) -> None:
    radius = 3.0 if rect.height() >= 26 else 2.3
    at = QPointF(rect.right() - radius - 2.5, rect.bottom() - radius - 2.5)
    painter.setPen(Qt.PenStyle.NoPen)
    if health is None:
        painter.setPen(QPen(theme().colour(Tone.UNKNOWN), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawEllipse(at, radius - 0.4, radius - 0.4)
    elif health is Health.GOOD:
        painter.setBrush(theme().colour(Tone.OK))
        painter.drawEllipse(at, radius, radius)
    elif health is Health.SUSPECT:
        painter.setBrush(theme().colour(Tone.WARN))
        wide = radius * 1.35
        painter.drawPolygon(
            QPolygonF([QPointF(at.x(), at.y() - wide), at + QPointF(wide, radius), at + QPointF(-wide, radius)])
        )
    else:
        painter.setBrush(theme().colour(Tone.BLOCK))
        painter.drawRect(QRectF(at.x() - radius, at.y() - radius, 2 * radius, 2 * radius))
