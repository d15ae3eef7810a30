"""`zpool list`, with any of -v -H -p -P -L -g -o and -j: the sizes of pools, vdevs and devices."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING

from poolwright.domain.errors import UserError
from poolwright.domain.pool import STANDING_IN, PoolNode, PropertyValue, VdevSizes, printed_number
from poolwright.machine.figures import number, size
from poolwright.machine.json_values import (
    ROUNDED,
    child,
    cut_notes,
    is_json,
    members,
    nested,
    nothing_of,
    parse_json,
    split_json,
    string,
)
from poolwright.machine.zpool.status import clean, not_pools, vdevs_of
from poolwright.machine.zpool.status_text import SECTIONS, kind_of
from poolwright.shipped import shipped
from poolwright.texts import _

if TYPE_CHECKING:
    from poolwright.domain.measurement import Recorded


_NEW = ("NAME", "SIZE", "ALLOC", "FREE", "CKPOINT", "EXPANDSZ", "FRAG", "CAP", "DEDUP", "HEALTH", "ALTROOT")
_OLD = tuple(head for head in _NEW if head != "CKPOINT")
_OLDEST = tuple(head for head in _OLD if head not in {"EXPANDSZ", "FRAG"})
# With -H there is no head: the number of columns tells the release (0.8 on, 0.6.4 to 0.7, before). A vdev has one less.
_BY_COUNT = {len(columns): columns for columns in (_NEW, _OLD, _OLDEST)}
_PROPERTIES: dict[str, str] = {column["head"]: column["property"] for column in shipped("zpool")["list"]}
_UNITS = frozenset("KMGTPEZ")
_LEAVES = frozenset({"disk", "file", "dspare"})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shown:
    """A line of a vdev or device. ``indent`` is None with -H, which puts all of them behind one tab.

    ``allocated`` False: the line has no ALLOC, as that of a member of a group.
    """

    name: str
    section: str
    indent: int | None
    state: str | None
    allocated: bool


_Line = tuple[dict[str, str], _Shown]


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedPool:
    """A pool and what is in it, names as printed; ``rounded`` where a size has three digits only.

    ``tree`` are its vdevs with their states, empty where only the pool was listed.
    """

    name: str
    properties: tuple[PropertyValue, ...]
    vdevs: tuple[VdevSizes, ...] = ()
    tree: tuple[PoolNode, ...] = ()
    rounded: bool = False


def read_zpool_list(text: str) -> tuple[ListedPool, ...]:
    """Return the pools listed, of several reports the last. Pure; raises UserError where no pool is listed."""
    text = clean(text)
    found = _in_json(text) if is_json(text) else _in_text(text.splitlines())
    pools = {pool.name: pool for pool in found}
    if not pools and "no pools available" not in text:
        raise not_pools(text, "zpool list")
    return tuple(pools.values())


def reports(text: str) -> tuple[list[ListedPool], bool]:
    """Return the pools of each report (an interval makes several), and whether the last one is cut off."""
    if not is_json(text):
        *lines, last = text.splitlines() or [""]
        cut = bool(last) and text.endswith(last) and len(last.split()) < max(len(line.split()) for line in (*lines, ""))
        return list(_in_text(lines if cut else (*lines, last))), cut
    pools: list[ListedPool] = []
    for report in split_json(text):
        try:
            pools += _in_json(report)
        except UserError:
            return pools, True
    return pools, False


def _in_text(lines: Sequence[str]) -> Iterator[ListedPool]:
    heads: Sequence[str] = ()
    name, words, section, vdevs = "", dict[str, str](), "data", list[_Line]()
    for line in lines:
        if line.split()[:1] == ["NAME"]:
            heads = line.split()
            continue
        if (headed := _section(line)) is not None:
            section = headed
            continue
        row = _row(line, heads)
        if not row:
            continue
        if line[0].isspace() or not _is_pool(row, name):
            # The cache and spare devices of old releases stand under a head at the margin.
            vdevs.append((row, _line_of_row(line, row, section)))
            continue
        if name:
            yield _pool(name, words, vdevs)
        name, words, section, vdevs = row["NAME"], row, "data", []
    if name:
        yield _pool(name, words, vdevs)


def _section(line: str) -> str | None:
    """Return the section that a line is the head of: a word at the margin and dashes; -H pads it with blanks too."""
    words = line.split()
    named = bool(words) and not line[0].isspace() and all(word == "-" for word in words[1:])
    return SECTIONS.get(words[0]) if named else None


def _line_of_row(line: str, row: dict[str, str], section: str) -> _Shown:
    indent = None if "\t" in line else len(line) - len(line.lstrip(" "))
    taken = row.get("ALLOC", row.get("USED", "-")) != "-"
    return _Shown(name=row["NAME"], section=section, indent=indent, state=row.get("HEALTH") or None, allocated=taken)


def _row(line: str, heads: Sequence[str]) -> dict[str, str]:
    """Return the words of a line under their heads; empty where it is none. Heads that a vdev lacks come last."""
    words = line.strip(" ").lstrip("\t").rstrip().split("\t") if "\t" in line else line.split()
    inside = line[:1].isspace()
    if not words or not words[0]:
        return {}
    columns = heads or (_BY_COUNT.get(len(words) + inside, ()) if "\t" in line else ())
    if len(columns) < 2 or (not heads and len(words) < len(columns) - 1):
        return {}
    if "\t" not in line and len(words) > len(columns):
        words = line.rsplit(None, len(columns) - 1)  # a pool's name may have blanks
    return {head: word.strip() for head, word in zip(columns, words, strict=False)}


def _is_pool(row: dict[str, str], before: str) -> bool:
    return not before or "ALTROOT" in row or not any(head in row for head in ("HEALTH", "SIZE"))


def _pool(name: str, words: dict[str, str], vdevs: Sequence[_Line]) -> ListedPool:
    told = [PropertyValue(name=p, value=words[head], source="-") for head, p in _PROPERTIES.items() if head in words]
    sizes = tuple(
        _sizes(row["NAME"], {p: row[head] for head, p in _PROPERTIES.items() if head in row}) for row, _ in vdevs
    )
    rows = (words, *(row for row, _ in vdevs))
    rounded = any(word[-1:] in _UNITS and word[:1].isdigit() for row in rows for word in row.values())
    tree = _tree([line for _, line in vdevs])
    return ListedPool(name=name, properties=tuple(told), vdevs=sizes, tree=tree, rounded=rounded)


def _tree(lines: Sequence[_Shown]) -> tuple[PoolNode, ...]:
    """Return the top-level vdevs, with their states but without errors, which `zpool list` does not tell."""
    rows = zip(_depths(lines), lines, strict=True)
    sections = (nested(mine, _node) for _, mine in groupby(rows, lambda row: row[1].section))
    return _told_apart([node for nodes in sections for node in nodes])


def _depths(lines: Sequence[_Shown]) -> Iterator[int]:
    """Yield how deep each line lies; where nothing is indented, a device without ALLOC belongs to the group above."""
    indented = all(line.indent is not None for line in lines)
    standing_in = {line.name for line in lines if line.section == "spares" and line.state == "INUSE"}
    groups: list[list[str]] = []  # that are open: the word of each, and what is in it
    section = ""
    for line in lines:
        word = kind_of(line.name, has_children=False)
        if line.section != section or line.allocated or not (word in _LEAVES or word in STANDING_IN):
            groups = []
        while len(groups) > 1 and _is_full(groups[-1], line, standing_in):
            groups.pop()
        yield (line.indent or 0) if indented else len(groups)
        opens = word in STANDING_IN if groups else line.section != "spares" and word not in _LEAVES
        if groups:
            groups[-1].append(line.name)
        if opens:
            groups.append([word])
        section = line.section


def _is_full(group: Sequence[str], line: _Shown, standing_in: Collection[str]) -> bool:
    """Tell whether a line comes too late for a group of a device and of what stands in for it."""
    return len(group) > 1 and (len(group) > 2 if group[0] == "replacing" else line.name not in standing_in)


def _node(line: _Shown, children: Sequence[PoolNode]) -> PoolNode:
    kind, path = kind_of(line.name, has_children=bool(children)), line.name if line.name.startswith("/") else None
    return PoolNode(
        name=line.name, kind=kind, section=line.section, state=line.state, path=path, children=tuple(children)
    )


def _told_apart(nodes: Sequence[PoolNode]) -> tuple[PoolNode, ...]:
    """Number the groups that bear one name, as releases up to 2.0 print them; which number each has is not known."""
    names = [node.name for node in nodes if node.children]
    found, seen = [], Counter[str]()
    for node in nodes:
        seen[node.name] += 1
        several = bool(node.children) and names.count(node.name) > 1
        found.append(replace(node, name=f"{node.name} ({seen[node.name]})") if several else node)
    return tuple(found)


def _sizes(name: str, told: dict[str, str], path: str | None = None) -> VdevSizes:
    return VdevSizes(
        name=name,
        path=path if path is not None else name if name.startswith("/") else None,
        size_bytes=printed_number(told.get("size")),
        allocated_bytes=printed_number(told.get("allocated")),
        free_bytes=printed_number(told.get("free")),
        expandable_bytes=printed_number(told.get("expandsize")),
        fragmentation_percent=printed_number(told.get("fragmentation")),
    )


def _in_json(text: str) -> Iterator[ListedPool]:
    document = parse_json(text, where="zpool list", tool="zpool list")
    if not members(document, "pools"):
        raise nothing_of("zpool list", "", "zpool list -j")
    for key, pool in members(document, "pools"):
        told = json_properties(pool)
        vdevs = tuple(_vdevs_in_json(pool, 0))
        rounded = any(p.value[-1:] in _UNITS and p.value[:1].isdigit() for p in told)
        name, below = string(pool, "name") or key, child(pool, "vdevs")
        tree = vdevs_of({"vdevs": below}, name) if isinstance(below, dict) else ()
        yield ListedPool(name=name, properties=told, vdevs=vdevs, tree=tree, rounded=rounded)


_DEEPEST = 64
_JSON_SECTIONS = ("dedup", "special", "logs", "l2cache", "spares")


def _vdevs_in_json(parent: object, depth: int) -> Iterator[VdevSizes]:
    for key in ("vdevs", *_JSON_SECTIONS) if depth < _DEEPEST else ():
        for name, vdev in members(parent, key):
            if key == "vdevs" and name in _JSON_SECTIONS and child(vdev, "vdev_type") is None:
                yield from _vdevs_in_json({"vdevs": dict(members(parent, key, name))}, depth + 1)
                continue
            path = string(vdev, "path")
            told = {p.name: p.value for p in json_properties(vdev)}
            yield _sizes(string(vdev, "name") or name, told, path if path and path.startswith("/") else None)
            yield from _vdevs_in_json(vdev, depth + 1)


def json_properties(subject: object) -> tuple[PropertyValue, ...]:
    """Return the properties of a pool, vdev or dataset in the JSON of `zpool` and `zfs` `get` and `list`."""
    found = []
    for name, told in members(subject, "properties"):
        value = child(told, "value")
        if isinstance(value, (str, int)) and not isinstance(value, bool):
            kind, data = (string(told, "source", "type") or "-").lower(), string(told, "source", "data")
            words = {"none": "-", "inherited": f"inherited from {data}"}  # for machines
            found.append(PropertyValue(name=name, value=str(value), source=words.get(kind, kind)))
    return tuple(found)


# The numbers of `zpool list` as facts of a measurement.

# The properties that are numbers, as facts of a measurement.
_FACTS: dict[str, str] = {one["property"]: one["fact"] for one in shipped("zpool")["list"] if "fact" in one}


def measured_list(data: bytes, *, where: str) -> "tuple[Recorded, ...]":
    """Return the numbers of each pool as facts, named ``POOL size_bytes``; of several reports the last one's.

    Vdevs and disks are passed over. Raises UserError where no pool tells a number.
    """
    from poolwright.domain.measurement import BenchTool, Recorded  # noqa: PLC0415 - it brings numpy

    pools, cut = reports(data.decode("utf-8", errors="replace"))
    told = {pool.name: {f"{pool.name} {name}": value for name, value in _numbers(pool)} for pool in pools}
    facts = {name: value for mine in told.values() for name, value in mine.items()}
    if not facts:
        raise nothing_of("zpool list", where, "zpool list -p")
    notes = [_("Pool {pool} tells no numbers.", pool=name) for name, mine in told.items() if not mine]
    if any(pool.rounded for pool in pools):
        notes.append(_(ROUNDED))
    if len(told) < len(pools):
        notes.append(_("There are several reports: the numbers are those of the last one."))
    notes += cut_notes(cut)
    return (Recorded(tool=BenchTool.ZPOOL_LIST, where=where, facts=tuple(facts.items()), notes=tuple(notes)),)


def _numbers(pool: ListedPool) -> Iterator[tuple[str, float]]:
    for told in pool.properties:
        name = _FACTS.get(told.name, "")
        value = size(told.value) if name.endswith("_bytes") else number(told.value.rstrip("%x")) if name else None
        if value is not None:
            yield name, float(round(value)) if name.endswith("_bytes") else value
