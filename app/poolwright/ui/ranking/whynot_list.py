"""Why the other families of layouts were not chosen: a line each, with the rule where one speaks against it."""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QScrollArea, QWidget

from poolwright.design.enumerate import family_words
from poolwright.design.rejected import Rejected
from poolwright.texts import tell
from poolwright.ui.parts import lay
from poolwright.ui.parts.labels import ToneLabel
from poolwright.ui.parts.theme import GRID, Tone, text_font


class WhyNotList(QScrollArea):
    """Shows rejected families; ``asked`` sends the id of the rule whose button was pressed."""

    asked = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tell("Why not the other families"))
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setAutoFillBackground(False)

    def sizeHint(self) -> QSize:
        """Return a modest size: a page grows the list where it has room."""
        return QSize(super().sizeHint().width(), 12 * GRID)

    def show_rejected(self, rejected: Sequence[Rejected]) -> None:
        inner = QWidget(self)
        grid = lay.grid(of=inner, gap=(2 * GRID, GRID), around=(0, 0, GRID, 0))
        grid.setColumnStretch(1, 1)
        for row, line in enumerate(rejected):
            family = QLabel(family_words(line.family), inner)
            family.setFont(text_font(semibold=True))
            grid.addWidget(family, row, 0, Qt.AlignmentFlag.AlignTop)
            tone = Tone.TEXT if line.feasible else Tone.MUTED
            reason = ToneLabel(line.reason, tone, inner)
            reason.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            grid.addWidget(reason, row, 1, Qt.AlignmentFlag.AlignTop)
            if line.rule_id is not None:
                button = lay.button(
                    tell("Why?"),
                    inner,
                    tip=line.rule_id,
                    name=tell("Why not {family}? Rule {rule}", family=family_words(line.family), rule=line.rule_id),
                )
                button.setProperty("ruleId", line.rule_id)
                button.clicked.connect(self._ask)
                grid.addWidget(button, row, 2, Qt.AlignmentFlag.AlignTop)
        grid.setRowStretch(len(rejected), 1)
        self.setWidget(inner)
        inner.setAutoFillBackground(False)

    def _ask(self) -> None:
        sender = self.sender()
        assert isinstance(sender, QPushButton)
        self.asked.emit(str(sender.property("ruleId")))
