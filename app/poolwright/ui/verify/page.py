"""Verify: a profile is run where the pool is, watched, judged by what was expected of it, and kept."""

from collections.abc import Generator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QPoint, QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QProgressBar, QPushButton, QWidget

from poolwright.bench.judging.table_comparison import compare_with_tables
from poolwright.bench.judging.verdicts import foretold_lines
from poolwright.bench.own_profiles import OwnProfile, keep, make_own, open_own
from poolwright.bench.profiles.catalogue import BUILT_IN
from poolwright.bench.record import Effort, Profile, RunRecord
from poolwright.bench.report import verdict_blocks
from poolwright.domain.errors import PoolwrightError
from poolwright.store.library import StoredRun
from poolwright.table_library import load_shipped_tables
from poolwright.texts import N_, _, listed, ngettext
from poolwright.ui.compare.comparing import ReportDialog
from poolwright.ui.parts import widgets
from poolwright.ui.parts.card import FoldCard
from poolwright.ui.parts.note_lines import TONE_ICONS, Message, Notice
from poolwright.ui.parts.page import Page
from poolwright.ui.parts.panes import Panes
from poolwright.ui.parts.report_view import ReportView
from poolwright.ui.parts.save_file import ask_files, ask_where
from poolwright.ui.parts.theme import GRID, Tone
from poolwright.ui.parts.widgets import Complaint, ToneLabel
from poolwright.ui.state.hosts import Hosts
from poolwright.ui.verify.earlier import KeptRuns, ResultsPane, RunsComparePane, RunsPane
from poolwright.ui.verify.measuring import Measuring
from poolwright.ui.verify.setup_pane import AGAIN, OwnJobsPane, SetupPane, effort_words, progress_words
from poolwright.ui.verify.tests_pane import JUDGEMENT_TONES, LiveCard, TestList, lines_of

_JOB_FILES = (".fio", ".ini", ".job")
_CALIBRATES = N_("Only a run on the pool itself calibrates the predictions.")
_REMEMBERED = "verify-profile"


class VerifyPage(Page):
    """Measures only in a directory that it looked at; what it writes there goes however the run ends."""

    heading = N_("Verify")
    about = N_("Does the pool perform as promised?")

    def missing(self) -> str:
        place = self.measuring.place
        if self.measuring.busy:
            return ""
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
        self._wanted: QWidget = self
        self._listed: object = None  # what the list shows of the run under way
        self.kept = KeptRuns(self.session, self)
        self.measuring = Measuring(self.session, self.kept, self)
        self.setup = SetupPane(self)
        self.begins = (self.setup.directory,)
        yield
        self.hosts = Hosts(self.session, self)
        self._make_foot()
        self.notice = Notice(_("Verdict"), self)
        self.tests = TestList(self)
        self.live = LiveCard(self.session.complain, self)
        yield
        self.about_tests = Complaint(_("Expected"), self, Tone.MUTED, small=True)
        self.detail = ReportView(_("Verdict"), self, least=0, grows=True)
        self.limits = FoldCard(_("Limits"), self.setup.form, self)
        self.this_run = QWidget(self)
        above, below = (self.setup, self.notice, self.tests, self.about_tests), (self.detail, self.limits)
        widgets.column(*above, (self.live, 1000), *below, 1, of=self.this_run, gap=2 * GRID)
        yield
        self.runs = RunsPane(self.kept, self)
        self.compare = RunsComparePane(self.session.complain, self)
        yield
        self.results = ResultsPane(self.session, self)
        self.earlier = QWidget(self)
        widgets.column((self.runs, 1), (self.compare, 2), (self.results, 0), of=self.earlier, gap=2 * GRID)
        shipped = frozenset(built_in.name for built_in in BUILT_IN)
        self.own = OwnJobsPane(shipped.__contains__, self._make_own, self.session.complain, self)
        yield
        self.panes = Panes(_("Verify"), None, self)
        self.panes.add(_("This run"), self.this_run)
        self.panes.add(_("Earlier runs"), self.earlier)
        self.panes.add(_("Own jobs"), self.own)
        self.body.addWidget(self.panes, 1)
        self._connect()
        self.setup.show_choices(self.measuring.again, self.session.preferences.arrangement(_REMEMBERED) or "sanity")
        self._show_hosts()

    def _make_foot(self) -> None:
        self.run_button = widgets.button(_("Run"), self, self._on_run, icon="verify")
        self.stop_button = widgets.button(_("Stop"), self, self.measuring.stop, icon="cancel")
        tip = _("A saved run, a fio job file, or results")
        self._open = widgets.button(_("Open…"), self, partial(ask_files, self, self.take), icon="open", tip=tip)
        self.progress = widgets.named(ToneLabel("", Tone.MUTED, self, small=True), _("Progress"))
        self._bar = widgets.named(QProgressBar(self), _("Progress"))
        self._bar.setTextVisible(False)
        self._bar.setProperty("look", "share")
        self._bar.setFixedSize(16 * GRID, GRID)
        self.progress.setWordWrap(False)
        self.put_in_foot(self._bar, self.progress, self._open, self.stop_button, self.run_button)

    def show_part(self, part: QWidget) -> None:
        """Bring a part to the front, and a low window to it."""
        tabs = (self.this_run, self.earlier, self.own)
        self.panes.bring_to_front(next(tab for tab in tabs if tab is part or tab.isAncestorOf(part)))
        self._wanted = part
        QTimer.singleShot(0, self, self._bring_in_sight)

    def _bring_in_sight(self) -> None:
        if not self._wanted.isVisible():
            return
        self.area.ensureWidgetVisible(self._wanted, 0, 0)
        if self._wanted.height() > self.area.viewport().height():  # of what is higher than the window its beginning
            self.area.verticalScrollBar().setValue(self._wanted.mapTo(self._holder, QPoint(0, 0)).y())

    def _connect(self) -> None:
        setup, measuring, kept = self.setup, self.measuring, self.kept
        for signal, slot in (
            (setup.chosen, self._on_chosen),
            (setup.asked, self._on_asked),
            (setup.moved, self._on_place_left),
            (setup.copied, self.session.copy),
            (self.hosts.changed, self._show_hosts),
            (setup.limited, self._show_profile),
            (self.tests.view.selectionModel().currentRowChanged, self._on_selected),
            (measuring.looked, self._show_profile),
            (measuring.begun, self._on_begun),
            (measuring.moved, self._on_moved),
            (measuring.ended, self._show_profile),
            (measuring.shown, self._on_shown),
            (self.own.kept, self._on_own_kept),
            (self.own.forgotten, self._on_own_forgotten),
            (kept.changed, self.runs.refresh),
            (kept.read, self._on_kept_read),
        ):
            signal.connect(slot)

    def main_button(self) -> QPushButton | None:
        return self.run_button if self.run_button.isEnabled() else None

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

    def _on_kept_read(self, records: Sequence[RunRecord]) -> None:
        """Show a run, or compare several."""
        if len(records) == 1:
            self.measuring.show(records[0], self.session.design)
        else:
            self.compare.show_runs(records)
            self.show_part(self.compare)

    def _make_own(self, own: OwnProfile) -> None:
        """Make a profile of one's own for the place that was looked at; raises UserError where it lacks something."""
        if self.measuring.place is not None:
            make_own(own, self.measuring.place)

    def _on_own_kept(self, name: str) -> None:
        self.setup.show_choices(self.measuring.again, name)
        self._on_chosen(name)
        self.session.say(_("The profile “{name}” is kept, and chosen.", name=name))

    def _on_own_forgotten(self, _name: str) -> None:
        self.setup.show_choices(self.measuring.again, "sanity")
        self._on_chosen("sanity")

    def _show_profile(self) -> None:
        place, choice = self.measuring.place, self.setup.choice()
        busy, pressed = self.measuring.busy, self.run_button.hasFocus() or self.stop_button.hasFocus()
        self.setup.show_place(place, looking=self.measuring.looks)
        planned, self.profile, self.effort, self._problem = None, None, None, ""
        try:
            planned = self.measuring.profile_of(choice.name, self.setup.limits) if choice is not None else None
            if planned is not None and place is not None:
                self.effort = self.measuring.effort_of(planned, self.setup.limits)
                self.profile = planned
        except PoolwrightError as error:
            self._problem = error.text
        if not busy:
            self.progress.setText(effort_words(self.profile, self.effort))
        if not busy and self.measuring.record is None:
            self._show_planned(planned)
        ready = self.profile is not None and place is not None and not place.refusals
        may_look = place is None and self.setup.names_place  # also while it is looked at: a press begins the look
        self.run_button.setEnabled((ready or may_look) and not busy)
        if self._runs_when_seen and not self.measuring.looks:
            self._runs_when_seen = False
            if ready and place is not None and not place.warnings:  # else there is something to read first
                self._on_run()
                return
        shown = {
            self.run_button: not busy,
            self.stop_button: busy,
            self._bar: busy,
            self.limits: not busy,
            self._open: not busy,
        }
        for part, wanted in shown.items():
            part.setVisible(wanted)
        if pressed:  # the one takes the place of the other
            (self.stop_button if busy else self.run_button).setFocus()
        self.setup.show_details(shown=not busy)
        self._strip.leave_job(to_page=busy)
        self.show_missing()

    def _show_planned(self, profile: Profile | None) -> None:
        """Show what the design should give with a profile, before anything is measured."""
        expectation = self.measuring.foresee(profile, self.setup.limits) if profile is not None else {}
        self.tests.show_lines(lines_of(profile, expectation, None) if profile is not None else ())
        tests = profile.tests if profile is not None else ()
        without = [test for test in tests if expectation[test.name].estimate is None]
        helps = dict.fromkeys(expectation[test.name].todo for test in without)
        lines = [*foretold_lines(without, expectation), *helps]
        if wide := [test.title for test in tests if (band := expectation[test.name].estimate) and band.told_as_band]:
            lines.append(_("Expected too vaguely to be judged: {tests}. A run narrows it.", tests=listed(wide)))
        if len(without) < len(expectation):
            lines.append(_("Expected of the pool itself, without the network."))
        self.about_tests.say("\n".join(filter(None, lines)))
        for part in (self.notice, self.live, self.detail):
            part.hide()

    def _on_chosen(self, name: str) -> None:
        self.session.preferences.keep_arrangement(_REMEMBERED, name)
        self.measuring.forget_run()
        if self.setup.reads_disks() != self.measuring.of_disks:
            self.measuring.forget_place()
            self.setup.ask()
        self._show_profile()

    def _on_run(self) -> None:
        """Run; a place that nobody looked at is looked at first, and what is to be said of it is read first."""
        if self.measuring.place is None and self.setup.names_place:
            if not self.measuring.looks:
                self.setup.ask()
            self._runs_when_seen = self.measuring.looks
            return
        if self.profile is None or self.effort is None or self.measuring.busy:
            return
        self.measuring.run(self.profile, self.setup.limits)

    def _on_begun(self) -> None:
        self.about_tests.say("")
        self.notice.hide()
        self.detail.hide()
        self._listed = None
        self._on_moved()
        self.show_part(self.this_run)
        self._show_profile()

    def _on_moved(self) -> None:
        """Show what came in: the list where a test or a repeat began, the lanes each time."""
        measuring = self.measuring
        live, progress, profile, record = measuring.live, measuring.progress, measuring.running, measuring.record
        if not measuring.busy or profile is None:
            return
        number = next((at for at, test in enumerate(profile.tests) if test.name == live.test), 0)
        test = profile.tests[number]
        repeats = {"number": live.number, "count": test.repeats}
        if progress is not None:
            self._bar.setValue(round(100 * progress.fraction))
            of_all = _("Test {number} of {count}", number=number + 1, count=len(profile.tests))
            self.progress.setText(f"{of_all}, {progress_words(progress)}")  # for machines
        listed = live.test, live.number, measuring.verdict
        if listed != self._listed:
            self._listed = listed
            doing = _("repeat {number} of {count}", **repeats) if live.number else _("waits")
            self.tests.show_lines(lines_of(profile, measuring.expectation, measuring.verdict, test.name, doing))
            self.tests.select(test.name)
            without = [each for each in profile.tests if measuring.expectation[each.name].estimate is None]
            self.about_tests.say("\n".join(foretold_lines(without, measuring.expectation)))
            judged = measuring.verdict.tests if measuring.verdict and live.number else ()  # nothing limits one at rest
            self.live.show_verdict(next((each for each in judged if each.test == test.name), None))
        if self.live.isVisible() or not live.number:
            of_test = _("{test}, repeat {number} of {count}", test=test.title, **repeats)
            done = next((run for run in record.tests if run.test.name == test.name), None) if record else None
            finished = [each for each in done.repeats if each.number != live.number] if done else []
            self.live.show_live(test, finished, live.curves(), of_test if live.number else _("The machine at rest"))

    def _on_shown(self) -> None:
        record, verdict = self.measuring.record, self.measuring.verdict
        if record is None or verdict is None:
            return
        offers = [(_("Save…"), self._ask_where), (_("Report…"), self._ask_report), (_("Repeat it"), self._repeat)]
        if narrows := self.measuring.narrowing():
            offers.append((_("Use it for predictions"), self._narrow))
        tone, title = JUDGEMENT_TONES[verdict.judgement], verdict.sentence
        self.notice.say(
            Message(title=title, tone=tone, icon=TONE_ICONS[tone], bold=True, offers=tuple(offers), apart=True)
        )
        self.about_tests.say("" if narrows else _(_CALIBRATES))
        self.tests.show_lines(lines_of(record.profile, self.measuring.expectation, verdict))
        missed = next((test for test in verdict.tests if test.judgement is verdict.judgement), None)
        if missed is not None:
            self.tests.select(missed.test)
        self._on_selected()
        self.show_part(self.notice)
        if record.why:
            self.session.say(record.why)
        self._show_profile()

    def _on_selected(self) -> None:
        """Show what stands behind the verdict on the test in front, and its course."""
        record, verdict, line = self.measuring.record, self.measuring.verdict, self.tests.line()
        if self.measuring.busy or record is None or verdict is None or line is None:
            return
        run = next((run for run in record.tests if run.test.name == line.test.name), None)
        self.live.setVisible(run is not None)
        self.detail.setVisible(run is not None)
        if run is not None:
            expectation = self.measuring.expectation
            self.live.show_run(record, run, expectation)
            self.live.show_verdict(line.verdict, line.test.title)
            comparison = compare_with_tables(record, verdict, load_shipped_tables())
            self.detail.show_blocks(verdict_blocks(replace(record, tests=(run,)), verdict, expectation, comparison))

    def _ask_where(self) -> None:
        ask_where(self, self.measuring.file_name(), self.measuring.save)

    def _ask_report(self) -> None:
        ReportDialog(self.session, f"{Path(self.measuring.file_name()).stem}.pdf", self.measuring.save_report, self)

    def _narrow(self) -> None:
        text = ngettext(
            "One value narrows the predictions on every page.",
            "{count} values narrow the predictions on every page.",
            self.measuring.narrow(),
        )
        self.session.say(text)

    def _repeat(self) -> None:
        """Choose the tests of the run that is shown as they were, in its directory, which is looked at first."""
        record = self.measuring.record
        assert record is not None
        self.measuring.again = record.profile
        self.setup.show_choices(self.measuring.again, AGAIN)
        self.setup.directory.setText(record.place.directory)
        self.setup.ask()
        self.setup.directory.setFocus()

    def take(self, what: Sequence[str | Path | RunRecord | StoredRun]) -> None:
        """Show a run that was saved, keep a job file as a profile of one's own, or read results of other programs.

        Runs are shown or, where there are several, compared. What is wrong with a file is told.
        """
        runs = [each for each in what if isinstance(each, RunRecord)]
        if runs:
            self._on_kept_read(runs)
            return
        for run in what:
            if isinstance(run, StoredRun):
                self.kept.open(run.key)
                return
        paths = [Path(name) for name in what if isinstance(name, str | Path)]
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
            self.own.open_file(path)
            self.show_part(self.own)
            self.session.complain(error.text)
            return
        self.own.show_one(own.name)
        self._on_own_kept(own.name)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.hosts.look()
