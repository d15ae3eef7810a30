"""`zdb -C`: the configuration of each pool as its labels hold it, and with it what no other tool tells of a vdev."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from poolwright.machine.picking import nothing_of
from poolwright.machine.zpool.status import clean

_LINE = re.compile(r"^( *)([^\s:'][^:']{0,80}|com\.[^\s]{1,80}): ?(.*)$")
_INDEX = re.compile(r"(\w+)\[(\d{1,5})\]$")
_MOST_DEEP = 12
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


class _Block:
    """A named list while it is read: its own values, and the lists in it."""

    def __init__(self, indent: int) -> None:
        self.indent = indent
        self.values: dict[str, str] = {}
        self.children: list[_Block] = []
        self.tree: _Block | None = None


def read_zdb_config(text: str) -> tuple[ConfiguredPool, ...]:
    """Return the pools of `zdb -C`, with or without a pool's name behind it. Pure; raises UserError for other text."""
    pools = tuple(_pool(block) for block in _blocks(clean(text)) if "name" in block.values and block.tree is not None)
    if not pools:
        raise nothing_of("zdb -C", "", "zdb -C")
    return tuple({pool.name: pool for pool in pools}.values())


def _blocks(text: str) -> Iterator[_Block]:
    pool: _Block | None = None
    stack: list[_Block] = []
    for line in text.splitlines():
        match = _LINE.match(line.expandtabs())
        if match is None:
            continue
        indent, key, value = len(match.group(1)), match.group(2), match.group(3).strip()
        while stack and indent <= stack[-1].indent:
            stack.pop()
        if key == "version" and (pool is None or not stack or "version" in pool.values):
            if pool is not None:
                yield pool
            pool = _Block(indent - 1)
            stack = [pool]
        if not stack:
            continue
        if value:
            stack[-1].values.setdefault(key, value.strip("'"))
        elif len(stack) < _MOST_DEEP:
            stack.append(_opened(stack[-1], key, indent))
    if pool is not None:
        yield pool


def _opened(parent: _Block, key: str, indent: int) -> _Block:
    block = _Block(indent)
    indexed = _INDEX.match(key)
    if key == "vdev_tree":
        parent.tree = block
    elif indexed is not None and indexed.group(1) == "children":
        block.values["index"] = indexed.group(2)
        parent.children.append(block)
    return block


def _pool(block: _Block) -> ConfiguredPool:
    assert block.tree is not None
    vdevs = (_vdev(child) for child in block.tree.children)
    return ConfiguredPool(
        name=block.values["name"],
        guid=block.values.get("pool_guid"),
        vdevs=tuple(vdev for vdev in vdevs if vdev.kind not in {"hole", "missing"}),
    )


def _vdev(block: _Block) -> ConfiguredVdev:
    values = block.values
    whole = values.get("whole_disk")
    return ConfiguredVdev(
        kind=values.get("type", "?"),
        index=_config_number(values.get("id")) if values.get("id") else _config_number(values.get("index")),  # type: ignore[arg-type]
        guid=values.get("guid"),
        path=values.get("path"),
        ashift=_config_number(values.get("ashift")),
        asize_bytes=_config_number(values.get("asize")),
        metaslab_shift=_config_number(values.get("metaslab_shift")),
        whole_disk=None if whole not in {"0", "1"} else whole == "1",
        expansions=sum(1 for key in values if key.startswith("raidz_expand_txgs[")),
        children=tuple(_vdev(child) for child in block.children),
    )


def _config_number(text: str | None) -> int | None:
    return int(text) if text is not None and text.isascii() and _NUMBERS.match(text) else None
