"""Verify: a profile is run where the pool is, watched, judged by what was expected of it, and kept."""

from collections.abc import Generator, Sequence
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QPushButton, QWidget

from poolwright.bench.charts.verdict import expected_charts
from poolwright.bench.judging.verdicts import nothing_foretold
from poolwright.bench.own_profiles import OwnProfile, keep, kept_profiles, make_own, open_own
from poolwright.bench.profiles.catalogue import BUILT_IN, reads_disks
from poolwright.bench.record import Effort, Profile, RunRecord, time_words
from poolwright.domain.errors import PoolwrightError
from poolwright.emit.chart import Chart
from poolwright.texts import N_, _, ngettext
from poolwright.ui.parts import lay
from poolwright.ui.parts.lay import ToneLabel
from poolwright.ui.parts.page import Page
from poolwright.ui.parts.panes import Folds, Panes, Place
from poolwright.ui.parts.save_file import ask_files, ask_where
from poolwright.ui.parts.theme import GRID, Tone
from poolwright.ui.plots.place import ChartHolder
from poolwright.ui.state.hosts import Hosts
from poolwright.ui.verify.measuring import AGAIN, Measuring
from poolwright.ui.verify.results_pane import ResultsPane, VerdictPane
from poolwright.ui.verify.runs_pane import KeptRuns, RunPlotsPane, RunsComparePane, RunsPane, WatchPane
from poolwright.ui.verify.setup_pane import (
    OwnJobsPane,
    ProfileChoice,
    RunLimits,
    SetupPane,
    effort_words,
    progress_words,
)

KEEP, PREDICT, REPORT = "keep", "predict", "report"
_JOB_FILES = (".fio", ".ini", ".job")
_REMEMBERED = "verify-profile"
_LEAST_PART = 34 * GRID  # a plot can be read in it


class VerifyPage(Page):
    """Measures only in a directory that it looked at; what it writes there goes however the run ends."""

    heading = N_("Verify")
    about = N_("Does the pool perform as promised? A run deletes its files when it ends.")

    def missing(self) -> str:
        place = self.measuring.place
        if self.measuring.busy:
            return _("The benchmark is running.")
        if place is None:
            return self.setup.missing(looking=self.measuring.looks)
        if place.refusals:
            return _("Nothing is measured there.")
        return self._problem

    def build(self) -> Generator[None, None, None]:
        self.profile: Profile | None = None
        self.effort: Effort | None = None
        self._problem = ""
        self._runs_when_seen = False
        self.measuring = Measuring(self.session, self)
        self.setup = SetupPane(self)
        yield
        self.hosts = Hosts(self.session, self)
        self.run_button = lay.button(_("Run"), self, self._on_run, icon="verify")
        self.stop_button = lay.button(_("Stop"), self, self.measuring.stop, icon="cancel")
        tip = _("A saved run, a job file of fio, or results of other programs")
        self._open = lay.button(_("Open…"), self, self._on_open, icon="open", tip=tip)
        self.progress = lay.named(ToneLabel("", Tone.MUTED, self), _("How far the run is"))
        self.body.addWidget(self.setup)
        self.put_in_foot(self.progress, self._open, self.stop_button, self.run_button)
        self.expected = ExpectedPane(self.measuring, self)
        self.watch = WatchPane(self)
        self.verdict = VerdictPane(self)
        yield
        self.plots = RunPlotsPane(self)
        self.kept = KeptRuns(self.session, self)
        self.runs = RunsPane(self.kept, self)
        yield
        self.compare = RunsComparePane(self)
        self.results = ResultsPane(self.session.jobs, self)
        yield
        self.own = OwnJobsPane(_ships, self._make_own, self)
        yield
        yield from self._adding_panes()
        self._connect()
        remembered = self.session.preferences.arrangement(_REMEMBERED) or "sanity"
        self._show_choices(remembered)
        self._show_hosts()

    def _adding_panes(self) -> Generator[None, None, None]:
        """Show one part at a time: a plot wants all the height there is."""
        self.panes = Panes(_("Parts of the benchmark"), 0, self)
        self.panes.keep_tabs(only_tabs=True)
        self.this_run, self.earlier = Folds(self), Folds(self)
        for folds, title, pane in (
            (self.this_run, _("Expected"), self.expected),
            (self.this_run, _("Live"), self.watch),
            (self.this_run, _("Verdict"), self.verdict),
            (self.this_run, _("Plots"), self.plots),
            (self.this_run, _("Limits"), self.setup.form),
            (self.earlier, _("Runs"), self.runs),
            (self.earlier, _("Compare"), self.compare),
            (self.earlier, _("Other programs"), self.results),
        ):
            folds.add(title, pane)
            pane.setMinimumHeight(_LEAST_PART)
            yield
        for folds in (self.this_run, self.earlier):
            folds.opened.connect(self._bring_in_sight, Qt.ConnectionType.QueuedConnection)
        for title, part in (
            (_("This run"), self.this_run), (_("Earlier runs"), self.earlier), (_("Own jobs"), self.own),
        ):  # fmt: skip
            self.panes.add(title, part, Place())
        self.body.addWidget(self.panes, 1)

    def show_part(self, part: QWidget) -> None:
        for folds in (self.this_run, self.earlier):
            if folds.isAncestorOf(part):
                folds.bring_to_front(part)
                part = folds
        self.panes.bring_to_front(part)

    def _bring_in_sight(self, part: QWidget) -> None:
        """Scroll a low window to the part that was opened."""
        if part.isVisible():
            self.area.ensureWidgetVisible(part, 0, 0)

    def _show_choices(self, name: str) -> None:
        self.setup.show_choices(profile_choices(self.measuring.again), name)

    def _connect(self) -> None:
        for part in (self.watch, self.plots, self.measuring, self.results, self.own, self.kept, self.compare.place):
            part.failed.connect(self.session.complain)
        setup, measuring, verdict, kept = self.setup, self.measuring, self.verdict, self.kept
        for signal, slot in (
            (setup.chosen, self._on_chosen),
            (setup.asked, self._on_asked),
            (setup.moved, self._on_place_left),
            (setup.copied, self._copy),
            (self.hosts.changed, self._show_hosts),
            (setup.limited, self._show_profile),
            (verdict.pressed, self._on_pressed),
            (measuring.looked, self._show_profile),
            (measuring.begun, self._on_begun),
            (measuring.moved, self._on_moved),
            (measuring.ended, self._show_profile),
            (measuring.shown, self._on_shown),
            (measuring.measured, self._on_measured),
            (self.own.kept, self._on_own_kept),
            (self.own.forgotten, self._on_own_forgotten),
            (kept.changed, self.runs.refresh),
            (kept.opened, self._on_kept_opened),
            (kept.compared, self._on_compared),
        ):
            signal.connect(slot)

    def main_button(self) -> QPushButton | None:
        return self.run_button if self.run_button.isEnabled() else None

    def first_stop(self, stops: Sequence[QWidget]) -> QWidget | None:
        return self.setup.directory if self.setup.directory in stops else super().first_stop(stops)

    def refresh(self) -> None:
        if self.setup.reads_disks() and self.measuring.place is None and not self.measuring.looks:
            self.setup.ask()
        self._show_profile()
        self.runs.refresh()

    def _show_hosts(self) -> None:
        self.setup.show_hosts([row.name for row in self.hosts.rows])

    def _on_place_left(self) -> None:
        self._runs_when_seen = False
        self.measuring.forget_place()

    def _on_asked(self, directory: str) -> None:
        name = self.setup.host()
        self.measuring.look_at(directory, None if name is None else self.hosts.host(name))

    def _on_measured(self) -> None:
        record, verdict = self.measuring.record, self.measuring.verdict
        if record is not None and verdict is not None and record.tests:
            self.kept.keep(record, verdict, self.session.design)

    def _on_kept_opened(self, records: Sequence[RunRecord]) -> None:
        self.measuring.show(records[0], self.session.design)

    def _on_compared(self, records: Sequence[RunRecord]) -> None:
        self.compare.show_runs(records)
        self.show_part(self.compare)

    def _make_own(self, own: OwnProfile) -> None:
        """Make a profile of one's own for the place that was looked at; raises UserError where it lacks something."""
        if self.measuring.place is not None:
            make_own(own, self.measuring.place)

    def _on_own_kept(self, name: str) -> None:
        self._show_choices(name)
        self._on_chosen(name)
        self.session.say(_("The profile “{name}” is kept, and chosen.", name=name))

    def _on_own_forgotten(self, _name: str) -> None:
        self._show_choices("sanity")
        self._on_chosen("sanity")

    def _show_profile(self) -> None:
        place, choice = self.measuring.place, self.setup.choice()
        self.setup.show_place(place, looking=self.measuring.looks)
        self.profile, self.effort, self._problem = None, None, ""
        if place is not None and choice is not None:
            try:
                self.profile, self.effort = self.measuring.prepare(choice.name, self.setup.limits)
            except PoolwrightError as error:
                self._problem = error.text
        self.setup.cost.setText(self._problem or effort_words(self.profile, self.effort))
        self.expected.show_profile(self.profile, self.setup.limits)
        ready = self.profile is not None and place is not None and not place.refusals and not self._problem
        may_look = place is None and self.setup.names_place and not self.measuring.looks
        self.run_button.setEnabled((ready or may_look) and not self.measuring.busy)
        self.run_button.setVisible(not self.measuring.busy)
        if self._runs_when_seen and not self.measuring.looks:
            self._runs_when_seen = False
            if ready and place is not None and not place.warnings:  # else there is something to read first
                self._on_run()
                return
        self.stop_button.setVisible(self.measuring.busy)
        self._strip.leave_cancel(to_page=self.measuring.busy)
        if not self.measuring.busy:
            self.progress.setText(self._told_at_rest())
        self.show_missing()

    def _told_at_rest(self) -> str:
        if self.profile is None or self.effort is None or self._problem:
            return ""
        return _("{profile}, {time} at most", profile=self.profile.title, time=time_words(self.effort.seconds))

    def _on_chosen(self, name: str) -> None:
        self.session.preferences.keep_arrangement(_REMEMBERED, name)
        if self.setup.reads_disks() != self.measuring.of_disks:
            self.measuring.forget_place()
            self.setup.ask()
        self._show_profile()

    def _on_run(self) -> None:
        """Run; a place that nobody looked at is looked at first, and what is to be said of it is read first."""
        if self.measuring.place is None and self.setup.names_place:
            self.setup.ask()
            self._runs_when_seen = self.measuring.looks
            return
        if self.profile is None or self.effort is None or self.measuring.busy:
            return
        self.measuring.run(self.profile, self.effort, self.setup.limits)

    def _on_begun(self) -> None:
        self.watch.expect(self.measuring.bands())
        self.watch.show_live("", _("The machine at rest"), ())
        self.show_part(self.watch)
        self._show_profile()

    def _on_moved(self) -> None:
        live, progress = self.measuring.live, self.measuring.progress
        profile = self.measuring.running
        if not self.measuring.busy or profile is None:
            return
        title = next((test.title for test in profile.tests if test.name == live.test), _("The machine at rest"))
        if progress is not None:
            self.progress.setText(progress_words(progress))
        if self.watch.isVisible():
            shown = title if not live.number else _("{test}, repeat {number}", test=title, number=live.number)
            self.watch.show_live(live.test, shown, live.curves())

    def _on_shown(self) -> None:
        record, verdict = self.measuring.record, self.measuring.verdict
        if record is None or verdict is None:
            return
        self.watch.expect(self.measuring.bands())
        self.watch.show_record(record)
        self.plots.show_run(record, verdict, self.measuring.foretold)
        offers = [(_("Save the run…"), KEEP), (_("Report…"), REPORT), (_("Repeat it"), AGAIN)]
        if self.measuring.narrowing():
            offers.append((_("Use it for predictions"), PREDICT))
        self.verdict.show_verdict(record, verdict, self.measuring.foretold, tuple(offers))
        self.show_part(self.verdict)
        if record.why:
            self.session.say(record.why)
        self._show_profile()

    def _on_pressed(self, pressed: str) -> None:
        if pressed == PREDICT:
            told = ngettext(
                "One value narrows the predictions on every page.",
                "{count} values narrow the predictions on every page.",
                self.measuring.narrow(),
            )
            self.session.say(told)
        elif pressed == AGAIN and self.measuring.record is not None:
            self._repeat(self.measuring.record)
        elif pressed == REPORT and self.measuring.record is not None:
            name, endings = f"{Path(self.measuring.file_name()).stem}.pdf", ("pdf", "html", "md")
            ask_where(self, _("Save the report"), name, _("Reports"), self.measuring.save_report, endings)
        elif self.measuring.record is not None:
            name = self.measuring.file_name()
            ask_where(self, _("Save the run"), name, _("Runs"), self.measuring.save)

    def _repeat(self, record: RunRecord) -> None:
        """Choose the tests of a run as they were, in its directory, which is looked at first."""
        self.measuring.again = record.profile
        self._show_choices(AGAIN)
        self.setup.directory.setText(record.place.directory)
        self.setup.ask()
        self.setup.directory.setFocus()

    def _on_open(self) -> None:
        ask_files(self, _("Open a run, a job file of fio, or results"), self.take)

    def take(self, what: Sequence[str | Path]) -> None:
        """Show a run that was saved, keep a job file as a profile of one's own, or read results of other programs.

        What is wrong with a file is told.
        """
        paths = [Path(name) for name in what]
        first = paths[0]
        ending = first.suffix.lower() if first.is_file() and len(paths) == 1 else ""
        if ending == ".zip":
            self.measuring.open(first)
        elif ending in _JOB_FILES:
            self._open_job_file(first)
        else:
            self.show_part(self.results)
            self.results.open(paths)

    def _open_job_file(self, path: Path) -> None:
        """Keep it where nothing is wrong with it; the editor shows it in any case."""
        try:
            own = open_own(path)
            keep(own, over=True)
        except PoolwrightError as error:
            self.own.open_file(str(path))
            self.show_part(self.own)
            self.session.complain(error.text)
            return
        self.own.show_one(own.name)
        self._on_own_kept(own.name)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.hosts.look()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.is_built:
            self.results.stand_low(low=self.stands_low)

    def _copy(self, text: str) -> None:
        QGuiApplication.clipboard().setText(text)
        self.session.say(_("The commands are copied. Run them on the machine."))


def _ships(name: str) -> bool:
    return any(built_in.name == name for built_in in BUILT_IN)


# The profiles that can be chosen: those that ship, one's own, and a run that is to be repeated as it was.


def profile_choices(again: Profile | None) -> list[ProfileChoice]:
    """Return what is offered; ``again`` is the profile of the run that is to be repeated, first where there is one."""
    choices = [
        ProfileChoice(name=b.name, title=_(b.title), question=_(b.question), reads_disks=b.reads_disks)
        for b in BUILT_IN
    ]
    names = {choice.name for choice in choices}
    choices += [
        ProfileChoice(name=own.name, title=own.name, question="", own=True)
        for own in kept_profiles()
        if own.name not in names
    ]
    if again is None:
        return choices
    title = _("{title}, as it was run", title=again.title)
    reads = not again.own and reads_disks(again.name)
    return [ProfileChoice(name=AGAIN, title=title, question=again.question, reads_disks=reads), *choices]


# What a profile should give here, drawn before it runs; the same models as on every page.


class ExpectedPane(QWidget):
    """A chart of bytes and one of operations a second, each where a test measures such; else why nothing is told.

    Worked out when it is in sight: a profile of many tests takes a while.
    """

    def __init__(self, measuring: Measuring, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._measuring = measuring
        self._asked: tuple[Profile, RunLimits] | None = None
        self._stale = False
        self.text = lay.named(ToneLabel("", Tone.MUTED, self), _("Of what nothing is expected"))
        self.places = tuple(ChartHolder("", self, lines=1) for __ in range(2))
        for place in self.places:
            place.failed.connect(measuring.failed)
        # Below charts, at the top where there is none: what is left over goes to the last.
        lay.column(*((place, 1000) for place in self.places), self.text, 1, of=self, gap=GRID)

    def show_profile(self, profile: Profile | None, limits: RunLimits) -> None:
        """Show what is expected of this profile; None: nothing can be run yet."""
        self._asked = None if profile is None else (profile, limits)
        self._stale = True
        if self.isVisible():
            self._show()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._stale:
            self._show()

    def _show(self) -> None:
        self._stale = False
        charts: tuple[Chart, ...] = ()
        lines = [_("Choose a profile and a directory on the pool to see what the design should give.")]
        if self._asked is not None:
            profile, limits = self._asked
            foretold = self._measuring.foresee(profile, limits)
            charts, lines = expected_charts(profile, foretold), list(nothing_foretold(profile.tests, foretold))
        for number, place in enumerate(self.places):
            chart = charts[number] if number < len(charts) else None
            place.say(_("{chart}: typical value and band of each test.", chart=chart.title) if chart else "")
            place.show_chart(chart)
        self.text.setText("\n".join(lines))
        self.text.setVisible(bool(lines))
