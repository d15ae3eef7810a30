"""What fio prints for people (fio 2 and 3) and for scripts (``--minimal``), as measurements.

Numbers are rounded as they are printed. Sizes and rates are in powers of 1024, also where fio 2 writes KB; latencies in
ns, µs or ms as the line says, with k and m for thousands and millions.
"""

import re
from collections.abc import Iterator

from poolwright.bench.reading.fio_messages import messages_in
from poolwright.bench.reading.fio_words import block_bytes, count_of, headers_in
from poolwright.bench.reading.picking import number, text_of, whole
from poolwright.bench.result import BenchTool, Direction, Latency, Measurement, Recorded
from poolwright.domain.errors import UserError
from poolwright.texts import tell

_JOB = re.compile(
    r"^(?P<name>[^\n]*?): \(groupid=\d+, jobs=(?P<jobs>\d{1,9})\): err=\s*(?P<error>\d{1,9})", re.MULTILINE
)
_GROUP_SUMMARY = re.compile(r"^[ \t]*(?:\d+ )?Run status group", re.MULTILINE)
_DIRECTION = re.compile(r"\b(read|write|trim)\s*:\s*(?=io=|IOPS=)([^\n]*)")
_AMOUNT = r"([\d.]{1,18})([KMGTP]?)i?B"
_BYTES = re.compile(rf"io={_AMOUNT}|\({_AMOUNT}/\d+msec")
_RATE = re.compile(rf"\bbw={_AMOUNT}/s", re.IGNORECASE)
_IOPS = re.compile(r"\biops=\s*([\d.]{1,18})([kmKM]?)", re.IGNORECASE)
_MS = re.compile(r"(?:runt=\s*|/)(\d{1,15})\s*msec")
_LATENCY = re.compile(
    r"\b([sc]?lat) \((nsec|usec|msec)\): min=\s*([\d.]+[km]?), max=\s*([\d.]+[km]?), avg=\s*([\d.]+[km]?), "
    r"stdev=\s*([\d.]+[km]?)"
)
_PERCENTILES = re.compile(r"\b([sc]?lat) percentiles \((nsec|usec|msec)\):((?:\s*(?:\d+ )?\|[^\n]*)+)")
_PERCENTILE = re.compile(r"([\d.]{1,12})th=\[\s*([\d.]{1,18}[km]?)\]")
_CPU = re.compile(r"cpu\s*: usr=([\d.]+)%, sys=([\d.]+)%")
_VERSION = re.compile(r"\bfio-(\d[\w.-]*)")
_TERSE = re.compile(r"^([34]);fio-([^;\n]*);([^\n]*)$", re.MULTILINE)
_TERSE_OTHER = re.compile(r"^(?:2|5);[^;\n]*;[^;\n]*;\d+;\d+;", re.MULTILINE)
_TERSE_PART, _TERSE_FIRST = 41, 3  # fields of one direction, and before the first after the version
_POWERS = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5}
_NS = {"nsec": 1, "usec": 1000, "msec": 1_000_000}
_THOUSANDS = {"k": 1000, "m": 1_000_000}


def read_fio_text(data: bytes, *, where: str) -> tuple[Recorded, ...]:
    """Return what fio printed. Raises UserError with fio's own words where no job was finished."""
    text = text_of(data)
    measured = (*_jobs(text), *_terse(text))
    if not measured and _TERSE_OTHER.search(text):
        raise UserError(
            tell("This is fio's terse output of a version other than 3 and 4, which is not read"),
            where=where,
            todo=tell("Let fio print with --terse-version=3, or better with --output-format=json."),
        )
    if not measured:
        raise UserError(
            tell("There is no finished job of fio in it"),
            where=where,
            todo=" ".join(messages_in(text)) or tell("Save what fio prints until its end."),
        )
    version = _VERSION.search(text)
    notes = [tell("{name} ended with error {error}", name=one.name, error=one.error) for one in measured if one.error]
    return (
        Recorded(
            tool=BenchTool.FIO,
            where=where,
            version=version[1] if version else None,
            measured=measured,
            notes=(*notes, *messages_in(text)),
        ),
    )


def _jobs(text: str) -> Iterator[Measurement]:
    headers = headers_in(text)
    found = list(_JOB.finditer(text))
    for place, job in enumerate(found):
        end = found[place + 1].start() if place + 1 < len(found) else len(text)
        part = text[job.end() : end]
        if summary := _GROUP_SUMMARY.search(part):
            part = part[: summary.start()]
        yield from _directions(job, part, headers.get(job["name"].strip(), {}))


def _directions(job: "re.Match[str]", text: str, options: dict[str, str]) -> Iterator[Measurement]:
    begins = list(_DIRECTION.finditer(text))
    cpu = _CPU.search(text)
    for place, begin in enumerate(begins):
        part = text[begin.end() : begins[place + 1].start() if place + 1 < len(begins) else len(text)]
        line, direction = begin[2], Direction(begin[1])
        moved, ms, iops = _BYTES.search(line), _MS.search(line), _IOPS.search(line)
        amount = _bytes(*[group for group in moved.groups() if group is not None]) if moved else None
        rate = _RATE.search(line)
        latencies = _latencies(part)
        yield Measurement(
            name=job["name"].strip(),
            direction=direction,
            pattern=options.get("rw"),
            block_bytes=block_bytes(options, direction) if options else None,
            queue_depth=count_of(options, "iodepth") if options else None,
            jobs=int(job["jobs"]),
            bytes=None if amount is None else round(amount),
            seconds=int(ms[1]) / 1000 if ms else None,
            rate=_bytes(rate[1], rate[2]) if rate else None,
            iops=_scaled(iops[1] + iops[2].lower()) if iops else None,
            submission=latencies.get("slat"),
            completion=latencies.get("clat"),
            total=latencies.get("lat"),
            cpu_user=number(cpu[1]) if cpu else None,
            cpu_system=number(cpu[2]) if cpu else None,
            error=int(job["error"]),
            options=tuple(options.items()),
        )


def _latencies(text: str) -> dict[str, Latency]:
    shares: dict[str, tuple[tuple[float, int], ...]] = {}
    for name, unit, lines in _PERCENTILES.findall(text):
        found = ((number(percent), _scaled(value)) for percent, value in _PERCENTILE.findall(lines))
        known = {percent: round(ns * _NS[unit]) for percent, ns in found if percent and ns is not None}
        shares[name] = tuple(sorted(known.items()))
    latencies = {}
    for name, unit, *values in _LATENCY.findall(text):
        least, most, mean, deviation = (None if (ns := _scaled(value)) is None else ns * _NS[unit] for value in values)
        latencies[name] = Latency(
            mean_ns=mean,
            least_ns=None if least is None else round(least),
            most_ns=None if most is None else round(most),
            deviation_ns=deviation,
            percentiles=shares.get(name, ()),
        )
    return latencies


def _bytes(amount: str, power: str = "") -> float | None:
    found = number(amount)
    return None if found is None else found * 1024 ** _POWERS[power.upper()]


def _scaled(text: str) -> float | None:
    found = number(text.rstrip("km"))
    return None if found is None else found * _THOUSANDS.get(text[-1:], 1)


def _terse(text: str) -> Iterator[Measurement]:
    """Yield the jobs of ``--minimal``, versions 3 and 4 (fio's documentation, "Terse output")."""
    for match in _TERSE.finditer(text):
        fields = match[3].split(";")
        for place, direction in enumerate(Direction):
            begin = _TERSE_FIRST + place * _TERSE_PART
            part = fields[begin : begin + _TERSE_PART]
            if len(part) < _TERSE_PART or (direction is Direction.TRIM and match[1] == "3"):
                break
            kib, rate, iops, ms = (number(field) for field in part[:4])
            if kib:
                yield Measurement(
                    name=fields[0],
                    direction=direction,
                    bytes=round(kib * 1024),
                    seconds=None if ms is None else ms / 1000,
                    rate=None if rate is None else rate * 1024,
                    iops=iops,
                    submission=_terse_latency(part[4:8], []),
                    completion=_terse_latency(part[8:12], part[12:32]),
                    total=_terse_latency(part[32:36], []),
                    error=whole(fields[2]) or 0,
                )


def _terse_latency(fields: list[str], shares: list[str]) -> Latency | None:
    least, most, mean, deviation = (None if (us := number(field)) is None else us * 1000 for field in fields)
    if not mean:
        return None
    pairs = ((number(percent.rstrip("%")), number(us)) for percent, _, us in (each.partition("=") for each in shares))
    return Latency(
        mean_ns=mean,
        least_ns=None if least is None else round(least),
        most_ns=None if most is None else round(most),
        deviation_ns=deviation,
        percentiles=tuple(sorted((percent, round(us * 1000)) for percent, us in pairs if percent and us is not None)),
    )
