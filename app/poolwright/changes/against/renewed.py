"""Disks that give way to others one after the other: how long each takes, what the vdev bears meanwhile, what grows."""

from collections.abc import Sequence
from dataclasses import replace

from poolwright.changes.against.tops import LiveTop
from poolwright.changes.against.values import LiveDifference, LiveStep, StepKind
from poolwright.changes.as_design import PoolDesign
from poolwright.changes.growth.design import GrownDesign, grow
from poolwright.changes.improve.ground import state_of
from poolwright.domain.design import Design
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.estimate import Estimate
from poolwright.domain.existing_pool import ExistingPool
from poolwright.domain.growth import GrowthKind, GrowthStep
from poolwright.domain.units import binary, decimal
from poolwright.domain.vdev import VdevClass, VdevKind
from poolwright.predict.disk_conditions import rebuild_conditions
from poolwright.predict.number_words import band_text, hours_text
from poolwright.predict.rebuild import rebuild_hours
from poolwright.texts import tell, tell_counted

_WELL = frozenset({"ONLINE", None})
_COUNTED = (VdevClass.DATA, VdevClass.SPECIAL, VdevClass.DEDUP)


def with_course(
    steps: Sequence[LiveDifference], tops: Sequence[LiveTop], wanted: Design, made: PoolDesign, known: ExistingPool
) -> tuple[LiveDifference, ...]:
    """Return the steps, those that replace a disk with time, redundancy and room; the order is not touched.

    The old disk stays attached while the new one is filled, so a vdev bears all the time what it bore before. Of a
    disk that is not well nothing is told here: it is no part of anybody's plan that it stays.
    """
    course = _Course(tops, wanted, made, known)
    lasts = {one.place: number for number, one in enumerate(steps) if _replaces(one.step)}
    return tuple(
        course.told(one, last=lasts[one.place] == number) if _replaces(one.step) else one
        for number, one in enumerate(steps)
    )


def _replaces(step: LiveStep | None) -> bool:
    return step is not None and step.kind is StepKind.REPLACE


class _Course:
    """Follows the steps: what has been replaced already, and the pool as it is then."""

    def __init__(self, tops: Sequence[LiveTop], wanted: Design, made: PoolDesign, known: ExistingPool) -> None:
        self._tops = {top.name: top for top in tops}
        self._wanted, self._made, self._known = wanted, made, known
        self._sizes = {top.name: {seat.identity: seat.size for seat in top.seats} for top in tops}
        self._begun: set[str] = set()
        self._state = self._at_first()

    def _at_first(self) -> GrownDesign | None:
        try:
            return state_of(self._made, self._known) if self._made.sizes_known else None
        except PoolwrightError:
            return None

    def told(self, one: LiveDifference, *, last: bool) -> LiveDifference:
        step, top = one.step, self._tops.get(one.place)
        if step is None or step.old is None or top is None or top.vdev.vdev_class not in _COUNTED:
            return one
        sizes = self._sizes[top.name]
        bears = self._bears(top)
        sizes.pop(step.old, None)
        member = step.new[0]
        sizes[step.needs[0]] = member.slice_bytes or self._wanted.disk(member.disk_key).size_bytes
        grown = self._grown(top) if last else ""
        if step.broken:
            return replace(one, reason=" ".join(part for part in (one.reason, grown) if part))
        hours, told = self._hours(top), all(seat.disk.media is not None for seat in top.seats)
        if top.name in self._begun:
            parts = [one.reason, tell("As with the one before: the old disk stays attached."), _time(hours, told=told)]
        else:
            first = _redundancy(top.name, bears)
            parts = [one.reason, first, _time(hours, told=told), _without_a_bay(top.name, bears)]
        self._begun.add(top.name)
        reason = " ".join(part for part in (*parts, grown) if part)
        return replace(one, reason=reason, step=replace(step, hours=hours, survives=bears))

    def _bears(self, top: LiveTop) -> int:
        """Return how many failures a vdev bears now: a disk that was not well and has been replaced counts again."""
        there = self._sizes[top.name]
        missing = sum(seat.state not in _WELL and seat.identity in there for seat in top.seats)
        return max(0, top.vdev.failures_survived - missing)

    def _hours(self, top: LiveTop) -> Estimate | None:
        fill = self._known.number("capacity")
        disks = [seat.disk for seat in top.seats]
        if fill is None or top.vdev.vdev_class is not VdevClass.DATA:
            return None
        design = self._made.design
        how = rebuild_conditions(disks, fill_percent=min(fill, 100), ashift=design.ashift, version=design.version)
        spec = design.spec(top.vdev)
        if spec.kind is VdevKind.STRIPE:
            spec = replace(spec, kind=VdevKind.MIRROR, sizes=spec.sizes * 2)
        try:
            return rebuild_hours(spec, how)
        except PoolwrightError:
            return None

    def _grown(self, top: LiveTop) -> str:
        """Return what the lists show when the last disk of a vdev is another; empty where the vdev does not grow."""
        sizes = [size for size in self._sizes[top.name].values() if size]
        if self._state is None or len(sizes) != len(top.seats):
            return ""
        before = self._state.pool.capacity()
        keys = {member.disk_key for member in top.vdev.members}
        number = next(
            (n for n, vdev in enumerate(self._state.tops) if vdev and keys == {m.disk_key for m in vdev.members}), None
        )
        if number is None:
            return ""
        step = GrowthStep(kind=GrowthKind.REPLACE, top=number, size_bytes=min(sizes))
        try:
            self._state = grow(self._state, step, len(self._begun))
            after = self._state.pool.capacity()
        except PoolwrightError:
            return ""
        if after.pool_size_bytes <= before.pool_size_bytes:
            return ""
        return tell(
            "With it {vdev} grows: `zpool list` shows SIZE {size} then, `zfs list` USED and AVAIL of {usable} "
            "({decimal}) together. Until then there is no more room.",
            vdev=top.name,
            size=binary(after.pool_size_bytes),
            usable=binary(after.available_bytes),
            decimal=decimal(after.available_bytes),
        )


def _redundancy(vdev: str, bears: int) -> str:
    if bears:
        return tell_counted(
            "The old disk stays attached until the new one is whole, so that {vdev} bears {count} failure all the "
            "time.",
            "The old disk stays attached until the new one is whole, so that {vdev} bears {count} failures all the "
            "time.",
            bears,
            vdev=vdev,
        )
    return tell(
        "The old disk stays attached until the new one is whole: {vdev} has nothing else to read its data from.",
        vdev=vdev,
    )


def _time(hours: Estimate | None, *, told: bool) -> str:
    if hours is None:
        return ""
    band = band_text(hours, hours_text)
    if told:
        return tell("The resilver takes {band}.", band=band)
    return tell("The resilver takes {band}, if these are hard disks.", band=band)


def _without_a_bay(vdev: str, bears: int) -> str:
    """Return what the exchange takes where no bay is free."""
    if bears > 1:
        return tell_counted(
            "That takes a free bay or a dock. Without one take the old disk offline (`zpool offline`), exchange it, "
            "and replace it by the new one: {vdev} bears {count} failure meanwhile.",
            "That takes a free bay or a dock. Without one take the old disk offline (`zpool offline`), exchange it, "
            "and replace it by the new one: {vdev} bears {count} failures meanwhile.",
            bears - 1,
            vdev=vdev,
        )
    return tell(
        "That takes a free bay or a dock, and should not be done without: with the old disk pulled out first nothing "
        "would protect the data of {vdev} meanwhile.",
        vdev=vdev,
    )
