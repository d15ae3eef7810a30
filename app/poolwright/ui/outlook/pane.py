"""The numbers of the current design: space, speed, rebuild, risk, cost; each with its steps, or band and origin.

How it fills is told where that can be planned for: on the tabs Datasets and Growth of the design.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from poolwright.design.amounts import parse_count, parse_hours, parse_number, parse_share
from poolwright.domain.design import Design
from poolwright.domain.disk import Media
from poolwright.domain.errors import UserError
from poolwright.domain.estimate import OriginKind
from poolwright.domain.money import Money, money_typed, money_words, parse_money
from poolwright.domain.rates import hours_read, link_read, parse_disk_rate, parse_link_rate, rate_read, rate_text
from poolwright.domain.units import binary, out_of_range
from poolwright.emit.report import Block, ReportHeading
from poolwright.emit.report_design import space_blocks
from poolwright.emit.report_outlook import outlook_blocks, section_words
from poolwright.predict.assessment import Assessment
from poolwright.predict.assumptions import Assumptions, data_disks, host_of, rates_of
from poolwright.predict.cost import ASSUMED_WATTS, COOLING_FACTOR, DEFAULTS_OF, KWH_PRICE, YEARS, Cost
from poolwright.predict.drives import measured_rates
from poolwright.predict.media import DiskRates
from poolwright.predict.number_words import with_band
from poolwright.predict.rebuild import MOST_LOAD_PERCENT
from poolwright.predict.risk_conditions import BATCH_CORRELATION, DEFAULT_REPLACE_HOURS, READ_ERRORS_PER_BIT
from poolwright.store.tool_files import text_of
from poolwright.texts import _, capital, marked, numeral
from poolwright.ui.design.pool_pane import PoolChoice
from poolwright.ui.parts import widgets
from poolwright.ui.parts.card import FoldCard
from poolwright.ui.parts.estimate_line import sentence
from poolwright.ui.parts.form import Field, Form, Remark, Typed, Whole, short
from poolwright.ui.parts.report_view import ReportView
from poolwright.ui.parts.save_file import ask_file
from poolwright.ui.parts.theme import GRID, Tone
from poolwright.ui.parts.widgets import SmallHeading, ToneLabel
from poolwright.ui.state.expectations import Expectations
from poolwright.ui.state.session import Session

_SECTIONS = 5  # space, speed, risk, cost, and where they come from


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
        self.views = [ReportView("", self, least=0, grows=True) for __ in range(_SECTIONS)]
        self.sections = [FoldCard("", view, self) for view in self.views]
        self.sections[0].fold(folded=False)
        pools = (self.pools, 0, Qt.AlignmentFlag.AlignLeft)
        widgets.column(pools, self._note, *self.sections, self.fold, 1, of=self, gap=GRID)
        session.expectations.changed.connect(self._on_assumed)

    def refresh(self) -> None:
        assessment, whole = self._session.assessment, self._session.expected
        pool = self.pools.show_pools()
        if assessment is None or pool is None:
            return
        pools, expected, note = assessment.pools, whole, ""
        if assessment.design.sizes_invented:
            note = _("Disk sizes are not known: read zpool list -v -p on the Pools page too.")
            expected, pools = None, ()
        elif whole is None:
            note = self._session.expectations.problem
        elif len(pools) > 1:
            of_pools = self._session.expectations.of_pools((found.design, found.capacity) for found in pools)
            expected = of_pools[self.pools.number] if of_pools else None
            note = _("Expected of pool {name} while the others are idle.", name=pool.pool_name)
        self._note.setText(note)
        self._note.setVisible(bool(note))
        self.fold.setVisible(expected is not None)
        blocks: list[Block] = []
        words: tuple[str, ...] = ()
        for found in pools[self.pools.number : self.pools.number + 1]:
            blocks += space_blocks(found, many=len(pools) > 1)
            words = ("" if found.capacity is None else binary(found.capacity.available_bytes),)
        if whole is not None and expected is not None:
            blocks += outlook_blocks(expected, whole.cost)
            words += section_words(expected, whole.cost)
            self.assumed.show_expected(expected, pools[self.pools.number].design, whole, assessment.design)
        self._show_sections(blocks, words)

    def _show_sections(self, blocks: Sequence[Block], words: Sequence[str]) -> None:
        """Show what stands below each heading in a card of its own, with the answer beside its title."""
        starts = [n for n, block in enumerate(blocks) if isinstance(block, ReportHeading)]
        for number, (card, view) in enumerate(zip(self.sections, self.views, strict=True)):
            card.setVisible(number < len(starts))
            if number < len(starts):
                heading, *below = blocks[starts[number] : (*starts, len(blocks))[number + 1]]
                assert isinstance(heading, ReportHeading)
                card.head.show_title(heading.text)
                card.head.show_words(words[number])
                widgets.named(view, heading.text).show_blocks(below)

    def _on_assumed(self) -> None:
        if self.isVisible():
            self.refresh()


# What the predictions assume, open to change: disks, host, risk and cost; and the runs that narrow the bands.

_NAMES = 20 * GRID
_MOST_AFR, _MOST_ERRORS = 100.0, 1e-6
_MEDIA = {Media.HDD: "HDD", Media.SSD: "SSD", Media.NVME: "NVMe"}


class Standing(NamedTuple):
    """What holds while nothing is typed, short enough for an empty field, and why it does."""

    value: str
    why: str


class AssumptionForm(Form):
    """Shows and changes some of what `Expectations` assume."""

    def __init__(
        self, rows: Sequence[Field], expectations: Expectations, parent: QWidget | None = None, *, least_names: int = 0
    ) -> None:
        super().__init__(parent, least_names=least_names)
        self._expectations = expectations
        self.add(*rows)
        self.edited.connect(self._on_edited)

    def show_standing(self, standing: Mapping[str, Standing]) -> None:
        for key, holds in standing.items():
            self.editor(key).show_value(getattr(self._expectations.assumed, key), Remark(text=holds.why), holds.value)

    def _on_edited(self, key: str, value: object) -> None:
        self._expectations.assume(**{key: value})


class AssumedPane(QWidget):
    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._expectations = session, session.expectations
        self._runs_text = widgets.named(ToneLabel("", Tone.MUTED, self, small=True), _("Runs on this host"))
        self._open = widgets.button(_("Open runs…"), self, partial(ask_file, self, self.open_runs_file), icon="open")
        self._forget = widgets.button(_("Forget the runs"), self, self._expectations.forget_runs, icon="delete")
        runs = (self._runs_text, widgets.row(self._open, self._forget, 1))
        self.machine, self.risk, self.cost = (
            AssumptionForm(rows, self._expectations, self, least_names=_NAMES)
            for rows in (_of_machine(), _of_risk(), self._of_cost())
        )
        parts = (
            (_("Speed of the disks and the host"), (self.machine,)),
            (_("Risk and rebuild"), (self.risk,)),
            (_("Cost"), (self.cost,)),
            (_("Runs on this host"), runs),
        )
        column = widgets.column(of=self)
        for title, held in parts:
            for part in (SmallHeading(title, self), *held):
                column.addWidget(part) if isinstance(part, QWidget) else column.addLayout(part)
        column.addStretch(1)

    def show_expected(self, expected: Assessment, pool: Design, whole: Assessment, design: Design) -> None:
        """Show what holds for one pool; the cost is that of the ``whole`` design."""
        self._show_runs(expected)
        self._show_machine(pool)
        self._show_risk(expected)
        self.cost.setEnabled(whole.cost is not None)
        if whole.cost is not None:
            self._show_cost(design, whole.cost)

    def open_runs_file(self, name: str | Path) -> None:
        """Adapt the speeds to the runs in a file, or say why they cannot be."""
        path = Path(name)
        try:
            self._expectations.open_runs(text_of(path), path.name)
        except UserError as error:
            self._session.complain(error.text)

    def _why_rate(self, disks: DiskRates, given: float | None) -> str:
        if given is not None:
            return _("From the disks; the slowest where they differ.")
        if disks.origin.kind is OriginKind.MEASURED:
            return _("Measured on drives of this model: {source}.", source=disks.origin.source)
        usual = _("Not measured: usual for its kind and size ({media}).")
        return usual.format(media=disks.media)

    def _show_machine(self, design: Design) -> None:
        disks, host = rates_of(design, Assumptions()), host_of(design, Assumptions())
        reads, writes = (self._why_rate(disks, rate) for rate in measured_rates(data_disks(design)))
        missing = _("Not known: part of the host’s limit, which is assumed.")
        no_network = _("Unknown: no limit. For example 10 Gbit/s.")
        of_host: tuple[tuple[str, float | None, Callable[[float], str], str], ...] = (
            ("hba", host.hba_bytes_per_second, rate_text, missing),
            ("network", host.network_bytes_per_second, rate_text, no_network),
            ("cores", host.cores, short, missing),
        )
        self.machine.show_standing(
            {
                "disk_read": Standing(rate_text(disks.read_bytes_per_second), reads),
                "disk_write": Standing(rate_text(disks.write_bytes_per_second), writes),
                **{
                    key: Standing(_("unknown"), why) if value is None else Standing(text(value), "")
                    for key, value, text, why in of_host
                },
            }
        )

    def _show_runs(self, expected: Assessment) -> None:
        runs, name = self._expectations.assumed.calibration.runs, self._expectations.assumed.runs_name
        none = _("None yet. A CSV file narrows the bands: vdevs, metric, value (raidz2:8x6TB, seq_read, 870MB/s).")
        text = _("{count} from {file}: the bands are as wide as they leave them.", count=len(runs), file=name)
        self._forget.setVisible(bool(runs))
        self._runs_text.setText(text if runs and expected.without_runs is not None else none)

    def _show_risk(self, expected: Assessment) -> None:
        rate, worst = expected.model_rate, expected.risk.worst
        errors = READ_ERRORS_PER_BIT[worst.conditions.rebuild_of(worst.spec).media]
        band = with_band(*(numeral(share, ".2f") for share in (rate.typical, rate.low, rate.high)))
        alike = _("How much more often others fail while one is down: 1 independent, {batch:g} one batch.")
        self.risk.show_standing(
            {
                "fill_percent": Standing("", ""),
                "load_percent": Standing("", ""),
                "afr_percent": Standing(band, _("Failures per hundred disk years: {origin}.", origin=rate.origin)),
                "replace_hours": Standing(numeral(DEFAULT_REPLACE_HOURS, "g"), ""),
                "correlation": Standing("1", _(alike, batch=BATCH_CORRELATION)),
                "read_errors_per_bit": Standing(
                    numeral(errors, "g"), _("The data sheets’ upper bound; a thirtieth of it was measured.")
                ),
            }
        )

    def _money(self, text: str, *, positive: bool = False) -> Money:
        return parse_money(text, currency=self._session.currency, positive=positive)

    def _show_cost(self, design: Design, cost: Cost) -> None:
        dated = _("Assumed, as of {date}.", date=DEFAULTS_OF)
        watts = "; ".join(
            _("{media} {typical:g} ({low:g} to {high:g})", media=_MEDIA[media], typical=typical, low=low, high=high)
            for media, (low, typical, high) in ASSUMED_WATTS.items()
        )
        budget = design.budget.price_per_disk
        if budget is not None:
            price = Standing(money_typed(budget), _("From the budget page."))
        elif cost.purchase_origin is not None:
            prices = dict.fromkeys(money_words(group.price) for group in cost.groups if group.price is not None)
            price = Standing(_("by model"), sentence(f"{', '.join(prices)}: {cost.purchase_origin}"))
        else:
            price = Standing(_("unknown"), _("No budget or drive table knows it."))
        low, typical, high = KWH_PRICE
        kwh = with_band(*(numeral(price, ".2f") for price in (typical, low, high)))
        cooling = _("Multiplies the power for cooling and losses; 1 is none.")
        self.cost.show_standing(
            {
                "price": price,
                "watts": Standing(_("by its class"), f"{watts}. {dated}"),
                "kwh_price": Standing(kwh, _("In EUR, USD, GBP or CHF. {dated}", dated=dated)),
                "years": Standing(numeral(YEARS, "g"), ""),
                "cooling_factor": Standing(numeral(COOLING_FACTOR, "g"), cooling),
            }
        )

    def _of_cost(self) -> tuple[Field, ...]:
        cooling, price = partial(_between, least=1, most=5), partial(self._money, positive=True)
        watts = Typed(lambda text: parse_number(text.strip().removesuffix("W")), short)
        return (
            Field("price", capital(_("price of a disk")), Typed(price, money_typed)),
            Field("watts", _("Watts of a disk"), watts),
            Field("kwh_price", _("Price of a kWh"), Typed(self._money, money_typed)),
            Field("years", _("Years"), Typed(partial(_between, least=0.1, most=30), short)),
            Field("cooling_factor", _("Cooling factor"), Typed(cooling, short)),
        )


def _of_machine() -> tuple[Field, ...]:
    rate = Typed(parse_disk_rate, rate_text, rate_read)
    return (
        Field("disk_read", _("One disk reads"), rate),
        Field("disk_write", _("One disk writes"), rate),
        Field("hba", _("HBA, all links"), rate),
        Field("network", _("Network"), Typed(parse_link_rate, rate_text, link_read)),
        Field("cores", _("Processor cores"), Typed(partial(parse_count, least=1))),
    )


def _of_risk() -> tuple[Field, ...]:
    return (
        Field("fill_percent", _("Pool full to (%)"), Whole(0, 100, 0)),
        Field("load_percent", _("Load meanwhile (%)"), Whole(0, MOST_LOAD_PERCENT, 0)),
        Field("afr_percent", _("AFR of a disk (%)"), Typed(partial(parse_share, most=_MOST_AFR), short)),
        Field("replace_hours", _("New disk after (h)"), Typed(partial(parse_hours, zero=True), short, hours_read)),
        Field("correlation", _("Correlation"), Typed(partial(_between, least=1, most=100), short)),
        Field("read_errors_per_bit", _("Read errors per bit"), Typed(_errors, short)),
    )


def _between(text: str, *, least: float, most: float) -> float:
    value = parse_number(text)
    if not least <= value <= most:
        raise out_of_range(text, least, most)
    return value


def _errors(text: str) -> float:
    try:
        value = float(marked(text))
    except ValueError:
        value = -1.0
    if not 0 <= value <= _MOST_ERRORS:
        raise UserError(
            _("“{text}” is not a share of bits", text=text.strip()), todo=_("Data sheets say 1e-14 to 1e-17.")
        )
    return value
