"""What the goals promise and cost, in words that can be checked."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from poolwright.design.roles.advice import setting_of
from poolwright.design.roles.log import log_speeds, worth_of_log
from poolwright.domain.design import Design
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.workload import Goal
from poolwright.predict.assumptions import Assumptions
from poolwright.predict.throughput import flush_of
from poolwright.texts import N_

if TYPE_CHECKING:
    from poolwright.predict.synclog_advice import Advice, LogForecast
    from poolwright.predict.synclog_model import Setup


@dataclass(frozen=True, slots=True, kw_only=True)
class GoalFacts:
    """A goal for people: its name, what it promises, and for which price."""

    goal: Goal
    title: str
    promise: str
    price: str


GOALS = (
    GoalFacts(
        goal=Goal.SAFETY,
        title=N_("Safety"),
        promise=N_("Any two disks may fail, with three disks or fewer or a few of very unequal sizes any one."),
        price=N_("The space of two disks in each group, and slower writes."),
    ),
    GoalFacts(
        goal=Goal.CONCURRENT,
        title=N_("Concurrent"),
        promise=N_("As many requests at once as the disks can answer; any one disk may fail."),
        price=N_("Often half of the space: mirrors answer most at once."),
    ),
    GoalFacts(
        goal=Goal.SPEED,
        title=N_("Speed"),
        promise=N_("All disks read and write side by side, and all of their space is usable."),
        price=N_("The first disk that fails takes the data of its pool along."),
    ),
    GoalFacts(
        goal=Goal.SPACE,
        title=N_("Space"),
        promise=N_("As much room as there can be while any two disks may fail, with five disks or fewer any one."),
        price=N_("Few random reads at once, and rebuilds that read all disks of a wide group."),
    ),
)


def goal_facts(goal: Goal) -> GoalFacts:
    return next(facts for facts in GOALS if facts.goal is goal)


# What the model of synchronous writes says of a design, with the same numbers as its forecast and its roles.

# Enough for advice: another seed moves a gain by about a point.
REQUESTS = 3000


def sync_forecast(design: Design, assumed: Assumptions | None = None) -> "LogForecast | None":
    """Return the synchronous writes a second of ``design`` without and with a log device; None where it has no data.

    The log device is the best of the flash that is free or in a support role, else an SSD with power-loss protection.
    """
    from poolwright.predict.synclog_advice import LogForecast  # noqa: PLC0415 - few designs have volumes that wait

    try:
        setting = setting_of(design, assumed=assumed)
        found = log_speeds(setting)
    except PoolwrightError:
        return None
    return LogForecast(
        without=found.without.sync_write_iops,
        beside=found.beside.sync_write_iops,
        device=flush_of(found.log).words,
        worth=worth_of_log(setting),
    )


def advise_design(design: Design) -> "tuple[Setup, tuple[Advice, ...]] | None":
    """Return what the model was asked for ``design`` and what it means; None where the design does not ask.

    Takes some tenths of a second.
    """
    from poolwright.predict.synclog_advice import advise, compare  # noqa: PLC0415 - as above
    from poolwright.predict.synclog_model import setup_of  # noqa: PLC0415

    setup = setup_of(design)
    if setup is None:
        return None
    return setup, advise(compare(setup, requests=REQUESTS), design.version, sync_forecast(design))
