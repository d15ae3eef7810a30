"""Text of `rules/*.toml` -> a RuleBook, with every error of every file."""

import re
from collections.abc import Collection, Generator, Mapping
from typing import TypeVar

from poolwright.domain.finding import Outcome, Severity
from poolwright.domain.steps import at_once
from poolwright.rules.examples import check_examples
from poolwright.rules.facts import SCOPE_PARTS
from poolwright.rules.limits import read_limits
from poolwright.rules.load_parts import (
    COMMON_KEYS,
    Loading,
    check_outcomes,
    limits_of,
    read_expression,
    read_shared,
    read_template,
    read_weight,
    shown_facts,
    stated_fields,
)
from poolwright.rules.model import AdviceKind, AdviceRule, PropertyRule, Rule, RuleBook, Scope
from poolwright.rules.reading import Entry, RuleErrors, RuleFault, read_entries
from poolwright.texts import tell

_T = TypeVar("_T")
_TARGET = re.compile(r"(pool|dataset)\.[a-z][a-z0-9_]*\Z")
_RULE_KEYS = COMMON_KEYS | {"scope", "severity", "holds", "advice", "weight", "unknown", "live"}
_PROPERTY_KEYS = COMMON_KEYS | {"target", "value", "priority"}
_ADVICE_KEYS = COMMON_KEYS | {"kind", "command", "value", "place", "content"}
_VALUE = frozenset({"value"})


def load_rule_book(
    files: Mapping[str, str],
    *,
    limits: str,
    tables: Collection[str] = (),
    own_files: Mapping[str, str] | None = None,
    own_limits: str | None = None,
    run_examples: bool = True,
) -> RuleBook:
    """Do the same as `load_rule_book_in_steps` at once."""
    return at_once(
        load_rule_book_in_steps(
            files, limits=limits, tables=tables, own_files=own_files, own_limits=own_limits, run_examples=run_examples
        )
    )


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
    for users_own, group in ((False, files), (True, own_files or {})):
        for name, text in sorted(group.items()):
            entries = _entries(name, text, problems)
            yield
            for entry in entries.get("rule", ()):
                rules.extend(_made(_rule(entry, loading, users_own)))
                yield
            for entry in entries.get("property", ()):
                properties.extend(_made(_property(entry, loading, users_own)))
                yield
            for entry in entries.get("advice", ()):
                advice.extend(_made(_advice(entry, loading, users_own)))
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
            problems.extend(_made(found))
            yield
    if problems:
        raise RuleErrors(problems)
    return book


def _entries(name: str, text: str, problems: list[RuleFault]) -> Mapping[str, list[Entry]]:
    entries = read_entries(name, text, problems)
    for unknown in entries.keys() - {"rule", "property", "advice"}:
        entries[unknown][0].fail(
            tell("“[[{unknown}]]” is not known; there are [[rule]], [[property]], [[advice]]", unknown=unknown)
        )
    return entries


def _made(what: _T | None) -> tuple[_T, ...]:
    return () if what is None else (what,)


def _rule(entry: Entry, loading: Loading, users_own: bool) -> Rule | None:
    before = len(loading.problems)
    entry.refuse_unknown(_RULE_KEYS)
    shared = read_shared(entry, loading)
    scope, severity = entry.choice("scope", Scope), entry.choice("severity", Severity)
    # An unknown scope is one error; what else is wrong shall be told all the same.
    parts = SCOPE_PARTS[scope.value] if scope else frozenset[str]().union(*SCOPE_PARTS.values())
    when = read_expression(entry, "when", parts, shared.needs, loading, needed=False, result=bool)
    holds = read_expression(entry, "holds", parts, shared.needs, loading, result=bool)
    text = read_template(entry, "text", parts, loading)
    why = read_template(entry, "why", parts, loading)
    advice = read_template(entry, "advice", parts, loading, needed=False)
    unknown = read_template(entry, "unknown", parts, loading, needed=False)
    live = read_template(entry, "live", parts, loading, needed=False)
    if unknown.parts and not shared.needs:
        entry.fail(tell("“unknown” is said where a fact is unknown, but `needs` lists none"), "unknown")
    weight = read_weight(entry)
    check_outcomes(entry, shared.examples)
    if len(loading.problems) > before or holds is None or scope is None or severity is None or shared.basis is None:
        return None
    reads = tuple(sorted({*holds.facts, *(when.facts if when else ())}))
    stated = stated_fields(entry, shared, shared.basis, when=when, text=text, why=why, reads=reads, users_own=users_own)
    return Rule(
        **stated,
        scope=scope,
        severity=severity,
        holds=holds,
        advice=advice,
        unknown=unknown,
        live=live,
        weight=weight,
        shows=shown_facts((text, why, advice, unknown, live), reads),
        limits=limits_of((holds, when), (text, why, advice, unknown, live)),
    )


def _property(entry: Entry, loading: Loading, users_own: bool) -> PropertyRule | None:
    before = len(loading.problems)
    entry.refuse_unknown(_PROPERTY_KEYS)
    shared = read_shared(entry, loading)
    target = entry.text("target")
    if target and not _TARGET.match(target):
        entry.fail(tell("“{target}” is no target; write pool.NAME or dataset.NAME", target=target), "target")
    parts = SCOPE_PARTS[Scope.POOL.value]
    when = read_expression(entry, "when", parts, shared.needs, loading, needed=False, result=bool)
    value = read_expression(entry, "value", parts, shared.needs, loading, result=None)
    text = read_template(entry, "text", parts, loading)
    why = read_template(entry, "why", parts, loading, needed=False)
    priority = entry.table.get("priority", 0)
    if not isinstance(priority, int) or isinstance(priority, bool):
        entry.fail(tell("“priority” must be a whole number"), "priority")
    if not any(example.value is not None for example in shared.examples):
        entry.fail(tell("an example with a `value` is missing"))
    if len(loading.problems) > before or value is None or shared.basis is None or not isinstance(priority, int):
        return None
    reads = tuple(sorted({*value.facts, *(when.facts if when else ())}))
    stated = stated_fields(entry, shared, shared.basis, when=when, text=text, why=why, reads=reads, users_own=users_own)
    return PropertyRule(**stated, target=target, value=value, priority=priority, shows=shown_facts((text, why), reads))


def _advice(entry: Entry, loading: Loading, users_own: bool) -> AdviceRule | None:
    before = len(loading.problems)
    entry.refuse_unknown(_ADVICE_KEYS)
    shared = read_shared(entry, loading)
    kind = entry.choice("kind", AdviceKind)
    parts = SCOPE_PARTS[Scope.POOL.value]
    when = read_expression(entry, "when", parts, shared.needs, loading, needed=False, result=bool)
    value = read_expression(entry, "value", parts, shared.needs, loading, needed=False, result=None)
    extra = _VALUE if value is not None else frozenset[str]()
    command = read_template(entry, "command", parts, loading, needed=False, extra=extra)
    place = read_template(entry, "place", parts, loading, needed=False, extra=extra)
    content = read_template(entry, "content", parts, loading, needed=False, extra=extra)
    if bool(place.parts) != bool(content.parts) or (command.parts and content.parts):
        entry.fail(
            tell("advice has a `command`, or `content` with the `place` it belongs in, not both and no half of it")
        )
    text = read_template(entry, "text", parts, loading, extra=extra)
    why = read_template(entry, "why", parts, loading, needed=False, extra=extra)
    outcomes = {example.outcome for example in shared.examples}
    if Outcome.HOLDS not in outcomes or (when is not None and len(outcomes) < 2):
        entry.fail(tell("an example with the outcome holds (or a `value`) and one with another are needed"))
    if len(loading.problems) > before or kind is None or shared.basis is None:
        return None
    reads = tuple(sorted({*(value.facts if value else ()), *(when.facts if when else ())}))
    stated = stated_fields(entry, shared, shared.basis, when=when, text=text, why=why, reads=reads, users_own=users_own)
    return AdviceRule(**stated, kind=kind, value=value, command=command, place=place, content=content)
