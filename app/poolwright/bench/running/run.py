"""Runs a profile: every repeat of every test, watched, within a budget, in a scratch directory that is removed."""

import re
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from poolwright.bench.profiles.access import jobs_of
from poolwright.bench.profiles.catalogue import repeat_bytes, writes, written_untold
from poolwright.bench.record import (
    BenchTarget,
    BenchTest,
    Ended,
    Engine,
    Profile,
    Repeat,
    RunRecord,
    TestRun,
    is_flat,
    left_behind,
)
from poolwright.bench.running import commands
from poolwright.bench.running.monitoring import IDLE_SECONDS, NO_LIMITS, Listening, LiveReader, RepeatFigures, RunBudget
from poolwright.domain.command import Command, Completed, Ending
from poolwright.domain.errors import Refusal
from poolwright.domain.measurement import Direction, Recorded
from poolwright.machine.fio.live import FioLine, FioReports
from poolwright.machine.samples import Sample, SamplerReader
from poolwright.machine.zpool.iostat import PoolWatch
from poolwright.process.piped import Conversation, Held, LetGo, Watched
from poolwright.shipped import shipped
from poolwright.store.read_results import POOL_REPORTS, SAMPLES, read_repeat, read_watched
from poolwright.texts import _, sentence

_GUESSED_RATE = 200e6  # bytes/s, until a repeat has shown how long it takes
Teller = Callable[[str, float | None, object], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOrder:
    """What is to be run, where, and within which budget; ``job_of`` writes the job file of a test with a random seed.

    ``design`` is the JSON text of the design that was open. The effort of ``profile`` estimated ``written_bytes``, and
    ``wear``, the share of the disks' rated writes which those use up. ``sysfs`` is where sysfs is mounted.
    """

    profile: Profile
    place: BenchTarget
    job_of: Callable[[BenchTest, int], str]
    budget: RunBudget = NO_LIMITS
    design: str | None = None
    seed: int = 1
    name: str = ""
    program: str = ""
    wear: float | None = None
    written_bytes: int = 0
    idle_seconds: float = IDLE_SECONDS
    sysfs: str = commands.SYSFS


@dataclass(frozen=True, slots=True, kw_only=True)
class RunProgress:
    """How far a run is. ``wear`` is the share of rated writes it has used so far; None where unknown.

    ``untold`` says that the present tool reports what it wrote only when it ends.
    """

    test: str
    number: int
    repeats: int
    fraction: float
    seconds: float
    written_bytes: int
    seconds_left: float | None = None
    wear: float | None = None
    celsius: float | None = None
    untold: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveSamples:
    test: str
    number: int
    samples: tuple[Sample, ...]


def silent(_doing: str, _fraction: float | None, _value: object) -> None:
    """Tell nobody."""


def run_profile(order: RunOrder, told: Teller = silent) -> Conversation[RunRecord]:
    """Run a profile and return its record, also where it was cancelled, stopped by its budget or failed on the way.

    ``told`` gets what is done, the fraction, and a `RunProgress`, `LiveSamples` or, after each repeat, the
    `RunRecord` so far. Raises Refusal where the place is refused.
    """
    if order.place.refusals:
        raise Refusal(
            _("Nothing is measured in {directory}", directory=order.place.directory), reasons=order.place.refusals
        )
    return (yield from _Run(order, told).run())


@dataclass(slots=True)
class _Run:
    order: RunOrder
    told: Teller
    started: datetime = field(default_factory=lambda: datetime.now(UTC))
    began: float = field(default_factory=time.monotonic)
    written: int = 0
    tests: tuple[TestRun, ...] = ()
    idle: tuple[Recorded, ...] = ()
    ended: Ended = Ended.WHOLE
    why: str = ""
    expected: dict[tuple[str, int], float] = field(default_factory=dict)
    fraction: float = 0.0  # as told last: what took longer than expected moves it on slower, never back

    def run(self) -> Conversation[RunRecord]:
        order = self.order
        key = f"{self.started:%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"
        self.expected = {
            (test.name, n): expected_seconds(test) for test in order.profile.tests for n in range(1, test.repeats + 1)
        }
        held = Held(command=commands.keeper(order.place, key))
        answers = yield held
        if answers:
            self._end(*_ending(answers[0], None, Engine.FIO))
            return self.record()
        yield from self._watch_idle(key)
        if self.ended is Ended.WHOLE:
            yield from self._run_tests(key)
        self.told(_("Removing the files"), 1.0, None)
        (gone,) = yield LetGo(held=held)
        if not gone.ok:
            yield from self._remove(key)
        return self.record()

    def record(self) -> RunRecord:
        return RunRecord(
            name=self.order.name or self.order.profile.title,
            started=self.started,
            seconds=time.monotonic() - self.began,
            ended=self.ended,
            profile=self.order.profile,
            place=self.order.place,
            tests=self.tests,
            why=self.why,
            idle=self.idle,
            design=self.order.design,
            seed=self.order.seed,
            program=self.order.program,
        )

    def _end(self, ended: Ended, why: str) -> None:
        self.ended, self.why = ended, " ".join(part for part in (self.why, why) if part)

    def _remove(self, key: str) -> Conversation[None]:
        answers = yield (commands.remover(self.order.place, key),)
        if not answers[0].ok:
            self.why = f"{self.why} {_left_by(self.order.place, key)}".strip()

    def _beside(self, key: str) -> tuple[Command, ...]:
        pool = self.order.place.pool
        scratch = commands.scratch_of(self.order.place.directory, key)
        watchers = () if pool is None else (commands.pool_watcher(scratch, pool),)
        return (*watchers, commands.sampler(scratch, pool, self._disks(), self.order.sysfs))

    def _disks(self) -> tuple[str, ...]:
        return tuple(sorted({disk.kernel_name for disk in self.order.place.disks if disk.kernel_name}))

    def _watch_idle(self, key: str) -> Conversation[None]:
        if self.order.idle_seconds <= 0:
            return
        self.told(_("Watching the machine at rest"), 0.0, None)
        listening = self._listening(None, 0)
        answers = yield Watched(
            main=commands.pause(self.order.idle_seconds), watcher=listening, beside=self._beside(key)
        )
        self.idle = read_watched(self._sources(listening), "idle")  # for machines
        if not answers[0].ok:
            self._end(*_ending(answers[0], listening.reached, Engine.FIO))

    def _run_tests(self, key: str) -> Conversation[None]:
        sweeps: dict[str, list[float]] = {}
        before: BenchTest | None = None
        for test in self.order.profile.tests:
            rates = sweeps.setdefault(dict(test.jobs[0].options).get("rw", "") if test.jobs else "", [])
            if test.stops_at_knee and is_flat(rates):
                continue
            fresh = before is not None and not test.keeps_files and _files_of(before) != _files_of(test)
            yield from self._run_test(key, test, fresh=fresh)
            before = test
            if self.ended is not Ended.WHOLE:
                return
            rates.append(_rate(self.tests[-1]))

    def _run_test(self, key: str, test: BenchTest, *, fresh: bool) -> Conversation[None]:
        made = TestRun(test=test, job_file=self.order.job_of(test, self.order.seed), repeats=())
        self.tests = (*self.tests, made)
        for number in range(1, test.repeats + 1):
            most = self.order.budget.written_bytes
            if most is not None and self.written + written_untold(test) > most:
                self.tests = self.tests if made.repeats else self.tests[:-1]
                self._end(Ended.BUDGET, _("The writes allowed do not suffice for “{test}”.", test=test.title))
                return
            repeat = yield from self._run_repeat(key, test, number, fresh=fresh and number == 1)
            made = replace(made, repeats=(*made.repeats, repeat))
            self.tests = (*self.tests[:-1], made)
            self.told(test.title, None, self.record())
            if repeat.ended is not Ended.WHOLE:
                self._end(repeat.ended, repeat.why)
                return

    def _run_repeat(self, key: str, test: BenchTest, number: int, *, fresh: bool) -> Conversation[Repeat]:
        seed = self.order.seed + sum(len(run.repeats) for run in self.tests)
        command = commands.runner(
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
        files = _files(listening, answers[0], self._sources(listening))
        output = read_repeat(files, f"{test.name}-{number}", jobs_of(test))  # for machines
        self.written += max(listening.figures.written_bytes, _written_by(test, output.application))
        return Repeat(
            number=number,
            started=started,
            seconds=seconds,
            ended=ended,
            why=why,
            application=output.application,
            watched=output.watched,
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

    def _listening(self, test: BenchTest | None, number: int) -> Listening:
        teller = _RepeatTeller(self, test, number)
        live: dict[int, LiveReader] = dict(enumerate(self._watchers().values(), start=1))
        if test is not None and test.engine is Engine.FIO:
            live[0] = FioReports() if jobs_of(test) == 1 else FioLine()
        spent = (time.monotonic() - self.began, self.written)
        copies = test is not None and test.engine is Engine.DD
        return Listening(
            self.order.budget,
            spent,
            teller.moved,
            teller.sampled,
            live,
            frozenset(self._disks()),
            asked_bytes=test.file_bytes if test is not None and copies else None,
            writes=test is None or writes(test),
        )


@dataclass(frozen=True, slots=True)
class _RepeatTeller:
    run: _Run
    test: BenchTest | None
    number: int

    def sampled(self, samples: tuple[Sample, ...]) -> None:
        name = "" if self.test is None else self.test.name
        self.run.told(self._doing(), None, LiveSamples(test=name, number=self.number, samples=samples))

    def moved(self, figures: RepeatFigures) -> None:
        order, test = self.run.order, self.test
        total = sum(self.run.expected.values()) + order.idle_seconds
        done, rest = (0.0, order.idle_seconds) if test is None else self._seconds_before(test)
        if figures.seconds_left is None:
            mine = min(figures.seconds, rest)
            left = max(0.0, total - done - mine)
        else:
            mine = figures.seconds
            left = max(0.0, total - done - rest) + figures.seconds_left
        written = self.run.written + figures.written_bytes
        self.run.fraction = max(self.run.fraction, (done + mine) / max(done + mine + left, 0.001))
        share = None if order.wear is None or not order.written_bytes else order.wear * written / order.written_bytes
        progress = RunProgress(
            test="" if test is None else test.name,
            number=self.number,
            repeats=0 if test is None else test.repeats,
            fraction=self.run.fraction,
            seconds=time.monotonic() - self.run.began,
            written_bytes=written,
            seconds_left=left,
            wear=share,
            celsius=figures.celsius,
            untold=test is not None and test.engine is Engine.BONNIE,
        )
        self.run.told(self._doing(), self.run.fraction, progress)

    def _seconds_before(self, test: BenchTest) -> tuple[float, float]:
        before = self.run.order.idle_seconds
        for place, seconds in self.run.expected.items():
            if place == (test.name, self.number):
                return before, seconds
            before += seconds
        return before, 0.0

    def _doing(self) -> str:
        if self.test is None:
            return _("Watching the machine at rest")
        return _("{title}: {number} of {repeats}", title=self.test.title, number=self.number, repeats=self.test.repeats)


def expected_seconds(test: BenchTest) -> float:
    if test.seconds is not None:
        return test.seconds + test.ramp_seconds
    return repeat_bytes(test) / _GUESSED_RATE


def _left_by(place: BenchTarget, key: str) -> str:
    if place.makes is None or place.dataset is None:
        return left_behind(commands.scratch_of(place.directory, key))
    return left_behind(f"{place.dataset}/{commands.SCRATCH}{key}", dataset=True)


def _ending(main: Completed, reached: str | None, engine: Engine) -> tuple[Ended, str]:
    if reached is not None:
        return Ended.BUDGET, reached
    if main.ending is Ending.CANCELLED:
        return Ended.CANCELLED, ""
    failed = not main.ok or b"got signal=" in main.stderr
    return (Ended.FAILED, why_failed(main, engine)) if failed else (Ended.WHOLE, "")


def _files(
    listening: Listening, main: Completed, beside: tuple[tuple[str, bytes], ...]
) -> tuple[tuple[str, bytes], ...]:
    output = listening.output
    found = [("fio.json", output.report), ("output.txt", output.text.strip()), *output.files()]
    found += [("errors.txt", main.stderr.strip()), *beside]
    return tuple((name, data) for name, data in found if data)


def _written_by(test: BenchTest, application: Recorded | None) -> int:
    """Return the bytes written by a tool that reports only at its end; of bonnie++, which reports rates, its files."""
    found = () if application is None else application.measured
    if test.engine is Engine.BONNIE:
        return test.file_bytes * len({one.pattern for one in found if one.rate and one.direction is Direction.WRITE})
    return sum(one.bytes or 0 for one in found if one.direction is Direction.WRITE) if test.engine is Engine.DD else 0


def _files_of(test: BenchTest) -> tuple[int, int, int, int | None]:
    """Return what two tests must share to use the same files: a file keeps the recordsize it was written with."""
    return test.file_bytes, test.files, test.compress_percent, test.record_bytes


def _rate(run: TestRun) -> float:
    rates = [sum(one.rate or 0.0 for one in repeat.measured) for repeat in run.repeats if repeat.application]
    return sum(rates) / len(rates) if rates else 0.0


# Why a repeat failed, in words.

_NO_NOISE = re.compile(r"^(?:fio: (?:terminating on signal|pid=)|note:|\s*$)")
_KILLED_STATUS = 128 + 9


def why_failed(completed: Completed, engine: Engine) -> str:
    """Return what went wrong, what the tool said of it, and what is needed where that is known."""
    if completed.ending is Ending.LOST:
        return completed.complaint
    if completed.missing:
        return _("{program} is not installed there. Install it (packages fio, bonnie++).", program=_program(engine))
    said = completed.stderr.decode("utf-8", "replace")
    if completed.status == commands.NO_DISK:
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
    if completed.status == commands.GONE:
        return what  # what a program says of it is only that
    lines = [line.strip() for line in said.splitlines() if not _NO_NOISE.match(line)]
    words = _("It said: {said}", said=sentence(lines[0][:300])) if lines else ""
    if not what and not words:
        what = _("{program} ended with status {status}", program=_program(engine), status=completed.status) + "."
    return " ".join(part for part in (what, words) if part)


def _program(engine: Engine) -> str:
    return "fio" if engine is Engine.SIBLINGS else engine.value
