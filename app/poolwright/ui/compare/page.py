"""Two to six designs side by side: what decides, the front of all layouts, their values."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import ClassVar, TypeVar
from uuid import uuid4

from PySide6.QtWidgets import QButtonGroup, QPushButton, QWidget

from poolwright.design.candidate import AnswerName, Candidate
from poolwright.design.compare import LEAST_COLUMNS, MOST_COLUMNS, Comparison, compare, verdict
from poolwright.design.comparison_columns import ComparedDesign
from poolwright.domain.design import Design
from poolwright.domain.errors import PoolwrightError
from poolwright.emit.comparison_charts import LETTERS, Against, comparison_csv, front_chart
from poolwright.emit.report_comparison import comparison_report, deciding_table, value_blocks
from poolwright.jobs.job import Asking
from poolwright.jobs.worker_job import BriefJob
from poolwright.paper.cover import report_foot
from poolwright.questions import ColumnAsked, compare_designs, design_of_row
from poolwright.store.library import Comparisons, Part, PartKind, SavedComparison
from poolwright.texts import N_, _
from poolwright.ui.compare.comparing import Choice, Choices, ComparisonChooser, ReportDialog, key_of, write_report
from poolwright.ui.parts import widgets
from poolwright.ui.parts.card import Card, FoldCard
from poolwright.ui.parts.note_lines import Notice
from poolwright.ui.parts.page import Page
from poolwright.ui.parts.report_view import ReportView
from poolwright.ui.parts.theme import GRID, Tone
from poolwright.ui.parts.widgets import ChoiceBox, Heading, ToneLabel
from poolwright.ui.plots.place import FrontHolder
from poolwright.ui.state.expectations import today_here
from poolwright.ui.state.recommending import identity_of

_Answer = TypeVar("_Answer")
JOB_TARGET = "recommendation comparison"  # for machines


class ComparePage(Page):
    """What decides in a sentence, the designs among all layouts, their values, and folded what few look at."""

    heading = N_("Compare")
    about = N_("Two to six designs; the better value is marked.")
    narrow_below: ClassVar[int] = 96 * GRID

    def build(self) -> None:
        self._choices = Choices(self.session)
        self._wanted: tuple[Choice, ...] = ()
        self._asking = Asking(self.session.jobs, self, self._show_answers, self._show_failure)
        self._missing: list[str] = []  # why some of what is wanted is not compared
        self._opening = Asking(self.session.jobs, self, self._on_designed, self.session.complain)
        self._candidate: Candidate | None = None  # whose design is being made
        self._asking.cancelled.connect(self._show_stopped)
        self.comparison: Comparison | None = None
        self._open: str = ""
        self._touched = False
        self.session.library.changed.connect(self._on_library_changed)
        self._notice = Notice(_("What was deleted"), self)
        self.body.addWidget(self._notice)
        self.body.addWidget(self._make_adding())
        self._make_views()
        self._make_foot()

    def _make_adding(self) -> QWidget:
        """Make what chooses the designs, which is away while they are compared."""
        self.adding = Card(self)
        self.saved_ones = ChoiceBox(self, _("Saved comparisons"), self._on_activated)
        self.name = widgets.entry(self, _("Name of the comparison"), _("Name of the comparison"))
        self.name.returnPressed.connect(self._on_save)
        self._save = widgets.button(_("Save"), self, self._on_save, icon="save")
        tip = _("Forget this comparison; its designs stay in the library")
        self._delete = widgets.button(_("Delete"), self, self._on_delete, icon="delete", tip=tip)
        self.chooser = ComparisonChooser(self.adding)
        self.chooser.asked.connect(self._on_asked)
        self.adding.body.addLayout(widgets.row((self.saved_ones, 1), (self.name, 1), self._save, self._delete))
        self.adding.body.addWidget(self.chooser)
        return self.adding

    def _make_views(self) -> None:
        self.verdict = widgets.named(Heading("", self), _("Verdict"))
        self.verdict.setWordWrap(True)
        self._state = widgets.named(ToneLabel("", Tone.MUTED, self), _("State of the comparison"))
        self.front = FrontHolder("", self.session.say, self, below=True)
        self.front.least_height = 31 * GRID
        self.chart = FoldCard(_("Chart"), self.front, self)
        for control in (self.front.choice, self.front.menu_button):
            self.chart.head.row.addWidget(control)
        self.chart.fold(folded=False)
        self.values, self.all_values = (
            ReportView(name, self, least=0, grows=True) for name in (_("What decides"), _("All values"))
        )
        self.fold = FoldCard(_("All values"), self.all_values, self)
        self._decides = Card(self)
        self._decides.body.addWidget(self.values)
        for part in (self.verdict, self._state, self.chart, self._decides, self.fold):
            self.body.addWidget(part, part is self.chart)
        self.body.addStretch(0)
        self.front.picked.connect(self._on_picked)

    def _make_foot(self) -> None:
        self._add = widgets.button(_("Add or remove"), self, icon="add", name=_("Add or remove"))
        self._add.setCheckable(True)
        self._add.toggled.connect(self.adding.setVisible)
        self.adding.hide()
        self._uses = QButtonGroup(self)
        self._uses.idClicked.connect(self._on_open_design)
        for number, letter in enumerate(LETTERS):
            tip = _("Open this design in place of the present one")
            self._uses.addButton(widgets.button(_("Use {letter}", letter=letter), self, tip=tip), number)
        self._export = widgets.button(_("Export…"), self, self._on_export, icon="export", name=_("Export…"))
        self.short += [self._add, self._export]
        onward = partial(self.go.emit, "design")
        self._go_on = widgets.button(_("Next: {page}", page=_("Design")), self, onward, icon="next")
        self.put_in_foot(self._add, self._export, *self._uses.buttons(), self._go_on)

    def first_stop(self, _stops: Sequence[QWidget]) -> QWidget:
        return self.chooser.search if self._add.isChecked() else self._add

    def main_button(self) -> QPushButton | None:
        buttons = (self._go_on, *self._uses.buttons())
        uses = (button for button in buttons if button.isVisibleTo(self) and button.isEnabled())
        return next((button for button in uses if isinstance(button, QPushButton)), None)

    def _show_uses(self) -> None:
        """Offer each column whose design is not open already, or to go on with it; nothing goes on with an md RAID."""
        count = len(self._wanted) if self.comparison is not None else 0
        in_use = [self._in_use(number) for number in range(count)]
        pressed = any(button.hasFocus() for button in self._uses.buttons())
        for number, (letter, button) in enumerate(zip(LETTERS, self._uses.buttons(), strict=True)):
            there = number < count
            button.setVisible(there)
            used = there and in_use[number]
            button.setText(_("{letter} in use", letter=letter) if used else _("Use {letter}", letter=letter))
            button.setEnabled(there and not used and not _is_md(self._wanted[number]))
        self._go_on.setVisible(any(in_use))
        if pressed and any(in_use):
            self._go_on.setFocus()
        self.show_main_button()

    def _in_use(self, number: int) -> bool:
        """Tell whether a column is the design that is open: it, or the layout that it was made of."""
        current, choice = self.session.design, self._wanted[number]
        if current is None or isinstance(choice, Part):
            return current is not None and choice == Part(design_key=current.key)
        other = self._made(choice)
        return other is not None and [pool.vdevs for pool in other.pools()] == [pool.vdevs for pool in current.pools()]

    def _made(self, layout: str) -> Design | None:
        """Return the design that a layout was compared as."""
        columns = self.comparison.columns if self.comparison is not None else ()
        found = next((column.evaluation for column in columns if column.key == key_of(layout)), None)
        return None if found is None else found.design

    def refresh(self) -> None:
        if not self._touched:
            self._wanted = self._first_guess()
        offers = self._choices.offers()
        there = {offer.choice for offer in offers if not offer.why_not}
        kept = tuple(c for c in self._wanted if c in there or _is_md(c) or c in self._of_saved())
        self._wanted = kept
        if len(kept) < LEAST_COLUMNS or not self._touched:
            self._add.setChecked(len(kept) < LEAST_COLUMNS)
        self.chooser.show_offers(offers, self._wanted)
        self._show_saved()
        self._evaluate()

    def _on_library_changed(self) -> None:
        """Offer also what was duplicated, imported or put back since; what is in front stays as it is compared."""
        if self.isVisible():
            self.chooser.show_offers(self._choices.offers(), self._wanted)
        else:
            self._stale = True

    def _first_guess(self) -> tuple[Choice, ...]:
        """Return what is most often asked: this design beside named layouts of the ranking, else its first choice."""
        design, found = self.session.design, self.session.recommendation
        if design is None:
            return tuple(self._choices.pick(answer.candidate) for answer in (found.answers[:3] if found else ()))
        named = (AnswerName.SPACE, AnswerName.FASTEST)
        rivals = [answer.candidate for answer in found.answers if answer.name in named] if found is not None else []
        if found is not None and not rivals and found.best is not self.session.candidate:
            rivals = [found.best]
        return (Part(design_key=design.key), *map(self._choices.pick, rivals))

    def _of_saved(self) -> tuple[Choice, ...]:
        """Return the choices of the saved comparison that is open: they stay, and say why where one is gone."""
        entry = next((e for e in self.saved() if e.key == self._open), None) if self._open else None
        return () if entry is None else entry.parts

    def _on_asked(self, choice: Choice, wanted: bool) -> None:
        self._touched = True
        others = tuple(c for c in self._wanted if c != choice)
        self._wanted = (*others, choice) if wanted else others
        self.chooser.show_offers(self._choices.offers(), self._wanted)
        self._evaluate()

    def take(self, what: Sequence[str | Candidate]) -> None:
        """Compare the designs of the library with these keys, or these layouts of the ranking."""
        self._open, self._touched = "", True
        self._add.setChecked(False)
        self._wanted = tuple(Part(design_key=one) if isinstance(one, str) else self._choices.pick(one) for one in what)
        self.refresh_now()

    def _on_picked(self, candidate: Candidate) -> None:
        choice = self._choices.pick(candidate)
        if choice in self._wanted:
            self.session.say(_("This layout is compared already."))
        elif len(self._wanted) >= MOST_COLUMNS:
            self.session.say(_("At most {most} can be compared. Untick one first.", most=MOST_COLUMNS))
        else:
            self._on_asked(choice, True)

    def _on_open_design(self, number: int) -> None:
        """Go on with another design: one of the library as it is, a layout of the ranking as a step to undo."""
        choice = self._wanted[number]
        if isinstance(choice, Part):
            if (design := self._design(choice)) is not None:
                self.session.show_design(design)
            return
        candidate = self._choices.candidate(choice)
        if candidate is None:
            self.session.complain(_("This layout is no longer in the ranking"))
            return
        layout = self._choices.layout(candidate, identity_of(self.session, candidate.main.layout))
        if layout is not None:
            self._candidate = candidate
            target = "recommendation design"  # for machines
            self._opening.ask(BriefJob(_("Assigning disks"), target, self, design_of_row, layout))

    def _design(self, part: Part) -> Design | None:
        """Return the design of a choice; None where it is gone, which is told."""
        try:
            return self._choices.design(part)
        except PoolwrightError as error:
            self.session.complain(error.text)
            return None

    def _on_designed(self, design: Design) -> None:
        if self._candidate is not None:
            self.session.choose(self._candidate, design)
            self._show_uses()
            self.session.say(_("The design holds this layout now. “Undo” takes it back."))

    def _evaluate(self) -> None:
        if len(self._wanted) < LEAST_COLUMNS:
            self._asking.forget()
            self._show((), "")
            return
        self._state.setText(_("The designs are being compared."))
        self._state.show()
        wanted: list[ColumnAsked] = []
        self._missing = []
        for choice in self._wanted:
            try:
                wanted.append(self._choices.column(choice))
            except PoolwrightError as error:
                self._missing.append(error.text)
        known, today = self.session.expectations, today_here()
        question = tuple(wanted), known.book(), known.assumed, today
        self._asking.ask(BriefJob(_("Comparing designs"), JOB_TARGET, self, compare_designs, *question))

    def _show_failure(self, text: str) -> None:
        self._show((), text)

    def _show_stopped(self) -> None:
        self._show((), _("The comparison was stopped. Tick or untick a design to compare again."))

    def _show_answers(self, answers: tuple[tuple[ComparedDesign, ...], str]) -> None:
        columns, problem = answers
        self._show(columns, " ".join((*self._missing, problem)).strip())

    def _show(self, columns: tuple[ComparedDesign, ...], problem: str) -> None:
        whole = len(columns) >= LEAST_COLUMNS
        self.comparison = found = compare(columns) if whole else None
        self.values.show_blocks((deciding_table(found, named=True),) if found is not None else ())
        self.all_values.show_blocks(value_blocks(found) if found is not None else ())
        self.verdict.setText(verdict(found, LETTERS) if found is not None else "")
        ranked = self.session.recommendation
        self.front.say(_("Click a dot to compare its layout too.") if ranked is not None else "")
        self.front.show_layouts(ranked.candidates if ranked else (), ranked.best if ranked else None, columns)
        self.chart.setVisible(whole and (ranked is not None or len(columns) > LEAST_COLUMNS))
        few = "" if whole else _("Tick at least two designs to see them side by side.")
        self._state.setText(problem or few)
        self._state.setVisible(bool(self._state.text()))
        for part in (self.verdict, self._decides, self.fold):
            part.setVisible(whole)
        for button in (self._save, self._export):
            button.setEnabled(whole)
        self._show_uses()

    def _ask(self, what: Callable[[Comparisons], _Answer]) -> _Answer | None:
        """Return what the comparisons of the library answer; None where it fails, which the library tells."""
        return self.session.library.use(lambda database: what(Comparisons(database)))

    def saved(self) -> tuple[SavedComparison, ...]:
        return self._ask(Comparisons.list) or ()

    def _show_saved(self) -> None:
        entries = self.saved()
        if self._open and not any(entry.key == self._open for entry in entries):
            self._open = ""
        self.saved_ones.offer(((_("New comparison"), ""), *((entry.name, entry.key) for entry in entries)), self._open)
        self._delete.setEnabled(bool(self._open))

    def _on_activated(self) -> None:
        self._on_opened(str(self.saved_ones.currentData()))

    def _on_opened(self, key: str) -> None:
        self._open = key
        self._touched = bool(key)
        entry = next((entry for entry in self.saved() if entry.key == key), None)
        self.name.setText(entry.name if entry is not None else "")
        if entry is not None:
            self._wanted = entry.parts
        self.refresh_now()

    def _on_save(self) -> None:
        name = self.name.text().strip()
        if self.comparison is None:
            return
        if not name:
            self.session.say(_("Give the comparison a name first."))
            self.name.setFocus()
            return
        parts = tuple(part for part in (self._part(choice) for choice in self._wanted) if part is not None)
        kept = self._ask(lambda saved: saved.save(name, parts, key=self._open or None))
        if kept is None:
            return
        self._open, self._touched = kept.key, True
        self._wanted = kept.parts
        self.session.say(_("“{name}” is in the library.", name=kept.name))
        self.refresh_now()

    def _part(self, choice: Choice) -> Part | None:
        """Return how a choice is kept. A layout of the ranking becomes a design of the library."""
        if isinstance(choice, Part):
            return choice if self._design(choice) is not None else None
        made = self._made(choice)
        design = None if made is None else replace(made, key=uuid4().hex)
        saved = design is not None and self.session.library.save(design)
        return Part(design_key=design.key) if design is not None and saved else None

    def _on_delete(self) -> None:
        if self._open:
            key, self._open = self._open, ""
            gone = self._ask(lambda saved: saved.delete(key))
            self._show_saved()
            if gone is not None:
                undo = partial(self._restore, gone)
                self._notice.show_text(_("“{name}” was deleted.", name=gone.name), action=_("Undo"), does=undo)

    def _restore(self, gone: SavedComparison) -> None:
        self._notice.hide()
        if self._ask(lambda saved: saved.restore(gone)) is not None:
            self._on_opened(gone.key)

    def _on_export(self) -> None:
        stem = self.name.text().strip().replace("/", "-") or _("comparison")
        ReportDialog(self.session, f"{stem}.pdf", self.export_to, self, "csv")

    def export_to(self, path: str) -> None:
        if self.comparison is None:
            return
        if path.lower().endswith(".csv"):
            self.session.write(path, comparison_csv(self.comparison))
            return
        found, against = self.session.recommendation, Against(self.front.choice.currentData())
        columns, title = self.comparison.columns, self.name.text().strip()
        front = None if found is None else front_chart(found.candidates, found.best, against, columns)
        make = partial(comparison_report, self.comparison, title=title, made=report_foot(), front=front)
        write_report(self.session, path, make)


def _is_md(choice: Choice) -> bool:
    return isinstance(choice, Part) and choice.kind is PartKind.MD_RAID6
