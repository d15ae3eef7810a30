"""The named layouts one below the other, each with what it costs beside the first choice: a press selects one."""

from collections.abc import Sequence

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from poolwright.design.candidate import AnswerName, Candidate, NamedAnswer
from poolwright.domain.units import binary
from poolwright.texts import tell
from poolwright.ui.parts import lay
from poolwright.ui.parts.card import draw_card
from poolwright.ui.parts.lay import ElidedLabel
from poolwright.ui.parts.panes import Flow
from poolwright.ui.parts.theme import GRID, SMALL_POINTS, Tone, text_font, theme

_PADDING = GRID // 2
_ROW_WIDTH, _LOW_WIDTH = 50 * GRID, 19 * GRID
_MOST_LINES = 3  # of the sentence; the tooltip has all of it


class AlternativesRow(QWidget):
    """Shows the first choice and the named layouts beside it, each with its price; ``picked`` sends a candidate."""

    picked = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tell("Named layouts"))
        self._buttons_flow = Flow(gap=0, column=_ROW_WIDTH)
        column = lay.column(self._buttons_flow, of=self, gap=GRID // 2)
        self._buttons = {name: _NamedButton(answer_title(name), self) for name in AnswerName}
        for button in self._buttons.values():
            button.clicked.connect(self._on_clicked)
            self._buttons_flow.addWidget(button)
        self._price = ElidedLabel(Tone.MUTED, self)
        self._price.setFont(text_font(SMALL_POINTS))
        self._price.setAccessibleName(tell("What the chosen one has more, and what that costs"))
        self._price.hide()
        column.addWidget(self._price)

    def be_low(self, *, low: bool) -> None:
        """Stand side by side with the price of the selected one below, or one below the other with all prices."""
        for button in self._buttons.values():
            button.low = low
            button.updateGeometry()
        self._buttons_flow.set_columns(_LOW_WIDTH if low else _ROW_WIDTH, len(self._buttons) if low else 1)
        self._price.setVisible(low)

    def show_answers(self, answers: Sequence[NamedAnswer]) -> None:
        """Replace the layouts; a name without one has no button, and one alone says nothing that the card does not."""
        found = {answer.name: answer for answer in answers}
        for name, button in self._buttons.items():
            button.setVisible(name in found)
            if name in found:
                button.show_answer(found[name])
        self.setVisible(len(found) > 1)

    def show_selected(self, candidate: Candidate) -> None:
        """Mark the buttons that stand for this layout."""
        for button in self._buttons.values():
            button.setChecked(button.candidate is candidate)
        prices = [b.sentence for b in self._buttons.values() if b.candidate is candidate]
        self._price.show_text(" ".join(dict.fromkeys(prices)))

    def _on_clicked(self) -> None:
        button = self.sender()
        assert isinstance(button, _NamedButton)
        button.setChecked(True)
        if button.candidate is not None:
            self.picked.emit(button.candidate)


class _NamedButton(QAbstractButton):
    """The name, space and failures survived, and in a ``sentence``, unless it is ``low``, what it has more and what
    that costs.
    """

    def __init__(self, title: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.candidate: Candidate | None = None
        self._numbers = ""
        self.sentence = ""
        self.low = False
        self.setText(title)
        self.setCheckable(True)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        theme().changed.connect(self.update)

    def show_answer(self, answer: NamedAnswer) -> None:
        candidate = self.candidate = answer.candidate
        self._numbers = tell(
            "{usable}, survives {count}", usable=binary(candidate.usable_bytes), count=candidate.survives_counts
        )
        words = candidate.words
        price = answer.price[:1].upper() + answer.price[1:]
        self.sentence = tell("{price}.", price=price) if price else tell("The first choice.")
        self.setToolTip(f"{words}\n{self._numbers}" + (f"\n{self.sentence}" if price else ""))
        self.setAccessibleName(f"{self.text()}: {words}")
        self.setAccessibleDescription(f"{self._numbers}: {answer.price}" if price else self._numbers)
        self.updateGeometry()
        self.update()

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        metrics = QFontMetrics(text_font(SMALL_POINTS))
        if self.low:
            return QFontMetrics(text_font()).height() + metrics.height() + _PADDING
        room = QRect(0, 0, max(GRID, width - self._sentence_left() - GRID), _MOST_LINES * metrics.lineSpacing())
        wanted = metrics.boundingRect(room, Qt.TextFlag.TextWordWrap, self.sentence).height()
        return max(QFontMetrics(text_font()).height(), min(wanted, room.height())) + _PADDING

    def sizeHint(self) -> QSize:
        return QSize(80 * GRID, self.heightForWidth(max(self.width(), 80 * GRID)))

    def minimumSizeHint(self) -> QSize:
        return QSize(_LOW_WIDTH if self.low else self._sentence_left() + 16 * GRID, self.heightForWidth(self.width()))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        if self.isChecked() or self.hasFocus() or self.underMouse():
            draw_card(painter, QRectF(self.rect()), chosen=self.isChecked(), marked=self.hasFocus())
        inner = self.rect().adjusted(GRID, _PADDING // 2, -GRID, -_PADDING // 2)
        painter.setFont(text_font(semibold=True))
        painter.setPen(theme().colour(Tone.TEXT))
        if self.low:
            painter.drawText(inner, Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft, self.text())
            painter.setFont(text_font(SMALL_POINTS))
            painter.drawText(inner, Qt.AlignmentFlag.AlignBottom | Qt.AlignmentFlag.AlignLeft, self._numbers)
            return
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.drawText(inner, flags, self.text())
        painter.setFont(text_font(SMALL_POINTS))
        painter.drawText(inner.adjusted(_names_width(), 0, 0, 0), flags, self._numbers)
        painter.setPen(theme().colour(Tone.MUTED))
        rest = inner.adjusted(self._sentence_left() - GRID, 0, 0, 0)
        painter.drawText(rest, flags | Qt.TextFlag.TextWordWrap, self.sentence)

    def _sentence_left(self) -> int:
        """Return where the sentence begins: behind the longest name and the longest numbers."""
        return (
            GRID
            + _names_width()
            + QFontMetrics(text_font(SMALL_POINTS)).horizontalAdvance(
                f"{tell('{usable}, survives {count}', usable='999.9 TiB', count=3)}  "
            )
        )


def _names_width() -> int:
    metrics = QFontMetrics(text_font(semibold=True))
    return max(metrics.horizontalAdvance(answer_title(name)) for name in AnswerName) + 2 * GRID


# The names of the answers side by side, as a person reads them.


def answer_title(name: AnswerName) -> str:
    return {
        AnswerName.BALANCED: tell("Balanced"),
        AnswerName.SPACE: tell("More space"),
        AnswerName.PROTECTION: tell("More protection"),
        AnswerName.FASTEST: tell("Fastest"),
        AnswerName.CHEAPEST: tell("Cheapest"),
        AnswerName.FEWEST: tell("Fewest disks"),
        AnswerName.WHOLE: tell("Whole disks"),
        AnswerName.ONE_POOL: tell("One pool"),
    }[name]
