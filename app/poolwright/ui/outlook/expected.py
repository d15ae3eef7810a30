"""What is predicted of a pool, as blocks: speed with the chain of its limits, rebuild, risk, cost, and each origin."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import expm1

from poolwright.domain.estimate import Estimate
from poolwright.domain.rates import rate_text
from poolwright.domain.units import binary
from poolwright.domain.vdev import VdevClass, VdevKind
from poolwright.emit.drawing import Anchor, Box, Drawing, Label, ShapeRole
from poolwright.emit.report import (
    Block,
    Bullets,
    Paragraph,
    Picture,
    ReportTable,
    TextTone,
    Words,
    paragraph,
    plain,
    table,
)
from poolwright.predict.assessment import Assessment
from poolwright.predict.cost import Cost
from poolwright.predict.drives import floor_of
from poolwright.predict.number_words import (
    advice_on,
    band_text,
    hours_text,
    money_text,
    odds_text,
    operations_text,
    speed_text,
    units_words,
)
from poolwright.predict.reliability import Risk, VdevRisk
from poolwright.predict.speed import ChainLink
from poolwright.texts import tell, tell_counted
from poolwright.ui.parts.estimate_line import priced, sentence
from poolwright.ui.parts.report_view import subheading
from poolwright.ui.state.money_of_budget import money_words

Text = Callable[[float], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class OutlookLine:
    """A predicted value with its name; ``more`` stands small below its band, ``unknown`` in place of a value.

    A benchmark could tell a ``speed``: a band too wide for a value says so instead of one.
    """

    name: str
    estimate: Estimate | None
    text: Text
    more: str = ""
    unknown: str = ""
    speed: bool = False


def outlook_blocks(expected: Assessment, cost: Cost | None) -> Iterator[Block]:
    speeds, rebuilds, risks = _speeds(expected), _rebuilds(expected), _risks(expected.risk)
    costs = () if cost is None else _costs(cost)
    yield paragraph(_asked_words(expected), TextTone.MUTED)
    yield _table(speeds)
    if _held_by_network(expected):
        yield _alone(expected)
    yield from (
        paragraph(sentence(tell("the band is wider here: {reason}", reason=reason)), TextTone.NOTE)
        for reason in expected.speed.extrapolations
    )
    yield subheading(tell("What limits it, from the disks to the network"))
    yield Picture(drawing=chain_drawing(expected.speed.chain))
    yield subheading(tell("Rebuild and scrub"))
    yield _table(rebuilds)
    wait = tell("Waiting for a disk, {hours:g} h without a spare, comes on top.", hours=expected.conditions.wait_hours)
    yield paragraph(wait if expected.rebuild is not None else "", TextTone.MUTED)
    yield subheading(tell("Risk within a year"))
    yield _table(risks)
    yield from _about_risk(expected.risk)
    yield from _about_cost(cost, costs)
    yield subheading(tell("Where these come from"))
    yield _origins((*speeds, *rebuilds, *risks, *costs))


def _table(lines: Sequence[OutlookLine]) -> ReportTable:
    return ReportTable(
        header=("", tell("Typical"), tell("Band"), tell("Limited by")),
        rows=tuple(map(_row, lines)),
        right=frozenset((1,)),
    )


def _row(line: OutlookLine) -> tuple[Words, ...]:
    found = line.estimate
    if found is None:
        return (*plain(line.name), Words(text=line.unknown, tone=TextTone.MUTED), *plain("", ""))
    value = speed_text(found, line.text) if line.speed else line.text(found.typical)
    typical = Words(text=value, strong=True)
    band = Words(text=band_text(found, line.text), small=line.more)
    return (*plain(line.name), typical, band, *plain(found.limit))


def _origins(lines: Sequence[OutlookLine]) -> Bullets:
    """Return what stands behind the numbers: each origin once, with the names of those it is behind."""
    found: dict[str, list[str]] = {}
    for line in lines:
        if line.estimate is not None:
            origin = " ".join(map(sentence, str(line.estimate.origin).split("; ")))
            found.setdefault(origin, []).append(line.name)
    return Bullets(items=tuple(Words(text=", ".join(names), small=origin) for origin, names in found.items()))


def _asked_words(expected: Assessment) -> str:
    clients, asked = expected.load.clients, expected.load.request_bytes
    record = binary(expected.load.record_bytes)
    who = tell("plenty of clients")
    if clients is not None:
        who = tell_counted("{count} client", "{count} clients at once", clients)
    if asked is None:
        return tell("For records of {record} and {clients}.", record=record, clients=who)
    text = tell("For requests of {asked} on records of {record}, and {clients}.")
    return text.format(asked=binary(asked), record=record, clients=who)


def _speeds(expected: Assessment) -> tuple[OutlookLine, ...]:
    rates: tuple[tuple[str, str, Text], ...] = (
        ("seq_read", tell("Sequential read"), rate_text),
        ("seq_write", tell("Sequential write"), rate_text),
        ("rand_read_iops", tell("Random reads a second"), operations_text),
        ("rand_write_iops", tell("Random writes a second"), operations_text),
        ("sync_write_iops", tell("Synchronous writes a second"), operations_text),
    )
    bare = expected.without_runs
    return tuple(
        OutlookLine(
            name=title, estimate=getattr(expected.speed, name), text=text, speed=True,
            more="" if bare is None else tell("without runs {band}", band=band_text(getattr(bare, name), text)),
        )
        for name, title, text in rates
    )  # fmt: skip


def _held_by_network(expected: Assessment) -> bool:
    links = (link for link in expected.speed.chain if link.name == "network")
    return any(link.narrowest_read or link.narrowest_write for link in links)


def _alone(expected: Assessment) -> Paragraph:
    read, write = expected.itself.seq_read, expected.itself.seq_write
    text = tell("The network limits it. The pool alone reads {read} ({reads}), writes {write} ({writes}).")
    return paragraph(
        text.format(
            read=rate_text(read.typical), reads=band_text(read, rate_text),
            write=rate_text(write.typical), writes=band_text(write, rate_text),
        )
    )  # fmt: skip


def _rebuilds(expected: Assessment) -> tuple[OutlookLine, OutlookLine]:
    none = tell("No redundancy: nothing can be rebuilt.")
    return (
        OutlookLine(name=tell("Rebuild of one disk"), estimate=expected.rebuild, text=hours_text, unknown=none),
        OutlookLine(name=tell("Scrub of the pool"), estimate=expected.scrub, text=hours_text),
    )


def _risks(risk: Risk) -> tuple[OutlookLine, OutlookLine, OutlookLine]:
    meaning = tell("more disks of one vdev fail at a time than it survives")
    files = tell("loss, or a block no disk can give back: its file is damaged")
    return (
        OutlookLine(name=tell("The pool is lost"), estimate=risk.loss, text=odds_text),
        OutlookLine(name=tell("… by failures of disks alone"), estimate=risk.disk_loss, text=odds_text, more=meaning),
        OutlookLine(name=tell("Any data are lost"), estimate=risk.damage, text=odds_text, more=files),
    )


def _about_risk(risk: Risk) -> Iterator[Block]:
    floor = odds_text(floor_of(risk.causes).typical)
    yield paragraph(units_words(risk.units), TextTone.WARN)
    yield paragraph(advice_on(risk.disk_probability), TextTone.NOTE)
    least = tell("Never less than {floor}: controller, software, a wrong command.", floor=floor)
    yield paragraph(f"{least} {tell('Not counted: fire, water, theft, malware, deletion.')}", TextTone.MUTED)
    header = (
        tell("vdevs"), tell("Loss"), tell("Share"), tell("Disks alone"),
        tell("AFR"), tell("Rebuild"), tell("Repair"), tell("Spare"),
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


def _costs(cost: Cost) -> tuple[OutlookLine, ...]:
    unit = cost.purchase.currency if cost.purchase is not None else None

    def money(amount: float) -> str:
        return f"{money_text(amount)} {unit or ''}".strip()

    def money_of_power(amount: float) -> str:
        return f"{money_text(amount)} {cost.power_currency or ''}".strip()

    unknown = tell("unknown")
    return (
        OutlookLine(name=tell("Power"), estimate=cost.power, text=money_of_power, unknown=unknown),
        OutlookLine(name=tell("Energy"), estimate=cost.energy_kwh, text=lambda kwh: tell("{kwh:,.0f} kWh", kwh=kwh)),
        OutlookLine(name=tell("Replacements"), estimate=cost.replacement, text=money, unknown=unknown),
        OutlookLine(name=tell("Disks that will fail"), estimate=cost.replacements, text=lambda count: f"{count:.1f}"),
        OutlookLine(name=tell("All together"), estimate=cost.total, text=money, unknown=unknown),
    )


def _about_cost(cost: Cost | None, lines: Sequence[OutlookLine]) -> Iterator[Block]:
    if cost is None:
        return
    over = tell("Cost over 1 year") if cost.years == 1 else tell("Cost over {years:g} years", years=cost.years)
    unknown = tell("unknown")
    bought = unknown if cost.purchase is None else money_words(cost.purchase)
    per_tb = unknown if cost.per_usable_tb is None else money_words(cost.per_usable_tb)
    bare = cost.purchase is None and not priced(cost)
    yield subheading(over)
    yield paragraph(cost.problem, TextTone.MUTED)
    yield paragraph(tell("Give the price of a disk among what is assumed.") if bare else "", TextTone.MUTED)
    from_where = sentence(str(cost.purchase_origin)) if cost.purchase_origin is not None else ""
    told = (tell("Purchase: {money}", money=bought), tell("Purchase per usable TB: {money}", money=per_tb))
    yield Bullets(items=(Words(text=told[0], strong=True, small=from_where), Words(text=told[1])))
    yield _table(lines)


# The chain from the disks to the network: each link as wide as the rate it passes, the narrowest in colour.

_WIDE, _NAMES, _HEAD, _LANE, _TEXTS = 720.0, 60.0, 24.0, 36.0, 44.0
_FULL = 0.62  # of a column is the link itself


def chain_drawing(links: Sequence[ChainLink]) -> Drawing:
    reads = [(link.read_bytes_per_second, link.narrowest_read) for link in links]
    writes = [(link.write_bytes_per_second, link.narrowest_write) for link in links]
    most = max((rate for rate, _ in (*reads, *writes) if rate is not None), default=1.0)
    column = (_WIDE - _NAMES) / max(1, len(links))
    shapes: list[Box | Label] = []
    for number, link in enumerate(links):
        name = tell("{name} (assumed)", name=tell(link.name)) if link.assumed else tell(link.name)
        shapes.append(Label(x=_NAMES + (number + 0.5) * column, y=14, text=name, anchor=Anchor.MIDDLE))
    for lane, (direction, rates) in enumerate(((tell("Read"), reads), (tell("Write"), writes))):
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
            told = tell("not known") if rate is None else rate_text(rate)
            shapes.append(Label(x=middle, y=top + _LANE + 14, text=told, anchor=Anchor.MIDDLE))
            if narrowest:
                text = tell("narrowest")
                shapes.append(Label(x=middle, y=top + _LANE + 28, text=text, anchor=Anchor.MIDDLE, strong=True))
    told = "; ".join(f"{tell(link.name)}: {link.limit}" for link in links)
    height = _HEAD + 2 * (_LANE + _TEXTS)
    return Drawing(width=_WIDE, height=height, title=tell("Chain of limits"), description=told, shapes=tuple(shapes))
