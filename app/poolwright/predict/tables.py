"""Loads the measured tables of `rules/tables`: a `.csv` and the `.toml` that describes it, as text, into frozen rows.

They ship with the program: that each row is traced to its source and each plot can be drawn is asked by the tests.
"""

import tomllib
from collections.abc import Mapping
from typing import Any

from poolwright.domain.errors import UserError
from poolwright.domain.shown import csv_rows
from poolwright.predict import table_model
from poolwright.rules.texts import RuleErrors, RuleFault
from poolwright.texts import _

# What a person reads of a table, its columns and plots: told in the chosen language as it is loaded.
TOLD = ("title", "short", "method", "note", "means", "x_title", "y_title")

_Given = dict[str, Any]


def load_tables(files: Mapping[str, str]) -> table_model.Tables:
    """Return the tables of ``files`` (``name.csv``, ``name.toml``: text). Raises RuleErrors, one for each wrong one."""
    problems: list[RuleFault] = []
    tables: list[table_model.Table] = []
    for name in sorted({file.rpartition(".")[0] for file in files if file.endswith((".csv", ".toml"))}):
        try:
            tables.append(_table(name, tomllib.loads(files[f"{name}.toml"]), files[f"{name}.csv"]))
        except (AttributeError, KeyError, TypeError, ValueError, UserError) as error:
            problems.append(RuleFault(f"{name}.toml", 1, f"{type(error).__name__}: {error}"))
    if problems:
        raise RuleErrors(problems)
    return table_model.Tables(tables=tuple(tables))


def _table(name: str, given: _Given, text: str) -> table_model.Table:
    columns = tuple(_column(column, each) for column, each in given.pop("columns").items())
    externals = tuple(table_model.External(key=key, **each) for key, each in given.pop("external", {}).items())
    titles: dict[str, str] = {each.key: f"{each.title}, {each.version}" for each in externals}
    titles |= table_model.CITATIONS
    held = {  # by document; those under “every” hold for all rows
        document: tuple(table_model.Condition(name=key, value=value) for key, value in each.items())
        for document, each in given.pop("conditions").items()
    }
    header, *lines = (cells for __, cells in csv_rows(text))
    if header != [column.name for column in columns]:
        raise ValueError(_("the columns are not those described, in their order"))
    rows = []
    for number, cells in enumerate(lines, start=2):
        try:
            of = dict(zip(header, map(str.strip, cells), strict=True))
            row = table_model.Row(
                table=name,
                number=number,
                columns=columns,
                cells=tuple(_cell(column, of[column.name]) for column in columns),
                conditions=held.get(of["document"], ()) + held.get("every", ()),
                provenance=_provenance(of, titles),
            )
        except (KeyError, ValueError) as error:
            raise ValueError(f"{name}.csv:{number}: {error}") from error
        rows.append(row)
    size = given.pop("sample_size")
    return table_model.Table(
        name=name,
        columns=columns,
        sample_size=size if isinstance(size, int) else None,
        externals=externals,
        subject=table_model.Subject(given.pop("subject", table_model.Subject.OTHER)),
        plots=tuple(_plot(each) for each in given.pop("plot", ())),
        rows=tuple(rows),
        **_texts({"note": "", "short": given["title"], **given}),
    )


def _texts(given: _Given) -> _Given:
    return {key: _(value) if value and key in TOLD else value for key, value in given.items()}


def _column(name: str, given: _Given) -> table_model.Column:
    return table_model.Column(
        name=name,
        kind=table_model.ColumnKind(given.pop("kind")),
        type=table_model.ColumnType(given.pop("type")),
        **_texts(given),
    )


def _plot(given: _Given) -> table_model.Plot:
    x, y, interval = given.pop("x"), given.pop("y"), given.pop("interval", None)
    curves = {"": y} if isinstance(y, str) else {_(name): column for name, column in y.items()}
    return table_model.Plot(
        kind=table_model.PlotKind(given.pop("kind")),
        x=(x,) if isinstance(x, str) else tuple(x),
        curves=tuple(curves.items()),
        where=_filters(given.pop("where", {})),
        log=frozenset(table_model.Axis(axis) for axis in given.pop("log", ())),
        levels=tuple(_level(each) for each in given.pop("limit", ())),
        interval=None if interval is None else (interval["events"], interval["days"]),
        labels=tuple(given.pop("labels", {}).items()),
        empty=given.pop("empty_x", ""),
        **_texts({**dict.fromkeys(("series", "per", "unit", "note"), ""), **given}),
    )


def _level(given: _Given) -> table_model.Level:
    defaults: _Given = {"column": "", "value": None}
    return table_model.Level(
        axis=table_model.Axis(given.pop("axis")), where=_filters(given.pop("where", {})), **(defaults | given)
    )


def _filters(given: _Given) -> table_model.Where:
    return tuple(
        (column, tuple(map(str, wanted if isinstance(wanted, list) else [wanted]))) for column, wanted in given.items()
    )


def _cell(column: table_model.Column, text: str) -> table_model.Cell:
    if not text:
        return None
    if column.type in (table_model.ColumnType.TEXT, table_model.ColumnType.LAYOUT):
        return text
    try:
        return int(text)
    except ValueError:
        if column.type is table_model.ColumnType.INTEGER:
            raise
        return float(text)


def _provenance(of: Mapping[str, str], titles: Mapping[str, str]) -> table_model.Provenance:
    return table_model.Provenance(
        document=of["document"],
        title=titles[of["document"]],
        place=of["place"],
        read_from=table_model.ReadFrom(of["read_from"]),
        precision=table_model.Precision(of.get("precision") or table_model.Precision.EXACT),
        printed=tuple(filter(None, of.get("printed", "").split("|"))),
        line=int(of["line"]) if of.get("line") else None,
        note=of.get("note", ""),
    )
