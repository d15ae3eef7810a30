"""What is expected of a pool, as it is read from top to bottom; and the answer of each section in a few words."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import expm1

from poolwright.design.compare import QUANTITIES, Section
from poolwright.design.comparison_columns import Cell, Cells, cost_cells, predicted, slowed_cells, speeds_of
from poolwright.domain.money import no_currency
from poolwright.domain.rates import rate_text
from poolwright.domain.units import binary
from poolwright.emit.chart import Chart, ChartMark, chart_drawing
from poolwright.emit.comparison_charts import cell_text, rows_chart
from poolwright.emit.report import Block, Picture, ReportHeading, TextTone, Words, table
from poolwright.emit.report_design import expected_table, origins_of
from poolwright.predict.assessment import Assessment
from poolwright.predict.cost import Cost
from poolwright.predict.drives import floor_of
from poolwright.predict.number_words import (
    Unit,
    advice_on,
    band_text,
    hours_text,
    money_text,
    odds_text,
    units_words,
    vdev_words,
    within,
)
from poolwright.predict.reliability import Risk, VdevRisk
from poolwright.predict.speed import ChainLink
from poolwright.texts import _, capital, ngettext, numeral, sentence


def section_words(expected: Assessment, cost: Cost | None) -> tuple[str, ...]:
    cells, unit = _cells(expected, cost), {name: known.unit for name, known in QUANTITIES.items()}
    return tuple(
        " · ".join(f"{QUANTITIES[n].title} {cell_text(cells[n], unit[n])}" for n in names if n in cells)
        for names in (("seq_read", "seq_write"), ("loss", "rebuild"), *([] if cost is None else [("purchase",)]), ())
    )


def _cells(expected: Assessment, cost: Cost | None) -> Cells:
    slowed = slowed_cells(expected.degraded_losses(), expected.itself, expected.speed)
    cells = {**_speeds(expected), **slowed, **_safety(expected)}
    return cells if cost is None else {**cells, **_costs(cost)}


def outlook_blocks(expected: Assessment, cost: Cost | None) -> Iterator[Block]:
    cells = _cells(expected, cost)
    yield ReportHeading(text=_("Speed"))
    yield Words(_asked_words(expected), TextTone.MUTED)
    yield expected_table(cells, Section.SPEED)
    yield from (
        Words(capital(sentence(_("the band is wider here: {reason}", reason=reason))), TextTone.NOTE)
        for reason in expected.speed.extrapolations
    )
    yield Picture(drawing=chart_drawing(chain_chart(expected.speed.chain)))
    yield ReportHeading(text=_("Risk per year, and resilver"))
    yield expected_table(cells, Section.SAFETY)
    wait = _("Without a spare, add {hours:g} h of waiting for a disk.", hours=expected.conditions.wait_hours)
    yield Words(wait if expected.rebuild is not None else "", TextTone.MUTED)
    yield from _about_risk(expected.risk)
    if cost is not None:
        years = _("Cost over 1 year") if cost.years == 1 else _("Cost over {years:g} years", years=cost.years)
        bare = cost.purchase is None and not cost.priced
        yield ReportHeading(text=years)
        yield Words(cost.problem, TextTone.MUTED)
        yield Words(_("Enter the price of a disk under “What is assumed”.") if bare else "", TextTone.MUTED)
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
        "second": Cell(estimate=risk.worst.second_failure, note=within(risk.worst)),
        "rebuild": predicted(expected.rebuild, _("No redundancy: nothing can be rebuilt.")),
        "scrub": predicted(expected.scrub),
    }


def _costs(cost: Cost) -> Cells:
    cells = cost_cells(cost)
    if cost.purchase is not None:
        notes = (str(cost.purchase_origin or ""), "" if cost.purchase.currency else no_currency())
        cells["purchase"] = replace(cells["purchase"], note="; ".join(filter(None, notes)))
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
    yield Words(units_words(risk.units), TextTone.WARN)
    yield Words(advice_on(risk.disk_probability), TextTone.NOTE)
    least = _("Never less than {floor}: controller, software, a wrong command.", floor=floor)
    yield Words(f"{least} {_('Not counted: fire, water, theft, malware, deletion.')}", TextTone.MUTED)
    header = (
        _("vdevs"), _("Loss"), _("Share"), _("Disks alone"),
        "AFR", _("Rebuild"), _("Repair"), _("Spare"),
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
        numeral(vdev.drive.typical, ".2f", "%"),
        _("none possible") if vdev.repairs.rebuild is None else hours_text(vdev.repairs.rebuild.typical),
        _("none possible") if vdev.repair is None else hours_text(vdev.repair.typical),
        "–" if vdev.repairs.rebuild is None else f"{100 * vdev.spare_free:.0f} %",
    )


def chain_chart(links: Sequence[ChainLink]) -> Chart:
    """Return what each link from the disks to the network passes, the narrowest said."""
    reads = [(link.read_bytes_per_second, link.narrowest_read) for link in links]
    writes = [(link.write_bytes_per_second, link.narrowest_write) for link in links]
    marks = {
        name: [
            ChartMark(x=rate, y=number, label=_("{rate}, narrowest", rate=text) if narrowest else text)
            for number, (rate, narrowest) in enumerate(rates)
            if rate is not None and (text := rate_text(rate))
        ]
        for name, rates in ((_("Read"), reads), (_("Write"), writes))
    }
    names = tuple(_("{name} (assumed)", name=_(link.name)) if link.assumed else _(link.name) for link in links)
    return rows_chart("chain", _("What limits it, from the disks to the network"), Unit.RATE, names, marks)
