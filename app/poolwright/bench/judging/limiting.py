"""What kept a test from being faster, named from what was seen beside it, as the thesis does for each of its tests.

Processor time counts without waiting for disks (thesis 5.2); a processor that is full limits whatever else is full
(5.3, 5.5); where neither processor nor disks are full, the cause lies in between, or nobody asked for more (4, 7.1).
"""

from collections import Counter
from collections.abc import Container, Iterable, Iterator
from statistics import median

from poolwright.bench.judging.expected import Foretold
from poolwright.bench.judging.seen import Seen, seen_of
from poolwright.bench.judging.slow_disk import SlowDisk, find_slow_disks
from poolwright.bench.judging.spread import direction_of, rate_of_repeat, whole
from poolwright.bench.judging.verdicts import Factor, Limiting, TestVerdict
from poolwright.bench.record import Repeat, TestRun
from poolwright.bench.running.place import BenchPlace, over_network
from poolwright.domain.measurement import Direction
from poolwright.domain.rates import rate_text
from poolwright.predict.number_words import share_text
from poolwright.texts import tell, tell_counted

FULL, CORE_FULL, DISK_FULL = 0.9, 0.95, 0.8
LINK_FULL = 0.8  # of the nominal rate of links; framing takes 15 % (predict/caps)
IDLE, FROM_MEMORY = 0.5, 0.5


def limiting_factor(
    run: TestRun,
    place: BenchPlace,
    *,
    memory: float | None = None,
    foretold: Foretold | None = None,
    cleared: Container[str] = (),
) -> Limiting | None:
    """Return the limiting factor of a test with its evidence; None where too little was seen to name one.

    ``memory`` is the share that never came from the disks. Of the whole repeats the last one is looked at: the pool is
    as warm as it gets. ``cleared`` are names of disks that other tests saw work like their siblings.
    """
    repeats = whole(run)
    if not repeats:
        return None
    direction = direction_of(run.test)
    last = seen_of(run.test, repeats[-1], place, direction)
    if memory is not None and memory >= FROM_MEMORY:
        return Limiting(factor=Factor.ARC, evidence=(_memory_words(memory), *_disk_words(last)))
    hba = None if foretold is None else foretold.hba
    # Others are looked at where the last one names a disk.
    others = (seen_of(run.test, repeat, place, direction) for repeat in repeats[:-1])
    return _one_disk(last, cleared, others) or next(_candidates(run, repeats[-1], last, place, hba), None)


def cleared_disks(tests: Iterable[TestVerdict]) -> frozenset[str]:
    """Return the disks that a test names as slow while most tests that name one name others.

    A weak disk stands out again and again; where each test names another one, the work was uneven and not the disks.
    """
    named = Counter(disk for test in tests if (disk := named_disk(test)) is not None)
    return frozenset(disk for disk, count in named.items() if count * 2 <= named.total() and len(named) > 1)


def named_disk(test: TestVerdict) -> str | None:
    """Return the one slow disk that a test names, None where it names none."""
    limiting = test.limiting
    return limiting.disk if limiting is not None and limiting.factor is Factor.ONE_DISK else None


def _candidates(run: TestRun, repeat: Repeat, seen: Seen, place: BenchPlace, hba: float | None) -> Iterator[Limiting]:
    """Yield what else limits than memory and one disk, the surest first."""
    if run.test.sync and seen.logs and max(disk.busy or 0.0 for disk in seen.logs) >= DISK_FULL:
        logs = max(disk.busy or 0.0 for disk in seen.logs)
        words = tell("The log device was busy {share} of the time.", share=share_text(logs))
        yield Limiting(factor=Factor.LOG, evidence=(words, *_disk_words(seen)))
    if seen.cpu is not None and seen.cpu >= FULL:
        yield Limiting(factor=Factor.CPU, evidence=(*_cpu_words(seen), *_disk_words(seen)))
    busy = _median_busy(seen)
    if busy is not None and busy >= DISK_FULL:
        yield Limiting(factor=Factor.DISKS, evidence=(*_disk_words(seen), *_cpu_words(seen)))
    moved = sum(disk.rate or 0.0 for disk in seen.disks)
    if hba is not None and moved >= LINK_FULL * hba:
        words = tell(
            "All disks together moved {rate} of the {links} of their links.",
            rate=rate_text(moved),
            links=rate_text(hba),
        )
        yield Limiting(factor=Factor.LINK, evidence=(words, *_disk_words(seen)))
    yield from _network(repeat, seen, place)
    if seen.core is not None and seen.core >= CORE_FULL and seen.cores > 1:
        words = tell(
            "At each moment one core was busy {share} of the time, while others rested.", share=share_text(seen.core)
        )
        yield Limiting(factor=Factor.ONE_CORE, evidence=(words, *_cpu_words(seen), *_disk_words(seen)))
    busiest = max((disk.busy for disk in seen.data if disk.busy is not None), default=1.0)
    if busiest < IDLE and (seen.cpu is None or seen.cpu < IDLE):
        words = tell("Neither disks nor processor were half busy: the job asked for no more.")
        yield Limiting(factor=Factor.JOB, evidence=(words, *_disk_words(seen), *_cpu_words(seen)))


def _network(repeat: Repeat, seen: Seen, place: BenchPlace) -> Iterator[Limiting]:
    """Yield a link of the network that is full, where what was asked for went over it: NFS, SMB, iSCSI."""
    asked = max((rate for way in Direction if (rate := rate_of_repeat(repeat, way)) is not None), default=0.0)
    carried = dict(seen.network)
    for name, most in place.links:
        rate = carried.get(name, 0.0)
        if rate >= LINK_FULL * most and (over_network(place) or rate >= asked / 2):
            words = tell("{link} carried {rate} of {most}.", link=name, rate=rate_text(rate), most=rate_text(most))
            yield Limiting(factor=Factor.NETWORK, evidence=(words, *_disk_words(seen), *_cpu_words(seen)))


def _one_disk(seen: Seen, cleared: Container[str], elsewhere: Iterable[Seen]) -> Limiting | None:
    """Return the slowest disk that neither other tests nor the other repeats clear."""
    # One repeat accuses no disk: what came between it and one of them once looks the same.
    elsewhere = list(elsewhere)
    if not elsewhere:
        return None
    slow_ones = [slow for slow in find_slow_disks([disk.as_waits for disk in seen.data]) if slow.name not in cleared]
    found = _slow_again(slow_ones, elsewhere) if slow_ones else []
    if not found:
        return None
    slow = found[0]
    disk = next(disk for disk in seen.data if disk.name == slow.name)
    if disk.busy is not None and disk.busy < IDLE:
        return None  # slow, but nobody waits for it
    evidence = [_slow_words(slow, disk.serial)]
    others = [one.busy for one in seen.data if one is not disk and one.busy is not None]
    if disk.busy is not None and others:
        evidence.append(
            tell(
                "It was busy {own} of the time, the others {others}.",
                own=share_text(disk.busy),
                others=share_text(median(others)),
            )
        )
    return Limiting(factor=Factor.ONE_DISK, evidence=tuple(evidence), disk=disk.name, serial=disk.serial)


def _slow_again(slow_ones: list[SlowDisk], elsewhere: Iterable[Seen]) -> list[SlowDisk]:
    """Return those that the other repeats do not clear: they do where they name others, or where most name nobody.

    A weak disk is slow every time, but among equal ones some disk is always the first that is full. One that stalls
    now and then may miss a repeat.
    """
    named = [
        {slow.name for slow in find_slow_disks([disk.as_waits for disk in seen.data])}
        for seen in elsewhere
        if any(disk.waits.size for disk in seen.data)
    ]
    left = [slow for slow in slow_ones if all(slow.name in names for names in named if names)]
    mostly_silent = named.count(set()) * 2 > len(named)
    return [slow for slow in left if slow.stalls or not mostly_silent]


def _slow_words(slow: SlowDisk, serial: str | None) -> str:
    name = tell("{disk} (serial {serial})", disk=slow.name, serial=serial) if serial else slow.name
    words = {"disk": name, "own": slow.wait_ns / 1e6, "others": slow.siblings_ns / 1e6, "ratio": slow.ratio}
    if slow.stalls:
        return tell(
            "{disk} stalls: it took {own:.1f} ms for an operation on an average, its siblings {others:.1f} ms, "
            "{ratio:.1f} times as long.",
            **words,
        )
    return tell(
        "{disk} took {own:.1f} ms for an operation, its siblings {others:.1f} ms at the same moments: {ratio:.1f} "
        "times as long.",
        **words,
    )


def _median_busy(seen: Seen) -> float | None:
    known = [disk.busy for disk in seen.data if disk.busy is not None]
    return median(known) if known else None


def _memory_words(memory: float) -> str:
    return tell("{share} of the bytes came from memory, not from the disks.", share=share_text(memory))


def _disk_words(seen: Seen) -> tuple[str, ...]:
    busy = [disk.busy for disk in seen.data if disk.busy is not None]
    if not busy:
        return ()
    return (
        tell_counted(
            "{count} disk was busy {middle} of the time.",
            "{count} disks were busy {least} to {most} of the time, in the median {middle}.",
            len(busy),
            least=share_text(min(busy)),
            most=share_text(max(busy)),
            middle=share_text(median(busy)),
        ),
    )


def _cpu_words(seen: Seen) -> tuple[str, ...]:
    if seen.cpu is None:
        return ()
    return (
        tell("The processor worked {share} of its time, waiting for disks not counted.", share=share_text(seen.cpu)),
    )
