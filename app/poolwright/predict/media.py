"""What one disk gives: rates told by a person, else measured of its model, else usual for its size or its class."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import attrgetter

from poolwright.domain.disk import Disk, Media, slowest
from poolwright.domain.estimate import Origin, OriginKind
from poolwright.domain.host import Host
from poolwright.domain.units import MB, MIB, TB, drive_size
from poolwright.domain.version import DEFAULT_VERSION, VECTOR_PARITY_SINCE, ZfsVersion
from poolwright.predict.drives import spellings
from poolwright.texts import _, first_of, listed

# Sequential rates of named drives as people measured them, for disks whose model is known and whose rate is not.

_MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class ModelRates:
    """One model by the ``names`` that drives print: sequential rates in bytes/s, None where nobody measured.

    ``table`` and ``row`` say which row of the shipped tables holds them.
    """

    table: str
    row: str
    media: Media
    read: float
    write: float | None
    names: tuple[str, ...]

    @property
    def words(self) -> str:
        return f"{self.names[0]} (table {self.table})"


_HDD, _SSD, _NVME = Media.HDD, Media.SSD, Media.NVME
_MEASURED: tuple[tuple[str, str, Media, float, float | None, tuple[str, ...]], ...] = (
    ("disk_rates", "ST18000NE000", _HDD, 224.0 * MB, 203.0 * MB, ("ST18000NE000",)),
    ("disk_rates", "WD140EDFZ", _HDD, 216.0 * MB, 199.0 * MB, ("WD140EDFZ",)),
    ("disk_rates", "ST16000NM001G", _HDD, 250.0 * MB, 250.0 * MB, ("ST16000NM001G",)),
    ("disk_rates", "ST4000VN008", _HDD, 188.7 * MB, 167.8 * MB, ("ST4000VN008",)),
    ("disk_rates", "WD30EFRX", _HDD, 112.2 * MB, None, ("WD30EFRX",)),
    ("disk_rates", "PM983 960 GB", _NVME, 3000.0 * MB, None, ("MZQLB960HAJR",)),  # for machines
    ("disk_rates", "WD Blue SN570 1 TB", _NVME, 3508.0 * MB, None, ("WDS100T3B0C", "SN570 1TB")),  # for machines
    ("disk_rates", "Intel Optane 900p 280 GB", _NVME, 2097.0 * MB, 2097.0 * MB, ("SSDPED1D280GA",)),  # for machines
    ("disk_rates", "Crucial MX500 500 GB", _SSD, 470.4 * MB, 357.5 * MB, ("CT500MX500SSD1",)),  # for machines
    ("device_rates", "Seagate ST6000NM0034", _HDD, 160.0 * MIB, 130.0 * MIB, ("ST6000NM0034",)),  # for machines
    ("ashift_effect", "30EZRSDTL", _HDD, 118.7 * MIB, 81.85 * MIB, ("WD30EZRS",)),  # for machines
    ("ashift_effect", "20EADS", _HDD, 95.81 * MIB, 67.54 * MIB, ("WD20EADS",)),  # for machines
    ("ashift_effect", "20EARS", _HDD, 98.97 * MIB, 71.05 * MIB, ("WD20EARS",)),  # for machines
)
KNOWN = tuple([ModelRates(*row) for row in _MEASURED])


@lru_cache(maxsize=1 << 11)
def find_rates(model: str | None) -> ModelRates | None:
    """Return the rates of a model as any tool spells it (vendor in front, suffix behind); None where unmeasured."""
    words = (model or "").upper().split()
    numbers = spellings(model or "")
    for known in KNOWN:
        for name in known.names:
            if name in numbers or (" " in name and set(name.split()) <= set(words)):
                return known
    return None


# What the usual rates of disks depend on: their media, bytes, rpm and model. Thousands of disks are of a few kinds.
_Kind = tuple[Media | None, int | None, int | None, str | None]
KIND_OF = attrgetter("media", "size_bytes", "rotation_rpm", "model")


@dataclass(frozen=True, slots=True, kw_only=True)
class Together:
    """What disks of known models give on an average (geometric mean): bytes/s, and in words of which models."""

    media: Media
    read: float
    write: float
    words: str


def geometric_mean(values: Sequence[tuple[float, int]]) -> float:
    """Return the mean of values of which each is there so many times: of disks side by side, what one of them gives."""
    if len({value for value, __ in values}) == 1:
        return values[0][0]
    return math.exp(sum([count * math.log(value) for value, count in values]) / sum([count for __, count in values]))


# An error of 12 % (standard deviation of the logarithm) is left in a measured rate: zone of the platter, run to run.
TOLD_SPREAD = 0.12
# Another drive of the same model, at another place of its platters or under another load.
MODEL_SPREAD = 0.15
# Between models of one class the rates differ by about a third; between NVMe drives by more.
CLASS_SPREAD = {Media.HDD: 0.35, Media.SSD: 0.35, Media.NVME: 0.6}
# No hard disk streams faster than this, no SATA or SAS disk faster than the second: tells the class from a told rate.
FASTEST_HDD = 320 * MB
FASTEST_SAS = 1300 * MB


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskRates:
    """One disk alone: sequential rates in bytes/s, and small random operations a second under a full queue.

    The spreads are standard deviations of the logarithm. ``given`` names the rates that somebody told; the others are
    those ``measured`` of its model, else those usual for a hard disk of ``size_bytes`` and ``rpm``, else for its class.
    ``power_loss_protected`` tells whether it keeps confirmed writes in a power cut (None: unknown).
    """

    media: Media
    read_bytes_per_second: float
    write_bytes_per_second: float
    iops: float
    read_spread: float
    write_spread: float
    iops_spread: float
    given: tuple[str, ...] = ()
    measured: Together | None = None
    size_bytes: int | None = None
    rpm: int | None = None
    power_loss_protected: bool | None = None

    @property
    def origin(self) -> Origin:
        """Return whose rates they are, in words only where they are shown: a search asks for numbers."""
        media, basis = self.media.value, OriginKind.ASSUMED
        if self.measured is not None:
            basis, usual = OriginKind.MEASURED, _("measured of {words}", words=self.measured.words)
            rest = usual
        else:
            usual, rest = _("class default ({kind})", kind=media), _("the rest of the class ({kind})", kind=media)
            if self.size_bytes is not None:
                size, rpm = drive_size(self.size_bytes), self.rpm
                usual = _("usual for a hard disk of {size}", size=size if rpm is None else f"{size}, {rpm} rpm")
        if not self.given:
            return Origin(kind=basis, source=_("disk rates: {usual}", usual=usual))
        rest = _("none assumed") if len(self.given) == 3 else rest
        source = _("disk rates: {told} told, {rest}", told=listed(self.given), rest=rest)
        return Origin(kind=OriginKind.TYPED, source=source)


# Read and write: HDD as the thesis (5.1.1) measured its 7200 rpm disk; SSD as it measured its SAS SSDs (5.6); NVMe from
# data sheets of 2018 to 2024. IOPS: 7200 rpm disks between 120 (unsorted) and 260 (thesis 7.2, 250 jobs: 218 a disk).
_DEFAULTS = {
    Media.HDD: (160.0 * MIB, 130.0 * MIB, 200.0),
    Media.SSD: (390.0 * MIB, 370.0 * MIB, 70_000.0),
    Media.NVME: (3000.0 * MB, 2000.0 * MB, 400_000.0),
}


# A hard disk of 8 TB and 7200 rpm reads and writes so many bytes/s; others with these powers of their size (denser
# tracks) and of their turns. Fitted to the table disk_rates, the thesis' disk and the blog's (2 to 18 TB, tests refit
# it); left over is an error of 12 % in reads and 17 % in writes.
SIZED_AT_BYTES = 8 * 10**12
SIZED_AT_RPM = 7200
SIZED_RATES = (195.0 * MB, 169.0 * MB)
SIZE_POWERS = (0.33, 0.45)
TURNS_POWER = 0.5
SIZED_SPREAD = 0.2
# Small platters that turn fast stream as large ones do: a disk of 10,000 rpm and more is not taken to be slower.
FAST_TURNS_RPM, FAST_TURNS_RATE = 10_000, 150.0 * MB


@lru_cache(maxsize=1024)
def sized_rates(size_bytes: int, rpm: int | None = None) -> tuple[float, float]:
    turns = (rpm or SIZED_AT_RPM) / SIZED_AT_RPM
    least = FAST_TURNS_RATE if rpm is not None and rpm >= FAST_TURNS_RPM else 0.0
    read, write = (
        min(float(FASTEST_HDD), max(least, rate * (size_bytes / SIZED_AT_BYTES) ** power * turns**TURNS_POWER))
        for rate, power in zip(SIZED_RATES, SIZE_POWERS, strict=True)
    )
    return read, min(read, write)


def known_models(kinds: Counter[_Kind]) -> Together | None:
    measured = {kind: find_rates(kind[3]) for kind in kinds}
    media_of = {kind: known.media if known and kind[0] is None else kind[0] for kind, known in measured.items()}
    medium = slowest({*media_of.values()} - {None})
    alike = {kind: known for kind, known in measured.items() if media_of[kind] in (medium, None)}
    if medium is None or not any(alike.values()):
        return None
    reads, writes = [], []
    named: dict[str, None] = {}
    for kind, known in alike.items():
        media, size, rpm, __ = kind
        read, write = _usual(media or Media.HDD, size, rpm)[:2]
        if known is not None:  # where only reads were measured, writes follow in the usual proportion
            read, write = known.read, known.read * write / read if known.write is None else known.write
            named[known.words] = None
        reads.append((read, kinds[kind]))
        writes.append((write, kinds[kind]))
    words = first_of(list(named), _MOST_NAMED)
    return Together(media=medium, read=geometric_mean(reads), write=geometric_mean(writes), words=words)


def _usual(kind: Media, size_bytes: int | None, rpm: int | None) -> tuple[float, float, float]:
    """Return read and write rate and operations a second usual for a disk of this class, a hard disk of this size."""
    read, write, iops = _DEFAULTS[kind]
    if kind is Media.HDD:
        iops *= (rpm or SIZED_AT_RPM) / SIZED_AT_RPM  # the wait for a sector and, nearly so, the way to it: its turns
        read, write = sized_rates(size_bytes, rpm) if size_bytes else (read, write)
    return read, write, iops


def disk_rates(
    *,
    media: Media | None = None,
    read_bytes_per_second: float | None = None,
    write_bytes_per_second: float | None = None,
    iops: float | None = None,
    power_loss_protected: bool | None = None,
    size_bytes: int | None = None,
    rpm: int | None = None,
    known: Together | None = None,
) -> DiskRates:
    """Return a disk's rates: what was told, else what is ``known`` of its model or usual for its class and size."""
    # Where only one of the two sequential rates is told, the other follows in the usual proportion. An unknown class is
    # told from the model or the rate; without them it is a hard disk.
    fastest = max(read_bytes_per_second or 0.0, write_bytes_per_second or 0.0)
    by_model = None if known is None else known.media
    by_rate = Media.NVME if fastest > FASTEST_SAS else Media.SSD if fastest > FASTEST_HDD else Media.HDD
    kind = media or by_model or by_rate
    measured = known if kind is by_model else None
    # A disk of a class that nobody told and of less than a terabyte may as well be flash.
    sized = size_bytes if kind is Media.HDD and (media is Media.HDD or (size_bytes or 0) >= TB) else None
    read, write, usual_iops = _usual(kind, sized, rpm)
    spread = SIZED_SPREAD if sized else CLASS_SPREAD[kind]
    if measured is not None:
        read, write, spread = measured.read, measured.write, MODEL_SPREAD
    # Reads and writes of one model keep their proportion from outer to inner tracks.
    ratio = write / read
    read_given, write_given = read_bytes_per_second is not None, write_bytes_per_second is not None
    half_given = (TOLD_SPREAD**2 + 0.2**2) ** 0.5  # the proportion differs from model to model
    if read_bytes_per_second is not None:
        read, write = read_bytes_per_second, read_bytes_per_second * ratio
    if write_bytes_per_second is not None:
        read, write = (read if read_given else write_bytes_per_second / ratio), write_bytes_per_second
    rates = (("read", read_given), ("write", write_given), ("IOPS", iops is not None))
    return DiskRates(
        media=kind,
        read_bytes_per_second=read,
        write_bytes_per_second=write,
        iops=usual_iops if iops is None else iops,
        read_spread=TOLD_SPREAD if read_given else half_given if write_given else spread,
        write_spread=TOLD_SPREAD if write_given else half_given if read_given else spread,
        iops_spread=0.2 if iops is not None else 0.4,
        given=tuple(name for name, is_given in rates if is_given),
        measured=measured,
        size_bytes=sized or None,
        rpm=rpm if sized else None,
        power_loss_protected=power_loss_protected,
    )


# What a host lets through: HBA, processor, network; told, or expected from the hosts of the measured tables.

# Share of a link's nominal rate that is left for data: SAS and PCIe framing; Ethernet, IP and the sharing protocol.
HBA_EFFICIENCY = 0.85
NETWORK_EFFICIENCY = 0.94
# Bytes/s that one core of the thesis machine (3.5 GHz, 2014) handles: 44 disks at 3700 MiB/s took 42 % of 8 cores with
# fletcher4; sha256 held reads at 1600 MiB/s (5.2, 5.4); lzjb wrote two thirds, gzip-1 a tenth of 3700 MiB/s (5.3.1).
CHECKSUM_PER_CORE = {"fletcher4": 1100.0 * MIB, "sha256": 200.0 * MIB}
COMPRESSION_PER_CORE = {"lzjb": 308.0 * MIB, "gzip": 46.0 * MIB}
# One core, AES-256-GCM in 32 KiB: time to decrypt and encrypt with AVX (OpenZFS 0.8.4 and later) and without it or
# before (openzfs/zfs pull request 9749). Most hosts have AVX; a rule asks.
ENCRYPTION_PER_CORE = {
    True: (32_768 / 21_532e-9, 32_768 / 31_245e-9),
    False: (32_768 / 605_206e-9, 32_768 / 751_444e-9),
}
FAST_ENCRYPTION_SINCE = ZfsVersion(0, 8, 4)
CHECKSUMS = ("on", "off", "fletcher4", "sha256")
COMPRESSIONS = ("on", "off", "lz4", "zle", "lzjb", "gzip")


@dataclass(frozen=True, slots=True, kw_only=True)
class HostCaps:
    """What is told of a host; None is unknown. Rates are the nominal ones of the links, in bytes/s.

    ``vector_parity`` tells whether parity is worked out in vector code, as by OpenZFS since 0.7.
    """

    hba_bytes_per_second: float | None = None
    network_bytes_per_second: float | None = None
    cores: int | None = None
    vector_parity: bool | None = None


UNKNOWN_HOST = HostCaps()


def host_caps(host: Host, version: ZfsVersion | None = None, disks: Sequence[Disk] = ()) -> HostCaps:
    """Return what an inventory knows of a host's limits: its controllers together, cores, network, vector parity.

    ``version`` is the OpenZFS that will run on it, where that was said. Of controllers that were read on the machine
    only those count that ``disks`` hang on: another one carries nothing of theirs.
    """
    controllers = host.controllers
    if any(controller.origin is not None for controller in controllers):
        names = {disk.controller for disk in disks}
        controllers = tuple(c for c in controllers if None not in names and (c.origin is None or c.name in names))
    rates = [c.bytes_per_second for c in controllers]
    known, network = [rate for rate in rates if rate is not None], host.network_bytes_per_second
    return HostCaps(
        hba_bytes_per_second=float(sum(known)) if known and len(known) == len(rates) else None,
        network_bytes_per_second=None if network is None else float(network),
        cores=host.cores,
        vector_parity=None if version is None else version >= VECTOR_PARITY_SINCE,
    )


def cpu_limits(
    host: HostCaps, checksum: str, compression: str, *, encrypted: bool = False, version: ZfsVersion = DEFAULT_VERSION
) -> tuple[float | None, float | None]:
    """Return the read and write rate at which checksums, compression and encryption fill the processor, if known."""
    # Parity, copying and what else the host does are in the host's own limit. lz4 and zle cost too little to be seen in
    # the measured tables, and reading gzip or lzjb costs little as well. Encryption by OpenZFS makes its own tag, but
    # the checksum is worked out as well.
    if host.cores is None:
        return None, None
    summing = CHECKSUM_PER_CORE.get("fletcher4" if checksum == "on" else checksum)
    packing = COMPRESSION_PER_CORE.get(compression)
    opening, sealing = ENCRYPTION_PER_CORE[version >= FAST_ENCRYPTION_SINCE] if encrypted else (None, None)
    return _together(host.cores, summing, opening), _together(host.cores, summing, packing, sealing)


def _together(cores: int, *rates: float | None) -> float | None:
    """Return the bytes/s at which ``cores`` do several things to each byte; None where none of them costs anything."""
    costs = [1.0 / rate for rate in rates if rate is not None]
    return cores / sum(costs) if costs else None
