"""A goal as a card that is chosen like a radio button: what it means, what it brings, what it costs."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from poolwright.advise.goals import GoalFacts, Statement
from poolwright.texts import tell
from poolwright.ui.parts import icons, lay
from poolwright.ui.parts.card import ChoiceCard, inert
from poolwright.ui.parts.labels import Heading, ToneLabel
from poolwright.ui.parts.theme import GRID, SMALL_POINTS, Tone, text_font, theme


class GoalCard(ChoiceCard):
    """Shows the facts of a goal."""

    def __init__(self, facts: GoalFacts, parent: QWidget | None = None) -> None:
        super().__init__(facts.title, parent)
        self.goal = facts.goal
        self.setCheckable(True)
        self.setAutoExclusive(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleDescription(f"{facts.meaning} {tell('Costs')}: " + " ".join(c.text for c in facts.costs))
        head = lay.row((inert(Heading(facts.title, self)), 1), gap=GRID // 2)
        self._mark = inert(QLabel(self))
        self._mark.setFixedSize(icons.MEDIUM, icons.MEDIUM)
        head.addWidget(self._mark, 0, Qt.AlignmentFlag.AlignTop)
        self.body.addLayout(head)
        self.body.addWidget(inert(ToneLabel(facts.meaning, Tone.TEXT, self)))
        self.body.addWidget(inert(ToneLabel(tell("Such as: {what}", what=facts.example), Tone.MUTED, self)))
        self._add(tell("Brings"), facts.gains)
        self._add(tell("Costs"), facts.costs)
        self.body.addStretch(1)
        self.toggled.connect(self._show_mark)
        theme().changed.connect(self._show_mark)
        self._show_mark()

    def _add(self, title: str, statements: Sequence[Statement]) -> None:
        heading = inert(ToneLabel(title, Tone.TEXT, self))
        heading.setFont(text_font(SMALL_POINTS, semibold=True))
        group = lay.column(heading, gap=GRID // 2)
        self.body.addLayout(group)
        for statement in statements:
            chapter = statement.source.ref.rpartition(", ")[2]
            text = f"{statement.text} ({chapter})"
            group.addWidget(inert(ToneLabel(text, Tone.TEXT, self, small=True)))

    def _show_mark(self) -> None:
        # The mark tells the chosen card apart without colour.
        if self.isChecked():
            self._mark.setPixmap(icons.icon("ok", Tone.ACCENT).pixmap(icons.MEDIUM, icons.MEDIUM))
        else:
            self._mark.clear()
