"""Disks of the pool that are broken or about to be: which disk takes the place of each."""

from collections.abc import Iterator
from dataclasses import replace

from poolwright.changes.as_design import seats_of
from poolwright.changes.improve.ground import PoolAtHand
from poolwright.changes.improve.values import ChangeKind, PoolChange, Urgency
from poolwright.domain.design import Design, Member, Vdev
from poolwright.domain.disk import Disk, Health
from poolwright.domain.existing_pool import ScanKind
from poolwright.domain.pool import PoolNode
from poolwright.domain.units import drive_size
from poolwright.domain.vdev import VdevClass
from poolwright.rules.existing_tree import device_name, missing_seats
from poolwright.texts import marked, tell, tell_counted

_COPY_FIRST = marked("Nothing else holds its data: copy them to another pool before anything else.")
_BROKEN = frozenset({"FAULTED", "UNAVAIL", "REMOVED"})


def replacements(ground: PoolAtHand) -> Iterator[PoolChange]:
    """Yield one change that replaces every disk which is gone, faulted, or failing by its own word."""
    found = list(_bad(ground))
    bad = [(vdev, member, why) for vdev, member, why, _ in found]
    if not bad:
        return
    design = ground.made.design
    come: list[Disk] = []
    for vdev, member, _ in bad:
        size = member.slice_bytes or design.disk(member.disk_key).size_bytes or 0
        taken = {disk.key for disk in come}
        rest = replace(ground, free=tuple(disk for disk in ground.free if disk.key not in taken))
        chosen = next(iter(rest.choices(1, size, ground.media([vdev]))))[0]
        come.append(replace(chosen, key=f"{chosen.key} {len(come) + 1}") if chosen.planned else chosen)
    changed = design
    for (_, member, _), disk in zip(bad, come, strict=True):
        changed = _with(changed, member, disk)
    names = ", ".join(name for *_, name in found)
    yield PoolChange(
        kind=ChangeKind.REPLACE_FAILING,
        urgency=Urgency.FIRST,
        title=tell("Replace {disks}", disks=names),
        why=" ".join((*(why for _, _, why in bad), *_left(ground))),
        design=changed,
        bought=tuple(disk for disk in come if disk.planned),
        at_hand=tuple(disk for disk in come if not disk.planned),
        cost=ground.cost(come),
        minds=tuple(_by_spare(ground)),
    )


def _bad(ground: PoolAtHand) -> Iterator[tuple[Vdev, Member, str, str]]:
    """Yield each place whose disk is broken or about to be, with what is wrong and what a person calls the disk."""
    design = ground.made.design
    for vdev, node in zip(design.vdevs, ground.made.nodes, strict=True):
        replaced = {id(leaf) for group in _groups(node) for leaf in group.children}
        for member, leaf in zip(vdev.members, seats_of(node), strict=True):
            if id(leaf) in replaced:
                continue
            disk = design.disk(member.disk_key)
            name = device_name(leaf, ground.made.nodes) if leaf.name.isdecimal() else disk.label
            if leaf.state == "REMOVED":
                yield vdev, member, tell("{disk} is REMOVED: where it comes back with `zpool online`, nothing is to be "
                                         "bought.", disk=name), name  # fmt: skip
            elif leaf.state in _BROKEN:
                yield vdev, member, tell("{disk} is {state}.", disk=name, state=leaf.state), name
            elif disk.health is Health.FAILING:
                why = tell("{disk} says itself that it is failing (SMART).", disk=name)
                yield vdev, member, why if vdev.failures_survived else f"{why} {tell(_COPY_FIRST)}", name


def _groups(node: PoolNode) -> Iterator[PoolNode]:
    """Yield the replacements within a vdev that a working disk is filled for."""
    for child in node.children:
        if child.kind == "replacing" and any(leaf.state == "ONLINE" for leaf in child.leaves()):
            yield child
        yield from _groups(child)


def _left(ground: PoolAtHand) -> Iterator[str]:
    """Yield how many failures each vdev with a broken disk bears until the rebuild has ended."""
    resilvering = ground.known.runs(ScanKind.RESILVER)
    for vdev, node in zip(ground.made.design.vdevs, ground.made.nodes, strict=True):
        gone = missing_seats(node, resilvering=resilvering)
        left = vdev.failures_survived - gone
        if not gone or vdev.vdev_class is VdevClass.SPARE:
            continue
        if left > 0:
            yield tell_counted("Until that is rebuilt, {vdev} bears {count} failure more.",
                               "Until that is rebuilt, {vdev} bears {count} failures more.", left,
                               vdev=node.name)  # fmt: skip
        else:
            yield tell("Until that is rebuilt, {vdev} bears no failure: the next one is the end of the pool.",
                       vdev=node.name)  # fmt: skip


def _with(design: Design, member: Member, disk: Disk) -> Design:
    vdevs = tuple(
        replace(v, members=tuple(Member(disk_key=disk.key) if m == member else m for m in v.members))
        for v in design.vdevs
    )
    known = design.disks if any(one.key == disk.key for one in design.disks) else (*design.disks, disk)
    return replace(design, vdevs=vdevs, disks=known)


def _by_spare(ground: PoolAtHand) -> Iterator[str]:
    """Yield which hot spare stands in for a broken disk, else which one waits and can."""
    groups = [group for node in ground.made.nodes for group in _spare_groups(node)]
    for first, *others in (group.children for group in groups):
        there = next((one for one in others if one.state == "ONLINE" and one.kind != "dspare"), None)
        if there is not None and first.state in _BROKEN:
            yield tell("The spare {spare} stands in for {disk}: `zpool detach` of {disk} makes it a member for good, "
                       "and the new disk can be the next spare.", spare=there.label, disk=first.label)  # fmt: skip
    if groups:
        return
    for vdev, node in zip(ground.made.design.vdevs, ground.made.nodes, strict=True):
        if vdev.vdev_class is VdevClass.SPARE and node.state in {None, "AVAIL"}:
            disk = ground.made.design.disk(vdev.members[0].disk_key)
            yield tell("The hot spare {disk} ({size}) can take the place until then: zpool replace with it.",
                       disk=disk.label, size=drive_size(disk.size_bytes))  # fmt: skip
            return


def _spare_groups(node: PoolNode) -> Iterator[PoolNode]:
    if node.kind == "spare" and len(node.children) > 1:
        yield node
    for child in node.children:
        yield from _spare_groups(child)
