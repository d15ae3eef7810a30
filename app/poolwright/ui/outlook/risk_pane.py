"""How likely the pool is lost within a year, what that is made of, and what it assumes; checked by a simulation."""

from collections.abc import Generator
from dataclasses import replace
from functools import partial
from math import expm1
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QAbstractItemView, QComboBox, QHBoxLayout, QHeaderView, QTableView, QWidget

from poolwright.design.amounts import parse_hours, parse_number, parse_share
from poolwright.domain.errors import UserError
from poolwright.domain.rates import hours_read
from poolwright.domain.steps import Estimate
from poolwright.domain.vdev import VdevClass, VdevKind
from poolwright.emit.chart import ChartLimit, ChartMark
from poolwright.emit.risk_chart import RiskRow, band_chart, risk_chart
from poolwright.jobs.job import Asking, JobQueue, SlicedJob
from poolwright.predict.assessment import Assessment
from poolwright.predict.drives import floor_of
from poolwright.predict.hazard import VdevHazard
from poolwright.predict.number_words import band_text, hours_text, odds_text, percent_text, with_band
from poolwright.predict.rebuild import MOST_LOAD_PERCENT, RebuildConditions, md_rebuild_hours, rebuild_hours
from poolwright.predict.reliability import Risk, VdevRisk
from poolwright.predict.risk_conditions import (
    BATCH_CORRELATION,
    DEFAULT_REPLACE_HOURS,
    READ_ERRORS_PER_BIT,
    SEEN_SHARE_OF_ERRORS,
)
from poolwright.predict.risk_words import advice_on, units_words
from poolwright.texts import tell
from poolwright.ui.parts import lay
from poolwright.ui.parts.assumption_form import AssumptionForm, Standing
from poolwright.ui.parts.estimate_line import EstimateLine, OriginLine, origin_text
from poolwright.ui.parts.form import Field, Typed, ValueSlider, short
from poolwright.ui.parts.importing import import_in_steps
from poolwright.ui.parts.lay import SmallHeading, ToneLabel
from poolwright.ui.parts.note_lines import Line, NoteLines
from poolwright.ui.parts.table import RowModel, plain_table, text_columns
from poolwright.ui.parts.theme import GRID, Tone
from poolwright.ui.plots.place import ChartPlace
from poolwright.ui.state.expectations import Expectations

if TYPE_CHECKING:
    from poolwright.predict.montecarlo import Share, Simulation

JOB_TARGET = "simulation"
_ROW_HEIGHT = 26
_YEARS = (1_000_000, 10_000_000, 100_000_000)
_MOST_CORRELATION, _MOST_AFR, _MOST_ERRORS = 100.0, 100.0, 1e-6


class RiskPane(QWidget):
    """``failed`` sends why a simulation ended without a result."""

    failed = Signal(str)

    def __init__(self, expectations: Expectations, jobs: JobQueue, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._expectations = expectations
        self._asking = Asking(jobs, self)
        self._asking.answered.connect(self._on_played)
        self._asking.failed.connect(self.failed)
        self._asking.ended.connect(self._show_played)
        self._expected: Assessment | None = None
        self._played: Simulation | None = None
        self._played_for: Hazards | None = None
        column = lay.column(of=self, gap=GRID // 2)
        self.loss = OriginLine(tell("The pool is lost within a year"), self)
        self.disk_loss = OriginLine(tell("… by failures of disks alone"), self)
        self.damage = OriginLine(tell("Any data are lost within a year"), self)
        self._bands: dict[OriginLine, ToneLabel] = {}
        for line in (self.loss, self.disk_loss, self.damage):
            line.button.setMinimumHeight(3 * GRID)
            self._bands[line] = band = ToneLabel("", Tone.MUTED, self, small=True)
            lay.room(band, around=(GRID, 0, 0, 0))
            column.addWidget(line)
            column.addWidget(band)
        self.advice = NoteLines(tell("What helps against the rest"), self, small=True)
        column.addWidget(self.advice)
        hint = tell("Band and typical value of the model, and what a simulation found.")
        self.scale = ChartPlace(hint, self, lines=2)
        self.scale.failed.connect(self.failed)
        column.addWidget(self.scale)
        column.addLayout(self._make_simulation())
        column.addWidget(SmallHeading(tell("What it is made of"), self))
        column.addWidget(self._make_table())
        column.addWidget(SmallHeading(tell("What it assumes"), self))
        self.form = AssumptionForm(self._rows(), expectations, self)
        column.addWidget(self.form)
        column.addStretch(1)

    def show_expected(self, expected: Assessment) -> None:
        self._expected = expected
        risk = expected.risk
        if risk.hazards != self._played_for:
            self._played = None
            self._asking.forget()
        floor = floor_of(risk.causes)
        least = tell(
            "never less than {floor}, whatever the layout: controller, software, a wrong command",
            floor=odds_text(floor.typical),
        )
        uncounted = tell("not counted: fire, water, theft, malware and what is deleted on purpose")
        self._show_line(self.loss, risk.loss, least, uncounted)
        meaning = tell("loss means: more disks of one vdev fail at a time than it survives")
        self._show_line(self.disk_loss, risk.disk_loss, meaning)
        files = tell("loss, or a block that no disk can give back: its file is damaged, the pool lives")
        self._show_line(self.damage, risk.damage, files)
        advice = advice_on(risk.disk_probability)
        taken = units_words(risk.units)
        told = ((taken, Tone.WARN), (advice, Tone.NOTE))
        self.advice.show_lines([Line(text=text, tone=tone) for text, tone in told if text])
        self._show_scale(risk)
        self._terms.show_risk(risk)
        room = 3 * GRID  # the rows may need a scroll bar below in a small window
        self._table.setFixedHeight((self._terms.rowCount() + 1) * _ROW_HEIGHT + room)
        self._show_standing(expected)

    @property
    def played(self) -> "Simulation | None":
        """Return the simulation of the present assumptions; None before one was run."""
        return self._played

    def _show_line(self, line: OriginLine, estimate: Estimate, *more: str) -> None:
        line.show_value(odds_text(estimate.typical), origin_text(estimate, percent_text, *more))
        self._bands[line].setText(band_text(estimate, odds_text))

    def _show_scale(self, risk: Risk) -> None:
        played = self._played
        rows = (
            _row(tell("Pool lost"), risk.loss, None),
            _row(tell("Pool lost by disks alone"), risk.disk_loss, None if played is None else played.lost),
            _row(tell("Any data lost"), risk.damage, None),
            _row(tell("Any data lost by disks alone"), risk.disk_damage, None if played is None else played.damaged),
        )
        self.scale.show_chart(risk_chart(rows))
        self._simulate.setEnabled(not self._asking.busy)
        if self._asking.busy:
            return
        if played is None:
            self._result.setText(
                tell("Plays the failures of disks alone event by event, as an independent check of the model.")
            )
            return
        low, high = played.lost.interval()
        inside = low <= loss_probability(self._expected) <= high
        verdict = tell("the model agrees") if inside else tell("the model differs")
        if played.lost.hits == 0:
            text = tell("No pool of {years} was lost by disks alone: rarer than {high} (95 %); {verdict}.")
        else:
            text = tell("{hits} of {years} pools lost by disks alone: {low} to {high} (95 %); {verdict}.")
        self._result.setText(
            text.format(
                hits=f"{played.lost.hits:,}",
                years=f"{played.pool_years:,}",
                low=odds_text(low),
                high=odds_text(high),
                verdict=verdict,
            )
        )

    def _make_simulation(self) -> QHBoxLayout:
        self._simulate = lay.button(tell("Simulate"), self, self._start)
        self.years = QComboBox(self)
        self.years.setAccessibleName(tell("Pool years to simulate"))
        for years in _YEARS:
            self.years.addItem(tell("{count} million years", count=years // 1_000_000), years)
        self.years.setCurrentIndex(1)
        self._result = ToneLabel("", Tone.MUTED, self, small=True)
        self._result.setAccessibleName(tell("Result of the simulation"))
        return lay.row(self._simulate, self.years, (self._result, 1))

    def _make_table(self) -> QTableView:
        self._terms = RiskTerms(self)
        view = plain_table(tell("What the risk is made of"), self._terms, self, row_height=_ROW_HEIGHT)
        view.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        view.setAlternatingRowColors(False)
        header = view.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setStretchLastSection(True)
        self._table = view
        return view

    def _rows(self) -> tuple[Field, ...]:
        return (
            Field("afr_percent", tell("AFR of a disk (%)"), Typed(_afr, short)),
            Field("replace_hours", tell("Replacement (h)"), Typed(partial(parse_hours, zero=True), short, hours_read)),
            Field("correlation", tell("Correlation"), Typed(_correlation, short)),
            Field("read_errors_per_bit", tell("Read errors per bit"), Typed(_errors, short)),
        )

    def _show_standing(self, expected: Assessment) -> None:
        rate, worst = expected.model_rate, expected.risk.worst
        errors = READ_ERRORS_PER_BIT[worst.conditions.rebuild_of(worst.spec).media]
        self.form.show_standing(
            {
                "afr_percent": Standing(
                    value=with_band(*(f"{share:.2f}" for share in (rate.typical, rate.low, rate.high))),
                    why=tell("Failures per hundred disk years: {origin}.", origin=rate.origin),
                ),
                "replace_hours": Standing(
                    value=f"{DEFAULT_REPLACE_HOURS:g}",
                    why=tell("Until somebody has replaced a failed disk, where no spare is free. Assumed."),
                ),
                "correlation": Standing(
                    value="1",
                    why=tell(
                        "Failure rate of the other disks of a vdev while one is down: 1 is independent, {batch:g} one "
                        "batch (Schroeder and Gibson 2007).",
                        batch=BATCH_CORRELATION,
                    ),
                ),
                "read_errors_per_bit": Standing(
                    value=f"{errors:g}",
                    why=tell(
                        "The data sheets’ upper bound. A thirtieth of it was seen (Gray and van Ingen 2005): the low "
                        "end."
                    )
                    if SEEN_SHARE_OF_ERRORS
                    else "",
                ),
            }
        )

    def _start(self) -> None:
        if self._expected is None or self._asking.busy:
            return
        hazards = self._expected.risk.hazards
        years = int(self.years.currentData())
        self._played, self._played_for = None, hazards
        self._simulate.setEnabled(False)
        self._result.setText(tell("The years are being played. The status bar has Cancel."))
        self._asking.ask(SlicedJob(tell("Simulating"), JOB_TARGET, simulating(hazards, years), self))

    def _on_played(self, played: "Simulation") -> None:
        self._played = played

    def _show_played(self) -> None:
        if self._expected is not None:
            self._show_scale(self._expected.risk)


def loss_probability(expected: Assessment | None) -> float:
    """Return the typical probability of losing the pool within a year by failures of disks alone."""
    return 0.0 if expected is None else expected.risk.disk_probability


def _row(name: str, estimate: Estimate, share: "Share | None") -> RiskRow:
    simulated = None
    if share is not None:
        low, high = share.interval()
        simulated = (low, share.probability, high)
    return RiskRow(name=name, estimate=estimate, simulated=simulated)


def _afr(text: str) -> float:
    return parse_share(text, tell("a failure rate in per cent a year"), most=_MOST_AFR)


def _hours(text: str) -> float:
    return parse_hours(text, zero=True)


def _correlation(text: str) -> float:
    value = parse_number(text, what="correlation")
    if not 1 <= value <= _MOST_CORRELATION:
        raise UserError(
            tell("A correlation of {value:g} is not possible", value=value),
            todo=tell("1 is independent; write 1 to 100."),
        )
    return value


def _errors(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= _MOST_ERRORS:
        raise UserError(
            tell("“{text}” is not a share of bits", text=text.strip()), todo=tell("Data sheets say 1e-14 to 1e-17.")
        )
    return value


# What the risk of a pool is made of: a row for each kind of vdev.


class RiskTerms(RowModel[tuple[str, ...]]):
    """The kinds of vdev, the one that contributes most first."""

    def __init__(self, parent: QObject | None = None) -> None:
        headings = (
            (tell("vdevs"), tell("How many vdevs of this kind the pool has")),
            (tell("Loss"), tell("The probability that these vdevs lose the pool within a year, by whatever cause")),
            (tell("Share"), tell("Of the risk of the pool")),
            (tell("Disks alone"), tell("That by failures of disks one by one")),
            (tell("AFR"), tell("Failures per hundred disk years of these disks")),
            (tell("Rebuild"), tell("From the start of a rebuild to full redundancy")),
            (tell("Repair"), tell("From a first failure to full redundancy, the wait for a disk included")),
            (tell("Spare"), tell("How likely a spare is free when a first disk fails")),
        )
        super().__init__(text_columns(headings, left=1), parent)

    def show_risk(self, risk: Risk) -> None:
        whole = sum(vdev.log_kept_of_all * count for vdev, count in risk.vdevs) + risk.log_spared(1)
        terms = (_term(vdev, count, whole) for vdev, count in sorted(risk.vdevs, key=_contribution))
        self.show_rows((*terms, *_units(risk, whole), _whole_machine(risk, whole)))


def _term(vdev: VdevRisk, count: int, whole: float) -> tuple[str, ...]:
    return (
        f"{count} × {vdev_name(vdev)}" if count > 1 else vdev_name(vdev),
        odds_text(-expm1(vdev.log_kept_of_all * count)),
        f"{100 * vdev.log_kept_of_all * count / whole:.0f} %",
        odds_text(-expm1(vdev.log_kept * count)),
        f"{vdev.drive.typical:.2f} %",
        tell("none") if vdev.rebuild is None else hours_text(vdev.rebuild.typical),
        tell("none") if vdev.repair is None else hours_text(vdev.repair.typical),
        "–" if vdev.rebuild is None else f"{100 * vdev.spare_free:.0f} %",
    )


def _units(risk: Risk, whole: float) -> tuple[tuple[str, ...], ...]:
    """Return the row of shelves and controllers that take the pool with them; none where there are no such."""
    if not risk.units:
        return ()
    lost, none = len(risk.units) * risk.causes.log_unit(1), "–"
    name = ", ".join(sorted(risk.units))
    return ((name, odds_text(-expm1(lost)), f"{100 * lost / whole:.0f} %", none, none, none, none, none),)


def _whole_machine(risk: Risk, whole: float) -> tuple[str, ...]:
    """Return the row of what no layout prevents: controller, software, a wrong command."""
    spared = risk.causes.log_spared(1)
    none = "–"
    name, odds = tell("whole machine"), odds_text(-expm1(spared))
    return (name, odds, f"{100 * spared / whole:.0f} %", none, none, none, none, none)


def vdev_name(vdev: VdevRisk) -> str:
    """Return a kind of vdev in words: raidz2 of 8, special mirror of 2, single disk."""
    spec = vdev.spec
    front = "" if spec.vdev_class is VdevClass.DATA else f"{spec.vdev_class.value} "
    if spec.kind is VdevKind.STRIPE:
        return front + tell("single disk")
    return front + tell("{kind} of {width}", kind=spec.word, width=spec.width)


def _contribution(part: tuple[VdevRisk, int]) -> float:
    vdev, count = part
    return vdev.log_kept_of_all * count


# Plays years of a pool in slices beside the window.

Hazards = tuple[tuple[VdevHazard, int], ...]
SEED = 1
# Vdev-years at a time: some 16 ms where every pool degrades, under 1 ms as a rule.
_PIECE = 1 << 16


def simulating(vdevs: Hazards, pool_years: int, seed: int = SEED) -> Generator[float, None, "Simulation"]:
    """Yield the share of years that are played; return all of them together. The same seed gives the same result."""
    yield 0.0
    for _ in import_in_steps("numpy.random"):
        yield 0.0
    from poolwright.predict.montecarlo import Share, Simulation, simulate  # noqa: PLC0415 - numpy only when asked

    piece = max(1, _PIECE // sum(count for _, count in vdevs))
    lost = damaged = done = number = 0
    while done < pool_years:
        years = min(piece, pool_years - done)
        part = simulate(vdevs, pool_years=years, seed=(seed << 32) + number)
        lost, damaged = lost + part.lost.hits, damaged + part.damaged.hits
        done, number = done + years, number + 1
        yield done / pool_years
    return Simulation(
        pool_years=pool_years,
        seed=seed,
        lost=Share(hits=lost, trials=pool_years),
        damaged=Share(hits=damaged, trials=pool_years),
    )


# How long rebuild and scrub take, by how full the pool is and how busy.

_FILLS = tuple(range(0, 101, 5))
_MILLISECONDS_BETWEEN_PLOTS = 30


class RebuildPane(QWidget):
    """``failed`` sends why a plot was not written."""

    failed = Signal(str)

    def __init__(self, expectations: Expectations, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._expectations = expectations
        self._expected: Assessment | None = None
        sliders = lay.row(gap=3 * GRID)
        self.fill = ValueSlider(tell("The pool is full to"), tuple(range(101)), _percent, self)
        self.load = ValueSlider(
            tell("Users take of the disks’ time"), tuple(range(MOST_LOAD_PERCENT + 1)), _percent, self
        )
        for slider in (self.fill, self.load):
            slider.slider.setPageStep(10)
            slider.changed.connect(self._on_moved)
            sliders.addWidget(slider, 1)
        grid = lay.grid(gap=(2 * GRID, GRID))
        self.rebuild = EstimateLine(tell("Rebuild of one disk"), hours_text, self, told=True)
        self.scrub = EstimateLine(tell("Scrub of the pool"), hours_text, self, told=True)
        for number, line in enumerate((self.rebuild, self.scrub)):
            grid.addWidget(line, 0, number, Qt.AlignmentFlag.AlignTop)
            grid.setColumnStretch(number, 1)
        self._none = ToneLabel(
            tell("Nothing can be rebuilt: this pool has no redundancy."), Tone.WARN, self, small=True
        )
        self.plot = ChartPlace(
            tell("Rebuild time against how full the pool is; the ring is where the slider stands."), self
        )
        self.plot.failed.connect(self.failed)
        column = lay.column(sliders, grid, self._none, (self.plot, 10), of=self)
        column.addStretch(1)  # keeps the rest together where there is nothing to draw
        self._plot_later = QTimer(self)
        self._plot_later.setSingleShot(True)
        self._plot_later.setInterval(_MILLISECONDS_BETWEEN_PLOTS)
        self._plot_later.timeout.connect(self._draw)

    def show_expected(self, expected: Assessment) -> None:
        self._expected = expected
        assumed = self._expectations.assumed
        for slider, value in ((self.fill, assumed.fill_percent), (self.load, assumed.load_percent)):
            slider.blockSignals(True)
            slider.set_value(value)
            slider.blockSignals(False)
        rebuild, scrub = expected.rebuild, expected.scrub
        most = max(scrub.high, rebuild.high if rebuild else 0.0)
        self.rebuild.setVisible(rebuild is not None)
        self._none.setVisible(rebuild is None)
        if rebuild is not None:
            wait = expected.conditions.wait_hours
            more = tell("the wait for a new disk, {hours:g} h without a spare, comes on top", hours=wait)
            self.rebuild.show_estimate(rebuild, most, more)
        self.scrub.show_estimate(scrub, most)
        if self.plot.chart is None:
            self._draw()
        else:
            self._plot_later.start()

    def _draw(self) -> None:
        expected = self._expected
        slowest = None if expected is None else _slowest(expected)
        if expected is None or slowest is None:
            self.plot.show_chart(None)
            return
        how = slowest.conditions.rebuild_of(slowest.spec)
        curve = [(fill, _at(slowest, replace(how, fill_percent=float(fill)))) for fill in _FILLS]
        limits: tuple[ChartLimit, ...] = ()
        if slowest.spec.kind is VdevKind.RAIDZ and slowest.spec.vdev_class is VdevClass.DATA:
            md = md_rebuild_hours(min(slowest.spec.sizes), how).typical
            name = tell("RAID 6 of the same disks, full or empty: {time}", time=hours_text(md))
            limits = (ChartLimit(name=name, value=md),)
        self.plot.show_chart(
            band_chart(
                "rebuild",
                tell("Plot of the rebuild time against how full the pool is"),
                ((tell("Used"), "%"), (tell("Rebuild"), "h")),
                [ChartMark(x=fill, y=e.typical, low=e.low, high=e.high, told=self._told(fill, e)) for fill, e in curve],
                limits=limits,
                here=(how.fill_percent, _at(slowest, how).typical),
            )
        )

    def _told(self, fill: int, estimate: Estimate) -> str:
        return tell(
            "{fill} % full: {typical}, between {low} and {high}.",
            fill=fill,
            typical=hours_text(estimate.typical),
            low=hours_text(estimate.low),
            high=hours_text(estimate.high),
        )

    def _on_moved(self) -> None:
        self._expectations.assume(fill_percent=self.fill.value(), load_percent=self.load.value())


def _slowest(expected: Assessment) -> VdevRisk | None:
    rebuilt = [(vdev, vdev.rebuild.typical) for vdev, _ in expected.risk.vdevs if vdev.rebuild is not None]
    return max(rebuilt, key=lambda pair: pair[1])[0] if rebuilt else None


def _at(vdev: VdevRisk, how: RebuildConditions) -> Estimate:
    found = rebuild_hours(vdev.spec, how, onto_spare=vdev.spec.draid_spares > 0)
    assert found is not None
    return found


def _percent(value: int) -> str:
    return f"{value} %"
