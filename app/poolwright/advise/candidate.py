"""A layout that was looked at, with all that is known of it."""

from dataclasses import dataclass

from poolwright.advise.enumerate import Shape
from poolwright.advise.measures import Measures
from poolwright.advise.rank import Term, score_terms
from poolwright.advise.survival import survival_shares
from poolwright.capacity.pool import PoolCapacity, predict_pool
from poolwright.domain.disk import Disk, Note
from poolwright.domain.finding import Finding
from poolwright.domain.vdev import Layout
from poolwright.domain.version import ZfsVersion
from poolwright.domain.workload import Goal
from poolwright.predict.outlook import Outlook, Predictions


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A feasible layout of equal disks, evaluated and scored for a goal.

    ``layout`` and ``capacity`` are those of one pool; ``shape.pools`` such pools are made. ``disks`` are the equal
    disks it is made of (more than it needs, in the order they are assigned). ``cost`` is in the budget's currency,
    None without a price.
    """

    shape: Shape
    layout: Layout
    disks: tuple[Disk, ...]
    unassigned: int
    cost: float | None
    findings: tuple[Finding, ...]
    goal: Goal
    measures: Measures
    score: float
    ashift: int
    version: ZfsVersion
    logical_sector_bytes: int
    outlook: Outlook

    @property
    def predictions(self) -> Predictions:
        """Return speed, rebuild, scrub and risk of one pool, with bands. Worked out when asked for."""
        return self.outlook.predictions(self.layout)

    @property
    def capacity(self) -> PoolCapacity:
        """Return the space of one pool in every detail. Worked out when asked for."""
        return predict_pool(
            self.layout, ashift=self.ashift, version=self.version, logical_sector_bytes=self.logical_sector_bytes
        )

    @property
    def failures_survived(self) -> int:
        """Return how many disks of a pool may fail, whichever they are, without loss of data."""
        return self.measures.failures_survived

    @property
    def survival(self) -> tuple[float, ...]:
        """Return the share of all sets of 1 to 4 failing disks that a pool survives. Worked out when asked for."""
        return survival_shares(self.shape)

    @property
    def terms(self) -> tuple[Term, ...]:
        """Return what the score is made of; the points add up to it. Worked out when asked for."""
        return score_terms(self.goal, self.measures, self.findings)

    @property
    def usable_bytes(self) -> int:
        """Return the usable bytes of all pools together."""
        return self.measures.usable_bytes

    @property
    def family(self) -> str:
        """Return the family's name."""
        return self.shape.family


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejected:
    """A family that was not chosen, with its best layout where one exists, and why not.

    ``rule_id`` names the rule that speaks against it, ``feasible`` tells whether the request admits it at all.
    ``unmet`` counts the wishes a refused layout does not meet; ``usable_bytes`` is what it would offer.
    """

    family: str
    reason: str
    layout: Layout | None = None
    score: float | None = None
    rule_id: str | None = None
    feasible: bool = False
    unmet: int = 0
    usable_bytes: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Recommendation:
    """All feasible candidates, best first, and the families not chosen. ``examined`` counts every shape looked at."""

    goal: Goal
    ashift: int
    candidates: tuple[Candidate, ...]
    rejected: tuple[Rejected, ...]
    notes: tuple[Note, ...]
    examined: int

    @property
    def best(self) -> Candidate:
        """Return the first choice."""
        return self.candidates[0]
