"""Typical predictions of thousands of pools: each vdev is assessed once, a pool is a sum. `Outlook.forecast`, fast."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from math import expm1

from poolwright.domain.vdev import VdevKind, VdevSpec
from poolwright.predict.assumptions import Circumstances
from poolwright.predict.groups import Groups, VdevGroup, groups_of
from poolwright.predict.outlook import Forecast, Outlook
from poolwright.predict.reliability import assess_vdev
from poolwright.predict.risk_conditions import MemberConditions, RiskConditions, shared_by
from poolwright.predict.speed import Typical, typical_speed
from poolwright.texts import told_once

Counted = Sequence[tuple[VdevSpec, int]]  # vdevs with their number
Spares = Sequence[tuple[int, int]]  # sizes of hot spares with their number

# What the risk of a vdev depends on beside the conditions: its kind, members, the smallest of them and of the disks on
# which they are slices; spares.
_Key = tuple[VdevKind, int, int, int, int | None, int, int, int, int]
# The logarithms of a year without loss by whatever cause and by failures of disks alone; the hours of a rebuild.
_Risks = dict[_Key, tuple[float, float, float | None]]
# What the speed of a vdev depends on: kind, parity, members, data disks of a group, distributed spares.
_Sort = tuple[VdevKind, int, int, int, int]
_Counted = tuple[tuple[_Sort, int], ...]
# A vdev with its sort, its top-level vdevs, its least member and the failures it survives.
_Known = tuple[VdevSpec, _Sort, int, int, int]


# Conditions that are remembered at once: each mix of kinds of disks has its own, and each share of time for a rebuild.
@told_once
@lru_cache(maxsize=256)
def _risks_under(_: RiskConditions) -> _Risks:
    """Return the memory of risks under these conditions: whoever changes a wish asks about the same vdevs again."""
    return {}


class KnownRisks:
    """What is known of the risk of vdevs under the same conditions: those of their members."""

    __slots__ = ("conditions", "members", "risks")

    def __init__(self, conditions: RiskConditions) -> None:
        self.conditions = conditions
        self.members = MemberConditions(drive=conditions.drive, rebuild=conditions.rebuild)
        self.risks = _risks_under(conditions)


@told_once
@lru_cache(maxsize=256)
def _speeds_under(_: Circumstances) -> dict[_Counted, Typical]:
    return {}


class Forecaster:
    """Forecasts pools under one outlook. The number of disks that share the spares is rounded up.

    What was worked out under equal conditions is remembered from one request to the next.
    """

    def __init__(self, outlook: Outlook) -> None:
        self.outlook = outlook
        self._own = KnownRisks(outlook.risk)
        self._spared, self._floor = outlook.risk.causes.log_spared(1), outlook.floor
        self._known_specs: dict[int, _Known] = {}
        self._speeds = _speeds_under(outlook.pool_side)

    def forecast(self, runs: Counted, spares: Spares, of: Sequence[KnownRisks] | None = None) -> Forecast:
        """Return the typical values of a pool of these data vdevs.

        ``of`` is for each of the runs what holds for its members, where they are not like all of the outlook.
        """
        counted: dict[_Sort, int] = {}
        served, kept, from_disks, hours = 0, self._spared, 0.0, None
        known = [self._known(spec) for spec, _ in runs]
        for (spec, count), (_, sort, tops, _, _) in zip(runs, known, strict=True):
            served += len(spec.sizes) * count
            counted[sort] = counted.get(sort, 0) + tops * count
        rounded = shared_by(served)
        own = (self._own,) * len(known) if of is None else of
        for (spec, count), (_, _, tops, least, survived), under in zip(runs, known, own, strict=True):
            # More spares than a vdev can lose disks change its risk by almost nothing.
            usable = min(sum([n for size, n in spares if size >= least]), survived) if spares else 0
            whole, alone, rebuild = _risk(spec, under, least, usable, rounded if usable else 0)
            kept += whole * tops * count
            from_disks += alone * tops * count
            if rebuild is not None and (hours is None or rebuild > hours):
                hours = rebuild
        return Forecast(
            speed=self._speed(runs, tuple(counted.items())),
            yearly_loss=-expm1(kept),
            disk_loss=-expm1(from_disks),
            floor=self._floor,
            rebuild_hours=hours,
        )

    def rebuild_hours(self, runs: Counted, of: Sequence[KnownRisks] | None = None) -> float:
        """Return the hours of the slowest rebuild of a member, 0 where nothing is rebuilt; ``of`` as in `forecast`."""
        own = (self._own,) * len(runs) if of is None else of
        hours = [_risk(spec, under, self._known(spec)[3])[2] for (spec, _), under in zip(runs, own, strict=True)]
        return max((known for known in hours if known is not None), default=0.0)

    def _known(self, spec: VdevSpec) -> _Known:
        """Return a vdev (held, so that its identity stays its own) with what its pools are told by."""
        found = self._known_specs.get(id(spec))
        if found is None:
            single, members = spec.kind is VdevKind.STRIPE, len(spec.sizes)
            data = spec.group_data if spec.kind is VdevKind.DRAID else 0
            sort = (spec.kind, spec.parity, 1 if single else members, data, spec.draid_spares)
            tops, survived = members if single else 1, spec.failures_survived
            found = self._known_specs[id(spec)] = (spec, sort, tops, min(spec.sizes), survived)
        return found

    def _speed(self, runs: Counted, counted: _Counted) -> Typical:
        found = self._speeds.get(counted)
        if found is None:
            specs = {self._known(spec)[1]: spec for spec, _ in runs}
            groups: Groups = tuple([_group(specs[sort], count) for sort, count in counted])
            found = self._speeds[counted] = typical_speed(groups, self.outlook.pool_side)
        return found


def _risk(
    spec: VdevSpec, under: KnownRisks, least: int, spares: int = 0, served: int = 0
) -> tuple[float, float, float | None]:
    data = spec.group_data if spec.kind is VdevKind.DRAID else 0
    key = (spec.kind, spec.parity, len(spec.sizes), least, spec.disk_bytes, data, spec.draid_spares, spares, served)
    found = under.risks.get(key)
    if found is None:
        risk = assess_vdev(spec, under.conditions, spares=spares, served_disks=served)
        rebuild = None if risk.rebuild is None else risk.rebuild.typical
        found = under.risks[key] = (risk.log_kept_of_all, risk.log_kept, rebuild)
    return found


@lru_cache(maxsize=1 << 11)
def _group(spec: VdevSpec, count: int) -> VdevGroup:
    """Return the group of ``count`` top-level vdevs like ``spec``."""
    (group,) = groups_of((spec,))
    return replace(group, count=count)
