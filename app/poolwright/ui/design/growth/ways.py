"""The usual ways to grow as a table, one a row."""

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QCoreApplication, QModelIndex, QObject, Qt

from poolwright.advise.growth_strategies import Strategy
from poolwright.domain.units import binary
from poolwright.ui.design.growth.words import day_text
from poolwright.ui.parts.model_index import Index

_ROOT = QModelIndex()
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class GrowthWays(QAbstractTableModel):
    """Shows strategies side by side; the cheapest that is enough is marked in words."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._ways: tuple[Strategy, ...] = ()
        self._titles = (
            _tr("Way"),
            _tr("Verdict"),
            _tr("80 % on"),
            _tr("Steps"),
            _tr("Disks"),
            _tr("Spent"),
            _tr("Usable then"),
        )

    @property
    def ways(self) -> tuple[Strategy, ...]:
        """Return what is shown."""
        return self._ways

    def show_ways(self, ways: tuple[Strategy, ...]) -> None:
        """Show these."""
        self.beginResetModel()
        self._ways = ways
        self.endResetModel()

    def rowCount(self, parent: Index = _ROOT) -> int:
        """Return the number of ways."""
        return 0 if parent.isValid() else len(self._ways)

    def columnCount(self, parent: Index = _ROOT) -> int:
        """Return the number of columns."""
        return 0 if parent.isValid() else len(self._titles)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the heading of a column."""
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._titles[section]
        return self._alignment(section) if role == Qt.ItemDataRole.TextAlignmentRole else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a cell shows."""
        if not index.isValid():
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._alignment(index.column())
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        way = self._ways[index.row()]
        last = way.plan.stages[-1]
        return (
            way.name,
            self._verdict(way),
            day_text(way.lasts_until),
            str(len(way.steps)),
            str(way.disks),
            "" if way.spent is None else str(way.spent),
            binary(last.capacity.available_bytes),
        )[index.column()]

    def _alignment(self, column: int) -> Qt.AlignmentFlag:
        return _LEFT if column < 2 else _RIGHT

    def _verdict(self, way: Strategy) -> str:
        if not way.enough:
            return _tr("not enough")
        prices = [other.spent for other in self._ways if other.enough and other.spent is not None]
        alike = len({price.currency for price in prices}) == 1
        if way.spent is not None and len(prices) > 1 and alike and way.spent == min(prices):
            return _tr("enough, cheapest")
        return _tr("enough")


def _tr(text: str) -> str:
    return QCoreApplication.translate("growth", text)
