"""The numbers of the current design: space, speed, rebuild, risk, cost; each with its steps, or band and origin.

How it fills is told where that can be planned for: on the tabs Datasets and Growth of the design.
"""

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import expm1
from statistics import median

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from poolwright import paths
from poolwright.design.compare import QUANTITIES, Section
from poolwright.design.compared import Cell, Cells, cost_cells, predicted, speeds_of
from poolwright.domain.errors import EnvironmentFailure
from poolwright.domain.rates import rate_text
from poolwright.domain.units import MB, binary
from poolwright.domain.vdev import describe
from poolwright.emit.drawing import Anchor, Box, Drawing, Label, ShapeRole
from poolwright.emit.report import Block, Picture, ReportHeading, TextTone, listed, paragraph, table
from poolwright.emit.report_design import expected_table, origins_of, space_blocks
from poolwright.predict.assessment import Assessment
from poolwright.predict.assumptions import Metric, Run, read_runs
from poolwright.predict.cost import Cost
from poolwright.predict.drives import floor_of
from poolwright.predict.number_words import (
    advice_on,
    band_text,
    hours_text,
    money_text,
    odds_text,
    units_words,
    vdev_words,
)
from poolwright.predict.reliability import Risk, VdevRisk
from poolwright.predict.speed import ChainLink
from poolwright.texts import _, ngettext
from poolwright.ui.design.pool_pane import PoolChoice
from poolwright.ui.outlook.assumed import AssumedPane
from poolwright.ui.parts import lay
from poolwright.ui.parts.card import FoldCard
from poolwright.ui.parts.estimate_line import priced, sentence
from poolwright.ui.parts.lay import ToneLabel
from poolwright.ui.parts.report_view import Link, ReportView, Shown, subheading
from poolwright.ui.parts.theme import GRID, Tone
from poolwright.ui.state.money_of_budget import no_currency
from poolwright.ui.state.session import Session


class OutlookPane(QWidget):
    """Follows design and assumptions at once; nothing here changes the design."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.pools = PoolChoice(_("Pool"), session, self.refresh, self)
        self._note = ToneLabel("", Tone.MUTED, self)
        self.assumed = AssumedPane(session, self)
        self.fold = FoldCard(_("What is assumed"), self.assumed, self)
        self.fold.head.show_words(_("disks, host, failures, prices, measured runs"))
        self.space = ReportView(_("Space"), self, grows=True)
        self.expected = ReportView(_("What is expected"), self, grows=True)
        self.rows = ReportView(_("Measured rows"), self, grows=True)
        pools = (self.pools, 0, Qt.AlignmentFlag.AlignLeft)
        lay.column(pools, self._note, self.fold, self.space, self.expected, self.rows, 1, of=self, gap=2 * GRID)
        session.expectations.changed.connect(self._on_assumed)
        self.assumed.failed.connect(session.complain)
        self.rows.pressed.connect(self._on_table)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self.rows.blocks:
            try:
                self.rows.show_blocks(measured_blocks(held_out_rates()))
            except EnvironmentFailure as error:
                self._session.complain(error.text)

    def refresh(self) -> None:
        assessment, whole = self._session.assessment, self._session.expected
        pool = self.pools.show_pools()
        pools = assessment.pools if assessment is not None else ()
        expected, note = whole, ""
        if assessment is None or pool is None:
            note = _("There is no design yet.")
        elif whole is None:
            note = self._session.expectations.problem
        elif len(pools) > 1:
            of_pools = self._session.expectations.of_pools((found.design, found.capacity) for found in pools)
            expected = of_pools[self.pools.number] if of_pools else None
            note = _("What the pool {name} will do while those beside it rest.", name=pool.pool_name)
        self._note.setText(note)
        self._note.setVisible(bool(note))
        for part in (self.fold, self.expected, self.rows):
            part.setVisible(expected is not None)
        self.space.setVisible(bool(pools))
        for found in pools[self.pools.number : self.pools.number + 1]:
            self.space.show_blocks(space_blocks(found, many=len(pools) > 1))
        if assessment is not None and whole is not None and expected is not None:
            self.expected.show_blocks(outlook_blocks(expected, whole.cost))
            self.assumed.show_expected(expected, pools[self.pools.number].design, whole, assessment.design)

    def _on_table(self, name: object) -> None:
        self._session.asked.emit("reference", f"tables:{name}")

    def _on_assumed(self) -> None:
        if self.isVisible():
            self.refresh()


# What is expected, as it is read from top to bottom.


def outlook_blocks(expected: Assessment, cost: Cost | None) -> Iterator[Block]:
    cells = {**_speeds(expected), **_safety(expected), **({} if cost is None else _costs(cost))}
    yield ReportHeading(text=_("Speed"))
    yield paragraph(_asked_words(expected), TextTone.MUTED)
    yield expected_table(cells, Section.SPEED)
    yield from (
        paragraph(sentence(_("the band is wider here: {reason}", reason=reason)), TextTone.NOTE)
        for reason in expected.speed.extrapolations
    )
    yield subheading(_("What limits it, from the disks to the network"))
    yield Picture(drawing=chain_drawing(expected.speed.chain))
    yield ReportHeading(text=_("Risk within a year, and rebuild"))
    yield expected_table(cells, Section.SAFETY)
    wait = _("Waiting for a disk, {hours:g} h without a spare, comes on top.", hours=expected.conditions.wait_hours)
    yield paragraph(wait if expected.rebuild is not None else "", TextTone.MUTED)
    yield from _about_risk(expected.risk)
    if cost is not None:
        years = _("Cost over 1 year") if cost.years == 1 else _("Cost over {years:g} years", years=cost.years)
        bare = cost.purchase is None and not priced(cost)
        yield ReportHeading(text=years)
        yield paragraph(cost.problem, TextTone.MUTED)
        yield paragraph(_("Give the price of a disk among what is assumed.") if bare else "", TextTone.MUTED)
        yield expected_table(cells, Section.COST)
    yield ReportHeading(text=_("Where these come from"))
    yield origins_of(cells)


# What is predicted of this pool by itself, under the names of its rows in a comparison.


def _speeds(expected: Assessment) -> Cells:
    limits = (link for link in expected.speed.chain if link.name == "network")
    over_network = any(link.narrowest_read or link.narrowest_write for link in limits)
    bare = expected.without_runs
    before = {} if bare is None else speeds_of(replace(expected, speed=bare))
    found = {}
    for name, estimate in speeds_of(expected).items():
        alone = name.startswith("itself")  # without a network in the way clients get just that
        note = ""
        if before and not alone:
            note = _("without runs {band}", band=band_text(before[name], QUANTITIES[name].unit.text))
        if over_network or not alone:
            found[name] = Cell(estimate=estimate, note=note)
    return found


def _safety(expected: Assessment) -> Cells:
    risk = expected.risk
    meaning = _("more disks of one vdev fail at a time than it survives")
    files = _("loss, or a block no disk can give back: its file is damaged")
    return {
        "loss": predicted(risk.loss),
        "disk_loss": Cell(estimate=risk.disk_loss, note=meaning),
        "damage": Cell(estimate=risk.damage, note=files),
        "rebuild": predicted(expected.rebuild, _("No redundancy: nothing can be rebuilt.")),
        "scrub": predicted(expected.scrub),
    }


def _costs(cost: Cost) -> Cells:
    cells = cost_cells(cost)
    if cost.purchase is not None:
        told = (str(cost.purchase_origin or ""), "" if cost.purchase.currency else no_currency())
        cells["purchase"] = replace(cells["purchase"], note="; ".join(filter(None, told)))
    if cost.replacement is not None:
        unit = cost.purchase.currency if cost.purchase is not None else None
        price = f"{money_text(cost.replacement.typical)} {unit or ''}".strip()
        cells["replacements"] = replace(cells["replacements"], note=price)
    return cells


def _asked_words(expected: Assessment) -> str:
    clients, asked = expected.load.clients, expected.load.request_bytes
    record = binary(expected.load.record_bytes)
    who = _("plenty of clients")
    if clients is not None:
        who = ngettext("{count} client", "{count} clients at once", clients)
    if asked is None:
        return _("For records of {record} and {clients}.", record=record, clients=who)
    text = _("For requests of {asked} on records of {record}, and {clients}.")
    return text.format(asked=binary(asked), record=record, clients=who)


def _about_risk(risk: Risk) -> Iterator[Block]:
    floor = odds_text(floor_of(risk.causes).typical)
    yield paragraph(units_words(risk.units), TextTone.WARN)
    yield paragraph(advice_on(risk.disk_probability), TextTone.NOTE)
    least = _("Never less than {floor}: controller, software, a wrong command.", floor=floor)
    yield paragraph(f"{least} {_('Not counted: fire, water, theft, malware, deletion.')}", TextTone.MUTED)
    header = (
        _("vdevs"), _("Loss"), _("Share"), _("Disks alone"),
        _("AFR"), _("Rebuild"), _("Repair"), _("Spare"),
    )  # fmt: skip
    yield table(header, risk_rows(risk), range(1, len(header)))


def risk_rows(risk: Risk) -> tuple[tuple[str, ...], ...]:
    """Return the kinds of vdev, the one that contributes most first, then what takes whole pools with it."""
    whole = sum(vdev.log_kept_of_all * count for vdev, count in risk.vdevs) + risk.causes.log_spared(1, len(risk.units))
    vdevs = sorted(risk.vdevs, key=lambda part: part[0].log_kept_of_all * part[1])
    others = []
    if risk.units:
        others.append((", ".join(sorted(risk.units)), len(risk.units) * risk.causes.log_unit(1)))
    # What no layout prevents: controller, software, a wrong command.
    others.append((_("whole machine"), risk.causes.log_spared(1)))
    return (
        *(_term(vdev, count, whole) for vdev, count in vdevs),
        *((name, odds_text(-expm1(lost)), f"{100 * lost / whole:.0f} %", *("–",) * 5) for name, lost in others),
    )


def _term(vdev: VdevRisk, count: int, whole: float) -> tuple[str, ...]:
    return (
        f"{count} × {vdev_words(vdev.spec)}" if count > 1 else vdev_words(vdev.spec),
        odds_text(-expm1(vdev.log_kept_of_all * count)),
        f"{100 * vdev.log_kept_of_all * count / whole:.0f} %",
        odds_text(-expm1(vdev.log_kept * count)),
        f"{vdev.drive.typical:.2f} %",
        _("none") if vdev.rebuild is None else hours_text(vdev.rebuild.typical),
        _("none") if vdev.repair is None else hours_text(vdev.repair.typical),
        "–" if vdev.rebuild is None else f"{100 * vdev.spare_free:.0f} %",
    )


# The chain from the disks to the network: each link as wide as the rate it passes, the narrowest in colour.

_WIDE, _NAMES, _HEAD, _LANE, _TEXTS = 720.0, 60.0, 24.0, 36.0, 44.0
_FULL = 0.62  # of a column is the link itself


def chain_drawing(links: Sequence[ChainLink]) -> Drawing:
    reads = [(link.read_bytes_per_second, link.narrowest_read) for link in links]
    writes = [(link.write_bytes_per_second, link.narrowest_write) for link in links]
    most = max((rate for rate, __ in (*reads, *writes) if rate is not None), default=1.0)
    column = (_WIDE - _NAMES) / max(1, len(links))
    shapes: list[Box | Label] = []
    for number, link in enumerate(links):
        name = _("{name} (assumed)", name=_(link.name)) if link.assumed else _(link.name)
        shapes.append(Label(x=_NAMES + (number + 0.5) * column, y=14, text=name, anchor=Anchor.MIDDLE))
    for lane, (direction, rates) in enumerate(((_("Read"), reads), (_("Write"), writes))):
        top = _HEAD + lane * (_LANE + _TEXTS)
        shapes.append(Label(x=0, y=top + _LANE / 2 + 4, text=direction))
        for number, (rate, narrowest) in enumerate(rates):
            middle, role = _NAMES + (number + 0.5) * column, ShapeRole.WARN if narrowest else ShapeRole.ACCENT
            high, wide = 3.0 if rate is None else max(3.0, _LANE * rate / most), column * _FULL
            shapes.append(
                Box(
                    x=middle - wide / 2, y=top + (_LANE - high) / 2, width=wide, height=high,
                    role=ShapeRole.LINE if rate is None else role,
                )
            )  # fmt: skip
            told = _("not known") if rate is None else rate_text(rate)
            shapes.append(Label(x=middle, y=top + _LANE + 14, text=told, anchor=Anchor.MIDDLE))
            if narrowest:
                text = _("narrowest")
                shapes.append(Label(x=middle, y=top + _LANE + 28, text=text, anchor=Anchor.MIDDLE, strong=True))
    told = "; ".join(f"{_(link.name)}: {link.limit}" for link in links)
    height = _HEAD + 2 * (_LANE + _TEXTS)
    return Drawing(width=_WIDE, height=height, title=_("Chain of limits"), description=told, shapes=tuple(shapes))


# The measured rates that the speed model rests on, each beside what the model says when it has not seen the row.

_TABLES = {"thesis": "pool_throughput", "blog": "ashift_effect"}


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldOutRate:
    """A measured rate on ``machine``, and what a model fitted to all other rows says of it, bytes/s."""

    run: Run
    machine: str
    modelled: float

    @property
    def error_percent(self) -> float:
        return 100 * (self.modelled / self.run.value - 1)


def held_out_rates() -> tuple[HeldOutRate, ...]:
    """Return the rows as `tests.predict.fitting` wrote them. Raises EnvironmentFailure."""
    text = paths.shipped_text(paths.rules_folder() / "data" / "left_out.csv")
    rows = csv.DictReader(io.StringIO(text))
    return tuple(
        HeldOutRate(run=run, machine=row["machine"], modelled=float(row["modelled"]))
        for run, row in zip(read_runs(text), rows, strict=True)
    )


def measured_blocks(rows: Sequence[HeldOutRate]) -> Iterator[Shown]:
    """Yield how far the model misses what it has not seen, the worst first, and where the rows come from."""
    yield ReportHeading(text=_("Measured rows"))
    reads, writes = (_errors(rows, metric) for metric in (Metric.SEQ_READ, Metric.SEQ_WRITE))
    yield paragraph(
        _(
            "{count} rates. Left out one by one, reads miss by {read:.1f} % (worst {worst_read:.0f} %), "
            "writes by {write:.1f} % ({worst_write:.0f} %).",
            count=len(rows),
            read=median(reads),
            worst_read=max(reads),
            write=median(writes),
            worst_write=max(writes),
        ),
        TextTone.MUTED,
    )
    yield Link(text=_("Table of the Wikibook"), of=_TABLES["thesis"])
    yield Link(text=_("Table of the MacZFS blog"), of=_TABLES["blog"])
    yield listed(
        sorted(rows, key=lambda row: -abs(row.error_percent)),
        (_("Pool"), lambda row: describe(row.run.layout)),
        (_("What"), lambda row: _("read") if row.run.metric is Metric.SEQ_READ else _("write")),
        (_("MB/s"), lambda row: f"{row.run.value / MB:,.0f}"),
        (_("Model MB/s"), lambda row: f"{row.modelled / MB:,.0f}"),
        (_("Off (%)"), lambda row: f"{row.error_percent:+.1f}"),
        right=range(2, 5),
    )


def _errors(rows: Sequence[HeldOutRate], metric: Metric) -> list[float]:
    return [abs(row.error_percent) for row in rows if row.run.metric is metric]
