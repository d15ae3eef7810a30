"""A goal as a card that is chosen like a radio button: what it means, what it brings, what it costs."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from poolwright.design.goals import GoalFacts, Statement
from poolwright.texts import tell
from poolwright.ui.parts import icons, lay
from poolwright.ui.parts.card import ChoiceCard, inert
from poolwright.ui.parts.labels import Heading, ToneLabel
from poolwright.ui.parts.theme import GRID, SMALL_POINTS, Tone, text_font, theme
from poolwright.ui.parts.why import WhyDialog


class GoalCard(ChoiceCard):
    """Shows what a goal promises; the figures behind it stand behind “Why?”."""

    def __init__(self, facts: GoalFacts, parent: QWidget | None = None) -> None:
        super().__init__(tell(facts.title), parent)
        self.goal, self._facts = facts.goal, facts
        self.setCheckable(True)
        self.setAutoExclusive(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        costs = tell("Costs: {price}", price=tell(facts.price))
        self.setAccessibleDescription(f"{tell(facts.meaning)} {tell(facts.promise)} {costs}")
        head = lay.row((inert(Heading(tell(facts.title), self)), 1), gap=GRID // 2)
        self._mark = inert(QLabel(self))
        self._mark.setFixedSize(icons.MEDIUM, icons.MEDIUM)
        head.addWidget(self._mark, 0, Qt.AlignmentFlag.AlignTop)
        self.body.addLayout(head)
        self.body.addWidget(inert(ToneLabel(tell(facts.meaning), Tone.TEXT, self)))
        self.body.addWidget(inert(ToneLabel(tell("Such as: {what}", what=tell(facts.example)), Tone.MUTED, self)))
        self._add(tell("Brings"), tell(facts.promise))
        self._add(tell("Costs"), tell(facts.price))
        self.body.addStretch(1)
        why = lay.button(tell("Why?"), self, self._show_why, name=tell("Why? {title}", title=tell(facts.title)))
        self.body.addWidget(why, 0, Qt.AlignmentFlag.AlignLeft)
        self.toggled.connect(self._show_mark)
        theme().changed.connect(self._show_mark)
        self._show_mark()

    def _add(self, title: str, text: str) -> None:
        heading = inert(ToneLabel(title, Tone.TEXT, self))
        heading.setFont(text_font(SMALL_POINTS, semibold=True))
        self.body.addLayout(lay.column(heading, inert(ToneLabel(text, Tone.TEXT, self)), gap=1))

    def _show_why(self) -> None:
        """Show what was measured or documented, with its source."""
        dialog = WhyDialog(tell(self._facts.title), self)
        for heading, statements in ((tell("Brings"), self._facts.gains), (tell("Costs"), self._facts.costs)):
            dialog.add_part(heading, "\n".join(_line(statement) for statement in statements))
        dialog.add_part(
            tell("How to read the figures"),
            tell("Measured on a pool of 6 TB disks: take the direction of the effect from them, not the number."),
        )
        dialog.body.addStretch(1)
        dialog.show()

    def _show_mark(self) -> None:
        # The mark tells the chosen card apart without colour.
        if self.isChecked():
            self._mark.setPixmap(icons.icon("ok", Tone.ACCENT).pixmap(icons.MEDIUM, icons.MEDIUM))
        else:
            self._mark.clear()


def _line(statement: Statement) -> str:
    return f"{tell(statement.text)} ({tell(statement.source.ref)})"
