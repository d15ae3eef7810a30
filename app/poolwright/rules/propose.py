"""Properties proposed for a pool, its root and the datasets below, and advice for its machine, each with its reason."""

from dataclasses import dataclass, field, replace

from poolwright.capacity.device import SAFE_ASHIFT
from poolwright.domain.dataset_properties import dataset_property, meaning
from poolwright.domain.design import Dataset, Design, HostAdvice, Setting
from poolwright.domain.estimate import Origin
from poolwright.domain.finding import Outcome, Source, UsedFact
from poolwright.domain.host import Host
from poolwright.domain.inheritance import Resolver
from poolwright.domain.names import name_problems
from poolwright.domain.units import KIB
from poolwright.domain.vdev import Layout, VdevClass
from poolwright.domain.version import ZfsVersion
from poolwright.domain.workload import Budget, Goal, Workload
from poolwright.rules.dataset_plan import PlannedDataset, planned_datasets, root_workload, workload_of
from poolwright.rules.design_judge import pool_details
from poolwright.rules.facts import Facts, facts_of, host_facts, with_workload
from poolwright.rules.judge import Teller, origins_of, value_of_rule
from poolwright.rules.layout_facts import (
    LayoutNumbers,
    common_facts,
    groups_of,
    nominal_percent,
    pool_facts,
    stored_percent,
)
from poolwright.rules.model import AdviceRule, PropertyRule, RuleBook
from poolwright.rules.presets import of_answer, presets_of
from poolwright.rules.profile import DiskProfile

_ASHIFT = "pool.ashift"
_OF_VOLUMES = frozenset({"volblocksize"})
_OF_FILESYSTEMS = frozenset({"recordsize", "atime", "relatime", "xattr", "acltype", "aclinherit", "dnodesize"})
_BLOCKS = (16 * KIB, 32 * KIB, 64 * KIB, 128 * KIB)
_LEAST_STORED = "stored.least_percent_of_nominal"


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A value for one property: ``target`` is pool or dataset (the root dataset). ``why`` is the longer reason.

    ``untold`` are the proposals that would have had precedence but need a fact nobody knows.
    """

    target: str
    setting: Setting
    title: str
    basis: str
    why: str
    facts: tuple[UsedFact, ...]
    sources: tuple[Source, ...]
    since: str | None = None
    until: str | None = None
    untold: tuple[str, ...] = ()
    users_own: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetProposal:
    """A dataset below the root, what its data are, and the proposals it has to itself."""

    name: str
    use: str
    details: tuple[Proposal, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposals:
    """All proposals: settings of the pool (`-o`), of its root dataset (`-O`), and of the datasets ``below``."""

    details: tuple[Proposal, ...]
    below: tuple[DatasetProposal, ...] = ()

    @property
    def datasets(self) -> tuple[Dataset, ...]:
        """Return the datasets below the root, each with the settings it does not inherit."""
        return tuple(
            Dataset(name=item.name, settings=tuple(detail.setting for detail in item.details)) for item in self.below
        )

    @property
    def pool(self) -> tuple[Setting, ...]:
        """Return the settings of the pool, ashift among them."""
        return tuple(detail.setting for detail in self.details if detail.target == "pool")

    @property
    def root(self) -> tuple[Setting, ...]:
        return tuple(detail.setting for detail in self.details if detail.target == "dataset")

    @property
    def ashift(self) -> int:
        return next((int(setting.value) for setting in self.pool if setting.name == "ashift"), SAFE_ASHIFT)


def propose_properties(
    book: RuleBook,
    *,
    goal: Goal,
    version: ZfsVersion,
    profile: DiskProfile,
    workload: Workload,
    budget: Budget,
    host: Host,
    layout: Layout = (),
    numbers: LayoutNumbers | None = None,
) -> Proposals:
    """Return the properties proposed for a pool of these disks, one value per property.

    Of several that apply, the highest priority wins, then the user's own, then one for named goals, then the first.
    Where the workload follows a preset, the root gets what suits all datasets, and `datasets` those of the preset.
    """
    root = root_workload(workload)
    facts = Facts({
        **facts_of(root, budget, host, version, use=""),
        **host_facts(host, version, workload),
        "goal": goal.value,
        **_pool_facts(book, layout, profile, version, SAFE_ASHIFT, numbers),
    })  # fmt: skip
    proposer = _Proposer(book, goal, version, origins_of(profile, host))
    ashift = proposer.propose(facts, "pool", only=_ASHIFT)
    if ashift:
        # Later proposals may look at the block size of the pool that this one decides.
        chosen = int(ashift[0].setting.value)
        facts = Facts({**facts, **_pool_facts(book, layout, profile, version, chosen, numbers)})
    of_pool = tuple(detail for detail in proposer.propose(facts, "pool") if detail.setting.name != "ashift")
    of_root = tuple(detail for detail in proposer.propose(facts, "dataset") if detail.setting.name not in _OF_VOLUMES)
    return Proposals(
        details=(*ashift, *of_pool, *of_root),
        below=tuple(_below(planned, proposer, facts, of_root) for planned in planned_datasets(workload)),
    )


def _pool_facts(
    book: RuleBook,
    layout: Layout,
    profile: DiskProfile,
    version: ZfsVersion,
    ashift: int,
    numbers: LayoutNumbers | None = None,
) -> Facts:
    return Facts({
        **common_facts(profile, ashift),
        **pool_facts(groups_of(layout), version=version, numbers=numbers or LayoutNumbers()),
        "pool.fitting_block_bytes": fitting_block(book, layout, ashift),
    })  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetPool:
    """What the proposals for one dataset ask of the pool around it."""

    layout: Layout
    profile: DiskProfile
    version: ZfsVersion
    ashift: int = SAFE_ASHIFT
    host: Host = field(default_factory=Host)
    budget: Budget = field(default_factory=Budget)


def propose_dataset(
    book: RuleBook, *, workload: Workload, pool: DatasetPool, volume: bool, use: str | None = None
) -> tuple[Proposal, ...]:
    """Return every property proposed for one filesystem or volume whose data have this workload.

    ``use`` says what the data are; without it the workload's preset does. What is inherited already is not left out.
    """
    facts = Facts({
        **facts_of(workload, pool.budget, pool.host, pool.version, use=use),
        **_pool_facts(book, pool.layout, pool.profile, pool.version, pool.ashift),
    })  # fmt: skip
    proposer = _Proposer(book, workload.goal, pool.version, origins_of(pool.profile, pool.host))
    left_out = _OF_FILESYSTEMS if volume else _OF_VOLUMES
    return tuple(d for d in proposer.propose(facts, "dataset") if d.setting.name not in left_out)


def fitting_block(book: RuleBook, layout: Layout, ashift: int) -> int:
    """Return the smallest usual block, from 16 KiB on, that keeps its share of the space on every data vdev.

    How much of the share that is not parity must be left is a limit of ``book``.
    """
    limit = book.limit(_LEAST_STORED)
    least = limit.value if limit is not None else 0
    data = [spec for spec in layout if spec.vdev_class is VdevClass.DATA]
    for block in _BLOCKS:
        if all(stored_percent(spec, ashift, block) * 100 >= nominal_percent(spec) * least for spec in data):
            return block
    return _BLOCKS[-1]


class _Proposer:
    """Chooses among the proposals of a book, for one goal and one OpenZFS version."""

    def __init__(self, book: RuleBook, goal: Goal, version: ZfsVersion, origins: dict[str, Origin]) -> None:
        self._rules: dict[str, list[PropertyRule]] = {}
        for rule in book.properties:
            if rule.applies_to(goal, version):
                self._rules.setdefault(rule.target, []).append(rule)
        self._teller = Teller(book, origins)

    def propose(self, facts: Facts, part: str, only: str | None = None) -> tuple[Proposal, ...]:
        """Return one proposal for each property of ``part`` (pool or dataset) that some rule proposes."""
        details: list[Proposal] = []
        for target, rules in self._rules.items():
            if not target.startswith(part + ".") or (only is not None and target != only):
                continue
            chosen, value, untold = _choose(rules, facts)
            if chosen is not None:
                details.append(_proposal(chosen, value, facts, self._teller, untold))
        return tuple(details)


def _below(planned: PlannedDataset, proposer: _Proposer, facts: Facts, root: tuple[Proposal, ...]) -> DatasetProposal:
    """Return a dataset with what it has to itself; what the ``root`` says already it inherits."""
    inherited = {detail.setting.name: detail.setting.value for detail in root}
    facts = with_workload(facts, planned.workload, planned.use)
    # A parent of volumes holds no files, so what concerns files has no place there.
    left_out = _OF_VOLUMES | _OF_FILESYSTEMS if planned.workload.volumes else _OF_VOLUMES
    own = tuple(
        detail
        for detail in proposer.propose(facts, "dataset")
        if detail.setting.name not in left_out and detail.setting.value != inherited.get(detail.setting.name)
    )
    return DatasetProposal(name=planned.name, use=planned.use, details=own)


def _choose(rules: list[PropertyRule], facts: Facts) -> tuple[PropertyRule | None, str, tuple[str, ...]]:
    untold: list[str] = []
    for rule in sorted(rules, key=lambda r: (-r.priority, not r.users_own, not r.goals)):
        outcome, value = value_of_rule(rule, facts)
        if outcome is Outcome.CANNOT_TELL:
            untold.append(rule.id)
        elif value is not None:
            return rule, str(value), tuple(untold)
    return None, "", tuple(untold)


def _proposal(rule: PropertyRule, value: str, facts: Facts, teller: Teller, untold: tuple[str, ...]) -> Proposal:
    fill = teller.filler(facts)
    part, _, name = rule.target.partition(".")
    return Proposal(
        target=part,
        setting=Setting(name=name, value=value, reason=rule.text.fill(fill), rule_id=rule.id),
        title=rule.title,
        basis=rule.basis.value,
        why=rule.why.fill(fill),
        facts=teller.used(rule, facts),
        sources=rule.sources,
        since=str(rule.since) if rule.since else None,
        until=str(rule.until) if rule.until else None,
        untold=untold,
        users_own=rule.users_own,
    )


# What the rules propose for one dataset of a design, beside what it inherits already.


def proposals_for(book: RuleBook, design: Design, dataset: Dataset) -> tuple[Proposal, ...]:
    """Return the properties proposed for ``dataset`` in the main pool, without those that it inherits as proposed.

    What it is for is its own workload, or follows from its name in the pool's; its present settings do not matter.
    Raises UserError where the size of a disk is unknown.
    """
    volume = dataset.volume_bytes is not None
    workload, use = workload_of(dataset, design.workload)
    # A filesystem may hold images of disks: then the blocks of its files matter, and there are no volumes.
    workload = replace(workload, volumes=volume)
    members = dict.fromkeys(member.disk_key for vdev in design.vdevs for member in vdev.members)
    pool = DatasetPool(
        layout=design.layout(),
        profile=DiskProfile.from_disks([design.disk(key) for key in members]),
        version=design.version,
        ashift=design.ashift,
        host=design.machine,
        budget=design.budget,
    )
    resolver, bare = Resolver(design), replace(dataset, settings=())
    kept = []
    for proposal in propose_dataset(book, workload=workload, pool=pool, volume=volume, use=use):
        name, value = proposal.setting.name, proposal.setting.value
        known = dataset_property(name, design.version)
        if known is not None and not known.applies(volume=volume):
            continue
        if known is not None and known.inherits:
            there = resolver.effective(bare, known).value
            if meaning(name, there, design.version) == meaning(name, value, design.version):
                continue
        kept.append(proposal)
    return tuple(kept)


# Advice for the machine around a pool: settings, timers, commands, each with its reason.


def advise_host(book: RuleBook, design: Design, numbers: LayoutNumbers | None = None) -> tuple[HostAdvice, ...]:
    """Return the advice for the machine that runs ``design``, in the order of the files.

    Advice that needs a fact nobody knows is left out. Raises UserError where the size of a member is unknown.
    """
    members = [design.disk(member.disk_key) for vdev in design.vdevs for member in vdev.members]
    profile = DiskProfile.from_disks(list({disk.key: disk for disk in members}.values()))
    facts = Facts({
        **facts_of(design.workload, design.budget, design.machine, design.version),
        **_pool_facts(book, design.layout(), profile, design.version, design.ashift, numbers),
        **pool_details(design),
    })  # fmt: skip
    # A name that no command may hold stands in no command: it is told, and mended, elsewhere.
    named = not name_problems(design)
    asked = (facts, *_of_each_kind(facts, design.workload))
    given = (
        next((found for each in asked if (found := _advice(rule, each, book, named=named)) is not None), None)
        for rule in book.advice
        if rule.applies_to(design.workload.goal, design.version)
    )
    return tuple(advice for advice in given if advice is not None)


def _of_each_kind(facts: Facts, workload: Workload) -> tuple[Facts, ...]:
    """Return the facts as they are for each of several kinds of data: the machine needs what any of them needs."""
    if not workload.presets_beside:
        return ()
    programs = "workload.with_programs"
    each = (with_workload(facts, of_answer(workload, chosen), chosen.key) for chosen in presets_of(workload))
    return tuple(Facts({**found, programs: facts[programs]}) for found in each)


def _advice(rule: AdviceRule, facts: Facts, book: RuleBook, *, named: bool) -> HostAdvice | None:
    outcome, value = value_of_rule(rule, facts)
    if outcome is not Outcome.HOLDS:
        return None
    fill = Teller(book, {}).filler({**facts, "value": value})
    return HostAdvice(
        kind=rule.kind.value,
        title=rule.title,
        command=rule.command.fill(fill) if rule.command.parts and named else None,
        file=rule.place.fill(fill) if named else "",
        content=rule.content.fill(fill) if named else "",
        reason=rule.text.fill(fill),
        why=rule.why.fill(fill),
        rule_id=rule.id,
        sources=rule.sources,
    )
