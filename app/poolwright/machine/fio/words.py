"""The words of fio's jobs: sizes, patterns, what waits for stable storage."""

import re
from collections.abc import Mapping, Sequence

from poolwright.domain.errors import UserError
from poolwright.domain.latency import Direction
from poolwright.texts import tell

_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([kmgtp]?)(i?)b?", re.IGNORECASE)
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4, "p": 5}
_MOST_DIGITS = 18
_USUAL_BLOCK = 4096  # fio's own where a job names none
_HEADER = re.compile(
    r"^[ \t]*(?:\d+ |<[^<>\n]{1,200}> )?(?P<name>\S.*?): \(g=\d+\): "
    r"rw=(?P<rw>[\w:]+), bs=(?P<bs>[^=]*), ioengine=(?P<ioengine>[^\s,]+), "
    r"iodepth=(?P<iodepth>\d+)",
    re.MULTILINE,
)
_RANGE = re.compile(r"([\d.]+[kmgKMG]?)i?B?-([\d.]+[kmgKMG]?)i?B?")
_ORDER = (Direction.READ, Direction.WRITE, Direction.TRIM)
_OTHER_NAMES = {"readwrite": "rw", "blocksize": "bs", "direct_io": "direct"}
_SPANS = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_SPAN = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*(us|ms|s|m|h|d)?\Z")
LOG_MILLISECONDS = 500  # between the rows of the logs that our own jobs write
_WAITS = ("fsync", "fdatasync")

Options = Mapping[str, str]


def fio_size(text: str, kilo: int = 1024) -> int | None:
    """Return the bytes of ``128k``, ``10G`` or ``4096``, None where it is no size (``50%``, a range).

    fio's ``kb_base=1024``, which it starts with, gives the letters powers of 1024 and those with an i powers of 1000;
    with 1000 it is the other way (fio's documentation, "Parameter types").
    """
    match = _SIZE.fullmatch(text.strip())
    if not match or len(match[1]) > _MOST_DIGITS:
        return None
    base = kilo if not match[3] else 1024 + 1000 - kilo
    return int(float(match[1]) * base ** _POWERS[match[2].lower()])


def fio_seconds(text: str) -> float:
    """Return a time as fio reads it, s; raises UserError."""
    match = _SPAN.match(text.strip())
    if match is None:
        raise UserError(tell("“{text}” is not a time of fio", text=text), todo=tell("Write 60, 90s or 2m."))
    return float(match.group(1)) * _SPANS[match.group(2) or "s"]


def seconds_in(options: Options, name: str) -> float:
    """Return an option that is a time, s; 0 where it is not named, or is none (a range)."""
    try:
        return fio_seconds(options.get(name, "0"))
    except UserError:
        return 0.0


def options_of(*levels: Mapping[str, object]) -> tuple[tuple[str, str], ...]:
    """Return the options of a job in order, those of later levels in place of earlier ones, by their usual names."""
    found: dict[str, str] = {}
    for level in levels:
        for name, value in level.items():
            found[_OTHER_NAMES.get(name, name)] = value if isinstance(value, str) else str(value)
    return tuple(found.items())


def headers_in(text: str) -> dict[str, dict[str, str]]:
    """Return what fio tells of each job before it starts: pattern, blocks, engine and depth, as options by its name.

    ``bs=4K-4K/4K-4K/4K-4K`` (fio 2) and ``bs=(R) 4096B-4096B, (W) ...`` (fio 3) are least and most of each direction.
    """
    found = {}
    for match in _HEADER.finditer(text):
        options = match.groupdict()
        name, ranges = options.pop("name"), _RANGE.findall(options["bs"])
        options["bs"] = ",".join(least for least, _ in ranges)
        if any(least != most for least, most in ranges):
            options["bsrange"] = ",".join(f"{least}-{most}" for least, most in ranges)  # for machines
        found[name] = options
    return found


def block_bytes(options: Options, direction: Direction) -> int | None:
    """Return the block size of a direction; None for a range, a mix or what is no size."""
    if "bsrange" in options or "bssplit" in options:
        return None
    sizes = options.get("bs", "").split(",")
    if direction is Direction.MIXED:
        return block_bytes(options, Direction.READ) if len(set(sizes)) == 1 else None
    place = min(_ORDER.index(direction), len(sizes) - 1)
    text = sizes[place] or sizes[0]
    return fio_size(text, kilo_of(options)) if text else _USUAL_BLOCK


def kilo_of(options: Options) -> int:
    """Return what a k is in the sizes of a job."""
    return 1000 if options.get("kb_base") == "1000" else 1024


def waits_for_storage(options: Options) -> bool:
    """Tell whether each write waited for stable storage: sync=, fsync=1 or fdatasync=1."""
    if options.get("sync", "0") not in ("0", "none", "false"):
        return True
    return any(options.get(name) == "1" for name in _WAITS)


def count_of(options: Options, name: str) -> int | None:
    """Return an option that is a count, 1 where it is not named, None where it is no number."""
    text = options.get(name, "1")
    return int(text) if text.isascii() and text.isdigit() and len(text) < _MOST_DIGITS else None


def directions_of(pattern: str | None) -> Sequence[Direction]:
    """Return the ways in which a pattern moves data, none where it is not known."""
    word = (pattern or "").partition(":")[0].removeprefix("rand")
    known = {
        "read": (Direction.READ,),
        "write": (Direction.WRITE,),
        "trim": (Direction.TRIM,),
        "rw": (Direction.READ, Direction.WRITE),
        "readwrite": (Direction.READ, Direction.WRITE),
        "trimwrite": (Direction.TRIM, Direction.WRITE),
    }
    return known.get(word, ())
