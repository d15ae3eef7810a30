"""The judge of layouts: thousands of layouts of the same disks, each rule asked once per set of values it looks at."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import groupby
from operator import attrgetter, itemgetter
from typing import Any, Protocol

from poolwright.domain.estimate import Origin, OriginKind
from poolwright.domain.finding import FactValue, Finding, Outcome, Severity, UsedFact
from poolwright.domain.host import Host
from poolwright.domain.vdev import Layout, VdevClass, VdevSpec
from poolwright.domain.version import ZfsVersion
from poolwright.domain.workload import Budget, Goal, Workload
from poolwright.rules.dataset_plan import volume_block_bytes
from poolwright.rules.facts import FACTS, Facts, PoolFacts, UnknownFact, VdevFacts, facts_of
from poolwright.rules.layout_facts import (
    LayoutGroup,
    LayoutNumbers,
    RebuildTime,
    VdevPosition,
    group_label,
    group_of,
    pool_facts,
    runs_of,
    vdev_facts,
)
from poolwright.rules.model import AdviceRule, PropertyRule, Rule, RuleBook, Scope
from poolwright.rules.profile import DiskProfile
from poolwright.texts import listed, marked, tell, tell_counted, told_once

# A rule and the facts of one subject -> an outcome, and the finding that tells it.

_SEVERITY_ORDER = {Severity.BLOCK: 0, Severity.WARN: 1, Severity.NOTE: 2}
COMPUTED = Origin(kind=OriginKind.COMPUTED, source=marked("computed from the design"))


class Known(Protocol):
    """Facts by their full names: None, or a raised UnknownFact, where nobody knows one. An example's are such too."""

    def get(self, name: str, /) -> FactValue: ...

    def __getitem__(self, name: str, /) -> Any: ...


@dataclass(frozen=True, slots=True)
class Origins:
    """Where facts come from: under a fact's full name, else under its part (``pool``, ``host``)."""

    by_name: Mapping[str, Origin]

    def of(self, name: str) -> Origin:
        """Return the origin of a fact; what is not read or typed is computed from the design."""
        known = self.by_name
        if not known:
            return COMPUTED
        return known.get(name) or known.get(name.partition(".")[0]) or COMPUTED


def judge(rule: Rule, facts: Known) -> tuple[Outcome, tuple[str, ...]]:
    """Return the outcome of ``rule`` and, for cannot-tell, the names of the facts that are missing.

    Expressions are worked out from left to right and stop early, so a fact is missed only where it matters. A rule
    that meets a fact which only comes later (a prediction, a detail of a whole design) does not apply yet.
    """
    try:
        if rule.when is not None and not rule.when.evaluate(facts):
            return Outcome.NOT_APPLICABLE, ()
        return (Outcome.HOLDS if rule.holds.evaluate(facts) else Outcome.VIOLATED), ()
    except UnknownFact as unknown:
        if FACTS[unknown.name].later:
            return Outcome.NOT_APPLICABLE, ()
        return Outcome.CANNOT_TELL, missing_facts(rule, facts, unknown)


def value_of_rule(rule: PropertyRule | AdviceRule, facts: Known) -> tuple[Outcome, FactValue]:
    """Return holds and the value (None where advice has none), not-applicable, or cannot-tell for lack of a fact."""
    try:
        if rule.when is not None and not rule.when.evaluate(facts):
            return Outcome.NOT_APPLICABLE, None
        return Outcome.HOLDS, rule.value.evaluate(facts) if rule.value is not None else None
    except UnknownFact as unknown:
        return (Outcome.NOT_APPLICABLE if FACTS[unknown.name].later else Outcome.CANNOT_TELL), None


def missing_facts(rule: Rule | PropertyRule, facts: Known, unknown: UnknownFact) -> tuple[str, ...]:
    """Return every fact the rule needs and nobody knows, the one it stumbled over first."""
    others = [name for name in rule.needs if name != unknown.name and facts.get(name) is None]
    return (unknown.name, *others)


class Teller:
    """Makes findings: texts filled in, facts with their origins, limits with their reasons."""

    def __init__(self, book: RuleBook, origins: Origins) -> None:
        self._limits = {limit.key: limit for limit in book.limits}
        self._origins = origins

    def filler(self, facts: Known, value: FactValue = None) -> Callable[[str], FactValue]:
        """Return what gives the values of placeholders: of facts, of limits, and ``value`` for a rule's own."""

        def fill(name: str) -> FactValue:
            if name.startswith("limit."):
                limit = self._limits.get(name[6:])
                return limit.value if limit else None
            return value if name == "value" else facts.get(name)

        return fill

    def finding(
        self,
        rule: Rule,
        facts: Known,
        subject: str,
        outcome: Outcome,
        missing: tuple[str, ...] = (),
        origins: Origins | None = None,
    ) -> Finding:
        fill = self.filler(facts)
        unworded = outcome is Outcome.CANNOT_TELL and not rule.unknown.parts
        if unworded:
            words = listed([tell(FACTS[name].words) for name in missing])
            text = tell("{title}: not known, for lack of the {words}.", title=rule.title, words=words)
        elif outcome is Outcome.CANNOT_TELL:
            text = rule.unknown.fill(fill)
        elif outcome is Outcome.VIOLATED:
            text = rule.text.fill(fill)
        else:
            text = rule.title
        return Finding(
            rule_id=rule.id,
            title=rule.title,
            severity=rule.severity,
            basis=rule.basis.value,
            subject=subject,
            outcome=outcome,
            text=text,
            why=rule.why.fill(fill),
            advice=rule.advice.fill(fill),
            facts=tuple(self._used(rule, facts, origins)),
            missing=missing,
            sources=rule.sources,
            weight=rule.weight,
            since=str(rule.since) if rule.since else None,
            until=str(rule.until) if rule.until else None,
            users_own=rule.users_own,
            unworded=unworded,
        )

    def _used(self, rule: Rule, facts: Known, origins: Origins | None) -> Iterable[UsedFact]:
        known = origins or self._origins
        for name in (*rule.reads, *rule.shows):
            yield UsedFact(name=name, value=facts.get(name), origin=known.of(name))
        for key in rule.limits:
            limit = self._limits[key]
            origin = Origin(kind=OriginKind.ASSUMED, source=f"limits.toml: {limit.why}")
            yield UsedFact(name=f"limit.{key}", value=limit.value, origin=origin)


def in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return findings with the gravest first: violated before cannot-tell before the rest, then by severity."""
    outcomes = {Outcome.VIOLATED: 0, Outcome.CANNOT_TELL: 1, Outcome.HOLDS: 2, Outcome.NOT_APPLICABLE: 3}
    return tuple(sorted(findings, key=lambda f: (outcomes[f.outcome], _SEVERITY_ORDER[f.severity])))


# Rules about single disks: asked of each disk, told once for all that are alike.

_MOST_NAMED = 4


def disk_findings(
    rules: Iterable[Rule], profile: DiskProfile, base: Facts, teller: Teller, told: Collection[Outcome]
) -> tuple[Finding, ...]:
    """Return what each rule about disks says with an outcome in ``told``.

    Disks with the same outcome share one finding that names them. ``base`` holds the facts that are not the disk's
    own; its ``pool`` may be None.
    """
    found: list[Finding] = []
    asked = replace(base)
    for rule in (rule for rule in rules if rule.scope is Scope.DISK):
        alike: dict[Outcome, _Alike] = {}
        for indices, outcome, missing in _outcomes(rule, profile, asked):
            if outcome in told:
                group = alike.setdefault(outcome, _Alike(indices[0], missing, [], {}))
                group.indices.extend(indices)
                group.missing.update(dict.fromkeys(missing))
        for outcome, group in alike.items():
            asked.disk = profile.disks[group.first]
            found.append(_together(rule, profile, asked, teller, outcome, group))
    return tuple(found)


def _outcomes(
    rule: Rule, profile: DiskProfile, asked: Facts
) -> Iterator[tuple[tuple[int, ...], Outcome, tuple[str, ...]]]:
    """Yield the numbers of disks that a rule cannot tell apart, what it says of them, and the facts that it lacks."""
    own = tuple(name.partition(".")[2] for name in rule.reads if name.startswith("disk."))
    for indices in profile.alike_in(own):
        asked.disk = profile.disks[indices[0]]
        yield indices, *judge(rule, asked)


@dataclass(frozen=True, slots=True)
class _Alike:
    """Disks of which a rule says the same: number and missing facts of the first, all numbers, all that is missing."""

    first: int
    missing_of_first: tuple[str, ...]
    indices: list[int]
    missing: dict[str, None]


def _together(
    rule: Rule, profile: DiskProfile, facts: Facts, teller: Teller, outcome: Outcome, group: _Alike
) -> Finding:
    """Return one finding for all: the first disk's, with the others named."""
    origins = Origins(dict(profile.disk_origins[group.first]))
    first = teller.finding(rule, facts, profile.disks[group.first].label, outcome, group.missing_of_first, origins)
    if len(group.indices) == 1:
        return first
    others = len(group.indices) - 1
    text = first.text
    if outcome in (Outcome.VIOLATED, Outcome.CANNOT_TELL):
        text = tell_counted(
            "{text} The same is true of 1 more disk.",
            "{text} The same is true of {count} more disks.",
            others,
            text=text,
        )
    labels = [profile.disks[index].label for index in sorted(group.indices)]
    return replace(first, subject=name_some(labels), subjects=tuple(labels), text=text, missing=tuple(group.missing))


def name_some(names: Sequence[str]) -> str:
    shown = ", ".join(names[:_MOST_NAMED])
    return (
        shown
        if len(names) <= _MOST_NAMED
        else tell("{shown} and {more} more", shown=shown, more=len(names) - _MOST_NAMED)
    )


# Rules with the answers that they gave, so that each is asked once for the values of the facts that it looks at.

Key = Callable[[Any], Any]
Told = tuple[int, Finding]  # a finding behind its rank, by which findings are sorted
# Facts of the pool that are the same in every layout of one judge: of its disks, and, from the name on, those that only
# a whole design knows.
CONSTANT = frozenset(f"pool.{name}" for name in (
    "ashift", "ashift_bytes", "logical_sector_bytes", "physical_sector_bytes", "physical_sectors_known", "media",
    "flash", "planned", "name", "name_valid", "compatibility", "boots", "autotrim", "dedup_quota", "encrypted",
    "fitting_block_bytes",
))  # fmt: skip
# How many such vdevs there are, which changes from layout to layout.
_OF_NUMBER = frozenset({"vdev.count", "vdev.total_bytes", "vdev.label"})


def key_of(names: Iterable[str], part: str) -> Key:
    """Return what fetches the values of those of the facts ``names`` that belong to ``part``."""
    attributes = sorted({name.partition(".")[2] for name in names if name.startswith(part + ".")})
    return attrgetter(*attributes) if attributes else _nothing


def _nothing(_: object) -> None:
    return None


@dataclass(slots=True)
class _Memo:
    """A rule with the answers it gave, by the values of the facts it looks at, and its findings, by all that they tell.

    ``counts`` says that it looks at how many such vdevs there are.
    """

    rule: Rule
    pool_key: Key
    vdev_key: Key
    shown_pool_key: Key
    shown_vdev_key: Key
    counts: bool
    answers: dict[Any, tuple[Outcome, tuple[str, ...]]] = field(default_factory=dict)
    findings: dict[Any, Told] = field(default_factory=dict)


def _memo_of(rule: Rule) -> _Memo:
    return _Memo(rule, *_looks_of(rule))


@told_once
@lru_cache(maxsize=1024)
def _looks_of(rule: Rule) -> tuple[Key, Key, Key, Key, bool]:
    reads = [name for name in rule.reads if name not in CONSTANT]
    shown = [name for name in (*rule.reads, *rule.shows) if name not in CONSTANT]
    keys = (key_of(reads, "pool"), key_of(reads, "vdev"), key_of(shown, "pool"), key_of(shown, "vdev"))
    return *keys, not _OF_NUMBER.isdisjoint(reads)


def may_apply(rule: Rule, facts: Facts) -> bool:
    """Tell whether a rule can say anything where no more than ``facts`` is known: not when its condition is false.

    Conditions stop early, so one that is false without touching an unknown fact is false whatever that turns out to be.
    """
    if rule.when is None:
        return True
    try:
        return bool(rule.when.evaluate(facts))
    except UnknownFact:
        return True


@told_once
@lru_cache(maxsize=1024)
def varies_with_pool(rule: Rule) -> bool:
    """Tell whether what a rule says may differ between layouts with equal vdevs."""
    return any(name.startswith("pool.") and name not in CONSTANT for name in (*rule.reads, *rule.shows))


_TOLD = frozenset({Outcome.VIOLATED, Outcome.CANNOT_TELL})
_FIRST = itemgetter(0)
_ALIKE = VdevPosition()


def _identities(placed: tuple[VdevSpec, VdevPosition]) -> tuple[int, int]:
    """Return what tells runs of equal vdevs apart: they share one object, and comparing sizes costs most."""
    return id(placed[0]), id(placed[1])


@dataclass(frozen=True, slots=True)
class _Known:
    """Equal vdevs seen before: their facts and the findings that hold in every pool."""

    group: LayoutGroup
    facts: VdevFacts
    told: tuple[Told, ...]


class Judge:
    """Judges layouts of one set of disks for one goal, one OpenZFS version, one ashift.

    ``rebuild`` tells how long a vdev takes to rebuild, where a model is at hand; it is asked once for each vdev.
    """

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
        rebuild: RebuildTime | None = None,
    ) -> None:
        self._profile = profile
        self._ashift = ashift
        self._base = replace(facts_of(workload, budget, host, version), goal=goal.value)
        self._looked_at = replace(self._base)
        self._io_bytes = workload.io_size_bytes
        self._version = version
        self._volume_block = volume_block_bytes(version) if workload.volumes else None
        self._rebuild = rebuild
        self._teller = Teller(book, origins_of(profile, host))
        rules = [rule for rule in book.rules if rule.applies_to(goal, version) and may_apply(rule, self._base)]
        of_pool = [rule for rule in rules if rule.scope is Scope.POOL]
        self._of_pool = [_memo_of(rule) for rule in of_pool if varies_with_pool(rule)]
        # Of vdevs: rules that say the same in every pool, and those that look at the pool as well.
        self._free: dict[bool, list[_Memo]] = {}
        self._bound: dict[bool, list[_Memo]] = {}
        for is_data, scope in ((True, Scope.DATA_VDEV), (False, Scope.SUPPORT_VDEV)):
            of_scope = [rule for rule in rules if rule.scope is scope]
            self._free[is_data] = [_memo_of(rule) for rule in of_scope if not varies_with_pool(rule)]
            self._bound[is_data] = [_memo_of(rule) for rule in of_scope if varies_with_pool(rule)]
        self._vdevs: dict[tuple[VdevSpec, int, VdevPosition], _Known] = {}
        self._telling: dict[tuple[VdevSpec, VdevPosition], list[_Memo]] = {}
        self._by_identity: dict[tuple[int, int, VdevPosition], tuple[VdevSpec, _Known]] = {}
        self._no_pool = pool_facts([], profile=profile, ashift=ashift, version=version, numbers=LayoutNumbers())
        same = [rule for rule in of_pool if not varies_with_pool(rule)]
        self._constant = self._constant_findings(rules, same)

    def layout(
        self, layout: Layout, numbers: LayoutNumbers, places: Sequence[VdevPosition] = ()
    ) -> tuple[Finding, ...]:
        """Return what is violated and what cannot be told of ``layout``, the gravest first.

        ``places`` tell of each vdev of ``layout`` which disks it has, where not all are alike.
        """
        if places:
            runs = [tuple(same) for _, same in groupby(zip(layout, places, strict=True), key=_identities)]
            known = [self._vdev(same[0][0], len(same), same[0][1]) for same in runs]
        else:
            known = [self._vdev(spec, count) for spec, count in runs_of(layout)]
        groups = [vdevs.group for vdevs in known]
        pool = pool_facts(groups, profile=self._profile, ashift=self._ashift, version=self._version, numbers=numbers)
        asked = [self._ask(memo, pool, None, "pool") for memo in self._of_pool]
        for vdevs in known:
            asked.extend(vdevs.told)
            facts = vdevs.facts
            asked += [self._ask(memo, pool, facts, facts.label) for memo in self._bound[_holds_data(facts)]]
        found = [told for told in asked if told is not None]
        found.extend(self._constant)
        found.sort(key=_FIRST)
        return tuple([finding for _, finding in found])

    def _vdev(self, spec: VdevSpec, count: int, place: VdevPosition = _ALIKE) -> _Known:
        """Return equal vdevs with their facts and with the findings that hold in every pool."""
        # Layouts share their specs, and hashing the sizes of a wide one costs more than all the rest.
        known = self._by_identity.get((id(spec), count, place))
        if known is not None:
            return known[1]
        entry = self._vdevs.get((spec, count, place))
        if entry is None:
            group = group_of(spec, count)
            label = group_label(group)
            facts = vdev_facts(
                group,
                label=label,
                profile=place.profile or self._profile,
                ashift=self._ashift,
                version=self._version,
                io_bytes=self._io_bytes,
                volume_block_bytes=self._volume_block,
                details=place.details,
                rebuild=self._rebuild,
            )
            # These rules look at no fact of the pool that differs between layouts; an empty one stands for all.
            asked = [self._ask(memo, self._no_pool, facts, label) for memo in self._may_tell(spec, place, facts)]
            told = tuple([told for told in asked if told is not None])
            entry = self._vdevs[spec, count, place] = _Known(group, facts, told)
        self._by_identity[id(spec), count, place] = (spec, entry)
        return entry

    def _may_tell(self, spec: VdevSpec, place: VdevPosition, facts: VdevFacts) -> list[_Memo]:
        """Return the rules that may have a finding on such vdevs, whatever their number and the pool around them."""
        found = self._telling.get((spec, place))
        if found is None:
            found = self._telling[spec, place] = [
                memo
                for memo in self._free[_holds_data(facts)]
                if memo.counts or self._ask(memo, self._no_pool, facts, facts.label) is not None
            ]
        return found

    def _ask(self, memo: _Memo, pool: PoolFacts, vdev: VdevFacts | None, subject: str) -> Told | None:
        """Return the rule's finding, where it has one; work it out only for values not seen before."""
        key = memo.pool_key(pool) if vdev is None else (memo.pool_key(pool), memo.vdev_key(vdev))
        answer = memo.answers.get(key)
        if answer is None:
            answer = memo.answers[key] = judge(memo.rule, self._facts(pool, vdev))
        if answer[0] not in _TOLD:
            return None
        shown = (subject, memo.shown_pool_key(pool), memo.shown_vdev_key(vdev) if vdev is not None else None)
        told = memo.findings.get(shown)
        if told is None:
            finding = self._teller.finding(memo.rule, self._facts(pool, vdev), subject, *answer)
            told = memo.findings[shown] = (_rank(finding), finding)
        return told

    def _facts(self, pool: PoolFacts, vdev: VdevFacts | None) -> Facts:
        """Return everything a rule may look at; the same object each time, for making one costs more than a rule."""
        self._looked_at.pool, self._looked_at.vdev = pool, vdev
        return self._looked_at

    def _constant_findings(self, rules: Sequence[Rule], of_pool: Sequence[Rule]) -> tuple[Told, ...]:
        """Return what holds of every layout of these disks: about the disks, the host, and the pool as far as given."""
        found = list(disk_findings(rules, self._profile, self._base, self._teller, _TOLD))
        facts = self._facts(self._no_pool, None)
        for rule in (*of_pool, *(rule for rule in rules if rule.scope is Scope.HOST)):
            outcome, missing = judge(rule, facts)
            if outcome in _TOLD:
                found.append(self._teller.finding(rule, facts, rule.scope.value, outcome, missing))
        return tuple((_rank(finding), finding) for finding in in_order(found))


_RANKS = {
    (outcome, severity): (2 if outcome is Outcome.CANNOT_TELL else 1) * 10 + rank
    for outcome in Outcome
    for rank, severity in enumerate((Severity.BLOCK, Severity.WARN, Severity.NOTE))
}


def _holds_data(facts: VdevFacts) -> bool:
    return facts.role == VdevClass.DATA.value


def _rank(finding: Finding) -> int:
    return _RANKS[finding.outcome, finding.severity]


def origins_of(profile: DiskProfile, host: Host) -> Origins:
    """Return where the facts of disks, host, workload and budget come from."""
    typed = Origin(kind=OriginKind.TYPED, source=tell("entered as goal, workload and budget"))
    known = dict.fromkeys(("goal", "workload", "budget"), typed)
    known |= {f"host.{name}": origin for name, origin in host.origins}
    known |= dict(profile.origins)
    return Origins(known)
