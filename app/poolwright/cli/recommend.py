"""`poolwright recommend`: every layout of the disks, ranked for a goal, with reasons; or one of your own."""

import argparse
import shlex
import uuid
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from poolwright.cli import as_json, own_layout, ranking
from poolwright.cli.as_json import json_list, json_of
from poolwright.cli.design_options import add_pool_options, reserved_on_all, sizes_understood, with_options
from poolwright.cli.design_source import add_source_options, host_words, read_source
from poolwright.cli.options import REPORT, options
from poolwright.cli.output import answer as print_answer
from poolwright.cli.output import save_design, say
from poolwright.cli.own_layout import evaluate_possible, findings_by_hand, layout_at_hand, place_layout, request_of
from poolwright.cli.workload_options import add_budget_options, add_workload_options, read_back
from poolwright.design.assign import Identity, design_of
from poolwright.design.candidate import Candidate, DataPool, Recommendation, plan_words
from poolwright.design.explanations import lines_of_first, missing_words, spare_words, with_ranking
from poolwright.design.plan import CandidatePool
from poolwright.design.recommend import recommend
from poolwright.design.request import Request
from poolwright.design.search import Search
from poolwright.design.support import beside_words, free_flash, role_advice, with_support
from poolwright.domain import units
from poolwright.domain.design import Dataset, Design, Setting
from poolwright.domain.disk import Note, NoteLevel, UseNote
from poolwright.domain.encryption import kept_words
from poolwright.domain.errors import Refusal, UserError, excluded
from poolwright.domain.finding import Finding
from poolwright.domain.host import Inventory
from poolwright.domain.inheritance import Resolver
from poolwright.domain.names import check_pool_name
from poolwright.domain.rates import size_read
from poolwright.domain.vdev import describe
from poolwright.domain.version import DEFAULT_VERSION
from poolwright.emit.report import ALL, MORE, NEXT, SAVED, WHY, Behind, Blocks, ReportHeading, bullets, code, endings
from poolwright.judging import advice_for, finder_with_predictions, judge_maker, properties_for
from poolwright.predict.assessment import Assessment
from poolwright.predict.cost import DEFAULTS_OF, Cost, price_of_reads
from poolwright.rule_library import load_design_rules
from poolwright.rules.rulebook import RuleBook
from poolwright.texts import _, ngettext

if TYPE_CHECKING:
    from poolwright.design.changes import Change
    from poolwright.design.evaluate import Evaluation
    from poolwright.predict.synclog_advice import Advice
    from poolwright.predict.synclog_model import Setup

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

        for pool in found.design.pools():
            for text in refused_reservations(pool):
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

    print_answer(args, lambda: _document(found, args), _blocks(found, args))
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
        lines = () if first is None else tuple(line for line in lines_of_first(first) if line not in short)
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


# The JSON document: the ranking, the design in full, what was understood.


def _document(answer: Recommended, args: argparse.Namespace) -> dict[str, object]:
    request, design, refused, book = answer.request, answer.design, answer.refused, answer.book
    if answer.recommendation is not None:
        found = _ranking(answer.recommendation, request, book, args.top)
    else:
        found = json_of(
            request, "goal=workload.goal ashift@ zfs=version disks@ candidates@ notes@",
            ashift=design.ashift, disks=len(request.disks), candidates=[],
            notes=[] if refused is None else [refused.text, *refused.reasons],
        )  # fmt: skip
    if answer.candidate is None:
        found["own"] = own_document(evaluate_possible(design, book))
    found |= json_of(
        answer,
        "taken@ pool=design.pool_name flash_beside@ reserve@ ram_bytes=request.host.ram_bytes properties@ "
        "findings_by_hand@ keys_to_keep@ host_advice@ synchronous_writes@ understood@",
        taken=None if answer.candidate is None else answer.place,
        flash_beside=answer.flash and beside_words(*answer.flash),
        reserve=list(map(str, design.reserve)),
        properties=_properties(design, book),
        findings_by_hand=list(map(_finding, answer.by_hand)),
        keys_to_keep=kept_words(design),
        host_advice=as_json.host_advice_document(advice_for(book, design)),
        synchronous_writes=_synclog(ranking.asked_of_log(design)),
        understood=_understood(args, request, answer.inventory),
    )
    if answer.changed is not None:
        found["changes"] = json_list(
            answer.changed,
            "input said description=choice.words usable_bytes=choice.measures.usable_bytes "
            "failures_survived=choice.measures.failures_survived",
        )
    return found


def _understood(args: argparse.Namespace, request: Request, inventory: Inventory) -> dict[str, object]:
    found: dict[str, object] = {field: value for _line, field, value in read_back(args, request)}
    return {**found, "disks": [note.text for note in inventory.notes]} if args.disks else found


_NAMED = "layout=main.layout description=words score:3 usable_bytes=measures.usable_bytes"  # for machines
_MISSED = "missed[text share:6]"  # for machines


def _ranking(recommendation: Recommendation, request: Request, book: RuleBook, top: int) -> dict[str, object]:
    find = finder_with_predictions(book, request, request.host)
    return json_of(
        recommendation,
        "goal ashift zfs@ disks@ examined searched left_out "
        # What the flash drives without a place are worth beside the first choice.
        "roles@roles[role verdict because risks missing] feasible told@ "
        f"as_good[{_NAMED}] decided_by? near[{_NAMED} {_MISSED}] reach[more_disks=disks description=words size_bytes] "
        "answers[name layout=candidate.main.layout description=candidate.words score:3=candidate.score "
        "usable_bytes=candidate.measures.usable_bytes place@ price?=trade_off] candidates@ "
        "rejected[family reason layout score:3 rule=rule_id feasible] notes=notes.text "
        # In no OpenZFS release: no candidates.
        "anyraid_preview=anyraid[vdev=word failures_survived=survives tile_bytes usable_bytes "
        "released_whole_disks_bytes=whole_bytes released_partitions_bytes=cut_bytes]",
        zfs=request.version,
        disks=len(request.disks),
        roles=() if recommendation.roles is None else recommendation.roles.judgements,
        told=lines_of_first(recommendation),
        place=lambda answer: recommendation.rank_of(answer.candidate),
        candidates=[_candidate(c, request, find(c)) for c in recommendation.candidates[:top]],
    )


def _candidate(candidate: Candidate, request: Request, findings: tuple[Finding, ...]) -> dict[str, object]:
    return json_of(
        candidate,
        "layout=main.layout description=words way family disk_size_bytes@ pools@ below "
        f"{_MISSED} score:3 score_terms=terms[name title points:3 weight value:6 why] capacity@ "
        "failures_survived=measures.failures_survived survival@ spares=spare_count unassigned "
        "unused_of_the_medium=idle_disks stranded_bytes idle_bytes cost@ predictions@ "
        "risk@ yearly_loss_any_pool:g=measures.any_disk_loss "
        "yearly_loss_any_pool_with_other_causes:g=measures.any_loss findings@",
        disk_size_bytes=candidate.main.layout[0].sizes[0],
        pools=[_data_pool(part, pool) for part, pool in zip(candidate.of_data, candidate.pools, strict=False)]
        or [_pool(pool, candidate.main.copies if pool is candidate.main else 1) for pool in candidate.pools],
        capacity=as_json.capacity_document(candidate.main.capacity)
        | {"usable_bytes_all_pools": candidate.measures.usable_bytes},
        survival=[round(share, 6) for share in candidate.survival],
        cost=_cost(ranking.cost_of_candidate(candidate, request), candidate.measures.pool_count, candidate.predictions),
        predictions=as_json.predictions_document(candidate.predictions),
        risk=as_json.risk_document(candidate.predictions.risk),
        findings=list(map(_finding, findings)),
    )


def _pool(pool: CandidatePool, count: int) -> dict[str, object]:
    return json_of(
        pool, "layout description@ purpose=plan.purpose count@ usable_bytes failures_survived=plan.failures_survived",
        description=plan_words(pool.plan, pool.medium), count=count,
    )  # fmt: skip


def _data_pool(part: DataPool, pool: CandidatePool) -> dict[str, object]:
    document = json_of(
        part,
        "data=workload.uses goal=workload.goal spares=candidate.spare_count predictions@ "
        "yearly_loss:g=candidate.measures.any_disk_loss yearly_loss_with_other_causes:g=candidate.measures.any_loss",
        predictions=as_json.predictions_document(part.candidate.predictions),
    )
    return {**_pool(pool, 1), **document}


def _finding(finding: Finding) -> dict[str, object]:
    return json_of(
        finding, "rule=rule_id title severity outcome subject text why advice facts[name value origin] missing sources"
    )


def own_document(found: "Evaluation") -> dict[str, object]:
    design = found.design
    assert found.main.capacity is not None
    expected = found.main.expected
    return json_of(
        found,
        "layout@ description@ capacity@ failures_survived=survived spares predictions@ risk@ cost@ "
        "yearly_loss_any_pool:g@lost yearly_loss_any_pool_with_other_causes:g@lost_by_any findings@ wishes_missed@ "
        "disks@",
        layout=design.layout(),
        description=describe(design.layout()),
        capacity={**as_json.capacity_document(found.main.capacity), "usable_bytes_all_pools": found.usable_bytes},
        predictions=expected and as_json.predictions_document(expected),
        risk=expected and as_json.risk_document(expected.risk),
        cost=found.cost and expected and _cost(found.cost, len(found.pools), expected),
        lost=(risk := found.risk) and risk.disk_probability,
        lost_by_any=risk and risk.probability,
        findings=list(map(_finding, own_layout.findings_to_show(found.findings))),
        wishes_missed=own_layout.missed_wishes(found),
        disks=[{"vdev": n, "disk": member.disk_key} for n, vdev in enumerate(design.vdevs) for member in vdev.members],
    )


def _properties(design: Design, book: RuleBook) -> dict[str, object]:
    """Return the settings of all datasets; of a ``default`` no command says it, for OpenZFS does so by itself."""
    root = next((dataset for dataset in design.datasets if not dataset.name), Dataset(name=""))
    resolver = Resolver(design)

    def of(settings: Iterable[Setting], written: Collection[Setting]) -> list[dict[str, object]]:
        return json_list(
            settings,
            "name value default@ reason rule=rule_id sources@",
            default=lambda setting: setting not in written,
            sources=lambda setting: rule.sources if (rule := book.rule(setting.rule_id or "")) else (),
        )

    return json_of(
        design,
        "ashift pool@ root@ datasets@datasets[name volume_bytes settings@] further_pools@",
        pool=of(design.pool_settings, design.pool_settings),
        root=of(root.settings, resolver.written(root)),
        datasets=[dataset for dataset in design.datasets if dataset.name],
        settings=lambda dataset: of(dataset.settings, resolver.written(dataset)),
        further_pools=[{"pool_name": pool.pool_name, **_properties(pool, book)} for pool in design.pools()[1:]],
    )


def _synclog(found: "tuple[Setup, tuple[Advice, ...]] | None") -> dict[str, object] | None:
    if found is None:
        return None
    setup, advice = found
    return json_of(
        setup,
        "volumes disks requests_per_sync block_size_bytes=block_bytes log_device@ disk_origin=disk.origin "
        "advice@advice[subject title text done sources]",
        log_device=setup.log is not None,
        advice=advice,
    )


def _cost(cost: Cost, pools: int, expected: Assessment) -> dict[str, object]:
    """Return a cost: what is paid is exact, what is predicted over the years has a band."""
    return json_of(
        cost,
        "purchase per_usable_tb per_1000_random_reads@ random_read_bytes@ currency=purchase.currency "
        "prices=groups[count model size_bytes price priced_on=price_origin.when from=price_origin.source at_hand] "
        "problem? price_origin=purchase_origin years defaults_of@ energy_kwh power power_currency "
        "replacement_disks=replacements replacements=replacement total",
        random_read_bytes=expected.load.asked_bytes,
        per_1000_random_reads=price_of_reads(cost, expected.speed.rand_read_iops) if pools == 1 else None,
        defaults_of=DEFAULTS_OF,
    )
