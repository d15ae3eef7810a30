"""Runs a profile: every repeat of every test, watched, within a budget, in a scratch directory that is removed."""

import re
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache, partial
from importlib import resources

from poolwright.bench import record as runs
from poolwright.bench.profiles.access import jobs_of
from poolwright.bench.profiles.catalogue import repeat_bytes, writes, written_untold
from poolwright.bench.record import BenchTarget, BenchTest, Ended, Repeat, RunRecord, TestRun
from poolwright.bench.running.monitoring import IDLE_SECONDS, NO_LIMITS, Listening, LiveReader, RepeatFigures, RunBudget
from poolwright.domain.command import Command, Completed, Ending
from poolwright.domain.errors import Refusal
from poolwright.domain.measurement import Direction, Recorded
from poolwright.machine.fio.live import FioLine, FioReports
from poolwright.machine.sampler import SamplerReader
from poolwright.machine.samples import Sample
from poolwright.machine.zpool.iostat import PoolWatch
from poolwright.process.piped import Conversation, Held, LetGo, Watched
from poolwright.shipped import shipped
from poolwright.store.read_results import POOL_REPORTS, SAMPLES, read_repeat, read_watched
from poolwright.texts import _, sentence

SCRATCH = "poolwright-bench-"
SYSFS = "/sys"
# After the end of its input the keeper removes what may be many files; then it would be told to end.
_KEEPER_SECONDS = 300.0
SILENCE_SECONDS = 45.0  # a far side that heard nothing for so long has lost us
_LONGEST_SECONDS = 7 * 86400.0  # limits are the budget's; this only ends what was forgotten
(
    GONE, EXISTS, NOT_MADE, NOT_ALLOWED, NOT_WRITTEN, LEFT, NO_DISK, NO_DATASET, ELSEWHERE,
) = (66, 71, 72, 73, 74, 75, 76, 77, 78)  # fmt: skip
_GUESSED_RATE = 200e6  # bytes/s, until a repeat has shown how long it takes
Teller = Callable[[str, float | None, object], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOrder:
    """What is to be run, where, and within which budget; ``job_of`` writes the job file of a test with a random seed.

    ``design`` is the JSON text of the design that was open. ``sysfs`` is where sysfs is mounted.
    """

    profile: runs.Profile
    place: BenchTarget
    job_of: Callable[[BenchTest, int], str]
    budget: RunBudget = NO_LIMITS
    design: str | None = None
    seed: int = 1
    program: str = ""
    idle_seconds: float = IDLE_SECONDS
    sysfs: str = SYSFS


@dataclass(frozen=True, slots=True, kw_only=True)
class RunProgress:
    """How far a run is; ``untold`` says that the present tool reports what it wrote only when it ends."""

    test: str
    fraction: float
    seconds: float
    written_bytes: int
    seconds_left: float
    celsius: float | None
    untold: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveSamples:
    test: str
    number: int
    samples: tuple[Sample, ...]


def silent(_doing: str, _fraction: float | None, _value: object) -> None: ...


def run_profile(order: RunOrder, told: Teller = silent) -> Conversation[RunRecord]:
    """Run a profile and return its record, also where it was cancelled, stopped by its budget or failed on the way.

    ``told`` gets what is done, the fraction, and a `RunProgress`, `LiveSamples` or, after each repeat, the
    `RunRecord` so far. Raises Refusal where the place is refused.
    """
    if order.place.refusals:
        raise Refusal(
            _("Nothing is measured in {directory}", directory=order.place.directory), reasons=order.place.refusals
        )
    begun = RunRecord(
        name=order.profile.title, started=datetime.now(UTC), seconds=0.0, ended=Ended.WHOLE, tests=(),
        profile=order.profile, place=order.place, design=order.design, seed=order.seed, program=order.program,
    )  # fmt: skip
    return (yield from _Run(order, told, begun).run())


@dataclass(slots=True)
class _Run:
    """A run under way; ``record`` is what it came to so far."""

    order: RunOrder
    told: Teller
    record: RunRecord
    began: float = field(default_factory=time.monotonic)
    written: int = 0
    expected: dict[tuple[str, int], float] = field(default_factory=dict)
    fraction: float = 0.0  # as told last: what took longer than expected moves it on slower, never back

    def run(self) -> Conversation[RunRecord]:
        order = self.order
        key = f"{self.record.started:%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"
        self.expected = {("", 0): max(0.0, order.idle_seconds)} | {
            (test.name, n): expected_seconds(test) for test in order.profile.tests for n in range(1, test.repeats + 1)
        }
        held = Held(command=keeper(order.place, key))
        answers = yield held
        if answers:
            ended, why = _ending(answers[0], None, runs.Engine.FIO)
            # A keeper that ends well without a word was told to end.
            self._end(Ended.CANCELLED if ended is Ended.WHOLE else ended, why)
            return self.so_far()
        yield from self._watch_idle(key)
        if self.record.ended is Ended.WHOLE:
            yield from self._run_tests(key)
        self.told(_("Removing the files"), 1.0, None)
        (gone,) = yield LetGo(held=held)
        if not gone.ok:
            (removed,) = yield (remover(order.place, key),)
            self._end(self.record.ended, "" if removed.ok else _left_by(order.place, key))
        return self.so_far()

    def so_far(self) -> RunRecord:
        return replace(self.record, seconds=time.monotonic() - self.began)

    def _end(self, ended: Ended, why: str) -> None:
        text = " ".join(part for part in (self.record.why, why) if part)
        self.record = replace(self.record, ended=ended, why=text)

    def _beside(self, key: str) -> tuple[Command, ...]:
        pool = self.order.place.pool
        scratch = scratch_of(self.order.place.directory, key)
        watchers = () if pool is None else (pool_watcher(scratch, pool),)
        return (*watchers, sampler(scratch, pool, self._disks(), self.order.sysfs))

    def _disks(self) -> tuple[str, ...]:
        return tuple(sorted({disk.kernel_name for disk in self.order.place.disks if disk.kernel_name}))

    def _watch_idle(self, key: str) -> Conversation[None]:
        if self.order.idle_seconds <= 0:
            return
        rest = BenchTest(name="", title=_("Watching the machine at rest"), jobs=(), repeats=0)
        self.told(rest.title, 0.0, None)
        listening = self._listening(rest, 0)
        answers = yield Watched(main=pause(self.order.idle_seconds), watcher=listening, beside=self._beside(key))
        self.record = replace(self.record, idle=read_watched(self._sources(listening), "idle"))  # for machines
        if not answers[0].ok:
            self._end(*_ending(answers[0], listening.reached, rest.engine))

    def _run_tests(self, key: str) -> Conversation[None]:
        sweeps: dict[str, list[float]] = {}
        before: BenchTest | None = None
        for test in self.order.profile.tests:
            rates = sweeps.setdefault(dict(test.jobs[0].options).get("rw", "") if test.jobs else "", [])
            if test.stops_at_knee and runs.is_flat(rates):
                continue
            fresh = before is not None and not test.keeps_files and _files_of(before) != _files_of(test)
            yield from self._run_test(key, test, fresh=fresh)
            before = test
            if self.record.ended is not Ended.WHOLE:
                return
            repeats = self.record.tests[-1].repeats
            found = [sum(one.rate or 0.0 for one in each.measured) for each in repeats if each.application]
            rates.append(sum(found) / len(found) if found else 0.0)

    def _run_test(self, key: str, test: BenchTest, *, fresh: bool) -> Conversation[None]:
        made, before = (
            TestRun(test=test, job_file=self.order.job_of(test, self.order.seed), repeats=()),
            self.record.tests,
        )
        for number in range(1, test.repeats + 1):
            most = self.order.budget.written_bytes
            if most is not None and self.written + written_untold(test) > most:
                self._end(Ended.BUDGET, _("The writes allowed do not suffice for “{test}”.", test=test.title))
                return
            repeat = yield from self._run_repeat(key, test, number, fresh=fresh and number == 1)
            made = replace(made, repeats=(*made.repeats, repeat))
            self.record = replace(self.record, tests=(*before, made))
            self.told(test.title, None, self.so_far())
            if repeat.ended is not Ended.WHOLE:
                self._end(repeat.ended, repeat.why)
                return

    def _run_repeat(self, key: str, test: BenchTest, number: int, *, fresh: bool) -> Conversation[Repeat]:
        seed = self.order.seed + sum(len(run.repeats) for run in self.record.tests)
        command = runner(
            self.order.place.directory,
            key,
            test.engine,
            self.order.job_of(test, seed),
            alone=jobs_of(test) == 1,
            fresh=fresh,
        )
        listening = self._listening(test, number)
        started, began = datetime.now(UTC), time.monotonic()
        answers = yield Watched(main=command, watcher=listening, beside=self._beside(key))
        listening.end()
        seconds = time.monotonic() - began
        self.expected = {place: seconds if place[0] == test.name else known for place, known in self.expected.items()}
        ended, why = _ending(answers[0], listening.reached, test.engine)
        out, errors = listening.output, answers[0].stderr.strip()
        raw = [("fio.json", out.report), ("output.txt", out.text.strip()), *out.files(), ("errors.txt", errors)]
        files = tuple((name, data) for name, data in (*raw, *self._sources(listening)) if data)
        application, watched = read_repeat(files, f"{test.name}-{number}", jobs_of(test))  # for machines
        self.written += max(listening.figures.written_bytes, _written_by(test, application))
        return Repeat(
            number=number,
            started=started,
            seconds=seconds,
            ended=ended,
            why=why,
            application=application,
            watched=watched,
            files=files,
        )

    def _watchers(self) -> dict[str, LiveReader]:
        """Return who reads what those beside tell, in their order, by the file in which that is kept."""
        pool = self.order.place.pool
        of_pool: dict[str, LiveReader] = {} if pool is None else {POOL_REPORTS: PoolWatch(pools=(pool,))}
        return of_pool | {SAMPLES: SamplerReader()}

    def _sources(self, listening: Listening) -> tuple[tuple[str, bytes], ...]:
        names = enumerate(self._watchers(), start=1)
        return tuple((name, bytes(listening.beside.get(place, b""))) for place, name in names)

    def _listening(self, test: BenchTest, number: int) -> Listening:
        live: dict[int, LiveReader] = dict(enumerate(self._watchers().values(), start=1))
        if test.engine is runs.Engine.FIO:
            live[0] = FioReports() if jobs_of(test) == 1 else FioLine()
        spent = (time.monotonic() - self.began, self.written)
        return Listening(
            self.order.budget,
            spent,
            partial(self._moved, test, number),
            partial(self._sampled, test, number),
            live,
            frozenset(self._disks()),
            asked_bytes=test.file_bytes if test.engine is runs.Engine.DD else None,
            writes=writes(test),
        )

    def _sampled(self, test: BenchTest, number: int, samples: tuple[Sample, ...]) -> None:
        self.told(_doing(test, number), None, LiveSamples(test=test.name, number=number, samples=samples))

    def _moved(self, test: BenchTest, number: int, figures: RepeatFigures) -> None:
        lasts, at = list(self.expected.values()), list(self.expected).index((test.name, number))
        mine, left = figures.seconds, figures.seconds_left
        if left is None:
            mine = min(mine, lasts[at])
            left = lasts[at] - mine
        done, left = sum(lasts[:at]) + mine, left + sum(lasts[at + 1 :])
        self.fraction = max(self.fraction, done / max(done + left, 0.001))
        progress = RunProgress(
            test=test.name,
            fraction=self.fraction,
            seconds=time.monotonic() - self.began,
            written_bytes=self.written + figures.written_bytes,
            seconds_left=left,
            celsius=figures.celsius,
            untold=test.engine is runs.Engine.BONNIE,
        )
        self.told(_doing(test, number), self.fraction, progress)


def _doing(test: BenchTest, number: int) -> str:
    if not test.repeats:
        return test.title
    return _("{title}: {number} of {repeats}", title=test.title, number=number, repeats=test.repeats)


def expected_seconds(test: BenchTest) -> float:
    if test.seconds is not None:
        return test.seconds + test.ramp_seconds
    return repeat_bytes(test) / _GUESSED_RATE


def _left_by(place: BenchTarget, key: str) -> str:
    if place.makes is None or place.dataset is None:
        return runs.left_behind(scratch_of(place.directory, key))
    return runs.left_behind(f"{place.dataset}/{SCRATCH}{key}", dataset=True)


def _ending(main: Completed, reached: str | None, engine: runs.Engine) -> tuple[Ended, str]:
    if reached is not None:
        return Ended.BUDGET, reached
    if main.ending is Ending.CANCELLED:
        return Ended.CANCELLED, ""
    failed = not main.ok or b"got signal=" in main.stderr
    return (Ended.FAILED, why_failed(main, engine)) if failed else (Ended.WHOLE, "")


def _written_by(test: BenchTest, application: Recorded | None) -> int:
    """Return the bytes written by a tool that reports only at its end; of bonnie++, which reports rates, its files."""
    found = () if application is None else application.measured
    written = [one for one in found if one.direction is Direction.WRITE]
    if test.engine is runs.Engine.BONNIE:
        return test.file_bytes * len({one.pattern for one in written if one.rate})
    return sum(one.bytes or 0 for one in written) if test.engine is runs.Engine.DD else 0


def _files_of(test: BenchTest) -> tuple[int, int, int, int | None]:
    """Return what two tests must share to use the same files: a file keeps the recordsize it was written with."""
    return test.file_bytes, test.files, test.compress_percent, test.record_bytes


# Why a repeat failed, in words.

_NO_NOISE = re.compile(r"^(?:fio: (?:terminating on signal|pid=)|note:|\s*$)")
_KILLED_STATUS = 128 + 9


def why_failed(completed: Completed, engine: runs.Engine) -> str:
    """Return what went wrong, what the tool said of it, and what is needed where that is known."""
    if completed.ending is Ending.LOST:
        return completed.complaint
    if completed.missing:
        return _("{program} is not installed there. Install it (packages fio, bonnie++).", program=_program(engine))
    said = completed.stderr.decode("utf-8", "replace")
    if completed.status == NO_DISK:
        return _("There is no disk {name} on this machine.", name=said.strip())
    known = shipped("verdicts")
    what = next((_(entry["why"]) for entry in known["failure"] if re.search(entry["said"], said)), "")
    statuses = {entry["status"]: entry["why"] for entry in known["runner"]}
    if completed.ending is Ending.TIMED_OUT:
        what = _("It did not end in time.")
    elif completed.ending is Ending.KILLED or completed.status == _KILLED_STATUS:
        what = _("It was killed, perhaps because memory ran out.")
    elif completed.status in statuses:
        what = _(statuses[completed.status])
    if completed.status == GONE:
        return what  # what a program says of it is only that
    lines = [line.strip() for line in said.splitlines() if not _NO_NOISE.match(line)]
    words = _("It said: {said}", said=sentence(lines[0][:300])) if lines else ""
    if not what and not words:
        what = _("{program} ended with status {status}", program=_program(engine), status=completed.status) + "."
    return " ".join(part for part in (what, words) if part)


def _program(engine: runs.Engine) -> str:
    return "fio" if engine is runs.Engine.SIBLINGS else engine.value


# The commands of a run: the keeper of its directory, the runner of a repeat, and what watches beside it. The shell
# files of ``shell/`` are handed to sh on the target as an argument: nothing is copied there.


@cache
def _shell(name: str) -> str:
    return resources.files("poolwright.bench.running").joinpath("shell", name).read_text(encoding="utf-8")


def _sh(name: str, *arguments: str, stdin: bytes | None = None, seconds: float = _LONGEST_SECONDS) -> Command:
    return Command(argv=("sh", "-c", _shell(name), name, *arguments), stdin=stdin, timeout_seconds=seconds)


def scratch_of(directory: str, run: str) -> str:
    return f"{directory.rstrip('/')}/{SCRATCH}{run}"


def looker(directory: str) -> Command:
    return _sh("look.sh", directory, seconds=60.0)


def keeper(place: BenchTarget, run: str) -> Command:
    """Return what makes the run's directory, or its dataset, stays while it lasts, and takes it away afterwards.

    The run is over when its input ends.
    """
    properties = (f"{name}={value}" for name, value in place.makes or ())
    words = ("keep", place.directory, run, _parent(place), f"{SILENCE_SECONDS:g}", *properties)  # for machines
    return _sh("keeper.sh", *words, stdin=b"", seconds=_KEEPER_SECONDS)


def remover(place: BenchTarget, run: str) -> Command:
    return _sh("keeper.sh", "remove", place.directory, run, _parent(place), seconds=_KEEPER_SECONDS)


def _parent(place: BenchTarget) -> str:
    return place.dataset if place.makes is not None and place.dataset is not None else ""


def runner(directory: str, run: str, engine: runs.Engine, job: str, *, alone: bool, fresh: bool) -> Command:
    """Return what runs one repeat; with ``fresh`` it begins without the files of those before.

    fio's reports (--status-interval) wait for each of its workers in turn, and one that ends meanwhile waits for the
    report and after 5 s gives up with an error (fio 3.42, backend.c: "stuck grabbing stat_sem"). So only a worker that
    is ``alone`` is asked for reports; several tell by the line that people see.
    """
    text = job.encode()
    telling = "reports" if alone else "line"  # for machines
    words = (scratch_of(directory, run), engine.value, str(len(text)), f"{SILENCE_SECONDS:g}", telling)
    words = (*words, *(("fresh",) if fresh else ()))  # for machines
    return _sh("runner.sh", *words, stdin=text)


def pause(seconds: float) -> Command:
    return Command(argv=("sleep", f"{seconds:g}"), stdin=b"", timeout_seconds=seconds + 60)


def pool_watcher(scratch: str, pool: str) -> Command:
    """Return what tells each second what each vdev and disk of the pool did, until ``scratch`` is gone.

    The first report, of the time since boot, is left out (-y); numbers are exact (-p), times in ns.
    """
    words = ("zpool", "iostat", "-T", "u", "-y", "-v", "-l", "-p", "-H", pool, "1")  # for machines
    return _sh("watching.sh", scratch, *words)


def sampler(scratch: str, pool: str | None, disks: Sequence[str] = (), sysfs: str = SYSFS) -> Command:
    """Return what tells each second what the kernel and the ARC count, and how warm disks are, as long as it lasts."""
    return _sh("watching.sh", scratch, "sh", "-c", _shell("sampler.sh"), "sampler.sh", pool or "", sysfs, *disks)
