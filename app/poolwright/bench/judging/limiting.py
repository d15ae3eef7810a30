"""What kept a test from being faster, named from what was seen beside it, as the thesis does for each of its tests.

Processor time counts without waiting for disks (thesis 5.2); a processor that is full limits whatever else is full
(5.3, 5.5); where neither processor nor disks are full, the cause lies in between, or nobody asked for more (4, 7.1).
"""

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log
from statistics import median

import numpy as np
from numpy.typing import NDArray

from poolwright.bench.hardware import LOGS, OTHER_CLASSES
from poolwright.bench.judging.verdicts import Expectation, Factor, Limiting, TestVerdict, direction_of
from poolwright.bench.record import BenchTarget, Repeat, TargetDisk, TestRun, known_sum, over_network
from poolwright.domain.grouping import grouped
from poolwright.domain.measurement import Direction, Observer, Recorded, TimeCurve, What
from poolwright.domain.rates import rate_text
from poolwright.predict.number_words import share_text
from poolwright.texts import _, ngettext

# Curves of a repeat, found by what they tell, and put on one grid of time.

Numbers = NDArray[np.float64]


def curves(
    recorded: Iterable[Recorded],
    source: Observer,
    what: What,
    direction: Direction | None = None,
    detail: str | None = None,
) -> tuple[TimeCurve, ...]:
    return tuple(
        curve
        for one in recorded
        for curve in one.curves
        if curve.source is source
        and curve.what is what
        and (direction is None or curve.direction is direction)
        and (detail is None or curve.detail == detail)
    )


def mean_of(curve: TimeCurve) -> float | None:
    values = curve.values[np.isfinite(curve.values)]
    return float(values.mean()) if values.size else None


def first_mean(found: Iterable[TimeCurve]) -> float | None:
    return next((value for curve in found if (value := mean_of(curve)) is not None), None)


def pool_rate(recorded: Iterable[Recorded], pool: str | None, direction: Direction) -> float | None:
    """Return the bytes/s that a pool moved, as the first tool tells that knows; None where none does.

    Tools beside each other tell the same bytes, so they never add up.
    """
    for one in recorded:
        found = curves((one,), Observer.POOL, What.RATE, direction, "")
        total = total_mean(tuple(curve for curve in found if curve.name == pool) or found)
        if total is not None:
            return total
    return None


def by_name(found: Iterable[TimeCurve]) -> dict[str, list[TimeCurve]]:
    return grouped((curve.name, curve) for curve in found)


def total_mean(found: Iterable[TimeCurve]) -> float | None:
    return known_sum(map(mean_of, found))


# The disk that answers more slowly than its siblings under the same load.

# How many times the siblings' wait it takes, at how many of the moments, and how far outside of their own differences.
LEAST_RATIO, LEAST_MOMENTS, LEAST_SCORE = 1.5, 0.6, 4.0
# How many standard errors of its own median the difference has to be.
LEAST_ERRORS = 5.0
# A disk that stalls now and then (SMR, retries) waits several times as long on an average, in a fifth of the moments.
STALL_RATIO, STALL_MOMENTS = 3.0, 0.2
_LONGER = 1.25
# Healthy disks of one model differ by a tenth (logarithm): fewer siblings show less than there is.
_USUAL_SPREAD = 0.10
_MAD = 1.4826  # makes the median deviation of a normal distribution its standard deviation
_MOST_LOAD = 1.5  # times that of its siblings: more work would explain the wait
_LEAST_SEEN = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskActivity:
    """A disk while a test ran: its waits, ns at each moment (NaN: none seen), and what it was given, a second.

    ``vdev`` names its siblings; disks of one vdev have the same. ``load`` are operations, ``rate`` bytes, ``busy`` is
    the share of the time that it worked.
    """

    name: str
    vdev: str
    waits: Numbers
    load: float | None = None
    rate: float | None = None
    busy: float | None = None
    serial: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SlowDisk:
    """The slow one: its wait and that of its siblings at the same moments, ns; medians, or means if it ``stalls``."""

    disk: DiskActivity
    wait_ns: float
    siblings_ns: float
    stalls: bool = False

    @property
    def ratio(self) -> float:
        return self.wait_ns / self.siblings_ns


@dataclass(frozen=True, slots=True)
class _Beside:
    """A disk beside its siblings: its waits and their median at the moments that both know, ns, and how these differ.

    ``usual`` is the middle of the differences of the logarithms, that of a disk that is slow all the time. ``average``
    is the logarithm of how many times as long it waits in all, and not the mean of the moments' ratios: where siblings
    had hardly anything to do, one moment would be all of it.
    """

    disk: DiskActivity
    near: Sequence[DiskActivity]
    own: Numbers
    siblings: Numbers
    differences: Numbers
    usual: float
    average: float


def find_slow_disks(disks: Sequence[DiskActivity]) -> tuple[SlowDisk, ...]:
    """Return the disks that stand out among their siblings, the slowest first.

    A disk is held against the median of its siblings at each moment, so load that comes and goes does not matter.
    """
    count = min((one.waits.size for one in disks), default=0)
    if len(disks) < 2 or count < _LEAST_SEEN:
        return ()
    with np.errstate(invalid="ignore"):
        waits = np.array([np.where(one.waits[:count] > 0, one.waits[:count], np.nan) for one in disks])
    seen = [found for number in range(len(disks)) if (found := _beside(disks, waits, number)) is not None]
    held = (_slow_disk(one, [other for other in seen if other is not one]) for one in seen)
    return tuple(sorted((slow for slow in held if slow is not None), key=lambda slow: -slow.ratio))


def _beside(disks: Sequence[DiskActivity], waits: Numbers, number: int) -> _Beside | None:
    """Return a disk beside the others of its vdev, beside all others where it has but one there, as in a mirror."""
    others = [n for n in range(len(disks)) if n != number]
    near = [n for n in others if disks[n].vdev == disks[number].vdev]
    near = near if len(near) > 1 else others
    known = np.isfinite(waits[number]) & (np.isfinite(waits[near]).sum(axis=0) * 2 >= len(near))
    if known.sum() < _LEAST_SEEN:
        return None
    own, siblings = waits[number, known], _middle_of_known(waits[near][:, known])
    differences: Numbers = np.log(own) - np.log(siblings)
    usual, average = median(differences.tolist()), log(float(own.mean()) / float(siblings.mean()))
    return _Beside(disks[number], [disks[n] for n in near], own, siblings, differences, usual, average)


def _middle_of_known(values: Numbers) -> Numbers:
    """Return the median of each column without its NaN, which sort last; each column has a value.

    It is a tenth of the work of numpy's own for so few rows.
    """
    known = np.isfinite(values).sum(axis=0)
    rows, columns = np.sort(values, axis=0), np.arange(values.shape[1])
    found: Numbers = (rows[(known - 1) // 2, columns] + rows[known // 2, columns]) / 2
    return found


def _slow_disk(one: _Beside, others: Sequence[_Beside]) -> SlowDisk | None:
    usual, average = [other.usual for other in others], [other.average for other in others]
    longer = float((one.differences > np.log(_LONGER)).mean())
    least = max(log(LEAST_RATIO), LEAST_ERRORS * _error(one))
    is_slow = one.usual >= least and longer >= LEAST_MOMENTS and _score(one.usual, usual) >= LEAST_SCORE
    beyond = one.average - max(0.0, median(average) if average else 0.0)
    stalls = beyond >= log(STALL_RATIO) and longer >= STALL_MOMENTS and _score(one.average, average) >= LEAST_SCORE
    if not (is_slow or stalls) or _has_more_to_do(one.disk, one.near):
        return None
    middle = np.median if is_slow else np.mean
    wait, near = float(middle(one.own)), float(middle(one.siblings))
    found = SlowDisk(disk=one.disk, wait_ns=wait, siblings_ns=near, stalls=not is_slow)
    return found if found.ratio > 1 else None  # what is longer at most moments is shorter in the middle


def _score(value: float, rest: Sequence[float]) -> float:
    middle = median(rest) if rest else 0.0
    spread = _MAD * median(abs(other - middle) for other in rest) if rest else 0.0
    return (value - middle) / max(spread, _USUAL_SPREAD)


def _error(one: _Beside) -> float:
    """Return the standard error of a median, from the median deviation (normal distribution: 1.25 that of the mean)."""
    deviation: float = median(np.abs(one.differences - one.usual).tolist())
    return 1.25 * _MAD * deviation / float(np.sqrt(one.differences.size))


def _has_more_to_do(own: DiskActivity, near: Sequence[DiskActivity]) -> bool:
    """Tell whether a disk did more operations, or larger ones: those alone make them wait.

    Not where it works longer for each of both: of records of one size a raidz reads some disks more than others.
    """

    def is_beyond(of: Callable[[DiskActivity], float | None]) -> bool:
        mine, rest = of(own), [value for one in near if (value := of(one)) is not None]
        return mine is not None and bool(rest) and mine > _MOST_LOAD * median(rest)

    if all(is_beyond(of) for of in (lambda one: _each(one.busy, one.load), lambda one: _each(one.busy, one.rate))):
        return False
    return is_beyond(lambda one: one.load) or is_beyond(lambda one: one.rate)


def _each(busy: float | None, work: float | None) -> float | None:
    return None if busy is None or not work else busy / work


# What was seen of a machine while a test ran: its disks, its cores, its links; as numbers, without judging them.

# Of several waits the one that the disk itself answers for: `zpool iostat -l`, then the kernel's (diskstats, sar).
_WAITS = ("disk_wait", "await", "wait", "total_wait", "")
_AT_REST = frozenset(("idle", "iowait"))
_ALL_CORES = frozenset(("cpu", "all"))


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineActivity:
    """What one repeat showed: the disks, ``cpu`` the mean of all cores and ``core`` that of the busiest at each moment.

    Waiting for disks is no work (as the thesis counts it). ``network`` is each link with the bytes/s of its busier way.
    """

    disks: tuple[DiskActivity, ...]
    cpu: float | None
    core: float | None
    cores: int
    network: Mapping[str, float]

    @property
    def data(self) -> tuple[DiskActivity, ...]:
        return tuple(disk for disk in self.disks if not disk.vdev.startswith((*OTHER_CLASSES, *LOGS)))

    @property
    def logs(self) -> tuple[DiskActivity, ...]:
        return tuple(disk for disk in self.disks if disk.vdev.startswith(LOGS))


def activity_of(repeat: Repeat, place: BenchTarget, direction: Direction | None) -> MachineActivity:
    busy = cores_of(repeat.watched)
    network = by_name(curves(repeat.watched, Observer.NETWORK, What.RATE, detail=""))
    return MachineActivity(
        disks=tuple(_disk(disk, repeat.watched, direction, place) for disk in place.disks),
        cpu=None if busy is None else float(np.nanmean(busy)),
        core=None if busy is None else float(np.nanmean(np.nanmax(busy, axis=0))),
        cores=0 if busy is None else len(busy),
        network={name: max(mean_of(way) or 0.0 for way in ways) for name, ways in network.items()},
    )


def _disk(
    disk: TargetDisk, watched: Iterable[Recorded], direction: Direction | None, place: BenchTarget
) -> DiskActivity:
    mine = tuple(curve for curve in curves_of_disks(watched) if curve.name in (disk.name, disk.kernel_name))
    return DiskActivity(
        name=disk.kernel_name or disk.name,
        serial=disk.serial,
        vdev=_vdev_of(place, disk),
        busy=first_mean(curve for curve in mine if curve.what is What.BUSY),
        load=_both(mine, What.IOPS),
        rate=_both(mine, What.RATE),
        waits=_waits(mine, direction),
    )


def curves_of_disks(recorded: Iterable[Recorded]) -> tuple[TimeCurve, ...]:
    return tuple(curve for one in recorded for curve in one.curves if curve.source is Observer.DISK)


def _vdev_of(place: BenchTarget, disk: TargetDisk) -> str:
    """Return the line of the layout in which a disk stands; nothing where there is none."""
    names = {disk.name, disk.kernel_name}
    return next((line for line in place.layout if not names.isdisjoint(line.split())), "")


def log_rate(repeat: Repeat, place: BenchTarget) -> float | None:
    found = curves(repeat.watched, Observer.DISK, What.RATE, Direction.WRITE, "")
    logs = [(disk.name, disk.kernel_name) for disk in place.disks if _vdev_of(place, disk).startswith(LOGS)]
    return known_sum(first_mean(curve for curve in found if curve.name in names) for names in logs)


def _both(mine: tuple[TimeCurve, ...], what: What) -> float | None:
    """Return reads and writes together, under the first of the disk's names of which something is known."""
    found = by_name(curve for curve in mine if curve.what is what and not curve.detail)
    return next((total for total in map(total_mean, found.values()) if total is not None), None)


def _waits(mine: tuple[TimeCurve, ...], direction: Direction | None) -> Numbers:
    for detail in _WAITS:
        found = [curve for curve in mine if curve.what is What.LATENCY and curve.detail == detail]
        if found:
            return next((curve for curve in found if curve.direction in (direction, None)), found[0]).values
    return np.empty(0)


def cores_of(recorded: Iterable[Recorded]) -> Numbers | None:
    """Return how busy each core was at each moment (cores by moments); all as one where only that is known."""
    named: dict[str, list[TimeCurve]] = {}
    for one in recorded:  # not of the load, which is told of the machine; of tools that tell of one core the first
        shares = (*curves((one,), Observer.CPU, What.BUSY), *curves((one,), Observer.CPU, What.SHARE))
        named = by_name(shares) | named
    single = {name: found for name, found in named.items() if name not in _ALL_CORES} or named
    rows = [row for row in map(_busy, single.values()) if row.size]
    count = min((row.size for row in rows), default=0)
    return np.array([row[:count] for row in rows]) if count else None


def _busy(found: list[TimeCurve]) -> Numbers:
    measured = next((curve.values for curve in found if curve.what is What.BUSY), None)
    if measured is not None:
        return measured
    resting = [curve.values for curve in found if curve.detail in _AT_REST]
    working: Numbers = np.sum(resting or [curve.values for curve in found], axis=0)
    return 1.0 - working if resting else working


FULL, CORE_FULL, DISK_FULL = 0.9, 0.95, 0.8
LINK_FULL = 0.8  # of the nominal rate of links; framing takes 15 % (predict/media)
IDLE, FROM_MEMORY = 0.5, 0.5


def limiting_factor(
    run: TestRun,
    place: BenchTarget,
    *,
    memory: float | None = None,
    expectation: Expectation | None = None,
    cleared: Container[str] = (),
) -> Limiting | None:
    """Return the limiting factor of a test with its evidence; None where too little was seen to name one.

    ``memory`` is the share that never came from the disks. Of the whole repeats the last one is looked at: the pool is
    as warm as it gets. ``cleared`` are names of disks that other tests saw work like their siblings.
    """
    repeats = run.whole
    if not repeats:
        return None
    direction = direction_of(run.test)
    last = activity_of(repeats[-1], place, direction)
    if memory is not None and memory >= FROM_MEMORY:
        words = _("{share} of the bytes came from memory, not from the disks.", share=share_text(memory))
        return Limiting(factor=Factor.ARC, evidence=(words, *_disk_words(last)))
    hba = None if expectation is None else expectation.hba
    # Others are looked at where the last one names a disk.
    others = (activity_of(repeat, place, direction) for repeat in repeats[:-1])
    return _one_disk(last, cleared, others) or next(_candidates(run, repeats[-1], last, place, hba), None)


def cleared_disks(tests: Iterable[TestVerdict]) -> frozenset[str]:
    """Return the disks that a test names as slow while most tests that name one name others.

    A weak disk stands out again and again; where each test names another one, the work was uneven and not the disks.
    """
    named = Counter(disk for test in tests if (disk := named_disk(test)) is not None)
    return frozenset(disk for disk, count in named.items() if count * 2 <= named.total() and len(named) > 1)


def named_disk(test: TestVerdict) -> str | None:
    limiting = test.limiting
    return limiting.disk if limiting is not None and limiting.factor is Factor.ONE_DISK else None


def _candidates(
    run: TestRun, repeat: Repeat, seen: MachineActivity, place: BenchTarget, hba: float | None
) -> Iterator[Limiting]:
    logs = max((disk.busy or 0.0 for disk in seen.logs), default=0.0)
    if run.test.sync and logs >= DISK_FULL:
        words = _("The log device was busy {share} of the time.", share=share_text(logs))
        yield Limiting(factor=Factor.LOG, evidence=(words, *_disk_words(seen)))
    if seen.cpu is not None and seen.cpu >= FULL:
        yield Limiting(factor=Factor.CPU, evidence=(*_cpu_words(seen), *_disk_words(seen)))
    busy = [disk.busy for disk in seen.data if disk.busy is not None]
    if busy and median(busy) >= DISK_FULL:
        yield Limiting(factor=Factor.DISKS, evidence=(*_disk_words(seen), *_cpu_words(seen)))
    moved = sum(disk.rate or 0.0 for disk in seen.disks)
    if hba is not None and moved >= LINK_FULL * hba:
        words = _("All disks moved {rate} of the {links} of their links.", rate=rate_text(moved), links=rate_text(hba))
        yield Limiting(factor=Factor.LINK, evidence=(words, *_disk_words(seen)))
    yield from _network(repeat, seen, place)
    if seen.core is not None and seen.core >= CORE_FULL and seen.cores > 1:
        words = _("One core was busy {share} of the time while others rested.", share=share_text(seen.core))
        yield Limiting(factor=Factor.ONE_CORE, evidence=(words, *_cpu_words(seen), *_disk_words(seen)))
    if max(busy, default=1.0) < IDLE and (seen.cpu is None or seen.cpu < IDLE):
        words = _("Neither disks nor processor were half busy.")
        yield Limiting(factor=Factor.JOB, evidence=(words, *_disk_words(seen), *_cpu_words(seen)))


def _network(repeat: Repeat, seen: MachineActivity, place: BenchTarget) -> Iterator[Limiting]:
    asked = max(repeat.rate(way) or 0.0 for way in Direction)
    for name, most in place.links:
        rate = seen.network.get(name, 0.0)
        if rate >= LINK_FULL * most and (over_network(place) or rate >= asked / 2):
            words = _("{link} carried {rate} of {most}.", link=name, rate=rate_text(rate), most=rate_text(most))
            yield Limiting(factor=Factor.NETWORK, evidence=(words, *_disk_words(seen), *_cpu_words(seen)))


def _one_disk(seen: MachineActivity, cleared: Container[str], elsewhere: Iterable[MachineActivity]) -> Limiting | None:
    slow_ones = [slow for slow in find_slow_disks(seen.data) if slow.disk.name not in cleared]
    found = _slow_again(slow_ones, elsewhere) if slow_ones else []
    if not found:
        return None
    slow, disk = found[0], found[0].disk
    if disk.busy is not None and disk.busy < IDLE:
        return None  # slow, but nobody waits for it
    name = _("{disk} (serial {serial})", disk=disk.name, serial=disk.serial) if disk.serial else disk.name
    words = {"disk": name, "own": slow.wait_ns / 1e6, "others": slow.siblings_ns / 1e6, "ratio": slow.ratio}
    text = _("{disk} took {own:.1f} ms an operation, its siblings {others:.1f} ms: {ratio:.1f} times as long.", **words)
    evidence = [text]
    others = [one.busy for one in seen.data if one is not disk and one.busy is not None]
    if disk.busy is not None and others:
        evidence.append(
            _("It was busy {own}, the others {others}.", own=share_text(disk.busy), others=share_text(median(others)))
        )
    return Limiting(factor=Factor.ONE_DISK, evidence=tuple(evidence), disk=disk.name, serial=disk.serial)


def _slow_again(slow_ones: list[SlowDisk], elsewhere: Iterable[MachineActivity]) -> list[SlowDisk]:
    """Return those that the other repeats do not clear: they do where they name others, or where most name nobody.

    A weak disk is slow every time, but among equal ones some disk is always the first that is full. One that stalls
    now and then may miss a repeat. A single repeat accuses no disk: what came between them once looks the same.
    """
    named = [
        {slow.disk.name for slow in find_slow_disks(seen.data)}
        for seen in elsewhere
        if any(disk.waits.size for disk in seen.data)
    ]
    if not named:
        return []
    left = [slow for slow in slow_ones if all(slow.disk.name in names for names in named if names)]
    mostly_silent = named.count(set()) * 2 > len(named)
    return [slow for slow in left if slow.stalls or not mostly_silent]


def _disk_words(seen: MachineActivity) -> tuple[str, ...]:
    busy = [disk.busy for disk in seen.data if disk.busy is not None]
    if not busy:
        return ()
    words = {"least": share_text(min(busy)), "most": share_text(max(busy)), "middle": share_text(median(busy))}
    text = ngettext(
        "{count} disk was busy {middle} of the time.",
        "{count} disks were busy {least} to {most} of the time, median {middle}.",
        len(busy),
        **words,
    )
    return (text,)


def _cpu_words(seen: MachineActivity) -> tuple[str, ...]:
    if seen.cpu is None:
        return ()
    return (_("The processor worked {share} of its time, not counting waits for disks.", share=share_text(seen.cpu)),)
