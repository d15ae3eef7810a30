"""Text of `rules/*.toml` -> a RuleBook, with every error of every file."""

import re
from collections.abc import Callable, Collection, Generator, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from poolwright.domain.errors import UserError, is_missing, taken_already
from poolwright.domain.finding import FactValue, Outcome, Severity
from poolwright.domain.version import DEFAULT_VERSION, ZfsVersion
from poolwright.domain.workload import Goal
from poolwright.rules import rulebook
from poolwright.rules.expressions import LIMIT, ExpressionError, compile_expression, exact, no_fact, no_limit
from poolwright.rules.facts import FACTS, SCOPE_PARTS, UnknownFact
from poolwright.rules.judge import judge, value_of_rule
from poolwright.rules.texts import Entry, FactText, RuleErrors, RuleFault, is_none_of, parse_template, read_entries
from poolwright.texts import _

# What a person reads of a rule: told in the chosen language as it is loaded, for its placeholders stand in it.
TOLD = ("title", "text", "why", "advice", "unknown", "live", "gain")
_COMMON = frozenset({"id", "title", "since", "until", "goals", "needs", "sources", "examples"})
_ID = re.compile(r"[a-z0-9]+(?:[.-][a-z0-9]+)+\Z")
_VERSION = re.compile(r"(\d+)\.(\d+)(?:\.(\d+))?\Z")
_TARGET = re.compile(r"(pool|dataset)\.[a-z][a-z0-9_]*\Z")
_EXAMPLE_KEYS = frozenset({*Outcome, "value"})
_EVERY_PART = frozenset[str]().union(*SCOPE_PARTS.values())


@dataclass(slots=True)
class Loading:
    """What the files of one book share while they are read."""

    problems: list[RuleFault]
    limits: Mapping[str, int | float]
    tables: frozenset[str]
    ids: dict[str, str] = field(default_factory=dict)
    expressions: dict[Any, rulebook.Expression] = field(default_factory=dict)  # a quarter is said more than once


def load_rule_book_in_steps(
    files: Mapping[str, str],
    *,
    limits: str,
    tables: Collection[str] = (),
    own_files: Mapping[str, str] | None = None,
    own_limits: str | None = None,
    run_examples: bool = True,
) -> Generator[None, None, rulebook.RuleBook]:
    """Return the rules in ``files`` (name to text) and the user's ``own_files``, which are marked as theirs.

    ``limits`` is the text of limits.toml, ``own_limits`` what the user changes in it; ``tables`` names tables that may
    be cited. With ``run_examples`` examples are tried: those of ``files`` by the limits that they were written for.
    Raises RuleErrors, which lists everything that is wrong in all of them. Yields every few milliseconds.
    """
    if own_limits is not None and run_examples:
        yield from load_rule_book_in_steps(files, limits=limits, tables=tables)
    problems: list[RuleFault] = []
    known = read_limits(limits, own_limits, tables, problems)
    loading = Loading(problems, {key: limit.value for key, limit in known.items()}, frozenset(tables))
    yield
    made: dict[str, list[Any]] = {name: [] for name in _KINDS}
    for users_own, group in ((False, files), (True, own_files or {})):
        for name, text in sorted(group.items()):
            entries = read_entries(name, text, _KINDS, problems)
            yield
            for kind in _KINDS.keys() & entries.keys():
                for entry in entries[kind]:
                    statement = _statement(_KINDS[kind], entry, loading, users_own)
                    if statement is not None:
                        made[kind].append(statement)
                    yield
    book = rulebook.RuleBook(
        rules=tuple(made["rule"]),
        properties=tuple(made["property"]),
        advice=tuple(made["advice"]),
        limits=known,
        tables=tuple(sorted(loading.tables)),
    )
    if run_examples:
        for found in check_examples(book, only_own=own_limits is not None):
            if found is not None:
                problems.append(found)
            yield
    if problems:
        raise RuleErrors(problems)
    return book


# One entry of a file -> a rule, a proposal or a piece of advice, by what its kind may say.


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kind:
    """What an entry may hold besides what all have in common.

    ``choices`` are words out of a few, ``expressions`` with whether each is a condition, ``texts`` templates.
    Of them those in ``needed`` must be there. ``read`` takes what is left, named in ``others``, and looks for what does
    not fit together.
    """

    make: Callable[..., rulebook.AnyRule]
    choices: Mapping[str, type[StrEnum]]
    expressions: Mapping[str, bool]
    texts: tuple[str, ...]
    needed: frozenset[str]
    read: Callable[[Entry, dict[str, Any]], None]
    others: tuple[str, ...] = ()


def _statement(kind: _Kind, entry: Entry, loading: Loading, users_own: bool) -> rulebook.AnyRule | None:
    """Return what an entry says; None where something is wrong, which goes to the problems."""
    before = len(loading.problems)
    entry.refuse_unknown(_COMMON.union(kind.choices, kind.expressions, kind.texts, kind.others))
    said: dict[str, Any] = {key: entry.choice(key, words) for key, words in kind.choices.items()}
    scope = said.get("scope", rulebook.Scope.POOL)
    # An unknown scope is one error; what else is wrong shall be told all the same.
    parts = SCOPE_PARTS[scope.value] if scope else _EVERY_PART
    said |= _common(entry, loading) | {"file": entry.document.file, "line": entry.line(), "users_own": users_own}
    for key, condition in kind.expressions.items():
        said[key] = _expression(entry, key, parts, said["needs"], loading, condition, needed=key in kind.needed)
    # A piece of advice may mention the value that is worked out for it.
    extra = frozenset({"value"} if kind.make is rulebook.AdviceRule and "value" in entry.table else ())
    for key in kind.texts:
        said[key] = _template(entry, key, parts, loading, extra, needed=key in kind.needed)
    kind.read(entry, said)
    expressions = [said[key] for key in kind.expressions if said[key] is not None]
    reads = {name for expression in expressions for name in expression.facts}
    for name in sorted(set(said["needs"]) - reads):
        entry.fail(_not_needed(name), "needs")
    if len(loading.problems) > before:
        return None
    if kind.make is rulebook.Rule:
        names = {name for key in kind.texts for __, name, __ in said[key].parts if name is not None}
        limits = {name.removeprefix(LIMIT) for name in names if name.startswith(LIMIT)}
        said["shows"] = tuple(sorted(name for name in names - reads if not name.startswith(LIMIT)))
        said["limits"] = tuple(sorted(limits.union(*(expression.limits for expression in expressions))))
    return kind.make(**said, reads=tuple(sorted(reads)))


def _common(entry: Entry, loading: Loading) -> dict[str, Any]:
    """Return what rules, proposals and advice have in common: identity, versions, goals, sources, examples."""
    rule_id = entry.text("id")
    if rule_id and not _ID.match(rule_id):
        entry.must_look_like("id", "width.raidz-too-wide")
    elif rule_id in loading.ids:
        entry.fail(taken_already(rule_id, loading.ids[rule_id]), "id")
    elif rule_id:
        loading.ids[rule_id] = f"{entry.document.file}:{entry.line()}"
    since, until = _version(entry, "since"), _version(entry, "until")
    if since and until and not since < until:
        entry.fail(_("`until` must be later than `since`"), "until")
    goals = {}
    for word in entry.texts("goals"):
        try:
            goals[word] = Goal(word)
        except ValueError:
            entry.fail(is_none_of(word, Goal), "goals")
    needs = entry.texts("needs")
    for name in needs:
        if name not in FACTS:
            entry.fail(no_fact(name), "needs")
        elif not FACTS[name].optional:
            entry.fail(_not_needed(name), "needs")
    sources = entry.sources(loading.tables)
    if not sources:
        entry.fail(is_missing("sources"))
    return {
        "id": rule_id,
        "title": _(entry.text("title")),
        "sources": sources,
        "examples": _examples(entry),
        "goals": frozenset(goals.values()),
        "since": since,
        "until": until,
        "needs": needs,
    }


def _not_needed(name: str) -> str:
    return _("“{name}” is not needed: it is always known, or no expression uses it", name=name)


def _version(entry: Entry, key: str) -> ZfsVersion | None:
    """Return a bound; unlike elsewhere, “2.3” means its first release, 2.3.0."""
    text = entry.text(key, needed=False)
    if not text:
        return None
    match = _VERSION.match(text)
    if match is None:
        entry.must_look_like(key, "2.3")
        return None
    return ZfsVersion(int(match.group(1)), int(match.group(2)), int(match.group(3) or 0))


def _examples(entry: Entry) -> tuple[rulebook.Example, ...]:
    """Return the examples: each names its outcome, with the facts it is for, and may give the value that comes out."""
    found: list[rulebook.Example] = []
    for item in entry.items("examples"):
        item.refuse_unknown(_EXAMPLE_KEYS)
        outcome, value = item.one_of(Outcome), item.text("value", needed=False) or None
        if outcome is None:
            continue
        facts = item.table[outcome]
        if not isinstance(facts, dict):
            item.must_look_like(outcome, "{ vdev.width = 8 }")
            continue
        if value is not None and outcome is not Outcome.HOLDS:
            item.fail(_("an example with the outcome {outcome} has no value", outcome=outcome))
        checked: list[tuple[str, FactValue]] = []
        for part, given in facts.items():  # TOML reads ``vdev.width = 8`` as a table in a table
            inner = {f"{part}.{name}": fact for name, fact in given.items()} if isinstance(given, dict) else None
            for name, fact in ({part: given} if inner is None else inner).items():
                checked.append((name, _example_fact(item, name, fact)))
        found.append(rulebook.Example(facts=tuple(checked), outcome=outcome, value=value))
    return tuple(found)


def _example_fact(item: Entry, name: str, value: Any) -> FactValue:
    if name == "version" and isinstance(value, str):
        try:
            ZfsVersion.parse(value)
        except UserError as error:
            item.fail(error.text)
        return value
    known, kind = FACTS.get(name), type(value)
    if known is None:
        item.fail(no_fact(name))
    elif kind is not known.kind and not (known.kind is float and kind is int):
        item.fail(_("the example gives “{name}” a value of the wrong type", name=name))
    else:
        fact: FactValue = value
        return fact
    return None


def _expression(
    entry: Entry,
    key: str,
    parts: frozenset[str],
    needs: tuple[str, ...],
    loading: Loading,
    condition: bool,
    *,
    needed: bool,
) -> rulebook.Expression | None:
    """Return the compiled expression under ``key``; None where it is missing or wrong, which is noted."""
    text = entry.text(key, needed=needed)
    if not text:
        return None
    asked = (text, parts, needs, condition)
    if asked not in loading.expressions:
        try:
            loading.expressions[asked] = compile_expression(
                text, parts=parts, needs=needs, limits=loading.limits, condition=condition
            )
        except ExpressionError as error:
            entry.fail(f"`{key}`: {error}", key)
            return None
    return loading.expressions[asked]


def _template(
    entry: Entry, key: str, parts: frozenset[str], loading: Loading, extra: frozenset[str], *, needed: bool
) -> FactText:
    """Return the text under ``key``; ``extra`` are placeholders allowed besides facts and limits."""
    text = entry.text(key, needed=needed)
    try:
        template = parse_template(_(text) if text and key in TOLD else text)
    except ValueError as error:
        entry.fail(f"`{key}`: {error}", key)
        return FactText()
    if text and "{" not in text:
        template = replace(template, message=text)
    for __, name, form in template.parts:
        if name is None or name in extra:
            continue
        known = FACTS.get(name)
        if name.startswith(LIMIT):
            if name.removeprefix(LIMIT) not in loading.limits:
                entry.fail(f"`{key}`: {no_limit(name.removeprefix(LIMIT))}", key)
        elif known is None or name.partition(".")[0] not in parts:
            entry.fail(f"`{key}`: {no_fact(name)}", key)
        elif form and known.kind not in (int, float):
            entry.fail(f"`{key}`: " + _("{text} is not a number", text=f"{name}:{form}"), key)
    return template


def _rest_of_rule(entry: Entry, said: dict[str, Any]) -> None:
    if said["unknown"].parts and not said["needs"]:
        entry.fail(is_missing("needs"), "unknown")
    _need_examples(entry, said, Outcome.VIOLATED, at_least=2)
    weight = entry.table.get("weight", {})
    if not isinstance(weight, dict):
        entry.must_look_like("weight", "{ risk = 2.0 }")
        return
    for term, value in weight.items():
        if term not in rulebook.TERMS:
            entry.fail(is_none_of(term, rulebook.TERMS), "weight")
        elif not _is_number(value):
            entry.must_look_like("weight", f"{{ {term} = 2.0 }}")
    said["weight"] = tuple((term, float(value)) for term, value in weight.items() if type(value) in (int, float))


def _rest_of_property(entry: Entry, said: dict[str, Any]) -> None:
    said["target"], said["priority"] = entry.text("target"), entry.table.get("priority", 0)
    if said["target"] and not _TARGET.match(said["target"]):
        entry.must_look_like("target", "dataset.NAME")
    if type(said["priority"]) is not int:
        entry.must_look_like("priority", "10")
    if not any(example.value is not None for example in said["examples"]):
        entry.fail(is_missing("examples.value"))


def _rest_of_advice(entry: Entry, said: dict[str, Any]) -> None:
    command, place, content = (bool(said[key].parts) for key in ("command", "place", "content"))
    if place != content or (command and content):
        entry.fail(_("advice has a `command`, or `content` with the `place` it belongs in, not both and no half of it"))
    _need_examples(entry, said, Outcome.HOLDS, at_least=1 if said["when"] is None else 2)


def _need_examples(entry: Entry, said: dict[str, Any], outcome: Outcome, *, at_least: int) -> None:
    outcomes = {example.outcome for example in said["examples"]}
    if outcome not in outcomes or len(outcomes) < at_least:
        entry.fail(_("an example with the outcome {outcome} and one with another are needed", outcome=outcome))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < _MOST


_KINDS = {
    "rule": _Kind(
        make=rulebook.Rule,
        choices={"scope": rulebook.Scope, "severity": Severity, "basis": rulebook.RuleBasis},
        expressions={"when": True, "holds": True},
        texts=("text", "why", "advice", "unknown", "live", "gain"),
        needed=frozenset({"holds", "text"}),
        read=_rest_of_rule,
        others=("weight",),
    ),
    "property": _Kind(
        make=rulebook.PropertyRule,
        choices={"basis": rulebook.RuleBasis},
        expressions={"when": True, "value": False},
        texts=("text", "why"),
        needed=frozenset({"value", "text"}),
        read=_rest_of_property,
        others=("target", "priority"),
    ),
    "advice": _Kind(
        make=rulebook.AdviceRule,
        choices={"kind": rulebook.AdviceKind, "basis": rulebook.RuleBasis},
        expressions={"when": True, "value": False},
        texts=("text", "why", "command", "place", "content"),
        needed=frozenset({"text"}),
        read=_rest_of_advice,
    ),
}


# Text of limits.toml -> the numbers that rules share.

_MOST = 10**18
_LIMIT_KEYS = frozenset({"key", "value", "unit", "basis", "why", "sources"})


def read_limits(
    text: str, own: str | None, tables: Collection[str], problems: list[RuleFault]
) -> Mapping[str, rulebook.Limit]:
    """Return the limits by key; ``own`` may change values of known ones. What is wrong goes to ``problems``.

    ``tables`` are the names of those that limits may cite.
    """
    shipped, changed = dict[str, rulebook.Limit](), dict[str, rulebook.Limit]()
    files = [("limits.toml", text, shipped)]
    if own is not None:
        files.append((_("limits.toml (your own)"), own, changed))
    for file, content, limits in files:
        for entry in read_entries(file, content, ("limit",), problems).get("limit", ()):
            before = len(problems)
            entry.refuse_unknown(_LIMIT_KEYS)
            key, unit, why = entry.text("key"), _(entry.text("unit")), _(entry.text("why"))
            basis, sources = entry.choice("basis", rulebook.RuleBasis), entry.sources(tables)
            value: Any = entry.table.get("value")
            if not _is_number(value):
                entry.must_look_like("value", "8")
            if basis is None or len(problems) > before:
                continue
            if key in limits:
                entry.fail(taken_already(key, file), "key")
            elif limits is changed and key not in shipped:
                entry.fail(no_limit(key), "key")
            else:
                limits[key] = rulebook.Limit(
                    key=key, value=value, unit=unit, basis=basis, why=why, sources=sources, users_own=limits is changed
                )
    return shipped | changed


# Tries every rule on its own examples.


class _NotGiven(Exception):
    """An example leaves out a fact that is always known."""


class _ExampleFacts(dict[str, Any]):
    """Stands for Facts, with nothing but what an example gives; optional ones that it leaves out are unknown."""

    def __missing__(self, name: str) -> None:
        raise UnknownFact(name) if FACTS[name].optional else _NotGiven(name)


def check_examples(book: rulebook.RuleBook, *, only_own: bool = False) -> Iterator[RuleFault | None]:
    """Yield each example that comes out otherwise than it says, else None; ``only_own``: those of the user's rules."""
    rules: tuple[rulebook.AnyRule, ...] = (*book.rules, *book.properties, *book.advice)
    for rule in rules:
        if only_own and not rule.users_own:
            continue
        for number, example in enumerate(rule.examples, start=1):
            wrong = _wrong(rule, example)
            yield RuleFault(rule.file, rule.line, f"{rule.id}: example {number}: {wrong}") if wrong else None


def _wrong(rule: rulebook.AnyRule, example: rulebook.Example) -> str:
    """Return what is wrong with an example; empty where it comes out as it says."""
    facts = _ExampleFacts((name, exact(fact)) for name, fact in example.facts)
    goal = Goal(facts.setdefault("goal", min(rule.goals, default=Goal.SAFETY).value))
    try:
        version = rule.since or (DEFAULT_VERSION if rule.until is None else ZfsVersion(0, 6, 0))
        version = ZfsVersion.parse(facts["version"]) if "version" in facts else version
        outcome, value = Outcome.NOT_APPLICABLE, None
        if rule.applies_to(goal, version):
            outcome, value = (
                (judge(rule, facts)[0], None) if isinstance(rule, rulebook.Rule) else value_of_rule(rule, facts)
            )
    except _NotGiven as missing:
        return is_missing(str(missing))
    except ValueError as error:
        return str(error)
    said: tuple[object, object] = (example.outcome, outcome)
    if outcome is example.outcome and not isinstance(rule, rulebook.Rule) and example.value is not None:
        said = (example.value, str(value))
    return "" if said[0] == said[1] else _("says {said}, but gives {found}", said=said[0], found=said[1])
