"""Profiles of one's own: fio's sections in TOML, or an ordinary fio job file; read, checked and kept.

As in fio, sections run at the same time until one says ``stonewall``: there the next test begins. A job may say
anything but where: no path, no command, no other job file. What is refused here is refused again by the runner.
"""

import json
import re
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from math import gcd
from pathlib import Path

from poolwright import paths
from poolwright.bench.profiles.catalogue import SLOW_BYTES_PER_SECOND
from poolwright.bench.profiles.ground import BenchWishes, kept_out
from poolwright.bench.profiles.knowledge import zfs_facts
from poolwright.bench.record import AnswerPlot, BenchJob, BenchPlace, BenchTest, JobOptions, Profile, fio_bytes
from poolwright.domain.errors import EnvironmentFailure, UserError
from poolwright.domain.shown import first_bad_line, whole_text
from poolwright.emit.fio import WITHOUT_ZEROS
from poolwright.machine.fio.jobs import fio_seconds, options_of, seconds_in, waits_for_storage
from poolwright.store.files import PLAIN_MODE, write_bytes
from poolwright.texts import tell

# Profiles of one's own: fio's sections in TOML, or an ordinary fio job file; read, checked and written.

ENGINES = frozenset({
    "sync", "psync", "vsync", "pvsync", "pvsync2", "libaio", "posixaio", "io_uring", "mmap", "splice", "null",
})  # fmt: skip
_REFUSED = frozenset({
    "directory", "opendir", "exec_prerun", "exec_postrun", "read_iolog", "write_iolog", "merge_blktrace_file",
    "replay_redirect", "ioscheduler", "cgroup", "mountpoint", "chroot", "include", "numa_mem_policy", "uid", "gid",
    "write_bw_log", "write_iops_log", "write_lat_log", "write_hist_log", "fill_device", "fill_fs",
})  # fmt: skip
_MAY_HOLD_A_SLASH = frozenset({"bssplit", "random_distribution", "verify_pattern", "buffer_pattern"})
PLACE = "directory"
_UP = re.compile(r"(^|[:/])\.\.?(/|$)")
_SECTION = re.compile(r"\[([^\]]+)\]\Z")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 _.-]{0,63}\Z")
_OPTION = re.compile(r"[a-z][a-z0-9_]{0,63}\Z")
_REMARK = re.compile("[;#].*")  # which fio takes for one wherever it stands
_MOST_SECTIONS = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnProfile:
    """What somebody wrote: fio's global options and its sections in order, with a title and the question."""

    name: str
    title: str
    question: str = ""
    plot: AnswerPlot = AnswerPlot.BARS
    repeats: int = 3
    shared: JobOptions = ()
    sections: tuple[tuple[str, JobOptions], ...] = ()
    elsewhere: str = ""  # the directory that the job file names, in whose place the one of the run is used


def read_own(text: str, *, where: str) -> OwnProfile:
    """Return a profile of one's own from TOML or from a fio job file, whichever ``text`` is.

    Raises UserError with the line or section that is wrong or not allowed.
    """
    stem = re.sub(r"[^A-Za-z0-9_.-]", "-", where.rpartition("/")[2].rpartition(".")[0] or where).strip("-.") or "own"
    if is_toml(text):
        found = _from_toml(text, stem, where)
    else:
        shared, sections = _fio_sections(text, where)
        found = OwnProfile(name=stem, title=stem, shared=shared, sections=sections)
    found = _in_its_own_place(found)
    _check(found, where)
    return found


def is_toml(text: str) -> bool:
    """Tell whether a profile is written in TOML, not as a job file of fio."""
    return re.search(r"^[ \t]*\[(profile|\[?job)", text, re.MULTILINE) is not None


def own_text(profile: OwnProfile) -> str:
    """Return the TOML by which `read_own` gives the same profile back."""
    about = {"name": profile.name, "title": profile.title, "question": profile.question, "plot": profile.plot.value}
    lines = ["[profile]", *_table(tuple(about.items())), f"repeats = {profile.repeats}"]  # for machines
    lines += ["", "[global]", *_table(profile.shared)]  # for machines
    for name, options in profile.sections:
        lines += ["", "[[job]]", *_table((("name", name),)), "[job.fio]", *_table(options)]
    return "\n".join([*lines, ""])


def _in_its_own_place(own: OwnProfile) -> OwnProfile:
    """Return the profile without a directory of its own; which one it named is kept, to be told."""
    every = (own.shared, *(options for _, options in own.sections))
    named = next((value for options in every for key, value in options if key == PLACE), "")
    if not named:
        return own
    sections = tuple((name, _without_place(options)) for name, options in own.sections)
    return replace(own, shared=_without_place(own.shared), sections=sections, elsewhere=named)


def _without_place(options: JobOptions) -> JobOptions:
    return tuple(option for option in options if option[0] != PLACE)


def _table(pairs: JobOptions) -> list[str]:
    """Return pairs as lines of TOML: its strings are those of JSON."""
    words = ((key, json.dumps(value, ensure_ascii=False)) for key, value in pairs)
    return [f"{key} = {word}".replace("\x7f", "\\u007f") for key, word in words]


def make_own(own: OwnProfile, place: BenchPlace, wishes: BenchWishes | None = None) -> Profile:
    """Return the profile with its tests for a place. Raises UserError where a size or time is not told."""
    wishes = wishes or BenchWishes()
    sections = tuple((name, options_of(dict(options))) for name, options in own.sections)
    own = replace(own, shared=options_of(dict(own.shared)), sections=sections)
    groups: list[list[tuple[str, JobOptions]]] = []
    for name, options in own.sections:
        if not groups or any(key == "stonewall" for key, _ in options):
            groups.append([])
        groups[-1].append((name, tuple(option for option in options if option[0] != "stonewall")))
    tests = tuple(_test(own, group, place, wishes) for group in groups)
    return Profile(name=own.name, title=own.title, question=own.question, tests=tests, plot=own.plot, own=True)


def _test(own: OwnProfile, group: list[tuple[str, JobOptions]], place: BenchPlace, wishes: BenchWishes) -> BenchTest:
    """Return one test. What holds of one of its sections holds of all of it: it costs no less than that."""
    every = [{**dict(own.shared), **dict(options)} for _, options in group]
    said = every[0]
    many = [int(_number(job.get("numjobs", "1"))) for job in every]
    sizes = [count * _files_bytes(job, name) for job, count, (name, _) in zip(every, many, group, strict=True)]
    seconds = _lasts(every, sizes, wishes.seconds)
    shared = dict(own.shared)
    if seconds is not None and wishes.seconds is not None:
        shared["runtime"] = f"{round(wishes.seconds * 1000)}ms"
        group = [(name, tuple(option for option in options if option[0] != "runtime")) for name, options in group]
    files = 1 if "filename" in said else sum(many)
    size = -(-sum(sizes) // sum(many))
    block = gcd(*(_size(job.get("bs", "4k"), group[0][0]) for job in every))
    direct = all(job.get("direct", "0") != "0" for job in every)
    kept = kept_out(place, block, size * files, asks=direct)
    writers = [job for job in every if job.get("rw", "read").partition(":")[0] not in ("read", "randread")]
    noise = (
        (tell("Without refill_buffers fio writes the same blocks again, which compress."),)
        if any(not job.get("refill_buffers") for job in writers)
        else ()
    )
    compress = int(_number(said.get("buffer_compress_percentage", "0")))
    options = {**({} if "fallocate" in said else dict(WITHOUT_ZEROS)), **shared}
    return BenchTest(
        name=group[0][0],
        title=", ".join(name for name, _ in group),
        jobs=tuple(BenchJob(name=name, options=_row_of_its_own(options, n)) for n, (name, options) in enumerate(group)),
        options=tuple(options.items()),
        file_bytes=size,
        files=files,
        seconds=seconds,
        ramp_seconds=fio_seconds(said["ramp_time"]) if "ramp_time" in said and seconds is not None else 0.0,
        repeats=wishes.repeats or own.repeats,
        sync=bool(writers) and all(waits_for_storage(job) for job in writers),
        compress_percent=compress,
        cache_proof=kept.proof,
        notes=(
            *_place_words(own), kept.note, *noise,
            *zfs_facts(place, compress_percent=compress, writes=bool(writers)),
        ),
    )  # fmt: skip


def _files_bytes(job: dict[str, str], name: str) -> int:
    if "size" in job or "filesize" not in job:
        return _size(job.get("size"), name)
    return int(_number(job.get("nrfiles", "1"))) * _size(job["filesize"], name)


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


def _place_words(own: OwnProfile) -> tuple[str, ...]:
    if not own.elsewhere:
        return ()
    return (tell("directory={place} is replaced: the run has a directory of its own.", place=own.elsewhere),)


def _row_of_its_own(options: JobOptions, number: int) -> JobOptions:
    """Return the options of a section by which fio reports it apart from those before, which run at the same time."""
    return options if number == 0 or "new_group" in dict(options) else (*options, ("new_group", "1"))


def _from_toml(text: str, stem: str, where: str) -> OwnProfile:
    try:
        told = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UserError(tell("This is not TOML: {error}", error=error), where=where) from None
    about, jobs = told.get("profile", {}), told.get("job", [])
    if not isinstance(about, dict) or not isinstance(jobs, list) or not all(isinstance(job, dict) for job in jobs):
        raise UserError(
            tell("The profile is not written as one"), where=where, todo=tell("Write [profile], [global] and [[job]].")
        )
    plot = str(about.get("plot", AnswerPlot.BARS.value))
    repeats = about.get("repeats", 3)
    if plot not in set(AnswerPlot) or not isinstance(repeats, int) or not 1 <= repeats <= 100:
        raise UserError(
            tell("The plot or the number of repeats is none"),
            where=where,
            todo=tell("Plots are {plots}; repeats go from 1 to 100.", plots=", ".join(AnswerPlot)),
        )
    return OwnProfile(
        name=str(about.get("name", stem)),
        title=str(about.get("title", about.get("name", stem))),
        question=str(about.get("question", "")),
        plot=AnswerPlot(plot),
        repeats=repeats,
        shared=_toml_options(told.get("global", {}), where),
        sections=tuple(
            (str(job.get("name", f"job{number}")), _toml_options(job.get("fio", {}), where))
            for number, job in enumerate(jobs, start=1)
        ),
    )


def _toml_options(table: object, where: str) -> JobOptions:
    if not isinstance(table, dict):
        raise UserError(tell("fio's options stand in a table"), where=where)
    return tuple((str(key), str(int(value)) if isinstance(value, bool) else str(value)) for key, value in table.items())


def _fio_sections(text: str, where: str) -> tuple[JobOptions, tuple[tuple[str, JobOptions], ...]]:
    shared: list[tuple[str, str]] = []
    sections: list[tuple[str, list[tuple[str, str]]]] = []
    into: list[tuple[str, str]] | None = None
    for number, raw in enumerate(text.splitlines(), start=1):
        line = _REMARK.sub("", raw).strip()
        if not line:
            continue
        place = tell("{file}, line {line}", file=where, line=number)
        heading = _SECTION.match(line)
        if heading is not None and heading.group(1) == "global":
            if sections:
                raise UserError(
                    tell("Options for all stand before the first job"), where=place, todo=tell("Move [global] up.")
                )
            into = shared
        elif heading is not None:
            sections.append((heading.group(1), []))
            into = sections[-1][1]
        elif into is None:
            raise UserError(
                tell("This is no fio job file"), where=place, todo=tell("It begins with [global] or a job.")
            )
        else:
            key, _, value = line.partition("=")
            into.append((key.strip().lower(), value.strip() or "1"))
    return tuple(shared), tuple((name, tuple(options)) for name, options in sections)


def _check(own: OwnProfile, where: str) -> None:
    if not own.sections:
        raise UserError(tell("There is no job in it"), where=where, todo=tell("Write a section for each job."))
    if len(own.sections) > _MOST_SECTIONS:
        raise UserError(tell("More than {most} jobs", most=_MOST_SECTIONS), where=where)
    for name in (own.name, *(name for name, _ in own.sections)):
        if not _NAME.match(name):
            raise UserError(
                tell("“{name}” is no name of a job", name=name[:80]),
                where=where,
                todo=tell("Use letters, digits, spaces, dots, hyphens and underscores."),
            )
    for name, options in (("global", own.shared), *own.sections):  # for machines
        for key, value in options:
            problem = option_problem(key, value)
            if problem is not None:
                raise UserError(
                    problem, where=f"{where} [{name}]", todo=tell("Take it out: the place is chosen for it.")
                )


def option_problem(key: str, value: str) -> str | None:
    """Return why a job may not say ``key=value``, None where it may."""
    if not _OPTION.match(key) or any(ord(character) < 32 for character in value):
        return tell("“{key}” is no option of fio", key=key[:80])
    if key in _REFUSED:
        return tell("{key} is not allowed: a job names no command and no place", key=key)
    if key == "ioengine" and value not in ENGINES:
        return tell(
            "The engine {value} is not allowed; there are {engines}", value=value, engines=", ".join(sorted(ENGINES))
        )
    if "${" in value:
        return tell("{key}={value} takes a variable from outside", key=key, value=value)
    if _UP.search(value) or ("/" in value and key not in _MAY_HOLD_A_SLASH):
        return tell("{key}={value} leads out of the directory of the run", key=key, value=value)
    return None


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise UserError(tell("“{text}” is not a number", text=text)) from None


def _size(text: str | None, job: str) -> int:
    if text is None or "%" in text:
        raise UserError(
            tell("The job {job} does not say how large its files are", job=job), todo=tell("Write for example size=1G.")
        )
    return fio_bytes(text)


# What is wrong with the text of a profile of one's own, by line, while it is being written.

_HEADING = re.compile(r"\s*\[+\s*([^\]]+?)\s*\]+")
_SETTING = re.compile(r"\s*([A-Za-z0-9_]+)\s*(?:=\s*(.*?)\s*)?(?:[;#].*)?$")
_LINE = re.compile(r"line (\d+)")
_NO_OPTIONS = frozenset({"", "profile", "job"})  # tables of the TOML form that hold other words than fio's


@dataclass(frozen=True, slots=True, kw_only=True)
class TextProblem:
    """What is wrong; ``line`` counts from 1 and is None where it is of the whole text."""

    line: int | None
    text: str


def problems_in(text: str, name: str) -> tuple[OwnProfile | None, tuple[TextProblem, ...]]:
    """Return the profile in a text, None where it is none, and what is wrong with it, in the order of its lines."""
    found = list(_of_options(text))
    try:
        own = read_own(text, where=f"{name}.fio")
    except UserError as error:
        if not any(problem.text == error.what for problem in found):
            found.append(TextProblem(line=_line_of(error, text), text=" ".join(filter(None, (error.what, error.todo)))))
        return None, tuple(sorted(found, key=lambda problem: problem.line or 0))
    return own, tuple(found)


def _lines(text: str) -> Iterator[tuple[int, str, str, str, str]]:
    """Yield of each line its number, its table and job, and what it sets to what; a heading sets nothing."""
    table = job = ""
    for number, line in enumerate(text.splitlines(), start=1):
        heading, setting = _HEADING.match(line), _SETTING.match(line)
        if heading is not None:
            table = job = heading[1]
            yield number, table, job, "", ""
        elif setting is not None:
            key, value = setting[1].lower(), (setting[2] or "").strip("\"'")
            job = value if key == "name" else job
            yield number, table, job, key, value


def line_of_section(text: str, section: str) -> int | None:
    """Return the line in which a section begins, None where there is none of that name."""
    return next((line for line, _, job, key, _ in _lines(text) if job == section and key in ("", "name")), None)


def _of_options(text: str) -> Iterator[TextProblem]:
    for line, table, _, key, value in _lines(text):
        problem = option_problem(key, value or "1") if key and table not in _NO_OPTIONS else None
        if problem is not None and key != PLACE:  # which is replaced, and told of the test
            yield TextProblem(line=line, text=problem)


def _line_of(error: UserError, text: str) -> int | None:
    where = error.where or ""
    section = re.search(r" \[([^\]]+)\]$", where)
    if section is not None:
        return line_of_section(text, section.group(1))
    told = _LINE.search(error.what) or re.search(r"\D(\d+)$", where)
    return int(told.group(1)) if told is not None else None


_MOST_BYTES = 1 << 20
_ENDINGS = (".toml", ".fio")


def profiles_folder() -> Path:
    """Return the folder of the user's own profiles; not created here. Raises as `paths.user_config_folder`."""
    return paths.user_config_folder() / "profiles"


def open_own(path: Path) -> OwnProfile:
    """Return the profile in a file. Raises UserError where it is none, EnvironmentFailure where it cannot be read."""
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise UserError(tell("This is too long for a profile"), where=str(path))
        return read_own(path.read_text(encoding="utf-8"), where=str(path))
    except UnicodeDecodeError as error:
        raise UserError(tell("The file is not UTF-8 text"), where=f"{path}:{first_bad_line(error)}") from None
    except FileNotFoundError:
        raise UserError(tell("There is no such file"), where=str(path)) from None
    except OSError as error:
        raise EnvironmentFailure(
            tell("The profile cannot be read: {reason}", reason=error.strerror), where=str(path)
        ) from error


def kept_profiles() -> tuple[OwnProfile, ...]:
    """Return the user's profiles by name; one that cannot be read any more is left out."""
    found = []
    with suppress(EnvironmentFailure):
        for path in sorted(path for path in profiles_folder().glob("*") if path.suffix in _ENDINGS):
            with suppress(UserError, EnvironmentFailure):
                found.append(open_own(path))
    return tuple(found)


def keep(profile: OwnProfile, *, over: bool = False) -> Path:
    """Keep a profile under its name and return its file; raises UserError where there is one and not ``over``."""
    path = _paths_of(profile.name)[0]
    _write(path, own_text(profile), only_new=not over)
    return path


def keep_text(text: str, name: str) -> OwnProfile:
    """Keep a profile as it was written, with its remarks, in the place of one of the same name; return it.

    A fio job file does not say its name: it gets ``name``. Raises UserError where the text is no profile.
    """
    text, name = whole_text(text), whole_text(name)
    own = read_own(text, where=f"{name}.fio")
    toml, fio = _paths_of(own.name)
    as_toml = is_toml(text)
    _write(toml if as_toml else fio, text, only_new=False)
    (fio if as_toml else toml).unlink(missing_ok=True)
    return own


def text_of(name: str) -> str:
    """Return the text of a profile that is kept. Raises UserError where there is none."""
    path = next((path for path in _paths_of(name) if path.exists()), None)
    if path is None:
        raise UserError(tell("There is no profile “{name}”", name=name))
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise EnvironmentFailure(tell("The profile cannot be read: {reason}", reason=error), where=str(path)) from error


def forget(name: str) -> None:
    """Remove a profile that is kept; nothing happens where there is none."""
    for path in _paths_of(name):
        path.unlink(missing_ok=True)


def _write(path: Path, text: str, *, only_new: bool) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise EnvironmentFailure(
            tell("The folder cannot be made: {reason}", reason=error.strerror), where=str(path.parent)
        ) from error
    write_bytes(path, text.encode(), mode=PLAIN_MODE, only_new=only_new)


def _paths_of(name: str) -> tuple[Path, ...]:
    stem = re.sub(r"[^A-Za-z0-9_.-]", "-", name)
    return tuple(profiles_folder() / f"{stem}{ending}" for ending in _ENDINGS)
