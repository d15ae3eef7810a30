"""Jobs of one's own: fio job files that are written here, told what is wrong with them line by line, kept, deleted."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QComboBox, QLineEdit, QListWidget, QListWidgetItem, QPlainTextEdit, QTextEdit, QWidget

from poolwright.bench.own_profiles import (
    OwnProfile,
    TextProblem,
    forget,
    keep_text,
    kept_profiles,
    line_of_section,
    open_own,
    problems_in,
    text_of,
)
from poolwright.domain.errors import PoolwrightError, UserError
from poolwright.texts import tell, tell_counted
from poolwright.ui.parts import lay
from poolwright.ui.parts.note_lines import Notice
from poolwright.ui.parts.save_file import open_dialog
from poolwright.ui.parts.theme import GRID, Tone, mono_font, theme

_CHECK_MILLISECONDS = 200
_LINE_ROLE = Qt.ItemDataRole.UserRole
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

    ``making`` is asked what a profile lacks where one measures now; it raises UserError.
    """

    kept = Signal(str)
    forgotten = Signal(str)
    failed = Signal(str)

    def __init__(self, taken: Callable[[str], bool], making: Callable[[OwnProfile], None], parent: QWidget) -> None:
        """``taken`` tells whether a profile that ships has a name."""
        super().__init__(parent)
        self._taken, self._making = taken, making
        self._own: OwnProfile | None = None
        self._later = lay.later(self, _CHECK_MILLISECONDS, self.check)
        self._deleted: tuple[str, str] | None = None
        self.choice = lay.named(QComboBox(self), tell("Jobs of one's own"))
        self.choice.activated.connect(self._on_chosen)
        self.name = lay.named(QLineEdit(self), tell("Name of the job file"))
        self.name.setPlaceholderText(tell("name"))
        self.name.textEdited.connect(self._later.start)
        self.keep_button = lay.button(tell("Keep"), self, self._on_keep, icon="save")
        self.delete_button = lay.button(tell("Delete"), self, self._on_delete, icon="delete")
        file = lay.button(tell("File…"), self, self._on_file, icon="open", name=tell("Open a job file of fio"))
        self.notice = Notice(tell("What was deleted"), self)
        self.notice.pressed.connect(self._on_put_back)
        self._make_editor()
        split = lay.split(self, (self.text, 3), (self.problems, 2), across=True)
        line = lay.row((self.choice, 1), (self.name, 1), self.keep_button, self.delete_button, file)
        lay.column(line, self.notice, (split, 1), of=self)
        self.show_kept()
        self._on_chosen()

    def _make_editor(self) -> None:
        self.text = lay.named(QPlainTextEdit(self), tell("Text of the job file"))
        self.text.setFont(mono_font())
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.text.setTabChangesFocus(True)
        self.text.setMinimumHeight(20 * GRID)
        self.text.textChanged.connect(self._later.start)
        self.problems = lay.named(QListWidget(self), tell("What is wrong, by line"))
        self.problems.setWordWrap(True)
        self.problems.setMinimumWidth(18 * GRID)
        self.problems.currentItemChanged.connect(self._on_problem)
        self.problems.itemClicked.connect(self._on_problem)

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

    def open_file(self, path: Path) -> None:
        """Show the text of a job file, to be looked at and kept; what is wrong with it is told beside it."""
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
        self._show_problems(found)
        self._show_buttons()

    def _of_place(self, own: OwnProfile, text: str) -> list[TextProblem]:
        try:
            self._making(own)
        except UserError as error:
            named = next((name for name, _ in own.sections if name in error.what), "")
            said = " ".join(part for part in (error.what, error.todo) if part)
            return [TextProblem(line=line_of_section(text, named), text=said)]
        return []

    def _show_problems(self, problems: list[TextProblem]) -> None:
        self.problems.clear()
        marks = []
        for problem in problems:
            said = problem.text
            item = QListWidgetItem(
                said if problem.line is None else tell("Line {line}: {text}", line=problem.line, text=said)
            )
            item.setData(_LINE_ROLE, problem.line)
            item.setForeground(theme().colour(Tone.BLOCK))
            self.problems.addItem(item)
            if problem.line is not None:
                marks.append(self._marked(problem.line))
        if not problems:
            count = 0 if self._own is None else len(self._own.sections)
            text = tell_counted("Nothing is wrong: {count} job.", "Nothing is wrong: {count} jobs.", count)
            self.problems.addItem(text)
        self.text.setExtraSelections(marks)

    def _marked(self, line: int) -> QTextEdit.ExtraSelection:
        mark = QTextEdit.ExtraSelection()
        form = QTextCharFormat()
        form.setUnderlineColor(theme().colour(Tone.BLOCK))
        form.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)
        cursor = QTextCursor(self.text.document().findBlockByNumber(line - 1))
        cursor.select(QTextCursor.SelectionType.LineUnderCursor)
        mark.format, mark.cursor = form, cursor
        return mark

    def _show_text(self, text: str, name: str) -> None:
        self.name.setText(name)
        self.text.setPlainText(text)
        self.check()

    def _show_buttons(self) -> None:
        self.keep_button.setEnabled(self._own is not None and bool(self.name.text().strip()))
        self.delete_button.setEnabled(bool(self.choice.currentData()))

    def _on_problem(self) -> None:
        item = self.problems.currentItem()
        line = None if item is None else item.data(_LINE_ROLE)
        if line is not None:
            self.text.setTextCursor(QTextCursor(self.text.document().findBlockByNumber(line - 1)))
            self.text.setFocus()

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
        dialog = open_dialog(self, tell("Open a job file of fio"))
        dialog.fileSelected.connect(self._on_file_chosen)
        dialog.open()

    def _on_file_chosen(self, path: str) -> None:
        self.open_file(Path(path))
