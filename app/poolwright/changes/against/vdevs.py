"""How a vdev of the pool becomes the one of the design that stands for it: disks join, leave, or give way to others."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from poolwright.changes.against.pairing import Pair
from poolwright.changes.against.tops import LiveTop, WantedTop, convertible, too_small
from poolwright.changes.against.values import Identity, LiveDifference, LiveStep, LiveWay, PoolSeat, StepKind
from poolwright.domain.design import Design, Member, Vdev
from poolwright.domain.vdev import VdevClass, VdevKind, describe
from poolwright.domain.version import ZfsVersion
from poolwright.texts import marked, tell

_WELL = frozenset({"ONLINE", None})
_ANEW = marked("A new vdev or a new pool, zfs send and receive, and the old one destroyed is the only way.")
_LEVEL = marked("No OpenZFS changes the level of a vdev: its blocks are laid out by it. {anew}")
_NARROWER = marked("No OpenZFS takes a disk out of a raidz vdev: it only gets wider, since 2.3. {anew}")
_DRAID = marked("No OpenZFS changes width, data disks or distributed spares of a dRAID vdev. {anew}")


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedBy:
    """What every change is judged by: the design, the machine's OpenZFS, and whose disks cannot be taken."""

    design: Design
    version: ZfsVersion
    pool: str
    sizes_known: bool
    ashifts: dict[str, int]
    expands: bool

    def fits(self, top: LiveTop, wanted: WantedTop) -> bool:
        """Tell whether no disk that the design has there is known to be too small."""
        return not self.sizes_known or not any(
            too_small(top, self.design, member, self.version) for member in wanted.vdev.members
        )


def vdev_words(vdev: Vdev) -> str:
    """Return a vdev in a few words: ``raidz2 of 6``."""
    return describe((vdev.sizeless(),))


def changes_of_pair(pair: Pair, ground: JudgedBy) -> Iterator[LiveDifference]:
    """Yield what turns the vdev of the pool into that of the design, and what cannot be."""
    top, wanted = pair
    if not convertible(top.vdev, wanted.vdev):
        yield _cannot(top, wanted, tell(_DRAID if _both_draid(top, wanted) else _LEVEL, anew=tell(_ANEW)))
        return
    gone, come = _different(top, wanted)
    wider = len(wanted.identities) - len(top.seats)
    if top.vdev.kind in (VdevKind.RAIDZ, VdevKind.DRAID) and wider < 0:
        yield _cannot(top, wanted, tell(_NARROWER, anew=tell(_ANEW)))
        come = come[: len(gone) + wider] if len(gone) + wider > 0 else []
        gone = gone[: len(come)]
    elif top.vdev.kind is VdevKind.DRAID and wider:
        yield _cannot(top, wanted, tell(_DRAID, anew=tell(_ANEW)))
        come = come[: len(gone)]
    number = min(len(gone), len(come))
    replaced = [_replaced(top, seat, member, identity, ground)
                for seat, (member, identity) in zip(gone[:number], come[:number], strict=True)]  # fmt: skip
    yield from replaced
    if number and not ground.expands and any(one.way is LiveWay.STEP for one in replaced):
        yield from _expanding(top, wanted, ground)
    for member, identity in come[number:]:
        yield _attached(top, member, identity, ground)
    for at, seat in enumerate(gone[number:], 1):
        yield _detached(top, seat, sides=len(top.seats) - at + len(come[number:]))


def _both_draid(top: LiveTop, wanted: WantedTop) -> bool:
    return top.vdev.kind is wanted.vdev.kind is VdevKind.DRAID


def _different(top: LiveTop, wanted: WantedTop) -> tuple[list[PoolSeat], list[tuple[Member, Identity]]]:
    """Return the devices that the design has not there, what is broken first, and those that it has instead."""
    wanted_here = frozenset(wanted.identities)
    gone = [seat for seat in top.seats if seat.identity not in wanted_here]
    gone.sort(key=lambda seat: seat.state in _WELL)
    here = top.identities
    come = [(m, i) for m, i in zip(wanted.vdev.members, wanted.identities, strict=True) if i not in here]
    return gone, come


def _cannot(top: LiveTop, wanted: WantedTop, reason: str) -> LiveDifference:
    words = {"vdev": top.name, "found": vdev_words(top.vdev), "wanted": vdev_words(wanted.vdev)}
    return LiveDifference(
        way=LiveWay.CANNOT,
        place=top.name,
        name="vdev",
        found=words["found"],
        wanted=words["wanted"],
        text=tell("{vdev} is {found}; the design has {wanted} of its disks.", **words),
        reason=reason,
        bars=top.vdev.vdev_class is VdevClass.DATA,
    )


def _replaced(top: LiveTop, seat: PoolSeat, member: Member, identity: Identity, ground: JudgedBy) -> LiveDifference:
    label = ground.design.disk(member.disk_key).label
    found = LiveDifference(
        way=LiveWay.STEP,
        place=top.name,
        name="disk",
        found=seat.label,
        wanted=label,
        text=tell("{vdev}: {disk} stands where the design has {other}.", vdev=top.name, disk=seat.label, other=label),
        reason=_mind(top, member, ground),
        step=LiveStep(
            kind=StepKind.REPLACE,
            vdev=top.name,
            old=seat.identity,
            broken=seat.state not in _WELL,
            new=(member,),
            needs=(identity,),
            frees=(seat.identity,),
        ),
    )
    return _unless_refused(found, _disk_problem(top, member, ground))


def _attached(top: LiveTop, member: Member, identity: Identity, ground: JudgedBy) -> LiveDifference:
    label = ground.design.disk(member.disk_key).label
    raidz = top.vdev.kind is VdevKind.RAIDZ
    reason = _mind(top, member, ground)
    found = LiveDifference(
        way=LiveWay.STEP,
        place=top.name,
        name="disk",
        found="",
        wanted=label,
        text=tell("{vdev} lacks {disk}, which the design has there.", vdev=top.name, disk=label),
        reason=tell("No way back: no disk leaves a raidz vdev again. {more}", more=reason).rstrip()
        if raidz
        else reason,
        rewrite=tell("What is stored already keeps its old share of parity until it is written anew.") if raidz else "",
        step=LiveStep(kind=StepKind.ATTACH, vdev=top.name, new=(member,), needs=(identity,)),
    )
    return _unless_refused(found, _disk_problem(top, member, ground))


def _detached(top: LiveTop, seat: PoolSeat, *, sides: int) -> LiveDifference:
    bare = sides <= 1
    mind = tell("{vdev} has no redundancy then.", vdev=top.name) if bare else ""
    return LiveDifference(
        way=LiveWay.STEP,
        place=top.name,
        name="disk",
        found=seat.label,
        wanted="",
        text=tell("{vdev} has {disk}, which the design has not there.", vdev=top.name, disk=seat.label),
        reason=mind,
        step=LiveStep(kind=StepKind.DETACH, vdev=top.name, old=seat.identity, frees=(seat.identity,)),
    )


def _expanding(top: LiveTop, wanted: WantedTop, ground: JudgedBy) -> Iterator[LiveDifference]:
    """Yield the step by which a vdev takes the room of larger disks, where autoexpand will not do it."""
    sizes = [m.slice_bytes or ground.design.disk(m.disk_key).size_bytes or 0 for m in wanted.vdev.members]
    old = [seat.size or 0 for seat in top.seats]
    if not ground.sizes_known or min(sizes, default=0) <= min(old, default=0):
        return
    yield LiveDifference(
        way=LiveWay.STEP,
        place=top.name,
        name="autoexpand",
        found="",
        wanted="",
        text=tell("{vdev} takes the room of its larger disks only when told to: autoexpand is off.", vdev=top.name),
        step=LiveStep(kind=StepKind.EXPAND, vdev=top.name, new=wanted.vdev.members),
    )


def _mind(top: LiveTop, member: Member, ground: JudgedBy) -> str:
    """Return what to mind of a disk that comes: sectors larger than the vdev's blocks, wear on the rest of it."""
    disk = ground.design.disk(member.disk_key)
    ashift = ground.ashifts.get(top.name)
    physical = disk.physical_sector_bytes
    if ashift is not None and physical is not None and physical > 1 << ashift:
        return tell(
            "{disk} has sectors of {sector} bytes and the vdev blocks of {block}: it is taken with -o ashift={ashift} "
            "alone, and writes slowly.",
            disk=disk.label,
            sector=physical,
            block=1 << ashift,
            ashift=ashift,
        )
    return ""


def _disk_problem(top: LiveTop, member: Member, ground: JudgedBy) -> str:
    """Return why the vdev does not take a disk; empty where nothing speaks against it."""
    disk = ground.design.disk(member.disk_key)
    ashift = ground.ashifts.get(top.name)
    if ashift is not None and (disk.logical_sector_bytes or 0) > 1 << ashift:
        return tell(
            "{disk} has logical sectors of {sector} bytes, more than the smallest block of {block} (ashift {ashift}), "
            "and the ashift of a vdev is for good.",
            disk=disk.label,
            sector=disk.logical_sector_bytes,
            block=1 << ashift,
            ashift=ashift,
        )
    if ground.sizes_known and too_small(top, ground.design, member, ground.version):
        return tell("{disk} is smaller than the vdev's places: OpenZFS makes no vdev smaller.", disk=disk.label)
    return ""


def _unless_refused(found: LiveDifference, problem: str) -> LiveDifference:
    return replace(found, way=LiveWay.CANNOT, reason=problem, step=None) if problem else found
