"""Text of `rules/*.toml` -> a RuleBook, with every error of every file. Imports rule-engine: import it late."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from poolwright.domain.errors import UserError
from poolwright.domain.finding import FactValue, Outcome, Severity, Source
from poolwright.domain.version import ZfsVersion
from poolwright.domain.workload import Goal
from poolwright.rules.examples import check_examples, check_property_examples
from poolwright.rules.expressions import EngineExpression, ExpressionError, compile_expression
from poolwright.rules.facts import FACTS, SCOPE_PARTS
from poolwright.rules.limits import read_limits
from poolwright.rules.model import TERMS, Basis, Example, Limit, PropertyRule, Rule, RuleBook, Scope
from poolwright.rules.reading import Entry, Problem, RuleErrors, read_entries
from poolwright.rules.tables import check_tables
from poolwright.rules.texts import Template, parse_template

_ID = re.compile(r"[a-z0-9]+(?:[.-][a-z0-9]+)+\Z")
_VERSION = re.compile(r"(\d+)\.(\d+)(?:\.(\d+))?\Z")
_TARGET = re.compile(r"(pool|dataset)\.[a-z][a-z0-9_]*\Z")
_COMMON = {"id", "title", "basis", "since", "until", "goals", "needs", "when", "text", "why", "source", "example"}
_RULE_KEYS = _COMMON | {"scope", "severity", "holds", "advice", "weight"}
_PROPERTY_KEYS = _COMMON | {"target", "value", "priority"}


class _SourceKind(StrEnum):
    TABLE = "table"
    DOCUMENT = "document"
    MAN = "man"
    SOURCE = "source"


@dataclass(slots=True)
class _Loading:
    problems: list[Problem]
    limits: Mapping[str, Limit]
    tables: frozenset[str]
    ids: dict[str, str] = field(default_factory=dict)

    def values(self) -> dict[str, int | float]:
        return {key: limit.value for key, limit in self.limits.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shared:
    """What rules and properties have in common."""

    id: str
    title: str
    basis: Basis | None
    since: ZfsVersion | None
    until: ZfsVersion | None
    goals: frozenset[Goal]
    needs: tuple[str, ...]
    sources: tuple[Source, ...]
    examples: tuple[Example, ...]


def load_rule_book(
    files: Mapping[str, str],
    *,
    limits: str,
    tables: Mapping[str, str] | None = None,
    own_files: Mapping[str, str] | None = None,
    own_limits: str | None = None,
    run_examples: bool = True,
) -> RuleBook:
    """Return the rules in ``files`` (name to text) and the user's ``own_files``, which are marked as theirs.

    ``limits`` is the text of limits.toml, ``own_limits`` what the user changes in it; ``tables`` the texts of
    rules/tables by file name. With ``run_examples`` each rule's examples are tried. Raises RuleErrors, which lists
    everything that is wrong in all of them.
    """
    problems: list[Problem] = []
    known = read_limits(limits, own_limits, problems)
    loading = _Loading(problems, known, check_tables(tables or {}, problems))
    rules: list[Rule] = []
    properties: list[PropertyRule] = []
    for users_own, group in ((False, files), (True, own_files or {})):
        for name, text in sorted(group.items()):
            entries = read_entries(name, text, problems)
            for unknown in entries.keys() - {"rule", "property"}:
                entries[unknown][0].fail(f"“[[{unknown}]]” is not known; there are [[rule]] and [[property]]")
            made = (_rule(entry, loading, users_own) for entry in entries.get("rule", ()))
            rules.extend(rule for rule in made if rule is not None)
            proposals = (_property(entry, loading, users_own) for entry in entries.get("property", ()))
            properties.extend(proposal for proposal in proposals if proposal is not None)
    book = RuleBook(
        rules=tuple(rules),
        properties=tuple(properties),
        limits=tuple(known.values()),
        tables=tuple(sorted(loading.tables)),
    )
    if run_examples:
        problems.extend(check_examples(book))
        problems.extend(check_property_examples(book))
    if problems:
        raise RuleErrors(problems)
    return book


def _rule(entry: Entry, loading: _Loading, users_own: bool) -> Rule | None:
    before = len(loading.problems)
    entry.refuse_unknown(_RULE_KEYS)
    shared = _shared(entry, loading)
    scope, severity = entry.choice("scope", Scope), entry.choice("severity", Severity)
    # An unknown scope is one error; what else is wrong shall be told all the same.
    parts = SCOPE_PARTS[scope.value] if scope else frozenset[str]().union(*SCOPE_PARTS.values())
    when = _expression(entry, "when", parts, shared.needs, loading, needed=False, result=bool)
    holds = _expression(entry, "holds", parts, shared.needs, loading, result=bool)
    text = _template(entry, "text", parts, loading)
    why = _template(entry, "why", parts, loading)
    advice = _template(entry, "advice", parts, loading, needed=False)
    weight = _weight(entry)
    _check_outcomes(entry, shared.examples)
    if len(loading.problems) > before or holds is None or scope is None or severity is None or shared.basis is None:
        return None
    reads = tuple(sorted({*holds.facts, *(when.facts if when else ())}))
    _check_needs(entry, shared.needs, reads)
    return Rule(
        id=shared.id,
        title=shared.title,
        scope=scope,
        severity=severity,
        basis=shared.basis,
        when=when,
        holds=holds,
        text=text,
        why=why,
        advice=advice,
        sources=shared.sources,
        examples=shared.examples,
        goals=shared.goals,
        since=shared.since,
        until=shared.until,
        needs=shared.needs,
        weight=weight,
        reads=reads,
        shows=_shown((text, why, advice), reads),
        limits=_limits_of((holds, when), (text, why, advice)),
        file=entry.file,
        line=entry.line,
        users_own=users_own,
    )


def _property(entry: Entry, loading: _Loading, users_own: bool) -> PropertyRule | None:
    before = len(loading.problems)
    entry.refuse_unknown(_PROPERTY_KEYS)
    shared = _shared(entry, loading)
    target = entry.text("target")
    if target and not _TARGET.match(target):
        entry.fail(f"“{target}” is no target; write pool.NAME or dataset.NAME", "target")
    parts = SCOPE_PARTS[Scope.POOL.value]
    when = _expression(entry, "when", parts, shared.needs, loading, needed=False, result=bool)
    value = _expression(entry, "value", parts, shared.needs, loading, result=None)
    text = _template(entry, "text", parts, loading)
    why = _template(entry, "why", parts, loading, needed=False)
    priority = entry.table.get("priority", 0)
    if not isinstance(priority, int) or isinstance(priority, bool):
        entry.fail("“priority” must be a whole number", "priority")
    if not any(example.value is not None for example in shared.examples):
        entry.fail("an example with a `value` is missing")
    if len(loading.problems) > before or value is None or shared.basis is None or not isinstance(priority, int):
        return None
    reads = tuple(sorted({*value.facts, *(when.facts if when else ())}))
    _check_needs(entry, shared.needs, reads)
    return PropertyRule(
        id=shared.id,
        title=shared.title,
        target=target,
        basis=shared.basis,
        when=when,
        value=value,
        text=text,
        why=why,
        sources=shared.sources,
        examples=shared.examples,
        goals=shared.goals,
        since=shared.since,
        until=shared.until,
        needs=shared.needs,
        priority=priority,
        reads=reads,
        shows=_shown((text, why), reads),
        file=entry.file,
        line=entry.line,
        users_own=users_own,
    )


def _shared(entry: Entry, loading: _Loading) -> _Shared:
    rule_id = entry.text("id")
    if rule_id and not _ID.match(rule_id):
        entry.fail("an id has at least two words of a-z, 0-9, joined by points or dashes", "id")
    elif rule_id in loading.ids:
        entry.fail(f"the id is taken already by {loading.ids[rule_id]}", "id")
    elif rule_id:
        loading.ids[rule_id] = f"{entry.file}:{entry.line}"
    title, basis = entry.text("title"), entry.choice("basis", Basis)
    goals: set[Goal] = set()
    for word in entry.texts("goals"):
        if word in tuple(Goal):
            goals.add(Goal(word))
        else:
            entry.fail(f"“{word}” is not a goal; there are {', '.join(Goal)}", "goals")
    needs = entry.texts("needs")
    for name in needs:
        if name not in FACTS:
            entry.fail(f"`needs` lists “{name}”, which is not a fact", "needs")
        elif not FACTS[name].optional:
            entry.fail(f"`needs` lists “{name}”, which is always known", "needs")
    since, until = _version(entry, "since"), _version(entry, "until")
    if since and until and not since < until:
        entry.fail("`until` must be later than `since`", "until")
    sources, examples = _sources(entry, loading), _examples(entry)
    return _Shared(
        id=rule_id,
        title=title,
        basis=basis,
        since=since,
        until=until,
        goals=frozenset(goals),
        needs=needs,
        sources=sources,
        examples=examples,
    )


def _version(entry: Entry, key: str) -> ZfsVersion | None:
    """Return a bound; unlike elsewhere, “2.3” means its first release, 2.3.0."""
    text = entry.text(key, needed=False)
    if not text:
        return None
    match = _VERSION.match(text)
    if match is None:
        entry.fail(f"“{text}” is not an OpenZFS version such as 2.3 or 2.3.6", key)
        return None
    return ZfsVersion(int(match.group(1)), int(match.group(2)), int(match.group(3) or 0))


def _sources(entry: Entry, loading: _Loading) -> tuple[Source, ...]:
    found: list[Source] = []
    for item in entry.inner.get("source", ()):
        item.refuse_unknown({"kind", "ref", "note"})
        kind, ref = item.choice("kind", _SourceKind), item.text("ref")
        if kind is _SourceKind.TABLE and ref not in loading.tables:
            item.fail(f"there is no table “{ref}” in rules/tables", "ref")
        if kind is not None:
            found.append(Source(kind=kind.value, ref=ref, note=item.text("note", needed=False)))
    if not found:
        entry.fail("a source is missing")
    return tuple(found)


def _examples(entry: Entry) -> tuple[Example, ...]:
    found: list[Example] = []
    for item in entry.inner.get("example", ()):
        item.refuse_unknown({"facts", "outcome", "value"})
        facts = item.table.get("facts", {})
        if not isinstance(facts, dict):
            item.fail('“facts” must be a table such as { "vdev.width" = 8 }', "facts")
            continue
        value = item.text("value", needed=False) or None
        outcome = Outcome.HOLDS if value is not None else item.choice("outcome", Outcome)
        if outcome is not None:
            checked = tuple((name, _example_fact(item, name, fact)) for name, fact in facts.items())
            found.append(Example(facts=checked, outcome=outcome, value=value))
    return tuple(found)


def _example_fact(item: Entry, name: str, value: object) -> FactValue:
    if name == "version" and isinstance(value, str):
        try:
            ZfsVersion.parse(value)
        except UserError as error:
            item.fail(error.text, "facts")
        return value
    known = FACTS.get(name)
    if known is None:
        item.fail(f"the example gives “{name}”, which is not a fact", "facts")
        return None
    right = isinstance(value, int | float if known.kind is float else known.kind)
    if not right or (isinstance(value, bool) and known.kind is not bool):
        item.fail(f"the example gives “{name}” a value of the wrong type", "facts")
        return None
    assert isinstance(value, str | int | float)
    return value


def _check_outcomes(entry: Entry, examples: Iterable[Example]) -> None:
    outcomes = {example.outcome for example in examples}
    if Outcome.VIOLATED not in outcomes:
        entry.fail("an example with the outcome violated is missing")
    if not outcomes - {Outcome.VIOLATED}:
        entry.fail("an example with another outcome than violated is missing")


def _check_needs(entry: Entry, needs: Iterable[str], reads: Iterable[str]) -> None:
    for name in sorted(set(needs) - set(reads)):
        entry.fail(f"`needs` lists “{name}”, which no expression uses", "needs")


def _weight(entry: Entry) -> tuple[tuple[str, float], ...]:
    table = entry.table.get("weight", {})
    if not isinstance(table, dict):
        entry.fail("“weight” must be a table such as { risk = 2.0 }", "weight")
        return ()
    found: list[tuple[str, float]] = []
    for term, value in table.items():
        if term not in TERMS:
            entry.fail(f"“{term}” is not a term of the score; there are {', '.join(TERMS)}", "weight")
        elif not isinstance(value, int | float) or isinstance(value, bool) or value <= 0:
            entry.fail(f"the weight of “{term}” must be a number above 0", "weight")
        else:
            found.append((term, float(value)))
    return tuple(found)


def _expression(
    entry: Entry,
    key: str,
    parts: frozenset[str],
    needs: tuple[str, ...],
    loading: _Loading,
    *,
    result: type | None,
    needed: bool = True,
) -> EngineExpression | None:
    text = entry.text(key, needed=needed)
    if not text:
        return None
    try:
        return compile_expression(text, parts=parts, needs=needs, limits=loading.values(), result=result)
    except ExpressionError as error:
        entry.fail(f"`{key}`: {error}", key)
        return None


def _template(entry: Entry, key: str, parts: frozenset[str], loading: _Loading, *, needed: bool = True) -> Template:
    text = entry.text(key, needed=needed)
    try:
        template = parse_template(text)
    except ValueError as error:
        entry.fail(f"`{key}`: {error}", key)
        return Template()
    for _, name, form in template.parts:
        if name is None:
            continue
        known = FACTS.get(name)
        if name.startswith("limit."):
            if name[6:] not in loading.limits:
                entry.fail(f"`{key}`: there is no limit “{name[6:]}” in limits.toml", key)
        elif known is None or name.split(".", maxsplit=1)[0] not in parts:
            entry.fail(f"`{key}`: “{{{name}}}” is not a fact of this scope", key)
        elif form and known.kind not in (int, float):
            entry.fail(f"`{key}`: “{{{name}:{form}}}” is no number", key)
    return template


def _shown(templates: Iterable[Template], reads: tuple[str, ...]) -> tuple[str, ...]:
    names = {name for template in templates for name in template.names if not name.startswith("limit.")}
    return tuple(sorted(names - set(reads)))


def _limits_of(expressions: Iterable[EngineExpression | None], templates: Iterable[Template]) -> tuple[str, ...]:
    keys = {key for expression in expressions if expression for key in expression.limits}
    keys |= {name[6:] for template in templates for name in template.names if name.startswith("limit.")}
    return tuple(sorted(keys))
