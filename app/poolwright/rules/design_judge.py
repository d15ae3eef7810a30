"""Judges one whole design: every rule, every outcome."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from poolwright.domain.as_built import Reserved, reserved_by_disk, total_bytes
from poolwright.domain.design import Design, Member, Vdev
from poolwright.domain.disk import Disk, Use, UseKind
from poolwright.domain.encryption import encryption_roots
from poolwright.domain.finding import FactValue, Finding, Severity, violated
from poolwright.domain.names import pool_name_problem
from poolwright.domain.outage import UnitKind, deadly_units, numbered, units_of
from poolwright.domain.reserve import ReservePurpose
from poolwright.domain.vdev import VdevClass
from poolwright.rules import layout_facts
from poolwright.rules.dataset_plan import dataset_facts, volume_block_bytes, workload_of
from poolwright.rules.facts import Facts, facts_of, with_workload
from poolwright.rules.judge import APPLYING, Teller, disk_findings, judge, origins_of, rank
from poolwright.rules.profile import DiskProfile
from poolwright.rules.rulebook import Rule, RuleBook, Scope
from poolwright.shipped import shipped
from poolwright.texts import _, first_of


@cache
def listed_rules(name: str, table: str = "") -> tuple[str, ...]:
    """Return the ids of rules, or how they begin, that the data of the audit list by that name."""
    words = (shipped("audit")[table] if table else shipped("audit")).get(name, "").split()
    return tuple(one for word in words for one in (listed_rules(word) if word == "no_scrub_now" else (word,)))


@dataclass(frozen=True, slots=True)
class _Placed:
    """A vdev of the design with its name in `zpool status` and its disks."""

    name: str
    group: layout_facts.LayoutGroup
    disks: tuple[Disk, ...]
    details: layout_facts.VdevDetails


def judge_design(
    book: RuleBook,
    design: Design,
    numbers: layout_facts.LayoutNumbers,
    rebuild: layout_facts.RebuildTime | None = None,
    names: Sequence[str] = (),
) -> tuple[Finding, ...]:
    """Return what is violated, what cannot be told and what holds of ``design``: all scopes, the gravest first.

    ``rebuild`` tells how long a vdev takes to rebuild, where a model is at hand. ``names`` are those of the vdevs in
    their order, where they exist: of a pool from which one was removed the numbers have gaps. Rules on pools that
    exist already are not asked. Raises UserError where the size of a member is unknown.
    """
    placed = _place(design, names)
    disks = {disk.key: disk for vdev in placed for disk in vdev.disks}.values()
    # To be a member is no obstacle to the pool itself, nor is the table that its disks have for that.
    own = Use(kind=UseKind.POOL, detail=design.pool_name)
    free = [replace(disk, uses=()) if own in disk.uses else disk for disk in disks]
    profile = DiskProfile.from_disks(free)
    base = _base(design, placed, profile, numbers)
    teller = Teller(book, origins_of(profile, design.machine))
    rules = [rule for rule in book.rules if rule.applies_to(design.workload.goal, design.version)]
    found: list[Finding] = []
    for rule in rules:
        if rule.scope is Scope.DISK:
            found.extend(disk_findings((rule,), profile, base, teller, APPLYING))
    subjects = _subjects(base, design, placed, rebuild)
    for rule in rules:
        for subject, facts in subjects.get(rule.scope, ()):
            outcome, missing = judge(rule, facts)
            if outcome in APPLYING:
                found.append(teller.finding(rule, facts, subject, outcome, missing))
    if design.assumed_sizes():  # what rests on them would be made up
        found = [finding for finding in found if _OF_SIZES.isdisjoint(fact.name for fact in finding.facts)]
    return tuple(sorted(found, key=rank))


def said_once(found: Sequence[Finding]) -> list[Finding]:
    """Return the findings without those that say what others, which are violated, say as well."""
    rules = {finding.rule_id for finding in violated(found)}
    spare = tuple(one for one in shipped("audit")["said_by"] if rules.intersection(listed_rules(one, "said_by")))
    whole = {others for others in spare if not others.endswith("-")}
    fronts = tuple(front for front in spare if front.endswith("-"))
    return [f for f in found if f.rule_id not in whole and not f.rule_id.startswith(fronts or ("-",))]


_LOWER = {Severity.BLOCK: Severity.WARN, Severity.WARN: Severity.NOTE, Severity.NOTE: Severity.NOTE}


def weighed_of_existing(book: RuleBook, judged: Sequence[Finding], *, goal_told: bool) -> Iterator[Finding]:
    """Yield the findings on a design as grave as they are for a pool that exists, with what can be done about it.

    A convention is no fault of a pool that works, and what only one goal asks for is none where nobody named a goal.
    """
    rules = {rule.id: rule for rule in book.rules}
    for finding in judged:
        grave = finding.rule_id.startswith(listed_rules("still_grave"))
        of_goal = bool(rules[finding.rule_id].goals) and not goal_told
        milder = (finding.basis == "convention" and not grave) or of_goal
        lower = milder or finding.rule_id in listed_rules("not_grave")
        severity = _LOWER[finding.severity] if lower else finding.severity
        yield replace(finding, severity=severity, advice=_live_advice(rules, finding))


# Of few disks what vdevs of their kind can.
def _live_advice(rules: dict[str, Rule], finding: Finding) -> str:
    facts = {fact.name: fact.value for fact in finding.facts}
    alike = "redundancy.pair-for-safety" if facts.get("vdev.kind") == "mirror" else "redundancy.one-failure-for-safety"
    rule = rules[alike if finding.rule_id == "redundancy.one-failure-of-few" else finding.rule_id]
    return rule.live.fill(facts.get) if rule.live.parts else finding.advice


# Facts that rest on the sizes of disks: space, and what is predicted.
_OF_SIZES = frozenset({
    "pool.raw_bytes", "pool.usable_bytes", "pool.together_bytes", "pool.special_bytes", "pool.largest_spare_bytes",
    "pool.spare_needs_bytes", "pool.seq_read_bytes_per_second", "pool.yearly_loss_percent", "pool.scrub_hours",
    "pool.years_until_full", "vdev.least_bytes", "vdev.total_bytes", "vdev.slack_bytes", "vdev.size_step_bytes",
    "vdev.wasted_bytes", "vdev.beyond_standard_bytes", "vdev.rebuild_hours",
})  # fmt: skip


def _base(
    design: Design, placed: Sequence[_Placed], profile: DiskProfile, numbers: layout_facts.LayoutNumbers
) -> Facts:
    """Return the facts that every rule may ask: the wishes, the host and the pool as a whole."""
    whole = Counter(m.disk_key for vdev in design.vdevs for m in vdev.members if m.slice_bytes is None)
    pool = layout_facts.pool_facts(
        [vdev.group for vdev in placed],
        version=design.version,
        numbers=numbers,
        repeated_disks=sum(1 for count in whole.values() if count > 1),
    )
    data = [disk for vdev in placed if vdev.group.role is VdevClass.DATA for disk in vdev.disks]
    return Facts({
        **facts_of(design.workload, design.budget, design.machine, design.version),
        **layout_facts.common_facts(profile, design.known_ashift, of_data=DiskProfile.summary_of(data)),
        **pool,
        **pool_details(design),
    })  # fmt: skip


def _subjects(
    base: Facts, design: Design, placed: Sequence[_Placed], rebuild: layout_facts.RebuildTime | None
) -> dict[Scope, list[tuple[str, Facts]]]:
    """Return by scope what rules speak of, besides disks, by name with its facts."""
    found: dict[Scope, list[tuple[str, Facts]]] = {
        scope: [] for scope in Scope if scope not in (Scope.DISK, Scope.EXISTING)
    }
    found[Scope.POOL] = [(Scope.POOL.value, base)]
    found[Scope.HOST] = [(Scope.HOST.value, base)]
    for names, vdev in _vdev_facts(placed, design, rebuild):
        scope = Scope.DATA_VDEV if vdev["vdev.role"] == VdevClass.DATA.value else Scope.SUPPORT_VDEV
        found[scope].append((names, Facts({**base, **vdev})))
    datasets = dataset_facts(
        design.datasets, pool_name=design.pool_name, version=design.version,
        vdevs=[vdev.group.spec for vdev in placed], ashift=design.known_ashift,
    )  # fmt: skip
    for dataset, facts in zip(design.datasets, datasets, strict=True):
        own = with_workload(base, *workload_of(dataset, design.workload))
        found[Scope.DATASET].append((str(facts["dataset.label"]), Facts({**own, **facts})))
    return found


def _place(design: Design, names: Sequence[str]) -> tuple[_Placed, ...]:
    """Return the vdevs with the names `zpool status` will give them: one running number over all top-level vdevs.

    Where they exist already they keep their ``names``; a vdev of one disk is spoken of by its disk.
    """
    placed: list[_Placed] = []
    shared, reserved = shared_keys(design), reserved_by_disk(design)
    numbers = {index: number for index, _vdev, number in numbered(design)}
    for index, vdev in enumerate(design.vdevs):
        group = layout_facts.group_of(design.spec(vdev), 1)
        disks = tuple(design.disk(member.disk_key) for member in vdev.members)
        if group.kind == "disk":
            name = first_of([disk.label for disk in disks])
        else:
            name = names[index] if names else f"{group.spec.word}-{numbers[index]}"
        placed.append(_Placed(name, group, disks, vdev_details(vdev, disks, shared, reserved)))
    return tuple(placed)


def _vdev_facts(
    placed: Sequence[_Placed], design: Design, rebuild: layout_facts.RebuildTime | None
) -> Iterator[tuple[str, Facts]]:
    volume_block = volume_block_bytes(design.version) if design.workload.volumes else None
    alike: dict[object, tuple[Facts, list[str]]] = {}
    for vdev in placed:
        facts = layout_facts.vdev_facts(
            vdev.group,
            label="",
            profile=DiskProfile.summary_of(vdev.disks),
            ashift=design.known_ashift,
            version=design.version,
            io_bytes=design.workload.io_size_bytes,
            volume_block_bytes=volume_block,
            details=vdev.details,
            rebuild=rebuild,
        )
        alike.setdefault(tuple(facts.items()), (facts, []))[1].append(vdev.name)
    for facts, named in alike.values():
        names = first_of(named)
        # Sentences of rules begin with it; they are in the singular, so several are spoken of as each.
        label = names if len(named) == 1 else _("Each of {names}", names=names)
        yield names, Facts({**facts, "vdev.label": label})


# What only a whole design settles: the pool's name and settings, and which disk has which places.


def pool_details(design: Design) -> dict[str, FactValue]:
    """Return the facts of the pool's name and settings; a property that is not set has its default."""
    values = {setting.name: setting.value for setting in design.pool_settings}
    shelves, hbas = (_units(design, kind) for kind in (UnitKind.ENCLOSURE, UnitKind.CONTROLLER))
    return {
        "pool.name": design.pool_name,
        "pool.name_valid": design.exists or pool_name_problem(design.pool_name, design.version) is None,
        "pool.compatibility": values.get("compatibility", "off"),
        "pool.boots": design.budget.import_on == "grub2" or bool(values.get("bootfs")),
        "pool.autotrim": values.get("autotrim", "off"),
        "pool.dedup_quota": values.get("dedup_table_quota", "auto"),
        "pool.encrypted": bool(encryption_roots(design)),
        "pool.enclosures": shelves[0],
        "pool.deadly_enclosures": shelves[1],
        "pool.controllers": hbas[0],
        "pool.deadly_controllers": hbas[1],
        "pool.swap_disks": _disks_with(design, ReservePurpose.SWAP, ReservePurpose.TRUENAS),
        "pool.esp_disks": _disks_with(design, ReservePurpose.ESP),
        "pool.truenas_disks": _disks_with(design, ReservePurpose.TRUENAS),
    }


def _disks_with(design: Design, *purposes: ReservePurpose) -> int:
    """Return on how many disks of the pool a partition for one of these is reserved."""
    reserved = reserved_by_disk(design)
    return sum(any(p.purpose in purposes for p in partitions) for partitions in reserved.values())


def _units(design: Design, kind: UnitKind) -> tuple[int, str]:
    """Return how many enclosures or controllers are known, and the names of those whose loss takes this pool."""
    main = replace(design, further_pools=()) if design.further_pools else design
    known = sum(1 for unit in units_of(main.disks) if unit.kind is kind)
    return known, ", ".join(unit.name for unit in deadly_units(main, kind)) if known > 1 else ""


def shared_keys(design: Design) -> frozenset[str]:
    holders = Counter(key for vdev in design.vdevs for key in {member.disk_key for member in vdev.members})
    return frozenset(key for key, count in holders.items() if count > 1)


def vdev_details(
    vdev: Vdev, disks: Sequence[Disk], shared: frozenset[str], reserved: Reserved | None = None
) -> layout_facts.VdevDetails:
    """Return what is known of the ``disks`` of ``vdev``; ``shared`` are others' too, ``reserved`` lies beside data."""
    own = [member.disk_key for member in vdev.members]
    # Two parts of one drive are one disk to whoever pulls it.
    bodies = Counter(disk.body or disk.key for disk in disks)
    return layout_facts.VdevDetails(
        partitioned=any(
            _for_several_uses(member, disk, reserved or {}) for member, disk in zip(vdev.members, disks, strict=True)
        ),
        shares_disk=not shared.isdisjoint(own),
        repeated_disks=sum(1 for count in bodies.values() if count > 1),
        batch_disks=largest_delivery(disks),
    )


def _for_several_uses(member: Member, disk: Disk, reserved: Reserved) -> bool:
    """Tell whether a disk is cut for more than room at its end and what is reserved beside the data."""
    if member.slice_bytes is None:
        return False
    return disk.size_bytes is None or member.slice_bytes != layout_facts.slack_slice(disk.size_bytes) - total_bytes(
        reserved.get(disk.key, ())
    )


# Disks that look like one delivery: the same model and serials that differ in their last characters only.

# Makers count up the end of a serial; a pallet spans a few thousand numbers in base 36.
_COUNTED = 3
_LEAST_SERIAL = 6
_PLACEHOLDER = "EXAMPLE"


def largest_delivery(disks: Iterable[Disk]) -> int:
    """Return how many of ``disks`` at most look like one delivery; one without model or serial counts by itself."""
    disks = tuple(disks)
    if not disks:
        return 0
    known = Counter(key for disk in disks if (key := delivery(disk)) is not None)
    return max(known.values(), default=1)


def delivery(disk: Disk) -> tuple[str, str] | None:
    """Return what disks of one delivery have in common, model and front of the serial; None where nothing is known."""
    serial = (disk.serial or "").strip().upper()
    if not disk.model or len(serial) < _LEAST_SERIAL or serial.startswith(_PLACEHOLDER):
        return None
    return disk.model, serial[:-_COUNTED]


# The findings on all pools of one design as one list, and that list taken apart again, pool by pool.

_OF_ALL = "pool.together_bytes"


def merge_findings(found: Sequence[tuple[Design, Sequence[Finding]]]) -> tuple[Finding, ...]:
    """Return the findings on each of `Design.pools` as one list, pool after pool.

    The subject of a finding on a further pool begins with “NAME: ”. What a rule says of the host, of all pools
    together, or of disks that an earlier pool lies on as well, is said once.
    """
    if len(found) == 1:
        return tuple(found[0][1])
    subjects: dict[tuple[str, str], set[str]] = {}
    every: list[Finding] = []
    for number, (pool, findings) in enumerate(found):
        labels = frozenset(disk.label for disk in pool.disks)
        said = {key: frozenset(about) for key, about in subjects.items()}
        for finding in findings:
            key = (finding.rule_id, finding.outcome.value)
            about = _beyond_pools(finding, labels)
            if number and about and about <= said.get(key, frozenset()):
                continue
            subjects.setdefault(key, set()).update(about)
            subject = f"{pool.pool_name}: {finding.subject}" if number else finding.subject
            every.append(replace(finding, subject=subject) if number else finding)
    return tuple(every)


def split_by_pool(design: Design, findings: Sequence[Finding]) -> tuple[tuple[Finding, ...], ...]:
    """Return the findings of each of `Design.pools` with the subjects its own rules gave them."""
    pools: list[list[Finding]] = [[] for __ in range(1 + len(design.further_pools))]
    for finding in findings:
        for number, pool in enumerate(design.further_pools, start=1):
            head = f"{pool.pool_name}: "
            if finding.subject.startswith(head):
                pools[number].append(replace(finding, subject=finding.subject.removeprefix(head)))
                break
        else:
            pools[0].append(finding)
    return tuple(tuple(pool) for pool in pools)


def _beyond_pools(finding: Finding, labels: frozenset[str]) -> frozenset[str]:
    """Return what a finding is about of host, disks or all pools; nothing where it is about a pool or a part of it."""
    if any(fact.name == _OF_ALL for fact in finding.facts):
        return frozenset((_OF_ALL,))
    about = frozenset(finding.subjects or (finding.subject,))
    return about if about <= labels or about == {Scope.HOST.value} else frozenset()
