"""Two pools for unlike data on unlike drives: flash for what is read at random, hard disks for the rest.

Each is the first choice for its own data on its own drives. The best single pool stands beside them by name.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from poolwright.design.answers import answers, trade_off
from poolwright.design.candidate import AnswerName, Candidate, DataPool, NamedAnswer, Recommendation, Rejected
from poolwright.design.evaluator import of_pool
from poolwright.design.groups import Packing
from poolwright.design.plan import Purpose
from poolwright.design.rank import Measures, score
from poolwright.design.request import JudgeMaker, Request
from poolwright.design.survival import units_of_pools
from poolwright.design.wishes import BrokenWish, disks_cost, hard_objections, missing_forecast, missing_space
from poolwright.domain.disk import FLASH_MEDIA, Disk, Media, Note, NoteLevel
from poolwright.domain.errors import Refusal
from poolwright.domain.units import GB, PLAN_FILL_PERCENT, binary
from poolwright.predict.groups import any_loss
from poolwright.rules.presets import Preset, apply_preset, goal_of_data, random_and_rest
from poolwright.texts import _, listed

TWO_POOLS = "two pools"  # for machines
# Less than this, a few guests or one database, is a log, a special vdev or a cache of the hard disks, and no pool.
LEAST_FLASH_BYTES = 400 * GB

Search = Callable[[Request, JudgeMaker], Recommendation]


def with_two_pools(request: Request, make_judge: JudgeMaker, single: Recommendation, search: Search) -> Recommendation:
    """Return ``single``, the ranking of one pool, with two pools in front where drives and data are of two kinds.

    Where the flash is too small, or two pools miss what one pool keeps to, a note says so instead.
    """
    split = split_of(request)
    if split is None:
        return single
    at_random, rest, flash, spinning = split
    fast = _part(request, at_random, flash, None, make_judge, search)
    if fast is None:
        return single
    small = _too_small(request, fast)
    if small:
        return replace(single, notes=(*single.notes, Note(text=small)))
    wanted = request.budget.wanted_bytes
    left = None if wanted is None else max(0, wanted - _room(fast.candidate))
    large = _part(request, rest, spinning, left or None, make_judge, search)
    if large is None:
        return single
    both = _together(request, (fast, large), single.best)
    if both is None:
        return single
    if both.missing_share > single.best.missing_share:
        words = {"words": both.words, "missed": listed([missed.text for missed in both.missed])}
        text = _("Two pools, {words}, miss what one pool keeps to: {missed}.", **words)
        return replace(single, notes=(*single.notes, Note(text=text, level=NoteLevel.WARN)))
    return _in_front(request, both, single)


def split_of(
    request: Request,
) -> tuple[tuple[Preset, ...], tuple[Preset, ...], tuple[Disk, ...], tuple[Disk, ...]] | None:
    flash = tuple(disk for disk in request.disks if disk.media in FLASH_MEDIA)
    spinning = tuple(disk for disk in request.disks if disk.media is Media.HDD)
    if min(len(flash), len(spinning)) < 2:
        return None
    at_random, rest = random_and_rest(request.workload)
    return (at_random, rest, flash, spinning) if at_random and rest else None


def _part(
    request: Request,
    presets: Sequence[Preset],
    disks: tuple[Disk, ...],
    least: int | None,
    make_judge: JudgeMaker,
    search: Search,
) -> DataPool | None:
    """Return the best pool of whole ``disks`` for the data of ``presets``; None where none is redundant.

    What is wished of the rates of one pool for all is wished of neither half; ``least`` is what its space must be.
    """
    workload = apply_preset(request.workload, *presets)
    asked = replace(
        request,
        disks=disks,
        workload=workload if request.goal_told else replace(workload, goal=goal_of_data(workload)),
        budget=replace(
            request.budget,
            least_usable_bytes=least,
            keep=None,
            least_read_bytes_per_second=None,
            least_write_bytes_per_second=None,
        ),
    )
    try:
        found = search(asked, make_judge)
    except Refusal:
        return None
    best = next((one for one in found.candidates if one.measures.pool_count == 1 and not one.partitioned), None)
    if best is None or best.below or not best.measures.failures_survived:
        return None
    return DataPool(candidate=best, workload=asked.workload)


def _room(candidate: Candidate) -> int:
    return min(candidate.measures.usable_bytes, int(candidate.measures.held_bytes))


def _too_small(request: Request, fast: DataPool) -> str:
    """Return why the flash is no pool for its data; empty where it is, or where nobody said how much they are."""
    room, words = fast.candidate.measures.usable_bytes, fast.words
    working = request.workload.working_set_bytes
    if working is not None and working > room * PLAN_FILL_PERCENT // 100:
        return _(
            "No pool of its own for {words}: the data in constant use, {working}, do not fit on 80 % of {room}.",
            words=words,
            working=binary(working),
            room=binary(room),
        )
    if room < LEAST_FLASH_BYTES:
        values = {"words": words, "room": binary(room)}
        return _("No pool of its own for {words}: {room} are little for it, and serve the hard disks better.", **values)
    return ""


def _together(request: Request, parts: tuple[DataPool, DataPool], single: Candidate) -> Candidate | None:
    """Return both pools as one candidate; None where bays or money are not enough for both."""
    fast, large = (part.candidate for part in parts)
    budget = request.budget
    pools = (fast.main, replace(large.main, plan=replace(large.main.plan, purpose=Purpose.DATA)))
    used = [disk for one in (fast, large) for disk in one.main.disks[: one.used_count]]
    cost = disks_cost(budget, used, request.disks)
    measures = _measures(request, fast, large, single.measures.ideal.disks)
    over = budget.money is not None and cost is not None and cost.amount > budget.money.amount
    crowded = budget.bays is not None and len(used) > budget.bays
    if over or crowded or any(hard_objections(budget, measures.spare_count, measures.failures_survived)):
        return None
    share = large.measures.usable_bytes / measures.usable_bytes
    findings = (*fast.findings, *(of_pool(finding, 2, share) for finding in large.findings))
    return Candidate(
        way=Packing.SEPARATE,
        family=TWO_POOLS,
        main=pools[0],
        further=pools[1:],
        unassigned=single.measures.ideal.disks - len(used),
        stranded_bytes=fast.stranded_bytes + large.stranded_bytes,
        idle_bytes=large.idle_bytes + fast.idle_bytes,
        idle_disks=large.idle_disks + fast.idle_disks,
        cost=cost,
        findings=findings,
        measures=measures,
        score=score(measures, findings),
        missed=_missed(request, measures, large),
        of_data=parts,
    )


def _measures(request: Request, fast: Candidate, large: Candidate, disks: int) -> Measures:
    """Return the numbers of both: space is added up, I/O is that of the pool which waits for it."""
    ours, theirs = fast.measures, large.measures
    pools = (fast.main, large.main)
    usable = ours.usable_bytes + theirs.usable_bytes
    hours = [m.forecast.rebuild_hours for m in (ours, theirs) if m.forecast.rebuild_hours is not None]
    raw = ours.ideal.own_bytes + theirs.ideal.own_bytes
    workload = request.workload
    return replace(
        ours,
        ideal=replace(
            ours.ideal,
            goal=workload.goal,
            sequential_percent=workload.sequential_percent,
            disks=disks,
            raw_bytes=raw,
            own_bytes=raw,
        ),
        usable_bytes=usable,
        held_bytes=float(_room(fast) + _room(large)),
        failures_survived=min(ours.failures_survived, theirs.failures_survived),
        pool_count=2,
        spare_count=ours.spare_count + theirs.spare_count,
        data_members=ours.data_members + theirs.data_members,
        yearly_failures=ours.yearly_failures + theirs.yearly_failures,
        forecast=replace(ours.forecast, rebuild_hours=max(hours, default=None)),
        any_loss=any_loss([ours.any_loss, theirs.any_loss], ours.forecast.floor),
        any_disk_loss=any_loss([ours.any_disk_loss, theirs.any_disk_loss]),
        draid=ours.draid or theirs.draid,
        single_points=len(frozenset[str]().union(*units_of_pools(pools)))
        if ours.single_points or theirs.single_points
        else 0,
        more_single_points=ours.more_single_points or theirs.more_single_points,
    )


def _missed(request: Request, measures: Measures, large: Candidate) -> tuple[BrokenWish, ...]:
    space = missing_space(request.budget, measures.usable_bytes, held_bytes=measures.held_bytes)
    # Reading and writing from start to end is what the hard disks do.
    forecast = replace(measures.forecast, speed=large.measures.forecast.speed, yearly_loss=measures.any_loss)
    return (*space, *missing_forecast(request.budget, forecast))


def _in_front(request: Request, both: Candidate, single: Recommendation) -> Recommendation:
    """Return the ranking with both pools first, and the best single pool by name beside them."""
    one = single.best
    rival = NamedAnswer(name=AnswerName.ONE_POOL, candidate=one, trade_off=trade_off(AnswerName.ONE_POOL, both, one))
    named = answers(both, (both, *single.candidates), request.budget)
    beside = tuple(answer for answer in named[1:] if answer.candidate is not one)
    reason = _(
        "best in one pool is {words} with {score:.1f} points, which the other layouts are compared with: {price}",
        words=one.words,
        score=one.score,
        price=rival.trade_off,
    )
    return replace(
        single,
        candidates=(both, *single.candidates),
        feasible=single.feasible + 1,
        answers=(named[0], rival, *beside),
        rejected=(Rejected.of(one, reason, feasible=True), *single.rejected),
        as_good=(),
        decided_by="",
        near=(),
        reach=None,
    )
