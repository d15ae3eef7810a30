"""A pool's life on a time line: what grows in it, the steps that make room, and what the tools print after each.

Until a step the data grow as stated; USED of `zfs list` follows. After a raidz expansion new blocks are charged at the
old deflate ratio but stored over more disks, so USED grows slower than the data, and AVAIL understates the room."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from itertools import islice, repeat
from math import log

from poolwright.capacity.expansion import target
from poolwright.capacity.pool import PoolCapacity
from poolwright.capacity.vdev import allocated_bytes, deflated
from poolwright.changes.growth.design import GrownDesign, created_pool, filled, grow, new_disks, notes_of, refill_hours
from poolwright.domain.design import Design, Vdev
from poolwright.domain.disk import Disk, Note, NoteLevel
from poolwright.domain.errors import PoolwrightError, Refusal
from poolwright.domain.estimate import Estimate
from poolwright.domain.growth import GrowthKind, GrowthStep, parse_day
from poolwright.domain.money import MixedCurrenciesError, Money
from poolwright.domain.units import DEFAULT_RECORD_BYTES, PLAN_FILL_PERCENT, drive_size, not_understood
from poolwright.domain.vdev import HOLDS_THE_POOL, VdevClass, VdevKind, describe
from poolwright.domain.workload import Budget
from poolwright.predict.assessment import Assessment
from poolwright.predict.groups import times
from poolwright.predict.rebuild import RebuildConditions, expansion_hours
from poolwright.predict.space import DAYS_PER_YEAR, GROWTH_DOUBT
from poolwright.texts import _, ngettext

LONGEST_YEARS = 50.0
# Slow, typical and fast growth.
CASES = (1 - GROWTH_DOUBT, 1.0, 1 + GROWTH_DOUBT)

# What the models say of a grown design, and how its disks are rebuilt.
Predict = Callable[[Design, PoolCapacity], Assessment]


@dataclass(frozen=True, slots=True, kw_only=True)
class GrowthQuestion:
    """What a plan is computed for.

    ``used_bytes`` is USED of `zfs list` on the day ``today`` on which the pool begins its life (0: empty). None for
    ``growth``, in per cent a year, leaves fill levels and triggers unknown. ``conditions`` tell how disks are rebuilt,
    ``predict`` (None: not asked) is asked for every stage.
    """

    today: date
    used_bytes: int | None = None
    growth: float | None = None
    conditions: RebuildConditions = field(default_factory=RebuildConditions)
    predict: Predict | None = None
    autoexpand: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """The pool after ``step`` (None: as it is created), until the next.

    ``begins`` is when the step is begun (None: never, or nobody knows), ``ends`` when resilver or expansion are done.
    ``used_bytes`` is USED typically when it ends; ``fill_before`` (as it begins) and ``fill_after`` are per cent of
    USED + AVAIL. ``charged_percent`` is what `zfs list` charges for 128 KiB written from now on: under 100 after a
    raidz expansion, and ``rewrite_gain_bytes`` is how much USED falls if all data from before it are rewritten.
    ``full_on`` is when 80 % of this stage are reached without a further step, ``refusal`` why nobody should take it.
    Prices are in the budget's currency; None where one is unknown or a rate is missing.
    """

    step: GrowthStep | None
    grown: GrownDesign
    capacity: PoolCapacity
    begins: date | None
    ends: date | None
    work: Estimate | None = None
    used_bytes: int | None
    fill_before: float | None = None
    fill_after: float | None = None
    full_on: date | None = None
    failures_survived: int
    charged_percent: float
    rewrite_gain_bytes: int
    disks: tuple[Disk, ...]
    price: Money | None
    spent: Money | None
    predictions: Assessment | None = None
    notes: tuple[Note, ...] = ()
    refusal: str = ""

    @property
    def pool_size_bytes(self) -> int | None:
        """Return SIZE of `zpool list`; None where disks have no known size."""
        return None if self.grown.sizes_invented else self.capacity.pool_size_bytes

    @property
    def usable_bytes(self) -> int | None:
        """Return USED + AVAIL of `zfs list`; None where disks have no known size."""
        return None if self.grown.sizes_invented else self.capacity.available_bytes

    @property
    def avail_bytes(self) -> int | None:
        return None if self.used_bytes is None else max(0, self.capacity.available_bytes - self.used_bytes)

    @property
    def most_avail_bytes(self) -> int | None:
        """Return AVAIL, that of an empty pool where nobody knows what is in use."""
        return self.usable_bytes if self.avail_bytes is None else self.avail_bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class GrowthRefusal:
    """The step, by its number from 0, that cannot be done, and why. What comes after it is not computed."""

    number: int
    text: str
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class GrowthPlan:
    """A plan evaluated: the stages that could be reached, the first being the new pool; ``problem`` ended it early."""

    question: GrowthQuestion
    stages: tuple[Stage, ...]
    problem: GrowthRefusal | None = None

    def used_at(self, years: float, case: float = 1.0) -> float | None:
        """Return USED ``years`` after the beginning if all steps are done in time; ``case`` scales the growth."""
        question = self.question
        if question.growth is None or question.used_bytes is None:
            return None
        used, known = float(question.used_bytes), _data(question, 0.0, case)
        for stage, following in zip(self.stages, (*self.stages[1:], None), strict=True):
            ends = following.ends if following is not None else None
            end = years if ends is None else _years(question.today, ends)
            now = _data(question, min(years, end), case)
            used += (now - known) * stage.charged_percent / 100
            known = now
            if end >= years:
                break
        return used


def evaluate(design: Design, steps: Sequence[GrowthStep], question: GrowthQuestion) -> GrowthPlan:
    """Return what becomes of the design's main pool with these steps.

    Raises Refusal or UserError where the pool itself cannot be made; a step that cannot be done ends the plan with its
    problem.
    """
    state = created_pool(design, autoexpand=question.autoexpand)
    if state.sizes_invented:  # how full it is, how long it resilvers and what is risked are then unknown too
        question = replace(question, used_bytes=None, predict=None)
    first = _first(state, question)
    plan = GrowthPlan(question=question, stages=(first,))
    for step in steps:
        plan = extended(plan, step)
        if plan.problem is not None:
            break
    return plan


def extended(plan: GrowthPlan, step: GrowthStep) -> GrowthPlan:
    """Return the plan with one step more; with a problem instead of a further stage where it cannot be done."""
    number = len(plan.stages) - 1
    try:
        stage = _next(plan, step, number)
    except PoolwrightError as error:
        reasons = error.reasons if isinstance(error, Refusal) else ()
        return replace(plan, problem=GrowthRefusal(number=number, text=error.text, reasons=reasons))
    return replace(plan, stages=(*plan.stages, stage))


def survived(state: GrownDesign) -> int:
    return min((vdev.failures_survived for vdev in state.vdevs if vdev.vdev_class in HOLDS_THE_POOL), default=0)


def charged_percent(state: GrownDesign) -> float:
    """Return what USED grows by for a 128 KiB record written now, in per cent of 128 KiB, over all data vdevs.

    100 but for raidz vdevs that were widened (and for small losses by rounding).
    """
    weights, charges, record = 0.0, 0.0, DEFAULT_RECORD_BYTES
    for placed in state.pool.capacity().vdevs:
        top = state.pool.tops[placed.index]
        if top.spec.vdev_class is not VdevClass.DATA:
            continue
        weight, shape = float(placed.capacity.usable_bytes), placed.top
        raw = allocated_bytes(shape.kind, shape.width, shape.parity, shape.group_data, state.pool.ashift, record)
        weights += weight
        charges += weight * (deflated(raw, placed.capacity.ratio) if top.width != top.born_width else record)
    return 100 * charges / weights / record if weights else 100.0


def _first(state: GrownDesign, question: GrowthQuestion) -> Stage:
    members = sorted({m.disk_key for vdev in state.vdevs for m in vdev.members})
    disks = tuple(state.disk(key) for key in members)
    price = _price(state.origin.budget, disks, state.origin.budget.price_per_disk)
    capacity = state.pool.capacity()
    stage = Stage(
        step=None,
        grown=state,
        capacity=capacity,
        begins=question.today,
        ends=question.today,
        used_bytes=question.used_bytes,
        fill_after=_percent(question.used_bytes, capacity),
        failures_survived=survived(state),
        charged_percent=100.0,
        rewrite_gain_bytes=0,
        disks=disks,
        price=price,
        spent=price,
    )
    return _noted(stage, state.design, question)


def _next(plan: GrowthPlan, step: GrowthStep, number: int) -> Stage:
    question, before = plan.question, plan.stages[-1]
    state = grow(before.grown, step, number + 1)
    begins = _begins(step, before, question)
    years = None if begins is None else _years(question.today, begins)
    used = None if years is None else plan.used_at(years)
    work = _work(step, before, used, question.conditions)
    work = work and times(work, len(new_disks(before.grown, state)))
    ends = None if begins is None else begins + timedelta(hours=work.typical if work is not None else 0)
    charged = charged_percent(state)
    later = None if ends is None else plan.used_at(_years(question.today, ends))
    if later is None and ends is not None and question.growth is None:  # nobody said that more will be stored
        later = before.used_bytes
    widened = step.kind is GrowthKind.ATTACH and charged < before.charged_percent
    disks, budget = new_disks(before.grown, state), state.origin.budget
    # The commonest way to ruin a pool, and from one with raidz no vdev is ever removed.
    ruins = step.kind is GrowthKind.ADD and survived(state) == 0 < before.failures_survived
    price = _price(budget, disks, step.price_per_disk or budget.price_per_disk)
    fill, capacity = _percent(used, before.capacity), state.pool.capacity()
    stage = Stage(
        step=step,
        grown=state,
        capacity=capacity,
        begins=begins,
        ends=ends,
        work=work,
        used_bytes=None if later is None else round(later),
        fill_before=fill,
        fill_after=_percent(later, capacity),
        failures_survived=survived(state),
        charged_percent=charged,
        rewrite_gain_bytes=round((later or 0) * (1 - charged / before.charged_percent)) if widened else 0,
        disks=disks,
        price=price,
        spent=None if price is None or before.spent is None else _sum(budget, (before.spent, price)),
        notes=(*_moved(step, before), *notes_of(step, before.grown, state, fill_before=fill)),
        refusal=_("Not written: one failed disk would lose the whole pool") if ruins else "",
    )
    return _noted(stage, filled(state, plan.stages[0].capacity), question)


# The stage with what follows from it: when 80 % of it are reached, and what models say.
def _noted(stage: Stage, design: Design, question: GrowthQuestion) -> Stage:
    full_on = _reached(stage, question, stage.capacity.available_bytes * PLAN_FILL_PERCENT // 100)
    return replace(stage, full_on=full_on, predictions=question.predict and question.predict(design, stage.capacity))


# When USED reaches ``level`` in a stage without a further step; None where not within 50 years.
def _reached(stage: Stage, question: GrowthQuestion, level: float) -> date | None:
    if stage.ends is None or stage.used_bytes is None or question.used_bytes is None or question.growth is None:
        return None
    if stage.used_bytes >= level:
        return stage.ends
    start = _years(question.today, stage.ends)
    data = _data(question, start) + (level - stage.used_bytes) / (stage.charged_percent / 100)
    rate = question.growth / 100
    if rate <= 0 or question.used_bytes <= 0:
        return None
    years = log(data / question.used_bytes) / log(1 + rate)
    if years > LONGEST_YEARS:
        return None
    return question.today + timedelta(days=round(max(start, years) * DAYS_PER_YEAR))


def _begins(step: GrowthStep, before: Stage, question: GrowthQuestion) -> date | None:
    if before.ends is None:
        return None
    if step.on is not None:
        return max(_parsed(step.on), before.ends)
    if step.at_percent is not None:
        return _reached(before, question, before.capacity.available_bytes * step.at_percent / 100)
    return before.ends


# Steps are done one after the other: one that is planned earlier than its forerunner ends waits for it.
def _moved(step: GrowthStep, before: Stage) -> tuple[Note, ...]:
    if step.on is None or before.ends is None:
        return ()
    planned = _parsed(step.on)
    if (before.ends.year, before.ends.month) <= (planned.year, planned.month):
        return ()
    words = {"on": step.on, "ends": before.ends}
    text = _("Planned for {on}, but the step before it ends on {ends}: it begins then.", **words)
    return (Note(text=text, level=NoteLevel.WARN),)


def _parsed(text: str) -> date:
    day = parse_day(text)
    if day is None:
        raise not_understood(text, _("Write 2027-03-15."))
    return day


# The bytes of data after some years, as a pool that was never widened would charge them.
def _data(question: GrowthQuestion, years: float, case: float = 1.0) -> float:
    used, growth = float(question.used_bytes or 0), question.growth
    return used if growth is None else used * float((1 + growth / 100 * case) ** years)


def _years(today: date, day: date) -> float:
    return (day - today).days / DAYS_PER_YEAR


def _percent(used: float | None, capacity: PoolCapacity) -> float | None:
    return None if used is None or capacity.available_bytes <= 0 else 100 * used / capacity.available_bytes


# What disks cost together; None where one has no price.
def _price(budget: Budget, disks: Sequence[Disk], each: Money | None) -> Money | None:
    prices = [price for disk in disks if (price := each if disk.price is None else disk.price) is not None]
    return _sum(budget, prices) if len(prices) == len(disks) else None


def _sum(budget: Budget, prices: Iterable[Money]) -> Money | None:
    try:
        return budget.sum_of(prices)
    except MixedCurrenciesError:
        return None


# The hours of a step's resilver of one disk, or expansion; None where nothing is copied, or nobody knows how much.
def _work(step: GrowthStep, before: Stage, used: float | None, conditions: RebuildConditions) -> Estimate | None:
    if step.kind not in (GrowthKind.ATTACH, GrowthKind.REPLACE) or used is None:
        return None
    fill = min(1.0, used / max(1, before.capacity.available_bytes))
    old = before.grown.pool.tops[target(before.grown.pool, step)]
    spec = old.exact
    if step.kind is GrowthKind.ATTACH and spec.kind is VdevKind.RAIDZ:
        size, held = min(spec.sizes), fill * old.asize
        return expansion_hours(old_width=old.width, disk_bytes=size, allocated_bytes=held, how=conditions)
    return refill_hours(spec, replace(conditions, fill_percent=100 * fill))


# The usual ways to make room for the next years, each as a plan, to be laid side by side.

MOST_STEPS = 8
# Wider is slow to rebuild; the same limit as the rules on width.
WIDEST_RAIDZ = 12
LARGER_FACTOR = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Strategy:
    """A way to grow: its plan, and until when it keeps the pool below 80 % (None: beyond 50 years, or growth unknown).

    ``enough`` tells whether that reaches to the end of the time asked for, ``spent`` is all money with the first disks,
    None where nobody knows; ``disks`` are those bought after the first.
    """

    name: str
    steps: tuple[GrowthStep, ...]
    plan: GrowthPlan
    lasts_until: date | None
    enough: bool | None
    spent: Money | None
    disks: int


def strategies(design: Design, question: GrowthQuestion, *, years: float = 5.0) -> tuple[Strategy, ...]:
    """Return the ways that are possible, each with as many steps as ``years`` need (at most 8), or with one.

    One where it is not known how much is stored or how fast it grows: that tells what each step brings.
    Raises Refusal or UserError where the pool itself cannot be made.
    """
    data = [vdev for vdev in design.vdevs if vdev.vdev_class is VdevClass.DATA]
    if not data:
        return ()
    until = question.today + timedelta(days=years * DAYS_PER_YEAR)
    new, like = evaluate(design, (), question), data[-1]
    spec, budget = design.spec(like), design.budget
    striped = spec.kind is VdevKind.STRIPE
    words = ngettext("{count} disk", "{count} disks", spec.width) if striped else describe((spec,))
    now = GrowthStep(
        kind=GrowthKind.ADD,
        vdev=spec,
        on=question.today.isoformat(),
        price_per_disk=budget.price_per_disk,
        price_on=budget.price_on,
    )
    later = replace(now, on=None, at_percent=PLAN_FILL_PERCENT)
    size = drive_size(_larger_size(design, like))
    replaced = replace(later, kind=GrowthKind.REPLACE, vdev=None)
    larger = (replace(replaced, size_bytes=_larger_size(design, v), top=n) for n, v in _tops(design))
    known = question.growth is not None and question.used_bytes is not None
    ways: list[tuple[str, Iterable[GrowthStep]]] = [
        (_("Nothing more is bought"), ()),
        (_("Everything now: further vdevs, {words}", words=words), repeat(now) if known else ()),
        (_("A further vdev at 80 %: {words}", words=words), repeat(later)),
        (_("Replaced by {size} disks at 80 %, vdev by vdev", size=size), larger),
    ]
    if any(vdev.kind is VdevKind.RAIDZ for vdev in data):
        ways.append((_("One disk at a time into a raidz at 80 %"), _single(design, later)))
    found = [_longest(new, until if known else None, name, steps) for name, steps in ways]
    return tuple(strategy for strategy in found if strategy.steps or strategy is found[0])


# The plan with as few steps as reach ``until``, or with all that can be made; with one where None is known.
def _longest(plan: GrowthPlan, until: date | None, name: str, steps: Iterable[GrowthStep]) -> Strategy:
    for step in islice(steps, MOST_STEPS if until else 1):
        last = plan.stages[-1].full_on
        if until and (last is None or last >= until):
            break
        if (longer := extended(plan, step)).problem is not None:
            break
        plan = longer
    last = plan.stages[-1].full_on
    return Strategy(
        name=name,
        steps=tuple(stage.step for stage in plan.stages if stage.step is not None),
        plan=plan,
        lasts_until=last,
        enough=None if until is None else last is None or last >= until,
        spent=plan.stages[-1].spent,
        disks=sum(len(stage.disks) for stage in plan.stages[1:]),
    )


# The data vdevs with their numbers as `zpool status` counts them.
def _tops(design: Design) -> Iterator[tuple[int, Vdev]]:
    data = [vdev for vdev in design.vdevs if vdev.vdev_class is VdevClass.DATA]
    ordered = sorted(data, key=lambda v: v.kind is not VdevKind.STRIPE)
    each = (vdev for vdev in ordered for __ in range(len(vdev.members) if vdev.kind is VdevKind.STRIPE else 1))
    return enumerate(each)


def _larger_size(design: Design, vdev: Vdev) -> int:
    return LARGER_FACTOR * min(design.spec(vdev).sizes)


# Expansions: the narrowest raidz first, none wider than the limit.
def _single(design: Design, later: GrowthStep) -> Iterator[GrowthStep]:
    raidz = {top: vdev for top, vdev in _tops(design) if vdev.kind is VdevKind.RAIDZ}
    widths = {top: len(vdev.members) for top, vdev in raidz.items()}
    while widths[top := min(widths, key=lambda t: (widths[t], t))] < WIDEST_RAIDZ:
        widths[top] += 1
        size = min(design.spec(raidz[top]).sizes)
        yield replace(later, kind=GrowthKind.ATTACH, vdev=None, size_bytes=size, top=top)


# What a pool could grow by next, each way with what it gives and costs.


@dataclass(frozen=True, slots=True, kw_only=True)
class GrowthWay:
    """A way to make room at once: its ``steps``, and the ``plan`` that goes on with them; it may have a problem."""

    steps: tuple[GrowthStep, ...]
    plan: GrowthPlan

    @property
    def stages(self) -> tuple[Stage, ...]:
        """Return the stages of its steps; none where it cannot be done."""
        return () if self.plan.problem is not None else self.plan.stages[-len(self.steps) :]

    @property
    def gain_bytes(self) -> int | None:
        """Return how much more is usable then; None where it cannot be done or nobody knows."""
        before, after = (self.plan.stages[at].usable_bytes for at in (-1 - len(self.stages), -1))
        return None if not self.stages or before is None or after is None else after - before

    @property
    def hours(self) -> float | None:
        return sum(stage.work.typical for stage in self.stages if stage.work is not None) or None

    @property
    def price(self) -> Money | None:
        prices = [stage.price for stage in self.stages if stage.price is not None]
        known = bool(prices) and len(prices) == len(self.stages)
        return _sum(self.plan.stages[0].grown.origin.budget, prices) if known else None


def ways(plan: GrowthPlan) -> tuple[GrowthWay, ...]:
    """Return what could be done after the steps of ``plan``, which has no problem."""
    return tuple(_way(plan, steps) for steps in _next_steps(plan.stages[-1].grown))


def _way(plan: GrowthPlan, steps: tuple[GrowthStep, ...]) -> GrowthWay:
    for step in steps:
        if plan.problem is None:
            plan = extended(plan, step)
    return GrowthWay(steps=steps, plan=plan)


# A further vdev, larger disks in one vdev and in all, a disk more in a raidz, and room that disks have left.
def _next_steps(state: GrownDesign) -> Iterator[tuple[GrowthStep, ...]]:
    budget, tops = state.origin.budget, state.pool.tops
    data = [(n, t) for n, t in enumerate(tops) if not t.removed and t.spec.vdev_class is VdevClass.DATA]
    if not data:
        return
    add = GrowthStep(
        kind=GrowthKind.ADD, vdev=data[-1][1].exact, price_per_disk=budget.price_per_disk, price_on=budget.price_on
    )
    yield (add,)
    sized = replace(add, vdev=None, kind=GrowthKind.REPLACE)
    larger = tuple(replace(sized, size_bytes=LARGER_FACTOR * min(t.spec.sizes), top=n) for n, t in data)
    yield larger[:1]
    if 1 < len(larger) <= 3 * MOST_STEPS:  # more steps take their time
        yield larger
    raidz = [(t.width, n, t) for n, t in data if t.spec.kind is VdevKind.RAIDZ and t.width < WIDEST_RAIDZ]
    if raidz:
        __, number, top = min(raidz, key=lambda found: found[:2])
        yield (replace(sized, kind=GrowthKind.ATTACH, size_bytes=min(top.spec.sizes), top=number),)
    room = (number for number, top in data if top.offered >> top.shift > top.asize >> top.shift)
    yield from ((GrowthStep(kind=GrowthKind.EXPAND, top=number),) for number in room)


# What the disks of a step of growth cost, model by model, and of when their price is.


@dataclass(frozen=True, slots=True, kw_only=True)
class DisksBought:
    """Equal disks that are bought together: ``price`` of one, as said on ``price_on`` (ISO date, empty: unknown)."""

    count: int
    model: str | None
    size_bytes: int | None
    price: Money | None
    price_on: str

    def __str__(self) -> str:
        size = drive_size(self.size_bytes)
        what = (
            f"{self.count} × {self.model} ({size})"
            if self.model
            else _("{count} × any {size} model", count=self.count, size=size)
        )
        if self.price is None:
            return _("{what}, price unknown", what=what)
        words = {"what": what, "price": self.price, "day": self.price_on or _("an unknown date")}
        return _("{what} at {price} each, price of {day}", **words)


def brings_disks(step: GrowthStep) -> bool:
    return step.vdev is not None or step.size_bytes is not None


def price_of_step(step: GrowthStep | None, budget: Budget) -> tuple[Money | None, str]:
    """Return the price of a disk that a step brings, and its date: its own, else what the budget says of any disk."""
    if step is not None and step.price_per_disk is not None:
        return step.price_per_disk, step.price_on
    return budget.price_per_disk, "" if budget.price_per_disk is None else budget.price_on


def disks_bought(stage: Stage) -> tuple[DisksBought, ...]:
    """Return what a stage adds to the pool, equal disks together; for the first stage what the new pool is made of."""
    fallback = price_of_step(stage.step, stage.grown.origin.budget)
    groups = Counter((disk.model, disk.size_bytes, *_prices_price(disk, fallback)) for disk in stage.disks)
    return tuple(
        DisksBought(count=count, model=model, size_bytes=size, price=price, price_on=on)
        for (model, size, price, on), count in groups.items()
    )


def _prices_price(disk: Disk, fallback: tuple[Money | None, str]) -> tuple[Money | None, str]:
    if disk.price is None:
        return fallback
    origin = disk.origin_of("price")
    return disk.price, (origin.when or "") if origin is not None else ""
