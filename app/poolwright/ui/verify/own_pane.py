"""Jobs of one's own: fio job files that are written here, told what is wrong with them line by line, kept, deleted."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QLineEdit, QPlainTextEdit, QWidget

from poolwright.bench.own_profiles import forget, keep_text, kept_profiles, open_own, text_of
from poolwright.bench.profiles.own import OwnProfile, TextProblem, fio_problems, line_of_section, problems_in
from poolwright.domain.errors import PoolwrightError, UserError
from poolwright.jobs.command_job import CommandJob
from poolwright.jobs.job import Asking, JobQueue
from poolwright.texts import tell, tell_counted
from poolwright.ui.parts import lay
from poolwright.ui.parts.lay import ToneLabel
from poolwright.ui.parts.note_lines import Notice
from poolwright.ui.parts.save_file import ask_file
from poolwright.ui.parts.theme import GRID, Tone, mono_font

JOB_TARGET = "fio"  # for machines
_CHECK_MILLISECONDS = 200
_BEGIN = """[global]
size=1g
runtime=60
time_based=1

[records]
rw=randwrite
bs=16k
numjobs=8
refill_buffers=1
"""


class OwnJobsPane(QWidget):
    """``kept`` sends the name of a profile that was kept or put back, ``forgotten`` that one was deleted.

    ``making`` is asked what a profile lacks where one measures now; it raises UserError. Of what nothing else is wrong
    with, the fio of this machine is asked as well, beside the window.
    """

    kept = Signal(str)
    forgotten = Signal(str)
    failed = Signal(str)

    def __init__(
        self, taken: Callable[[str], bool], making: Callable[[OwnProfile], None], jobs: JobQueue, parent: QWidget
    ) -> None:
        """``taken`` tells whether a profile that ships has a name."""
        super().__init__(parent)
        self._taken, self._making = taken, making
        self._asking = Asking(jobs, self)
        self._asking.answered.connect(self._on_fio_answered)
        self._found: list[TextProblem] = []
        self._own: OwnProfile | None = None
        self._deleted: tuple[str, str] | None = None
        self.choice = lay.named(QComboBox(self), tell("Jobs of one's own"))
        self.choice.activated.connect(self._on_chosen)
        self.name = lay.named(QLineEdit(self), tell("Name of the job file"))
        self.name.setPlaceholderText(tell("name"))
        self.name.textEdited.connect(self._on_edited)
        self.keep_button = lay.button(tell("Keep"), self, self._on_keep, icon="save")
        self.delete_button = lay.button(tell("Delete"), self, self._on_delete, icon="delete")
        file = lay.button(tell("File…"), self, self._on_file, icon="open", name=tell("Open a job file of fio"))
        self.notice = Notice(tell("What was deleted"), self)
        self.notice.pressed.connect(self._on_put_back)
        self._make_editor()
        line = lay.row((self.choice, 1), (self.name, 1), self.keep_button, self.delete_button, file)
        lay.column(line, self.notice, (lay.row((self.text, 3), (self.problems, 2)), 1), of=self)
        self.show_kept()
        self._on_chosen()

    def _make_editor(self) -> None:
        self.text = lay.named(QPlainTextEdit(self), tell("Text of the job file"))
        self.text.setFont(mono_font())
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.text.setTabChangesFocus(True)
        self.text.setMinimumHeight(20 * GRID)
        self.text.textChanged.connect(self._on_edited)
        self.problems = lay.named(ToneLabel("", Tone.MUTED, self, selectable=True), tell("What is wrong, by line"))
        self.problems.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._later = lay.later(self, _CHECK_MILLISECONDS, self.check)

    def show_kept(self, name: str = "") -> None:
        self.choice.clear()
        self.choice.addItem(tell("A new one"), "")
        for own in kept_profiles():
            self.choice.addItem(own.title, own.name)
        self.choice.setCurrentIndex(max(0, self.choice.findData(name)))
        self._show_buttons()

    def show_one(self, name: str) -> None:
        self.show_kept(name)
        self._on_chosen()

    def open_file(self, name: str) -> None:
        """Show the text of a job file, to be looked at and kept; what is wrong with it is told beside it."""
        path = Path(name)
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            try:
                open_own(path)  # which knows how to say why it cannot be read
            except PoolwrightError as error:
                self.failed.emit(error.text)
            return
        self.choice.setCurrentIndex(0)
        self._show_text(text, path.stem)

    def check(self) -> None:
        self._later.stop()
        text, name = self.text.toPlainText(), self.name.text().strip()
        self._own, problems = problems_in(text, name or "own")
        found = list(problems)
        if self._own is not None:
            found += self._of_place(self._own, text)
            if self._taken(self._own.name):
                said = tell("A profile that ships is called “{name}”; choose another name.", name=self._own.name)
                found.append(TextProblem(line=None, text=said))
                self._own = None
        self._found = found
        self._show_problems(found)
        self._show_buttons()
        self._asking.forget()
        if self._own is not None and not found and text != _BEGIN:
            self._asking.ask(CommandJob(tell("Asking fio"), JOB_TARGET, fio_problems(self._own, text), self))

    def _on_fio_answered(self, said: tuple[TextProblem, ...]) -> None:
        self._found = [*self._found, *said]
        self._show_problems(self._found)

    def _of_place(self, own: OwnProfile, text: str) -> list[TextProblem]:
        try:
            self._making(own)
        except UserError as error:
            named = next((name for name, _ in own.sections if name in error.what), "")
            said = " ".join(part for part in (error.what, error.todo) if part)
            return [TextProblem(line=line_of_section(text, named), text=said)]
        return []

    def _show_problems(self, problems: list[TextProblem]) -> None:
        count = 0 if self._own is None else len(self._own.sections)
        lines = [
            each.text if each.line is None else tell("Line {line}: {text}", line=each.line, text=each.text)
            for each in problems
        ] or [tell_counted("Nothing is wrong: {count} job.", "Nothing is wrong: {count} jobs.", count)]
        self.problems.setText("\n".join(lines))
        self.problems.set_tone(Tone.BLOCK if problems else Tone.MUTED)

    def _show_text(self, text: str, name: str) -> None:
        self.name.setText(name)
        self.text.setPlainText(text)
        self.check()

    def _show_buttons(self) -> None:
        self.keep_button.setEnabled(self._own is not None and bool(self.name.text().strip()))
        self.delete_button.setEnabled(bool(self.choice.currentData()))

    def _on_edited(self) -> None:
        self._asking.forget()
        self._later.start()

    def _on_chosen(self) -> None:
        name = self.choice.currentData()
        try:
            self._show_text(text_of(name) if name else _BEGIN, name or "")
        except PoolwrightError as error:
            self.failed.emit(error.text)

    def _on_keep(self) -> None:
        self.check()
        if self._own is None:
            return
        try:
            own = keep_text(self.text.toPlainText(), self.name.text().strip())
        except PoolwrightError as error:
            self.failed.emit(error.text)
            return
        self.notice.hide()
        self.name.setText(own.name)
        self.show_kept(own.name)
        self.kept.emit(own.name)

    def _on_delete(self) -> None:
        name = self.choice.currentData()
        try:
            self._deleted = (name, text_of(name))
            forget(name)
        except PoolwrightError as error:
            self.failed.emit(error.text)
            return
        self.show_kept()
        self._on_chosen()
        self.notice.show_text(tell("“{name}” is deleted.", name=name), action=tell("Put back"))
        self.forgotten.emit(name)

    def _on_put_back(self) -> None:
        self.notice.hide()
        if self._deleted is not None:
            name, text = self._deleted
            keep_text(text, name)
            self.show_kept(name)
            self._on_chosen()
            self.kept.emit(name)

    def _on_file(self) -> None:
        ask_file(self, tell("Open a job file of fio"), self.open_file)
