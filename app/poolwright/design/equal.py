"""Evaluates layouts of equal disks: thousands of shapes, each in some hundred microseconds."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from poolwright.design.candidate import Candidate, Rejected
from poolwright.design.dealing import Dealing
from poolwright.design.enumerate import Enough, EqualLayout, LayoutMaker
from poolwright.design.floors import Floor, Floors, VdevSort
from poolwright.design.forecaster import Forecaster
from poolwright.design.groups import EqualDisks
from poolwright.design.measures import Measures, ShapeSpace, block_bytes, filled, mean_filled
from poolwright.design.plan import EqualPool
from poolwright.design.population import Populations
from poolwright.design.rank import score
from poolwright.design.request import Terms, outlook_of, risk_of
from poolwright.design.stock import Taken, Way
from poolwright.design.taking import Units
from poolwright.design.wishes import (
    BrokenWish,
    disks_cost,
    hard_objections,
    missing_forecast,
    missing_space,
    wants_forecast,
)
from poolwright.design.workshop import DEFAULT_LOGICAL_SECTOR_BYTES
from poolwright.domain.errors import Refusal
from poolwright.domain.finding import Finding, Outcome, Severity
from poolwright.domain.money import Money
from poolwright.domain.vdev import Layout, VdevKind, VdevSpec, describe
from poolwright.predict.groups import any_loss
from poolwright.predict.outlook import Forecast
from poolwright.predict.reliability import loss_with_units
from poolwright.predict.speed import Typical

_Key = tuple[VdevKind, int, int, int, int, int, int | None, int, int]


class _Made(NamedTuple):
    """A shape that was looked at: its vdevs, the bytes of one pool, and what is said of it."""

    shape: EqualLayout
    layout: Layout
    available_bytes: int
    findings: tuple[Finding, ...]
    unassigned: int
    below: tuple[Floor, ...]
    missed: tuple[BrokenWish, ...]


class EqualEvaluator:
    """Evaluates shapes of one group of equal disks; ``others`` are those of the same medium beside it."""

    def __init__(self, terms: Terms, group: EqualDisks, others: Sequence[EqualDisks] = ()) -> None:
        request = terms.request
        self._terms, self._request, self._group = terms, request, group
        self._other_bytes = sum(other.raw_bytes for other in others)
        self._own_bytes = group.raw_bytes + self._other_bytes
        self._kind = group.words if others or group.beside else ""
        self._of_medium = len(group.disks) + sum(len(other.disks) for other in others)
        self._maker = LayoutMaker(group.least_bytes)
        self._judge = terms.make_judge(request, group.disks, terms.ashift)
        self._populations = Populations(group.disks, request.drives, partial(outlook_of, request, ashift=terms.ashift))
        self._dealing = Dealing((group.disks,), partial(risk_of, request, ashift=terms.ashift))
        self._outlook = self._populations.of(len(group.disks)).outlook
        ideal = terms.ideal(group.media, self._outlook)
        self._outpaced = ideal.around.disks.iops > self._outlook.around.disks.iops
        self._rates, self._most = ideal.around.disks, ideal.of_stripes(terms.most_disks)
        self._units = Units(group.disks)
        self._wants_forecast = wants_forecast(request.budget)
        self._block = block_bytes(request.workload)
        self._floors, self._shingled = terms.floors, any(disk.smr for disk in group.disks)
        self._forecasts: dict[_Key, Forecast] = {}
        self._costs: dict[int, Money | None] = {}
        self._sector = max(d.logical_sector_bytes or DEFAULT_LOGICAL_SECTOR_BYTES for d in group.disks)
        self._space = ShapeSpace(
            group.least_bytes, ashift=terms.ashift, version=request.version, logical_sector_bytes=self._sector
        )

    def _forecaster(self, shape: EqualLayout) -> Forecaster:
        """Return what forecasts a shape: the disks that are assigned first hold the data."""
        return self._populations.of(shape.data_members * shape.pools)

    def _filled(self, shape: EqualLayout) -> float:
        """Return the bytes of the workload's blocks that fit for each byte that `zfs list` counts as usable."""
        kind, ashift, block = shape.kind, self._terms.ashift, self._block
        found = filled(kind, shape.width, shape.parity, shape.data or 0, ashift, block)
        if shape.wide:
            wide = filled(kind, shape.width + 1, shape.parity, 0, ashift, block)  # raidz alone has two widths
            parts = (
                (shape.narrow * (shape.width - shape.parity), found),
                (shape.wide * (shape.width + 1 - shape.parity), wide),
            )
            return mean_filled(parts)
        return found

    def enough(self) -> Enough | None:
        """Return what tells whether a shape has the space that is asked for; None where none is."""
        return None if self._request.budget.least_usable_bytes is None else self._is_enough

    def _is_enough(self, shape: EqualLayout) -> bool:
        least = self._request.budget.least_usable_bytes
        try:
            return min(1.0, self._filled(shape)) * self._space.available_bytes(shape) >= (least or 0)
        except Refusal:
            return False

    def counted_bytes(self, shape: EqualLayout) -> int:
        """Return what counts for a wish for space: the usable bytes, less where the workload's blocks fill fewer.

        Raises Refusal where OpenZFS would not take such a vdev.
        """
        return int(min(1.0, self._filled(shape)) * self._space.available_bytes(shape) * shape.pools)

    def layout(self, shape: EqualLayout) -> Layout:
        return self._maker.layout(shape)

    def below(self, shape: EqualLayout, floors: Floors) -> tuple[Floor, ...]:
        """Return which of ``floors`` a shape does not keep to."""
        return self._below(shape, shape.failures_survived, floors)

    def holds(self, shape: EqualLayout) -> float | None:
        """Return the room of a shape, without a forecast; None where it is below a floor or less than asked for."""
        try:
            usable = self._space.available_bytes(shape) * shape.pools
        except Refusal:
            return None
        held = self._filled(shape) * usable
        space = missing_space(self._request.budget, usable, held_bytes=held)
        return held if space is None and not self.below(shape, self._floors) else None

    def evaluate(self, shape: EqualLayout) -> Candidate | Rejected:
        """Return the candidate, or why the request does not admit this shape."""
        layout = self._maker.layout(shape)
        try:
            available = self._space.available_bytes(shape)
        except Refusal as refusal:
            return Rejected(family=shape.family, reason="; ".join(refusal.reasons), layout=layout)
        usable, survived = available * shape.pools, shape.failures_survived
        budget = self._request.budget
        below = self._below(shape, survived, self._floors)
        missed = self._missed(shape, layout, usable)
        objections = hard_objections(budget, shape.all_spares, survived)
        if objections or (missed and below):
            return Rejected(
                family=shape.family,
                reason=f"{describe(layout)}: {'; '.join((*objections, *(m.text for m in missed)))}",
                layout=layout,
                unmet=len(objections) + len(missed),
                usable_bytes=usable,
            )
        unassigned = self._terms.disks - shape.disks * shape.pools
        findings = self._judge(layout, usable, self._idle(shape))
        blocked = next((f for f in findings if blocks(f)), None)
        if blocked is not None:
            return Rejected(family=shape.family, reason=blocked.text, layout=layout, rule_id=blocked.rule_id)
        made = _Made(shape, layout, available, findings, unassigned, below, missed)
        return self._candidate(made)

    def _idle(self, shape: EqualLayout) -> int:
        """Return how many disks of the medium have no place: those of another could not have one in this pool."""
        return self._of_medium - shape.disks * shape.pools

    def _below(self, shape: EqualLayout, survived: int, floors: Floors) -> tuple[Floor, ...]:
        width = (shape.data or 0) + shape.parity if shape.kind is VdevKind.DRAID else shape.width
        sides = width if shape.kind is VdevKind.MIRROR else 0
        parts = [VdevSort(shape.kind, shape.parity, sides, width, shape.narrow)]
        if shape.wide:
            parts.append(VdevSort(shape.kind, shape.parity, sides, width + 1, shape.wide))
        return floors.broken(parts, survived=survived, hot_spares=shape.spares, shingled=self._shingled)

    def _missed(self, shape: EqualLayout, layout: Layout, usable: int) -> tuple[BrokenWish, ...]:
        budget = self._request.budget
        space = missing_space(budget, usable, held_bytes=self._filled(shape) * usable)
        found = () if space is None else (space,)
        if not self._wants_forecast:
            return found
        return (*found, *missing_forecast(budget, self._forecast(shape, layout), shape.pools))

    def _cost(self, disks: int) -> Money | None:
        """Return what so many disks of the group cost, those first that are assigned first."""
        if disks not in self._costs:
            request = self._request
            self._costs[disks] = disks_cost(request.budget, self._group.disks[:disks], request.disks)
        return self._costs[disks]

    def _forecast(self, shape: EqualLayout, layout: Layout) -> Forecast:
        """Return what is predicted of one pool. More spares than a vdev can lose disks change it by almost nothing."""
        spares = min(shape.spares, shape.failures_survived)
        key = (
            shape.kind, shape.parity, shape.width, shape.narrow, shape.wide, spares, shape.data, shape.distributed,
            shape.pools if self._populations.told_apart else 1,
        )  # fmt: skip
        found = self._forecasts.get(key)
        if found is None:
            runs = _runs(shape, layout)
            held = ((self._group.least_bytes, spares),) if spares else ()
            # Several equal pools are stripes, of which the mean of all is exact: what single disks lose adds up.
            counted, of = self._dealing.counted(runs)
            found = self._forecaster(shape).forecast(counted, held, of if shape.pools == 1 else None)
            if self._units.known:
                lost = loss_with_units(found.yearly_loss, self._units.taking(shape, layout), self._outlook.risk.causes)
                found = replace(found, yearly_loss=lost)
            self._forecasts[key] = found
        return found

    def _candidate(self, made: "_Made") -> Candidate:
        terms, request, shape = self._terms, self._request, made.shape
        layout, available, pools = made.layout, made.available_bytes, shape.pools
        usable, survived = available * pools, shape.failures_survived
        measures = self._measures(shape, layout, usable)
        goal, outlook = request.workload.goal, self._forecaster(shape).outlook
        pool = EqualPool(
            shape=shape,
            layout=layout,
            disks=self._group.disks,
            usable_bytes=available,
            failures_survived=survived,
            outlook=outlook if pools > 1 else self._dealing.told(outlook, _runs(shape, layout)),
            dealing=self._dealing,
            ashift=terms.ashift,
            version=request.version,
            logical_sector_bytes=self._sector,
        )
        return Candidate(
            way=Way.EQUAL,
            family=shape.family,
            main=pool,
            copies=pools,
            unassigned=made.unassigned,
            idle_disks=self._idle(shape),
            of_kind=self._kind,
            idle_bytes=self._other_bytes + (len(self._group.disks) - shape.disks * pools) * self._group.least_bytes,
            cost=self._cost(shape.disks * pools),
            findings=made.findings,
            goal=goal,
            measures=measures,
            score=score(goal, measures, made.findings),
            ashift=terms.ashift,
            version=request.version,
            below=made.below,
            missed=made.missed,
        )

    def _measures(self, shape: EqualLayout, layout: Layout, usable: int) -> Measures:
        terms, pools, forecast = self._terms, shape.pools, self._forecast(shape, layout)
        taking = self._units.taking(shape, layout) if self._units.known else 0
        return Measures(
            usable_bytes=usable,
            held_bytes=usable * self._filled(shape),
            block_bytes=self._block,
            failures_survived=shape.failures_survived,
            spares=shape.all_spares,
            data_members=shape.data_members,
            yearly_failures=self._forecaster(shape).outlook.risk.drive.typical / 100,
            disks=terms.disks,
            most_disks=terms.most_disks,
            raw_bytes=terms.raw_bytes,
            own_bytes=self._own_bytes,
            forecast=forecast,
            speed=forecast.speed if pools == 1 else Typical(*(pools * rate for rate in forecast.speed)),
            rates=self._rates,
            outpaced=self._outpaced,
            most=self._most,
            any_loss=any_loss([forecast.yearly_loss] * pools, forecast.floor),
            any_disk_loss=any_loss([forecast.disk_loss] * pools),
            draid=shape.kind is VdevKind.DRAID,
            peers=pools - 1,
            clients=self._request.workload.clients,
            sequential_percent=self._request.workload.sequential_percent,
            taking=taking,
            taking_least=self._units.doubtful(taking),
            dealt=shape.kind is VdevKind.STRIPE or self._dealing.is_sure(),
        )


def _runs(shape: EqualLayout, layout: Layout) -> list[tuple[VdevSpec, Taken, int]]:
    """Return the data vdevs of a shape with how many disks each takes, equal ones together."""
    if shape.kind is VdevKind.STRIPE:
        return [(layout[0], ((0, shape.narrow),), 1)]
    found = [(shape.wide, shape.width + 1), (shape.narrow, shape.width)]
    at = 0
    runs: list[tuple[VdevSpec, Taken, int]] = []
    for count, width in found:
        if count:
            runs.append((layout[at], ((0, width),), count))
            at += count
    return runs


def blocks(finding: Finding) -> bool:
    """Tell whether a layout with this finding is never recommended."""
    return finding.outcome is Outcome.VIOLATED and finding.severity is Severity.BLOCK
