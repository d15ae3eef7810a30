"""The design in the form that is chosen: what the form is for, the text, and buttons to take it away."""

import re
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QPlainTextEdit, QSizePolicy, QStackedWidget, QTextBrowser, QWidget

from poolwright.domain.design import Design
from poolwright.domain.errors import PoolwrightError, Refusal
from poolwright.emit.exports import EXPORTS, ExportContext, ExportFormat, export_format, export_text
from poolwright.emit.script import FIXED_PART, fixed_part_sum
from poolwright.emit.sheet import recovery_sheet
from poolwright.paper.report_pdf import drawn_elsewhere
from poolwright.store.files import PLAIN_MODE, SCRIPT_MODE, write_script
from poolwright.texts import _, ngettext
from poolwright.ui.parts import widgets
from poolwright.ui.parts.save_file import ask_where
from poolwright.ui.parts.theme import GRID, SMALL_POINTS, Tone, mono_font
from poolwright.ui.parts.widgets import ElidedLabel, ToneLabel
from poolwright.ui.state.session import Session

SCRIPT = "sh"
_GROUPS = ("sheet", "ansible")  # the forms that begin one: scripts stand before the papers, other programs' after them
_TABLE = '<table width="100%" cellspacing="0" cellpadding="4">'
_ROWS, _ROW_END, _MOST_ROWS = re.compile(r"(?<=<tbody>).*?(?=</tbody>)", re.DOTALL), "</tr>", 60
_MOST_LINES = 10_000  # of a form that is data; Qt takes in many more in one turn, too long for the window


class ExportPane(QWidget):
    """Shows one form of the current design.

    ``scripted`` asks for the script to be written to a path; ``changed`` says that other text is shown.
    """

    scripted = Signal(str)
    changed = Signal()

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self._design: Design | None = None
        self._context: ExportContext | None = None
        self._error: PoolwrightError | None = None
        self._content = self._shown_text = self._script = ""
        self.fixed = ElidedLabel(Tone.MUTED, self, mode=Qt.TextElideMode.ElideMiddle)
        self.fixed.setFont(mono_font(SMALL_POINTS))
        self.purpose = ToneLabel("", Tone.MUTED, self)
        around = (2 * GRID, 0, 2 * GRID, GRID)
        column = widgets.column(self.purpose, self._make_tools(), of=self, gap=GRID // 2, around=around)
        self.stack = QStackedWidget(self)
        self.text = self._make_text()
        self.page = widgets.named(QTextBrowser(self), _("The page as it is printed"))
        self.page.setOpenLinks(False)
        self.stack.addWidget(self.text)
        self.stack.addWidget(self.page)
        column.addWidget(self.stack, 1)
        self._show()

    @property
    def form(self) -> ExportFormat:
        return export_format(str(self.chooser.currentData()))

    @property
    def lines(self) -> int:
        return self._content.count("\n")

    def show_design(self, design: Design | None, context: ExportContext | None, script: str = "") -> None:
        """Show a design, whose ``script`` may be written already."""
        self._design, self._context, self._script = design, context, script
        self._show()

    def text_in(self, key: str) -> str:
        if self._design is None or self._context is None:
            raise Refusal(_("No design yet: choose a layout first."))
        return self._script if key == SCRIPT and self._script else export_text(key, self._design, self._context)

    def _make_tools(self) -> QHBoxLayout:
        self.chooser = widgets.named(QComboBox(self), _("Form of export"))
        self.chooser.setMinimumHeight(4 * GRID)
        for form in EXPORTS:
            if form.key in _GROUPS:
                self.chooser.insertSeparator(self.chooser.count())
            self.chooser.addItem(_(form.title), form.key)
            self.chooser.setItemData(self.chooser.count() - 1, _(form.purpose), Qt.ItemDataRole.ToolTipRole)
        self.chooser.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.chooser.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.chooser.setMinimumContentsLength(6)
        self.chooser.setMaximumWidth(36 * GRID)
        self.chooser.currentIndexChanged.connect(self._show)
        self.copy = widgets.button(_("Copy"), self, self._copy, icon="copy")
        self.save = widgets.button(_("Save…"), self, self._ask_where, icon="save")
        self.pdf = widgets.button(_("PDF…"), self, self._ask_where_pdf, icon="export")
        return widgets.row((self.fixed, 1), self.copy, self.save, self.pdf)

    def _make_text(self) -> QPlainTextEdit:
        text = QPlainTextEdit(self)
        text.setReadOnly(True)
        text.setUndoRedoEnabled(False)
        text.setFont(mono_font(SMALL_POINTS))
        text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        return text

    def _show(self) -> None:
        form = self.form
        self._error, self._content = None, ""
        try:
            self._content = self.text_in(form.key)
        except PoolwrightError as error:
            self._error = error
        self._say_purpose(form)
        name = _("The script") if form.key == SCRIPT else _(form.title)
        self.text.setAccessibleName(name)
        self.stack.setCurrentWidget(self.page if form.paged else self.text)
        if form.paged:  # with as many rows of each table as a person reads here; Qt lays out a table in one go
            html = _ROWS.sub(self._first_rows, self._content)
            self.page.setHtml(html.replace("<table>", _TABLE))  # Qt reads no such room from the style of a page
        else:
            shown = self._content if form.key == SCRIPT else self._first_lines(self._content)
            if shown != self._shown_text:  # else one would be led back to its first line
                self._shown_text = shown
                self.text.setPlainText(shown)
        self.text.setPlaceholderText(_("This design cannot be written in this form yet."))
        for button in (self.copy, self.save, self.pdf):
            button.setEnabled(bool(self._content))
            button.setVisible(form.paged if button is self.pdf else form.key != SCRIPT)  # the page saves the script
        self.changed.emit()

    def _first_lines(self, text: str) -> str:
        """Return as much of a form as a person reads here, with a line on the rest; a script is always whole."""
        left = text.count("\n") - _MOST_LINES
        if left <= 0:
            return text
        told = ngettext(
            "… {count} further line is saved and copied", "… {count} further lines are saved and copied", left
        )
        first = text.split("\n", _MOST_LINES)[:-1]
        return "\n".join((*first, told))

    def _first_rows(self, rows: re.Match[str]) -> str:
        first = rows[0].split(_ROW_END, _MOST_ROWS)
        left = first[-1].count(_ROW_END)
        if not left:
            return rows[0]
        told = ngettext(
            "{count} further row is saved and in the PDF", "{count} further rows are saved and in the PDF", left
        )
        return f"{_ROW_END.join(first[:-1])}{_ROW_END}<tr><td colspan='7'>{told}</td></tr>"

    def _say_purpose(self, form: ExportFormat) -> None:
        self._say_checksum(form)
        self.purpose.setVisible(form.key != SCRIPT)
        # Why there is no script stands above all panes already.
        if self._error is None or self._design is None or form.key == SCRIPT:
            self.purpose.setText(_(form.purpose))
            self.purpose.set_tone(Tone.MUTED)
        else:
            self.purpose.setText(_("Not for this design: {reason}", reason=_words(self._error)))
            self.purpose.set_tone(Tone.WARN)

    def _say_checksum(self, form: ExportFormat) -> None:
        self.fixed.setVisible(form.fixed_part is not None)
        if form.fixed_part is not None:
            checksum = fixed_part_sum(form.fixed_part)
            self.fixed.show_text(_("Fixed part: sha256 {checksum}", checksum=checksum))
            told = _("Everything after “{title}” is the same in every script. sha256: {checksum}")
            self.fixed.setToolTip(told.format(title=FIXED_PART, checksum=checksum))

    def _copy(self) -> None:
        self._session.copy(self._content)

    def _ask_where(self) -> None:
        if self._design is not None:
            name = self.form.name_for(self._design)
            ask_where(self, name, self.save_to)

    def _ask_where_pdf(self) -> None:
        if self._design is not None:
            name = f"{self.form.name_for(self._design).rpartition('.')[0]}.pdf"
            ask_where(self, name, self.save_pdf_to)

    def save_to(self, path: str) -> None:
        if self.form.key == SCRIPT:
            self.scripted.emit(path)
        else:
            self._session.write(path, self._content, SCRIPT_MODE if self.form.program else PLAIN_MODE)

    def write_script_to(self, path: Path) -> None:
        """Write the guarded script, and the advice for its host beside it; raises as `text_in` and `write_script`."""
        advised = self._context is not None and bool(self._context.advice)
        write_script(path, self.text_in(SCRIPT), self.text_in("advice") if advised else None)

    def save_pdf_to(self, path: str) -> None:
        if self._design is None or self._context is None:
            return
        sheet = recovery_sheet(self._design, self._context.stamp)
        self._session.write_beside(_(self.form.title), path, drawn_elsewhere(sheet))


def _words(error: PoolwrightError) -> str:
    return "; ".join(error.reasons) if isinstance(error, Refusal) and error.reasons else error.what
