"""The commands that would mend what the audit of an existing pool found. They are shown; nothing here runs them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from poolwright.advise.existing.as_design import seats_of
from poolwright.advise.existing.audit import PoolAudit
from poolwright.domain.finding import Finding
from poolwright.domain.pool import PoolNode
from poolwright.domain.version import ZfsVersion
from poolwright.emit.names import quote
from poolwright.texts import marked, tell

_REWRITE_SINCE = ZfsVersion(2, 3, 4)
_WELL = frozenset({"ONLINE", "AVAIL", "INUSE"})
_NEW = "/dev/disk/by-id/NEW-DISK"
_MOST_LINES = 8
_ONLY_NEW = marked("Only what is written from then on is stored so.")
_REWRITE = marked(
    "Only what is written from then on is stored so; `zfs rewrite -r` writes the old files anew in place, and blocks "
    "that snapshots hold stay there as well."
)
_COPY = marked(
    "Files keep the blocks they were written with: only a copy of them takes the new size, and a volume is made anew."
)
# Rules whose advice changes how blocks are stored, so that the old ones stay as they are.
_NEEDS_REWRITE = (
    "datasets.compression", "datasets.checksum", "checksum.", "records.copies", "records.redundant-metadata",
    "special.small-blocks-everything", "existing.expanded", "existing.dedup-in-vain", "existing.uneven-fill",
)  # fmt: skip
# Rules whose advice changes the size of blocks, which `zfs rewrite` leaves as it was.
_NEEDS_COPY = ("datasets.record", "records.large", "records.volume", "raidz.volumes")
_SETTINGS = {
    "datasets.sync-disabled": ("sync", "standard"),
    "datasets.compression-off": ("compression", "lz4"),
    "datasets.atime-on": ("atime", "off"),
    "datasets.xattr-dir": ("xattr", "sa"),
    "access.dnodesize-legacy": ("dnodesize", "auto"),
    "access.acl-without-sa": ("xattr", "sa"),
    "datasets.checksum-off": ("checksum", "on"),
    "records.copies": ("copies", "1"),
    "access.aclinherit-restricted": ("aclinherit", "passthrough"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Remedy:
    """Commands for a person to run, in order, and what they leave as it is (``rewrite``; empty where nothing)."""

    commands: tuple[str, ...] = ()
    rewrite: str = ""


def remedy_of(finding: Finding, audit: PoolAudit) -> Remedy:
    """Return the commands that mend a finding; none where only a new pool, a new disk or a person can."""
    pool = audit.pool.name
    maker = _COMMANDS.get(finding.rule_id)
    if maker is not None:
        commands = tuple(maker(audit))
    elif finding.rule_id in _SETTINGS:
        name, value = _SETTINGS[finding.rule_id]
        subjects = finding.subjects or (finding.subject,)
        named = [subject for subject in subjects if subject == pool or subject.startswith(f"{pool}/")]
        commands = tuple(_line("zfs", "set", f"{name}={value}", subject) for subject in _top_only(named))
    else:
        commands = ()
    return Remedy(commands=commands[:_MOST_LINES], rewrite=_rewrite(finding, audit))


def _rewrite(finding: Finding, audit: PoolAudit) -> str:
    if finding.rule_id.startswith(_NEEDS_COPY):
        return tell(_COPY)
    if not finding.rule_id.startswith(_NEEDS_REWRITE):
        return ""
    version = audit.made.design.version if audit.made is not None else None
    return tell(_REWRITE) if version is not None and version >= _REWRITE_SINCE else tell(_ONLY_NEW)


def _line(*words: str) -> str:
    return " ".join(quote(word) for word in words)


def _top_only(names: Sequence[str]) -> list[str]:
    """Return the datasets that are not below another of them: what is set on one, those below inherit."""
    return [name for name in names if not any(name.startswith(f"{other}/") for other in names)]


def _device(node: PoolNode) -> str:
    return node.path or node.name


def _replacing(audit: PoolAudit) -> list[str]:
    pool = audit.pool.name
    lines = []
    for leaf in audit.pool.leaves():
        if leaf.state is None or leaf.state in _WELL:
            continue
        if leaf.state == "OFFLINE":
            lines.append(_line("zpool", "online", pool, _device(leaf)))
        else:
            lines.extend(_replaced(audit, leaf))
    return lines


def _replaced(audit: PoolAudit, leaf: PoolNode) -> list[str]:
    """Return the replacement of one device; where others lie beside it on its disk, the new disk gets its table first.

    The table is that of a disk of the same vdev that is well: `sgdisk` copies it and gives the copy GUIDs of its own.
    """
    pool = audit.pool.name
    plain = [_line("zpool", "replace", pool, _device(leaf), _NEW)]
    made = audit.made
    if made is None or not made.design.reserve:
        return plain
    for node, vdev in zip(made.nodes, made.design.vdevs, strict=True):
        seats = list(zip(seats_of(node), vdev.members, strict=True))
        own = next((member for seat, member in seats if seat is leaf and member.part is not None), None)
        if own is None:
            continue
        well = (made.design.disk(m.disk_key) for seat, m in seats if m.part == own.part and seat.state in _WELL)
        like = next((disk for disk in well if disk.by_id_name or disk.path), None)
        if like is not None:
            source = f"/dev/disk/by-id/{like.by_id_name}" if like.by_id_name else like.path or ""
            return [
                _line("sgdisk", f"--replicate={_NEW}", source),
                _line("sgdisk", "--randomize-guids", _NEW),
                _line("zpool", "replace", pool, _device(leaf), f"{_NEW}-part{own.part}"),
            ]
    return plain


def _erring(audit: PoolAudit) -> list[str]:
    pool = audit.pool.name
    found = [leaf for leaf in audit.pool.leaves() if leaf.read_errors or leaf.write_errors or leaf.checksum_errors]
    looks = [_line("smartctl", "-x", _device(leaf)) for leaf in found if _device(leaf).startswith("/dev/")]
    return [*looks, _line("zpool", "clear", pool), _line("zpool", "scrub", pool)]


def _detaching(audit: PoolAudit) -> list[str]:
    pool = audit.pool.name
    groups = [node for vdev in audit.pool.vdevs for node in (vdev, *vdev.children) if node.kind == "spare"]
    return [_line("zpool", "replace", pool, _device(group.children[0]), _NEW) for group in groups if group.children]


def _expanding(audit: PoolAudit) -> list[str]:
    pool = audit.pool.name
    offered = {vdev.name for vdev in audit.known.vdevs if vdev.expandable_bytes}
    nodes = [leaf for vdev in audit.pool.vdevs if not offered or vdev.name in offered for leaf in vdev.leaves()]
    first = nodes[:1] if offered else []
    return [
        _line("zpool", "set", "autoexpand=on", pool),
        *(_line("zpool", "online", "-e", pool, _device(n)) for n in first),
    ]


def _mirroring(audit: PoolAudit) -> list[str]:
    pool = audit.pool.name
    lone = [node for node in audit.pool.vdevs if node.section in {"special", "dedup"} and not node.children]
    weak = [node for node in audit.pool.vdevs if node.section in {"special", "dedup"} and node.children]
    first = [node.leaves()[0] for node in (*lone, *weak)]
    return [_line("zpool", "attach", pool, _device(node), f"{_NEW}-{number}") for number, node in enumerate(first, 1)]


def _attaching(audit: PoolAudit) -> list[str]:
    """Return how each data vdev of one disk becomes a mirror."""
    bare = [node for node in audit.pool.vdevs if node.section == "data" and not node.children]
    return [
        _line("zpool", "attach", audit.pool.name, _device(node), f"{_NEW}-{number}")
        for number, node in enumerate(bare, 1)
    ]


def _another_special(audit: PoolAudit) -> list[str]:
    return [_line("zpool", "add", audit.pool.name, "special", "mirror", f"{_NEW}-1", f"{_NEW}-2")]


def _without_cache(audit: PoolAudit) -> list[str]:
    caches = [node for node in audit.pool.vdevs if node.section == "cache"]
    return [_line("zpool", "remove", audit.pool.name, _device(node)) for node in caches]


def _mirror_log(audit: PoolAudit) -> list[str]:
    logs = [node for node in audit.pool.vdevs if node.section == "logs" and not node.children]
    return [_line("zpool", "attach", audit.pool.name, _device(node), _NEW) for node in logs]


def _sparse(audit: PoolAudit) -> list[str]:
    thick = [dataset for dataset in audit.known.datasets or () if (dataset.number("usedbyrefreservation") or 0) > 0]
    thick.sort(key=lambda dataset: -(dataset.number("usedbyrefreservation") or 0))
    return [_line("zfs", "set", "refreservation=none", dataset.name) for dataset in thick]


def _import_again(audit: PoolAudit) -> list[str]:
    return [_line("zpool", word, audit.pool.name) for word in ("export", "import")]


def _by_id(audit: PoolAudit) -> list[str]:
    pool = audit.pool.name
    return [_line("zpool", "export", pool), _line("zpool", "import", "-d", "/dev/disk/by-id", pool)]


def _upgrading(audit: PoolAudit) -> list[str]:
    """Return how to look which features there are; the upgrade itself not for a pool that a boot loader reads."""
    pool = audit.pool.name
    looks = ["zpool upgrade -v", _line("zpool", "get", "all", pool)]  # for machines
    boots = audit.known.value("bootfs") is not None or pool in {"bpool", "boot-pool"}
    return looks if boots else [*looks, _line("zpool", "upgrade", pool)]


def _undedup(audit: PoolAudit) -> list[str]:
    named = [d.name for d in audit.known.datasets or () if d.value("dedup") not in {None, "off"}]
    return [_line("zfs", "set", "dedup=off", name) for name in _top_only(named)]


def _rewriting(audit: PoolAudit) -> list[str]:
    """Return the command that writes every file of the root and below it anew, where this OpenZFS has it."""
    if audit.made is None or audit.made.design.version < _REWRITE_SINCE:
        return []
    root = next((dataset for dataset in audit.known.datasets or () if dataset.name == audit.pool.name), None)
    where = root.value("mountpoint") if root is not None else None
    place = where if where is not None and where.startswith("/") else f"/{audit.pool.name}"
    return [_line("zfs", "rewrite", "-r", place)]


def _pool_line(*words: str) -> Callable[[PoolAudit], list[str]]:
    return lambda audit: [_line(*words, audit.pool.name)]


_COMMANDS: dict[str, Callable[[PoolAudit], list[str]]] = {
    "existing.not-online": _replacing,
    "existing.errors": _erring,
    "existing.damaged-files": _pool_line("zpool", "status", "-v"),
    "existing.spare-in-use": _detaching,
    "existing.resilvering": _pool_line("zpool", "wait", "-t", "resilver"),
    "existing.full": _pool_line("zfs", "list", "-t", "all", "-o", "space", "-s", "used", "-r"),
    "existing.nearly-full": _pool_line("zfs", "list", "-t", "all", "-o", "space", "-s", "used", "-r"),
    "existing.scrub-errors": _pool_line("zpool", "status", "-v"),
    "existing.scrub-repaired": _pool_line("zpool", "scrub"),
    "existing.no-redundancy-left": _replacing,
    "existing.unusable": _pool_line("zpool", "clear"),
    "existing.cachefile-none": _pool_line("zpool", "set", "cachefile="),
    "existing.failmode-panic": _pool_line("zpool", "set", "failmode=wait"),
    "existing.moving": _pool_line("zpool", "status"),
    "existing.other-host": _import_again,
    "existing.uneven-fill": _rewriting,
    "existing.scrub-overdue": _pool_line("zpool", "scrub"),
    "existing.never-scrubbed": _pool_line("zpool", "scrub"),
    "existing.scrub-stopped": _pool_line("zpool", "scrub"),
    "existing.unstable-names": _by_id,
    "existing.checkpoint": _pool_line("zpool", "checkpoint", "-d"),
    "existing.not-expanded": _expanding,
    "existing.autotrim-off": _pool_line("zpool", "set", "autotrim=on"),
    "existing.features-disabled": _upgrading,
    "existing.legacy-version": _upgrading,
    "existing.reserved": _sparse,
    "existing.snapshots-hold": _pool_line("zfs", "list", "-t", "snapshot", "-s", "used", "-r"),
    "existing.dedup-in-vain": _undedup,
    "existing.keys-missing": lambda audit: [_line("zfs", "load-key", "-r", audit.pool.name)],
    "existing.read-only": _import_again,
    "existing.data-in-root": lambda audit: [_line("zfs", "create", f"{audit.pool.name}/data")],
    "existing.expanded": _rewriting,
    "existing.removal-mapping": _rewriting,
    "existing.special-full": _another_special,
    "existing.quota-near": _pool_line("zfs", "list", "-o", "space,quota,refquota", "-r"),
    "cache.header-ram": _without_cache,
    "redundancy.none-for-safety": _attaching,
    "redundancy.none-for-clients": _attaching,
    "redundancy.none-for-space": _attaching,
    "redundancy.bare-disk-beside": _attaching,
    "redundancy.special-bare": _mirroring,
    "redundancy.special-weaker": _mirroring,
    "support.log-not-mirrored": _mirror_log,
    "spares.none-for-safety": lambda audit: [_line("zpool", "add", audit.pool.name, "spare", _NEW)],
    "spares.too-few": lambda audit: [_line("zpool", "add", audit.pool.name, "spare", _NEW)],
}  # fmt: skip
