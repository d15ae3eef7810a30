"""What rules, proposals and advice have in common in a file: identity, sources, examples, expressions, texts."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Any

from poolwright.domain.errors import UserError
from poolwright.domain.finding import FactValue, Outcome
from poolwright.domain.version import ZfsVersion
from poolwright.domain.workload import Goal
from poolwright.rules.expressions import ExpressionError, compile_expression
from poolwright.rules.facts import FACTS
from poolwright.rules.model import TERMS, Example, Expression, Limit, RuleBasis
from poolwright.rules.texts import Entry, FactText, RuleFault, parse_template
from poolwright.texts import tell

COMMON_KEYS = frozenset(
    {"id", "title", "basis", "since", "until", "goals", "needs", "when", "text", "why", "sources", "examples"}
)
_ID = re.compile(r"[a-z0-9]+(?:[.-][a-z0-9]+)+\Z")
_EXAMPLE_KEYS = frozenset({*Outcome, "value"})
_VERSION = re.compile(r"(\d+)\.(\d+)(?:\.(\d+))?\Z")

# What a person reads of a rule: told in the chosen language as it is loaded, for its placeholders stand in it.
TOLD = ("title", "text", "why", "advice", "unknown", "live")


@dataclass(slots=True)
class Loading:
    """What the files of one book share while they are read."""

    problems: list[RuleFault]
    limits: Mapping[str, Limit]
    tables: frozenset[str]
    ids: dict[str, str] = field(default_factory=dict)
    values: dict[str, int | float] = field(init=False)

    def __post_init__(self) -> None:
        self.values = {key: limit.value for key, limit in self.limits.items()}


def read_stated(
    entry: Entry,
    loading: Loading,
    parts: frozenset[str],
    *,
    users_own: bool,
    why_needed: bool = False,
    extra: frozenset[str] = frozenset(),
) -> dict[str, Any]:
    """Return the fields of a `RuleStatement` but ``reads``; what is wrong goes to the problems."""
    needs, since, until = _needs(entry), _version(entry, "since"), _version(entry, "until")
    if since and until and not since < until:
        entry.fail(tell("`until` must be later than `since`"), "until")
    sources = entry.sources(loading.tables)
    if not sources:
        entry.fail(tell("a source is missing"))
    return {
        "id": _id(entry, loading),
        "title": tell(entry.text("title")),
        "basis": entry.choice("basis", RuleBasis),
        "when": read_expression(entry, "when", parts, needs, loading, needed=False, result=bool),
        "text": read_template(entry, "text", parts, loading, extra=extra),
        "why": read_template(entry, "why", parts, loading, needed=why_needed, extra=extra),
        "sources": sources,
        "examples": _examples(entry),
        "goals": _goals(entry),
        "since": since,
        "until": until,
        "needs": needs,
        "file": entry.file,
        "line": entry.line,
        "users_own": users_own,
    }


def _id(entry: Entry, loading: Loading) -> str:
    rule_id = entry.text("id")
    if rule_id and not _ID.match(rule_id):
        entry.fail(tell("an id has at least two words of a-z, 0-9, joined by points or dashes"), "id")
    elif rule_id in loading.ids:
        entry.fail(tell("the id is taken already by {ids}", ids=loading.ids[rule_id]), "id")
    elif rule_id:
        loading.ids[rule_id] = f"{entry.file}:{entry.line}"
    return rule_id


def _goals(entry: Entry) -> frozenset[Goal]:
    words = entry.texts("goals")
    for word in words:
        if word not in tuple(Goal):
            entry.fail(tell("“{word}” is not a goal; there are {goal}", word=word, goal=", ".join(Goal)), "goals")
    return frozenset(Goal(word) for word in words if word in tuple(Goal))


def _needs(entry: Entry) -> tuple[str, ...]:
    needs = entry.texts("needs")
    for name in needs:
        if name not in FACTS:
            entry.fail(tell("`needs` lists “{name}”, which is not a fact", name=name), "needs")
        elif not FACTS[name].optional:
            entry.fail(tell("`needs` lists “{name}”, which is always known", name=name), "needs")
    return needs


def facts_read(entry: Entry, needs: Iterable[str], *expressions: Expression | None) -> tuple[str, ...]:
    """Return the facts that expressions read; notes those in `needs` that none does."""
    reads = {name for expression in expressions if expression for name in expression.facts}
    for name in sorted(set(needs) - reads):
        entry.fail(tell("`needs` lists “{name}”, which no expression uses", name=name), "needs")
    return tuple(sorted(reads))


def _version(entry: Entry, key: str) -> ZfsVersion | None:
    """Return a bound; unlike elsewhere, “2.3” means its first release, 2.3.0."""
    text = entry.text(key, needed=False)
    if not text:
        return None
    match = _VERSION.match(text)
    if match is None:
        entry.fail(tell("“{text}” is not an OpenZFS version such as 2.3 or 2.3.6", text=text), key)
        return None
    return ZfsVersion(int(match.group(1)), int(match.group(2)), int(match.group(3) or 0))


def _examples(entry: Entry) -> tuple[Example, ...]:
    """Return the examples: each names its outcome, with the facts it is for, and may give the value that comes out."""
    found: list[Example] = []
    for item in entry.items("examples"):
        item.refuse_unknown(_EXAMPLE_KEYS)
        outcome, value = item.one_of(Outcome), item.text("value", needed=False) or None
        if outcome is None:
            continue
        facts = item.table[outcome]
        if not isinstance(facts, dict):
            item.fail(tell("facts are missing; an example is {{ {outcome} = {{ vdev.width = 8 }} }}", outcome=outcome))
            continue
        if value is not None and outcome is not Outcome.HOLDS:
            item.fail(tell("an example with the outcome {outcome} has no value", outcome=outcome))
        checked = tuple((name, _example_fact(item, name, fact)) for name, fact in _flat(facts))
        found.append(Example(facts=checked, outcome=outcome, value=value))
    return tuple(found)


def _flat(facts: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    """Yield facts by their full names: TOML reads ``vdev.width = 8`` as a table in a table."""
    for name, value in facts.items():
        if isinstance(value, dict):
            yield from ((f"{name}.{inner}", each) for inner, each in value.items())
        else:
            yield name, value


def _example_fact(item: Entry, name: str, value: object) -> FactValue:
    if name == "version" and isinstance(value, str):
        try:
            ZfsVersion.parse(value)
        except UserError as error:
            item.fail(error.text)
        return value
    known = FACTS.get(name)
    if known is None:
        item.fail(tell("the example gives “{name}”, which is not a fact", name=name))
        return None
    right = isinstance(value, int | float if known.kind is float else known.kind)
    if not right or (isinstance(value, bool) and known.kind is not bool):
        item.fail(tell("the example gives “{name}” a value of the wrong type", name=name))
        return None
    assert isinstance(value, str | int | float)
    return value


def check_outcomes(entry: Entry, examples: Iterable[Example]) -> None:
    """Note a rule without a violated and another example."""
    outcomes = {example.outcome for example in examples}
    if Outcome.VIOLATED not in outcomes:
        entry.fail(tell("an example with the outcome violated is missing"))
    if not outcomes - {Outcome.VIOLATED}:
        entry.fail(tell("an example with another outcome than violated is missing"))


def read_weight(entry: Entry) -> tuple[tuple[str, float], ...]:
    """Return how a violation counts in the score."""
    table = entry.table.get("weight", {})
    if not isinstance(table, dict):
        entry.fail(tell("“weight” must be a table such as { risk = 2.0 }"), "weight")
        return ()
    found: list[tuple[str, float]] = []
    for term, value in table.items():
        if term not in TERMS:
            entry.fail(
                tell("“{term}” is not a term of the score; there are {terms}", term=term, terms=", ".join(TERMS)),
                "weight",
            )
        elif not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value < inf:
            entry.fail(tell("the weight of “{term}” must be a number above 0", term=term), "weight")
        else:
            found.append((term, float(value)))
    return tuple(found)


def read_expression(
    entry: Entry,
    key: str,
    parts: frozenset[str],
    needs: tuple[str, ...],
    loading: Loading,
    *,
    result: type | None,
    needed: bool = True,
) -> Expression | None:
    """Return the compiled expression under ``key``; None where it is missing or wrong, which is noted."""
    text = entry.text(key, needed=needed)
    if not text:
        return None
    try:
        return compile_expression(text, parts=parts, needs=needs, limits=loading.values, result=result)
    except ExpressionError as error:
        entry.fail(f"`{key}`: {error}", key)
        return None


def read_template(
    entry: Entry,
    key: str,
    parts: frozenset[str],
    loading: Loading,
    *,
    needed: bool = True,
    extra: frozenset[str] = frozenset(),
) -> FactText:
    """Return the text under ``key``; ``extra`` are placeholders allowed besides facts and limits."""
    text = entry.text(key, needed=needed)
    if key in TOLD:
        text = tell(text)
    try:
        template = parse_template(text)
    except ValueError as error:
        entry.fail(f"`{key}`: {error}", key)
        return FactText()
    for _, name, form in template.parts:
        if name is None or name in extra:
            continue
        known = FACTS.get(name)
        if name.startswith("limit."):
            if name[6:] not in loading.limits:
                entry.fail(tell("`{key}`: there is no limit “{name}” in limits.toml", key=key, name=name[6:]), key)
        elif known is None or name.split(".", maxsplit=1)[0] not in parts:
            entry.fail(tell("`{key}`: “{{{name}}}” is not a fact of this scope", key=key, name=name), key)
        elif form and known.kind not in (int, float):
            entry.fail(tell("`{key}`: “{{{name}:{form}}}” is no number", key=key, name=name, form=form), key)
    return template


def shown_facts(templates: Iterable[FactText], reads: tuple[str, ...]) -> tuple[str, ...]:
    names = {name for template in templates for name in template.names if not name.startswith("limit.")}
    return tuple(sorted(names - set(reads)))


def limits_of(expressions: Iterable[Expression | None], templates: Iterable[FactText]) -> tuple[str, ...]:
    keys = {key for expression in expressions if expression for key in expression.limits}
    keys |= {name[6:] for template in templates for name in template.names if name.startswith("limit.")}
    return tuple(sorted(keys))
