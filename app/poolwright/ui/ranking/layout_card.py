"""The first choice and its rivals as cards that are compared at a glance, and what is said of one layout."""

from collections.abc import Iterator, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QWidget

from poolwright.design.answers import OnCard
from poolwright.design.candidate import Candidate, DataPool, plan_words
from poolwright.design.plan import CandidatePool, Purpose
from poolwright.design.rank import speeds_that_count, survives
from poolwright.domain.disk import plan_only
from poolwright.domain.estimate import Estimate
from poolwright.domain.finding import Finding
from poolwright.domain.rates import rate_text
from poolwright.domain.units import binary, decimal
from poolwright.domain.vdev import Layout
from poolwright.emit.report import Words
from poolwright.emit.report_design import score_table
from poolwright.predict.number_words import (
    SPEED_TITLES,
    banded_text,
    block_text,
    hours_text,
    odds_text,
    operations_text,
)
from poolwright.predict.speed import SpeedPrediction
from poolwright.texts import _, capital, inside
from poolwright.ui.parts import widgets
from poolwright.ui.parts.card import ChoiceCard, inert
from poolwright.ui.parts.estimate_line import short_text
from poolwright.ui.parts.finding_rows import finding_blocks
from poolwright.ui.parts.pool_picture import PoolPicture
from poolwright.ui.parts.report_view import Shown, subheading
from poolwright.ui.parts.theme import GRID, SMALL_POINTS, Tone, text_font
from poolwright.ui.parts.widgets import ToneLabel

_BIG_POINTS, _LOW_POINTS = 20.0, 14.0
_PICTURE, _ONE_ROW = 7 * GRID, 5 * GRID
_TOLD_SPACE = 0.01  # a share of the usable space


class LayoutCard(ChoiceCard):
    """A layout with its picture and the figures that decide; ``candidate`` is what it shows."""

    filled = False

    def __init__(self, parent: QWidget) -> None:
        super().__init__("", parent)
        self.candidate: Candidate | None = None
        self.setCheckable(True)
        self._title = self._label(Tone.MUTED, bold=True)
        self._words = self._label(Tone.TEXT, bold=True)
        self._picture = PoolPicture(self, height=None)
        self._usable, self._in_tb = inert(QLabel(self)), self._label(Tone.MUTED)
        self._figures, self._further = self._label(Tone.TEXT), self._label(Tone.TEXT)
        self._sentence = self._label(Tone.MUTED)
        size = widgets.row(self._usable, (self._in_tb, 1, Qt.AlignmentFlag.AlignBottom), gap=GRID)
        # Of one height, so that the figures of all cards stand on one line: a long name takes it of the picture.
        self._head = inert(QWidget(self))
        widgets.column(self._words, (self._picture, 1), of=self._head, gap=GRID // 2)
        words = (self._figures, self._further, self._sentence)
        self.body.addLayout(widgets.column(self._title, self._head, size, *words, 1, gap=GRID // 2))
        self.be_low(low=False)

    def _label(self, tone: Tone, *, bold: bool = False) -> ToneLabel:
        return inert(ToneLabel("", tone, self, small=True, bold=bold))

    def be_low(self, *, low: bool, bought: bool = False) -> None:
        """Leave out the last line and the sentence where the window is low; of what is bought it stays."""
        self._usable.setFont(text_font(_LOW_POINTS if low else _BIG_POINTS))
        self._words.setFont(text_font(SMALL_POINTS, semibold=not low))
        picture = _ONE_ROW if bought else _PICTURE
        self._head.setFixedHeight(self._words.fontMetrics().height() + picture)
        for label in (self._in_tb, self._further, self._sentence):
            label.setVisible(not low or (bought and label is self._sentence))
        widgets.room(self.body, around=(12, GRID if low else 12, 12, GRID))

    def show_card(self, card: OnCard, *, first: bool) -> None:
        candidate = self.candidate = card.candidate
        hours = candidate.measures.forecast.rebuild_hours
        self._title.setText(card.title)
        self._title.set_tone(Tone.ACCENT if first else Tone.MUTED)
        self._words.setText(candidate.short_words)
        self._picture.show_layout(vdevs_of(candidate))
        self._usable.setText(binary(candidate.measures.usable_bytes))
        self._in_tb.setText(decimal(candidate.measures.usable_bytes))
        survived = _("Survives {count}", count=candidate.survives_counts)
        if candidate.unit_survived:
            survived = _("{told}, or {unit}", told=survived, unit=candidate.unit_survived)
        if hours:
            between = "\n" if candidate.unit_survived else " · "  # a line has room for one of them
            survived = f"{survived}{between}{_('resilver {hours}', hours=hours_text(hours))}"
        self._figures.setText(f"{survived}\n{_('Loss {odds} a year', odds=odds_text(candidate.measures.any_loss))}")
        name = card.speed_name or speeds_that_count(candidate.main.medium.request.workload)[0]
        beside = f"+ {card.beside}" if card.beside else ""
        self._further.setText("\n".join(filter(None, (_speed_words(candidate, name), _held_words(candidate), beside))))
        self._sentence.setText(" ".join(filter(None, (card.sentence, _capped(candidate, name)))))
        text = rate_text if name.startswith("seq") else operations_text
        cases = (f"{text(case.value)}: {case.when}" for case in getattr(_speed(candidate), name).cases)
        self.setToolTip("\n".join((candidate.words, *cases)))
        self.setText(card.title)
        self.setAccessibleName(f"{card.title}: {candidate.words}")
        figures = (self._usable, self._in_tb, self._figures, self._further, self._sentence)
        self.setAccessibleDescription(", ".join(label.text() for label in figures))


def _speed(candidate: Candidate) -> SpeedPrediction:
    """Return the speed of the main pool; its risk, which depends on where each disk stands, is not worked out."""
    return (candidate.of_data[0].candidate if candidate.of_data else candidate).main.predictions.speed


def _speed_words(candidate: Candidate, name: str) -> str:
    speed = _speed(candidate)
    estimate: Estimate = getattr(speed, name)
    what, block = _(SPEED_TITLES[name]), block_text(speed.asked_bytes)
    if name.startswith("seq"):
        return f"{what} {short_text(estimate, rate_text)}"
    return _("{count} {what}/s of {block}", count=short_text(estimate, operations_text), what=inside(what), block=block)


def _held_words(candidate: Candidate) -> str:
    """Return the room for blocks as the data have them, where that is not what counts as usable."""
    held, block = round(candidate.measures.held_bytes), block_text(candidate.measures.ideal.block_bytes)
    alike = abs(held / candidate.measures.usable_bytes - 1) < _TOLD_SPACE
    return "" if alike else _("{size} with {block} blocks", size=binary(held), block=block)


def _capped(candidate: Candidate, name: str) -> str:
    """Return what keeps random I/O down where no layout changes that: the host or the network."""
    speed = _speed(candidate)
    limits = (link for link in speed.chain if link.limit == getattr(speed, name).limit)
    limit = next((_(link.name) for link in limits if link.name not in ("disks", "vdevs")), "")
    return capital(_("{limit} limits the IOPS.", limit=limit)) if limit and name.endswith("iops") else ""


class LayoutCards(QWidget):
    """The first choice and its rivals side by side, of equal width; ``picked`` sends a candidate."""

    picked = Signal(object)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.cards = tuple(LayoutCard(self) for __ in range(3))
        widgets.row(*((card, 1) for card in self.cards), of=self, gap=2 * GRID)
        for card in self.cards:
            card.clicked.connect(self._on_clicked)

    def be_low(self, *, low: bool, bought: bool = False) -> None:
        for card in self.cards:
            card.be_low(low=low, bought=bought)

    def show_cards(self, cards: Sequence[OnCard]) -> None:
        for number, shown in enumerate(self.cards):
            shown.setVisible(number < len(cards))
            if number < len(cards):
                shown.show_card(cards[number], first=number == 0)
            else:
                shown.candidate = None

    def select(self, candidate: Candidate) -> None:
        for card in self.cards:
            card.setChecked(card.candidate is candidate)

    @property
    def shown(self) -> tuple[Candidate, ...]:
        return tuple(card.candidate for card in self.cards if card.candidate is not None)

    def _on_clicked(self) -> None:
        card = widgets.sent(self, LayoutCard)
        card.setChecked(True)
        if card.candidate is not None:
            self.picked.emit(card.candidate)


def vdevs_of(candidate: Candidate) -> Layout:
    """Return the vdevs of all pools, as they are drawn."""
    main = candidate.main
    return (*main.layout * main.copies, *(spec for pool in candidate.further for spec in pool.layout))


# What is said of one layout beside its numbers: how it stands to the others, its pools, its points, its findings.


def layout_blocks(
    candidate: Candidate, place: str, sentences: Sequence[str], findings: Sequence[Finding]
) -> Iterator[Shown]:
    """Yield it; ``place`` says where the layout stands, ``sentences`` how it stands to the wishes and the others."""
    badge = plan_only(candidate.main.disks)
    yield Words(candidate.words, strong=True, small=f"{place}, {badge}" if badge else place)
    yield from map(Words, (*sentences, *_pool_lines(candidate)))
    yield subheading(_("Reasons"))
    yield score_table(candidate.terms, candidate.score)
    yield subheading(_("Findings"))
    yield from finding_blocks(findings)


def _pool_lines(candidate: Candidate) -> Iterator[str]:
    if candidate.of_data:
        yield from map(_part_text, candidate.of_data)
    else:
        yield from (_pool_text(number, pool) for number, pool in enumerate(candidate.further, start=2))
    if candidate.main.copies > 1:
        yield _("{pools} equal pools, each of this layout, in one design and one script.", pools=candidate.main.copies)


def _part_text(part: DataPool) -> str:
    best, speed = part.candidate, part.candidate.predictions.speed
    rate, count = banded_text(speed.seq_read, rate_text), banded_text(speed.rand_read_iops, operations_text)
    usable, survival = binary(best.measures.usable_bytes), survives(best.measures.failures_survived)
    text = _("{data}: {usable}, {survival}, goal {goal}; reads {rate}, random reads a second {count}")
    goal = _(part.workload.goal.value)
    return text.format(data=part.words, usable=usable, survival=survival, goal=goal, rate=rate, count=count)


def _pool_text(number: int, pool: CandidatePool) -> str:
    what = {
        Purpose.REST: _("Pool {number}, from the left-over space: {layout}, {usable}, {survival}"),
        Purpose.PEER: _("Pool {number}, beside it: {layout}, {usable}, {survival}"),
    }.get(pool.plan.purpose, _("Pool {number}: {layout}, {usable}, {survival}"))
    survival, words = survives(pool.plan.failures_survived), plan_words(pool.plan, pool.medium)
    return what.format(number=number, layout=words, usable=binary(pool.usable_bytes), survival=survival)
