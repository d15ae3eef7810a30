"""A predicted value on a line: name, value, bar with its band; a press tells where it comes from."""

from collections.abc import Callable
from math import log10

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QBoxLayout, QLabel, QSizePolicy, QWidget

from poolwright.domain.estimate import Estimate
from poolwright.predict.number_words import band_text, between_text, operations_text, untold_text
from poolwright.texts import _, capital, marked, numeral
from poolwright.texts import sentence as ended
from poolwright.ui.parts import widgets
from poolwright.ui.parts.card import inert
from poolwright.ui.parts.theme import GRID, SMALL_POINTS, TEXT_POINTS, Tone, text_font, theme
from poolwright.ui.parts.widgets import ElidedLabel, ToneLabel

# A line of the summary: a name, a value, and on a press where the value comes from.


class _LineButton(QAbstractButton):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def paintEvent(self, _event: QPaintEvent) -> None:
        if not (self.underMouse() or self.hasFocus()):
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(theme().colour(Tone.ACCENT), 2.0) if self.hasFocus() else Qt.PenStyle.NoPen)
        painter.setBrush(theme().colour("button"))
        painter.drawRoundedRect(self.rect().adjusted(1, 1, -1, -1), 4, 4)


class OriginLine(QWidget):
    """Shows ``label`` and a value side by side; a press unfolds the origin below."""

    def __init__(self, label: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.button = _LineButton(self)
        self._label = inert(ElidedLabel(Tone.MUTED, self.button))
        self._name = label
        self._label.show_text(label)
        self._label.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        self._value = inert(QLabel(self.button))
        self._value.setFont(text_font(semibold=True))
        self._value.setMinimumWidth(1)  # else a long value would keep the line as wide as both together
        self._value.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.row = widgets.row(self._label, (self._value, 1), of=self.button, around=(GRID, 2, GRID, 2))
        self.origin = ToneLabel("", Tone.TEXT, self, small=True)
        widgets.room(self.origin, around=(GRID, GRID // 2, GRID, GRID))
        self.origin.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.origin.hide()
        self._opened: QWidget = self.origin
        self.column = widgets.column(self.button, self.origin, of=self, gap=0)
        self.button.setMinimumHeight(3 * GRID)
        self.button.clicked.connect(self._on_pressed)

    @property
    def value(self) -> str:
        return self._value.text()

    def _on_pressed(self) -> None:
        self._opened.setVisible(self._opened.isHidden())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        """Put the value below its name where beside each other one of them would be cut."""
        wide = self._label.fontMetrics().horizontalAdvance(self._name) + 4 * GRID
        wide += self._value.fontMetrics().horizontalAdvance(self._value.text())
        long = wide > self.width()
        self.row.setDirection(QBoxLayout.Direction.TopToBottom if long else QBoxLayout.Direction.LeftToRight)

    def show_value(self, value: str, origin: str) -> None:
        self._value.setText(value)
        self._arrange()
        self.origin.setText(origin)
        self.button.setAccessibleName(f"{self._name}: {value}")
        self.button.setAccessibleDescription(origin)
        self.button.setToolTip(_("Show where this comes from"))


class EstimateLine(OriginLine):
    """``text`` writes a value with its unit; a band of a factor of ten or more stands in the place of one.
    What the ``label`` says is left out. ``ends`` are those of the scale, on which each factor of ten is as long.
    """

    def __init__(
        self, label: str, text: Callable[[float], str], ends: tuple[float, float], parent: QWidget | None = None
    ) -> None:
        super().__init__(label, parent)
        self._text = text
        self.bar = EstimateBar(*ends, self)
        self.column.insertLayout(1, widgets.row(self.bar, around=(GRID, 0, GRID, 0)))

    def show_estimate(self, estimate: Estimate, *more: str, before: Estimate | None = None) -> None:
        """Show ``estimate``; ``more`` are further sentences on where it comes from.

        ``before`` is what it was without what is known now.
        """
        if estimate.cannot_tell:
            too_wide = _("too wide a band for a value: run the benchmark on this host")
            more = (untold_text(estimate, self._text, ""), too_wide, *more)
        self._value.setFont(text_font(SMALL_POINTS if estimate.told_as_band else TEXT_POINTS, semibold=True))
        self.show_value(self._value_text(estimate), origin_text(estimate, self._text, *more))
        self.bar.show_estimate(estimate, before)
        self.bar.setToolTip(band_text(estimate, self._text))

    def _value_text(self, estimate: Estimate) -> str:
        said = " IOPS" if self._name.endswith("IOPS") else "\n"
        return short_text(estimate, self._text).removesuffix(said)


def short_text(estimate: Estimate, text: Callable[[float], str]) -> str:
    """Return a speed as `speed_text` does, with the unit of a band once: 0.91–11 GB/s."""
    if not (estimate.told_as_band and estimate.high):
        return text(estimate.typical)
    likely = [case.value for case in estimate.cases] or [estimate.low, estimate.high]
    number, __, unit = text(max(likely)).partition(" ")
    size = 10 ** round(log10(max(likely) / float(marked(number).replace(",", ""))))  # of the unit
    ends = (min(likely) / size, max(likely) / size)
    low, high = (numeral(end, "#.2g") if end < 10 else operations_text(end) for end in ends)
    return f"{low}–{high} {unit}".rstrip()


# A predicted value as a tick on its band, and dotted what that was before.

_BAR_HEIGHT, _BAR = 13, 6


class EstimateBar(QWidget):
    """Draws the band of an estimate on a logarithmic axis, hatched where it tells no value."""

    def __init__(self, least: float, most: float, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._least, self._decades = least, log10(most / least)
        self._shown: tuple[Estimate, Estimate | None] | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(8 * GRID)

    def show_estimate(self, estimate: Estimate, before: Estimate | None = None) -> None:
        shown = (estimate, before)
        if shown != self._shown:
            self._shown = shown
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(20 * GRID, _BAR_HEIGHT)

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self._shown is None:
            return
        estimate, before = self._shown
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colours, middle = theme(), self.height() / 2

        def place(value: float) -> float:
            return min(1.0, log10(max(value, self._least) / self._least) / self._decades) * self.width()

        def band(of: Estimate, height: int) -> QRectF:
            left, right = place(of.low), place(of.high)
            return QRectF(left, middle - height / 2, max(1.0, right - left), height)

        painter.fillRect(QRectF(0, middle - _BAR / 2, self.width(), _BAR), colours.colour("line"))
        for decade in range(1, round(self._decades)):
            at = decade / self._decades * self.width()
            painter.fillRect(QRectF(at, middle - _BAR / 2, 1, _BAR), colours.colour("base"))
        painter.fillRect(band(estimate, _BAR), colours.colour("tint"))
        if before is not None:
            painter.setPen(QPen(colours.colour(Tone.MUTED), 1.0, Qt.PenStyle.DotLine))
            painter.drawRect(band(before, 2 * _BAR))
        if estimate.told_as_band:
            painter.fillRect(band(estimate, _BAR), QBrush(colours.colour(Tone.ACCENT), Qt.BrushStyle.BDiagPattern))
        else:
            at = min(place(estimate.typical), self.width() - 3)
            painter.fillRect(QRectF(at, middle - _BAR, 3, 2 * _BAR), colours.colour(Tone.ACCENT))


# The words behind a predicted number; see `predict.number_words` for the number itself.


def sentence(text: str) -> str:
    return capital(ended(text.strip()))


def origin_text(estimate: Estimate, text: Callable[[float], str], *more: str) -> str:
    """Return what stands behind an estimate, a line each: its band, what limits it, the model with its error."""
    lines = [
        between_text(estimate, text),
        _("Limited by: {limit}.", limit=estimate.limit),
        *(sentence(part) for part in str(estimate.origin).split("; ")),
        *(sentence(part) for part in more if part),
    ]
    return "\n".join(lines)
