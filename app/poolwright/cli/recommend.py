"""`poolwright recommend`: every layout of the disks, ranked for a goal, with reasons; or one of your own."""

import argparse
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from poolwright.cli import ranking
from poolwright.cli.capacity import capacity_document
from poolwright.cli.design_options import (
    add_design_options,
    reserved_on_all,
    reserved_on_some,
    sizes_understood,
    with_options,
)
from poolwright.cli.design_source import add_source_options, capture_names, host_version, read_source
from poolwright.cli.options import options
from poolwright.cli.output import all_picked, check_outputs, picked, save_design, say
from poolwright.cli.output import answer as print_answer
from poolwright.cli.own_layout import evaluated, laid_out, layout_at_hand, request_of
from poolwright.cli.ranking import finding_document, findings_blocks, speeds
from poolwright.cli.risk import loss_blocks, predictions_document, risk_document
from poolwright.cli.wishes import add_budget_options, add_workload_options
from poolwright.design.assign import Identity, design_of
from poolwright.design.candidate import Candidate, Recommendation
from poolwright.design.changes import Change, changes
from poolwright.design.evaluate import Evaluation
from poolwright.design.floors import allowed_titles
from poolwright.design.goals import advice_on, advise_design, with_support
from poolwright.design.rank import survives
from poolwright.design.recommend import recommend_in_steps
from poolwright.design.request import JudgeMaker, Request
from poolwright.design.roles.advice import chosen_roles
from poolwright.design.roles.model import Role
from poolwright.design.roles.words import beside_words
from poolwright.design.search import Progress
from poolwright.design.told import told_lines, with_ranking
from poolwright.design.wishes import budget_objections
from poolwright.domain import rates as read_back
from poolwright.domain import units
from poolwright.domain.design import Design
from poolwright.domain.disk import Note, NoteLevel
from poolwright.domain.encryption import kept_words
from poolwright.domain.errors import Refusal, UserError
from poolwright.domain.finding import Finding, Outcome
from poolwright.domain.host import Inventory
from poolwright.domain.names import check_pool_name
from poolwright.domain.steps import at_each, at_once
from poolwright.domain.vdev import describe
from poolwright.domain.version import DEFAULT_VERSION
from poolwright.emit.report import Blocks
from poolwright.emit.validity import refused_reservations
from poolwright.judging import advice_for, findings_with_predictions, judge_maker, properties_for
from poolwright.predict.reliability import Risk, joined
from poolwright.predict.throughput import volumes_wait
from poolwright.rule_library import load_shipped
from poolwright.rules.model import RuleBook
from poolwright.texts import tell, tell_counted

if TYPE_CHECKING:
    from poolwright.predict.synclog_advice import Advice
    from poolwright.predict.synclog_model import Setup

# A layout of one's own as a JSON object and as lines: its numbers, and which wishes it misses.


def _judged(design: Design, book: RuleBook) -> Evaluation:
    found = evaluated(design, rules=book)
    if found.main.capacity is None or found.usable_bytes is None:
        raise Refusal(tell("This layout cannot be made"), todo=tell("Change --layout."), reasons=(found.main.problem,))
    return found


def _missed(found: Evaluation) -> tuple[str, ...]:
    usable, survived = found.usable_bytes or 0, found.survived or 0
    return budget_objections(found.design.budget, found.spares, usable, survived)


def own_document(design: Design, book: RuleBook) -> dict[str, object]:
    found = _judged(design, book)
    assert found.main.capacity is not None
    expected = found.main.expected
    return picked(
        found,
        "layout@ description@ capacity@ failures_survived=survived spares predictions@ risk@ "
        "yearly_loss_any_pool:g@lost yearly_loss_any_pool_with_other_causes:g@lost_by_any findings@ wishes_missed@ "
        "disks@",
        layout=design.layout(),
        description=describe(design.layout()),
        capacity={**capacity_document(found.main.capacity), "usable_bytes_all_pools": found.usable_bytes},
        predictions=expected and predictions_document(expected),
        risk=expected and risk_document(expected.risk),
        lost=(risk := _risk(found)) and risk.disk_probability,
        lost_by_any=risk and risk.probability,
        findings=list(map(finding_document, told_findings(found.findings))),
        wishes_missed=_missed(found),
        disks=[{"vdev": n, "disk": member.disk_key} for n, vdev in enumerate(design.vdevs) for member in vdev.members],
    )


def _risk(found: Evaluation) -> Risk | None:
    """Return the risk of losing any of the pools; None where nothing can be predicted of one."""
    risks = [pool.expected.risk for pool in found.pools if pool.expected is not None]
    return joined(risks, pools=len(risks)) if len(risks) == len(found.pools) else None


def own_blocks(design: Design, book: RuleBook) -> Blocks:
    found = _judged(design, book)
    yield tell("Your layout: {layout}, ashift {ashift}", layout=describe(design.layout()), ashift=design.ashift)
    usable = found.usable_bytes or 0
    told = tell("usable {binary} ({decimal})", binary=units.binary(usable), decimal=units.decimal(usable))
    yield f"  {told}" if found.survived is None else f"  {told}, {survives(found.survived)}"
    expected = found.main.expected
    if expected is not None:
        yield from (f"  {text}" for text in speeds(expected.speed, expected.itself))
    yield from loss_blocks(_risk(found))
    yield from ("  " + tell("wish missed: {text}", text=text) for text in _missed(found))
    yield from findings_blocks(told_findings(found.findings))


# What the rules say of settings, datasets and volumes that a person gives beside a layout of the list.


def told_findings(findings: tuple[Finding, ...] | None) -> tuple[Finding, ...]:
    """Return what speaks against a design, then what cannot be told."""
    order = (Outcome.VIOLATED, Outcome.CANNOT_TELL)
    return tuple(finding for outcome in order for finding in findings or () if finding.outcome is outcome)


def findings_by_hand(proposed: Design, changed: Design, book: RuleBook) -> tuple[Finding, ...]:
    """Return the findings of ``changed`` that ``proposed``, the same layout without the person's options, has not.

    The list is ranked with the properties that the rules propose; what is set by hand is judged here, so that
    compression=off or copies=2 meets the same words beside a layout of the list as beside one of the person's own.
    """
    if changed == proposed:
        return ()
    known = {_key(finding) for finding in told_findings(evaluated(proposed, rules=book).findings)}
    found = told_findings(evaluated(changed, rules=book).findings)
    return tuple(finding for finding in found if _key(finding) not in known)


def _key(finding: Finding) -> tuple[str, str, Outcome]:
    return finding.rule_id, finding.subject, finding.outcome


# The flash drives that a design has beside a layout of the list: which they are, and what the rules say with them.


@dataclass(frozen=True, slots=True, kw_only=True)
class FlashBeside:
    """What the flash drives carry, in ``words``; ``answered`` are rules that hold with them, ``findings`` come anew."""

    words: str
    roles: frozenset[Role]
    answered: frozenset[str]
    findings: tuple[Finding, ...]

    def judged(self, findings: Sequence[Finding]) -> tuple[Finding, ...]:
        """Return what the rules say of the layout with these drives, from what they say of it without."""
        return (*(finding for finding in findings if finding.rule_id not in self.answered), *self.findings)


def flash_beside(bare: Design, proposed: Design, book: RuleBook) -> FlashBeside | None:
    """Return what ``proposed`` has beside ``bare``, the layout alone; None where no flash drive carries anything."""
    words = beside_words(bare, proposed)
    if not words:
        return None
    return FlashBeside(
        words=words,
        roles=chosen_roles(proposed),
        answered=frozenset(finding.rule_id for finding in findings_by_hand(proposed, bare, book)),
        findings=findings_by_hand(bare, proposed, book),
    )


DEFAULT_TOP = 10


def configure(parser: argparse.ArgumentParser) -> None:
    add_source_options(parser)
    options(parser, "--controller")
    add_workload_options(parser)
    add_budget_options(parser)
    options(
        parser, "--ashift --zfs --top --take:recommend --changes", top={"default": DEFAULT_TOP, "count": DEFAULT_TOP}
    )
    add_design_options(parser)
    options(parser, "--force --json")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recommended:
    """What was found: the ranking (None where no layout keeps to the wishes, ``refused`` says why) and the design.

    ``candidate`` stands at ``place`` of the list; None where the layout is the person's own. ``by_hand`` is what the
    rules say of settings that the person gives beside it, ``flash`` what the design has of it beside the layout.
    """

    request: Request
    recommendation: Recommendation | None
    refused: Refusal | None
    candidate: Candidate | None
    place: int
    design: Design
    by_hand: tuple[Finding, ...] = ()
    flash: FlashBeside | None = None


def run(args: argparse.Namespace) -> int:
    check_outputs(args, "--save-design", inputs=capture_names(args))
    if args.take is not None and args.layout is not None:
        raise UserError(tell("--take and --layout name two layouts"), todo=tell("Give one of the two."))
    inventory = read_source(args)
    request = request_of(args, inventory)
    request = replace(request, budget=replace(request.budget, reserve=reserved_on_all(args.reserve)))
    check_pool_name(args.pool, request.version)
    book = load_shipped()
    answer = _answer(args, request, inventory, book)
    for pool in answer.design.pools():
        for text in refused_reservations(pool):
            say(text)
    if args.save_design is not None:
        save_design(args.save_design, answer.design, force=args.force)
    changed = None
    if args.changes and answer.recommendation is not None:
        changed = changes(request, answer.recommendation, judge_maker(book, request.host))

    def told() -> dict[str, object]:
        extra = {} if changed is None else {"changes": changes_document(changed)}
        understood = understood_document(args, request, inventory)
        return {**document(answer, book, args.top), "understood": understood, **extra}

    def blocks() -> Blocks:
        yield from (tell("understood: {line}", line=line) for line in understood_lines(args, request, inventory))
        yield from _blocks(answer, inventory, book, args.top)
        yield from () if changed is None else changes_blocks(changed)

    print_answer(args, told, blocks())
    return 0


def _answer(args: argparse.Namespace, request: Request, inventory: Inventory, book: RuleBook) -> Recommended:
    name = tell("{machine}, {goal}", machine=inventory.name, goal=tell(request.workload.goal.value))
    identity = Identity(key=str(uuid.uuid4()), name=name, pool_name=args.pool)
    own = None
    if args.layout is not None:
        layout = layout_at_hand(args.layout, inventory)
        own = laid_out(layout, [request], identity, inventory=inventory, book=book, options=args)
    refused: Refusal | None = None
    recommendation: Recommendation | None = None
    try:
        recommendation = _ranked(request, judge_maker(book, request.host))
    except Refusal as refusal:
        if own is None:
            raise
        refused = refusal
    if recommendation is not None:
        notes = _notes_of_options(args, inventory, own)
        recommendation = replace(recommendation, notes=(*recommendation.notes, *notes))
    candidate = None if recommendation is None or own is not None else _taken(recommendation, args.take)
    design = own
    by_hand: tuple[Finding, ...] = ()
    flash: FlashBeside | None = None
    if design is None:
        assert candidate is not None
        properties = properties_for(book, candidate, request, request.host)
        made = design_of(candidate, request, identity, inventory=inventory, properties=properties)
        proposed = with_support(made, request)
        flash = flash_beside(made, proposed, book)
        design = with_options(proposed, args, book)
        assert recommendation is not None
        design = with_ranking(design, candidate, recommendation)
        bare = replace(proposed, reserve=())  # the list is ranked without rules on what is reserved
        if design != replace(bare, ranking=design.ranking):
            by_hand = findings_by_hand(bare, design, book)
    if recommendation is not None:
        recommendation = replace(recommendation, roles=advice_on(design, request))
    return Recommended(
        request=request,
        recommendation=recommendation,
        refused=refused,
        candidate=candidate,
        place=args.take or 1,
        design=design,
        by_hand=by_hand,
        flash=flash,
    )


def _notes_of_options(args: argparse.Namespace, inventory: Inventory, own: Design | None) -> Iterator[Note]:
    """Yield what was not reckoned with as somebody might think."""
    if args.zfs is None and inventory.host.zfs_version and not host_version(inventory):
        text = tell(
            "OpenZFS {version} of the host is not modelled: computed for {default}.",
            version=inventory.host.zfs_version,
            default=DEFAULT_VERSION,
        )
        yield Note(text=text, level=NoteLevel.WARN)
    on_some = reserved_on_some(args.reserve)
    if own is None and on_some:
        yield Note(
            text=tell("Not counted in the ranking, for it is on some disks only: {texts}. The design counts it.",
                      texts=", ".join(on_some))
        )  # fmt: skip


def _ranked(request: Request, make_judge: JudgeMaker) -> Recommendation:
    """Return the ranking; whoever interrupts it is told what was not tried."""
    reached: list[Progress] = []

    def keep(progress: Progress) -> None:
        reached[:] = [progress]

    try:
        return at_once(at_each(recommend_in_steps(request, make_judge), keep))
    except KeyboardInterrupt:
        for progress in reached:
            examined = tell_counted(
                "Stopped after {count} layout.", "Stopped after {count} layouts.", progress.examined
            )
            say(f"{examined} {progress.untried()}")
        raise


def _taken(recommendation: Recommendation, take: int | None) -> Candidate:
    if take is not None and take > len(recommendation.candidates):
        most = len(recommendation.candidates)
        raise UserError(
            tell("The list has no layout {take}", take=take),
            where="--take",
            todo=tell("It has 1 to {most}.", most=most),
        )
    return recommendation.candidates[(take or 1) - 1]


def document(answer: Recommended, book: RuleBook, top: int) -> dict[str, object]:
    request, design, refused = answer.request, answer.design, answer.refused
    if answer.recommendation is not None:
        found = ranking.ranking_document(answer.recommendation, request, book, top)
    else:
        found = picked(
            request, "goal=workload.goal ashift@ zfs=version disks@ candidates@ notes@",
            ashift=design.ashift, disks=len(request.disks), candidates=[],
            notes=[] if refused is None else [refused.text, *refused.reasons],
        )  # fmt: skip
    if answer.candidate is None:
        found["own"] = own_document(design, book)
    return found | picked(
        answer,
        "taken@ pool=design.pool_name flash_beside=flash.words reserve@ ram_bytes=request.host.ram_bytes properties@ "
        "findings_by_hand@ keys_to_keep@ host_advice@ synchronous_writes@",
        taken=None if answer.candidate is None else answer.place,
        reserve=list(map(str, design.reserve)),
        properties=ranking.properties_document(design, book),
        findings_by_hand=list(map(finding_document, answer.by_hand)),
        keys_to_keep=kept_words(design),
        host_advice=ranking.host_advice_document(advice_for(book, design)),
        synchronous_writes=ranking.synclog_document(_asked_of_log(design)),
    )


def _asked_of_log(design: Design) -> "tuple[Setup, tuple[Advice, ...]] | None":
    """Return what the model of synchronous writes says of a design; None where that asks nothing, as most do."""
    if not volumes_wait(design):
        return None

    return advise_design(design)


def _blocks(answer: Recommended, inventory: Inventory, book: RuleBook, top: int) -> Blocks:
    request, recommendation = answer.request, answer.recommendation
    told = tell("{name}: goal {goal}", name=inventory.name, goal=tell(request.workload.goal.value))
    if recommendation is not None:
        told = tell_counted(
            "{told}, {count} layout examined", "{told}, {count} layouts examined", recommendation.examined, told=told
        )
    yield told
    host = ranking.host_line(request.host)
    if host:
        yield tell("host: {host}", host=host)
    notes = () if recommendation is None else recommendation.notes
    yield from (tell("note: {text}", text=note.text) for note in notes)
    yield ""
    if answer.candidate is not None:
        findings = findings_with_predictions(book, answer.candidate, request, request.host)
        lines = told_lines(recommendation) if recommendation is not None and answer.place == 1 else ()
        if answer.flash is not None:
            findings = answer.flash.judged(findings)
            beside = tell("beside it on flash, in the design that is saved: {words}", words=answer.flash.words)
            lines = (beside, *lines)
        findings = (*findings, *answer.by_hand)
        yield from ranking.choice_blocks(answer.candidate, answer.place, request, answer.design, findings, lines)
    else:
        yield from own_blocks(answer.design, book)
        yield from ranking.properties_blocks(answer.design)
    if answer.refused is not None:
        yield ""
        yield f"{answer.refused.text}"
        yield from (f"  - {reason}" for reason in answer.refused.reasons)
    if recommendation is not None:
        carried = frozenset[Role]() if answer.flash is None else answer.flash.roles
        yield from ranking.ranking_blocks(recommendation, top, carried=carried)
    yield from ranking.synclog_blocks(_asked_of_log(answer.design))
    yield from ranking.host_advice_blocks(advice_for(book, answer.design))


# What would change the first choice, as lines and as a JSON object.


def changes_document(found: tuple[Change, ...]) -> list[dict[str, object]]:
    return all_picked(
        found,
        "input said description=choice.words usable_bytes=choice.usable_bytes "
        "failures_survived=choice.failures_survived",
    )


def changes_blocks(found: tuple[Change, ...]) -> Blocks:
    yield ""
    yield tell("What would change the first choice:")
    for change in found:
        leads = change.choice and f": {change.choice.words}, {units.binary(change.choice.usable_bytes)}"
        yield f"  {change.said}{leads or ''}"
    if not found:
        yield "  " + tell("none of the changes that were tried: disks, space, failures, clients, price")


# What was understood of typed sizes, rates and disks, where that is not what stands there letter by letter.

# Option, where its value is kept, its field, and how it is said.
_BUDGET: tuple[tuple[str, str, Callable[[Any], str]], ...] = (
    ("capacity", "least_usable_bytes", read_back.size_read),
    ("ram", "ram_bytes", read_back.size_read),
    ("read", "least_read_bytes_per_second", read_back.rate_read),
    ("write", "least_write_bytes_per_second", read_back.rate_read),
    ("risk", "most_yearly_loss", read_back.chance_read),
    ("rebuild_hours", "most_rebuild_hours", read_back.hours_read),
    ("allow", "allow", allowed_titles),
)
_WORKLOAD: tuple[tuple[str, str, Callable[[Any], str]], ...] = (
    ("io_size", "io_size_bytes", read_back.size_read),
    ("file_size", "typical_file_bytes", read_back.size_read),
    ("working_set", "working_set_bytes", read_back.size_read),
    ("network", "network_bytes_per_second", read_back.link_read),
    ("growth", "growth_percent", read_back.growth_read),
)


def understood_lines(args: argparse.Namespace, request: Request, inventory: Inventory) -> tuple[str, ...]:
    typed = inventory.notes if args.disks else ()
    found = [tell("disks: {text}", text=note.text) for note in typed]
    for name, _, value, read in _read(args, request):
        found.append(f"--{name.replace('_', '-')} {getattr(args, name)}: {read(value)}")
    found.extend(f"{text}: {read_back.size_read(size)}" for text, size in sizes_understood(args, request.version))
    return tuple(found)


def understood_document(args: argparse.Namespace, request: Request, inventory: Inventory) -> dict[str, object]:
    found: dict[str, object] = {field: value for _, field, value, _ in _read(args, request)}
    return {**found, "disks": [note.text for note in inventory.notes]} if args.disks else found


def _read(args: argparse.Namespace, request: Request) -> list[tuple[str, str, Any, Callable[[Any], str]]]:
    kept = ((request.budget, _BUDGET), (request.workload, _WORKLOAD))
    return [
        (name, field, getattr(values, field), read)
        for values, options in kept
        for name, field, read in options
        if getattr(args, name) is not None
    ]
