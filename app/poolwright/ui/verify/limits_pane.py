"""What a run may cost at most, and how often each test is repeated. Empty leaves it to the profile."""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from poolwright.bench.profiles.built_in.filling import MOST_FIRST
from poolwright.bench.profiles.ground import BenchWishes
from poolwright.bench.running.listening import RunBudget
from poolwright.design.amounts import parse_count, size_text
from poolwright.domain.units import parse_size
from poolwright.predict.runs import parse_number
from poolwright.texts import tell
from poolwright.ui.parts import lay
from poolwright.ui.parts.form import Field, Form, Remark, Typed, short

HOTTEST_CELSIUS = 60.0  # where the makers of most hard disks end their warranty


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLimits:
    """Limits as typed; None is no limit, or what the profile has. ``minutes`` are of the whole run.

    ``own_dataset``: the run has a dataset made for itself where it may.
    """

    repeats: int | None = None
    seconds: float | None = None
    minutes: float | None = None
    written_bytes: int | None = None
    fill_percent: int | None = None
    celsius: float | None = HOTTEST_CELSIUS
    own_dataset: bool = True

    @property
    def wishes(self) -> BenchWishes:
        return BenchWishes(
            repeats=self.repeats, seconds=self.seconds, most_bytes=self.written_bytes, fill_percent=self.fill_percent
        )

    @property
    def budget(self) -> RunBudget:
        whole = None if self.minutes is None else self.minutes * 60
        return RunBudget(seconds=whole, written_bytes=self.written_bytes, celsius=self.celsius)


class LimitsPane(QWidget):
    """``changed`` says that ``limits`` are others."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.limits = RunLimits()
        self.form = Form(self)
        self.form.add(*_fields())
        self.form.edited.connect(self._on_edited)
        lay.column(self.form, 1, of=self)
        self.form.show_values(self.limits, _remark)

    def problem(self) -> str:
        """Return which limits nobody understands; empty where all are."""
        return ", ".join(self.form.unread())

    def _on_edited(self, key: str, value: Any) -> None:
        self.limits = replace(self.limits, **{key: value})
        self.changed.emit()


def _remark(field: Field, _value: object) -> Remark:
    return Remark(text=field.help)


def _fields() -> tuple[Field, ...]:
    own, none = tell("the profile's"), tell("no limit")
    minutes = Typed(partial(parse_number, what=tell("number of minutes")), short)
    seconds = Typed(partial(parse_number, what=tell("number of seconds")), short)
    degrees = Typed(partial(parse_number, what=tell("temperature")), short)
    return (
        Field(
            "repeats",
            tell("Repeats of each test"),
            Typed(partial(parse_count, what=tell("number of repeats"), least=1), str),
            tell("Three at least tell a spread; ten where it is large."),
            own,
        ),
        Field(
            "seconds",
            tell("Seconds of a repeat"),
            seconds,
            tell("Four transaction groups at least (20 s), or writes are measured into memory."),
            own,
        ),
        Field("minutes", tell("Minutes in all"), minutes, tell("What is finished by then is kept."), none),
        Field(
            "written_bytes",
            tell("Written in all"),
            Typed(partial(parse_size, what=tell("amount of writes")), size_text),
            tell("Flash wears by what is written. Such as 200 GiB."),
            none,
        ),
        Field(
            "fill_percent",
            tell("Filled first to, %"),
            Typed(partial(parse_count, what=tell("fill level"), least=1, most=MOST_FIRST), str),
            tell("By writes all over, as a pool in use is; emptied again at the end."),
            tell("as it is"),
        ),
        Field(
            "celsius",
            tell("Hottest disk, °C"),
            degrees,
            tell("The run ends when a disk is this warm, where its temperature can be read."),
            none,
        ),
        Field(
            "own_dataset",
            tell("Dataset"),
            ((True, tell("a new one")), (False, tell("the one there"))),
            tell("Made where root measures, below the one that is there, and destroyed with its files."),
        ),
    )
