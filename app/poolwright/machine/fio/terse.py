"""What fio prints for scripts, ``--minimal`` or ``--output-format=terse``: versions 2 to 5 of its line.

Each direction has as many fields, one after the other (fio's documentation, "Terse output"): KiB, KiB/s, IOPS and ms;
four of the submission, four of the completion and twenty percentiles, four of the whole latency; five of the rate over
time. Version 5 adds how many samples the rate has, and the same five of the operations. Latencies are in µs.
"""

import re
from collections.abc import Iterator
from math import isclose

from poolwright.domain.measurement import Direction, Latency, Measurement
from poolwright.machine.fields import number, whole

_LINE = re.compile(r"^(?:(?P<old>2)|(?P<new>[345]);fio-[^;\n]*);(?P<fields>[^;\n]*;\d+;\d+;[^\n]*)$", re.MULTILINE)
_FIRST = 3  # name, group and error stand before the first direction
_PART, _PART_5 = 41, 47
_WAYS = (Direction.READ, Direction.WRITE, Direction.TRIM)
_ROUNDED = 0.05


def read_terse(text: str) -> Iterator[Measurement]:
    """Yield each direction of the jobs in ``text`` that moved data."""
    for match in _LINE.finditer(text):
        fields = match["fields"].split(";")
        version = match["old"] or match["new"]
        length = _PART_5 if version == "5" else _PART
        for place, direction in enumerate(_WAYS):
            part = fields[_FIRST + place * length : _FIRST + (place + 1) * length]
            if len(part) < length or (direction is Direction.TRIM and version == "3"):
                break
            if (found := _direction(fields, direction, part)) is not None:
                yield found


def _direction(fields: list[str], direction: Direction, part: list[str]) -> Measurement | None:
    """Return what a direction did; None where it did nothing, or the fields are others (fio 1 has no IOPS)."""
    kib, rate, iops, ms = (number(field) for field in part[:4])
    if not kib or (rate and ms and not isclose(kib * 1000 / ms, rate, rel_tol=_ROUNDED, abs_tol=2)):
        return None
    return Measurement(
        name=fields[0],
        direction=direction,
        bytes=round(kib * 1024),
        seconds=None if ms is None else ms / 1000,
        rate=None if rate is None else rate * 1024,
        iops=iops,
        submission=_latency(part[4:8], []),
        completion=_latency(part[8:12], part[12:32]),
        total=_latency(part[32:36], []),
        error=whole(fields[2]) or 0,
    )


def _latency(fields: list[str], shares: list[str]) -> Latency | None:
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
