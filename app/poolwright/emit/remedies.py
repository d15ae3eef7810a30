"""The commands that would mend what the audit of an existing pool found. They are shown; nothing here runs them."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from poolwright.changes.audit import NO_SCRUB_NOW, PoolAudit
from poolwright.domain.action import OnPool, PoolVerb, Wait
from poolwright.domain.existing_pool import ExistingDataset, ScanKind
from poolwright.domain.finding import Finding, Severity
from poolwright.domain.pool import WELL, PoolNode
from poolwright.domain.vdev import VdevClass
from poolwright.domain.version import DEFAULT_VERSION, ZfsVersion
from poolwright.emit.commands import lines
from poolwright.emit.lost_devices import (
    BOOT_POOLS,
    by_id_names,
    device_of,
    erring,
    line_of,
    new_disk,
    on_new_disk,
    online_name,
    replacing,
    replacing_worn,
    rescuing,
    standing_in,
)
from poolwright.texts import marked, tell

_REWRITE_SINCE = ZfsVersion(2, 3, 4)
_MOST_LINES = 8
_WAITING = ("attach", "replace", "remove", "scrub", "clear", "export", "import")
# What must not be worked harder before its data are elsewhere, or its redundancy is back.
_LITTLE_LEFT = ("existing.no-redundancy-left", "existing.failing-last-copy")
_GROUP = re.compile(r"(?:replacing|spare|indirect|hole|missing)-\d{1,6}")
_EXPANDED = frozenset({"data", "special", "dedup", "logs"})
_REFUSED_BY_CHECKPOINT = ("zpool attach", "zpool detach", "zpool replace", "zpool remove")
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


# What is done before all else, whatever the rules weigh: what is lost for good, then what bears failures.
_FIRST = (
    "existing.multihost-suspended", "existing.unusable", "existing.failing-last-copy", "existing.resilvering",
    "existing.twice", "existing.no-redundancy-left", "existing.not-online", "existing.degraded",
    "existing.still-serving", "existing.damaged-files", "disks.failing", "existing.spare-in-use",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstStep:
    """What is to be done now about one finding; without commands its advice says what."""

    audit: PoolAudit
    finding: Finding
    commands: tuple[str, ...]


def first_steps(audits: Sequence[PoolAudit]) -> tuple[FirstStep, ...]:
    """Return what is to be done now, in order: the gravest first, of the worst pool first; the same mend once."""
    order = {Severity.BLOCK: 0, Severity.WARN: 1, Severity.NOTE: 2}
    found = [
        ((_FIRST.index(finding.rule_id) if finding.rule_id in _FIRST else len(_FIRST), order[finding.severity], number),
         audit, finding)
        for number, audit in enumerate(audits) for finding in audit.findings
        if finding.severity is not Severity.NOTE or finding.rule_id == "existing.resilvering"
    ]  # fmt: skip
    steps: list[FirstStep] = []
    said: set[str] = set()
    for _, audit, finding in sorted(found, key=lambda one: one[0]):
        commands = remedy_of(finding, audit).commands
        if commands and said.issuperset(commands):
            continue
        said.update(commands)
        steps.append(FirstStep(audit=audit, finding=finding, commands=commands))
    return tuple(steps)


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
        commands = tuple(_setting(audit, named, name, value))
    else:
        commands = ()
    commands = tuple(line for line in commands if not line.startswith(_not_now(audit)) and not _names_a_group(line))
    if audit.known.checkpoint_bytes is not None and any(line.startswith(_REFUSED_BY_CHECKPOINT) for line in commands):
        commands = (*lines(OnPool(pool=pool, verb=PoolVerb.DISCARD_CHECKPOINT), version=_version(audit)), *commands)
    return Remedy(commands=commands[:_MOST_LINES], rewrite=_rewrite(finding, audit))


def _not_now(audit: PoolAudit) -> tuple[str, ...]:
    """Return the beginnings of commands that have to wait: OpenZFS refuses them, or they would delay a rebuild."""
    rules = {finding.rule_id for finding in audit.findings}
    if "existing.multihost-suspended" in rules:
        return ("zpool clear", "zpool attach", "zpool replace", "zpool remove", "zpool scrub")
    if audit.known.runs(ScanKind.REMOVAL, ScanKind.RESILVER, ScanKind.EXPANSION):
        return tuple(f"zpool {verb}" for verb in _WAITING)
    scrub = ("zpool scrub", "zpool clear") if rules.intersection(NO_SCRUB_NOW) else ()
    return ("zpool attach", *scrub) if rules.intersection(_LITTLE_LEFT) else scrub


def _names_a_group(line: str) -> bool:
    """Tell whether a command names what stands between a vdev and its devices: zpool takes no such name."""
    return any(_GROUP.fullmatch(word) for word in line.split())


def _rewrite(finding: Finding, audit: PoolAudit) -> str:
    if finding.rule_id.startswith(_NEEDS_COPY):
        return tell(_COPY)
    if not finding.rule_id.startswith(_NEEDS_REWRITE):
        return ""
    version = audit.made.design.version if audit.made is not None else None
    return tell(_REWRITE) if version is not None and version >= _REWRITE_SINCE else tell(_ONLY_NEW)


def _version(audit: PoolAudit) -> ZfsVersion:
    return audit.made.design.version if audit.made is not None else DEFAULT_VERSION


def _setting(audit: PoolAudit, names: Sequence[str], name: str, value: str) -> list[str]:
    """Return the command that sets a property on datasets; those below one of them that inherit it need no word."""
    own = {dataset.name for dataset in audit.known.datasets or () if _is_own(dataset, name)}
    told = [one for one in names if one in own or not any(one.startswith(f"{other}/") for other in names)]
    return [line_of("zfs", "set", f"{name}={value}", *told)] if told else []


def _is_own(dataset: ExistingDataset, name: str) -> bool:
    source = next((one.source for one in dataset.properties if one.name == name), "")
    return source in {"local", "received"}


def _expanding(audit: PoolAudit) -> list[str]:
    pool = audit.pool.name
    offered = {vdev.name for vdev in audit.known.vdevs if vdev.expandable_bytes}
    grown = [top for top in audit.pool.vdevs if top.section in _EXPANDED and (not offered or top.name in offered)]
    devices = [
        online_name(audit, leaf) for top in grown for leaf in top.leaves() if leaf.state is None or leaf.state in WELL
    ]
    # Each of a mirror or raidz has to be expanded before the pool grows (zpool-online(8)).
    return [line_of("zpool", "online", "-e", pool, *devices), line_of("zpool", "set", "autoexpand=on", pool)]


def _works_alone(node: PoolNode) -> bool:
    return not node.children and (node.state is None or node.state in WELL)


def _mirroring(audit: PoolAudit) -> list[str]:
    pool = audit.pool.name
    lone = [node for node in audit.pool.vdevs if node.section in {"special", "dedup"} and _works_alone(node)]
    weak = [node for node in audit.pool.vdevs if node.section in {"special", "dedup"} and node.children]
    first = [leaf for node in (*lone, *weak) if (leaf := next(filter(_works_alone, node.leaves()), None)) is not None]
    return [
        line_of("zpool", "attach", pool, device_of(node), new_disk(audit, number))
        for number, node in enumerate(first, 1)
    ]


def _attaching(audit: PoolAudit) -> list[str]:
    """Return how each data vdev of one disk becomes a mirror."""
    bare = [node for node in audit.pool.vdevs if node.section == "data" and _works_alone(node)]
    return [
        line for number, node in enumerate(bare, 1) for line in on_new_disk(audit, "attach", node, node, number=number)
    ]


def _another_special(audit: PoolAudit) -> list[str]:
    """Return how a further special vdev joins, as redundant as the data: zpool refuses another one without -f."""
    data = [v for v in audit.made.design.vdevs if v.vdev_class is VdevClass.DATA] if audit.made is not None else []
    sides = max(2, 1 + min((v.failures_survived for v in data), default=1))
    drives = (new_disk(audit, number + 1) for number in range(sides))
    return [line_of("zpool", "add", audit.pool.name, "special", "mirror", *drives)]


def _without_cache(audit: PoolAudit) -> list[str]:
    caches = [node for node in audit.pool.vdevs if node.section == "cache"]
    return [line_of("zpool", "remove", audit.pool.name, device_of(node)) for node in caches]


def _mirror_log(audit: PoolAudit) -> list[str]:
    logs = [node for node in audit.pool.vdevs if node.section == "logs" and _works_alone(node)]
    return [line_of("zpool", "attach", audit.pool.name, device_of(node), new_disk(audit)) for node in logs]


def _sparse(audit: PoolAudit) -> list[str]:
    thick = [dataset for dataset in audit.known.datasets or () if (dataset.number("usedbyrefreservation") or 0) > 0]
    thick.sort(key=lambda dataset: -(dataset.number("usedbyrefreservation") or 0))
    return [line_of("zfs", "set", "refreservation=none", dataset.name) for dataset in thick]


def _import_again(audit: PoolAudit) -> list[str]:
    return [line_of("zpool", word, audit.pool.name) for word in ("export", "import")]


def _upgrading(audit: PoolAudit) -> list[str]:
    """Return how to look which features there are; the upgrade itself not for a pool that a boot loader reads."""
    pool = audit.pool.name
    looks = ["zpool upgrade -v", line_of("zpool", "get", "all", pool)]  # for machines
    boots = audit.known.value("bootfs") is not None or pool in BOOT_POOLS
    return looks if boots else [*looks, line_of("zpool", "upgrade", pool)]


def _undedup(audit: PoolAudit) -> list[str]:
    named = [d.name for d in audit.known.datasets or () if d.value("dedup") not in {None, "off"}]
    return _setting(audit, named, "dedup", "off")


def _rewriting(audit: PoolAudit) -> list[str]:
    """Return the command that writes every file of the root and below it anew, where this OpenZFS has it."""
    if audit.made is None or audit.made.design.version < _REWRITE_SINCE:
        return []
    root = next((dataset for dataset in audit.known.datasets or () if dataset.name == audit.pool.name), None)
    where = root.value("mountpoint") if root is not None else None
    place = where if where is not None and where.startswith("/") else f"/{audit.pool.name}"
    return [line_of("zfs", "rewrite", "-r", place)]


def _pool_line(*words: str) -> Callable[[PoolAudit], list[str]]:
    return lambda audit: [line_of(*words, audit.pool.name)]


_COMMANDS: dict[str, Callable[[PoolAudit], list[str]]] = {
    "existing.not-online": replacing,
    "existing.errors": erring,
    "existing.damaged-files": lambda audit: [] if audit.pool.damaged_files else [
        line_of("zpool", "status", "-v", audit.pool.name)],
    "existing.spare-in-use": standing_in,
    "existing.resilvering": lambda audit: list(
        lines(Wait(pool=audit.pool.name, activity="resilver"), version=_version(audit))),
    "existing.full": _pool_line("zfs", "list", "-t", "all", "-o", "space", "-s", "used", "-r"),
    "existing.nearly-full": _pool_line("zfs", "list", "-t", "all", "-o", "space", "-s", "used", "-r"),
    "existing.scrub-errors": _pool_line("zpool", "status", "-v"),
    "existing.scrub-repaired": _pool_line("zpool", "scrub"),
    "existing.no-redundancy-left": replacing,
    "existing.unusable": _pool_line("zpool", "clear"),
    "existing.multihost-suspended": lambda audit: ["reboot", line_of("zpool", "import", audit.pool.name)],
    "existing.failing-last-copy": rescuing,
    "existing.still-serving": replacing_worn,
    "existing.cachefile-none": _pool_line("zpool", "set", "cachefile="),
    "existing.failmode-panic": _pool_line("zpool", "set", "failmode=wait"),
    "existing.moving": _pool_line("zpool", "status"),
    "existing.other-host": _import_again,
    "existing.uneven-fill": _rewriting,
    "existing.scrub-overdue": _pool_line("zpool", "scrub"),
    "existing.never-scrubbed": _pool_line("zpool", "scrub"),
    "existing.scrub-stopped": _pool_line("zpool", "scrub"),
    "existing.unstable-names": by_id_names,
    "existing.checkpoint": _pool_line("zpool", "checkpoint", "-d"),
    "existing.not-expanded": _expanding,
    "existing.autotrim-off": _pool_line("zpool", "set", "autotrim=on"),
    "existing.features-disabled": _upgrading,
    "existing.legacy-version": _upgrading,
    "existing.reserved": _sparse,
    "existing.snapshots-hold": _pool_line("zfs", "list", "-t", "snapshot", "-s", "used", "-r"),
    "existing.dedup-in-vain": _undedup,
    "datasets.dedup": _undedup,
    "existing.keys-missing": lambda audit: [line_of("zfs", "load-key", "-r", audit.pool.name)],
    "existing.read-only": _import_again,
    "existing.data-in-root": lambda audit: [line_of("zfs", "create", f"{audit.pool.name}/data")],
    "existing.expanded": _rewriting,
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
    "spares.none-for-safety": lambda audit: [line_of("zpool", "add", audit.pool.name, "spare", new_disk(audit))],
    "spares.too-few": lambda audit: [line_of("zpool", "add", audit.pool.name, "spare", new_disk(audit))],
}  # fmt: skip
