"""What was seen of a machine while a test ran: its disks, its cores, its links; as numbers, without judging them."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from poolwright.bench.judging.signals import Numbers, beside, by_name, curves, mean_of, total_mean
from poolwright.bench.judging.slow_disk import DiskWaits
from poolwright.bench.profiles.profile import BenchTest
from poolwright.bench.record import Repeat
from poolwright.bench.running.place import BenchPlace, PlaceDisk
from poolwright.domain.measurement import Direction, Observer, Recorded, TimeCurve, What

SECOND_MS = 1000
# Of several waits the one that the disk itself answers for: `zpool iostat -l`, then the kernel's (diskstats, sar).
_WAITS = ("disk_wait", "await", "wait", "total_wait", "")
OTHER_CLASSES = ("cache ", "spares ", "special ", "dedup ")
_AT_REST = frozenset(("idle", "iowait"))
_ALL_CORES = frozenset(("cpu", "all"))


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskSeen:
    """A disk of the pool while a test ran: share of the time busy, operations and bytes a second, waits a second."""

    name: str
    serial: str | None
    vdev: str
    is_log: bool
    busy: float | None
    per_second: float | None
    rate: float | None
    waits: Numbers

    @property
    def as_waits(self) -> DiskWaits:
        return DiskWaits(
            name=self.name, vdev=self.vdev, waits=self.waits, load=self.per_second, rate=self.rate, busy=self.busy
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What one repeat showed: the disks, ``cpu`` the mean of all cores and ``core`` that of the busiest at each moment.

    Waiting for disks is no work (as the thesis counts it). ``network`` is each link with the bytes/s of its busier way.
    """

    disks: tuple[DiskSeen, ...]
    cpu: float | None
    core: float | None
    cores: int
    network: tuple[tuple[str, float], ...]

    @property
    def data(self) -> tuple[DiskSeen, ...]:
        """Return the disks that hold data; spares rest, and cache and special vdevs are of another kind."""
        return tuple(disk for disk in self.disks if not disk.is_log and not disk.vdev.startswith(OTHER_CLASSES))

    @property
    def logs(self) -> tuple[DiskSeen, ...]:
        return tuple(disk for disk in self.disks if disk.is_log)


def seen_of(test: BenchTest, repeat: Repeat, place: BenchPlace, direction: Direction | None) -> Seen:
    """Return what was sampled beside a repeat, without the time it took to get going."""
    recorded, since = beside(repeat), SECOND_MS * test.ramp_seconds
    busy = cores_of(recorded, since)
    return Seen(
        disks=tuple(_disk(disk, recorded, since, direction, place) for disk in place.disks),
        cpu=None if busy is None else float(np.nanmean(busy)),
        core=None if busy is None else float(np.nanmean(np.nanmax(busy, axis=0))),
        cores=0 if busy is None else len(busy),
        network=_network(recorded, since),
    )


def _network(recorded: Iterable[Recorded], since: float) -> tuple[tuple[str, float], ...]:
    rates: dict[str, float] = {}
    for found in curves(recorded, Observer.NETWORK, What.RATE, detail=""):
        rate = mean_of(found, since_ms=since)
        if rate is not None:
            rates[found.name] = max(rate, rates.get(found.name, 0.0))
    return tuple(rates.items())


def _disk(
    disk: PlaceDisk, recorded: Iterable[Recorded], since: float, direction: Direction | None, place: BenchPlace
) -> DiskSeen:
    names = frozenset(name for name in (disk.name, disk.kernel_name) if name)
    mine = tuple(curve for curve in curves_of_disks(recorded) if curve.name in names)
    vdev, is_log = place_in_pool(place, disk)
    return DiskSeen(
        name=disk.kernel_name or disk.name,
        serial=disk.serial,
        vdev=vdev,
        is_log=is_log,
        busy=_first_mean((c for c in mine if c.what is What.BUSY), since),
        per_second=_both(mine, What.IOPS, since),
        rate=_both(mine, What.RATE, since),
        waits=_waits(mine, since, direction),
    )


def curves_of_disks(recorded: Iterable[Recorded]) -> tuple[TimeCurve, ...]:
    return tuple(curve for one in recorded for curve in one.curves if curve.source is Observer.DISK)


def place_in_pool(place: BenchPlace, disk: PlaceDisk) -> tuple[str, bool]:
    """Return the vdev of a disk, by its line in the layout, and whether it holds the log; no vdev where unknown."""
    for line in place.layout:
        words = line.split()
        if disk.name in words or (disk.kernel_name or "") in words:
            return line, words[0] in {"log", "logs"}
    return "", False


def log_rate(repeat: Repeat, place: BenchPlace, *, since_ms: float) -> float | None:
    """Return the bytes/s that the devices of the log wrote; None where there is none or no tool tells."""
    found = curves(beside(repeat), Observer.DISK, What.RATE, Direction.WRITE, "")
    logs = [(disk.name, disk.kernel_name) for disk in place.disks if place_in_pool(place, disk)[1]]
    rates = [_first_mean((curve for curve in found if curve.name in names), since_ms) for names in logs]
    known = [rate for rate in rates if rate is not None]
    return sum(known) if known else None


def _first_mean(found: Iterable[TimeCurve], since: float) -> float | None:
    return next((value for curve in found if (value := mean_of(curve, since_ms=since)) is not None), None)


def _both(mine: tuple[TimeCurve, ...], what: What, since: float) -> float | None:
    """Return reads and writes together, as one tool counts them: two tools would count each twice."""
    for name in dict.fromkeys(curve.name for curve in mine):
        total = total_mean((c for c in mine if c.what is what and c.name == name and not c.detail), since_ms=since)
        if total is not None:
            return total
    return None


def _waits(mine: tuple[TimeCurve, ...], since: float, direction: Direction | None) -> Numbers:
    for detail in _WAITS:
        found = [c for c in mine if c.what is What.LATENCY and c.detail == detail]
        wanted = [c for c in found if c.direction in (direction, None)] or found
        if wanted:
            curve = wanted[0]
            values: Numbers = curve.values[curve.ms >= since]
            return values
    return np.empty(0)


def cores_of(recorded: Iterable[Recorded], since: float = 0.0) -> Numbers | None:
    """Return how busy each core was at each moment (cores by moments); all as one where only that is known."""
    shares = (What.BUSY, What.SHARE)  # not the load, which is told of the machine
    told = (curve for one in recorded for curve in one.curves if curve.what in shares)
    named = by_name(curve for curve in told if curve.source is Observer.CPU)
    single = {name: found for name, found in named.items() if name not in _ALL_CORES} or named
    rows = [row for found in single.values() if (row := _busy(found, since)) is not None and row.size]
    count = min((row.size for row in rows), default=0)
    return np.array([row[:count] for row in rows]) if count else None


def _busy(found: list[TimeCurve], since: float) -> Numbers | None:
    told = next((c for c in found if c.what is What.BUSY), None)
    if told is not None:
        return told.values[told.ms >= since]
    resting = [c.values[c.ms >= since] for c in found if c.what is What.SHARE and c.detail in _AT_REST]
    if resting:
        rested: Numbers = np.sum(resting, axis=0)
        return 1.0 - rested
    working = [c.values[c.ms >= since] for c in found if c.what is What.SHARE]
    worked: Numbers | None = np.sum(working, axis=0) if working else None
    return worked
