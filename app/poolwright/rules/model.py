"""Rules as values: what was loaded from `rules/*.toml`, checked and compiled."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from poolwright.domain.finding import FactValue, Outcome, Severity, Source
from poolwright.domain.version import ZfsVersion
from poolwright.domain.workload import Goal
from poolwright.rules.facts import FACTS
from poolwright.rules.texts import FactText
from poolwright.texts import marked, tell, tell_counted


class Scope(StrEnum):
    POOL = marked("pool")
    DATA_VDEV = "data_vdev"
    SUPPORT_VDEV = "support_vdev"
    DISK = marked("disk")
    DATASET = marked("dataset")
    HOST = marked("host")
    EXISTING = "existing"

    @property
    def words(self) -> str:
        return _SCOPE_WORDS.get(self, self.value)


_SCOPE_WORDS = {
    Scope.DATA_VDEV: marked("data vdev"),
    Scope.SUPPORT_VDEV: marked("support vdev"),
    Scope.EXISTING: marked("pool that is there"),
}


class RuleBasis(StrEnum):
    MEASURED = marked("measured")
    DOCUMENTED = marked("documented")
    CONVENTION = marked("convention")


# Score terms a violation may count in.
TERMS = ("capacity", "risk", "speed", "iops", "rebuild", "care")


@dataclass(frozen=True, slots=True)
class Expression:
    """A checked expression: its text, the full names of the facts and the keys of the limits it uses, both sorted.

    ``evaluate`` works it out for facts by their full names; it raises UnknownFact when it touches one that is unknown.
    """

    text: str
    facts: tuple[str, ...]
    limits: tuple[str, ...]
    evaluate: Callable[[object], str | int | float | bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """A number that rules share, with the reason for it."""

    key: str
    value: int | float
    unit: str
    basis: RuleBasis
    why: str
    sources: tuple[Source, ...]
    users_own: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """Facts that a rule was tried on at load, and the outcome they must have (for a property also its value)."""

    facts: tuple[tuple[str, FactValue], ...]
    outcome: Outcome
    value: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RuleStatement:
    """What rules, proposals and advice have in common. It applies where ``when`` is true.

    ``since`` is the first OpenZFS version it holds for, ``until`` the first it no longer holds for. ``reads`` are the
    facts of its expressions. Ids are unique: each equals itself only.
    """

    id: str
    title: str
    basis: RuleBasis
    when: Expression | None
    text: FactText
    why: FactText
    sources: tuple[Source, ...]
    examples: tuple[Example, ...]
    goals: frozenset[Goal]
    since: ZfsVersion | None
    until: ZfsVersion | None
    needs: tuple[str, ...]
    reads: tuple[str, ...]
    file: str
    line: int
    users_own: bool

    def applies_to(self, goal: Goal, version: ZfsVersion) -> bool:
        """Tell whether it speaks of this goal and this OpenZFS version at all."""
        return in_range(version, self.since, self.until) and (not self.goals or goal in self.goals)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rule(RuleStatement):
    """A judgement. It is violated where ``holds`` is false.

    ``shows`` are the facts its texts mention besides those it reads, ``limits`` the keys of all limits it uses.
    ``unknown`` is what to say where a fact in ``needs`` is unknown, ``live`` what to advise where the pool exists and
    ``advice``, written for a plan, cannot be followed any more.
    """

    scope: Scope
    severity: Severity
    holds: Expression
    advice: FactText
    unknown: FactText
    live: FactText
    weight: tuple[tuple[str, float], ...]
    shows: tuple[str, ...]
    limits: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PropertyRule(RuleStatement):
    """A proposal for ``target``: ``pool.ashift``, ``dataset.xattr``. ``shows`` as a `Rule`'s.

    Of several that apply, the one with the highest ``priority`` wins, then the user's own, then one for named goals,
    then the one that comes first in the files.
    """

    target: str
    value: Expression
    priority: int
    shows: tuple[str, ...]


class AdviceKind(StrEnum):
    """What a piece of advice asks a person to do."""

    SETTING = "setting"  # of the machine, such as a module parameter
    TIMER = "timer"  # something to be done again and again
    COMMAND = "command"  # something to be done once, or when needed
    NOTE = "note"  # something to know


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AdviceRule(RuleStatement):
    """Advice for the machine around the pool: a ``command`` to run, or ``content`` for the file ``place``, or neither.

    ``value`` is a number or text worked out for it; texts mention it as ``{value}``.
    """

    kind: AdviceKind
    value: Expression | None
    command: FactText
    place: FactText
    content: FactText


AnyRule = Rule | PropertyRule | AdviceRule


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleBook:
    """Every rule, proposal, advice and limit that was loaded, and the names of the tables they cite."""

    rules: tuple[Rule, ...] = ()
    properties: tuple[PropertyRule, ...] = ()
    advice: tuple[AdviceRule, ...] = ()
    limits: tuple[Limit, ...] = ()
    tables: tuple[str, ...] = ()

    def rule(self, rule_id: str) -> AnyRule | None:
        everything: tuple[AnyRule, ...] = (*self.rules, *self.properties, *self.advice)
        return next((rule for rule in everything if rule.id == rule_id), None)

    def limit(self, key: str) -> Limit | None:
        return next((limit for limit in self.limits if limit.key == key), None)


def in_range(version: ZfsVersion, since: ZfsVersion | None, until: ZfsVersion | None) -> bool:
    return (since is None or since <= version) and (until is None or version < until)


# A rule -> the text behind “Why?” and `--explain`.


def explain_rule(rule: AnyRule, book: RuleBook) -> str:
    """Return the rule itself in words: when it applies, what must hold, limits with reasons, sources."""
    kind, name, body = _body(rule)

    def word_for(name: str) -> str:
        limit = book.limit(name[6:]) if name.startswith("limit.") else None
        return str(limit.value) if limit else "{" + name + "}"

    lines = [
        rule.title,
        tell(
            "Rule {name} ({kind}, {basis}), {file} line {line}.",
            name=rule.id,
            kind=kind,
            basis=tell(rule.basis.value),
            file=rule.file,
            line=rule.line,
        ),
    ]
    if rule.users_own:
        lines.append(tell("This rule is your own."))
    if rule.goals:
        lines.append(tell("Goals: {goals}.", goals=", ".join(tell(goal.value) for goal in sorted(rule.goals))))
    lines.extend(_versions(str(rule.since) if rule.since else None, str(rule.until) if rule.until else None))
    if rule.when is not None:
        lines.append(tell("Applies when: {text}", text=rule.when.text))
    if body is not None:
        lines.append(f"{name}: {body.text}")
    if isinstance(rule, AdviceRule):
        lines.extend(_to_do(rule, word_for))
    if rule.needs:
        lines.append(tell("Needs: {facts}.", facts=_facts_named(rule.needs)))
    lines.append(tell("Says: {text}", text=rule.text.fill_names(word_for)))
    if rule.why.parts:
        lines.append(tell("Why: {text}", text=rule.why.fill_names(word_for)))
    if isinstance(rule, Rule):
        lines.extend(_advised(rule, word_for))
    lines.extend(_limits({*(body.limits if body else ()), *(rule.when.limits if rule.when else ())}, book))
    lines.extend(_sources(rule.sources))
    lines.append(tell_counted("Tried on {count} example.", "Tried on {count} examples.", len(rule.examples)))
    return "\n".join(lines)


def _advised(rule: Rule, word_for: Callable[[str], str]) -> Iterator[str]:
    if rule.advice.parts:
        yield tell("Advice: {text}", text=rule.advice.fill_names(word_for))
    if rule.live.parts:
        yield tell("Where the pool exists: {text}", text=rule.live.fill_names(word_for))
    if rule.weight:
        yield tell("Weight: {terms}.", terms=", ".join(f"{term} {value:g}" for term, value in rule.weight))


def _facts_named(names: Sequence[str]) -> str:
    return ", ".join(FACTS[name].shown for name in names)


def _body(rule: AnyRule) -> tuple[str, str, Expression | None]:
    if isinstance(rule, Rule):
        return (
            tell("{severity} for each {scope}", severity=tell(rule.severity.value), scope=tell(rule.scope.words)),
            tell("Must hold"),
            rule.holds,
        )
    if isinstance(rule, PropertyRule):
        return tell("proposes {target}", target=rule.target), tell("Value"), rule.value
    return tell("advice for the machine: {kind}", kind=rule.kind), tell("Value"), rule.value


def _limits(keys: set[str], book: RuleBook) -> list[str]:
    lines: list[str] = []
    for limit in (limit for limit in book.limits if limit.key in keys):
        basis = tell(limit.basis.value)
        if limit.users_own:
            basis = tell("{basis}, changed by you", basis=basis)
        value = f"{limit.value} {limit.unit}"
        lines.append(
            tell("Limit {name} = {value} ({basis}): {why}", name=limit.key, value=value, basis=basis, why=limit.why)
        )
        lines.extend(f"  {line}" for line in _sources(limit.sources))
    return lines


def _to_do(rule: AdviceRule, word_for: Callable[[str], str]) -> list[str]:
    """Return the command of a piece of advice, or what a file shall hold; facts by their names."""
    if rule.content.parts:
        return [
            tell(
                "In {place}: {content}",
                place=rule.place.fill_names(word_for),
                content=rule.content.fill_names(word_for),
            )
        ]
    return [tell("Command: {command}", command=rule.command.fill_names(word_for))] if rule.command.parts else []


def _versions(since: str | None, until: str | None) -> list[str]:
    if since and until:
        return [tell("Holds for OpenZFS from {since} to before {until}.", since=since, until=until)]
    if since:
        return [tell("Holds for OpenZFS since {since}.", since=since)]
    return [tell("Holds for OpenZFS before {until}.", until=until)] if until else []


def _sources(sources: tuple[Source, ...]) -> list[str]:
    return [tell("Source: {source}", source=source) for source in sources]
