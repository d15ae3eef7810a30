"""The selected layout: what it is, what it gives, why it ranks where it does, and the button that takes it."""

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from poolwright.design.candidate import AnswerName, Candidate, DataPool, NamedAnswer, plan_words
from poolwright.design.plan import CandidatePool, Purpose
from poolwright.design.rank import survives
from poolwright.domain.disk import plan_only
from poolwright.domain.finding import Finding, Outcome
from poolwright.domain.rates import rate_text
from poolwright.domain.units import GB, PLAN_FILL_PERCENT, binary, decimal
from poolwright.emit.report_design import score_table
from poolwright.predict.number_words import banded_text, operations_text, speed_lines
from poolwright.texts import _, ngettext
from poolwright.ui.parts import lay
from poolwright.ui.parts.card import Card, ChoiceCard, draw_card, inert
from poolwright.ui.parts.finding_rows import FindingRows
from poolwright.ui.parts.lay import ElidedLabel, ToneLabel
from poolwright.ui.parts.panes import Flow, Panes, Place
from poolwright.ui.parts.report_view import ReportView
from poolwright.ui.parts.theme import GRID, HEADING_POINTS, SMALL_POINTS, Tone, text_font
from poolwright.ui.ranking.candidates import main_text

_BIG_POINTS = 24.0
_LONG_HEADING = 48  # letters: beyond it the layout stands in smaller ones
_FACTS_WIDTH = 36 * GRID
_PANES_WIDE_FROM = 100 * GRID


class LayoutCard(Card):
    """Shows one candidate. ``taken`` is sent by “Use this layout”, ``another`` by “Design the next pool” where
    disks are left over, ``asked`` with a finding by its “Why?”.
    """

    taken = Signal()
    another = Signal()
    asked = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._least = 0
        lay.room(self.body, around=(2 * GRID, GRID + 2, 2 * GRID, GRID + 2))
        self.body.addLayout(self._make_head())
        self._brief = lay.named(ToneLabel("", Tone.TEXT, self), _("This layout in short"))
        self._brief.hide()
        self._pools = ToneLabel("", Tone.TEXT, self, small=True)
        self.body.addWidget(self._brief)
        self.body.addWidget(self._pools)
        self._numbers = QWidget(self)
        self._numbers.setLayout(self._make_facts(self._numbers))
        self._panes = Panes(_("About this layout"), _PANES_WIDE_FROM, self)
        self._views: Panes | None = None
        self._low = False
        self._terms = ReportView(_("Reasons"), self)
        self._findings = FindingRows(_("Findings"), self)
        self._findings.pressed.connect(self.asked)
        self._add_panes(self._panes)
        self._row = lay.row(self._numbers, (self._panes, 1), gap=3 * GRID)
        self.body.addLayout(self._row, 1)
        self._told = lay.named(ToneLabel("", Tone.TEXT, self), _("How it stands to the other layouts"))
        self._told.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._told.hide()
        self.body.addWidget(self._told)

    def show_told(self, sentences: Sequence[str]) -> None:
        """Say how the layout stands to the wishes and to the other layouts."""
        self._told.setText("\n".join(sentences))
        self._told.setVisible(bool(sentences))
        self._fit_height()

    def _add_panes(self, panes: Panes) -> None:
        panes.add(_("Reasons"), self._terms, Place(column=0, column_stretch=6))
        panes.add(_("Findings"), self._findings, Place(column=1, column_stretch=5))

    def lend_to(self, views: Panes) -> None:
        """Name the tabs that show all but a line of this card while the window is low."""
        self._views = views
        self._add_panes(views)
        views.add(_("Numbers"), self._numbers, Place())
        self.be_low(low=False)

    def be_low(self, *, low: bool) -> None:
        assert self._views is not None
        self._low = low
        leaves, takes = (self._panes, self._views) if low else (self._views, self._panes)
        for pane in (self._terms, self._findings):
            leaves.hold(pane, held=False)
            takes.hold(pane, held=True)
        self._views.hold(self._numbers, held=low)
        self._numbers.setMaximumWidth(_PANES_WIDE_FROM if low else _FACTS_WIDTH)
        if not low:
            self._row.insertWidget(0, self._numbers)
            self._numbers.show()
        self._panes.setVisible(not low)
        self._brief.setVisible(low)
        self._fit_height()

    def keep_height(self, least: int) -> None:
        """Keep so many pixels for numbers and reasons; what is told below them comes on top."""
        self._least = least
        self._fit_height()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Follow the height of what is told: it wraps."""
        super().resizeEvent(event)
        self._fit_height()

    def _fit_height(self) -> None:
        told = 0 if self._told.isHidden() else self._told.heightForWidth(max(GRID, self.width() - 4 * GRID)) + GRID
        wanted = max(0, self.body.totalHeightForWidth(self.width())) if self._low else self._least + told
        if self.minimumHeight() != wanted:
            self.setMinimumHeight(wanted)

    def show_candidate(self, candidate: Candidate, place: str, *, in_use: bool, price: str | None) -> None:
        """Show a layout; ``place`` says where it stands in the ranking, ``price`` what its disks cost."""
        self._place.setText(place)
        words = main_text(candidate)
        self._layout_text.setText(words)
        points = HEADING_POINTS if len(words) <= _LONG_HEADING else None
        self._layout_text.setFont(text_font(points, semibold=True) if points else text_font(semibold=True))
        usable, tb = binary(candidate.usable_bytes), decimal(candidate.usable_bytes)
        plan = _("plan for 80 %: {plan}", plan=binary(candidate.usable_bytes * PLAN_FILL_PERCENT // 100))
        facts = self._facts_text(candidate, price)
        self._usable.setText(usable)
        self._in_tb.setText(_("usable\n{tb}", tb=tb))
        self._plan.setText(plan)
        self._facts.setText(facts)
        room = _("{usable} usable ({tb})", usable=usable, tb=tb)
        self._brief.setText(f"{room}, {plan}, {facts}")
        self._fit_height()
        self._speeds.setText(self._speeds_text(candidate))
        self._show_pools(candidate)
        self.use.setText(_("In use") if in_use else _("Use this layout"))
        self.use.setEnabled(not in_use)
        self.next_pool.setVisible(in_use and candidate.unassigned > 0)
        self._show_panes(candidate)

    def show_findings(self, findings: Sequence[Finding]) -> None:
        """Show what the rules say of the layout after the models were asked; nothing else changes."""
        told = sum(1 for f in findings if f.outcome in (Outcome.VIOLATED, Outcome.CANNOT_TELL))
        for panes in (self._panes, self._views):
            if panes is not None:
                panes.set_title(self._findings, _("Findings ({count})", count=told))
        self._findings.show_findings(findings)

    def _show_pools(self, candidate: Candidate) -> None:
        if candidate.of_data:
            lines = [self._part_text(part) for part in candidate.of_data]
        else:
            lines = [self._pool_text(number, pool) for number, pool in enumerate(candidate.further, start=2)]
        if candidate.copies > 1:
            told = _("{pools} equal pools, each of this layout, in one design and one script.")
            lines.append(told.format(pools=candidate.copies))
        self._pools.setVisible(bool(lines))
        self._pools.setText("\n".join(lines))

    def _part_text(self, part: DataPool) -> str:
        best, speed = part.candidate, part.candidate.predictions.speed
        rate, count = banded_text(speed.seq_read, rate_text), banded_text(speed.rand_read_iops, operations_text)
        usable, survival = binary(best.usable_bytes), survives(best.failures_survived)
        told = _("{data}: {usable}, {survival}, goal {goal}; reads {rate}, random reads a second {count}")
        goal = _(part.workload.goal.value)
        return told.format(data=part.words, usable=usable, survival=survival, goal=goal, rate=rate, count=count)

    def _pool_text(self, number: int, pool: CandidatePool) -> str:
        what = {
            Purpose.REST: _("Pool {number}, of the left-over space: {layout}, {usable}, {survival}"),
            Purpose.DATA: _("Pool {number}: {layout}, {usable}, {survival}"),
            Purpose.PEER: _("Pool {number}, beside it: {layout}, {usable}, {survival}"),
            Purpose.MAIN: _("Pool {number}: {layout}, {usable}, {survival}"),
        }[pool.purpose]
        survival = survives(pool.failures_survived)
        words = plan_words(pool.plan, pool.medium)
        return what.format(number=number, layout=words, usable=binary(pool.usable_bytes), survival=survival)

    def _make_head(self) -> QHBoxLayout:
        """Return the first row: what it is, and at its end, always in one place, the button that takes it."""
        self._place = lay.named(ToneLabel("", Tone.ACCENT, self), _("Place in the ranking"))
        self._place.setFont(text_font(semibold=True))
        self._layout_text = lay.named(QLabel(self), _("Layout"))
        self._layout_text.setFont(text_font(HEADING_POINTS, semibold=True))
        self._layout_text.setWordWrap(True)
        self.use = lay.button(_("Use this layout"), self, self.taken, icon="ok")
        tip = _("Begin another design from the disks that this one leaves over")
        self.next_pool = lay.button(_("Design the next pool"), self, self.another, icon="new", tip=tip)
        self.next_pool.hide()
        head = lay.row((lay.column(self._place, self._layout_text, gap=1), 1))
        for button in (self.next_pool, self.use):
            button.setMinimumHeight(4 * GRID)
            head.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        return head

    def _make_facts(self, parent: QWidget) -> QVBoxLayout:
        self._usable = lay.named(QLabel(parent), _("Usable capacity of this layout"))
        self._usable.setFont(text_font(_BIG_POINTS))
        self._in_tb = ToneLabel("", Tone.MUTED, parent, small=True)
        self._plan = ToneLabel("", Tone.TEXT, parent)
        self._facts = ToneLabel("", Tone.TEXT, parent)
        self._speeds = lay.named(ToneLabel("", Tone.TEXT, parent, small=True), _("Speeds of this layout"))
        column = lay.column(lay.row(self._usable, (self._in_tb, 1, Qt.AlignmentFlag.AlignVCenter)), gap=1)
        for label in (self._plan, self._facts, self._speeds):
            column.addWidget(label)
        column.addStretch(1)
        return column

    def _facts_text(self, candidate: Candidate, price: str | None) -> str:
        others = candidate.for_other_uses
        parts = [
            self._survived(candidate),
            self._spares_text(candidate.spares),
            _("{count:,} unused", count=candidate.idle_disks) if candidate.idle_disks else "",
            _("{count:,} of another medium left", count=others) if others else "",
            _("{size} stranded", size=decimal(candidate.stranded_bytes)) if candidate.stranded_bytes >= GB else "",
            plan_only(candidate.disks),
            "" if price is None else _("costs {price}", price=price),
        ]
        return ", ".join(part for part in parts if part)

    def _speeds_text(self, candidate: Candidate) -> str:
        """Return what clients get, with the band, and what the disks alone do where that differs."""
        # Not the predictions of the whole: their risk places its disks, half a second of two thousand.
        first = candidate.of_data[0].candidate if candidate.of_data else candidate
        served, alone = speed_lines(first.main.predictions.speed), speed_lines(candidate.main.itself)
        lines = [*served, *(_("without the network, {text}", text=text) for text in alone if text not in served)]
        if candidate.pool_count > 1:
            lines.insert(0, _("Speeds of the first pool:"))
        return "\n".join(lines)

    def _survived(self, candidate: Candidate) -> str:
        if candidate.failures_survived == candidate.main.failures_survived:
            return candidate.survives_words
        return _("main pool {survival}", survival=survives(candidate.main.failures_survived))

    def _spares_text(self, spares: int) -> str:
        return ngettext("{count} spare", "{count} spares", spares) if spares else _("no spare")

    def _show_panes(self, candidate: Candidate) -> None:
        self._terms.show_blocks([score_table(candidate.terms, candidate.score)])
        self.show_findings(candidate.findings)


# The named layouts one below the other, each with what it costs beside the first choice: a press selects one.

_ROW_WIDTH, _LOW_WIDTH = 50 * GRID, 19 * GRID


class AlternativesRow(QWidget):
    """Shows the first choice and the named layouts beside it, each with its price; ``picked`` sends a candidate."""

    picked = Signal(object)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName(_("Named layouts"))
        self._flow = Flow(gap=0, column=_ROW_WIDTH)
        self._buttons = {name: _NamedButton(answer_title(name), self) for name in AnswerName}
        for button in self._buttons.values():
            button.clicked.connect(self._on_clicked)
            self._flow.addWidget(button)
        self._price = lay.named(ElidedLabel(Tone.MUTED, self), _("What the chosen one has more for what price"))
        self._price.setFont(text_font(SMALL_POINTS))
        self._price.hide()
        lay.column(self._flow, self._price, of=self, gap=GRID // 2)

    def be_low(self, *, low: bool) -> None:
        for button in self._buttons.values():
            button.be_low(low=low)
        self._flow.set_columns(_LOW_WIDTH if low else _ROW_WIDTH, len(self._buttons) if low else 1)
        self._price.setVisible(low)

    def show_answers(self, answers: Sequence[NamedAnswer]) -> None:
        """Replace the layouts; a name without one has no button, and one alone says nothing that the card does not."""
        found = {answer.name: answer for answer in answers}
        for name, button in self._buttons.items():
            button.setVisible(name in found)
            if name in found:
                button.show_answer(found[name])
        self.setVisible(len(found) > 1)

    def show_selected(self, candidate: Candidate) -> None:
        for button in self._buttons.values():
            button.setChecked(button.candidate is candidate)
        prices = [b.sentence.text() for b in self._buttons.values() if b.candidate is candidate]
        self._price.show_text(" ".join(dict.fromkeys(prices)))

    def _on_clicked(self) -> None:
        button = self.sender()
        assert isinstance(button, _NamedButton)
        button.setChecked(True)
        if button.candidate is not None:
            self.picked.emit(button.candidate)


class _NamedButton(ChoiceCard):
    """The name, space and failures survived, and unless it is low in a ``sentence`` what it has more for what."""

    def __init__(self, title: str, parent: QWidget) -> None:
        super().__init__(title, parent)
        self.candidate: Candidate | None = None
        self.setText(title)
        self.setCheckable(True)
        self._numbers = self._label(Tone.TEXT)
        self.sentence = self._label(Tone.MUTED)
        self._name = self._label(Tone.TEXT)
        self._name.setText(title)
        self._name.setFont(text_font(semibold=True))
        metrics, small = QFontMetrics(self._name.font()), QFontMetrics(self._numbers.font())
        self._wide = (
            max(metrics.horizontalAdvance(answer_title(name)) for name in AnswerName) + GRID,
            small.horizontalAdvance(_numbers_text("999.9 TiB", 3)) + GRID,
        )
        self._row = lay.row(self._name, self._numbers, (self.sentence, 1), gap=GRID)
        lay.room(self.body, around=(GRID, 2, GRID, 2))
        self.body.addLayout(self._row)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.be_low(low=False)

    def _label(self, tone: Tone) -> ToneLabel:
        return inert(ToneLabel("", tone, self, small=True))

    def be_low(self, *, low: bool) -> None:
        self._row.setDirection(QBoxLayout.Direction.TopToBottom if low else QBoxLayout.Direction.LeftToRight)
        lay.room(self._row, gap=0 if low else GRID)
        for label, wide in zip((self._name, self._numbers), self._wide, strict=True):
            label.setWordWrap(False)
            label.setMinimumWidth(0 if low else wide)
        self.sentence.setVisible(not low)

    def show_answer(self, answer: NamedAnswer) -> None:
        candidate = self.candidate = answer.candidate
        numbers = _numbers_text(binary(candidate.usable_bytes), candidate.survives_counts)
        price = answer.price[:1].upper() + answer.price[1:]
        self._numbers.setText(numbers)
        self.sentence.setText(f"{price}." if price else _("The first choice."))
        self.setToolTip(candidate.words)
        self.setAccessibleName(f"{self.text()}: {candidate.words}")
        self.setAccessibleDescription(f"{numbers}: {answer.price}" if price else numbers)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw a frame only around what is chosen or pointed at: there may be eight."""
        if self.isChecked() or self.hasFocus() or self.underMouse():
            draw_card(QPainter(self), QRectF(self.rect()), chosen=self.isChecked(), marked=self.hasFocus())


def _numbers_text(usable: str, survives: object) -> str:
    return _("{usable}, survives {count}", usable=usable, count=survives)


def answer_title(name: AnswerName) -> str:
    word = _(name.value)
    return word[:1].upper() + word[1:]
