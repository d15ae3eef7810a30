"""What fio prints for people (fio 2 and 3), as measurements.

Numbers are rounded as they are printed. Sizes and rates are in powers of 1024 where fio 3 writes KiB and where fio 2
writes KB, and of 1000 where fio 3 writes KB (``kb_base=1000``); latencies in ns, µs or ms as the line says, with k and
m for thousands and millions.
"""

import re
from collections import Counter
from collections.abc import Iterator

from poolwright.domain.errors import UserError
from poolwright.domain.measurement import BenchTool, Direction, Latency, Measurement, Recorded
from poolwright.machine.fio.jobs import block_bytes, count_of, ended_with, headers_in
from poolwright.machine.json_values import number, text_of
from poolwright.texts import _, ngettext

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
_MS = re.compile(r"(?:runt=\s*|/)(\d{1,15})\s*msec")
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
_THOUSANDS = {"k": 1000, "m": 1_000_000}


def read_fio_text(data: bytes, *, where: str) -> tuple[Recorded, ...]:
    """Return what fio printed. Raises UserError with fio's own words where no job was finished."""
    # Its progress is written over itself, and the first line of a result over the progress.
    text = text_of(data).replace("\r\n", "\n").replace("\r", "\n")
    headers, (jobs, reports) = headers_in(text), _results(text)
    measured = tuple(
        each for job, part in jobs for each in _directions(job, part, headers.get(job["name"].strip(), {}))
    )
    if not measured:
        raise no_finished_job(text, where)
    version = _VERSION.search(text)
    notes = [ended_with(one.name, one.error) for one in measured if one.error]
    if reports:
        notes.append(
            ngettext(
                "One earlier report is left out: it is the mean until then",
                "{count} earlier reports are left out: each is the mean until then",
                reports,
            )
        )
    told, notes = version[1] if version else None, [*notes, *messages_in(text)]
    return (Recorded(tool=BenchTool.FIO, where=where, version=told, measured=measured, notes=tuple(notes)),)


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


def _directions(job: "re.Match[str]", text: str, options: dict[str, str]) -> Iterator[Measurement]:
    begins = list(_DIRECTION.finditer(text))
    cpu = _CPU.search(text)
    for place, begin in enumerate(begins):
        part = text[begin.end() : begins[place + 1].start() if place + 1 < len(begins) else len(text)]
        line, direction = begin[2], Direction(begin[1])
        if direction is Direction.MIXED and place:
            continue  # unified_rw_reporting=both: the directions before it are all of it
        moved, ms, iops = _BYTES.search(line), _MS.search(line), _IOPS.search(line)
        kilo = 1000 if _FIO_3 in line else 1024
        amount, rate = (_bytes(found, kilo) for found in (moved, _RATE.search(line)))
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
            rate=rate,
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
    said: dict[str, None] = {}
    for text in texts:
        for line in text.split("\n"):
            words = line.rstrip().rsplit("\r", 1)[-1].strip()  # its progress is written over itself
            if words.startswith(_BEGINNINGS) or any(part in words for part in _WITHIN):
                said.setdefault(words[:_MOST_LETTERS])
                if len(said) == _MOST_SAID:
                    break
    yield from list(said)[:_MOST_SAID]
