"""Loads the measured tables of `rules/tables`: a `.csv` and the `.toml` that describes it, as text, into frozen rows.

A figure nobody can trace is worth nothing, so every row must name its document, the place in it and, for the five
source documents, the line and the figures as they are printed there.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import replace
from math import isfinite
from typing import Any

from poolwright.domain.errors import UserError
from poolwright.domain.shown import csv_rows
from poolwright.predict.table_model import (
    CITATIONS,
    NO_UNIT,
    UNIT_PER_ROW,
    UNITS,
    Axis,
    Cell,
    Column,
    ColumnKind,
    ColumnType,
    Condition,
    Curve,
    Document,
    External,
    Interval,
    Level,
    Plot,
    PlotKind,
    Precision,
    Provenance,
    ReadFrom,
    Row,
    RowFilter,
    Subject,
    Table,
    Tables,
    draw,
    parse_shape,
)
from poolwright.rules.texts import RuleErrors, RuleFault
from poolwright.texts import tell

# What a person reads of a table, its columns and plots: told in the chosen language as it is loaded.
TOLD = ("title", "short", "method", "note", "means", "x_title", "y_title")
_UNSTATED = ("not stated", "not measured")  # for machines
_NEEDED = ("document", "place", "read_from")  # every row names where it was read
_NEEDED_OF_SEEDS = ("printed", "line", "precision")
# The tables ship with the program and are edited by developers: what Python says of a wrong key or type is enough.
_WRONG = (AttributeError, KeyError, TypeError, ValueError, UserError)

_Given = dict[str, Any]
_Conditions = Mapping[str, tuple[Condition, ...]]  # by document; those under “every” hold for all rows


def load_tables(files: Mapping[str, str]) -> Tables:
    """Return the tables among ``files`` (file name to text: ``name.csv`` and ``name.toml`` each).

    Raises RuleErrors, which lists the first thing that is wrong in each description and in each row.
    """
    problems: list[RuleFault] = []
    tables: list[Table] = []
    for name in sorted({file.rpartition(".")[0] for file in files if file.endswith((".csv", ".toml"))}):
        rows, description = f"{name}.csv", f"{name}.toml"
        if rows not in files or description not in files:
            here, missing = (rows, description) if rows in files else (description, rows)
            problems.append(RuleFault(here, 1, tell("{file} is missing", file=missing)))
            continue
        try:
            table, conditions = _described(name, files[description])
        except _WRONG as error:
            problems.append(RuleFault(description, 1, f"{type(error).__name__}: {error}"))
            continue
        found = len(problems)
        table = replace(table, rows=_rows(table, conditions, files[rows], problems))
        if len(problems) == found:
            _check_plots(table, problems)
        tables.append(table)
    if problems:
        raise RuleErrors(problems)
    return Tables(tables=tuple(tables))


def _described(name: str, text: str) -> tuple[Table, _Conditions]:
    """Return what the `.toml` says of its table, as yet without rows."""
    given = tomllib.loads(text)
    columns = tuple(_column(column, each) for column, each in given.pop("columns").items())
    if lacking := set(_NEEDED) - {column.name for column in columns if not column.optional}:
        raise ValueError(f"columns: {sorted(lacking)}")
    if any(c.unit == UNIT_PER_ROW for c in columns) and not any(c.name == "unit" for c in columns):
        raise ValueError(f"columns: {UNIT_PER_ROW}, unit")  # for machines
    conditions = {
        document: tuple(Condition(name=key, value=_text(value)) for key, value in each.items())
        for document, each in given.pop("conditions").items()
    }
    size = given.pop("sample_size")
    if size not in _UNSTATED and not (isinstance(size, int) and size > 0):
        raise ValueError(f"sample_size: {size}")
    table = Table(
        name=name,
        columns=columns,
        sample_size=None if size in _UNSTATED else size,
        externals=tuple(
            External(key=key, **{word: _text(value) for word, value in each.items()})
            for key, each in given.pop("external", {}).items()
        ),
        subject=Subject(given.pop("subject", Subject.OTHER)),
        plots=tuple(_plot(each) for each in given.pop("plot", ())),
        rows=(),
        **({"note": ""} | _texts(given)),
    )
    return replace(table, short=table.short or table.title), conditions


def _text(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise TypeError(value)
    return value


def _texts(given: _Given) -> dict[str, str]:
    return {key: tell(_text(value)) if key in TOLD else _text(value) for key, value in given.items()}


def _column(name: str, given: _Given) -> Column:
    kind, type_ = ColumnKind(given.pop("kind")), ColumnType(given.pop("type"))
    optional = given.pop("optional", False)
    column = Column(name=name, kind=kind, type=type_, optional=optional is True, **_texts(given))
    text = type_ in (ColumnType.TEXT, ColumnType.LAYOUT)
    if column.unit not in ((NO_UNIT,) if text else (*UNITS, UNIT_PER_ROW)):
        raise ValueError(f"{name}: {column.unit}")
    return column


def _plot(given: _Given) -> Plot:
    """Return a plot; that its columns and units are there is found when it is drawn."""
    x, y, interval = given.pop("x"), given.pop("y"), given.pop("interval", None)
    curves = {"": y} if isinstance(y, str) else {tell(name): column for name, column in y.items()}
    return Plot(
        kind=PlotKind(given.pop("kind")),
        x=(x,) if isinstance(x, str) else tuple(x),
        curves=tuple(Curve(name=name, column=column) for name, column in curves.items()),
        where=_filters(given.pop("where", {})),
        log=frozenset(Axis(axis) for axis in given.pop("log", ())),
        levels=tuple(_level(each) for each in given.pop("limit", ())),
        interval=None if interval is None else Interval(**interval),
        labels=tuple(given.pop("labels", {}).items()),
        empty=given.pop("empty_x", ""),
        **(dict.fromkeys(("series", "per", "unit", "note"), "") | _texts(given)),
    )


def _level(given: _Given) -> Level:
    value = given.pop("value", None)
    return Level(
        axis=Axis(given.pop("axis")),
        value=None if value is None else float(value),
        where=_filters(given.pop("where", {})),
        **({"column": ""} | given),
    )


def _filters(given: _Given) -> tuple[RowFilter, ...]:
    return tuple(
        RowFilter(column=column, values=tuple(map(str, wanted if isinstance(wanted, list) else [wanted])))
        for column, wanted in given.items()
    )


def _check_plots(table: Table, problems: list[RuleFault]) -> None:
    for number, plot in enumerate(table.plots, start=1):
        try:
            draw(table, plot)
        except _WRONG as error:
            problems.append(RuleFault(f"{table.name}.toml", 1, f"plot {number}, “{plot.title}”: {error}"))


def _rows(table: Table, conditions: _Conditions, text: str, problems: list[RuleFault]) -> tuple[Row, ...]:
    file, rows = f"{table.name}.csv", []
    try:
        header, *lines = (cells for _, cells in csv_rows(text))
    except (UserError, ValueError) as error:
        problems.append(RuleFault(file, 1, str(error)))
        return ()
    if header != [column.name for column in table.columns]:
        problems.append(RuleFault(file, 1, tell("the columns are not those described, in their order")))
        return ()
    if not lines:
        problems.append(RuleFault(file, 1, tell("there are no rows")))
    for number, cells in enumerate(lines, start=2):
        try:
            rows.append(_row(table, conditions, number, [cell.strip() for cell in cells]))
        except (UserError, ValueError) as error:
            problems.append(RuleFault(file, number, error.what if isinstance(error, UserError) else str(error)))
    return tuple(rows)


def _row(table: Table, conditions: _Conditions, number: int, texts: list[str]) -> Row:
    of = dict(zip([column.name for column in table.columns], texts, strict=True))
    cells = tuple(_cell(column, of[column.name]) for column in table.columns)
    if of.get("unit") and any(column.unit == UNIT_PER_ROW for column in table.columns) and of["unit"] not in UNITS:
        raise UserError(tell("“{unit}” is not a unit; there are {units}", unit=of["unit"], units=", ".join(UNITS)))
    provenance = _provenance(table, of)
    # Each figure has the words it was printed as; plus signs stand for a figure bonnie++ could not measure.
    shown = [part for part in provenance.printed if part.strip("+")]
    known = zip(table.columns, cells, strict=True)
    figures = [column for column, cell in known if column.kind is ColumnKind.FIGURE and cell is not None]
    if provenance.printed and len(figures) != len(shown):
        raise UserError(
            tell("{count} figures, but {count2} are said to be printed", count=len(figures), count2=len(shown))
        )
    held = conditions.get(of["document"], ()) + conditions.get("every", ())
    if not held:
        raise UserError(
            tell("there are no conditions for “{document}” in {table}.toml", document=of["document"], table=table.name)
        )
    return Row(
        table=table.name, number=number, columns=table.columns, cells=cells, conditions=held, provenance=provenance
    )


def _cell(column: Column, text: str) -> Cell:
    if not text:
        if not column.optional:
            raise UserError(tell("{name} is empty", name=column.name))
        return None
    if column.type is ColumnType.LAYOUT:
        parse_shape(text)
    if column.type in (ColumnType.TEXT, ColumnType.LAYOUT):
        return text
    try:
        return int(text)
    except ValueError:
        if column.type is ColumnType.NUMBER and isfinite(value := float(text)):
            return value
        raise


def _provenance(table: Table, of: Mapping[str, str]) -> Provenance:
    document = of["document"]
    seed = document in set(Document)
    if seed and (missing := [name for name in _NEEDED_OF_SEEDS if not of.get(name)]):
        raise UserError(tell("a figure of a source document needs {missing}", missing=", ".join(missing)))
    titles = {external.key: f"{external.title}, {external.version}" for external in table.externals}
    if not seed and document not in titles:
        known = ", ".join([*Document, *titles])
        raise UserError(tell("“{document}” is not a document; there are {known}", document=document, known=known))
    return Provenance(
        document=document,
        title=CITATIONS[Document(document)] if seed else titles[document],
        place=of["place"],
        read_from=ReadFrom(of["read_from"]),
        precision=Precision(of["precision"]) if seed else Precision.EXACT,
        printed=tuple(filter(None, of.get("printed", "").split("|"))),
        line=int(of["line"]) if seed else None,
        note=of.get("note", ""),
    )
