"""What no number tells of the designs compared, and why a value is unknown; each with its source."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from poolwright.design.compare import Comparison
from poolwright.emit.compared_words import LETTERS
from poolwright.texts import tell
from poolwright.ui.parts import lay
from poolwright.ui.parts.labels import ToneLabel
from poolwright.ui.parts.theme import GRID, Tone, text_font

_WIDEST = 100 * GRID


class RemarksPane(QScrollArea):
    """Shows the remarks of every column below its name."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName(tell("What no number tells"))
        self.viewport().setAutoFillBackground(False)
        self.show_comparison(None)

    def show_comparison(self, comparison: Comparison | None) -> None:
        holder = QWidget(self)
        holder.setAutoFillBackground(False)
        holder.setMaximumWidth(_WIDEST)
        column = lay.column(of=holder, gap=GRID // 2, around=(0, 0, GRID, 0))
        found = 0
        for letter, part in zip(LETTERS, comparison.columns if comparison else (), strict=False):
            if not part.remarks:
                continue
            found += 1
            heading = _label(f"{letter}  {part.title}", Tone.TEXT, holder)
            heading.setFont(text_font(semibold=True))
            column.addWidget(heading)
            for remark in part.remarks:
                column.addWidget(_label(remark.text, Tone.TEXT, holder))
                column.addWidget(_label(tell("From: {source}.", source=remark.source), Tone.MUTED, holder))
                column.addSpacing(GRID)
        if not found:
            column.addWidget(_label(tell("There is nothing to add to the numbers."), Tone.MUTED, holder))
        column.addStretch(1)
        self.setWidget(holder)  # the one before is deleted with it
        holder.show()


def _label(text: str, tone: Tone, parent: QWidget) -> ToneLabel:
    made = ToneLabel(text, tone, parent, small=tone is Tone.MUTED)
    made.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return made
