"""What is known of the pools that exist, put together: scans, sizes, properties, configuration, datasets."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from poolwright.domain.disk import without_partition
from poolwright.domain.existing_pool import (
    ExistingDataset,
    ExistingPool,
    PropertyValue,
    Scan,
    ScanKind,
    ScanState,
    VdevSizes,
    printed_number,
)
from poolwright.domain.origin import Origin
from poolwright.domain.pool import Pool, PoolNode
from poolwright.machine.zdb.config import ConfiguredPool, ConfiguredVdev
from poolwright.machine.zpool.listed import ListedPool
from poolwright.machine.zpool.scans import checkpoint_bytes, mapping_bytes, scans_of
from poolwright.machine.zpool.told_properties import ListedDatasets, ToldProperties

_NUMBERED = re.compile(r"(.+)-\d+\Z")
_NUMBER = re.compile(r"-(\d{1,6})\Z")
_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)")


@dataclass(slots=True, kw_only=True)
class PoolReadings:
    """Everything that the tools told of pools beside `zpool status`, as it comes."""

    listed: dict[str, ListedPool] = field(default_factory=dict)
    properties: dict[str, ToldProperties] = field(default_factory=dict)
    vdevs: dict[str, tuple[ToldProperties, ...]] = field(default_factory=dict)  # by the pool's guid
    configured: dict[str, ConfiguredPool] = field(default_factory=dict)
    datasets: dict[str, ExistingDataset] = field(default_factory=dict)
    datasets_told: int = 0
    rounded: bool = False
    looked: bool = False  # `zpool list` was read: it names every imported pool
    read_at: datetime | None = None

    def add_listed(self, pools: Sequence[ListedPool]) -> None:
        """Take what `zpool list` told; what has vdevs is worth more than what has none, exact more than rounded."""
        self.looked = True
        for pool in pools:
            known = self.listed.get(pool.name)
            if known is None or (bool(pool.vdevs), not pool.rounded) >= (bool(known.vdevs), not known.rounded):
                self.listed[pool.name] = pool

    def add_properties(self, told: Sequence[ToldProperties]) -> None:
        """Take what `zpool get` told, of pools or of the vdevs that stand behind their root."""
        root: str | None = None
        for one in told:
            if one.name.startswith("root-") and one.value("guid") is not None:
                root = one.value("guid") or ""
                self.vdevs[root] = ()
            elif root is not None and one.value("health") is None:
                self.vdevs[root] = (*self.vdevs[root], one)
            elif one.value("ashift") is None or one.value("health") is not None:
                self.properties[one.name] = one

    def add_configured(self, pools: Sequence[ConfiguredPool]) -> None:
        """Take what `zdb -C` told."""
        self.configured.update({pool.name: pool for pool in pools})

    def add_datasets(self, found: ListedDatasets) -> None:
        """Take what `zfs get` or `zfs list` told; properties of both are joined, those known already stay."""
        for dataset in found.datasets:
            known = self.datasets.get(dataset.name)
            self.datasets[dataset.name] = dataset if known is None else _joined(known, dataset)
        self.datasets_told = max(self.datasets_told, found.told)
        self.rounded |= found.rounded

    def add_date(self, text: str) -> None:
        """Take the machine's clock: ``2026-11-24 08:57:19``; anything else is passed over."""
        match = _MOMENT.search(text[:200])
        try:
            self.read_at = datetime.fromisoformat(f"{match.group(1)} {match.group(2)}") if match else self.read_at
        except ValueError:
            return

    def pools_beside(self, pools: Sequence[Pool]) -> tuple[Pool, ...]:
        """Return the imported pools that are told of, but not by `zpool status`, with what the tools said of them.

        `zdb -C` is none of these tools: it reads a file that may name pools which are not imported.
        """
        known = {pool.name for pool in pools if not pool.importable}
        told = (*self.listed, *self.properties, *(_pool_of(name) for name in self.datasets))
        return tuple(self._pool(name) for name in dict.fromkeys(told) if name not in known)

    def _pool(self, name: str) -> Pool:
        listed, told = self.listed.get(name), self.properties.get(name)
        properties = _properties(told, listed)
        return Pool(
            name=name,
            state=next((p.value for p in properties if p.name == "health" and p.value != "-"), None),
            guid=next((p.value for p in properties if p.name == "guid"), None),
            status_read=False,
            vdevs=listed.tree if listed is not None else (),
        )


def existing_pools(pools: Sequence[Pool] | None, readings: PoolReadings, origin: Origin) -> tuple[ExistingPool, ...]:
    """Return what is known of each imported pool, and of those that only `zdb -C` told of. Pure.

    ``pools`` None: nobody looked.
    """
    trees = {pool.name: pool for pool in pools or () if not pool.importable}
    names = dict.fromkeys((*trees, *(readings.configured if pools is None else ())))
    return tuple(_existing(name, trees.get(name), readings, origin) for name in names)


def _existing(name: str, tree: Pool | None, readings: PoolReadings, origin: Origin) -> ExistingPool:
    listed, told = readings.listed.get(name), readings.properties.get(name)
    properties = _properties(told, listed)
    datasets = tuple(dataset for dataset in readings.datasets.values() if _pool_of(dataset.name) == name)
    guid = next((p.value for p in properties if p.name == "guid"), tree.guid if tree is not None else None)
    vdevs = _vdevs(tree, listed, readings.configured.get(name), readings.vdevs.get(guid or "", ()))
    scans = scans_of(tree) if tree is not None else ()
    held = printed_number(next((p.value for p in properties if p.name == "checkpoint"), None))
    rounded = (listed is not None and listed.rounded) or (bool(datasets) and readings.rounded)
    return ExistingPool(
        name=name,
        origin=origin.as_rounded() if rounded else origin,
        properties=properties,
        vdevs=tuple(_with_expansion(sizes, scans) for sizes in vdevs),
        scans=scans,
        datasets=datasets or None,
        datasets_told=readings.datasets_told if readings.datasets_told > len(readings.datasets) else None,
        checkpoint_bytes=held if held is not None else checkpoint_bytes(tree) if tree is not None else None,
        mapping_bytes=mapping_bytes(tree) if tree is not None else None,
        read_at=readings.read_at,
    )


def _properties(told: ToldProperties | None, listed: ListedPool | None) -> tuple[PropertyValue, ...]:
    """Return the properties of `zpool get`; those that only `zpool list` shows behind them."""
    found = {p.name: p for p in told.properties} if told is not None else {}
    for extra in listed.properties if listed is not None else ():
        known = found.get(extra.name)
        exact = extra.value.isdecimal() and known is not None and not known.value.isdecimal() and known.value != "-"
        if known is None or exact:
            found[extra.name] = extra
    return tuple(found.values())


def _pool_of(dataset: str) -> str:
    return re.split(r"[/@#]", dataset, maxsplit=1)[0]


def _joined(known: ExistingDataset, more: ExistingDataset) -> ExistingDataset:
    names = {told.name for told in known.properties}
    added = tuple(told for told in more.properties if told.name not in names)
    return replace(known, properties=(*known.properties, *added))


def _vdevs(
    tree: Pool | None, listed: ListedPool | None, configured: ConfiguredPool | None, told: Sequence[ToldProperties]
) -> tuple[VdevSizes, ...]:
    rows = list(listed.vdevs) if listed is not None else []
    if tree is None:
        return tuple(rows)
    found = []
    for node in tree.vdevs:
        for inner in _nodes(node):
            row = _taken(rows, inner)
            sizes = VdevSizes(name=inner.name, path=inner.path) if row is None else row
            sizes = replace(sizes, name=inner.name, path=inner.path or sizes.path)
            if inner is node:
                sizes = _with_ashift(sizes, told)
            found.append(_with_configured(sizes, inner, configured, top=inner is node))
    return tuple(found)


def _nodes(node: PoolNode) -> Iterator[PoolNode]:
    yield node
    for below in node.children:
        yield from _nodes(below)


def _taken(rows: list[VdevSizes], node: PoolNode) -> VdevSizes | None:
    """Take the row of a node out of ``rows``; releases up to 0.8 print groups without their number."""
    for position, row in enumerate(rows):
        if _same(row.name, node):
            return rows.pop(position)
    return None


def _same(name: str, node: PoolNode) -> bool:
    if name == node.name or (node.children and node.name.startswith(f"{name} (")):
        return True
    if node.children:
        numbered = _NUMBERED.match(node.name)
        return numbered is not None and numbered.group(1) == name
    return bool(_names(name) & _names(node.path or node.name))


def _names(printed: str) -> frozenset[str]:
    """Return how a device may be called: with and without its folder, and the disk whose first part it is."""
    name = printed.rpartition("/")[2]
    whole = name.removesuffix("-part1")
    if whole == name and name.endswith("1") and not name.startswith(("wwn-", "scsi-", "ata-", "nvme-")):
        whole = without_partition(name)[0]
    return frozenset((name, whole))


def _with_ashift(sizes: VdevSizes, told: Iterable[ToldProperties]) -> VdevSizes:
    values = next((one for one in told if one.name == sizes.name or _base(one.name) == _base(sizes.name)), None)
    ashift = printed_number(values.value("ashift")) if values is not None else None
    return replace(sizes, ashift=ashift) if ashift else sizes


def _base(name: str) -> str:
    return name.rpartition("/")[2].removesuffix("-part1")


def _with_configured(sizes: VdevSizes, node: PoolNode, pool: ConfiguredPool | None, *, top: bool) -> VdevSizes:
    vdev = None if pool is None else _configured(pool.vdevs, node) if top else _leaf(pool.vdevs, node)
    if vdev is None:
        return sizes
    known = {
        "path": sizes.path or vdev.path,
        "ashift": sizes.ashift if sizes.ashift is not None else vdev.ashift,
        "asize_bytes": vdev.asize_bytes,
        "metaslab_shift": vdev.metaslab_shift,
        "whole_disk": vdev.whole_disk,
        "expansions": vdev.expansions if vdev.kind == "raidz" else None,
    }
    return replace(sizes, **known)  # type: ignore[arg-type]


def _with_expansion(sizes: VdevSizes, scans: Iterable[Scan]) -> VdevSizes:
    """Return the sizes of a vdev that was expanded at least once by the word of `zpool status`."""
    ended = (s for s in scans if s.kind is ScanKind.EXPANSION and s.state is ScanState.FINISHED)
    if sizes.expansions is not None or all(scan.vdev != sizes.name for scan in ended):
        return sizes
    return replace(sizes, expansions=1, expansions_at_least=True)


def _configured(vdevs: Sequence[ConfiguredVdev], node: PoolNode) -> ConfiguredVdev | None:
    number = _NUMBER.search(node.name) if node.children else None
    if number is not None:
        return next((vdev for vdev in vdevs if vdev.children and vdev.index == int(number.group(1))), None)
    return _leaf(vdevs, node)


def _leaf(vdevs: Iterable[ConfiguredVdev], node: PoolNode) -> ConfiguredVdev | None:
    if node.children:
        return None
    names = _names(node.path or node.name)
    for vdev in vdevs:
        if vdev.path is not None and _names(vdev.path) & names:
            return vdev
        below = _leaf(vdev.children, node)
        if below is not None:
            return below
    return None
