"""Steps of growth in words of the window."""

from datetime import date

from PySide6.QtCore import QDate, QLocale

from poolwright.changes.growth.plan import Stage
from poolwright.domain.growth import GrowthKind, GrowthStep
from poolwright.domain.units import drive_size
from poolwright.domain.vdev import VdevSpec, describe
from poolwright.predict.number_words import hours_text
from poolwright.predict.space import PoolSpace
from poolwright.texts import tell


def kind_title(kind: GrowthKind) -> str:
    """Return what a person calls this kind of step."""
    return {
        GrowthKind.ADD: tell("Add a vdev"),
        GrowthKind.ATTACH: tell("Attach a disk"),
        GrowthKind.REPLACE: tell("Replace all disks"),
        GrowthKind.EXPAND: tell("Expand (online -e)"),
        GrowthKind.DETACH: tell("Detach a disk"),
        GrowthKind.REMOVE: tell("Remove a vdev"),
    }[kind]


def step_title(step: GrowthStep, name: str) -> str:
    """Return a step in a few words; ``name`` is the vdev it is done to, empty where that is not known."""
    size = drive_size(step.size_bytes) if step.size_bytes is not None else ""
    if step.kind is GrowthKind.ADD:
        return tell("Add {vdev}", vdev=_spec_words(step.vdev))
    texts = {
        GrowthKind.ATTACH: tell("Attach {size} to {vdev}"),
        GrowthKind.REPLACE: tell("Replace {vdev} by {size}"),
        GrowthKind.EXPAND: tell("Expand {vdev}"),
        GrowthKind.DETACH: tell("Detach a disk of {vdev}"),
        GrowthKind.REMOVE: tell("Remove {vdev}"),
    }
    return texts[step.kind].format(size=size, vdev=name or tell("the vdev"))


def when_text(step: GrowthStep) -> str:
    if step.at_percent is not None:
        return tell("at {percent} %", percent=step.at_percent)
    if step.on is not None:
        return step.on
    return tell("at once")


def day_text(day: date | None) -> str:
    """Return month and year of a day; empty for none."""
    return "" if day is None else QLocale().toString(QDate(day.year, day.month, day.day), "MMM yyyy")


def percent_text(value: float | None) -> str:
    """Return a fill level; empty where it is not known."""
    return "" if value is None else f"{value:.0f} %"


def datasets_words(space: PoolSpace) -> str:
    """Return that an amount is what the datasets take, and which of them nobody said anything of."""
    if not space.uncounted:
        return tell("What the datasets take.")
    return tell("What the datasets take, without {names}.", names=", ".join(space.uncounted))


def work_text(stage: Stage) -> str:
    """Return how long a step takes, from hours to days; empty where nothing is copied."""
    work = stage.work
    if work is None:
        return ""
    text = tell("It takes {typical}, between {low} and {high}.")
    return text.format(typical=hours_text(work.typical), low=hours_text(work.low), high=hours_text(work.high))


def _spec_words(spec: VdevSpec | None) -> str:
    if spec is None or not spec.sizes:
        return tell("a vdev")
    return tell("{vdev} × {size}", vdev=describe((spec,)), size=drive_size(min(spec.sizes)))
