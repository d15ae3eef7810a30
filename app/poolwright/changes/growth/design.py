"""A design and its pool's space, taken through steps of growth together.

The design says which disks there are (so that every model and every rule can be asked of the grown pool), the space
follows OpenZFS's own history of the vdevs (`capacity.expansion`).
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from poolwright.capacity.device import MemberKind, device_bytes, leaf_bytes
from poolwright.capacity.expansion import Disks, GrownPool, GrownTop, new_pool, take_step, target
from poolwright.capacity.pool import PoolCapacity, devices_of
from poolwright.domain.as_built import as_built, left_beside
from poolwright.domain.design import Design, Member, Vdev, vdev_of
from poolwright.domain.disk import Disk, Note, NoteLevel, sectors_problem, size_unknown
from poolwright.domain.errors import Refusal, UserError
from poolwright.domain.estimate import Estimate, Origin, OriginKind
from poolwright.domain.growth import GrowthKind, GrowthStep
from poolwright.domain.units import DEFAULT_LOGICAL_SECTOR_BYTES, PLAN_FILL_PERCENT, drive_size
from poolwright.domain.vdev import HOLDS_THE_POOL, VdevClass, VdevKind, VdevSpec, add_wants_force, added_alike
from poolwright.domain.version import ZfsVersion
from poolwright.predict.rebuild import RebuildConditions, rebuild_hours
from poolwright.texts import N_, _, ngettext


@dataclass(frozen=True, slots=True, kw_only=True)
class GrownDesign:
    """A pool at a point of its life: space, vdevs, disks; ``bought`` are those that the first design has not."""

    origin: Design
    pool: GrownPool
    sizes_invented: bool = False  # as of the design: looked up once, which takes its time with many disks
    bought: tuple[Disk, ...] = ()

    @property
    def tops(self) -> tuple[Vdev | None, ...]:
        """Return the top-level vdevs by number, None where one was removed."""
        return tuple(None if top.removed else top.vdev for top in self.pool.tops)

    @property
    def others(self) -> tuple[Vdev, ...]:
        return tuple(vdev_of(one.spec, one.members) for one in self.pool.others)

    @property
    def vdevs(self) -> tuple[Vdev, ...]:
        return (*(vdev for vdev in self.tops if vdev is not None), *self.others)

    @property
    def design(self) -> Design:
        """Return the pool of now as a design, with the bought disks among its disks."""
        return replace(
            self.origin, vdevs=self.vdevs, disks=(*self.origin.disks, *self.bought), further_pools=(), growth=()
        )

    def disk(self, key: str) -> Disk:
        return next((disk for disk in self.bought if disk.key == key), None) or self.origin.disk(key)


def created_pool(design: Design, *, autoexpand: bool = True) -> GrownDesign:
    """Return the design's main pool as its script creates it; raises Refusal where OpenZFS would refuse it."""
    design = as_built(design)
    # `zpool create` numbers vdevs as the script writes them: by class, bare disks before groups.
    vdevs = [devices_of(design, vdev) for vdev in sorted(design.vdevs, key=lambda v: v.rank)]
    pool = new_pool(vdevs, ashift=design.ashift, version=design.version, autoexpand=autoexpand)
    return GrownDesign(origin=design, pool=pool, sizes_invented=design.sizes_invented)


def grow(state: GrownDesign, step: GrowthStep, number: int) -> GrownDesign:
    """Return the pool after a step; ``number`` (from 1) names the disks that are bought for it.

    Raises Refusal with the reasons where OpenZFS would refuse, UserError where the step is not complete.
    """
    bought: list[Disk] = []
    seats = _as_large_already(state, step)

    def bring(sizes: tuple[int, ...], vdev_class: VdevClass, joined: GrownTop | None) -> Disks:
        disks, made = _disks_for(state, step, sizes[: seats.count(None) or None], number, _model(state, joined))
        bought.extend(made)
        coming = iter(disks)
        disks = tuple([disk or next(coming) for disk in seats]) or disks
        return _placed(state, disks, data=vdev_class is VdevClass.DATA)

    if step.size_bytes is None and step.vdev is None and step.disk_keys:
        step = replace(step, size_bytes=state.disk(step.disk_keys[0]).size_bytes)
    pool = take_step(state.pool, step, bring)
    if step.kind is GrowthKind.REPLACE:  # where autoexpand is off, `zpool online -e` ends the step
        pool = take_step(pool, GrowthStep(kind=GrowthKind.EXPAND, top=target(state.pool, step)), bring)
    return replace(state, pool=pool, bought=(*state.bought, *bought))


def all_replaced(state: GrownDesign, keys: Collection[str], size_bytes: int) -> GrownDesign:
    """Return the pool after the disks of the vdev that has just these gave way to others; errors as `grow`."""
    at = next((n for n, vdev in enumerate(state.tops) if vdev is not None and {*vdev.keys} == {*keys}), -1)
    step = GrowthStep(kind=GrowthKind.REPLACE, top=at, size_bytes=size_bytes)
    return grow(state, step, len(state.bought) + 1)


def filled(state: GrownDesign, before: PoolCapacity) -> Design:
    """Return the pool as a design, as full as the data make it that were in use in a pool of the space ``before``."""
    full, room = state.origin.in_use_percent, state.pool.capacity().available_bytes
    if not full or not room:
        return state.design
    return replace(state.design, in_use_percent=max(1, round(full * before.available_bytes / room)))


def new_disks(state: GrownDesign, after: GrownDesign) -> tuple[Disk, ...]:
    """Return the disks that are members after a step and were not before, in the order of their vdevs."""
    before = {m.disk_key for vdev in state.vdevs for m in vdev.members}
    keys = dict.fromkeys(m.disk_key for vdev in after.vdevs for m in vdev.members)
    return tuple(after.disk(key) for key in keys if key not in before)


def new_vdevs(state: GrownDesign, after: GrownDesign) -> tuple[Vdev, ...]:
    """Return the vdevs that a step added; one may have taken the number of a log that was removed."""
    there = [n for n, top in enumerate(state.tops) if top is not None]
    tops = (top for n, top in enumerate(after.tops) if top is not None and n not in there)
    return (*tops, *after.others[len(state.others) :])


# The members of a vdev that stay where the others give way to disks of a size, in their places; empty: all give way.
def _as_large_already(state: GrownDesign, step: GrowthStep) -> list[Disk | None]:
    size, named = step.size_bytes, step.kind is not GrowthKind.REPLACE or step.disk_keys
    if size is None or named or state.sizes_invented or (vdev := state.tops[target(state.pool, step)]) is None:
        return []
    found = [disk if (disk.size_bytes or 0) >= size else None for disk in map(state.disk, vdev.keys)]
    if None not in found:
        why = _("The members of this vdev have {size} or more already", size=drive_size(size))
        raise Refusal(why, todo=_("Name larger disks."))
    return found if any(found) else []


# The disks of a step, and those of them that are planned, like a member of the vdev: the rest is named.
def _disks_for(
    state: GrownDesign, step: GrowthStep, sizes: Sequence[int], number: int, like: Disk | None
) -> tuple[tuple[Disk, ...], tuple[Disk, ...]]:
    placed = {m.disk_key for vdev in state.vdevs for m in vdev.members}
    if step.kind is GrowthKind.REPLACE and (vdev := state.tops[target(state.pool, step)]) is not None:
        placed -= {*vdev.keys}  # some may stay where they are
    known = {disk.key for disk in state.origin.disks}
    keys = [key for key in step.disk_keys if key in known]
    taken = [key for key in keys if key in placed]
    if taken:
        label = state.origin.disk(taken[0]).label
        raise Refusal(
            _("A disk of the step has a place already"),
            where=label,
            reasons=(_("{label} is a member already", label=label),),
        )
    named = [state.origin.disk(key) for key in keys[: len(sizes)]]
    priced = Origin(kind=OriginKind.TYPED, source=N_("price entered"), when=step.price_on or None)
    made = tuple(
        Disk(
            key=f"step {number} disk {index + 1}",  # for machines
            model=like.model if like is not None and like.size_bytes == size else None,
            size_bytes=size,
            media=like.media if like is not None else None,
            logical_sector_bytes=like.logical_sector_bytes if like is not None else None,
            physical_sector_bytes=like.physical_sector_bytes if like is not None else None,
            planned=True,
            price=step.price_per_disk,
            origins=() if step.price_per_disk is None else (("price", priced),),
        )
        for index, size in enumerate(sizes)
        if index >= len(named)
    )
    return (*named, *made), made


# People buy what they have: new disks are taken to be like a member of the vdev, else of the first one.
def _model(state: GrownDesign, joined: GrownTop | None) -> Disk | None:
    found = joined or next((top for top in state.pool.tops if not top.removed), None)
    return state.disk(found.members[0].disk_key) if found is not None and found.members else None


# Where room is reserved on all data disks, a new one gets the same partitions before the pool gets the rest.
def _placed(state: GrownDesign, disks: Sequence[Disk], *, data: bool) -> Disks:
    reserved = tuple(p for p in state.origin.reserve if data and not p.disk_keys)
    members, devices = [], []
    for disk in disks:
        if reason := sectors_problem(disk, state.pool.ashift):
            raise Refusal(_("OpenZFS does not take this disk"), where=reason, reasons=(reason,))
        left = left_beside(disk, reserved) if reserved else None
        part = None if left is None else 1 + sum(not p.at_end for p in reserved)
        members.append(Member(disk_key=disk.key, slice_bytes=left, part=part))
        if left is None and disk.size_bytes is None:
            raise UserError(size_unknown(disk.label), todo=_("Enter it on the disks page."))
        devices.append(opened_bytes(disk, state.pool.version) if left is None else left)
    return Disks(tuple(disk.size_bytes or 0 for disk in disks), tuple(devices), tuple(members))


def opened_bytes(disk: Disk, version: ZfsVersion) -> int:
    """Return the bytes that OpenZFS opens of a whole disk: partition 1, which zpool makes itself."""
    sector = disk.logical_sector_bytes or DEFAULT_LOGICAL_SECTOR_BYTES
    return device_bytes(disk.size_bytes or 0, MemberKind.DISK, sector, version)


# A disk that gives way to another one, whoever plans it: the old one stays attached until the new one is whole.


def exchange_words(survives: int, *, first: bool = True) -> str:
    """Return what a person minds who exchanges a disk; ``survives`` is what its vdev bears as it is."""
    if not first:
        return _("As with the one before: the old disk stays attached.")
    if survives > 1:
        return _(
            "The old disk stays attached until the new one is whole, which takes a free bay or a dock. Without one "
            "`zpool offline` it, and replace it by the new one: one failure less is survived meanwhile."
        )
    return _(
        "The old disk stays attached until the new one is whole, which takes a free bay or a dock. Do not pull it "
        "first: nothing would protect the data."
    )


def refill_hours(spec: VdevSpec, how: RebuildConditions) -> Estimate | None:
    """Return how long a new member of a vdev is filled; None where the models cannot tell."""
    # A bare disk becomes a mirror while another one takes its place or its side.
    if spec.kind is VdevKind.STRIPE:
        spec = replace(spec, kind=VdevKind.MIRROR, sizes=spec.sizes * 2)
    return rebuild_hours(spec, how)


# What a person must know of a step of growth beyond its numbers: what it costs for ever, what it does not do.

REWRITE_SINCE = ZfsVersion(2, 3, 4)
PHYSICAL_REWRITE_SINCE = ZfsVersion(2, 4, 0)
_STRANDED_TOLD = 0.1  # of a disk: less is what disks of one label differ by
_ROUNDING = 0.5  # per cent: a step planned at 80 % begins within a day of it


def notes_of(
    step: GrowthStep, before: GrownDesign, after: GrownDesign, *, fill_before: float | None
) -> tuple[Note, ...]:
    bays = after.origin.budget.bays
    needed = sum(len(vdev.members) for vdev in after.vdevs)
    own, notes = _own_words(step, before, after)
    warnings = [*_fill_warnings(fill_before), *size_warnings(before, after), *own]
    sized = step.kind in (GrowthKind.ATTACH, GrowthKind.REPLACE)
    exact = not any(o.rounded for disk in before.origin.disks for name, o in disk.origins if name == "size_bytes")
    if not after.sizes_invented and exact and sized and _smaller(before, after, target(before.pool, step)):
        warnings.append(
            _("The new disk is a little smaller: OpenZFS takes it only after the pool was imported once more.")
        )
    if bays is not None and needed > bays:
        disks = ngettext("{count} disk", "{count} disks", needed)
        warnings.append(_("{disks}, and bays for {bays}.", disks=disks, bays=bays))
    texts = (*notes, *filter(None, [step.note]))
    return (*(Note(text=text, level=NoteLevel.WARN) for text in warnings), *(Note(text=text) for text in texts))


# `vdev_min_asize` is rounded down to whole metaslabs only on import: until then no smaller disk is taken.
def _smaller(before: GrownDesign, after: GrownDesign, at: int) -> bool:
    return min(map(leaf_bytes, after.pool.tops[at].devices)) < min(map(leaf_bytes, before.pool.tops[at].devices))


def _fill_warnings(fill_before: float | None) -> tuple[str, ...]:
    if fill_before is None or fill_before <= PLAN_FILL_PERCENT + _ROUNDING:
        return ()
    if fill_before > 100:
        return (_("The pool is full before this step: do it earlier."),)
    return (_("The pool is above {percent} % when this step begins: writes are slow.", percent=PLAN_FILL_PERCENT),)


# What is to be warned of a step by its kind, and what else is to be known.
_OwnWords = tuple[Sequence[str], Sequence[str]]


def _own_words(step: GrowthStep, before: GrownDesign, after: GrownDesign) -> _OwnWords:
    if step.kind is GrowthKind.ADD:
        return _of_added(before, after)
    at = target(before.pool, step)
    old = before.pool.tops[at]
    match step.kind:
        case GrowthKind.ATTACH if old.spec.kind is VdevKind.RAIDZ:
            return _of_widened(after)
        case GrowthKind.ATTACH if old.width == 1:
            return (), [_("The single disk becomes a mirror: no more space, one failure survived.")]
        case GrowthKind.ATTACH:
            return (), [_("A mirror of {width}: no more space, one more failure survived.", width=old.width + 1)]
        case GrowthKind.REPLACE:
            return _of_replaced(before, after, at)
        case GrowthKind.DETACH:
            return [_("It survives one failure fewer.")], ()
        case GrowthKind.REMOVE if old.spec.vdev_class in HOLDS_THE_POOL:
            moved = _("Its data go to the other vdevs; a map of where they went stays in memory.")
            return (), [moved, _("No raidz or dRAID can be added after it.")]
    return (), ()


def _of_added(before: GrownDesign, after: GrownDesign) -> _OwnWords:
    vdevs = before.vdevs, new_vdevs(before, after)
    old, new = ([vdev for vdev in every if vdev.vdev_class is VdevClass.DATA] for every in vdevs)
    if not new:
        return (), ()
    notes = [_("Existing data stays on the old vdevs; most new data goes to the new one until all are equally full.")]
    if any(vdev.parity for vdev in new):
        notes.append(_("A raidz or dRAID vdev can never be removed."))
    if not old or added_alike(old[-1].sizeless(), new[0].sizeless(), after.pool.version):
        return (), notes
    most, left = (min(vdev.failures_survived for vdev in data) for data in (old, new))
    weaker = [_weaker(most, left)] if left < most else []
    if add_wants_force(before.design.layout(), after.design.spec(new[0]), after.pool.version):
        return [*weaker, _("The new vdev differs from the others: zpool add asks for -f.")], notes
    return [*weaker, _("The new vdev differs from the last one, and the weakest vdev decides.")], notes


def _weaker(before: int, after: int) -> str:
    if after:
        return ngettext(
            "From this step on the pool survives {count} failure instead of {before}: the weakest vdev decides.",
            "From this step on the pool survives {count} failures instead of {before}: the weakest vdev decides.",
            after, before=before,
        )  # fmt: skip
    return _("From this step on one failed disk loses the whole pool. Add a mirror or raidz instead.")


def _of_widened(after: GrownDesign) -> _OwnWords:
    warnings = [_("The pool cannot be imported by OpenZFS before 2.3 any more (feature raidz_expansion).")]
    allowed = next((s.value for s in after.origin.pool_settings if s.name == "compatibility"), "off")
    if allowed not in ("off", ""):
        warnings.append(_("compatibility={allowed} has to allow raidz_expansion.", allowed=allowed))
    version, since = after.pool.version, REWRITE_SINCE
    how = _("copy the files (zfs rewrite needs OpenZFS {version})", version=since)
    if version >= since:
        command = "zfs rewrite -P -r" if version >= PHYSICAL_REWRITE_SINCE else "zfs rewrite -r"  # for machines
        how = _("rewrite them ({command})", command=command)
    return warnings, (
        _("Old data keep the old share of parity, new data have the new one."),
        _("zfs list counts all space at the old deflate ratio for ever; new blocks look smaller than they are."),
        _("To store old data at the new width {how}; blocks in snapshots stay and take room twice.", how=how),
        _("It survives as many failures as before, of one disk more."),
    )


def _of_replaced(before: GrownDesign, after: GrownDesign, at: int) -> _OwnWords:
    new, old = after.pool.tops[at], before.pool.tops[at]
    survives = old.spec.failures_survived
    times = ngettext("{count} resilver.", "{count} resilvers in turn.", len(new_disks(before, after)))
    # With nothing that protects the data meanwhile it is more than something to know.
    warnings, notes = ([], [times, exchange_words(survives)]) if survives > 1 else ([exchange_words(1)], [times])
    if not after.sizes_invented and new.asize >> new.shift == old.asize >> old.shift:
        warnings.append(_("The difference is below one metaslab: no more space."))
    return warnings, notes


def size_warnings(before: GrownDesign, after: GrownDesign) -> tuple[str, ...]:
    """Return what disks of other sizes cost: room that no vdev uses, and spares that are too small for a member."""
    wasted, spares = after.design.stranded_bytes() - before.design.stranded_bytes(), _spare_warnings(after)
    if after.sizes_invented or wasted < _STRANDED_TOLD * max(
        disk.size_bytes or 0 for disk in after.design.used_disks()
    ):
        return spares
    return stranded_words(wasted), *spares


def stranded_words(wasted: int) -> str:
    return _("{size} of the disks stay unused: each disk of a vdev counts as its smallest.", size=drive_size(wasted))


# A spare that is smaller than a member is no spare of it.
def _spare_warnings(after: GrownDesign) -> tuple[str, ...]:
    spares = [v for v in after.others if v.vdev_class is VdevClass.SPARE]
    sizes = [after.disk(m.disk_key).size_bytes or 0 for vdev in spares for m in vdev.members]
    data = [t.spec for t in after.pool.tops if not t.removed and t.spec.vdev_class is VdevClass.DATA]
    largest = max((min(spec.sizes) for spec in data), default=0)
    if sizes and max(sizes) < largest and not after.sizes_invented:
        words = {"spares": drive_size(max(sizes)), "largest": drive_size(largest)}
        return (_("The hot spares ({spares}) are too small for members of {largest}.", **words),)
    return ()
