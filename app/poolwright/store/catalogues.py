"""The catalogue of the library: the products as the user has them, in place of those that ship with the program."""

from dataclasses import fields
from decimal import Decimal, InvalidOperation

from poolwright.domain.catalogue import Catalogue, Product
from poolwright.domain.currency import CURRENCIES
from poolwright.domain.disk import Media
from poolwright.domain.errors import UserError
from poolwright.domain.money import Money
from poolwright.domain.shown import whole_text
from poolwright.store.database import Database
from poolwright.texts import tell

# The price is kept in two columns: its amount as text, which is exact, and its currency.
_COLUMNS = (*(field.name for field in fields(Product)), "currency")
_FLAGS = ("smr", "power_loss_protection", "sold")


class Catalogues:
    """The catalogue of one open library. Errors: UserError for a row that is not whole."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def load(self) -> Catalogue | None:
        """Return the user's catalogue; None when nobody has changed the one that ships with the program."""
        rows = self._database.rows("SELECT * FROM product ORDER BY place")
        if not rows:
            return None
        found = []
        for row in rows:
            values = {name: row[name] for name in _COLUMNS}
            values["price"] = self._price(row["model"], values["price"], values.pop("currency"))
            for name in _FLAGS:
                values[name] = None if values[name] is None else bool(values[name])
            try:
                values["media"] = Media(values["media"])
            except ValueError:
                raise UserError(
                    tell("The product “{row}” of the catalogue has an unknown media class", row=row["model"]),
                    where=str(self._database.path),
                    todo=tell("Take back the catalogue that ships with the program, or import one."),
                ) from None
            found.append(Product(**values))
        return Catalogue(products=tuple(found))

    def _price(self, model: str, amount: str | None, currency: str | None) -> Money | None:
        if amount is None:
            return None
        try:
            # What an older program took for a currency may be none.
            return Money(amount=Decimal(amount), currency=currency if currency in CURRENCIES else None)
        except (InvalidOperation, UserError):
            raise UserError(
                tell("The product “{model}” of the catalogue has a price that cannot be read", model=model),
                where=str(self._database.path),
                todo=tell("Take back the catalogue that ships with the program, or import one."),
            ) from None

    def save(self, catalogue: Catalogue) -> None:
        """Keep ``catalogue`` in place of the one before; raises UserError where two products have one key."""
        keys = [product.key for product in catalogue.products]
        twice = next((key for key in keys if keys.count(key) > 1), None)
        if twice is not None:
            raise UserError(
                tell("There are two products of the key “{twice}”", twice=twice),
                todo=tell("Give each product a key of its own."),
            )
        marks = ", ".join("?" for _ in range(len(_COLUMNS) + 1))
        with self._database.writing() as connection:
            connection.execute("DELETE FROM product")
            connection.executemany(
                f"INSERT INTO product (place, {', '.join(_COLUMNS)}) VALUES ({marks})",  # noqa: S608 - names of ours
                [(place, *_row(product)) for place, product in enumerate(catalogue.products)],
            )

    def forget(self) -> None:
        """Go back to the catalogue that ships with the program."""
        with self._database.writing() as connection:
            connection.execute("DELETE FROM product")


def _row(product: Product) -> tuple[object, ...]:
    price = product.price
    found: list[object] = []
    for name in _COLUMNS[:-1]:
        value = getattr(product, name)
        if isinstance(value, Money):
            value = value.plain()
        elif isinstance(value, str) and not isinstance(value, Media):
            value = whole_text(value)
        found.append(value.value if isinstance(value, Media) else value)
    return (*found, None if price is None else price.currency)
