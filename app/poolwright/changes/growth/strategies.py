"""The usual ways to make room for the next years, each as a plan, to be laid side by side."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta

from poolwright.changes.growth.plan import GrowthPlan, GrowthQuestion, evaluate, extended
from poolwright.domain.design import Design, Vdev
from poolwright.domain.growth import GrowthKind, GrowthStep
from poolwright.domain.money import Money
from poolwright.domain.units import PLAN_FILL_PERCENT, drive_size
from poolwright.domain.vdev import VdevClass, VdevKind
from poolwright.predict.growth import DAYS_PER_YEAR
from poolwright.texts import tell, tell_counted

MOST_STEPS = 8
# Wider is slow to rebuild; the same limit as the rules on width.
WIDEST_RAIDZ = 12
LARGER_FACTOR = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Strategy:
    """A way to grow: its plan, and until when it keeps the pool below 80 % (None: beyond 50 years, or growth unknown).

    ``enough`` tells whether that reaches to the end of the time asked for. ``spent`` is all money with the first
    disks, None where a price is unknown; ``disks`` are those bought after the first.
    """

    name: str
    steps: tuple[GrowthStep, ...]
    plan: GrowthPlan
    lasts_until: date | None
    enough: bool
    spent: Money | None
    disks: int


def strategies(design: Design, question: GrowthQuestion, *, years: float = 5.0) -> tuple[Strategy, ...]:
    """Return the ways that are possible, each with as many steps as ``years`` need (at most 8).

    Raises Refusal or UserError where the pool itself cannot be made.
    """
    data = [vdev for vdev in design.vdevs if vdev.vdev_class is VdevClass.DATA]
    if not data:
        return ()
    until = question.today + timedelta(days=years * DAYS_PER_YEAR)
    new = evaluate(design, (), question)
    found = [_longest(new, until, tell("Nothing more is bought"), _nothing)]
    like = data[-1]
    spec = design.spec(like)
    price, price_on = design.budget.price_per_disk, design.budget.price_on
    words = (
        f"{spec.word} of {spec.width}"
        if spec.kind is not VdevKind.STRIPE
        else tell_counted("{count} disk", "{count} disks", spec.width)
    )

    def bought(kind: GrowthKind, **changes: object) -> GrowthStep:
        return GrowthStep(kind=kind, price_per_disk=price, price_on=price_on, **changes)  # type: ignore[arg-type]

    def now(_: int) -> GrowthStep:
        return bought(GrowthKind.ADD, vdev=spec, on=question.today.isoformat())

    def later(_: int) -> GrowthStep:
        return bought(GrowthKind.ADD, vdev=spec, at_percent=PLAN_FILL_PERCENT)

    found.append(_longest(new, until, tell("Everything now: further vdevs, {words}", words=words), now))
    found.append(_longest(new, until, tell("A further vdev at 80 %: {words}", words=words), later))
    found.append(_longest(new, until, _larger_name(design, like), _larger(design, bought)))
    if any(vdev.kind is VdevKind.RAIDZ for vdev in data):
        found.append(_longest(new, until, tell("One disk at a time into a raidz at 80 %"), _single(design, bought)))
    return tuple(strategy for strategy in found if strategy.steps or strategy is found[0])


Maker = Callable[[int], GrowthStep | None]


def _longest(plan: GrowthPlan, until: date, name: str, make: Maker) -> Strategy:
    """Return the plan with as few steps as reach ``until``, or with all that can be made."""
    steps: tuple[GrowthStep, ...] = ()
    for number in range(MOST_STEPS):
        last = plan.stages[-1].full_on
        if last is None or last >= until:
            break
        step = make(number)
        if step is None:
            break
        longer = extended(plan, step)
        if longer.problem is not None:
            break
        steps, plan = (*steps, step), longer
    last = plan.stages[-1].full_on
    return Strategy(
        name=name,
        steps=steps,
        plan=plan,
        lasts_until=last,
        enough=last is None or last >= until,
        spent=plan.stages[-1].spent,
        disks=sum(len(stage.disks) for stage in plan.stages[1:]),
    )


def _nothing(_: int) -> GrowthStep | None:
    return None


def _tops(design: Design, kinds: tuple[VdevKind, ...]) -> Iterator[tuple[int, Vdev]]:
    """Yield the numbers of the data vdevs of these kinds as `zpool status` counts them, and the vdevs."""
    data = [vdev for vdev in design.vdevs if vdev.vdev_class is VdevClass.DATA]
    number = 0
    for vdev in sorted(data, key=lambda v: v.kind is not VdevKind.STRIPE):
        for _ in range(len(vdev.members) if vdev.kind is VdevKind.STRIPE else 1):
            if vdev.kind in kinds:
                yield number, vdev
            number += 1


def _larger_size(design: Design, vdev: Vdev) -> int:
    return LARGER_FACTOR * min(design.spec(vdev).sizes)


def _larger_name(design: Design, vdev: Vdev) -> str:
    return tell("Replaced by {size} disks at 80 %, vdev by vdev", size=drive_size(_larger_size(design, vdev)))


def _larger(design: Design, bought: Callable[..., GrowthStep]) -> Maker:
    tops = list(_tops(design, tuple(VdevKind)))

    def make(number: int) -> GrowthStep | None:
        if number >= len(tops):
            return None
        top, vdev = tops[number]
        size = _larger_size(design, vdev)
        return replace(bought(GrowthKind.REPLACE, size_bytes=size, at_percent=PLAN_FILL_PERCENT), top=top)

    return make


def _single(design: Design, bought: Callable[..., GrowthStep]) -> Maker:
    """Return a maker of expansions: the narrowest raidz first, none wider than the limit."""
    widths = {top: len(vdev.members) for top, vdev in _tops(design, (VdevKind.RAIDZ,))}
    sizes = {top: min(design.spec(vdev).sizes) for top, vdev in _tops(design, (VdevKind.RAIDZ,))}

    def make(number: int) -> GrowthStep | None:
        now = dict(widths)
        for _ in range(number):
            now[min(now, key=lambda t: (now[t], t))] += 1
        top = min(now, key=lambda t: (now[t], t))
        if now[top] >= WIDEST_RAIDZ:
            return None
        return replace(bought(GrowthKind.ATTACH, size_bytes=sizes[top], at_percent=PLAN_FILL_PERCENT), top=top)

    return make
