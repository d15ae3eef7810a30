"""The order in which steps are safe: what raises redundancy first, what lowers it last, no disk before it is free."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from poolwright.changes.against.exchanged import as_one_difference, exchanged
from poolwright.changes.against.tops import LiveTop
from poolwright.changes.against.values import Identity, LiveDifference, LiveStep, LiveWay, StepKind
from poolwright.changes.imported import unusable_todo, why_unusable
from poolwright.domain.vdev import VdevClass
from poolwright.texts import tell

_RANKS = {
    StepKind.DISCARD: 0,
    StepKind.SET_POOL: 1,
    StepKind.REPLACE: 2,
    StepKind.ATTACH: 4,
    StepKind.ADD: 6,
    StepKind.REMOVE: 8,
    StepKind.DETACH: 9,
    StepKind.EXPAND: 10,
    StepKind.CREATE: 11,
    StepKind.SET: 12,
    StepKind.INHERIT: 12,
    StepKind.RENAME: 14,
}
_OF_SETTINGS = (StepKind.SET_POOL, StepKind.CREATE, StepKind.SET, StepKind.INHERIT, StepKind.RENAME)
_NEEDS_A_DATASET = "bootfs"
_WIDENS = "raidz"


def rank(step: LiveStep) -> int:
    """Return a step's place: a broken disk before all, a wider raidz after all mirrors have their sides."""
    if step.mends:
        return 1
    if step.kind is StepKind.ATTACH and step.vdev.startswith(_WIDENS):
        return 7
    if step.kind is StepKind.ADD and step.made is not None and step.made.vdev_class is not VdevClass.DATA:
        return 5
    if step.kind is StepKind.SET_POOL and step.setting is not None and step.setting.name == _NEEDS_A_DATASET:
        return 13
    return _RANKS[step.kind]


def in_safe_order(
    changes: Iterable[LiveDifference], tops: Iterable[LiveTop]
) -> tuple[tuple[LiveDifference, ...], tuple[LiveDifference, ...]]:
    """Return the changes in order, and those that wait for a disk which is never free.

    Where two wait for each other none can begin: disks in each other's places are one difference. What `zpool attach`
    names beside the new disk is found on the way: a device that is in the vdev by then.
    """
    tops = tuple(tops)
    there = {top.name: [seat.identity for seat in top.seats] for top in tops}
    data = sum(top.vdev.vdev_class is VdevClass.DATA for top in tops)
    taken = {identity for identities in there.values() for identity in identities}
    waiting = [one for one in changes if one.step is not None]
    waiting.sort(key=lambda one: rank(one.step) if one.step is not None else 0)
    done: list[LiveDifference] = []
    while True:
        following = next((one for one in waiting if one.step is not None and taken.isdisjoint(one.step.needs)
                          and (data > 1 or _data_vdevs(one.step) >= 0)), None)  # fmt: skip
        if following is None or following.step is None:
            break
        waiting.remove(following)
        step = following.step
        here = there.setdefault(step.vdev, [])
        if step.kind is StepKind.ATTACH and here:
            following = replace(following, step=replace(step, old=here[0]))
        here[:] = [identity for identity in (*here, *step.needs) if identity not in step.frees]
        done.append(following)
        taken.update(step.needs)
        taken.difference_update(step.frees)
        data += _data_vdevs(step)
    circles = list(exchanged(waiting, tops))
    held = {id(one) for circle in circles for one in circle}
    stuck = [_stuck(one, waiting, taken) for one in waiting if id(one) not in held]
    return tuple(done), (*(as_one_difference(circle, tops) for circle in circles), *stuck)


def held_while_barred(found: Sequence[LiveDifference]) -> list[LiveDifference]:
    """Return the differences without any step where a data vdev stays that the design does not have.

    Whatever joined such a pool, or left it, would not make it the design, and some of it is for good.
    """
    bar = next((one.place for one in found if one.way is LiveWay.CANNOT and one.bars), None)
    if bar is None:
        return list(found)
    reason = tell("Not while {vdev} stays: the pool would not become the design, and might be worse for good. "
                  "“poolwright migrate” plans the way to a new pool.", vdev=bar)  # fmt: skip
    return [
        one
        if one.step is None
        else replace(one, way=LiveWay.LEFT, reason="", rewrite="", step=None)
        if one.step.kind in _OF_SETTINGS
        else replace(one, way=LiveWay.CANNOT, reason=reason, rewrite="", step=None)
        for one in found
    ]


def held_while_hurt(found: Iterable[LiveDifference], state: str | None) -> list[LiveDifference]:
    """Return the differences without steps that take away what bears failures, where the pool is not whole.

    A step that replaces what is broken comes before all others: with one of these nothing is held.
    """
    found = list(found)
    if state in (None, "ONLINE") or any(one.step is not None and one.step.mends for one in found):
        return found
    reason = tell("The pool is {state}: what bears failures stays until it is mended.", state=state)
    return [
        replace(one, way=LiveWay.CANNOT, reason=reason, rewrite="", step=None)
        if one.step is not None and _takes_away(one.step)
        else one
        for one in found
    ]


def held_while_unusable(found: Sequence[LiveDifference], state: str | None, pool: str) -> list[LiveDifference]:
    """Return the differences without any step where the data of the pool cannot be read, a replacement neither."""
    why = why_unusable(state, pool)
    held = f"{why}. {unusable_todo()}"
    return [
        replace(one, way=LiveWay.CANNOT, reason=held, rewrite="", step=None) if why and one.step is not None else one
        for one in found
    ]


def _takes_away(step: LiveStep) -> bool:
    helps_only = step.made is not None and step.made.vdev_class in (VdevClass.CACHE, VdevClass.LOG)
    return step.kind is StepKind.DETACH or (step.kind is StepKind.REMOVE and not helps_only)


def _data_vdevs(step: LiveStep) -> int:
    """Return by how many data vdevs the pool grows with a step."""
    if step.made is None or step.made.vdev_class is not VdevClass.DATA:
        return 0
    return 1 if step.kind is StepKind.ADD else -1


def _stuck(one: LiveDifference, waiting: Sequence[LiveDifference], taken: set[Identity]) -> LiveDifference:
    step = one.step
    wanted = {identity for identity in (step.needs if step is not None else ()) if identity in taken}
    given = {identity for other in waiting if other.step is not None for identity in other.step.frees}
    reason = (
        tell("It would be the last data vdev: a pool cannot be emptied.")
        if not wanted
        else tell("The disks would have to change places: that takes a free disk in between, or the room for it.")
        if wanted <= given
        else tell("A disk that it needs has another place in the pool, which it cannot leave.")
    )
    return replace(one, way=LiveWay.CANNOT, reason=reason, step=None)
