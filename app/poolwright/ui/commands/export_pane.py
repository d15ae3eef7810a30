"""The design in the form that is chosen: what the form is for, the text, and buttons to take it away."""

import re
import time
from collections.abc import Callable, Generator
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QFont,
    QFontMetrics,
    QGuiApplication,
    QPainter,
    QSyntaxHighlighter,
    QTextBlock,
    QTextCharFormat,
    QTextCursor,
)
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QPlainTextEdit,
    QSizePolicy,
    QStackedWidget,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTextBrowser,
    QWidget,
)

from poolwright.design.evaluate import evaluate_in_steps, unassigned_of
from poolwright.domain.command import Reading
from poolwright.domain.design import Design
from poolwright.domain.errors import PoolwrightError, Refusal, UserError
from poolwright.domain.steps import at_each, at_once
from poolwright.emit.exports import EXPORTS, ExportContext, ExportFormat, export_format, export_text
from poolwright.emit.report_design import DesignSubject, design_report_in_steps
from poolwright.emit.script_tables import FIXED_PART, fixed_part_sum
from poolwright.jobs.job import SLICE_SECONDS
from poolwright.judging import advice_for
from poolwright.paper.display import made_words
from poolwright.store.files import PLAIN_MODE, SCRIPT_MODE, write_script, write_text
from poolwright.texts import tell, tell_counted
from poolwright.ui.compare.comparing import report_content
from poolwright.ui.parts import lay
from poolwright.ui.parts.icons import Recoloured
from poolwright.ui.parts.lay import ElidedLabel, ToneLabel
from poolwright.ui.parts.printing import PrintJob, drawn_elsewhere
from poolwright.ui.parts.save_file import save_dialog
from poolwright.ui.parts.table import Index
from poolwright.ui.parts.theme import GRID, SMALL_POINTS, Tone, mono_font, text_font, theme
from poolwright.ui.state.session import Session

SCRIPT = "sh"
_ROWS, _ROW_END, _MOST_ROWS = re.compile(r"(?<=<tbody>).*?(?=</tbody>)", re.DOTALL), "</tr>", 60
_MOST_LINES = 20_000  # of a form that is data; Qt lets go of many more in one turn, too long for the window


class ExportPane(QWidget):
    """Shows one form of the current design.

    ``saved`` carries key and path, ``failed`` the error, ``copied`` a title; ``changed`` says that other text is shown.
    ``prints`` hands over the job that draws a page as PDF; ``saved`` or ``failed`` come when it ends.
    """

    saved = Signal(str, str)
    failed = Signal(object)
    copied = Signal(str)
    prints = Signal(object)
    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._design: Design | None = None
        self._context: ExportContext | None = None
        self._error: PoolwrightError | None = None
        self._content = ""
        column = lay.column(self._make_tools(), of=self, gap=GRID // 2)
        self.purpose = ToneLabel("", Tone.MUTED, self)
        self.purpose.setAccessibleName(tell("What this form is for"))
        column.addWidget(self.purpose)
        self.fixed = ElidedLabel(Tone.MUTED, self, mode=Qt.TextElideMode.ElideMiddle)
        self.fixed.setAccessibleName(tell("Checksum of the fixed part"))
        self.fixed.setFont(mono_font(SMALL_POINTS))
        column.addWidget(self.fixed)
        self.stack = QStackedWidget(self)
        self.text = self._make_text()
        self.page = QTextBrowser(self)
        self.page.setOpenLinks(False)
        self.page.setAccessibleName(tell("The page as it is printed"))
        self.stack.addWidget(self.text)
        self.stack.addWidget(self.page)
        column.addWidget(self.stack, 1)
        self._show()

    @property
    def form(self) -> ExportFormat:
        return export_format(self.chooser.key())

    @property
    def lines(self) -> int:
        """Return how many lines the text has."""
        return self._content.count("\n")

    def show_design(self, design: Design | None, context: ExportContext | None) -> None:
        self._design, self._context = design, context
        self._show()

    def text_in(self, key: str) -> str:
        """Return the shown design in a form; raises as `export_text`, and Refusal where no design is shown."""
        if self._design is None or self._context is None:
            raise Refusal(tell("There is no design that can be written"))
        return export_text(key, self._design, self._context)

    def _make_tools(self) -> QHBoxLayout:
        self.chooser = ExportChooser(EXPORTS, self._reason, self)
        self.chooser.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.chooser.currentIndexChanged.connect(self._show)
        self.copy = lay.button(tell("Copy"), self, self._copy, icon="copy", name=tell("Copy this form"))
        self.save = lay.button(tell("Save…"), self, self._ask_where, icon="save", name=tell("Save this form…"))
        self.pdf = lay.button(
            tell("PDF…"), self, self._ask_where_pdf, icon="export", name=tell("Save this form as PDF…")
        )
        row = lay.row((self.chooser, 1))
        for button in (self.copy, self.save, self.pdf):
            button.setMinimumHeight(4 * GRID)
            row.addWidget(button)
        return row

    def _make_text(self) -> QPlainTextEdit:
        text = QPlainTextEdit(self)
        text.setReadOnly(True)
        text.setUndoRedoEnabled(False)
        text.setFont(mono_font(SMALL_POINTS))
        text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self._highlighter = ShellHighlighter(text)
        return text

    def _reason(self, key: str) -> str:
        """Return why the design cannot be written in a form; empty where it can."""
        try:
            self.text_in(key)
        except PoolwrightError as error:
            return _words(error)
        return ""

    def _show(self) -> None:
        form = self.form
        self._error, self._content = None, ""
        try:
            self._content = self.text_in(form.key)
        except PoolwrightError as error:
            self._error = error
        self._say_purpose(form)
        name = tell("The script") if form.key == SCRIPT else tell(form.title)
        self.text.setAccessibleName(name)
        self.stack.setCurrentWidget(self.page if form.paged else self.text)
        if form.paged:
            self.page.setHtml(self._shortened(self._content))
        else:
            self._highlighter.show_text(self._content if form.key == SCRIPT else self._first_lines(self._content))
        self.text.setPlaceholderText(tell("This design cannot be written in this form yet."))
        for button in (self.copy, self.save, self.pdf):
            button.setEnabled(bool(self._content))
        self.pdf.setVisible(form.paged)
        self.changed.emit()

    def _first_lines(self, text: str) -> str:
        """Return as much of a form as a person reads here, with a line on the rest; a script is always whole."""
        left = text.count("\n") - _MOST_LINES
        if left <= 0:
            return text
        told = tell_counted(
            "… {count} further line in the file that is saved and in what is copied",
            "… {count} further lines in the file that is saved and in what is copied",
            left,
        )
        first = text.split("\n", _MOST_LINES)[:-1]
        return "\n".join((*first, told))

    def _shortened(self, page: str) -> str:
        """Return the page with as many rows of each table as a person reads here; Qt lays out a table in one go."""
        return _ROWS.sub(self._first_rows, page)

    def _first_rows(self, rows: re.Match[str]) -> str:
        first = rows[0].split(_ROW_END, _MOST_ROWS)
        left = first[-1].count(_ROW_END)
        if not left:
            return rows[0]
        told = tell_counted(
            "{count} further row in the file that is saved and in the PDF",
            "{count} further rows in the file that is saved and in the PDF",
            left,
        )
        return f"{_ROW_END.join(first[:-1])}{_ROW_END}<tr><td colspan='7'>{told}</td></tr>"

    def _say_purpose(self, form: ExportFormat) -> None:
        self._say_checksum(form)
        # Why there is no script stands above all panes already.
        if self._error is None or self._design is None or form.key == SCRIPT:
            self.purpose.setText(tell(form.purpose))
            self.purpose.set_tone(Tone.MUTED)
        else:
            self.purpose.setText(tell("Not for this design: {reason}", reason=_words(self._error)))
            self.purpose.set_tone(Tone.WARN)

    def _say_checksum(self, form: ExportFormat) -> None:
        self.fixed.setVisible(form.fixed_part is not None)
        if form.fixed_part is not None:
            checksum = fixed_part_sum(form.fixed_part)
            self.fixed.show_text(tell("Fixed part: sha256 {checksum}", checksum=checksum))
            told = tell("From “{title}” on it is the same in every script of this version. Its sha256: {checksum}")
            self.fixed.setToolTip(told.format(title=FIXED_PART, checksum=checksum))

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._content)
        self.copied.emit(tell(self.form.title))

    def _ask_where(self) -> None:
        if self._design is not None:
            name = self.form.name_for(self._design)
            dialog = save_dialog(self, tell("Save"), name, tell(self.form.title), name.rpartition(".")[2])
            dialog.fileSelected.connect(self.save_to)
            dialog.open()

    def _ask_where_pdf(self) -> None:
        if self._design is not None:
            name = f"{self.form.name_for(self._design).rpartition('.')[0]}.pdf"
            dialog = save_dialog(self, tell("Save as PDF"), name, tell("PDF files"), "pdf")
            dialog.fileSelected.connect(self.save_pdf_to)
            dialog.open()

    def save_to(self, path: str) -> None:
        """Write the chosen form to a file; tells by ``saved`` or ``failed``."""
        try:
            if self.form.key == SCRIPT:
                self.write_script_to(Path(path))
            else:
                write_text(Path(path), self._content, mode=SCRIPT_MODE if self.form.program else PLAIN_MODE)
        except PoolwrightError as error:
            self.failed.emit(error)
            return
        self.saved.emit(self.form.key, path)

    def write_script_to(self, path: Path) -> None:
        """Write the guarded script, and the advice for its host beside it; raises as `text_in` and `write_script`."""
        advised = self._context is not None and bool(self._context.advice)
        write_script(path, self.text_in(SCRIPT), self.text_in("advice") if advised else None)

    def save_pdf_to(self, path: str) -> None:
        """Let the chosen page be written as PDF by a job; tells by ``prints``, and by ``saved`` or ``failed``."""
        job = PrintJob(tell(self.form.title), self.form.key, Path(path), drawn_elsewhere(self._content), self)
        job.written.connect(self.saved)
        job.failed.connect(self.failed)
        self.prints.emit(job)


def _words(error: PoolwrightError) -> str:
    return "; ".join(error.reasons) if isinstance(error, Refusal) and error.reasons else error.what


# Chooses a form of export: each with a line on what it is for, or on why this design cannot be written so.

KEY_ROLE = Qt.ItemDataRole.UserRole
LINE_ROLE = Qt.ItemDataRole.UserRole + 1
REFUSED_ROLE = Qt.ItemDataRole.UserRole + 2
_WIDEST = 76 * GRID
Ask = Callable[[str], str]


class _TwoLines(QStyledItemDelegate):
    """Title above, what it is for below."""

    def sizeHint(self, _option: QStyleOptionViewItem, index: Index) -> QSize:
        title, line = QFontMetrics(text_font(semibold=True)), QFontMetrics(text_font(SMALL_POINTS))
        width = max(title.horizontalAdvance(str(index.data())), line.horizontalAdvance(str(index.data(LINE_ROLE))))
        return QSize(min(width + 3 * GRID, _WIDEST), title.height() + line.height() + GRID)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw ground, title and line."""
        painter.save()
        rect: QRect = option.rect
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        if chosen:
            painter.fillRect(rect, theme().colour(Tone.SELECTION))
        inner = rect.adjusted(GRID, GRID // 2, -GRID, -GRID // 2)
        refused = bool(index.data(REFUSED_ROLE))
        title, line = text_font(semibold=True), text_font(SMALL_POINTS)
        painter.setFont(title)
        painter.setPen(theme().colour(Tone.MUTED if refused else Tone.TEXT))
        top = Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft
        painter.drawText(inner, top, str(index.data()))
        painter.setFont(line)
        painter.setPen(theme().colour(Tone.WARN if refused else Tone.MUTED))
        below = inner.adjusted(0, QFontMetrics(title).height(), 0, 0)
        told = QFontMetrics(line).elidedText(str(index.data(LINE_ROLE)), Qt.TextElideMode.ElideRight, below.width())
        painter.drawText(below, top, told)
        painter.restore()


class ExportChooser(QComboBox):
    """A list of forms that opens. What cannot be written is asked of ``ask`` when it opens."""

    def __init__(self, forms: tuple[ExportFormat, ...], ask: Ask, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ask = ask
        self.setAccessibleName(tell("Form of export"))
        self.setMinimumHeight(4 * GRID)
        self.setMaxVisibleItems(len(forms))
        for form in forms:
            title, purpose = tell(form.title), tell(form.purpose)
            self.addItem(title, form.key)
            row = self.count() - 1
            self.setItemData(row, purpose, LINE_ROLE)
            self.setItemData(row, f"{title}: {purpose}", Qt.ItemDataRole.AccessibleTextRole)
        self._purposes = {form.key: tell(form.purpose) for form in forms}
        self._untold: list[int] = []
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._tell_next)
        self.setItemDelegate(_TwoLines(self))

    def key(self) -> str:
        return str(self.currentData(KEY_ROLE))

    def choose(self, key: str) -> None:
        self.setCurrentIndex(self.findData(key))

    def showPopup(self) -> None:
        """Say of each form whether this design can be written so, one between two events each, then open the list."""
        self._untold = list(range(self.count()))
        self._timer.start(0)

    def tell(self) -> None:
        """Give each form its line: the reason against it, or what it is for."""
        for row in range(self.count()):
            self._tell(row)

    def _tell_next(self) -> None:
        if self._untold:
            self._tell(self._untold.pop(0))
            return
        self._timer.stop()
        if self.isVisible():
            view = self.view()
            view.setMinimumWidth(max(self.width(), view.sizeHintForColumn(0) + 2 * GRID))
            super().showPopup()

    def _tell(self, row: int) -> None:
        key = str(self.itemData(row, KEY_ROLE))
        reason = self._ask(key)
        line = tell("Not for this design: {reason}", reason=reason) if reason else self._purposes[key]
        self.setItemData(row, line, LINE_ROLE)
        self.setItemData(row, bool(reason), REFUSED_ROLE)
        self.setItemData(row, line, Qt.ItemDataRole.ToolTipRole)
        self.setItemData(row, f"{self.itemText(row)}: {line}", Qt.ItemDataRole.AccessibleTextRole)


# Quiet colours for shell text: comments, quoted words, keywords and the commands that matter.

_KEYWORDS = re.compile(
    r"\b(?:if|then|else|elif|fi|for|while|do|done|case|esac|in|function|local|readonly|return|exit|set|trap|export)\b"
)
_TOOLS = re.compile(r"(?<![\w/.-])(?:zpool|zfs)(?![\w/.-])")
_QUOTED = re.compile(r"'[^']*'|\"(?:\\.|[^\"\\])*\"")
_PIECE = 250_000  # characters that are taken in between two events, with the line they end in
_COMMENT = re.compile(r"(?:^|(?<=\s))#.*$")


class ShellHighlighter(QSyntaxHighlighter):
    """Colours one line at a time: enough to read by, no parser.

    Long texts are coloured from above in slices, and very long ones are taken in piece by piece before.
    """

    def __init__(self, editor: QPlainTextEdit) -> None:
        super().__init__(editor.document())
        self._editor = editor
        self._showing = False
        self._text, self._taken = "", 0
        self._next = QTextBlock()
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._go_on)
        self._make_formats()
        Recoloured(editor, self._recolour)

    def show_text(self, text: str) -> None:
        """Replace the text: at once and coloured above, or soon after where it is very long."""
        if text == self._text:
            return
        self._text, self._taken = text, 0
        self._next = QTextBlock()
        if len(text) > _PIECE:
            self._timer.start(0)
        else:
            self._take_in()
            self._begin()

    def _take_in(self) -> None:
        """Show the next piece of the text."""
        end = self._text.find("\n", self._taken + _PIECE) + 1 or len(self._text)
        self._showing = True
        if self._taken:
            last = QTextCursor(self.document())
            last.movePosition(QTextCursor.MoveOperation.End)
            last.insertText(self._text[self._taken : end])
        else:
            self._editor.setPlainText(self._text[:end])
        self._showing = False
        self._taken = end

    def highlightBlock(self, text: str) -> None:
        """Colour a line; a quote hides keywords, a comment hides everything but quotes before it."""
        if self._showing:
            return
        for pattern, made in ((_KEYWORDS, self._keyword), (_TOOLS, self._tool)):
            for match in pattern.finditer(text):
                self.setFormat(match.start(), match.end() - match.start(), made)
        quoted = [match.span() for match in _QUOTED.finditer(text)]
        for start, end in quoted:
            self.setFormat(start, end - start, self._quote)
        for match in _COMMENT.finditer(text):
            at = match.start()
            if not any(start < at < end for start, end in quoted):
                self.setFormat(at, len(text) - at, self._comment)

    def _recolour(self) -> None:
        self._make_formats()
        self._begin()

    def _begin(self) -> None:
        self._next = self.document().begin()
        self._timer.start(0)
        self._colour()

    def _go_on(self) -> None:
        if self._taken < len(self._text):
            self._take_in()
            if not self._next.isValid():
                self._next = self.document().begin()
        else:
            self._colour()

    def _colour(self) -> None:
        until = time.monotonic() + SLICE_SECONDS
        while self._next.isValid():
            self.rehighlightBlock(self._next)
            self._next = self._next.next()
            if time.monotonic() >= until:
                return
        if self._taken >= len(self._text):
            self._timer.stop()

    def _make_formats(self) -> None:
        self._keyword, self._tool = _format(Tone.NOTE), _format(Tone.ACCENT, bold=True)
        self._quote, self._comment = _format(Tone.OK), _format(Tone.MUTED)


def _format(tone: Tone, *, bold: bool = False) -> QTextCharFormat:
    made = QTextCharFormat()
    made.setForeground(theme().colour(tone))
    if bold:
        made.setFontWeight(QFont.Weight.Bold)
    return made


# The report on the current design: what the window knows of it, put together for Markdown, HTML or PDF.

_T = TypeVar("_T")


def report_subject(session: Session) -> DesignSubject:
    """Return what a report on the current design is made of; raises UserError where there is none."""
    return at_once(_subject(session, _design_of(session)))


def _design_of(session: Session) -> Design:
    if session.design is None:
        raise UserError(tell("There is no design to report on"), todo=tell("Choose a layout first."))
    return session.design


def _subject(session: Session, design: Design) -> Generator[None, None, DesignSubject]:
    rules = session.rules
    found = yield from evaluate_in_steps(
        design,
        drives=session.expectations.book(),
        today=datetime.now().astimezone().date(),
        rules=rules,
        assumed=session.expectations.assumed,
        unassigned_disks=unassigned_of(design, list(session.ticked)),
    )
    yield
    return DesignSubject(evaluation=found, advice=() if rules is None else advice_for(rules, design), made=made_words())


def save_design_report(session: Session, path: Path, failed: Callable[[PoolwrightError], None]) -> None:
    """Write the report on the current design as PDF, HTML or Markdown, by the ending of ``path``, and say so.

    A job of the window writes it. ``failed`` is a bound slot: it takes UserError where there is no design,
    EnvironmentFailure where the file cannot be written.
    """
    try:
        job = _ReportJob(session, path, _design_of(session))
    except PoolwrightError as error:
        failed(error)
        return
    job.failed.connect(failed)
    session.jobs.add(job)


class _ReportJob(PrintJob):
    """Puts the report together, has it drawn where it is a PDF, writes it and says so."""

    def __init__(self, session: Session, path: Path, design: Design) -> None:
        title = tell("Writing the report")
        super().__init__(title, "report", path, _report(path, session, design), session)
        self._session = session
        self.written.connect(self._on_written)

    def _on_written(self, _key: str, path: str) -> None:
        told = tell("The report is saved to {path}.")
        self._session.say(told.format(path=path))


def _report(path: Path, session: Session, design: Design) -> Reading[bytes]:
    subject = yield from _in_turns(_subject(session, design))
    report = yield from _in_turns(design_report_in_steps(subject))
    return (yield from report_content(path.suffix, report))


def _in_turns(steps: Generator[None, None, _T]) -> Reading[_T]:
    """Return what ``steps`` returns; what waits in the window has its turn after each."""
    return at_each(steps, lambda _: ())
