"""The yearly probability of losing a pool, and of losing any data at all.

Loss: more members of one data, special or dedup vdev have failed at a time than it tolerates; the pool is gone. A lost
log or cache device does not lose the pool, a spare holds no data. Damage: loss, or a block that could not be read while
nothing was left to rebuild it from. ZFS then names the damaged files and keeps the pool: its own metadata lie there two
or three times.

Each vdev is a birth-death chain (hazard.py, markov.py), vdevs fail independently. One rebuild runs at a time in a vdev
(`resilver_defer`, OpenZFS 0.8). Its mean length is the wait for a disk to rebuild onto plus the rebuild.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from math import exp, expm1, factorial, fsum, isinf, log1p

from poolwright.domain.errors import Refusal
from poolwright.domain.estimate import Estimate
from poolwright.domain.origin import Origin, OriginKind
from poolwright.domain.vdev import Layout, VdevClass, VdevKind, VdevSpec
from poolwright.predict.drives import FailureRate
from poolwright.predict.hazard import HOURS_PER_YEAR, MOST_TOLERATED, VdevHazard
from poolwright.predict.markov import Absorption, time_to_damage, time_to_loss
from poolwright.predict.rebuild import RebuildConditions, rebuild_hours, used_on_disk_bytes
from poolwright.predict.risk_conditions import (
    BATCH_CORRELATION,
    FULL_READS_PER_YEAR,
    RiskConditions,
)

LOSING_CLASSES = (VdevClass.DATA, VdevClass.SPECIAL, VdevClass.DEDUP)
_CASES = range(3)  # low, typical, high
_ORIGIN = Origin(
    kind=OriginKind.PREDICTED,
    source="continuous-time Markov chain per vdev, vdevs independent; low and high: the bounds of failure rate, "
    "rebuild time and read errors together, low with rebuilds side by side, high with twice the correlation",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Repairs:
    """How a vdev gets a failed member back.

    ``onto_disk`` and ``onto_spare`` are the hours of a rebuild onto a whole disk and onto a spare, None where there is
    nothing to rebuild from. ``distributed`` spares serve this vdev of ``width`` members, ``hot`` spares all
    ``served_disks`` of the pool. A spare is free again when the failed disk has been replaced.
    """

    onto_disk: Estimate | None
    onto_spare: Estimate | None
    spare_wait_hours: float
    wait_hours: float
    distributed: int
    width: int
    hot: int
    served_disks: int

    def taken(self, failed: int, rate: float) -> tuple[float, float]:
        """Return the probabilities that no distributed and no hot spare is free for the failure number ``failed``.

        ``rate`` is the failures of one disk per hour; the disks that wait for replacement are taken as Poisson.
        """
        distributed = _poisson_tail(self.width * rate * self.wait_hours, self.distributed - (failed - 1))
        before = max(0, failed - 1 - self.distributed)
        return distributed, _poisson_tail(self.served_disks * rate * self.wait_hours, self.hot - before)

    def hours(self, failed: int, rate: float, case: int) -> float:
        """Return the mean hours until one of ``failed`` members is whole again; ``case`` is low, typical or high."""
        assert self.onto_disk is not None
        assert self.onto_spare is not None
        distributed, hot = self.taken(failed, rate)
        disk, spare = _pick(self.onto_disk, case), _pick(self.onto_spare, case)
        onto_disk = (1 - hot) * (self.spare_wait_hours + disk) + hot * (self.wait_hours + disk)
        return (1 - distributed) * (self.spare_wait_hours + spare) + distributed * onto_disk


def _pick(estimate: Estimate, case: int) -> float:
    return (estimate.low, estimate.typical, estimate.high)[case]


@dataclass(frozen=True, slots=True, kw_only=True)
class VdevRisk:
    """The risk of one vdev (of a stripe: of one member) in a pool with hot spares for ``repairs.served_disks`` disks.

    ``hazard`` is the typical case, ``to_loss`` its solution, ``log_kept`` the logarithm of a year without loss.
    The rest is worked out when asked for.
    """

    spec: VdevSpec
    drive: FailureRate
    conditions: RiskConditions
    repairs: Repairs
    hazard: VdevHazard
    to_loss: Absorption
    log_kept: float

    @property
    def hazards(self) -> tuple[VdevHazard, VdevHazard, VdevHazard]:
        """Return what the chain is solved for: low, typical, high."""
        low, high = (
            _hazard(self.spec, self.conditions, self.repairs, _rate(self.drive, case), case) for case in (0, 2)
        )
        return low, self.hazard, high

    @property
    def mttdl_hours(self) -> float | None:
        """Return the mean time to the loss of this one vdev; None when its disks never fail."""
        mean = self.to_loss.mean_hours
        return None if isinf(mean) else mean

    @property
    def rebuild(self) -> Estimate | None:
        """Return the hours of the rebuild alone; None where there is nothing to rebuild from."""
        return self.repairs.onto_spare

    @property
    def repair(self) -> Estimate | None:
        """Return the hours from a first failure to full redundancy, the wait for a disk included."""
        rebuild = self.rebuild
        if rebuild is None:
            return None
        low, typical, high = (self.repairs.hours(1, self.hazard.failures_per_hour, case) for case in _CASES)
        return Estimate(low=low, typical=typical, high=high, limit=rebuild.limit, origin=rebuild.origin)

    @property
    def spare_free(self) -> float:
        """Return the probability that a spare is free when a first disk fails."""
        distributed, hot = self.repairs.taken(1, self.hazard.failures_per_hour)
        return 1 - distributed * hot


@dataclass(frozen=True, slots=True, kw_only=True)
class Risk:
    """The risk of a pool: ``probability`` of its loss within a year, and the mean hours to it (None: never).

    ``vdevs`` holds each kind of vdev with its number; ``spares`` the hot spares counted on. The bands are worked out
    when asked for.
    """

    probability: float
    mttdl_hours: float | None
    vdevs: tuple[tuple[VdevRisk, int], ...]
    spares: int

    @property
    def loss(self) -> Estimate:
        """Return the probability of losing the pool within a year."""
        return self._estimate(time_to_loss)

    @property
    def damage(self) -> Estimate:
        """Return the probability of losing the pool or any block of data within a year."""
        return self._estimate(time_to_damage)

    @property
    def worst(self) -> VdevRisk:
        """Return the kind of vdev that contributes most to the loss."""
        return min(self.vdevs, key=lambda part: part[0].log_kept * part[1])[0]

    @property
    def hazards(self) -> tuple[tuple[VdevHazard, int], ...]:
        """Return the typical case of every vdev: what a simulation plays."""
        return tuple((vdev.hazard, count) for vdev, count in self.vdevs)

    def _estimate(self, solve: Callable[[VdevHazard], Absorption]) -> Estimate:
        logs = [0.0, 0.0, 0.0]
        for vdev, count in self.vdevs:
            for case, hazard in enumerate(vdev.hazards):
                logs[case] += count * _log_without(solve(hazard))
        spec = self.worst.spec
        limit = spec.word if spec.vdev_class is VdevClass.DATA else f"{spec.vdev_class} {spec.word}"
        low, typical, high = (-expm1(log) for log in logs)
        # Faster rebuilds leave a trifle more time for first failures: the band must not turn round for it.
        low, high = min(low, typical), max(typical, high)
        return Estimate(low=low, typical=typical, high=high, limit=limit, origin=_ORIGIN)


def yearly_loss(layout: Layout, conditions: RiskConditions) -> Risk:
    """Return the risk of a pool of ``layout``; raises Refusal when it has no data vdev.

    What is known of a vdev is kept: layouts of the same shapes under the same conditions cost microseconds.
    """
    return _model(conditions).risk(layout)


@lru_cache(maxsize=64)
def _model(conditions: RiskConditions) -> "RiskModel":
    return RiskModel(conditions)


class RiskModel:
    """Knows the risk of every vdev it has seen under the same conditions.

    ``served_step`` rounds up the number of disks that share the hot spares: a ranking of thousands of layouts then
    meets the same vdev again, and errs by less than the band.
    """

    def __init__(self, conditions: RiskConditions, *, served_step: int = 1) -> None:
        self.conditions = conditions
        self._served_step = served_step
        self._known: dict[tuple[VdevSpec, int, int], VdevRisk] = {}

    def risk(self, layout: Layout) -> Risk:
        """Return the risk of a pool; raises Refusal when it has no data vdev."""
        runs = [(spec, len(tuple(same))) for spec, same in groupby(layout)]
        losing = [(spec, count) for spec, count in runs if spec.vdev_class in LOSING_CLASSES]
        if not any(spec.vdev_class is VdevClass.DATA for spec, _ in losing):
            raise Refusal("A pool needs a data vdev", reasons=("without one there is nothing to lose",))
        spares = [size for spec, count in runs if spec.vdev_class is VdevClass.SPARE for size in spec.sizes * count]
        served = sum([spec.width * count for spec, count in losing])
        # A stripe of N stands for N vdevs of one member.
        parts = tuple(
            [
                (self._vdev(spec, spares, served), count * spec.width if spec.kind is VdevKind.STRIPE else count)
                for spec, count in losing
            ]
        )
        kept = sum([count * vdev.log_kept for vdev, count in parts])
        typed = self.conditions.spares
        return Risk(
            probability=-expm1(kept),
            mttdl_hours=_mttdl(parts),
            vdevs=parts,
            spares=len(spares) if typed is None else typed,
        )

    def _vdev(self, spec: VdevSpec, spare_sizes: list[int], served: int) -> VdevRisk:
        usable = self.conditions.spares
        if usable is None:
            # A spare that is smaller than the members cannot take over.
            least = min(spec.sizes)
            usable = sum([size >= least for size in spare_sizes])
        key = (spec, usable, -(-served // self._served_step) * self._served_step if usable else 0)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = assess_vdev(spec, self.conditions, spares=usable, served_disks=key[2])
        return found


def _mttdl(parts: tuple[tuple[VdevRisk, int], ...]) -> float | None:
    if len(parts) == 1 and parts[0][1] == 1:
        return parts[0][0].mttdl_hours
    # The first of independent slow exponentials; the hours in which a new vdev is safer are in the amplitude.
    slow = sum([count * vdev.to_loss.slow_rate for vdev, count in parts])
    amplitude = sum([count * vdev.to_loss.log_amplitude for vdev, count in parts])
    return exp(amplitude) / slow if slow > 0 else None


def assess_vdev(spec: VdevSpec, conditions: RiskConditions, *, spares: int = 0, served_disks: int = 0) -> VdevRisk:
    """Return the risk of one vdev whose pool has ``spares`` hot spares for ``served_disks`` disks."""
    drive = conditions.drive_of(spec)
    repairs = _repairs(spec, conditions, spares, served_disks)
    hazard = _hazard(spec, conditions, repairs, _rate(drive, 1), 1)
    to_loss = time_to_loss(hazard)
    return VdevRisk(
        spec=spec,
        drive=drive,
        conditions=conditions,
        repairs=repairs,
        hazard=hazard,
        to_loss=to_loss,
        log_kept=_log_without(to_loss),
    )


def _log_without(event: Absorption) -> float:
    return log1p(-min(event.probability(HOURS_PER_YEAR), 1 - 1e-16))


def _rate(drive: FailureRate, case: int) -> float:
    return (drive.low, drive.typical, drive.high)[case] / 100 / HOURS_PER_YEAR


def _repairs(spec: VdevSpec, conditions: RiskConditions, spares: int, served: int) -> Repairs:
    how = conditions.rebuild_of(spec)
    distributed = spec.draid_spares if spec.kind is VdevKind.DRAID else 0
    onto_disk = rebuild_hours(spec, how)
    onto_spare = rebuild_hours(spec, how, onto_spare=True) if distributed else onto_disk
    typed = conditions.rebuild_hours
    if typed is not None and onto_disk is not None:
        origin = Origin(kind=OriginKind.TYPED, source=f"{typed:g} hours entered")
        onto_disk = onto_spare = Estimate(low=typed, typical=typed, high=typed, limit="entered", origin=origin)
    return Repairs(
        onto_disk=onto_disk,
        onto_spare=onto_spare,
        spare_wait_hours=conditions.spare_wait_hours,
        wait_hours=conditions.wait_hours,
        distributed=distributed,
        width=spec.width,
        hot=spares,
        served_disks=served,
    )


@lru_cache(maxsize=4096)
def _poisson_tail(mean: float, least: int) -> float:
    """Return the probability that a Poisson variable is at least ``least``."""
    if least <= 0:
        return 1.0
    if mean <= 0:
        return 0.0
    return max(0.0, 1 - exp(-mean) * fsum([mean**k / factorial(k) for k in range(min(least, 150))]))


def _hazard(spec: VdevSpec, conditions: RiskConditions, repairs: Repairs, rate: float, case: int) -> VdevHazard:
    how = conditions.rebuild_of(spec)
    per_bit = conditions.errors_per_bit(spec, low=case == 0)
    if repairs.onto_disk is None:
        yearly_bits = 8 * used_on_disk_bytes(spec, how) * FULL_READS_PER_YEAR
        return VdevHazard(
            disks=1 if spec.kind is VdevKind.STRIPE else spec.width,
            tolerated=0,
            failures_per_hour=rate,
            unreadable_per_hour=yearly_bits * per_bit / HOURS_PER_YEAR,
        )
    tolerated = min(spec.failures_survived, MOST_TOLERATED)
    levels = range(1, tolerated + 1)
    # Low end: rebuilds that run side by side, which also is what rebuilds of constant length amount to.
    side_by_side = case == 0
    per_hour = tuple([(u if side_by_side else 1) / repairs.hours(u, rate, case) for u in levels])
    return VdevHazard(
        disks=min(spec.width, MOST_TOLERATED + 1) if spec.kind is VdevKind.MIRROR else spec.width,
        tolerated=tolerated,
        failures_per_hour=rate,
        correlation=conditions.correlation * (BATCH_CORRELATION if case == 2 else 1.0),
        repairs_per_hour=per_hour,
        unreadable=-expm1(-per_bit * _critical_bits(spec, how)),
    )


def _critical_bits(spec: VdevSpec, how: RebuildConditions) -> float:
    """Return the bits that must all be readable for a rebuild when no redundancy is left."""
    used = 8 * used_on_disk_bytes(spec, how)
    if spec.kind is VdevKind.MIRROR:
        return used
    if spec.kind is VdevKind.RAIDZ:
        return used * (spec.width - spec.parity)
    # Only the dRAID groups that hold all failed disks are without redundancy: that share of the rows.
    group, share = spec.group_data + spec.parity, 1.0
    active = spec.width - spec.draid_spares
    for k in range(spec.parity):
        share *= (group - k) / (active - k)
    return used * (active - spec.parity) * share
