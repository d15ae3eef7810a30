"""The named layouts one below the other, each with what it costs beside the first choice: a press selects one."""

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Signal
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QBoxLayout, QSizePolicy, QWidget

from poolwright.design.candidate import AnswerName, Candidate, NamedAnswer
from poolwright.domain.units import binary
from poolwright.texts import tell
from poolwright.ui.parts import lay
from poolwright.ui.parts.card import ChoiceCard, draw_card, inert
from poolwright.ui.parts.lay import ElidedLabel, ToneLabel
from poolwright.ui.parts.panes import Flow
from poolwright.ui.parts.theme import GRID, SMALL_POINTS, Tone, text_font

_ROW_WIDTH, _LOW_WIDTH = 50 * GRID, 19 * GRID


class AlternativesRow(QWidget):
    """Shows the first choice and the named layouts beside it, each with its price; ``picked`` sends a candidate."""

    picked = Signal(object)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName(tell("Named layouts"))
        self._flow = Flow(gap=0, column=_ROW_WIDTH)
        self._buttons = {name: _NamedButton(answer_title(name), self) for name in AnswerName}
        for button in self._buttons.values():
            button.clicked.connect(self._on_clicked)
            self._flow.addWidget(button)
        self._price = ElidedLabel(Tone.MUTED, self)
        self._price.setFont(text_font(SMALL_POINTS))
        self._price.setAccessibleName(tell("What the chosen one has more, and what that costs"))
        self._price.hide()
        lay.column(self._flow, self._price, of=self, gap=GRID // 2)

    def be_low(self, *, low: bool) -> None:
        """Stand side by side with the price of the selected one below, or one below the other with all prices."""
        for button in self._buttons.values():
            button.be_low(low=low)
        self._flow.set_columns(_LOW_WIDTH if low else _ROW_WIDTH, len(self._buttons) if low else 1)
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
        for button in self._buttons.values():
            button.setChecked(button.candidate is candidate)
        prices = [b.sentence.text() for b in self._buttons.values() if b.candidate is candidate]
        self._price.show_text(" ".join(dict.fromkeys(prices)))

    def _on_clicked(self) -> None:
        button = self.sender()
        assert isinstance(button, _NamedButton)
        button.setChecked(True)
        if button.candidate is not None:
            self.picked.emit(button.candidate)


class _NamedButton(ChoiceCard):
    """The name, space and failures survived, and unless it is low in a ``sentence`` what it has more for what."""

    def __init__(self, title: str, parent: QWidget) -> None:
        super().__init__(title, parent)
        self.candidate: Candidate | None = None
        self.setText(title)
        self.setCheckable(True)
        self._numbers = self._label(Tone.TEXT)
        self.sentence = self._label(Tone.MUTED)
        self._name = self._label(Tone.TEXT)
        self._name.setText(title)
        self._name.setFont(text_font(semibold=True))
        metrics, small = QFontMetrics(self._name.font()), QFontMetrics(self._numbers.font())
        self._wide = (
            max(metrics.horizontalAdvance(answer_title(name)) for name in AnswerName) + GRID,
            small.horizontalAdvance(_numbers_text("999.9 TiB", 3)) + GRID,
        )
        self._row = lay.row(self._name, self._numbers, (self.sentence, 1), gap=GRID)
        lay.room(self.body, around=(GRID, 2, GRID, 2))
        self.body.addLayout(self._row)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.be_low(low=False)

    def _label(self, tone: Tone) -> ToneLabel:
        return inert(ToneLabel("", tone, self, small=True))

    def be_low(self, *, low: bool) -> None:
        self._row.setDirection(QBoxLayout.Direction.TopToBottom if low else QBoxLayout.Direction.LeftToRight)
        lay.room(self._row, gap=0 if low else GRID)
        for label, wide in zip((self._name, self._numbers), self._wide, strict=True):
            label.setWordWrap(False)
            label.setMinimumWidth(0 if low else wide)
        self.sentence.setVisible(not low)

    def show_answer(self, answer: NamedAnswer) -> None:
        candidate = self.candidate = answer.candidate
        numbers = _numbers_text(binary(candidate.usable_bytes), candidate.survives_counts)
        price = answer.price[:1].upper() + answer.price[1:]
        self._numbers.setText(numbers)
        self.sentence.setText(f"{price}." if price else tell("The first choice."))
        self.setToolTip(candidate.words)
        self.setAccessibleName(f"{self.text()}: {candidate.words}")
        self.setAccessibleDescription(f"{numbers}: {answer.price}" if price else numbers)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw a frame only around what is chosen or pointed at: there may be eight."""
        if self.isChecked() or self.hasFocus() or self.underMouse():
            draw_card(QPainter(self), QRectF(self.rect()), chosen=self.isChecked(), marked=self.hasFocus())


def _numbers_text(usable: str, survives: object) -> str:
    return tell("{usable}, survives {count}", usable=usable, count=survives)


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
