"""The verdict on a run: one sentence, a row for each test, and why and what next for the selected one."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QSplitter, QTextBrowser, QWidget

from poolwright.bench.judging.against_tables import TableVerdict, against_tables
from poolwright.bench.judging.table_answers import against_words
from poolwright.bench.judging.verdicts import RunVerdict
from poolwright.bench.record import RunRecord
from poolwright.domain.shown import html_escaped
from poolwright.table_library import load_shipped_tables
from poolwright.texts import tell
from poolwright.ui.parts import lay
from poolwright.ui.parts.kept_names import KeptNames
from poolwright.ui.parts.notice import Message, Notice
from poolwright.ui.parts.plain_table import plain_table
from poolwright.ui.parts.recoloured import Recoloured
from poolwright.ui.parts.theme import GRID
from poolwright.ui.verify.verdict_table import (
    DOCUMENTS,
    EXPECTED,
    JUDGEMENT_ICONS,
    JUDGEMENT_TONES,
    LIMITED,
    SPREAD,
    VerdictRow,
    VerdictTable,
)

_LEAST = 15 * GRID  # px of a name: in a small window the others are scrolled to


class VerdictPane(QWidget):
    """``picked`` sends the name of the test that was selected, ``pressed`` what is to be done with the run."""

    picked = Signal(str)
    pressed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._record: RunRecord | None = None
        self._verdict: RunVerdict | None = None
        self._beside = TableVerdict(tables=())
        self.notice = Notice(tell("Verdict"), self)
        self.notice.pressed.connect(self.pressed)
        self.table = VerdictTable(self)
        self.view = plain_table(tell("Verdict on each test"), self.table, self)
        self.view.setTextElideMode(Qt.TextElideMode.ElideMiddle)  # tests of a sweep begin alike
        self._names = KeptNames(self.view, _LEAST)
        self.view.selectionModel().currentRowChanged.connect(self._on_row)
        self.detail = QTextBrowser(self)
        self.detail.setAccessibleName(tell("Why, and what to try next"))
        self.detail.setMinimumHeight(12 * GRID)
        self.detail.document().setDocumentMargin(GRID)
        self._tests = QSplitter(Qt.Orientation.Vertical, self)
        self._tests.setChildrenCollapsible(False)
        self._tests.addWidget(self.view)
        self._tests.addWidget(self.detail)
        self._tests.hide()
        lay.column(self.notice, (self._tests, 1000), 1, of=self)
        self.notice.show_text(tell("No run is open. Measure one, or open one that was kept under “Runs”."))
        Recoloured(self, self._show_detail)

    def show_verdict(self, record: RunRecord, verdict: RunVerdict, offers: tuple[tuple[str, str], ...] = ()) -> None:
        """Show this verdict; ``offers`` are what can be done with the run, as in `Notice`."""
        self._record, self._verdict = record, verdict
        tone, icon = JUDGEMENT_TONES[verdict.judgement], JUDGEMENT_ICONS[verdict.judgement]
        self.notice.say(Message(title=verdict.sentence, tone=tone, icon=icon, bold=True, offers=offers, apart=True))
        self._tests.show()
        titles = {run.test.name: run.test.title for run in record.tests}
        self._beside = against_tables(record, verdict, load_shipped_tables())
        self.table.show_rows(
            VerdictRow(titles.get(test.test, test.test), test, self._beside.of_test(test.test))
            for test in verdict.tests
        )
        for column in (SPREAD, EXPECTED, LIMITED, DOCUMENTS):
            self.view.setColumnHidden(column, self.table.is_empty(column))
        self._names.keep()
        if verdict.tests:
            self.view.selectRow(0)
        self._show_detail()

    def select(self, name: object) -> None:
        line = self.table.line_of(name)
        if line is not None:
            self.view.selectRow(line)

    def selected(self) -> VerdictRow | None:
        index = self.view.currentIndex()
        return self.table.row(index.row()) if index.isValid() and index.row() < self.table.rowCount() else None

    def _on_row(self) -> None:
        self._show_detail()
        row = self.selected()
        if row is not None:
            self.picked.emit(row.verdict.test)

    def _show_detail(self) -> None:
        row = self.selected()
        self.detail.setHtml(
            "" if row is None or self._record is None else detail_html(row, self._record, self._beside.why)
        )


def detail_html(row: VerdictRow, record: RunRecord, not_compared: tuple[str, ...] = ()) -> str:
    """Return what is known of one test: evidence, likely reasons, next steps, what disturbed, what ZFS does with it."""
    verdict = row.verdict
    notes = next((run.test.notes for run in record.tests if run.test.name == verdict.test), ())
    beside = tuple(f"{each.what}: {against_words(each)}. {each.source}" for each in row.beside)
    parts = (
        (tell("What disturbed it"), verdict.marks),
        (tell("Why"), tuple(reason for reason in verdict.reasons if reason not in verdict.marks)),
        (tell("What limited it"), verdict.limiting.evidence if verdict.limiting is not None else ()),
        (tell("What to try next"), verdict.next_steps),
        (tell("Beside the documents"), beside or not_compared),
        (tell("What goes with this result"), notes),
    )
    return "".join(_section(title, lines) for title, lines in parts if lines)


def _section(title: str, lines: tuple[str, ...]) -> str:
    items = "".join(f"<li>{html_escaped(line)}</li>" for line in lines)
    return f"<p><b>{html_escaped(title)}</b></p><ul>{items}</ul>"
