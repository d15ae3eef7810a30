"""`zpool list` and `get`, `zfs list` and `get`, with any of -v -H -p -P -L -g -o and -j: sizes and properties."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from poolwright.domain.errors import UserError
from poolwright.domain.pool import STANDING_IN, ExistingDataset, PoolNode, PropertyValue, VdevSizes, printed_number
from poolwright.machine.json_values import child, is_json, members, nested, nothing_of, parse_json, split_json, string
from poolwright.machine.zpool.status import SECTIONS, clean, kind_of, not_pools, vdevs_of
from poolwright.shipped import shipped

_NEW = ("NAME", "SIZE", "ALLOC", "FREE", "CKPOINT", "EXPANDSZ", "FRAG", "CAP", "DEDUP", "HEALTH", "ALTROOT")
_OLD = tuple(head for head in _NEW if head != "CKPOINT")
_OLDEST = tuple(head for head in _OLD if head not in {"EXPANDSZ", "FRAG"})
# With -H there is no head: the number of columns tells the release (0.8 on, 0.6.4 to 0.7, before). A vdev has one less.
_BY_COUNT = {len(columns): columns for columns in (_NEW, _OLD, _OLDEST)}
_PROPERTIES: dict[str, str] = {column["head"]: column["property"] for column in shipped("zpool")["list"]}
_UNITS = frozenset("KMGTPEZ")
_LEAVES = frozenset({"disk", "file", "dspare"})


# The words of a line of a vdev or device by their heads, its section, and its indent: None with -H, which puts all of
# them behind one tab.
_Line = tuple[dict[str, str], str, int | None]


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
        of_pool = not name or "ALTROOT" in row or not any(head in row for head in ("HEALTH", "SIZE"))
        if line[0].isspace() or not of_pool:
            # The cache and spare devices of old releases stand under a head at the margin.
            vdevs.append((row, section, None if "\t" in line else len(line) - len(line.lstrip(" "))))
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


def _pool(name: str, words: dict[str, str], vdevs: Sequence[_Line]) -> ListedPool:
    values = [PropertyValue(name=p, value=words[head], source="-") for head, p in _PROPERTIES.items() if head in words]
    sizes = tuple(
        _sizes(row["NAME"], {p: row[head] for head, p in _PROPERTIES.items() if head in row}) for row, *_ in vdevs
    )
    rows = (words, *(row for row, *_ in vdevs))
    rounded = any(word[-1:] in _UNITS and word[:1].isdigit() for row in rows for word in row.values())
    # The top-level vdevs, with their states but without errors, which `zpool list` does not tell.
    lines = zip(_depths(vdevs), vdevs, strict=True)
    sections = (nested(mine, _node) for _, mine in groupby(lines, lambda line: line[1][1]))
    tree = _apart([node for nodes in sections for node in nodes])
    return ListedPool(name=name, properties=tuple(values), vdevs=sizes, tree=tree, rounded=rounded)


def _depths(lines: Sequence[_Line]) -> Iterator[int]:
    """Yield how deep each line lies; where nothing is indented, a device without ALLOC belongs to the group above."""
    indented = all(indent is not None for _, _, indent in lines)
    standing_in = {row["NAME"] for row, section, _ in lines if section == "spares" and row.get("HEALTH") == "INUSE"}
    groups: list[list[str]] = []  # that are open: the word of each, and what is in it
    before = ""
    for row, section, indent in lines:
        name, word = row["NAME"], kind_of(row["NAME"], has_children=False)
        allocated = row.get("ALLOC", row.get("USED", "-")) != "-"
        if section != before or allocated or not (word in _LEAVES or word in STANDING_IN):
            groups = []
        # A line may come too late for a group of a device and of what stands in for it.
        while len(groups) > 1 and len(groups[-1]) > 1 and (
            len(groups[-1]) > 2 if groups[-1][0] == "replacing" else name not in standing_in
        ):  # fmt: skip
            groups.pop()
        yield (indent or 0) if indented else len(groups)
        opens = word in STANDING_IN if groups else section != "spares" and word not in _LEAVES
        if groups:
            groups[-1].append(name)
        if opens:
            groups.append([word])
        before = section


def _node(line: _Line, children: Sequence[PoolNode]) -> PoolNode:
    row, section, _ = line
    return PoolNode(
        name=row["NAME"],
        kind=kind_of(row["NAME"], has_children=bool(children)),
        section=section,
        state=row.get("HEALTH") or None,
        path=row["NAME"] if row["NAME"].startswith("/") else None,
        children=tuple(children),
    )


def _apart(nodes: Sequence[PoolNode]) -> tuple[PoolNode, ...]:
    """Number the groups that bear one name, as releases up to 2.0 print them; which number each has is not known."""
    names = [node.name for node in nodes if node.children]
    found, seen = [], Counter[str]()
    for node in nodes:
        seen[node.name] += 1
        several = bool(node.children) and names.count(node.name) > 1
        found.append(replace(node, name=f"{node.name} ({seen[node.name]})") if several else node)
    return tuple(found)


def _sizes(name: str, printed: dict[str, str], path: str | None = None) -> VdevSizes:
    return VdevSizes(
        name=name,
        path=path if path is not None else name if name.startswith("/") else None,
        size_bytes=printed_number(printed.get("size")),
        allocated_bytes=printed_number(printed.get("allocated")),
        free_bytes=printed_number(printed.get("free")),
        expandable_bytes=printed_number(printed.get("expandsize")),
        fragmentation_percent=printed_number(printed.get("fragmentation")),
    )


def _in_json(text: str) -> Iterator[ListedPool]:
    document = parse_json(text, where="zpool list", tool="zpool list")
    if not members(document, "pools"):
        raise nothing_of("zpool list", "", "zpool list -j")
    for key, pool in members(document, "pools"):
        properties = json_properties(pool)
        vdevs = tuple(_vdevs_in_json(pool, 0))
        rounded = any(p.value[-1:] in _UNITS and p.value[:1].isdigit() for p in properties)
        name, below = string(pool, "name") or key, child(pool, "vdevs")
        tree = vdevs_of({"vdevs": below}, name) if isinstance(below, dict) else ()
        yield ListedPool(name=name, properties=properties, vdevs=vdevs, tree=tree, rounded=rounded)


_DEEPEST = 64
_JSON_SECTIONS = ("dedup", "special", "logs", "l2cache", "spares")


def _vdevs_in_json(parent: object, depth: int) -> Iterator[VdevSizes]:
    for key in ("vdevs", *_JSON_SECTIONS) if depth < _DEEPEST else ():
        for name, vdev in members(parent, key):
            if key == "vdevs" and name in _JSON_SECTIONS and child(vdev, "vdev_type") is None:
                yield from _vdevs_in_json({"vdevs": dict(members(parent, key, name))}, depth + 1)
                continue
            path = string(vdev, "path")
            printed = {p.name: p.value for p in json_properties(vdev)}
            yield _sizes(string(vdev, "name") or name, printed, path if path and path.startswith("/") else None)
            yield from _vdevs_in_json(vdev, depth + 1)


def json_properties(subject: object) -> tuple[PropertyValue, ...]:
    """Return the properties of a pool, vdev or dataset in the JSON of `zpool` and `zfs` `get` and `list`."""
    found = []
    for name, entry in members(subject, "properties"):
        value = child(entry, "value")
        if isinstance(value, (str, int)) and not isinstance(value, bool):
            kind, data = (string(entry, "source", "type") or "-").lower(), string(entry, "source", "data")
            words = {"none": "-", "inherited": f"inherited from {data}"}  # for machines
            found.append(PropertyValue(name=name, value=str(value), source=words.get(kind, kind)))
    return tuple(found)


# `zpool get`, `zfs get` and `zfs list`, with or without -H and -p, and their JSON: the properties of each subject.

MOST_DATASETS = 20_000  # a host of containers has some thousands
_MOUNTED = r" +(/.*?|-|none|legacy)"
_GAP = re.compile(r" {2,}")
_Rows = dict[str, list[PropertyValue]]  # by the name in front
_SOURCES = re.compile(r"(?:-|default|local|temporary|received|inherited from \S.*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldProperties:
    name: str
    properties: tuple[PropertyValue, ...]

    def value(self, name: str) -> str | None:
        return next((one.value for one in self.properties if one.name == name), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedDatasets:
    """The datasets of a listing, snapshots left out; ``told`` is how many filesystems and volumes there were."""

    datasets: tuple[ExistingDataset, ...]
    told: int
    rounded: bool = False


def read_zpool_get(text: str) -> tuple[ToldProperties, ...]:
    """Return what `zpool get` tells of each pool, or of each vdev where it was asked for these. Pure.

    Vdevs stand behind the ``root-0`` of their pool, whose guid is the pool's. Raises UserError for anything else.
    """
    text = clean(text)
    if is_json(text):
        document = parse_json(text, where="zpool get", tool="zpool get")
        found = {string(pool, "name") or key: list(json_properties(pool)) for key, pool in members(document, "pools")}
    else:
        found = _rows(text, None)
    if not any(found.values()):
        raise not_pools(text, "zpool get all")
    return tuple(ToldProperties(name=name, properties=tuple(values)) for name, values in found.items() if values)


def _kept() -> frozenset[str]:
    return frozenset(shipped("dataset_properties")["read"].split())


def read_zfs_get(text: str) -> ListedDatasets:
    """Return the datasets of `zfs get`; raises UserError where the text has none. Pure."""
    text = clean(text)
    return _datasets_in_json(text) if is_json(text) else _datasets_of_rows(_rows(text, _kept()))


def read_zfs_list(text: str) -> ListedDatasets:
    """Return the datasets of `zfs list`, with the columns it prints by itself; UserError where the text has none."""
    text = clean(text)
    if is_json(text):
        return _datasets_in_json(text)
    rows: _Rows = {}
    columns, kept = shipped("outputs")["zfs_list_columns"], _kept()
    heads: Sequence[str] = ("NAME", "USED", "AVAIL", "REFER", "MOUNTPOINT")
    for line in text.splitlines():
        words = line.split("\t") if "\t" in line else _in_columns(line, heads)
        if words[:1] == ["NAME"]:
            heads = words
        elif len(words) >= 2 and len(words) == len(heads):
            for head, word in zip(heads[1:], words[1:], strict=True):
                name = columns.get(head, head.lower())
                if name in kept:
                    rows.setdefault(words[0], []).append(PropertyValue(name=name, value=word))
    return _datasets_of_rows(rows)


def _in_columns(line: str, heads: Sequence[str]) -> list[str]:
    """Return the columns of a line of `zfs list`: blanks may stand in a dataset's name and in where it is mounted."""
    if line.split()[:1] == ["NAME"]:
        return line.split()
    mounted = heads[-1] == "MOUNTPOINT"
    middle = r" +(\S+)" * (len(heads) - 1 - mounted)
    found = re.fullmatch(rf"(\S.*?){middle}{_MOUNTED if mounted else ''} *", line)
    return list(found.groups()) if found is not None else line.split()


def _rows(text: str, kept: frozenset[str] | None) -> _Rows:
    found: _Rows = {}
    for line in text.splitlines():
        words = _words(line)
        if words is not None and (kept is None or words[1] in kept) and words[:2] != ("NAME", "PROPERTY"):
            name, key, value, source = words
            found.setdefault(name, []).append(PropertyValue(name=key, value=value, source=source))
    return found


def _words(line: str) -> tuple[str, str, str, str] | None:
    """Return name, property, value and source of a line; columns are two blanks apart where no tab parts them."""
    parts = line.rstrip("\r\n").split("\t") if "\t" in line else _GAP.split(line.strip())
    if len(parts) == 3:
        parts = [*parts, ""]
    if len(parts) != 4 or not parts[0] or not parts[1] or " " in parts[1]:
        return None
    source = parts[3].strip()
    if source and parts[1] != "PROPERTY" and not _SOURCES.fullmatch(source):
        return None
    return parts[0], parts[1], parts[2], source


def _datasets_of_rows(rows: _Rows) -> ListedDatasets:
    if not rows:
        raise nothing_of("zfs", "", "zfs get -Hp -t filesystem,volume all")
    return _datasets((name, None, tuple(values)) for name, values in rows.items())


def _datasets_in_json(text: str) -> ListedDatasets:
    document = parse_json(text, where="zfs", tool="zfs")
    if not members(document, "datasets"):
        raise nothing_of("zfs", "", "zfs get -j -p all")
    kept = _kept()
    return _datasets(
        (
            string(dataset, "name") or key,
            (string(dataset, "type") or "").lower() or None,
            tuple(one for one in json_properties(dataset) if one.name in kept),
        )
        for key, dataset in members(document, "datasets")
    )


def _datasets(rows: Iterable[tuple[str, str | None, tuple[PropertyValue, ...]]]) -> ListedDatasets:
    datasets: list[ExistingDataset] = []
    told = 0
    rounded = False
    for name, kind, properties in rows:
        if "@" in name or "#" in name:
            continue  # a snapshot
        told += 1
        rounded |= any(p.name in {"used", "available"} and p.value[-1:] in "KMGTPE" for p in properties if p.value)
        if len(datasets) < MOST_DATASETS:
            datasets.append(ExistingDataset(name=name, kind=kind or _kind(properties), properties=properties))
    return ListedDatasets(datasets=tuple(datasets), told=told, rounded=rounded)


def _kind(properties: Sequence[PropertyValue]) -> str:
    """Return filesystem or volume: a volume has a size, and in `zfs list` no mountpoint."""
    values = {p.name: p.value for p in properties}
    if "type" in values:
        return values["type"]
    return "volume" if "volsize" in values or values.get("mountpoint") == "-" else "filesystem"
