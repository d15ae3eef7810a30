"""Bars of how much the disks can hold for each number of failures to survive, with a mark at what is wanted."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QObject, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from poolwright.domain.reserve import ReservedPartition, parse_reserves
from poolwright.domain.units import binary
from poolwright.texts import listed, marked, tell
from poolwright.ui.parts.assumption_form import USUAL_RESERVES, usual_partitions
from poolwright.ui.parts.form import FactChoice, FactEntry, Form, Remark, Typed
from poolwright.ui.parts.theme import GRID, SMALL_POINTS, Tone, text_font, theme

_ROW = 3 * GRID + 4
_BAR = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class RoomBar:
    """One bar: its name and the bytes it stands for; ``chosen`` is the one that was asked for."""

    name: str
    size_bytes: int
    chosen: bool = False


class RoomBars(QWidget):
    """Draws bars from zero, the value at their right, and a dashed line where ``wanted_bytes`` is."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self._bars: tuple[RoomBar, ...] = ()
        self._wanted: int | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFont(text_font(SMALL_POINTS))
        theme().changed.connect(self.update)

    def show_bars(self, bars: Sequence[RoomBar], wanted_bytes: int | None) -> None:
        self._bars, self._wanted = tuple(bars), wanted_bytes
        lines = [f"{bar.name}: {binary(bar.size_bytes)}" for bar in self._bars]
        if wanted_bytes is not None:
            lines.append(tell("Wanted: {size}", size=binary(wanted_bytes)))
        self.setAccessibleDescription("\n".join(lines))
        self.setVisible(bool(bars))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """Return the height of all bars, and of the name of the mark below them."""
        return QSize(40 * GRID, len(self._bars) * _ROW + (_ROW if self._wanted is not None else 0))

    def minimumSizeHint(self) -> QSize:
        """Return the least size in which the bars can be compared."""
        return QSize(30 * GRID, self.sizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw bars, values and the mark."""
        if not self._bars:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        metrics = QFontMetrics(self.font())
        names = max(metrics.horizontalAdvance(bar.name) for bar in self._bars) + 2 * GRID
        values = max(metrics.horizontalAdvance(binary(bar.size_bytes)) for bar in self._bars) + 2 * GRID
        room = max(1, self.width() - names - values)
        most = max(1, self._wanted or 0, *(bar.size_bytes for bar in self._bars))
        for row, bar in enumerate(self._bars):
            self._draw_bar(painter, bar, row * _ROW, names, room * bar.size_bytes / most)
        if self._wanted is not None:
            self._draw_mark(painter, names + room * self._wanted / most, metrics)

    def _draw_bar(self, painter: QPainter, bar: RoomBar, top: int, left: int, length: float) -> None:
        colours = theme()
        middle = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.setFont(text_font(SMALL_POINTS, semibold=bar.chosen))
        painter.setPen(colours.colour(Tone.TEXT if bar.chosen else Tone.MUTED))
        painter.drawText(QRectF(0, top, left, _ROW), middle, bar.name)
        painter.drawText(QRectF(left + length + GRID, top, self.width(), _ROW), middle, binary(bar.size_bytes))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colours.colour(Tone.ACCENT if bar.chosen else "line"))
        painter.drawRoundedRect(QRectF(left, top + (_ROW - _BAR) / 2, max(2.0, length), _BAR), 2, 2)

    def _draw_mark(self, painter: QPainter, at: float, metrics: QFontMetrics) -> None:
        painter.setFont(self.font())
        bottom = len(self._bars) * _ROW
        painter.setPen(QPen(theme().colour(Tone.TEXT), 1.2, Qt.PenStyle.DashLine))
        painter.drawLine(round(at), 0, round(at), bottom)
        text = tell("wanted: {size}", size=binary(self._wanted))
        width = metrics.horizontalAdvance(text) + 2
        left = min(max(0.0, at - width / 2), self.width() - width)
        painter.drawText(QRectF(left, bottom, width, _ROW), Qt.AlignmentFlag.AlignCenter, text)


# The fields for room beside the data: as a maker of systems divides disks, or in sizes of one's own.

Reserve = tuple[ReservedPartition, ...]
_OWN = "own"
_LONGEST = 200
_HELP = marked(
    "Such as esp=1GiB swap=8GiB:last; also bios, boot, raid, truenas, and bare for room without a partition."
)


class RoomBeside(QObject):
    """Two rows of a form. ``changed`` carries what is reserved on each data disk."""

    changed = Signal(object)

    def __init__(self, form: Form) -> None:
        super().__init__(form)
        usual = tuple((usual_partitions(texts), tell(title)) for _, title, texts in USUAL_RESERVES)
        self._usual = {value for value, _ in usual}
        self.choice = FactChoice(
            tell("Room beside the data"), (((), tell("none")), *usual, (_OWN, tell("as typed below"))), form
        )
        self.sizes = FactEntry(tell("Reserved on each disk"), Typed(parse_reserves, reserve_shown), form)
        self.sizes.setMaxLength(_LONGEST)
        form.add_row(tell("Room beside the data"), self.choice)
        form.add_row(tell("Reserved on each disk"), self.sizes)
        self.choice.value_changed.connect(self._on_chosen)
        self.sizes.value_changed.connect(self._on_typed)
        self.sizes.editingFinished.connect(self._show_beginning)

    def show_reserve(self, reserve: Reserve) -> None:
        chosen: object = reserve if not reserve or reserve in self._usual else _OWN
        about = tell("Partitions of other systems on the data disks. The ranking counts without them.")
        self.choice.show_value(chosen, Remark(text=about))
        self.sizes.show_value(reserve or None, Remark(text=_told(reserve) if reserve else tell(_HELP)), tell("nothing"))

    def _on_chosen(self, value: object) -> None:
        if value == _OWN:
            self.sizes.setFocus()
        else:
            self.changed.emit(value)
            self._show_beginning()

    def _show_beginning(self) -> None:
        """Show the text as one reads it: it is longer than its field."""
        self.sizes.setCursorPosition(0)

    def _on_typed(self, value: object) -> None:
        self.changed.emit(value if isinstance(value, tuple) else ())


def reserve_shown(reserve: Reserve) -> str:
    return " ".join(str(partition) for partition in reserve)


def _told(reserve: Reserve) -> str:
    parts = [tell("{what} {size}", what=one.words, size=binary(one.size_bytes)) for one in reserve]
    size = binary(sum(partition.size_bytes for partition in reserve))
    return tell("{size} of each data disk: {parts}.", parts=listed(parts), size=size)
