"""`poolwright recommend`: every layout of the disks, ranked for a goal, with reasons; or one of your own."""

import argparse
import shlex
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from poolwright.cli import ranking
from poolwright.cli.design_options import add_pool_options, reserved_on_all, sizes_understood, with_options
from poolwright.cli.design_source import add_source_options, host_words, read_source
from poolwright.cli.options import REPORT, options
from poolwright.cli.output import answer as print_answer
from poolwright.cli.output import save_design, say
from poolwright.cli.own_layout import evaluate_possible, findings_by_hand, layout_at_hand, place_layout, request_of
from poolwright.cli.workload_options import add_budget_options, add_workload_options, read_back
from poolwright.design.assign import Identity, design_of
from poolwright.design.candidate import Candidate, Recommendation
from poolwright.design.explanations import missing_words, spare_words, told_lines, with_ranking
from poolwright.design.recommend import recommend
from poolwright.design.request import Request
from poolwright.design.search import Search
from poolwright.design.support import beside_words, free_flash, role_advice, with_support
from poolwright.domain import units
from poolwright.domain.design import Design
from poolwright.domain.disk import Note, NoteLevel, UseNote
from poolwright.domain.errors import Refusal, UserError, excluded
from poolwright.domain.finding import Finding
from poolwright.domain.host import Inventory
from poolwright.domain.names import check_pool_name
from poolwright.domain.rates import size_read
from poolwright.domain.version import DEFAULT_VERSION
from poolwright.emit.report import ALL, MORE, NEXT, SAVED, WHY, Behind, Blocks, ReportHeading, bullets, code, endings
from poolwright.judging import finder_with_predictions, judge_maker, properties_for
from poolwright.rule_library import load_design_rules
from poolwright.rules.rulebook import RuleBook
from poolwright.texts import _, ngettext

if TYPE_CHECKING:
    from poolwright.design.changes import Change

DEFAULT_TOP = 10


def configure(parser: argparse.ArgumentParser) -> None:
    add_source_options(parser)
    options(parser, "--controller")
    add_workload_options(parser)
    add_budget_options(parser)
    options(parser, "--ashift --zfs --top --take --changes", top={"default": DEFAULT_TOP, "count": DEFAULT_TOP})
    group = parser.add_argument_group(_("the design that is printed in full and saved"))
    options(group, "--title:design --layout:design")
    add_pool_options(group)
    options(group, "--save-design")
    options(parser, REPORT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recommended:
    """What was found: the ranking (None where no layout keeps to the wishes, ``refused`` says why) and the design.

    ``candidate`` stands at ``place`` of the list; None where the layout is the person's own. ``flash`` is its design
    alone and with what flash drives carry beside it, None where they carry nothing. ``by_hand`` is what the rules say
    of settings that the person gives, ``changed`` what would lead to another first choice (None: nobody asked).
    """

    request: Request
    inventory: Inventory
    book: RuleBook
    design: Design
    recommendation: Recommendation | None = None
    refused: Refusal | None = None
    candidate: Candidate | None = None
    place: int = 1
    flash: tuple[Design, Design] | None = None
    by_hand: tuple[Finding, ...] = ()
    changed: "tuple[Change, ...] | None" = None


def run(args: argparse.Namespace) -> int:
    if args.take is not None and args.layout is not None:
        raise excluded("--take", "--layout")
    inventory = read_source(args)
    request = request_of(args, inventory)
    request = replace(request, budget=replace(request.budget, reserve=reserved_on_all(args.reserve)[0]))
    check_pool_name(args.pool, request.version)
    found = _recommend(args, request, inventory, load_design_rules())
    if args.datasets or args.volume_texts or args.root_properties:
        from poolwright.emit.validity import refused_reservations

        for text in (text for pool in found.design.pools() for text in refused_reservations(pool)):
            say(text)
    if args.save_design is not None:
        kept = found.design
        if found.recommendation is not None and found.candidate is not None:
            kept = with_ranking(kept, found.candidate, found.recommendation)
        save_design(args.save_design, kept, force=args.force)
    if args.changes and found.recommendation is not None:
        from poolwright.design.changes import changes

        judge = judge_maker(found.book, request.host)
        found = replace(found, changed=changes(request, found.recommendation, judge))

    def document() -> dict[str, object]:
        from poolwright.cli import recommend_json

        return recommend_json.document(found, args)

    print_answer(args, document, _blocks(found, args))
    return 1 if found.recommendation is not None and found.recommendation.best.missed else 0


def _recommend(args: argparse.Namespace, request: Request, inventory: Inventory, book: RuleBook) -> Recommended:
    identity = Identity(key=str(uuid.uuid4()), pool_name=args.pool)
    found = partial(Recommended, request=request, inventory=inventory, book=book)
    own = None
    if args.layout is not None:
        layout = layout_at_hand(args.layout, inventory)
        own = place_layout(layout, [request], identity, inventory=inventory, book=book, options=args)
    reached: list[Search] = []
    try:
        ranked = recommend(request, judge_maker(book, request.host), reached.append)
    except KeyboardInterrupt:
        for search in reached[-1:]:
            examined = ngettext("Stopped after {count} layout.", "Stopped after {count} layouts.", search.examined)
            say(f"{examined} {search.untried()}")
        raise
    except Refusal as refusal:
        if own is None:
            raise
        return found(design=own, refused=refusal)
    ranked = replace(ranked, notes=(*ranked.notes, *_notes_of_options(args, inventory, own)))
    if own is not None:
        ranked = replace(ranked, roles=role_advice(own, request))
        return found(design=own, recommendation=ranked)
    if args.take is not None and args.take > len(ranked.candidates):
        what = _("The list has no layout {take}", take=args.take)
        raise UserError(what, where="--take", todo=_("It has 1 to {most}.", most=len(ranked.candidates)))
    candidate = ranked.candidates[(args.take or 1) - 1]
    properties = properties_for(book, candidate, request, request.host)
    bare = design_of(candidate, request, identity, inventory=inventory, properties=properties)
    proposed = with_support(bare, request)
    design = with_options(proposed, args, book)
    # The list is ranked without rules on what is reserved.
    by_hand = findings_by_hand(replace(proposed, reserve=()), design, book)
    return found(
        design=design,
        recommendation=replace(ranked, roles=role_advice(design, request)),
        candidate=candidate,
        place=args.take or 1,
        flash=(bare, proposed) if beside_words(bare, proposed) else None,
        by_hand=by_hand,
    )


def _notes_of_options(args: argparse.Namespace, inventory: Inventory, own: Design | None) -> Iterator[Note]:
    """Yield what was not reckoned with as somebody might think."""
    if args.zfs is None and inventory.host.zfs_version and not inventory.host.modelled:
        text = _(
            "OpenZFS {version} of the host is not modelled: computed for {default}.",
            version=inventory.host.zfs_version,
            default=DEFAULT_VERSION,
        )
        yield Note(text=text, level=NoteLevel.WARN)
    on_some = reserved_on_all(args.reserve)[1] if own is None else []
    if on_some:
        yield Note(
            text=_("Not counted in the ranking, for it is on some disks only: {texts}. The design counts it.",
                      texts=", ".join(on_some))
        )  # fmt: skip


def _blocks(answer: Recommended, args: argparse.Namespace) -> Blocks:
    request, recommendation, book = answer.request, answer.recommendation, answer.book
    if answer.candidate is None:
        from poolwright.cli.show import own_blocks  # of a ranking nothing of it is needed

        yield from own_blocks(evaluate_possible(answer.design, book))
    else:
        findings = finder_with_predictions(book, request, request.host)(answer.candidate)
        first = recommendation if answer.place == 1 else None
        short = () if first is None else (missing_words(first), spare_words(first))
        noted = recommendation.notes if recommendation else ()
        left_out = (note.text for note in noted if note.level is NoteLevel.WARN and not isinstance(note, UseNote))
        lines = () if first is None else tuple(line for line in told_lines(first) if line not in short)
        beside = ""
        if answer.flash is not None:
            beside = _("On flash beside it: {words}.", words=beside_words(*answer.flash))
            findings = _with_flash(findings, *answer.flash, book)
        elif others := answer.candidate.unassigned - answer.candidate.idle_disks:
            beside = ngettext(
                "{count} drive of another medium not used", "{count} drives of another medium not used", others
            )
            file = args.save_design or f"{args.pool}.json"
            beside += f": {_('see poolwright flash')} {file}." if free_flash(answer.design) else "."
        findings = (*findings, *answer.by_hand)
        yield from ranking.answer_parts(answer.candidate, answer.place, request, answer.design)
        yield beside
        yield from ranking.finding_warnings(findings, *short, *left_out)
        yield Behind(WHY, ranking.details_blocks(answer.candidate, request, answer.design, lines))
    if answer.refused is not None:
        yield answer.refused.text
        yield Behind(WHY, bullets(*answer.refused.reasons))
    if args.format or args.output or not args.json:  # a document takes only the answer, warnings and what is next
        volumes = ranking.volume_lines(answer.design, book)
        if recommendation is not None:
            yield from ranking.rivals_blocks(recommendation, less=len(volumes))
        yield from (*ranking.commands_blocks(answer.design), *code(volumes))
    if recommendation is not None:
        yield Behind(ALL, ranking.list_blocks(recommendation, args.top))
        yield Behind(WHY, ranking.ranking_blocks(recommendation))
    if answer.changed is not None:
        yield from _changes_blocks(answer.changed)
    yield Behind(WHY, _understood_blocks(args, request, answer))
    yield from endings(SAVED, args.save_design)
    yield from endings(NEXT, shlex.join(["poolwright", *_next(args, answer.design)]))
    yield from endings(MORE, "" if args.layout else "--take 2", "" if args.changes else "--changes")


def _next(args: argparse.Namespace, design: Design) -> list[str]:
    """Return the words of the command that comes next: no script can name disks that are typed or redacted."""
    typed = [word for word in args.argv if word not in ("--json", WHY, ALL)]
    if not args.save_design:
        return [*typed, "--save-design", f"{args.pool}.json"]
    if unnamed := [disk for disk in design.used_disks() if not disk.nameable]:
        read = ["CAPTURE"] if unnamed[0].planned else ["CAPTURE", "LISTING"]
        return ["bind", args.save_design, "--from", *read, "-w", f"{args.pool}-bound.json"]
    return ["script", args.save_design, "-w", f"create-{args.pool}.sh"]


def _with_flash(findings: tuple[Finding, ...], bare: Design, proposed: Design, book: RuleBook) -> tuple[Finding, ...]:
    """Return the findings of a layout of the list without those that the flash beside it answers, and with its own."""
    answered = {finding.rule_id for finding in findings_by_hand(proposed, bare, book)}
    kept = [finding for finding in findings if finding.rule_id not in answered]
    return (*kept, *findings_by_hand(bare, proposed, book))


def _understood_blocks(args: argparse.Namespace, request: Request, answer: Recommended) -> Blocks:
    """Yield the machine, and what was understood of typed disks and amounts that is not what stands there."""
    inventory = answer.inventory
    yield _("{name}: goal {goal}", name=inventory.name, goal=_(request.workload.goal.value))
    if host := host_words(request.host):
        yield _("host: {host}", host=host)
    for note in () if answer.recommendation is None else answer.recommendation.notes:
        yield _("note: {text}", text=note.text)
    found = [_("disks: {text}", text=note.text) for note in inventory.notes] if args.disks else []
    found += [line for line, *_field in read_back(args, request)]
    found += [f"{text}: {size_read(size)}" for text, size in sizes_understood(args, request.version)]
    yield from (_("understood: {text}", text=line) for line in found)


def _changes_blocks(found: "tuple[Change, ...]") -> Blocks:
    yield ReportHeading(text=_("What would change the first choice:"))
    for change in found:
        leads = change.choice and f": {change.choice.words}, {units.binary(change.choice.measures.usable_bytes)}"
        yield from bullets(f"{change.said}{leads or ''}")
    if not found:
        yield from bullets(_("none of the changes that were tried: disks, space, failures, clients, price"))
