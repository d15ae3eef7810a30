"""The ranked layouts of the ticked disks: one selected and explained, all of them in a table and a plot."""

from collections.abc import Sequence
from typing import ClassVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QPushButton, QWidget

from poolwright.design.candidate import Candidate, Recommendation, Rejected
from poolwright.design.request import Request
from poolwright.design.roles.model import RoleJudgement
from poolwright.design.support import without_support
from poolwright.design.told import lines_of
from poolwright.domain.design import Design
from poolwright.domain.disk import Note, NoteLevel
from poolwright.domain.errors import PoolwrightError, Refusal
from poolwright.domain.finding import Finding
from poolwright.emit.comparison_charts import Against
from poolwright.jobs.job import Asking
from poolwright.jobs.worker_job import BriefJob, WorkerJob
from poolwright.questions import LayoutAsked, RankedRows, Row, RowDetails, SoFar, design_of_row, recommend, row_details
from poolwright.rules.model import RuleBook
from poolwright.store.codec import write_ahead
from poolwright.texts import _, ngettext
from poolwright.ui.parts import lay
from poolwright.ui.parts.finding_rows import show_finding, show_rule
from poolwright.ui.parts.note_lines import Message, Notice
from poolwright.ui.parts.page import SHOW_AFTER_MILLISECONDS, Page, Slices, focus_order
from poolwright.ui.parts.panes import Panes, Place
from poolwright.ui.parts.theme import GRID, Tone
from poolwright.ui.plots.place import FrontHolder
from poolwright.ui.ranking.layout_card import AlternativesRow, LayoutCard
from poolwright.ui.ranking.pane import CandidatePane, WhyNotPane
from poolwright.ui.state.money_of_budget import money_words
from poolwright.ui.state.recommending import identity_of, request_of
from poolwright.ui.state.work import MANY_DISKS

JOB_TARGET = "recommendation"
_VIEWS_WIDE_FROM = 128 * GRID
_CARD_WHOLE = 33 * GRID
_TALL_FROM = 112 * GRID
_MANY_ROWS_FROM, _MANY_ROWS, _FEW_ROWS = 75 * GRID, 10, 5


class RecommendationPage(Page):
    """Ranks as soon as it is shown, and again when disks, workload or budget changed. The window stays alive."""

    gap: ClassVar[int] = GRID

    def title(self) -> str:
        return _("Recommendation")

    def sentence(self) -> str:
        found = self.session.recommendation
        if found is None:
            return _("All layouts of the ticked disks are worked out and ranked for your goal.")
        count, disks = found.feasible, len(self.session.ticked)
        if count == 1:
            return _("One layout keeps to your wishes for {goal}.", goal=_(found.goal.value))
        return ngettext(
            "{layouts} layouts of {count} disk, ranked for {goal}. Take the first, or compare.",
            "{layouts} layouts of {count} disks, ranked for {goal}. Take the first, or compare.",
            disks,
            layouts=f"{count:,}",
            goal=_(found.goal.value),
        )

    def missing(self) -> str:
        if not self.session.ticked:
            return _("Tick disks on the disks page first.")
        return "" if self.session.design is not None else _("Choose a layout.")

    def build(self) -> None:
        self._low = False
        jobs = self.session.jobs
        self._asking = Asking(jobs, self, self._on_found, self._on_failed)
        self._asking.cancelled.connect(self._on_cancelled)
        self._detailing = Asking(jobs, self, self._on_details, self.session.complain)
        self._designing = Asking(jobs, self, self._on_designed, self._on_not_designed)
        self._writing = Slices(self)
        self._asked_for: Request | None = None
        self._failed_for: Request | None = None
        self._shown: RankedRows | None = None
        self._interim: RankedRows | None = None
        self._partial = False
        self._untried = ""  # by the search that found it, in words
        self._selected: Candidate | None = None
        self._taken: tuple[Candidate, Design] | None = None
        self._to_take: Candidate | None = None  # whose design is being made
        self._details: RowDetails | None = None
        self._details_of: tuple[Candidate, Request] | None = None
        self.notice = RankingNotice(self)
        self.notice.pressed.connect(self._on_notice)
        self._make_results()
        self.body.addWidget(self.card, 25)
        self.body.addWidget(self.notice)  # below the card: its button stays where it is when the search ends
        self.body.addWidget(self.named)
        self.body.addWidget(self.views, 75)
        self.body.addStretch(1)  # keeps the notice at the top while there are no results
        self._reveal(shown=False)

    def refresh(self) -> None:
        """Show the ranking of what is asked for now; start working it out where there is none."""
        request, found = request_of(self.session), self.session.recommendation
        if found is not None or request is None or request != self._asked_for:
            self._interim = None
        if found is None and request is not None:
            if self.session.rules is None and not self.session.rules_problem:
                self.notice.show_loading()  # their arrival refreshes this page
            else:
                self._ask(request)
        elif request is None or request != self._asked_for:
            self._asking.forget()
        found = found or self._interim
        if found is not self._shown:
            self._show_ranking(found)
        self._reveal(shown=found is not None)
        if request is None:
            self.notice.show_no_disks()
        elif found is not None and found is not self._interim:
            self.notice.show_notes(found.notes, self.session.rules_problem)
        self._show_selected()

    @property
    def selected(self) -> Candidate | None:
        return self._selected

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show reasons and prices beside the layouts where there is room for them, else behind tabs."""
        super().resizeEvent(event)
        if self.is_built:
            self._fit_height(event.size().height())

    def _fit_height(self, height: int) -> None:
        low = height < _TALL_FROM
        self.candidates.keep_rows(_MANY_ROWS if height >= _MANY_ROWS_FROM else _FEW_ROWS)
        if low is not self._low:
            self._low = low
            self.card.be_low(low=low)
            self.named.be_low(low=low)
            self.views.keep_tabs(only_tabs=low)
            self.body.setStretchFactor(self.card, 0 if low else 25)

    def _make_results(self) -> None:
        self.card = LayoutCard(self)
        self.card.keep_height(_CARD_WHOLE)
        self.card.taken.connect(self._take)
        self.card.another.connect(self._start_another)
        self.card.asked.connect(self._show_why)
        self.named = AlternativesRow(self)
        self.named.picked.connect(self._select)
        self.candidates = CandidatePane(self)
        self.candidates.selected.connect(self._select)
        self.candidates.taken.connect(self._take)
        self.candidates.shown_changed.connect(self._show_counts)
        self.candidates.copied.connect(self._say_copied)
        self.candidates.arrange(self.session.preferences.arrangement("layouts"))
        self.candidates.arranged.connect(self._on_arranged)
        hint = _("Each dot is a layout. Point at one to read it, click to select it.")
        self.plot = FrontHolder(hint, Against.SURVIVED, self)
        self.plot.picked.connect(self._select)
        self.plot.failed.connect(self.session.say)
        self.whynot = WhyNotPane(self.session, self)
        self.whynot.asked.connect(self._show_rule)
        self.views = Panes(_("Views of the layouts"), _VIEWS_WIDE_FROM, self)
        self.views.add(_("Layouts"), self.candidates, Place(rows=2, column_stretch=13, row_stretch=2))
        self.views.add(_("Plot"), self.plot, Place(column=1, column_stretch=7, row_stretch=2))
        self.views.add(_("Why not"), self.whynot, Place(row=1, column=1, column_stretch=7, row_stretch=1))
        self.card.lend_to(self.views)

    def _reveal(self, *, shown: bool) -> None:
        """Show the results or hide them; the keyboard goes to results that appear."""
        appears = shown and self.card.isHidden()
        for part in (self.card, self.named, self.views):
            part.setVisible(shown)
        if appears and self.isVisible():
            self._take_keyboard()

    def _ask(self, request: Request) -> None:
        if request == self._failed_for or (self._asking.busy and request == self._asked_for):
            return
        self._asked_for, self._failed_for, self._interim, self._untried = request, None, None, ""
        job = WorkerJob(_("Ranking layouts"), JOB_TARGET, self, recommend, request)
        job.so_far.connect(self._show_so_far)
        self.notice.show_working()
        self._asking.ask(job)
        if len(request.disks) >= MANY_DISKS:
            # A layout that is chosen is saved at once; its disks are written by then.
            self._writing.begin(write_ahead(request.disks))

    def _on_notice(self, asked: str) -> None:
        if asked != AGAIN:
            self.go.emit(asked)
            return
        self._failed_for = None
        self.refresh_now()

    def _is_still_asked(self) -> bool:
        """Tell whether the answer of the search is wanted, else the page asks anew when it is in sight."""
        return request_of(self.session) == self._asked_for

    def _on_found(self, found: RankedRows) -> None:
        if self._is_still_asked():
            self._interim = None
            self.session.set_recommendation(found)

    def _on_failed(self, text: str) -> None:
        if self._is_still_asked():
            self._failed_for, self._interim = self._asked_for, None
            if isinstance(self._asking.error, PoolwrightError):
                self.notice.show_refusal(self._asking.error)
            else:
                self.notice.show_bug(text)

    def _on_cancelled(self) -> None:
        if self._is_still_asked():
            self._failed_for = self._asked_for
            self.notice.show_cancelled(self._untried, kept=self._interim is not None)

    def _show_so_far(self, found: SoFar) -> None:
        """Show what the running search has found; ticks may have changed."""
        if not self._asking.busy or not self._is_still_asked():
            return
        self._interim, self._untried = found.ranking, found.untried
        self.notice.show_searching()
        self._show_ranking(found.ranking)
        self._reveal(shown=True)
        self._show_selected()

    def _show_ranking(self, found: RankedRows | None) -> None:
        """Show these layouts and select one; the caller shows which."""
        before, chosen = self._shown, self._selected
        self._shown = found
        self.candidates.show_recommendation(found)
        self.plot.show_layouts(found.candidates if found else (), found.best if found else None)
        self.named.show_answers(found.answers if found else ())
        lines = (*found.rejected, *scope_lines(found)) if found else ()
        self.whynot.show_ranking(found, lines, whole=found is not self._interim)
        if found is None:
            self._selected = None
            return
        kept = None
        partial, self._partial = self._partial, found is self._interim
        if partial and before is not None and chosen is not None and chosen is not before.best:
            # More was found while the user looked at this one.
            kept = next((c for c in found.candidates if c.words == chosen.words), None)
        self._selected = self._same_as_taken(found) or kept or found.best

    def _same_as_taken(self, found: RankedRows) -> Candidate | None:
        """Return the candidate that the current design was made from, where it is among these."""
        if self._taken is None or self._taken[1] is not self.session.design:
            return None
        layout = self._taken[0].layout
        return next((c for c in found.candidates if c.layout == layout), None)

    def _select(self, candidate: Candidate) -> None:
        self._selected = candidate
        self._show_selected()

    def _show_selected(self) -> None:
        candidate = self._selected
        if candidate is None:
            return
        price = money_words(candidate.cost) if candidate.cost is not None else None
        self.card.show_candidate(candidate, self._place(candidate), in_use=self._in_use(candidate), price=price)
        self.card.show_told(self._told(candidate))
        self._ask_details(candidate)
        if self._details is not None:
            self.card.show_findings(self._details.findings)
        self.named.show_selected(candidate)
        self.candidates.select(candidate)
        self.plot.select(candidate)
        self.show_main_button()

    def _told(self, candidate: Candidate) -> tuple[str, ...]:
        """Return what flash stands beside a layout once it is taken, and how it stands to the others."""
        if self._shown is None:
            return ()
        said = self._shown.told if candidate is self._shown.best else lines_of(candidate, self._shown)
        flash = self._details.flash if self._details is not None and not self._partial else ""
        return (flash, *said) if flash else said

    def _ask_details(self, candidate: Candidate) -> None:
        """Ask what the rules say of this one layout once the models are asked as well, and where its disks stand."""
        request, known = request_of(self.session), self._details_of
        if request is None or (known is not None and known[0] is candidate and known[1] == request):
            return
        self._details_of = self._details = None
        self._detailing.forget()
        if not self._asking.busy:  # else another one is soon in sight
            self._details_of = candidate, request
            title, row, inventory = _("Judging the layout"), self._row(candidate), self.session.inventory
            target = f"{JOB_TARGET} in sight"  # for machines
            self._detailing.ask(BriefJob(title, target, self, row_details, request, row, inventory))

    def _on_details(self, details: RowDetails) -> None:
        self._details = details
        self._show_selected()

    def _row(self, candidate: Candidate) -> Row:
        """Return what the process knows a layout by."""
        return candidate if self._partial else self.candidates.model.rank_of(candidate) or candidate

    def _place(self, candidate: Candidate) -> str:
        rank = self.candidates.model.rank_of(candidate)
        points = _("{score:.1f} points", score=candidate.score)
        if rank == 1:
            return _("First choice, {points}", points=points)
        count = f"{self.candidates.model.total():,}"
        return _("Number {rank} of {count}, {points}", rank=f"{rank:,}", count=count, points=points)

    def _in_use(self, candidate: Candidate) -> bool:
        design = self.session.design
        if design is None or design.workload != self.session.workload:
            return False
        if self._taken is not None and self._taken[0] is candidate and self._taken[1] is design:
            return True
        of_this = self._details is not None and self._details_of is not None and self._details_of[0] is candidate
        made = tuple(pool.vdevs for pool in without_support(design).pools()) if of_this else ()
        return self._details is not None and made == self._details.vdevs

    def _take(self) -> None:
        """Have the selected layout made the design."""
        candidate, request, inventory = self._selected, request_of(self.session), self.session.inventory
        if candidate is None or request is None or self._in_use(candidate):
            return
        if self._designing.busy and self._to_take is candidate:
            return
        self._to_take = candidate
        named, target = identity_of(self.session), f"{JOB_TARGET} design"  # for machines
        asked = LayoutAsked(request=request, row=self._row(candidate), identity=named, inventory=inventory)
        self._designing.ask(BriefJob(_("Assigning disks"), target, self, design_of_row, asked))

    def _on_designed(self, design: Design) -> None:
        candidate = self._to_take
        if candidate is None or candidate is not self._selected:
            return  # another one is in sight by now
        self._taken = (candidate, design)
        pressed = self.card.use.hasFocus()
        self.session.choose(candidate, design)
        onward = self.main_button()
        if pressed and onward is not None:
            onward.setFocus(Qt.FocusReason.OtherFocusReason)  # the pressed button is disabled now
        self.session.say(_("The design holds this layout now. “Undo” takes it back."))

    def _on_not_designed(self, text: str) -> None:
        if isinstance(self._designing.error, PoolwrightError):
            self.notice.show_refusal(self._designing.error)
        else:
            self.notice.show_bug(text)

    def _start_another(self) -> None:
        name = self.session.design.name if self.session.design is not None else ""
        self.session.start_another()
        self.session.say(_("“{name}” is in the library. These are the layouts of the other disks.", name=name))

    def main_button(self) -> QPushButton | None:
        if self.card.isHidden():
            return None
        return self.card.use if self.card.use.isEnabled() else super().main_button()

    def _take_keyboard(self) -> None:
        """Take the keyboard that nothing on this page could take while the ranking ran; not from rail or summary."""
        focused = self.window().focusWidget()
        if focused is None or not focused.isVisible() or self.isAncestorOf(focused):
            first = self.first_stop(focus_order(self))
            if first is not None:
                first.setFocus(Qt.FocusReason.OtherFocusReason)

    def first_stop(self, stops: Sequence[QWidget]) -> QWidget | None:
        """Begin at the button that takes the first choice, or at the table once one is taken."""
        wanted = (self.card.use, self.candidates.table)
        return next((widget for widget in wanted if widget in stops), super().first_stop(stops))

    def _show_counts(self) -> None:
        shown, total = self.candidates.model.rowCount(), self.candidates.model.total()
        told = f"{total:,}" if shown == total else _("{shown} of {all}", shown=f"{shown:,}", all=f"{total:,}")
        self.views.set_title(self.candidates, _("Layouts ({count})", count=told))
        self.candidates.select(self._selected)

    def _on_arranged(self) -> None:
        self.session.preferences.keep_arrangement("layouts", self.candidates.arrangement())

    def _say_copied(self, rows: int) -> None:
        self.session.say(ngettext("{count} row is copied as CSV.", "{count} rows are copied as CSV.", rows))

    def _show_why(self, finding: Finding) -> None:
        show_finding(finding, self)

    def _show_rule(self, rule_id: str) -> None:
        if not show_rule(rule_id, self.session.rules or RuleBook(), self):
            self.session.say(_("There is no rule {rule} any more.", rule=rule_id))


# What a ranking looked at and what it did not, as further lines of “why not”.


def scope_lines(found: Recommendation) -> tuple[Rejected, ...]:
    """Return what was looked at and what was not, as further lines of why-not."""
    looked_at = _("Looked at: {count}", count=f"{found.examined:,}")
    told = ((looked_at, found.searched), (_("Not looked at"), found.left_out))
    flash = found.roles.judgements if found.roles is not None else ()
    return (
        *(Rejected(family=title, reason=" ".join(texts), feasible=True) for title, texts in told if texts),
        *map(_of_flash, flash),
    )


def _of_flash(judgement: RoleJudgement) -> Rejected:
    reason = f"{_(judgement.verdict.value)}: {' '.join(judgement.because)}"
    return Rejected(family=_("Flash: {role}", role=_(judgement.role.value)), reason=reason, feasible=True)


# What there is to say about the ranking itself: it runs, it was refused and why, or a note.

AGAIN = "again"  # what is sent for another try; everything else is the name of a page


class RankingNotice(Notice):
    """One card above the results, hidden when there is nothing to say."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(_("State of the ranking"), parent)
        self._timer = lay.later(self, SHOW_AFTER_MILLISECONDS, self.show)

    def say(self, said: Message) -> None:
        self._timer.stop()
        super().say(said)

    def show_working(self) -> None:
        """Say that it is worked out; the head of the page shows how far it is. Not shown for less than 300 ms."""
        self._say_soon(_("Working out all layouts"))

    def show_loading(self) -> None:
        self._say_soon(_("The rules are being loaded."))

    def show_searching(self) -> None:
        text = _("The best layouts found so far; the search goes on.")
        self.say(Message(title=text, tone=Tone.ACCENT, icon="recommendation", framed=False))

    def show_notes(self, notes: Sequence[Note], rules_problem: str) -> None:
        """Show what should be known about the ranking; ``rules_problem`` says why no rules took part in it."""
        warns = bool(rules_problem) or any(note.level is NoteLevel.WARN for note in notes)
        texts = [note.text for note in notes]
        if rules_problem:
            texts.insert(0, _("Ranked without any rules: {problem}", problem=rules_problem))
        self.say(Message(title="\n".join(texts), tone=Tone.WARN if warns else Tone.NOTE, framed=False))
        self.setVisible(bool(texts))

    def show_no_disks(self) -> None:
        title, todo = _("There are no disks to design with yet."), _("Choose where the disks come from.")
        self.say(Message(title=title, todo=todo, offers=((_("Choose disks"), "disks"),)))

    def show_cancelled(self, untried: str, *, kept: bool) -> None:
        """Say that the ranking was stopped, in one sentence what was not tried, and that what was found is ``kept``."""
        found = _("The ranking was cancelled. These are the best layouts found until then.")
        title, offers = found if kept else _("The ranking was cancelled."), ((_("Rank again"), AGAIN),)
        told = Message(title=title, tone=Tone.UNKNOWN, icon="cancel", reasons=untried, offers=offers, framed=not kept)
        self.say(told)

    def show_refusal(self, error: PoolwrightError) -> None:
        reasons = error.reasons if isinstance(error, Refusal) else ()
        self.say(
            Message(
                title=f"{error.what} ({error.where})" if error.where else error.what,
                tone=Tone.BLOCK,
                reasons="\n".join(f"• {reason}" for reason in reasons),
                todo=error.todo or "",
                offers=((_("Change the budget"), "budget"), (_("Choose disks"), "disks")),
                bold=True,
            )
        )

    def show_bug(self, text: str) -> None:
        self.say(Message(title=text, tone=Tone.BLOCK, offers=((_("Rank again"), AGAIN),)))

    def _say_soon(self, text: str) -> None:
        self.say(Message(title=text, tone=Tone.ACCENT, icon="recommendation"))
        self.hide()
        self._timer.start()
