"""The yearly probability of losing a pool, and of any data in it: from disk failures, and with what else happens.

Loss: more members of one data, special or dedup vdev have failed at a time than it tolerates; the pool is gone. A lost
log or cache device does not lose the pool, a spare holds no data. Damage: loss, or a block that could not be read while
nothing was left to rebuild it from. ZFS then names the damaged files and keeps the pool: its own metadata lie there two
or three times.

Each vdev is a birth-death chain (`VdevHazard`), vdevs fail independently. One rebuild runs at a time in a vdev
(`resilver_defer`, OpenZFS 0.8). Its mean length is the wait for a disk to rebuild onto plus the rebuild.

What else happens is reckoned beside that (`threat_to`): failures with a common cause and mistakes for each vdev, and
once for the whole pool what no layout prevents, the floor of `causes`."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import groupby
from math import comb, exp, expm1, fsum, inf, log1p, prod, sqrt

from poolwright.domain.errors import Refusal
from poolwright.domain.estimate import Estimate, Origin, OriginKind
from poolwright.domain.units import HOURS_PER_YEAR
from poolwright.domain.vdev import HOLDS_THE_POOL, Layout, VdevClass, VdevKind, VdevSpec
from poolwright.predict.drives import CAUSES_ORIGIN, FailureRate, OtherCauses
from poolwright.predict.groups import band_of, banded
from poolwright.predict.rebuild import rebuild_hours, used_on_disk_bytes
from poolwright.predict.risk_conditions import (
    BATCH_CORRELATION,
    FULL_READS_PER_YEAR,
    Repairs,
    RiskConditions,
    shared_by,
)
from poolwright.texts import N_, _, per_language

# What threatens one vdev: the assumptions that the Markov chain solves and the simulation plays.

# A wider mirror counts as one of nine: the chance of more failures at once is nil, and the figure stays an upper bound.
MOST_TOLERATED = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class VdevHazard:
    """A top-level vdev of ``disks`` equal members that survives ``tolerated`` failures at a time.

    All waiting times are exponential. With ``u`` members failed, one of the others fails at the rate `failing(u)`; one
    rebuild at a time ends at ``repairs_per_hour[u - 1]``. One failure more than tolerated loses the vdev, and with it
    the pool. ``correlation`` multiplies the failure rate of the members left while at least one has failed.

    ``mistakes[u - 1]`` is the probability that somebody who comes for one of ``u`` failed members takes away
    another for good: one more is then failed, and nothing was repaired.

    ``unreadable`` is the probability that a rebuild with no redundancy left meets a block that cannot be read;
    ``unreadable_per_hour`` the rate of such blocks where there is no redundancy at all. ``bursts_per_hour`` is the rate
    of causes that take so many members at once that the vdev is lost.
    """

    disks: int
    tolerated: int
    failures_per_hour: float
    correlation: float = 1.0
    repairs_per_hour: tuple[float, ...] = ()
    mistakes: tuple[float, ...] = ()
    unreadable: float = 0.0
    unreadable_per_hour: float = 0.0
    bursts_per_hour: float = 0.0

    def failing(self, failed: int) -> float:
        if not failed:
            return self.disks * self.failures_per_hour
        taken = self.mistakes[failed - 1] * self.repairs_per_hour[failed - 1] if self.mistakes else 0.0
        return (self.disks - failed) * self.failures_per_hour * self.correlation + taken

    def reaching(self, failed: int) -> float:
        """Return the probability that after a first failure so many members are failed at a time before none is."""
        # Of a birth-death chain: one over the sum of the products of deaths over births.
        ways = product = 1.0
        for u in range(1, failed):
            product *= self.repairs_per_hour[u - 1] / self.failing(u) if self.failures_per_hour else inf
            ways += product
        return 1.0 / ways


# The continuous-time Markov chain of a vdev, solved exactly.

# Eigenvalues nearer to each other than this share are set apart: their sum formula divides by the difference.
_LEAST_GAP = 1e-5
_NEWTON_STEPS, _EXACT = 50, 4e-16


@dataclass(frozen=True, slots=True)
class Absorption:
    """The distribution of the hours until absorption: a sum of exponentials with these ``rates``, slowest first."""

    rates: tuple[float, ...]

    @property
    def log_amplitude(self) -> float:
        """Return the logarithm of the slow exponential's share; a little above 0."""
        return -fsum(log1p(-self.rates[0] / rate) for rate in self.rates[1:])

    def probability(self, hours: float) -> float:
        slow = self.rates[0]
        if slow <= 0:
            return 0.0
        result = -expm1(self.log_amplitude - slow * hours)
        for index, rate in enumerate(self.rates[1:], start=1):
            late = exp(-rate * hours)
            if late > 0.0:
                others = self.rates[:index] + self.rates[index + 1 :]
                result -= prod([other / (other - rate) for other in others]) * late
        return min(1.0, max(0.0, result))


def absorption(births: tuple[float, ...], deaths: tuple[float, ...]) -> Absorption:
    """Return when a birth-death chain from state 0 leaves its last state upwards.

    ``births[i]`` leads from state i to i + 1 and ``deaths[i]`` from i + 1 back to i, both per hour; the birth of the
    last state absorbs.
    """
    # A birth rate of 0 means never.
    if min(births) <= 0:
        return Absorption(rates=(0.0,))
    # The time to the last state has a transform whose denominator is the product of (1 + s / rate) over all rates. Its
    # coefficients come from state to state as sums of what is positive: nothing cancels, however rare the loss.
    product, step = [1.0] + [0.0] * len(births), [0.0] * (len(births) + 1)
    for state, birth in enumerate(births):
        death = deaths[state - 1] if state else 0.0
        for power in range(state + 1, 0, -1):
            step[power] = (product[power - 1] + death * step[power]) / birth
            product[power] += step[power]
    rates: list[float] = []
    while len(product) > 3:
        rates.append(_smallest_root(product))
        # Divided by its factor from the highest power down, where little cancels as the smallest root goes first.
        left = [0.0]
        for coefficient in product[:0:-1]:
            left.append((coefficient - left[-1]) * rates[-1])
        product = left[:0:-1]
    if len(product) == 2:
        rates.append(1 / product[1])
    else:
        __, total, pair = product
        larger = (total + sqrt(max(0.0, total * total - 4 * pair))) / (2 * pair)
        # The smaller one by Vieta: the difference of two near numbers would lose its digits.
        rates += [1 / (pair * larger), larger]
    for index in range(1, len(rates)):
        rates[index] = max(rates[index], rates[index - 1] * (1 + _LEAST_GAP))
    return Absorption(rates=tuple(rates))


def _smallest_root(product: list[float]) -> float:
    """Return the least rate of a product of (1 + s / rate), by Newton's steps from below it: none goes beyond."""
    rate = 1 / product[1]
    for __ in range(_NEWTON_STEPS):
        value = slope = 0.0
        for coefficient in reversed(product):
            slope = slope * -rate + value
            value = value * -rate + coefficient
        change = value / slope
        rate += change
        if abs(change) <= _EXACT * rate:
            break
    return rate


# The window shows a risk in several places, and reports ask again: the chains of a vdev are solved once.
@lru_cache(maxsize=1 << 11)
def time_to_loss(hazard: VdevHazard) -> Absorption:
    """Return when a new, healthy vdev is lost: more members failed at a time than it tolerates."""
    # Births are failures, deaths are rebuilds: one at a time, as resilver_defer lets only one run.
    births = tuple([hazard.failing(u) for u in range(hazard.tolerated + 1)])
    return absorption(births, hazard.repairs_per_hour)


@lru_cache(maxsize=1 << 11)
def time_to_damage(hazard: VdevHazard) -> Absorption:
    """Return when a vdev first loses data: lost as a whole, or a block unreadable while there is no redundancy."""
    births = [hazard.failing(u) for u in range(hazard.tolerated + 1)]
    if not hazard.tolerated:
        return absorption((births[0] + hazard.unreadable_per_hour,), ())
    last = hazard.repairs_per_hour[-1]
    births[-1] += last * hazard.unreadable
    return absorption(tuple(births), (*hazard.repairs_per_hour[:-1], last * (1 - hazard.unreadable)))


# What threatens one vdev beside disks that fail by themselves: common causes, and the wrong disk pulled.


def threat_to(spec: VdevSpec, hazard: VdevHazard, repairs: Repairs, causes: OtherCauses, case: int) -> VdevHazard:
    """Return what threatens a vdev for the low (0), typical (1) or high (2) case, of which ``hazard`` is the disks."""
    # Without redundancy the first failure is the loss: bursts and mistakes add nothing to it.
    if not hazard.tolerated:
        return hazard
    rate, others = hazard.failures_per_hour, spec.width - 1
    # Followers within the repair of the first, exponentially spread from its failure on.
    window = repairs.hours(1, rate, case) / causes.burst_hours.at(case)
    follows = causes.burst_reach.at(case) * -expm1(-window)
    first = spec.width * rate * causes.burst_share.at(case)
    mistake, spared = causes.wrong_disk.at(case) * causes.past_mending.at(case), causes.with_spare.at(case)
    by_hand = [prod(repairs.taken(failed, rate)) for failed in range(1, hazard.tolerated + 1)]
    return replace(
        hazard,
        correlation=max(hazard.correlation, causes.correlation.at(case)),
        mistakes=tuple([mistake * (chance + (1 - chance) * spared) for chance in by_hand]),
        bursts_per_hour=first * at_least(hazard.tolerated, others, follows),
    )


def at_least(least: int, trials: int, chance: float) -> float:
    if least > trials:
        return 0.0
    fewer = fsum([comb(trials, hits) * chance**hits * (1 - chance) ** (trials - hits) for hits in range(least)])
    return max(0.0, 1 - fewer)


_CASES = range(3)  # low, typical, high
_ORIGIN = Origin(
    kind=OriginKind.PREDICTED,
    source=N_(
        "Markov chain per vdev, vdevs independent; low and high: the bounds of failure rate, rebuild time and "
        "read errors together, rebuilds side by side or twice the correlation"
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class VdevRisk:
    """The risk of one vdev (of a stripe: of one member) in a pool with hot spares for ``repairs.served_disks`` disks.

    ``hazard`` is the typical case from disk failures, ``to_loss`` its solution, ``log_kept`` the logarithm of a year
    without loss; ``log_kept_of_all`` that with bursts and mistakes too. The rest is worked out when asked for.
    """

    spec: VdevSpec
    drive: FailureRate
    conditions: RiskConditions
    repairs: Repairs
    hazard: VdevHazard
    to_loss: Absorption
    log_kept: float
    log_kept_of_all: float
    # Made when first asked for: a page, a summary and a report ask for several bands of one risk.
    _hazards: dict[bool, tuple[VdevHazard, VdevHazard, VdevHazard]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def hazards(self, *, with_causes: bool) -> tuple[VdevHazard, VdevHazard, VdevHazard]:
        """Return the low, typical and high case: from disk failures, ``with_causes`` also from bursts and mistakes."""
        if with_causes not in self._hazards:
            if with_causes:
                found, causes = self.hazards(with_causes=False), self.conditions.causes
                low, typical, high = (threat_to(self.spec, found[n], self.repairs, causes, n) for n in _CASES)
            else:
                low, high = (_hazard(self.spec, self.conditions, self.repairs, self.drive, case) for case in (0, 2))
                typical = self.hazard
            self._hazards[with_causes] = low, typical, high
        return self._hazards[with_causes]

    @property
    def mttdl_hours(self) -> float | None:
        rates = self.to_loss.rates
        return fsum(1 / rate for rate in rates) if rates[0] > 0 else None

    @property
    def repair(self) -> Estimate | None:
        rebuild = self.repairs.rebuild
        if rebuild is None:
            return None
        hours = [self.repairs.hours(1, self.hazard.failures_per_hour, case) for case in _CASES]
        return banded(hours, rebuild.limit, rebuild.origin)

    @property
    def second_failure(self) -> Estimate | None:
        """Return how likely after a failure another disk fails within `repair`; None where nothing is rebuilt."""
        return self._meanwhile(2)

    @property
    def lost_meanwhile(self) -> Estimate | None:
        return self._meanwhile(self.hazard.tolerated + 1)

    def _meanwhile(self, failed: int) -> Estimate | None:
        hazards, of = self.hazards(with_causes=False), self.repairs.rebuild
        return of and banded([hazard.reaching(failed) for hazard in hazards], of.limit, _ORIGIN)

    @property
    def spare_free(self) -> float:
        return 1 - prod(self.repairs.taken(1, self.hazard.failures_per_hour))


@dataclass(frozen=True, slots=True, kw_only=True)
class Risk:
    """The risk of a pool within a year: ``probability`` of its loss with all that happens, which decides.

    ``disk_probability`` is that from disk failures alone, ``mttdl_hours`` the mean time to it (None: never). ``vdevs``
    holds each kind of vdev with its number; ``spares`` the hot spares counted on, ``pools`` how many are meant.
    ``units`` names the shelves and controllers of several that take the pool with them: each is a cause of its own
    beside that of the whole machine. Bands are worked out when asked for.
    """

    probability: float
    disk_probability: float
    mttdl_hours: float | None
    vdevs: tuple[tuple[VdevRisk, int], ...]
    spares: int
    causes: OtherCauses
    pools: int = 1
    units: frozenset[str] = frozenset()

    @property
    def loss(self) -> Estimate:
        return self._estimate(time_to_loss, with_causes=True)

    @property
    def disk_loss(self) -> Estimate:
        return self._estimate(time_to_loss, with_causes=False)

    @property
    def common_loss(self) -> Estimate:
        """Return the risk that one cause takes more disks of a vdev than it survives, before one is replaced."""
        yearly = [
            sum([vdev.hazards(with_causes=True)[case].bursts_per_hour * count for vdev, count in self.vdevs])
            for case in _CASES
        ]
        return banded([-expm1(-rate * HOURS_PER_YEAR) for rate in yearly], self.loss.limit, CAUSES_ORIGIN)

    @property
    def damage(self) -> Estimate:
        return self._estimate(time_to_damage, with_causes=True)

    @property
    def disk_damage(self) -> Estimate:
        return self._estimate(time_to_damage, with_causes=False)

    def with_units(self, units: Iterable[str]) -> "Risk":
        added = frozenset(units) - self.units
        if not added:
            return self
        lost = loss_with_units(self.probability, len(added), self.causes)
        return replace(self, probability=lost, units=self.units | added)

    @property
    def slowest_rebuild(self) -> Estimate | None:
        known = [hours for vdev, __ in self.vdevs if (hours := vdev.repairs.rebuild) is not None]
        return max(known, key=lambda hours: hours.typical, default=None)

    @property
    def worst(self) -> VdevRisk:
        return min(self.vdevs, key=lambda part: part[0].log_kept_of_all * part[1])[0]

    @property
    def hazards(self) -> tuple[tuple[VdevHazard, int], ...]:
        return tuple((vdev.hazard, count) for vdev, count in self.vdevs)

    def _estimate(self, solve: Callable[[VdevHazard], Absorption], *, with_causes: bool) -> Estimate:
        logs, origin = [0.0, 0.0, 0.0], _ORIGIN
        if with_causes:  # among them what takes all disks at once
            logs, origin = [self.causes.log_spared(case, len(self.units)) for case in _CASES], CAUSES_ORIGIN
        for vdev, count in self.vdevs:
            for case, hazard in enumerate(vdev.hazards(with_causes=with_causes)):
                logs[case] += count * _log_kept(hazard, solve(hazard))
        spec = self.worst.spec
        limit = spec.word if spec.vdev_class is VdevClass.DATA else f"{spec.vdev_class} {spec.word}"
        low, typical, high = (-expm1(log) for log in logs)
        # Faster rebuilds leave a trifle more time for first failures: the band must not turn round for it.
        low, high = min(low, typical), max(typical, high)
        if self.pools > 1:
            origin = replace(
                origin,
                source=_(
                    "any of {pools} pools, taken as independent; {source}", pools=self.pools, source=origin.source
                ),
            )
        return banded((low, typical, high), limit, origin)


def loss_with_units(probability: float, units: int, causes: OtherCauses) -> float:
    return -expm1(log1p(-min(probability, 1 - 1e-16)) + units * causes.log_unit(1)) if units else probability


def joined(risks: Sequence[Risk], *, pools: int = 1) -> Risk:
    # What threatens the whole machine counts once. The rest is taken as independent, an upper bound where disks are
    # shared.
    if len(risks) == 1:
        return risks[0]
    rates = [1 / risk.mttdl_hours for risk in risks if risk.mttdl_hours]
    return _of_parts(
        tuple(part for risk in risks for part in risk.vdevs),
        risks[0].causes,
        mttdl_hours=1 / sum(rates) if rates else None,
        spares=max(risk.spares for risk in risks),
        pools=pools,
        units=frozenset[str]().union(*(risk.units for risk in risks)),
    )


def yearly_loss(layout: Layout, conditions: RiskConditions) -> Risk:
    runs = [(spec, own, len(tuple(same))) for (spec, own), same in groupby(conditions.by_vdev(layout))]
    losing = [run for run in runs if run[0].vdev_class in HOLDS_THE_POOL]
    if not any(spec.vdev_class is VdevClass.DATA for spec, *__ in losing):
        raise Refusal(_("A pool needs a data vdev"))
    spares = [size for spec, __, count in runs if spec.vdev_class is VdevClass.SPARE for size in spec.sizes * count]
    served = sum([spec.width * count for spec, __, count in losing])
    parts = []
    for spec, own, count in losing:
        # A spare that is smaller than the members cannot take over.
        usable = sum([size >= min(spec.sizes) for size in spares]) if own.spares is None else own.spares
        # More spares than a vdev can lose disks change its risk by almost nothing.
        # The key of what is remembered stays small that way.
        usable = min(usable, spec.failures_survived)
        # A stripe of N stands for N vdevs of one member.
        tops = count * spec.width if spec.kind is VdevKind.STRIPE else count
        parts.append((assess_vdev(spec, own, usable, shared_by(served) if usable else 0), tops))
    if len(parts) == 1 and parts[0][1] == 1:
        hours = parts[0][0].mttdl_hours
    else:
        # The first of independent slow exponentials; the hours in which a new vdev is safer are in the amplitude.
        slow = sum([number * vdev.to_loss.rates[0] for vdev, number in parts])
        amplitude = sum([number * vdev.to_loss.log_amplitude for vdev, number in parts])
        hours = exp(amplitude) / slow if slow > 0 else None
    hot = len(spares) if conditions.spares is None else conditions.spares
    return _of_parts(tuple(parts), conditions.causes, mttdl_hours=hours, spares=hot)


def _of_parts(
    parts: tuple[tuple[VdevRisk, int], ...],
    causes: OtherCauses,
    *,
    mttdl_hours: float | None,
    spares: int,
    pools: int = 1,
    units: frozenset[str] = frozenset(),
) -> Risk:
    logs = sum([count * vdev.log_kept_of_all for vdev, count in parts])
    return Risk(
        probability=-expm1(logs + causes.log_spared(1, len(units))),
        disk_probability=-expm1(sum([count * vdev.log_kept for vdev, count in parts])),
        mttdl_hours=mttdl_hours,
        vdevs=parts,
        spares=spares,
        causes=causes,
        pools=pools,
        units=units,
    )


# Whoever changes one vdev of a pool asks about the others again.
@per_language
@lru_cache(maxsize=1 << 11)
def assess_vdev(spec: VdevSpec, conditions: RiskConditions, spares: int = 0, served_disks: int = 0) -> VdevRisk:
    drive = conditions.drive if spec.vdev_class is VdevClass.DATA else conditions.support_drive or conditions.drive
    how, typed = conditions.rebuild_of(spec), conditions.rebuild_hours
    distributed = spec.draid_spares if spec.kind is VdevKind.DRAID else 0
    onto_disk = rebuild_hours(spec, how)
    rebuild = rebuild_hours(spec, how, onto_spare=True) if distributed else onto_disk
    if typed is not None and onto_disk is not None:
        origin = Origin(kind=OriginKind.TYPED, source=_("{typed:g} hours entered", typed=typed))
        onto_disk = rebuild = banded((typed,) * 3, "entered", origin)
    repairs = Repairs(
        onto_disk=onto_disk,
        rebuild=rebuild,
        spare_wait_hours=min(conditions.spare_hours, conditions.wait_hours),
        wait_hours=conditions.wait_hours,
        distributed=distributed,
        width=spec.width,
        hot=spares,
        served_disks=served_disks,
    )
    hazard = _hazard(spec, conditions, repairs, drive, 1)
    to_loss = time_to_loss(hazard)
    threat = threat_to(spec, hazard, repairs, conditions.causes, 1)
    return VdevRisk(
        spec=spec,
        drive=drive,
        conditions=conditions,
        repairs=repairs,
        hazard=hazard,
        to_loss=to_loss,
        log_kept=_log_kept(hazard, to_loss),
        log_kept_of_all=_log_kept(threat, time_to_loss(threat)),
    )


def _log_kept(hazard: VdevHazard, event: Absorption) -> float:
    """Return the logarithm of the probability of a year without that event, and without a burst."""
    return log1p(-min(event.probability(HOURS_PER_YEAR), 1 - 1e-16)) - hazard.bursts_per_hour * HOURS_PER_YEAR


def _hazard(spec: VdevSpec, conditions: RiskConditions, repairs: Repairs, drive: FailureRate, case: int) -> VdevHazard:
    how, rate = conditions.rebuild_of(spec), band_of(drive)[case] / 100 / HOURS_PER_YEAR
    per_bit = conditions.errors_per_bit(spec, low=case == 0)
    # A rebuild reads what is in use, not whole disks: an emptier pool meets fewer unreadable sectors. These are the
    # bits that must all be readable when no redundancy is left.
    critical = 8 * used_on_disk_bytes(spec, how)
    if repairs.onto_disk is None:
        yearly_bits = critical * FULL_READS_PER_YEAR
        return VdevHazard(
            disks=1 if spec.kind is VdevKind.STRIPE else spec.width,
            tolerated=0,
            failures_per_hour=rate,
            unreadable_per_hour=yearly_bits * per_bit / HOURS_PER_YEAR,
        )
    if spec.kind is VdevKind.RAIDZ:
        critical = critical * (spec.width - spec.parity)
    elif spec.kind is VdevKind.DRAID:
        # Only the dRAID groups that hold all failed disks are without redundancy: that share of the rows.
        group, share, active = spec.group_data + spec.parity, 1.0, spec.width - spec.draid_spares
        for k in range(spec.parity):
            share *= (group - k) / (active - k)
        critical = critical * (active - spec.parity) * share
    tolerated = min(spec.failures_survived, MOST_TOLERATED)
    levels = range(1, tolerated + 1)
    # Low end: rebuilds that run side by side, which also is what rebuilds of constant length amount to.
    side_by_side = case == 0
    # Chains have no memory, so a mean repair time stands for its distribution; the band covers the difference.
    per_hour = tuple([(u if side_by_side else 1) / repairs.hours(u, rate, case) for u in levels])
    return VdevHazard(
        disks=min(spec.width, MOST_TOLERATED + 1) if spec.kind is VdevKind.MIRROR else spec.width,
        tolerated=tolerated,
        failures_per_hour=rate,
        correlation=conditions.correlation * (BATCH_CORRELATION if case == 2 else 1.0),
        repairs_per_hour=per_hour,
        unreadable=-expm1(-per_bit * critical),
    )
