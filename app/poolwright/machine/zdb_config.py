"""`zdb -C`: the configuration of each pool as its labels hold it, and with it what no other tool tells of a vdev."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from poolwright.machine.json_values import nested, nothing_of
from poolwright.machine.zpool.status import clean

_LINE = re.compile(r"^( *)([^\s:'][^:']{0,80}|com\.[^\s]{1,80}): ?(.*)$")
_CHILD = re.compile(r"children\[(\d{1,5})\]$")
_NUMBERS = re.compile(r"\d{1,20}\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfiguredVdev:
    """A vdev of the configuration; ``index`` is its place below the root or its group, sizes are bytes."""

    kind: str
    index: int
    guid: str | None = None
    path: str | None = None
    ashift: int | None = None
    asize_bytes: int | None = None
    metaslab_shift: int | None = None
    whole_disk: bool | None = None
    expansions: int = 0
    children: tuple["ConfiguredVdev", ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfiguredPool:
    """A pool's name, guid and top-level vdevs; holes of removed log devices are left out."""

    name: str
    guid: str | None
    vdevs: tuple[ConfiguredVdev, ...]


@dataclass(frozen=True, slots=True)
class _Entry:
    """A line of the configuration; one without a value is a list, of what lies below it."""

    key: str
    value: str
    below: tuple["_Entry", ...] = ()

    def values(self) -> dict[str, str]:
        return {entry.key: entry.value for entry in reversed(self.below) if entry.value}

    def children(self) -> tuple["_Entry", ...]:
        return tuple(entry for entry in self.below if _CHILD.match(entry.key))


def read_zdb_config(text: str) -> tuple[ConfiguredPool, ...]:
    """Return the pools of `zdb -C`, with or without a pool's name behind it. Pure; raises UserError for other text."""
    lines = (match for line in clean(text).splitlines() if (match := _LINE.match(line.expandtabs())) is not None)
    rows = ((len(match[1]), (match[2], match[3].strip().strip("'"))) for match in lines)
    top = nested(rows, lambda row, below: _Entry(*row, tuple(below)))
    pools = tuple(_pool(block) for block in _blocks(_Entry("", "", tuple(top))) if "name" in block.values())
    if not pools:
        raise nothing_of("zdb -C", "", "zdb -C")
    return tuple({pool.name: pool for pool in pools}.values())


def _blocks(entry: _Entry) -> Iterator[_Entry]:
    """Yield what has a version and a tree of vdevs; of several that stand in a row each by itself."""
    begins = [place for place, below in enumerate(entry.below) if below.key == "version"]
    for begin, end in pairwise([*begins, len(entry.below)]):
        block = _Entry(entry.key, "", entry.below[begin:end])
        if any(below.key == "vdev_tree" for below in block.below):
            yield block
    if not begins:
        for below in entry.below:
            yield from _blocks(below)


def _pool(block: _Entry) -> ConfiguredPool:
    values = block.values()
    tree = next(entry for entry in block.below if entry.key == "vdev_tree")
    vdevs = map(_vdev, tree.children())
    return ConfiguredPool(
        name=values["name"],
        guid=values.get("pool_guid"),
        vdevs=tuple(vdev for vdev in vdevs if vdev.kind not in {"hole", "missing"}),
    )


def _vdev(block: _Entry) -> ConfiguredVdev:
    values, place = block.values(), _CHILD.match(block.key)
    whole = values.get("whole_disk")
    return ConfiguredVdev(
        kind=values.get("type", "?"),
        index=_config_number(values.get("id") or (place[1] if place else None)),  # type: ignore[arg-type]
        guid=values.get("guid"),
        path=values.get("path"),
        ashift=_config_number(values.get("ashift")),
        asize_bytes=_config_number(values.get("asize")),
        metaslab_shift=_config_number(values.get("metaslab_shift")),
        whole_disk=None if whole not in {"0", "1"} else whole == "1",
        expansions=sum(1 for key in values if key.startswith("raidz_expand_txgs[")),
        children=tuple(map(_vdev, block.children())),
    )


def _config_number(text: str | None) -> int | None:
    return int(text) if text is not None and text.isascii() and _NUMBERS.match(text) else None
