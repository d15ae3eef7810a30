"""`zdb -C`: the configuration of each pool as its labels hold it, and with it what no other tool tells of a vdev.

Beside `machine.zdb`, whose measurements bring numpy: every reading of a machine asks for this.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from poolwright.machine.json_values import integer, nested, nothing_of
from poolwright.machine.zpool.status import clean

_LINE = re.compile(r"^( *)([^\s:'][^:']{0,80}|com\.[^\s]{1,80}): ?(.*)$")
_CHILD = re.compile(r"children\[(\d{1,5})\]$")


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfiguredVdev:
    """A vdev of `zdb -C`; ``index`` is its place below the root or its group, ``facts`` are fields of `VdevSizes`."""

    kind: str
    index: int | None
    facts: Mapping[str, Any]
    children: tuple["ConfiguredVdev", ...] = ()


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


def read_zdb_config(text: str) -> dict[str, tuple[ConfiguredVdev, ...]]:
    """Return the top-level vdevs of each pool of `zdb -C`, without the holes of removed log devices.

    Pure; raises UserError for other text.
    """
    lines = (match for line in clean(text).splitlines() if (match := _LINE.match(line.expandtabs())) is not None)
    rows = ((len(match[1]), (match[2], match[3].strip().strip("'"))) for match in lines)
    top = nested(rows, lambda row, below: _Entry(*row, tuple(below)))
    found = {}
    for block in _blocks(_Entry("", "", tuple(top))):
        if (name := block.values().get("name")) is not None:
            tree = next(entry for entry in block.below if entry.key == "vdev_tree")
            vdevs = map(_configured_vdev, tree.children())
            found[name] = tuple(vdev for vdev in vdevs if vdev.kind not in {"hole", "missing"})
    if not found:
        raise nothing_of("zdb -C", "", "zdb -C")
    return found


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


def _configured_vdev(block: _Entry) -> ConfiguredVdev:
    values, place = block.values(), _CHILD.match(block.key)
    kind, whole = values.get("type", "?"), values.get("whole_disk")
    return ConfiguredVdev(
        kind=kind,
        index=integer(values.get("id") or (place[1] if place else None)),
        facts={
            "path": values.get("path"),
            "ashift": integer(values.get("ashift")),
            "asize_bytes": integer(values.get("asize")),
            "metaslab_shift": integer(values.get("metaslab_shift")),
            "whole_disk": None if whole not in {"0", "1"} else whole == "1",
            "expansions": sum(key.startswith("raidz_expand_txgs[") for key in values) if kind == "raidz" else None,
        },
        children=tuple(map(_configured_vdev, block.children())),
    )
