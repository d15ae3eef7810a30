"""Moving a pool to another layout: what is asked, and the steps with their redundancy, time and commands."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QCheckBox, QGridLayout, QLabel, QLineEdit, QWidget

from poolwright import __version__
from poolwright.changes.migration.search import Wishes, plan_in_steps
from poolwright.changes.migration.target import old_pool, target_of_design, target_of_layout
from poolwright.changes.migration.values import MigrationAnswer, MigrationPlan, step_title
from poolwright.domain.design import Design
from poolwright.domain.errors import PoolwrightError, Refusal, UserError
from poolwright.domain.inventory import Inventory
from poolwright.domain.steps import at_each
from poolwright.domain.units import parse_size
from poolwright.domain.vdev import parse_layout
from poolwright.emit.migration.steps import lines_of
from poolwright.emit.migration.told import (
    headline,
    kept_words,
    migration_script,
    migration_text,
    step_facts,
    step_notes,
    summary_lines,
    told_lines,
)
from poolwright.jobs.job import Asking, JobQueue, SlicedJob, Work
from poolwright.machine.typed.read import read_typed
from poolwright.store.files import SCRIPT_MODE, write_text
from poolwright.texts import tell
from poolwright.ui.parts import icons, lay
from poolwright.ui.parts.icons import Mark
from poolwright.ui.parts.lay import Complaint, ScrolledRows, ToneLabel
from poolwright.ui.parts.save_file import save_dialog
from poolwright.ui.parts.theme import GRID, Tone, mono_font, text_font


class MigrationPane(QWidget):
    """Asks for the new layout and shows the plan. Nothing here runs a command; ``said`` and ``failed`` carry texts."""

    said = Signal(str)
    failed = Signal(str)

    def __init__(self, jobs: JobQueue, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._inventory: Inventory | None = None
        self._pool = ""
        self._design: Design | None = None
        self._answer: MigrationAnswer | None = None
        self._asking = Asking(jobs, self)
        self._asking.answered.connect(self._show)
        self._asking.failed.connect(self._on_failed)
        self.problem = Complaint(tell("Why there is no plan"), self)
        self.rows = ScrolledRows(tell("Steps of the move"), self)
        self.plan_button = lay.button(tell("Plan the move"), self, self._on_plan, icon="commands")
        self.design_button = lay.button(
            tell("Plan for the open design"), self, self._on_design, tip=tell("With its disks in its places")
        )
        self.copy_button = lay.button(tell("Copy the plan"), self, self._on_copy, icon="copy")
        self.save_button = lay.button(tell("Save the script…"), self, self._on_save, icon="export")
        self.step_rows: list[MigrationStepRow] = []
        questions = self._questions()
        choice = lay.row(self.backup, 1, self.design_button, self.plan_button)
        taking = lay.row(self.copy_button, self.save_button, 1)
        about = tell(
            "Plans how all data move to another layout, with the disks there are and those to come: each step with "
            "its commands, its time and the redundancy that is left meanwhile."
        )
        told = ToneLabel(about, Tone.MUTED, self, small=True)
        lay.column(told, questions, choice, self.problem, taking, (self.rows, 1), of=self)
        self._offer()

    def show_pool(self, inventory: Inventory, pool: str, design: Design | None) -> None:
        """Ask about this pool; a plan for another one goes."""
        if (inventory, pool) != (self._inventory, self._pool):
            self._clear()
        self._inventory, self._pool, self._design = inventory, pool, design
        self._offer()

    def ask_for(self, layout: str, bought: str) -> None:
        """Plan the move to a layout, with disks that come."""
        self.layout_line.setText(layout)
        self.bought_line.setText(bought)
        self._on_plan()

    def _questions(self) -> QGridLayout:
        self.layout_line = self._line(tell("New layout"), tell("such as raidz2:4x6TB or 2*mirror:2x6TB"))
        self.bought_line = self._line(tell("Disks to come"), tell("such as 2 x 6TB"))
        self.stored_line = self._line(tell("Stored"), tell("as read, or 3TB"))
        self.layout_line.returnPressed.connect(self._on_plan)
        self.backup = QCheckBox(tell("A backup exists and can be read"), self)
        self.backup.setToolTip(tell("Only then are ways allowed that leave no redundancy for a while"))
        grid = lay.grid(gap=(GRID, GRID // 2))
        places = ((self.layout_line, 0, 0, 3), (self.bought_line, 1, 0, 1), (self.stored_line, 1, 2, 1))
        for line, row, column, span in places:
            label = QLabel(line.accessibleName(), self)
            label.setBuddy(line)
            grid.addWidget(label, row, column)
            grid.addWidget(line, row, column + 1, 1, span)
        return grid

    def _line(self, name: str, hint: str) -> QLineEdit:
        line = QLineEdit(self)
        line.setAccessibleName(name)
        line.setPlaceholderText(hint)
        return line

    def _on_plan(self) -> None:
        self._ask(None)

    def _on_design(self) -> None:
        self._ask(self._design)

    def _ask(self, design: Design | None) -> None:
        if self._inventory is None:
            return
        self._clear()
        asked = planning(
            self._inventory,
            self._pool,
            design=design,
            layout=self.layout_line.text(),
            bought=self.bought_line.text(),
            stored=self.stored_line.text(),
            backup=self.backup.isChecked(),
        )
        self._asking.ask(SlicedJob(tell("Planning the move"), self._pool, asked, self))

    def _clear(self) -> None:
        self._answer = None
        self.step_rows = []
        self.problem.say("")
        self.rows.setWidget(QWidget(self))
        self._offer()

    def _offer(self) -> None:
        there = self._answer is not None
        self.copy_button.setVisible(there)
        self.save_button.setVisible(there)
        self.plan_button.setEnabled(self._inventory is not None)
        self.design_button.setVisible(self._inventory is not None and self._design is not None)

    def _on_failed(self, text: str) -> None:
        error = self._asking.error
        reasons = error.reasons if isinstance(error, Refusal) else ()
        self.problem.say("\n".join((text, *(f"– {reason}" for reason in reasons))))

    def _show(self, answer: MigrationAnswer) -> None:
        self._answer = answer
        plan = answer.plan
        inner = QWidget(self)
        column = lay.column(of=inner, gap=GRID, around=(0, 0, GRID, 0))
        title = ToneLabel(headline(plan), Tone.TEXT, inner)
        title.setFont(text_font(semibold=True))
        title.setAccessibleName(tell("The plan in one line"))
        column.addWidget(title)
        for text in summary_lines(plan):
            column.addWidget(ToneLabel(text, Tone.TEXT, inner))
        for text in plan.warnings:
            column.addWidget(ToneLabel(text, Tone.WARN, inner))
        self.step_rows = [MigrationStepRow(plan, number, inner) for number in range(len(plan.steps))]
        for row in self.step_rows:
            column.addWidget(row)
        for other in answer.others:
            column.addWidget(
                ToneLabel(tell("Another way: {headline}", headline=headline(other)), Tone.TEXT, inner, small=True)
            )
            column.addWidget(ToneLabel(summary_lines(other)[0], Tone.MUTED, inner, small=True))
        for text in kept_words(plan):
            column.addWidget(ToneLabel(text, Tone.MUTED, inner, small=True))
        column.addStretch(1)
        self.rows.setWidget(inner)
        inner.setAutoFillBackground(False)
        self._offer()

    def _on_copy(self) -> None:
        if self._answer is not None:
            QGuiApplication.clipboard().setText(migration_text(self._answer))
            self.said.emit(tell("The plan was copied."))

    def _on_save(self) -> None:
        if self._script() is None:  # said before anybody has chosen a name for it
            return
        dialog = save_dialog(self, tell("Save the script"), f"migrate-{self._pool}.sh", tell("Shell script"), "sh")
        dialog.fileSelected.connect(self.write)
        dialog.open()

    def write(self, name: str) -> None:
        """Write the script of the plan to a file."""
        script = self._script()
        if script is None:
            return
        try:
            write_text(Path(name), script, mode=SCRIPT_MODE)
        except PoolwrightError as error:
            self.failed.emit(error.text)
            return
        self.said.emit(tell("Saved as {name}.", name=name))

    def _script(self) -> str | None:
        """Return the script of the plan; None, and why is told, where none can be written."""
        if self._answer is None:
            return None
        now = datetime.now(tz=UTC).strftime("%Y-%m-%d %H:%M UTC")
        try:
            return migration_script(self._answer.plan, generated_at=now, program_version=__version__)
        except PoolwrightError as error:
            self.failed.emit(error.text)
            return None


# The question of a move, as work in slices: what was typed is read, then every way is looked at.


def planning(
    inventory: Inventory, pool: str, *, design: Design | None, layout: str, bought: str, stored: str, backup: bool
) -> Work:
    """Return the work that answers with a `MigrationAnswer`; raises UserError and Refusal in it as the planner does.

    ``layout``, ``bought`` and ``stored`` are as typed, empty where nothing was; ``design`` goes before ``layout``.
    """
    if bought.strip():
        coming = (replace(disk, key=f"new {disk.key}") for disk in read_typed([bought]).disks)
        inventory = replace(inventory, disks=(*inventory.disks, *coming))
    told = parse_size(stored, what=tell("amount stored")) if stored.strip() else None
    old = old_pool(inventory, pool, stored_bytes=told)
    yield None
    if design is not None:
        target = target_of_design(design, old, inventory)
    elif layout.strip():
        target = target_of_layout(parse_layout([layout]), inventory, old)
    else:
        raise UserError(tell("No new layout is named"), todo=tell("Write such as raidz2:4x6TB."))
    yield None
    steps = plan_in_steps(old, target, inventory, Wishes(backup_exists=backup))
    return (yield from at_each(steps, lambda _: None))


# One step of a move: its number, what it does, what survives while it lasts, and its commands.


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
