"""What would mend each finding of the audit of a pool, as commands. They are shown; nothing here runs them."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from poolwright.changes.as_design import BOOT_POOLS, OF_TRUENAS
from poolwright.changes.audit import PoolAudit
from poolwright.changes.growth.design import REWRITE_SINCE
from poolwright.changes.live_difference.datasets import rewrite_words
from poolwright.domain.action import (
    Action,
    CreateDataset,
    OnPool,
    RunCommand,
    SetProperty,
    Verb,
    Wait,
    coming,
    rehearsed,
    set_on_pool,
)
from poolwright.domain.design import Setting
from poolwright.domain.finding import Finding, Severity
from poolwright.domain.pool import SERVING, WELL, PoolNode, ScanKind
from poolwright.domain.vdev import VdevClass, VdevKind
from poolwright.emit.commands import action_word, chain, lines
from poolwright.emit.trouble import PoolInTrouble, numbered
from poolwright.rules.design_judge import listed_rules
from poolwright.rules.existing_judge import kept_free
from poolwright.rules.existing_tree import all_erring, lost_devices, with_spare
from poolwright.texts import N_, _

_MOST_LINES = 8
_WAITING = frozenset({"attach", "replace", "remove", "scrub", "clear", "export", "import"})
# What must not be worked harder before its data are elsewhere, or its redundancy is back.
_LITTLE_LEFT = ("existing.no-redundancy-left", "existing.failing-last-copy")
# What nobody needs to think about again, a disk that comes back or a spare that is there, and what is at work then.
_BEGUN = {"zpool online": "resilver", "zpool replace": "replace", "zpool scrub": "scrub"}
_GONE = frozenset({"existing.not-online", "existing.no-redundancy-left"})
_GROUP = re.compile(r"(?:replacing|spare|indirect|hole|missing)-\d{1,6}")
_EXPANDED = frozenset({"data", "special", "dedup", "logs"})
_REFUSED_BY_CHECKPOINT = ("zpool attach", "zpool detach", "zpool replace", "zpool remove")


@dataclass(frozen=True, slots=True, kw_only=True)
class Remedy:
    """Commands for a person to run, in order, and what they leave as it is (``rewrite``; empty where nothing).

    ``buys``: a disk comes that nobody has yet. ``ready``: nobody has to look, decide or buy before it or in it, so that
    it can be run with others once ``wait`` has waited for its end. ``then`` says what decides how it goes on.
    """

    commands: tuple[str, ...] = ()
    rewrite: str = ""
    buys: bool = False
    ready: bool = False
    wait: str = ""
    then: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstStep:
    audit: PoolAudit
    finding: Finding
    remedy: Remedy

    @property
    def commands(self) -> tuple[str, ...]:
        return self.remedy.commands

    @property
    def advice(self) -> str:
        """Return what is to be known before the commands, or where there is nothing to run."""
        needed = self.finding.rule_id in listed_rules("advised") or not (self.commands or self.remedy.then)
        return self.finding.advice if needed else ""

    @property
    def is_urgent(self) -> bool:
        return self.finding.rule_id in listed_rules("first") or self.finding.severity is Severity.BLOCK


def first_steps(audits: Sequence[PoolAudit], numbers: dict[str, int] | None = None) -> tuple[FirstStep, ...]:
    """Return what is to be done now, in order: the gravest first, of the worst pool first; the same mend once.

    ``numbers`` gets the number of each disk that comes, for whoever tells of other findings beside.
    """
    found = [
        (_urgency(finding, number), audit, finding)
        for number, audit in enumerate(audits) for finding in audit.findings
        if finding.severity is not Severity.NOTE or finding.rule_id == "existing.resilvering"
    ]  # fmt: skip
    steps: list[FirstStep] = []
    said: set[str] = set()
    numbers = {} if numbers is None else numbers
    for __, audit, finding in sorted(found, key=lambda one: one[0]):
        remedy = remedy_of(finding, audit, numbers)
        idle = finding.rule_id == "existing.not-online"  # where another is in its place already
        if said.issuperset(remedy.commands) if remedy.commands else idle and not remedy.then:
            continue
        said.update(remedy.commands)
        steps.append(FirstStep(audit=audit, finding=finding, remedy=remedy))
    return tuple(steps)


def _urgency(finding: Finding, number: int = 0) -> tuple[int, ...]:
    grave = (Severity.BLOCK, Severity.WARN, Severity.NOTE).index(finding.severity)
    at_risk, stranded = _place(finding, "data_at_risk"), finding.rule_id == "existing.stranded"
    return (_place(finding, "first"), grave, at_risk, number, stranded)


def _place(finding: Finding, name: str) -> int:
    among = listed_rules(name)
    return among.index(finding.rule_id) if finding.rule_id in among else len(among)


def remedy_of(finding: Finding, audit: PoolAudit, numbers: dict[str, int] | None = None) -> Remedy:
    """Return the commands that mend a finding; none where only a new pool, a new disk or a person can.

    A disk that comes keeps its number in ``numbers``, where it has one.
    """
    pool = PoolInTrouble(audit)
    asked = [(one, _waits(one, audit)) for one in _actions(finding, pool) if not _names_a_group(one)]
    actions, then = [one for one, why in asked if why is None], next((why for __, why in asked if why), "")
    if audit.known.checkpoint_bytes is not None and any(action_word(one) in _REFUSED_BY_CHECKPOINT for one in actions):
        actions.insert(0, OnPool(pool=pool.name, verb=Verb.DISCARD_CHECKPOINT))
        then = then or _("The way back to the checkpoint is lost.")
    numbers = {} if numbers is None else numbers
    written = [line for one in actions for line in lines(one, version=pool.version)]
    buys = any(not device.disk_key for one in actions for device in coming(one))
    begun = [_BEGUN.get(action_word(one), "") for one in actions if not isinstance(one, Wait)]
    waits = (Wait(pool=pool.name, activity=activity) for activity in dict.fromkeys(filter(None, begun)))
    by_hand = pool.runs_system and any(line.startswith(("sgdisk ", "gpart ")) for line in written)
    if by_hand and pool.name in OF_TRUENAS:
        written = [line for line in written if line.startswith("zpool online ")]
        then = _("Do it in the web interface of TrueNAS, under System, Boot: that adds the boot loader.")
    elif by_hand:
        then = _("Then make the new disk bootable: `proxmox-boot-tool format` and `init` its ESP on Proxmox VE, "
                 "`gpart bootcode` on FreeBSD, elsewhere copy the ESP and run `grub-install`.")  # fmt: skip
    elif finding.rule_id in _GONE and any(line.startswith("zpool import ") for line in written):
        then = _("Another disk has its name now. Imported by stable names it may be found again; else replace it.")
    commands = tuple(numbered(line, numbers) for line in written[:_MOST_LINES])
    ready = all(begun) and len(written) <= _MOST_LINES and not buys
    rewrite = rewrite_words(finding.rule_id, audit.made.design.version if audit.made is not None else None)
    wait = chain(waits, version=pool.version)
    return Remedy(commands=commands, rewrite=rewrite, buys=buys, ready=ready, wait=wait, then=then)


def _actions(finding: Finding, pool: PoolInTrouble) -> Iterable[Action]:
    if finding.rule_id in _MENDS:
        return _MENDS[finding.rule_id](pool)
    if command := listed_rules(finding.rule_id, "commands"):
        named_already = finding.rule_id == "existing.damaged-files" and pool.audit.pool.damaged_files
        return () if named_already else (RunCommand(argv=(*command, pool.name)),)
    if not (setting := listed_rules(finding.rule_id, "settings")):
        return ()
    subjects = finding.subjects or (finding.subject,)
    named = [subject for subject in subjects if subject == pool.name or subject.startswith(f"{pool.name}/")]
    return _setting(pool, named, *setting)


# Until when an action has to wait: OpenZFS refuses it, or it would delay a rebuild. None where it has not to. An
# expansion pauses until a disk that failed is replaced.
def _waits(action: Action, audit: PoolAudit) -> str | None:
    word, known = action_word(action).removeprefix("zpool "), audit.known
    rules = {finding.rule_id for finding in audit.findings}
    if rules.intersection(("existing.unusable", "existing.log-unread")):
        return None
    if "existing.multihost-suspended" in rules:
        return "" if word in {"clear", "attach", "replace", "remove", "scrub"} else None
    for kind, (waiting, until) in _UNTIL.items():
        if known.runs(kind) and word in waiting:
            return _(until)
    if word == "attach" and rules.intersection(_LITTLE_LEFT):
        return _("Not before what is lost or failing has been replaced.")
    if word not in {"scrub", "clear"} or rules.intersection(listed_rules("no_scrub_now")):
        return "" if word in {"scrub", "clear"} else None
    # It would hide what the errors tell, or work the disks that are left.
    tops = [top for top in audit.pool.vdevs if top.section not in {"spares", "cache"}]
    worn = any(any(lost_devices(top)) or any(leaf.state == "DEGRADED" for leaf in top.leaves()) for top in tops)
    return _("Neither clear nor scrub before what is lost or failing has been replaced.") if worn else None


# Whether a command names what stands between a vdev and its devices: zpool takes no such name.
def _names_a_group(action: Action) -> bool:
    return any(_GROUP.fullmatch(word) for line in lines(action) for word in line.split())


# What sets a property on datasets; those below one of them that inherit it need no word.
def _setting(pool: PoolInTrouble, names: Sequence[str], name: str, value: str) -> Iterator[Action]:
    set_here = {"local", "received"}
    own = {d.name for d in pool.datasets if any(p.name == name and p.source in set_here for p in d.properties)}
    highest = [one for one in names if one in own or not any(one.startswith(f"{other}/") for other in names)]
    if highest:
        yield SetProperty(name=highest[0], others=tuple(highest[1:]), setting=Setting(name=name, value=value))


def _expanding(pool: PoolInTrouble) -> Iterator[Action]:
    offered = {vdev.name for vdev in pool.audit.known.vdevs if vdev.expandable_bytes}
    grown = [top for top in pool.vdevs if top.section in _EXPANDED and (not offered or top.name in offered)]
    leaves = [leaf for top in grown for leaf in top.leaves() if leaf.state is None or leaf.state in WELL]
    # Each of a mirror or raidz has to be expanded before the pool grows (zpool-online(8)).
    yield OnPool(pool=pool.name, verb=Verb.EXPAND, devices=tuple(map(pool.online_name, leaves)))
    yield set_on_pool(pool.name, "autoexpand", "on")


def _works_alone(node: PoolNode) -> bool:
    return not node.children and (node.state is None or node.state in WELL)


# A further side for each device that stands alone, then for the mirrors of special and dedup.
def _mirroring(pool: PoolInTrouble, *sections: str) -> Iterator[Action]:
    tops = [node for node in pool.vdevs if node.section in sections]
    weak = [node for node in tops if node.children and "special" in sections]
    first = (next(filter(_works_alone, node.leaves()), None) for node in (*filter(_works_alone, tops), *weak))
    return (a for n in first if n for a in pool.on_new_disk(n, n if n.section == "data" else None, attach=True))


# How a further special vdev joins, as redundant as the data: zpool refuses another one without -f.
def _another_special(pool: PoolInTrouble) -> Iterator[Action]:
    made = pool.audit.made
    data = [v for v in made.design.vdevs if v.vdev_class is VdevClass.DATA] if made is not None else []
    sides = max(2, 1 + min((v.failures_survived for v in data), default=1))
    added = pool.added(VdevKind.MIRROR, VdevClass.SPECIAL, sides)
    yield from (*rehearsed(added), added)


def _sparse(pool: PoolInTrouble) -> Iterator[Action]:
    held = {dataset.name: dataset.number("usedbyrefreservation") or 0 for dataset in pool.datasets}
    thick = sorted((name for name in held if held[name] > 0), key=lambda name: -held[name])
    kept = [dataset.name for dataset in pool.datasets if kept_free(dataset)]
    free = [*(("refreservation", name) for name in thick), *(("reservation", name) for name in kept)]
    return (SetProperty(name=name, setting=Setting(name=what, value="none")) for what, name in free)


# How to look which features there are; the upgrade itself not for a pool that a boot loader reads.
def _upgrading(pool: PoolInTrouble) -> Iterator[Action]:
    yield RunCommand(argv=("zpool", "upgrade", "-v"))
    yield RunCommand(argv=("zpool", "get", "all", pool.name))
    if pool.audit.known.value("bootfs") is None and pool.name not in BOOT_POOLS:
        yield OnPool(pool=pool.name, verb=Verb.UPGRADE)


def _undedup(pool: PoolInTrouble) -> Iterator[Action]:
    return _setting(pool, [d.name for d in pool.datasets if d.value("dedup") not in {None, "off"}], "dedup", "off")


# What writes every file of the root and below it anew, where this OpenZFS has it.
def _rewriting(pool: PoolInTrouble) -> Iterator[Action]:
    if pool.audit.made is None or pool.version < REWRITE_SINCE:
        return
    root = pool.audit.known.root
    where = root.value("mountpoint") if root is not None else None
    below = where if where is not None and where.startswith("/") else f"/{pool.name}"
    yield RunCommand(argv=("zfs", "rewrite", "-r", below))


# How to look at the devices that count errors, and how to count anew. `zpool clear` would put a device to work again
# that was given up.
def _erring(pool: PoolInTrouble) -> Iterator[Action]:
    leaves = list(pool.audit.pool.leaves())
    spared = {id(leaf) for top in pool.vdevs for leaf in with_spare(top)}
    counting = (n for n in leaves if n.read_errors or n.write_errors or n.checksum_errors)
    for leaf in (n for n in counting if n.state in SERVING and id(n) not in spared):
        yield from pool.smart(leaf)
    if not spared:
        yield from (OnPool(pool=pool.name, verb=verb) for verb in (Verb.CLEAR, Verb.SCRUB))


# Where to look for what all disks of a vdev have in common, or those that are gone.
def _looking_around(pool: PoolInTrouble) -> Iterator[Action]:
    yield RunCommand(argv=("dmesg",))
    erring = [leaf for top in all_erring(pool.audit.pool) for leaf in top.leaves()]
    lost = (leaf for top in pool.vdevs for leaf in lost_devices(top) if leaf.state != "OFFLINE")
    yield from (action for leaf in erring or lost for action in pool.smart(leaf))


_Mend = Callable[[PoolInTrouble], Iterable[Action]]


def _set(name: str, value: str) -> _Mend:
    return lambda pool: (set_on_pool(pool.name, name, value),)


# Mends, each with the rules whose findings it serves.
_MEND_OF: tuple[tuple[_Mend, tuple[str, ...]], ...] = (
    (PoolInTrouble.replacing,
     ("existing.not-online", "existing.no-redundancy-left", "existing.replacing-stopped")),
    (PoolInTrouble.reopening, ("existing.unusable", "existing.log-unread")),
    (_looking_around, ("existing.errors-everywhere", "existing.several-lost")),
    (PoolInTrouble.replacing_worn, ("existing.still-serving",)),
    (PoolInTrouble.rescuing, ("existing.failing-last-copy",)),
    (PoolInTrouble.standing_in, ("existing.spare-in-use",)),
    (PoolInTrouble.reimporting, ("existing.unstable-names",)),
    (_erring, ("existing.errors", "existing.doubtful-beside-lost")),
    (lambda pool: (Wait(pool=pool.name, activity="resilver"),), ("existing.resilvering",)),
    (lambda pool: (RunCommand(argv=("reboot",)), RunCommand(argv=("zpool", "import", pool.name))),
     ("existing.multihost-suspended",)),
    (lambda pool: pool.reimporting(stable=False), ("existing.other-host", "existing.read-only")),
    (lambda pool: (OnPool(pool=pool.name, verb=Verb.SCRUB),),
     ("existing.scrub-repaired", "existing.scrub-overdue", "existing.never-scrubbed", "existing.scrub-stopped")),
    (_set("cachefile", ""), ("existing.cachefile-none",)),
    (_set("failmode", "wait"), ("existing.failmode-panic",)),
    (_set("autotrim", "on"), ("existing.autotrim-off",)),
    (_expanding, ("existing.not-expanded",)),
    (_upgrading, ("existing.features-disabled", "existing.legacy-version")),
    (_sparse, ("existing.reserved",)),
    (_undedup, ("existing.dedup-in-vain", "datasets.dedup")),
    (_rewriting, ("existing.uneven-fill", "existing.expanded")),
    (lambda pool: (CreateDataset(name=f"{pool.name}/data"),), ("existing.data-in-root",)),
    (_another_special, ("existing.special-full",)),
    (lambda pool: (pool.on(Verb.REMOVE, node) for node in pool.vdevs if node.section == "cache"),
     ("cache.header-ram",)),
    (lambda pool: _mirroring(pool, "data"),
     ("redundancy.none-for-safety", "redundancy.none-for-clients", "redundancy.none-for-space",
      "redundancy.bare-disk-beside")),
    (lambda pool: _mirroring(pool, "special", "dedup"), ("redundancy.special-bare", "redundancy.special-weaker")),
    (lambda pool: _mirroring(pool, "logs"), ("support.log-not-mirrored",)),
    (lambda pool: (pool.added(VdevKind.STRIPE, VdevClass.SPARE, 1),), ("spares.none-for-safety", "spares.too-few")),
)  # fmt: skip
_MENDS = {rule: mend for mend, rules in _MEND_OF for rule in rules}
_UNTIL = {
    ScanKind.RESILVER: (_WAITING, N_("Not before the resilver has ended.")),
    ScanKind.REMOVAL: (_WAITING, N_("Not before the removal has ended, or was stopped by `zpool remove -s`.")),
    ScanKind.EXPANSION: (_WAITING - {"replace"}, N_("Not before the expansion has ended.")),
    ScanKind.SCRUB: ({"scrub", "clear"}, N_("Clear and scrub again once the running scrub has ended.")),
}
