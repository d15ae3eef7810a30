"""What the raw outputs of a repeat tell together: read the same way when it ends and whenever it is opened again."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from poolwright.domain.errors import UserError
from poolwright.domain.measurement import Measurement, Recorded
from poolwright.machine.fio.words import LOG_MILLISECONDS
from poolwright.machine.joined_logs import begins_ms, together
from poolwright.machine.sampler import read_sampler, steps_of
from poolwright.machine.set_clock import ClockStep, told_at_once
from poolwright.machine.zpool.iostat import read_zpool_iostat
from poolwright.store.read_results import read_result

SAMPLES, POOL_REPORTS = "samples.txt", "zpool-iostat.txt"
_RESULTS = ("fio.json", "output.txt")  # for machines
_TOLD_AT_ITS_BEGINNING = b'"job_start"'
_LOG = re.compile(r"(?:\.(\d{1,6}))?\.log$")  # fio counts the jobs from 1
RawFiles = Iterable[tuple[str, bytes]]


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatOutput:
    """What the application saw, None where nobody can read what it printed, and what was watched beside it."""

    application: Recorded | None
    watched: tuple[Recorded, ...]


def read_repeat(files: RawFiles, where: str, jobs: int | None = None) -> RepeatOutput:
    """Return what these files tell, on a clock that nobody sets; ``where`` is the name of test and repeat.

    ``jobs`` is how many the test had: fio reports a group under the name of its first, and does not count it.
    """
    told = dict(files)
    steps = steps_of(told.get(SAMPLES, b""))
    application = _application(told, steps)
    if application is not None and jobs is not None and len({one.name for one in application.measured}) == 1:
        grouped = tuple(one if one.jobs is None else replace(one, jobs=jobs) for one in application.measured)
        application = replace(application, measured=grouped)
    return RepeatOutput(application=application, watched=_watched(told, steps, where))


def read_watched(files: RawFiles, where: str) -> tuple[Recorded, ...]:
    """Return what those beside a program told, each in the file that it has in a repeat."""
    told = dict(files)
    return _watched(told, steps_of(told.get(SAMPLES, b"")), where)


def _watched(told: dict[str, bytes], steps: Sequence[ClockStep], where: str) -> tuple[Recorded, ...]:
    found: list[Recorded] = []
    for name in (POOL_REPORTS, SAMPLES):
        try:
            if name == SAMPLES:
                found += read_sampler(told.get(name, b""), where=f"{where}/{name}")
            else:
                # It ran with -y: its first report is of its first second.
                found += read_zpool_iostat(told.get(name, b""), where=f"{where}/{name}", since_boot=False, steps=steps)
        except UserError:
            continue  # raw bytes that nobody can read are kept with the repeat all the same
    return tuple(found)


def _application(told: dict[str, bytes], steps: Sequence[ClockStep]) -> Recorded | None:
    name = next((name for name in _RESULTS if name in told), None)
    found = None if name is None else _read(told[name], name)
    if name is None or found is None:
        return None
    logs = list(_logs(told, found.measured))
    curves = together(logs, LOG_MILLISECONDS, found.measured) if logs else found.curves
    at_once = _TOLD_AT_ITS_BEGINNING in told[name]
    return replace(found, curves=curves, started=_began(found.started, steps, at_once=at_once))


def _logs(told: dict[str, bytes], results: Sequence[Measurement]) -> Iterator[Recorded]:
    """Yield what the log of each job tells, on one clock for jobs that do not begin together."""
    counts = {one.name: one.jobs or 1 for one in results}
    begins = [ms for name, ms in begins_ms(results).items() for _ in range(counts[name])]
    for name, data in told.items():
        numbered = _LOG.search(name)
        each = _read(data, name) if numbered is not None else None
        if numbered is None or each is None:
            continue
        number = int(numbered[1] or 0)
        begun = begins[number - 1] if 0 < number <= len(begins) and any(begins) else 0
        yield replace(each, curves=tuple(replace(curve, ms=curve.ms + begun) for curve in each.curves))


def _began(told: datetime | None, steps: Sequence[ClockStep], *, at_once: bool) -> datetime | None:
    """Return when it began: told at once, or reckoned back from its end, when all steps had been made."""
    if told is None or not steps:
        return told
    if not at_once:
        return told - timedelta(seconds=steps[-1].ahead)
    return datetime.fromtimestamp(told_at_once(told.timestamp(), steps), UTC)


def _read(data: bytes, where: str) -> Recorded | None:
    try:
        return read_result(data, where)[0]
    except UserError:
        return None
