"""What the goals mean and cost, in words that can be checked."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from poolwright.design.roles.advice import setting_of
from poolwright.design.roles.log import log_speeds, worth_of_log
from poolwright.domain.design import Design
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.finding import Source
from poolwright.domain.workload import Goal
from poolwright.predict.assumptions import Assumptions
from poolwright.predict.throughput import flush_of
from poolwright.texts import N_

if TYPE_CHECKING:
    from poolwright.predict.synclog_advice import Advice, LogForecast
    from poolwright.predict.synclog_model import Setup

_THESIS = "M. Then, ZFS unter Linux, 2016"  # for machines
_MEASURED_ON = N_("measured on 44 disks of 6 TB")


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    text: str
    source: Source


@dataclass(frozen=True, slots=True, kw_only=True)
class GoalFacts:
    """A goal for people: what it means, an example, what it promises for which price, and what was measured of both."""

    goal: Goal
    title: str
    meaning: str
    example: str
    promise: str
    price: str
    gains: tuple[Statement, ...]
    costs: tuple[Statement, ...]


def _thesis(text: str, chapter: str) -> Statement:
    return Statement(text=text, source=Source(kind="document", ref=f"{_THESIS}, {chapter}", note=_MEASURED_ON))


def _manual(text: str) -> Statement:
    return Statement(text=text, source=Source(kind="document", ref=N_("OpenZFS documentation, Basic Concepts, RAIDZ")))


GOALS = (
    GoalFacts(
        goal=Goal.SAFETY,
        title=N_("Safety"),
        meaning=N_("The data must not be lost and must stay within reach. Slower is accepted."),
        example=N_("Storage for important data, archives, backups"),
        promise=N_("Any two disks may fail, with three disks or fewer or a few of very unequal sizes any one."),
        price=N_("The space of two disks in each group, and slower writes."),
        gains=(
            _thesis(N_("raidz2 of up to 8 disks is no slower than no parity."), "7.1"),
            _thesis(N_("A rebuild slows down one vdev, not the pool."), "7.1"),
        ),
        costs=(
            _thesis(N_("2 disks of each raidz2, or half of all mirrors."), "7.1"),
            _thesis(N_("30 h to rebuild a disk of a full raidz2; writes 16 % slower."), "6.3"),
        ),
    ),
    GoalFacts(
        goal=Goal.CONCURRENT,
        title=N_("Concurrent"),
        meaning=N_("Many clients work at once and each of them must get an answer soon."),
        example=N_("Home directories, virtual machines, databases"),
        promise=N_("As many requests at once as the disks can answer; any one disk may fail."),
        price=N_("Often half of the space: mirrors answer most at once."),
        gains=(
            _thesis(N_("Random reads: 170 MiB/s with 1 job, 1200 with 250."), "7.2"),
            _thesis(N_("Random writes: 1600 MiB/s with 1 job, 2600 with 250."), "7.2"),
        ),
        costs=(
            _thesis(N_("Mirrors, the most vdevs, give up half the space."), "7.1"),
            _thesis(N_("Random reads alone reach 4 % of sequential speed."), "5.6"),
        ),
    ),
    GoalFacts(
        goal=Goal.SPEED,
        title=N_("Speed"),
        meaning=N_("The highest throughput for data that can be made again, or of which a copy exists."),
        example=N_("Scratch space for computations"),
        promise=N_("All disks read and write side by side, and all of their space is usable."),
        price=N_("The first disk that fails takes the data of its pool along."),
        gains=(
            _thesis(N_("No parity to compute; all of the space is usable."), "7.3"),
            _thesis(N_("Several pools of up to 20 vdevs beat one large pool."), "7.3"),
        ),
        costs=(
            _thesis(N_("The failure of any one disk loses its pool."), "7.3"),
            _thesis(N_("Each disk gives less the more there are in a pool."), "7.3"),
        ),
    ),
    GoalFacts(
        goal=Goal.SPACE,
        title=N_("Space"),
        meaning=N_(
            "As much of the disks as can be had without a first failure losing it. Slower, and wider, is accepted."
        ),
        example=N_("Media, data that can be fetched again"),
        promise=N_("As much room as there can be while any two disks may fail, with five disks or fewer any one."),
        price=N_("Few random reads at once, and rebuilds that read all disks of a wide group."),
        gains=(
            _manual(N_("raidz1 of 5 and raidz2 of 10 leave 80 % of the raw space.")),
            _manual(N_("Large records lose next to nothing to padding.")),
        ),
        costs=(
            _manual(N_("A rebuild reads all other disks of a wide vdev.")),
            _manual(N_("A vdev answers random reads about as fast as one of its disks.")),
        ),
    ),
)  # fmt: skip


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
