"""Profiles of one's own: ordinary fio job files; read, checked and kept.

As in fio, sections run at the same time until one says ``stonewall``: there the next test begins. A job may say
anything but where: no path, no command, no other job file. What is refused here is refused again by the runner.
"""

import re
from contextlib import suppress
from dataclasses import dataclass, replace
from math import gcd
from pathlib import Path

from poolwright import paths
from poolwright.bench.profiles.access import REPEATS, BenchWishes, cache_proof, zfs_facts
from poolwright.bench.profiles.catalogue import SLOW_BYTES_PER_SECOND
from poolwright.bench.record import AnswerPlot, BenchJob, BenchTarget, BenchTest, JobOptions, Profile, fio_bytes
from poolwright.domain.errors import EnvironmentFailure, UserError
from poolwright.domain.shown import first_bad_line, whole_text
from poolwright.domain.units import out_of_range
from poolwright.emit.fio import WITHOUT_ZEROS
from poolwright.machine.fio.jobs import fio_seconds, options_of, seconds_in, waits_for_storage
from poolwright.shipped import shipped
from poolwright.store.files import PLAIN_MODE, write_bytes
from poolwright.store.tool_files import FileLimits, bytes_of
from poolwright.texts import N_, _

_PLACE = "directory"
_UP = re.compile(r"(^|[:/])\.\.?(/|$)")
_SECTION = re.compile(r"\[([^\]]+)\]\Z")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 _.-]{0,63}\Z")
_OPTION = re.compile(r"[a-z][a-z0-9_]{0,63}\Z")
_REMARK = re.compile("[;#].*")  # which fio takes for one wherever it stands
_MOST_SECTIONS = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnProfile:
    """What somebody wrote: fio's global options and its sections in order.

    ``elsewhere`` is the directory that it names, in whose place the one of the run is used.
    """

    name: str
    text: str
    shared: JobOptions
    sections: tuple[tuple[str, JobOptions], ...]
    elsewhere: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TextProblem:
    """What is wrong; ``line`` counts from 1 and is None where it is of the whole text."""

    line: int | None
    text: str
    todo: str = ""


def read_own(text: str, *, where: str) -> OwnProfile:
    """Return the profile in a job file. Raises UserError with the first line that is wrong or not allowed."""
    stem = _file_stem(where.rpartition("/")[2].rpartition(".")[0] or where).strip("-. ") or "own"
    own, problems = problems_in(text, stem)
    if own is None:
        first = problems[0]
        place = where if first.line is None else _("{file}, line {line}", file=where, line=first.line)
        raise UserError(first.text, where=place, todo=first.todo)
    return own


def problems_in(text: str, name: str) -> tuple[OwnProfile | None, tuple[TextProblem, ...]]:
    """Return the profile in a text, None where something is wrong with it: what that is, in the order of its lines."""
    shared: list[tuple[str, str]] = []
    sections: list[tuple[str, list[tuple[str, str]]]] = []
    into: list[tuple[str, str]] | None = None
    problems = [] if _NAME.match(name) else [_no_name(None, name)]
    for number, raw in enumerate(text.splitlines(), start=1):
        line = _REMARK.sub("", raw).strip()
        heading = _SECTION.match(line)
        if heading is not None and heading[1] == "global":
            into = shared
            if sections:
                what = _("Options for all stand before the first job")
                problems.append(TextProblem(line=number, text=what, todo=_("Move [global] up.")))
        elif heading is not None:
            sections.append((heading[1], []))
            into = sections[-1][1]
            problems += [] if _NAME.match(heading[1]) else [_no_name(number, heading[1])]
        elif line and into is None:
            todo = _("It begins with [global] or a job.")
            return None, (TextProblem(line=number, text=_("This is no fio job file"), todo=todo),)
        elif line and into is not None:
            key, __, value = line.partition("=")
            key, value = key.strip().lower(), value.strip() or "1"
            into.append((key, value))
            problem = None if key == _PLACE else option_problem(key, value)
            if problem is not None:
                todo = _("Take it out: the place is chosen for it.")
                problems.append(TextProblem(line=number, text=problem, todo=todo))
    if not sections:
        todo = _("Write a section for each job.")
        problems.append(TextProblem(line=None, text=_("There is no job in it"), todo=todo))
    if len(sections) > _MOST_SECTIONS:
        problems.append(TextProblem(line=None, text=_("More than {most} jobs", most=_MOST_SECTIONS)))
    if problems:
        return None, tuple(problems)
    every = (shared, *(options for __, options in sections))
    return OwnProfile(
        name=name,
        text=text,
        shared=_without_place(shared),
        sections=tuple((section, _without_place(options)) for section, options in sections),
        elsewhere=next((value for options in every for key, value in options if key == _PLACE), ""),
    ), ()


def _no_name(line: int | None, name: str) -> TextProblem:
    todo = _("Use letters, digits, spaces, dots, hyphens and underscores.")
    return TextProblem(line=line, text=_("{text} is not understood", text=f"“{name[:80]}”"), todo=todo)


def _without_place(options: list[tuple[str, str]]) -> JobOptions:
    return tuple(option for option in options if option[0] != _PLACE)


def line_of_section(text: str, section: str) -> int | None:
    lines = enumerate(text.splitlines(), start=1)
    return next((number for number, line in lines if _REMARK.sub("", line).strip() == f"[{section}]"), None)


def option_problem(key: str, value: str) -> str | None:
    if not _OPTION.match(key) or any(ord(character) < 32 for character in value):
        return _("“{key}” is no option of fio", key=key[:80])
    known = shipped("fio")
    if key in known["options"]["refused"].split():
        return _("{key} is not allowed: a job names no command and no place", key=key)
    engines = sorted(known["engines"]["allowed"].split())
    if key == "ioengine" and value not in engines:
        return _("The engine {value} is not allowed; there are {engines}", value=value, engines=", ".join(engines))
    if "${" in value:
        return _("{key}={value} takes a variable from outside", key=key, value=value)
    if _UP.search(value) or ("/" in value and key not in known["options"]["may_hold_a_slash"].split()):
        return _("{key}={value} leads out of the directory of the run", key=key, value=value)
    return None


def make_own(own: OwnProfile, place: BenchTarget, wishes: BenchWishes | None = None) -> Profile:
    """Return the profile with its tests for a place. Raises UserError where a size or time is not told."""
    wishes = wishes or BenchWishes()
    sections = tuple((name, options_of(dict(options))) for name, options in own.sections)
    own = replace(own, shared=options_of(dict(own.shared)), sections=sections)
    groups: list[list[tuple[str, JobOptions]]] = []
    for name, options in own.sections:
        if not groups or any(key == "stonewall" for key, __ in options):
            groups.append([])
        groups[-1].append((name, tuple(option for option in options if option[0] != "stonewall")))
    tests = tuple(_test(own, group, place, wishes) for group in groups)
    return Profile(name=own.name, title=own.name, question="", tests=tests, plot=AnswerPlot.BARS, own=True)


def _test(own: OwnProfile, group: list[tuple[str, JobOptions]], place: BenchTarget, wishes: BenchWishes) -> BenchTest:
    """Return one test. What holds of one of its sections holds of all of it: it costs no less than that."""
    every = [{**dict(own.shared), **dict(options)} for __, options in group]
    said = every[0]
    many = [_whole(job, "numjobs", least=1) for job in every]
    sizes = [count * _files_bytes(job, name) for job, count, (name, __) in zip(every, many, group, strict=True)]
    seconds = _lasts(every, sizes, wishes.seconds)
    shared = dict(own.shared)
    if seconds is not None and wishes.seconds is not None:
        shared["runtime"] = f"{round(wishes.seconds * 1000)}ms"
        group = [(name, tuple(option for option in options if option[0] != "runtime")) for name, options in group]
    files = 1 if "filename" in said else sum(many)
    size = -(-sum(sizes) // sum(many))
    block = gcd(*(_size(job.get("bs", "4k"), group[0][0]) for job in every))
    direct = all(job.get("direct", "0") != "0" for job in every)
    proof = cache_proof(place, block, size * files, asks=direct)
    writers = [job for job in every if job.get("rw", "read").partition(":")[0] not in ("read", "randread")]
    noise = (
        (_("Without refill_buffers fio writes the same blocks again, which compress."),)
        if any(not job.get("refill_buffers") for job in writers)
        else ()
    )
    compress = _whole(said, "buffer_compress_percentage", least=0)
    replaced = _("directory={place} is replaced: the run has a directory of its own.", place=own.elsewhere)
    elsewhere = (replaced,) if own.elsewhere else ()
    # fio reports each section apart from those before it, which run at the same time.
    jobs = [BenchJob(name=group[0][0], options=group[0][1])]
    for name, own_options in group[1:]:
        apart = () if "new_group" in dict(own_options) else (("new_group", "1"),)
        jobs.append(BenchJob(name=name, options=(*own_options, *apart)))
    options = {**({} if "fallocate" in said else dict(WITHOUT_ZEROS)), **shared}
    return BenchTest(
        name=group[0][0],
        title=", ".join(name for name, __ in group),
        jobs=tuple(jobs),
        options=tuple(options.items()),
        file_bytes=size,
        files=files,
        seconds=seconds,
        ramp_seconds=fio_seconds(said["ramp_time"]) if "ramp_time" in said and seconds is not None else 0.0,
        repeats=wishes.repeats or REPEATS,
        sync=bool(writers) and all(waits_for_storage(job) for job in writers),
        compress_percent=compress,
        cache_proof=proof.holds,
        notes=(
            *elsewhere, proof.note, *noise,
            *zfs_facts(place, compress_percent=compress, writes=bool(writers)),
        ),
    )  # fmt: skip


def _files_bytes(job: dict[str, str], name: str) -> int:
    if "size" in job or "filesize" not in job:
        return _size(job.get("size"), name)
    return _whole(job, "nrfiles", least=1) * _size(job["filesize"], name)


def _lasts(every: list[dict[str, str]], sizes: list[int], wished: float | None) -> float | None:
    """Return how long a repeat runs where a section runs by time, s; others may take longer for their bytes."""
    timed = ["runtime" in job and job.get("time_based", "0") != "0" for job in every]
    if not any(timed):
        return None
    return max(
        seconds_in(job, "startdelay")
        + ((wished or fio_seconds(job["runtime"])) if by_time else size / SLOW_BYTES_PER_SECOND)
        for job, size, by_time in zip(every, sizes, timed, strict=True)
    )


def _whole(job: dict[str, str], key: str, least: int) -> int:
    """Return a number of a job, ``least`` where it says none. Raises UserError where it is none or less."""
    text = job.get(key, str(least))
    try:
        number = int(float(text))
    except (ValueError, OverflowError):
        raise UserError(_("{text} is not a number", text=text), where=key) from None
    if number < least:
        raise out_of_range(text, least, of=key)
    return number


def _size(text: str | None, job: str) -> int:
    if text is None or "%" in text:
        raise UserError(
            _("The job {job} does not say how large its files are", job=job), todo=_("Write for example size=1G.")
        )
    return fio_bytes(text)


# The user's own profiles: files of one folder, as they were written, with their remarks.

_LIMITS = FileLimits(bytes=1 << 20, files=1, todo=N_("Name a job file of fio."))
_ENDING = ".fio"


def profiles_folder() -> Path:
    return paths.user_folder("config") / "profiles"


def open_own(path: Path) -> OwnProfile:
    """Return the profile in a file. Raises UserError where it is none, EnvironmentFailure where it cannot be read."""
    return read_own(_read(path), where=str(path))


def _read(path: Path) -> str:
    try:
        return bytes_of(path, _LIMITS).decode()
    except UnicodeDecodeError as error:
        raise UserError(_("The file is not UTF-8 text"), where=f"{path}:{first_bad_line(error)}") from None


def kept_profiles() -> tuple[OwnProfile, ...]:
    """Return the user's profiles by name; one that cannot be read any more is left out."""
    found = []
    with suppress(EnvironmentFailure):
        for path in sorted(profiles_folder().glob(f"*{_ENDING}")):
            with suppress(UserError, EnvironmentFailure):
                found.append(open_own(path))
    return tuple(found)


def keep(own: OwnProfile, *, over: bool = False) -> Path:
    """Keep a profile under its name and return its file; raises UserError where there is one and not ``over``."""
    path = _path_of(own.name)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise EnvironmentFailure(
            _("The folder cannot be made: {reason}", reason=error.strerror), where=str(path.parent)
        ) from error
    write_bytes(path, own.text.encode(), mode=PLAIN_MODE, only_new=not over)
    return path


def keep_text(text: str, name: str) -> OwnProfile:
    """Keep a text in the place of a profile of that name; raises UserError where it is none."""
    own = read_own(whole_text(text), where=f"{whole_text(name)}{_ENDING}")
    keep(own, over=True)
    return own


def text_of(name: str) -> str:
    return _read(_path_of(name))


def forget(name: str) -> None:
    _path_of(name).unlink(missing_ok=True)


def _path_of(name: str) -> Path:
    return profiles_folder() / f"{_file_stem(name)}{_ENDING}"


def _file_stem(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9 _.-]", "-", name)
