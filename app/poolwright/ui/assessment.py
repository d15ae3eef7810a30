"""What the window says of the current design: exact capacity, failures survived, disks, cost, findings."""

from collections.abc import Callable
from dataclasses import dataclass

from poolwright.capacity.of_design import predict_design
from poolwright.capacity.pool import PoolCapacity
from poolwright.domain.design import Design
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.finding import Finding
from poolwright.domain.vdev import VdevClass
from poolwright.rules.design_judge import judge_design
from poolwright.rules.layout_facts import LayoutNumbers
from poolwright.rules.model import RuleBook
from poolwright.ui.expected import Expected, predictions_for_rules

_NEEDED = (VdevClass.DATA, VdevClass.SPECIAL, VdevClass.DEDUP)  # losing one of these loses the pool


@dataclass(frozen=True, slots=True, kw_only=True)
class Assessment:
    """The numbers of one design.

    ``capacity`` is None with the reason in ``problem`` where OpenZFS would refuse the pool. ``failures_survived``
    counts disks, whichever they are; None when a size is unknown. ``findings`` is None until the rules are loaded.
    """

    design: Design
    capacity: PoolCapacity | None
    problem: str
    failures_survived: int | None
    disks_used: int
    spares: int
    cost: float | None
    findings: tuple[Finding, ...] | None = None


# What predicts a design whose space is known, or None where OpenZFS would refuse it.
Predict = Callable[[Design, PoolCapacity | None], Expected | None]


def assess(
    design: Design, rules: RuleBook | None = None, unassigned_disks: int = 0, predict: Predict | None = None
) -> Assessment:
    """Return the numbers of ``design``, and its findings where there are ``rules``.

    ``unassigned_disks`` counts the disks that were offered but have no place in it; ``predict`` tells the rules what
    the models expect. Never raises for a design that OpenZFS would refuse.
    """
    capacity, problem, survived, findings = None, "", None, None
    try:
        survived = min((v.failures_survived for v in design.layout() if v.vdev_class in _NEEDED), default=None)
        capacity = predict_design(design)
    except PoolwrightError as error:
        problem = error.text
    if rules is not None and survived is not None:
        usable = capacity.available_bytes if capacity is not None else None
        expected = predict(design, capacity) if predict is not None else None
        numbers = LayoutNumbers(
            usable_bytes=usable,
            unassigned_disks=unassigned_disks,
            predicted=None if expected is None else predictions_for_rules(expected),
        )
        findings = judge_design(rules, design, numbers, None if expected is None else expected.rebuild_hours)
    used = len(design.used_keys())
    price = design.budget.price_per_disk
    return Assessment(
        design=design,
        capacity=capacity,
        problem=problem,
        failures_survived=survived,
        disks_used=used,
        spares=sum(len(v.members) for v in design.vdevs if v.vdev_class is VdevClass.SPARE),
        cost=price * used if price is not None else None,
        findings=findings,
    )
