"""Text of `rules/*.toml` -> a RuleBook, with every error of every file."""

import re
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Any

from poolwright.domain.errors import UserError
from poolwright.domain.finding import FactValue, Outcome, Severity
from poolwright.domain.steps import in_one_step
from poolwright.domain.version import DEFAULT_VERSION, ZfsVersion
from poolwright.domain.workload import Goal
from poolwright.rules.expressions import ExpressionError, compile_expression
from poolwright.rules.facts import FACTS, SCOPE_PARTS
from poolwright.rules.judge import judge, value_of_rule
from poolwright.rules.model import (
    TERMS,
    AdviceKind,
    AdviceRule,
    AnyRule,
    Example,
    Expression,
    Limit,
    PropertyRule,
    Rule,
    RuleBasis,
    RuleBook,
    Scope,
)
from poolwright.rules.texts import Entry, FactText, RuleErrors, RuleFault, parse_template, read_entries
from poolwright.texts import tell

# What rules, proposals and advice have in common in a file: identity, sources, examples, expressions, texts.

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


_TARGET = re.compile(r"(pool|dataset)\.[a-z][a-z0-9_]*\Z")
_RULE_KEYS = COMMON_KEYS | {"scope", "severity", "holds", "advice", "weight", "unknown", "live"}
_PROPERTY_KEYS = COMMON_KEYS | {"target", "value", "priority"}
_ADVICE_KEYS = COMMON_KEYS | {"kind", "command", "value", "place", "content"}
_VALUE = frozenset({"value"})


def load_rule_book_in_steps(
    files: Mapping[str, str],
    *,
    limits: str,
    tables: Collection[str] = (),
    own_files: Mapping[str, str] | None = None,
    own_limits: str | None = None,
    run_examples: bool = True,
) -> Generator[None, None, RuleBook]:
    """Return the rules in ``files`` (name to text) and the user's ``own_files``, which are marked as theirs.

    ``limits`` is the text of limits.toml, ``own_limits`` what the user changes in it; ``tables`` names tables that may
    be cited. With ``run_examples`` examples are tried: those of ``files`` by the limits that they were written for.
    Raises RuleErrors, which lists everything that is wrong in all of them. Yields every few milliseconds.
    """
    if own_limits is not None and run_examples:
        yield from load_rule_book_in_steps(files, limits=limits, tables=tables)
    problems: list[RuleFault] = []
    loading = Loading(problems, read_limits(limits, own_limits, tables, problems), frozenset(tables))
    yield
    rules: list[Rule] = []
    properties: list[PropertyRule] = []
    advice: list[AdviceRule] = []
    kinds: tuple[tuple[str, Callable[[Entry, Loading, bool], Any], list[Any]], ...] = (
        ("rule", _rule, rules),
        ("property", _property, properties),
        ("advice", _advice, advice),
    )
    for users_own, group in ((False, files), (True, own_files or {})):
        for name, text in sorted(group.items()):
            entries = _entries(name, text, [kind for kind, *_ in kinds], problems)
            yield
            for kind, read, made in kinds:
                for entry in entries.get(kind, ()):
                    made.extend(filter(None, (read(entry, loading, users_own),)))
                    yield
    book = RuleBook(
        rules=tuple(rules),
        properties=tuple(properties),
        advice=tuple(advice),
        limits=tuple(loading.limits.values()),
        tables=tuple(sorted(loading.tables)),
    )
    if run_examples:
        for found in check_examples(book, only_own=own_limits is not None):
            problems += filter(None, (found,))
            yield
    if problems:
        raise RuleErrors(problems)
    return book


load_rule_book = in_one_step(load_rule_book_in_steps)


def _entries(name: str, text: str, kinds: Collection[str], problems: list[RuleFault]) -> Mapping[str, list[Entry]]:
    entries = read_entries(name, text, problems)
    for unknown in entries.keys() - set(kinds):
        known = ", ".join(f"[[{kind}]]" for kind in kinds)
        entries[unknown][0].fail(tell("“[[{unknown}]]” is not known; there are {known}", unknown=unknown, known=known))
    return entries


def _rule(entry: Entry, loading: Loading, users_own: bool) -> Rule | None:
    before = len(loading.problems)
    entry.refuse_unknown(_RULE_KEYS)
    scope, severity = entry.choice("scope", Scope), entry.choice("severity", Severity)
    # An unknown scope is one error; what else is wrong shall be told all the same.
    parts = SCOPE_PARTS[scope.value] if scope else frozenset[str]().union(*SCOPE_PARTS.values())
    stated = read_stated(entry, loading, parts, users_own=users_own, why_needed=True)
    holds = read_expression(entry, "holds", parts, stated["needs"], loading, result=bool)
    stated |= {key: read_template(entry, key, parts, loading, needed=False) for key in ("advice", "unknown", "live")}
    if stated["unknown"].parts and not stated["needs"]:
        entry.fail(tell("“unknown” is said where a fact is unknown, but `needs` lists none"), "unknown")
    weight = read_weight(entry)
    check_outcomes(entry, stated["examples"])
    if len(loading.problems) > before or holds is None or scope is None or severity is None:
        return None
    reads = facts_read(entry, stated["needs"], holds, stated["when"])
    texts = [stated[key] for key in ("text", "why", "advice", "unknown", "live")]
    return Rule(
        **stated,
        reads=reads,
        scope=scope,
        severity=severity,
        holds=holds,
        weight=weight,
        shows=shown_facts(texts, reads),
        limits=limits_of((holds, stated["when"]), texts),
    )


def _property(entry: Entry, loading: Loading, users_own: bool) -> PropertyRule | None:
    before = len(loading.problems)
    entry.refuse_unknown(_PROPERTY_KEYS)
    parts = SCOPE_PARTS[Scope.POOL.value]
    stated = read_stated(entry, loading, parts, users_own=users_own)
    target = entry.text("target")
    if target and not _TARGET.match(target):
        entry.fail(tell("“{target}” is no target; write pool.NAME or dataset.NAME", target=target), "target")
    value = read_expression(entry, "value", parts, stated["needs"], loading, result=None)
    priority = entry.table.get("priority", 0)
    if not isinstance(priority, int) or isinstance(priority, bool):
        entry.fail(tell("“priority” must be a whole number"), "priority")
    if not any(example.value is not None for example in stated["examples"]):
        entry.fail(tell("an example with a `value` is missing"))
    if len(loading.problems) > before or value is None or not isinstance(priority, int):
        return None
    reads = facts_read(entry, stated["needs"], value, stated["when"])
    shows = shown_facts((stated["text"], stated["why"]), reads)
    return PropertyRule(**stated, reads=reads, target=target, value=value, priority=priority, shows=shows)


def _advice(entry: Entry, loading: Loading, users_own: bool) -> AdviceRule | None:
    before = len(loading.problems)
    entry.refuse_unknown(_ADVICE_KEYS)
    kind, parts = entry.choice("kind", AdviceKind), SCOPE_PARTS[Scope.POOL.value]
    extra = _VALUE if "value" in entry.table else frozenset[str]()
    stated = read_stated(entry, loading, parts, users_own=users_own, extra=extra)
    value = read_expression(entry, "value", parts, stated["needs"], loading, needed=False, result=None)
    keys = ("command", "place", "content")
    stated |= {key: read_template(entry, key, parts, loading, needed=False, extra=extra) for key in keys}
    command, place, content = (bool(stated[key].parts) for key in keys)
    if place != content or (command and content):
        entry.fail(
            tell("advice has a `command`, or `content` with the `place` it belongs in, not both and no half of it")
        )
    outcomes = {example.outcome for example in stated["examples"]}
    if Outcome.HOLDS not in outcomes or (stated["when"] is not None and len(outcomes) < 2):
        entry.fail(tell("an example with the outcome holds (or a `value`) and one with another are needed"))
    if len(loading.problems) > before or kind is None:
        return None
    reads = facts_read(entry, stated["needs"], value, stated["when"])
    return AdviceRule(**stated, reads=reads, kind=kind, value=value)


# Text of limits.toml -> the numbers that rules share.

_MOST = 10**18
_KEYS = {"key", "value", "unit", "basis", "why", "sources"}


def read_limits(text: str, own: str | None, tables: Collection[str], problems: list[RuleFault]) -> Mapping[str, Limit]:
    """Return the limits by key; ``own`` may change values of known ones. What is wrong goes to ``problems``.

    ``tables`` are the names of those that limits may cite.
    """
    shipped, changed = dict[str, Limit](), dict[str, Limit]()
    files = [("limits.toml", text, shipped)]
    if own is not None:
        files.append((tell("limits.toml (your own)"), own, changed))
    for file, told, limits in files:
        for entry in _entries(file, told, ("limit",), problems).get("limit", ()):
            limit = _limit(entry, tables, users_own=limits is changed)
            if limit is not None and limit.key in limits:
                entry.fail(tell("the limit “{key}” is given twice", key=limit.key), "key")
            elif limit is not None and limits is changed and limit.key not in shipped:
                entry.fail(tell("there is no limit “{key}” that could be changed", key=limit.key), "key")
            elif limit is not None:
                limits[limit.key] = limit
    return shipped | changed


def _limit(entry: Entry, tables: Collection[str], *, users_own: bool = False) -> Limit | None:
    before = len(entry.problems)
    entry.refuse_unknown(_KEYS)
    key, unit, why = entry.text("key"), tell(entry.text("unit")), tell(entry.text("why"))
    basis = entry.choice("basis", RuleBasis)
    value = entry.table.get("value")
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value < _MOST:
        entry.fail(tell("“value” must be a number from 0 to 10^18"), "value")
        return None
    sources = entry.sources(tables)
    if basis is None or len(entry.problems) > before:
        return None
    return Limit(key=key, value=value, unit=unit, basis=basis, why=why, sources=sources, users_own=users_own)


# Tries every rule on its own examples.


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
    return value_of_rule(rule, facts)
