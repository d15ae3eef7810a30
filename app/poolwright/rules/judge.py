"""The judge of layouts: thousands of layouts of the same disks, each rule asked once per set of values it looks at."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any

from poolwright.domain.finding import Finding, Outcome, Severity
from poolwright.domain.host import Host
from poolwright.domain.origin import Origin, OriginKind
from poolwright.domain.vdev import Layout, VdevClass, VdevSpec
from poolwright.domain.version import ZfsVersion
from poolwright.domain.workload import Budget, Goal, Workload
from poolwright.rules.disk_findings import disk_findings
from poolwright.rules.evaluate import Origins, Teller, in_order, judge
from poolwright.rules.facts import Facts, PoolFacts, VdevFacts
from poolwright.rules.layout_facts import (
    LayoutNumbers,
    VdevGroup,
    group_label,
    groups_of,
    pool_facts,
    vdev_facts,
)
from poolwright.rules.model import Rule, RuleBook, Scope
from poolwright.rules.profile import DiskProfile
from poolwright.rules.setting_facts import budget_facts, host_facts, workload_facts

# Facts of the pool that are the same in every layout of one judge.
_CONSTANT = frozenset(
    f"pool.{name}"
    for name in (
        "ashift",
        "ashift_bytes",
        "logical_sector_bytes",
        "physical_sector_bytes",
        "physical_sectors_known",
        "media",
        "flash",
    )
)
_Key = Callable[[Any], Any]


def _key_of(names: Iterable[str], part: str) -> _Key:
    attributes = sorted(name.partition(".")[2] for name in names if name.startswith(part + "."))
    return attrgetter(*attributes) if attributes else _nothing


def _nothing(_: object) -> None:
    return None


@dataclass(slots=True)
class _Memo:
    """A rule with the answers it gave, by the values of the facts it looks at."""

    rule: Rule
    pool_key: _Key
    vdev_key: _Key
    shown_pool_key: _Key
    shown_vdev_key: _Key
    answers: dict[Any, tuple[Outcome, tuple[str, ...]] | None] = field(default_factory=dict)
    findings: dict[Any, Finding] = field(default_factory=dict)


def _memo(rule: Rule) -> _Memo:
    reads = [name for name in rule.reads if name not in _CONSTANT]
    shown = [name for name in (*rule.reads, *rule.shows) if name not in _CONSTANT]
    return _Memo(rule, _key_of(reads, "pool"), _key_of(reads, "vdev"), _key_of(shown, "pool"), _key_of(shown, "vdev"))


def _varies_with_pool(rule: Rule) -> bool:
    return any(name.startswith("pool.") and name not in _CONSTANT for name in (*rule.reads, *rule.shows))


class Judge:
    """Judges layouts of one set of disks for one goal, one OpenZFS version, one ashift."""

    def __init__(
        self,
        book: RuleBook,
        *,
        goal: Goal,
        version: ZfsVersion,
        profile: DiskProfile,
        workload: Workload,
        budget: Budget,
        host: Host,
        ashift: int,
    ) -> None:
        self._profile = profile
        self._ashift = ashift
        self._base = Facts(
            goal=goal.value,
            workload=workload_facts(workload),
            budget=budget_facts(budget),
            host=host_facts(host, version),
        )
        self._io_bytes = workload.io_size_bytes
        self._teller = Teller(book, origins_of(profile, host))
        rules = [rule for rule in book.rules if rule.applies_to(goal, version)]
        self._pool_memos = [_memo(rule) for rule in rules if rule.scope is Scope.POOL]
        self._free: dict[bool, list[_Memo]] = {}
        self._bound: dict[bool, list[_Memo]] = {}
        for is_data, scope in ((True, Scope.DATA_VDEV), (False, Scope.SUPPORT_VDEV)):
            of_scope = [rule for rule in rules if rule.scope is scope]
            self._free[is_data] = [_memo(rule) for rule in of_scope if not _varies_with_pool(rule)]
            self._bound[is_data] = [_memo(rule) for rule in of_scope if _varies_with_pool(rule)]
        self._vdevs: dict[tuple[VdevSpec, int], tuple[VdevGroup, VdevFacts, tuple[Finding, ...]]] = {}
        self._constant = self._constant_findings(rules)

    def layout(self, layout: Layout, numbers: LayoutNumbers) -> tuple[Finding, ...]:
        """Return what is violated and what cannot be told of ``layout``, the gravest first."""
        groups = groups_of(layout)
        known = [self._vdev(group.spec, group) for group in groups]
        pool = pool_facts(groups, profile=self._profile, ashift=self._ashift, numbers=numbers)
        found: list[Finding] = []
        for memo in self._pool_memos:
            self._ask(memo, pool, None, "pool", found)
        for group, vdev, findings in known:
            found.extend(findings)
            for memo in self._bound[group.spec.vdev_class is VdevClass.DATA]:
                self._ask(memo, pool, vdev, vdev.label, found)
        found.extend(self._constant)
        found.sort(key=_rank)
        return tuple(found)

    def _vdev(self, spec: VdevSpec, group: VdevGroup) -> tuple[VdevGroup, VdevFacts, tuple[Finding, ...]]:
        entry = self._vdevs.get((spec, group.count))
        if entry is None:
            label = group_label(group)
            facts = vdev_facts(group, label=label, profile=self._profile, ashift=self._ashift, io_bytes=self._io_bytes)
            found: list[Finding] = []
            # Rules in this list look at no fact of the pool that differs between layouts; this group stands for it.
            pool = pool_facts([group], profile=self._profile, ashift=self._ashift, numbers=LayoutNumbers())
            for memo in self._free[spec.vdev_class is VdevClass.DATA]:
                self._ask(memo, pool, facts, label, found)
            entry = self._vdevs[spec, group.count] = (group, facts, tuple(found))
        return entry

    def _ask(self, memo: _Memo, pool: PoolFacts, vdev: VdevFacts | None, subject: str, found: list[Finding]) -> None:
        """Add the rule's finding, where it has one; work it out only for values not seen before."""
        key = memo.pool_key(pool) if vdev is None else (memo.pool_key(pool), memo.vdev_key(vdev))
        try:
            answer = memo.answers[key]
        except KeyError:
            outcome, missing = judge(memo.rule, self._facts(pool, vdev))
            answer = (outcome, missing) if outcome in (Outcome.VIOLATED, Outcome.CANNOT_TELL) else None
            memo.answers[key] = answer
        if answer is None:
            return
        shown = (subject, memo.shown_pool_key(pool), memo.shown_vdev_key(vdev) if vdev is not None else None)
        finding = memo.findings.get(shown)
        if finding is None:
            finding = self._teller.finding(memo.rule, self._facts(pool, vdev), subject, *answer)
            memo.findings[shown] = finding
        found.append(finding)

    def _facts(self, pool: PoolFacts, vdev: VdevFacts | None) -> Facts:
        base = self._base
        return Facts(goal=base.goal, workload=base.workload, budget=base.budget, host=base.host, pool=pool, vdev=vdev)

    def _constant_findings(self, rules: Sequence[Rule]) -> tuple[Finding, ...]:
        """Return what holds of every layout of these disks: the findings about the disks and the host."""
        told = frozenset({Outcome.VIOLATED, Outcome.CANNOT_TELL})
        found = list(disk_findings(rules, self._profile, self._base, self._teller, told))
        for rule in rules:
            if rule.scope is Scope.HOST:
                outcome, missing = judge(rule, self._base)
                if outcome in told:
                    found.append(self._teller.finding(rule, self._base, "host", outcome, missing))
        return in_order(found)


_RANKS = {
    (outcome, severity): (2 if outcome is Outcome.CANNOT_TELL else 1) * 10 + rank
    for outcome in Outcome
    for rank, severity in enumerate((Severity.BLOCK, Severity.WARN, Severity.NOTE))
}


def _rank(finding: Finding) -> int:
    return _RANKS[finding.outcome, finding.severity]


def origins_of(profile: DiskProfile, host: Host) -> Origins:
    """Return where the facts of disks, host, workload and budget come from."""
    typed = Origin(kind=OriginKind.TYPED, source="entered as goal, workload and budget")
    known = dict.fromkeys(("goal", "workload", "budget"), typed)
    known |= {f"host.{name}": origin for name, origin in host.origins}
    known |= dict(profile.origins)
    return Origins(known)
