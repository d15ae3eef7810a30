"""What the window says of the current design: exact capacity, failures survived, disks, cost, findings."""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace

from poolwright.advise.constraints import disks_cost
from poolwright.capacity.of_design import predict_design
from poolwright.capacity.pool import PoolCapacity
from poolwright.domain.design import Design
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.finding import Finding
from poolwright.domain.money import Money
from poolwright.domain.steps import at_each, at_once
from poolwright.domain.vdev import VdevClass
from poolwright.predict.expected import Expected, predictions_for_rules
from poolwright.rules.design_judge import judge_design_in_steps
from poolwright.rules.evaluate import in_order
from poolwright.rules.findings_of_pools import united
from poolwright.rules.layout_facts import LayoutNumbers
from poolwright.rules.model import RuleBook

_NEEDED = (VdevClass.DATA, VdevClass.SPECIAL, VdevClass.DEDUP)  # losing one of these loses the pool


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolNumbers:
    """The numbers of one pool; ``capacity`` is None with the reason in ``problem`` where OpenZFS would refuse it."""

    design: Design
    capacity: PoolCapacity | None
    problem: str
    failures_survived: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Assessment:
    """The numbers of one design, of each of its pools in ``pools``, the main pool first.

    ``spares`` counts hot and distributed ones, ``failures_survived`` disks of the main pool, whichever they are; None
    when a size is unknown. ``findings`` on all pools are None until the rules are loaded and asked; the subject of one
    on a further pool begins with its name.
    """

    design: Design
    pools: tuple[PoolNumbers, ...]
    disks_used: int
    spares: int
    cost: Money | None
    findings: tuple[Finding, ...] | None = None

    @property
    def capacity(self) -> PoolCapacity | None:
        """Return the space of the main pool."""
        return self.pools[0].capacity

    @property
    def problem(self) -> str:
        """Return why OpenZFS would refuse a pool; empty where it takes all."""
        return next((pool.problem for pool in self.pools if pool.problem), "")

    @property
    def failures_survived(self) -> int | None:
        """Return how many disks of the main pool may fail, whichever they are."""
        return self.pools[0].failures_survived

    @property
    def capacities(self) -> tuple[PoolCapacity, ...] | None:
        """Return the space of every pool; None as soon as one is refused."""
        known = tuple(pool.capacity for pool in self.pools if pool.capacity is not None)
        return known if len(known) == len(self.pools) else None


# What predicts a pool of these, which may share disks; None where OpenZFS would refuse it. Its space may be unknown.
Predict = Callable[[Design, PoolCapacity | None, Sequence[Design]], Expected | None]


def assess(
    design: Design, rules: RuleBook | None = None, unassigned_disks: int = 0, predict: Predict | None = None
) -> Assessment:
    """Return the numbers of ``design``, and its findings where there are ``rules``.

    ``unassigned_disks`` counts the disks that were offered but have no place in it; ``predict`` tells the rules what
    the models expect. Never raises for a design that OpenZFS would refuse.
    """
    return at_once(assess_in_steps(design, rules, unassigned_disks, predict))


def assess_in_steps(
    design: Design, rules: RuleBook | None = None, unassigned_disks: int = 0, predict: Predict | None = None
) -> Generator[Assessment, None, Assessment]:
    """Do the same as `assess` in slices; yields the numbers without findings."""
    pools = design.pools()
    numbers = tuple(_numbers(pool) for pool in pools)
    used, vdevs = len(design.used_keys()), design.all_vdevs()
    found = Assessment(
        design=design,
        pools=numbers,
        disks_used=used,
        spares=sum(len(v.members) for v in vdevs if v.vdev_class is VdevClass.SPARE)
        + sum(v.draid_spares for v in vdevs),
        cost=_cost(design),
    )
    yield found
    if rules is None or any(pool.failures_survived is None for pool in numbers):
        return found
    judged: list[tuple[Design, tuple[Finding, ...]]] = []
    for pool in numbers:
        findings = yield from at_each(_findings(pool, pools, rules, unassigned_disks, predict), lambda _: found)
        judged.append((pool.design, findings))
    return replace(found, findings=in_order(united(judged)))


def _numbers(pool: Design) -> PoolNumbers:
    capacity, problem, survived = None, "", None
    try:
        survived = min((v.failures_survived for v in pool.layout() if v.vdev_class in _NEEDED), default=None)
        capacity = predict_design(pool)
    except PoolwrightError as error:
        problem = error.text
    return PoolNumbers(design=pool, capacity=capacity, problem=problem, failures_survived=survived)


def _findings(
    pool: PoolNumbers, pools: Sequence[Design], rules: RuleBook, unassigned: int, predict: Predict | None
) -> Generator[None, None, tuple[Finding, ...]]:
    expected = predict(pool.design, pool.capacity, pools) if predict is not None else None
    yield
    numbers = LayoutNumbers(
        usable_bytes=pool.capacity.available_bytes if pool.capacity is not None else None,
        unassigned_disks=unassigned,
        predicted=None if expected is None else predictions_for_rules(expected),
    )
    hours = None if expected is None else expected.rebuild_hours
    return (yield from judge_design_in_steps(rules, pool.design, numbers, hours))


def _cost(design: Design) -> Money | None:
    """Return what is paid for the disks that are used: each its own price, else the one that was entered for all."""
    keys = design.used_keys()
    used = [disk for disk in design.disks if disk.key in keys]
    return disks_cost(design.budget, used, used)
