"""The designs of the library: every version saved, listed, opened, renamed, deleted and brought back."""

import json
import sqlite3
from dataclasses import dataclass, fields, replace
from datetime import datetime
from decimal import Decimal, InvalidOperation

from poolwright.domain.catalogue import Catalogue, Product
from poolwright.domain.currency import CURRENCIES
from poolwright.domain.design import Design
from poolwright.domain.disk import Media
from poolwright.domain.errors import UserError
from poolwright.domain.money import Money
from poolwright.domain.shown import whole_text
from poolwright.domain.vdev import describe
from poolwright.domain.workload import Goal
from poolwright.store.checks import damaged
from poolwright.store.contents import check_design
from poolwright.store.database import Database, checked_name, now_text
from poolwright.store.design_file import from_json, sum_of, to_line
from poolwright.texts import tell

VERSIONS_KEPT = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class DesignEntry:
    """A line of the library; ``summary`` tells the layout in words, ``deleted`` marks what is in the bin."""

    key: str
    name: str
    pool_name: str
    goal: Goal
    summary: str
    created: datetime
    modified: datetime
    deleted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DesignVersion:
    """A saved version of a design; ``number`` opens it."""

    number: int
    saved: datetime
    summary: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SaveResult:
    """What came of saving: the number of the newest version, whether it is new, and who saved in between.

    ``overtaken`` is the newest version of somebody else, saved after the one this edit began with; it stays.
    """

    number: int
    is_new: bool
    overtaken: DesignVersion | None = None


class Designs:
    """The designs of one open library. Errors: UserError for what is not there, LibraryDamaged for what is broken."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def save(self, design: Design) -> bool:
        """Keep ``design`` as the newest version of its key; return False when it equals the newest already.

        A design in the bin comes back. The oldest versions beyond `VERSIONS_KEPT` go, the first one stays.
        """
        return self.store(design).is_new

    def store(self, design: Design, *, seen: int | None = None) -> SaveResult:
        """Do as `save`; ``seen`` is the number of the newest version when the edit began, None for a new design."""
        check_design(design)
        document, summary, now = to_line(design), summary_of(design), now_text()
        told = (design.key, design.name, design.pool_name, design.workload.goal.value, summary)
        with self._database.writing() as connection:
            newest = connection.execute(
                "SELECT v.number, v.saved_at, v.summary, v.document, d.deleted_at FROM design_version v "
                "JOIN design d ON d.key = v.design_key WHERE v.design_key = ? ORDER BY v.number DESC LIMIT 1",
                (design.key,),
            ).fetchone()
            if newest is not None and newest["document"] == document and newest["deleted_at"] is None:
                return SaveResult(number=newest["number"], is_new=False)
            connection.execute(
                "INSERT INTO design (key, name, pool_name, goal, summary, created_at, modified_at) "
                "VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET name = excluded.name, "
                "pool_name = excluded.pool_name, goal = excluded.goal, summary = excluded.summary, "
                "modified_at = excluded.modified_at, deleted_at = NULL",
                (*(whole_text(text) for text in told), now, now),
            )
            number = connection.execute(
                "INSERT INTO design_version (design_key, saved_at, summary, document, sum) VALUES (?, ?, ?, ?, ?)",
                (design.key, now, summary, document, sum_of(document)),
            ).lastrowid
            connection.execute(
                "DELETE FROM design_version WHERE design_key = :key "
                "AND number <> (SELECT min(number) FROM design_version WHERE design_key = :key) "
                "AND number NOT IN (SELECT number FROM design_version WHERE design_key = :key "
                "ORDER BY number DESC LIMIT :kept)",
                {"key": design.key, "kept": VERSIONS_KEPT - 1},
            )
        assert number is not None
        other = _version_of(newest) if newest is not None and seen is not None and newest["number"] > seen else None
        return SaveResult(number=number, is_new=True, overtaken=other)

    def newest_number(self, key: str) -> int | None:
        """Return the number of the newest version of a design; None where there is none."""
        number: int | None = self._database.rows(
            "SELECT max(number) AS number FROM design_version WHERE design_key = ?", key
        )[0]["number"]
        return number

    def list(self, *, deleted: bool = False) -> tuple[DesignEntry, ...]:
        """Return the designs, last modified first; with ``deleted`` those in the bin instead.

        Asked again before anything was written, here or by another program, it answers without reading.
        """
        return self._database.while_unchanged(deleted, self._read_list)

    def _read_list(self, deleted: object) -> tuple[DesignEntry, ...]:
        rows = self._database.rows(
            "SELECT * FROM design WHERE (deleted_at IS NOT NULL) = ? ORDER BY modified_at DESC, key", deleted
        )
        with self._database.reading():
            return tuple(
                DesignEntry(
                    key=row["key"],
                    name=row["name"],
                    pool_name=row["pool_name"],
                    goal=Goal(row["goal"]),
                    summary=row["summary"],
                    created=datetime.fromisoformat(row["created_at"]),
                    modified=datetime.fromisoformat(row["modified_at"]),
                    deleted=row["deleted_at"] is not None,
                )
                for row in rows
            )

    def open(self, key: str, *, number: int | None = None) -> Design:
        """Return the newest version of a design, or the one with this ``number``."""
        rows = self._database.rows(
            "SELECT document, sum FROM design_version WHERE design_key = ? AND (? IS NULL OR number = ?) "
            "ORDER BY number DESC LIMIT 1",
            key,
            number,
            number,
        )
        if not rows:
            raise UserError(
                tell("The library holds no design “{key}” in this version", key=key), where=str(self._database.path)
            )
        with self._database.reading():
            document: str = rows[0]["document"]
            known: str | None = rows[0]["sum"]
        if known not in (None, sum_of(document)):
            raise damaged(self._database.path, tell("a version of the design “{key}” is not as it was saved", key=key))
        try:
            design = from_json(document, where=tell("design “{key}” in {path}", key=key, path=self._database.path))
        except UserError:
            with self._database.reading():
                json.loads(document)  # what was cut or garbled is damage; what is whole may be of a newer program
            raise
        if design.key != key:
            raise damaged(
                self._database.path, tell("a version of design “{key}” is one of “{key2}”", key=key, key2=design.key)
            )
        return design

    def newest(self) -> Design | None:
        """Return the design that was modified last, None in an empty library: what to show after a restart."""
        entries = self.list()
        return self.open(entries[0].key) if entries else None

    def history(self, key: str) -> tuple[DesignVersion, ...]:
        """Return the saved versions of a design, newest first."""
        rows = self._database.rows(
            "SELECT number, saved_at, summary FROM design_version WHERE design_key = ? ORDER BY number DESC", key
        )
        with self._database.reading():
            return tuple(_version_of(row) for row in rows)

    def rename(self, key: str, name: str) -> Design:
        """Give a design another name, as a new version; return it."""
        design = replace(self.open(key), name=checked_name(name))
        self.save(design)
        return design

    def delete(self, key: str) -> None:
        """Put a design into the bin; its versions stay."""
        self._mark(key, now_text())

    def undelete(self, key: str) -> None:
        self._mark(key, None)

    def _mark(self, key: str, deleted_at: str | None) -> None:
        if not self._database.change("UPDATE design SET deleted_at = ? WHERE key = ?", deleted_at, key):
            raise UserError(tell("The library holds no design “{key}”", key=key), where=str(self._database.path))


def _version_of(row: sqlite3.Row) -> DesignVersion:
    return DesignVersion(number=row["number"], saved=datetime.fromisoformat(row["saved_at"]), summary=row["summary"])


def summary_of(design: Design) -> str:
    """Return the layout of a design in a few words, whatever is known of its disks."""
    if not design.vdevs:
        return tell("no vdevs yet")
    return describe(tuple(vdev.sizeless() for vdev in design.vdevs))


# The catalogue of the library: the products as the user has them, in place of those that ship with the program.

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
        return Catalogue(products=tuple(map(self._product, rows))) if rows else None

    def _product(self, row: sqlite3.Row) -> Product:
        values = {name: row[name] for name in _COLUMNS if name != "currency"}
        for name in _FLAGS:
            values[name] = None if values[name] is None else bool(values[name])
        # What an older program took for a currency may be none.
        currency = row["currency"] if row["currency"] in CURRENCIES else None
        try:
            values["media"] = Media(values["media"])
            if values["price"] is not None:
                values["price"] = Money(amount=Decimal(values["price"]), currency=currency)
        except (ValueError, InvalidOperation, UserError):
            raise UserError(
                tell("The product “{model}” of the catalogue cannot be read", model=row["model"]),
                where=str(self._database.path),
                todo=tell("Take back the catalogue that ships with the program, or import one."),
            ) from None
        return Product(**values)

    def save(self, catalogue: Catalogue) -> None:
        """Keep ``catalogue`` in place of the one before; raises UserError where two products have one key."""
        keys = [product.key for product in catalogue.products]
        twice = next((key for key in keys if keys.count(key) > 1), None)
        if twice is not None:
            raise UserError(
                tell("There are two products of the key “{twice}”", twice=twice), todo=tell("Give each its own key.")
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
        self._database.change("DELETE FROM product")


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
