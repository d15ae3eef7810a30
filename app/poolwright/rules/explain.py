"""A finding or a rule -> the text behind “Why?” and `--explain`."""

from collections.abc import Callable

from poolwright.domain.finding import FactValue, Finding, Outcome, Source, UsedFact
from poolwright.rules.facts import FACTS
from poolwright.rules.model import AdviceRule, AnyRule, Expression, PropertyRule, Rule, RuleBook
from poolwright.texts import marked, tell, tell_counted

_OUTCOMES = {
    Outcome.VIOLATED: marked("violated"),
    Outcome.HOLDS: marked("holds"),
    Outcome.NOT_APPLICABLE: marked("does not apply"),
    Outcome.CANNOT_TELL: marked("cannot tell"),
}


def explain_finding(finding: Finding) -> str:
    """Return the finding with its reason, the facts it rests on, their origin, and its sources."""
    lines = [
        finding.text,
        (
            f"Rule {finding.rule_id} ({finding.severity}, {finding.basis}) on {finding.subject}: "
            f"{tell(_OUTCOMES[finding.outcome])}."
        ),
    ]
    if finding.users_own:
        lines.append(tell("This rule is your own."))
    if finding.why:
        lines.append(f"Why: {finding.why}")
    if finding.advice and finding.outcome is Outcome.VIOLATED:
        lines.append(f"Advice: {finding.advice}")
    if finding.missing:
        lines.append(f"Missing: {', '.join(tell(FACTS[name].words) for name in finding.missing)}.")
    lines.extend(_facts(finding.facts))
    lines.extend(_versions(finding.since, finding.until))
    lines.extend(_sources(finding.sources))
    return "\n".join(lines)


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
            basis=rule.basis,
            file=rule.file,
            line=rule.line,
        ),
    ]
    if rule.users_own:
        lines.append(tell("This rule is your own."))
    if rule.goals:
        lines.append(f"Goals: {', '.join(sorted(rule.goals))}.")
    lines.extend(_versions(str(rule.since) if rule.since else None, str(rule.until) if rule.until else None))
    if rule.when is not None:
        lines.append(tell("Applies when: {text}", text=rule.when.text))
    if body is not None:
        lines.append(f"{name}: {body.text}")
    if isinstance(rule, AdviceRule):
        lines.extend(_to_do(rule, word_for))
    if rule.needs:
        lines.append(f"Needs: {', '.join(tell(FACTS[name].words) for name in rule.needs)}.")
    lines.append(f"Says: {rule.text.fill_names(word_for)}")
    if rule.why.parts:
        lines.append(f"Why: {rule.why.fill_names(word_for)}")
    if isinstance(rule, Rule):
        if rule.advice.parts:
            lines.append(f"Advice: {rule.advice.fill_names(word_for)}")
        if rule.weight:
            lines.append(f"Weight: {', '.join(f'{term} {value:g}' for term, value in rule.weight)}.")
    lines.extend(_limits({*(body.limits if body else ()), *(rule.when.limits if rule.when else ())}, book))
    lines.extend(_sources(rule.sources))
    lines.append(tell_counted("Tried on {count} example.", "Tried on {count} examples.", len(rule.examples)))
    return "\n".join(lines)


def _body(rule: AnyRule) -> tuple[str, str, Expression | None]:
    """Return what the rule is, and its expression with a word for it."""
    if isinstance(rule, Rule):
        return (
            tell("{severity} for each {scope}", severity=rule.severity, scope=rule.scope.value.replace("_", " ")),
            tell("Must hold"),
            rule.holds,
        )
    if isinstance(rule, PropertyRule):
        return tell("proposes {target}", target=rule.target), tell("Value"), rule.value
    return tell("advice for the machine: {kind}", kind=rule.kind), tell("Value"), rule.value


def _limits(keys: set[str], book: RuleBook) -> list[str]:
    lines: list[str] = []
    for limit in (limit for limit in book.limits if limit.key in keys):
        basis = tell("{basis}, changed by you", basis=limit.basis) if limit.users_own else limit.basis
        value = f"{limit.value} {limit.unit}"
        lines.append(
            tell("Limit {name} = {value} ({basis}): {why}", name=limit.key, value=value, basis=basis, why=limit.why)
        )
        lines.extend(f"  {line}" for line in _sources(limit.sources))
    return lines


def say_value(value: FactValue) -> str:
    """Return a fact's value for people; an unknown one says so."""
    if value is None:
        return "unknown"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _facts(facts: tuple[UsedFact, ...]) -> list[str]:
    lines: list[str] = []
    for fact in facts:
        known = FACTS.get(fact.name)
        words = f"{fact.name} ({tell(known.words)})" if known else fact.name
        origin = f" [{fact.origin}]" if fact.origin else ""
        lines.append(f"Fact: {words} = {say_value(fact.value)}{origin}")
    return lines


def _to_do(rule: AdviceRule, word_for: Callable[[str], str]) -> list[str]:
    """Return the command of a piece of advice, or what a file shall hold; facts by their names."""
    if rule.content.parts:
        return [f"In {rule.place.fill_names(word_for)}: {rule.content.fill_names(word_for)}"]
    return [f"Command: {rule.command.fill_names(word_for)}"] if rule.command.parts else []


def _versions(since: str | None, until: str | None) -> list[str]:
    if since and until:
        return [tell("Holds for OpenZFS from {since} to before {until}.", since=since, until=until)]
    if since:
        return [tell("Holds for OpenZFS since {since}.", since=since)]
    return [tell("Holds for OpenZFS before {until}.", until=until)] if until else []


def _sources(sources: tuple[Source, ...]) -> list[str]:
    return [f"Source: {source}" for source in sources]
