"""What can be bought, as a table: each offer costs more than the one before and is worth more."""

from enum import IntEnum
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QCoreApplication, QModelIndex, QObject, Qt

from poolwright.advise.buying import Offer
from poolwright.domain.units import binary, decimal, drive_size
from poolwright.domain.vdev import describe
from poolwright.predict.number_words import rate_text
from poolwright.ui.parts.expected_words import odds_text
from poolwright.ui.parts.model_index import Index
from poolwright.ui.state.money_of_budget import money_words

_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class OfferColumn(IntEnum):
    """The columns."""

    COST = 0
    MARK = 1
    BUY = 2
    USABLE = 3
    LAYOUT = 4
    SCORE = 5
    EACH = 6
    SURVIVES = 7
    RISK = 8
    READ = 9


_NUMBERS = frozenset(
    (OfferColumn.COST, OfferColumn.USABLE, OfferColumn.EACH, OfferColumn.SURVIVES, OfferColumn.READ, OfferColumn.SCORE)
)


def purchase_text(offer: Offer, nothing: str) -> str:
    """Return what an offer buys; ``nothing`` where the disks at hand are enough."""
    if offer.product is None:
        return nothing
    return f"{offer.count} × {offer.product.model} ({drive_size(offer.product.size_bytes)})"


def price_told(offer: Offer) -> str:
    """Return the price of one disk of an offer, in the currency and of the day it was seen; empty for no purchase."""
    product = offer.product
    if product is None or product.price is None:
        return ""
    each = QCoreApplication.translate("OfferTable", ", {price} each").format(price=product.price)
    return f"{each} ({product.priced_on})" if product.priced_on else each


class OfferTable(QAbstractTableModel):
    """One row per offer; the cheapest and the best are marked with a word."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._offers: tuple[Offer, ...] = ()
        self._cheapest: Offer | None = None
        self._best: Offer | None = None

    def show_offers(self, offers: tuple[Offer, ...], cheapest: Offer | None, best: Offer | None) -> None:
        """Show these."""
        self.beginResetModel()
        self._offers, self._cheapest, self._best = offers, cheapest, best
        self.endResetModel()

    def offer(self, row: int) -> Offer:
        """Return the offer of a row."""
        return self._offers[row]

    def row_of(self, offer: Offer | None) -> int | None:
        """Return the row of an offer."""
        return next((row for row, known in enumerate(self._offers) if known is offer), None)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """Return the number of offers."""
        return 0 if parent.isValid() else len(self._offers)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """Return the number of columns."""
        return 0 if parent.isValid() else len(OfferColumn)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the name of a column."""
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if section in _NUMBERS else _LEFT
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        return (
            *(self.tr("Cost"), self.tr("Mark"), self.tr("Buy"), self.tr("Usable"), self.tr("Layout"), self.tr("Score")),
            *(self.tr("Cost/TB"), self.tr("Survives"), self.tr("Yearly risk"), self.tr("Reads")),
        )[section]

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a cell shows."""
        offer, column = self._offers[index.row()], OfferColumn(index.column())
        if role == Qt.ItemDataRole.TextAlignmentRole and column in _NUMBERS:
            return _RIGHT
        if role == Qt.ItemDataRole.ToolTipRole and column is OfferColumn.COST:
            return f"{money_words(offer.cost)}{price_told(offer)}"
        if role == Qt.ItemDataRole.ToolTipRole and column is OfferColumn.USABLE:
            return decimal(offer.usable_bytes)
        return self._text(offer, column) if role == Qt.ItemDataRole.DisplayRole else None

    def _text(self, offer: Offer, column: OfferColumn) -> str:
        forecast = offer.candidate.measures.forecast
        if column is OfferColumn.MARK:
            marks = [self.tr("cheapest")] if offer is self._cheapest else []
            return ", ".join([*marks, self.tr("best")] if offer is self._best else marks)
        if column is OfferColumn.COST:
            return str(offer.cost)
        if column is OfferColumn.BUY:
            return purchase_text(offer, self.tr("nothing"))
        if column is OfferColumn.LAYOUT:
            return describe(offer.candidate.layout)
        if column is OfferColumn.USABLE:
            return binary(offer.usable_bytes)
        if column is OfferColumn.EACH:
            return "" if offer.cost_per_tb is None else str(offer.cost_per_tb)
        if column is OfferColumn.SURVIVES:
            return str(offer.candidate.failures_survived)
        if column is OfferColumn.RISK:
            return odds_text(offer.candidate.yearly_loss)
        return rate_text(forecast.speed.seq_read) if column is OfferColumn.READ else f"{offer.score:.1f}"
