"""The series of a chart by colour and marker; each is switched off and on by a click or a key."""

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QIcon, QPainter, QPixmap, QPolygonF
from PySide6.QtWidgets import QButtonGroup, QToolButton, QWidget

from poolwright.emit.chart import Chart, ChartSeries, SeriesKind
from poolwright.emit.drawing import Marker
from poolwright.emit.drawing_svg import marker_corners
from poolwright.texts import tell
from poolwright.ui.parts.flow import Flow
from poolwright.ui.parts.recoloured import Recoloured
from poolwright.ui.parts.theme import GRID, SMALL_POINTS, text_font, theme

_SIZE = 12


class Legend(QWidget):
    """Hidden where there is but one series. ``switched`` is sent when ``off``, the names switched off, changed."""

    switched = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.off: frozenset[str] = frozenset()
        self._flow = Flow(self, gap=GRID // 2)
        self._group = QButtonGroup(self)
        self._group.setExclusive(False)
        self._group.buttonToggled.connect(self._on_toggled)
        self._series: tuple[ChartSeries, ...] = ()
        Recoloured(self, self._paint_icons)
        self.hide()

    def show_chart(self, chart: Chart | None) -> None:
        """Show the series of this chart; those switched off before stay so where they are still there."""
        names = chart.legend if chart is not None else ()
        series = chart.series if chart is not None else ()
        before = [button.text() for button in self.buttons()]
        self._series = tuple(next(one for one in series if one.name == name) for name in names)
        if list(names) != before:
            self.off &= frozenset(names)
            self._make()
        self._paint_icons()
        self.setVisible(bool(names))

    def buttons(self) -> list[QToolButton]:
        return [button for button in self._group.buttons() if isinstance(button, QToolButton)]

    def _make(self) -> None:
        for old in self.buttons():
            self._group.removeButton(old)
            self._flow.removeWidget(old)
            old.deleteLater()
        for series in self._series:
            button = QToolButton(self)
            button.setText(series.name)
            button.setFont(text_font(SMALL_POINTS))
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
            button.setIconSize(QSize(_SIZE, _SIZE))
            button.setAutoRaise(True)
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            button.setCheckable(True)
            button.setChecked(series.name not in self.off)
            button.setToolTip(tell("Switch {name} off or on", name=series.name))
            self._group.addButton(button)
            self._flow.addWidget(button)
            button.show()

    def _on_toggled(self) -> None:
        self.off = frozenset(button.text() for button in self.buttons() if not button.isChecked())
        self._paint_icons()
        self.switched.emit()

    def _paint_icons(self) -> None:
        for button, series in zip(self.buttons(), self._series, strict=True):
            button.setIcon(_icon(series, on=button.isChecked()))


def _icon(series: ChartSeries, *, on: bool) -> QIcon:
    """Return the marker of a series in its colour, only its outline where it is switched off."""
    ratio = 2
    picture = QPixmap(_SIZE * ratio, _SIZE * ratio)
    picture.setDevicePixelRatio(ratio)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    colour = theme().colour(series.role)
    painter.setPen(colour)
    if on and series.marker is not Marker.RING:
        painter.setBrush(colour)
    middle, radius = _SIZE / 2, _SIZE / 2 - 2
    corners = marker_corners(series.marker, middle, middle, radius)
    if series.kind not in (SeriesKind.LINE, SeriesKind.DOTS):
        painter.drawRect(QRectF(1, middle - 2, _SIZE - 2, 4))
    elif corners:
        painter.drawPolygon(QPolygonF([QPointF(x, y) for x, y in corners]))
    else:
        painter.drawEllipse(QPointF(middle, middle), radius, radius)
    painter.end()
    return QIcon(picture)
