"""The layout that the data go to: which disks can take which places, and which of them are still in the old pool."""

from collections import defaultdict
from dataclasses import dataclass, replace

from poolwright.capacity.device import leaf_bytes
from poolwright.capacity.pool import predict_design, room_of
from poolwright.changes.as_design import PoolDesign, design_of_pool, imported_pool, is_booted, need_status, why_unusable
from poolwright.changes.live_difference.tops import on_machine, seated_like
from poolwright.changes.migration.by_copy import new_vdevs_with, old_vdevs_without, placeholder_bytes
from poolwright.changes.migration.values import SUPPORT, MigrationStep, NewPlace, OldData, places_of
from poolwright.design.assign import Identity, own_design
from poolwright.design.request import Request
from poolwright.domain.design import Design
from poolwright.domain.disk import Disk, UseKind
from poolwright.domain.errors import Refusal, UserError
from poolwright.domain.estimate import Origin, OriginKind
from poolwright.domain.host import Inventory
from poolwright.domain.pool import WELL, ExistingPool, Pool, ScanState
from poolwright.domain.units import binary, drive_size
from poolwright.domain.vdev import Layout, VdevKind, describe
from poolwright.domain.workload import Goal, Workload
from poolwright.rules.existing_judge import scrub_hours
from poolwright.texts import N_, _, capital, ngettext, sentence

_KEY = "migration"  # for machines


@dataclass(frozen=True, slots=True, kw_only=True)
class NewLayout:
    """The new layout on named disks.

    ``movable``: disks that are alike may change places, since nobody chose them. ``in_place`` has the disks of the pool
    first, each where it is already; None where these and the free ones do not make it.
    """

    design: Design
    movable: bool
    in_place: Design | None


def target_of_layout(layout: Layout, inventory: Inventory, old: OldData, *, ashift: int | None = None) -> NewLayout:
    """Return the layout on free disks first, and on few of the old pool. Raises Refusal where all are not enough."""
    request = Request(
        disks=(), workload=Workload(goal=Goal.SAFETY), version=old.design.version, ashift=ashift, host=inventory.host
    )
    identity = Identity(key=_KEY, name=describe(layout), pool_name=old.name)
    machine = freed_machine(inventory, old)
    free = [disk for disk in inventory.disks if not disk.refusals()]
    leaving = (machine.disk(key) for key in release_order(old))
    released = [disk for disk in leaving if disk is not None and not disk.refusals()]
    old_disks = [disk for disk in machine.disks if disk.key in old.keys and not disk.refusals()]
    wanted = (layout, request, identity, machine)
    design = _design_on(*wanted, free, released)
    # Which of all free disks make a pool best, shingled ones last, was found without the old ones.
    best = sorted(free, key=lambda disk: disk.key not in design.used_keys())
    try:
        in_place = seated_like(_design_on(*wanted, old_disks, best), old.design.vdevs)
    except Refusal:
        in_place = None
    return NewLayout(design=design, movable=True, in_place=in_place)


# The layout on these disks and as few of the further ones as it takes. Raises Refusal where all are not enough.
def _design_on(
    layout: Layout, request: Request, identity: Identity, machine: Inventory, first: list[Disk], further: list[Disk]
) -> Design:
    for count in range(len(further) + 1):
        try:
            design = own_design(layout, replace(request, disks=(*first, *further[:count])), identity, machine)
        except Refusal:
            if count == len(further):
                raise
            continue
        # No properties: those of the data come with them.
        return replace(design, datasets=())
    raise AssertionError  # the last turn returns or raises


def target_of_design(design: Design, old: OldData, inventory: Inventory) -> NewLayout:
    """Return a design as the new layout; its disks are those of the machine as it was read now.

    Raises Refusal where it cuts disks into partitions, has several pools, or a disk of it serves something else.
    """
    reasons = []
    if design.further_pools:
        reasons.append(_("it has several pools"))
    if any(member.part is not None for vdev in design.vdevs for member in vdev.members):
        reasons.append(_("it cuts disks into partitions"))
    machine = freed_machine(inventory, old)
    seated = on_machine(design, machine.disks)
    labels = {disk.key: disk.label for disk in seated.disks}
    for key in sorted(seated.used_keys()):
        found = machine.disk(key)
        if found is None or key not in labels:
            reasons.append(_("{disk} is not in {machine}", disk=labels.get(key, key), machine=inventory.name))
        elif found.uses:
            uses = "; ".join(str(use) for use in found.uses)
            reasons.append(_("{disk} is in use: {uses}", disk=found.label, uses=uses))
    if reasons:
        raise Refusal(
            _("The design “{design}” is no target for these disks", design=design.name),
            reasons=tuple(reasons),
            todo=_("Bind it to this machine (`poolwright bind`), or name a layout: --layout raidz2:4x6TB."),
        )
    seated = replace(seated, disks=machine.disks, host=inventory.host, growth=())
    return NewLayout(design=seated, movable=False, in_place=seated)


def release_order(old: OldData) -> list[str]:
    """Return the disks of the old data in the order in which their leaving costs least redundancy.

    First what holds no data, then each time one of the vdev that has most redundancy left.
    """
    order = [key for vdev in old.vdevs if not vdev.holds for key in vdev.keys if key not in vdev.tied]
    left = {vdev.name: vdev.survives for vdev in old.vdevs if vdev.holds}
    waiting = {vdev.name: [key for key in vdev.keys if key not in vdev.tied] for vdev in old.vdevs if vdev.holds}
    while any(waiting.values()):
        name = max((name for name in waiting if waiting[name]), key=lambda n: left[n])
        order.append(waiting[name].pop())
        left[name] -= 1
    return order


def seatings(target: NewLayout, old: OldData) -> tuple[Design, ...]:
    """Return the ways to seat alike disks that matter for a migration: as they are, those still in the old pool spread
    over all vdevs, and all of them in the last vdevs, which are made later.
    """
    if not target.movable:
        return (target.design,)
    spread, last = (_reseated(target.design, old, spread=spread) for spread in (True, False))
    return tuple(dict.fromkeys((target.design, spread, last)))


def _reseated(design: Design, old: OldData, *, spread: bool) -> Design:
    alike: dict[object, list[NewPlace]] = defaultdict(list)
    keys = places_of(design)
    for place, key in keys.items():
        disk, support = design.disk(key), design.vdevs[place.vdev].vdev_class in SUPPORT
        alike[(disk.media, drive_size(disk.size_bytes), support)].append(place)
    chosen: dict[NewPlace, str] = {}
    for places in alike.values():
        ordered = sorted(places, key=lambda p: (p.member, p.vdev)) if spread else sorted(places)
        unused_first = sorted((keys[place] for place in places), key=lambda key: key in old.keys)
        chosen |= dict(zip(ordered, unused_first, strict=True))
    vdevs = tuple(
        replace(vdev, members=tuple(replace(m, disk_key=chosen[NewPlace(n, i)]) for i, m in enumerate(vdev.members)))
        for n, vdev in enumerate(design.vdevs)
    )
    return replace(design, vdevs=vdevs)


# The pool that lies on the machine now, as the tools print it.

_TYPED = Origin(kind=OriginKind.TYPED, source=N_("told for this migration"))
_READ = N_("USED of the root dataset")
_BOOTS = frozenset({UseKind.BOOT, UseKind.SWAP, UseKind.MOUNTED})


def old_pool(inventory: Inventory, name: str, *, stored_bytes: int | None = None) -> OldData:
    """Return the pool ``name`` of a machine as what is to be moved; ``stored_bytes`` goes before what was read.

    Raises UserError where there is no such imported pool, Refusal where it must not be moved as it is.
    """
    pool = imported_pool(inventory, name)
    need_status(pool)
    known = inventory.facts_of(pool) or ExistingPool(name=pool.name, origin=inventory.origin)
    made = design_of_pool(inventory, pool)
    _check(pool, known, made)
    _check_stored(made, stored_bytes)
    used, origin = _used(known, made.design, stored_bytes)
    datasets = known.datasets
    encryption = [d.value("encryption") for d in datasets or ()]
    return OldData(
        name=pool.name,
        known=known,
        guid=known.value("guid") or pool.guid,
        scrub_hours=scrub_hours(known),
        design=made.design,
        vdevs=made.tops,
        used_bytes=used,
        used_origin=origin,
        encrypted=None if datasets is None else any(value not in (None, "off") for value in encryption),
        root_encrypted=bool(encryption) and encryption[0] not in (None, "off"),
        sizes_known=made.sizes_known,
        warnings=(*_warnings(pool, known), *(sentence(capital(text)) for text in made.assumed)),
        disabled=frozenset(
            p.name.removeprefix("feature@")
            for p in known.properties
            if p.name.startswith("feature@") and p.value == "disabled"
        ),
    )


def freed_machine(inventory: Inventory, old: OldData) -> Inventory:
    """Return the machine as it is when the pool has given up its disks, of the sizes that it tells of them."""
    others = (disk for disk in inventory.disks if disk.key not in old.keys)
    own = (disk for disk in old.design.used_disks() if not old.design.sizes_invented or disk in inventory.disks)
    return replace(inventory, disks=(*others, *(replace(disk, uses=()) for disk in own)))


# More than the pool can hold is a typing error, which no plan of a migration would show.
def _check_stored(made: PoolDesign, stored: int | None) -> None:
    room = room_of(made.design) if made.sizes_known and stored is not None else None
    if room is not None and stored is not None and stored > room:
        raise UserError(
            _("{stored} cannot lie in {name}, which has room for {room}", stored=binary(stored),
                 name=made.design.pool_name, room=binary(room)),
            todo=_("Give what `zfs list` prints as USED of the pool: after compression, with its snapshots."),
        )  # fmt: skip


def _used(known: ExistingPool, design: Design, stored: int | None) -> tuple[int | None, Origin | None]:
    if stored is not None:
        return stored, _TYPED
    used, what = design.in_use_bytes, _(_READ) if known.used_bytes is not None else _("ALLOC of zpool list")
    if used is None:
        return None, None
    return used, replace(known.origin, source=_("{what}; {source}", what=what, source=known.origin.source))


# A migration reads every block and takes disks away: what is wrong with the pool is repaired first.
def _check(pool: Pool, known: ExistingPool, made: PoolDesign) -> None:
    reasons = [why] if (why := why_unusable(pool.state, _("the pool"))) else []
    disks = [made.design.disk(key) for key in sorted(made.design.used_keys())]
    if is_booted(known):
        reasons.append(_("the machine starts from it, and no copy would: install the system on the new disks instead"))
    reasons += [
        _("{disk} also starts or carries the system: {use}", disk=disk.label, use=use)
        for disk in disks
        for use in disk.uses
        if use.kind in _BOOTS
    ]
    if known.checkpoint_bytes is not None or any("checkpoint" in text for text in pool.operations):
        reasons.append(_("it has a checkpoint, with which no device may leave: `zpool checkpoint -d` first"))
    reasons += [
        _("wait for the {what} that runs on it to end", what=_(scan.kind.words))
        for scan in known.scans
        if scan.state in {ScanState.RUNNING, ScanState.PAUSED}
    ]
    if not known.scans and any("in progress" in text for text in (*pool.scans, *pool.operations)):
        reasons.append(_("wait for the {what} that runs on it to end", what="scan"))
    if pool.damaged:
        reasons.append(_("it has damaged files, at which `zfs send` stops: restore or delete them"))
    if reasons:
        raise Refusal(
            _("The pool {pool} cannot be moved as it is", pool=pool.name),
            reasons=tuple(reasons),
            todo=_("Fix that, read the machine again, and try again."),
        )


def _warnings(pool: Pool, known: ExistingPool) -> list[str]:
    warnings = []
    lost = sum(1 for leaf in pool.leaves() if leaf.section != "spares" and leaf.state not in (None, *WELL))
    if lost:
        text = ngettext(
            "{count} device of {pool} is not online, and counted as gone: fix that first for more redundancy.",
            "{count} devices of {pool} are not online, and counted as gone: fix that first for more redundancy.",
            lost,
            pool=pool.name,
        )
        warnings.append(text)
    if known.datasets is None:
        warnings.append(_("The datasets were not read: read the machine with the collector, or over SSH."))
    return warnings


# Whether everything fits: the data into the new pool as first created and into the rest of the old one, disks into
# their vdevs.

# Of the rest of an old pool whose vdev is taken out: OpenZFS wants room to work.
MOST_FILLED_PERCENT = 95


def first_room(target: Design, creation: MigrationStep) -> int:
    """Return USED + AVAIL of the new pool as it is created, with files in the places that wait for a disk."""
    vdevs = new_vdevs_with(target, creation.vdevs, creation.places)
    return predict_design(replace(target, vdevs=vdevs)).available_bytes


def room_without(old: OldData, evacuated: tuple[str, ...]) -> int:
    return predict_design(replace(old.design, vdevs=old_vdevs_without(old, (), evacuated))).available_bytes


def too_small_later(target: Design, creation: MigrationStep) -> tuple[NewPlace, ...]:
    """Return the places of mirrors whose disk comes later and is smaller than those that are there: it is refused."""
    found = []
    for number in creation.vdevs:
        vdev = target.vdevs[number]
        if vdev.kind is not VdevKind.MIRROR:
            continue
        sizes = [leaf_bytes(placeholder_bytes(target, key)) for key in vdev.keys]
        least = min(size for i, size in enumerate(sizes) if NewPlace(number, i) in creation.places)
        found += [NewPlace(number, i) for i, size in enumerate(sizes) if size < least]
    return tuple(found)
