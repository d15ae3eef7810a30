"""What to add, replace or rebuild in a pool that exists, with so much to spend: worked out, weighed, put in order."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from poolwright.changes.as_design import PoolDesign, is_booted, unusable_todo, why_unusable
from poolwright.changes.growth.design import GrownDesign, grow, size_warnings, stranded_words
from poolwright.changes.improve import rebuild
from poolwright.changes.improve.drafts import ChangeDraft, drafts, flash_changes, main_vdev, replacements
from poolwright.changes.improve.pool_change import (
    ChangeKind,
    ImproveQuestion,
    PoolChange,
    PoolImprovements,
    PoolToImprove,
    Urgency,
    sound_and_free,
    state_of,
)
from poolwright.domain.catalogue import stale_prices
from poolwright.domain.design import Design, Setting
from poolwright.domain.disk import Disk, Health
from poolwright.domain.errors import PoolwrightError, Refusal, UserError
from poolwright.domain.growth import GrowthKind
from poolwright.domain.money import Money
from poolwright.domain.pool import ExistingPool, ScanKind
from poolwright.domain.units import PLAN_FILL_PERCENT, drive_size
from poolwright.domain.vdev import HOLDS_THE_POOL, VdevKind, describe
from poolwright.domain.workload import Goal
from poolwright.rules.existing_judge import last_scrub
from poolwright.texts import _, first_of, ngettext

# Weights of judgement, none measured: a point is a step of the ranking (design/rank.py).
_WORTH_POINTS = 1.0
_POINTS_OF_ALL = 8.0  # what all the money is worth: what is not needed had better be kept
_POINTS_OF_A_BAY = 0.75
_POINTS_OF_MINIMUM_REDUNDANCY = 6.0  # of mirrors beyond the few disks for which one failure is enough
_NEEDS_NO_BAY = (
    ChangeKind.REPLACE_LARGER, ChangeKind.REPLACE_FAILING, ChangeKind.REBUILD, ChangeKind.SPECIAL, ChangeKind.LOG,
    ChangeKind.CACHE,
)  # fmt: skip
_ROOMY_PERCENT = 70  # nobody asks for room before
_OLD_YEARS = 5  # of disks, as they stand in makers' warranties
_STRANDED_TOLD = 0.05  # of all disks: less is what disks of one label differ by, or a partition cut on purpose
_FOR_ROOM = (ChangeKind.ADD_VDEV, ChangeKind.REPLACE_LARGER, ChangeKind.WIDEN)
_ROOM_ALONE = (Goal.SAFETY, Goal.SPACE)
_ORDER = tuple(Urgency)


def improve(made: PoolDesign, known: ExistingPool, question: ImproveQuestion) -> PoolImprovements:
    """Return what could be done to a pool, what is wrong first, then by what it is worth. Pure.

    Raises UserError where the sizes of the disks were not read, Refusal where OpenZFS would not make such a pool, or
    the data of this one cannot be read.
    """
    if why := why_unusable(made.state, made.design.pool_name):
        raise Refusal(why, todo=unusable_todo())
    if made.design.sizes_invented:
        raise UserError(
            _("The sizes of the disks are not known"),
            todo=_("Read zpool list -v -p or lsblk too: the collector reads both."),
        )
    state, free = state_of(made, known), sound_and_free(made.design)
    pool = PoolToImprove(made=made, known=known, state=state, free=free, question=question)
    pool = replace(pool, before=pool.numbers(state))
    changes = list(replacements(pool))
    money = question.budget.money
    left = _money_left(money, changes)
    for draft in drafts(pool):
        change = _best(draft, pool, left)
        if draft.times == 1 or change.cost is not None:
            changes.append(change)
        left = _money_left(money, changes)
    others = (*flash_changes(pool), *rebuild.rebuilds(pool), *rebuild.new_pools(pool))
    changes.extend(_marked_if_too_dear(change, left) for change in others)
    changes.extend(unwise_changes(pool))
    of_kind: dict[object, PoolChange] = {}  # the best of each
    for change in sorted(changes, key=lambda change: _rank(change, left)):
        of_kind.setdefault(change.kind, change)
    return PoolImprovements(
        design=made.design,
        pool_name=made.design.pool_name,
        before=pool.before,
        fill_percent=pool.fill,
        changes=tuple(of_kind.values()),
        money=money,
        left=left,
        notes=tuple(_notes(pool, changes)),
    )


# The change with the disks that are worth most for what there is to spend, of equal ones the cheapest.
def _best(draft: ChangeDraft, pool: PoolToImprove, left: Money | None) -> PoolChange:
    best: PoolChange | None = None
    for disks in pool.choices(draft.count, draft.least, draft.media, larger=draft.larger, unpriced=draft.unpriced):
        change = _assessed(draft, disks, pool)
        change = change if draft.urgent else _marked_if_too_dear(change, left)
        if best is None or _rank(change, left) < _rank(best, left):
            best = change
        if draft.refused or (left is None and not change.bought):
            break
    if best is None:  # cannot be: choices yields at least one
        raise Refusal(draft.why)
    return best


# Who buys beside a catalogue that has only larger ones takes the size that is there.
def _enough(draft: ChangeDraft, disks: tuple[Disk, ...]) -> Iterator[str]:
    bought = [disk.size_bytes or 0 for disk in disks if disk.planned]
    if bought and not draft.larger and drive_size(bought[0]) != drive_size(draft.least):  # all are of one model
        yield _(
            "Disks of {size} are enough; no smaller model with a price is still sold.", size=drive_size(draft.least)
        )


def _assessed(draft: ChangeDraft, disks: tuple[Disk, ...], pool: PoolToImprove) -> PoolChange:
    bays = ngettext("{count} bay more is needed.", "{count} bays more are needed.", draft.count)
    found = PoolChange(
        kind=draft.kind,
        urgency=Urgency.FIRST if draft.urgent else Urgency.WORTH,
        title=_("{name}: {value}", name=draft.title, value=rebuild.counted_disks(disks)),
        why=draft.why,
        disks=disks,
        cost=pool.cost(disks),
        rewrite=draft.rewrite,
        minds=(*draft.minds, *_enough(draft, disks), *(() if draft.kind is ChangeKind.REPLACE_LARGER else (bays,))),
    )
    if draft.refused:
        return _advised_against(found, draft.refused)
    try:
        state = _grown(draft, disks, pool)
    except PoolwrightError as error:
        return _advised_against(found, next(iter(getattr(error, "reasons", ())), error.text))
    found = pool.weighed(found, pool.numbers(state))
    was, becomes, fill = pool.made.design, pool.filled(state), pool.fill
    points = found.points - _wasted_points(draft.kind, was, becomes, disks)
    if not draft.urgent and rebuild.weak_disks(becomes) > rebuild.weak_disks(was):
        # It brings more disks where too little parity protects them.
        wrong = " ".join(rebuild.weaknesses(becomes))
        return replace(
            found,
            urgency=Urgency.NOT,
            design=becomes,
            points=0.0,
            why=_("It would be more of what is wrong with the pool. {wrong}", wrong=wrong),
        )
    if rebuild.leaves_the_floor(was, becomes):
        points -= _POINTS_OF_MINIMUM_REDUNDANCY
    # For speed more vdevs count in any pool.
    roomy = fill is not None and fill <= _ROOMY_PERCENT and was.workload.goal in _ROOM_ALONE
    little = draft.seldom or points < _WORTH_POINTS or (roomy and draft.kind in _FOR_ROOM)
    return replace(
        found,
        urgency=Urgency.LITTLE if little and not draft.urgent else found.urgency,
        design=_expanding(becomes, draft, disks),
        points=points,
        minds=(*found.minds, *size_warnings(pool.state, state)),
        lifts=rebuild.weak_disks(becomes) < rebuild.weak_disks(was),
    )


# By which share of the disks that come a vdev that is there cannot use them.
def _wasted_points(kind: ChangeKind, was: Design, becomes: Design, disks: Sequence[Disk]) -> float:
    if kind not in (ChangeKind.REPLACE_LARGER, ChangeKind.WIDEN):
        return 0.0
    more = max(0, becomes.stranded_bytes() - was.stranded_bytes())
    # Wasting all of them weighs as much as losing the minimum of redundancy.
    return _POINTS_OF_MINIMUM_REDUNDANCY * more / max(1, sum(disk.size_bytes or 0 for disk in disks))


def _advised_against(change: PoolChange, why: str) -> PoolChange:
    return replace(change, urgency=Urgency.NOT, why=why, disks=(), cost=None, rewrite="", minds=())


def _grown(draft: ChangeDraft, disks: tuple[Disk, ...], pool: PoolToImprove) -> GrownDesign:
    come = tuple(disk for disk in disks if disk.planned)
    origin = replace(pool.state.origin, disks=(*pool.state.origin.disks, *come))
    state = replace(pool.state, origin=origin)
    for number, step in enumerate(draft.steps(disks), 1):
        state = grow(state, step, number)
    return state


# The design with autoexpand on where larger disks take the place of others: else they bring nothing.
def _expanding(design: Design, draft: ChangeDraft, disks: tuple[Disk, ...]) -> Design:
    if not any(step.kind is GrowthKind.REPLACE for step in draft.steps(disks)):
        return design
    kept = tuple(setting for setting in design.pool_settings if setting.name != "autoexpand")
    return replace(design, pool_settings=(*kept, Setting(name="autoexpand", value="on")))


# The change as over budget where it costs more than there is, or nobody knows what it costs.
def _marked_if_too_dear(change: PoolChange, left: Money | None) -> PoolChange:
    weighed = change.urgency in (Urgency.WORTH, Urgency.LITTLE)
    if left is None or change.cost is None or not weighed or change.cost.currency != left.currency:
        return change
    if change.cost <= left:
        return change
    missing = _("{amount} more than there is to spend.", amount=change.cost - left)
    return replace(change, urgency=Urgency.DEAR, behind=missing)


# What is left when the urgent is paid; never less than nothing.
def _money_left(money: Money | None, changes: Sequence[PoolChange]) -> Money | None:
    left = money
    for change in changes:
        cost = change.cost if change.urgency is Urgency.FIRST else None
        if left is not None and cost is not None and cost.currency == left.currency:
            left = left - min(cost, left)
    return left


# A change's place: what lifts a pool above the floors, then by what it is worth less money and bays.
def _rank(change: PoolChange, money: Money | None) -> tuple[int, bool, float]:
    share = 0.0
    if change.cost is not None and change.cost.amount:
        all_of_it = money if money is not None and money.amount and money.currency == change.cost.currency else None
        share = 1.0 if all_of_it is None else float(change.cost.amount / all_of_it.amount)
    bays = 0 if change.kind in _NEEDS_NO_BAY else len(change.disks) + change.more_disks
    worth = change.points - _POINTS_OF_ALL * share - _POINTS_OF_A_BAY * bays
    return _ORDER.index(change.urgency), not change.lifts, -worth


# Which disks may fail next: of these no rebuild that needs all others should be asked.
def _suspects(pool: PoolToImprove) -> Iterator[str]:
    scrubbed = last_scrub(pool.known)
    if scrubbed is not None and (years := (pool.question.today - scrubbed).days // 365) >= _OLD_YEARS:
        yield _("The last scrub was {years} years ago, and the disks are no younger: scrub, read SMART, then plan to "
                "replace them.", years=years)  # fmt: skip
    design = pool.made.design
    held = [design.disk(m.disk_key) for v in design.vdevs if v.vdev_class in HOLDS_THE_POOL for m in v.members]
    names = list(dict.fromkeys(disk.label for disk in held if disk.health is Health.SUSPECT))
    if names:
        yield _("Errors, reallocated sectors or wear on record (SMART): {disks}. First a long self-test; what fails "
                   "it, or whose counts grow, is replaced while it works.", disks=first_of(names))  # fmt: skip


def _notes(pool: PoolToImprove, changes: Sequence[PoolChange]) -> Iterator[str]:
    fill = pool.fill
    yield from filter(None, [pool.made.unread, pool.made.expanded_words])
    yield from _suspects(pool)
    for kind in filter(pool.known.runs, (ScanKind.RESILVER, ScanKind.REMOVAL, ScanKind.EXPANSION)):
        yield _("Nothing here is begun before the running {scan} has ended.", scan=_(kind.words))
    mends = [change for change in changes if change.urgency is Urgency.FIRST]
    if mends or rebuild.weaknesses(pool.made.design):
        yield _("Before changing anything make a backup and test a restore: redundancy does not replace it.")
    if any(change.kind is ChangeKind.REPLACE_FAILING for change in mends):
        yield _("Nothing else is begun before the rebuild has ended, and no scrub: the disks left are worked by it.")
    if not pool.made.design.assumed_sizes() and (wasted := pool.made.design.stranded_bytes()) >= _STRANDED_TOLD * sum(
        map(sum, pool.made.design.data_rooms())
    ):
        yield stranded_words(wasted)
    if is_booted(pool.known):
        yield _("The machine starts from this pool: a new disk needs boot partitions and the boot loader as well.")
    below_advised = fill is None or fill < PLAN_FILL_PERCENT
    if below_advised and not any(change.urgency in (Urgency.FIRST, Urgency.WORTH) for change in changes):
        yield _("Keep the money: nothing here is worth its price now.")
    if fill is not None and fill <= _ROOMY_PERCENT:
        yield _("The pool is {percent} % full: more space is not needed yet and counts little here.", percent=fill)
    elif fill is not None and fill >= PLAN_FILL_PERCENT:
        yield _("The pool is {percent} % full: above {most} % writes get slow, so room weighs most.", percent=fill,
                   most=PLAN_FILL_PERCENT)  # fmt: skip
    if pool.free:
        yield _("At no cost: {disks}.", disks=rebuild.counted_disks(pool.free))
    if old := stale_prices(pool.question.catalogue.products, pool.question.today):
        yield old
    if fill is None:
        yield _("How full the pool is was not read; room counts as in a plan.")


# What people ask for and nobody should do to this pool, with the reason.


def unwise_changes(pool: PoolToImprove) -> Iterator[PoolChange]:
    like = main_vdev(pool)
    if like is None or not like.failures_survived:
        return
    words = describe((like.sizeless(),))
    yield PoolChange(
        kind=ChangeKind.LONE_DISK,
        urgency=Urgency.NOT,
        title=_("Add a single disk as a vdev of its own"),
        why=_("New data spread over it, and when it fails the whole pool is lost, {vdev} and all. zpool add "
                 "asks for -f for that reason; the disk cannot be removed from a pool with raidz.", vdev=words)
        if like.kind is not VdevKind.MIRROR
        else _("New data spread over it, and when it fails the whole pool is lost, mirrors and all."),
    )  # fmt: skip
    if like.parity:
        yield PoolChange(
            kind=ChangeKind.UNLIKE_VDEV,
            urgency=Urgency.NOT,
            title=_("Add a mirror of two beside the {vdev}", vdev=words),
            why=_("It survives one failure and the pool no more than it; speed and share of parity then differ from "
                     "block to block, and it cannot be removed.")
            if like.failures_survived > 1
            else _("Speed and share of parity then differ from block to block, and it cannot be removed; a further "
                      "{vdev} or larger disks keep the pool even.", vdev=words),
        )  # fmt: skip
