"""Flash beside a pool of hard disks: which of special, log and cache are worth a drive, as far as one can tell."""

from collections.abc import Iterator
from dataclasses import replace
from math import log2

from poolwright.changes.improve.ground import PoolAtHand
from poolwright.changes.improve.values import ChangeKind, PoolChange, Urgency
from poolwright.design.roles.advice import apply_roles, judge_roles, setting_of
from poolwright.design.roles.model import RoleJudgement, Verdict, gain_words
from poolwright.design.support import Role, chosen_roles
from poolwright.domain.catalogue import Catalogue
from poolwright.domain.design import Design, Member, Vdev
from poolwright.domain.disk import FLASH_MEDIA, Disk, Health, Media
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.pool import PoolNode, ScanKind
from poolwright.domain.units import GB, drive_size
from poolwright.domain.vdev import ALLOCATION_CLASSES, VdevClass
from poolwright.rules.existing_tree import device_name, missing_seats
from poolwright.rules.profile import keeps_writes
from poolwright.texts import listed, marked, tell, tell_counted

_KINDS = {Role.SPECIAL: ChangeKind.SPECIAL, Role.LOG: ChangeKind.LOG, Role.CACHE: ChangeKind.CACHE}
_SIDES = {Role.LOG: 2, Role.CACHE: 1}
_URGENCIES = {
    Verdict.HELPS: Urgency.WORTH, Verdict.DOES_NOT_HELP: Urgency.NOT, Verdict.CANNOT_TELL: Urgency.ASK,
}  # fmt: skip
_USUAL_BYTES = 960 * GB
_LEAST_BYTES = {Role.LOG: 32 * GB}  # a log never holds more than some seconds of writes


def flash_changes(ground: PoolAtHand) -> Iterator[PoolChange]:
    """Yield special, log and cache for a pool without them, each as worthwhile as the roles are judged."""
    vdevs = [v for _, v in ground.data]
    if any(ground.state.disk(m.disk_key).media in FLASH_MEDIA for v in vdevs for m in v.members):
        return
    present = {v.vdev_class for v in ground.state.vdevs}
    least = min((v.failures_survived for v in vdevs), default=0)
    for role in (Role.SPECIAL, Role.LOG, Role.CACHE):
        if role.vdev_class in present or role in chosen_roles(ground.made.design):
            continue
        change = _change(ground, role, _SIDES.get(role, max(2, least + 1)))
        if change is not None:
            yield change


def _change(ground: PoolAtHand, role: Role, sides: int) -> PoolChange | None:
    least = _LEAST_BYTES.get(role, _USUAL_BYTES // 2)
    disks = next(iter(_for_role(ground, role).choices(sides, least, Media.SSD)))
    disks = tuple(_sized(disk) for disk in disks)
    flash = tuple(disk for disk in ground.made.design.disks if disk.media not in FLASH_MEDIA)
    design = replace(ground.made.design, disks=(*flash, *disks))
    try:
        advice = judge_roles(setting_of(design))
        judged = advice.of(role)
    except PoolwrightError:
        return None
    helps = judged.verdict is Verdict.HELPS
    made = apply_roles(design, advice, (role,)) if helps else None
    placed = made is not None and any(vdev.vdev_class is role.vdev_class for vdev in made.vdevs)
    return PoolChange(
        kind=_KINDS[role],
        urgency=_URGENCIES[judged.verdict],
        title=_title(role, disks),
        why=" ".join(judged.because),
        design=made if placed else None,
        disks=disks if helps else (),
        cost=ground.cost(disks) if helps else None,
        gains=(gain_words(judged.gain),) if helps and judged.gain is not None else (),
        points=_points(judged) if helps else 0.0,
        rewrite=tell("Metadata and small blocks that are stored already stay where they are until written anew.")
        if role is Role.SPECIAL
        else "",
        minds=tuple(_minds(ground, role, judged)),
    )


def _for_role(ground: PoolAtHand, role: Role) -> PoolAtHand:
    """Return what a role is chosen from: for a log only drives that may keep confirmed writes in a power cut."""
    if role is not Role.LOG:
        return ground
    own = tuple(one for one in ground.catalogue.products if one.media in FLASH_MEDIA and one.power_loss_protection)
    products = own if any(one.price is not None for one in own) else ground.flash.products
    free = tuple(disk for disk in ground.free if keeps_writes(disk) is not False)
    return replace(ground, catalogue=Catalogue(products=products), free=free)


def _sized(disk: Disk) -> Disk:
    return replace(disk, size_bytes=disk.size_bytes if not disk.planned or disk.price else _USUAL_BYTES)


def _title(role: Role, disks: tuple[Disk, ...]) -> str:
    count = len(disks)
    if role is Role.SPECIAL:
        return tell("Add a special vdev of {count} flash drives", count=count)
    if role is Role.LOG:
        return tell("Add a log of two flash drives with power-loss protection")
    return tell("Add a flash drive as cache (L2ARC)")


def _points(judged: RoleJudgement) -> float:
    """Return the points of the gain that was reckoned: five for each doubling, as random writes have."""
    gain = judged.gain
    if gain is None or gain.before.typical <= 0 or gain.after.typical <= 0:
        return 2.0 if judged.verdict is Verdict.HELPS else 0.0
    ratio = gain.after.typical / gain.before.typical
    return min(20.0, 5 * abs(log2(ratio)))


def _minds(ground: PoolAtHand, role: Role, judged: RoleJudgement) -> Iterator[str]:
    if judged.missing:
        yield tell("Not known: {texts}", texts=listed(judged.missing))
    if role.vdev_class in ALLOCATION_CLASSES and any(v.parity for _, v in ground.data):
        yield tell("In a pool with raidz it never leaves again, and when it is lost the pool is lost.")
    if role.vdev_class is VdevClass.LOG:
        yield tell("Only writes that programs wait for go through it; it makes nothing else faster.")
    yield from judged.risks


# Disks of the pool that are broken or about to be: which disk takes the place of each.

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
        disks=tuple(come),
        cost=ground.cost(come),
        minds=tuple(_by_spare(ground)),
    )


def _bad(ground: PoolAtHand) -> Iterator[tuple[Vdev, Member, str, str]]:
    """Yield each place whose disk is broken or about to be, with what is wrong and what a person calls the disk."""
    design = ground.made.design
    groups = (one for node in ground.made.nodes for one in _within(node) if _being_replaced(one))
    replaced = {id(leaf) for group in groups for leaf in group.children}
    for vdev, member, _, leaf in ground.made.seats():
        if id(leaf) in replaced:
            continue
        disk = design.disk(member.disk_key)
        name = device_name(leaf, ground.made.nodes) if leaf.name.isdecimal() else disk.label
        if leaf.state == "REMOVED":
            yield (
                vdev,
                member,
                tell("{disk} is REMOVED: if `zpool online` brings it back, buy nothing.", disk=name),
                name,
            )
        elif leaf.state in _BROKEN:
            yield vdev, member, tell("{disk} is {state}.", disk=name, state=leaf.state), name
        elif disk.health is Health.FAILING:
            why = tell("{disk} says itself that it is failing (SMART).", disk=name)
            yield vdev, member, why if vdev.failures_survived else f"{why} {tell(_COPY_FIRST)}", name


def _within(node: PoolNode) -> Iterator[PoolNode]:
    yield node
    for child in node.children:
        yield from _within(child)


def _being_replaced(node: PoolNode) -> bool:
    return node.kind == "replacing" and any(leaf.state == "ONLINE" for leaf in node.leaves())


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
    nodes = [one for node in ground.made.nodes for one in _within(node)]
    groups = [one for one in nodes if one.kind == "spare" and len(one.children) > 1]
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
