"""Evaluates plans for unequal disks: pools of vdevs of several sizes, and of slices that share disks."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

from poolwright.design.candidate import Candidate, Rejected, describe_pool
from poolwright.design.dealing import Dealing, taking
from poolwright.design.enumerate import SEVERAL_KINDS
from poolwright.design.equal import blocks
from poolwright.design.floors import Floor, VdevSort, failures_wanted
from poolwright.design.forecaster import Forecaster
from poolwright.design.measures import Measures, block_bytes, filled, mean_filled
from poolwright.design.plan import PackedPool, Plan, PoolPlan, Purpose
from poolwright.design.population import Taken, disks_taken, taken_for_data
from poolwright.design.rank import merit, score
from poolwright.design.request import LayoutJudge, Terms, outlook_of, risk_of
from poolwright.design.stock import MOST_KINDS_CUT, Way
from poolwright.design.taking import Units
from poolwright.design.wishes import (
    BrokenWish,
    disks_cost,
    hard_objections,
    missing_forecast,
    missing_space,
    wants_forecast,
)
from poolwright.design.workshop import Made, Runs, VdevSite, Workshop
from poolwright.domain.finding import Finding
from poolwright.domain.vdev import VdevKind
from poolwright.domain.workload import Allowance
from poolwright.predict.groups import any_loss
from poolwright.predict.outlook import Forecast, forecast_of_any
from poolwright.predict.shared_disks import busy_percent, share_of_first
from poolwright.predict.speed import Typical
from poolwright.texts import listed

OTHER_POOL = "pool "  # what the subject of a finding on a further pool begins with


@dataclass(frozen=True, slots=True)
class Figures:
    """A pool with its space and what is predicted of it; ``loads`` as in `PlanEvaluator.pool`, ``taken`` its disks."""

    plan: PoolPlan
    usable_bytes: int
    failures_survived: int
    forecast: Forecast
    loads: tuple[int, ...]
    taken: Taken


class _Looked(NamedTuple):
    """A plan that was looked at, its main pool first, and what is said of it."""

    plan: Plan
    pools: tuple[PackedPool, ...]
    measures: Measures
    findings: tuple[Finding, ...]
    used: Counter[int]
    below: tuple[Floor, ...]
    missed: tuple[BrokenWish, ...]


class PlanEvaluator:
    """Evaluates plans for the disks of one medium, which ``workshop`` holds."""

    def __init__(self, terms: Terms, workshop: Workshop) -> None:
        self._terms, self.workshop = terms, workshop
        self._of_medium = sum(len(kind.disks) for kind in workshop.kinds)
        self._own_bytes = sum(kind.raw_bytes for kind in workshop.kinds)
        self._wants_forecast = wants_forecast(terms.request.budget)
        self._judges: dict[frozenset[int], LayoutJudge] = {}
        self._forecasters: dict[tuple[Taken, int], Forecaster] = {}
        kinds = [kind.disks for kind in workshop.kinds]
        self._dealing = Dealing(kinds, partial(risk_of, terms.request, ashift=terms.ashift))
        self._shingled = {at for at, kind in enumerate(workshop.kinds) if any(disk.smr for disk in kind.disks)}
        every = tuple((at, len(kind.disks)) for at, kind in enumerate(workshop.kinds))
        outlook = self._forecaster(every, 0).outlook
        ideal = terms.ideal(workshop.kinds[0].media, outlook)
        self._outpaced = ideal.around.disks.iops > outlook.around.disks.iops
        self._rates, self._most = ideal.around.disks, ideal.of_stripes(terms.most_disks)
        self._causes, self._yearly_failures = outlook.risk.causes, outlook.risk.drive.typical / 100
        self._block = block_bytes(terms.request.workload)
        self._units = Units([disk for kind in workshop.kinds for disk in kind.disks])

    @property
    def bare_wanted(self) -> bool:
        """Tell whether the goal asks for no redundancy."""
        return self._terms.floors.survives == 0

    @property
    def may_slice(self) -> bool:
        """Tell whether the floors allow partitions."""
        return Allowance.PARTITIONS in self._terms.floors.allowed

    def pool(self, plan: PoolPlan, loads: Sequence[int] = ()) -> Figures:
        """Return a pool with its space and what is predicted of it.

        ``loads`` are, for each segment, the per cent of a rebuilding disk's time that its other slices take.
        """
        sizes, taken = self.workshop.sizes, taken_for_data(plan)
        spares = [(sizes[group], count) for group, count in plan.spares]
        loads = tuple(loads) or (0,) * len(plan.segments)
        forecasts = [
            self._forecaster(taken, load).forecast(counted, spares, of)
            for part, load in zip(plan.segments, loads, strict=True)
            for counted, of in (self._dealing.counted_of(part, load),)
        ]
        forecast = forecasts[0] if len(forecasts) == 1 else forecast_of_any(forecasts, _speed_share(plan))
        return Figures(plan, self.workshop.usable_bytes(plan.runs), plan.failures_survived, forecast, loads, taken)

    def points(self, plan: PoolPlan) -> float:
        """Return what speaks for a pool by itself, before the rules: for choosing what to combine."""
        return merit(self._terms.request.workload.goal, self._measures([self.pool(plan)]))

    def _packed(self, figures: Figures) -> PackedPool:
        plan = figures.plan
        specs = [made.spec for made, count in plan.runs for _ in range(count)]
        return PackedPool(
            plan=plan,
            workshop=self.workshop,
            layout=(*specs, *self.workshop.spare_specs(plan.spares)),
            usable_bytes=figures.usable_bytes,
            failures_survived=figures.failures_survived,
            outlooks=tuple(
                self._dealing.told(self._forecaster(figures.taken, load).outlook, taking(part), load)
                for part, load in zip(plan.segments, figures.loads, strict=True)
            ),
            dealing=self._dealing,
            rebuild_hours=figures.forecast.rebuild_hours,
            speed_share=_speed_share(plan) if len(plan.segments) > 1 else 1.0,
        )

    def holds(self, plan: Plan) -> float | None:
        """Return the room of a plan, without a forecast; None where it is below a floor or less than asked for."""
        usable = sum([self.workshop.usable_bytes(pool.runs) for pool in plan.pools])
        held = usable * self._room(plan.pools)
        space = missing_space(self._terms.request.budget, usable, held_bytes=held)
        return held if space is None and not self._below(plan) else None

    def evaluate(self, plan: Plan) -> Candidate | Rejected:
        """Return the candidate, or why the request does not admit this plan."""
        figures = self._figures(plan)
        measures = self._units.of_plan(plan, self._measures(figures), self._causes)
        pools = tuple(self._packed(f) for f in figures)
        layout, family = pools[0].layout, family_of(figures[0].plan.runs)
        below, missed = self._below(plan), self._missed(figures, measures)
        objections = hard_objections(self._terms.request.budget, measures.spares, measures.failures_survived)
        if objections or (below and missed):
            told = "; ".join((*objections, *(m.text for m in missed)))
            return Rejected(
                family=family,
                reason=f"{listed([describe_pool(pool) for pool in pools])}: {told}",
                layout=layout,
                unmet=len(objections) + len(missed),
                usable_bytes=measures.usable_bytes,
            )
        used = plan.disks_used()
        findings = findings_on(pools, self._of_medium - sum(used.values()), self._judge_of)
        blocked = next((f for f in findings if blocks(f)), None)
        if blocked is not None:
            return Rejected(family=family, reason=blocked.text, layout=layout, rule_id=blocked.rule_id)
        return self._candidate(_Looked(plan, pools, measures, findings, used, below, missed))

    def _candidate(self, looked: "_Looked") -> Candidate:
        plan, pools, measures, findings, used = looked[:5]
        request, sizes = self._terms.request, self.workshop.sizes
        idle = sum([(len(kind.disks) - used[at]) * sizes[at] for at, kind in enumerate(self.workshop.kinds)])
        number = sum(used.values())
        taken = [disk for at, kind in enumerate(self.workshop.kinds) for disk in kind.disks[: used[at]]]
        return Candidate(
            way=plan.way,
            family=family_of(pools[0].plan.runs),
            main=pools[0],
            further=pools[1:],
            unassigned=self._terms.disks - number,
            stranded_bytes=plan.stranded_bytes(sizes),
            idle_bytes=idle,
            idle_disks=self._of_medium - number,
            cost=disks_cost(request.budget, taken, request.disks),
            findings=findings,
            goal=request.workload.goal,
            measures=measures,
            score=score(request.workload.goal, measures, findings),
            ashift=self._terms.ashift,
            version=request.version,
            below=looked.below,
            missed=looked.missed,
        )

    def _figures(self, plan: Plan) -> list[Figures]:
        """Return the pools, the largest that survives enough first where they are of equal rank."""
        if plan.way is Way.LAYERED or plan.way is Way.STACKED:
            return self._shared(plan)
        figures = [self.pool(pool) for pool in plan.pools]
        if len(figures) > 1:
            figures.sort(key=self._leads, reverse=True)
            purposes = (Purpose.MAIN, *(Purpose.PEER,) * (len(figures) - 1))
            figures = [replace(f, plan=replace(f.plan, purpose=p)) for f, p in zip(figures, purposes, strict=True)]
        return figures

    def _leads(self, figures: Figures) -> tuple[bool, int]:
        """Return what makes a pool the main one: that it survives what the goal asks for, then its space."""
        return figures.failures_survived >= self._terms.floors.survives, figures.usable_bytes

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
        found = self._forecasters.get((taken, load))
        if found is None:
            outlook = outlook_of(self._terms.request, disks_taken(self.workshop, taken), self._terms.ashift)
            if load:
                rebuild = replace(outlook.risk.rebuild, load_percent=load)
                outlook = replace(outlook, risk=replace(outlook.risk, rebuild=rebuild))
            found = self._forecasters[taken, load] = Forecaster(outlook)
        return found

    def _measures(self, figures: Sequence[Figures]) -> Measures:
        terms, main = self._terms, figures[0]
        usable = sum([f.usable_bytes for f in figures])
        speed = main.forecast.speed
        peers = 0
        for other in figures[1:]:
            if other.plan.purpose is Purpose.PEER:
                peers += 1
                speed = Typical(*(a + b for a, b in zip(speed, other.forecast.speed, strict=True)))
        runs = main.plan.runs
        distributed = sum([made.spec.draid_spares * count for made, count in runs])
        return Measures(
            usable_bytes=usable,
            held_bytes=usable * self._room([f.plan for f in figures]),
            block_bytes=self._block,
            failures_survived=min([f.failures_survived for f in figures]),
            spares=sum(count for _, count in main.plan.spares) + distributed,
            data_members=main.plan.members,
            yearly_failures=self._yearly_failures,
            disks=terms.disks,
            most_disks=terms.most_disks,
            raw_bytes=terms.raw_bytes,
            own_bytes=self._own_bytes,
            forecast=main.forecast,
            speed=speed,
            rates=self._rates,
            outpaced=self._outpaced,
            most=self._most,
            any_loss=any_loss([f.forecast.yearly_loss for f in figures], main.forecast.floor),
            any_disk_loss=any_loss([f.forecast.disk_loss for f in figures]),
            draid=any(made.spec.kind is VdevKind.DRAID for f in figures for made, _ in f.plan.runs),
            peers=peers,
            rests=len(figures) - 1 - peers,
            clients=terms.request.workload.clients,
            sequential_percent=terms.request.workload.sequential_percent,
            dealt=all(self._dealing.is_sure_of(f.plan.runs) for f in figures),
        )

    def _room(self, pools: Sequence[PoolPlan]) -> float:
        """Return the bytes of the workload's blocks that fit for each byte that `zfs list` counts as usable."""
        return mean_filled(
            (made.top.usable_bytes * made.tops * count, _filled(made, self._terms.ashift, self._block))
            for pool in pools
            for made, count in pool.runs
        )

    def _below(self, plan: Plan) -> tuple[Floor, ...]:
        """Return the floors that any of the pools does not keep to."""
        found: dict[Floor, None] = {}
        for pool in plan.pools:
            broken = self._terms.floors.broken(
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

    def _judge_of(self, kinds: frozenset[int]) -> LayoutJudge:
        found = self._judges.get(kinds)
        if found is None:
            disks, terms = self.workshop.disks(kinds), self._terms
            found = self._judges[kinds] = terms.make_judge(terms.request, disks, terms.ashift)
        return found


def findings_on(
    pools: Sequence[PackedPool], idle: int, judge_of: Callable[[frozenset[int]], LayoutJudge]
) -> tuple[Finding, ...]:
    """Return what the rules say of each pool. What they deduct for a further pool counts by its share of space."""
    usable = sum(pool.usable_bytes for pool in pools)
    every = frozenset(range(len(pools[0].workshop.kinds)))

    def said(pool: PackedPool, unassigned: int) -> tuple[Finding, ...]:
        # Of very many kinds all stand for those of the pool: each set of them costs time.
        kinds = pool.plan.kinds if len(every) <= MOST_KINDS_CUT else every
        return judge_of(kinds)(pool.layout, usable, unassigned, places_of(pool))

    first = said(pools[0], idle)
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


def places_of(pool: PackedPool) -> tuple[VdevSite, ...]:
    """Return the place of each vdev in the pool's layout, spares included."""
    workshop, plan = pool.workshop, pool.plan
    shared = _shared_kinds(plan)
    places: list[VdevSite] = []
    for made, count in plan.runs:
        place = workshop.place(
            made.kinds, partitioned=made.slice_bytes is not None, shares_disk=not shared.isdisjoint(made.kinds)
        )
        places.extend([place] * count)
    places.extend(workshop.place(frozenset({group})) for group, _ in plan.spares)
    return tuple(places)


def _shared_kinds(plan: PoolPlan) -> frozenset[int]:
    """Return the kinds of disks that lie in several segments of the pool."""
    if len(plan.segments) < 2:
        return frozenset()
    by_part = [frozenset(group for made, _ in part for group in made.kinds) for part in plan.segments]
    return frozenset(
        group for at, kinds in enumerate(by_part) for group in kinds if any(group in o for o in by_part[at + 1 :])
    ) | frozenset(group for at, kinds in enumerate(by_part) for group in kinds if any(group in o for o in by_part[:at]))


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
