"""Verify: a profile is run where the pool is, watched, judged by what was expected of it, and kept."""

from pathlib import Path

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QPushButton

from poolwright.bench.lanes import LaneBand
from poolwright.bench.profiles.catalogue import BUILT_IN
from poolwright.bench.profiles.profile import Effort, Profile
from poolwright.bench.running.run import RunProgress
from poolwright.bench.words import time_words
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.units import MIB, binary
from poolwright.own_profiles import keep, kept_profiles, open_own
from poolwright.predict.runs import Metric
from poolwright.texts import tell
from poolwright.ui.parts import lay
from poolwright.ui.parts.labels import ToneLabel
from poolwright.ui.parts.page import Page
from poolwright.ui.parts.panes import Panes, Place
from poolwright.ui.parts.save_file import save_dialog
from poolwright.ui.parts.theme import GRID, Tone
from poolwright.ui.verify.kept_runs import KeptRuns
from poolwright.ui.verify.limits_pane import LimitsPane
from poolwright.ui.verify.measuring import Measuring
from poolwright.ui.verify.run_report import report_dialog, save_run_report
from poolwright.ui.verify.runs_pane import RunsPane
from poolwright.ui.verify.setup_pane import ProfileChoice, SetupPane
from poolwright.ui.verify.verdict_pane import VerdictPane
from poolwright.ui.verify.watch_pane import WatchPane

KEEP, PREDICT, REPORT = "keep", "predict", "report"
_WIDE_FROM = 200 * GRID
_REMEMBERED = "verify-profile"
_RATES = (Metric.SEQ_READ, Metric.SEQ_WRITE)


class VerifyPage(Page):
    """Measures only in a directory that it looked at; what it writes there goes however the run ends."""

    def title(self) -> str:
        """Return the page's title."""
        return tell("Verify")

    def sentence(self) -> str:
        """Return what to do here."""
        return tell("Choose what to measure and where, see what is expected, then run it and read the verdict.")

    def missing(self) -> str:
        """Return what is still missing for a run."""
        place = self.measuring.place
        if self.measuring.busy:
            return tell("The benchmark is running.")
        if place is None:
            return tell("Name a directory on the pool and press Look.")
        if place.refusals:
            return tell("Nothing is measured in this directory.")
        return self._problem

    def build(self) -> None:
        """Make setup, panes and buttons."""
        self.profile: Profile | None = None
        self.effort: Effort | None = None
        self._problem = ""
        self.measuring = Measuring(self.session, self)
        self.setup = SetupPane(self)
        self.body.addWidget(self.setup)
        self.run_button = lay.button(tell("Run"), self, self._on_run, icon="verify")
        self.stop_button = lay.button(tell("Stop"), self, self.measuring.stop, icon="cancel")
        self._open = lay.button(
            tell("Open…"), self, self._on_open, icon="open", tip=tell("A run that was saved, or a job file of fio")
        )
        self.progress = ToneLabel("", Tone.MUTED, self)
        self.progress.setAccessibleName(tell("How far the run is"))
        self.body.addLayout(lay.row(self.run_button, self.stop_button, (self.progress, 1), self._open))
        self.watch = WatchPane(self)
        self.verdict = VerdictPane(self)
        self.limits = LimitsPane(self)
        self.panes = Panes(tell("Parts of the benchmark"), _WIDE_FROM, self)
        self.panes.add(tell("Watch"), self.watch, Place(rows=3, column_stretch=3))
        self.panes.add(tell("Verdict"), self.verdict, Place(column=1, column_stretch=2))
        self.panes.add(tell("Limits"), self.limits, Place(row=1, column=1, row_stretch=0, column_stretch=2))
        self.runs = RunsPane(self)
        self.panes.add(tell("Runs"), self.runs, Place(row=2, column=1, column_stretch=2))
        self.kept = KeptRuns(self.session.library, self)
        self.body.addWidget(self.panes, 1)
        self._connect()
        remembered = self.session.preferences.arrangement(_REMEMBERED) or "sanity"
        self._show_choices(remembered)

    def _show_choices(self, name: str) -> None:
        choices = [ProfileChoice(name=b.name, title=tell(b.title), question=tell(b.question)) for b in BUILT_IN]
        names = {choice.name for choice in choices}
        choices += [
            ProfileChoice(name=own.name, title=own.title, question=own.question, own=True)
            for own in kept_profiles()
            if own.name not in names
        ]
        self.setup.show_choices(choices, name)

    def _connect(self) -> None:
        self.setup.chosen.connect(self._on_chosen)
        self.setup.asked.connect(self.measuring.look_at)
        self.setup.copied.connect(self._copy)
        self.limits.changed.connect(self._show_profile)
        self.watch.failed.connect(self.session.complain)
        self.verdict.picked.connect(self.watch.show_test)
        self.verdict.pressed.connect(self._on_pressed)
        self.measuring.looked.connect(self._show_profile)
        self.measuring.begun.connect(self._on_begun)
        self.measuring.moved.connect(self._on_moved)
        self.measuring.ended.connect(self._show_profile)
        self.measuring.shown.connect(self._on_shown)
        self.measuring.failed.connect(self.session.complain)
        self.measuring.measured.connect(self._on_measured)
        self.kept.failed.connect(self.session.complain)
        self.kept.changed.connect(self._show_runs)
        self.runs.opened.connect(self._on_open_kept)
        self.runs.deleted.connect(self.kept.delete)
        self.runs.put_back.connect(self.kept.put_back)

    def main_button(self) -> QPushButton | None:
        """Return the button that begins the run."""
        return self.run_button if self.run_button.isEnabled() else None

    def refresh(self) -> None:
        """Show what the profile costs and what is expected of this design."""
        self._show_profile()
        self._show_runs()

    def _show_runs(self) -> None:
        self.runs.show_runs(self.kept.entries())

    def _on_measured(self) -> None:
        record, verdict = self.measuring.record, self.measuring.verdict
        if record is not None and verdict is not None and record.tests:
            self.kept.keep(record, verdict, self.session.design)

    def _on_open_kept(self, key: str) -> None:
        record = self.kept.open(key)
        if record is not None:
            self.measuring.show(record, self.session.design)

    def _show_profile(self) -> None:
        place, choice = self.measuring.place, self.setup.choice()
        self.setup.show_place(place, looking=self.measuring.looks)
        self.profile, self.effort, self._problem = None, None, ""
        if place is not None and choice is not None:
            try:
                self.profile, self.effort = self.measuring.prepare(choice.name, self.limits.limits)
            except PoolwrightError as error:
                self._problem = error.text
        self.setup.show_cost(self._problem or effort_words(self.profile, self.effort))
        ready = self.profile is not None and place is not None and not place.refusals and not self._problem
        self.run_button.setEnabled(ready and not self.measuring.busy)
        self.stop_button.setVisible(self.measuring.busy)
        if not self.measuring.busy:
            self.progress.setText("")
        self.show_missing()

    def _on_chosen(self, name: str) -> None:
        self.session.preferences.keep_arrangement(_REMEMBERED, name)
        self._show_profile()

    def _on_run(self) -> None:
        if self.profile is None or self.effort is None or self.measuring.busy:
            return
        self.measuring.run(self.profile, self.effort, self.limits.limits)

    def _on_begun(self) -> None:
        self.watch.expect(self._bands())
        self.panes.bring_to_front(self.watch)
        self._show_profile()

    def _bands(self) -> dict[str, LaneBand]:
        """Return what is expected of each test whose answer is a rate, as the lanes draw it."""
        found: dict[str, LaneBand] = {}
        record = self.measuring.record
        profile = record.profile if record is not None else self.measuring.running
        for test in profile.tests if profile is not None else ():
            foretold = self.measuring.foretold.get(test.name)
            estimate = foretold.estimate if foretold is not None else None
            if estimate is not None and test.metric in _RATES:
                low, typical, high = (value / MIB for value in (estimate.low, estimate.typical, estimate.high))
                found[test.name] = LaneBand(name=tell("expected"), low=low, typical=typical, high=high)
        return found

    def _on_moved(self) -> None:
        live, progress = self.measuring.live, self.measuring.progress
        profile = self.measuring.running
        if not self.measuring.busy or profile is None:
            return
        title = next((test.title for test in profile.tests if test.name == live.test), tell("The machine at rest"))
        if progress is not None:
            self.progress.setText(progress_words(progress))
        if self.watch.isVisible():
            shown = title if not live.number else tell("{test}, repeat {number}", test=title, number=live.number)
            self.watch.show_live(live.test, shown, live.curves())

    def _on_shown(self) -> None:
        record, verdict = self.measuring.record, self.measuring.verdict
        if record is None or verdict is None:
            return
        self.watch.expect(self._bands())
        self.watch.show_record(record)
        offers = [(tell("Save the run…"), KEEP), (tell("Report…"), REPORT)]
        if self.measuring.narrowing():
            offers.append((tell("Use it for predictions"), PREDICT))
        self.verdict.show_verdict(record, verdict, tuple(offers))
        self.panes.bring_to_front(self.verdict)
        if record.why:
            self.session.say(record.why)
        self._show_profile()

    def _on_pressed(self, pressed: str) -> None:
        if pressed == PREDICT:
            count = self.measuring.narrow()
            self.session.say(tell("{count} runs narrow the predictions on every page.", count=count))
        elif pressed == REPORT and self.measuring.record is not None:
            dialog = report_dialog(self, Path(self.measuring.file_name()).stem)
            dialog.fileSelected.connect(self.save_report)
            dialog.open()
        elif self.measuring.record is not None:
            dialog = save_dialog(self, tell("Save the run"), self.measuring.file_name(), tell("Runs"), "zip")
            dialog.fileSelected.connect(self._on_save)
            dialog.open()

    def save_report(self, path: str) -> None:
        """Write the report on the run that is shown, in the form that the file's ending names."""
        save_run_report(self.session, self.measuring, Path(path), self._on_not_written)

    def _on_not_written(self, error: PoolwrightError) -> None:
        self.session.complain(error.text)

    def _on_save(self, path: str) -> None:
        try:
            self.measuring.save(Path(path))
        except PoolwrightError as error:
            self.session.complain(error.text)
        else:
            self.session.say(tell("The run is saved: {file}", file=path))

    def _on_open(self) -> None:
        dialog = QFileDialog(self, tell("Open a run or a job file of fio"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilter(f"{tell('Runs and job files')} (*.zip *.fio *.ini *.job *.toml)")  # for machines
        dialog.fileSelected.connect(self.open_file)
        dialog.open()

    def open_file(self, path: str) -> None:
        """Show a run that was saved, judged by the design that is open, or keep a job file as a profile of one's own.

        What is wrong with the file is told.
        """
        try:
            if Path(path).suffix.lower() == ".zip":
                self.measuring.open(Path(path))
                return
            own = open_own(Path(path))
            kept = keep(own, over=True)
        except PoolwrightError as error:
            self.session.complain(error.text)
            return
        self._show_choices(own.name)
        self._on_chosen(own.name)
        self.session.say(tell("The profile is kept in {file}, where it can be edited.", file=kept))

    def _copy(self, text: str) -> None:
        QGuiApplication.clipboard().setText(text)
        self.session.say(tell("The commands are copied. You run them, on the machine."))


def effort_words(profile: Profile | None, effort: Effort | None) -> str:
    """Return what a profile costs at most, in a line; empty where there is none."""
    if profile is None or effort is None:
        return ""
    parts = [
        tell("At most {time}", time=time_words(effort.seconds)),
        tell("writes {size}", size=binary(effort.written_bytes)),
        tell("takes {size} of room meanwhile", size=binary(effort.space_bytes)),
    ]
    if effort.wear is not None:
        parts.append(tell("{share:.3f} % of the rated writes", share=100 * effort.wear))
    return ", ".join(parts) + "."


def progress_words(progress: RunProgress) -> str:
    """Return how far a run is: the share, the time left, what was written, the hottest disk."""
    parts = [f"{progress.fraction * 100:.0f} %"]
    if progress.seconds_left is not None:
        parts.append(tell("{time} left", time=time_words(progress.seconds_left)))
    parts.append(tell("{size} written", size=binary(progress.written_bytes)))
    if progress.celsius is not None:
        parts.append(f"{progress.celsius:.0f} °C")
    return ", ".join(parts)
