"""Rules as values: what was loaded from `rules/*.toml`, checked and compiled."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from poolwright.domain.finding import FactValue, Outcome, Severity, Source
from poolwright.domain.version import ZfsVersion
from poolwright.domain.workload import Goal
from poolwright.rules.texts import FactText
from poolwright.texts import marked


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
        """Return its name for people, to be told."""
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


class UnknownFact(Exception):
    """An expression needed a fact that nobody knows."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(name)


@dataclass(frozen=True, slots=True)
class Expression:
    """A checked expression: its text, the full names of the facts and the keys of the limits it uses, both sorted.

    ``evaluate`` works it out for facts; it raises UnknownFact when it touches a fact that is unknown.
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
        """Return the rule, proposal or advice with this id."""
        everything: tuple[AnyRule, ...] = (*self.rules, *self.properties, *self.advice)
        return next((rule for rule in everything if rule.id == rule_id), None)

    def limit(self, key: str) -> Limit | None:
        return next((limit for limit in self.limits if limit.key == key), None)


def in_range(version: ZfsVersion, since: ZfsVersion | None, until: ZfsVersion | None) -> bool:
    """Tell whether ``version`` lies from ``since`` on and before ``until``."""
    return (since is None or since <= version) and (until is None or version < until)
