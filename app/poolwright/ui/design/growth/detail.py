"""One step of a growth plan: what to know of it, what is expected after it, and its commands to copy."""

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from poolwright.changes.growth.plan import GrowthPlan, Stage
from poolwright.changes.growth.prices import disks_bought
from poolwright.domain.disk import NoteLevel
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.rates import rate_text
from poolwright.domain.units import binary
from poolwright.domain.vdev import describe
from poolwright.emit.growth import commands_text
from poolwright.predict.number_words import hours_text, operations_text
from poolwright.predict.outlook import Predictions
from poolwright.predict.risk_words import loss_words
from poolwright.texts import tell
from poolwright.ui.design.growth.words import work_text
from poolwright.ui.parts import lay
from poolwright.ui.parts.expected_words import sentence
from poolwright.ui.parts.labels import ToneLabel
from poolwright.ui.parts.note_lines import Line, NoteLines
from poolwright.ui.parts.scrolled_rows import ScrolledRows
from poolwright.ui.parts.theme import GRID, Tone, mono_font

_COMMAND_POINTS = 9.0


class GrowthPlanDetail(QWidget):
    """Shows a stage of a plan; ``copied`` sends a line for the status bar."""

    copied = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        inside = QWidget(self)
        self.summary = ToneLabel("", Tone.TEXT, inside)
        self.summary.setAccessibleName(tell("The pool after the step"))
        self.expected = ToneLabel("", Tone.MUTED, inside)
        self.expected.setAccessibleName(tell("Expected of the pool after the step"))
        self.notes = NoteLines(tell("What to know of the step"), inside, most=8)
        lay.column(self.summary, self.notes, self.expected, 1, of=inside, around=(0, 0, GRID, 0))
        area = ScrolledRows(tell("What to know of the step"), self)
        area.setWidget(inside)
        inside.setAutoFillBackground(False)
        self.commands = QPlainTextEdit(self)
        self.commands.setReadOnly(True)
        self.commands.setFont(mono_font(_COMMAND_POINTS))
        self.commands.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.commands.setTabChangesFocus(True)
        self.commands.setAccessibleName(tell("Commands of the step, for you to run"))
        self.copy_button = lay.button(tell("Copy commands"), self, self._copy, icon="copy")
        self._caution = ToneLabel(
            tell("For you to run, one by one; disks not bought yet stand in < >."), Tone.MUTED, self
        )
        right = lay.column((self.commands, 1), lay.row((self._caution, 1), self.copy_button), gap=GRID // 2)
        lay.row((area, 1), (right, 1), of=self, gap=2 * GRID)

    def show_problem(self, text: str) -> None:
        """Show why a step cannot be done."""
        self.summary.setText(text)
        self.notes.show_lines(())
        self.expected.setText("")
        self._show_commands("")

    def show_stage(self, plan: GrowthPlan, number: int, predicted: Predictions | None) -> None:
        stage = plan.stages[number]
        self.summary.setText(_summary(stage))
        lines = [
            Line(text=note.text, tone=Tone.WARN if note.level is NoteLevel.WARN else Tone.NOTE) for note in stage.notes
        ]
        if stage.rewrite_gain_bytes:
            text = tell("Rewriting all old data would free {size} of USED.")
            lines.append(Line(text=text.format(size=binary(stage.rewrite_gain_bytes))))
        if stage.step is not None:
            lines += [Line(text=sentence(str(bought))) for bought in disks_bought(stage)]
        self.notes.show_lines(lines)
        self.expected.setText("" if predicted is None else self._expected_text(predicted))
        self._show_commands(*_commands(plan, number))

    def _expected_text(self, predicted: Predictions) -> str:
        speed, rebuild = predicted.speed, predicted.rebuild
        text = tell(
            "Expected then: reads {read}, writes {write}, {iops} random reads a second; "
            "yearly risk {risk}; rebuild {hours}."
        )
        return text.format(
            read=rate_text(speed.seq_read.typical),
            write=rate_text(speed.seq_write.typical),
            iops=operations_text(speed.rand_read_iops.typical),
            risk=loss_words(predicted.risk.probability, predicted.risk.disk_probability),
            hours=tell("impossible") if rebuild is None else hours_text(rebuild.typical),
        )

    def _show_commands(self, text: str, why_none: str = "") -> None:
        self.commands.setPlainText(text)
        self.commands.setPlaceholderText(why_none or tell("The script of the Commands page makes the new pool."))
        self.copy_button.setEnabled(bool(text))

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.commands.toPlainText())
        self.copied.emit(tell("Commands copied."))


def _commands(plan: GrowthPlan, number: int) -> tuple[str, str]:
    """Return the commands of a stage, or nothing and the reason."""
    try:
        return (commands_text(plan, number) if number else "", "")
    except PoolwrightError as error:
        return ("", error.text)


def _summary(stage: Stage) -> str:
    parts = [describe(stage.capacity.layout) + "."]
    if stage.step is not None:
        parts.append(work_text(stage))
    usable = tell("{size} usable, of which {plan} up to 80 %.")
    parts.append(usable.format(size=binary(stage.capacity.available_bytes), plan=binary(stage.capacity.plan_bytes)))
    if stage.charged_percent < 99.5:
        text = tell("zfs list counts new data as {percent} % of their size, so there is more room than AVAIL says.")
        parts.append(text.format(percent=f"{stage.charged_percent:.0f}"))
    return " ".join(part for part in parts if part)
