"""What the three goals mean and cost, in words that can be checked."""

from dataclasses import dataclass

from poolwright.domain.finding import Source
from poolwright.domain.workload import Goal

_THESIS = "M. Then, ZFS unter Linux, 2016"
_MEASURED_ON = "measured on 44 disks of 6 TB"


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One thing to know about a goal, with where it comes from."""

    text: str
    source: Source


@dataclass(frozen=True, slots=True, kw_only=True)
class GoalFacts:
    """A goal for people: what it means, an example, what it brings and what it costs."""

    goal: Goal
    title: str
    meaning: str
    example: str
    gains: tuple[Statement, ...]
    costs: tuple[Statement, ...]


def _thesis(text: str, chapter: str) -> Statement:
    return Statement(text=text, source=Source(kind="document", ref=f"{_THESIS}, {chapter}", note=_MEASURED_ON))


GOALS = (
    GoalFacts(
        goal=Goal.SAFETY,
        title="Safety",
        meaning="The data must not be lost and must stay within reach. Slower is accepted.",
        example="Storage for important data, archives, backups",
        gains=(
            _thesis("Several raidz2 of up to 8 disks: no slower than a pool without parity.", "7.1"),
            _thesis("A rebuild slows down one vdev, not the whole pool.", "7.1"),
        ),
        costs=(
            _thesis("2 disks of each raidz2 hold parity; mirrors give up half the space.", "7.1"),
            _thesis("30 hours to rebuild a disk in a full raidz2 of 8; writes are 16 % slower meanwhile.", "6.3"),
        ),
    ),
    GoalFacts(
        goal=Goal.CONCURRENT,
        title="Concurrent",
        meaning="Many clients work at once and each of them must get an answer soon.",
        example="Home directories, virtual machines, databases",
        gains=(
            _thesis("Random reads grow from 170 to 1200 MiB/s up to 250 jobs, flat up to 1000.", "7.2"),
            _thesis("Random writes grow from 1600 to 2600 MiB/s up to 250 jobs, flat up to 1000.", "7.2"),
        ),
        costs=(
            _thesis("Many small vdevs serve many clients; mirrors give up half the space for that.", "7.1"),
            _thesis("One client alone reads at random with 4 % of the sequential speed.", "5.6"),
        ),
    ),
    GoalFacts(
        goal=Goal.SPEED,
        title="Speed",
        meaning="The highest throughput for data that can be made again, or of which a copy exists.",
        example="Scratch space for computations",
        gains=(
            _thesis("No parity to compute or to store: all of the space is usable.", "7.3"),
            _thesis("Several pools of up to 20 vdevs are faster together than one large pool.", "7.3"),
        ),
        costs=(
            _thesis("No disk may fail: one that does takes its whole pool with it.", "7.3"),
            _thesis("Each disk gives less the more vdevs there are; writes fall faster beyond 24.", "7.3"),
        ),
    ),
)  # fmt: skip


def goal_facts(goal: Goal) -> GoalFacts:
    """Return what is known of a goal."""
    return next(facts for facts in GOALS if facts.goal is goal)
