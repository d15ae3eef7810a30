"""What is known of the pools that exist, put together: scans, sizes, properties, configuration, datasets."""

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from poolwright.domain.disk import without_partition
from poolwright.domain.estimate import Origin
from poolwright.domain.pool import (
    ExistingDataset,
    ExistingPool,
    Pool,
    PoolNode,
    PropertyValue,
    Scan,
    ScanKind,
    ScanState,
    VdevSizes,
    printed_number,
)
from poolwright.machine.json_values import CTIME, ctime
from poolwright.machine.zpool.configured import ConfiguredVdev
from poolwright.machine.zpool.listed import ListedDatasets, ListedPool, ToldProperties

_NUMBERED = re.compile(r"(.+)-(\d{1,6})\Z")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d")


@dataclass(slots=True, kw_only=True)
class PoolReadings:
    """Everything that the tools told of pools beside `zpool status`, as it comes."""

    listed: dict[str, ListedPool] = field(default_factory=dict)
    properties: dict[str, ToldProperties] = field(default_factory=dict)
    vdevs: dict[str, tuple[ToldProperties, ...]] = field(default_factory=dict)  # by the pool's guid
    configured: dict[str, tuple[ConfiguredVdev, ...]] = field(default_factory=dict)
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

    def add_properties(self, printed: Sequence[ToldProperties]) -> None:
        """Take what `zpool get` told, of pools or of the vdevs that stand behind their root."""
        root: str | None = None
        for one in printed:
            if one.name.startswith("root-") and one.value("guid") is not None:
                root = one.value("guid") or ""
                self.vdevs[root] = ()
            elif root is not None and one.value("health") is None:
                self.vdevs[root] = (*self.vdevs[root], one)
            elif _is_of_pool(one) or one.name not in self.properties:
                self.properties[one.name] = one  # `zpool get ashift NAME` does not say whether that is a pool or a vdev

    def add_datasets(self, found: ListedDatasets) -> None:
        """Take what `zfs get` or `zfs list` told; properties of both are joined, those known already stay."""
        for dataset in found.datasets:
            known = self.datasets.get(dataset.name)
            self.datasets[dataset.name] = dataset if known is None else _join(known, dataset)
        self.datasets_told = max(self.datasets_told, found.told)
        self.rounded |= found.rounded

    def add_date(self, text: str) -> None:
        """Take the machine's clock: ``2026-11-24 08:57:19``; anything else is passed over."""
        match = _MOMENT.search(text[:200])
        with suppress(ValueError):
            self.read_at = datetime.fromisoformat(match[0]) if match else self.read_at

    def pools_beside(self, pools: Sequence[Pool]) -> tuple[Pool, ...]:
        """Return the imported pools that are told of, but not by `zpool status`, with what the tools said of them.

        `zdb -C` is none of these tools: it reads a file that may name pools which are not imported.
        """
        known = {pool.name for pool in pools if not pool.importable}
        named = (name for name, told in self.properties.items() if _is_of_pool(told))
        told = (*self.listed, *named, *(_pool_of(name) for name in self.datasets))
        return tuple(self._pool(name) for name in dict.fromkeys(told) if name not in known)

    def _pool(self, name: str) -> Pool:
        listed, printed = self.listed.get(name), self.properties.get(name)
        properties = _properties(printed, listed)
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
    listed, printed = readings.listed.get(name), readings.properties.get(name)
    properties = _properties(printed, listed)
    datasets = tuple(dataset for dataset in readings.datasets.values() if _pool_of(dataset.name) == name)
    guid = next((p.value for p in properties if p.name == "guid"), tree.guid if tree is not None else None)
    vdevs = _vdevs(tree, listed, readings.configured.get(name, ()), readings.vdevs.get(guid or "", ()))
    scans = scans_of(tree) if tree is not None else ()
    # A vdev was expanded at least once by the word of `zpool status`.
    expanded = {s.vdev for s in scans if s.kind is ScanKind.EXPANSION and s.state is ScanState.FINISHED}
    held = printed_number(next((p.value for p in properties if p.name == "checkpoint"), None))
    rounded = (listed is not None and listed.rounded) or (bool(datasets) and readings.rounded)
    return ExistingPool(
        name=name,
        origin=origin.as_rounded() if rounded else origin,
        properties=properties,
        vdevs=tuple(
            replace(sizes, expansions=1, expansions_at_least=True)
            if sizes.expansions is None and sizes.name in expanded
            else sizes
            for sizes in vdevs
        ),
        scans=scans,
        datasets=datasets or None,
        datasets_told=readings.datasets_told if readings.datasets_told > len(readings.datasets) else None,
        checkpoint_bytes=held if held is not None else checkpoint_bytes(tree) if tree is not None else None,
        mapping_bytes=mapping_bytes(tree) if tree is not None else None,
        read_at=readings.read_at,
    )


def _properties(printed: ToldProperties | None, listed: ListedPool | None) -> tuple[PropertyValue, ...]:
    """Return the properties of `zpool get`; those that only `zpool list` shows behind them."""
    found = {p.name: p for p in printed.properties} if printed is not None else {}
    for extra in listed.properties if listed is not None else ():
        known = found.get(extra.name)
        exact = extra.value.isdecimal() and known is not None and not known.value.isdecimal() and known.value != "-"
        if known is None or exact:
            found[extra.name] = extra
    return tuple(found.values())


def _is_of_pool(printed: ToldProperties) -> bool:
    return printed.value("ashift") is None or printed.value("health") is not None


def _pool_of(dataset: str) -> str:
    return re.split(r"[/@#]", dataset, maxsplit=1)[0]


def _join(known: ExistingDataset, more: ExistingDataset) -> ExistingDataset:
    names = {one.name for one in known.properties}
    added = tuple(one for one in more.properties if one.name not in names)
    return replace(known, properties=(*known.properties, *added))


def _vdevs(
    tree: Pool | None, listed: ListedPool | None, configured: Sequence[ConfiguredVdev], got: Sequence[ToldProperties]
) -> tuple[VdevSizes, ...]:
    rows = list(listed.vdevs) if listed is not None else []
    if tree is None:
        return tuple(rows)
    found = []
    for node in tree.vdevs:
        for inner in node.walk():
            row = next((row for row in rows if _same(row.name, inner)), None)
            if row is not None:
                rows.remove(row)
            sizes = row or VdevSizes(name=inner.name)
            sizes = replace(sizes, name=inner.name, path=inner.path or sizes.path)
            if inner is node:
                sizes = _with_ashift(sizes, got)
            found.append(_with_configured(sizes, inner, configured, top=inner is node))
    return tuple(found)


def _same(name: str, node: PoolNode) -> bool:
    """Tell whether a row is of this node; releases up to 0.8 print groups without their number."""
    if name == node.name or (node.children and node.name.startswith(f"{name} (")):
        return True
    if node.children:
        numbered = _NUMBERED.match(node.name)
        return numbered is not None and numbered.group(1) == name
    return bool(_names(name) & _names(node.device))


def _names(printed: str) -> frozenset[str]:
    """Return how a device may be called: with and without its folder, and the disk whose first part it is."""
    name = printed.rpartition("/")[2]
    whole, part = without_partition(name)
    return frozenset((name, whole)) if part == 1 else frozenset((name,))


def _with_ashift(sizes: VdevSizes, printed: Iterable[ToldProperties]) -> VdevSizes:
    values = next((one for one in printed if _names(one.name) & _names(sizes.name)), None)
    ashift = printed_number(values.value("ashift")) if values is not None else None
    return replace(sizes, ashift=ashift) if ashift else sizes


def _with_configured(sizes: VdevSizes, node: PoolNode, vdevs: Sequence[ConfiguredVdev], *, top: bool) -> VdevSizes:
    """Return the sizes with what only the configuration tells."""
    vdev = (_configured if top else _leaf)(vdevs, node)
    facts = {} if vdev is None else {name: v for name, v in vdev.facts.items() if getattr(sizes, name) is None}
    return replace(sizes, **facts)


def _configured(vdevs: Sequence[ConfiguredVdev], node: PoolNode) -> ConfiguredVdev | None:
    number = _NUMBERED.match(node.name) if node.children else None
    if number is not None:
        return next((vdev for vdev in vdevs if vdev.children and vdev.index == int(number.group(2))), None)
    return _leaf(vdevs, node)


def _leaf(vdevs: Iterable[ConfiguredVdev], node: PoolNode) -> ConfiguredVdev | None:
    if node.children:
        return None
    names = _names(node.device)
    mine = (v if _names(v.facts["path"] or "") & names else _leaf(v.children, node) for v in vdevs)
    return next((vdev for vdev in mine if vdev is not None), None)


# What scans or moves a pool's blocks, out of the texts of `scan`, `remove` and `expand`, from 0.6 to 2.4.

_SCANS_MOMENT = re.compile(rf"{CTIME}|(\d{{4}}-\d\d-\d\d \d\d:\d\d:\d\d)")
_SUBJECT = r"(?: \(([^)\s]{1,80})\))?"
# JSON's words (“scrub scanning, start …”) are those of `status`.
_SCAN = re.compile(
    rf"(?P<kind>scrub|resilver){_SUBJECT}(?P<state> in progress since| paused since| canceled on| completed after|"
    rf" repaired| scanning| finished| canceled)\b|resilvered{_SUBJECT} "
)
_STATES = {
    "in progress since": ScanState.RUNNING,
    "scanning": ScanState.RUNNING,
    "paused since": ScanState.PAUSED,
    "canceled on": ScanState.CANCELLED,
    "canceled": ScanState.CANCELLED,
}
_OPERATION = re.compile(
    r"(?:evacuation|removal|expansion) of (?P<vdev>vdev \d+|\S+)|expanded (?P<expanded>\S+)|\((?P<json>[^)\s]{1,80})\)",
    re.IGNORECASE,
)
_PERCENT = re.compile(r"(\d{1,3}(?:\.\d{1,4})?)% done")
_ERRORS = re.compile(r"(?:with |, )(\d{1,18}) errors")
# JSON tells what was repaired as “processed”.
_REPAIRED = re.compile(r"(?:repaired|processed) (\d[\d.]{0,9}[KMGTPE]?)B?\b")
# In hours and minutes before OpenZFS 0.8.
_TOOK = re.compile(r"\bin (?:(\d{1,4}) days )?(?:(\d{1,5}):(\d\d):(\d\d)|(\d{1,5})h(\d{1,2})m)")
_MAPPING = re.compile(r"(\d[\d.]{0,9}[KMGTPE]?)B? memory used for removed device mappings")
_CHECKPOINT = re.compile(r"(?:consumes|discarding, ) ?(\d[\d.]{0,9}[KMGTPE]?)B?")


def scans_of(pool: Pool) -> tuple[Scan, ...]:
    """Return every scan, removal and expansion that the pool tells of, in the order of its lines. Pure.

    What was never asked for (“none requested”) and what scrubs known errors only gives none.
    """
    found = [_scan(text) for text in pool.scans]
    for text in pool.operations:
        key, _, rest = text.partition(": ")
        if key in {"remove", "expand"}:
            found.append(_operation(ScanKind(key), rest))
    return tuple(scan for scan in found if scan is not None)


def mapping_bytes(pool: Pool) -> int | None:
    return _number_of_operation(pool, "remove", _MAPPING)


def checkpoint_bytes(pool: Pool) -> int | None:
    return _number_of_operation(pool, "checkpoint", _CHECKPOINT)


def _number_of_operation(pool: Pool, key: str, pattern: re.Pattern[str]) -> int | None:
    found = (pattern.search(text) for text in pool.operations if text.startswith(f"{key}: "))
    return next((printed_number(match[1]) for match in found if match is not None), None)


def _scan(text: str) -> Scan | None:
    match = _SCAN.match(text)
    if match is None:
        return None
    kind = ScanKind(match.group("kind")) if match.group("kind") else ScanKind.RESILVER
    state = _STATES.get((match.group("state") or "").strip(), ScanState.FINISHED)
    if "paused since" in text:
        state = ScanState.PAUSED
    return _of(text, kind, state, match.group(2) or match.group(4))


def _operation(kind: ScanKind, text: str) -> Scan | None:
    low = text.lower()
    subject = _OPERATION.search(text)
    vdev = next((word for word in subject.groups() if word), None) if subject is not None else None
    if "in progress" in low or low.startswith("scanning"):
        return _of(text, kind, ScanState.RUNNING, vdev)
    if "canceled" in low:
        return _of(text, kind, ScanState.CANCELLED, vdev)
    if "completed on" in low or low.startswith(("expanded", "finished")):
        return _of(text, kind, ScanState.FINISHED, vdev)
    return None


def _of(text: str, kind: ScanKind, state: ScanState, vdev: str | None) -> Scan:
    moments = [moment for moment in (_moment(match) for match in _SCANS_MOMENT.finditer(text)) if moment is not None]
    percent, errors = _PERCENT.search(text), _ERRORS.search(text)
    repaired = _REPAIRED.search(text) if kind is ScanKind.SCRUB and state is ScanState.FINISHED else None
    began = ended = None
    if state is ScanState.RUNNING:
        began = moments[0] if moments else None
    elif state is ScanState.PAUSED:
        began = min(moments, default=None)  # “paused since” and “scrub started on”
    else:
        ended = moments[-1] if moments else None
        began = moments[0] if len(moments) > 1 else ended and _before(ended, text)
    return Scan(
        kind=kind,
        state=state,
        began=began,
        ended=ended,
        percent=float(percent.group(1)) if percent and state in {ScanState.RUNNING, ScanState.PAUSED} else None,
        errors=int(errors.group(1)) if errors and state is ScanState.FINISHED else None,
        repaired_bytes=printed_number(repaired.group(1)) if repaired else None,
        vdev=vdev,
    )


def _before(ended: datetime, text: str) -> datetime | None:
    took = _TOOK.search(text)
    if took is None:
        return None
    days, hours, minutes, seconds, old_hours, old_minutes = (int(part or 0) for part in took.groups())
    try:
        return ended - timedelta(days=days, hours=hours + old_hours, minutes=minutes + old_minutes, seconds=seconds)
    except OverflowError:
        return None


def _moment(match: re.Match[str]) -> datetime | None:
    if match[6] is None:
        return ctime(match)
    try:
        return datetime.fromisoformat(match[6])
    except ValueError:
        return None
