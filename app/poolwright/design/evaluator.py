"""Evaluates plans: pools of equal disks, of vdevs of several sizes, and of slices that share disks."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

from poolwright.design.candidate import Candidate, Rejected, plan_words
from poolwright.design.equal_layouts import SEVERAL_KINDS, EqualLayout, family_of
from poolwright.design.floors import Floor, Floors, failures_wanted
from poolwright.design.groups import MOST_KINDS_CUT, DiskCounts, DiskKind, Packing, Stock
from poolwright.design.plan import (
    CandidatePool,
    Forecaster,
    PackedVdev,
    Plan,
    PoolPlan,
    Purpose,
    VdevFactory,
    disk_risks_of,
    outlook_under,
)
from poolwright.design.rank import Ideal, Measures, block_bytes, filled, merit, score
from poolwright.design.request import LayoutJudge, Medium, Terms, site
from poolwright.design.survival import Units
from poolwright.design.wishes import disks_cost, hard_objections, missing_forecast, missing_space, wants_forecast
from poolwright.domain.disk import Disk
from poolwright.domain.errors import Refusal
from poolwright.domain.finding import Finding, Severity, violated
from poolwright.domain.money import Money
from poolwright.domain.vdev import VdevKind
from poolwright.domain.workload import Allowance
from poolwright.predict.assessment import busy_percent, forecast_of_any
from poolwright.predict.drives import DriveBook
from poolwright.predict.groups import any_loss
from poolwright.predict.media import find_rates
from poolwright.predict.speed import Typical
from poolwright.rules.layout_facts import LayoutNumbers, VdevPosition
from poolwright.texts import listed

# Up to so many disks of a stock each set of them that holds data has a forecast of its own where parts are compared.
FEW_APART = 64
OTHER_POOL = "pool "  # what the subject of a finding on a further pool begins with


class PlanEvaluator:
    """Evaluates plans for disks of one medium, of which ``beside`` are other kinds; ``equal`` as in `Medium`."""

    def __init__(
        self, terms: Terms, kinds: Sequence[DiskKind], beside: Sequence[DiskKind] = (), *, equal: bool = False
    ) -> None:
        request, of_kind = terms.request, kinds[0].words if equal and (beside or kinds[0].beside) else ""
        self.medium = Medium(request=request, kinds=tuple(kinds), ashift=terms.ashift, equal=equal, of_kind=of_kind)
        self._terms, self.workshop = terms, VdevFactory(self.medium)
        self._idle_beside = sum(kind.raw_bytes for kind in beside)
        self._of_medium = sum(len(kind.disks) for kind in (*kinds, *beside))
        self._wants_forecast = wants_forecast(request.budget)
        self._forecasters: dict[tuple[DiskCounts, int], Forecaster] = {}
        self._costs: dict[tuple[tuple[int, int], ...], Money | None] = {}
        self._disk_risks = disk_risks_of(self.medium)
        self._shingled = {at for at, kind in enumerate(kinds) if any(disk.smr for disk in kind.disks)}
        self._every = tuple((at, len(kind.disks)) for at, kind in enumerate(kinds))
        self._alike = equal and alike(kinds[0].disks, request.drives)
        outlook = self._forecaster(self._every, 0).outlook
        ideal = (kinds[0].media in terms.rivals and terms.fastest) or outlook
        self._ideal = Ideal(
            goal=request.workload.goal,
            clients=request.workload.clients,
            sequential_percent=request.workload.sequential_percent,
            block_bytes=block_bytes(request.workload),
            disks=terms.disks,
            most_disks=terms.most_disks,
            raw_bytes=terms.raw_bytes,
            own_bytes=sum(kind.raw_bytes for kind in (*kinds, *beside)),
            rates=ideal.inputs.disks,
            outpaced=ideal.inputs.disks.iops > outlook.inputs.disks.iops,
            most=ideal.of_stripes(terms.most_disks),
            network=outlook.inputs.network,
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
        return Plan(Packing.EQUAL, (PoolPlan((runs,), spares),), shape.pools)

    def counted_bytes(self, shape: EqualLayout) -> int:
        """Return the usable bytes, less where the workload's blocks fill fewer; 0 where OpenZFS refuses it."""
        try:
            usable, room = self._space(self.plan_of(shape))
        except Refusal:
            return 0
        return int(min(1.0, room) * usable)

    def pool(
        self, plan: PoolPlan, loads: tuple[int, ...] = (), copies: int = 1, taken: DiskCounts | None = None
    ) -> CandidatePool:
        """Return a pool, of which so many are made, with its space and what is predicted of it; ``loads`` as there.

        ``taken`` are the disks that stand for those that hold its data, None for these themselves.
        """
        taken, loads = taken_for_data(plan, copies) if taken is None else taken, loads or (0,) * len(plan.segments)
        # More spares than a vdev can lose disks change its risk by almost nothing.
        most = plan.failures_survived if self.medium.equal else self._of_medium
        spares = tuple([(self.workshop.sizes[group], min(count, most)) for group, count in plan.spares])
        parts = []
        for part, load in zip(plan.segments, loads, strict=True):
            # Several equal pools are stripes, of which the mean of all is exact: what single disks lose adds up.
            of = self._disk_risks.conditions(part, load) if copies == 1 else None
            parts.append(self._forecaster(taken, load).forecast(part, spares, of))
        forecast = parts[0] if len(parts) == 1 else forecast_of_any(parts, plan.speed_share)
        return CandidatePool(
            plan=plan,
            medium=self.medium,
            usable_bytes=self.workshop.usable_bytes(plan.runs),
            forecast=forecast,
            taken=self._every if self._alike else taken,
            loads=loads,
            copies=copies,
        )

    def points(self, plan: PoolPlan, stock: Stock) -> float:
        """Return what speaks for a pool of a stock by itself, before the rules: for choosing what to combine.

        Of very many disks all but the spares stand for those that hold data: some idle are no forecast of their own.
        """
        held, taken = dict(plan.spares), None
        if stock.total > FEW_APART:
            counts = zip(stock.groups, stock.counts, strict=True)
            taken = tuple([(group, count - held.get(group, 0)) for group, count in counts])
        return merit(self._measures([self.pool(plan, taken=taken)]))

    def holds(self, plan: Plan) -> float | None:
        """Return the room of a plan, without a forecast; None where it is below a floor or less than asked for."""
        usable, room = self._space(plan)
        space = missing_space(self._terms.request.budget, usable, held_bytes=usable * room)
        return usable * room if not space and not self.below(plan, self._terms.floors) else None

    def holds_shape(self, shape: EqualLayout) -> float | None:
        try:
            return self.holds(self.plan_of(shape))
        except Refusal:
            return None

    def _space(self, plan: Plan) -> tuple[int, float]:
        usable = sum([self.workshop.usable_bytes(pool.runs) for pool in plan.pools]) * plan.copies
        return usable, self._room(plan.runs)

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
        pools, terms, request = self._pools(plan), self._terms, self._terms.request
        families = {family_of(made.spec.kind, made.spec.parity, made.spec.width) for made, _ in pools[0].plan.runs}
        family = SEVERAL_KINDS if len(families) > 1 else families.pop()
        measures = self._units.of_plan(plan, self._measures(pools, plan.copies), self._causes)
        below = self.below(plan, terms.floors)
        missed = missing_space(request.budget, measures.usable_bytes, held_bytes=measures.held_bytes)
        if self._wants_forecast:
            together = forecast_of_any([pool.forecast for pool in pools], 1.0, measures.speed)
            missed += missing_forecast(request.budget, replace(together, yearly_loss=measures.any_loss))
        objections = tuple(hard_objections(request.budget, measures.spare_count, measures.failures_survived))
        if objections or (below and missed):
            return _unmet(family, pools, measures, (*objections, *(m.text for m in missed)))
        used = plan.disks_used()
        number, priced = sum(used.values()), tuple(sorted(used.items()))
        if priced not in self._costs:  # those of a kind first that are assigned first
            taken = [disk for at, kind in enumerate(self.medium.kinds) for disk in kind.disks[: used[at]]]
            self._costs[priced] = disks_cost(request.budget, taken, request.disks)
        idle = sum([(len(kind.disks) - used[at]) * kind.least_bytes for at, kind in enumerate(self.medium.kinds)])
        return Candidate(
            way=plan.way,
            family=family,
            main=pools[0],
            further=tuple(pools[1:]),
            unassigned=terms.disks - number,
            stranded_bytes=plan.stranded_bytes(self.workshop.sizes),
            idle_bytes=idle + self._idle_beside,
            idle_disks=self._of_medium - number,
            cost=self._costs[priced],
            findings=(),
            measures=measures,
            score=score(measures, ()),
            below=below,
            missed=missed,
        )

    def _pools(self, plan: Plan) -> list[CandidatePool]:
        """Return the pools; of those of equal rank the largest that survives what the goal asks for first."""
        if plan.way is Packing.LAYERED or plan.way is Packing.STACKED:
            return self._shared(plan)
        pools = [self.pool(pool, copies=plan.copies) for pool in plan.pools]
        if len(pools) > 1:
            survives = self._terms.floors.survives
            pools.sort(key=lambda p: (p.plan.failures_survived >= survives, p.usable_bytes), reverse=True)
            purposes = (Purpose.MAIN, *(Purpose.PEER,) * (len(pools) - 1))
            pools = [replace(p, plan=replace(p.plan, purpose=own)) for p, own in zip(pools, purposes, strict=True)]
        return pools

    def _shared(self, plan: Plan) -> list[CandidatePool]:
        """Return pools of slices: a disk that fails is rebuilt for all its slices, one time after the other."""
        alone = []
        for pool in plan.pools:
            forecaster = self._forecaster(taken_for_data(pool), 0)
            alone.append([forecaster.rebuild_hours(part, self._disk_risks.conditions(part)) for part in pool.segments])
        total = sum([hours for pool in alone for hours in pool])
        pools = []
        for pool, hours in zip(plan.pools, alone, strict=True):
            made = self.pool(pool, tuple([busy_percent(own, total) for own in hours]))
            # A disk is rebuilt slice by slice: the time for all of them, not that of a slice on a busy disk.
            whole = total if made.forecast.rebuild_hours is not None else None
            pools.append(replace(made, forecast=replace(made.forecast, rebuild_hours=whole)))
        return pools

    def _forecaster(self, taken: DiskCounts, load: int) -> Forecaster:
        taken = self._every if self._alike else taken
        found = self._forecasters.get((taken, load))
        if found is None:
            found = self._forecasters[taken, load] = Forecaster(outlook_under(self.medium, taken, load))
        return found

    def _measures(self, pools: Sequence[CandidatePool], copies: int = 1) -> Measures:
        main = pools[0]
        usable = sum([pool.usable_bytes for pool in pools]) * copies
        speed = main.forecast.speed if copies == 1 else Typical(*(copies * rate for rate in main.forecast.speed))
        for other in pools[1:]:
            if other.plan.purpose is Purpose.PEER:
                speed = Typical(*(a + b for a, b in zip(speed, other.forecast.speed, strict=True)))
        runs = [run for pool in pools for run in pool.plan.runs]
        distributed = sum([made.spec.draid_spares * count for made, count in main.plan.runs])
        failing = self._yearly_failures
        if self.medium.equal:  # the disks that hold data tell how many fail
            failing = self._forecaster(main.taken, 0).outlook.risk.drive.typical / 100
        return Measures(
            ideal=self._ideal,
            usable_bytes=usable,
            held_bytes=usable * self._room(runs),
            failures_survived=min([made.failures_survived for made, _ in runs]),
            pool_count=len(pools) * copies,
            spare_count=sum(count for _, count in main.plan.spares) + distributed,
            data_members=main.plan.members,
            yearly_failures=main.plan.members * failing,
            forecast=main.forecast,
            speed=speed,
            any_loss=any_loss([pool.forecast.yearly_loss for pool in pools] * copies, main.forecast.floor),
            any_disk_loss=any_loss([pool.forecast.disk_loss for pool in pools] * copies),
            draid=any(made.spec.kind is VdevKind.DRAID for made, _ in runs),
            dealt=self._disk_risks.is_sure_of(runs),
        )

    def _room(self, runs: Sequence[tuple[PackedVdev, int]]) -> float:
        """Return the bytes of the workload's blocks that fit for each byte that `zfs list` counts as usable."""
        total = held = 0.0
        for made, count in runs:
            spec = made.spec
            group = spec.group_data if spec.kind is VdevKind.DRAID else 0
            share = filled(spec.kind, spec.width, spec.parity, group, self.medium.ashift, self._ideal.block_bytes)
            if len(runs) == 1:
                return share
            # Vdevs of equal disks are of one kind: they are weighed by their data disks.
            weight = spec.width - spec.parity if self.medium.equal else made.top.usable_bytes * made.tops
            total, held = total + weight * count, held + weight * count * share
        return held / total if total else 1.0

    def below(self, plan: Plan, floors: Floors) -> tuple[Floor, ...]:
        """Return which of ``floors`` any of the pools does not keep to."""
        found: dict[Floor, None] = {}
        for pool in plan.pools:
            broken = floors.broken(
                [(made.spec, count) for made, count in pool.runs],
                survived=pool.failures_survived,
                hot_spares=sum(count for _, count in pool.spares),
                shingled=not self._shingled.isdisjoint(pool.kinds),
                survives=self._wanted_of_rest(pool) if pool.purpose is Purpose.REST else None,
                partitioned=plan.way in (Packing.LAYERED, Packing.STACKED),
            )
            found |= dict.fromkeys(broken)
        return tuple(found)

    def _wanted_of_rest(self, plan: PoolPlan) -> int:
        """Return the failures that a pool of left-over slices should survive: what is asked of so many disks."""
        request = self._terms.request
        return min(self._terms.floors.survives, failures_wanted(request.workload.goal, request.budget, plan.members))


def judged(candidate: Candidate, judge_of: Callable[[Medium, frozenset[int]], LayoutJudge]) -> Candidate | Rejected:
    """Return the candidate with what rules find, of further pools by their share of space, or what refuses it."""
    medium, every = candidate.main.medium, frozenset(range(len(candidate.main.medium.kinds)))
    findings: tuple[Finding, ...] = ()
    main = findings
    for number, pool in enumerate(candidate.pools, start=1):
        # Of very many kinds all stand for those of the pool: each set of them costs time.
        judge = judge_of(medium, pool.plan.kinds if len(every) <= MOST_KINDS_CUT else every)
        idle = candidate.idle_disks if number == 1 else 0
        numbers = LayoutNumbers(usable_bytes=candidate.measures.usable_bytes, unassigned_disks=idle)
        said = judge(pool.layout, numbers, places_of(pool))
        if number == 1:
            findings = main = said
        else:
            seen, share = {(f.rule_id, f.text) for f in main}, pool.usable_bytes / candidate.measures.usable_bytes
            findings += tuple(of_pool(f, number, share) for f in said if (f.rule_id, f.text) not in seen)
    for one in violated(findings, Severity.BLOCK):
        return Rejected(family=candidate.family, reason=one.text, layout=candidate.main.layout, rule_id=one.rule_id)
    return replace(candidate, findings=findings, score=score(candidate.measures, findings))


def _unmet(family: str, pools: Sequence[CandidatePool], measures: Measures, why: Sequence[str]) -> Rejected:
    return Rejected(
        family=family,
        reason=f"{listed([plan_words(pool.plan, pool.medium) for pool in pools])}: {'; '.join(why)}",
        layout=pools[0].layout,
        unmet=len(why),
        usable_bytes=measures.usable_bytes,
    )


def places_of(pool: CandidatePool) -> tuple[VdevPosition, ...]:
    """Return the place of each vdev in the pool's layout, spares included; none where all disks are alike."""
    medium, plan = pool.medium, pool.plan
    if medium.equal:
        return ()
    parts = (frozenset[int]().union(*(made.kinds for made, _ in part)) for part in plan.segments)
    shared = {group for group, number in Counter(group for part in parts for group in part).items() if number > 1}
    places: list[VdevPosition] = []
    for made, count in plan.runs:
        places.extend(
            [site(medium, made.kinds, made.slice_bytes is not None, not shared.isdisjoint(made.kinds))] * count
        )
    places.extend(site(medium, frozenset({group})) for group, _ in plan.spares)
    return tuple(places)


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
# must not be counted in where disks of one size are of several models. How vdevs fail is told by `DiskRisks`.


def alike(disks: Sequence[Disk], drives: DriveBook) -> bool:
    """Tell whether it does not matter which of ``disks`` hold the data: to speed and failures all are the same."""
    kinds = {(disk.model, disk.afr_percent): disk for disk in disks}
    rates = {drives.rate(*kind) for kind in kinds}
    others = {
        (d.media, d.smr, d.rotation_rpm, d.read_bytes_per_second, d.write_bytes_per_second, d.power_loss_protection)
        for d in disks
    }
    measured = {find_rates(disk.model) for disk in kinds.values()}
    return len(rates) < 2 and len(others) < 2 and len(measured) < 2


def taken_for_data(plan: PoolPlan, copies: int = 1) -> DiskCounts:
    """Return of which kinds how many disks hold the data of so many equal pools, for each layer of slices by itself."""
    # Plain loops: this runs for each of thousands of plans.
    counts: dict[tuple[int, int], int] = {}
    for part in plan.segments:
        for made, count in part:
            layer = made.layer
            for group, number in made.taken:
                counts[group, layer] = counts.get((group, layer), 0) + number * count
    return tuple(sorted([(group, number * copies) for (group, _), number in counts.items()]))
