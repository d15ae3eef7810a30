"""Everything that is predicted of one pool: speed, rebuild, scrub, risk. Quick for ranking, whole for showing."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from poolwright.domain.disk import Disk
from poolwright.domain.estimate import Estimate
from poolwright.domain.host import Host
from poolwright.domain.vdev import Layout, VdevKind, VdevSpec
from poolwright.domain.version import DEFAULT_VERSION, ZfsVersion
from poolwright.domain.workload import Workload
from poolwright.predict.caps import host_caps
from poolwright.predict.circumstances import DEFAULT_LOG, Circumstances, circumstances
from poolwright.predict.design_rates import rates_of_disks
from poolwright.predict.disk_conditions import mean_rate, rebuild_conditions
from poolwright.predict.drives import DriveBook
from poolwright.predict.groups import Groups, groups_of, log_vdevs
from poolwright.predict.of_pools import any_loss
from poolwright.predict.records import load_for
from poolwright.predict.reliability import Risk, RiskModel, yearly_loss
from poolwright.predict.risk_conditions import RiskConditions
from poolwright.predict.runs import NO_RUNS, Calibration
from poolwright.predict.scrub import layout_scrub_hours
from poolwright.predict.speed import SpeedPrediction, Typical, predict_groups, typical_speed


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """The typical values of a pool: what a ranking of thousands needs.

    ``yearly_loss`` is the probability of losing the pool by whatever cause, ``disk_loss`` that by failures of disks
    alone; ``floor`` is the part of the first that no layout changes: it counts once for all pools of a machine.
    ``rebuild_hours`` is that of the slowest vdev, None where nothing is rebuilt.
    """

    speed: Typical
    yearly_loss: float
    disk_loss: float
    rebuild_hours: float | None
    floor: float = 0.0


def forecast_of_any(forecasts: Sequence[Forecast], share: float, speed: Typical | None = None) -> Forecast:
    """Return the forecast of losing any of several parts, as if independent: an upper bound where disks are shared."""
    floor = forecasts[0].floor
    hours = [f.rebuild_hours for f in forecasts if f.rebuild_hours is not None]
    return Forecast(
        speed=speed or Typical(*(rate * share for rate in forecasts[0].speed)),
        yearly_loss=any_loss([forecast.yearly_loss for forecast in forecasts], floor),
        disk_loss=any_loss([forecast.disk_loss for forecast in forecasts]),
        floor=floor,
        rebuild_hours=max(hours, default=None),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Predictions:
    """Everything predicted of a pool, with bands and origins."""

    speed: SpeedPrediction
    risk: Risk
    rebuild: Estimate | None
    scrub: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """What forecasts of many layouts of the same disks have in common: the risk of vdevs, the speed without spares."""

    risks: RiskModel
    speeds: dict[Groups, Typical] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """What predictions rest on beside the layout: host, kind of disk, load, failure rates.

    ``around`` has the host's network as a limit, ``pool_side`` has not: a ranking by it would see all layouts as equal.
    """

    around: Circumstances
    pool_side: Circumstances
    risk: RiskConditions

    def forecast(self, layout: Layout, known: "Memory") -> Forecast:
        """Return the typical values of one pool of ``layout``, without the network: what the pool itself can do.

        ``known`` remembers vdevs and speeds from layout to layout; the caller keeps it.
        """
        risk = known.risks.risk(layout)
        hours = [vdev.rebuild.typical for vdev, _ in risk.vdevs if vdev.rebuild is not None]
        groups = groups_of(layout)
        speed = known.speeds.get(groups)
        if speed is None:
            speed = known.speeds[groups] = typical_speed(groups, self.pool_side)
        return Forecast(
            speed=speed,
            yearly_loss=risk.probability,
            disk_loss=risk.disk_probability,
            floor=self.floor,
            rebuild_hours=max(hours, default=None),
        )

    @property
    def floor(self) -> float:
        """Return the yearly probability of losing a pool that no layout can fall below."""
        return self.risk.causes.floor(1)

    def memory(self) -> "Memory":
        """Return an empty memory for many forecasts."""
        return Memory(risks=RiskModel(self.risk))

    def itself(self, layout: Layout) -> SpeedPrediction:
        """Return the speeds of one pool of ``layout`` were there no network."""
        return predict_groups(groups_of(layout), self.pool_side, log_devices=len(log_vdevs(layout)))

    def of_stripes(self, disks: int) -> Typical:
        """Return what so many of the disks without redundancy are expected to give on this host, network aside."""
        spec = VdevSpec(kind=VdevKind.STRIPE, sizes=(1,) * max(1, disks))
        return typical_speed(groups_of((spec,)), self.pool_side)

    def predictions(self, layout: Layout) -> Predictions:
        """Return everything predicted of one pool of ``layout``."""
        risk = yearly_loss(layout, self.risk)
        rebuilds = [vdev.rebuild for vdev, _ in risk.vdevs if vdev.rebuild is not None]
        return Predictions(
            speed=predict_groups(groups_of(layout), self.around, log_devices=len(log_vdevs(layout))),
            risk=risk,
            rebuild=max(rebuilds, key=lambda e: e.typical, default=None),
            scrub=layout_scrub_hours(layout, self.risk.rebuild),
        )


def outlook_for(
    disks: Sequence[Disk],
    *,
    workload: Workload,
    host: Host,
    drives: DriveBook,
    ashift: int,
    version: ZfsVersion = DEFAULT_VERSION,
    calibration: Calibration = NO_RUNS,
) -> Outlook:
    """Return the outlook for pools of ``disks``, which are taken as alike: the slowest media count.

    Unknown media count as hard disks, as in `disk_rates`; the failure rate is the mean of those of the disks, each
    by its model or the fleet's: that of a vdev where ``disks`` are its members. A network told for the workload comes
    before that of the host.
    """
    load, rates = load_for(workload, version), rates_of_disks(disks)
    caps = host_caps(host, version, disks)
    if workload.network_bytes_per_second is not None:
        caps = replace(caps, network_bytes_per_second=float(workload.network_bytes_per_second))
    without_network = replace(caps, network_bytes_per_second=None)
    return Outlook(
        around=circumstances(caps, rates, DEFAULT_LOG, load, calibration),
        pool_side=circumstances(without_network, rates, DEFAULT_LOG, load, calibration),
        risk=risk_for(disks, workload=workload, drives=drives, ashift=ashift, version=version),
    )


def risk_for(
    disks: Sequence[Disk], *, workload: Workload, drives: DriveBook, ashift: int, version: ZfsVersion = DEFAULT_VERSION
) -> RiskConditions:
    """Return how vdevs of ``disks`` fail and are rebuilt, as in `outlook_for`."""
    rebuild = rebuild_conditions(disks, ashift=ashift, version=version)
    rebuild = replace(rebuild, record_bytes=load_for(workload, version).record_bytes)
    return RiskConditions(drive=mean_rate(disks, drives), rebuild=rebuild, causes=drives.causes)
