"""The usual ways to grow as a table, one a row."""

from PySide6.QtCore import QObject

from poolwright.advise.growth.strategies import Strategy
from poolwright.domain.units import binary
from poolwright.texts import tell
from poolwright.ui.design.growth.words import day_text
from poolwright.ui.parts.table import RowModel, TableColumn


class GrowthWays(RowModel[Strategy]):
    """Shows strategies side by side; the cheapest that is enough is marked in words."""

    def __init__(self, parent: QObject | None = None) -> None:
        columns: tuple[TableColumn[Strategy], ...] = (
            TableColumn(title=tell("Way"), text=lambda way: way.name),
            TableColumn(title=tell("Verdict"), text=self._verdict),
            TableColumn(title=tell("80 % on"), text=lambda way: day_text(way.lasts_until), number=True),
            TableColumn(title=tell("Steps"), text=lambda way: str(len(way.steps)), number=True),
            TableColumn(title=tell("Disks"), text=lambda way: str(way.disks), number=True),
            TableColumn(title=tell("Spent"), text=lambda way: "" if way.spent is None else str(way.spent), number=True),
            TableColumn(title=tell("Usable then"), text=_usable, number=True),
        )
        super().__init__(columns, parent)

    def _verdict(self, way: Strategy) -> str:
        if not way.enough:
            return tell("not enough")
        prices = [other.spent for other in self.rows if other.enough and other.spent is not None]
        alike = len({price.currency for price in prices}) == 1
        if way.spent is not None and len(prices) > 1 and alike and way.spent == min(prices):
            return tell("enough, cheapest")
        return tell("enough")


def _usable(way: Strategy) -> str:
    return binary(way.plan.stages[-1].capacity.available_bytes)
