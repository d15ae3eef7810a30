"""What is measured now: the place that was looked at, the run under way, the run that is shown and its verdict."""

import re
import secrets
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QObject, Signal

from poolwright import __version__
from poolwright.bench.judging.expected import expected, runs_of
from poolwright.bench.judging.table_comparison import compare_with_tables
from poolwright.bench.judging.verdict import judge
from poolwright.bench.judging.verdicts import Expectation, RunVerdict
from poolwright.bench.lanes import LiveCurves
from poolwright.bench.own_profiles import kept_profiles, make_own
from poolwright.bench.profiles.catalogue import effort_of, find_built_in, make_profile
from poolwright.bench.record import BenchTarget, Effort, Profile, RunRecord, job_text
from poolwright.bench.report import run_report
from poolwright.bench.run_file import open_run
from poolwright.bench.running.inspection import (
    ANYWHERE,
    as_before,
    check_ready,
    check_whole,
    for_disks,
    look,
    on_own_dataset,
)
from poolwright.bench.running.run import LiveSamples, RunOrder, RunProgress, run_profile
from poolwright.domain.command import Reading
from poolwright.domain.design import Design
from poolwright.domain.errors import UserError
from poolwright.domain.units import TIB
from poolwright.emit.report import Report
from poolwright.jobs.command_job import CommandJob, Teller, WatchedJob
from poolwright.jobs.job import Asking
from poolwright.predict.measured_runs import MeasuredRun
from poolwright.process.on_host import SshHost
from poolwright.process.piped import Conversation
from poolwright.process.ssh import visited
from poolwright.process.worker import done_beside
from poolwright.store.design_file import to_json
from poolwright.table_library import load_shipped_tables, rated_bytes
from poolwright.texts import _
from poolwright.ui.compare.comparing import write_report
from poolwright.ui.parts import widgets
from poolwright.ui.state.hosts import window_asker
from poolwright.ui.state.session import Session
from poolwright.ui.verify.earlier import PACKED, KeptRuns, packed
from poolwright.ui.verify.setup_pane import AGAIN, RunLimits

JOB_TARGET, RUN_FILE = "benchmark", "run file"  # for machines
_DRAW_MILLISECONDS = 100  # ten times a second
_T = TypeVar("_T")
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9-]+")


class Measuring(QObject):
    """``looked`` follows a look at the place, ``begun`` and ``ended`` a run, ``moved`` what came in, at 10 Hz at most.

    ``shown`` says that another run with its verdict is in front; one that was made is ``kept``.
    """

    looked = Signal()
    begun = Signal()
    moved = Signal()
    ended = Signal()
    shown = Signal()

    def __init__(self, session: Session, kept: KeptRuns, parent: QObject) -> None:
        super().__init__(parent)
        self._session, self._kept = session, kept
        self._host: SshHost | None = None  # where the place is; None is this machine
        self.place: BenchTarget | None = None
        self.of_disks = False  # the place is that of a run that reads disks alone
        self.live = LiveCurves()
        self.progress: RunProgress | None = None
        self.again: Profile | None = None  # of a run that is to be repeated as it was
        self.running: Profile | None = None
        self.record: RunRecord | None = None
        self.expectation: dict[str, Expectation] = {}
        self.verdict: RunVerdict | None = None
        self._looking = Asking(session.jobs, self, self._on_looked, self._on_not_looked)
        self._running = Asking(session.jobs, self, self._on_ended, self._on_failed)
        self._running.cancelled.connect(self.ended)
        self._opening = Asking(session.jobs, self, self._on_opened, session.complain)
        self._later = widgets.single_shot_timer(self, _DRAW_MILLISECONDS, self.moved)

    @property
    def busy(self) -> bool:
        return self._running.busy

    @property
    def looks(self) -> bool:
        return self._looking.busy

    def look_at(self, directory: str, host: SshHost | None = None) -> None:
        """Find out whether one may measure in this directory, here or on a host; "" where disks alone are read.

        What was known of another one is forgotten.
        """
        self.forget_place()
        self.of_disks = not directory
        path = directory or ANYWHERE
        if host is None:
            path = str(Path(path).expanduser().absolute())
        else:
            try:
                check_whole(path, host.name)
            except UserError as error:
                self._session.complain(error.text)
                return
        self._host = host
        title = _("Looking at the machine") if self.of_disks else _("Looking at {directory}", directory=path)
        self._looking.ask(CommandJob(title, JOB_TARGET, _there(look(path), host), self))
        self.looked.emit()

    def forget_place(self) -> None:
        self._looking.forget()
        self.place, self.of_disks = None, False
        self.looked.emit()

    def profile_of(self, name: str, limits: RunLimits) -> Profile:
        """Return a profile, built in or one's own, as it is for the place, or for the pool as designed before a look.

        Raises UserError or Refusal where it cannot be made.
        """
        if name == AGAIN and self.again is not None:
            return self.again
        own = next((each for each in kept_profiles() if each.name == name), None)
        wishes, design = limits.wishes, self._session.design
        place = self._found(None if own is not None else name, limits)
        if place is None:
            pool = None if design is None else design.pool_name
            place = BenchTarget(
                directory="", filesystem="zfs", host="", pool=pool, free_bytes=TIB, pool_bytes=TIB, fill_percent=0
            )
        if own is not None:
            return make_own(own, place, wishes)
        inventory = self._session.inventory
        free = () if inventory is None else inventory.usable()
        return make_profile(find_built_in(name), place, design, wishes, free)

    def effort_of(self, profile: Profile, limits: RunLimits) -> Effort:
        """Return what a profile costs at most; raises UserError or Refusal where its files have no room."""
        place = self._found(_built_in(profile), limits)
        assert place is not None
        effort = effort_of(profile, place, rated_bytes())
        check_ready(profile, effort, place)
        return effort

    def _found(self, built_in: str | None, limits: RunLimits) -> BenchTarget | None:
        """Return the place as a run of this profile finds it; None is a profile of one's own, or no place."""
        if self.place is None or not limits.own_dataset:
            return self.place
        return on_own_dataset(self.place, built_in, limits.wishes)

    def foresee(self, profile: Profile, limits: RunLimits) -> dict[str, Expectation]:
        place = self._found(_built_in(profile), limits)
        return expected(profile, self._session.design, self._session.expectations.assumed, place)

    def run(self, profile: Profile, limits: RunLimits) -> None:
        """Begin; the expected bands are known first."""
        design, place = self._session.design, self._found(_built_in(profile), limits)
        assert place is not None
        self.running, self.record, self.verdict = profile, None, None
        self.live, self.progress = LiveCurves(), None
        self.expectation = self.foresee(profile, limits)
        order = RunOrder(
            profile=profile, place=place, job_of=job_text, budget=limits.budget,
            design=None if design is None else to_json(design), seed=secrets.randbelow(1 << 30) + 1,
            program=__version__,
        )  # fmt: skip
        conversation = _conversation(order, self._host, of_disks=self.of_disks)
        job = WatchedJob(profile.title, JOB_TARGET, conversation, self)
        job.told.connect(self._on_progress)
        self._running.ask(job)
        self.begun.emit()

    def forget_run(self) -> None:
        """Have no run in front: another one is planned."""
        if not self.busy:
            self.record = self.verdict = None

    def stop(self) -> None:
        self._running.cancel()

    def show(self, record: RunRecord, design: Design | None) -> None:
        """Bring a run to the front that was measured before, judged by ``design``."""
        self.record = record
        self.expectation = expected(record.profile, design, self._session.expectations.assumed, record.place)
        self.verdict = judge(record, self.expectation)
        self.shown.emit()

    def file_name(self) -> str:
        assert self.record is not None
        words = _NOT_IN_NAMES.sub("-", f"{self.record.profile.name}-{self.record.place.pool or self.record.place.host}")
        return f"{words.strip('-').lower()}-{self.record.started:%Y%m%d-%H%M}.zip"

    def save(self, path: str) -> None:
        if self.record is not None:
            self._session.write_beside(_("Saving the run"), path, packed(self.record))

    def save_report(self, path: str) -> None:
        """Have a job write the report on the run that is shown, in the form that the file's ending names."""
        if self.record is not None:
            write_report(self._session, path, self._report)

    def _report(self) -> Report:
        assert self.record is not None
        assert self.verdict is not None
        comparison = compare_with_tables(self.record, self.verdict, load_shipped_tables())
        return run_report(self.record, self.verdict, self.expectation, comparison)

    def open(self, path: Path) -> None:
        """Show a run of a file; ``shown`` follows, or ``failed``."""
        title = _("Opening {file}", file=path.name)
        self._opening.ask(CommandJob(title, RUN_FILE, _opened(path), self))

    def narrowing(self) -> tuple[MeasuredRun, ...]:
        """Return what the run that is shown tells the predictions of the design; nothing where there is none."""
        design = self._session.design
        if design is None or self.record is None or self.verdict is None or self.record.place.pool is None:
            return ()
        pools = design.pools()
        pool = next((pool for pool in pools if pool.pool_name == self.record.place.pool), pools[0])
        return runs_of(self.record, self.verdict, pool.layout())

    def narrow(self) -> int:
        """Adapt the predictions to the run that is shown; return how many values it told."""
        runs = self.narrowing()
        if runs and self.record is not None:
            self._session.expectations.add_runs(runs, self.record.name)
        return len(runs)

    def _on_looked(self, place: BenchTarget) -> None:
        self.place = for_disks(place) if self.of_disks else place
        self.looked.emit()

    def _on_not_looked(self, why: str) -> None:
        self._session.complain(why)
        self.looked.emit()

    def _on_progress(self, value: object) -> None:
        if isinstance(value, RunProgress):
            self.progress = value
        elif isinstance(value, LiveSamples):
            if (value.test, value.number) != (self.live.test, self.live.number):
                self.live = LiveCurves(value.test, value.number)
            self.live.take(value.samples)
        elif isinstance(value, RunRecord):
            self.record, self.verdict = value, self._judged(value)
        if not self._later.isActive():
            self._later.start()

    def _judged(self, record: RunRecord) -> RunVerdict:
        """Return what can be said by now: of the test under way, and what was said of those before it."""
        (test,) = judge(replace(record, tests=record.tests[-1:]), self.expectation).tests
        known = {each.test: each for each in (self.verdict.tests if self.verdict is not None else ())}
        return RunVerdict(judgement=test.judgement, sentence="", tests=tuple({**known, test.test: test}.values()))

    def _on_ended(self, record: RunRecord) -> None:
        self.record = record
        self.verdict = judge(record, self.expectation)
        self.ended.emit()
        if record.tests:
            self._kept.keep(record, self.verdict, self._session.design)
        self.shown.emit()

    def _on_opened(self, record: RunRecord) -> None:
        self.show(record, self._session.design)

    def _on_failed(self, why: str) -> None:
        self._session.complain(why)
        self.ended.emit()


def _opened(path: Path) -> Reading[RunRecord]:
    size = path.stat().st_size if path.is_file() else 0
    return (yield from done_beside(PACKED * size, open_run, path))


def _built_in(profile: Profile) -> str | None:
    return None if profile.own else profile.name


def _there(conversation: Conversation[_T], host: SshHost | None) -> Conversation[_T]:
    return conversation if host is None else visited(conversation, host, window_asker())


def _conversation(
    order: RunOrder, host: SshHost | None, *, of_disks: bool
) -> Callable[[Teller], Conversation[RunRecord]]:
    def make(teller: Teller) -> Conversation[RunRecord]:
        return _there(measured(teller), host)

    def measured(teller: Teller) -> Conversation[RunRecord]:
        # Between the look and the press a scrub may have begun, a disk gone, the directory filled.
        place = yield from look(order.place.directory)
        place = for_disks(place) if of_disks else as_before(place, order.place)
        return (yield from run_profile(replace(order, place=place), teller))

    return make
