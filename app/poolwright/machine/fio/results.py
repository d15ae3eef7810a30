"""Results of fio 2 and 3: JSON (json and json+), also of ``--status-interval``, of client and server; and its text.

With ``--status-interval`` each document is a report from the beginning to now: the last one is the result, and the
differences between neighbours are the curve. In text numbers are rounded as they are printed; sizes and rates are in
powers of 1024 where fio 3 writes KiB and where fio 2 writes KB, and of 1000 where fio 3 writes KB (``kb_base=1000``);
latencies in ns, µs or ms as the line says, with k and m for thousands and millions.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import islice
from typing import Any

import numpy as np

from poolwright.domain.errors import UserError
from poolwright.domain.measurement import BenchTool, Direction, Measurement, Observer, Recorded, TimeCurve, What
from poolwright.domain.shown import whole_escapes
from poolwright.machine.fio.jobs import FioJob, Options, headers_in, io_bytes, latency_of, options_of, seconds_in
from poolwright.machine.fio.log import begins_ms
from poolwright.machine.json_values import elements, mapping, number, text_of, whole
from poolwright.machine.samples import CurveKey, CurveMaker, Sample
from poolwright.texts import _, ngettext

_SAME_BEGINNING_S = 2.5  # fio tells whole seconds since it began, rounded up
_MS = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class _Report:
    """A document with its jobs; ``cut`` where only finished ones are in it."""

    value: Mapping[str, object]
    jobs: tuple[FioJob, ...]
    cut: bool


def read_fio_json(data: bytes, *, where: str) -> tuple[Recorded, ...]:
    """Return each run in what fio printed with ``--output-format=json`` or ``json+``.

    Raises UserError where no job was finished in it, with what fio said itself.
    """
    text = text_of(data)
    documents, around = _documents(text)
    if not documents:
        raise no_finished_job(text, where)
    headers = {name: options for part in around for name, options in headers_in(part).items()}
    reports = [_Report(value=value, jobs=jobs_of(value, headers), cut=cut) for value, cut in documents]
    runs = tuple(_runs(reports))
    said = tuple(messages_in(*around))
    return tuple(_recorded(run, where, said if run is runs[-1] else ()) for run in runs)


def jobs_of(document: Mapping[str, object], headers: Mapping[str, Options] | None = None) -> tuple[FioJob, ...]:
    """Return the jobs of a document in order, also of several clients.

    ``headers`` are what was told of each before it started, for versions that do not repeat the options.
    """
    common = mapping(document.get("global options"))
    found = (*elements(document, "jobs"), *elements(document, "client_stats"))
    entries = [entry for entry in found if isinstance(entry, dict)]
    sections = [repr([e.get(key) for key in ("jobname", "groupid", "hostname", "port")]) for e in entries]
    same, jobs = Counter(sections), []
    for entry, section in zip(entries, sections, strict=True):
        name, host, own = str(entry.get("jobname", "")), entry.get("hostname"), entry.get("job options")
        given = common or (headers or {}).get(name, {})
        job = FioJob(
            name=name,
            host=host if isinstance(host, str) and host else None,
            options=options_of(given, mapping(own)) if own is not None or given else (),
            fields=entry,
            alone=same[section] == 1,
        )
        jobs.append(job)
    return tuple(jobs)


def _runs(documents: Sequence[_Report]) -> Iterator[list[_Report]]:
    """Yield the documents of each run: reports from the same beginning belong together."""
    run: list[_Report] = []
    for document in documents:
        if run and not _continues(run[-1], document):
            yield run
            run = []
        run.append(document)
    yield run


def _continues(before: _Report, after: _Report) -> bool:
    first, second = before.jobs, after.jobs
    names = [(job.name, job.host) for job in second]
    if before.cut or [(job.name, job.host) for job in first][: len(names) if after.cut else None] != names:
        return False
    if any(_moved_more(one, two) for one, two in zip(first, second, strict=False)):
        return False
    one, two = _beginning(before), _beginning(after)
    return one is None or two is None or abs(one - two) <= _SAME_BEGINNING_S


def _moved_more(first: FioJob, second: FioJob) -> bool:
    """Tell whether ``first`` is not from before ``second``: what is counted never falls."""
    for direction in Direction:
        one, two = mapping(first.fields.get(direction.value)), mapping(second.fields.get(direction.value))
        for before, after in ((io_bytes(one), io_bytes(two)), (number(one.get("runtime")), number(two.get("runtime")))):
            if (before or 0) > (after or 0):
                return True
    return False


def _beginning(report: _Report) -> float | None:
    """Return when a run began, in seconds since 1970; within a second where fio tells only for how long it ran."""
    began = [found for job in report.jobs if (found := number(job.fields.get("job_start")))]
    if began:
        return min(began) / _MS
    elapsed = [found for job in report.jobs if (found := number(job.fields.get("elapsed"))) is not None]
    now = _time_of(report)
    return now - max(elapsed) if now and elapsed else None


def _time_of(report: _Report) -> float | None:
    ms, seconds = number(report.value.get("timestamp_ms")), number(report.value.get("timestamp"))
    return ms / _MS if ms else seconds


def _measuring_since(report: _Report, measured: Sequence[Measurement]) -> float | None:
    """Return when the jobs of a run began to work, their ramp included, in seconds since 1970.

    fio up to 3.35 tells only for how long everything took, which is longer by what laying out files and starting jobs
    takes: seconds, in which the pool rests. Jobs that all begin at once are reckoned back by how long they worked.
    """
    began, now = _beginning(report), _time_of(report)
    waits = any(begins_ms(measured).values()) or any("startdelay" in dict(one.options) for one in measured)
    if began is None or now is None or not measured or waits or any(job.fields.get("job_start") for job in report.jobs):
        return began
    return max(began, now - max((one.seconds or 0.0) + seconds_in(dict(one.options), "ramp_time") for one in measured))


def _moment(seconds: float | None) -> datetime | None:
    try:
        return None if seconds is None else datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, ValueError, OSError):
        return None


def _recorded(run: Sequence[_Report], where: str, said: Sequence[str]) -> Recorded:
    whole = [each for each in run if not each.cut] or list(run)
    last = whole[-1]
    jobs = last.jobs
    measured = tuple(each for job in jobs for each in job.measured())
    version = last.value.get("fio version")
    return Recorded(
        tool=BenchTool.FIO,
        where=where,
        version=version.removeprefix("fio-") if isinstance(version, str) else None,
        host=next((job.host for job in jobs if job.host), None),
        started=_moment(_measuring_since(last, measured)),
        measured=measured,
        curves=curves_of([each.jobs for each in whole]) if len(whole) > 1 else (),
        facts=(*(fact for job in jobs for fact in job.facts()), *_busy(last.value)),
        notes=(*(note for job in jobs for note in job.notes()), *_about(run, last), *said),
    )


def _about(run: Sequence[_Report], last: _Report) -> Iterator[str]:
    if last.cut:
        yield _("The file was cut off: only finished jobs are here")
    elif run[-1].cut:
        yield _("The last report was cut off: the one before it counts")
    if reports := len([each for each in run if not each.cut][1:]):
        yield ngettext(
            "One report came before the result; the curve is the difference",
            "{count} reports came before the result; the curves are their differences",
            reports,
        )


def _busy(document: Mapping[str, object]) -> Iterator[tuple[str, float]]:
    for disk in elements(document, "disk_util"):
        share = number(mapping(disk).get("util"))
        if share is not None:
            yield f"{mapping(disk).get('name')} util_percent", share  # for machines


# The JSON documents in what fio printed: several in one stream, with text around them, the last one perhaps cut.

_BEGINS = re.compile(r'\{(?=\s*")')
_NO_NUMBER = re.compile(r'(?<=" : )-?(?:nan|inf)\b')  # older fio prints what C prints
_STRUCTURE = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]]')
_CLOSED = {"{": "}", "[": "]"}
_DEPTH_IN_JOBS = 2
_DECODER = json.JSONDecoder()


def _documents(text: str) -> tuple[list[tuple[dict[str, Any], bool]], list[str]]:
    """Return the results of fio in ``text``, each with whether it is cut to its finished jobs, and what stands around.

    Takes time in proportion to the text.
    """
    text = whole_escapes(text)
    text = _NO_NUMBER.sub("null", text) if "nan" in text or "inf" in text else text
    found, around, last = [], [], 0
    for begin, end, value, cut in _objects(text):
        if "jobs" in value or "client_stats" in value:
            found.append((value, cut))
            around.append(text[last:begin])
            last = end
    return found, [*around, text[last:]]


def _objects(text: str) -> Iterator[tuple[int, int, dict[str, Any], bool]]:
    at = 0
    while match := _BEGINS.search(text, at):
        begin = match.start()
        try:
            value, at = _DECODER.raw_decode(text, begin)
        except json.JSONDecodeError as error:
            at = max(error.pos, begin + 1)
            if value := _finished(text[begin:at]):
                yield begin, at, value, True
        except (ValueError, RecursionError):  # a number of thousands of digits, objects in objects in objects
            return
        else:
            yield begin, at, value, False


def _finished(text: str) -> dict[str, Any] | None:
    """Return a cut object with the jobs that are whole in it, None where there is none."""
    stack: list[str] = []
    kept: tuple[int, str] | None = None
    for match in _STRUCTURE.finditer(text):
        sign = match[0]
        if sign in _CLOSED:
            stack.append(_CLOSED[sign])
        elif sign in ("}", "]"):
            if not stack or stack.pop() != sign:
                break
            if len(stack) == _DEPTH_IN_JOBS and sign == "}":
                kept = match.end(), "".join(reversed(stack))
    if kept is None:
        return None
    end, closing = kept
    try:
        value = json.loads(text[:end] + closing)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


# Curves from fio's reports: each one counts from the beginning, so the curve is what lies between neighbours.


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """What a direction of a job had done ``ms`` after its beginning. ``waited_ns`` is the sum of all completions."""

    ms: float
    bytes: int
    operations: int | None = None
    waited_ns: float | None = None


def counted(fields: Mapping[str, object], latency: str = "clat") -> Counted | None:
    """Return the counts of a direction in one report, None where it had not begun; ``latency`` is fio's name of it."""
    ms, moved, operations = number(fields.get("runtime")), io_bytes(fields), whole(fields.get("total_ios"))
    if not ms or moved is None:
        return None
    took = latency_of(fields, latency, operations)
    known = took is not None and took.mean_ns is not None and took.count is not None
    waited = took.mean_ns * took.count if known and took and took.mean_ns and took.count else None
    return Counted(ms=ms, bytes=moved, operations=operations, waited_ns=waited)


def between(before: Counted | None, after: Counted) -> tuple[float, float, float]:
    """Return bytes/s, operations/s and mean latency in ns between two reports; NaN where it is not known."""
    start = before or Counted(ms=0.0, bytes=0, operations=0, waited_ns=0.0)
    seconds = (after.ms - start.ms) / 1000
    rate = (after.bytes - start.bytes) / seconds
    if after.operations is None or start.operations is None:
        return rate, np.nan, np.nan
    done = after.operations - start.operations
    if done <= 0 or after.waited_ns is None or start.waited_ns is None:
        return rate, done / seconds, np.nan
    return rate, done / seconds, (after.waited_ns - start.waited_ns) / done


def samples_between(
    before: Counted | None, after: Counted, name: str, direction: Direction, latency: str = ""
) -> Iterator[Sample]:
    kinds = ((What.RATE, ""), (What.IOPS, ""), (What.LATENCY, latency))
    for (what, detail), value in zip(kinds, between(before, after), strict=True):
        yield Sample(round(after.ms), CurveKey(name, Observer.APPLICATION, what, direction, detail), value)


def curves_of(reports: Sequence[Sequence[FioJob]]) -> tuple[TimeCurve, ...]:
    maker = CurveMaker()
    for place, name in enumerate(numbered([job.name for job in reports[-1]])):
        for direction in Direction:
            before: Counted | None = None
            for job in (jobs[place] for jobs in reports if place < len(jobs)):
                after = counted(mapping(job.fields.get(direction.value)))
                # A job that has ended is reported again and again.
                if after is not None and (before is None or after.ms > before.ms):
                    maker.take(samples_between(before, after, name, direction, "clat"))
                    before = after
    return tuple(curve for curve in maker.curves(0) if not np.isnan(curve.values).all())


def numbered(names: Sequence[str]) -> list[str]:
    several = {name for name, count in Counter(names).items() if count > 1}
    seen: Counter[str] = Counter()
    taken, found = set(names), []
    for name in names:
        own = name
        while name in several and own in taken:  # "a 2" may be a job of its own
            seen[name] += 1
            own = f"{name} {seen[name]}"
        found.append(own)
    return found


# What fio prints for people.

_JOB = re.compile(
    r"^(?P<name>[^\n]*?): \(groupid=(?P<group>\d+), jobs=(?P<jobs>\d{1,9})\): err=\s*(?P<error>\d{1,9})"
    r"(?:[^\n]*?: pid=(?P<pid>\d{1,12}):)?",
    re.MULTILINE,
)
_GROUP_SUMMARY = re.compile(r"^[ \t]*(?:\d+ )?Run status group", re.MULTILINE)
_DIRECTION = re.compile(r"\b(read|write|trim|mixed)\s*:\s*(?=io=|IOPS=)([^\n]*)")
_AMOUNT = r"([\d.]{1,18})([KMGTP]?)(i?)"
_BYTES = re.compile(rf"(?:io=|\((?=[^/()]*/\d+msec)){_AMOUNT}(B)")
# The sum of all clients is told without its unit: "BW=1321Mi (1385M)".
_RATE = re.compile(rf"\bbw={_AMOUNT}(?:(B|bit)/s|(?= \())", re.IGNORECASE)
_IOPS = re.compile(r"\biops=\s*([\d.]{1,18})([kmKM]?)", re.IGNORECASE)
_RUNTIME = re.compile(r"(?:runt=\s*|/)(\d{1,15})\s*msec")
_LATENCY = re.compile(
    r"\b([sc]?lat) \((nsec|usec|msec)\): min=\s*([\d.]+[km]?), max=\s*([\d.]+[km]?), avg=\s*([\d.]+[km]?), "
    r"stdev=\s*([\d.]+[km]?)"
)
_PERCENTILES = re.compile(r"\b([sc]?lat) percentiles \((nsec|usec|msec)\):((?:\s*(?:\d+ )?\|[^\n]*)+)")
_PERCENTILE = re.compile(r"([\d.]{1,12})th=\[\s*([\d.]{1,18}[km]?)\]")
_CPU = re.compile(r"cpu\s*: usr=([\d.]+)%, sys=([\d.]+)%")
_VERSION = re.compile(r"\bfio-(\d[\w.-]*)")
_FIO_3 = "IOPS="  # older ones write it small, and after the rate
_POWERS = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5}
_NS = {"nsec": 1, "usec": 1000, "msec": 1_000_000}
_KINDS = ("min", "max", "mean", "stddev")  # as JSON names what stands in a line of latencies
_THOUSANDS = {"k": 1000, "m": 1_000_000}


def read_fio_text(data: bytes, *, where: str) -> tuple[Recorded, ...]:
    """Return what fio printed. Raises UserError with fio's own words where no job was finished."""
    # Its progress is written over itself, and the first line of a result over the progress.
    text = text_of(data).replace("\r\n", "\n").replace("\r", "\n")
    headers, (results, reports) = headers_in(text), _results(text)
    if not results:
        raise no_finished_job(text, where)
    jobs = [(int(match["jobs"]), _job(match, part, headers)) for match, part in results]
    measured = tuple(replace(each, jobs=count) for count, job in jobs for each in job.measured())
    version = _VERSION.search(text)
    notes = [note for __, job in jobs for note in job.notes()]
    if reports:
        notes.append(
            ngettext(
                "One earlier report is left out: it is the mean until then",
                "{count} earlier reports are left out: each is the mean until then",
                reports,
            )
        )
    release, notes = version[1] if version else None, [*notes, *messages_in(text)]
    return (Recorded(tool=BenchTool.FIO, where=where, version=release, measured=measured, notes=tuple(notes)),)


def no_finished_job(text: str, where: str) -> UserError:
    todo = " ".join(messages_in(text)) or _("Save what fio prints until its end, with --output-format=json.")
    return UserError(_("There is no finished job of fio in it"), where=where, todo=todo)


def _results(text: str) -> tuple[list[tuple["re.Match[str]", str]], int]:
    """Return the jobs that did something, each with its text, and how many reports came before the results.

    A report of ``--status-interval`` names the same process again; what it tells is contained in the last.
    """
    found = list(_JOB.finditer(text))
    ends = [*(job.start() for job in found), None][1:]
    printed = [text[job.end() : end] for job, end in zip(found, ends, strict=True)]
    own = [_GROUP_SUMMARY.split(part, maxsplit=1)[0] for part in printed]
    parts = [(job, part) for job, part in zip(found, own, strict=True) if _DIRECTION.search(part)]
    times = Counter(_process(job) for job, __ in parts if job["pid"])
    to_come, kept = Counter(times), []
    for job, part in parts:
        to_come[_process(job)] -= 1
        if to_come[_process(job)] <= 0:
            kept.append((job, part))
    return kept, max(times.values(), default=1) - 1


def _process(job: "re.Match[str]") -> tuple[str, ...]:
    return job["name"], job["group"], job["pid"] or ""


def _job(job: "re.Match[str]", text: str, headers: Mapping[str, Options]) -> FioJob:
    """Return a job with what its text says, each number where its JSON has it."""
    begins, cpu = list(_DIRECTION.finditer(text)), _CPU.search(text)
    fields: dict[str, object] = {"error": int(job["error"])}
    fields |= {"usr_cpu": cpu[1], "sys_cpu": cpu[2]} if cpu else {}
    for begin, following in zip(begins, [*begins[1:], None], strict=True):
        line, ms = begin[2], _RUNTIME.search(begin[2])
        amount, rate, iops = _BYTES.search(line), _RATE.search(line), _IOPS.search(line)
        kilo = 1000 if _FIO_3 in line else 1024
        fields[begin[1]] = {
            "io_bytes": _bytes(amount, kilo),
            "bw_bytes": _bytes(rate, kilo),
            "iops": _scaled(iops[1] + iops[2].lower()) if iops else None,
            "runtime": int(ms[1]) if ms else None,
            **_latencies(text[begin.end() : following.start() if following else None]),
        }
    name = job["name"].strip()
    return FioJob(name=name, host=None, options=options_of(headers.get(name, {})), fields=fields, alone=False)


def _latencies(text: str) -> dict[str, object]:
    shares = {
        name: {percent: _nanoseconds(value, unit) for percent, value in _PERCENTILE.findall(lines)}
        for name, unit, lines in _PERCENTILES.findall(text)
    }
    found: dict[str, object] = {}
    for name, unit, *values in _LATENCY.findall(text):
        times = (_nanoseconds(value, unit) for value in values)
        found[f"{name}_ns"] = dict(zip(_KINDS, times, strict=True)) | {"percentile": shares.get(name, {})}
    return found


def _nanoseconds(text: str, unit: str) -> float | None:
    found = _scaled(text)
    return None if found is None else found * _NS[unit]


def _bytes(match: "re.Match[str] | None", kilo: int) -> float | None:
    """Return the bytes of an amount, also of one in bits (``unit_base=1``); ``kilo`` is a K without an i."""
    found = number(match[1]) if match else None
    if match is None or found is None:
        return None
    bits = 8 if (match[4] or "").lower() == "bit" else 1
    return found * float((1024 if match[3] else kilo) ** _POWERS[match[2].upper()]) / bits


def _scaled(text: str) -> float | None:
    found = number(text.rstrip("km"))
    return None if found is None else found * _THOUSANDS.get(text[-1:], 1)


# What fio says beside its results: that it was ended, that an option is not known, that a disk is full.

_BEGINNINGS = ("fio: ", "error: ")
_WITHIN = ("Segmentation fault", ": No space left on device")  # for machines
_MOST_SAID = 5
_MOST_LETTERS = 300


def messages_in(*texts: str) -> Iterator[str]:
    """Yield what fio said, in its own words, each sentence once and the first five."""
    # Its progress is written over itself.
    lines = (line.rstrip().rsplit("\r", 1)[-1].strip() for text in texts for line in text.split("\n"))
    said = (w[:_MOST_LETTERS] for w in lines if w.startswith(_BEGINNINGS) or any(part in w for part in _WITHIN))
    yield from islice(dict.fromkeys(said), _MOST_SAID)
