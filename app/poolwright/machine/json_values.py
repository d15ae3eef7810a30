"""Single values of a tool's JSON: what is absent or of another type is None, never an error."""

import io
import json
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from itertools import islice
from typing import TypeVar

from poolwright.domain.disk import Disk
from poolwright.domain.errors import UserError
from poolwright.domain.estimate import Origin
from poolwright.texts import N_, _, ngettext

# SMART's own numbers have up to 128 bits; beyond them nothing was counted, and no float holds all of it.
_MOST = 1 << 128
_FIRST_LINES = 50
_DEEPEST = 64
_BLANKS, _INDENT = re.compile(r"\s*+"), re.compile(r"[\ufeff \t]*+")


def parse_json(text: str, *, where: str, tool: str) -> object:
    """Return the JSON value in ``text``; lines before the first brace (a shell prompt, a warning) are skipped.

    Raises UserError naming ``where`` when the text is cut off or no JSON.
    """
    return decoded(text, json_start(text), where=where, tool=tool)[0]


def decoded(text: str, begin: int, *, tool: str, where: str | None = None) -> tuple[object, int]:
    """Return the JSON value that begins there and where it ends; raises UserError as `parse_json`."""
    try:
        found: tuple[object, int] = json.JSONDecoder().raw_decode(text, begin)
    except (ValueError, RecursionError) as error:
        raise damaged(tool, where, f": {error}") from None
    return found


def damaged(tool: str, where: str | None = None, error: str = "") -> UserError:
    what = _("The output of {tool} is cut off or damaged", tool=tool)
    return UserError(f"{what}{error}", where=where, todo=_("Run {tool} again and save all of it.", tool=tool))


# A brace alone, or before a key or another value: “[root@host ~]# smartctl” is a prompt, not JSON.
_OPENING = re.compile(r"[\ufeff \t]*+(?:\{[ \t]*+(?:$|[\"}])|\[[ \t]*+(?:$|[\"{\[\]]))", re.MULTILINE)


def is_json(text: str) -> bool:
    """Tell whether ``text`` is JSON, or JSON after a few lines of something else."""
    return bool(_OPENING.match(text[json_start(text) :].partition("\n")[0]))


def json_start(text: str) -> int:
    """Return where the JSON document begins: at the first line that starts with a brace or bracket, else 0."""
    position = 0
    for line in islice(io.StringIO(text, newline=""), _FIRST_LINES):
        if _OPENING.match(line):
            return position + len(line) - len(line.lstrip("\ufeff \t"))
        position += len(line)
    return 0


def split_json(text: str) -> tuple[str, ...]:
    """Return each of the JSON documents that stand one after another in ``text``, with other lines between them.

    The last part may be cut off; a text with one document, or with none that is whole, comes back as it is.
    """
    decoder = json.JSONDecoder()
    parts: list[str] = []
    at: int | None = json_start(text)
    while at is not None:
        try:
            __, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            parts.append(text[at:])
            break
        parts.append(text[at:end])
        at = _next_json(text, end)
    return tuple(parts) if len(parts) > 1 else (text,)


def _next_json(text: str, end: int) -> int | None:
    """Return where the next document begins: at once behind the last one, or some lines further; None without one."""
    at = _skip(_BLANKS, text, end)
    for __ in range(_FIRST_LINES):
        if _OPENING.match(text, at):
            return _skip(_INDENT, text, at)
        at = text.find("\n", at) + 1
        if not at:
            return None
    return None


def _skip(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found is not None else at


# What a terminal shows before and behind an output that was copied from it.
PROMPT = re.compile(r"^\[?[\w.-]+@[\w.-]+[: ~].*[#$%](\s|$)|^[#$%>](\s|$)")
_Row = TypeVar("_Row")
_Node = TypeVar("_Node")


def nested(rows: Iterable[tuple[int, _Row]], make: Callable[[_Row, list[_Node]], _Node]) -> list[_Node]:
    """Return the tree of rows that come with their depths; ``make`` makes a node of a row and the nodes below it.

    No real tree is deeper than 64; what damaged text puts deeper becomes a sibling of the last.
    """
    open_rows: list[tuple[int, _Row, list[_Node]]] = []
    top: list[_Node] = []

    def close(depth: int, most: int) -> None:
        while open_rows and (open_rows[-1][0] >= depth or len(open_rows) > most):
            __, row, below = open_rows.pop()
            (open_rows[-1][2] if open_rows else top).append(make(row, below))

    for depth, row in rows:
        close(depth, _DEEPEST)
        open_rows.append((depth, row, []))
    close(0, 0)
    return top


def nothing_of(tool: str, where: str, run: str = "") -> UserError:
    """Return the refusal of a text in which nothing of ``tool`` stands; ``run`` prints what would be read."""
    todo = _("Save what {run} prints.", run=run) if run else None
    return UserError(_("There is nothing from {tool} in this text", tool=tool), where=where, todo=todo)


def too_new(what: str, found: object, known: int, where: str | None = None) -> UserError:
    message = _("{what} is of version {found}; this program reads up to {known}", what=what, found=found, known=known)
    return UserError(message, where=where, todo=_("Open it with a newer Poolwright."))


MEAN_NOTE = N_("Without -y the first report is the mean since the start: of several it is left out.")
ROUNDED = N_("The numbers are rounded to three digits, as they were printed.")


def cut_notes(cut: int) -> list[str]:
    if not cut:
        return []
    return [
        ngettext("One line is cut off and was passed over.", "{count} lines are cut off and were passed over.", cut)
    ]


def with_origins(disk: Disk, fields: Iterable[str], origin: Origin, *, rounded: bool = False) -> Disk:
    """Return the disk with the origin of those of its fields that are known; ``rounded`` is said of its size."""
    known = (name for name in fields if getattr(disk, name) not in (None, ()))
    size = origin.as_rounded() if rounded else origin
    return replace(disk, origins=tuple((name, size if name == "size_bytes" else origin) for name in known))


def child(value: object, *keys: str | int) -> object:
    for key in keys:
        if isinstance(value, dict):
            value = value.get(key)
        elif isinstance(value, list) and isinstance(key, int) and -len(value) <= key < len(value):
            value = value[key]
        else:
            return None
    return value


def integer(value: object, *keys: str | int) -> int | None:
    """Return a whole number below 2^128; floats without a fraction and digit strings count, booleans do not."""
    found = child(value, *keys)
    if isinstance(found, bool):
        return None
    if isinstance(found, str) and len(found) < 40 and found.strip().isascii() and found.strip().isdigit():
        found = int(found)
    if isinstance(found, float) and math.isfinite(found) and found == int(found):
        found = int(found)
    return found if isinstance(found, int) and abs(found) < _MOST else None


def positive(value: object, *keys: str | int) -> int | None:
    """Return a whole number above zero; zero stands for “not reported” in sizes."""
    found = integer(value, *keys)
    return found if found is not None and found > 0 else None


def string(value: object, *keys: str | int) -> str | None:
    """Return a text without surrounding blanks; None where it is empty or no text."""
    found = child(value, *keys)
    return found.strip() or None if isinstance(found, str) else None


def boolean(value: object, *keys: str | int) -> bool | None:
    found = child(value, *keys)
    return found if isinstance(found, bool) else None


def elements(value: object, *keys: str | int) -> tuple[object, ...]:
    found = child(value, *keys)
    return tuple(found) if isinstance(found, list) else ()


def members(value: object, *keys: str | int) -> tuple[tuple[str, object], ...]:
    found = child(value, *keys)
    return tuple((str(k), v) for k, v in found.items()) if isinstance(found, dict) else ()


# Numbers in what tools print, with units, with the comma of some languages: what is absent, no number or impossibly
# large becomes None.

_NUMBER = r"[+-]?[0-9]{1,30}(?:[.,][0-9]{1,30})?(?:[eE][+-]?[0-9]{1,3})?"
_PLAIN = re.compile(_NUMBER)
_SIZE = re.compile(rf"({_NUMBER})\s?([KMGTPEZkmgtpez]?)(?:i?[Bb])?")
_TIME = re.compile(rf"({_NUMBER})\s?(ns|us|ms|s|m|h|)")
_TIMES = {"": 1.0, "ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9, "m": 60e9, "h": 3600e9}
_FIELDS_MOST = 1e18  # more than any count of bytes or ns that was measured; also keeps numbers within int64
UTF_16 = (b"\xff\xfe", b"\xfe\xff")  # how PowerShell's texts begin


def text_of(data: bytes) -> str:
    """Return what a tool printed as text, PowerShell's UTF-16 too; bytes that are no text become U+FFFD."""
    return data.decode("utf-16" if data.startswith(UTF_16) else "utf-8", "replace")


def number(value: object) -> float | None:
    """Return a number, also one that stands as text; None where it is none, not finite, or 10^18 and more."""
    if isinstance(value, str):
        value = float(value.strip().replace(",", ".")) if _PLAIN.fullmatch(value.strip()) else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) < _FIELDS_MOST else None


def whole(value: object) -> int | None:
    """Return a whole number, rounded; None as `number`. An int within 10^18 stays exact."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < _FIELDS_MOST:
        return value
    found = number(value)
    return None if found is None else round(found)


def size(text: str) -> float | None:
    """Return ``2.89T``, ``448K``, ``512B`` or ``12`` as bytes (or operations), each unit 1024 of the one below.

    OpenZFS rounds both in steps of 1024 (`zfs_nicenum`), to three digits.
    """
    match = _SIZE.fullmatch(text.strip())
    found = number(match[1]) if match else None
    return None if match is None or found is None else found * float(1024 ** " KMGTPEZ".find(match[2].upper() or " "))


def nanoseconds(text: str) -> float | None:
    """Return ``336ns``, ``5ms``, ``2s`` or a number without a unit, which is ns already, in ns."""
    match = _TIME.fullmatch(text.strip())
    found = number(match[1]) if match else None
    return None if match is None or found is None else found * _TIMES[match[2]]


_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
# As `zpool status` and `zpool iostat -T d` tell a moment: “Fri Nov 27 08:57:19 UTC 2026”, with or without the zone.
CTIME = r"[A-Z][a-z]{2} ([A-Z][a-z]{2}) {1,2}(\d{1,2}) (\d\d?:\d\d:\d\d)(?: ([A-Z]{1,5}))? (\d{4})"


def ctime(match: re.Match[str]) -> datetime | None:
    """Return the moment that a match of `CTIME` tells, without a zone; None where there is no such day."""
    try:
        hour, minute, second = map(int, match[3].split(":"))
        return datetime(int(match[5]), _MONTHS.index(match[1]) + 1, int(match[2]), hour, minute, second)  # noqa: DTZ001
    except ValueError:
        return None


def mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}
