"""What the library holds, kept, listed, opened, renamed, deleted and brought back: designs with all their versions,
the catalogue, comparisons, measured runs."""

import json
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from hashlib import sha256
from typing import TypeVar
from uuid import uuid4

from poolwright.domain.catalogue import Catalogue, Product
from poolwright.domain.design import Design
from poolwright.domain.disk import Disk, Media
from poolwright.domain.errors import UserError, not_there
from poolwright.domain.host import Inventory
from poolwright.domain.money import Money
from poolwright.domain.shown import whole_text
from poolwright.domain.vdev import describe
from poolwright.domain.workload import Goal
from poolwright.shipped import shipped
from poolwright.store import design_file
from poolwright.store.database import Database, checked_name, damaged, now_text
from poolwright.store.design_file import check_design, from_json, sum_of
from poolwright.texts import _

VERSIONS_KEPT = 200
_T = TypeVar("_T")


def _made_of(kind: type[_T], row: sqlite3.Row, **more: object) -> _T:
    """Return the fields of a row that ``kind`` has: a moment for what ends in _at, of what was deleted only whether."""
    values = {name.removesuffix("_at"): row[name] for name in row.keys()}  # noqa: SIM118 - a row is no mapping
    moments = (name.removesuffix("_at") for name in row.keys() if name.endswith("_at"))  # noqa: SIM118
    for name in moments:
        values[name] = values[name] is not None if name == "deleted" else datetime.fromisoformat(values[name])
    names = {field.name for field in fields(kind)}  # type: ignore[arg-type]
    return kind(**{name: value for name, value in (values | more).items() if name in names})


class _Shelf:
    """One kind of thing in an open library: UserError for what is not there, LibraryDamaged for what is broken."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def missing(self, key: str) -> UserError:
        return not_there(key, where=str(self._database.path))

    def _change(self, key: str, sql: str, *values: object) -> None:
        """Do one statement, whose last parameter is the key; raises UserError where it changed nothing."""
        if not self._database.change(sql, *values, key):
            raise self.missing(key)


@dataclass(frozen=True, slots=True, kw_only=True)
class DesignEntry:
    """A line of the library; ``summary`` tells the layout in words, ``deleted`` marks what is in the bin."""

    key: str
    name: str
    pool_name: str
    goal: Goal
    summary: str
    modified: datetime
    deleted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DesignVersion:
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


class Designs(_Shelf):
    def save(self, design: Design) -> bool:
        """Keep ``design`` as the newest version of its key; return False when it equals the newest already.

        A design in the bin comes back. The oldest versions beyond `VERSIONS_KEPT` go, the first one stays.
        """
        return self.store(design).is_new

    def store(self, design: Design, *, seen: int | None = None, rules: Mapping[str, int] | None = None) -> SaveResult:
        """Do as `save`; ``seen`` is the number of the newest version when the edit began, None for a new design.

        ``rules`` are the sums of those that judge it, kept once for all designs until they are others.
        """
        check_design(design)
        document, summary, now = design_file.to_json(design, lines=False), summary_of(design), now_text()
        columns = (design.key, design.name, design.pool_name, design.workload.goal.value, summary)
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
                (*(whole_text(text) for text in columns), now, now),
            )
            number = connection.execute(
                "INSERT INTO design_version (design_key, saved_at, summary, document, sum) VALUES (?, ?, ?, ?, ?)",
                (design.key, now, summary, document, sum_of(document)),
            ).lastrowid
            if rules and rules != self.rules_of(design.key):
                connection.execute("INSERT INTO setting VALUES (?, ?)", (f"rules of {now}", json.dumps(rules)))
            connection.execute(
                "DELETE FROM design_version WHERE design_key = :key "
                "AND number <> (SELECT min(number) FROM design_version WHERE design_key = :key) "
                "AND number NOT IN (SELECT number FROM design_version WHERE design_key = :key "
                "ORDER BY number DESC LIMIT :kept)",
                {"key": design.key, "kept": VERSIONS_KEPT - 1},
            )
        assert number is not None
        overtaken = newest is not None and seen is not None and newest["number"] > seen
        return SaveResult(number=number, is_new=True, overtaken=_made_of(DesignVersion, newest) if overtaken else None)

    def rules_of(self, key: str) -> dict[str, int] | None:
        """Return the sums of the rules with which the newest version of a design was saved; None where nobody knows."""
        rows = self._database.rows(
            "SELECT value FROM setting WHERE name BETWEEN 'rules of ' AND 'rules of ' || "
            "(SELECT max(saved_at) FROM design_version WHERE design_key = ?) ORDER BY name DESC LIMIT 1", key,
        )  # fmt: skip
        with self._database.reading():
            return dict(json.loads(rows[0]["value"])) if rows else None

    def newest_number(self, key: str) -> int | None:
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
            return tuple(_made_of(DesignEntry, row, goal=Goal(row["goal"])) for row in rows)

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
            raise self.missing(key)
        with self._database.reading():
            document: str = rows[0]["document"]
            known: str | None = rows[0]["sum"]
        if known not in (None, sum_of(document)):
            raise damaged(self._database.path, _("“{key}” is not as it was saved", key=key))
        try:
            design = from_json(document, where=_("design “{key}” in {path}", key=key, path=self._database.path))
        except UserError:
            with self._database.reading():
                json.loads(document)  # what was cut or garbled is damage; what is whole may be of a newer program
            raise
        if design.key != key:
            raise damaged(
                self._database.path, _("a version of design “{key}” is one of “{key2}”", key=key, key2=design.key)
            )
        return design

    def history(self, key: str) -> tuple[DesignVersion, ...]:
        rows = self._database.rows(
            "SELECT number, saved_at, summary FROM design_version WHERE design_key = ? ORDER BY number DESC", key
        )
        with self._database.reading():
            return tuple(_made_of(DesignVersion, row) for row in rows)

    def rename(self, key: str, name: str) -> Design:
        design = replace(self.open(key), name=checked_name(name))
        self.save(design)
        return design

    def delete(self, key: str) -> None:
        self._change(key, "UPDATE design SET deleted_at = ? WHERE key = ?", now_text())

    def undelete(self, key: str) -> None:
        self._change(key, "UPDATE design SET deleted_at = ? WHERE key = ?", None)


def summary_of(design: Design) -> str:
    if not design.vdevs:
        return _("no vdevs yet")
    return describe(tuple(vdev.sizeless() for vdev in design.vdevs))


# The catalogue of the library: the products as the user has them, in place of those that ship with the program.

# The price is kept in two columns: its amount as text, which is exact, and its currency.
_COLUMNS = (*(field.name for field in fields(Product)), "currency")
_FLAGS = ("smr", "power_loss_protection", "sold")


class Catalogues(_Shelf):
    def load(self) -> Catalogue | None:
        """Return the user's catalogue; None when nobody has changed the one that ships with the program."""
        rows = self._database.rows("SELECT * FROM product ORDER BY place")
        return Catalogue(products=tuple(map(self._product, rows))) if rows else None

    def _product(self, row: sqlite3.Row) -> Product:
        values = {name: row[name] for name in _COLUMNS if name != "currency"}
        for name in _FLAGS:
            values[name] = None if values[name] is None else bool(values[name])
        # What an older program took for a currency may be none.
        currency = row["currency"] if row["currency"] in shipped("currencies")["places"] else None
        try:
            values["media"] = Media(values["media"])
            if values["price"] is not None:
                values["price"] = Money(amount=Decimal(values["price"]), currency=currency)
        except (ValueError, InvalidOperation, UserError):
            raise UserError(
                _("The product “{model}” of the catalogue cannot be read", model=row["model"]),
                where=str(self._database.path),
                todo=_("Take back the catalogue that ships with the program, or import one."),
            ) from None
        return Product(**values)

    def save(self, catalogue: Catalogue) -> None:
        """Keep ``catalogue`` in place of the one before; raises UserError where two products have one key."""
        keys = [product.key for product in catalogue.products]
        twice = next((key for key in keys if keys.count(key) > 1), None)
        if twice is not None:
            raise UserError(
                _("There are two products of the key “{twice}”", twice=twice), todo=_("Give each its own key.")
            )
        marks = ", ".join("?" for __ in range(len(_COLUMNS) + 1))
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
    columns = {name: getattr(product, name) for name in _COLUMNS[:-1]}
    columns |= {"media": product.media.value, "price": price and price.plain()}
    whole = (whole_text(value) if isinstance(value, str) else value for value in columns.values())
    return (*whole, price and price.currency)


# The burn-ins of the library: the disks of each machine that had one, as an inventory under a name of its own.

_BURN_IN = "burn-in "  # for machines


class BurnIns(_Shelf):
    def completed(self, inventory: Inventory) -> Inventory:
        """Keep the burn-ins that an inventory tells; return it with those that are kept of its other disks."""
        rows = self._database.rows("SELECT * FROM inventory WHERE name LIKE ? ORDER BY modified_at", f"{_BURN_IN}%")
        kept = {row["name"]: _disks_in(row["document"]) for row in rows}
        known = {disk.drive: disk.burn_in for disks in kept.values() for disk in disks}
        tested = {disk.drive: disk for disk in inventory.disks if disk.burn_in is not None}
        name = whole_text(f"{_BURN_IN}{inventory.name}")
        if any(known.get(drive) != disk.burn_in for drive, disk in tested.items()):
            own = (*tested.values(), *(disk for disk in kept.get(name, ()) if disk.drive not in tested))
            disks = tuple(replace(disk, key=f"{number}") for number, disk in enumerate(own))
            document = design_file.inventory_document(Inventory(name=name, disks=disks, origin=inventory.origin))
            sql = "INSERT OR REPLACE INTO inventory (name, modified_at, disk_count, document) VALUES (?, ?, ?, ?)"
            self._database.change(sql, name, now_text(), len(disks), document)
        found = (
            replace(disk, burn_in=known.get(disk.drive)) if disk.burn_in is None and disk.drive[0] else disk
            for disk in inventory.disks
        )
        return replace(inventory, disks=tuple(found)) if known else inventory


def _disks_in(document: str) -> tuple[Disk, ...]:
    with suppress(UserError):  # of a newer program, or damaged: a machine is read without it
        return design_file.read_inventory(document).disks
    return ()


# The comparisons of the library: which designs stand side by side, in which order, under which name.

LEAST_PARTS, MOST_PARTS = 2, 6


class PartKind(StrEnum):
    DESIGN = "design"
    MD_RAID6 = "md-raid6"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    design_key: str
    kind: PartKind = PartKind.DESIGN


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedComparison:
    key: str
    name: str
    modified: datetime
    parts: tuple[Part, ...]


class Comparisons(_Shelf):
    def list(self) -> tuple[SavedComparison, ...]:
        parts: dict[str, list[Part]] = {}
        with self._database.reading():
            for row in self._database.rows("SELECT * FROM comparison_part ORDER BY comparison_key, place"):
                part = Part(design_key=row["design_key"], kind=PartKind(row["kind"]))
                parts.setdefault(row["comparison_key"], []).append(part)
            rows = self._database.rows("SELECT * FROM comparison ORDER BY modified_at DESC, key")
            return tuple(_made_of(SavedComparison, row, parts=tuple(parts.get(row["key"], ()))) for row in rows)

    def open(self, key: str) -> SavedComparison:
        found = next((entry for entry in self.list() if entry.key == key), None)
        if found is None:
            raise self.missing(key)
        return found

    def save(self, name: str, parts: Sequence[Part], *, key: str | None = None) -> SavedComparison:
        """Keep these parts under ``name``, in the place of the comparison ``key`` where one is given; return it.

        Every design must be in the library, deleted or not.
        """
        name = checked_name(name)
        if not LEAST_PARTS <= len(parts) <= MOST_PARTS:
            words = {"least_columns": LEAST_PARTS, "most_columns": MOST_PARTS, "columns": len(parts)}
            raise UserError(_("A comparison has {least_columns} to {most_columns} designs, not {columns}", **words))
        known = {row["key"] for row in self._database.rows("SELECT key FROM design")}
        missing = next((part.design_key for part in parts if part.design_key not in known), None)
        if missing is not None:
            raise Designs(self._database).missing(missing)
        now, made = now_text(), key or uuid4().hex
        with self._database.writing() as connection:
            connection.execute(
                "INSERT INTO comparison (key, name, created_at, modified_at) VALUES (?, ?, ?, ?) "
                "ON CONFLICT (key) DO UPDATE SET name = excluded.name, modified_at = excluded.modified_at",
                (made, name, now, now),
            )
            connection.execute("DELETE FROM comparison_part WHERE comparison_key = ?", (made,))
            connection.executemany(
                "INSERT INTO comparison_part (comparison_key, place, kind, design_key) VALUES (?, ?, ?, ?)",
                [(made, place, part.kind.value, part.design_key) for place, part in enumerate(parts)],
            )
        return self.open(made)

    def rename(self, key: str, name: str) -> SavedComparison:
        sql = "UPDATE comparison SET name = ?, modified_at = ? WHERE key = ?"
        self._change(key, sql, checked_name(name), now_text())
        return self.open(key)

    def delete(self, key: str) -> SavedComparison:
        gone = self.open(key)
        self._database.change("DELETE FROM comparison WHERE key = ?", key)
        return gone

    def restore(self, gone: SavedComparison) -> SavedComparison:
        """Bring back what `delete` returned, under the same key."""
        return self.save(gone.name, gone.parts, key=gone.key)


# The measured runs of the library: each kept as its archive, listed, opened, renamed, deleted, brought back.

MOST_ARCHIVE_BYTES = 250 << 20  # SQLite itself takes rows of 1 GB at most
_LIST = (
    "SELECT key, name, made_at, host, pool, profile, design_name, design_key, judgement, seconds, size, deleted_at "
    "FROM run WHERE (deleted_at IS NOT NULL) = ? ORDER BY made_at DESC, key"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRun:
    """What a list of runs tells of one; the run itself is its archive, which this room does not look into.

    ``made`` is when it began (UTC), ``seconds`` how long it took. ``pool`` is None on another filesystem, the design
    where none was named; ``design_key`` may be of a design that the library does not hold. ``judgement`` is the
    verdict's word. ``size`` is that of the archive in bytes, told by the library; ``deleted`` marks what is in the bin.
    """

    key: str
    name: str
    made: datetime
    host: str
    profile: str
    judgement: str
    seconds: float
    pool: str | None = None
    design_name: str | None = None
    design_key: str | None = None
    size: int = 0
    deleted: bool = False

    def has_words(self, wanted: str) -> bool:
        columns = (self.name, self.profile, self.host, self.pool, self.design_name, self.judgement)
        text = f"{self.made:%Y-%m-%d} {' '.join(filter(None, columns))}".casefold()
        return all(word in text for word in wanted.casefold().split())


class Runs(_Shelf):
    def keep(self, run: StoredRun, archive: bytes) -> StoredRun:
        """Keep a run with its archive, in the place of one of the same key; return it as the library has it.

        A run in the bin comes back.
        """
        if not run.key.strip() or run.made.tzinfo is None:
            raise UserError(_("A run needs a key and a time with its zone"))
        if len(archive) > MOST_ARCHIVE_BYTES:
            raise UserError(
                _("The file is larger than {most} MiB", most=MOST_ARCHIVE_BYTES >> 20),
                where=str(self._database.path),
                todo=_("Keep it in a file of its own."),
            )
        made = run.made.astimezone(UTC)
        kept = replace(run, name=checked_name(run.name), made=made, size=len(archive), deleted=False)
        columns = (kept.key, kept.name, made.isoformat(), kept.host, kept.pool, kept.profile, kept.design_name)
        row = (*columns, kept.design_key, kept.judgement, kept.seconds, kept.size, None, archive_sum(archive), archive)
        with self._database.writing() as connection:
            whole = tuple(whole_text(value) if isinstance(value, str) else value for value in row)
            connection.execute("INSERT OR REPLACE INTO run VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", whole)
        return kept

    def entries(self, *, deleted: bool = False) -> tuple[StoredRun, ...]:
        rows = self._database.rows(_LIST, int(deleted))
        with self._database.reading():
            return tuple(_made_of(StoredRun, row) for row in rows)

    def archive(self, key: str) -> bytes:
        rows = self._database.rows("SELECT archive, sum FROM run WHERE key = ?", key)
        if not rows:
            raise self.missing(key)
        archive: bytes = rows[0]["archive"]
        if archive_sum(archive) != rows[0]["sum"]:
            raise damaged(self._database.path, _("“{key}” is not as it was saved", key=key))
        return archive

    def rename(self, key: str, name: str) -> None:
        self._change(key, "UPDATE run SET name = ? WHERE key = ?", checked_name(name))

    def delete(self, key: str) -> None:
        self._change(key, "UPDATE run SET deleted_at = ? WHERE key = ?", now_text())

    def put_back(self, key: str) -> None:
        self._change(key, "UPDATE run SET deleted_at = ? WHERE key = ?", None)

    def empty_bin(self) -> int:
        """Remove for good what is in the bin; return how many runs that were. The file gives its room back later."""
        return self._database.change("DELETE FROM run WHERE deleted_at IS NOT NULL")


def archive_sum(archive: bytes) -> str:
    """Return the sum by which a byte that turned on the disk is found."""
    return sha256(archive).hexdigest()
