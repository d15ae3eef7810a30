"""Flash beside a pool of hard disks: which of special, log and cache are worth a drive, as far as one can tell."""

from collections.abc import Iterator
from dataclasses import replace
from math import log2

from poolwright.changes.improve.ground import PoolAtHand
from poolwright.changes.improve.values import ChangeKind, PoolChange, Urgency
from poolwright.design.roles.advice import apply_roles, chosen_roles, judge_roles, setting_of
from poolwright.design.roles.model import Role, RoleJudgement, Verdict
from poolwright.design.roles.words import gain_words
from poolwright.domain.catalogue import Catalogue
from poolwright.domain.disk import FLASH_MEDIA, Disk, Media
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.units import GB
from poolwright.domain.vdev import ALLOCATION_CLASSES, VdevClass, VdevKind
from poolwright.rules.power_loss import keeps_writes
from poolwright.texts import listed, tell

_KINDS = {Role.SPECIAL: ChangeKind.SPECIAL, Role.LOG: ChangeKind.LOG, Role.CACHE: ChangeKind.CACHE}
_SIDES = {Role.LOG: 2, Role.CACHE: 1}
_URGENCIES = {
    Verdict.HELPS: Urgency.WORTH, Verdict.DOES_NOT_HELP: Urgency.NOT, Verdict.CANNOT_TELL: Urgency.ASK,
}  # fmt: skip
_USUAL_BYTES = 960 * GB
_LEAST_BYTES = {Role.LOG: 32 * GB}  # a log never holds more than some seconds of writes
_PARITY = (VdevKind.RAIDZ, VdevKind.DRAID)


def flash_changes(ground: PoolAtHand) -> Iterator[PoolChange]:
    """Yield special, log and cache for a pool without them, each as worthwhile as the roles are judged."""
    vdevs = [v for _, v in ground.data]
    if any(ground.state.disk(m.disk_key).media in FLASH_MEDIA for v in vdevs for m in v.members):
        return
    present = {v.vdev_class for v in (*ground.state.tops, *ground.state.others) if v is not None}
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
        bought=tuple(disk for disk in disks if disk.planned) if helps else (),
        at_hand=tuple(disk for disk in disks if not disk.planned) if helps else (),
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
    if role.vdev_class in ALLOCATION_CLASSES and any(v.kind in _PARITY for _, v in ground.data):
        yield tell("In a pool with raidz it never leaves again, and when it is lost the pool is lost.")
    if role.vdev_class is VdevClass.LOG:
        yield tell("Only writes that programs wait for go through it; it makes nothing else faster.")
    yield from judged.risks
