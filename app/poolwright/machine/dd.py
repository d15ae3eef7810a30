"""Reads what dd prints at its end: GNU's, BSD's and macOS's, in other languages too, several runs in one text."""

import re
from collections.abc import Sequence
from statistics import fmean, median

from poolwright.domain.measurement import BenchTool, Direction, Measurement, Recorded
from poolwright.machine.json_values import nothing_of, number
from poolwright.texts import _, ngettext

_SECONDS = r"([0-9]{1,12}(?:[.,][0-9]{1,12})?(?:[eE][+-]?[0-9]{1,3})?)"
# By its numbers, whatever the words, which stand before or after them, several or none between two signs, behind blanks
# that break no line (French). GNU: "67108864 bytes (67 MB, 64 MiB) copied, 0.215328 s, 312 MB/s". Busybox: "67108864
# bytes (64.0MB) copied, 0.215328 seconds, 297.2MB/s". BSD: "10737418240 bytes transferred in 95.512 secs (…)".
_BLANK = r"[ \u00a0\u202f]?"
_WORDS = r"[^\d\n()（）=]{1,40}"
_RESULT = re.compile(
    rf"(?<![\d.,+(（])([0-9]{{1,19}}){_BLANK}(?=[^\W\d_]){_WORDS}(?:[(（][^()（）\n]{{1,80}}[)）](?:{_WORDS}?)?)?"
    rf"(?:[,，]|\bin\b){_BLANK}{_SECONDS}{_BLANK}[^\W\d_]{{1,12}}(?![^\W_])"
)
_RECORDS = re.compile(r"\b([0-9]{1,19})\+([0-9]{1,19})[ \u00a0\u202f]{1,2}[^\W\d]{1,20}[^\d\n]{0,30}$", re.MULTILINE)
# A warning of short reads is none; it names the option whatever the language.
_ERROR = re.compile(r"^dd: (?!warning:|.{0,190}fullblock)(.{1,200})$", re.MULTILINE)
_COMMAND = re.compile(r"\bdd(?=.{0,400}\b(?:if|of)=).{1,400}$", re.MULTILINE)


def read_dd(data: bytes, *, where: str) -> tuple[Recorded, ...]:
    """Return the runs of dd in ``data``, each by its bytes and seconds, and facts on all of them.

    dd does not print which way it went: a command line in the text tells, else it is taken as written and noted.
    """
    # With status=progress the lines of one run overwrite each other: only the last of them is a result.
    lines = data.decode("utf-8", errors="replace").replace("\r\n", "\n").split("\n")
    text = "\n".join(line.rsplit("\r", 1)[-1] for line in lines)
    finished = list(_RESULT.finditer(text))
    if not finished:
        raise nothing_of("dd", where, "dd 2>&1")
    runs, end, direction = [], 0, None
    for count, match in enumerate(_without_progress(text, finished), start=1):
        before = text[end : match.start()]
        if commands := _COMMAND.findall(before):
            writes = re.search(r"\bof=(?!/dev/null\b)", commands[-1])
            direction = Direction.WRITE if writes else Direction.READ
        runs.append(_run(count, before, match, direction))
        end = match.end()
    notes = _notes(text, runs, known=direction is not None)
    return (Recorded(tool=BenchTool.DD, where=where, measured=tuple(runs), facts=_facts(runs), notes=notes),)


def _without_progress(text: str, found: Sequence["re.Match[str]"]) -> list["re.Match[str]"]:
    """Leave out what status=progress told last, which is not written over: a result has its records before it."""
    begins = [0, *(match.end() for match in found)]
    recorded = [bool(_RECORDS.search(text[begin : one.start()])) for begin, one in zip(begins, found, strict=False)]
    kept: list[re.Match[str]] = []
    ends = False  # whether what stands next has records: then what comes before it may be of the same run
    for match, has_records in reversed(list(zip(found, recorded, strict=True))):
        if not (ends and not has_records and int(match[1]) <= int(kept[-1][1])):
            kept.append(match)
            ends = has_records
    return kept[::-1]


def _run(count: int, before: str, match: "re.Match[str]", direction: Direction | None) -> Measurement:
    """Return one run; ``before`` is the text since the last, with the records that it read and wrote."""
    moved, seconds = int(match.group(1)), number(match.group(2))
    written = _RECORDS.findall(before)
    whole = int(written[-1][0]) if written and written[-1][1] == "0" else 0
    block = moved // whole if whole and moved % whole == 0 else None
    return Measurement(
        name=_("run {count}", count=count),
        direction=direction or Direction.WRITE,
        pattern=(direction or Direction.WRITE).value,
        block_bytes=block or None,
        queue_depth=1,
        jobs=1,
        bytes=moved,
        seconds=seconds,
        rate=moved / seconds if seconds else None,
        iops=whole / seconds if seconds and whole else None,
        error=1 if _ERROR.search(before) else 0,
    )


def _facts(runs: Sequence[Measurement]) -> tuple[tuple[str, float], ...]:
    rates = [run.rate for run in runs if run.rate and not run.error]
    if len(rates) < 2:
        return ()
    middle = median(rates)
    return (
        ("runs", float(len(rates))),
        ("mean_rate", fmean(rates)),
        ("median_rate", middle),
        ("least_rate", min(rates)),
        ("most_rate", max(rates)),
        ("spread", (max(rates) - min(rates)) / middle),
    )


def _notes(text: str, runs: Sequence[Measurement], *, known: bool) -> tuple[str, ...]:
    notes = [] if known else [_("dd does not tell whether it read or wrote: taken as written.")]
    notes += [_("dd told an error: {error}", error=error) for error in _ERROR.findall(text)]
    short = sum(1 for run in runs if run.seconds is not None and run.seconds < 1)
    if short:
        notes.append(
            ngettext(
                "One run took less than a second, too short for disks.",
                "{count} runs took less than a second, too short for disks.",
                short,
            )
        )
    return tuple(notes)
