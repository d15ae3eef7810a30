"""Properties proposed for a pool, its root and the datasets below, and advice for its machine, each with its reason."""

from dataclasses import dataclass, replace

from poolwright.capacity.device import SAFE_ASHIFT
from poolwright.domain.dataset_properties import dataset_properties, meaning
from poolwright.domain.design import Dataset, Design, HostAdvice, Setting
from poolwright.domain.finding import Outcome
from poolwright.domain.inheritance import Resolver
from poolwright.domain.names import name_problems
from poolwright.domain.units import KIB
from poolwright.domain.vdev import Layout, VdevClass
from poolwright.domain.workload import Workload
from poolwright.rules.dataset_plan import planned_datasets, root_workload, workload_of
from poolwright.rules.design_judge import pool_details
from poolwright.rules.facts import Facts, facts_of, host_facts, with_workload
from poolwright.rules.judge import Teller, value_of_rule
from poolwright.rules.layout_facts import (
    LayoutNumbers,
    Premises,
    common_facts,
    groups_of,
    nominal_percent,
    pool_facts,
    stored_percent,
)
from poolwright.rules.presets import of_answer, presets_of
from poolwright.rules.profile import DiskProfile
from poolwright.rules.rulebook import AdviceRule, PropertyRule, RuleBook

_ASHIFT = "pool.ashift"
_OF_VOLUMES = frozenset({"volblocksize"})
_OF_FILESYSTEMS = frozenset({"recordsize", "atime", "relatime", "xattr", "acltype", "aclinherit", "dnodesize"})
_BLOCKS = (16 * KIB, 32 * KIB, 64 * KIB, 128 * KIB)
_LEAST_STORED = "stored.least_percent_of_nominal"


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposals:
    """Settings of a pool (`-o`) besides its ashift, of its root dataset (`-O`), and the datasets below.

    Each has its reason, and a dataset only the settings that it does not inherit.
    """

    ashift: Setting | None = None
    pool: tuple[Setting, ...] = ()
    root: tuple[Setting, ...] = ()
    datasets: tuple[Dataset, ...] = ()


def propose_properties(
    book: RuleBook, premises: Premises, *, layout: Layout = (), numbers: LayoutNumbers | None = None
) -> Proposals:
    """Return the properties proposed for a pool of these disks, one value per property.

    Of several that apply, the highest priority wins, then the user's own, then one for named goals, then the first.
    Where the workload follows a preset, the root gets what suits all datasets, and `datasets` those of the preset.
    """
    workload, host, version = premises.workload, premises.host, premises.version
    facts = Facts({
        **facts_of(root_workload(workload), premises.budget, host, version, use=""),
        **host_facts(host, version, workload),
        **_pool_facts(book, premises, layout, SAFE_ASHIFT, numbers),
    })  # fmt: skip
    ashift = next(iter(_proposed(book, premises, facts, _ASHIFT)), None)
    if ashift is not None:
        # Later proposals may look at the block size of the pool that this one decides.
        facts = Facts({**facts, **_pool_facts(book, premises, layout, int(ashift.value), numbers)})
    root = _proposed(book, premises, facts, "dataset", _OF_VOLUMES)
    datasets: list[Dataset] = []
    for planned in planned_datasets(workload):
        # A parent of volumes holds no files, so what concerns files has no place there.
        left_out = _OF_VOLUMES | _OF_FILESYSTEMS if planned.workload.volumes else _OF_VOLUMES
        own = _proposed(book, premises, with_workload(facts, planned.workload, planned.use), "dataset", left_out)
        # The nearest above counts: a log of 128K lies below a database of 16K, whose root has 128K.
        above = (s for one in datasets if planned.name.startswith(f"{one.name}/") for s in one.settings)
        inherited = {setting.name: setting.value for setting in (*root, *above)}
        settings = tuple(setting for setting in own if inherited.get(setting.name) != setting.value)
        datasets.append(Dataset(name=planned.name, settings=settings))
    pool = _proposed(book, premises, facts, "pool", frozenset({"ashift"}))
    return Proposals(ashift=ashift, pool=pool, root=root, datasets=tuple(datasets))


def _proposed(
    book: RuleBook, premises: Premises, facts: Facts, of: str, left_out: frozenset[str] = frozenset()
) -> tuple[Setting, ...]:
    """Return one setting for each property that is proposed: ``of`` a part (pool or dataset), or the one named so."""
    goal, version = premises.workload.goal, premises.version
    by_target: dict[str, list[PropertyRule]] = {}
    for rule in book.properties:
        name = rule.target.partition(".")[2]
        if rule.target.startswith(of) and name not in left_out and rule.applies_to(goal, version):
            by_target.setdefault(name, []).append(rule)
    fill, found = Teller(book, {}).filler(facts), []
    for name, rules in by_target.items():
        for rule in sorted(rules, key=lambda rule: (-rule.priority, not rule.users_own, not rule.goals)):
            _, value = value_of_rule(rule, facts)
            if value is not None:
                reason = rule.text.message or rule.text.fill(fill)
                found.append(Setting(name=name, value=str(value), reason=reason, rule_id=rule.id))
                break
    return tuple(found)


def _pool_facts(
    book: RuleBook, premises: Premises, layout: Layout, ashift: int, numbers: LayoutNumbers | None = None
) -> Facts:
    return Facts({
        **common_facts(premises.profile, ashift),
        **pool_facts(groups_of(layout), version=premises.version, numbers=numbers or LayoutNumbers()),
        "pool.fitting_block_bytes": fitting_block(book, layout, ashift),
    })  # fmt: skip


def propose_dataset(
    book: RuleBook,
    premises: Premises,
    *,
    layout: Layout,
    volume: bool,
    use: str | None = None,
    ashift: int = SAFE_ASHIFT,
) -> tuple[Setting, ...]:
    """Return every property proposed for one filesystem or volume whose data have the workload of ``premises``.

    ``use`` says what the data are; without it the workload's preset does. What is inherited already is not left out.
    """
    facts = Facts({
        **facts_of(premises.workload, premises.budget, premises.host, premises.version, use=use),
        **_pool_facts(book, premises, layout, ashift),
    })  # fmt: skip
    return _proposed(book, premises, facts, "dataset", _OF_FILESYSTEMS if volume else _OF_VOLUMES)


def fitting_block(book: RuleBook, layout: Layout, ashift: int) -> int:
    """Return the smallest usual block, from 16 KiB on, that keeps its share of the space on every data vdev.

    How much of the share that is not parity must be left is a limit of ``book``.
    """
    limit = book.limits.get(_LEAST_STORED)
    least = limit.value if limit is not None else 0
    data = [spec for spec in layout if spec.vdev_class is VdevClass.DATA]
    for block in _BLOCKS:
        if all(stored_percent(spec, ashift, block) * 100 >= nominal_percent(spec) * least for spec in data):
            return block
    return _BLOCKS[-1]


# What the rules propose for one dataset of a design, beside what it inherits already.


def proposals_for(book: RuleBook, design: Design, dataset: Dataset) -> tuple[Setting, ...]:
    """Return the properties proposed for ``dataset`` in the main pool, without those that it inherits as proposed.

    What it is for is its own workload, or follows from its name in the pool's; its present settings do not matter.
    Raises UserError where the size of a disk is unknown.
    """
    volume = dataset.volume_bytes is not None
    workload, use = workload_of(dataset, design.workload)
    # A filesystem may hold images of disks: then the blocks of its files matter, and there are no volumes.
    workload = replace(workload, volumes=volume)
    premises, layout = replace(_premises(design), workload=workload), design.layout()
    resolver, bare = Resolver(design), replace(dataset, settings=())
    kept = []
    for setting in propose_dataset(book, premises, layout=layout, volume=volume, use=use, ashift=design.ashift):
        known = dataset_properties(design.version).get(setting.name)
        if known is not None and not known.applies(volume=volume):
            continue
        if known is not None and known.inherits:
            there = resolver.effective(bare, known).value
            if meaning(known.name, there, design.version) == meaning(known.name, setting.value, design.version):
                continue
        kept.append(setting)
    return tuple(kept)


def _premises(design: Design) -> Premises:
    members = dict.fromkeys(member.disk_key for vdev in design.vdevs for member in vdev.members)
    return Premises(
        profile=DiskProfile.from_disks([design.disk(key) for key in members]),
        version=design.version,
        workload=design.workload,
        budget=design.budget,
        host=design.machine,
    )


def with_workload_of(book: RuleBook, design: Design, workload: Workload) -> Design:
    """Return the design for another workload: what was proposed follows it, what a person set or filled stays."""
    made = replace(design, workload=workload, main_workload=None)
    if design.exists:
        return made  # with the properties that it has
    proposed = propose_properties(book, _premises(made), layout=made.layout())
    wanted = {d.name: d.settings for d in (Dataset(name="", settings=proposed.root), *proposed.datasets)}
    own = {d.name: replace(d, settings=_renewed(d.settings, wanted.get(d.name, ()))) for d in design.datasets}
    planned = {dataset.name for dataset in planned_datasets(design.workload)} - wanted.keys()
    gone = {name for name in planned if own.get(name) == Dataset(name=name)}
    kept = {name for name in own if name not in gone or any(n.startswith(f"{name}/") for n in {*own} - gone)}
    new = {name: Dataset(name=name, settings=settings) for name, settings in wanted.items()}
    datasets = tuple(d for name, d in {**new, **own}.items() if name in kept or name not in own)
    return replace(made, pool_settings=_renewed(design.pool_settings, proposed.pool), datasets=datasets)


def _renewed(settings: tuple[Setting, ...], proposed: tuple[Setting, ...]) -> tuple[Setting, ...]:
    own = tuple(setting for setting in settings if not setting.rule_id)
    return (*(one for one in proposed if one.name not in {setting.name for setting in own}), *own)


# Advice for the machine around a pool: settings, timers, commands, each with its reason.


def advise_host(book: RuleBook, design: Design, numbers: LayoutNumbers | None = None) -> tuple[HostAdvice, ...]:
    """Return the advice for the machine that runs ``design``, in the order of the files, choices first.

    Advice that needs a fact nobody knows is left out. Raises UserError where the size of a member is unknown.
    """
    facts = Facts({
        **facts_of(design.workload, design.budget, design.machine, design.version),
        **_pool_facts(book, _premises(design), design.layout(), design.ashift, numbers),
        **pool_details(design),
    })  # fmt: skip
    if not design.ashift_read:
        facts = Facts({name: value for name, value in facts.items() if not name.startswith(_ASHIFT)})
    # A name that no command may hold stands in no command: it is told, and mended, elsewhere.
    named = not name_problems(design)
    asked = (facts, *_of_each_kind(facts, design.workload))
    given = (
        next((found for each in asked if (found := _advice(rule, each, book, named=named)) is not None), None)
        for rule in book.advice
        if rule.applies_to(design.workload.goal, design.version)
    )
    return tuple(sorted((advice for advice in given if advice is not None), key=lambda advice: not advice.choice))


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
