"""What could be done to a pool: each change as steps of growth, with the number of disks it takes and its cautions."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from math import log2

from poolwright.changes.growth.design import exchange_words
from poolwright.changes.improve.pool_change import ChangeKind, PoolChange, PoolToImprove, Urgency
from poolwright.design.floors import FAILURES_WANTED, FEW_DISKS, WIDEST, too_wide
from poolwright.design.roles.advice import apply_roles, judge_roles, setting_of
from poolwright.design.roles.verdicts import RoleJudgement, Verdict, gain_words
from poolwright.design.support import Role, chosen_roles
from poolwright.domain.catalogue import Catalogue
from poolwright.domain.design import Design, Member, Vdev
from poolwright.domain.disk import FLASH_MEDIA, Disk, Health, Media
from poolwright.domain.errors import PoolwrightError
from poolwright.domain.grouping import grouped
from poolwright.domain.growth import GrowthKind, GrowthStep
from poolwright.domain.pool import ScanKind
from poolwright.domain.units import GB, drive_size
from poolwright.domain.vdev import ALLOCATION_CLASSES, VdevClass, VdevKind, VdevSpec, describe
from poolwright.rules.existing_tree import device_name, missing_seats
from poolwright.rules.profile import keeps_writes
from poolwright.texts import N_, _, listed, ngettext

_LARGER = 1.2  # a replacement that is larger by less is not worth its resilvers
_MOST_OF_A_KIND = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeDraft:
    """A change before disks are chosen: steps of growth, each with how many disks of ``least`` bytes it takes.

    ``urgent`` mends what is wrong; ``times`` is how often the same is done, with ``larger`` disks bring more,
    ``unpriced`` is their size where no catalogue has any; ``refused`` says why nobody should, or can; what is
    ``seldom`` worth it brings little in most pools.
    """

    kind: ChangeKind
    title: str
    why: str
    takes: tuple[tuple[GrowthStep, int], ...] = ()
    least: int = 0
    media: Media | None = None
    urgent: bool = False
    times: int = 1
    larger: bool = False
    unpriced: int | None = None
    refused: str = ""
    seldom: bool = False
    rewrite: str = ""
    minds: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        return sum(count for __, count in self.takes)

    def steps(self, disks: Sequence[Disk]) -> Iterator[GrowthStep]:
        rest = iter(disks)
        for step, count in self.takes:
            come = tuple(islice(rest, count))
            sizes = tuple(disk.size_bytes or 0 for disk in come)
            new = iter(disk.key for disk in come)
            keys = tuple(stays or next(new) for stays in step.disk_keys or ("",) * count)
            if step.vdev is not None:
                yield replace(step, vdev=replace(step.vdev, sizes=sizes), disk_keys=keys)
            else:
                yield replace(step, size_bytes=min(sizes), disk_keys=keys)


def drafts(pool: PoolToImprove) -> Iterator[ChangeDraft]:
    yield from _bare_disks(pool)
    yield from _lone_support(pool)
    yield from _lone_logs(pool)
    yield from _more_vdevs(pool)
    yield from _larger_disks(pool)
    yield from _wider(pool)
    third = ChangeDraft(
        kind=ChangeKind.ADD_SIDES,
        title=_("Make each mirror three-way"),
        why=_("While one side is rebuilt the other is the only copy; a third one takes that away."),
    )
    pairs = [(n, v) for n, v in pool.data if v.kind is VdevKind.MIRROR and len(v.members) == 2]
    yield from _one_side_more(pool, pairs, third)
    yield from _spares(pool)


def _bare_disks(pool: PoolToImprove) -> Iterator[ChangeDraft]:
    bare = [(n, v) for n, v in pool.data if v.kind is VdevKind.STRIPE]
    side = ChangeDraft(
        kind=ChangeKind.MIRROR_BARE,
        title=_("Mirror each single disk"),
        why=ngettext(
            "{count} disk stands alone: when it fails the whole pool is lost.",
            "{count} disks stand alone: when one of them fails the whole pool is lost.",
            len(bare),
        ),
        urgent=True,
    )
    yield from _one_side_more(pool, bare, side)


# Special and dedup vdevs that survive fewer failures than the data: the pool is lost with them.
def _lone_support(pool: PoolToImprove) -> Iterator[ChangeDraft]:
    survived = min((v.failures_survived for __, v in pool.data), default=0)
    mirrors = ((n, v) for n, v in pool.of_class(*ALLOCATION_CLASSES) if v.kind in (VdevKind.STRIPE, VdevKind.MIRROR))
    weak = [(n, v) for n, v in mirrors if v.failures_survived < survived]
    lone = any(v.failures_survived == 0 for __, v in weak)
    side = ChangeDraft(
        kind=ChangeKind.MIRROR_SUPPORT,
        title=_("Make the special vdev as redundant as the data"),
        why=_("The special vdev holds the only copy of its blocks: when it is lost, all of the pool is.")
        if lone
        else _("The special vdev survives fewer failures than the data, and the pool survives no more than it."),
        media=Media.SSD,
        urgent=lone,
    )
    yield from _one_side_more(pool, [(n, v) for n, v in weak for __ in range(survived - v.failures_survived)], side)


def _lone_logs(pool: PoolToImprove) -> Iterator[ChangeDraft]:
    alone = [(n, v) for n, v in pool.of_class(VdevClass.LOG) if v.kind is VdevKind.STRIPE]
    side = ChangeDraft(
        kind=ChangeKind.MIRROR_LOG,
        title=_("Mirror the log device"),
        why=_("A log that fails alone only makes the pool slow; where it fails together with the machine, the last "
             "seconds of confirmed writes are lost."),
        media=Media.SSD,  # nobody should buy platters for a log
        seldom=True,
        minds=(_("Take a drive with power-loss protection, as the one that is there should have."),),
    )  # fmt: skip
    yield from _one_side_more(pool, alone, side)


# The change by which each of these vdevs gets a side more, of its ``media`` where theirs are not known.
def _one_side_more(pool: PoolToImprove, vdevs: Sequence[tuple[int, Vdev]], draft: ChangeDraft) -> Iterator[ChangeDraft]:
    if vdevs:
        mirrors = [v for __, v in vdevs]
        takes = tuple((GrowthStep(kind=GrowthKind.ATTACH, top=n), 1) for n, __ in vdevs)
        media = pool.media(mirrors) or draft.media
        yield replace(draft, takes=takes, least=max(map(pool.size, mirrors)), media=media)


def main_vdev(pool: PoolToImprove) -> Vdev | None:
    """Return the data vdev that most others are like; None where there is none."""
    shapes = grouped(((vdev.kind, vdev.parity, len(vdev.members)), vdev) for __, vdev in pool.data)
    return max(shapes.values(), key=len)[0] if shapes else None


def _more_vdevs(pool: PoolToImprove) -> Iterator[ChangeDraft]:
    like = main_vdev(pool)
    if like is None or like.kind is VdevKind.STRIPE:
        return
    width = len(like.members)
    words = describe((like.sizeless(),))
    most = _MOST_OF_A_KIND if like.kind is VdevKind.MIRROR else 1
    for times in range(1, most + 1):
        yield ChangeDraft(
            kind=ChangeKind.ADD_VDEV,
            title=ngettext("Add {count} more vdev ({vdev})",
                               "Add {count} more vdevs ({vdev})", times, vdev=words),
            why=_("A further vdev of the same kind brings room and speed, and keeps what the pool survives."),
            takes=((GrowthStep(kind=GrowthKind.ADD, vdev=like.sizeless()), width),) * times,
            least=min(pool.size(v) for __, v in pool.data),
            media=pool.media([v for __, v in pool.data]),
            times=times,
            larger=True,
            rewrite=_("What is stored already stays on the old vdevs; new data go mostly to the empty one."),
            minds=tuple(_minds_of_more(pool, like)),
        )  # fmt: skip


def _minds_of_more(pool: PoolToImprove, like: Vdev) -> Iterator[str]:
    goal = pool.made.design.workload.goal
    disks = sum(len(v.members) for __, v in pool.data)
    if like.failures_survived < FAILURES_WANTED[goal] and disks > FEW_DISKS[goal]:
        yield ngettext(
            "Each of these vdevs survives only {count} failure: more of them add to that risk.",
            "Each of these vdevs survives only {count} failures: more of them add to that risk.",
            like.failures_survived,
        )
    if like.parity:
        yield _("It can never be removed again.")


# The replacement of all disks of the vdev with the smallest ones.
def _larger_disks(pool: PoolToImprove) -> Iterator[ChangeDraft]:
    redundant = [(number, vdev) for number, vdev in pool.data if vdev.failures_survived]
    if not redundant:
        return
    number, vdev = min(redundant, key=lambda each: (pool.size(each[1]), len(each[1].members)))
    # Disks that are large and sound stay; "" stands for a new one.
    keys = tuple("" if _is_replaced(pool, m.disk_key, pool.size(vdev)) else m.disk_key for m in vdev.members)
    minds = [_("One disk after the other, each resilver awaited; the vdev grows with the last one.")]
    if vdev.parity == 1:
        minds.append(_("It still survives only one failure, and larger disks take longer to rebuild."))
    minds.append(exchange_words(vdev.failures_survived))
    yield ChangeDraft(
        kind=ChangeKind.REPLACE_LARGER,
        title=_("Replace the {size} disks of one {vdev} with larger ones", size=drive_size(pool.size(vdev)),
                   vdev=describe((vdev.sizeless(),))),
        why=_why_larger(pool, vdev),
        takes=((GrowthStep(kind=GrowthKind.REPLACE, top=number, disk_keys=keys), keys.count("")),),
        least=round(pool.size(vdev) * _LARGER),
        unpriced=2 * pool.size(vdev),
        media=pool.media([vdev]),
        larger=True,
        minds=tuple(minds),
    )  # fmt: skip


def _is_replaced(pool: PoolToImprove, key: str, least: int) -> bool:
    disk = pool.state.disk(key)
    return (disk.size_bytes or 0) < least * _LARGER or bool(disk.smr) or disk.transport == "usb"


def _why_larger(pool: PoolToImprove, vdev: Vdev) -> str:
    disks = [pool.state.disk(member.disk_key) for member in vdev.members]
    usual = _("The oldest and smallest disks leave; no more bays are needed in the end, no other kind of vdev comes.")
    reasons = []
    if any(disk.smr for disk in disks):
        reasons.append(_("The shingled (SMR) disks leave: their rebuilds take many times as long."))
    if any(disk.transport == "usb" for disk in disks):
        reasons.append(
            _("The disks on USB leave: their bridges hide what SMART says and drop out under load. Put the new ones "
                 "inside the machine.")
        )  # fmt: skip
    return " ".join((*reasons, usual))


def _wider(pool: PoolToImprove) -> Iterator[ChangeDraft]:
    raidz = [(n, v) for n, v in pool.data if v.kind is VdevKind.RAIDZ]
    if not raidz:
        return
    number, vdev = min(raidz, key=lambda each: len(each[1].members))
    for more in (1, 2):
        width = len(vdev.members) + more
        words = _("{word} of {width}", word=f"raidz{vdev.parity}", width=width)
        refused = too_wide(words, vdev.parity) if width > WIDEST[vdev.parity] else ""
        yield ChangeDraft(
            kind=ChangeKind.WIDEN,
            title=ngettext("Widen one {vdev} by {count} disk", "Widen one {vdev} by {count} disks", more,
                               vdev=describe((vdev.sizeless(),))),
            why=_("The cheapest way to more room: one disk at a time, parity stays as it is."),
            takes=((GrowthStep(kind=GrowthKind.ATTACH, top=number), 1),) * more,
            least=pool.size(vdev),
            media=pool.media([vdev]),
            refused=refused,
            rewrite=_("What is stored already keeps its old share of parity until it is written anew, and zfs list "
                         "counts the new room by the old ratio for good."),
            minds=(
                _("Every block is moved once: hours to days under load. No disk can leave the vdev again."),
            ),
        )  # fmt: skip
        if refused:
            return


def _spares(pool: PoolToImprove) -> Iterator[ChangeDraft]:
    if any(v.vdev_class is VdevClass.SPARE for v in pool.state.others):
        return
    redundant = [v for __, v in pool.data if v.failures_survived]
    if not redundant:
        return
    alone = len(pool.data) == 1 and pool.data[0][1].kind is VdevKind.RAIDZ
    spare = VdevSpec(kind=VdevKind.STRIPE, sizes=(0,), vdev_class=VdevClass.SPARE)
    yield ChangeDraft(
        kind=ChangeKind.SPARE,
        title=_("Add a hot spare"),
        why=_("A rebuild begins at once and not when somebody has brought a disk."),
        takes=((GrowthStep(kind=GrowthKind.ADD, vdev=spare), 1),),
        least=max(pool.size(v) for v in redundant),
        media=pool.media(redundant),
        seldom=alone,
        minds=(_("Beside a single raidz it idles where it would be parity in a pool made anew; a cold disk on the "
                    "shelf does nearly as much."),)
        if alone
        else (),
    )  # fmt: skip


# Flash beside a pool of hard disks: whether a special vdev, a log or a cache is worth its drives.

_KINDS = {Role.SPECIAL: ChangeKind.SPECIAL, Role.LOG: ChangeKind.LOG, Role.CACHE: ChangeKind.CACHE}
_SIDES = {Role.LOG: 2, Role.CACHE: 1}
_URGENCIES = {
    Verdict.HELPS: Urgency.WORTH, Verdict.DOES_NOT_HELP: Urgency.NOT, Verdict.CANNOT_TELL: Urgency.ASK,
}  # fmt: skip
_USUAL_BYTES = 960 * GB
_LEAST_BYTES = {Role.LOG: 32 * GB}  # a log never holds more than some seconds of writes


def flash_changes(pool: PoolToImprove) -> Iterator[PoolChange]:
    """Yield special, log and cache for a pool without them, each as worthwhile as the roles are judged."""
    vdevs = [v for __, v in pool.data]
    if any(pool.state.disk(m.disk_key).media in FLASH_MEDIA for v in vdevs for m in v.members):
        return
    present = {v.vdev_class for v in pool.state.vdevs}
    least = min((v.failures_survived for v in vdevs), default=0)
    for role in (Role.SPECIAL, Role.LOG, Role.CACHE):
        if role.vdev_class in present or role in chosen_roles(pool.made.design):
            continue
        change = _role_change(pool, role, _SIDES.get(role, max(2, least + 1)))
        if change is not None:
            yield change


def _role_change(pool: PoolToImprove, role: Role, sides: int) -> PoolChange | None:
    least = _LEAST_BYTES.get(role, _USUAL_BYTES // 2)
    disks = next(iter(_drives_for(pool, role).choices(sides, least, Media.SSD)))
    disks = tuple(replace(d, size_bytes=_USUAL_BYTES) if d.planned and not d.price else d for d in disks)
    hard_disks = tuple(disk for disk in pool.made.design.disks if disk.media not in FLASH_MEDIA)
    design = replace(pool.made.design, disks=(*hard_disks, *disks))
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
        cost=pool.cost(disks) if helps else None,
        gains=(gain_words(judged.gain),) if helps and judged.gain is not None else (),
        points=_points(judged) if helps else 0.0,
        rewrite=_("Metadata and small blocks that are stored already stay where they are until written anew.")
        if role is Role.SPECIAL
        else "",
        minds=tuple(_role_minds(pool, role, judged)),
    )


# The drives that a role is chosen from: for a log only those that may keep confirmed writes in a power cut.
def _drives_for(pool: PoolToImprove, role: Role) -> PoolToImprove:
    if role is not Role.LOG:
        return pool
    question = pool.question
    priced = tuple(p for p in question.catalogue.products if p.media in FLASH_MEDIA and p.power_loss_protection)
    products = priced if any(p.price is not None for p in priced) else question.flash.products
    free = tuple(disk for disk in pool.free if keeps_writes(disk) is not False)
    return replace(pool, question=replace(question, catalogue=Catalogue(products=products)), free=free)


def _title(role: Role, disks: tuple[Disk, ...]) -> str:
    count = len(disks)
    if role is Role.SPECIAL:
        return _("Add a special vdev of {count} flash drives", count=count)
    if role is Role.LOG:
        return _("Add a log of two flash drives with power-loss protection")
    return _("Add a flash drive as cache (L2ARC)")


# Five points for each doubling, as for random writes.
def _points(judged: RoleJudgement) -> float:
    gain = judged.gain
    if gain is None or gain.before.typical <= 0 or gain.after.typical <= 0:
        return 2.0 if judged.verdict is Verdict.HELPS else 0.0
    ratio = gain.after.typical / gain.before.typical
    return min(20.0, 5 * abs(log2(ratio)))


def _role_minds(pool: PoolToImprove, role: Role, judged: RoleJudgement) -> Iterator[str]:
    if judged.missing:
        yield _("Not known: {texts}", texts=listed(judged.missing))
    if role.vdev_class in ALLOCATION_CLASSES and any(v.parity for __, v in pool.data):
        yield _("It cannot be removed from a pool with raidz, and when it is lost the pool is lost.")
    yield from judged.risks


# Disks of the pool that are broken or failing: which disk replaces each.

_COPY_FIRST = N_("Nothing else holds its data: copy them to another pool before anything else.")
_BROKEN = frozenset({"FAULTED", "UNAVAIL", "REMOVED"})


def replacements(pool: PoolToImprove) -> Iterator[PoolChange]:
    """Yield one change that replaces every disk which is gone, faulted, or failing by its SMART verdict."""
    failing = list(_failing_disks(pool))
    if not failing:
        return
    design = pool.made.design
    new: list[Disk] = []
    for vdev, member, *__ in failing:
        size = member.slice_bytes or design.disk(member.disk_key).size_bytes or 0
        taken = {disk.key for disk in new}
        rest = replace(pool, free=tuple(disk for disk in pool.free if disk.key not in taken))
        chosen = next(iter(rest.choices(1, size, pool.media([vdev]))))[0]
        new.append(replace(chosen, key=f"{chosen.key} {len(new) + 1}") if chosen.planned else chosen)
        design = _with_disk(design, member, new[-1])
    names = ", ".join(name for *__, name in failing)
    yield PoolChange(
        kind=ChangeKind.REPLACE_FAILING,
        urgency=Urgency.FIRST,
        title=_("Replace {disks}", disks=names),
        why=" ".join((*(why for _vdev, _member, why, _name in failing), *_redundancy_left(pool))),
        design=design,
        disks=tuple(new),
        cost=pool.cost(new),
        minds=tuple(_spares_that_help(pool)),
    )


# Each member whose disk is broken or failing, with its vdev, what is wrong and the disk's name.
def _failing_disks(pool: PoolToImprove) -> Iterator[tuple[Vdev, Member, str, str]]:
    nodes = [top.node for top in pool.made.tops]
    groups = (group for node in nodes for group in node.walk() if group.kind == "replacing")
    begun = (group for group in groups if any(leaf.state == "ONLINE" for leaf in group.leaves()))
    replaced = {id(leaf) for group in begun for leaf in group.children}
    seats = ((top.vdev, seat) for top in pool.made.tops for seat in top.seats if id(seat.node) not in replaced)
    for vdev, seat in seats:
        leaf, disk = seat.node, seat.disk
        name = device_name(leaf, nodes) if leaf.name.isdecimal() else disk.label
        if leaf.state == "REMOVED":
            why = _("{disk} is REMOVED: if `zpool online` brings it back, buy nothing.", disk=name)
        elif leaf.state in _BROKEN:
            why = _("{disk} is {state}.", disk=name, state=leaf.state)
        elif disk.health is Health.FAILING:
            why = _("{disk} says itself that it is failing (SMART).", disk=name)
            why = why if vdev.failures_survived else f"{why} {_(_COPY_FIRST)}"
        else:
            continue
        yield vdev, seat.member, why, name


# How many failures each vdev with a broken disk survives until the rebuild has ended.
def _redundancy_left(pool: PoolToImprove) -> Iterator[str]:
    resilvering = pool.known.runs(ScanKind.RESILVER)
    for top in pool.made.tops:
        gone = missing_seats(top.node, resilvering=resilvering)
        left = top.vdev.failures_survived - gone
        if not gone or top.vdev.vdev_class is VdevClass.SPARE:
            continue
        if left > 0:
            yield ngettext("Until that is rebuilt, {vdev} survives {count} more failure.",
                               "Until that is rebuilt, {vdev} survives {count} more failures.", left,
                               vdev=top.node.name)  # fmt: skip
        else:
            yield _("Until that is rebuilt, {vdev} survives no failure: the next one loses the pool.",
                       vdev=top.node.name)  # fmt: skip


def _with_disk(design: Design, member: Member, disk: Disk) -> Design:
    vdevs = tuple(
        replace(v, members=tuple(Member(disk_key=disk.key) if m == member else m for m in v.members))
        for v in design.vdevs
    )
    disks = design.disks if any(known.key == disk.key for known in design.disks) else (*design.disks, disk)
    return replace(design, vdevs=vdevs, disks=disks)


# The hot spare that stands in for a broken disk, else one that can.
def _spares_that_help(pool: PoolToImprove) -> Iterator[str]:
    nodes = [below for top in pool.made.tops for below in top.node.walk()]
    groups = [node for node in nodes if node.kind == "spare" and len(node.children) > 1]
    for first, *others in (group.children for group in groups):
        spare = next((leaf for leaf in others if leaf.state == "ONLINE" and leaf.kind != "dspare"), None)
        if spare is not None and first.state in _BROKEN:
            yield _("The spare {spare} stands in for {disk}: `zpool detach` of {disk} makes it a member for good, "
                       "and the new disk can be the next spare.", spare=spare.label, disk=first.label)  # fmt: skip
    if groups:
        return
    for top in pool.made.tops:
        if top.vdev.vdev_class is VdevClass.SPARE and top.node.state in {None, "AVAIL"}:
            disk = top.seats[0].disk
            yield _("The hot spare {disk} ({size}) can take the place until then: zpool replace with it.",
                       disk=disk.label, size=drive_size(disk.size_bytes))  # fmt: skip
            return
