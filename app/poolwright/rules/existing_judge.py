"""Judges a pool that exists by the rules on such pools, from what the tools printed of it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime

from poolwright.domain.finding import FactValue, Finding
from poolwright.domain.host import Host
from poolwright.domain.pool import ExistingDataset, ExistingPool, Pool, Scan, ScanKind, ScanState
from poolwright.domain.version import ZfsVersion
from poolwright.domain.workload import Budget, Workload
from poolwright.rules.existing_tree import HOLDS_DATA, tree_facts
from poolwright.rules.facts import Facts, facts_of, only_known
from poolwright.rules.judge import APPLYING, Teller, judge, rank
from poolwright.rules.rulebook import RuleBook, Scope
from poolwright.texts import _, dated, first_of

# Facts of a pool that exists: what zpool, zdb and zfs printed, in the words of the rules.

_RATIO = re.compile(r"(\d{1,9}(?:\.\d{1,4})?)x?\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolSurroundings:
    """What the inventory tells of a pool's disks: the largest physical sector by vdev, and whether all are flash.

    ``failing`` are the devices, as zpool names them, whose disks say that they fail; ``twice`` those of which one disk
    or partition has more than one place in the pool. ``stranded_bytes`` of ``disk_bytes`` lie on members that are
    larger than the smallest of their vdev.
    """

    sector_bytes: dict[str, int] = field(default_factory=dict)
    flash: bool | None = None
    failing: frozenset[str] = frozenset()
    twice: tuple[str, ...] = ()
    disk_bytes: int = 0
    stranded_bytes: int = 0


def existing_facts(pool: Pool, known: ExistingPool, today: date, around: PoolSurroundings | None = None) -> Facts:
    """Return the facts of a pool that exists. ``today`` counts where the machine's clock was not read."""
    around = around or PoolSurroundings()
    found: dict[str, FactValue] = {
        "name": pool.name,
        "state": pool.state,
        "multihost": pool.suspended_by_multihost or known.value("multihost") == "on",
        "twice": first_of(list(around.twice)),
        **tree_facts(pool, resilvering=known.runs(ScanKind.RESILVER), failing=around.failing),
        **_of_scans(known, today),
        **_of_sizes(known),
        **_of_vdevs(pool, known, around),
        **_of_properties(known),
        **dataset_facts_of(known),
    }
    return only_known({f"existing.{name}": value for name, value in found.items()})


def _of_scans(known: ExistingPool, today: date) -> dict[str, FactValue]:
    scrub = _last_finished(known)
    scrubbed = scrub.ended.date() if scrub is not None and scrub.ended is not None else None
    day = known.read_at.date() if known.read_at is not None else today
    return {
        "days_since_scrub": max(0, (day - scrubbed).days) if scrubbed else None,
        "scrubbed_on": dated(scrubbed) if scrubbed else "",
        "resilvering": known.runs(ScanKind.RESILVER),
        "scrubbing": _last(known, ScanState.RUNNING),
        "moving": first_of([moving for scan in known.scans if (moving := _moving(scan, known.name))]),
        "scrub_errors": scrub.errors if scrub is not None else None,
        "scrub_repaired_bytes": scrub.repaired_bytes or 0 if scrub is not None else 0,
        "scrub_stopped": _last(known, ScanState.PAUSED, ScanState.CANCELLED),
    }


def _of_sizes(known: ExistingPool) -> dict[str, FactValue]:
    size = known.number("size")
    return {
        "fill_percent": known.fill_percent,
        "fragmentation_percent": known.number("fragmentation"),
        "checkpoint_bytes": known.checkpoint_bytes,
        "has_mapping": bool(known.mapping_bytes),
        "mapping_bytes": known.mapping_bytes,
        "expandable_bytes": (offered := known.number("expandsize") or 0),
        "expandable_percent": offered * 100 / size if size else 100.0 * bool(offered),
        "leaked_bytes": known.number("leaked") or 0,
    }


def _of_vdevs(pool: Pool, known: ExistingPool, around: PoolSurroundings) -> dict[str, FactValue]:
    counted = [vdev.name for vdev in pool.vdevs if vdev.section in HOLDS_DATA]
    # Where neither zdb nor the vdevs tell, what the pool was made with is likely theirs.
    likely = dict.fromkeys(counted, whole) if (whole := known.number("ashift")) else {}
    ashifts = {vdev.name: size for vdev in pool.vdevs if (size := known.ashift_of(vdev.name)) is not None} or likely
    small = [name for name, size in ashifts.items() if size and (1 << size) < around.sector_bytes.get(name, 0)]
    return {
        "ashift_known": bool(ashifts) and all(name in ashifts for name in counted),
        "ashifts": ", ".join(str(size) for size in sorted(set(ashifts.values()))),
        "ashift_mixed": len({ashifts[name] for name in counted if name in ashifts}) > 1,
        "ashift_small": first_of(small),
        "expanded": first_of([vdev.name for vdev in known.vdevs if vdev.expansions]),
        "flash": around.flash is True,
        "stranded_bytes": around.stranded_bytes,
        "stranded_percent": around.stranded_bytes * 100 // around.disk_bytes if around.disk_bytes else 0,
        "special_percent": max(special.values()) if (special := _fill(known, pool, "special")) else None,
        **_uneven(_fill(known, pool, "data")),
    }


def _fill(known: ExistingPool, pool: Pool, section: str) -> dict[str, int] | None:
    """Return how full each vdev of a section is, in per cent; None where the size of one is not known."""
    found = {}
    for node in pool.vdevs:
        sizes = known.vdev(node.name) if node.section == section else None
        if sizes is not None and sizes.size_bytes and sizes.allocated_bytes is not None:
            found[node.name] = sizes.allocated_bytes * 100 // sizes.size_bytes
        elif node.section == section and node.kind not in {"hole", "missing", "indirect"}:
            return None
    return found or None


def _uneven(fill: dict[str, int] | None) -> dict[str, FactValue]:
    """Return the emptiest and the fullest vdev with their fill, and by how much it differs."""
    if fill is None or len(fill) == 1:
        return {"uneven_fill": "", "uneven_percent": 0}
    least, most = (pick(fill, key=lambda name: fill[name]) for pick in (min, max))
    text = first_of([f"{name} ({fill[name]} %)" for name in (least, most)])
    return {"uneven_fill": text, "uneven_percent": fill[most] - fill[least]}


def _of_properties(known: ExistingPool) -> dict[str, FactValue]:
    features = [p for p in known.properties if p.name.startswith("feature@")]
    ratio = _RATIO.match(known.value("dedupratio") or "")
    return {
        "autotrim": known.value("autotrim") or "",
        "features_known": bool(features),
        "features_disabled": sum(1 for p in features if p.value == "disabled"),
        "compatibility": known.value("compatibility") or "",
        "legacy_version": known.number("version"),
        "cachefile": known.value("cachefile") or "",
        "boots": known.value("bootfs") is not None,
        "failmode": known.value("failmode") or "",
        "has_dedup_table": bool(known.number("dedup_table_size")),
        "dedup_table_bytes": known.number("dedup_table_size"),
        "readonly": known.value("readonly") == "on",
        "dedups": ratio is not None and (float(ratio.group(1)) > 1.0 or dedups(known.datasets or ())),
        "dedup_ratio": float(ratio.group(1)) if ratio is not None else 1.0,
    }


def last_scrub(known: ExistingPool) -> date | None:
    """Return the day the last scrub ended; None where none is told."""
    scrub = _last_finished(known)
    return scrub.ended.date() if scrub is not None and scrub.ended is not None else None


def scrub_hours(known: ExistingPool) -> float | None:
    """Return how long the last scrub took; None where none is told, or less than a minute."""
    scrub = _last_finished(known)
    if scrub is None or scrub.ended is None or scrub.began is None:
        return None
    hours = (scrub.ended - scrub.began).total_seconds() / 3600
    return hours if hours >= 1 / 60 else None


def _last_finished(known: ExistingPool) -> Scan | None:
    ended = [s for s in known.scans if s.kind is ScanKind.SCRUB and s.state is ScanState.FINISHED and s.ended]
    return max(ended, key=lambda scan: scan.ended or datetime.min, default=None)  # noqa: DTZ901 - printed without a zone


def _moving(scan: Scan, pool: str) -> str:
    vdev = scan.vdev or pool
    if scan.state is ScanState.RUNNING and scan.kind is ScanKind.REMOVAL:
        return _("{vdev} is being removed", vdev=vdev)
    if scan.state is ScanState.RUNNING and scan.kind is ScanKind.EXPANSION:
        return _("{vdev} is being expanded", vdev=vdev)
    return ""


def _last(known: ExistingPool, *states: ScanState) -> bool:
    scrubs: list[Scan] = [scan for scan in known.scans if scan.kind is ScanKind.SCRUB]
    return bool(scrubs) and scrubs[-1].state in states


# Facts of a pool that exists which its datasets tell: what keeps space, what is nearly full, where keys lie.

_FILE = "file://"


def dataset_facts_of(known: ExistingPool) -> dict[str, FactValue]:
    """Return what `zfs get` told of the datasets together; sums are 0 where nobody asked (see ``datasets_known``)."""
    datasets = known.datasets or ()
    reserved = sum((dataset.number("usedbyrefreservation") or 0) + kept_free(dataset) for dataset in datasets)
    snapshots = sum(dataset.number("usedbysnapshots") or 0 for dataset in datasets)
    root = next((dataset for dataset in datasets if dataset.name == known.name), None)
    percent, near = max(_of_quotas(datasets), default=(0, ""), key=lambda found: found[0])
    return {
        "datasets_known": bool(datasets),
        "reserved_bytes": reserved,
        "reserved_percent": _share(reserved, _root_space(root)),
        "snapshot_bytes": snapshots,
        "snapshot_percent": _share(snapshots, known.used_bytes),
        # A pool of one dataset has no better place.
        "root_bytes": (root.number("usedbydataset") or 0) if root is not None and len(datasets) > 1 else 0,
        "keys_missing": sum(1 for dataset in datasets if dataset.value("keystatus") == "unavailable"),
        "quota_near": near,
        "quota_percent": percent,
        "keys_inside": first_of(list(_keys_inside(datasets))),
    }


def kept_free(dataset: ExistingDataset) -> int:
    """Return what `reservation` keeps for a dataset and all below it beyond what they use."""
    return max(0, (dataset.number("reservation") or 0) - (dataset.number("used") or 0))


def dedups(datasets: tuple[ExistingDataset, ...]) -> bool:
    return any(dataset.value("dedup") not in {None, "off"} for dataset in datasets)


def _share(part: int, whole: int | None) -> int:
    return part * 100 // whole if whole else 0


def _root_space(root: ExistingDataset | None) -> int | None:
    used, free = (root.number("used"), root.number("available")) if root is not None else (None, None)
    return used + free if used is not None and free is not None else None


def _of_quotas(datasets: tuple[ExistingDataset, ...]) -> Iterator[tuple[int, str]]:
    """Yield how many per cent of what it may each dataset has used: quota counts all below, refquota no snapshots."""
    for dataset in datasets:
        for limit, counted in (("quota", "used"), ("refquota", "referenced")):
            most, used = dataset.number(limit), dataset.number(counted)
            if most and used is not None:
                yield used * 100 // most, dataset.name


def _keys_inside(datasets: tuple[ExistingDataset, ...]) -> Iterator[str]:
    """Yield the encryption roots whose key file lies below a mountpoint of the same pool.

    A key on the root file system of the machine is none of these: it is in the initial ramdisk as well.
    """
    mounted = [place for one in datasets if (place := one.value("mountpoint") or "").startswith("/") and place != "/"]
    for dataset in datasets:
        place = dataset.value("keylocation") or ""
        if dataset.value("encryptionroot") == dataset.name and place.startswith(_FILE):
            path = place.removeprefix(_FILE)
            if any(path.startswith(f"{folder}/") for folder in mounted):
                yield dataset.name


def judge_existing(
    book: RuleBook,
    pool: Pool,
    known: ExistingPool,
    *,
    workload: Workload,
    version: ZfsVersion,
    today: date,
    host: Host | None = None,
    around: PoolSurroundings | None = None,
) -> tuple[Finding, ...]:
    """Return what is violated, what cannot be told and what holds of a pool that exists, the gravest first.

    ``today`` is the day the pool was read where its machine's clock is not known.
    """
    existing = existing_facts(pool, known, today, around)
    facts = Facts({**facts_of(workload, Budget(), host or Host(), version), **existing})
    teller = Teller(book, {"existing": known.origin})
    found = []
    for rule in book.rules:
        if rule.scope is Scope.EXISTING and rule.applies_to(workload.goal, version):
            outcome, missing = judge(rule, facts)
            if outcome in APPLYING:
                found.append(teller.finding(rule, facts, pool.name, outcome, missing))
    return tuple(sorted(found, key=rank))
