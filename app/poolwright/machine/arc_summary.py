"""What `arc_summary` prints of the ARC, rounded; the counters themselves (/proc/spl/kstat/zfs/arcstats) say more."""

import re

from poolwright.domain.errors import UserError
from poolwright.domain.latency import BenchTool, Recorded
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


def read_arcstat(data: bytes, *, where: str) -> tuple[Recorded, ...]:  # noqa: ARG001 - as all readers
    raise UserError(
        tell("The rows of arcstat are not read; arc_summary and arcstats are"),
        where=where,
        todo=tell("Save /proc/spl/kstat/zfs/arcstats before and after."),
    )
