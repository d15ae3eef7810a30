"""The verdict on each test of a run, as a table."""

from dataclasses import dataclass

from PySide6.QtCore import QObject, Qt

from poolwright.bench.judging.table_answers import AgainstTable, ratio_words
from poolwright.bench.judging.verdict_words import expected_words, factor_words, judgement_words, value_words
from poolwright.bench.judging.verdicts import Judgement, TestVerdict
from poolwright.texts import tell
from poolwright.ui.parts import icons
from poolwright.ui.parts.table import RowModel, TableColumn
from poolwright.ui.parts.theme import Tone, theme

SPREAD, EXPECTED, LIMITED, DOCUMENTS = 3, 4, 5, 6  # columns that are shown where a test has such
JUDGEMENT_TONES = {
    Judgement.PASSED: Tone.OK,
    Judgement.SLOWER: Tone.WARN,
    Judgement.TOO_FAST: Tone.WARN,
    Judgement.CANNOT_TELL: Tone.UNKNOWN,
}
JUDGEMENT_ICONS = {
    Judgement.PASSED: "ok",
    Judgement.SLOWER: "warn",
    Judgement.TOO_FAST: "warn",
    Judgement.CANNOT_TELL: "unknown",
}


@dataclass(frozen=True, slots=True)
class VerdictRow:
    """A test with its title, the verdict on it, and what the documents have for comparable hardware."""

    title: str
    verdict: TestVerdict
    beside: tuple[AgainstTable, ...] = ()


class VerdictTable(RowModel[VerdictRow]):
    """One row a test, in the order they ran."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(_columns(), parent, key=_name)


def _name(row: VerdictRow) -> str:
    return row.verdict.test


def _measured(row: VerdictRow) -> str:
    measured = row.verdict.measured
    return "" if measured is None else value_words(row.verdict.metric, measured.median)


def _spread(row: VerdictRow) -> str:
    spread = _known_spread(row)
    return "" if spread is None else f"{spread * 100:.0f} %"


def _known_spread(row: VerdictRow) -> float | None:
    return None if row.verdict.measured is None else row.verdict.measured.known


def _beside(row: VerdictRow) -> str:
    return ", ".join(ratio_words(each) for each in row.beside)


def _look(row: VerdictRow, role: int) -> object:
    judgement = row.verdict.judgement
    if role == Qt.ItemDataRole.DecorationRole:
        return icons.icon(JUDGEMENT_ICONS[judgement], JUDGEMENT_TONES[judgement])
    if role == Qt.ItemDataRole.ForegroundRole:
        return theme().colour(JUDGEMENT_TONES[judgement])
    return None


def _columns() -> tuple[TableColumn[VerdictRow], ...]:
    return (
        TableColumn(title=tell("Test"), text=lambda row: row.title, tip=lambda row: row.title),
        TableColumn(
            title=tell("Verdict"),
            text=lambda row: judgement_words(row.verdict),
            value=lambda row: list(Judgement).index(row.verdict.judgement),
            look=_look,
        ),
        TableColumn(
            title=tell("Measured"),
            meaning=tell("The median of the repeats"),
            text=_measured,
            value=lambda row: None if row.verdict.measured is None else row.verdict.measured.median,
            number=True,
        ),
        TableColumn(
            title=tell("Spread"),
            meaning=tell("From the least to the most of the repeats, over their median"),
            text=_spread,
            value=_known_spread,
            number=True,
        ),
        TableColumn(
            title=tell("Expected"),
            meaning=tell("The band that was drawn before the run"),
            text=lambda row: expected_words(row.verdict),
            value=lambda row: None if row.verdict.expected is None else row.verdict.expected.typical,
            number=True,
        ),
        TableColumn(title=tell("Limited by"), text=lambda row: factor_words(row.verdict)),
        TableColumn(
            title=tell("Documents"),
            meaning=tell("Measured over what the documents have for comparable hardware"),
            text=_beside,
            value=lambda row: row.beside[0].ratio if row.beside else None,
            number=True,
        ),
    )
