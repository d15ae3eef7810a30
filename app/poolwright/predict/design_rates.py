"""What the machine and the disks of a design can do: the limits of the host, and the rates of one disk."""

from collections.abc import Sequence
from dataclasses import dataclass

from poolwright.domain.design import Design
from poolwright.domain.disk import Disk, Media, slowest
from poolwright.domain.money import Money
from poolwright.domain.units import PLAN_FILL_PERCENT
from poolwright.domain.vdev import VdevClass
from poolwright.predict.circumstances import DEFAULT_LOG
from poolwright.predict.drives import measured_rates
from poolwright.predict.media import DiskRates, HostCaps, disk_rates, host_caps, known_models, usual_make
from poolwright.predict.runs import NO_RUNS, Calibration
from poolwright.rules.profile import all_keep_writes

# What a person said that predictions are made with. Values only, which the window has before it predicts anything.


@dataclass(frozen=True, slots=True, kw_only=True)
class Assumptions:
    """What a person said about machine, disks, use and prices. None: what the design knows, else the model's default.

    Rates are bytes/s, ``fill_percent`` and ``load_percent`` those of a rebuild or scrub, ``growth_percent`` a year.
    ``cost_date`` is the month in which prices and watts were entered.
    """

    fill_percent: int = PLAN_FILL_PERCENT
    load_percent: int = 0
    disk_read: float | None = None
    disk_write: float | None = None
    hba: float | None = None
    network: float | None = None
    cores: int | None = None
    afr_percent: float | None = None
    replace_hours: float | None = None
    correlation: float | None = None
    read_errors_per_bit: float | None = None
    price: Money | None = None
    watts: float | None = None
    kwh_price: Money | None = None
    years: float | None = None
    cooling_factor: float | None = None
    cost_date: str | None = None
    used_bytes: int | None = None
    growth_percent: float | None = None
    calibration: Calibration = NO_RUNS
    runs_name: str = ""


def host_of(design: Design, assumed: Assumptions) -> HostCaps:
    """Return the limits of the host: as said here, else on the workload page, else as read on the machine."""
    known = host_caps(design.host, design.version, data_disks(design))
    told = design.workload.network_bytes_per_second
    network = known.network_bytes_per_second if told is None else float(told)
    return HostCaps(
        hba_bytes_per_second=known.hba_bytes_per_second if assumed.hba is None else assumed.hba,
        network_bytes_per_second=network if assumed.network is None else assumed.network,
        cores=known.cores if assumed.cores is None else assumed.cores,
        vector_parity=known.vector_parity,
    )


def rates_of(design: Design, assumed: Assumptions) -> DiskRates:
    """Return what one disk of the data vdevs gives: the slowest class among them counts."""
    return rates_of_disks(data_disks(design), read=assumed.disk_read, write=assumed.disk_write)


def log_rates_of(design: Design) -> DiskRates:
    """Return what one device of the log vdevs gives; without any, that of a usual one."""
    found = [design.disk(m.disk_key) for v in design.vdevs if v.vdev_class is VdevClass.LOG for m in v.members]
    return rates_of_disks(found) if found else DEFAULT_LOG


def rates_of_disks(
    disks: Sequence[Disk],
    *,
    read: float | None = None,
    write: float | None = None,
    iops: float | None = None,
    media: Media | None = None,
    least_bytes: int | None = None,
) -> DiskRates:
    """Return what one of ``disks`` gives: the slowest class and the slowest measured rate count, and the weakest
    word on power-loss protection. The rest goes before what is known of them; ``least_bytes`` where nothing is.
    """
    measured_read, measured_write = measured_rates(disks)
    size, rpm = usual_make(disks)
    return disk_rates(
        media=media or slowest({disk.media for disk in disks}),
        read_bytes_per_second=measured_read if read is None else read,
        write_bytes_per_second=measured_write if write is None else write,
        iops=iops,
        power_loss_protected=all_keep_writes(disks),
        size_bytes=size if disks else least_bytes,
        rpm=rpm,
        known=known_models(disks),
    )


def data_disks(design: Design) -> list[Disk]:
    """Return the disks of the data vdevs, one once for each slice of it that holds data."""
    return [design.disk(m.disk_key) for vdev in design.vdevs if vdev.vdev_class is VdevClass.DATA for m in vdev.members]
