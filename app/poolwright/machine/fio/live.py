"""What the application saw while fio runs: by its reports, or by the line that tells people how far it is."""

import json
import re
import time
from collections.abc import Callable, Iterable, Mapping

from poolwright.domain.measurement import Direction, Observer, What
from poolwright.machine.fio.results import Counted, counted, jobs_of, samples_between
from poolwright.machine.json_values import mapping
from poolwright.machine.samples import CurveKey, Sample

_END_OF_REPORT = b"\n}\n"
_MOST_BYTES = 1 << 26


class FioReports:
    """Takes what fio prints with ``--output-format=json --status-interval``; samples are in ms since its jobs began.

    All jobs count as one application.
    """

    def __init__(self) -> None:
        self._rest = bytearray()
        self._before: dict[Direction, Counted] = {}

    def feed(self, chunk: bytes) -> tuple[Sample, ...]:
        self._rest += chunk
        found: list[Sample] = []
        while (end := self._rest.find(_END_OF_REPORT)) >= 0:
            whole = bytes(self._rest[: end + len(_END_OF_REPORT)])
            del self._rest[: len(whole)]
            begin = 0 if whole.startswith(b"{") else whole.find(b"\n{") + 1
            found += self._samples(whole[begin:])
        del self._rest[: max(0, len(self._rest) - _MOST_BYTES)]
        return tuple(found)

    def _samples(self, report: bytes) -> Iterable[Sample]:
        try:
            document = json.loads(report)
        except (ValueError, RecursionError):
            return
        jobs = jobs_of(mapping(document))
        for direction in Direction:
            now = _together(mapping(job.fields.get(direction.value)) for job in jobs)
            before = self._before.get(direction)
            if now is None or (before is not None and now.ms <= before.ms):
                continue
            self._before[direction] = now
            yield from samples_between(before, now, "fio", direction)


def _together(all_fields: Iterable[Mapping[str, object]]) -> Counted | None:
    """Return what all jobs did together, over the time of the one that runs longest.

    Latency is the whole one: where ZFS answers libaio at once, the completion is none.
    """
    known = [found for fields in all_fields if (found := counted(fields, "lat")) is not None]
    if not known:
        return None
    operations = [one.operations for one in known if one.operations is not None]
    waited = [one.waited_ns for one in known if one.waited_ns is not None]
    return Counted(
        ms=max(one.ms for one in known),
        bytes=sum(one.bytes for one in known),
        operations=sum(operations) if len(operations) == len(known) else None,
        waited_ns=sum(waited) if len(waited) == len(known) else None,
    )


# The line by which fio tells people how far it is: rounded, but told without waiting for any of its workers.

_LINE = re.compile(rb"Jobs: [0-9]+ \(f=[0-9]+\)[^\r\n]*[\r\n]")
_BRACKETS = re.compile(r"\[((?:[rwt]=[^\]=,]*,?)+)\]")
_VALUE = re.compile(r"([rwt])=([0-9]+(?:\.[0-9]+)?)([kKMGTP]?)(i?)")
_RAMPING = re.compile(r"\[[^\]=]*/[^\]=]*\]")
_LEFT = re.compile(r"\[eta (?:([0-9]+)d:)?(?:([0-9]+)h:)?([0-9]+)m:([0-9]+)s\]")
_UNITS = " KMGTP"
_WAYS = {"r": Direction.READ, "w": Direction.WRITE, "t": Direction.TRIM}
_PERIODS_S = (86_400, 3_600, 60, 1)
_LINE_MOST_BYTES = 1 << 12  # of a line that has not ended yet


class FioLine:
    """Takes what fio prints with ``--eta=always``; samples are in ms since its jobs began, a line's when it came.

    ``written_bytes`` is what its rates add up to, a per cent or two beside what was really written; ``seconds_left``
    what it says, None while it says nothing.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.seconds_left: float | None = None
        self._clock = clock
        self._rest = b""
        self._began: float | None = None
        self._last = 0.0
        self._written = 0.0

    @property
    def written_bytes(self) -> int:
        return round(self._written)

    def feed(self, chunk: bytes) -> tuple[Sample, ...]:
        text = self._rest + chunk
        lines = list(_LINE.finditer(text))
        self._rest = text[lines[-1].end() if lines else 0 :][-_LINE_MOST_BYTES:]
        if not lines:
            return ()
        return self._samples(lines[-1].group()[:_LINE_MOST_BYTES].decode("ascii", "replace"))

    def _samples(self, line: str) -> tuple[Sample, ...]:
        now = self._clock()
        left = _LEFT.search(line)
        parts = zip(left.groups(), _PERIODS_S, strict=True) if left else ()
        self.seconds_left = float(sum(int(value or 0) * length for value, length in parts)) if left else None
        found = list(_values(line))
        written = sum(value for what, way, value in found if (what, way) == (What.RATE, Direction.WRITE))
        if self._began is None:
            # Of the first line nobody knows since when.
            self._began = self._last = now
        self._written += written * (now - self._last)
        self._last = now
        ms = round(1000 * (now - self._began))
        if ms == 0 or _RAMPING.search(line):
            return ()
        return tuple(Sample(ms, CurveKey("fio", Observer.APPLICATION, what, way), value) for what, way, value in found)


def _values(line: str) -> list[tuple[What, Direction, float]]:
    found = []
    for inside in _BRACKETS.findall(line):
        what = What.IOPS if inside.endswith("IOPS") else What.RATE
        for way, number, unit, binary in _VALUE.findall(inside):
            factor = (1024 if binary else 1000) ** max(0, _UNITS.index(unit.upper() or " "))
            found.append((what, _WAYS[way], float(number) * factor))
    return found
