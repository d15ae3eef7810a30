"""fio's reports while it runs: what the application saw since the report before."""

import json
from collections.abc import Iterable, Mapping

from poolwright.domain.latency import Direction, Observer, What
from poolwright.machine.fio.as_json import Counted, between, counted, jobs_of
from poolwright.machine.picking import mapping
from poolwright.machine.samples import CurveKey, Sample

_END_OF_REPORT = b"\n}\n"
_MOST_BYTES = 1 << 26
_NAME = "fio"


class FioReports:
    """Takes what fio prints with ``--output-format=json --status-interval``; samples are in ms since its jobs began.

    All jobs count as one application.
    """

    def __init__(self) -> None:
        self._rest = bytearray()
        self._before: dict[Direction, Counted] = {}

    def feed(self, chunk: bytes) -> tuple[Sample, ...]:
        """Take the next bytes; return the numbers of the reports that are whole now."""
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
            for what, value in zip((What.RATE, What.IOPS, What.LATENCY), between(before, now), strict=True):
                yield Sample(round(now.ms), CurveKey(_NAME, Observer.APPLICATION, what, direction), value)


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
