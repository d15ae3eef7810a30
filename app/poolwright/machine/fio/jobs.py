"""One job of fio's JSON as measurements: the same values whichever version wrote it.

fio 3 counts latency in ns (``clat_ns``), fio 2 in µs (``clat``). ``bw`` is in KiB/s; ``bw_bytes`` came later.
``io_bytes`` was in KiB in fio 2 in spite of its name, which is told from ``bw`` and ``runtime`` beside it."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from poolwright.domain.errors import UserError
from poolwright.domain.measurement import Direction, Latency, Measurement
from poolwright.domain.units import not_understood
from poolwright.machine.json_values import mapping, number, whole
from poolwright.texts import _

_KIB = 1024
_NS, _NS_IN_US = 1, 1000
_BINS_BITS = 6  # fio's FIO_IO_U_PLAT_BITS: 64 bins for each power of two
_MORE_THAN_KIB = 32  # between 1, where io_bytes is in KiB, and 1024, where it is in bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class FioJob:
    """An entry of ``jobs`` or ``client_stats``: its name, where it ran, what it was asked and what fio tells of it.

    ``alone`` where no other entry is of the same job: it may then stand for all that ``numjobs`` made.
    """

    name: str
    host: str | None
    options: tuple[tuple[str, str], ...]
    fields: Mapping[str, object]
    alone: bool

    def moved(self) -> list[Direction]:
        reports = [(each, mapping(self.fields.get(each.value))) for each in Direction]
        return [each for each, got in reports if any(number(got.get(n)) for n in ("io_bytes", "io_kbytes", "bw"))]

    def measured(self) -> Iterator[Measurement]:
        """Yield each direction that moved data; of a job that failed before it did, those that it was asked for."""
        error = whole(self.fields.get("error")) or 0
        asked = directions_of(dict(self.options).get("rw")) if error else ()
        moved = self.moved()
        if moved[1:]:  # unified_rw_reporting=both tells all of it once more
            moved = [each for each in moved if each is not Direction.MIXED]
        for direction in moved or asked:
            yield _measurement(self, direction, error)

    def notes(self) -> Iterator[str]:
        error = whole(self.fields.get("error")) or 0
        if error:
            reason = os.strerror(min(abs(error), 1 << 30))
            yield _("{name} ended with error {error}: {reason}", name=self.name, error=error, reason=reason)
        elif not self.moved():
            yield _("{name} moved no data", name=self.name)

    def facts(self) -> Iterator[tuple[str, float]]:
        """Yield how long fsync and its kin took, which is no direction of its own."""
        sync = mapping(self.fields.get("sync"))
        took = latency_of(sync, "lat")
        if took and took.mean_ns is not None:
            yield f"{self.name} sync_mean_ns", took.mean_ns  # for machines
            yield from (
                (f"{self.name} sync_p{percent:g}_ns", float(ns))  # for machines
                for percent, ns in took.percentiles
            )


def io_bytes(fields: Mapping[str, object]) -> int | None:
    found, kib = whole(fields.get("io_bytes")), whole(fields.get("io_kbytes"))
    if found is None:
        return None if kib is None else kib * _KIB
    kib_a_second, ms = number(fields.get("bw")), number(fields.get("runtime"))
    if kib is None and kib_a_second and ms and found < _MORE_THAN_KIB * kib_a_second * ms / 1000:
        return found * _KIB
    return found


def latency_of(fields: Mapping[str, object], name: str, count: int | None = None) -> Latency | None:
    """Return ``clat``, ``slat`` or ``lat`` of a direction in ns; None where it was not taken.

    ``count`` is how many operations there were, for versions that do not count with the latency.
    """
    unit = _NS if f"{name}_ns" in fields else _NS_IN_US
    found = mapping(fields.get(f"{name}_ns" if unit == _NS else name))
    mean, most = number(found.get("mean")), number(found.get("max"))
    percentiles = tuple(sorted(_percentiles(mapping(found.get("percentile")), unit)))
    if not mean and not most and not any(ns for __, ns in percentiles):
        return None
    deviation = number(found.get("stddev"))
    return Latency(
        mean_ns=None if mean is None else mean * unit,
        least_ns=_times(found.get("min"), unit),
        most_ns=_times(found.get("max"), unit),
        deviation_ns=None if deviation is None else deviation * unit,
        count=whole(found.get("N")) if "N" in found else count,
        percentiles=percentiles,
        histogram=tuple(sorted(_bins(mapping(found.get("bins")), unit))),
    )


def bin_edge(index: int, bits: int = _BINS_BITS) -> int:
    """Return the largest value of fio's bin of that number (its stat.c keeps the first bits of a value)."""
    each = 1 << bits
    if index < 2 * each:
        return index
    shift = (index >> bits) - 1
    return ((each + index % each + 1) << shift) - 1


def _measurement(job: FioJob, direction: Direction, error: int) -> Measurement:
    fields = mapping(job.fields.get(direction.value))
    options = dict(job.options)
    ms, done = number(fields.get("runtime")), whole(fields.get("total_ios"))
    exact, kib = number(fields.get("bw_bytes")), number(fields.get("bw"))
    known, listed = bool(options), "job options" in job.fields
    # fio lists ``group_reporting`` only where a job file has it.
    jobs = count_of(options, "numjobs") if job.alone or "group_reporting" in options else 1
    return Measurement(
        name=job.name,
        direction=direction,
        pattern=options.get("rw"),
        block_bytes=block_bytes(options, direction) if known else None,
        queue_depth=count_of(options, "iodepth") if known else None,
        jobs=jobs if listed else None,
        sync=waits_for_storage(options) if listed and direction is Direction.WRITE else None,
        file_bytes=fio_size(options.get("size", ""), kilo_of(options)),
        bytes=io_bytes(fields),
        seconds=None if ms is None else ms / 1000,
        rate=exact if exact is not None else None if kib is None else kib * _KIB,
        iops=number(fields.get("iops")),
        submission=latency_of(fields, "slat", done),
        completion=latency_of(fields, "clat", done),
        total=latency_of(fields, "lat", done),
        cpu_user=number(job.fields.get("usr_cpu")),
        cpu_system=number(job.fields.get("sys_cpu")),
        error=error,
        host=job.host,
        options=job.options,
    )


def _times(value: object, unit: int) -> int | None:
    found = number(value)
    return None if found is None else round(found * unit) if unit != _NS else whole(value)


def _percentiles(found: Mapping[str, object], unit: int) -> Iterator[tuple[float, int]]:
    """Yield them by their per cent; fio 2 fills its list up with keys of 0."""
    for name, value in found.items():
        percent, ns = number(name), _times(value, unit)
        if percent and ns is not None:
            yield percent, ns


def _bins(found: Mapping[str, object], unit: int) -> Iterator[tuple[int, int]]:
    """Yield upper edge and count: fio 3 names a bin by the middle of its values, fio 2 by its number."""
    bits = whole(found.get("FIO_IO_U_PLAT_BITS"))
    for name, value in found.items():
        at, count = whole(name), whole(value)
        if at is None or count is None or at < 0 or count <= 0:
            continue
        if bits is None:
            width = 1 << max(at.bit_length() - 1 - _BINS_BITS, 0)
            yield (at if width == 1 else at - width // 2 + width - 1) * unit, count
        elif 0 < bits < _MORE_THAN_KIB and at >> bits < _KIB:
            yield bin_edge(at, bits) * unit, count


# The words of fio's jobs: sizes, patterns, what waits for stable storage.

_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([kmgtp]?)(i?)b?", re.IGNORECASE)
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4, "p": 5}
_MOST_DIGITS = 18
_USUAL_BLOCK = 4096  # fio's own where a job names none
_HEADER = re.compile(
    r"^[ \t]*(?:\d+ |<[^<>\n]{1,200}> )?(?P<name>\S.*?): \(g=\d+\): "
    r"rw=(?P<rw>[\w:]+), bs=(?P<bs>[^=]*), ioengine=(?P<ioengine>[^\s,]+), "
    r"iodepth=(?P<iodepth>\d+)",
    re.MULTILINE,
)
_RANGE = re.compile(r"([\d.]+[kmgKMG]?)i?B?-([\d.]+[kmgKMG]?)i?B?")
_ORDER = (Direction.READ, Direction.WRITE, Direction.TRIM)
_OTHER_NAMES = {"readwrite": "rw", "blocksize": "bs", "direct_io": "direct"}
_SPANS = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_SPAN = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*(us|ms|s|m|h|d)?\Z")
LOG_MILLISECONDS = 500  # between the rows of the logs that our own jobs write
_WAITS = ("fsync", "fdatasync")
_PATTERNS = ("read", "write", "trim", "readwrite", "trimwrite")

Options = Mapping[str, str]


def fio_size(text: str, kilo: int = 1024) -> int | None:
    """Return the bytes of ``128k``, ``10G`` or ``4096``, None where it is no size (``50%``, a range).

    fio's ``kb_base=1024``, which it starts with, gives the letters powers of 1024 and those with an i powers of 1000;
    with 1000 it is the other way (fio's documentation, "Parameter types").
    """
    match = _SIZE.fullmatch(text.strip())
    if not match or len(match[1]) > _MOST_DIGITS:
        return None
    base = kilo if not match[3] else 1024 + 1000 - kilo
    return int(float(match[1]) * base ** _POWERS[match[2].lower()])


def fio_seconds(text: str) -> float:
    """Return a time as fio reads it, s; raises UserError."""
    match = _SPAN.match(text.strip())
    if match is None:
        raise not_understood(text, _("Write 60, 90s or 2m."))
    return float(match.group(1)) * _SPANS[match.group(2) or "s"]


def seconds_in(options: Options, name: str) -> float:
    """Return an option that is a time, s; 0 where it is not named, or is none (a range)."""
    try:
        return fio_seconds(options.get(name, "0"))
    except UserError:
        return 0.0


def options_of(*levels: Mapping[str, object]) -> tuple[tuple[str, str], ...]:
    """Return the options of a job in order, those of later levels in place of earlier ones, by their usual names."""
    found: dict[str, str] = {}
    for level in levels:
        for name, value in level.items():
            found[_OTHER_NAMES.get(name, name)] = value if isinstance(value, str) else str(value)
    return tuple(found.items())


def headers_in(text: str) -> dict[str, dict[str, str]]:
    """Return what fio tells of each job before it starts: pattern, blocks, engine and depth, as options by its name.

    ``bs=4K-4K/4K-4K/4K-4K`` (fio 2) and ``bs=(R) 4096B-4096B, (W) ...`` (fio 3) are least and most of each direction.
    """
    found = {}
    for match in _HEADER.finditer(text):
        options = match.groupdict()
        name, ranges = options.pop("name"), _RANGE.findall(options["bs"])
        options["bs"] = ",".join(least for least, __ in ranges)
        if any(least != most for least, most in ranges):
            options["bsrange"] = ",".join(f"{least}-{most}" for least, most in ranges)  # for machines
        found[name] = options
    return found


def block_bytes(options: Options, direction: Direction) -> int | None:
    """Return the block size of a direction; None for a range, a mix or what is no size."""
    if "bsrange" in options or "bssplit" in options:
        return None
    sizes = options.get("bs", "").split(",")
    if direction is Direction.MIXED:
        return block_bytes(options, Direction.READ) if len(set(sizes)) == 1 else None
    place = min(_ORDER.index(direction), len(sizes) - 1)
    text = sizes[place] or sizes[0]
    return fio_size(text, kilo_of(options)) if text else _USUAL_BLOCK


def kilo_of(options: Options) -> int:
    return 1000 if options.get("kb_base") == "1000" else 1024


def waits_for_storage(options: Options) -> bool:
    """Tell whether each write waited for stable storage: sync=, fsync=1 or fdatasync=1."""
    if options.get("sync", "0") not in ("0", "none", "false"):
        return True
    return any(options.get(name) == "1" for name in _WAITS)


def count_of(options: Options, name: str) -> int | None:
    """Return an option that is a count, 1 where it is not named, None where it is no number."""
    text = options.get(name, "1")
    return int(text) if text.isascii() and text.isdigit() and len(text) < _MOST_DIGITS else None


def directions_of(pattern: str | None) -> Sequence[Direction]:
    """Return the ways in which a pattern moves data, none where it is not known."""
    word = (pattern or "").partition(":")[0].removeprefix("rand").replace("rw", "readwrite")
    return [way for way in _ORDER if way.value in word] if word in _PATTERNS else ()
