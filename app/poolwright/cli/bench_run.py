"""`poolwright bench --profile NAME --directory DIR`: measures, tells of it on standard error, and gives the verdict."""

import argparse
import itertools
import secrets
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import FrameType
from uuid import uuid4

from poolwright import __version__, paths
from poolwright.bench import own_profiles
from poolwright.bench.judging.expected import expected
from poolwright.bench.judging.table_comparison import compare_with_tables
from poolwright.bench.judging.verdict import judge
from poolwright.bench.judging.verdicts import Expectation, RunVerdict, ended_words, foretold_lines
from poolwright.bench.own_profiles import make_own
from poolwright.bench.profiles.access import BenchWishes
from poolwright.bench.profiles.catalogue import BUILT_IN, effort_of, find_built_in, make_profile, reads_disks
from poolwright.bench.record import BenchTarget, Effort, Ended, Profile, RunRecord, job_text, time_words
from poolwright.bench.report import answer_parts
from poolwright.bench.run_file import keep_stored, run_archive, stored_run
from poolwright.bench.running.inspection import ANYWHERE, as_before, check_ready, for_disks, on_own_dataset
from poolwright.bench.running.monitoring import IDLE_SECONDS, SHORTEST_LOOK, RunBudget
from poolwright.bench.running.run import RunOrder, RunProgress, run_profile
from poolwright.cli import bench
from poolwright.cli.bench import looked_at, own_design, run_there, wishes_of
from poolwright.cli.main import INTERRUPTED
from poolwright.cli.output import answer, say, write_output
from poolwright.domain.design import Design
from poolwright.domain.errors import PoolwrightError, Refusal, UserError, excluded
from poolwright.domain.units import binary
from poolwright.emit.report import NEXT, SAVED, endings
from poolwright.store.design_file import from_json, to_json
from poolwright.table_library import load_shipped_tables, rated_bytes
from poolwright.texts import _

# Where `poolwright bench` puts a run, and meanwhile what is finished: the file that was named, else the library.

_MEANWHILE_SECONDS = 60.0
_MOST_SHARE = 0.02  # of the time, that keeping may take while a run lasts


@dataclass(slots=True)
class Keeping:
    """Keeps one run: now and then what is finished, in the place where in the end the whole run is put.

    A machine that goes down in the middle of hours, or a program that is killed, so loses a few repeats at most.
    """

    args: argparse.Namespace
    design: Design | None
    foretold: dict[str, Expectation]
    key: str = field(default_factory=lambda: str(uuid4()))
    own_file: bool = False
    next: float = field(default_factory=lambda: time.monotonic() + _MEANWHILE_SECONDS)

    @property
    def file(self) -> str | None:
        return None if self.args.format else self.args.output

    def meanwhile(self, record: RunRecord) -> None:
        """Keep what is finished, unless that was done just now; what fails here is told when the whole run is kept."""
        began = time.monotonic()
        if began < self.next or not any(test.repeats for test in record.tests):
            return
        why = _("It was interrupted: its process was ended from outside.")
        so_far = replace(record, ended=Ended.CANCELLED, why=" ".join(part for part in (record.why, why) if part))
        with suppress(PoolwrightError):
            self._put(so_far, judge(so_far, self.foretold))
        took = time.monotonic() - began
        self.next = began + took + max(_MEANWHILE_SECONDS, took / _MOST_SHARE)

    def whole(self, record: RunRecord, verdict: RunVerdict) -> dict[str, str]:
        """Keep a run that has ended; return its ``file`` or ``key``. Raises as `write_output` for a named file."""
        try:
            kept = self._put(record, verdict)
        except PoolwrightError as error:  # what was measured is told all the same
            if self.file is not None:
                raise
            say(_("poolwright: the run could not be kept in the library: {why}", why=error.text))
            return {}
        if "key" in kept:
            say(_("Kept in the library as {key}.", key=kept["key"]))
        return kept

    def _put(self, record: RunRecord, verdict: RunVerdict) -> dict[str, str]:
        if (file := self.file) is not None:
            write_output(file, run_archive(record), force=self.args.force or self.own_file)
            self.own_file = True
            return {"file": str(file)}
        if self.args.no_keep:
            return {}
        run = replace(stored_run(record, verdict, self.design), key=self.key)
        return {"key": keep_stored(run, record, paths.library_file()).key}


_STATUS = {Ended.WHOLE: 0, Ended.BUDGET: 1, Ended.FAILED: 3, Ended.CANCELLED: INTERRUPTED}
_TELL_SECONDS = 10.0


def measure(args: argparse.Namespace) -> int:
    again: RunRecord | None = None
    if args.repeat is not None:
        if args.repeats or args.seconds or args.steps:
            raise excluded("--repeat", "--repeats, --seconds, --steps")
        again = bench.read_run_file(args.repeat)
    design, wishes, there = own_design(args), wishes_of(args), _place(args, again)
    if again is not None and design is None and again.design is not None:
        design = from_json(again.design, where=args.repeat)
    if again is not None:
        place, profile = as_before(there, again.place), again.profile
    else:
        place, profile = _profile(args, there, design, wishes)
    if place.refusals:
        raise Refusal(
            _("Nothing is measured in {directory}", directory=place.directory),
            todo=_("A dataset made for it does: {commands}", commands="; ".join(place.commands))
            if place.commands
            else None,
            reasons=place.refusals,
        )
    if any(test.needs for test in profile.tests) and not sys.stdin.isatty():
        raise UserError(
            _("Some tests wait for commands that you run"), where="--steps", todo=_("Run it in a terminal.")
        )
    effort = effort_of(profile, place, rated_bytes())
    check_ready(profile, effort, place)
    expectation = expected(profile, design, None, place)
    _tell_before(profile, effort, place, expectation)
    _agree(args)
    keeping = Keeping(args, design, expectation)
    with told_to_end() as late:
        record = _run(args, profile, place, design, keeping)
        late()
        verdict = judge(record, expectation)
        kept = keeping.whole(record, verdict)
    judging = f"poolwright bench --verdict {kept.get('file') or kept.get('key')} DESIGN"  # for machines
    following = endings(NEXT, judging if kept and design is None else "")
    beside = compare_with_tables(record, verdict, load_shipped_tables())
    blocks = (*answer_parts(record, verdict, expectation, beside), *endings(SAVED, kept.get("file")), *following)
    answer(
        args,
        lambda: bench.run_document(record, verdict, expectation, beside, effort=effort, **kept),
        blocks,
        makes=True,
    )
    if record.ended is not Ended.WHOLE:
        say(_("poolwright: {how} {why}", how=ended_words(record), why=record.why).rstrip())
    return _STATUS[record.ended]


def _place(args: argparse.Namespace, again: RunRecord | None) -> BenchTarget:
    directory = again.place.directory if args.directory is None and again is not None else args.directory
    if directory is not None:
        return looked_at(directory, args.host)
    if reads_disks(args.profile):
        return for_disks(looked_at(ANYWHERE, args.host))
    raise UserError(_("No directory to measure in"), todo=_("Add --directory DIR."))


def _profile(
    args: argparse.Namespace, place: BenchTarget, design: Design | None, wishes: BenchWishes
) -> tuple[BenchTarget, Profile]:
    """Return the place as the run finds it, and the profile that was named: of a file, built in, or kept."""
    own = None
    if args.own:
        own = own_profiles.open_own(Path(args.own))
        if args.keep:
            say(_("Kept as {file}.", file=own_profiles.keep(own, over=args.force)))
    elif args.profile not in {known.name for known in BUILT_IN}:
        own = next((kept for kept in own_profiles.kept_profiles() if kept.name == args.profile), None)
    there = place if args.no_dataset else on_own_dataset(place, None if own else args.profile, wishes)
    if own is not None:
        return there, make_own(own, there, wishes)
    disks = bench.free_disks(args.host) if reads_disks(args.profile) and design is None else ()
    return there, make_profile(find_built_in(args.profile), there, design, wishes, disks)


def _tell_before(profile: Profile, effort: Effort, place: BenchTarget, expectation: dict[str, Expectation]) -> None:
    say(f"{profile.title}: {profile.question}")
    say(_(
        "At most {time}, {written} written, {space} of room; in {directory}.", time=time_words(effort.seconds),
        written=binary(effort.written_bytes), space=binary(effort.space_bytes), directory=place.directory,
    ))  # fmt: skip
    if effort.wear is not None:
        share = 100 * effort.wear
        say(_("At most {share:.3f} % of what the disk with the least may have written to it.", share=share))
    if place.makes is not None:
        say(_("A dataset is made for the run below {dataset}, and destroyed after it.", dataset=place.dataset))
    notes = dict.fromkeys(f"- {note}" for test in profile.tests for note in test.notes)
    for line in (*place.warnings, *notes, *foretold_lines(profile.tests, expectation)):
        say(line)


def _agree(args: argparse.Namespace) -> None:
    """Ask before the first byte is written. Raises Refusal without a yes, UserError where nobody sits there to answer:
    what a pipe holds is no answer, and terabytes may be written.
    """
    if args.yes:
        return
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UserError(
            _("Nothing was measured: there is no terminal to ask on"), todo=_("Add --yes to begin without asking.")
        )
    sys.stderr.write(_("Begin? [y/N]") + " ")
    sys.stderr.flush()
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise Refusal(_("Nothing was measured: it was not agreed to"), todo=_("Answer y, or add --yes."))


def _run(
    args: argparse.Namespace, profile: Profile, place: BenchTarget, design: Design | None, keeping: Keeping
) -> RunRecord:
    """Run the tests; those before which a person has to do something wait for it."""
    order = RunOrder(
        profile=profile,
        place=place,
        job_of=job_text,
        budget=RunBudget(seconds=args.max_seconds, written_bytes=wishes_of(args).most_bytes, celsius=args.max_celsius),
        design=None if design is None else to_json(design),
        seed=secrets.randbelow(1 << 30) + 1,
        program=__version__,
        # A run that was made short is no measurement to judge: it needs no long look at the machine at rest.
        idle_seconds=min(IDLE_SECONDS, max(SHORTEST_LOOK, args.seconds or IDLE_SECONDS)),
    )
    record: RunRecord | None = None
    for needs, tests in itertools.groupby(profile.tests, key=lambda test: test.needs):
        if not _wait_for_person(needs):
            if record is None:
                raise KeyboardInterrupt
            record = replace(record, ended=Ended.CANCELLED)
            break
        these = replace(order, profile=replace(profile, tests=tuple(tests)))
        part = run_there(run_profile(these, _Telling(keeping, profile, record)), args.host)
        record = part if record is None else _join(record, part)
        if part.ended is not Ended.WHOLE:
            break
    assert record is not None
    return replace(record, profile=profile)


def _wait_for_person(needs: tuple[str, ...]) -> bool:
    if not needs:
        return True
    say(_("Run this in another terminal, then press Enter:"))
    for line in needs:
        say(f"  {line}")
    try:
        sys.stdin.readline()
    except KeyboardInterrupt:
        return False
    return True


def _join(first: RunRecord, then: RunRecord) -> RunRecord:
    return replace(
        first, seconds=first.seconds + then.seconds, ended=then.ended, why=then.why, tests=(*first.tests, *then.tests)
    )


@dataclass(slots=True)
class _Telling:
    """Tells on standard error what is done: each new thing at once, how far it is now and then."""

    keeping: Keeping
    profile: Profile
    before: RunRecord | None
    doing: str = ""
    told: float = 0.0

    def __call__(self, doing: str, _fraction: float | None, value: object) -> None:
        now = time.monotonic()
        if isinstance(value, RunRecord):  # a repeat is over: the next thing is told at once
            record = value if self.before is None else _join(self.before, value)
            self.keeping.meanwhile(replace(record, profile=self.profile))
            return
        if doing != self.doing:
            self.doing, self.told = doing, now
            say(doing)
        elif isinstance(value, RunProgress) and now - self.told >= _TELL_SECONDS:
            self.told = now
            say(_progress(value))


def _progress(progress: RunProgress) -> str:
    percent, written = f"{100 * progress.fraction:.0f} %", binary(progress.written_bytes)
    if progress.untold:
        so_far = time_words(progress.seconds)
        return "  " + _(
            "{percent}, under way for {time}; it tells at its end what it wrote", percent=percent, time=so_far
        )
    left = time_words(progress.seconds_left)
    return "  " + _("{percent}, {written} written, {left} left", percent=percent, written=written, left=left)


# A run that is told to end from outside, by kill or by a terminal that is closed: to it that is a Ctrl-C.


@contextmanager
def told_to_end() -> Iterator[Callable[[], None]]:
    """Make the first of these signals a KeyboardInterrupt, and pass over later ones; yield what passes over all.

    A terminal that closes sends two of them. What somebody had ignored before, as nohup does, stays ignored.
    """
    heard = False

    def late() -> None:
        nonlocal heard
        heard = True

    def hear(_number: int, _frame: FrameType | None) -> None:
        if not heard:
            late()
            raise KeyboardInterrupt

    here = threading.current_thread() is threading.main_thread()
    taken = [n for n in (signal.SIGTERM, signal.SIGHUP) if here and signal.getsignal(n) is signal.SIG_DFL]
    for number in taken:
        signal.signal(number, hear)
    try:
        yield late
    finally:
        for number in taken:
            signal.signal(number, signal.SIG_DFL)
