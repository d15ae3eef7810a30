"""What one disk gives: rates told by a person, or the default of its class."""

from dataclasses import dataclass

from poolwright.domain.disk import Media
from poolwright.domain.origin import Origin, OriginKind
from poolwright.domain.units import MB, MIB

# An error of 12 % (standard deviation of the logarithm) is left in a measured rate: zone of the platter, run to run.
TOLD_SPREAD = 0.12
# Between models of one class the rates differ by about a third; between NVMe drives by more.
CLASS_SPREAD = {Media.HDD: 0.35, Media.SSD: 0.35, Media.NVME: 0.6}
# No hard disk streams faster than this, no SATA or SAS disk faster than the second: tells the class from a told rate.
FASTEST_HDD = 320 * MB
FASTEST_SAS = 1300 * MB


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskRates:
    """One disk alone: sequential rates in bytes/s, and small random operations a second under a full queue.

    The spreads are standard deviations of the logarithm; ``origin`` says who told the sequential rates.
    ``power_loss_protected`` tells whether it keeps confirmed writes in a power cut (None: unknown).
    """

    media: Media
    read_bytes_per_second: float
    write_bytes_per_second: float
    iops: float
    read_spread: float
    write_spread: float
    iops_spread: float
    origin: Origin
    power_loss_protected: bool | None = None


# Read and write: HDD as the thesis (5.1.1) measured its 7200 rpm disk; SSD as it measured its SAS SSDs (5.6); NVMe from
# data sheets of 2018 to 2024. IOPS: 7200 rpm disks between 120 (unsorted) and 260 (thesis 7.2, 250 jobs: 218 a disk).
_DEFAULTS = {
    Media.HDD: (160.0 * MIB, 130.0 * MIB, 200.0),
    Media.SSD: (390.0 * MIB, 370.0 * MIB, 70_000.0),
    Media.NVME: (3000.0 * MB, 2000.0 * MB, 400_000.0),
}


def disk_rates(
    *,
    media: Media | None = None,
    read_bytes_per_second: float | None = None,
    write_bytes_per_second: float | None = None,
    iops: float | None = None,
    power_loss_protected: bool | None = None,
) -> DiskRates:
    """Return the rates of a disk: what was told, and for the rest the default of its class.

    Where only one of the two sequential rates is told, the other follows in the proportion of the class. An unknown
    class is told from the rate; without one it is a hard disk.
    """
    fastest = max(read_bytes_per_second or 0.0, write_bytes_per_second or 0.0)
    kind = media or (Media.NVME if fastest > FASTEST_SAS else Media.SSD if fastest > FASTEST_HDD else Media.HDD)
    read, write, default_iops = _DEFAULTS[kind]
    ratio = write / read
    spread = CLASS_SPREAD[kind]
    read_told, write_told = read_bytes_per_second is not None, write_bytes_per_second is not None
    half_told = (TOLD_SPREAD**2 + 0.2**2) ** 0.5  # the proportion differs from model to model
    if read_bytes_per_second is not None:
        read, write = read_bytes_per_second, read_bytes_per_second * ratio
    if write_bytes_per_second is not None:
        read, write = (read if read_told else write_bytes_per_second / ratio), write_bytes_per_second
    told = [name for name, given in (("read", read_told), ("write", write_told), ("IOPS", iops is not None)) if given]
    source = f"disk rates: {' and '.join(told)} told, " if told else "disk rates: "
    source += (
        "the rest of the class" if 0 < len(told) < 3 else "none told, class default" if not told else "none assumed"
    )
    return DiskRates(
        media=kind,
        read_bytes_per_second=read,
        write_bytes_per_second=write,
        iops=default_iops if iops is None else iops,
        read_spread=TOLD_SPREAD if read_told else half_told if write_told else spread,
        write_spread=TOLD_SPREAD if write_told else half_told if read_told else spread,
        iops_spread=0.2 if iops is not None else 0.4,
        origin=Origin(kind=OriginKind.TYPED if told else OriginKind.ASSUMED, source=f"{source} ({kind.value})"),
        power_loss_protected=power_loss_protected,
    )
