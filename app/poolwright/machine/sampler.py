"""What the sampler beside a run reads each second: counters of processors, disks, networks, and OpenZFS."""

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime

from poolwright.domain.measurement import BenchTool, Direction, Observer, Recorded, What
from poolwright.machine.json_values import nothing_of
from poolwright.machine.samples import ClockStep, CurveKey, CurveMaker, Sample, SteadyClock, sampled

# The kernel's named counters of OpenZFS (arcstats, a pool's iostats) as they stand in /proc/spl/kstat/zfs.

_LINE = re.compile(r"^(\w+) +([0-9]) +(-?[0-9]{1,20})$", re.MULTILINE)
_UNSIGNED = "4"
_ARC = "c_max"
_OF_POOL = frozenset({"nread", "trim_bytes_written", "arc_read_bytes"})  # io before 2.0, iostats since


def counters(text: str) -> dict[str, int]:
    return {name: int(value) for name, kind, value in _LINE.findall(text) if kind in ("1", "2", "3", _UNSIGNED)}


def share(grown: Mapping[str, int], hits: str, misses: str) -> float | None:
    """Return which share of what was asked was a hit, by how far the counters grew; None where nothing was asked."""
    found, missed = grown.get(hits, -1), grown.get(misses, -1)
    return found / (found + missed) if found >= 0 and missed >= 0 and found + missed > 0 else None


def read_kstat(data: bytes, *, where: str) -> tuple[Recorded, ...]:
    """Return the counters of arcstats, of a pool's iostats or of another table as facts.

    Of arcstats also the hit share since the module was loaded. Raises UserError where there are none.
    """
    found = counters(data.decode("utf-8", errors="replace"))
    if not found:
        raise nothing_of("/proc/spl/kstat/zfs", where, "cat /proc/spl/kstat/zfs/arcstats")
    arc, of_pool = _ARC in found, not _OF_POOL.isdisjoint(found)
    hit = share(found, "hits", "misses") if arc else None
    facts = [(name, float(value)) for name, value in found.items()]
    facts += [] if hit is None else [("hit_share", hit)]
    tool = BenchTool.ARCSTATS if arc else BenchTool.POOL_IOSTATS if of_pool else BenchTool.PROC
    return (Recorded(tool=tool, where=where, facts=tuple(facts)),)


ALL_CORES = "all"
_HEAD = re.compile(
    rb"^@([a-z]+) (\S+) ([0-9]{1,12}(?:\.[0-9]{1,9})?)(?: ([0-9]{1,12}(?:\.[0-9]{1,9})?))?$", re.MULTILINE
)
_DISK = re.compile(r"^(?:[shv]d[a-z]+|xvd[a-z]+|nvme[0-9]+n[0-9]+|mmcblk[0-9]+|pmem[0-9]+)$")
_SECTOR = 512
_LATEST_MS = 253_402_300_799_000  # the year 9999, beyond which no date is told
_MOST_PIECE_BYTES = 1 << 22
_LONGEST_GAP_SECONDS = 600.0  # readings are a second apart, but a machine may stand still for minutes
Numbers = dict[str, int]
Told = Iterator[tuple[CurveKey, float]]


class SamplerReader:
    """Takes the sampler's output as it comes, wherever it is cut. Samples are in ms since 1970.

    A counter tells what happened since it was read before, so that the first reading of each tells nothing. Where
    somebody sets the clock, curves go on where they were; ``clock`` knows when that was.
    """

    def __init__(self) -> None:
        self._rest = b""
        self._head: tuple[str, str, float] | None = None
        self._lines: list[bytes] = []
        self._before: dict[tuple[str, str], tuple[float, Numbers]] = {}
        self.clock = SteadyClock(longest=_LONGEST_GAP_SECONDS)

    def feed(self, chunk: bytes) -> tuple[Sample, ...]:
        """Take the next bytes; return the numbers of the pieces that are whole now."""
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        self._rest = self._rest[-_MOST_PIECE_BYTES:]
        found: list[Sample] = []
        for line in lines:
            head = _HEAD.match(line)
            if head is None:
                self._lines.append(line)
                continue
            found += self._piece()
            moment = self.clock.moment(float(head[3]), None if head[4] is None else float(head[4]))
            self._head = (head[1].decode(), head[2].decode("utf-8", "replace"), moment)
            self._lines = []
        return tuple(found)

    def end(self) -> tuple[Sample, ...]:
        """Return the numbers of the last piece, which nothing follows; a cut line in it is passed over."""
        found, self._head = self._piece(), None
        return found

    def _piece(self) -> tuple[Sample, ...]:
        if self._head is None or self._head[0] not in _KINDS:
            return ()
        kind, name, now = self._head
        parse, samples_of = _KINDS[kind]
        numbers = parse("\n".join(line.decode("utf-8", "replace") for line in self._lines))
        then, before = self._before.get((kind, name), (now, {}))
        self._before[kind, name] = (now, numbers)
        ms = round(now * 1000)
        grown = {each: value - before[each] for each, value in numbers.items() if each in before}
        return tuple(Sample(ms, key, value) for key, value in samples_of(name, grown, numbers, now - then))


def read_sampler(data: bytes, *, where: str) -> tuple[Recorded, ...]:
    """Return the curves of what a sampler told. Raises UserError where nothing of it is there."""
    reader, maker = SamplerReader(), CurveMaker()
    maker.take(reader.feed(data)).take(reader.end())
    began = maker.began()
    if began is None:
        raise nothing_of("the sampler", where)  # for machines
    started = datetime.fromtimestamp(began / 1000, UTC) if began < _LATEST_MS else None
    return (sampled(maker, tool=BenchTool.PROC, where=where, started=started),)


def steps_of(data: bytes) -> tuple[ClockStep, ...]:
    clock = SteadyClock(longest=_LONGEST_GAP_SECONDS)
    for head in _HEAD.finditer(data):
        clock.moment(float(head[3]), None if head[4] is None else float(head[4]))
    return tuple(clock.steps)


def _rows(text: str) -> Iterator[tuple[str, list[int]]]:
    for line in text.splitlines():
        name, *words = line.replace(":", " ", 1).split()[:40] or [""]
        values = [int(word) for word in words if word.isdecimal() and len(word) < 21]
        if values:
            yield name, values


def _stat(text: str) -> Numbers:
    """Return the busy, waiting and whole time of each core, in ticks, as ``NAME.busy`` and so on."""
    found: Numbers = {}
    for name, ticks in _rows(text):
        if name.startswith("cpu") and len(ticks) >= 8:
            core = ALL_CORES if name == "cpu" else name
            # user nice system idle iowait irq softirq steal; guests are counted in user already
            found |= {f"{core}.wait": ticks[4], f"{core}.all": sum(ticks[:8])}
            found[f"{core}.busy"] = found[f"{core}.all"] - ticks[3] - ticks[4]
    return found


def _samples_of_stat(_name: str, grown: Numbers, _now: Numbers, _seconds: float) -> Told:
    for core, whole in ((name.removesuffix(".all"), value) for name, value in grown.items() if name.endswith(".all")):
        if not whole:
            continue
        yield CurveKey(core, Observer.CPU, What.BUSY), min(1.0, max(0.0, grown[f"{core}.busy"] / whole))
        if core == ALL_CORES:
            waited = min(1.0, max(0.0, grown[f"{core}.wait"] / whole))
            yield CurveKey(core, Observer.CPU, What.SHARE, None, "iowait"), waited


def _diskstats(text: str) -> Numbers:
    found: Numbers = {}
    for line in text.splitlines():
        words = line.split()
        if len(words) < 14 or not _DISK.match(words[2]) or not all(word.isdecimal() for word in words[3:14]):
            continue
        reads, __, read, read_ms, writes, __, written, write_ms, __, busy_ms, __ = map(int, words[3:14])
        values = (reads, read, read_ms, writes, written, write_ms, busy_ms)
        found |= {f"{words[2]}.{place}": value for place, value in enumerate(values)}
    return found


def _samples_of_disks(_name: str, grown: Numbers, _now: Numbers, seconds: float) -> Told:
    for disk in (name.removesuffix(".0") for name in grown if name.endswith(".0")):
        values = [grown[f"{disk}.{place}"] for place in range(7)]
        if seconds <= 0 or min(values) < 0:
            continue
        reads, read, read_ms, writes, written, write_ms, busy_ms = values
        for way, count, sectors, waited in (
            (Direction.READ, reads, read, read_ms),
            (Direction.WRITE, writes, written, write_ms),
        ):
            yield CurveKey(disk, Observer.DISK, What.IOPS, way), count / seconds
            yield CurveKey(disk, Observer.DISK, What.RATE, way), sectors * _SECTOR / seconds
            if count:
                yield CurveKey(disk, Observer.DISK, What.LATENCY, way, "await"), waited * 1e6 / count
        yield CurveKey(disk, Observer.DISK, What.BUSY), min(1.0, busy_ms / 1000 / seconds)


def _net(text: str) -> Numbers:
    found: Numbers = {}
    for name, numbers in _rows(text):
        if name != "lo" and len(numbers) >= 16:
            found |= {f"{name}.in": numbers[0], f"{name}.out": numbers[8]}
    return found


def _samples_of_net(_name: str, grown: Numbers, _now: Numbers, seconds: float) -> Told:
    for name, value in grown.items():
        device, __, way = name.rpartition(".")
        if value >= 0 and seconds > 0:
            direction = Direction.READ if way == "in" else Direction.WRITE
            yield CurveKey(device, Observer.NETWORK, What.RATE, direction), value / seconds


def _samples_of_arc(_name: str, grown: Numbers, now: Numbers, _seconds: float) -> Told:
    for name in ("size", "c", "c_max"):
        if name in now:
            yield CurveKey("ARC", Observer.ARC, What.BYTES, None, name), float(now[name])
    for name in ("", "demand_data_", "prefetch_data_", "l2_"):
        found = share(grown, f"{name}hits", f"{name}misses")
        if found is not None:
            yield CurveKey("ARC", Observer.ARC, What.SHARE, None, f"{name}hits"), found


def _samples_of_pool(name: str, grown: Numbers, _now: Numbers, seconds: float) -> Told:
    """Tell what a pool read through the ARC and what went past it (direct I/O, from 2.3 on), bytes/s."""
    for way in (Direction.READ, Direction.WRITE):
        for kind in ("arc", "direct"):
            value = grown.get(f"{kind}_{way.value}_bytes", -1)
            if value >= 0 and seconds > 0:
                yield CurveKey(name, Observer.ARC, What.RATE, way, kind), value / seconds


def _hwmon(text: str) -> Numbers:
    word = text.strip()
    return {"milli": int(word)} if word.isdecimal() and len(word) < 8 else {}


def _samples_of_warmth(name: str, _grown: Numbers, now: Numbers, _seconds: float) -> Told:
    if "milli" in now:
        yield CurveKey(name, Observer.TEMPERATURE, What.CELSIUS), now["milli"] / 1000


_KINDS: dict[str, tuple[Callable[[str], Numbers], Callable[[str, Numbers, Numbers, float], Told]]] = {
    "stat": (_stat, _samples_of_stat),
    "diskstats": (_diskstats, _samples_of_disks),
    "net": (_net, _samples_of_net),
    "arcstats": (counters, _samples_of_arc),
    "iostats": (counters, _samples_of_pool),
    "hwmon": (_hwmon, _samples_of_warmth),
}
