"""What zfs and zpool say of the pool that a directory lies on."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from poolwright.bench.running.place import PlaceDisk
from poolwright.domain.command import Completed
from poolwright.domain.errors import UserError
from poolwright.domain.version import ZfsVersion
from poolwright.texts import tell

_PAIR = re.compile(r'([A-Z]+)="([^"]*)"')
_PART = re.compile(r"(?:p|-part)?\d+\Z")
_ACTIVE = (
    re.compile(r"^\s*scan:\s*(.*(?:scrub|resilver).* in progress.*)$", re.MULTILINE),
    re.compile(r"^\s*remove:\s*(Evacuation of .* in progress.*)$", re.MULTILINE),
    re.compile(r"^\s*expand:\s*(expansion of .* in progress.*)$", re.MULTILINE),
    re.compile(r"\((\d+% (?:trimmed|initialized), started[^)]*)\)"),
)
_ENTRY = re.compile(r"^\t( *)(\S+)(?:\s+([A-Z]+)\b)?")
_CLASSES = ("logs", "cache", "spares", "special", "dedup")
_GROUP = re.compile(r"(?:mirror|raidz[123]?|draid\d?\S*|replacing|spare)-\d+\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolTold:
    """What the tools told; None where they did not. ``layout`` has a line for each vdev: its name and its members."""

    properties: tuple[tuple[str, str], ...] = ()
    health: str | None = None
    size_bytes: int | None = None
    fill_percent: int | None = None
    fragmentation_percent: int | None = None
    activity: str | None = None
    autotrim: bool | None = None
    userland: ZfsVersion | None = None
    layout: tuple[str, ...] = ()
    disks: tuple[PlaceDisk, ...] = ()
    has_log: bool | None = None
    notes: tuple[str, ...] = ()


def of_pool(answers: Sequence[Completed], lsblk: str, caches: str = "", names: str = "") -> PoolTold:
    """Return what `zfs get`, `zpool list`, `zpool status`, `zfs version` and `zpool get` told, and lsblk of
    the disks.

    ``caches`` has a line for each disk: its name, and "write back" where the kernel asks it to empty its cache.
    ``names`` is the long listing of the links below /dev/disk.
    """
    got, listed, status, version, trims = answers
    notes = tuple(
        tell("{program} did not tell: {why}", program=each.command.program, why=each.complaint)
        for each in (got, listed, status, version)  # before 0.8 there is no autotrim
        if not each.ok
    )
    columns = (*(listed.text.strip().split("\t") if listed.ok else ()), "", "", "", "", "")
    layout = tuple(_layout(status.text)) if status.ok else ()
    return PoolTold(
        properties=tuple((words[0], words[1]) for line in got.text.splitlines() if len(words := line.split("\t")) > 1),
        health=columns[4] or None,
        size_bytes=_whole(columns[1]),
        fill_percent=_whole(columns[2].rstrip("%")),
        fragmentation_percent=_whole(columns[3].rstrip("%")),
        activity=_activity(status.text),
        autotrim={"on": True, "off": False}.get(trims.text.strip()),
        userland=_version(version.text),
        layout=layout,
        disks=tuple(_disks(layout, lsblk, dict(_caches(caches)), dict(_links(names)))),
        has_log=any(line.startswith("logs ") for line in layout) if status.ok else None,
        notes=notes,
    )


def _whole(text: str) -> int | None:
    return int(text) if text.isdigit() else None


def _version(text: str) -> ZfsVersion | None:
    for line in text.splitlines():
        if not line.startswith("zfs-kmod-"):
            try:
                return ZfsVersion.parse(line.strip())
            except UserError:
                continue
    return None


def _activity(status: str) -> str | None:
    return next((found.group(1).strip() for look in _ACTIVE if (found := look.search(status))), None)


def _layout(status: str) -> Iterator[str]:
    """Yield a line for each vdev of data, log and the other classes; a bare disk is a vdev of its own."""
    kind, vdev, members = "", "", list[str]()
    pool_seen = False
    for line in status.partition("\tNAME")[2].splitlines()[1:]:
        entry = _ENTRY.match(line)
        if entry is None:
            continue
        depth, name = len(entry.group(1)) // 2, entry.group(2)
        if depth == 0:
            kind = name if pool_seen and name in _CLASSES else ""
            pool_seen = True
            continue
        if depth == 1 or (_GROUP.match(name) and depth == 1):
            if members:
                yield " ".join((vdev, *members))
            grouped = _GROUP.match(name) is not None
            vdev = kind or (name if grouped else "disk")
            members = [] if grouped else [name]
        elif not _GROUP.match(name):
            members.append(name)
    if members:
        yield " ".join((vdev, *members))


def _caches(text: str) -> Iterator[tuple[str, bool]]:
    for line in text.splitlines():
        name, _, kind = line.partition(" ")
        if kind in ("write back", "write through"):
            yield name, kind == "write back"


def _links(text: str) -> Iterator[tuple[str, str]]:
    for line in text.splitlines():
        before, _, target = line.rpartition(" -> ")
        if before:
            yield before.split()[-1], target.rpartition("/")[2]


def _disks(
    layout: Sequence[str], lsblk: str, flushed: Mapping[str, bool], links: Mapping[str, str]
) -> Iterator[PlaceDisk]:
    """Yield each member with what lsblk says of the disk that it is, or that its partition or mapping lies on."""
    rows = [dict(_PAIR.findall(line)) for line in lsblk.splitlines()]
    known = {row[word]: row for word in ("KNAME", "NAME") for row in rows if word in row}
    for name in (name for line in layout for name in line.split()[1:]):
        row = known.get(links.get(name, name)) or known.get(_PART.sub("", name)) or _by_serial(name, rows)
        while row is not None and row.get("TYPE") != "disk" and row.get("PKNAME") in known:
            row = known[row["PKNAME"]]
        if row is None:
            yield PlaceDisk(name=name)
            continue
        yield PlaceDisk(
            name=name,
            kernel_name=row["NAME"],
            serial=row.get("SERIAL") or None,
            model=row.get("MODEL") or None,
            rotational={"0": False, "1": True}.get(row.get("ROTA", "")),
            bytes=_whole(row.get("SIZE", "")),
            flushed=flushed.get(row["NAME"]),
        )


def _by_serial(name: str, rows: Sequence[dict[str, str]]) -> dict[str, str] | None:
    bare = _PART.sub("", name) if "-part" in name else name
    return next((row for row in rows if row.get("SERIAL") and bare.endswith(row["SERIAL"])), None)
