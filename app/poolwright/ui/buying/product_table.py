"""The catalogue of disks one can buy as a table that can be edited."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, Qt, Signal

from poolwright.domain.catalogue import Catalogue, Product
from poolwright.domain.currency import parse_currency
from poolwright.domain.errors import UserError
from poolwright.domain.money import Money, rounded
from poolwright.domain.money_text import parse_money
from poolwright.domain.read_back import drive_read
from poolwright.domain.units import TB, drive_size
from poolwright.inventory.catalogue import cell_text, parse_cell
from poolwright.ui.parts.model_index import KEY_ROLE, SORT_ROLE, Index

_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


@dataclass(frozen=True, slots=True, kw_only=True)
class ProductColumn:
    """A column: the field it edits (empty: computed), how it is shown and sorted."""

    field: str
    title: str
    shown: Callable[[Product], str]
    number: bool = False


def per_tb(product: Product) -> Money | None:
    """Return the price of a TB of raw space; None without a price."""
    price = product.price
    return None if price is None else rounded(Fraction(price.amount) * TB / product.size_bytes, price.currency)


def _per_tb_text(product: Product) -> str:
    value = per_tb(product)
    return "" if value is None else str(value)


def _price_text(product: Product) -> str:
    return "" if product.price is None else product.price.number()


class ProductTable(QAbstractTableModel):
    """One row per product. ``edited`` sends the whole changed catalogue, ``refused`` why a text was not taken."""

    edited = Signal(object)
    refused = Signal(str)

    def __init__(
        self, today: Callable[[], str], currency: Callable[[], str | None], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._today, self._currency = today, currency
        self._catalogue = Catalogue()
        self._columns = self._make_columns()

    @property
    def columns(self) -> tuple[ProductColumn, ...]:
        """Return the columns in order."""
        return self._columns

    def show_catalogue(self, catalogue: Catalogue) -> None:
        """Show these products."""
        self.beginResetModel()
        self._catalogue = catalogue
        self.endResetModel()

    def product(self, row: int) -> Product:
        """Return the product of a row."""
        return self._catalogue.products[row]

    def row_of(self, key: str) -> int | None:
        """Return the row of a product."""
        return next((row for row, product in enumerate(self._catalogue.products) if product.key == key), None)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        """Return the number of products."""
        return 0 if parent.isValid() else len(self._catalogue.products)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """Return the number of columns."""
        return 0 if parent.isValid() else len(self._columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the name of a column."""
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if self._columns[section].number else _LEFT
        return self._columns[section].title if role == Qt.ItemDataRole.DisplayRole else None

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Let every fact be edited."""
        flags = super().flags(index)
        return flags | Qt.ItemFlag.ItemIsEditable if self._columns[index.column()].field else flags

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a cell shows, edits, sorts by or stands for."""
        product, column = self._catalogue.products[index.row()], self._columns[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return column.shown(product)
        if role == Qt.ItemDataRole.EditRole:
            return cell_text(product, column.field) if column.field else None
        if role == Qt.ItemDataRole.TextAlignmentRole and column.number:
            return _RIGHT
        if role == Qt.ItemDataRole.ToolTipRole:
            return product.source or None
        if role == SORT_ROLE:
            return self._sort_value(product, column)
        return product.key if role == KEY_ROLE else None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Take a new value; a new price gets today's date."""
        column, product = self._columns[index.column()], self._catalogue.products[index.row()]
        if role != Qt.ItemDataRole.EditRole or not column.field:
            return False
        try:
            changes = self._changes(product, column.field, str(value))
        except UserError as error:
            self.refused.emit(f"{product.model}, {column.title}: {error.text}")
            return False
        if all(new == getattr(product, name) for name, new in changes.items()):
            return False
        if column.field == "price":
            changes |= {"priced_on": self._today(), "source": self.tr("entered by hand")}
        self.put(replace(product, **changes), index.row())  # type: ignore[arg-type]
        return True

    def understood(self, index: Index, text: str) -> str:
        """Return what a text means in a cell, empty where it says all itself. Raises UserError."""
        column, product = self._columns[index.column()], self._catalogue.products[index.row()]
        if not column.field:
            return ""
        value = self._changes(product, column.field, text).get(column.field)
        if value is None or isinstance(value, bool):
            return ""
        if isinstance(value, Money):
            return self.tr("{price}, price of today").format(price=value)
        words = {
            "size_bytes": drive_read(value) if isinstance(value, int) else "",
            "afr_percent": self.tr("of a hundred such disks {number:g} fail in a year"),
            "watts": self.tr("{number:g} W under load"),
            "physical_sector_bytes": self.tr("sectors of {number:,} bytes"),
        }.get(column.field, "")
        return words.format(number=value)

    def _changes(self, product: Product, field: str, text: str) -> dict[str, object]:
        """Return the fields that a text typed into a cell changes. Raises UserError."""
        known = product.price
        if field == "price":
            # A price typed without a currency has that of the price before, else the one that is reckoned in.
            usual = self._currency() if known is None else known.currency or self._currency()
            return {"price": parse_money(text, currency=usual, what="price") if text.strip() else None}
        if field != "currency":
            return {field: parse_cell(field, text)}
        if known is None:
            raise UserError("A disk without a price has no currency", todo="Enter the price first, such as 289.90 EUR.")
        return {"price": replace(known, currency=parse_currency(text))}

    def put(self, product: Product, row: int) -> None:
        """Replace the product of a row."""
        products = list(self._catalogue.products)
        products[row] = product
        self._catalogue = Catalogue(products=tuple(products))
        self.dataChanged.emit(self.index(row, 0), self.index(row, self.columnCount() - 1))
        self.edited.emit(self._catalogue)

    def insert(self, product: Product) -> int:
        """Add a product at the end; return its row."""
        row = self.rowCount()
        self.beginInsertRows(QModelIndex(), row, row)
        self._catalogue = Catalogue(products=(*self._catalogue.products, product))
        self.endInsertRows()
        self.edited.emit(self._catalogue)
        return row

    def remove(self, row: int) -> None:
        """Take a product out."""
        self.beginRemoveRows(QModelIndex(), row, row)
        products = self._catalogue.products
        self._catalogue = Catalogue(products=products[:row] + products[row + 1 :])
        self.endRemoveRows()
        self.edited.emit(self._catalogue)

    @property
    def catalogue(self) -> Catalogue:
        """Return the products as they are now."""
        return self._catalogue

    def _sort_value(self, product: Product, column: ProductColumn) -> Any:
        if not column.number:
            return column.shown(product).casefold()
        value = getattr(product, column.field) if column.field else per_tb(product)
        return float("inf") if value is None else float(value.amount if isinstance(value, Money) else value)

    def _currency_text(self, product: Product) -> str:
        return "" if product.price is None else product.price.currency or self.tr("not said")

    def _make_columns(self) -> tuple[ProductColumn, ...]:
        yes, no = self.tr("yes"), self.tr("no")

        def amount(field: str, form: str) -> Callable[[Product], str]:
            def shown(product: Product) -> str:
                value = getattr(product, field)
                return "" if value is None else format(value, form)

            return shown

        def text(field: str) -> Callable[[Product], str]:
            def shown(product: Product) -> str:
                value = getattr(product, field)
                return {True: yes, False: no, None: ""}.get(value, str(value))

            return shown

        return (
            ProductColumn(field="model", title=self.tr("Model"), shown=text("model")),
            ProductColumn(field="media", title=self.tr("Kind"), shown=lambda p: p.media.value.upper()),
            ProductColumn(
                field="size_bytes", title=self.tr("Size"), shown=lambda p: drive_size(p.size_bytes), number=True
            ),
            ProductColumn(field="price", title=self.tr("Price"), shown=_price_text, number=True),
            ProductColumn(field="currency", title=self.tr("Currency"), shown=self._currency_text),
            ProductColumn(field="", title=self.tr("Price/TB"), shown=_per_tb_text, number=True),
            ProductColumn(field="priced_on", title=self.tr("Price of"), shown=text("priced_on")),
            ProductColumn(
                field="afr_percent", title=self.tr("AFR in %"), shown=amount("afr_percent", ".2f"), number=True
            ),
            ProductColumn(field="watts", title=self.tr("Watts"), shown=amount("watts", ".1f"), number=True),
            ProductColumn(field="sold", title=self.tr("Still sold"), shown=text("sold")),
            ProductColumn(field="smr", title=self.tr("SMR"), shown=text("smr")),
            ProductColumn(
                field="power_loss_protection",
                title=self.tr("Power-loss protection"),
                shown=text("power_loss_protection"),
            ),
            ProductColumn(
                field="physical_sector_bytes",
                title=self.tr("Physical sector"),
                shown=amount("physical_sector_bytes", "d"),
                number=True,
            ),
        )
