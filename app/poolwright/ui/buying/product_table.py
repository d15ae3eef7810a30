"""The catalogue of disks one can buy as a table that can be edited."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from fractions import Fraction
from functools import partial

from PySide6.QtCore import QObject, Signal

from poolwright.domain.catalogue import Catalogue, Product
from poolwright.domain.currency import parse_currency
from poolwright.domain.errors import UserError
from poolwright.domain.money import Money, rounded
from poolwright.domain.money_text import parse_money
from poolwright.domain.read_back import drive_read
from poolwright.domain.units import TB, drive_size
from poolwright.machine.catalogue import cell_text, parse_cell
from poolwright.texts import tell
from poolwright.ui.parts.model_index import Index
from poolwright.ui.parts.table import RowModel, TableColumn


def per_tb(product: Product) -> Money | None:
    """Return the price of a TB of raw space; None without a price."""
    price = product.price
    return None if price is None else rounded(Fraction(price.amount) * TB / product.size_bytes, price.currency)


def _per_tb_text(product: Product) -> str:
    value = per_tb(product)
    return "" if value is None else str(value)


def _price_text(product: Product) -> str:
    return "" if product.price is None else product.price.number()


class ProductTable(RowModel[Product]):
    """One row per product. ``edited`` sends the whole changed catalogue, ``refused`` why a text was not taken."""

    edited = Signal(object)
    refused = Signal(str)

    def __init__(
        self, today: Callable[[], str], currency: Callable[[], str | None], parent: QObject | None = None
    ) -> None:
        self._fields = tuple(field for field, *_ in self._told())
        super().__init__(
            self._make_columns(), parent, key=lambda product: product.key, searched=lambda product: product.model
        )
        self._today, self._currency = today, currency

    def show_catalogue(self, catalogue: Catalogue) -> None:
        self.show_rows(catalogue.products)

    @property
    def catalogue(self) -> Catalogue:
        return Catalogue(products=self.rows)

    def insert(self, product: Product) -> None:
        self._take((*self.rows, product))

    def remove(self, key: str) -> None:
        self._take(product for product in self.rows if product.key != key)

    def put(self, product: Product) -> None:
        """Replace the product of the same key."""
        self._take(product if known.key == product.key else known for known in self.rows)

    def _take(self, products: Iterable[Product]) -> None:
        self.show_rows(products)
        self.edited.emit(self.catalogue)

    def _write(self, field: str, title: str, product: Product, text: str) -> bool:
        """Take a new value; a new price gets today's date."""
        try:
            changes = self._changes(product, field, text)
        except UserError as error:
            self.refused.emit(f"{product.model}, {title}: {error.text}")
            return False
        if all(new == getattr(product, name) for name, new in changes.items()):
            return False
        if field == "price":
            changes |= {"priced_on": self._today(), "source": tell("entered by hand")}
        self.put(replace(product, **changes))  # type: ignore[arg-type]
        return True

    def understood(self, index: Index, text: str) -> str:
        """Return what a text means in a cell, empty where it says all itself. Raises UserError."""
        field, product = self._fields[index.column()], self.row(index.row())
        if not field:
            return ""
        value = self._changes(product, field, text).get(field)
        if value is None or isinstance(value, bool):
            return ""
        if isinstance(value, Money):
            return tell("{price}, price of today", price=value)
        words = {
            "size_bytes": drive_read(value) if isinstance(value, int) else "",
            "afr_percent": tell("of a hundred such disks {number:g} fail in a year"),
            "watts": tell("{number:g} W under load"),
            "physical_sector_bytes": tell("sectors of {number:,} bytes"),
        }.get(field, "")
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
            raise UserError(
                tell("A disk without a price has no currency"), todo=tell("Enter the price first, such as 289.90 EUR.")
            )
        return {"price": replace(known, currency=parse_currency(text))}

    def _currency_text(self, product: Product) -> str:
        return "" if product.price is None else product.price.currency or tell("not said")

    def _make_columns(self) -> tuple[TableColumn[Product], ...]:
        return tuple(
            TableColumn(
                title=title,
                text=shown,
                value=partial(_sort_value, field) if number else None,
                number=number,
                tip=lambda product: product.source,
                typed=partial(cell_text, column=field) if field else None,
                write=partial(self._write, field, title) if field else None,
            )
            for field, title, shown, number in self._told()
        )

    def _told(self) -> tuple[tuple[str, str, Callable[[Product], str], bool], ...]:
        """Return the columns: the field that is edited (empty: computed), title, text, and whether it is a number."""
        return (
            ("model", tell("Model"), self._fact("model"), False),
            ("media", tell("Kind"), lambda p: p.media.words, False),
            ("size_bytes", tell("Size"), lambda p: drive_size(p.size_bytes), True),
            ("price", tell("Price"), _price_text, True),
            ("currency", tell("Currency"), self._currency_text, False),
            ("", tell("Price/TB"), _per_tb_text, True),
            ("priced_on", tell("Price of"), self._fact("priced_on"), False),
            ("afr_percent", tell("AFR in %"), _amount("afr_percent", ".2f"), True),
            ("watts", tell("Watts"), _amount("watts", ".1f"), True),
            ("sold", tell("Still sold"), self._fact("sold"), False),
            ("smr", tell("SMR"), self._fact("smr"), False),
            ("power_loss_protection", tell("Power-loss protection"), self._fact("power_loss_protection"), False),
            ("physical_sector_bytes", tell("Physical sector"), _amount("physical_sector_bytes", "d"), True),
        )

    def _fact(self, field: str) -> Callable[[Product], str]:
        known = {True: tell("yes"), False: tell("no"), None: ""}

        def shown(product: Product) -> str:
            value = getattr(product, field)
            return known.get(value, str(value))

        return shown


def _amount(field: str, form: str) -> Callable[[Product], str]:
    def shown(product: Product) -> str:
        value = getattr(product, field)
        return "" if value is None else format(value, form)

    return shown


def _sort_value(field: str, product: Product) -> float | None:
    value = getattr(product, field) if field else per_tb(product)
    return None if value is None else float(value.amount if isinstance(value, Money) else value)
