"""The chain from the disks to the network: each link as wide as the rate it passes, the narrowest marked.

Read flows above, write below. A link nobody knows the rate of is a dashed outline of full width.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QHelpEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from poolwright.domain.rates import rate_text
from poolwright.predict.chain import ChainLink
from poolwright.texts import tell
from poolwright.ui.parts import icons
from poolwright.ui.parts.theme import GRID, SMALL_POINTS, Tone, text_font, theme

_LANE = 5 * GRID  # the widest a link gets
_LEAST = 3.0
_HEAD = 3 * GRID  # the names of the links
_NAMES = 6 * GRID  # of the directions, at the left
_FULL = 0.62  # of a column is the link itself, the rest leads to the next


@dataclass(frozen=True, slots=True)
class _Lane:
    """One direction: rates of the links (None: not known) and which is the narrowest."""

    name: str
    rates: tuple[float | None, ...]
    narrowest: int | None


class ChainPicture(QWidget):
    """Draws the links of a prediction."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._links: tuple[ChainLink, ...] = ()
        self.setAccessibleName(tell("Chain of limits"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme().changed.connect(self.update)

    def show_chain(self, links: Sequence[ChainLink]) -> None:
        """Show these links, from the disks to the network."""
        if tuple(links) == self._links:
            return
        self._links = tuple(links)
        self.setAccessibleDescription(". ".join(self.told(number) for number in range(len(self._links))))
        self.update()

    def told(self, number: int) -> str:
        link = self._links[number]
        words = [self._told_rate(tell("read"), link.read_bytes_per_second, narrowest=link.narrowest_read)]
        words.append(self._told_rate(tell("write"), link.write_bytes_per_second, narrowest=link.narrowest_write))
        told = f"{link.limit[:1].upper()}{link.limit[1:]}: {', '.join(words)}"
        return tell("{told}; assumed, no run on this host is known", told=told) if link.assumed else told

    def sizeHint(self) -> QSize:
        """Return the height of two lanes with their texts."""
        return QSize(60 * GRID, int(_HEAD + 2 * self._lane_height()))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw names, lanes and rates."""
        if not self._links:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(text_font(SMALL_POINTS))
        for number, link in enumerate(self._links):
            column = self._column(number)
            name = tell("{name} (assumed)", name=tell(link.name)) if link.assumed else tell(link.name)
            painter.setPen(theme().colour(Tone.TEXT))
            room = column.adjusted(-GRID, 0, GRID, 0)  # a long name may reach into the gap beside short ones
            painter.drawText(QRectF(room.left(), 0, room.width(), _HEAD), _CENTRE, _elided(painter, name, room))
        top = float(_HEAD)
        for lane in self._lanes():
            self._paint_lane(painter, lane, top)
            top += self._lane_height()

    def event(self, event: object) -> bool:
        """Tell about the link under the pointer."""
        if isinstance(event, QHelpEvent) and event.type() == QHelpEvent.Type.ToolTip:
            number = next(
                (n for n in range(len(self._links)) if self._column(n).contains(event.pos().toPointF())), None
            )
            QToolTip.showText(event.globalPos(), "" if number is None else self.told(number), self)
            return True
        return super().event(event)  # type: ignore[arg-type]

    def _told_rate(self, direction: str, rate: float | None, *, narrowest: bool) -> str:
        value = tell("not known") if rate is None else rate_text(rate)
        told = f"{direction} {value}"
        return tell("{told} (the narrowest)", told=told) if narrowest else told

    def _lanes(self) -> tuple[_Lane, _Lane]:
        links = self._links
        reads, writes = (link.narrowest_read for link in links), (link.narrowest_write for link in links)
        return (
            _Lane(tell("Read"), tuple(link.read_bytes_per_second for link in links), _first(tuple(reads))),
            _Lane(tell("Write"), tuple(link.write_bytes_per_second for link in links), _first(tuple(writes))),
        )

    def _paint_lane(self, painter: QPainter, lane: _Lane, top: float) -> None:
        colours, metrics = theme(), QFontMetrics(text_font(SMALL_POINTS))
        middle = top + _LANE / 2
        painter.setPen(colours.colour(Tone.MUTED))
        painter.drawText(QRectF(0, top, _NAMES, _LANE), _LEFT, lane.name)
        known = [rate for rate in lane.rates if rate is not None]
        most = max((rate for link in self._lanes() for rate in link.rates if rate is not None), default=1.0)
        if not known:
            return
        tall = [_LANE if rate is None else max(_LEAST, _LANE * rate / most) for rate in lane.rates]
        for number in range(len(lane.rates) - 1):
            self._paint_passage(painter, number, middle, tall)
        for number, rate in enumerate(lane.rates):
            where = self._body(number)
            box = QRectF(where.left(), middle - tall[number] / 2, where.width(), tall[number])
            narrowest = number == lane.narrowest
            if rate is None:
                painter.setPen(QPen(colours.colour(Tone.UNKNOWN), 1.0, Qt.PenStyle.DashLine))
                painter.setBrush(Qt.BrushStyle.NoBrush)
            else:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(colours.colour(Tone.WARN if narrowest else Tone.ACCENT))
            painter.drawRect(box)
            self._paint_rate(painter, number, rate, top + _LANE, metrics.lineSpacing(), narrowest=narrowest)

    def _paint_passage(self, painter: QPainter, number: int, middle: float, tall: Sequence[float]) -> None:
        """Draw what leads from one link to the next: no wider than the narrower of both at its end."""
        left, right = self._body(number), self._body(number + 1)
        colour = QColor(theme().colour(Tone.ACCENT))
        colour.setAlpha(45)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        here, there = tall[number] / 2, tall[number + 1] / 2
        painter.drawPolygon(
            QPolygonF(
                [
                    QPointF(left.right(), middle - here),
                    QPointF(right.left(), middle - there),
                    QPointF(right.left(), middle + there),
                    QPointF(left.right(), middle + here),
                ]
            )
        )

    def _paint_rate(
        self, painter: QPainter, number: int, rate: float | None, top: float, line: int, *, narrowest: bool
    ) -> None:
        column = self._column(number)
        painter.setPen(theme().colour(Tone.MUTED if rate is None else Tone.TEXT))
        text = tell("not known") if rate is None else rate_text(rate)
        where = QRectF(column.left(), top, column.width(), line)
        painter.drawText(where, _CENTRE, _elided(painter, text, column))
        if narrowest:
            painter.setPen(theme().colour(Tone.WARN))
            word = tell("narrowest")
            where.translate(0, line)
            width = painter.fontMetrics().horizontalAdvance(word) + icons.SMALL
            icon = QRectF(where.center().x() - width / 2, where.top() + (line - 12) / 2, 12, 12)
            icons.paint(painter, "warn", icon, Tone.WARN)
            painter.drawText(QRectF(icon.left() + icons.SMALL, where.top(), width, line), _LEFT, word)

    def _lane_height(self) -> float:
        return _LANE + 2 * QFontMetrics(text_font(SMALL_POINTS)).lineSpacing() + 1.5 * GRID

    def _column(self, number: int) -> QRectF:
        width = (self.width() - _NAMES) / max(1, len(self._links))
        return QRectF(_NAMES + number * width, 0, width, self.height())

    def _body(self, number: int) -> QRectF:
        column = self._column(number)
        inset = column.width() * (1 - _FULL) / 2
        return column.adjusted(inset, 0, -inset, 0)


_CENTRE = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


def _first(marks: Sequence[bool]) -> int | None:
    return next((number for number, marked in enumerate(marks) if marked), None)


def _elided(painter: QPainter, text: str, column: QRectF) -> str:
    return painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, int(column.width()) - 2)
