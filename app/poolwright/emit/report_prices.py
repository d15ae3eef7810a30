"""What the disks of a design cost, model by model: price, its currency, its date and where it comes from."""

from poolwright.advise.growth.prices import brings_disks, price_of_step
from poolwright.domain.design import Design
from poolwright.domain.units import drive_size
from poolwright.emit.report_blocks import Block, ReportHeading, ReportTable, TextTone, Words, paragraph, plain
from poolwright.predict.cost import Cost, DiskGroupCost

UNKNOWN_DATE = "date unknown"
HEADER = ("Disks", "Model", "Price of one", "Together", "Price of", "From")


def price_blocks(cost: Cost | None, *, heading: str = "Prices", level: int = 2) -> list[Block]:
    """Return the table of prices with its sum, and the rates by which something was converted."""
    if cost is None or not cost.groups:
        return []
    rows = [price_row(group) for group in cost.groups]
    if cost.purchase is not None:
        whole = Words(text=str(cost.purchase), strong=True)
        rows.append((*plain(""), Words(text="All disks", strong=True), *plain(""), whole, *plain("", "")))
    blocks: list[Block] = [
        ReportHeading(text=heading, level=level),
        ReportTable(header=HEADER, rows=tuple(rows), right=frozenset((0, 2, 3))),
    ]
    if cost.rates:
        blocks.append(paragraph(f"Converted at {'; '.join(str(rate) for rate in cost.rates)}."))
    if unnamed(cost):
        blocks.append(paragraph("Nobody said in which currency the prices without one are.", TextTone.WARN))
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
        told = ("nothing", "") if not brings_disks(step) else ("unknown", "")
        if price is not None and brings_disks(step):
            told = (str(price), on or UNKNOWN_DATE)
        rows.append(plain(str(step), at_hand, *told))
    header = ("Step", "With disks at hand", "Price of one disk", "Price of")
    return [ReportHeading(text="Planned growth"), ReportTable(header=header, rows=tuple(rows), right=frozenset((2,)))]


def price_row(group: DiskGroupCost) -> tuple[Words, ...]:
    """Return what equal disks cost, as a row under `HEADER`."""
    size = drive_size(group.size_bytes)
    model = f"{group.model} ({size})" if group.model else f"model unknown ({size})"
    if group.at_hand:
        return plain(str(group.count), model, "at hand", "nothing", "", "")
    if group.price is None or group.price_origin is None:
        return plain(str(group.count), model, "unknown", "unknown", "", "")
    origin = group.price_origin
    told = (str(group.price), str(group.price * group.count), origin.when or UNKNOWN_DATE, origin.source)
    return plain(str(group.count), model, *told)


def unnamed(cost: Cost) -> bool:
    """Tell whether a price is there whose currency nobody said."""
    return any(group.price is not None and group.price.currency is None for group in cost.groups)
