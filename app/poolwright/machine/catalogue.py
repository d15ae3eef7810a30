"""The catalogue of disks one can buy as a CSV text: written, and read with all its mistakes told."""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import fields

from poolwright.domain.catalogue import Catalogue, Product
from poolwright.domain.disk import Media
from poolwright.domain.errors import UserError, is_missing, looks_like, taken_already
from poolwright.domain.money import Money, number_typed, parse_currency, parse_money
from poolwright.domain.shown import cell_value, csv_rows, csv_text
from poolwright.domain.units import out_of_range, parse_drive_size
from poolwright.texts import N_, _, first_of

_FIELDS = tuple(field.name for field in fields(Product))
# A price is one value with two columns.
COLUMNS = (*_FIELDS[: _FIELDS.index("price") + 1], "currency", *_FIELDS[_FIELDS.index("price") + 1 :])
MOST_PRODUCTS = 10_000
_REQUIRED = ("model", "media", "size_bytes")
_TEXTS = ("vendor", "priced_on", "source")
_TRUE, _FALSE = frozenset({"yes", "true", "1"}), frozenset({"no", "false", "0"})
_DATE = re.compile(r"[0-9]{4}(-[0-9]{2}){0,2}\Z")
_MOST_TOLD = 8
_AT = N_("line {line}, {name}: {error}")
_MOST_DIGITS = 9  # of a sector size or a speed


def write_catalogue(catalogue: Catalogue) -> str:
    rows = ([cell_text(product, name) for name in COLUMNS] for product in catalogue.products)
    return csv_text([COLUMNS, *rows], exact=True)


def read_catalogue(text: str, *, where: str | None = None) -> Catalogue:
    """Return the catalogue of a CSV text; comma or semicolon, columns in any order, those not needed may be left out.

    Raises UserError that names all errors with their lines: a missing or unknown column, a value that cannot be read,
    a key that stands there twice.
    """
    rows = _rows(text, where)
    problems: list[str] = []
    products: list[Product] = []
    seen: dict[str, int] = {}
    for line, row in rows:
        found = _product(row, line, problems)
        if found is None:
            continue
        if found.key in seen:
            twice = taken_already(found.key, _("line {line}", line=seen[found.key]))
            problems.append(_(_AT, line=line, name="key", error=twice))
        seen.setdefault(found.key, line)
        products.append(found)
    if problems:
        why = first_of(problems, _MOST_TOLD, between="; ")
        raise UserError(_("The file cannot be read: {why}", why=why), where=where)
    return Catalogue(products=tuple(products))


def parse_cell(column: str, text: str) -> object:
    """Return the value that ``text`` means in a column of the catalogue; None for an empty one. Raises UserError."""
    text = text.strip()
    if not text:
        if column in _REQUIRED:
            raise UserError(is_missing(column))
        return "" if column in _TEXTS else None
    return _PARSERS.get(column, str)(text)


def cell_text(product: Product, column: str) -> str:
    if column == "currency":
        return (product.price.currency if product.price is not None else None) or ""
    value: object = getattr(product, column)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Money):
        return number_typed(value)
    return "" if value is None else value.value if isinstance(value, Media) else str(value)


def product_key(model: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", model.lower()).strip("-") or "disk"


def _rows(text: str, where: str | None) -> list[tuple[int, dict[str, str]]]:
    first = text.lstrip("\ufeff").partition("\n")[0]
    try:
        rows = list(csv_rows(text, delimiter=";" if first.count(";") > first.count(",") else ","))
    except UserError as error:
        raise UserError(error.what, where=", ".join(filter(None, (where, error.where)))) from None
    header = [name.strip().lower() for name in rows[0][1]] if rows else []
    lines = [(number, row) for number, row in rows[1:] if any(cell.strip() for cell in row)]
    unknown = [name for name in header if name not in COLUMNS]
    lacking = [name for name in _REQUIRED if name not in header]
    if unknown or lacking or len(set(header)) != len(header):
        twice = [name for name in dict.fromkeys(header) if header.count(name) > 1]
        names = ", ".join((*lacking, *unknown, *twice))
        raise UserError(
            _("A column is missing, unknown or there twice: {names}", names=names),
            where=where,
            todo=_("Choose from {names}.", names=", ".join(COLUMNS)),
        )
    if len(lines) > MOST_PRODUCTS:
        raise out_of_range(len(lines), 1, MOST_PRODUCTS, of=where)
    wrong = [number for number, row in lines if len(row) != len(header)]
    if wrong:
        raise UserError(_("Line {wrong} has another number of columns than the header", wrong=wrong[0]), where=where)
    return [
        (number, dict(zip(header, (cell_value(cell).strip() for cell in row), strict=True))) for number, row in lines
    ]


def _product(row: Mapping[str, str], line: int, problems: list[str]) -> Product | None:
    values: dict[str, object] = {}
    before = len(problems)
    try:
        values["price"] = _price(row.get("price", ""), row.get("currency", ""))
    except UserError as error:
        problems.append(_(_AT, line=line, name="price", error=error))
    for name, text in row.items():
        try:
            if name not in ("price", "currency") and (text or name in _REQUIRED):
                values[name] = parse_cell(name, text)
        except UserError as error:
            problems.append(_(_AT, line=line, name=name, error=error))
    if len(problems) > before:
        return None
    values.setdefault("key", product_key(str(values["model"])))
    return Product(**values)  # type: ignore[arg-type]


def _media(text: str) -> Media:
    try:
        return Media(text.lower())
    except ValueError:
        raise UserError(looks_like(text, ", ".join(Media))) from None


def _amount(text: str) -> float:
    try:
        value = float(text.replace(",", "."))
    except ValueError:
        value = -1.0
    if not math.isfinite(value) or value < 0:
        raise UserError(looks_like(text, "4.5"))
    return value


def _price(text: str, currency: str) -> Money | None:
    """Return the price of a row; its currency may stand in either column, and not in two ways."""
    unit = parse_currency(currency)
    if not text:
        return None
    price = parse_money(text, currency=unit)
    if unit is not None and price.currency != unit:
        raise UserError(_("“{text}” names another currency than {unit}", text=text, unit=unit))
    return price


def _yes(text: str) -> bool:
    word = text.lower()
    if word not in _TRUE | _FALSE:
        raise UserError(looks_like(text, "yes"))
    return word in _TRUE


def _whole(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > _MOST_DIGITS:
        raise UserError(looks_like(text, "4096"))
    return int(text)


def _day(text: str) -> str:
    if not _DATE.match(text):
        raise UserError(looks_like(text, "2026-11-20, 2026-11"))
    return text


_PARSERS: dict[str, Callable[[str], object]] = {
    "media": _media,
    "size_bytes": parse_drive_size,
    "logical_sector_bytes": _whole,
    "physical_sector_bytes": _whole,
    "rotation_rpm": _whole,
    "smr": _yes,
    "power_loss_protection": _yes,
    "sold": _yes,
    "price": parse_money,
    "currency": parse_currency,
    "priced_on": _day,
    "afr_percent": _amount,
    "watts": _amount,
}
