"""The catalogue of disks one can buy as a CSV text, and its products as planned disks."""

import csv
import io
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import fields

from poolwright.domain.catalogue import Catalogue, Product
from poolwright.domain.disk import Media
from poolwright.domain.errors import UserError
from poolwright.domain.units import parse_size
from poolwright.inventory.typed import label_bytes

COLUMNS = tuple(field.name for field in fields(Product))
MOST_PRODUCTS = 10_000
_REQUIRED = ("model", "media", "size_bytes")
_TEXTS = ("vendor", "currency", "priced_on", "source")
_TRUE, _FALSE = frozenset({"yes", "true", "1"}), frozenset({"no", "false", "0"})
_DATE = re.compile(r"[0-9]{4}(-[0-9]{2}){0,2}\Z")
_LABEL = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*(GB|TB)\Z", re.IGNORECASE)
_MOST_TOLD = 8


def write_catalogue(catalogue: Catalogue) -> str:
    """Return the catalogue as CSV with a header line; unknown values are empty."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for product in catalogue.products:
        values = (getattr(product, name) for name in COLUMNS)
        writer.writerow(_written(value) for value in values)
    return out.getvalue()


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
            problems.append(f"line {line}: the key “{found.key}” is that of line {seen[found.key]} too")
        seen.setdefault(found.key, line)
        products.append(found)
    if problems:
        more = f"; and {len(problems) - _MOST_TOLD} more" if len(problems) > _MOST_TOLD else ""
        told = "; ".join(problems[:_MOST_TOLD])
        raise UserError(f"The catalogue cannot be read: {told}{more}", where=where, todo="Mend these lines.")
    return Catalogue(products=tuple(products))


def parse_cell(column: str, text: str) -> object:
    """Return the value that ``text`` means in a column of the catalogue; None for an empty one. Raises UserError."""
    text = text.strip()
    if not text:
        if column in _REQUIRED:
            raise UserError(f"A product needs its {column.removesuffix('_bytes')}")
        return "" if column in _TEXTS else None
    return _PARSERS.get(column, str)(text)


def cell_text(product: Product, column: str) -> str:
    """Return what stands in a column of the catalogue, as `parse_cell` reads it."""
    return _written(getattr(product, column))


def product_key(model: str) -> str:
    """Return a key made of a model's letters and digits."""
    return re.sub(r"[^a-z0-9]+", "-", model.lower()).strip("-") or "disk"


def _rows(text: str, where: str | None) -> list[tuple[int, dict[str, str]]]:
    first = text.lstrip("\ufeff").partition("\n")[0]
    reader = csv.reader(
        io.StringIO(text.lstrip("\ufeff")), delimiter=";" if first.count(";") > first.count(",") else ","
    )
    try:
        header = [name.strip().lower() for name in next(reader, [])]
        lines = [(reader.line_num, row) for row in reader if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise UserError(f"This is not a CSV file: {error}", where=where) from None
    unknown = [name for name in header if name not in COLUMNS]
    lacking = [name for name in _REQUIRED if name not in header]
    if unknown or lacking or len(set(header)) != len(header):
        told = [f"there is no column {name}" for name in lacking]
        told += [f"the column “{name}” is not known" for name in unknown]
        told += ["a column stands there twice"] if len(set(header)) != len(header) else []
        raise UserError(
            f"This is not a catalogue: {'; '.join(told)}", where=where, todo=f"Columns are {', '.join(COLUMNS)}."
        )
    if len(lines) > MOST_PRODUCTS:
        raise UserError(f"A catalogue holds at most {MOST_PRODUCTS} products", where=where)
    wrong = [number for number, row in lines if len(row) != len(header)]
    if wrong:
        raise UserError(
            f"Line {wrong[0]} has another number of columns than the header", where=where, todo="Mend the line."
        )
    return [(number, dict(zip(header, (cell.strip() for cell in row), strict=True))) for number, row in lines]


def _product(row: Mapping[str, str], line: int, problems: list[str]) -> Product | None:
    values: dict[str, object] = {}
    before = len(problems)
    for name, text in row.items():
        if not text:
            if name in _REQUIRED:
                problems.append(f"line {line}: {name} is missing")
            continue
        try:
            values[name] = _PARSERS.get(name, str)(text)
        except (ValueError, UserError) as error:
            problems.append(f"line {line}, {name}: {error}")
    if len(problems) > before:
        return None
    values.setdefault("key", product_key(str(values["model"])))
    return Product(**values)  # type: ignore[arg-type]


def _media(text: str) -> Media:
    try:
        return Media(text.lower())
    except ValueError:
        raise UserError(f"“{text}” is not one of hdd, ssd, nvme") from None


def _size(text: str) -> int:
    """Return the bytes of a disk: a number as it is, a round label (16 TB) as what drives of that label have."""
    label = _LABEL.match(text)
    if label is not None:
        gigabytes = float(label.group(1)) * (1000 if label.group(2).upper() == "TB" else 1)
        if gigabytes.is_integer() and gigabytes > 0:
            return label_bytes(int(gigabytes))
    size = parse_size(text, what="size")
    if size <= 0:
        raise UserError("a size is more than 0")
    return size


def _amount(text: str) -> float:
    try:
        value = float(text.replace(",", "."))
    except ValueError:
        raise UserError(f"“{text}” is not a number") from None
    if not math.isfinite(value) or value < 0:
        raise UserError(f"“{text}” is not an amount of 0 or more")
    return value


def _yes(text: str) -> bool:
    word = text.lower()
    if word not in _TRUE | _FALSE:
        raise UserError(f"“{text}” is neither yes nor no")
    return word in _TRUE


def _whole(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise UserError(f"“{text}” is not a whole number")
    return int(text[:18])


def _day(text: str) -> str:
    if not _DATE.match(text):
        raise UserError(f"“{text}” is not a date like 2026-11-20 or 2026-11")
    return text


_PARSERS: dict[str, Callable[[str], object]] = {
    "media": _media,
    "size_bytes": _size,
    "logical_sector_bytes": _whole,
    "physical_sector_bytes": _whole,
    "rotation_rpm": _whole,
    "smr": _yes,
    "power_loss_protection": _yes,
    "price": _amount,
    "priced_on": _day,
    "afr_percent": _amount,
    "watts": _amount,
}


def _written(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value.value if isinstance(value, Media) else str(value)
