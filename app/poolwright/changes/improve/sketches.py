"""What could be done to a pool: each as steps of growth on so many disks, with what experience says of it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from poolwright.capacity.expansion import RAIDZ_EXPANSION_SINCE
from poolwright.changes.growth.design import exchange_words
from poolwright.changes.improve.ground import PoolAtHand
from poolwright.changes.improve.values import ChangeKind
from poolwright.design.floors import FAILURES_WANTED, FEW_DISKS, WIDEST
from poolwright.domain.design import Vdev
from poolwright.domain.disk import Disk, Media
from poolwright.domain.growth import GrowthKind, GrowthStep
from poolwright.domain.units import drive_size
from poolwright.domain.vdev import HOLDS_THE_POOL, VdevClass, VdevKind, VdevSpec, describe
from poolwright.texts import tell, tell_counted

_LARGER = 1.2  # a replacement that is larger by less is not worth its resilvers
_MOST_OF_A_KIND = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Sketch:
    """A change before disks are chosen: steps of growth, each with how many disks of ``least`` bytes it takes.

    ``urgent`` mends what is wrong; ``times`` is how often the same is done, with ``larger`` disks bring more,
    ``unpriced`` is their size where no catalogue has any; ``refused`` says why nobody should, or can; what is
    ``seldom`` worth it brings little in most pools.
    """

    kind: ChangeKind
    title: str
    why: str
    takes: tuple[tuple[GrowthStep, int], ...]
    least: int
    media: Media | None
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
        return sum(count for _, count in self.takes)

    def steps(self, disks: Sequence[Disk]) -> Iterator[GrowthStep]:
        """Yield the steps with the disks that each brings."""
        rest = iter(disks)
        for step, count in self.takes:
            come = tuple(islice(rest, count))
            sizes = tuple(disk.size_bytes or 0 for disk in come)
            keys = tuple(disk.key for disk in come)
            if step.vdev is not None:
                yield replace(step, vdev=replace(step.vdev, sizes=sizes), disk_keys=keys)
            else:
                yield replace(step, size_bytes=min(sizes), disk_keys=keys)


def sketches(ground: PoolAtHand) -> Iterator[Sketch]:
    """Yield what could be done with disks that hold data, the urgent first."""
    yield from _bare_disks(ground)
    yield from _lone_support(ground)
    yield from _lone_logs(ground)
    yield from _more_vdevs(ground)
    yield from _larger_disks(ground)
    yield from _wider(ground)
    yield from _sides(ground)
    yield from _spares(ground)


def _bare_disks(ground: PoolAtHand) -> Iterator[Sketch]:
    bare = [(n, v) for n, v in ground.data if v.kind is VdevKind.STRIPE]
    yield from _sides_for(
        ground,
        bare,
        ChangeKind.MIRROR_BARE,
        tell("Give each single disk a second side"),
        tell_counted(
            "{count} disk stands alone: when it fails the whole pool is lost.",
            "{count} disks stand alone: when one of them fails the whole pool is lost.",
            len(bare),
        ),
        urgent=True,
    )


def _lone_support(ground: PoolAtHand) -> Iterator[Sketch]:
    """Yield the special and dedup vdevs that bear fewer failures than the data, which they would take along."""
    wanted = min((v.failures_survived for _, v in ground.data), default=0)
    weak = [
        (n, v)
        for n, v in enumerate(ground.state.tops)
        if v is not None and v.vdev_class in HOLDS_THE_POOL and v.vdev_class is not VdevClass.DATA
        and v.kind in (VdevKind.STRIPE, VdevKind.MIRROR) and v.failures_survived < wanted
    ]  # fmt: skip
    lone = any(v.failures_survived == 0 for _, v in weak)
    yield from _sides_for(
        ground,
        [(n, v) for n, v in weak for _ in range(wanted - v.failures_survived)],
        ChangeKind.MIRROR_SUPPORT,
        tell("Make the special vdev as redundant as the data"),
        tell("The special vdev holds the only copy of its blocks: when it is lost, all of the pool is.")
        if lone
        else tell("The special vdev bears fewer failures than the data, and the pool bears no more than it."),
        media=Media.SSD,
        urgent=lone,
    )


def _lone_logs(ground: PoolAtHand) -> Iterator[Sketch]:
    yield from _sides_for(
        ground,
        [
            (n, v)
            for n, v in enumerate(ground.state.tops)
            if v is not None and v.vdev_class is VdevClass.LOG and v.kind is VdevKind.STRIPE
        ],
        ChangeKind.MIRROR_LOG,
        tell("Give the log device a second side"),
        tell("A log that fails alone only makes the pool slow; where it fails together with the machine, the last "
             "seconds of confirmed writes are lost."),
        media=Media.SSD,  # nobody should buy platters for a log
        seldom=True,
        minds=(tell("Take a drive with power-loss protection, as the one that is there should have."),),
    )  # fmt: skip


def _sides(ground: PoolAtHand) -> Iterator[Sketch]:
    yield from _sides_for(
        ground,
        [(n, v) for n, v in ground.data if v.kind is VdevKind.MIRROR and len(v.members) == 2],
        ChangeKind.ADD_SIDES,
        tell("Give each mirror a third side"),
        tell("While one side is rebuilt the other is the only copy; a third one takes that away."),
    )


def _sides_for(
    ground: PoolAtHand,
    vdevs: list[tuple[int, Vdev]],
    kind: ChangeKind,
    title: str,
    why: str,
    *,
    media: Media | None = None,
    urgent: bool = False,
    seldom: bool = False,
    minds: tuple[str, ...] = (),
) -> Iterator[Sketch]:
    """Yield one side more for each of these vdevs, where there are any; ``media`` where theirs are not known."""
    if vdevs:
        own = [v for _, v in vdevs]
        yield Sketch(
            kind=kind,
            title=title,
            why=why,
            takes=tuple((GrowthStep(kind=GrowthKind.ATTACH, top=n), 1) for n, _ in vdevs),
            least=max(map(ground.size, own)),
            media=ground.media(own) or media,
            urgent=urgent,
            seldom=seldom,
            minds=minds,
        )


def main_vdev(ground: PoolAtHand) -> Vdev | None:
    """Return the data vdev that most others are like; None where there is none."""
    shapes: dict[tuple[object, ...], list[Vdev]] = {}
    for _, vdev in ground.data:
        shapes.setdefault((vdev.kind, vdev.parity, len(vdev.members)), []).append(vdev)
    return max(shapes.values(), key=len)[0] if shapes else None


def _more_vdevs(ground: PoolAtHand) -> Iterator[Sketch]:
    like = main_vdev(ground)
    if like is None or like.kind is VdevKind.STRIPE:
        return
    width = len(like.members)
    words = describe((like.sizeless(),))
    most = _MOST_OF_A_KIND if like.kind is VdevKind.MIRROR else 1
    for times in range(1, most + 1):
        yield Sketch(
            kind=ChangeKind.ADD_VDEV,
            title=tell_counted("Add {count} vdev like those there ({vdev})",
                               "Add {count} vdevs like those there ({vdev})", times, vdev=words),
            why=tell("A further vdev of the same kind brings room and speed, and keeps what the pool survives."),
            takes=((GrowthStep(kind=GrowthKind.ADD, vdev=like.sizeless()), width),) * times,
            least=min(ground.size(v) for _, v in ground.data),
            media=ground.media([v for _, v in ground.data]),
            times=times,
            larger=True,
            rewrite=tell("What is stored already stays on the old vdevs; new data go mostly to the empty one."),
            minds=tuple(_minds_of_more(ground, like)),
        )  # fmt: skip


def _minds_of_more(ground: PoolAtHand, like: Vdev) -> Iterator[str]:
    goal = ground.made.design.workload.goal
    disks = sum(len(v.members) for _, v in ground.data)
    if like.failures_survived < FAILURES_WANTED[goal] and disks > FEW_DISKS[goal]:
        yield tell_counted(
            "Each of these vdevs bears {count} failure alone: more of them is more of that risk.",
            "Each of these vdevs bears {count} failures alone: more of them is more of that risk.",
            like.failures_survived,
        )
    if like.parity:
        yield tell("It never leaves the pool again.")


def _larger_disks(ground: PoolAtHand) -> Iterator[Sketch]:
    """Yield the replacement of all disks of the vdev with the smallest ones."""
    redundant = [one for one in ground.data if one[1].failures_survived]
    smallest = min(redundant, key=lambda one: (ground.size(one[1]), len(one[1].members)), default=None)
    if smallest is None:
        return
    number, vdev = smallest
    minds = [tell("One disk after the other, each resilver awaited; the vdev grows with the last one.")]
    if vdev.parity == 1:
        minds.append(tell("It still bears one failure alone, and larger disks take longer to rebuild."))
    minds.append(exchange_words(vdev.failures_survived))
    yield Sketch(
        kind=ChangeKind.REPLACE_LARGER,
        title=tell("Replace the {size} disks of one {vdev} by larger ones", size=drive_size(ground.size(vdev)),
                   vdev=describe((vdev.sizeless(),))),
        why=_why_larger(ground, vdev),
        takes=((GrowthStep(kind=GrowthKind.REPLACE, top=number), len(vdev.members)),),
        least=round(ground.size(vdev) * _LARGER),
        unpriced=2 * ground.size(vdev),
        media=ground.media([vdev]),
        larger=True,
        minds=tuple(minds),
    )  # fmt: skip


def _why_larger(ground: PoolAtHand, vdev: Vdev) -> str:
    disks = [ground.state.disk(member.disk_key) for member in vdev.members]
    usual = tell("The oldest and smallest disks go, no bay more is needed in the end, and no other kind of vdev comes.")
    told = []
    if any(disk.smr for disk in disks):
        told.append(tell("The shingled (SMR) disks go, whose rebuilds take many times as long."))
    if any(disk.transport == "usb" for disk in disks):
        told.append(
            tell("The disks on USB go, whose bridges hide what SMART says and drop out under load: put the new ones "
                 "inside the machine.")
        )  # fmt: skip
    return " ".join((*told, usual))


def _wider(ground: PoolAtHand) -> Iterator[Sketch]:
    found = [(n, v) for n, v in ground.data if v.kind is VdevKind.RAIDZ]
    if not found:
        return
    number, vdev = min(found, key=lambda one: len(one[1].members))
    for more in (1, 2):
        width = len(vdev.members) + more
        refused = ""
        if ground.state.pool.version < RAIDZ_EXPANSION_SINCE:
            refused = tell("A raidz gets wider from OpenZFS 2.3 on; the machine has {version}.",
                           version=ground.state.pool.version)  # fmt: skip
        elif width > WIDEST[vdev.parity]:
            refused = tell("raidz{parity} of {width} is wider than the failures that it survives allow ({most}).",
                           parity=vdev.parity, width=width, most=WIDEST[vdev.parity])  # fmt: skip
        yield Sketch(
            kind=ChangeKind.WIDEN,
            title=tell_counted("Make one {vdev} wider by {count} disk", "Make one {vdev} wider by {count} disks", more,
                               vdev=describe((vdev.sizeless(),))),
            why=tell("The cheapest way to more room: one disk at a time, parity stays as it is."),
            takes=((GrowthStep(kind=GrowthKind.ATTACH, top=number), 1),) * more,
            least=ground.size(vdev),
            media=ground.media([vdev]),
            refused=refused,
            rewrite=tell("What is stored already keeps its old share of parity until it is written anew, and zfs list "
                         "counts the new room by the old ratio for good."),
            minds=(
                tell("Every block is moved once: hours to days under load. No disk leaves the vdev again."),
                tell("More disks share the same parity, and a rebuild reads all of them."),
            ),
        )  # fmt: skip
        if refused:
            return


def _spares(ground: PoolAtHand) -> Iterator[Sketch]:
    if any(v.vdev_class is VdevClass.SPARE for v in ground.state.others):
        return
    redundant = [v for _, v in ground.data if v.failures_survived]
    if not redundant:
        return
    alone = len(ground.data) == 1 and ground.data[0][1].kind is VdevKind.RAIDZ
    one = VdevSpec(kind=VdevKind.STRIPE, sizes=(0,), vdev_class=VdevClass.SPARE)
    yield Sketch(
        kind=ChangeKind.SPARE,
        title=tell("Add a hot spare"),
        why=tell("A rebuild begins at once and not when somebody has brought a disk."),
        takes=((GrowthStep(kind=GrowthKind.ADD, vdev=one), 1),),
        least=max(ground.size(v) for v in redundant),
        media=ground.media(redundant),
        seldom=alone,
        minds=(tell("Beside a single raidz it idles where it would be parity in a pool made anew; a cold disk on the "
                    "shelf does nearly as much."),)
        if alone
        else (),
    )  # fmt: skip
