"""What a ranking needs of thousands of layouts of the same disks: typical values without bands."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from poolwright.domain.disk import Disk
from poolwright.domain.host import Host
from poolwright.domain.vdev import Layout, VdevKind, VdevSpec
from poolwright.domain.version import DEFAULT_VERSION, ZfsVersion
from poolwright.domain.workload import Workload
from poolwright.predict.assessment import Assessment
from poolwright.predict.assumptions import DEFAULT_LOG, Circumstances, circumstances, load_for, rates_of_disks
from poolwright.predict.drives import DriveBook
from poolwright.predict.groups import Groups, any_loss, groups_of, log_vdevs, longest
from poolwright.predict.media import host_caps
from poolwright.predict.rebuild import layout_scrub_hours
from poolwright.predict.reliability import RiskModel, joined, yearly_loss
from poolwright.predict.risk_conditions import RiskConditions, mean_rate, rebuild_conditions
from poolwright.predict.runs import NO_RUNS, Calibration
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


def together(pools: Sequence[Assessment], *, shared: bool) -> Forecast:
    """Return the typical values of all pools of a design as one, without the network: what wishes are held against.

    Rates add up, unless the pools lie on the same disks (``shared``), where that of the first while the others rest
    counts; there one pool is rebuilt after the other.
    """
    risk = joined([pool.risk for pool in pools], pools=len(pools))
    known = [pool.rebuild for pool in pools if pool.rebuild is not None]
    side_by_side = pools[:1] if shared else pools
    return Forecast(
        speed=Typical(*(sum(getattr(pool.itself, name).typical for pool in side_by_side) for name in Typical._fields)),
        yearly_loss=risk.probability,
        disk_loss=risk.disk_probability,
        floor=pools[0].conditions.causes.floor(1),
        rebuild_hours=longest(known, shared=shared).typical if len(known) == len(pools) else None,
    )


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
        groups, slowest = groups_of(layout), risk.slowest_rebuild
        speed = known.speeds.get(groups)
        if speed is None:
            speed = known.speeds[groups] = typical_speed(groups, self.pool_side)
        return Forecast(
            speed=speed,
            yearly_loss=risk.probability,
            disk_loss=risk.disk_probability,
            floor=self.floor,
            rebuild_hours=None if slowest is None else slowest.typical,
        )

    @property
    def floor(self) -> float:
        return self.risk.causes.floor(1)

    def memory(self) -> "Memory":
        return Memory(risks=RiskModel(self.risk))

    def itself(self, layout: Layout) -> SpeedPrediction:
        return predict_groups(groups_of(layout), self.pool_side, log_devices=len(log_vdevs(layout)))

    def of_stripes(self, disks: int) -> Typical:
        """Return what so many of the disks without redundancy are expected to give on this host, network aside."""
        spec = VdevSpec(kind=VdevKind.STRIPE, sizes=(1,) * max(1, disks))
        return typical_speed(groups_of((spec,)), self.pool_side)

    def assess(self, layout: Layout) -> Assessment:
        risk = yearly_loss(layout, self.risk)
        return Assessment(
            layout=layout,
            speed=predict_groups(groups_of(layout), self.around, log_devices=len(log_vdevs(layout))),
            itself=self.itself(layout),
            risk=risk,
            rebuild=risk.slowest_rebuild,
            scrub=layout_scrub_hours(layout, self.risk.rebuild),
            host=self.around.host,
            disks=self.around.disks,
            load=self.around.load,
            conditions=self.risk,
            model_rate=self.risk.drive,
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

    Unknown media count as hard disks, as in `disk_rates`; the failure rate is the mean of those of the disks, each by
    its model or the fleet's: that of a vdev where ``disks`` are its members.
    """
    # A network told for the workload comes before that of the host.
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
    rebuild = rebuild_conditions(disks, ashift=ashift, version=version)
    rebuild = replace(rebuild, record_bytes=load_for(workload, version).record_bytes)
    return RiskConditions(drive=mean_rate(disks, drives), rebuild=rebuild, causes=drives.causes)
