"""Reads the `[[plot]]` parts of a table's `.toml`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from poolwright.predict.table_lines import Lines
from poolwright.predict.table_plot import Axis, Curve, Interval, Level, Plot, PlotKind, RowFilter
from poolwright.predict.table_units import UNITS
from poolwright.texts import tell

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
