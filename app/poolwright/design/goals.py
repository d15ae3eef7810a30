"""What the goals promise and cost, in words that can be checked."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from poolwright.design.floors import FAILURES_WANTED, Floors
from poolwright.design.roles.advice import setting_of
from poolwright.design.roles.log import log_speeds, worth_of_log
from poolwright.domain.design import Design
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.workload import Goal, Workload
from poolwright.predict.throughput import flush_of
from poolwright.rules.presets import deciding_data, presets_of, usual_goal
from poolwright.texts import N_, _, capital, listed

if TYPE_CHECKING:
    from poolwright.predict.synclog_advice import Advice, LogForecast
    from poolwright.predict.synclog_model import Setup


@dataclass(frozen=True, slots=True, kw_only=True)
class GoalFacts:
    """A goal for people: its name, what it promises, and for which price."""

    goal: Goal
    promise: str
    price: str


GOALS = (
    GoalFacts(
        goal=Goal.SAFETY,
        promise=N_("Any two disks may fail; only one of three or fewer, or of a few of very unequal sizes."),
        price=N_("The space of two disks in each group, and slower writes."),
    ),
    GoalFacts(
        goal=Goal.CONCURRENT,
        promise=N_("As many requests at once as the disks can answer; any one disk may fail."),
        price=N_("Often half of the space: mirrors answer most at once."),
    ),
    GoalFacts(
        goal=Goal.SPEED,
        promise=N_("All disks read and write side by side, and all of their space is usable."),
        price=N_("The first failed disk loses its pool."),
    ),
    GoalFacts(
        goal=Goal.SPACE,
        promise=N_("The most space while any two disks may fail; only one of five or fewer."),
        price=N_("Few random reads at once, and rebuilds that read all disks of a wide group."),
    ),
)


_MAY_FAIL = (
    N_("the first failed disk loses its pool"),
    N_("any one disk may fail"),
    N_("any two disks may fail"),
    N_("any three disks may fail"),
)


def who_set_goal(workload: Workload, floors: Floors | None, *, named: bool) -> str:
    """Return who set the goal, what may fail by it, and what such data usually ask for instead.

    ``floors`` are those of the disks, None where there are none; ``named`` tells that a person named it.
    """
    survives = FAILURES_WANTED[workload.goal] if floors is None else floors.survives
    may_fail, data = _(_MAY_FAIL[min(survives, 3)]), _("you") if named else deciding_data(workload)
    text = _("Set by {data}: {may_fail}.") if data else _("Default: {may_fail}.")
    text, usual = text.format(data=data, may_fail=may_fail), usual_goal(workload)
    if usual is None or usual is workload.goal:
        return text
    data = listed([_(p.title) for p in presets_of(workload) if p.workload.goal is usual])
    return _("{text} Usual for {data}: {goal}.", text=text, data=data, goal=capital(_(usual.value)))


# What the model of synchronous writes says of a design, with the same numbers as its forecast and its roles.

# Enough for advice: another seed moves a gain by about a point.
REQUESTS = 3000


def sync_forecast(design: Design) -> "LogForecast | None":
    """Return the synchronous writes a second of ``design`` without and with a log device; None where it has no data.

    The log device is the best of the flash that is free or in a support role, else an SSD with power-loss protection.
    """
    from poolwright.predict.synclog_advice import LogForecast  # noqa: PLC0415 - few designs have volumes that wait

    try:
        setting = setting_of(design)
        found = log_speeds(setting)
    except PoolwrightError:
        return None
    return LogForecast(
        without=found.without.sync_write_iops,
        beside=found.beside.sync_write_iops,
        device=flush_of(found.log).limit,
        worth=worth_of_log(setting),
    )


def advise_design(design: Design) -> "tuple[Setup, tuple[Advice, ...]] | None":
    """Return the question that ``design`` asks, and the advice; None where it asks none. Takes tenths of a second."""
    from poolwright.predict.synclog_advice import advise, compare  # noqa: PLC0415 - as above
    from poolwright.predict.synclog_model import setup_of  # noqa: PLC0415

    setup = setup_of(design)
    if setup is None:
        return None
    return setup, advise(compare(setup, requests=REQUESTS), design.version, sync_forecast(design))
