"""Judges one whole design: every rule, every outcome."""

from collections import Counter
from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass, replace

from poolwright.domain.as_built import reserved_by_disk
from poolwright.domain.design import Design
from poolwright.domain.disk import Disk
from poolwright.domain.finding import Finding, Outcome
from poolwright.domain.steps import at_once
from poolwright.domain.vdev import VdevClass, VdevSpec
from poolwright.rules.dataset_facts import dataset_facts, volume_block_bytes
from poolwright.rules.dataset_plan import workload_of
from poolwright.rules.design_details import pool_details, shared_keys, vdev_details
from poolwright.rules.disk_findings import disk_findings, name_some
from poolwright.rules.evaluate import Teller, in_order, judge
from poolwright.rules.facts import DatasetFacts, Facts, VdevFacts, WorkloadFacts
from poolwright.rules.judge import origins_of
from poolwright.rules.layout_facts import (
    LayoutGroup,
    LayoutNumbers,
    RebuildTime,
    VdevDetails,
    group_of,
    pool_facts,
    vdev_facts,
)
from poolwright.rules.model import Rule, RuleBook, Scope
from poolwright.rules.profile import DiskProfile
from poolwright.rules.setting_facts import budget_facts, host_facts, workload_facts
from poolwright.texts import tell


@dataclass(frozen=True, slots=True)
class _Placed:
    """A vdev of the design with its name in `zpool status` and its disks."""

    name: str
    group: LayoutGroup
    disks: tuple[Disk, ...]
    details: VdevDetails


def judge_design(
    book: RuleBook, design: Design, numbers: LayoutNumbers, rebuild: RebuildTime | None = None
) -> tuple[Finding, ...]:
    """Do the same as `judge_design_in_steps` at once."""
    return at_once(judge_design_in_steps(book, design, numbers, rebuild))


def judge_design_in_steps(
    book: RuleBook,
    design: Design,
    numbers: LayoutNumbers,
    rebuild: RebuildTime | None = None,
    names: Sequence[str] = (),
) -> Generator[None, None, tuple[Finding, ...]]:
    """Return what every rule says of ``design``: all scopes, all outcomes, the gravest first.

    Yields between the parts, which take milliseconds with two thousand disks.

    ``rebuild`` tells how long a vdev takes to rebuild, where a model is at hand. ``names`` are those of the vdevs in
    their order, where they exist: of a pool from which one was removed the numbers have gaps. Rules on pools that
    exist already are not asked.

    A rule for another goal or another OpenZFS version gives one finding with the outcome not-applicable.
    Raises UserError where the size of a member is unknown.
    """
    placed = _place(design, names)
    yield
    profile = _profile(placed)
    yield
    base = _base(design, placed, profile, numbers)
    teller = Teller(book, origins_of(profile, design.machine))
    applying = [rule for rule in book.rules if rule.applies_to(design.workload.goal, design.version)]
    asked = {rule.id for rule in applying}
    found: list[Finding] = []
    for rule in applying:
        if rule.scope is Scope.DISK:
            found.extend(disk_findings((rule,), profile, base, teller, frozenset(Outcome)))
            yield
    vdevs = _vdev_facts(placed, design, rebuild)
    yield
    subjects = _subjects(base, vdevs, _datasets(design, [vdev.group.spec for vdev in placed]))
    for rule in (rule for rule in book.rules if rule.scope is not Scope.EXISTING):
        if rule.id not in asked:
            found.append(teller.finding(rule, base, _general_subject(rule), Outcome.NOT_APPLICABLE))
        elif rule.scope is not Scope.DISK:
            for subject, facts in subjects[rule.scope]:
                outcome, missing = judge(rule, facts)
                found.append(teller.finding(rule, facts, subject, outcome, missing))
        yield
    return in_order(found)


def _profile(placed: Sequence[_Placed]) -> DiskProfile:
    """Return the profile of all disks that have a place, each with its part in the pool."""
    roles = {disk.key: vdev.group.spec.vdev_class.value for vdev in placed for disk in vdev.disks}
    disks = list({disk.key: disk for vdev in placed for disk in vdev.disks}.values())
    return DiskProfile.from_disks(disks, roles=tuple(roles.values()))


def _base(design: Design, placed: Sequence[_Placed], profile: DiskProfile, numbers: LayoutNumbers) -> Facts:
    """Return the facts that every rule may ask: the wishes, the host and the pool as a whole."""
    whole = Counter(m.disk_key for vdev in design.vdevs for m in vdev.members if m.slice_bytes is None)
    pool = pool_facts(
        [vdev.group for vdev in placed],
        profile=_data_profile(placed, profile),
        ashift=design.ashift,
        version=design.version,
        numbers=numbers,
        repeated_disks=sum(1 for count in whole.values() if count > 1),
        details=pool_details(design),
    )
    return Facts(
        goal=design.workload.goal.value,
        workload=workload_facts(design.workload),
        budget=budget_facts(design.budget, design.version),
        host=host_facts(design.machine, design.version, design.workload),
        pool=pool,
    )


def _datasets(design: Design, specs: Sequence[VdevSpec]) -> tuple[tuple[DatasetFacts, WorkloadFacts], ...]:
    facts = dataset_facts(
        design.datasets, pool_name=design.pool_name, version=design.version, vdevs=specs, ashift=design.ashift
    )
    workloads = (workload_facts(*workload_of(dataset, design.workload)) for dataset in design.datasets)
    return tuple(zip(facts, workloads, strict=True))


def _general_subject(rule: Rule) -> str:
    return rule.scope.value.replace("_", " ")


def _subjects(
    base: Facts, vdevs: Sequence[tuple[str, VdevFacts]], datasets: Iterable[tuple[DatasetFacts, WorkloadFacts]]
) -> dict[Scope, tuple[tuple[str, Facts], ...]]:
    named = [(names, vdev.role, replace(base, vdev=vdev)) for names, vdev in vdevs]
    data = VdevClass.DATA.value
    return {
        Scope.POOL: ((Scope.POOL.value, base),),
        Scope.HOST: ((Scope.HOST.value, base),),
        Scope.DATASET: tuple((d.label, replace(base, dataset=d, workload=workload)) for d, workload in datasets),
        Scope.DATA_VDEV: tuple((names, facts) for names, role, facts in named if role == data),
        Scope.SUPPORT_VDEV: tuple((names, facts) for names, role, facts in named if role != data),
    }


def _place(design: Design, names: Sequence[str]) -> tuple[_Placed, ...]:
    """Return the vdevs with the names `zpool status` will give them: one running number over all top-level vdevs.

    Where they exist already they keep their ``names``; a vdev of one disk is spoken of by its disk.
    """
    placed: list[_Placed] = []
    shared, reserved = shared_keys(design), reserved_by_disk(design)
    number = 0
    for index, vdev in enumerate(design.vdevs):
        group = group_of(design.spec(vdev), 1)
        disks = tuple(design.disk(member.disk_key) for member in vdev.members)
        if group.kind == "disk":
            name = name_some([disk.label for disk in disks])
        else:
            name = names[index] if names else f"{group.spec.word}-{number}"
        if vdev.vdev_class not in (VdevClass.CACHE, VdevClass.SPARE):
            number += group.count
        placed.append(_Placed(name, group, disks, vdev_details(vdev, disks, shared, reserved)))
    return tuple(placed)


def _data_profile(placed: Sequence[_Placed], whole: DiskProfile) -> DiskProfile:
    """Return the profile for facts of the pool: sector sizes of all its disks, media of those that hold data."""
    data = [disk for vdev in placed if vdev.group.spec.vdev_class is VdevClass.DATA for disk in vdev.disks]
    of_data = DiskProfile.summary_of(data)
    kept = of_data.power_loss_protected
    return replace(
        whole, media=of_data.media, media_mixed=of_data.media_mixed, flash=of_data.flash, power_loss_protected=kept
    )


def _vdev_facts(
    placed: Sequence[_Placed], design: Design, rebuild: RebuildTime | None
) -> tuple[tuple[str, VdevFacts], ...]:
    """Return the facts of the vdevs with their names, equal ones as one with all their names."""
    volume_block = volume_block_bytes(design.version) if design.workload.volumes else None
    alike: dict[VdevFacts, list[tuple[str, int]]] = {}
    for vdev in placed:
        facts = vdev_facts(
            vdev.group,
            label="",
            profile=DiskProfile.summary_of(vdev.disks),
            ashift=design.ashift,
            version=design.version,
            io_bytes=design.workload.io_size_bytes,
            volume_block_bytes=volume_block,
            details=vdev.details,
            rebuild=rebuild,
        )
        alike.setdefault(replace(facts, count=0), []).append((vdev.name, facts.count))
    found = []
    for facts, named in alike.items():
        names = name_some([name for name, _ in named])
        # Sentences of rules begin with it; they are in the singular, so several are spoken of as each.
        label = names if len(named) == 1 else tell("each of {names}", names=names)
        found.append((names, replace(facts, label=label, count=sum(count for _, count in named))))
    return tuple(found)
