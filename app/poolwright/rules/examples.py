"""Tries every rule on its own examples."""

from collections.abc import Iterator

from poolwright.domain.finding import FactValue, Outcome
from poolwright.domain.version import DEFAULT_VERSION, ZfsVersion
from poolwright.domain.workload import Goal
from poolwright.rules.evaluate import judge, value_of_advice, value_of_property
from poolwright.rules.facts import FACTS
from poolwright.rules.model import AnyRule, Example, RuleBook
from poolwright.rules.reading import Problem


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


def check_examples(book: RuleBook) -> Iterator[Problem]:
    """Yield every example of a rule that comes out otherwise than it says."""
    for rule in book.rules:
        for number, example in enumerate(rule.examples, start=1):
            try:
                facts, applies = _situation(rule, example)
                outcome = judge(rule, facts)[0] if applies else Outcome.NOT_APPLICABLE
            except _NotGiven as missing:
                yield _problem(rule, number, f"does not give “{missing}”, which is always known")
                continue
            except ValueError as error:
                yield _problem(rule, number, str(error))
                continue
            if outcome is not example.outcome:
                yield _problem(rule, number, f"says {example.outcome}, but the outcome is {outcome}")


def check_property_examples(book: RuleBook) -> Iterator[Problem]:
    """Yield every example of a property that comes out otherwise than it says."""
    for rule in book.properties:
        for number, example in enumerate(rule.examples, start=1):
            try:
                facts, applies = _situation(rule, example)
                outcome, value = value_of_property(rule, facts) if applies else (Outcome.NOT_APPLICABLE, None)
            except _NotGiven as missing:
                yield _problem(rule, number, f"does not give “{missing}”, which is always known")
                continue
            except ValueError as error:
                yield _problem(rule, number, str(error))
                continue
            if outcome is not example.outcome:
                yield _problem(rule, number, f"says {example.outcome}, but the outcome is {outcome}")
            elif example.value is not None and value != example.value:
                yield _problem(rule, number, f"says {example.value}, but the value is {value}")


def check_advice_examples(book: RuleBook) -> Iterator[Problem]:
    """Yield every example of a piece of advice that comes out otherwise than it says."""
    for rule in book.advice:
        for number, example in enumerate(rule.examples, start=1):
            try:
                facts, applies = _situation(rule, example)
                outcome, value = value_of_advice(rule, facts) if applies else (Outcome.NOT_APPLICABLE, None)
            except _NotGiven as missing:
                yield _problem(rule, number, f"does not give “{missing}”, which is always known")
                continue
            except ValueError as error:
                yield _problem(rule, number, str(error))
                continue
            if outcome is not example.outcome:
                yield _problem(rule, number, f"says {example.outcome}, but the outcome is {outcome}")
            elif example.value is not None and str(value) != example.value:
                yield _problem(rule, number, f"says {example.value}, but the value is {value}")


def _problem(rule: AnyRule, number: int, text: str) -> Problem:
    return Problem(rule.file, rule.line, f"{rule.id}: example {number} {text}")
