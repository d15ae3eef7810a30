"""Reads the `.toml` beside a table: what its columns mean, in which units, and under which conditions they hold."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass

from poolwright.predict.table_lines import Lines
from poolwright.predict.table_model import Column, ColumnKind, ColumnType, Condition, External, Subject
from poolwright.predict.table_plot import Plot
from poolwright.predict.table_plot_reading import read_plots
from poolwright.predict.table_units import NO_UNIT, UNIT_PER_ROW, UNITS
from poolwright.rules.reading import RuleFault
from poolwright.texts import tell

_TEXTS = ("title", "source", "date", "method")
# What a person reads of a table, its columns and plots: told in the chosen language as it is loaded.
TOLD = ("title", "short", "method", "note", "means", "x_title", "y_title")
_KNOWN = (*_TEXTS, "short", "subject", "sample_size", "note", "columns", "conditions", "external", "plot")
_UNSTATED = ("not stated", "not measured")  # for machines
_COLUMN_KEYS = ("type", "unit", "kind", "optional", "means")
_NEEDED_COLUMNS = ("document", "place", "read_from")


@dataclass(frozen=True, slots=True)
class Description:
    """What a `.toml` says of its table; ``conditions`` by document, those under “every” hold for all rows."""

    texts: Mapping[str, str]
    sample_size: int | None
    columns: tuple[Column, ...]
    conditions: Mapping[str, tuple[Condition, ...]]
    externals: tuple[External, ...]
    subject: Subject
    plots: tuple[Plot, ...]


def read_description(file: str, text: str, problems: list[RuleFault]) -> Description | None:
    """Return what the description says; None where it is too broken to read the rows with."""
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        problems.append(RuleFault(file, 1, tell("no valid TOML: {error}", error=error)))
        return None
    before = len(problems)
    lines = Lines(file, text, problems)
    for key in document:
        if key not in _KNOWN:
            lines.fail(tell("“{key}” is not a key here; there are {known}", key=key, known=", ".join(_KNOWN)), key)
    texts = {key: lines.text(document, key) for key in _TEXTS}
    texts |= {key: lines.text(document, key) if key in document else "" for key in ("note", "short")}
    texts |= {key: tell(texts[key]) for key in TOLD if key in texts}
    columns = _columns(lines, document.get("columns"))
    subject = lines.choice(document, "subject", Subject, "", "subject") if "subject" in document else None
    described = Description(
        texts=texts,
        sample_size=_sample_size(lines, document.get("sample_size")),
        columns=columns,
        conditions=_conditions(lines, document.get("conditions")),
        externals=_externals(lines, document.get("external", {})),
        subject=subject or Subject.OTHER,
        plots=read_plots(lines, document.get("plot", []), [column.name for column in columns]),
    )
    return described if columns and len(problems) == before else None


def _sample_size(lines: Lines, value: object) -> int | None:
    if isinstance(value, int) and not isinstance(value, bool) and value > 0:
        return value
    if value not in _UNSTATED:
        lines.fail(
            tell("“sample_size” must be a whole number above 0, “{unstated}”", unstated="” or “".join(_UNSTATED)),
            "sample_size",
        )
    return None


def _columns(lines: Lines, described: object) -> tuple[Column, ...]:
    if not isinstance(described, dict) or not described:
        lines.fail(tell("“columns” must describe at least one column"), "columns")
        return ()
    made: list[Column] = []
    for name, table in described.items():
        if not isinstance(table, dict):
            lines.fail(
                tell("column {name}: must be a table of {column_keys}", name=name, column_keys=", ".join(_COLUMN_KEYS)),
                name,
            )
        elif (column := _column(lines, name, table)) is not None:
            made.append(column)
    for needed in _NEEDED_COLUMNS:
        if needed not in described:
            lines.fail(
                tell("the column {needed} is missing: every row names where it was read", needed=needed), "columns"
            )
        elif any(column.name == needed and column.optional for column in made):
            lines.fail(
                tell("column {needed}: cannot be optional, every row names where it was read", needed=needed), needed
            )
    if any(column.unit == UNIT_PER_ROW for column in made) and "unit" not in described:
        lines.fail(
            tell("a column has its unit {unit_per_row}, but there is no column “unit”", unit_per_row=UNIT_PER_ROW),
            "columns",
        )
    return tuple(made)


def _column(lines: Lines, name: str, table: Mapping[str, object]) -> Column | None:
    where = f"column {name}: "
    for key in table:
        if key not in _COLUMN_KEYS:
            lines.fail(
                tell(
                    "{where}“{key}” is not a key here; there are {column_keys}",
                    where=where,
                    key=key,
                    column_keys=", ".join(_COLUMN_KEYS),
                ),
                name,
            )
    type_ = lines.choice(table, "type", ColumnType, where, name)
    kind = lines.choice(table, "kind", ColumnKind, where, name)
    unit, means = (lines.text(table, key, where, name) for key in ("unit", "means"))
    if unit and unit not in UNITS and unit != UNIT_PER_ROW:
        lines.fail(
            tell(
                "{where}“{unit}” is not a unit; there are {units} and {unit_per_row}",
                where=where,
                unit=unit,
                units=", ".join(UNITS),
                unit_per_row=UNIT_PER_ROW,
            ),
            name,
        )
    if type_ in (ColumnType.TEXT, ColumnType.LAYOUT) and unit not in ("", NO_UNIT):
        lines.fail(tell("{where}a {type} has the unit {no_unit}", where=where, type=type_, no_unit=NO_UNIT), name)
    if type_ is None or kind is None:
        return None
    return Column(
        name=name, means=tell(means), unit=unit, type=type_, kind=kind, optional=table.get("optional") is True
    )


def _conditions(lines: Lines, described: object) -> dict[str, tuple[Condition, ...]]:
    if not isinstance(described, dict) or not described:
        lines.fail(tell("“conditions” is missing: a figure without its conditions says nothing"), "conditions")
        return {}
    made: dict[str, tuple[Condition, ...]] = {}
    for document, table in described.items():
        if not isinstance(table, dict) or not all(isinstance(value, str) and value for value in table.values()):
            lines.fail(tell("conditions.{document} must be a table of texts", document=document), "conditions")
            continue
        made[document] = tuple(Condition(name=name, value=value) for name, value in table.items())
    return made


def _externals(lines: Lines, described: object) -> tuple[External, ...]:
    if not isinstance(described, dict):
        lines.fail(tell("“external” must be a table of sources"), "external")
        return ()
    made: list[External] = []
    for key, table in described.items():
        if not isinstance(table, dict):
            lines.fail(tell("external.{key} must be a table of title, version and address", key=key), "external")
            continue
        title, version = (
            lines.text(table, each, f"external.{key}: ", f"external.{key}") for each in ("title", "version")
        )
        made.append(External(key=key, title=title, version=version, address=str(table.get("address", ""))))
    return tuple(made)
