"""One step of a move: its number, what it does, what survives while it lasts, and its commands."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from poolwright.changes.migration.values import MigrationPlan
from poolwright.changes.migration.words import step_title
from poolwright.domain.errors import PoolwrightError
from poolwright.emit.migration.steps import lines_of
from poolwright.emit.migration.told import step_facts, step_notes, told_lines
from poolwright.ui.parts import icons, lay
from poolwright.ui.parts.labels import ToneLabel
from poolwright.ui.parts.mark import Mark
from poolwright.ui.parts.theme import GRID, Tone, mono_font, text_font


class MigrationStepRow(QWidget):
    """Shows a step; one that leaves no redundancy says so in words and bears the mark of what is grave."""

    def __init__(self, plan: MigrationPlan, number: int, parent: QWidget) -> None:
        super().__init__(parent)
        step = plan.steps[number]
        bare = step in plan.bare
        tone = Tone.BLOCK if bare else Tone.WARN if step.final else Tone.OK
        icon = "block" if bare else "warn" if step.final else "ok"
        title = ToneLabel(f"{number + 1}. {step_title(plan, step)}", Tone.TEXT, self)
        title.setFont(text_font(semibold=True))
        texts = lay.column(title, gap=2)
        facts = ToneLabel(step_facts(step), tone if bare else Tone.TEXT, self, small=True)
        texts.addWidget(facts)
        for text in step_notes(plan, step):
            texts.addWidget(ToneLabel(text, Tone.WARN if step.final else Tone.MUTED, self, small=True))
        self.commands = ToneLabel("\n".join(_lines(plan, number)), Tone.TEXT, self)
        self.commands.setFont(mono_font())
        self.commands.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.commands.setAccessibleName(title.text())
        texts.addWidget(self.commands)
        mark = Mark(icon, self, tone, icons.SMALL)
        lay.row((mark, 0, Qt.AlignmentFlag.AlignTop), (texts, 1), of=self, gap=GRID)


def _lines(plan: MigrationPlan, number: int) -> list[str]:
    try:
        return list(told_lines(lines_of(plan, preview=True)[number]))
    except PoolwrightError as error:
        return [error.text]
