"""Reads the `.toml` beside a table: what its columns mean, in which units, and under which conditions they hold."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from poolwright.predict.table_model import (
    NO_UNIT,
    UNIT_PER_ROW,
    UNITS,
    Axis,
    Column,
    ColumnKind,
    ColumnType,
    Condition,
    Curve,
    External,
    Interval,
    Level,
    Plot,
    PlotKind,
    RowFilter,
    Subject,
)
from poolwright.rules.texts import RuleFault
from poolwright.texts import tell

# The `.toml` beside a table, with the means to say at which of its lines something is wrong.

_Choice = TypeVar("_Choice", bound=StrEnum)


@dataclass(frozen=True, slots=True)
class Lines:
    """A description, to note problems at the line of the key they are about."""

    file: str
    content: str
    problems: list[RuleFault]

    def fail(self, text: str, key: str = "", nth: int = 0) -> None:
        """Note a problem at the ``nth`` line (from 0) that sets ``key``, else at the first line."""
        end = r"\b" if key[-1:].isalnum() else ""
        setting = re.compile(rf"\[{{0,2}}{re.escape(key)}{end}")
        lines = enumerate(self.content.splitlines(), start=1)
        numbers = [number for number, line in lines if key and setting.match(line)]
        self.problems.append(RuleFault(self.file, numbers[nth] if nth < len(numbers) else 1, text))

    def text(self, table: Mapping[str, object], key: str, where: str = "", at: str = "") -> str:
        """Return a text that must be there; notes where it is not, at the line that sets ``at``."""
        value = table.get(key)
        if isinstance(value, str) and value.strip():
            return value
        self.fail(f"{where}“{key}” {tell('is missing') if value is None else tell('must be a text')}", at or key)
        return ""

    def choice(self, table: Mapping[str, object], key: str, kind: type[_Choice], where: str, at: str) -> _Choice | None:
        """Return one of the values of ``kind``; notes any other."""
        try:
            return kind(str(table.get(key)))
        except ValueError:
            self.fail(
                tell(
                    "{where}“{key}” is not a {key2}; there are {kind}",
                    where=where,
                    key=table.get(key),
                    key2=key,
                    kind=", ".join(kind),
                ),
                at,
            )
            return None


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


# Reads the `[[plot]]` parts of a table's `.toml`.

_KEYS = (
    *("title", "kind", "x", "y", "series", "where", "per", "unit", "x_title", "y_title"),
    *("log", "limit", "interval", "labels", "empty_x", "note"),
)
_LIMIT_KEYS = ("name", "axis", "value", "column", "where")


def read_plots(lines: Lines, described: object, columns: Sequence[str]) -> tuple[Plot, ...]:
    """Return the plots a description declares; what is wrong in one is noted at its first line."""
    if not isinstance(described, list):
        lines.fail(tell("“plot” must be a list: write [[plot]]"), "plot")
        return ()
    made: list[Plot] = []
    for number, table in enumerate(described):
        before = len(lines.problems)
        plot = _PlotReader(lines, tuple(columns), number).read(table)
        if len(lines.problems) == before:
            made.append(plot)
    return tuple(made)


@dataclass(frozen=True, slots=True)
class _PlotReader:
    """One plot, with where to note what is wrong in it."""

    lines: Lines
    columns: tuple[str, ...]
    number: int

    def read(self, table: Mapping[str, object]) -> Plot:
        """Return the plot; worth nothing where a problem was noted."""
        self._known(table, _KEYS)
        series = self._optional(table, "series")
        unit = self._optional(table, "unit")
        if unit and unit not in UNITS:
            self.fail(tell("“{unit}” is not a unit; there are {units}", unit=unit, units=", ".join(UNITS)))
        x = self._texts(table.get("x"), "x")
        curves = self._curves(table.get("y"))
        if series and len(curves) > 1:
            self.fail(tell("with “series” there can be one column in “y”"))
        per = self._optional(table, "per")
        for column in (*x, *(curve.column for curve in curves), *filter(None, (series, per))):
            self._known_column(column)
        return Plot(
            title=tell(self._needed(table, "title")),
            kind=self._kind(table),
            x=x,
            curves=curves,
            series=series,
            where=self._choices(table.get("where", {})),
            per=per,
            unit=unit,
            x_title=tell(self._needed(table, "x_title")),
            y_title=tell(self._needed(table, "y_title")),
            log=frozenset(filter(None, map(self._axis, self._texts(table.get("log", []), "log")))),
            levels=self._levels(table.get("limit", [])),
            interval=self._interval(table.get("interval")),
            labels=self._labels(table.get("labels", {})),
            empty=self._optional(table, "empty_x"),
            note=tell(self._optional(table, "note")),
        )

    def fail(self, text: str) -> None:
        """Note a problem at the line the plot begins at."""
        self.lines.fail(f"plot {self.number + 1}: {text}", "plot]]", self.number)

    def _known(self, table: Mapping[str, object], keys: Sequence[str]) -> None:
        for key in table:
            if key not in keys:
                self.fail(tell("“{key}” is not a key here; there are {keys}", key=key, keys=", ".join(keys)))

    def _known_column(self, column: str) -> None:
        if column not in self.columns:
            self.fail(tell("there is no column “{column}”", column=column))

    def _needed(self, table: Mapping[str, object], key: str) -> str:
        if key not in table:
            self.fail(tell("“{key}” is missing", key=key))
        return self._optional(table, key)

    def _optional(self, table: Mapping[str, object], key: str) -> str:
        value = table.get(key, "")
        if isinstance(value, str) and (value.strip() or key not in table):
            return value
        self.fail(tell("“{key}” must be a text", key=key))
        return ""

    def _texts(self, value: object, key: str) -> tuple[str, ...]:
        given = [value] if isinstance(value, str) else value
        if isinstance(given, list) and all(isinstance(each, str) for each in given) and (given or key == "log"):
            return tuple(given)
        self.fail(tell("“{key}” must be a text or a list of texts", key=key))
        return ()

    def _kind(self, table: Mapping[str, object]) -> PlotKind:
        try:
            return PlotKind(str(table.get("kind")))
        except ValueError:
            self.fail(
                tell("“{get}” is not a kind; there are {plotkind}", get=table.get("kind"), plotkind=", ".join(PlotKind))
            )
            return PlotKind.BAR

    def _axis(self, text: object) -> Axis | None:
        try:
            return Axis(str(text))
        except ValueError:
            self.fail(tell("“{text}” is not an axis; there are {axis}", text=text, axis=", ".join(Axis)))
            return None

    def _curves(self, value: object) -> tuple[Curve, ...]:
        if isinstance(value, str):
            return (Curve(name="", column=value),)
        if isinstance(value, dict) and value and all(isinstance(column, str) for column in value.values()):
            return tuple(Curve(name=tell(name), column=column) for name, column in value.items())
        self.fail(tell("“y” must be a column, or a table of names and columns"))
        return ()

    def _choices(self, value: object) -> tuple[RowFilter, ...]:
        if not isinstance(value, dict):
            self.fail(tell("“where” must be a table of columns and values"))
            return ()
        made: list[RowFilter] = []
        for column, wanted in value.items():
            self._known_column(column)
            values = wanted if isinstance(wanted, list) else [wanted]
            made.append(RowFilter(column=column, values=tuple(str(each) for each in values)))
        return tuple(made)

    def _levels(self, value: object) -> tuple[Level, ...]:
        if not isinstance(value, list):
            self.fail(tell("“limit” must be a list: write [[plot.limit]]"))
            return ()
        made: list[Level] = []
        for table in value:
            self._known(table, _LIMIT_KEYS)
            number = table.get("value")
            column = self._optional(table, "column")
            if isinstance(number, int | float) is bool(column):
                self.fail(tell("a limit has either a “value” or a “column” with “where”"))
            if column:
                self._known_column(column)
            axis = self._axis(table.get("axis"))
            if axis is not None:
                made.append(
                    Level(
                        name=self._needed(table, "name"),
                        axis=axis,
                        value=float(number) if isinstance(number, int | float) else None,
                        column=column,
                        where=self._choices(table.get("where", {})),
                    )
                )
        return tuple(made)

    def _interval(self, value: object) -> Interval | None:
        if value is None:
            return None
        if not isinstance(value, dict) or set(value) != {"events", "days"}:
            self.fail(tell("“interval” must name the columns of “events” and “days”"))
            return None
        for column in value.values():
            self._known_column(str(column))
        return Interval(events=str(value["events"]), days=str(value["days"]))

    def _labels(self, value: object) -> tuple[tuple[str, str], ...]:
        if isinstance(value, dict) and all(isinstance(words, str) for words in value.values()):
            return tuple(value.items())
        self.fail(tell("“labels” must be a table of cells and words"))
        return ()
