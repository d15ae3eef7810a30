"""Facts of a pool that exists: what zpool, zdb and zfs printed, in the words of the rules."""

import re
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from poolwright.domain.existing_pool import ExistingDataset, ExistingPool, Scan, ScanKind, ScanState
from poolwright.domain.pool import Pool, PoolNode
from poolwright.rules.facts import ExistingFacts
from poolwright.texts import first_of

_UNSTABLE = re.compile(r"(/dev/)?(sd[a-z]+|nvme\d+n\d+|vd[a-z]+|xvd[a-z]+|hd[a-z])(p?\d+)?\Z")
_NO_ERRORS = "No known data errors"  # for machines
# A spare that waits is AVAIL, one that stands in is INUSE.
_WELL = frozenset({"ONLINE", "AVAIL", "INUSE"})
_HOLDS_DATA = frozenset({"data", "special", "dedup"})
_MOST_NAMED = 4
_LEAST_ROOT_BYTES = 16 << 20  # less are directories
_RATIO = re.compile(r"(\d{1,9}(?:\.\d{1,4})?)x?\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolSurroundings:
    """What the inventory tells of a pool's disks: the largest physical sector by vdev, and whether all are flash."""

    sector_bytes: dict[str, int] = field(default_factory=dict)
    flash: bool | None = None


def existing_facts(
    pool: Pool, known: ExistingPool, today: date, around: PoolSurroundings | None = None
) -> ExistingFacts:
    """Return the facts of a pool that exists. ``today`` counts where the machine's clock was not read."""
    return ExistingFacts(
        name=pool.name,
        state=pool.state,
        **_of_tree(pool),
        **_of_scans(known, today),
        **_of_sizes(known),
        **_of_vdevs(pool, known, around or PoolSurroundings()),
        **_of_properties(known),
        **_of_datasets(pool, known),
    )


def _of_tree(pool: Pool) -> dict[str, Any]:
    leaves = pool.leaves()
    faulty = [leaf for leaf in leaves if leaf.state is not None and leaf.state not in _WELL]
    counting = [node for node in _nodes(pool) if _errors(node)]
    counting = [node for node in counting if not node.children] or counting
    return {
        "faulty_devices": len(faulty),
        "faulty_names": _named(faulty),
        "devices_with_errors": len(counting),
        "error_names": _named(counting),
        "data_errors": None if pool.errors is None else _NO_ERRORS not in pool.errors,
        "spares_in_use": sum(1 for leaf in leaves if leaf.section == "spares" and leaf.state == "INUSE"),
        "small_sectors": "non-native block size" in " ".join((pool.status or "").split()),
        "names_unstable": sum(1 for leaf in leaves if _UNSTABLE.match(leaf.path or leaf.name)),
    }


def _of_scans(known: ExistingPool, today: date) -> dict[str, Any]:
    scrubbed = last_scrub(known)
    day = known.read_at.date() if known.read_at is not None else today
    return {
        "scrub_told": scrubbed is not None,
        "days_since_scrub": max(0, (day - scrubbed).days) if scrubbed else None,
        "resilvering": any(s.kind is ScanKind.RESILVER and s.state is ScanState.RUNNING for s in known.scans),
        "scrub_stopped": _last(known, ScanState.PAUSED, ScanState.CANCELLED),
    }


def _of_sizes(known: ExistingPool) -> dict[str, Any]:
    fill, used, size = known.number("capacity"), known.number("allocated"), known.number("size")
    if fill is not None and used is not None and size:
        fill = max(fill, used * 100 // size)
    return {
        "fill_known": fill is not None,
        "fill_percent": fill,
        "fragmentation_percent": known.number("fragmentation"),
        "has_checkpoint": known.checkpoint_bytes is not None,
        "checkpoint_bytes": known.checkpoint_bytes,
        "has_mapping": bool(known.mapping_bytes),
        "mapping_bytes": known.mapping_bytes,
        "expandable_bytes": known.number("expandsize") or 0,
        "leaked_bytes": known.number("leaked") or 0,
    }


def _of_vdevs(pool: Pool, known: ExistingPool, around: PoolSurroundings) -> dict[str, Any]:
    ashifts = {vdev.name: size for vdev in pool.vdevs if (size := _ashift(known, vdev)) is not None}
    counted = [vdev.name for vdev in pool.vdevs if vdev.section in _HOLDS_DATA]
    small = [name for name, size in ashifts.items() if size and (1 << size) < around.sector_bytes.get(name, 0)]
    return {
        "ashift_known": bool(ashifts) and all(name in ashifts for name in counted),
        "ashifts": ", ".join(str(size) for size in sorted(set(ashifts.values()))),
        "ashift_mixed": len({ashifts[name] for name in counted if name in ashifts}) > 1,
        "ashift_small": first_of(small, _MOST_NAMED),
        "expanded": first_of([vdev.name for vdev in known.vdevs if vdev.expansions], _MOST_NAMED),
        "flash": around.flash is True,
    }


def _of_properties(known: ExistingPool) -> dict[str, Any]:
    features = [p for p in known.properties if p.name.startswith("feature@")]
    ratio = _RATIO.match(known.value("dedupratio") or "")
    return {
        "autotrim": known.value("autotrim") or "",
        "features_known": bool(features),
        "features_disabled": sum(1 for p in features if p.value == "disabled"),
        "compatibility": known.value("compatibility") or "",
        "readonly": known.value("readonly") == "on",
        "dedups": ratio is not None and (float(ratio.group(1)) > 1.0 or _dedups(known.datasets or ())),
        "dedup_ratio": float(ratio.group(1)) if ratio is not None else 1.0,
    }


def _of_datasets(pool: Pool, known: ExistingPool) -> dict[str, Any]:
    datasets = known.datasets or ()
    reserved = sum(dataset.number("usedbyrefreservation") or 0 for dataset in datasets)
    snapshots = sum(dataset.number("usedbysnapshots") or 0 for dataset in datasets)
    root = next((dataset for dataset in datasets if dataset.name == pool.name), None)
    return {
        "datasets_known": bool(datasets),
        "reserved_bytes": reserved,
        "reserved_percent": _share(reserved, _root_space(root)),
        "snapshot_bytes": snapshots,
        "snapshot_percent": _share(snapshots, root.number("used") if root is not None else None),
        "root_bytes": _root_bytes(root, datasets),
        "keys_missing": sum(1 for dataset in datasets if dataset.value("keystatus") == "unavailable"),
    }


def last_scrub(known: ExistingPool) -> date | None:
    """Return the day the last scrub ended; None where none is told."""
    ended = [s.ended for s in known.scans if s.kind is ScanKind.SCRUB and s.state is ScanState.FINISHED and s.ended]
    return max(ended).date() if ended else None


def _nodes(pool: Pool) -> list[PoolNode]:
    found: list[PoolNode] = []
    waiting = list(pool.vdevs)
    while waiting:
        node = waiting.pop(0)
        found.append(node)
        waiting.extend(node.children)
    return found


def _errors(node: PoolNode) -> int:
    return (node.read_errors or 0) + (node.write_errors or 0) + (node.checksum_errors or 0)


def _named(nodes: list[PoolNode]) -> str:
    return first_of([node.name.rpartition("/")[2] for node in nodes], _MOST_NAMED)


def _ashift(known: ExistingPool, vdev: PoolNode) -> int | None:
    sizes = known.vdev(vdev.name)
    return sizes.ashift if sizes is not None else None


def _last(known: ExistingPool, *states: ScanState) -> bool:
    scrubs: list[Scan] = [scan for scan in known.scans if scan.kind is ScanKind.SCRUB]
    return bool(scrubs) and scrubs[-1].state in states


def _share(part: int, whole: int | None) -> int:
    return part * 100 // whole if whole else 0


def _root_space(root: ExistingDataset | None) -> int | None:
    used, free = (root.number("used"), root.number("available")) if root is not None else (None, None)
    return used + free if used is not None and free is not None else None


def _root_bytes(root: ExistingDataset | None, datasets: tuple[ExistingDataset, ...]) -> int:
    """Return what lies in the root dataset beside others; a pool of one dataset has no better place."""
    held = root.number("usedbydataset") or 0 if root is not None and len(datasets) > 1 else 0
    return held if held > _LEAST_ROOT_BYTES else 0


def _dedups(datasets: tuple[ExistingDataset, ...]) -> bool:
    return any(dataset.value("dedup") not in {None, "off"} for dataset in datasets)
