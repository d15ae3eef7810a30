"""What `arc_summary` and `arcstat` print of the ARC: the one a report of where it stands, the other a row a second.

Both reckon it from arcstats, rounded; the counters themselves (/proc/spl/kstat/zfs/arcstats) say more.
"""

import re
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from poolwright.domain.errors import UserError
from poolwright.domain.latency import BenchTool, Observer, Recorded, TimeCurve, What
from poolwright.texts import tell

_UNITS = {
    "": 1, "Bytes": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40, "PiB": 1 << 50,
    "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15,
}  # fmt: skip
# "  Cache hit ratio:    99.8 %   32.8k": of what has a share and an amount both are told.
_LINE = re.compile(
    r"^(?P<in>[ \t]*)(?P<label>[^:\n]{1,70}):[ \t]++"
    r"(?:(?:< )?(?P<percent>[0-9]{1,9}(?:\.[0-9]{1,3})?) %(?:[ \t]++|$))?"
    r"(?:(?P<value>[0-9]{1,20}(?:\.[0-9]{1,6})?) ?(?P<unit>[KMGTP]iB|Bytes|[kMGTP])?)?[ \t]*+$",
    re.MULTILINE,
)
_HEAD = re.compile(r"^([^ \t\n:][^:\n]{0,70}):", re.MULTILINE)
_ARC = re.compile(r"^(?:ARC|L2ARC|Cache |DMU |ZIL )")
_VERSION = re.compile(r"^(?:Linux|FreeBSD|Machine:)[^\n]*[ \t](\d+\.\d+\.\d+\S{0,60})[ \t]*$", re.MULTILINE)
_MACHINE = re.compile(r"^Machine:[ \t]+(\S{1,200})", re.MULTILINE)
_AMOUNT = re.compile(r"^(-?[0-9]{1,15}(?:\.[0-9]{1,6})?)([KMGTP]?)$")
_CLOCK = re.compile(r"^([0-2][0-9]):([0-5][0-9]):([0-5][0-9])$")
# "miss%", "dm%" (of what was asked for on demand), "ddh%" (of data on demand).
_SHARE = re.compile(r"^(|d|p|m|dd|dm|pd|pm)(?:(hit|h)|miss|m)%$")
_OF = {
    "": "hits", "d": "demand hits", "p": "prefetch hits", "m": "metadata hits", "dd": "demand data hits",
    "dm": "demand metadata hits", "pd": "prefetch data hits", "pm": "prefetch metadata hits",
}  # fmt: skip # for machines
_SIZES = {"arcsz": "size", "size": "size", "c": "c"}
_DAY_MS = 86_400_000


def read_arc_summary(data: bytes, *, where: str) -> tuple[Recorded, ...]:
    """Return the numbers of a report as facts, “heading: label”, bytes and counts; “… (%)” where it tells a share.

    Tunables are passed over. Raises UserError where there is no line of it.
    """
    text = data.decode("utf-8", errors="replace").replace("\r\n", "\n")
    facts: dict[str, float] = {}
    heading = ""
    for line in text.split("\n"):
        head = _HEAD.match(line)
        if head is not None:
            heading = head[1]
        found = _LINE.match(line)
        if found is None or not _ARC.match(heading):
            continue
        name = heading if head is not None else f"{heading}: {found['label'].strip()}"
        if found["percent"] is not None:
            facts.setdefault(f"{name} (%)", float(found["percent"]))
        if found["value"] is not None:
            facts.setdefault(name, float(found["value"]) * _UNITS[found["unit"] or ""])
    if not facts:
        raise UserError(
            tell("There is nothing of the ARC in this report"),
            where=where,
            todo=tell("Save what arc_summary prints without options, or /proc/spl/kstat/zfs/arcstats."),
        )
    version, machine = _VERSION.search(text), _MACHINE.search(text)
    return (
        Recorded(
            tool=BenchTool.ARC_SUMMARY,
            where=where,
            version=None if version is None else version[1],
            host=None if machine is None else machine[1],
            facts=tuple(facts.items()),
        ),
    )


def read_arcstat(data: bytes, *, where: str) -> tuple[Recorded, ...]:
    """Return the ARC's size and hit shares over time. Raises UserError where there is no row under a heading."""
    names: list[str] = []
    rows: list[tuple[int, dict[str, float]]] = []
    for line in data.decode("utf-8", errors="replace").splitlines():
        words = line.split()
        if words[:1] == ["time"]:
            names = words
        elif names and len(words) == len(names) and (clock := _CLOCK.match(words[0])):
            ms = 1000 * (3600 * int(clock[1]) + 60 * int(clock[2]) + int(clock[3]))
            before = rows[-1][0] if rows else ms
            ms += (before - ms + _DAY_MS // 2) // _DAY_MS * _DAY_MS  # past midnight a day is added
            amounts = zip(names[1:], map(_amount, words[1:]), strict=True)
            rows.append((max(ms, before), {name: amount for name, amount in amounts if amount is not None}))
    if not rows:
        raise UserError(
            tell("There is no row of arcstat in this text"),
            where=where,
            todo=tell("Run arcstat 1, and save its output."),
        )
    moments = np.array([ms - rows[0][0] for ms, _ in rows], dtype=np.int64)
    found = [row for _, row in rows]
    curves = tuple(curve for name in names[1:] if (curve := _curve(name, moments, found)) is not None)
    return (Recorded(tool=BenchTool.ARCSTAT, where=where, curves=curves),)


def _curve(name: str, ms: NDArray[np.int64], rows: Sequence[Mapping[str, float]]) -> TimeCurve | None:
    values = np.array([row.get(name, np.nan) for row in rows], dtype=np.float64)
    share = _SHARE.match(name)
    if share is not None:
        asked = [row.get(f"{share[1]}read", row.get("read", 1.0)) for row in rows]
        hits = values / 100 if share[2] else 1 - values / 100
        # Where nothing was asked for, arcstat prints 0.
        values, what, detail = np.where(np.array(asked) > 0, hits, np.nan), What.SHARE, _OF[share[1]]
    elif name in _SIZES:
        what, detail = What.BYTES, _SIZES[name]
    else:
        return None
    return TimeCurve(name="ARC", source=Observer.ARC, what=what, ms=ms, values=values, detail=detail)


def _amount(word: str) -> float | None:
    """Return a number of arcstat, whose K is 1024 for sizes and 1000 for counts: only sizes are used here."""
    found = _AMOUNT.match(word)
    return None if found is None else float(found[1]) * 1024 ** " KMGTP".index(found[2] or " ")
