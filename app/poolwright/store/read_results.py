"""What any file of a measurement holds: the format is recognised by the content, never by a promise of the name.

A reader is a function ``read_x(data, *, where) -> tuple[Recorded, ...]`` that raises UserError where nothing of its
format is in ``data``, and keeps the finished part of what was cut off, with a note. It stands in `FORMATS` beside the
test by which it is recognised.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from poolwright.domain.command import Reading
from poolwright.domain.errors import UserError
from poolwright.domain.measurement import Measurement, Recorded
from poolwright.domain.shown import shown_text
from poolwright.machine.bonnie import read_bonnie
from poolwright.machine.dd import read_dd
from poolwright.machine.fio import log
from poolwright.machine.fio.jobs import LOG_MILLISECONDS
from poolwright.machine.fio.results import read_fio_json, read_fio_text
from poolwright.machine.sampler import read_kstat, read_sampler, steps_of
from poolwright.machine.samples import ClockStep, told_at_once
from poolwright.machine.sysstat import read_sadf_json, read_sar_text
from poolwright.machine.zdb import read_zdb_block_sum, read_zdb_blocks, read_zdb_dedup, read_zdb_metaslabs
from poolwright.machine.zpool.iostat import measured_list, read_zpool_iostat
from poolwright.process.blocking import drive
from poolwright.process.worker import done_beside
from poolwright.store.tool_files import RESULTS, files_below, nothing_read, plain_name, unpacked_bytes_of
from poolwright.texts import N_, _

_HEAD_BYTES = 1 << 18
_MOST_COMPLAINT, _MOST_LINES = 4096, 20
_COMPLAINT = re.compile(
    r"^error: |[Cc]annot open|[Nn]o such file|[Pp]ermission denied|not found|[Ii]nvalid|[Uu]nrecognized|[Ff]ailed"
)
_STATUS = re.compile(rb"\s*pool: \S+\n\s*(?:state|id): ")
_READS = N_("Poolwright reads what fio, bonnie++, dd, sar, sadf, zpool iostat, zpool list and zdb print, and arcstats.")


@dataclass(frozen=True, slots=True)
class ResultFormat:
    """A format: ``known_by`` is a pattern in the beginning of a file, where ``^`` is that of any line; or what is given
    that beginning (at most 256 KiB) and the name of the file.
    """

    read: Callable[..., tuple[Recorded, ...]]
    known_by: bytes | Callable[[bytes, str], bool]

    def looks_like(self, head: bytes, name: str) -> bool:
        if isinstance(self.known_by, bytes):
            return re.search(self.known_by, head, re.MULTILINE) is not None
        return self.known_by(head, name)


# In order: who is surer stands first. Where two recognise a file, the first that can read it has it.
FORMATS = (
    ResultFormat(read_fio_json, rb'"fio version"|\A(?=[\s\S]*"jobname")[\s\S]*"jobs"'),
    ResultFormat(log.read_fio_log, log.looks_like_fio_log),
    ResultFormat(read_fio_text, rb"\(groupid=\d+, jobs=\d+\): err=|^fio: |fio=fio-"),
    ResultFormat(read_sampler, rb"^@(?:stat|diskstats|arcstats) \S+ [0-9]"),
    ResultFormat(read_kstat, rb"^[0-9]+ [0-9]+ 0x[0-9a-f]+ |^name +type +data"),
    ResultFormat(read_zdb_dedup, rb"^[ \t]*refcnt +blocks|DDT histogram"),
    ResultFormat(read_zdb_metaslabs, rb"^[ \t]*metaslab +[0-9]+ +offset "),
    ResultFormat(read_zdb_block_sum, rb"^[ \t]*bp count:"),
    ResultFormat(
        read_zdb_blocks,
        rb"^[ \t]*Indirect blocks:?[ \t]*$|^MOS Configuration:|^Metaslabs:|^LABEL [0-3]|^Uberblock:"
        rb"|^Dataset \S.* ID |^ +vdev_tree:|^Traversing all blocks",
    ),
    ResultFormat(
        measured_list,
        rb'"command": *"zpool list"|'
        rb"^NAME\s(?!.*\b(?:TYPE|MAJ:MIN|FSTYPE)\b).*\b(?:SIZE|ALLOC|FREE|FRAG|CAP|DEDUP)\b"
        rb"|^[^\t\n]+(?:\t[^\t\n]+){6,9}\t(?:ONLINE|DEGRADED|FAULTED|UNAVAIL|SUSPENDED|REMOVED|OFFLINE)\t",
    ),
    ResultFormat(read_sadf_json, rb'"sysstat"'),
    ResultFormat(read_bonnie, rb"[Bb]onnie|Sequential (?:Out|In)put|^(?:[^,\n]*,){20}"),
    # In another language only the numbers and units of dd are known: "64+0 Datensätze ein", "67108864 octets (67 MB, ".
    ResultFormat(
        read_dd,
        rb"bytes transferred|copied,|^(?:[^\s0-9]+ )?[0-9]+\+[0-9]+ ?[^\s0-9]"
        rb"|^[0-9]+ ?[^\s0-9]+? ?(?:\(|\xef\xbc\x88)[0-9]",
    ),
    ResultFormat(
        read_zpool_iostat,
        rb"^[ \t]*(?:[0-9]{1,4} +)?capacity +operations|_wait|^[^\t\n]+(?:\t[0-9.]+[KMGTPE]?|\t-){6,}$",
    ),
    ResultFormat(read_sar_text, rb"^(?:\d\d[:.]\d\d[:.]\d\d|Average:)|^Linux \S+ \([^()\n]*\)\s+\d\S+\s"),
)


# What is not read, by the beginning or the name of its file, and what is read instead.
_INSTEAD = (
    (re.compile(rb"(?m)^[ \t]*time +(?:read|hits|miss) "), "arcstat", "cat /proc/spl/kstat/zfs/arcstats"),
    (re.compile(rb"(?m)^ZFS Subsystem R|^ARC (?:status|size \()"), "arc_summary", "cat /proc/spl/kstat/zfs/arcstats"),
    (re.compile(rb'^avg-cpu:|^Device:? .*\b(?:tps|r/s)\b|"avg-cpu"', re.MULTILINE), "iostat", "sar -u -d 1"),
    (re.compile(rb"^# hostname;interval;timestamp", re.MULTILINE), "sadf -d", "sadf -j"),
    (re.compile(rb"^req_size\s", re.MULTILINE), "zpool iostat -r", "zpool iostat -l"),
    (re.compile(rb"^latency +read +write ", re.MULTILINE), "zpool iostat -w", "zpool iostat -l"),
    (re.compile(rb"^(?:2|[3-5];fio-[^;\n]*);[^;\n]*;\d+;\d+;", re.MULTILINE), "fio terse", "fio --output-format=json"),
    (re.compile(rb"\A\S{1,255}_hist\.\S{0,255}log\Z"), "fio write_hist_log", "fio --output-format=json+"),
)  # for machines


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedResults:
    recorded: tuple[Recorded, ...]
    passed_over: tuple[UserError, ...] = ()


def read_result(data: bytes, where: str) -> tuple[Recorded, ...]:
    """Return what a file of any known format tells. Raises UserError where it is of none, or of one but unreadable."""
    if not data[:_HEAD_BYTES].strip() and not data.strip():
        if log.without_submissions(plain_name(where)):
            return (log.nothing_submitted(where),)
        raise UserError(_("The file is empty"), where=where, todo=_("Run the tool again and save its output."))
    name = plain_name(where)
    for pattern, tool, run in _INSTEAD:
        if pattern.search(data[:_HEAD_BYTES]) or pattern.fullmatch(name.encode()):
            what = _("{tool} is not read; {run} is", tool=tool, run=run)
            raise UserError(what, where=where, todo=_("Save what {run} prints.", run=run))
    first: UserError | None = None
    for part in (data[:_HEAD_BYTES], data) if len(data) > _HEAD_BYTES else (data,):
        for each in FORMATS:
            if not each.looks_like(part, name):
                continue
            try:
                return each.read(data, where=name)
            except UserError as error:
                first = first or error
        if first is not None:
            raise first
    raise _unknown(data, where)


def _unknown(data: bytes, where: str) -> UserError:
    """Return why a file of no known format is none, in the words of the tool where all that it has is a complaint."""
    if _STATUS.match(data):
        return UserError(
            _("This is zpool status, in which nothing is measured"),
            where=where,
            todo=_("What stands in it tells: poolwright audit --from FILE."),
        )
    lines = [line.strip() for line in data[:_MOST_COMPLAINT].decode("utf-8", "replace").splitlines() if line.strip()]
    complaint = next((line for line in lines if _COMPLAINT.search(line)), None)
    if complaint is not None and len(data) < _MOST_COMPLAINT and len(lines) <= _MOST_LINES:
        return UserError(
            _("The tool did not measure: it says “{words}”", words=shown_text(complaint[:300])),
            where=where,
            todo=_("Fix what it complains of, and run it again."),
        )
    return UserError(_("This is not output of a tool that is known here"), where=where, todo=_(_READS))


def open_results(paths: Sequence[Path]) -> OpenedResults:
    """Return what files and folders hold; what cannot be read is passed over and told.

    Raises UserError where nothing at all could be read.
    """
    return drive(open_results_beside(paths, large_elsewhere=False))


def open_results_beside(paths: Sequence[Path], *, large_elsewhere: bool = True) -> Reading[OpenedResults]:
    """Do the same beside a window: small files between its events, each large one in a process of its own."""
    recorded: list[Recorded] = []
    failures: list[UserError] = []
    for file in _files(paths, failures):
        try:
            recorded += yield from done_beside(_size_of(file) if large_elsewhere else 0, read_file, file)
        except UserError as error:
            failures.append(error)
    if not recorded:
        raise nothing_read(", ".join(map(str, paths)), failures, _(_READS))
    return OpenedResults(recorded=tuple(recorded), passed_over=tuple(failures))


def _files(paths: Sequence[Path], failures: list[UserError]) -> Iterator[Path]:
    """Yield the files at the paths and below; a path that cannot be opened is passed over."""
    for path in paths:
        try:
            yield from files_below(path, RESULTS)
        except UserError as error:
            failures.append(error)


def read_file(path: Path) -> tuple[Recorded, ...]:
    """Return what one file tells; raises as `read_result`, and where it cannot be read at all."""
    data, is_whole = unpacked_bytes_of(path)
    found = read_result(data, str(path))
    cut = () if is_whole else (_("The output is cut off: what is missing is unknown."),)
    return tuple(replace(one, notes=(*one.notes, *cut)) for one in found)


def _size_of(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0  # whoever reads it tells why it cannot be


# What the raw outputs of a repeat tell together: read the same way when it ends and whenever it is opened again.

SAMPLES, POOL_REPORTS = "samples.txt", "zpool-iostat.txt"
_RESULTS = ("fio.json", "output.txt")  # for machines
_TOLD_AT_ITS_BEGINNING = b'"job_start"'
_LOG = re.compile(r"(?:\.(\d{1,6}))?\.log$")  # fio counts the jobs from 1
RawFiles = Iterable[tuple[str, bytes]]


def read_repeat(files: RawFiles, where: str, jobs: int | None = None) -> tuple[Recorded | None, tuple[Recorded, ...]]:
    """Return what the application saw, None where nobody can read what it printed, and what was watched beside it, on a
    clock that nobody sets; ``where`` is the name of test and repeat.

    ``jobs`` is how many the test had: fio reports a group under the name of its first, and does not count it.
    """
    contents = dict(files)
    steps = steps_of(contents.get(SAMPLES, b""))
    application = _application(contents, steps)
    if application is not None and jobs is not None and len({one.name for one in application.measured}) == 1:
        grouped = tuple(one if one.jobs is None else replace(one, jobs=jobs) for one in application.measured)
        application = replace(application, measured=grouped)
    return application, _watched(contents, steps, where)


def read_watched(files: RawFiles, where: str) -> tuple[Recorded, ...]:
    """Return what those beside a program told, each in the file that it has in a repeat."""
    contents = dict(files)
    return _watched(contents, steps_of(contents.get(SAMPLES, b"")), where)


def _watched(contents: dict[str, bytes], steps: Sequence[ClockStep], where: str) -> tuple[Recorded, ...]:
    # It ran with -y: its first report is of its first second.
    pool_reports = partial(read_zpool_iostat, since_boot=False, steps=steps)
    found: list[Recorded] = []
    for name, read in ((POOL_REPORTS, pool_reports), (SAMPLES, read_sampler)):
        with suppress(UserError):  # raw bytes that nobody can read are kept with the repeat all the same
            found += read(contents.get(name, b""), where=f"{where}/{name}")
    return tuple(found)


def _application(contents: dict[str, bytes], steps: Sequence[ClockStep]) -> Recorded | None:
    name = next((name for name in _RESULTS if name in contents), None)
    found = None if name is None else _read(contents[name], name)
    if name is None or found is None:
        return None
    logs = list(_logs(contents, found.measured))
    curves = log.together(logs, LOG_MILLISECONDS, found.measured) if logs else found.curves
    at_once = _TOLD_AT_ITS_BEGINNING in contents[name]
    return replace(found, curves=curves, started=_began(found.started, steps, at_once=at_once))


def _logs(contents: dict[str, bytes], results: Sequence[Measurement]) -> Iterator[Recorded]:
    """Yield what the log of each job tells, on one clock for jobs that do not begin together."""
    counts = {one.name: one.jobs or 1 for one in results}
    begins = [ms for name, ms in log.begins_ms(results).items() for __ in range(counts[name])]
    for name, data in contents.items():
        numbered = _LOG.search(name)
        each = _read(data, name) if numbered is not None else None
        if numbered is None or each is None:
            continue
        number = int(numbered[1] or 0)
        begun = begins[number - 1] if 0 < number <= len(begins) and any(begins) else 0
        yield replace(each, curves=tuple(replace(curve, ms=curve.ms + begun) for curve in each.curves))


def _began(printed: datetime | None, steps: Sequence[ClockStep], *, at_once: bool) -> datetime | None:
    """Return when it began: told at once, or reckoned back from its end, when all steps had been made."""
    if printed is None or not steps:
        return printed
    if not at_once:
        return printed - timedelta(seconds=steps[-1].ahead)
    return datetime.fromtimestamp(told_at_once(printed.timestamp(), steps), UTC)


def _read(data: bytes, where: str) -> Recorded | None:
    try:
        return read_result(data, where)[0]
    except UserError:
        return None
