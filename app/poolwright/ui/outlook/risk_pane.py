"""How likely the pool is lost within a year, what that is made of, and what it assumes."""

from functools import partial
from math import expm1

from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from poolwright.design.amounts import parse_hours, parse_number, parse_share
from poolwright.domain.errors import UserError
from poolwright.domain.estimate import Estimate
from poolwright.domain.rates import hours_read
from poolwright.domain.vdev import VdevClass, VdevKind
from poolwright.predict.assessment import Assessment
from poolwright.predict.drives import floor_of
from poolwright.predict.number_words import (
    advice_on,
    band_text,
    hours_text,
    odds_text,
    percent_text,
    units_words,
    with_band,
)
from poolwright.predict.reliability import Risk, VdevRisk
from poolwright.predict.risk_conditions import (
    BATCH_CORRELATION,
    DEFAULT_REPLACE_HOURS,
    READ_ERRORS_PER_BIT,
    SEEN_SHARE_OF_ERRORS,
)
from poolwright.texts import tell
from poolwright.ui.parts import lay
from poolwright.ui.parts.assumption_form import AssumptionForm, Standing
from poolwright.ui.parts.estimate_line import OriginLine, origin_text
from poolwright.ui.parts.form import Field, Typed, short
from poolwright.ui.parts.lay import SmallHeading, ToneLabel
from poolwright.ui.parts.note_lines import Line, NoteLines
from poolwright.ui.parts.table import RowModel, TableColumn, plain_table, text_columns
from poolwright.ui.parts.theme import GRID, Tone
from poolwright.ui.state.expectations import Expectations

_ROW_HEIGHT = 26
_MOST_CORRELATION, _MOST_AFR, _MOST_ERRORS = 100.0, 100.0, 1e-6


class RiskPane(QWidget):
    def __init__(self, expectations: Expectations, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._expectations = expectations
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
        column.addWidget(SmallHeading(tell("What it is made of"), self))
        column.addWidget(self._make_table())
        column.addWidget(SmallHeading(tell("What it assumes"), self))
        self.form = AssumptionForm(self._rows(), expectations, self)
        column.addWidget(self.form)
        column.addStretch(1)

    def show_expected(self, expected: Assessment) -> None:
        risk = expected.risk
        floor = floor_of(risk.causes)
        least = tell("never less than {floor}: controller, software, a wrong command", floor=odds_text(floor.typical))
        uncounted = tell("not counted: fire, water, theft, malware, deletion")
        self._show_line(self.loss, risk.loss, least, uncounted)
        meaning = tell("more disks of one vdev fail at a time than it survives")
        self._show_line(self.disk_loss, risk.disk_loss, meaning)
        files = tell("loss, or a block no disk can give back: its file is damaged")
        self._show_line(self.damage, risk.damage, files)
        advice = advice_on(risk.disk_probability)
        taken = units_words(risk.units)
        told = ((taken, Tone.WARN), (advice, Tone.NOTE))
        self.advice.show_lines([Line(text=text, tone=tone) for text, tone in told if text])
        self._terms.show_rows(risk_rows(risk))
        room = 3 * GRID  # the rows may need a scroll bar below in a small window
        self._table.setFixedHeight((self._terms.rowCount() + 1) * _ROW_HEIGHT + room)
        self._show_standing(expected)

    def _show_line(self, line: OriginLine, estimate: Estimate, *more: str) -> None:
        line.show_value(odds_text(estimate.typical), origin_text(estimate, percent_text, *more))
        self._bands[line].setText(band_text(estimate, odds_text))

    def _make_table(self) -> QTableView:
        self._terms = RowModel(_columns(), self)
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
                    why=tell("Until a failed disk is replaced where no spare is free."),
                ),
                "correlation": Standing(
                    value="1",
                    why=tell(
                        "Failure rate of a vdev’s others while one is down: 1 is independent, {batch:g} one batch.",
                        batch=BATCH_CORRELATION,
                    ),
                ),
                "read_errors_per_bit": Standing(
                    value=f"{errors:g}",
                    why=tell("The data sheets’ upper bound; a thirtieth of it was seen.")
                    if SEEN_SHARE_OF_ERRORS
                    else "",
                ),
            }
        )


def _afr(text: str) -> float:
    return parse_share(text, tell("a failure rate in per cent a year"), most=_MOST_AFR)


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


def _columns() -> tuple[TableColumn[tuple[str, ...]], ...]:
    headings = (
        (tell("vdevs"), tell("Of this kind")),
        (tell("Loss"), tell("Within a year, by whatever cause")),
        (tell("Share"), tell("Of the risk of the pool")),
        (tell("Disks alone"), tell("By failures of disks one by one")),
        (tell("AFR"), tell("Failures per hundred disk years")),
        (tell("Rebuild"), tell("Until full redundancy")),
        (tell("Repair"), tell("From the failure to full redundancy, with the wait")),
        (tell("Spare"), tell("How likely one is free")),
    )
    return text_columns(headings, left=1)


def risk_rows(risk: Risk) -> tuple[tuple[str, ...], ...]:
    """Return the kinds of vdev, the one that contributes most first, then what takes whole pools with it."""
    whole = sum(vdev.log_kept_of_all * count for vdev, count in risk.vdevs) + risk.log_spared(1)
    vdevs = sorted(risk.vdevs, key=lambda part: part[0].log_kept_of_all * part[1])
    others = []
    if risk.units:
        others.append((", ".join(sorted(risk.units)), len(risk.units) * risk.causes.log_unit(1)))
    # What no layout prevents: controller, software, a wrong command.
    others.append((tell("whole machine"), risk.causes.log_spared(1)))
    return (
        *(_term(vdev, count, whole) for vdev, count in vdevs),
        *((name, odds_text(-expm1(lost)), f"{100 * lost / whole:.0f} %", *("–",) * 5) for name, lost in others),
    )


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


def vdev_name(vdev: VdevRisk) -> str:
    """Return a kind of vdev in words: raidz2 of 8, special mirror of 2, single disk."""
    spec = vdev.spec
    front = "" if spec.vdev_class is VdevClass.DATA else f"{spec.vdev_class.value} "
    if spec.kind is VdevKind.STRIPE:
        return front + tell("single disk")
    return front + tell("{kind} of {width}", kind=spec.word, width=spec.width)
