"""The ranked layouts of the ticked disks: one selected and explained, all of them in a table and a plot."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QPushButton, QWidget

from poolwright.design.candidate import Candidate, Recommendation, Rejected
from poolwright.design.explanations import anyraid_line, lines_of, missing_words
from poolwright.design.request import Request
from poolwright.design.support import without_support
from poolwright.domain.design import Design
from poolwright.domain.disk import NoteLevel, UseNote
from poolwright.domain.errors import PoolwrightError, Refusal
from poolwright.domain.vdev import short_words
from poolwright.jobs.job import Asking
from poolwright.jobs.worker_job import BriefJob, WorkerJob
from poolwright.questions import LayoutAsked, RankedRows, Row, RowDetails, SoFar, design_of_row, recommend, row_details
from poolwright.store.codec import write_ahead
from poolwright.texts import N_, _, capital, ngettext, numeral, sentence
from poolwright.ui.parts import widgets
from poolwright.ui.parts.note_lines import Message, Notice
from poolwright.ui.parts.page import Page, Slices, focus_order
from poolwright.ui.parts.theme import GRID, Tone
from poolwright.ui.parts.widgets import ToneLabel
from poolwright.ui.plots.place import FrontHolder
from poolwright.ui.ranking.layout_card import LayoutCards, layout_blocks
from poolwright.ui.ranking.pane import CandidatePane, WhyPane
from poolwright.ui.state.recommending import identity_of, request_of
from poolwright.ui.state.steps import wishes_text
from poolwright.ui.state.work import MANY_DISKS

JOB_TARGET = "recommendation"
_BELOW_CARDS, _LAST = 1, 3  # where the notice stands on the page
_LONGEST_ON_BUTTON = 36  # letters
_LEAST_PANE = 45 * GRID  # below the cards; where there is less, what is opened stands in their place


class RecommendationPage(Page):
    """Ranks as soon as it is shown, and again when disks, workload or budget changed. The window stays alive."""

    heading = N_("Layouts")

    def sentence(self) -> str:
        found = self.session.recommendation
        if found is None:
            return ""
        count, disks = found.feasible, len(self.session.ticked)
        if count == 1:
            return _("One layout meets your limits. Goal: {goal}.", goal=_(found.goal.value))
        summary = ngettext(
            "{layouts} layouts of {count} disk. Goal: {goal}.",
            "{layouts} layouts of {count} disks. Goal: {goal}.",
            disks,
            layouts=numeral(count),
            goal=_(found.goal.value),
        )
        # Limits outlive the disks that they were set for.
        return " ".join(filter(None, (summary, wishes_text(self.session))))

    def missing(self) -> str:
        return "" if self.session.ticked else _("No disks to design with yet.")

    def build(self) -> None:
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
        self.selected: Candidate | None = None
        self._taken: tuple[Candidate, Design] | None = None
        self._to_take: Candidate | None = None  # whose design is being made
        self._details: RowDetails | None = None
        self._details_of: tuple[Candidate, Request] | None = None
        self._of = self.session.inventory
        self.notice = RankingNotice(self._rank_again, self)
        self.notice.pressed.connect(self.go)
        self._make_results()
        for part in (self.cards, self.notice, self.line):
            self.body.addWidget(part)
        self.body.addWidget(self.panes, 1)
        self._end = QWidget(self)  # keeps the notice at the top while there are no results
        self.body.addWidget(self._end)
        self._make_foot()
        self._reveal(shown=False)

    def refresh(self) -> None:
        """Show the ranking of what is asked for now; start working it out where there is none."""
        request, found = request_of(self.session), self.session.recommendation
        if found is not None or request is None or request != self._asked_for:
            self._interim = None
        if found is None and request is not None:
            if self.session.rules is None and not self.session.rules_problem:
                self.notice.show_text(_("The rules are being loaded."))  # their arrival refreshes this page
            else:
                self._ask(request)
        elif request is None or request != self._asked_for:
            self._asking.forget()
        found = found or self._interim
        if self.session.inventory is not self._of:  # other disks begin with the table
            self._of = self.session.inventory
            self.show_pane(self.candidates)
        if found is not self._shown:
            self._show_ranking(found)
        self._reveal(shown=found is not None)
        notes = found is not None and found is not self._interim
        if request is None:
            self.notice.show_no_disks()
        elif found is not None and notes:
            self.notice.show_ranking(found, self.session.rules_problem)
        missed = found is not None and found.best.missed  # notes are no reason to wait for
        self.body.insertWidget(0 if missed else _LAST if notes else _BELOW_CARDS, self.notice)
        self._show_selected()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.is_built:
            self.cards.be_low(low=self.stands_low)
            self.next_pool.setText("" if self.stands_low else self.next_pool.toolTip())  # the footer is as narrow

    def _make_results(self) -> None:
        self.cards = LayoutCards(self)
        self.cards.picked.connect(self._select)
        self.candidates = CandidatePane(self)
        self.candidates.selected.connect(self._select)
        self.candidates.taken.connect(self._take)
        self.candidates.compared.connect(self._compare_selected)
        self.candidates.shown_changed.connect(self._show_counts)
        self.candidates.columns.arrange(self.session.preferences.arrangement("layouts"))
        self.candidates.columns.arranged.connect(self._on_arranged)
        hint = _("Each dot is a layout. Point at one to read it, click to select it.")
        self.plot = FrontHolder(hint, self.session.say, self)
        self.plot.picked.connect(self._select)
        self.why = WhyPane(self)
        self.panes = QWidget(self)  # not a QStackedWidget: that is as high as the highest of its parts
        widgets.column((self.candidates, 1), (self.plot, 1), (self.why, 1), of=self.panes)
        self._make_line()
        self._to_pane = widgets.single_shot_timer(self, 0, self._scroll_to_pane)
        self.show_pane(self.candidates)

    def _make_line(self) -> None:
        """Make the line above the table: its name, how many rows it has, and what else can stand in its place."""
        self.line = QWidget(self)
        self._heading = ToneLabel(_("Alternatives"), Tone.TEXT, self.line, bold=True, wrapped=False)
        self._count = ToneLabel("", Tone.MUTED, self.line, small=True, wrapped=False)
        self.show_all = self._link(_("Show all"), self._on_show_all)
        self._ways = {self._link(_("Chart"), self._on_way): self.plot, self._link(_("Why…"), self._on_way): self.why}
        columns = widgets.button(_("Columns"), self.line, icon="list")
        columns.setProperty("link", True)
        columns.setMenu(self.candidates.columns)
        widgets.row(self._heading, (self._count, 1), self.show_all, *self._ways, columns, of=self.line)

    def _link(self, text: str, pressed: object) -> QPushButton:
        link = widgets.button(text, self.line, pressed)
        link.setProperty("link", True)
        link.setCheckable(True)
        return link

    def _make_foot(self) -> None:
        self.compare = widgets.button(_("Compare these"), self, self._compare_cards)
        text = _("Design the next pool")
        self.next_pool = widgets.button(text, self, self._start_another, icon="new", tip=text, name=text)
        self.use = widgets.button("", self, self._take, icon="next")
        self.put_in_foot(self.next_pool, self.compare, self.use)

    def _on_show_all(self) -> None:
        self.show_pane(self.candidates)
        self.candidates.show_all(whole=self.show_all.isChecked())
        self.candidates.select(self.selected)

    def _on_way(self) -> None:
        """Show what a link is for in the place of the table, or the table again."""
        link = widgets.sent(self, QPushButton)
        self.show_pane(self._ways[link] if link.isChecked() else self.candidates)

    def show_pane(self, pane: QWidget) -> None:
        for link, shown in self._ways.items():
            link.setChecked(shown is pane)
        for each in (self.candidates, self.plot, self.why):
            each.setVisible(each is pane)
        around = self.line.height() + self.body.spacing() + self.body.contentsMargins().bottom()
        room = self.area.viewport().height() - around
        wanted = self.show_all.isChecked() or pane is not self.candidates
        self._opened = wanted and room - self.cards.height() < _LEAST_PANE
        scrolls = self._opened and pane is not self.why  # which is as high as what it says
        self.panes.setMinimumHeight(room if scrolls else 0)
        self._to_pane.start()  # the page is laid out by then
        self._show_details()

    def _scroll_to_pane(self) -> None:
        """Put what was opened at the top of a window that has no room for the cards as well."""
        self.area.verticalScrollBar().setValue(self.line.y() if self._opened else 0)

    def _compare_cards(self) -> None:
        self.session.asked.emit("compare", self.cards.shown)

    def _compare_selected(self) -> None:
        """Compare the selected layout with the first choice, the first choice with its rivals."""
        if self._shown is None or self.selected is None or self.selected is self._shown.best:
            self._compare_cards()
        else:
            self.session.asked.emit("compare", (self._shown.best, self.selected))

    def _reveal(self, *, shown: bool) -> None:
        """Show the results or hide them; the keyboard goes to results that appear."""
        appears = shown and self.line.isHidden()
        for part in (self.cards, self.line, self.panes, self.use, self.compare):
            part.setVisible(shown)
        self.next_pool.setVisible(shown and self.next_pool.isVisible())
        self.body.setStretchFactor(self._end, 0 if shown else 1)
        if appears and self.isVisible():
            self._take_keyboard()

    def _ask(self, request: Request) -> None:
        if request == self._failed_for or (self._asking.busy and request == self._asked_for):
            return
        self._asked_for, self._failed_for, self._interim, self._untried = request, None, None, ""
        job = WorkerJob(_("Ranking layouts"), JOB_TARGET, self, recommend, request)
        job.so_far.connect(self._show_so_far)
        self.notice.hide()
        self._asking.ask(job)
        if len(request.disks) >= MANY_DISKS:
            # A layout that is chosen is saved at once; its disks are written by then.
            self._writing.begin(write_ahead(request.disks))

    def _rank_again(self) -> None:
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
            self.notice.show_failure(self._asking.error, text)

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
        before, chosen = self._shown, self.selected
        self._shown = found
        self.candidates.show_recommendation(found)
        self.plot.show_layouts(found.candidates if found else (), found.best if found else None)
        self.cards.show_cards(found.cards if found else ())
        lines = (*found.rejected, *anyraid_line(found), *scope_lines(found)) if found else ()
        self.why.show_ranking(found, lines, whole=found is not self._interim)
        if found is None:
            self.selected = None
            return
        kept = None
        partial, self._partial = self._partial, found is self._interim
        if partial and before is not None and chosen is not None and chosen is not before.best:
            # More was found while the user looked at this one.
            kept = next((c for c in found.candidates if c.words == chosen.words), None)
        self.selected = self._same_as_taken(found) or kept or found.best

    def _same_as_taken(self, found: RankedRows) -> Candidate | None:
        """Return the candidate that the current design was made from, where it is among these."""
        if self._taken is None or self._taken[1] is not self.session.design:
            return None
        layout = self._taken[0].main.layout
        return next((c for c in found.candidates if c.main.layout == layout), None)

    def _select(self, candidate: Candidate) -> None:
        self.selected = candidate
        self._show_selected()

    def _show_selected(self) -> None:
        candidate = self.selected
        if candidate is None:
            return
        self._ask_details(candidate)
        self._show_details()
        if not self._asking.busy:
            self.session.look_at(candidate)
        self.cards.select(candidate)
        self.candidates.select(candidate)
        self.plot.select(candidate)
        in_use = self._in_use(candidate)
        cards = () if self._shown is None else self._shown.cards
        flash = next((card.beside for card in cards if card.candidate is candidate), "")
        self.use.setText(_("Use {layout}", layout=_short(candidate, flash)))
        self.use.setVisible(not in_use)
        self.use.setEnabled(not in_use)
        self.compare.setVisible(len(self.cards.shown) > 1)
        self.next_pool.setVisible(in_use and candidate.unassigned > 0)
        self.show_main_button()

    def _show_details(self) -> None:
        candidate = self.selected
        if candidate is not None and not self.why.isHidden():
            findings = self._details.findings if self._details is not None else candidate.findings
            self.why.show_layout(layout_blocks(candidate, self._place(candidate), self._notes(candidate), findings))

    def _notes(self, candidate: Candidate) -> tuple[str, ...]:
        """Return what flash stands beside a layout once it is taken, and how it stands to the others."""
        if self._shown is None:
            return ()
        lines = self._shown.told if candidate is self._shown.best else lines_of(candidate, self._shown)
        price = next((answer.trade_off for answer in self._shown.answers if answer.candidate is candidate), "")
        flash = self._details.flash if self._details is not None and not self._partial else ""
        notes = [note.text for note in self._shown.notes if note.level is NoteLevel.NOTE]
        return tuple(filter(None, (flash, sentence(capital(price)), *lines, *notes)))

    def _ask_details(self, candidate: Candidate) -> None:
        """Ask what the rules say of this one layout once the models are asked as well, and where its disks stand."""
        request, known = request_of(self.session), self._details_of
        if request is None or (known is not None and known[0] is candidate and known[1] == request):
            return
        self._details_of = self._details = None
        self._detailing.forget()
        if not self._asking.busy:  # else another one is soon in sight
            self._details_of = candidate, request
            title, row, inventory = _("Checking the layout"), self._row(candidate), self.session.inventory
            target = f"{JOB_TARGET} in sight"  # for machines
            self._detailing.ask(BriefJob(title, target, self, row_details, request, row, inventory))

    def _on_details(self, details: RowDetails) -> None:
        self._details = details
        self._show_selected()

    def _row(self, candidate: Candidate) -> Row:
        return candidate if self._partial else self.candidates.model.rank_of(candidate) or candidate

    def _place(self, candidate: Candidate) -> str:
        rank = self.candidates.model.rank_of(candidate)
        points = _("{score:.1f} points", score=candidate.score)
        if rank == 1:
            return _("First choice, {points}", points=points)
        count = numeral(self.candidates.model.total())
        return _("Number {rank} of {count}, {points}", rank=numeral(rank), count=count, points=points)

    def _in_use(self, candidate: Candidate) -> bool:
        design = self.session.design
        if design is None or design.workload != self.session.workload:
            return False
        if self._taken is not None and self._taken[0] is candidate and self._taken[1] is design:
            return True
        of_this = self._details is not None and self._details_of is not None and self._details_of[0] is candidate
        pools = tuple(pool.vdevs for pool in without_support(design).pools()) if of_this else ()
        return self._details is not None and pools == self._details.vdevs

    def _take(self) -> None:
        candidate, request, inventory = self.selected, request_of(self.session), self.session.inventory
        if candidate is None or request is None or self._in_use(candidate):
            return
        if self._designing.busy and self._to_take is candidate:
            return
        self._to_take = candidate
        named, target = identity_of(self.session, candidate.main.layout), f"{JOB_TARGET} design"  # for machines
        question = LayoutAsked(request=request, row=self._row(candidate), identity=named, inventory=inventory)
        self._designing.ask(BriefJob(_("Assigning disks"), target, self, design_of_row, question))

    def _on_designed(self, design: Design) -> None:
        candidate = self._to_take
        if candidate is None or candidate is not self.selected:
            return  # another one is in sight by now
        self._taken = (candidate, design)
        self.session.choose(candidate, design)
        self.go.emit("design")

    def _on_not_designed(self, text: str) -> None:
        self.notice.show_failure(self._designing.error, text)

    def _start_another(self) -> None:
        name = self.session.design.name if self.session.design is not None else ""
        self.session.start_another()
        self.session.say(_("“{name}” is in the library. These layouts use the other disks.", name=name))

    def main_button(self) -> QPushButton | None:
        if self.line.isHidden():
            return None
        return self.use if self.use.isEnabled() else super().main_button()

    def _take_keyboard(self) -> None:
        """Take the keyboard that nothing on this page could take while the ranking ran; not from rail or summary."""
        focused = self.window().focusWidget()
        if focused is None or not focused.isVisible() or self.isAncestorOf(focused):
            first = self.first_stop(focus_order(self))
            if first is not None:
                first.setFocus(Qt.FocusReason.OtherFocusReason)

    def first_stop(self, stops: Sequence[QWidget]) -> QWidget | None:
        """Begin at the button that takes the first choice, or at the table once one is taken."""
        wanted = (self.use, self.candidates.table) if self.use.isEnabled() else (self.candidates.table,)
        return next((widget for widget in wanted if widget in stops), super().first_stop(stops))

    def _show_counts(self) -> None:
        shown, total = len(self.candidates.model.shown()), self.candidates.model.total()
        same = shown == total
        self._count.setText(numeral(total) if same else _("{count} of {all}", count=numeral(shown), all=numeral(total)))
        self._heading.setText(_("Layouts") if self.candidates.model.whole else _("Alternatives"))
        self.candidates.select(self.selected)

    def _on_arranged(self) -> None:
        self.session.preferences.keep_arrangement("layouts", self.candidates.columns.arrangement())


def _short(candidate: Candidate, flash: str) -> str:
    """Return the vdevs without the spares, and what stands beside them on ``flash``, for a button."""
    if candidate.of_data or candidate.measures.pool_count > 1:
        return _("{pools} pools", pools=candidate.measures.pool_count)
    words = short_words(candidate.main.plan.layout)
    whole = f"{words} + {flash}" if flash else words
    return next((text for text in (whole, words) if len(text) <= _LONGEST_ON_BUTTON), _("this layout"))


# What a ranking looked at and what it did not, as further lines of “why not”.


def scope_lines(found: Recommendation) -> tuple[Rejected, ...]:
    """Return what was looked at and what was not, as further lines of why-not."""
    looked_at = _("Searched: {count}", count=numeral(found.examined))
    groups = ((looked_at, found.searched), (_("Not looked at"), found.left_out))
    lines = [(title, " ".join(texts)) for title, texts in groups if texts]
    for flash in found.roles.judgements if found.roles is not None else ():
        reason = f"{_(flash.verdict.value)}: {' '.join(flash.because)}"
        lines.append((_("Flash: {role}", role=_(flash.role.value)), reason))
    return tuple(Rejected(family=title, reason=reason, feasible=True) for title, reason in lines)


# What there is to say about the ranking itself: it runs, it was refused and why, or a note.


class RankingNotice(Notice):
    """One card above the results, hidden when there is nothing to say; its buttons try ``again``, or send a page."""

    def __init__(self, again: Callable[[], object], parent: QWidget) -> None:
        super().__init__(_("State of the ranking"), parent)
        self._again = again

    def show_searching(self) -> None:
        text = _("The best layouts found so far; the search goes on.")
        self.say(Message(title=text, tone=Tone.ACCENT, icon="recommendation", framed=False))

    def show_ranking(self, found: Recommendation, rules_problem: str) -> None:
        """Show which limits are not met, and what else warns: ``rules_problem`` is why no rules took part in it."""
        texts = [missed] if (missed := missing_words(found)) else []
        texts += [_("Ranked without any rules: {problem}", problem=rules_problem)] if rules_problem else []
        warned = (note for note in found.notes if note.level is NoteLevel.WARN)
        texts += [note.text for note in warned if not isinstance(note, UseNote)]  # Disks says that
        self.say(Message(title="\n".join(texts), tone=Tone.WARN, framed=False))
        self.setVisible(bool(texts))

    def show_no_disks(self) -> None:
        title, todo = _("No disks to design with yet."), _("Choose where the disks come from.")
        self.say(Message(title=title, todo=todo, offers=((_("Choose disks"), "disks"),)))

    def show_cancelled(self, untried: str, *, kept: bool) -> None:
        """Say that the ranking was stopped, in one sentence what was not tried, and that what was found is ``kept``."""
        title, offers = _("The ranking was cancelled."), ((_("Rank again"), self._again),)
        notice = Message(title=title, tone=Tone.UNKNOWN, icon="cancel", reasons=untried, offers=offers, framed=not kept)
        self.say(notice)

    def show_failure(self, error: Exception | None, text: str) -> None:
        """Say why a ranking was refused and what to do about it; ``text`` is all that is known of a mistake of ours."""
        if not isinstance(error, PoolwrightError):
            self.say(Message(title=text, tone=Tone.BLOCK, offers=((_("Rank again"), self._again),)))
            return
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
