"""`poolwright rules`: lists the rules, tries them on their examples, or explains one."""

import argparse
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

from poolwright import paths
from poolwright.cli.as_json import json_of
from poolwright.cli.design_source import read_text
from poolwright.cli.options import REPORT, options, shown
from poolwright.cli.output import answer, print_json, say
from poolwright.domain.errors import UserError
from poolwright.domain.estimate import OriginKind
from poolwright.emit.report import ALL, MORE, Answer, Behind, Blocks, ReportTable, endings, listed, table
from poolwright.rule_library import load_rules
from poolwright.rules.rulebook import AdviceRule, AnyRule, PropertyRule, Rule, RuleBook, explain_rule
from poolwright.rules.texts import RuleErrors
from poolwright.table_library import load_shipped_tables
from poolwright.texts import _, ngettext, sentence


def configure(parser: argparse.ArgumentParser) -> None:
    what = parser.add_mutually_exclusive_group()
    options(what, "--check --explain --search")
    options(parser, REPORT)


def run(args: argparse.Namespace) -> int:
    if args.check is not None:
        return _check(args)
    book = load_rules()
    if args.explain is not None:
        rule = book.rule(args.explain)
        if rule is None:
            name, todo = shown(args.explain), _("`poolwright rules` lists them.")
            raise UserError(_("“{name}” does not exist", name=name), todo=todo)
        text = explain_rule(rule, book)
        answer(args, lambda: {**_document(rule, book), "explanation": text}, text.splitlines())
    else:
        kinds: dict[str, tuple[AnyRule, ...]] = {
            "rules": book.rules, "properties": book.properties, "advice": book.advice,
        }  # fmt: skip
        answer(
            args,
            lambda: {key: [_document(rule, book) for rule in of] for key, of in kinds.items()},
            _blocks(book, args.search),
        )
    return 0


def _check(args: argparse.Namespace) -> int:
    files: list[Path] = args.check
    shipped = paths.rules_folder().resolve()
    for path in files:
        read_text(str(path), todo=_("Write rules as TOML in UTF-8."))
    # A shipped file named here is read with the others anyway.
    extra = tuple(path for path in files if path.resolve().parent != shipped)
    try:
        load_shipped_tables()
        book = load_rules(extra=extra)
    except RuleErrors as errors:
        if not args.json:
            raise
        say(f"poolwright: {errors.text}")
        first = errors.what.splitlines()[0]
        print_json(json_of(errors, "ok@ error@ errors=problems[file line text]", ok=False, error=first))
        return errors.exit_status
    counts = {
        "rules": len(book.rules),
        "properties": len(book.properties),
        "advice": len(book.advice),
        "limits": len(book.limits),
        "examples": sum(len(rule.examples) for rule in _everything(book)),
        "users_own": sum(1 for rule in _everything(book) if rule.users_own),
    }
    text = _counts(book)
    if counts["users_own"]:
        text = _("{told}, {count} of them your own", told=text, count=counts["users_own"])
    said = _("{told}: {examples} examples come out as they say.", told=text, examples=counts["examples"])
    answer(args, lambda: {"ok": True, **counts, "errors": []}, (said,))
    return 0


def _counts(book: RuleBook) -> str:
    return _(
        "{rules} rules, {properties} properties and {advice} pieces of advice",
        rules=len(book.rules), properties=len(book.properties), advice=len(book.advice),
    )  # fmt: skip


def _everything(book: RuleBook) -> tuple[AnyRule, ...]:
    return (*book.rules, *book.properties, *book.advice)


def _title(rule: AnyRule) -> str:
    return _("{name} (your own)", name=rule.title) if rule.users_own else rule.title


def _blocks(book: RuleBook, word: str | None) -> Blocks:
    every = _everything(book)
    if word is None:
        yield Answer(text=sentence(_counts(book)), figures={"rules": len(every)})
        topics: dict[str, Counter[str]] = defaultdict(Counter)
        for rule in every:
            topic = rule.id.partition(".")[0]
            topics[_(rule.scope.words) if isinstance(rule, Rule) else topic][topic] += 1
        yield listed(
            sorted(topics.items(), key=lambda one: -one[1].total()),
            (_("About"), lambda one: one[0]),
            (_("Rules"), lambda one: one[1].total()),
            (_("Topics"), lambda one: ", ".join(f"{topic}.*" for topic, __ in one[1].most_common())),
            right=(1,),
        )
        yield Behind(ALL, (_table(every),))
        yield from endings(MORE, "--search WORD", "--explain ID")  # for machines
        return
    found = [rule for rule in every if word.casefold() in f"{rule.id} {_title(rule)} {rule.text.raw}".casefold()]
    yield ngettext("{count} rule has “{word}”.", "{count} rules have “{word}”.", len(found), word=word)
    if found:
        yield _table(found)


def _table(rules: Sequence[AnyRule]) -> ReportTable:
    return table((_("Rule"), _("Kind"), _("Title")), [(rule.id, _kind(rule), _title(rule)) for rule in rules])


def _kind(rule: AnyRule) -> str:
    if isinstance(rule, Rule):
        return f"{_(rule.severity.value)}, {_(rule.scope.words)}"
    if not isinstance(rule, PropertyRule):
        return _(rule.kind.value)
    value = _(OriginKind.COMPUTED.value) if rule.value.facts else rule.value.text.strip('"')
    return f"{rule.target} {value}"


def _document(rule: AnyRule, book: RuleBook) -> dict[str, object]:
    body = rule.holds if isinstance(rule, Rule) else rule.value
    keys = {*(body.limits if body else ()), *(rule.when.limits if rule.when else ())}
    limits = {key: book.limits[key] for key in sorted(keys & book.limits.keys())}
    own = "target value=value.text priority"  # for machines
    if isinstance(rule, Rule):
        own = "scope severity holds=holds.text advice=advice.raw live=live.raw weight@"  # for machines
    elif isinstance(rule, AdviceRule):
        own = "kind command=command.raw value=value.text place=place.raw content=content.raw"  # for machines
    return json_of(
        rule,
        "id title basis goals@ since until when=when.text needs text=text.raw why=why.raw file line users_own sources "
        f"limits@ {own}",
        goals=sorted(goal.value for goal in rule.goals),
        limits={key: json_of(limit, "value unit why") for key, limit in limits.items()},
        weight=dict(rule.weight) if isinstance(rule, Rule) else None,
    )
