"""Evaluates plans: pools of equal disks, of vdevs of several sizes, and of slices that share disks."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from poolwright.design.candidate import Candidate, Rejected, plan_words
from poolwright.design.enumerate import SEVERAL_KINDS, Enough, EqualLayout
from poolwright.design.floors import Floor, Floors, VdevSort, failures_wanted
from poolwright.design.groups import MOST_KINDS_CUT, EqualDisks, Stock, Taken, Way
from poolwright.design.plan import CandidatePool, Forecaster, Plan, PoolPlan, Purpose, dealing_of, outlook_under
from poolwright.design.rank import Ideal, Measures, block_bytes, filled, mean_filled, merit, score
from poolwright.design.request import LayoutJudge, Medium, Terms, VdevSite, site
from poolwright.design.survival import Units
from poolwright.design.wishes import (
    BrokenWish,
    disks_cost,
    hard_objections,
    missing_forecast,
    missing_space,
    wants_forecast,
)
from poolwright.design.workshop import Made, Runs, Workshop
from poolwright.domain.disk import Disk
from poolwright.domain.errors import Refusal
from poolwright.domain.finding import Finding, Outcome, Severity
from poolwright.domain.money import Money
from poolwright.domain.vdev import VdevKind
from poolwright.domain.workload import Allowance
from poolwright.predict.assessment import Forecast, busy_percent, forecast_of_any, share_of_first
from poolwright.predict.drives import DriveBook, rate_of
from poolwright.predict.groups import any_loss
from poolwright.predict.media import find_rates
from poolwright.predict.speed import Typical
from poolwright.texts import listed

# Up to so many disks of a stock each set of them that holds data has a forecast of its own where parts are compared.
FEW_APART = 64
OTHER_POOL = "pool "  # what the subject of a finding on a further pool begins with


@dataclass(frozen=True, slots=True)
class Figures:
    """A pool with its space and what is predicted of it; ``loads`` as in `PlanEvaluator.pool`, ``taken`` its disks."""

    plan: PoolPlan
    usable_bytes: int
    forecast: Forecast
    loads: tuple[int, ...]
    taken: Taken


class PlanEvaluator:
    """Evaluates plans for disks of one medium, of which ``beside`` are other kinds; ``equal`` as in `Medium`."""

    def __init__(
        self, terms: Terms, kinds: Sequence[EqualDisks], beside: Sequence[EqualDisks] = (), *, equal: bool = False
    ) -> None:
        request, of_kind = terms.request, kinds[0].words if equal and (beside or kinds[0].beside) else ""
        self.medium = Medium(request=request, kinds=tuple(kinds), ashift=terms.ashift, equal=equal, of_kind=of_kind)
        self._terms, self.workshop = terms, Workshop(self.medium)
        self._idle_beside = sum(kind.raw_bytes for kind in beside)
        self._of_medium = sum(len(kind.disks) for kind in (*kinds, *beside))
        self._wants_forecast = wants_forecast(request.budget)
        self._forecasters: dict[tuple[Taken, int], Forecaster] = {}
        self._forecasts: dict[tuple[object, ...], Forecast] = {}
        self._costs: dict[tuple[tuple[int, int], ...], Money | None] = {}
        self._dealing = dealing_of(self.medium)
        self._shingled = {at for at, kind in enumerate(kinds) if any(disk.smr for disk in kind.disks)}
        self._every = tuple((at, len(kind.disks)) for at, kind in enumerate(kinds))
        self._alike = equal and alike(kinds[0].disks, request.drives)
        outlook = self._forecaster(self._every, 0).outlook
        ideal = terms.ideal(kinds[0].media, outlook)
        self._ideal = Ideal(
            goal=request.workload.goal,
            clients=request.workload.clients,
            sequential_percent=request.workload.sequential_percent,
            block_bytes=block_bytes(request.workload),
            disks=terms.disks,
            most_disks=terms.most_disks,
            raw_bytes=terms.raw_bytes,
            own_bytes=sum(kind.raw_bytes for kind in (*kinds, *beside)),
            rates=ideal.around.disks,
            outpaced=ideal.around.disks.iops > outlook.around.disks.iops,
            most=ideal.of_stripes(terms.most_disks),
            network=outlook.around.network,
        )
        self._causes, self._yearly_failures = outlook.risk.causes, outlook.risk.drive.typical / 100
        self._units = Units([disk for kind in kinds for disk in kind.disks])

    @property
    def bare_wanted(self) -> bool:
        return self._terms.floors.survives == 0

    @property
    def may_slice(self) -> bool:
        return Allowance.PARTITIONS in self._terms.floors.allowed

    def plan_of(self, shape: EqualLayout) -> Plan:
        """Return the plan of a shape of equal disks; raises Refusal for vdevs that OpenZFS refuses."""
        runs, spares = self.workshop.runs(Stock((0,), (shape.disks,)), shape)
        return Plan(Way.EQUAL, (PoolPlan((runs,), spares),), shape.pools)

    def enough(self) -> Enough | None:
        """Return what tells whether a pool of a shape has the space that is asked for; None where none is."""
        least = self._terms.request.budget.least_usable_bytes
        return None if least is None else lambda shape: self.counted_bytes(replace(shape, pools=1)) >= least

    def counted_bytes(self, shape: EqualLayout) -> int:
        """Return what counts for a wish for space: the usable bytes, less where the workload's blocks fill fewer.

        0 where OpenZFS refuses the shape.
        """
        try:
            usable, room = self._space(self.plan_of(shape))
        except Refusal:
            return 0
        return int(min(1.0, room) * usable)

    def pool(self, plan: PoolPlan, loads: Sequence[int] = (), copies: int = 1) -> Figures:
        """Return a pool, of which so many are made, with its space and what is predicted of it.

        ``loads`` are, for each segment, the per cent of a rebuilding disk's time that its other slices take.
        """
        taken, loads = taken_for_data(plan, copies), tuple(loads) or (0,) * len(plan.segments)
        # More spares than a vdev can lose disks change its risk by almost nothing.
        most = plan.failures_survived if self.medium.equal else self._of_medium
        spares = tuple([(self.workshop.sizes[group], min(count, most)) for group, count in plan.spares])
        key = (plan.segments, spares, loads, copies)
        forecast = self._forecasts.get(key)
        if forecast is None:
            forecast = self._forecasts[key] = self._forecast(plan, spares, loads, taken, copies)
        return Figures(plan, self.workshop.usable_bytes(plan.runs), forecast, loads, taken)

    def _forecast(self, plan: PoolPlan, spares: Taken, loads: Sequence[int], taken: Taken, copies: int) -> Forecast:
        forecasts = [
            # Several equal pools are stripes, of which the mean of all is exact: what single disks lose adds up.
            self._forecaster(taken, load).forecast(counted, spares, of if copies == 1 else None)
            for part, load in zip(plan.segments, loads, strict=True)
            for counted, of in (self._dealing.counted_of(part, load),)
        ]
        return forecasts[0] if len(forecasts) == 1 else forecast_of_any(forecasts, _speed_share(plan))

    def points(self, plan: PoolPlan, stock: Stock) -> float:
        """Return what speaks for a pool of a stock by itself, before the rules: for choosing what to combine.

        Of very many disks all but the spares stand for those that hold data: some idle are no forecast of their own.
        """
        held = dict(plan.spares)
        taken = (
            taken_for_data(plan)
            if stock.total <= FEW_APART
            else tuple((group, n - held.get(group, 0)) for group, n in zip(stock.groups, stock.counts, strict=True))
        )
        spares = tuple([(self.workshop.sizes[group], count) for group, count in plan.spares])
        forecast = self._forecast(plan, spares, (0,), taken, 1)
        figures = Figures(plan, self.workshop.usable_bytes(plan.runs), forecast, (0,), taken)
        return merit(self._terms.request.workload.goal, self._measures([figures]))

    def _packed(self, figures: Figures, copies: int) -> CandidatePool:
        plan = figures.plan
        return CandidatePool(
            plan=plan,
            medium=self.medium,
            layout=plan.layout + self.medium.spare_specs(plan.spares),
            usable_bytes=figures.usable_bytes,
            taken=self._every if self._alike else figures.taken,
            loads=figures.loads,
            copies=copies,
            rebuild_hours=None if self.medium.equal else figures.forecast.rebuild_hours,
            speed_share=_speed_share(plan) if len(plan.segments) > 1 else 1.0,
        )

    def holds(self, plan: Plan) -> float | None:
        """Return the room of a plan, without a forecast; None where it is below a floor or less than asked for."""
        usable, room = self._space(plan)
        space = missing_space(self._terms.request.budget, usable, held_bytes=usable * room)
        return usable * room if space is None and not self.below(plan, self._terms.floors) else None

    def holds_shape(self, shape: EqualLayout) -> float | None:
        try:
            return self.holds(self.plan_of(shape))
        except Refusal:
            return None

    def _space(self, plan: Plan) -> tuple[int, float]:
        usable = sum([self.workshop.usable_bytes(pool.runs) for pool in plan.pools]) * plan.copies
        return usable, self._room(plan.pools)

    def evaluate_shape(self, shape: EqualLayout) -> Candidate | Rejected:
        """Return the candidate of a shape of equal disks, or why the request does not admit it."""
        try:
            plan = self.plan_of(shape)
        except Refusal as refusal:
            layout = self.workshop.refused(shape)
            return Rejected(family=shape.family, reason="; ".join(refusal.reasons), layout=layout)
        return self.evaluate(plan)

    def evaluate(self, plan: Plan) -> Candidate | Rejected:
        """Return the candidate before the rules are asked, which only take points; or why the request refuses it."""
        figures, terms, request = self._figures(plan), self._terms, self._terms.request
        measures = self._units.of_plan(plan, self._measures(figures, plan.copies), self._causes)
        below, missed = self.below(plan, terms.floors), self._missed(figures, measures)
        objections = hard_objections(request.budget, measures.spares, measures.failures_survived)
        if objections or (below and missed):
            return self._unmet(figures, measures, (*objections, *(m.text for m in missed)))
        pools = tuple(self._packed(f, plan.copies) for f in figures)
        used = plan.disks_used()
        number = sum(used.values())
        idle = sum([(len(kind.disks) - used[at]) * kind.least_bytes for at, kind in enumerate(self.medium.kinds)])
        return Candidate(
            way=plan.way,
            family=family_of(pools[0].plan.runs),
            main=pools[0],
            further=pools[1:],
            unassigned=terms.disks - number,
            stranded_bytes=plan.stranded_bytes(self.workshop.sizes),
            idle_bytes=idle + self._idle_beside,
            idle_disks=self._of_medium - number,
            cost=self._cost(used),
            findings=(),
            measures=measures,
            score=score(request.workload.goal, measures, ()),
            below=below,
            missed=missed,
        )

    def _unmet(self, figures: Sequence[Figures], measures: Measures, why: Sequence[str]) -> Rejected:
        main = figures[0].plan
        return Rejected(
            family=family_of(main.runs),
            reason=f"{listed([plan_words(f.plan, self.medium) for f in figures])}: {'; '.join(why)}",
            layout=main.layout + self.medium.spare_specs(main.spares),
            unmet=len(why),
            usable_bytes=measures.usable_bytes,
        )

    def _cost(self, used: Counter[int]) -> Money | None:
        """Return what so many disks of each kind cost, those first that are assigned first."""
        key, request = tuple(sorted(used.items())), self._terms.request
        if key not in self._costs:
            taken = [disk for at, kind in enumerate(self.medium.kinds) for disk in kind.disks[: used[at]]]
            self._costs[key] = disks_cost(request.budget, taken, request.disks)
        return self._costs[key]

    def _figures(self, plan: Plan) -> list[Figures]:
        """Return the pools, the largest that survives enough first where they are of equal rank."""
        if plan.way is Way.LAYERED or plan.way is Way.STACKED:
            return self._shared(plan)
        figures = [self.pool(pool, copies=plan.copies) for pool in plan.pools]
        if len(figures) > 1:
            figures.sort(key=self._leads, reverse=True)
            purposes = (Purpose.MAIN, *(Purpose.PEER,) * (len(figures) - 1))
            figures = [replace(f, plan=replace(f.plan, purpose=p)) for f, p in zip(figures, purposes, strict=True)]
        return figures

    def _leads(self, figures: Figures) -> tuple[bool, int]:
        """Return what makes a pool the main one: that it survives what the goal asks for, then its space."""
        return figures.plan.failures_survived >= self._terms.floors.survives, figures.usable_bytes

    def _shared(self, plan: Plan) -> list[Figures]:
        """Return pools of slices: a disk that fails is rebuilt for all its slices, one time after the other."""
        alone = [[self._rebuild_hours(pool, part) for part in pool.segments] for pool in plan.pools]
        total = sum([hours for pool in alone for hours in pool])
        figures = []
        for pool, hours in zip(plan.pools, alone, strict=True):
            loads = [busy_percent(own, total) for own in hours]
            made = self.pool(pool, loads)
            # A disk is rebuilt slice by slice: the time for all of them, not that of a slice on a busy disk.
            whole = total if made.forecast.rebuild_hours is not None else None
            figures.append(replace(made, forecast=replace(made.forecast, rebuild_hours=whole)))
        return figures

    def _rebuild_hours(self, pool: PoolPlan, part: Runs) -> float:
        return self._forecaster(taken_for_data(pool), 0).rebuild_hours(*self._dealing.counted_of(part))

    def _forecaster(self, taken: Taken, load: int) -> Forecaster:
        taken = self._every if self._alike else taken
        found = self._forecasters.get((taken, load))
        if found is None:
            found = self._forecasters[taken, load] = Forecaster(outlook_under(self.medium, taken, load))
        return found

    def _measures(self, figures: Sequence[Figures], copies: int = 1) -> Measures:
        main = figures[0]
        usable = sum([f.usable_bytes for f in figures]) * copies
        speed = main.forecast.speed if copies == 1 else Typical(*(copies * rate for rate in main.forecast.speed))
        peers = copies - 1
        for other in figures[1:]:
            if other.plan.purpose is Purpose.PEER:
                peers += 1
                speed = Typical(*(a + b for a, b in zip(speed, other.forecast.speed, strict=True)))
        runs = main.plan.runs
        distributed = sum([made.spec.draid_spares * count for made, count in runs])
        return Measures(
            ideal=self._ideal,
            usable_bytes=usable,
            held_bytes=usable * self._room([f.plan for f in figures]),
            failures_survived=min([f.plan.failures_survived for f in figures]),
            spares=sum(count for _, count in main.plan.spares) + distributed,
            data_members=main.plan.members,
            yearly_failures=self._failing(main),
            forecast=main.forecast,
            speed=speed,
            any_loss=any_loss([f.forecast.yearly_loss for f in figures] * copies, main.forecast.floor),
            any_disk_loss=any_loss([f.forecast.disk_loss for f in figures] * copies),
            draid=any(made.spec.kind is VdevKind.DRAID for f in figures for made, _ in f.plan.runs),
            peers=peers,
            rests=len(figures) * copies - 1 - peers,
            dealt=all(self._dealing.is_sure_of(f.plan.runs) for f in figures),
        )

    def _failing(self, main: Figures) -> float:
        """Return the share of the disks that fails in a year: of equal ones of those that hold data."""
        if not self.medium.equal:
            return self._yearly_failures
        return self._forecaster(main.taken, 0).outlook.risk.drive.typical / 100

    def _room(self, pools: Sequence[PoolPlan]) -> float:
        """Return the bytes of the workload's blocks that fit for each byte that `zfs list` counts as usable."""
        ashift, block = self.medium.ashift, self._ideal.block_bytes
        if self.medium.equal:  # vdevs of one kind: weighed by their data disks
            (pool,) = pools
            if len(pool.runs) == 1:
                return _filled(pool.runs[0][0], ashift, block)
            return mean_filled(
                (count * (made.spec.width - made.spec.parity), _filled(made, ashift, block))
                for made, count in pool.runs
            )
        return mean_filled(
            (made.top.usable_bytes * made.tops * count, _filled(made, ashift, block))
            for pool in pools
            for made, count in pool.runs
        )

    def below(self, plan: Plan, floors: Floors) -> tuple[Floor, ...]:
        """Return which of ``floors`` any of the pools does not keep to."""
        found: dict[Floor, None] = {}
        for pool in plan.pools:
            broken = floors.broken(
                [_part(one, count) for one, count in pool.runs],
                survived=pool.failures_survived,
                hot_spares=sum(count for _, count in pool.spares),
                shingled=not self._shingled.isdisjoint(pool.kinds),
                survives=self._wanted_of_rest(pool) if pool.purpose is Purpose.REST else None,
                partitioned=plan.way in (Way.LAYERED, Way.STACKED),
            )
            found |= dict.fromkeys(broken)
        return tuple(found)

    def _wanted_of_rest(self, plan: PoolPlan) -> int:
        """Return the failures that a pool of left-over slices should survive: what is asked of so many disks."""
        request = self._terms.request
        return min(self._terms.floors.survives, failures_wanted(request.workload.goal, request.budget, plan.members))

    def _missed(self, figures: Sequence[Figures], measures: Measures) -> tuple[BrokenWish, ...]:
        budget = self._terms.request.budget
        space = missing_space(budget, measures.usable_bytes, held_bytes=measures.held_bytes)
        found = () if space is None else (space,)
        if not self._wants_forecast:
            return found
        together = forecast_of_any([f.forecast for f in figures], 1.0, measures.speed)
        return (*found, *missing_forecast(budget, replace(together, yearly_loss=measures.any_loss)))


def judged(candidate: Candidate, judge_of: Callable[[frozenset[int]], LayoutJudge]) -> Candidate | Rejected:
    """Return the candidate with what the rules find, or what they refuse it for; ``judge_of`` kinds of its disks."""
    findings = _findings_on(candidate, judge_of)
    for one in findings:
        if one.outcome is Outcome.VIOLATED and one.severity is Severity.BLOCK:
            return Rejected(family=candidate.family, reason=one.text, layout=candidate.layout, rule_id=one.rule_id)
    return replace(candidate, findings=findings, score=score(candidate.goal, candidate.measures, findings))


def _findings_on(candidate: Candidate, judge_of: Callable[[frozenset[int]], LayoutJudge]) -> tuple[Finding, ...]:
    """Return what the rules say of each pool. What they deduct for a further pool counts by its share of space."""
    pools, usable = candidate.pools, candidate.usable_bytes
    every = frozenset(range(len(pools[0].medium.kinds)))

    def said(pool: CandidatePool, unassigned: int) -> tuple[Finding, ...]:
        # Of very many kinds all stand for those of the pool: each set of them costs time.
        kinds = pool.plan.kinds if len(every) <= MOST_KINDS_CUT else every
        return judge_of(kinds)(pool.layout, usable, unassigned, places_of(pool))

    first = said(pools[0], candidate.idle_disks)
    if len(pools) == 1:
        return first
    found = list(first)
    seen = {(finding.rule_id, finding.text) for finding in found}
    for number, other in enumerate(pools[1:], start=2):
        share = other.usable_bytes / usable
        found.extend(
            of_pool(finding, number, share) for finding in said(other, 0) if (finding.rule_id, finding.text) not in seen
        )
    return tuple(found)


def _part(made: Made, count: int) -> VdevSort:
    spec = made.spec
    width = spec.group_data + spec.parity if spec.kind is VdevKind.DRAID else spec.width
    return VdevSort(spec.kind, spec.parity, made.mirrored, width, made.tops * count)


def _filled(made: Made, ashift: int, block: int) -> float:
    spec = made.spec
    group = spec.group_data if spec.kind is VdevKind.DRAID else 0
    return filled(spec.kind, spec.width, spec.parity, group, ashift, block)


def places_of(pool: CandidatePool) -> tuple[VdevSite, ...]:
    """Return the place of each vdev in the pool's layout, spares included; none where all disks are alike."""
    medium, plan = pool.medium, pool.plan
    if medium.equal:
        return ()
    shared = _shared_kinds(plan)
    places: list[VdevSite] = []
    for made, count in plan.runs:
        places.extend(
            [site(medium, made.kinds, made.slice_bytes is not None, not shared.isdisjoint(made.kinds))] * count
        )
    places.extend(site(medium, frozenset({group})) for group, _ in plan.spares)
    return tuple(places)


def _shared_kinds(plan: PoolPlan) -> frozenset[int]:
    """Return the kinds of disks that lie in several segments of the pool."""
    counted = Counter(
        group for part in plan.segments for group in frozenset[int]().union(*(made.kinds for made, _ in part))
    )
    return frozenset(group for group, parts in counted.items() if parts > 1)


def family_of(runs: Runs) -> str:
    """Return the family of the data vdevs: mirror of 3, raidz2; ``several kinds`` where they differ."""
    found = {(made.spec.kind, made.spec.parity, made.mirrored) for made, _ in runs}
    if len(found) > 1:
        return SEVERAL_KINDS
    kind, parity, sides = found.pop()
    if kind is VdevKind.MIRROR:
        return f"mirror of {sides}"  # for machines
    return kind.value if kind is VdevKind.STRIPE else f"{kind.value}{parity}"


def _speed_share(plan: PoolPlan) -> float:
    """Return how much of the first segment's rate a pool has whose further segments lie on the same disks."""
    space = [sum(made.top.usable_bytes * made.tops * count for made, count in part) for part in plan.segments]
    return share_of_first(space, [part[0][0].slice_bytes or 0 for part in plan.segments])


def of_pool(finding: Finding, number: int, share: float) -> Finding:
    """Return a finding on a further pool, of which what is deducted counts by its ``share`` of the space."""
    # What it risks is in the credit for its bytes already.
    weight = tuple((name, amount * share) for name, amount in finding.weight if name != "risk")
    return replace(
        finding,
        subject=f"{OTHER_POOL}{number}: {finding.subject}",
        text=f"Pool {number}: {finding.text}",
        weight=weight,
    )


# The disks that hold a pool's data tell how fast it is, here as in a design: those that become spares or stay unused
# must not be counted in where disks of one size are of several models. How vdevs fail is told by `dealing`.


def alike(disks: Sequence[Disk], drives: DriveBook) -> bool:
    """Tell whether it does not matter which of ``disks`` hold the data: to speed and failures all are the same."""
    kinds = {(disk.model, disk.afr_percent): disk for disk in disks}
    rates = {rate_of(disk, drives) for disk in kinds.values()}
    others = {
        (d.media, d.smr, d.rotation_rpm, d.read_bytes_per_second, d.write_bytes_per_second, d.power_loss_protection)
        for d in disks
    }
    measured = {find_rates(disk.model) for disk in kinds.values()}
    return len(rates) < 2 and len(others) < 2 and len(measured) < 2


def taken_for_data(plan: PoolPlan, copies: int = 1) -> Taken:
    """Return of which kinds how many disks hold the data of so many equal pools, for each layer of slices by itself."""
    # Plain loops: this runs for each of thousands of plans.
    counts: dict[tuple[int, int], int] = {}
    for part in plan.segments:
        for made, count in part:
            layer = made.layer
            for group, number in made.taken:
                counts[group, layer] = counts.get((group, layer), 0) + number * count
    return tuple(sorted([(group, number * copies) for (group, _), number in counts.items()]))
