"""The verdict on a run: one sentence, a row for each test, and why and what next for the selected one."""

from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QTextBrowser, QWidget

from poolwright.bench.judging.against_tables import (
    AgainstTable,
    TableVerdict,
    against_tables,
    against_words,
    ratio_words,
)
from poolwright.bench.judging.verdict_words import expected_words, factor_words, judgement_words, value_words
from poolwright.bench.judging.verdicts import Judgement, RunVerdict, TestVerdict
from poolwright.bench.record import RunRecord
from poolwright.domain.shown import html_escaped
from poolwright.table_library import load_shipped_tables
from poolwright.texts import tell
from poolwright.ui.parts import icons, lay
from poolwright.ui.parts.icons import Recoloured
from poolwright.ui.parts.note_lines import TONE_ICONS, Message, Notice
from poolwright.ui.parts.save_file import KeptNames
from poolwright.ui.parts.table import ROW_ROLE, RowModel, TableColumn, plain_table
from poolwright.ui.parts.theme import GRID, Tone, theme

# The verdict on each test of a run, as a table.

SPREAD, EXPECTED, LIMITED, DOCUMENTS = 3, 4, 5, 6  # columns that are shown where a test has such
JUDGEMENT_TONES = {
    Judgement.PASSED: Tone.OK,
    Judgement.SLOWER: Tone.WARN,
    Judgement.TOO_FAST: Tone.WARN,
    Judgement.CANNOT_TELL: Tone.UNKNOWN,
}


@dataclass(frozen=True, slots=True)
class VerdictRow:
    """A test with its title, the verdict on it, and what the documents have for comparable hardware."""

    title: str
    verdict: TestVerdict
    beside: tuple[AgainstTable, ...] = ()


def _measured(row: VerdictRow) -> str:
    measured = row.verdict.measured
    return "" if measured is None else value_words(row.verdict.metric, measured.median)


def _spread(row: VerdictRow) -> float | None:
    return None if row.verdict.measured is None else row.verdict.measured.known


def _beside(row: VerdictRow) -> str:
    return ", ".join(ratio_words(each) for each in row.beside)


def _look(row: VerdictRow, role: int) -> object:
    tone = JUDGEMENT_TONES[row.verdict.judgement]
    if role == Qt.ItemDataRole.DecorationRole:
        return icons.icon(TONE_ICONS[tone], tone)
    if role == Qt.ItemDataRole.ForegroundRole:
        return theme().colour(tone)
    return None


def _columns() -> tuple[TableColumn[VerdictRow], ...]:
    spread = tell("From the least to the most of the repeats, over their median")
    beside = tell("Measured over what the documents have for comparable hardware")
    return (
        TableColumn(title=tell("Test"), text=lambda row: row.title, tip=lambda row: row.title),
        TableColumn(
            title=tell("Verdict"), text=lambda row: judgement_words(row.verdict), look=_look,
            value=lambda row: list(Judgement).index(row.verdict.judgement),
        ),
        TableColumn(
            title=tell("Measured"), meaning=tell("The median of the repeats"), text=_measured, number=True,
            value=lambda row: None if row.verdict.measured is None else row.verdict.measured.median,
        ),
        TableColumn(
            title=tell("Spread"), meaning=spread, value=_spread, number=True,
            text=lambda row: "" if (known := _spread(row)) is None else f"{known * 100:.0f} %",
        ),
        TableColumn(
            title=tell("Expected"), meaning=tell("The band that was drawn before the run"), number=True,
            text=lambda row: expected_words(row.verdict),
            value=lambda row: None if row.verdict.expected is None else row.verdict.expected.typical,
        ),
        TableColumn(title=tell("Limited by"), text=lambda row: factor_words(row.verdict)),
        TableColumn(
            title=tell("Documents"), meaning=beside, text=_beside, number=True,
            value=lambda row: row.beside[0].ratio if row.beside else None,
        ),
    )  # fmt: skip


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
        self.table = RowModel[VerdictRow](_columns(), self, key=lambda row: row.verdict.test)
        self.view = plain_table(tell("Verdict on each test"), self.table, self)
        self.view.setTextElideMode(Qt.TextElideMode.ElideMiddle)  # tests of a sweep begin alike
        self._names = KeptNames(self.view, _LEAST)
        self.view.selectionModel().currentRowChanged.connect(self._on_row)
        self.detail = lay.named(QTextBrowser(self), tell("Why, and what to try next"))
        self.detail.setMinimumHeight(12 * GRID)
        self.detail.document().setDocumentMargin(GRID)
        self._tests = lay.split(self, (self.view, 0), (self.detail, 0))
        self._tests.hide()
        lay.column(self.notice, (self._tests, 1000), 1, of=self)
        self.notice.show_text(tell("No run is open. Measure one, or open one that was kept under “Runs”."))
        Recoloured(self, self._show_detail)

    def show_verdict(self, record: RunRecord, verdict: RunVerdict, offers: tuple[tuple[str, str], ...] = ()) -> None:
        self._record, self._verdict = record, verdict
        tone = JUDGEMENT_TONES[verdict.judgement]
        icon = TONE_ICONS[tone]
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
        row: VerdictRow | None = self.view.currentIndex().data(ROW_ROLE)
        return row

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
