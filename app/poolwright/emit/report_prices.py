"""What the disks of a design cost, model by model: price, its currency, its date and where it comes from."""

from poolwright.changes.growth.prices import brings_disks, price_of_step
from poolwright.domain.design import Design
from poolwright.domain.units import drive_size
from poolwright.emit.report_blocks import Block, ReportHeading, ReportTable, TextTone, Words, paragraph, plain
from poolwright.predict.cost import Cost, DiskGroupCost
from poolwright.predict.number_words import UNKNOWN
from poolwright.texts import marked, tell

_UNKNOWN_DATE = marked("date unknown")
_HEADER = (
    marked("Disks"),
    marked("Model"),
    marked("Price of one"),
    marked("Together"),
    marked("Price of"),
    marked("From"),
)


def price_blocks(cost: Cost | None, *, heading: str = marked("Prices"), level: int = 2) -> list[Block]:
    """Return the table of prices with its sum, and the rates by which something was converted.

    ``heading`` is told here.
    """
    if cost is None or not cost.groups:
        return []
    rows = [price_row(group) for group in cost.groups]
    if cost.purchase is not None:
        whole = Words(text=str(cost.purchase), strong=True)
        rows.append((*plain(""), Words(text=tell("All disks"), strong=True), *plain(""), whole, *plain("", "")))
    blocks: list[Block] = [
        ReportHeading(text=tell(heading), level=level),
        ReportTable(header=tuple(map(tell, _HEADER)), rows=tuple(rows), right=frozenset((0, 2, 3))),
    ]
    if cost.rates:
        blocks.append(paragraph(tell("Converted at {rates}.", rates="; ".join(map(str, cost.rates)))))
    if unnamed(cost):
        blocks.append(paragraph(tell("Nobody said in which currency the prices without one are."), TextTone.WARN))
    if cost.problem:
        blocks.append(paragraph(cost.problem, TextTone.WARN))
    return blocks


def growth_blocks(design: Design) -> list[Block]:
    """Return the planned steps with the price of a disk that each brings, and of when it is."""
    if not design.growth:
        return []
    rows = []
    for step in design.growth:
        price, on = price_of_step(step, design.budget)
        at_hand = ", ".join(design.disk(key).label for key in step.disk_keys)
        told = (tell("nothing"), "") if not brings_disks(step) else (tell(UNKNOWN), "")
        if price is not None and brings_disks(step):
            told = (str(price), on or tell(_UNKNOWN_DATE))
        rows.append(plain(str(step), at_hand, *told))
    header = (tell("Step"), tell("With disks at hand"), tell("Price of one disk"), tell("Price of"))
    return [
        ReportHeading(text=tell("Planned growth")),
        ReportTable(header=header, rows=tuple(rows), right=frozenset((2,))),
    ]


def price_row(group: DiskGroupCost) -> tuple[Words, ...]:
    """Return what equal disks cost, as a row under the header of `price_blocks`."""
    size = drive_size(group.size_bytes)
    model = f"{group.model} ({size})" if group.model else tell("model unknown ({size})", size=size)
    if group.at_hand:
        return plain(str(group.count), model, tell("at hand"), tell("nothing"), "", "")
    if group.price is None or group.price_origin is None:
        return plain(str(group.count), model, tell(UNKNOWN), tell(UNKNOWN), "", "")
    origin = group.price_origin
    told = (str(group.price), str(group.price * group.count), origin.when or tell(_UNKNOWN_DATE), origin.source)
    return plain(str(group.count), model, *told)


def unnamed(cost: Cost) -> bool:
    """Tell whether a price is there whose currency nobody said."""
    return any(group.price is not None and group.price.currency is None for group in cost.groups)
