"""Tries every rule on its own examples."""

from collections.abc import Iterator

from poolwright.domain.finding import FactValue, Outcome
from poolwright.domain.version import DEFAULT_VERSION, ZfsVersion
from poolwright.domain.workload import Goal
from poolwright.rules.evaluate import judge, value_of_advice, value_of_property
from poolwright.rules.facts import FACTS
from poolwright.rules.model import AnyRule, Example, PropertyRule, Rule, RuleBook
from poolwright.rules.reading import RuleFault
from poolwright.texts import tell


class _NotGiven(Exception):
    """An example leaves out a fact that is always known."""


class _Part:
    """The facts of one part as an example gives them; optional ones that it leaves out are unknown."""

    def __init__(self, part: str, values: dict[str, FactValue]) -> None:
        self._part = part
        self._values = values

    def __getattr__(self, name: str) -> FactValue:
        full = f"{self._part}.{name}"
        if full in self._values:
            return self._values[full]
        if FACTS[full].optional:
            return None
        raise _NotGiven(full)


class _ExampleFacts:
    """Stands for Facts, with nothing but what an example gives."""

    def __init__(self, example: Example, goal: Goal) -> None:
        self._values = dict(example.facts)
        self.goal = self._values.get("goal", goal.value)

    def __getattr__(self, part: str) -> _Part:
        return _Part(part, self._values)


def _situation(rule: AnyRule, example: Example) -> tuple[_ExampleFacts, bool]:
    """Return the example's facts, and whether the rule speaks of its goal and version at all."""
    given = dict(example.facts)
    goal = Goal(str(given["goal"])) if "goal" in given else next(iter(sorted(rule.goals)), Goal.SAFETY)
    if "version" in given:
        version = ZfsVersion.parse(str(given["version"]))
    elif rule.since is not None:
        version = rule.since
    elif rule.until is not None:
        version = ZfsVersion(0, 6, 0)
    else:
        version = DEFAULT_VERSION
    return _ExampleFacts(example, goal), rule.applies_to(goal, version)


def check_examples(book: RuleBook, *, only_own: bool = False) -> Iterator[RuleFault | None]:
    """Yield every example of a rule, proposal or advice that comes out otherwise than it says, None for the others.

    ``only_own``: of the rules that the user added.
    """
    rules: tuple[AnyRule, ...] = (*book.rules, *book.properties, *book.advice)
    for rule in rules:
        if only_own and not rule.users_own:
            continue
        for number, example in enumerate(rule.examples, start=1):
            wrong = _wrong(rule, example)
            yield RuleFault(rule.file, rule.line, f"{rule.id}: example {number} {wrong}") if wrong else None


def _wrong(rule: AnyRule, example: Example) -> str:
    """Return what is wrong with an example; empty where it comes out as it says."""
    try:
        facts, applies = _situation(rule, example)
        outcome, value = _come_out(rule, facts) if applies else (Outcome.NOT_APPLICABLE, None)
    except _NotGiven as missing:
        return tell("does not give “{missing}”, which is always known", missing=missing)
    except ValueError as error:
        return str(error)
    if outcome is not example.outcome:
        return tell("says {outcome}, but the outcome is {outcome2}", outcome=example.outcome, outcome2=outcome)
    if not isinstance(rule, Rule) and example.value is not None and str(value) != example.value:
        return tell("says {example}, but the value is {value}", example=example.value, value=value)
    return ""


def _come_out(rule: AnyRule, facts: object) -> tuple[Outcome, FactValue]:
    if isinstance(rule, Rule):
        return judge(rule, facts)[0], None
    return value_of_property(rule, facts) if isinstance(rule, PropertyRule) else value_of_advice(rule, facts)
