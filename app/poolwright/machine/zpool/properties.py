"""`zpool get`, `zfs get` and `zfs list`, with or without -H and -p, and their JSON: the properties of each subject."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from poolwright.domain.pool import ExistingDataset, PropertyValue
from poolwright.machine.json_values import is_json, members, nothing_of, parse_json, string
from poolwright.machine.zpool.listed import json_properties
from poolwright.machine.zpool.status import clean, not_pools
from poolwright.shipped import shipped

MOST_DATASETS = 20_000  # a host of containers has some thousands
_MOUNTED = r" +(/.*?|-|none|legacy)"
_COLUMNS = dict(shipped("outputs")["zfs_list_columns"])
_GAP = re.compile(r" {2,}")
_Rows = dict[str, list[PropertyValue]]  # by the name in front
_SOURCES = re.compile(r"(?:-|default|local|temporary|received|inherited from \S.*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldProperties:
    name: str
    properties: tuple[PropertyValue, ...]

    def value(self, name: str) -> str | None:
        return next((told.value for told in self.properties if told.name == name), None)


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
    return tuple(ToldProperties(name=name, properties=tuple(told)) for name, told in found.items() if told)


def _kept() -> frozenset[str]:
    return frozenset(shipped("dataset_properties")["read"].split())


def read_zfs_get(text: str) -> ListedDatasets:
    """Return the datasets of `zfs get`; raises UserError where the text has none. Pure."""
    text = clean(text)
    if is_json(text):
        return _in_json(text)
    return _datasets_of_rows(_rows(text, _kept()))


def read_zfs_list(text: str) -> ListedDatasets:
    """Return the datasets of `zfs list`, with the columns it prints by itself; UserError where the text has none."""
    text = clean(text)
    if is_json(text):
        return _in_json(text)
    rows: _Rows = {}
    kept = _kept()
    heads: Sequence[str] = ("NAME", "USED", "AVAIL", "REFER", "MOUNTPOINT")
    for line in text.splitlines():
        words = line.split("\t") if "\t" in line else _in_columns(line, heads)
        if words[:1] == ["NAME"]:
            heads = words
        elif len(words) >= 2 and len(words) == len(heads):
            for head, word in zip(heads[1:], words[1:], strict=True):
                name = _COLUMNS.get(head, head.lower())
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
            name, told, value, source = words
            found.setdefault(name, []).append(PropertyValue(name=told, value=value, source=source))
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
    return _datasets((name, None, tuple(told)) for name, told in rows.items())


def _in_json(text: str) -> ListedDatasets:
    document = parse_json(text, where="zfs", tool="zfs")
    if not members(document, "datasets"):
        raise nothing_of("zfs", "", "zfs get -j -p all")
    kept, found = _kept(), []
    for key, dataset in members(document, "datasets"):
        told = tuple(one for one in json_properties(dataset) if one.name in kept)
        found.append((string(dataset, "name") or key, (string(dataset, "type") or "").lower() or None, told))
    return _datasets(found)


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
    told = {p.name: p.value for p in properties}
    if "type" in told:
        return told["type"]
    return "volume" if "volsize" in told or told.get("mountpoint") == "-" else "filesystem"
