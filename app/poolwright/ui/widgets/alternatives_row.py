"""The named layouts side by side: a press selects one."""

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QSizePolicy, QWidget

from poolwright.advise.candidate import Candidate
from poolwright.domain.units import binary
from poolwright.ui.models.alternatives import Alternative, Named
from poolwright.ui.models.candidates import layout_text
from poolwright.ui.theme import GRID, SMALL_POINTS, Tone, text_font, theme
from poolwright.ui.widgets.card import draw_card


class AlternativesRow(QWidget):
    """Shows first choice, safest, largest, fastest, fewest and whole disks; ``picked`` sends a candidate."""

    picked = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Named layouts"))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(GRID)
        self._titles = {
            Alternative.FIRST: self.tr("First choice"),
            Alternative.SAFEST: self.tr("Safest"),
            Alternative.LARGEST: self.tr("Largest"),
            Alternative.FASTEST: self.tr("Fastest"),
            Alternative.FEWEST: self.tr("Fewest disks"),
            Alternative.CHEAPEST: self.tr("Cheapest"),
            Alternative.WHOLE: self.tr("Whole disks"),
        }
        self._buttons = {name: _NamedButton(title, self) for name, title in self._titles.items()}
        for button in self._buttons.values():
            button.clicked.connect(self._on_clicked)
            row.addWidget(button, 1)

    def show_alternatives(self, named: Sequence[Named]) -> None:
        """Replace the layouts."""
        for item in named:
            button = self._buttons[item.name]
            # Fewest disks make no sense without a least capacity, whole ones where all are whole: no button.
            button.setVisible(item.candidate is not None)
            if item.candidate is not None:
                button.show_candidate(item.candidate)

    def show_selected(self, candidate: Candidate) -> None:
        """Mark the buttons that stand for this layout."""
        for button in self._buttons.values():
            button.setChecked(button.candidate is candidate)

    def _on_clicked(self) -> None:
        button = self.sender()
        assert isinstance(button, _NamedButton)
        button.setChecked(True)
        if button.candidate is not None:
            self.picked.emit(button.candidate)


class _NamedButton(QAbstractButton):
    """Two lines: the name with the capacity, and what it survives, the layout as tooltip."""

    def __init__(self, title: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.candidate: Candidate | None = None
        self._numbers = ""
        self.setText(title)
        self.setCheckable(True)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme().changed.connect(self.update)

    def show_candidate(self, candidate: Candidate) -> None:
        self.candidate = candidate
        self._numbers = self.tr("{usable}, survives {count}").format(
            usable=binary(candidate.usable_bytes), count=candidate.failures_survived
        )
        words = layout_text(candidate)
        self.setToolTip(f"{words}\n{self._numbers}")
        self.setAccessibleName(f"{self.text()}: {words}")
        self.setAccessibleDescription(self._numbers)
        self.update()

    def sizeHint(self) -> QSize:
        metrics, small = QFontMetrics(text_font()), QFontMetrics(text_font(SMALL_POINTS))
        return QSize(12 * GRID, metrics.height() + 2 * small.height() + GRID)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        draw_card(painter, QRectF(self.rect()), chosen=self.isChecked(), marked=self.hasFocus() or self.underMouse())
        colours = theme()
        inner = self.rect().adjusted(GRID, GRID // 2, -GRID, -GRID // 2)
        lines = (
            (text_font(semibold=True), Tone.TEXT, self.text()),
            (text_font(SMALL_POINTS), Tone.TEXT, self._numbers),
            (text_font(SMALL_POINTS), Tone.MUTED, layout_text(self.candidate) if self.candidate else ""),
        )
        top = inner.top()
        for font, tone, text in lines:
            metrics = QFontMetrics(font)
            painter.setFont(font)
            painter.setPen(colours.colour(tone))
            shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, inner.width())
            painter.drawText(inner.left(), top + metrics.ascent(), shown)
            top += metrics.height()
