"""The judge of layouts: thousands of layouts of the same disks, each rule asked once per set of values it looks at."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, groupby, product

from poolwright.domain.estimate import Origin, OriginKind
from poolwright.domain.finding import FactValue, Finding, Outcome, Severity, UsedFact
from poolwright.domain.host import Host
from poolwright.domain.vdev import Layout, VdevClass, VdevSpec
from poolwright.rules import layout_facts
from poolwright.rules.dataset_plan import volume_block_bytes
from poolwright.rules.facts import FACTS, Facts, UnknownFact, facts_of
from poolwright.rules.profile import DiskProfile
from poolwright.rules.rulebook import AdviceRule, PropertyRule, Rule, RuleBook, Scope
from poolwright.texts import N_, _, first_of, language, listed

# A rule and the facts of one subject -> an outcome, and the finding that tells it.

# What a rule that applies may say, the gravest first.
APPLYING = (Outcome.VIOLATED, Outcome.CANNOT_TELL, Outcome.HOLDS)
_RANKS = {said: rank for rank, said in enumerate(product(APPLYING, Severity))}
_TOLD = frozenset({Outcome.VIOLATED, Outcome.CANNOT_TELL})
COMPUTED = Origin(kind=OriginKind.COMPUTED, source=N_("computed from the design"))


def judge(rule: Rule, facts: Mapping[str, FactValue]) -> tuple[Outcome, tuple[str, ...]]:
    """Return the outcome of ``rule`` and, for cannot-tell, the names of the facts that are missing.

    Expressions are worked out from left to right and stop early, so a fact is missed only where it matters: it comes
    first, then what else the rule needs and nobody knows. A rule that meets a fact which only comes later (a
    prediction, a detail of a whole design) does not apply yet.
    """
    try:
        if rule.when is not None and not rule.when.evaluate(facts):
            return Outcome.NOT_APPLICABLE, ()
        return (Outcome.HOLDS if rule.holds.evaluate(facts) else Outcome.VIOLATED), ()
    except UnknownFact as error:
        unknown = str(error)
        if FACTS[unknown].later:
            return Outcome.NOT_APPLICABLE, ()
        others = [name for name in rule.needs if name != unknown and facts.get(name) is None]
        return Outcome.CANNOT_TELL, (unknown, *others)


def value_of_rule(rule: PropertyRule | AdviceRule, facts: Mapping[str, FactValue]) -> tuple[Outcome, FactValue]:
    """Return holds and the value (None where advice has none), not-applicable, or cannot-tell for lack of a fact."""
    try:
        if rule.when is not None and not rule.when.evaluate(facts):
            return Outcome.NOT_APPLICABLE, None
        return Outcome.HOLDS, rule.value.evaluate(facts) if rule.value is not None else None
    except UnknownFact as unknown:
        return (Outcome.NOT_APPLICABLE if FACTS[str(unknown)].later else Outcome.CANNOT_TELL), None


class Teller:
    """Makes findings: texts filled in, limits with their reasons, facts with their origins.

    ``origins`` stand under the full name of a fact, else under its part (``pool``, ``host``); what is not read or typed
    is computed from the design.
    """

    def __init__(self, book: RuleBook, origins: Mapping[str, Origin]) -> None:
        self._limits = {f"limit.{key}": limit for key, limit in book.limits.items()}
        self._values = {name: limit.value for name, limit in self._limits.items()}
        self._origins = origins

    def filler(self, facts: Mapping[str, FactValue]) -> Callable[[str], FactValue]:
        """Return what gives the values of placeholders, facts and limits."""
        return lambda name: facts.get(name, self._values.get(name))

    def finding(
        self,
        rule: Rule,
        facts: Mapping[str, FactValue],
        subject: str,
        outcome: Outcome,
        missing: tuple[str, ...] = (),
        origins: Mapping[str, Origin] | None = None,
    ) -> Finding:
        """Return what ``rule`` says; of what holds, no more than that."""
        in_full = outcome in _TOLD
        fill = self.filler(facts)
        unworded = outcome is Outcome.CANNOT_TELL and not rule.unknown.parts
        if unworded:
            words = listed(list(dict.fromkeys(FACTS[name].shown for name in missing)))
            text = _("{title}: not known, for lack of the {words}.", title=rule.title, words=words)
        elif outcome is Outcome.CANNOT_TELL:
            text = rule.unknown.fill(fill)
        else:
            text = rule.text.fill(fill) if outcome is Outcome.VIOLATED else rule.title
        return Finding(
            rule_id=rule.id,
            title=rule.title,
            severity=rule.severity,
            basis=rule.basis.value,
            subject=subject,
            outcome=outcome,
            text=text,
            why=rule.why.fill(fill) if in_full else "",
            advice=rule.advice.fill(fill) if in_full else "",
            gain=rule.gain.fill(fill) if outcome is Outcome.VIOLATED else "",
            facts=self._used(rule, facts, self._origins if origins is None else origins) if in_full else (),
            missing=missing,
            sources=rule.sources,
            weight=rule.weight,
            since=str(rule.since) if rule.since else None,
            until=str(rule.until) if rule.until else None,
            users_own=rule.users_own,
            unworded=unworded,
        )

    def _used(self, rule: Rule, facts: Mapping[str, FactValue], of: Mapping[str, Origin]) -> tuple[UsedFact, ...]:
        used = []
        for name in (*rule.reads, *rule.shows):
            origin = of.get(name) or of.get(name.partition(".")[0]) or COMPUTED
            used.append(UsedFact(name=name, value=facts.get(name), origin=origin))
        for name in (f"limit.{key}" for key in rule.limits):
            origin = Origin(kind=OriginKind.ASSUMED, source=f"limits.toml: {self._limits[name].why}")
            used.append(UsedFact(name=name, value=self._values[name], origin=origin))
        return tuple(used)


def rank(finding: Finding) -> int:
    """Return the place of a finding in order: violated before cannot-tell before the rest, then by severity."""
    return _RANKS[finding.outcome, finding.severity]


def origins_of(profile: DiskProfile, host: Host) -> dict[str, Origin]:
    typed = Origin(kind=OriginKind.TYPED, source=_("entered as goal, workload and budget"))
    found = dict.fromkeys(("goal", "workload", "budget"), typed)
    found |= {f"host.{name}": origin for name, origin in host.origins}
    return found | (profile.origins[0] if profile.origins else {})


# Rules about single disks: asked of each disk, told once for all that are alike.


def disk_findings(
    rules: Iterable[Rule], profile: DiskProfile, base: Facts, teller: Teller, outcomes: Collection[Outcome]
) -> Iterator[Finding]:
    """Yield what each rule about disks says with an outcome in ``outcomes``; ``base`` are the facts of all else.

    Disks with the same outcome share one finding that names them.
    """
    for rule in rules:
        own = tuple([name for name in rule.reads if name.startswith("disk.")])
        alike: dict[Outcome, dict[int, tuple[str, ...]]] = {}  # by the number of a disk which facts it lacks
        for numbers in profile.alike_in(own):
            outcome, missing = judge(rule, Facts({**base, **profile.disks[numbers[0]]}))
            if outcome in outcomes:
                alike.setdefault(outcome, {}).update(dict.fromkeys(numbers, missing))
        for outcome, lacking in alike.items():
            first, *others = lacking
            labels = tuple([str(profile.disks[number]["disk.label"]) for number in sorted(lacking)])
            facts, origins = Facts({**base, **profile.disks[first]}), profile.origins[first]
            subject = str(facts["disk.label"])
            finding = teller.finding(rule, facts, subject, outcome, lacking[first], origins)
            yield _of_all(finding, labels, lacking.values()) if others else finding


# Texts of rules about disks begin with the label and one of these, so that they can be told of several.
_PLURAL = {"is": "are", "has": "have", "ist": "sind", "hat": "haben"}  # for machines; Chinese has no other forms


def _of_all(first: Finding, labels: tuple[str, ...], lacking: Iterable[tuple[str, ...]]) -> Finding:
    """Return the finding on the first of several disks as one on all of them."""
    text = first.text
    if first.outcome in _TOLD:
        verb, __, rest = text.removeprefix(f"{first.subject} ").partition(" ")
        plural = _PLURAL.get(verb, verb if text.startswith(f"{first.subject} ") and language() == "zh-CN" else "")
        tail = f" {plural} {rest}".rstrip() if plural else f": {text}"
        text = _("{count} disks{text}", count=len(labels), text=tail)
    missing = tuple(dict.fromkeys(chain.from_iterable(lacking)))
    return replace(first, subject=first_of(labels), subjects=labels, text=text, missing=missing)


# Rules with the answers that they gave, so that each is asked once for the values of the facts that it looks at.

# Facts of the pool that are the same in every layout of one judge: of its disks, and, from the name on, those that only
# a whole design knows.
_CONSTANT = frozenset(f"pool.{name}" for name in (
    "ashift", "ashift_bytes", "logical_sector_bytes", "physical_sector_bytes", "physical_sectors_known", "media",
    "flash", "planned", "name", "name_valid", "compatibility", "boots", "autotrim", "dedup_quota", "encrypted",
    "fitting_block_bytes",
))  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Memo:
    """A rule with the answers it gave, by the values of the facts it looks at, and its findings, by all that they tell.

    Both are facts of the vdev and of the pool around it; what else it looks at is the same in every layout.
    """

    rule: Rule
    reads: tuple[str, ...]
    tells: tuple[str, ...]
    answers: dict[object, tuple[Outcome, tuple[str, ...]]] = field(default_factory=dict)
    findings: dict[object, Finding] = field(default_factory=dict)


def _may_apply(rule: Rule, facts: Facts) -> bool:
    """Tell whether a rule can say anything where no more than ``facts`` is known: not when its condition is false.

    Conditions stop early, so one that is false without touching an unknown fact is false whatever that turns out to be.
    """
    try:
        return rule.when is None or bool(rule.when.evaluate(facts))
    except UnknownFact:
        return True


_ALIKE = layout_facts.VdevPosition()


@dataclass(frozen=True, slots=True)
class _Seen:
    """Equal vdevs seen before: which rules are about them, their facts and the findings that hold in every pool."""

    group: layout_facts.LayoutGroup
    scope: Scope
    facts: Facts
    findings: tuple[Finding, ...]


class Judge:
    """Judges layouts of one set of disks with one ashift."""

    def __init__(self, book: RuleBook, premises: layout_facts.Premises, *, ashift: int) -> None:
        profile, version, workload = premises.profile, premises.version, premises.workload
        self._profile = profile
        self._ashift = ashift
        self._io_bytes = workload.io_size_bytes
        self._version = version
        self._volume_block = volume_block_bytes(version) if workload.volumes else None
        self._rebuild: layout_facts.RebuildTime | None = None
        self._teller = Teller(book, origins_of(profile, premises.host))
        base = facts_of(workload, premises.budget, premises.host, version)
        self._base = Facts({**base, **layout_facts.common_facts(profile, ashift)})
        # By what they speak of, and whether that of the pool which differs between layouts matters to them.
        self._rules: dict[tuple[Scope, bool], list[_Memo]] = {of: [] for of in product(Scope, (True, False))}
        rules = [rule for rule in book.rules if rule.applies_to(workload.goal, version) and _may_apply(rule, base)]
        for rule in rules:
            names = [name for name in (*rule.reads, *rule.shows) if name.startswith(("pool.", "vdev."))]
            tells = tuple([name for name in names if name not in _CONSTANT])
            reads = tuple([name for name in tells if name in rule.reads])
            varies = any(name.startswith("pool.") for name in tells)
            self._rules[rule.scope, varies].append(_Memo(rule, reads, tells))
        self._vdevs: dict[tuple[VdevSpec, int, layout_facts.VdevPosition], _Seen] = {}
        self._by_identity: dict[tuple[int, int, layout_facts.VdevPosition], tuple[VdevSpec, _Seen]] = {}
        self._no_pool = layout_facts.pool_facts([], version=version, numbers=layout_facts.LayoutNumbers())
        # What holds of every layout of these disks: about the disks, the host, and the pool as far as given.
        found = list(disk_findings([r for r in rules if r.scope is Scope.DISK], profile, base, self._teller, _TOLD))
        facts = Facts({**self._base, **self._no_pool})
        of_pool = [memo.rule for memo in self._rules[Scope.POOL, False]]
        for rule in (*of_pool, *(rule for rule in rules if rule.scope is Scope.HOST)):
            outcome, missing = judge(rule, facts)
            if outcome in _TOLD:
                found.append(self._teller.finding(rule, facts, rule.scope.value, outcome, missing))
        self._constant = tuple(sorted(found, key=rank))

    def layout(
        self,
        layout: Layout,
        numbers: layout_facts.LayoutNumbers,
        places: Sequence[layout_facts.VdevPosition] = (),
        rebuild: layout_facts.RebuildTime | None = None,
    ) -> tuple[Finding, ...]:
        """Return what is violated and what cannot be told of ``layout``, the gravest first.

        ``places`` tell of each vdev of ``layout`` which disks it has, where not all are alike; ``rebuild``, where a
        model was asked, how long one takes to rebuild.
        """
        if rebuild != self._rebuild:  # its vdevs rebuild in other times than those of the layouts before
            self._rebuild, self._vdevs, self._by_identity = rebuild, {}, {}
        if places:
            # Equal vdevs share one object, and comparing sizes costs most.
            of = zip(layout, places, strict=True)
            runs = [tuple(same) for __, same in groupby(of, key=lambda placed: (id(placed[0]), id(placed[1])))]
            seen = [self._vdev(same[0][0], len(same), same[0][1]) for same in runs]
        else:
            seen = [self._vdev(spec, len(tuple(same)), _ALIKE) for spec, same in groupby(layout)]
        pool = layout_facts.pool_facts([vdevs.group for vdevs in seen], version=self._version, numbers=numbers)
        found = [self._ask(memo, pool, Scope.POOL.value) for memo in self._rules[Scope.POOL, True]]
        for vdevs in seen:
            facts = {**pool, **vdevs.facts}
            found += vdevs.findings
            found += [self._ask(memo, facts, facts["vdev.label"]) for memo in self._rules[vdevs.scope, True]]
        findings = [finding for finding in found if finding is not None]
        return tuple(sorted((*findings, *self._constant), key=rank))

    def _vdev(self, spec: VdevSpec, count: int, place: layout_facts.VdevPosition) -> _Seen:
        """Return equal vdevs with their facts and with the findings that hold in every pool."""
        # Layouts share their specs, and hashing the sizes of a wide one costs more than all the rest.
        known = self._by_identity.get((id(spec), count, place))
        if known is not None:
            return known[1]
        seen = self._vdevs.get((spec, count, place))
        if seen is None:
            group = layout_facts.group_of(spec, count)
            scope = Scope.DATA_VDEV if group.role is VdevClass.DATA else Scope.SUPPORT_VDEV
            facts = layout_facts.vdev_facts(
                group,
                label=layout_facts.group_label(group),
                profile=place.profile or self._profile,
                ashift=self._ashift,
                version=self._version,
                io_bytes=self._io_bytes,
                volume_block_bytes=self._volume_block,
                details=place.details,
                rebuild=self._rebuild,
            )
            # These rules look at no fact of the pool that differs between layouts; an empty one stands for all.
            asked, subject = {**self._no_pool, **facts}, str(facts["vdev.label"])
            results = [self._ask(memo, asked, subject) for memo in self._rules[scope, False]]
            seen = _Seen(group, scope, facts, tuple([finding for finding in results if finding is not None]))
            self._vdevs[spec, count, place] = seen
        self._by_identity[id(spec), count, place] = (spec, seen)
        return seen

    def _ask(self, memo: _Memo, facts: dict[str, FactValue], subject: FactValue) -> Finding | None:
        """Return the rule's finding, where it has one; work it out only for values not seen before."""
        key = tuple(map(facts.get, memo.reads))
        answer = memo.answers.get(key)
        if answer is None:
            answer = memo.answers[key] = judge(memo.rule, Facts({**self._base, **facts}))
        if answer[0] not in _TOLD:
            return None
        shown = (subject, *map(facts.get, memo.tells))
        finding = memo.findings.get(shown)
        if finding is None:
            everything = Facts({**self._base, **facts})
            finding = memo.findings[shown] = self._teller.finding(memo.rule, everything, str(subject), *answer)
        return finding
