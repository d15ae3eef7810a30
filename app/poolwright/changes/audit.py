"""A pool that exists, judged: by the rules on such pools and, as a design, by the same rules that judge a plan."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date

from poolwright.changes import explain
from poolwright.changes.as_design import PoolDesign, datasets_of, design_of_pool, not_known
from poolwright.changes.live_difference.difference import compare_with_live
from poolwright.changes.live_difference.values import OF_DISKS, LiveDifference, differs
from poolwright.domain.design import Design
from poolwright.domain.disk import FLASH_MEDIA, Disk, Health, is_masked, short_name, without_partition
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.finding import Finding, Outcome, Severity, violated
from poolwright.domain.grouping import grouped
from poolwright.domain.host import Inventory
from poolwright.domain.pool import USABLE, ExistingPool, FoundMember, MemberFinder, Pool, PoolNode, ScanKind
from poolwright.domain.vdev import VdevClass
from poolwright.domain.version import DEFAULT_VERSION, ZfsVersion
from poolwright.domain.workload import Goal, Workload
from poolwright.predict.drives import DriveBook
from poolwright.predict.space import Promises
from poolwright.rules.design_judge import judge_design, listed_rules, said_once, weighed_of_existing
from poolwright.rules.existing_judge import PoolSurroundings, judge_existing
from poolwright.rules.judge import rank
from poolwright.rules.layout_facts import LayoutNumbers
from poolwright.rules.rulebook import RuleBook, Scope
from poolwright.texts import _, first_of

# Whether each disk of an existing pool is where a design says: in which vdev, and in which bay where that is known.


def misplaced(design: Design, inventory: Inventory, pool: Pool) -> tuple[LiveDifference, ...]:
    """Return what differs of the disks between the design's pool of that name (else its first) and the pool. Pure."""
    try:
        compared = compare_with_live(design, inventory, pool)
    except PoolwrightError as error:
        return (differs(pool.name, "design", "", "", error.text),)
    places = [one for one in compared.differences if one.name in OF_DISKS]
    here = {disk.key: disk for disk in compared.live.disks}
    for own in compared.design.disks:
        disk, wanted = here.get(own.key), _bay(own)
        if disk is not None and wanted and (found := _bay(disk)) and found != wanted:
            text = _("{disk} should be in {wanted} and is in {found}.", disk=disk.label, wanted=wanted, found=found)
            places.append(differs(disk.label, "bay", found, wanted, text))
    return tuple(places)


def _bay(disk: Disk) -> str:
    return disk.place if disk.bay else ""


_FLASH_SECTOR = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolAudit:
    """What is to be said of one pool that exists.

    ``findings`` are violated rules and ``unsure`` those that cannot tell, the gravest first; ``gains`` what a change
    would bring, by rule. ``sizes`` explains the printed sizes, ``promises`` sums what volumes and quotas may take.
    ``misplaced`` are the differences to a design, None where none was given. ``version`` is the OpenZFS that runs the
    commands. ``problem`` says why the rules on layouts were not asked of a pool that was read whole; of one that was
    not, ``unread`` says what is not known.
    """

    pool: Pool
    known: ExistingPool
    made: PoolDesign | None
    findings: tuple[Finding, ...]
    unsure: tuple[Finding, ...] = ()
    gains: tuple[tuple[str, explain.ChangeGain], ...] = ()
    sizes: explain.SizesExplained | None = None
    promises: Promises | None = None
    misplaced: tuple[LiveDifference, ...] | None = None
    problem: str = ""
    version: ZfsVersion = DEFAULT_VERSION

    def gain(self, rule_id: str) -> explain.ChangeGain | None:
        return next((gain for rule, gain in self.gains if rule == rule_id), None)

    @property
    def unread(self) -> str:
        """Return what is not known of a pool without its `zpool status` or its disks; empty for others."""
        return self.made.unread if self.made is not None else not_known(self.pool)

    @property
    def gravest(self) -> Severity | None:
        order = (Severity.BLOCK, Severity.WARN, Severity.NOTE)
        return next((level for level in order if any(f.severity is level for f in self.findings)), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditRequest:
    """What the audit is asked beside the machine. ``goal_told`` False: what only one goal asks for weighs less."""

    workload: Workload
    goal_told: bool
    today: date
    design: Design | None = None

    @classmethod
    def usual(cls, today: date) -> "AuditRequest":
        return cls(workload=Workload(goal=Goal.SAFETY), goal_told=False, today=today)


def audit_machine(
    book: RuleBook, inventory: Inventory, request: AuditRequest, drives: DriveBook | None = None
) -> tuple[PoolAudit, ...]:
    """Return the audit of every imported pool in order; without ``drives`` no model tells what a change brings."""
    finder = MemberFinder(inventory.disks)
    return tuple(_audited(book, inventory, pool, request, finder, drives) for pool in inventory.imported())


def worst_first(audits: Sequence[PoolAudit]) -> tuple[PoolAudit, ...]:
    def key(audit: PoolAudit) -> tuple[object, ...]:
        counts = [-sum(f.severity is level for f in audit.findings) for level in (Severity.BLOCK, Severity.WARN)]
        state = audit.pool.state
        # A pool that is not whole comes before one that only has more findings.
        return (counts[0] == 0, state in {None, *USABLE}, state in {None, "ONLINE"}, *counts, audit.pool.name)

    return tuple(sorted(audits, key=key))


def _audited(
    book: RuleBook,
    inventory: Inventory,
    pool: Pool,
    request: AuditRequest,
    finder: MemberFinder,
    drives: DriveBook | None,
) -> PoolAudit:
    known = inventory.facts_of(pool) or ExistingPool(name=pool.name, origin=inventory.origin)
    made, problem = _as_design(inventory, pool, request)
    known = explain.with_expansions(made, known) if made is not None else known
    version = inventory.host.modelled or DEFAULT_VERSION
    found = list(judge_existing(
        book, pool, known, workload=request.workload, version=version, today=request.today, host=inventory.host,
        around=_surroundings(made, pool, finder),
    ))  # fmt: skip
    promises = explain.existing_promises(made, known)
    if made is not None:
        names = [top.node.name for top in made.tops]
        numbers = LayoutNumbers(predicted={} if promises is None else promises.facts())
        every = judge_design(book, made.design, numbers, names=names)
        judged = _of_real_disks(every, made, inventory)
        found.extend(_weighed(book, judged, request))
    elif not pool.vdevs:
        found.extend(_of_datasets(book, inventory, known, request))
    grave = tuple(sorted(_grouped(list(_as_one_advice(_once(violated(found)), known))), key=rank))
    wanted = None if request.design is None else misplaced(request.design, inventory, pool)
    return PoolAudit(
        pool=pool,
        known=known,
        made=made,
        findings=grave,
        unsure=tuple(sorted(_grouped(_unsure(found)), key=rank)),
        gains=tuple(explain.gains_of(grave, made, known, drives, request.today)) if made is not None else (),
        sizes=explain.explain_sizes(made, known) if made is not None else None,
        promises=promises,
        misplaced=wanted,
        problem=problem if pool.vdevs or pool.status_read else "",
        version=version,
    )


def _as_design(inventory: Inventory, pool: Pool, request: AuditRequest) -> tuple[PoolDesign | None, str]:
    try:
        return design_of_pool(inventory, pool, workload=request.workload), ""
    except PoolwrightError as error:
        return None, error.text


# What rules for plans cannot tell is no news to the owner of a pool.
def _unsure(found: Sequence[Finding]) -> list[Finding]:
    unsure = [f for f in found if f.outcome is Outcome.CANNOT_TELL and f.rule_id.startswith("existing.")]
    return list({finding.text: finding for finding in reversed(unsure)}.values())[::-1]


# What the rules of designs say that a pool which exists can heed.
def _weighed(book: RuleBook, judged: Sequence[Finding], request: AuditRequest) -> Iterator[Finding]:
    fronts, whole = listed_rules("of_plans"), listed_rules("said_elsewhere")
    heeded = [one for one in judged if not one.rule_id.startswith(fronts) and one.rule_id not in whole]
    return weighed_of_existing(book, heeded, goal_told=request.goal_told)


def _once(found: Sequence[Finding]) -> list[Finding]:
    rules = {finding.rule_id for finding in found}
    if rules.intersection(listed_rules("unusable")):
        return [finding for finding in found if finding.rule_id.startswith(listed_rules("of_unusable"))]
    return said_once(found)


# Rules know nothing of each other: “wait first” and “replace first” must not both be said.
def _as_one_advice(found: Sequence[Finding], known: ExistingPool) -> Iterator[Finding]:
    rules = {finding.rule_id for finding in found}
    running = next(filter(known.runs, (ScanKind.EXPANSION, ScanKind.RESILVER, ScanKind.REMOVAL)), None)
    late = () if running in {None, ScanKind.EXPANSION} else listed_rules("after_resilver")
    after = (*listed_rules("grows"), *late)
    worse = tuple(front for rule in rules for front in listed_rules(rule, "graver_beside"))
    for finding in found:
        if running is not None and finding.rule_id.startswith(after):
            yield replace(finding, advice=_("Wait for the end of the {scan} and look again. What is wrong then is "
                                            "replaced, one disk after the other.", scan=_(running.words)))  # fmt: skip
        elif worse and finding.rule_id.startswith(worse):
            yield replace(finding, severity=Severity.BLOCK if finding.severity is not Severity.NOTE else Severity.WARN)
        else:
            yield finding


# Files, and disks that only the pool tells of, are no drives that rules on disks could be asked about.
def _of_real_disks(judged: Sequence[Finding], made: PoolDesign, inventory: Inventory) -> tuple[Finding, ...]:
    real = {disk.key for disk in inventory.disks}
    made_up = {disk.label for disk in made.design.disks if disk.key not in real}
    of_disks = ("disks.", "ashift.", "members.")
    return tuple(f for f in judged if (*f.subjects, f.subject)[0] not in made_up or not f.rule_id.startswith(of_disks))


# What rests on datasets alone, of a pool whose vdevs nobody read.
def _of_datasets(book: RuleBook, inventory: Inventory, known: ExistingPool, request: AuditRequest) -> list[Finding]:
    bare = Design(
        key=known.name, name=known.name, pool_name=known.name, workload=request.workload, host=inventory.host,
        version=inventory.host.modelled or DEFAULT_VERSION, datasets=datasets_of(known),
    )  # fmt: skip
    findings = judge_design(book, bare, LayoutNumbers())
    asked = {rule.id for rule in book.rules if rule.scope is Scope.DATASET}
    return [
        finding
        for finding in _weighed(book, findings, request)
        if finding.rule_id in asked and not any(fact.name.startswith("pool.") for fact in finding.facts)
    ]


# One finding for each rule and severity; of several subjects the first speaks and the others are named.
def _grouped(findings: Sequence[Finding]) -> Iterator[Finding]:
    for same in grouped(((finding.rule_id, finding.severity), finding) for finding in findings).values():
        first, more = same[0], len(same) - 1
        subjects = tuple(dict.fromkeys(f.subject for f in same))
        if not more or first.subjects:
            yield first
            continue
        text = _("{count} like this: {text}", count=len(same), text=first.text)
        yield replace(first, subject=first_of(subjects), subjects=subjects, text=text)


def _surroundings(made: PoolDesign | None, pool: Pool, finder: MemberFinder) -> PoolSurroundings:
    found = [(leaf, finder.of(leaf)) for leaf in pool.leaves()]
    failing = frozenset(
        leaf.name for leaf, member in found if member.disk is not None and member.disk.health is Health.FAILING
    )
    beside = PoolSurroundings(failing=failing, twice=tuple(_twice(found)))
    if made is None:
        return beside
    sectors: dict[str, int] = {}
    data: list[Disk] = []
    for top in made.tops:
        disks, vdev_class = [seat.disk for seat in top.seats], top.vdev.vdev_class
        # What flash tells beyond 4096 bytes is its page, which no block has to reach.
        physical = ((disk.media in FLASH_MEDIA, disk.physical_sector_bytes) for disk in disks)
        sizes = [min(size, _FLASH_SECTOR) if of_flash else size for of_flash, size in physical if size]
        if sizes and vdev_class is not VdevClass.SPARE:
            sectors[top.node.name] = max(sizes)
        if vdev_class is VdevClass.DATA:
            data.extend(disks)
    flash = all(disk.media in FLASH_MEDIA for disk in data) if data and all(d.media for d in data) else None
    beside = replace(beside, sector_bytes=sectors, flash=flash)
    if not made.sizes_known:
        return beside
    whole = sum(map(sum, made.design.data_rooms()))
    return replace(beside, disk_bytes=whole, stranded_bytes=made.design.stranded_bytes())


# The devices with more than one place, whatever names they go by; a spare stands in the list of spares too. A device of
# which nothing but its name is known is that name, without the partition that zpool makes.
def _twice(found: Sequence[tuple[PoolNode, FoundMember]]) -> Iterator[str]:
    seen: dict[tuple[str, int], bool] = {}
    for leaf, member in found:
        listed = leaf.section == "spares" and leaf.state != "AVAIL"
        # Names that a person masked are equal by that; a size tells that the disk itself was read.
        masked = is_masked(leaf.name) and (member.disk is None or member.disk.size_bytes is None)
        if listed or masked or leaf.kind == "dspare":
            continue
        name = leaf.name if leaf.kind == "file" else short_name(without_partition(leaf.name)[0])
        key = (member.disk.key if member.disk is not None else name,
               (member.part if member.disk is not None else without_partition(leaf.name)[1]) or 1)  # fmt: skip
        if seen.get(key) is False:
            yield leaf.label
        seen[key] = key in seen


def tree_lines(pool: Pool) -> Iterator[tuple[int, PoolNode]]:
    def walk(node: PoolNode, depth: int) -> Iterator[tuple[int, PoolNode]]:
        yield depth, node
        for child in node.children:
            yield from walk(child, depth + 1)

    for vdev in pool.vdevs:
        yield from walk(vdev, 0)
