"""Everything that is known of a whole design, each of its pools and all together: what reports and comparisons tell."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from datetime import date

from poolwright.advise.survival_of_vdevs import failures_survived, survival_share
from poolwright.capacity.of_design import predict_design
from poolwright.capacity.pool import PoolCapacity
from poolwright.domain.design import Design
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.finding import Finding
from poolwright.domain.steps import at_once
from poolwright.domain.vdev import VdevClass
from poolwright.predict.cost import Cost
from poolwright.predict.drives import DriveBook
from poolwright.predict.expected import Assumptions, Expected, basis_of, cost_of, expect, predictions_for_rules
from poolwright.rules.design_judge import judge_design_in_steps
from poolwright.rules.findings_of_pools import united
from poolwright.rules.layout_facts import LayoutNumbers
from poolwright.rules.model import RuleBook

DEFAULTS = Assumptions()


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolEvaluation:
    """One pool of a design, as a design of its own.

    ``capacity`` is None where OpenZFS would refuse it, ``expected`` where nothing can be predicted; ``problem`` says
    why. ``findings`` is None where there were no rules or a size is unknown.
    """

    design: Design
    capacity: PoolCapacity | None
    expected: Expected | None
    problem: str
    findings: tuple[Finding, ...] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """A whole design. ``survived`` and the shares count disks over all pools; None is unknown.

    ``cost`` is of all disks that have a place; its per-TB figure divides by the space of all pools.
    """

    design: Design
    pools: tuple[PoolEvaluation, ...]
    survived: int | None
    survives_two: float | None
    survives_three: float | None
    cost: Cost | None

    @property
    def main(self) -> PoolEvaluation:
        """Return the first pool."""
        return self.pools[0]

    @property
    def capacities(self) -> tuple[PoolCapacity, ...] | None:
        """Return the space of every pool; None as soon as one is unknown."""
        known = tuple(pool.capacity for pool in self.pools if pool.capacity is not None)
        return known if len(known) == len(self.pools) else None

    @property
    def usable_bytes(self) -> int | None:
        """Return USED + AVAIL of all root datasets together."""
        found = self.capacities
        return None if found is None else sum(capacity.available_bytes for capacity in found)

    @property
    def findings(self) -> tuple[Finding, ...] | None:
        """Return the findings on all pools, each once; None as soon as one pool could not be judged.

        The subject of a finding on a further pool begins with that pool's name; see `united`.
        """
        judged = [(pool.design, pool.findings) for pool in self.pools if pool.findings is not None]
        return united(judged) if len(judged) == len(self.pools) else None

    @property
    def disks_shared(self) -> bool:
        """Tell whether pools lie on partitions of the same disks."""
        seen: set[str] = set()
        for pool in self.pools:
            keys = pool.design.used_keys()
            if seen & keys:
                return True
            seen |= keys
        return False

    @property
    def spares(self) -> int:
        """Return the hot and distributed spares of all pools."""
        hot = sum(len(v.members) for v in self.design.all_vdevs() if v.vdev_class is VdevClass.SPARE)
        return hot + sum(v.draid_spares for v in self.design.all_vdevs())


def evaluate(
    design: Design,
    *,
    drives: DriveBook,
    today: date,
    rules: RuleBook | None = None,
    assumed: Assumptions = DEFAULTS,
    unassigned_disks: int = 0,
) -> Evaluation:
    """Do the same as `evaluate_in_steps` at once."""
    return at_once(
        evaluate_in_steps(
            design, drives=drives, today=today, rules=rules, assumed=assumed, unassigned_disks=unassigned_disks
        )
    )


def evaluate_in_steps(
    design: Design,
    *,
    drives: DriveBook,
    today: date,
    rules: RuleBook | None = None,
    assumed: Assumptions = DEFAULTS,
    unassigned_disks: int = 0,
) -> Generator[None, None, Evaluation]:
    """Return everything known of ``design``. Never raises for a design that OpenZFS would refuse.

    ``today`` is where the forecast of the filling begins; ``unassigned_disks`` were offered and have no place.
    Yields between the parts, of which none takes a tenth of a second with two thousand disks.
    """
    found = []
    among = design.pools()
    for pool in among:
        found.append((yield from _pool(pool, among, drives, today, rules, assumed, unassigned_disks)))
        yield
    pools = tuple(found)
    capacities = [pool.capacity for pool in pools]
    cost = None
    if design.all_vdevs() and None not in capacities:
        usable = sum(capacity.available_bytes for capacity in capacities if capacity is not None)
        cost = cost_of(design, assumed, drives, usable_bytes=usable)
    yield
    survived = failures_survived(design)
    yield
    survives_two = survival_share(design, 2)
    yield
    survives_three = survival_share(design, 3)
    return Evaluation(
        design=design,
        pools=pools,
        survived=survived,
        survives_two=survives_two,
        survives_three=survives_three,
        cost=cost,
    )


def _pool(
    design: Design,
    among: Sequence[Design],
    drives: DriveBook,
    today: date,
    rules: RuleBook | None,
    assumed: Assumptions,
    unassigned_disks: int,
) -> Generator[None, None, PoolEvaluation]:
    capacity, problems = _capacity(design)
    yield
    expected: Expected | None = None
    try:
        basis = basis_of(design, capacity, drives, among)
        yield
        expected = expect(basis, assumed, today=today)
    except PoolwrightError as error:
        problems.append(error.text)
    yield
    findings = None
    if rules is not None:
        numbers = LayoutNumbers(
            usable_bytes=None if capacity is None else capacity.available_bytes,
            unassigned_disks=unassigned_disks,
            predicted=None if expected is None else predictions_for_rules(expected),
        )
        try:
            rebuild = None if expected is None else expected.rebuild_hours
            findings = yield from judge_design_in_steps(rules, design, numbers, rebuild)
        except PoolwrightError as error:
            problems.append(error.text)
    return PoolEvaluation(
        design=design,
        capacity=capacity,
        expected=expected,
        problem=" ".join(dict.fromkeys(problems)),
        findings=findings,
    )


def _capacity(design: Design) -> tuple[PoolCapacity | None, list[str]]:
    try:
        return predict_design(design), []
    except PoolwrightError as error:
        return None, [error.text]


def unassigned_of(design: Design, offered: Sequence[str]) -> int:
    """Return how many of the disks with the keys ``offered`` have no place in ``design``, and could have one.

    Disks of another medium than those that hold its data are none of them: what flash is worth beside a pool of hard
    disks is said with its roles.
    """
    used, wanted = design.used_keys(), set(offered)
    data = {
        member.disk_key for vdev in design.all_vdevs() if vdev.vdev_class is VdevClass.DATA for member in vdev.members
    }
    media = {disk.media for disk in design.disks if disk.key in data}
    known = {disk.key: disk.media for disk in design.disks}
    return sum(not media or key not in known or known[key] in media for key in wanted - used)
