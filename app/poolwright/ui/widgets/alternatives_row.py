"""The named layouts side by side: a press selects one."""

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QSizePolicy, QWidget

from poolwright.advise.candidate import AnswerName, Candidate, NamedAnswer
from poolwright.domain.units import binary
from poolwright.ui.models.alternatives import answer_title
from poolwright.ui.models.candidates import layout_text
from poolwright.ui.theme import GRID, SMALL_POINTS, Tone, text_font, theme
from poolwright.ui.widgets.card import draw_card


class AlternativesRow(QWidget):
    """Shows the first choice and the named layouts beside it, each with its price; ``picked`` sends a candidate."""

    picked = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Named layouts"))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(GRID)
        self._buttons = {name: _NamedButton(answer_title(name), self) for name in AnswerName}
        for button in self._buttons.values():
            button.clicked.connect(self._on_clicked)
            row.addWidget(button, 1)

    def show_answers(self, answers: Sequence[NamedAnswer]) -> None:
        """Replace the layouts; a name without one has no button."""
        found = {answer.name: answer for answer in answers}
        for name, button in self._buttons.items():
            button.setVisible(name in found)
            if name in found:
                button.show_answer(found[name])

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
    """Three lines: the name, what it has more or less than the first choice, the layout; all of it as tooltip."""

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

    def show_answer(self, answer: NamedAnswer) -> None:
        candidate = self.candidate = answer.candidate
        self._numbers = self.tr("{usable}, survives {count}").format(
            usable=binary(candidate.usable_bytes), count=candidate.failures_survived
        )
        words = layout_text(candidate)
        told = f"{self._numbers}: {answer.price}" if answer.price else self._numbers
        self.setToolTip(f"{words}\n{told}")
        self.setAccessibleName(f"{self.text()}: {words}")
        self.setAccessibleDescription(told)
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
