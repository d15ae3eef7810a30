"""A rule -> the text behind “Why?” and `--explain`."""

from collections.abc import Callable, Iterator, Sequence

from poolwright.domain.finding import Source
from poolwright.rules.facts import FACTS
from poolwright.rules.model import AdviceRule, AnyRule, Expression, PropertyRule, Rule, RuleBook
from poolwright.texts import tell, tell_counted


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
    return ", ".join(tell(FACTS[name].words) for name in names)


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
