"""Evaluates plans for unequal disks: pools of vdevs of several sizes, and of slices that share disks."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from poolwright.advise.candidate import Candidate
from poolwright.advise.constraints import budget_objections, forecast_objections, wants_forecast
from poolwright.advise.equal import blocks
from poolwright.advise.measures import Measures
from poolwright.advise.plan import Plan, PoolPlan, Purpose
from poolwright.advise.pools import PackedPool
from poolwright.advise.rank import protection, score
from poolwright.advise.rejected import Rejected
from poolwright.advise.request import LayoutJudge, Terms
from poolwright.advise.stock import Way
from poolwright.advise.words import describe_pool
from poolwright.advise.workshop import Place, Runs, Workshop
from poolwright.domain.finding import Finding
from poolwright.domain.vdev import Layout, VdevKind
from poolwright.predict.outlook import Forecast, Memory, Outlook, outlook_for
from poolwright.predict.rebuild import MOST_LOAD_PERCENT
from poolwright.predict.speed import Typical

SEVERAL_KINDS = "several kinds"
OTHER_POOL = "pool "  # what the subject of a finding on a further pool begins with


@dataclass(frozen=True, slots=True)
class Figures:
    """A pool with what is predicted of it."""

    pool: PackedPool
    forecast: Forecast


class PlanEvaluator:
    """Evaluates plans for the disks of one medium, which ``workshop`` holds."""

    def __init__(self, terms: Terms, workshop: Workshop, idle_bytes: int = 0) -> None:
        self._terms, self.workshop = terms, workshop
        self._other_bytes = idle_bytes
        self._wants_forecast = wants_forecast(terms.request.budget)
        self._judges: dict[frozenset[int], LayoutJudge] = {}
        self._outlooks: dict[tuple[frozenset[int], int], tuple[Outlook, Memory]] = {}

    def pool(self, plan: PoolPlan, loads: Sequence[int] = ()) -> Figures:
        """Return a pool with its space and what is predicted of it.

        ``loads`` are, for each segment, the per cent of a rebuilding disk's time that its other slices take.
        """
        spares = self.workshop.spare_specs(plan.spares)
        kinds = plan.kinds
        known = [self._outlook(kinds, load) for load in (loads or (0,) * len(plan.segments))]
        specs = [tuple([made.spec for made, count in part for _ in range(count)]) for part in plan.segments]
        forecasts = [
            outlook.forecast((*own, *spares), memory) for own, (outlook, memory) in zip(specs, known, strict=True)
        ]
        share = _speed_share(plan) if len(plan.segments) > 1 else 1.0
        return Figures(
            PackedPool(
                plan=plan,
                workshop=self.workshop,
                layout=(*(spec for own in specs for spec in own), *spares),
                usable_bytes=self.workshop.usable_bytes(plan.runs),
                failures_survived=plan.failures_survived,
                outlooks=tuple(outlook for outlook, _ in known),
                speed_share=share,
            ),
            forecasts[0] if len(forecasts) == 1 else _together(forecasts, share),
        )

    def points(self, plan: PoolPlan) -> float:
        """Return the score of a pool by itself, before the rules: for choosing what to combine."""
        figures = self.pool(plan)
        measures = self._measures([figures])
        return score(self._terms.request.workload.goal, measures, ())

    def evaluate(self, plan: Plan) -> Candidate | Rejected:
        """Return the candidate, or why the request does not admit this plan."""
        figures = self._figures(plan)
        measures = self._measures(figures)
        family = family_of(figures[0].pool.layout)
        objections = self._objections(figures, measures)
        layout = figures[0].pool.layout
        if objections:
            return Rejected(
                family=family,
                reason=f"{' and '.join(describe_pool(f.pool) for f in figures)}: {'; '.join(objections)}",
                layout=layout,
                unmet=len(objections),
                usable_bytes=measures.usable_bytes,
            )
        used = plan.disks_used()
        unassigned = self._terms.disks - sum(used.values())
        findings = self._findings(figures, unassigned)
        blocked = next((f for f in findings if blocks(f)), None)
        if blocked is not None:
            return Rejected(family=family, reason=blocked.text, layout=layout, rule_id=blocked.rule_id)
        request, sizes = self._terms.request, self.workshop.sizes
        idle = sum((len(kind.disks) - used[at]) * sizes[at] for at, kind in enumerate(self.workshop.kinds))
        price = request.budget.price_per_disk
        return Candidate(
            way=plan.way,
            family=family,
            main=figures[0].pool,
            further=tuple(f.pool for f in figures[1:]),
            unassigned=unassigned,
            stranded_bytes=plan.stranded_bytes(sizes),
            idle_bytes=idle + self._other_bytes,
            cost=None if price is None else price * sum(used.values()),
            findings=findings,
            goal=request.workload.goal,
            measures=measures,
            score=score(request.workload.goal, measures, findings),
            ashift=self._terms.ashift,
            version=request.version,
        )

    def _figures(self, plan: Plan) -> list[Figures]:
        """Return the pools, the one that protects most bytes first where they are of equal rank."""
        if plan.way is Way.LAYERED or plan.way is Way.STACKED:
            return self._shared(plan)
        figures = [self.pool(pool) for pool in plan.pools]
        if len(figures) > 1:
            figures.sort(key=self._protected_bytes, reverse=True)
            purposes = (Purpose.MAIN, *(Purpose.PEER,) * (len(figures) - 1))
            figures = [_with_purpose(f, purpose) for f, purpose in zip(figures, purposes, strict=True)]
        return figures

    def _protected_bytes(self, figures: Figures) -> float:
        goal = self._terms.request.workload.goal
        pool = figures.pool
        return pool.usable_bytes * protection(goal, pool.failures_survived, figures.forecast.yearly_loss)

    def _shared(self, plan: Plan) -> list[Figures]:
        """Return pools of slices: a disk that fails is rebuilt for all its slices, one time after the other."""
        alone = [[self._rebuild_hours(pool, part) for part in pool.segments] for pool in plan.pools]
        total = sum(hours for pool in alone for hours in pool)
        figures = []
        for pool, hours in zip(plan.pools, alone, strict=True):
            loads = [min(MOST_LOAD_PERCENT, round(100 * (1 - own / total))) if own else 0 for own in hours]
            figures.append(self.pool(pool, loads))
        return figures

    def _rebuild_hours(self, pool: PoolPlan, part: Runs) -> float:
        return self.pool(PoolPlan((part,), pool.spares)).forecast.rebuild_hours or 0.0

    def _outlook(self, kinds: frozenset[int], load: int) -> tuple[Outlook, Memory]:
        """Return what predictions for these kinds rest on: the highest failure rate among them counts for all."""
        found = self._outlooks.get((kinds, load))
        if found is None:
            request = self._terms.request
            disks = sorted(
                self.workshop.disks(kinds), key=lambda disk: request.drives.rate(disk.model).typical, reverse=True
            )
            outlook = outlook_for(
                disks, workload=request.workload, host=request.host, drives=request.drives, ashift=self._terms.ashift
            )
            if load:
                rebuild = replace(outlook.risk.rebuild, load_percent=load)
                outlook = replace(outlook, risk=replace(outlook.risk, rebuild=rebuild))
            found = self._outlooks[kinds, load] = (outlook, outlook.memory())
        return found

    def _measures(self, figures: Sequence[Figures]) -> Measures:
        terms, main = self._terms, figures[0]
        goal = terms.request.workload.goal
        usable = sum([f.pool.usable_bytes for f in figures])
        credited: float = main.pool.usable_bytes
        speed = main.forecast.speed
        peers = 0
        for other in figures[1:]:
            credited += self._protected_bytes(other)
            if other.pool.purpose is Purpose.PEER:
                peers += 1
                speed = Typical(*(a + b for a, b in zip(speed, other.forecast.speed, strict=True)))
        bare = all(made.spec.kind is VdevKind.STRIPE for made, _ in main.pool.plan.runs)
        distributed = sum([made.spec.draid_spares * count for made, count in main.pool.plan.runs])
        return Measures(
            usable_bytes=usable,
            credited_bytes=credited if goal else usable,
            failures_survived=main.pool.failures_survived,
            spares=sum(count for _, count in main.pool.plan.spares) + distributed,
            data_members=0 if bare else main.pool.plan.members,
            disks=terms.disks,
            raw_bytes=terms.raw_bytes,
            forecast=main.forecast,
            speed=speed,
            rates=main.pool.outlook.around.disks,
            peers=peers,
            rests=len(figures) - 1 - peers,
            clients=terms.request.workload.clients,
        )

    def _objections(self, figures: Sequence[Figures], measures: Measures) -> tuple[str, ...]:
        budget = self._terms.request.budget
        survived = min(f.pool.failures_survived for f in figures)
        found = budget_objections(budget, measures.spares, measures.usable_bytes, survived)
        if self._wants_forecast:
            losses = [f.forecast for f in figures]
            found += forecast_objections(budget, _together(losses, 1.0, measures.speed))
        return found

    def _findings(self, figures: Sequence[Figures], unassigned: int) -> tuple[Finding, ...]:
        """Return what the rules say of each pool. What they deduct for a further pool counts by its share of space."""
        main = figures[0].pool
        found = list(self._judged(main, unassigned))
        usable = sum(f.pool.usable_bytes for f in figures)
        seen = {(finding.rule_id, finding.text) for finding in found}
        for number, other in enumerate(figures[1:], start=2):
            share = other.pool.usable_bytes / usable
            found.extend(
                _of_pool(finding, number, share)
                for finding in self._judged(other.pool, 0)
                if (finding.rule_id, finding.text) not in seen
            )
        return tuple(found)

    def _judged(self, pool: PackedPool, unassigned: int) -> tuple[Finding, ...]:
        judge = self._judges.get(pool.plan.kinds)
        if judge is None:
            judge = self._terms.make_judge(self._terms.request, pool.disks, self._terms.ashift)
            self._judges[pool.plan.kinds] = judge
        return judge(pool.layout, pool.usable_bytes, unassigned, places_of(pool))


def places_of(pool: PackedPool) -> tuple[Place, ...]:
    """Return the place of each vdev in the pool's layout, spares included."""
    workshop, plan = pool.workshop, pool.plan
    shared = _shared_kinds(plan)
    places: list[Place] = []
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


def family_of(layout: Layout) -> str:
    """Return the family of the data vdevs: mirror of 3, raidz2; ``several kinds`` where they differ."""
    found = set()
    for spec in layout:
        if spec.vdev_class.value == "data":
            word = (
                spec.kind.value
                if spec.kind in (VdevKind.STRIPE, VdevKind.MIRROR)
                else f"{spec.kind.value}{spec.parity}"
            )
            found.add(f"mirror of {spec.width}" if spec.kind is VdevKind.MIRROR else word)
    return found.pop() if len(found) == 1 else SEVERAL_KINDS


def _speed_share(plan: PoolPlan) -> float:
    """Return how much of the first segment's rate a pool has whose further segments lie on the same disks.

    Data spread over vdevs by their space. The busiest disk moves all its slices in the time in which the first segment
    alone would move one, while the pool takes all segments' data.
    """
    space = [sum(made.top.usable_bytes * made.tops * count for made, count in part) for part in plan.segments]
    depth = [part[0][0].slice_bytes or 0 for part in plan.segments]
    return sum(space) / space[0] * depth[0] / sum(depth)


def _together(forecasts: Sequence[Forecast], share: float, speed: Typical | None = None) -> Forecast:
    """Return the forecast of losing any of several parts, as if independent: an upper bound where disks are shared."""
    kept = 1.0
    for forecast in forecasts:
        kept *= 1 - forecast.yearly_loss
    loss = 1 - kept
    if loss < 1e-9:  # the product has no digits left; so rare events just add up
        loss = sum(forecast.yearly_loss for forecast in forecasts)
    hours = [f.rebuild_hours for f in forecasts if f.rebuild_hours is not None]
    return Forecast(
        speed=speed or Typical(*(rate * share for rate in forecasts[0].speed)),
        yearly_loss=loss,
        rebuild_hours=max(hours, default=None),
    )


def _with_purpose(figures: Figures, purpose: Purpose) -> Figures:
    return Figures(replace(figures.pool, plan=replace(figures.pool.plan, purpose=purpose)), figures.forecast)


def _of_pool(finding: Finding, number: int, share: float) -> Finding:
    # What it risks is in the credit for its bytes already.
    weight = tuple((name, amount * share) for name, amount in finding.weight if name != "risk")
    return replace(
        finding,
        subject=f"{OTHER_POOL}{number}: {finding.subject}",
        text=f"Pool {number}: {finding.text}",
        weight=weight,
    )
