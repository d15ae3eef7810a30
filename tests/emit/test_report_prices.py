"""The prices in a report: what each model costs, what nobody knows, and what is there already."""

from decimal import Decimal

from poolwright.domain.disk import Media
from poolwright.domain.estimate import Origin, OriginKind
from poolwright.domain.money import Money
from poolwright.emit.report import ReportTable
from poolwright.emit.report_comparison import price_blocks
from poolwright.predict.cost import DiskGroupCost, pool_cost
from poolwright.predict.drives import typed_rate

SHOP = Origin(kind=OriginKind.TYPED, source="a shop", when="2026-11-02")
BOUGHT = DiskGroupCost(
    count=4, media=Media.HDD, drive=typed_rate(1), model="MEADOW 16", size_bytes=16_000_900_661_248,
    price=Money(amount=Decimal(250), currency="EUR"), price_origin=SHOP,
)  # fmt: skip
THERE = DiskGroupCost(count=2, media=Media.HDD, drive=typed_rate(1), model="BROOK 8", at_hand=True)
UNKNOWN = DiskGroupCost(count=3, media=Media.SSD, drive=typed_rate(1))


def table_of(*groups: DiskGroupCost) -> ReportTable:
    (table,) = (b for b in price_blocks(pool_cost(groups, usable_bytes=10**13)) if isinstance(b, ReportTable))
    return table


def texts(table: ReportTable) -> list[list[str]]:
    return [[words.text for words in row] for row in table.rows]


def test_that_each_model_has_its_price_its_sum_its_date_and_its_source() -> None:
    assert texts(table_of(BOUGHT)) == [
        ["4", "MEADOW 16 (16 TB)", "250.00 EUR", "1,000.00 EUR", "2026-11-02", "a shop"],
        ["", "All disks", "", "1,000.00 EUR", "", ""],
    ]


def test_that_what_is_there_already_costs_nothing_and_an_unknown_price_leaves_no_sum() -> None:
    there, unknown = texts(table_of(THERE, UNKNOWN))
    assert there[2:4] == ["at hand", "nothing"]
    assert unknown[:4] == ["3", "model unknown (unknown)", "unknown", "unknown"]
