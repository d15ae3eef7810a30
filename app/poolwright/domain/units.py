"""Sizes: parsed from what people type, kept as ``int`` bytes, formatted last.

A size is read in one of two ways, the same in every command, field and file. A **disk** is what its label says:
``6TB`` is the drive that is sold as 6 TB, which has 6,001,175,126,016 bytes (`parse_drive_size`). An **amount** of
data, of memory or of a file is exact: ``6TB`` is 6,000,000,000,000 bytes (`parse_size`). In both a unit with i
(``TiB``) and the bare letter of the ZFS tools (``T``) count in 1024s. A number without a unit is bytes only where it
can be nothing else; anything smaller is refused with what is likely meant."""

import re
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any

from poolwright.domain.errors import UserError
from poolwright.texts import N_, _, either, marked, ngettext, numeral, per_language, quoted

KIB, MIB, GIB, TIB = 1 << 10, 1 << 20, 1 << 30, 1 << 40
KB, MB, GB, TB = 10**3, 10**6, 10**9, 10**12

_LARGEST = 1 << 63
_SECTOR = 512
# Half of the least that OpenZFS takes as a device: partitions come out smaller. As many MB would be 33 PB.
LEAST_BARE_BYTES = 32 * MIB
PLAN_FILL_PERCENT = 80
DEFAULT_RECORD_BYTES = 128 * KIB  # recordsize of OpenZFS; the speed model's coefficients were fitted on it
HOURS_PER_YEAR = 365.25 * 24
DEFAULT_LOGICAL_SECTOR_BYTES = 512  # of a disk that does not say
DISK_UNITS = ("TB", "TiB", "GB")
SMALL_DISK_UNITS = ("GB", "GiB")
DATA_UNITS = ("GB", "GiB", "TiB")
CAPACITY_UNITS = ("TB", "TiB", "GB")
MEMORY_UNITS = ("GiB",)
BLOCK_UNITS = ("K", "KiB")
_LARGEST_TB_LABEL = 60
_SHOWN_DIGITS = 40
_HELP = N_("Write a number with its unit: 6TB or 500 GB (1000s), 5.5TiB or 128K (1024s), 512 B.")


def _units() -> dict[str, int]:
    found = dict.fromkeys(("b", "byte", "bytes"), 1)
    names = ("kilo", "mega", "giga", "tera", "peta", "exa")
    for power, name in enumerate(names, start=1):
        letter = name[0]
        found |= dict.fromkeys(
            (f"{letter}b", f"{letter}byte", f"{letter}bytes", f"{name}byte", f"{name}bytes"), 10 ** (3 * power)
        )
        two = f"{name[:2]}bi"
        found |= dict.fromkeys((letter, f"{letter}i", f"{letter}ib", f"{two}byte", f"{two}bytes"), 1 << (10 * power))
    return found


_UNITS = _units()


def parse_size(text: str, *, units: tuple[str, ...] = DATA_UNITS) -> int:
    """Return the bytes that ``text`` names: an amount of data, exactly.

    A bare number counts bytes from 32 MiB on; below, ``units`` are those that are offered instead. Raises UserError
    when the text is no size, has no unit, or is not between 1 byte and 2^63 - 1.
    """
    number, unit = _taken(text)
    if not unit and number < LEAST_BARE_BYTES:
        raise unit_missing(text, units)
    return _bytes(number, unit, text)


def parse_capacity(text: str) -> int:
    return parse_size(text, units=CAPACITY_UNITS)


def parse_memory(text: str) -> int:
    return parse_size(text, units=MEMORY_UNITS)


def parse_block_size(text: str) -> int:
    """Return the bytes of a record, a block or one read or write; as `parse_size`, but whole sectors need no unit.

    ``131072`` is what the tools print, ``128`` would be a quarter of a sector and is refused. Raises UserError.
    """
    number, unit = _taken(text)
    if not unit and Fraction(number) % _SECTOR:  # a Decimal has no remainder beyond 28 digits
        raise unit_missing(text, BLOCK_UNITS)
    return _bytes(number, unit, text)


def parse_record_size(text: str) -> int:
    size = parse_block_size(text)
    if size.bit_count() != 1 or not _SECTOR <= size <= 16 * MIB:
        raise UserError(
            _("recordsize {text} is not possible", text=shortened(text)),
            todo=_("OpenZFS takes powers of two from 512 to 16M."),
        )
    return size


def parse_drive_size(text: str) -> int:
    """Return the bytes of a disk: ``16TB`` is the drive sold as 16 TB, ``14.5TiB`` and ``16000900661248`` are exact.

    Raises UserError when the text is no size, has no unit and is less than 32 MiB, or is out of range.
    """
    number, unit = _taken(text)
    if not unit and number < LEAST_BARE_BYTES:
        raise unit_missing(text, DISK_UNITS if number <= _LARGEST_TB_LABEL else SMALL_DISK_UNITS)
    size = _bytes(number, unit, text)
    sold = _UNITS.get(unit.casefold(), 1) in (GB, TB, 1000 * TB)
    return label_bytes(size // GB) if sold and size % GB == 0 else size


def is_disk_unit(word: str) -> bool:
    """Tell whether ``word`` is a unit in which the size of a disk is written: no kB, and no e, as in 512e."""
    unit = word.casefold()
    return unit in _UNITS and not unit.startswith("k") and unit != "e"


def label_bytes(gigabytes: int) -> int:
    """Return the bytes a drive sold as ``gigabytes`` GB really has.

    Up to 8 TB: IDEMA LBA1-03, LBA = 97 696 368 + 1 953 504 x (GB - 50) sectors of 512 bytes, from 80 GB on.
    Above: SFF-8447, the label's bytes rounded up to whole 2^21 sectors (1 GiB). Both agree with the 6, 8, 10, 14,
    16 and 18 TB drives of all makers. Below 80 GB no rule holds and the label is taken literally.
    """
    if gigabytes < 80:
        return gigabytes * GB
    if gigabytes <= 8000:
        return 512 * (97_696_368 + 1_953_504 * (gigabytes - 50))
    step = 512 << 21
    return -(-gigabytes * GB // step) * step


def number_and_unit(text: str, todo: str) -> tuple[Decimal, str]:
    """Return what ``text`` writes and the unit behind it; raises UserError where no number leads."""
    number, unit = split_number(text)
    if not number:
        raise not_understood(text, todo)
    return number_of(number), unit


def not_understood(text: str, todo: str, *, where: str | None = None) -> UserError:
    what = _("{text} is not understood", text=shortened(text)) if text.strip() else _("A value is missing")
    return UserError(what, where=where, todo=todo)


def out_of_range(
    value: object, least: float | None = None, most: float | None = None, *, of: str | None = None
) -> UserError:
    """Return the refusal of a number that is not from ``least`` to ``most``; without these, of what is not above 0."""
    words = (
        {} if least is None else {"least": numeral(least, "g"), "most": "" if most is None else numeral(most, ",.15g")}
    )
    todo = N_("Give {least} to {most}.") if most is not None else N_("Give {least} or more.")
    return UserError(
        _("{text} is out of range", text=shortened(str(value))),
        where=of,
        todo=_(todo, **words) if words else _("Give a number above 0."),
    )


def unit_missing(text: str, units: Sequence[str], of_bytes: str = "B") -> UserError:
    """Return the refusal of a bare number, with the units that are likely meant and the one of bytes."""
    number = text[:_SHOWN_DIGITS].strip()
    offers = tuple(f"{number} {unit}" if len(unit) > 1 else f"{number}{unit}" for unit in units)
    return UserError(
        _("{text} has no unit", text=shortened(text)),
        todo=_("Write {offers}, or {number} {unit} for bytes.", offers=either(offers), number=number, unit=of_bytes),
    )


def _taken(text: str) -> tuple[Decimal, str]:
    number, unit = number_and_unit(text, _(_HELP))
    if unit and unit.casefold() not in _UNITS:
        raise unit_unknown(unit, text, _(_HELP))
    return number, unit


def unit_unknown(unit: str, text: str, todo: str) -> UserError:
    return UserError(_("{unit} in {text} is no unit here", unit=shortened(unit), text=shortened(text)), todo=todo)


def _bytes(number: Decimal, unit: str, text: str) -> int:
    size = int(number * _UNITS[unit.casefold() or "b"])
    if not 0 < size < _LARGEST:
        raise UserError(
            _("{text} is out of range", text=shortened(text)), todo=_("Give a size between 1 byte and 8 EiB.")
        )
    return size


def written_bytes(size: int) -> str:
    """Return a size in bytes as every parser of sizes reads it back: with the unit where bare ones are refused."""
    return str(size) if size >= LEAST_BARE_BYTES else f"{size}B"


def binary(size: int | None) -> str:
    """Return ``size`` bytes for people, in KiB to PiB; “unknown” for None."""
    return _scaled(size, 1024, ("B", "KiB", "MiB", "GiB", "TiB", "PiB"))


def decimal(size: int | None) -> str:
    """Return ``size`` bytes as drive makers print them, in kB to PB; “unknown” for None."""
    return _scaled(size, 1000, ("B", "kB", "MB", "GB", "TB", "PB"))


def size_difference(size: int) -> str:
    """Return for people by how much two sizes differ: a small difference to the byte, a large one as disks are sold."""
    return decimal(size) if abs(size) >= GB else ngettext("{count} byte", "{count} bytes", size)


def _scaled(size: int | None, base: int, names: tuple[str, ...]) -> str:
    if size is None:
        return _("unknown")
    value, index = float(size), 0
    # What would be written as 1000 MB is 1.00 GB: the unit follows the number that a person reads.
    while (abs(value) if index == 0 else round(abs(value))) >= base and index < len(names) - 1:
        value, index = value / base, index + 1
    # Three digits or so, counted after it is rounded: 10.0, not 10.00, for 9.999.
    digits = 2 if round(value, 2) < 10 else 1 if round(value, 1) < 100 else 0
    return f"{size} B" if index == 0 else numeral(value, f".{digits}f", names[index])


# The disks of a machine are of a few sizes, which stand in every row, tile and sentence about them.
@per_language
@lru_cache(maxsize=1 << 10)
def drive_size(size: int | None) -> str:
    """Return the size printed on a drive's label: 6 TB for 6001175126016 bytes; “unknown” for None."""
    if size is None:
        return _("unknown")
    for unit, name in ((10**15, "PB"), (TB, "TB"), (GB, "GB"), (MB, "MB")):
        if size >= unit * 0.995:
            value = size / unit
            rounded = round(value) if abs(value - round(value)) < max(0.05, 0.005 * value) else round(value, 2)
            return numeral(rounded, "g", name)
    return f"{size} B"


def drive_text(size: int) -> str:
    """Return a disk's size so that `parse_drive_size` reads the same bytes back: its label, else plain bytes."""
    label = drive_size(size)
    return label if parse_drive_size(label) == size else written_bytes(size)


def drive_word(size: int) -> str:
    """Return the same as one word, as a SPEC has it: with a point in every language."""
    return marked(drive_text(size)).replace(" ", "")


# Numbers as people write them: decimal point or comma, separators of thousands. What may mean two things is refused.

# Digits with what may stand between them. A plain space is looked at apart: “4 960” may be two numbers.
_LEADING = re.compile("[0-9](?:[0-9.,'’_\u00a0\u2009\u202f]*[0-9])?")
_SPACED = re.compile(r"[0-9]{1,3}(?: [0-9]{3}){2,13}(?:[.,][0-9]+)?(?![0-9])")
_NARROW = str.maketrans(dict.fromkeys("'’_\u00a0\u2009\u202f ", " "))
_PLAIN = re.compile(r"[0-9]+(?:\.[0-9]+)?\Z")
_EVEN_THOUSANDS = re.compile(r"[1-9][0-9]{0,2}\.[0-9]00\Z")
_COMMA = re.compile(r"([0-9]+),([0-9]+)\Z")
_POINT_GROUPS = re.compile(r"[0-9]{1,3}(?:\.[0-9]{3})+\Z")
_COMMA_GROUPS = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+\Z")
_SPACE_GROUPS = re.compile(r"[0-9]{1,3}(?: [0-9]{3})+\Z")
_DIGITS = re.compile(r"[0-9]+\Z")
_MOST_DIGITS = 40
_SHOWN = 40
_HEAD = 400


def shortened(text: str) -> str:
    """Return ``text`` in quotation marks for a message, without what surrounds it and not at any length."""
    bare = text[:_HEAD].strip()
    return quoted(bare if len(bare) <= _SHOWN else f"{bare[: _SHOWN - 1]}…")


def split_number(text: str) -> tuple[str, str]:
    """Return the number at the beginning of ``text`` as it was written, and the rest; both without blanks around.

    The first is empty where no digit leads.
    """
    bare = text.strip()
    found = _SPACED.match(bare) or _LEADING.match(bare)
    return ("", bare) if found is None else (found.group(), bare[found.end() :].strip())


def number_of(text: str) -> Decimal:
    """Return the number that ``text`` writes, as `split_number` found it.

    ``1.5`` and ``1,5`` are the same; ``6,001,175,126,016`` and ``6.001.175,5`` have separators of thousands. A comma
    before exactly three digits, ``1,920``, may be either and is refused, as is a point in ``16.000``; in a language
    with decimal commas it is the other way round. Raises UserError.
    """
    plain = marked(text.translate(_NARROW))
    if len(plain) > _MOST_DIGITS:
        raise UserError(
            _("{text} has too many digits", text=shortened(text)), todo=_("Write {most} at most.", most=_MOST_DIGITS)
        )
    if _PLAIN.match(plain):
        if _EVEN_THOUSANDS.match(plain):
            raise two_readings(text, *plain.split("."))
        return Decimal(plain)
    comma = _COMMA.match(plain)
    if comma is not None:
        whole, decimals = comma.groups()
        if len(decimals) == 3 and len(whole) <= 3 and whole.strip("0"):
            raise two_readings(text, whole, decimals)
        return Decimal(f"{whole}.{decimals}")
    mark = max(plain.rfind("."), plain.rfind(","))
    # The last of two different marks is the decimal sign; a mark that stands there twice parts thousands.
    decimal_sign = mark >= 0 and plain.count(plain[mark]) == 1
    whole, decimals = (plain[:mark], plain[mark + 1 :]) if decimal_sign else (plain, "")
    grouped = any(groups.match(whole) for groups in (_POINT_GROUPS, _COMMA_GROUPS, _SPACE_GROUPS))
    if grouped and (not decimals or _DIGITS.match(decimals)):  # nothing parts the digits behind the decimal sign
        digits = re.sub(r"[., ]", "", whole)
        return Decimal(f"{digits}.{decimals}" if decimals else digits)
    raise not_understood(text, _("Write it as 1500 or 1.5."))


def two_readings(text: str, whole: str, decimals: str) -> UserError:
    few = decimals.rstrip("0")
    written = marked(f"{whole}.{few}") if few else whole
    return UserError(
        _(
            "{text} can be {whole}{decimals} or {written}",
            text=shortened(text),
            whole=whole,
            decimals=decimals,
            written=written,
        ),
        todo=_("Write the one that is meant."),
    )


def zero_is_unknown(value: Any, *names: str) -> None:
    """Make these fields of a frozen value None where they are 0; tools and files print 0 for what they do not know."""
    for name in names:
        if getattr(value, name) == 0:
            object.__setattr__(value, name, None)
