"""A rule and the facts of one subject -> an outcome, and the finding that tells it."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from poolwright.domain.finding import FactValue, Finding, Outcome, Severity, UsedFact
from poolwright.domain.origin import Origin, OriginKind
from poolwright.rules.facts import FACTS
from poolwright.rules.model import AdviceRule, PropertyRule, Rule, RuleBook, UnknownFact
from poolwright.texts import listed, marked, tell

_SEVERITY_ORDER = {Severity.BLOCK: 0, Severity.WARN: 1, Severity.NOTE: 2}
COMPUTED = Origin(kind=OriginKind.COMPUTED, source=marked("computed from the design"))


@dataclass(frozen=True, slots=True)
class Origins:
    """Where facts come from: under a fact's full name, else under its part (``pool``, ``host``)."""

    by_name: Mapping[str, Origin]

    def of(self, name: str) -> Origin:
        """Return the origin of a fact; what is not read or typed is computed from the design."""
        known = self.by_name
        if not known:
            return COMPUTED
        return known.get(name) or known.get(_parts(name)[0]) or COMPUTED


@cache
def _parts(name: str) -> tuple[str, str]:
    """Return the part of a fact's full name that names the record, and the field (empty where there is none)."""
    part, _, attribute = name.partition(".")
    return part, attribute


def value_of(facts: object, name: str) -> FactValue:
    """Return the value of the fact with this full name; None when unknown."""
    part, attribute = _parts(name)
    found = getattr(facts, part)
    value: FactValue = getattr(found, attribute) if attribute and found is not None else found
    return value


def judge(rule: Rule, facts: object) -> tuple[Outcome, tuple[str, ...]]:
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


def value_of_rule(rule: PropertyRule | AdviceRule, facts: object) -> tuple[Outcome, FactValue]:
    """Return holds and the value (None where advice has none), not-applicable, or cannot-tell for lack of a fact."""
    try:
        if rule.when is not None and not rule.when.evaluate(facts):
            return Outcome.NOT_APPLICABLE, None
        return Outcome.HOLDS, rule.value.evaluate(facts) if rule.value is not None else None
    except UnknownFact as unknown:
        return (Outcome.NOT_APPLICABLE if FACTS[unknown.name].later else Outcome.CANNOT_TELL), None


def missing_facts(rule: Rule | PropertyRule, facts: object, unknown: UnknownFact) -> tuple[str, ...]:
    """Return every fact the rule needs and nobody knows, the one it stumbled over first."""
    others = [name for name in rule.needs if name != unknown.name and value_of(facts, name) is None]
    return (unknown.name, *others)


class Teller:
    """Makes findings: texts filled in, facts with their origins, limits with their reasons."""

    def __init__(self, book: RuleBook, origins: Origins) -> None:
        self._limits = {limit.key: limit for limit in book.limits}
        self._origins = origins

    def filler(self, facts: object, value: FactValue = None) -> Callable[[str], FactValue]:
        """Return what gives the values of placeholders: of facts, of limits, and ``value`` for a rule's own."""

        def fill(name: str) -> FactValue:
            if name.startswith("limit."):
                limit = self._limits.get(name[6:])
                return limit.value if limit else None
            return value if name == "value" else value_of(facts, name)

        return fill

    def finding(
        self,
        rule: Rule,
        facts: object,
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

    def _used(self, rule: Rule, facts: object, origins: Origins | None) -> Iterable[UsedFact]:
        known = origins or self._origins
        for name in (*rule.reads, *rule.shows):
            yield UsedFact(name=name, value=value_of(facts, name), origin=known.of(name))
        for key in rule.limits:
            limit = self._limits[key]
            origin = Origin(kind=OriginKind.ASSUMED, source=f"limits.toml: {limit.why}")
            yield UsedFact(name=f"limit.{key}", value=limit.value, origin=origin)


def in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return findings with the gravest first: violated before cannot-tell before the rest, then by severity."""
    outcomes = {Outcome.VIOLATED: 0, Outcome.CANNOT_TELL: 1, Outcome.HOLDS: 2, Outcome.NOT_APPLICABLE: 3}
    return tuple(sorted(findings, key=lambda f: (outcomes[f.outcome], _SEVERITY_ORDER[f.severity])))
