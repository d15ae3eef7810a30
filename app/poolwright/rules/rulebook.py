"""Rules as values: what was loaded from `rules/*.toml`, checked and compiled."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from zlib import crc32

from poolwright.domain.finding import FactValue, Outcome, Severity, Source
from poolwright.domain.version import ZfsVersion, versions_between
from poolwright.domain.workload import Goal
from poolwright.rules.facts import FACTS
from poolwright.rules.texts import FactText
from poolwright.texts import N_, _, ngettext, numeral, sentence


class Scope(StrEnum):
    POOL = N_("pool")
    DATA_VDEV = "data_vdev"
    SUPPORT_VDEV = "support_vdev"
    DISK = N_("disk")
    DATASET = N_("dataset")
    HOST = N_("host")
    EXISTING = "existing"

    @property
    def words(self) -> str:
        return _SCOPE_WORDS.get(self, self.value)


_SCOPE_WORDS = {
    Scope.DATA_VDEV: N_("data vdev"),
    Scope.SUPPORT_VDEV: N_("support vdev"),
    Scope.EXISTING: N_("existing pool"),
}


class RuleBasis(StrEnum):
    MEASURED = N_("measured")
    DOCUMENTED = N_("documented")
    CONVENTION = N_("convention")


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
        ranges = (self.since is None or self.since <= version) and (self.until is None or version < self.until)
        return ranges and (not self.goals or goal in self.goals)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rule(RuleStatement):
    """A judgement. It is violated where ``holds`` is false.

    ``shows`` are the facts its texts mention besides those it reads, ``limits`` the keys of all limits it uses.
    ``unknown`` is what to say where a fact in ``needs`` is unknown, ``live`` what to advise where the pool exists and
    ``advice``, written for a plan, cannot be followed any more, ``gain`` what following it brings as a number.
    """

    scope: Scope
    severity: Severity
    holds: Expression
    advice: FactText
    unknown: FactText
    live: FactText
    gain: FactText
    weight: tuple[tuple[str, float], ...]
    shows: tuple[str, ...]
    limits: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PropertyRule(RuleStatement):
    """A proposal for ``target``: ``pool.ashift``, ``dataset.xattr``.

    Of several that apply, the one with the highest ``priority`` wins, then the user's own, then one for named goals,
    then the one that comes first in the files.
    """

    target: str
    value: Expression
    priority: int


class AdviceKind(StrEnum):
    SETTING = N_("setting")  # of the machine, such as a module parameter
    TIMER = N_("timer")  # something to be done again and again
    COMMAND = N_("command")  # something to be done once, or when needed
    NOTE = N_("note")  # something to know
    CHOICE = N_("choice")  # what is decided when the pool is created, and cannot be changed later


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
    limits: Mapping[str, Limit] = field(default_factory=dict)
    tables: tuple[str, ...] = ()

    def rule(self, rule_id: str) -> AnyRule | None:
        everything: tuple[AnyRule, ...] = (*self.rules, *self.properties, *self.advice)
        return next((rule for rule in everything if rule.id == rule_id), None)

    def sums(self) -> dict[str, int]:
        """Return, for each rule and proposal, a sum of what decides its answer: its wording and sources may change."""

        def of(rule: AnyRule, answer: Expression, grave: object) -> int:
            parts = (part for part in (rule.when, answer) if part)
            said = [(part.text, *(self.limits[key].value for key in part.limits)) for part in parts]
            return crc32(f"{said} {grave} {sorted(rule.goals)} {rule.since} {rule.until}".encode())

        found = {rule.id: of(rule, rule.holds, rule.severity) for rule in self.rules}
        return found | {rule.id: of(rule, rule.value, rule.priority) for rule in self.properties}


# A rule -> the text behind “Why?” and `--explain`.


def explain_rule(rule: AnyRule, book: RuleBook) -> str:
    """Return the rule itself in words: when it applies, what must hold, limits with reasons, sources."""
    limits = {f"limit.{key}": str(limit.value) for key, limit in book.limits.items()}

    def worded(text: FactText) -> str:
        return text.fill_names(lambda name: limits.get(name, "…"))

    body, must = (rule.holds, _("Must hold")) if isinstance(rule, Rule) else (rule.value, _("Value"))
    said = [(_("Holds for"), versions_between(rule.since, rule.until))]
    said += [(_("Applies when"), rule.when.text if rule.when else ""), (must, body.text if body else "")]
    if isinstance(rule, AdviceRule):
        place = _("In {place}", place=worded(rule.place))
        said += [(place, worded(rule.content)), (_("Command"), worded(rule.command))]
    said.append((_("Needs"), sentence(", ".join(dict.fromkeys(FACTS[name].shown for name in rule.needs)))))
    said += [(_("Says"), worded(rule.text)), (_("Why"), worded(rule.why))]
    if isinstance(rule, Rule):
        said += [(_("Advice"), worded(rule.advice)), (_("Where the pool exists"), worded(rule.live))]
        said.append((_("Gain"), worded(rule.gain)))
        weight = ", ".join(f"{term} {numeral(value, 'g')}" for term, value in rule.weight)
        said.append((_("Weight"), sentence(weight)))
    used = {*(body.limits if body else ()), *(rule.when.limits if rule.when else ())}
    return "\n".join((
        rule.title,
        *_identity(rule),
        *(f"{label}: {words}" for label, words in said if words),
        *(line for key, limit in book.limits.items() if key in used for line in _limit(limit)),
        *map(_source, rule.sources),
        ngettext("Tried on {count} example.", "Tried on {count} examples.", len(rule.examples)),
    ))  # fmt: skip


def _identity(rule: AnyRule) -> Iterator[str]:
    if isinstance(rule, Rule):
        kind = _("{severity} for each {scope}", severity=_(rule.severity.value), scope=_(rule.scope.words))
    elif isinstance(rule, PropertyRule):
        kind = _("proposes {target}", target=rule.target)
    else:
        kind = _("advice for the machine: {kind}", kind=rule.kind)
    words = {"name": rule.id, "kind": kind, "basis": _(rule.basis.value), "file": rule.file, "line": rule.line}
    yield _("Rule {name} ({kind}, {basis}), {file} line {line}.", **words)
    if rule.users_own:
        yield _("This rule is your own.")
    if rule.goals:
        yield _("Goals: {goals}.", goals=", ".join(_(goal.value) for goal in sorted(rule.goals)))


def _limit(limit: Limit) -> Iterator[str]:
    basis = _(limit.basis.value)
    basis = _("{basis}, changed by you", basis=basis) if limit.users_own else basis
    value = f"{limit.value} {limit.unit}"
    yield _("Limit {name} = {value} ({basis}): {why}", name=limit.key, value=value, basis=basis, why=limit.why)
    yield from (f"  {_source(source)}" for source in limit.sources)


def _source(source: Source) -> str:
    return _("Source: {source}.", source=source)
