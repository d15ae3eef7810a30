"""Typical predictions of thousands of pools: each vdev is assessed once, a pool is a sum. `Outlook.forecast`, fast."""

from collections.abc import Sequence
from dataclasses import replace
from math import expm1

from poolwright.domain.vdev import VdevKind, VdevSpec
from poolwright.predict.groups import Groups, VdevGroup, groups_of
from poolwright.predict.outlook import Forecast, Outlook
from poolwright.predict.reliability import assess_vdev
from poolwright.predict.repairs import shared_by
from poolwright.predict.speed import Typical, typical_speed

Counted = Sequence[tuple[VdevSpec, int]]  # vdevs with their number
Spares = Sequence[tuple[int, int]]  # sizes of hot spares with their number


# What the risk of a vdev depends on beside the conditions: its kind, members and the smallest of them; spares.
_Key = tuple[VdevKind, int, int, int, int, int, int, int]
# The logarithms of a year without loss by whatever cause and by failures of disks alone; the hours of a rebuild.
Risks = dict[_Key, tuple[float, float, float | None]]


class Forecaster:
    """Forecasts pools under one outlook. The number of disks that share the spares is rounded up.

    ``risks`` are those known of the same conditions.
    """

    def __init__(self, outlook: Outlook, risks: Risks | None = None) -> None:
        self.outlook = outlook
        self._risks: Risks = {} if risks is None else risks
        self._spared, self._floor = outlook.risk.causes.log_spared(1), outlook.floor
        self._groups: dict[int, tuple[VdevSpec, VdevGroup, int, int]] = {}
        self._speeds: dict[tuple[tuple[VdevGroup, int], ...], Typical] = {}

    def forecast(self, runs: Counted, spares: Spares) -> Forecast:
        """Return the typical values of a pool of these data vdevs."""
        counted: dict[VdevGroup, int] = {}
        served, kept, from_disks, hours = 0, self._spared, 0.0, None
        known = [self._known(spec) for spec, _ in runs]
        for (spec, count), (_, group, tops, _) in zip(runs, known, strict=True):
            served += spec.width * count
            counted[group] = counted.get(group, 0) + tops * count
        rounded = shared_by(served)
        for (spec, count), (_, _, tops, least) in zip(runs, known, strict=True):
            # More spares than a vdev can lose disks change its risk by almost nothing.
            usable = min(sum([n for size, n in spares if size >= least]), spec.failures_survived) if spares else 0
            whole, alone, rebuild = self._risk(spec, least, usable, rounded if usable else 0)
            kept += whole * tops * count
            from_disks += alone * tops * count
            if rebuild is not None and (hours is None or rebuild > hours):
                hours = rebuild
        return Forecast(
            speed=self._speed(tuple(counted.items())),
            yearly_loss=-expm1(kept),
            disk_loss=-expm1(from_disks),
            floor=self._floor,
            rebuild_hours=hours,
        )

    def rebuild_hours(self, runs: Counted) -> float:
        """Return the hours of the slowest rebuild of a member, 0 where nothing is rebuilt."""
        hours = [self._risk(spec, self._known(spec)[3], 0, 0)[2] for spec, _ in runs]
        return max((known for known in hours if known is not None), default=0.0)

    def _known(self, spec: VdevSpec) -> tuple[VdevSpec, VdevGroup, int, int]:
        """Return a vdev (held, so that its identity stays its own), its group, its top-level vdevs, its least size."""
        found = self._groups.get(id(spec))
        if found is None:
            (group,) = groups_of((spec,))
            tops = spec.width if spec.kind is VdevKind.STRIPE else 1
            found = self._groups[id(spec)] = (spec, replace(group, count=1), tops, min(spec.sizes))
        return found

    def _risk(self, spec: VdevSpec, least: int, spares: int, served: int) -> tuple[float, float, float | None]:
        data = spec.group_data if spec.kind is VdevKind.DRAID else 0
        key = (spec.kind, spec.parity, len(spec.sizes), least, data, spec.draid_spares, spares, served)
        found = self._risks.get(key)
        if found is None:
            risk = assess_vdev(spec, self.outlook.risk, spares=spares, served_disks=served)
            rebuild = None if risk.rebuild is None else risk.rebuild.typical
            found = self._risks[key] = (risk.log_kept_of_all, risk.log_kept, rebuild)
        return found

    def _speed(self, counted: tuple[tuple[VdevGroup, int], ...]) -> Typical:
        found = self._speeds.get(counted)
        if found is None:
            groups: Groups = tuple([replace(group, count=count) for group, count in counted])
            found = self._speeds[counted] = typical_speed(groups, self.outlook.pool_side)
        return found
