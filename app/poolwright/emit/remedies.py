"""What would mend each finding of the audit of a pool, as commands. They are shown; nothing here runs them."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from poolwright.changes.audit import NO_SCRUB_NOW, PoolAudit
from poolwright.domain.action import (
    Action,
    Attach,
    CreateDataset,
    DeviceVerb,
    OnDevices,
    OnPool,
    PoolVerb,
    Reimport,
    RunCommand,
    SetProperty,
    Wait,
    coming,
    set_on_pool,
)
from poolwright.domain.design import Setting
from poolwright.domain.finding import Finding, Severity
from poolwright.domain.pool import WELL, ExistingDataset, PoolNode, ScanKind
from poolwright.domain.vdev import VdevClass, VdevKind
from poolwright.domain.version import ZfsVersion
from poolwright.emit.commands import action_word, lines
from poolwright.emit.lost_devices import BOOT_POOLS, PoolInTrouble
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
    """Commands for a person to run, in order, and what they leave as it is (``rewrite``; empty where nothing).

    ``buys``: a disk comes that nobody has yet.
    """

    commands: tuple[str, ...] = ()
    rewrite: str = ""
    buys: bool = False


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
    pool = PoolInTrouble(audit)
    actions = [one for one in _actions(finding, pool) if not _waits(one, audit) and not _names_a_group(one)]
    if audit.known.checkpoint_bytes is not None and any(action_word(one) in _REFUSED_BY_CHECKPOINT for one in actions):
        actions.insert(0, OnPool(pool=pool.name, verb=PoolVerb.DISCARD_CHECKPOINT))
    commands = tuple(line for one in actions for line in lines(one, version=pool.version))
    buys = any(not device.disk for one in actions for device in coming(one))
    return Remedy(commands=commands[:_MOST_LINES], rewrite=_rewrite(finding, audit), buys=buys)


def _actions(finding: Finding, pool: PoolInTrouble) -> Iterable[Action]:
    if finding.rule_id in _MENDS:
        return _MENDS[finding.rule_id](pool)
    if finding.rule_id not in _SETTINGS:
        return ()
    subjects = finding.subjects or (finding.subject,)
    named = [subject for subject in subjects if subject == pool.name or subject.startswith(f"{pool.name}/")]
    return _setting(pool, named, *_SETTINGS[finding.rule_id])


def _waits(action: Action, audit: PoolAudit) -> bool:
    """Tell whether an action has to wait: OpenZFS refuses it, or it would delay a rebuild."""
    rules = {finding.rule_id for finding in audit.findings}
    if "existing.multihost-suspended" in rules:
        words: tuple[str, ...] = ("clear", "attach", "replace", "remove", "scrub")
    elif audit.known.runs(ScanKind.REMOVAL, ScanKind.RESILVER, ScanKind.EXPANSION):
        words = _WAITING
    else:
        scrub = ("scrub", "clear") if rules.intersection(NO_SCRUB_NOW) else ()
        words = ("attach", *scrub) if rules.intersection(_LITTLE_LEFT) else scrub
    return action_word(action) in [f"zpool {word}" for word in words]


def _names_a_group(action: Action) -> bool:
    """Tell whether a command names what stands between a vdev and its devices: zpool takes no such name."""
    return any(_GROUP.fullmatch(word) for line in lines(action) for word in line.split())


def _rewrite(finding: Finding, audit: PoolAudit) -> str:
    if finding.rule_id.startswith(_NEEDS_COPY):
        return tell(_COPY)
    if not finding.rule_id.startswith(_NEEDS_REWRITE):
        return ""
    version = audit.made.design.version if audit.made is not None else None
    return tell(_REWRITE) if version is not None and version >= _REWRITE_SINCE else tell(_ONLY_NEW)


def _setting(pool: PoolInTrouble, names: Sequence[str], name: str, value: str) -> Iterator[Action]:
    """Yield what sets a property on datasets; those below one of them that inherit it need no word."""
    own = {dataset.name for dataset in pool.datasets if _is_own(dataset, name)}
    told = [one for one in names if one in own or not any(one.startswith(f"{other}/") for other in names)]
    if told:
        yield SetProperty(name=told[0], others=tuple(told[1:]), setting=Setting(name=name, value=value))


def _is_own(dataset: ExistingDataset, name: str) -> bool:
    source = next((one.source for one in dataset.properties if one.name == name), "")
    return source in {"local", "received"}


def _expanding(pool: PoolInTrouble) -> Iterator[Action]:
    offered = {vdev.name for vdev in pool.audit.known.vdevs if vdev.expandable_bytes}
    grown = [top for top in pool.vdevs if top.section in _EXPANDED and (not offered or top.name in offered)]
    leaves = [leaf for top in grown for leaf in top.leaves() if leaf.state is None or leaf.state in WELL]
    # Each of a mirror or raidz has to be expanded before the pool grows (zpool-online(8)).
    yield OnDevices(pool=pool.name, verb=DeviceVerb.EXPAND, devices=tuple(map(pool.online_name, leaves)))
    yield set_on_pool(pool.name, "autoexpand", "on")


def _works_alone(node: PoolNode) -> bool:
    return not node.children and (node.state is None or node.state in WELL)


def _mirroring(pool: PoolInTrouble, *sections: str) -> Iterator[Action]:
    """Yield a further side for each device that stands alone, then for the mirrors of special and dedup."""
    tops = [node for node in pool.vdevs if node.section in sections]
    weak = [node for node in tops if node.children and sections != ("logs",)]
    first = (next(filter(_works_alone, node.leaves()), None) for node in (*filter(_works_alone, tops), *weak))
    return (Attach(pool=pool.name, to=pool.device(leaf), device=pool.new_disk()) for leaf in first if leaf is not None)


def _attaching(pool: PoolInTrouble) -> Iterator[Action]:
    """Yield how each data vdev of one disk becomes a mirror."""
    bare = (node for node in pool.vdevs if node.section == "data" and _works_alone(node))
    return (action for node in bare for action in pool.on_new_disk(node, node, attach=True))


def _another_special(pool: PoolInTrouble) -> Iterator[Action]:
    """Yield how a further special vdev joins, as redundant as the data: zpool refuses another one without -f."""
    made = pool.audit.made
    data = [v for v in made.design.vdevs if v.vdev_class is VdevClass.DATA] if made is not None else []
    sides = max(2, 1 + min((v.failures_survived for v in data), default=1))
    yield pool.added(VdevKind.MIRROR, VdevClass.SPECIAL, sides)


def _without_cache(pool: PoolInTrouble) -> Iterator[Action]:
    return (pool.on(DeviceVerb.REMOVE, node) for node in pool.vdevs if node.section == "cache")


def _sparse(pool: PoolInTrouble) -> Iterator[Action]:
    held = {dataset.name: dataset.number("usedbyrefreservation") or 0 for dataset in pool.datasets}
    thick = sorted((name for name in held if held[name] > 0), key=lambda name: -held[name])
    return (SetProperty(name=name, setting=Setting(name="refreservation", value="none")) for name in thick)


def _upgrading(pool: PoolInTrouble) -> Iterator[Action]:
    """Yield how to look which features there are; the upgrade itself not for a pool that a boot loader reads."""
    yield RunCommand(argv=("zpool", "upgrade", "-v"))
    yield RunCommand(argv=("zpool", "get", "all", pool.name))
    if pool.audit.known.value("bootfs") is None and pool.name not in BOOT_POOLS:
        yield OnPool(pool=pool.name, verb=PoolVerb.UPGRADE)


def _undedup(pool: PoolInTrouble) -> Iterator[Action]:
    return _setting(pool, [d.name for d in pool.datasets if d.value("dedup") not in {None, "off"}], "dedup", "off")


def _rewriting(pool: PoolInTrouble) -> Iterator[Action]:
    """Yield what writes every file of the root and below it anew, where this OpenZFS has it."""
    if pool.audit.made is None or pool.version < _REWRITE_SINCE:
        return
    root = next((dataset for dataset in pool.datasets if dataset.name == pool.name), None)
    where = root.value("mountpoint") if root is not None else None
    yield RunCommand(
        argv=("zfs", "rewrite", "-r", where if where is not None and where.startswith("/") else f"/{pool.name}")
    )


def _erring(pool: PoolInTrouble) -> Iterator[Action]:
    """Yield how to look at the devices that count errors, and how to count anew those that work.

    `zpool clear` would put a device to work again that was given up, and a vdev that lacks one is not worked harder.
    """
    leaves = list(pool.audit.pool.leaves())
    found = [leaf for leaf in leaves if leaf.read_errors or leaf.write_errors or leaf.checksum_errors]
    yield from pool.looks_at(found)
    if all(leaf.state is None or leaf.state in WELL for leaf in leaves):
        yield from (OnPool(pool=pool.name, verb=verb) for verb in (PoolVerb.CLEAR, PoolVerb.SCRUB))
    else:
        yield from (pool.on(DeviceVerb.CLEAR, leaf) for leaf in found if leaf.state in WELL)


_Mend = Callable[[PoolInTrouble], Iterable[Action]]


def _reads(*words: str) -> _Mend:
    return lambda pool: (RunCommand(argv=(*words, pool.name)),)


def _on_pool(verb: PoolVerb) -> _Mend:
    return lambda pool: (OnPool(pool=pool.name, verb=verb),)


def _set(name: str, value: str) -> _Mend:
    return lambda pool: (set_on_pool(pool.name, name, value),)


def _import_again(pool: PoolInTrouble) -> Iterable[Action]:
    return (Reimport(pool=pool.name, stable=False),)


def _spare(pool: PoolInTrouble) -> Iterable[Action]:
    return (pool.added(VdevKind.STRIPE, VdevClass.SPARE, 1),)


_MENDS: dict[str, _Mend] = {
    "existing.not-online": PoolInTrouble.replacing,
    "existing.errors": _erring,
    "existing.damaged-files": lambda pool: (
        () if pool.audit.pool.damaged_files else (RunCommand(argv=("zpool", "status", "-v", pool.name)),)
    ),
    "existing.spare-in-use": PoolInTrouble.standing_in,
    "existing.resilvering": lambda pool: (Wait(pool=pool.name, activity="resilver"),),
    "existing.full": _reads("zfs", "list", "-t", "all", "-o", "space", "-s", "used", "-r"),
    "existing.nearly-full": _reads("zfs", "list", "-t", "all", "-o", "space", "-s", "used", "-r"),
    "existing.scrub-errors": _reads("zpool", "status", "-v"),
    "existing.scrub-repaired": _on_pool(PoolVerb.SCRUB),
    "existing.no-redundancy-left": PoolInTrouble.replacing,
    "existing.unusable": _on_pool(PoolVerb.CLEAR),
    "existing.multihost-suspended": lambda pool: (
        RunCommand(argv=("reboot",)), RunCommand(argv=("zpool", "import", pool.name)),
    ),
    "existing.failing-last-copy": PoolInTrouble.rescuing,
    "existing.still-serving": PoolInTrouble.replacing_worn,
    "existing.cachefile-none": _set("cachefile", ""),
    "existing.failmode-panic": _set("failmode", "wait"),
    "existing.moving": _reads("zpool", "status"),
    "existing.other-host": _import_again,
    "existing.uneven-fill": _rewriting,
    "existing.scrub-overdue": _on_pool(PoolVerb.SCRUB),
    "existing.never-scrubbed": _on_pool(PoolVerb.SCRUB),
    "existing.scrub-stopped": _on_pool(PoolVerb.SCRUB),
    "existing.unstable-names": PoolInTrouble.by_stable_names,
    "existing.checkpoint": _reads("zpool", "checkpoint", "-d"),
    "existing.not-expanded": _expanding,
    "existing.autotrim-off": _set("autotrim", "on"),
    "existing.features-disabled": _upgrading,
    "existing.legacy-version": _upgrading,
    "existing.reserved": _sparse,
    "existing.snapshots-hold": _reads("zfs", "list", "-t", "snapshot", "-s", "used", "-r"),
    "existing.dedup-in-vain": _undedup,
    "datasets.dedup": _undedup,
    "existing.keys-missing": _reads("zfs", "load-key", "-r"),
    "existing.read-only": _import_again,
    "existing.data-in-root": lambda pool: (CreateDataset(name=f"{pool.name}/data"),),
    "existing.expanded": _rewriting,
    "existing.special-full": _another_special,
    "existing.quota-near": _reads("zfs", "list", "-o", "space,quota,refquota", "-r"),
    "cache.header-ram": _without_cache,
    "redundancy.none-for-safety": _attaching,
    "redundancy.none-for-clients": _attaching,
    "redundancy.none-for-space": _attaching,
    "redundancy.bare-disk-beside": _attaching,
    "redundancy.special-bare": lambda pool: _mirroring(pool, "special", "dedup"),
    "redundancy.special-weaker": lambda pool: _mirroring(pool, "special", "dedup"),
    "support.log-not-mirrored": lambda pool: _mirroring(pool, "logs"),
    "spares.none-for-safety": _spare,
    "spares.too-few": _spare,
}  # fmt: skip
