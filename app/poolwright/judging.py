"""The rules at work on layouts and designs: what ties the advice to the rule book. Window and command line share it."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from poolwright.capacity.pool import room_of
from poolwright.design.assign import Identity, design_of
from poolwright.design.candidate import Candidate
from poolwright.design.evaluator import OTHER_POOL, of_pool, places_of
from poolwright.design.request import JudgeMaker, LayoutJudge, Medium, Request
from poolwright.design.support import role_advice
from poolwright.domain.design import Dataset, Design, HostAdvice
from poolwright.domain.disk import FLASH_MEDIA, Disk
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.finding import Finding, Outcome
from poolwright.domain.host import Host
from poolwright.rules.judge import Judge
from poolwright.rules.layout_facts import LayoutNumbers, Premises
from poolwright.rules.profile import DiskProfile
from poolwright.rules.propose import Proposals, advise_host, propose_properties
from poolwright.rules.rulebook import RuleBook
from poolwright.texts import _, first_of

if TYPE_CHECKING:
    from poolwright.design.evaluate import Evaluation
    from poolwright.design.roles.verdicts import RoleAdvice
    from poolwright.domain.action import Creation


def _premises(of: Request | Design, disks: Sequence[Disk], host: Host | None) -> Premises:
    profile = DiskProfile.from_disks(disks)
    return Premises(
        profile=profile, version=of.version, workload=of.workload, budget=of.budget, host=host or Host()
    )  # fmt: skip


def judge_maker(book: RuleBook, host: Host | None = None) -> JudgeMaker:
    """Return what makes, for each group of equal disks, a judge by the rules of ``book``."""

    def make(request: Request, disks: Sequence[Disk], ashift: int) -> LayoutJudge:
        return Judge(book, _premises(request, disks, host), ashift=ashift).layout

    return make


def finder_with_predictions(
    book: RuleBook, request: Request, host: Host | None = None, *, together: int | None = None
) -> Callable[[Candidate], tuple[Finding, ...]]:
    """Return what finds, after the models were asked, what is said of a candidate: on rebuild, risk and speed too.

    The ranking itself does without them, for its terms count risk, rebuild and speed already; they cost some ms each.
    ``together`` are the usable bytes of all pools, where a candidate is one of several.
    """
    judges: dict[tuple[Medium, frozenset[int]], Judge] = {}

    def of_pools(candidate: Candidate) -> tuple[Finding, ...]:
        # What is wished of the space is said once, of all pools.
        budgets = request.budget, replace(request.budget, least_usable_bytes=None)
        usable, found = candidate.measures.usable_bytes, []
        for part, budget in zip(candidate.of_data, budgets, strict=True):
            own = replace(request, workload=part.workload, budget=budget)
            found.append(finder_with_predictions(book, own, host, together=usable)(part.candidate))
        share = candidate.of_data[1].candidate.measures.usable_bytes / usable
        return (*found[0], *(of_pool(finding, 2, share) for finding in found[1]))

    def find(candidate: Candidate) -> tuple[Finding, ...]:
        if candidate.of_data:
            return of_pools(candidate)
        main, predictions = candidate.main, candidate.predictions
        of = main.medium, main.plan.kinds
        if of not in judges:
            judges[of] = Judge(book, _premises(request, main.disks, host), ashift=main.medium.ashift)
        numbers = LayoutNumbers(
            usable_bytes=main.capacity.available_bytes,
            together_bytes=together or candidate.measures.usable_bytes,
            unassigned_disks=candidate.idle_disks,
            predicted=predictions.facts_for_rules(),
        )
        of_main = judges[of].layout(main.layout, numbers, places_of(main), predictions.rebuild_hours)
        of_others = [finding for finding in candidate.findings if finding.subject.startswith(OTHER_POOL)]
        return (*of_main, *of_others)

    return find


def properties_for(
    book: RuleBook, candidate: Candidate, request: Request, host: Host | None = None
) -> tuple[Proposals, ...]:
    """Return, for each pool of ``candidate``, the settings the rules propose for it, its root dataset and those below.

    There are datasets below the root of the main pool where the workload follows a preset; of each pool where its data
    are its own.
    """
    if candidate.of_data:
        return tuple(
            properties
            for part in candidate.of_data
            for properties in properties_for(book, part.candidate, replace(request, workload=part.workload), host)
        )
    found = []
    for pool in candidate.pools:
        proposals = propose_properties(
            book,
            _premises(request, pool.disks, host),
            layout=pool.layout,
            numbers=LayoutNumbers(usable_bytes=pool.capacity.available_bytes, unassigned_disks=candidate.idle_disks),
        )
        found.append(proposals if pool is candidate.main else replace(proposals, datasets=()))
    return tuple(found)


def flash_roles(book: RuleBook, candidate: Candidate, request: Request) -> "RoleAdvice | None":
    """Return what ticked flash drives without a place are worth beside ``candidate``, given what is proposed for it.

    The properties decide: a dedup table of 1M records has an eighth of the entries of one of 128K. None where there are
    no such drives.
    """
    if not any(disk.media in FLASH_MEDIA for disk in request.disks):
        return None  # without looking for the place of every other disk
    properties = properties_for(book, candidate, request, request.host)
    design = design_of(candidate, request, Identity(key=""), properties=properties)
    return role_advice(replace(design, host=request.host), request)


def with_proposals(design: Design, book: RuleBook | None) -> Design:
    """Return the design with what is proposed for it; as it is without rules, or where OpenZFS would refuse it."""
    if book is None:
        return design
    if (usable := room_of(design)) is None:
        return design
    used = design.used_keys()
    premises = _premises(design, [disk for disk in design.disks if disk.key in used], design.machine)
    proposals = propose_properties(
        book, premises, layout=design.layout(), numbers=LayoutNumbers(usable_bytes=usable, unassigned_disks=0)
    )
    datasets = (Dataset(name="", settings=proposals.root), *proposals.datasets)
    return replace(design, pool_settings=proposals.pool, datasets=datasets)


def changed_rules(before: Mapping[str, int], book: RuleBook, found: "Evaluation") -> str:
    """Return in words which rules changed since they had the sums ``before``, of those that judge or set up a design.

    Of those that came since only what they find counts.
    """
    now, settings = book.sums(), (*found.design.pool_settings, *(s for d in found.design.datasets for s in d.settings))
    ids = {one.rule_id for one in found.findings or () if one.outcome is not Outcome.HOLDS or one.rule_id in before}
    names = sorted(i for i in ids | {s.rule_id for s in settings if s.rule_id} if before.get(i) != now.get(i))
    return _("Rules changed since this design was saved: {names}.", names=first_of(names, 6)) if names else ""


def advice_for(book: RuleBook, design: Design) -> tuple[HostAdvice, ...]:
    """Return what the rules advise for the machine around the pools of ``design``: settings, timers, commands.

    What is the same for several pools is said once.
    """
    return tuple(dict.fromkeys(advice for pool in design.pools() for advice in advise_host(book, pool)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """The commands of a design; with placeholders, and why, where it is refused. ``script`` is empty where none is."""

    actions: "tuple[Creation, ...]" = ()
    refusal: PoolwrightError | None = None
    advice: tuple[HostAdvice, ...] = ()
    script: str = ""


def preview_of(book: RuleBook | None, design: Design) -> Preview:
    from poolwright.emit.commands import plan_actions  # noqa: PLC0415 - for commands alone

    found = Preview()
    with suppress(PoolwrightError):  # a size that nobody knows; the refusal of the script says so
        found = Preview(advice=advice_for(book, design) if book is not None else ())
    try:
        return replace(found, actions=plan_actions(design))
    except PoolwrightError as error:
        found = replace(found, refusal=error)
    with suppress(PoolwrightError):  # the refusal says why
        found = replace(found, actions=plan_actions(design, placeholders=True))
    return found
