"""The tables against the documents they were transcribed from, where those are at hand: each figure, and all."""

import csv
import re
from pathlib import Path

import pytest
from tests.cases import table

from poolwright.predict.tables import ColumnKind, Document, Precision, ReadFrom, Row, Tables

SHARED = Path(__file__).parents[2].parent / "shared"
# The first words of each document tell which it is: their file names say nothing.
BEGINS = {
    Document.THESIS: "Berufsakademie Sachsen",
    Document.PAPER: "一种 Linux 环境下优化 ZFS 同步写性能的方法",
    Document.MACBLOG: "Archive\n\nZFS\n\nReading ZEVO forums",
    Document.WIKIBOOK: "ZFS auf Linux/ Die richtige Poolkonfiguration",
    Document.TUNABLES: "ZFS Tunables",
}
GERMAN = (Document.THESIS, Document.WIKIBOOK, Document.TUNABLES)
WORDS: dict[str, float] = table(__file__, "words")
# Units as the documents print them -> the unit the row must have.
UNITS: dict[str, str] = table(__file__, "units")
# What the thesis repeats or says only of its conditions: no figures of their own, by line of its text.
REPEATED = {int(line): told for line, told in table(__file__, "repeated").items()}
FIGURE_OF_THE_THESIS = re.compile(r"\d[\d.,]* ?(?:MiB/s|GiB|TiB|GB|TB|KiB|%|Stunden|Sekunden|MHz|GHz)")
BODY_OF_THE_THESIS = range(180, 1076)  # chapters 1 to 8


@pytest.fixture(scope="module")
def documents() -> dict[str, list[str]]:
    """The lines of each of the five documents; the test is skipped where they are not at hand."""
    texts = [path.read_text(encoding="utf-8") for path in sorted((SHARED / "seeds").glob("*.txt"))]
    if not texts:
        pytest.skip("the source documents are not here")
    found = {}
    for document, begin in BEGINS.items():
        (text,) = [each for each in texts if each.lstrip().startswith(begin)]
        found[document.value] = text.split("\n")
    return found


def _transcribed(tables: Tables) -> list[Row]:
    return [row for table in tables for row in table.rows if row.provenance.document in set(Document)]


def _line(documents: dict[str, list[str]], row: Row) -> str:
    assert row.provenance.line is not None
    return documents[row.provenance.document][row.provenance.line - 1]


def _figures(row: Row) -> list[tuple[str, str]]:
    """Return each figure column that is filled, with the words it was printed as."""
    names = [
        column.name
        for column, cell in zip(row.columns, row.cells, strict=True)
        if column.kind is ColumnKind.FIGURE and cell is not None
    ]
    return list(zip(names, [p for p in row.provenance.printed if p.strip("+")], strict=True))


def _value(printed: str, *, german: bool) -> float:
    if printed in WORDS:
        return WORDS[printed]
    text = re.split(r"=|\[", printed)[-1] if "=" in printed else printed
    match = re.search(r"-?\d[\d.,]*", text)
    assert match, printed
    number = match.group(0).rstrip(".,")
    if german:
        number = re.sub(r"\.(?=\d{3}(?:\D|$))", "", number).replace(",", ".")
    return float(number)


def _number(text: str) -> str:
    """Return the digits of a printed figure, as they are printed."""
    match = re.search(r"\d[\d.,]*", text.rpartition("=")[2])
    return match.group(0) if match else ""


def test_that_every_figure_stands_in_its_document_at_the_line_named(
    tables: Tables, documents: dict[str, list[str]]
) -> None:
    rows = _transcribed(tables)
    assert {row.provenance.document for row in rows} == set(documents)
    for row in rows:
        assert row.provenance.printed
        for printed in row.provenance.printed:
            assert printed in _line(documents, row), (row.table, row.number, printed)


def test_that_every_figure_is_the_number_that_is_printed(tables: Tables, documents: dict[str, list[str]]) -> None:
    for row in _transcribed(tables):
        german = row.provenance.document in GERMAN and row.provenance.read_from is not ReadFrom.LISTING
        for column, printed in _figures(row):
            cell = row.cell(column)
            if isinstance(cell, str):
                assert cell == printed, (row.table, row.number)
            else:
                assert _value(printed, german=german) == pytest.approx(cell, abs=1e-9), (row.table, row.number)


def test_that_every_figure_has_the_unit_that_is_printed(tables: Tables, documents: dict[str, list[str]]) -> None:
    checked = 0
    for row in _transcribed(tables):
        for column, printed in _figures(row):
            unit = next((ours for ending, ours in UNITS.items() if printed.endswith(ending)), None)
            if unit is not None and not isinstance(row.cell(column), str):
                assert row.unit(column) == unit, (row.table, row.number, printed)
                checked += 1
    assert checked > 150


def test_that_words_such_as_about_stand_beside_a_figure_called_so(
    tables: Tables, documents: dict[str, list[str]]
) -> None:
    hedges = {
        Precision.ABOUT: r"etwa|ca\.|rund|über|zirka|nahezu",
        Precision.UP_TO: r"bis zu|maximal|max\.",
        Precision.OVER: r"reichlich|mindestens|über",
        Precision.NEARLY: r"fast|nahezu",
    }
    for row in _transcribed(tables):
        pattern = hedges.get(row.provenance.precision)
        if pattern is not None and row.provenance.document == Document.THESIS:
            assert re.search(pattern, _line(documents, row)), (row.table, row.number)


def test_that_both_tables_of_the_wikibook_are_here_cell_by_cell(
    tables: Tables, documents: dict[str, list[str]]
) -> None:
    theory: list[list[str]] = []
    measured: list[list[str]] = []
    for line in documents["wikibook"]:
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) > 5 and cells[1].isdigit():
            (theory if cells[3].isdigit() else measured).append(cells)
    assert (len(theory), len(measured)) == (31, 16)

    def kind(label: str) -> str:
        words = {"Spiegel": "mirror", "Stripe": "stripe"}
        last = label.rsplit(maxsplit=1)[-1].removeprefix("1x")
        return words.get(last, last.lower().replace("-", ""))

    def spec(label: str) -> str:
        match = re.match(r"(?:(\d+)x)?(?:(\d+) Platten )?", label)
        assert match
        count, width = int(match.group(1) or 1), match.group(2)
        if width is None:
            return f"stripe:{count}"
        return f"{count}*{kind(label)}:{width}" if count > 1 else f"{kind(label)}:{width}"

    for row, cells in zip(tables.named("pool_throughput").rows, measured, strict=True):
        failures = 0 if cells[4] == "keine" else int(cells[4])
        expected = (spec(cells[0]), int(cells[1]), int(cells[2]), int(cells[3].rstrip("%")), failures)
        columns = ("spec", "read_mb_s", "write_mb_s", "space_percent", "failures_survived")
        assert tuple(row.cell(column) for column in columns) == expected
        assert row.cell("layout") == kind(cells[0])
    for row, cells in zip(tables.named("pool_theory").rows, theory, strict=True):
        numbers = [int(number) for cell in cells[1:7] for number in re.findall(r"\d+", cell)]
        if cells[6] == "keine":
            numbers.append(0)
        names = ("read_iops", "write_iops", "read_mb_s", "write_mb_s", "space_tb", "space_percent")
        got = [row.cell(name) for name in (*names, "failures_survived", "failures_per_vdev")]
        assert [value for value in got if value is not None] == numbers
        assert row.cell("spec") == spec(cells[0])


def test_that_every_result_line_of_the_mac_blog_is_here(tables: Tables, documents: dict[str, list[str]]) -> None:
    results = {
        number
        for number, line in enumerate(documents["macblog"], start=1)
        if re.search(r"\b(?:[Ww]rite|[Rr]ead) \d+\.\d+ \d+\.\d+ -?\d", line)
    }
    assert len(results) == 32  # six tables
    names = ("ashift_effect", "raidz_levels", "partition_effect", "kernel_effect")
    rows = [row for name in names for row in tables.named(name).rows if row.provenance.document == "macblog"]
    assert {row.provenance.line for row in rows} == results
    for row in rows:
        numbers = re.findall(r"-?\d+\.\d+%?", _line(documents, row))
        assert list(row.provenance.printed) == numbers


def test_that_both_bonnie_outputs_are_here_with_their_plus_signs(
    tables: Tables, documents: dict[str, list[str]]
) -> None:
    lines = [
        line.split()[1:] for line in documents["macblog"] if re.match(r"\s*(?:300M|16)\s+\d+\s+\d+ +\d+\s+\d+", line)
    ]
    printed = [cell for line in lines for cell in line]
    rows = tables.named("bonnie_macblog").rows
    assert [part for row in rows for part in row.provenance.printed] == printed
    assert [row.text("test") for row in rows if row.cell("rate") is None] == ["random_read"]


def test_that_every_number_of_the_tunables_benchmark_is_here(tables: Tables, documents: dict[str, list[str]]) -> None:
    lines = [
        (number, line)
        for number, line in enumerate(documents["tunables"], start=1)
        if re.match(r"(?:Vorher|Nachher|Zuwachs)", line)
    ]
    assert len(lines) == 8
    rows = tables.named("tunables_before_after").rows
    for number, line in lines:
        numbers = re.findall(r"[\d.,]+(?: MB/sec|%)", line)
        here = [part for row in rows if row.provenance.line == number for part in row.provenance.printed]
        assert here == numbers


def test_that_every_gain_of_the_paper_is_here(tables: Tables, documents: dict[str, list[str]]) -> None:
    percentages = {part for line in documents["paper"] for part in re.findall(r"\d+\.\d+%", line)}
    here = {part for row in tables.named("fsync_paper").rows for part in row.provenance.printed}
    assert percentages <= here


def test_that_every_figure_of_the_thesis_is_here_or_repeats_one(
    tables: Tables, documents: dict[str, list[str]]
) -> None:
    by_line: dict[int, list[str]] = {}
    for row in _transcribed(tables):
        if row.provenance.document == Document.THESIS and row.provenance.line is not None:
            by_line.setdefault(row.provenance.line, []).extend(row.provenance.printed)
    missing = []
    for number in BODY_OF_THE_THESIS:
        known = {_number(part) for part in [*by_line.get(number, []), *REPEATED.get(number, "").split(", ")]}
        found = FIGURE_OF_THE_THESIS.findall(documents["thesis"][number - 1])
        missing += [(number, figure) for figure in found if _number(figure) not in known]
    assert missing == []


def test_that_the_drive_statistics_are_taken_over_row_by_row(tables: Tables) -> None:
    for name in ("drive_afr", "fleet_afr"):
        path = SHARED / "data" / f"{name}.csv"
        if not path.exists():
            pytest.skip("the drive statistics are not here")
        rows = list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))
        for row, given in zip(tables.named(name).rows, rows, strict=True):
            for column, text in given.items():
                cell = row.cell(column)
                assert (text == "" and cell is None) or (cell == text if isinstance(cell, str) else cell == float(text))
