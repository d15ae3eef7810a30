"""A design against the pool that exists: what differs, the steps that change it in a safe order, what cannot be."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from poolwright.capacity.expansion import why_too_old
from poolwright.changes.as_design import PoolDesign, PoolVdev, design_of_pool, not_known, why_no_pool
from poolwright.changes.live_difference import vdevs
from poolwright.changes.live_difference.datasets import dataset_changes, pool_changes, with_course
from poolwright.changes.live_difference.tops import (
    held_while_barred,
    held_while_hurt,
    held_while_unusable,
    in_safe_order,
    on_machine,
    state_of_vdevs,
    wanted_tops,
)
from poolwright.changes.live_difference.values import LiveComparison, LiveDifference, LiveWay, differs
from poolwright.domain.action import Action, AddVdevs, Attach, OnPool, Reimport, Replace, Verb, coming, expands
from poolwright.domain.design import Design
from poolwright.domain.errors import Refusal, UserError
from poolwright.domain.host import Inventory
from poolwright.domain.pool import ExistingPool, Pool, ScanState
from poolwright.domain.pool_settings import autoexpands
from poolwright.domain.vdev import VdevClass
from poolwright.domain.version import DEFAULT_VERSION
from poolwright.texts import _, ngettext


def compare_with_live(design: Design, inventory: Inventory, pool: Pool, *, force: bool = False) -> LiveComparison:
    """Return what differs between a design's pool of that name (else its first) and the pool on the machine. Pure.

    Disks are told by world-wide name, stable name or serial number. With ``force`` vdevs are added that are unlike
    those there. Raises UserError where the pool shows no data vdev, Refusal where none of the design's disks is there.
    """
    known = inventory.facts_of(pool) or ExistingPool(name=pool.name, origin=inventory.origin)
    made = design_of_pool(inventory, pool, workload=design.workload)
    of_name = next((one for one in design.pools() if one.pool_name == pool.name), design.pools()[0])
    wanted = on_machine(replace(of_name, version=inventory.host.modelled or DEFAULT_VERSION), made.design.disks)
    _need_disks_here(wanted, made)
    # In the order of `zpool status`: what is told of vdevs stands as people see them there.
    order = {node.name: number for number, node in enumerate(pool.vdevs)}
    tops = tuple(sorted(made.tops, key=lambda top: order[top.node.name]))
    found = held_while_hurt(_vdev_changes(wanted, made, tops, known, force=force), pool.state)
    found.extend(pool_changes(wanted, known, pool.name))
    found.extend(dataset_changes(wanted, known, pool.name))
    found = held_while_unusable([*found, *_renamed(wanted, pool)], pool.state, pool.name)
    steps, stuck = in_safe_order(held_while_barred(found), tops)
    if any(one.bars for one in stuck):
        found, steps, stuck = held_while_barred([*steps, *stuck, *(one for one in found if one.action is None)]), (), ()
    # Without the disk that was to come there is no room that `zpool online -e` could take.
    held = {one.place for one in stuck}
    steps = tuple(one for one in steps if not expands(one.action) or one.place not in held)
    steps = with_course(steps, tops, wanted, made, known)
    steps = _bound_first(steps, wanted, {disk.key for disk in made.design.disks})
    others = [one for one in found if one.action is None]
    return LiveComparison(
        design=wanted,
        live=made.design,
        pool=pool,
        known=known,
        differences=(*steps, *stuck, *others),
        before=tuple(_before(pool, known, steps)),
        seats=tuple(seat for top in tops for seat in top.seats),
    )


# Of a design of another machine every disk would be taken for a replacement of one that is here.
def _need_disks_here(wanted: Design, made: PoolDesign) -> None:
    real = {disk.key for disk in wanted.disks if not disk.planned}
    if not real or real.intersection(disk.key for disk in made.design.disks):
        return
    raise Refusal(
        ngettext("The design's {count} disk is not on this machine: 0 of {count} are here",
                     "None of the design's {count} disks is on this machine: 0 of {count} are here", len(real)),
        todo=_("Compare it with the machine it was made for, or fit it to the disks here with “poolwright bind”."),
    )  # fmt: skip


# A data vdev that leaves while the one that stands in for it cannot come leaves the pool smaller for nothing.
def _with_what_replaces(found: Sequence[LiveDifference]) -> list[LiveDifference]:
    lacking = next((one for one in found if one.way is LiveWay.CANNOT and one.name == "data" and not one.found), None)
    if lacking is None:
        return list(found)
    reason = _("Not before this has come: {vdev}.", vdev=lacking.wanted)
    return [one.refused(reason) if one.bars and one.action is not None else one for one in found]


def pool_for(design: Design, inventory: Inventory, name: str | None = None) -> Pool:
    """Return the imported pool that a design is held against: the one named, that of its name, or the only one.

    Raises UserError where there is none, or several and none of them has the design's name.
    """
    imported = inventory.imported()
    wanted = [name] if name is not None else [one.pool_name for one in design.pools()]
    chosen = next((pool for one in wanted for pool in imported if pool.name == one), None)
    if chosen is not None:
        return chosen
    if name is None and len(imported) == 1:
        return imported[0]
    why, todo = why_no_pool(inventory, wanted[0])
    raise UserError(why, todo=_("{there} Name one with --pool.", there=todo) if imported else todo)


def _vdev_changes(
    wanted: Design, made: PoolDesign, tops: tuple[PoolVdev, ...], known: ExistingPool, *, force: bool
) -> list[LiveDifference]:
    pool = made.design.pool_name
    traces = bool(known.mapping_bytes) or known.value("feature@obsolete_counts") == "active"
    ground = vdevs.JudgedBy(
        design=wanted,
        pool=pool,
        tops=tops,
        state=state_of_vdevs(tops, wanted, sizes_known=made.sizes_known, traces=traces),
        expands=autoexpands(wanted) is True,
        force=force,
    )
    pairs, added, leaving = vdevs.paired(tops, wanted_tops(wanted), ground.fits)
    ground = replace(ground, added=added, leaving=leaving)
    found = [change for pair in pairs for change in vdevs.changes_of_pair(pair, ground)]
    found.extend((*vdevs.additions(ground), *vdevs.removals(ground), *_ashifts(pairs, made, ground)))
    placed = held_while_barred(_with_what_replaces(_usable(found, wanted, made)))
    actions = [one.action for one in placed if one.action is not None]
    return [*vdevs.enabling(actions, pool, known), *_checkpoint(actions, pool, known), *placed]


# Larger blocks than the design's harm nothing but room: they are told only where no vdev has those of the design.
def _ashifts(pairs: tuple[vdevs.Pair, ...], made: PoolDesign, ground: vdevs.JudgedBy) -> Iterator[LiveDifference]:
    wanted, least = ground.design.ashift, made.design.ashift
    for top, one in pairs:
        ashift = top.ashift
        if one.vdev_class is not VdevClass.DATA or ashift is None or not ground.design.ashift_read:
            continue
        if ashift < wanted or (ashift > wanted and least > wanted):
            why_not = _(
                "The ashift of a vdev is for good, and zpool remove wants one ashift in all vdevs: only a new pool has "
                "another."
            )
            yield differs(top.name, "ashift", str(ashift), str(wanted), why_not=why_not)


# The changes, without those for which the machine's OpenZFS is too old or a disk is in use elsewhere.
def _usable(changes: list[LiveDifference], wanted: Design, made: PoolDesign) -> list[LiveDifference]:
    disks = {disk.key: disk for disk in made.design.disks}
    mine = {member.disk_key for vdev in made.design.vdevs for member in vdev.members}
    found = []
    for one in changes:
        if one.action is None:
            found.append(one)
            continue
        feature = vdevs.feature_of(one.action)
        problem = next(why_too_old(feature, wanted.version), "") if feature else ""
        hints = []
        for device in coming(one.action):
            disk, own = disks.get(device.disk_key), wanted.disk(device.disk_key)
            if disk is None and not own.planned:
                hints.append(_("{disk} was not seen on this machine.", disk=own.label))
            elif disk is not None and disk.uses and disk.key not in mine:
                problem = problem or _("{disk} is in use ({use}): free it first.", disk=own.label, use=disk.uses[0])
        if problem:
            found.append(one.refused(problem))
        else:
            found.append(replace(one, reason=" ".join(part for part in (one.reason, *hints) if part)))
    return found


# The steps in order; the first that needs disks which are only planned says so, once for all of them.
def _bound_first(
    changes: Sequence[LiveDifference], wanted: Design, real: Collection[str]
) -> tuple[LiveDifference, ...]:
    needed = [_planned(one, wanted, real) for one in changes]
    labels = list(dict.fromkeys(label for of_step in needed for label in of_step))
    first = next((number for number, of_step in enumerate(needed) if of_step), None)
    if first is None:
        return tuple(changes)
    bind_first = ngettext("{disks} is planned: bind it to a real disk first.",
                        "{disks} are planned: bind them to real disks first.", len(labels),
                        disks=", ".join(labels))  # fmt: skip
    one = changes[first]
    reason = " ".join(part for part in (bind_first, one.reason) if part)
    return (*changes[:first], replace(one, reason=reason), *changes[first + 1 :])


def _planned(one: LiveDifference, wanted: Design, real: Collection[str]) -> list[str]:
    disks = (wanted.disk(device.disk_key) for device in coming(one.action) if device.disk_key not in real)
    return [disk.label for disk in disks if disk.planned]


def _checkpoint(actions: Sequence[Action], pool: str, known: ExistingPool) -> Iterator[LiveDifference]:
    # With it OpenZFS refuses what changes the shape of a vdev (spa_vdev_attach, _detach, _remove).
    changing = (one for one in actions if isinstance(one, Attach | Replace | OnPool) and not expands(one))
    if known.checkpoint_bytes is None or next(changing, None) is None:
        return
    text = _("The pool has a checkpoint: with it no disk is attached, replaced, detached or removed.")
    action = OnPool(pool=pool, verb=Verb.DISCARD_CHECKPOINT)
    mind = _("The way back to the checkpoint is lost.")
    yield differs(pool, "checkpoint", "yes", "", text, action=action, mind=mind)


def _renamed(wanted: Design, pool: Pool) -> Iterator[LiveDifference]:
    if wanted.pool_name == pool.name:
        return
    old, new = pool.name, wanted.pool_name
    action = Reimport(pool=old, as_name=new, stable=False)
    mind = _("It is exported meanwhile, and every path with its name in it changes.")
    yield differs(old, "name", old, new, action=action, mind=mind)


# What to wait for, or to mend, before the vdevs of a pool are changed.
def _before(pool: Pool, known: ExistingPool, steps: Sequence[LiveDifference]) -> Iterator[str]:
    if not any(isinstance(step.action, AddVdevs | Attach | Replace | OnPool) for step in steps):
        return
    if not pool.status_read:
        yield not_known(pool)
    if pool.state not in (None, "ONLINE") and not any(step.mends for step in steps):
        yield _("The pool is {state}: fix that first; zpool status -v says what is wrong.", state=pool.state)
    for scan in known.scans:
        if scan.state is ScanState.RUNNING:
            yield _("Wait for the running {scan} to end first.", scan=_(scan.kind.words))
    if pool.damaged:
        yield _("Files are damaged: restore them first, zpool status -v names them.")
    groups = {node.kind for vdev in pool.vdevs for node in (vdev, *vdev.children)}
    if "replacing" in groups:
        yield _("A disk is being replaced: wait for its end first.")
    if "spare" in groups:
        yield _("A spare stands in for a disk: replace that disk first, then the spare is free again.")
    yield _("A backup that was tried: no change of vdevs is without risk.")
