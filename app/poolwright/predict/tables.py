"""Loads the measured tables of `rules/tables`: a `.csv` and the `.toml` that describes it, as text, into frozen rows.

A figure nobody can trace is worth nothing, so every row must name its document, the place in it and, for the five
source documents, the line and the figures as they are printed there.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import isfinite
from typing import TypeVar

from poolwright.domain.errors import UserError
from poolwright.domain.shown import csv_rows
from poolwright.predict.table_description import Description, read_description
from poolwright.predict.table_model import (
    UNIT_PER_ROW,
    UNITS,
    Cell,
    Column,
    ColumnKind,
    ColumnType,
    Document,
    Precision,
    Provenance,
    ReadFrom,
    Row,
    Table,
    Tables,
    draw,
    parse_shape,
)
from poolwright.rules.texts import RuleFault
from poolwright.texts import tell, tell_counted

PRINTED_SEPARATOR = "|"
_SEED_COLUMNS = ("printed", "line", "precision")
_Choice = TypeVar("_Choice", bound=StrEnum)


class TableErrors(UserError):
    def __init__(self, problems: Sequence[RuleFault]) -> None:
        self.problems = tuple(sorted(problems))
        count = len(self.problems)
        listing = "\n".join(f"  {problem}" for problem in self.problems)
        super().__init__(
            tell_counted(
                "{count} error in the tables:\n{listing}",
                "{count} errors in the tables:\n{listing}",
                count,
                listing=listing,
            )
        )


def load_tables(files: Mapping[str, str]) -> Tables:
    """Return the tables among ``files`` (file name to text: ``name.csv`` and ``name.toml`` each).

    Raises TableErrors, which lists all that is wrong in all files with file and line.
    """
    problems: list[RuleFault] = []
    tables: list[Table] = []
    for file in sorted(files):
        stem, dot, ending = file.rpartition(".")
        if ending == "toml" and f"{stem}.csv" not in files:
            problems.append(RuleFault(file, 1, tell("{stem}.csv is missing, which it describes", stem=stem)))
        if ending != "csv" or not dot:
            continue
        if f"{stem}.toml" not in files:
            problems.append(RuleFault(file, 1, tell("{stem}.toml is missing, which describes its columns", stem=stem)))
            continue
        described = read_description(f"{stem}.toml", files[f"{stem}.toml"], problems)
        if described is not None:
            tables.append(_read_rows(file, stem, files[file], described, problems))
    if problems:
        raise TableErrors(problems)
    return Tables(tables=tuple(tables))


def _read_rows(file: str, name: str, text: str, described: Description, problems: list[RuleFault]) -> Table:
    try:
        lines = [cells for _, cells in csv_rows(text)]
    except UserError as error:
        problems.append(RuleFault(file, 1, f"{error.what} ({error.where})"))
        lines = []
    declared = [column.name for column in described.columns]
    rows: list[Row] = []
    if not lines or lines[0] != declared:
        header = lines[0] if lines else []
        wrong = sorted(set(declared) ^ set(header))
        problems.append(
            RuleFault(
                file, 1, tell("the columns are not those described, in their order: {wrong}", wrong=", ".join(wrong))
            )
        )
        lines = []
    elif len(lines) == 1:
        problems.append(RuleFault(file, 1, tell("there are no rows")))
    for number, cells in enumerate(lines[1:], start=2):
        if len(cells) != len(declared):
            problems.append(
                RuleFault(
                    file, number, tell("{count} values for {count2} columns", count=len(cells), count2=len(declared))
                )
            )
            continue
        row = _RowReader(file, name, number, described, problems).read(cells)
        if row is not None:
            rows.append(row)
    table = Table(
        name=name,
        title=described.texts["title"],
        source=described.texts["source"],
        date=described.texts["date"],
        method=described.texts["method"],
        note=described.texts["note"],
        sample_size=described.sample_size,
        columns=described.columns,
        externals=described.externals,
        rows=tuple(rows),
        short=described.texts["short"] or described.texts["title"],
        subject=described.subject,
        plots=described.plots,
    )
    if len(rows) == len(lines) - 1:
        _check_plots(table, problems)
    return table


def _check_plots(table: Table, problems: list[RuleFault]) -> None:
    """Draw each plot once: what a declaration says must fit the rows."""
    for number, plot in enumerate(table.plots, start=1):
        try:
            draw(table, plot)
        except UserError as error:
            problems.append(RuleFault(f"{table.name}.toml", 1, f"plot {number}, “{plot.title}”: {error.what}"))


@dataclass(frozen=True, slots=True)
class _RowReader:
    """One line of a table, with where to note what is wrong in it."""

    file: str
    table: str
    number: int
    described: Description
    problems: list[RuleFault]

    def read(self, texts: Sequence[str]) -> Row | None:
        """Return the row; None, with the problems noted, where a cell or the source is not as described."""
        before = len(self.problems)
        columns = self.described.columns
        cells = tuple(self._cell(column, text) for column, text in zip(columns, texts, strict=True))
        by_name = {column.name: text.strip() for column, text in zip(columns, texts, strict=True)}
        unit = by_name.get("unit")
        if unit and unit not in UNITS and any(column.unit == UNIT_PER_ROW for column in columns):
            self._fail(tell("“{unit}” is not a unit; there are {units}", unit=unit, units=", ".join(UNITS)))
        provenance = self._provenance(by_name)
        if provenance is not None and provenance.printed:
            self._check_printed(provenance.printed, cells)
        document = by_name["document"]
        conditions = self.described.conditions.get(document, ()) + self.described.conditions.get("every", ())
        if provenance is not None and not conditions:
            self._fail(
                tell("there are no conditions for “{document}” in {table}.toml", document=document, table=self.table)
            )
        if provenance is None or len(self.problems) > before:
            return None
        return Row(
            table=self.table,
            number=self.number,
            columns=columns,
            cells=cells,
            conditions=conditions,
            provenance=provenance,
        )

    def _fail(self, text: str) -> None:
        self.problems.append(RuleFault(self.file, self.number, text))

    def _cell(self, column: Column, text: str) -> Cell:
        text = text.strip()
        if not text:
            if not column.optional:
                self._fail(tell("{name} is empty", name=column.name))
            return None
        try:
            match column.type:
                case ColumnType.INTEGER:
                    return int(text)
                case ColumnType.NUMBER:
                    return _number(text)
                case ColumnType.LAYOUT:
                    parse_shape(text)
        except ValueError:
            self._fail(tell("{name}: “{text}” is not a {type}", name=column.name, text=text, type=column.type))
        except UserError as error:
            self._fail(f"{column.name}: {error.what}")
        return text

    def _provenance(self, cells: Mapping[str, str]) -> Provenance | None:
        document = cells["document"]
        title = self._title_of(document)
        if title is None:
            return None
        read_from = self._choice(ReadFrom, cells["read_from"], "read_from")
        precision: Precision | None = Precision.EXACT
        line: int | None = None
        if document in set(Document):
            missing = [name for name in _SEED_COLUMNS if not cells.get(name)]
            if missing:
                self._fail(tell("a figure of a source document needs {missing}", missing=", ".join(missing)))
                return None
            precision = self._choice(Precision, cells["precision"], "precision")
            line = int(cells["line"]) if cells["line"].isdigit() else None
        if read_from is None or precision is None:
            return None
        return Provenance(
            document=document,
            title=title,
            place=cells["place"],
            read_from=read_from,
            precision=precision,
            printed=tuple(filter(None, cells.get("printed", "").split(PRINTED_SEPARATOR))),
            line=line,
            note=cells.get("note", ""),
        )

    def _title_of(self, document: str) -> str | None:
        if document in set(Document):
            return Document(document).citation
        for external in self.described.externals:
            if external.key == document:
                return f"{external.title}, {external.version}"
        known = ", ".join([*Document, *(external.key for external in self.described.externals)])
        self._fail(tell("“{document}” is not a document; there are {known}", document=document, known=known))
        return None

    def _choice(self, kind: type[_Choice], text: str, what: str) -> _Choice | None:
        try:
            return kind(text)
        except ValueError:
            self._fail(
                tell("“{text}” is not a value of {what}; there are {kind}", text=text, what=what, kind=", ".join(kind))
            )
            return None

    def _check_printed(self, printed: tuple[str, ...], cells: tuple[Cell, ...]) -> None:
        """Each figure has the words it was printed as; plus signs stand for a figure bonnie++ could not measure."""
        columns = self.described.columns
        figures = [
            c for c, cell in zip(columns, cells, strict=True) if c.kind is ColumnKind.FIGURE and cell is not None
        ]
        shown = [part for part in printed if part.strip("+")]
        if len(figures) != len(shown):
            self._fail(
                tell("{count} figures, but {count2} are said to be printed", count=len(figures), count2=len(shown))
            )


def _number(text: str) -> int | float:
    """Return a finite number; raises ValueError."""
    try:
        return int(text)
    except ValueError:
        value = float(text)
    if not isfinite(value):
        raise ValueError(text)
    return value
