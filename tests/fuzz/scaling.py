"""Texts that grow: a piece repeated, in front, behind or inside of what a reader understands; and what they cost."""

import gc
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

from tests.fuzz.reader import Reader
from tests.pace import processor_seconds

# What people paste and files hold in masses: blanks, empty lines, brackets, quotes, separators, digits, escapes.
PIECES = (
    *(" ", "\n", "\t", "\r", " \n", "\r\n", "\x00", "\u00a0", "\u2028"),
    *"()[]{}\"'\\/:;,.-+=#*x@$%a09",
    *("1,", "1.", "1 ", "a ", "a: ", "a=", 'a="', '"a": ', "[[", "{\n", "[\n", "\\x20", "\\\\", "\\u0000"),
    *(" -> ", "../", "/dev/", "pool: ", "  pool: a\n", "config:\n", "\tNAME", "   id: 1\n", "lsblk: ", "smartctl 7.3"),
    *("L0 ", "1:", "DDT-a: ", "dedup = ", "Total ", "processor: ", "=== "),
    *("12 x ", "6TB ", "6TB, ", "raidz2:", ":8d", "4Kn "),
    *("<", ">", "&", "`", "|", "├─", "é", "\u202e", "\ufeff", "\x1b[0m", "''", '""', "EUR ", "and ", "not ", "(1+"),
)
SMALLEST, LARGEST = 1 << 10, 1 << 15
QUICK_SECONDS = 0.02  # a reader of time n² takes more for LARGEST
MOST_GROWTH = 3.0  # for twice the text; 2 is linear, 4 is quadratic


@dataclass(frozen=True, kw_only=True)
class Slow:
    """A text that takes more than in proportion: how it is made, and the seconds of each doubling."""

    reader: str
    shape: str
    seconds: tuple[float, ...]


def shapes(reader: Reader) -> Iterator[tuple[str, str, str, str]]:
    """Yield a name, what stands in front, what is repeated, what stands behind."""
    seeds = sorted(reader.seeds, key=len)[:2]
    for piece in PIECES:
        yield f"{piece!r}", "", piece, ""
        yield f"{piece!r} and a mark", "", piece, "!"
        for seed in seeds:
            yield f"{piece!r} in front of {seed[:20]!r}", "", piece, seed
            yield f"{piece!r} behind {seed[:20]!r}", seed, piece, "!"
            middle = len(seed) // 2
            yield f"{piece!r} inside {seed[:20]!r}", seed[:middle], piece, seed[middle:]
    for seed in seeds:
        yield f"{seed[:20]!r} again and again", "", seed, ""
        for line in dict.fromkeys(seed.splitlines(keepends=True)):
            yield f"the line {line[:30]!r} in {seed[:20]!r}", seed, line, ""


def seconds(reader: Reader, *texts: str) -> tuple[float, ...]:
    """Return the least processor time of three that each text takes; the collector's passes are not the reader's.

    The texts take turns, so that a machine that slows down for a while does so for all of them.
    """
    rounds = [[processor_seconds(partial(reader, text)) for text in texts] for _ in range(3)]
    return tuple(min(taken) for taken in zip(*rounds, strict=True))


def slow_shape(reader: Reader, shape: tuple[str, str, str, str]) -> Slow | None:
    """Return how the time grows where twice the text takes clearly more than twice the time, twice in a row."""
    name, front, piece, behind = shape
    length = max(1, SMALLEST // len(piece))
    while length * len(piece) < LARGEST:
        text = front + piece * length + behind
        taken = processor_seconds(partial(reader, text))
        if taken >= QUICK_SECONDS and seconds(reader, text)[0] >= QUICK_SECONDS:
            break
        length *= 2
    else:
        return None
    gc.collect()
    texts = [front + piece * (length * doubling) + behind for doubling in (1, 2, 4)]
    for tried in (2, 3):
        grown = seconds(reader, *texts[:tried])
        if any(more < MOST_GROWTH * less for less, more in pairwise(grown)):
            return None
    return Slow(reader=reader.name, shape=name, seconds=grown)
