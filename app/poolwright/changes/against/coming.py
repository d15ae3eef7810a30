"""What the design has and the pool has not, and what the pool has and the design has not: vdevs that come and go."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from poolwright.changes.against.tops import SINGLY, LiveTop, WantedTop
from poolwright.changes.against.values import LiveDifference, LiveStep, LiveWay, StepKind
from poolwright.changes.against.vdevs import JudgedBy, vdev_words
from poolwright.domain.existing_pool import ExistingPool
from poolwright.domain.replication import add_wants_force
from poolwright.domain.units import binary
from poolwright.domain.vdev import HOLDS_THE_POOL, VdevClass, VdevKind, VdevSpec
from poolwright.texts import marked, tell

_PARITY = (VdevKind.RAIDZ, VdevKind.DRAID)
_KEPT = marked(
    "zpool remove takes no vdev out of a pool that has raidz or dRAID, here {vdev}, in no OpenZFS; spares, caches and "
    "logs alone leave such a pool."
)
_UNLIKE = marked(
    "It is unlike the vdevs that are there: zpool add wants -f for it, which is never written here, or the pool would "
    "be weaker for it. The weakest vdev decides for the pool."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolToBe:
    """The vdevs as they will be when all that can come has come: what a removal is judged by."""

    tops: tuple[LiveTop, ...]
    added: tuple[WantedTop, ...]
    known: ExistingPool
    traces: bool  # a vdev was removed from the pool before
    leaving: frozenset[str]  # the names of all vdevs that the design does not have

    def with_parity(self) -> str | None:
        """Return a raidz or dRAID vdev of the pool to be in a word; None where it has none."""
        words = [top.name for top in self.tops if top.vdev.kind in _PARITY]
        words.extend(vdev_words(one.vdev) for one in self.added if one.vdev.kind in _PARITY)
        return words[0] if words else None


def additions(added: Sequence[WantedTop], target: PoolToBe, ground: JudgedBy) -> Iterator[LiveDifference]:
    """Yield a step for each vdev that the pool lacks, and why where it cannot be added."""
    specs = [top.vdev.sizeless() for top in target.tops]
    for one in added:
        spec = one.vdev.sizeless()
        problem = tell(_UNLIKE) if add_wants_force(specs, spec, ground.version) or _is_weaker(spec, specs) else ""
        if one.vdev.kind in _PARITY and target.traces:
            problem = tell(
                "A vdev was removed from this pool before, and such a pool takes no raidz or dRAID any more."
            )
        if not problem:
            specs.append(spec)
        yield _added(one, problem, ground)


def _is_weaker(new: VdevSpec, there: Sequence[VdevSpec]) -> bool:
    """Tell whether a vdev would be what a pool is lost by: zpool compares none where those there differ already."""
    bears = [spec.failures_survived for spec in there if spec.vdev_class in HOLDS_THE_POOL]
    return new.vdev_class in HOLDS_THE_POOL and bool(bears) and new.failures_survived < min(bears)


def _added(one: WantedTop, problem: str, ground: JudgedBy) -> LiveDifference:
    words, pool = vdev_words(one.vdev), ground.pool
    labels = ", ".join(ground.design.disk(member.disk_key).label for member in one.vdev.members)
    held = one.vdev.vdev_class in HOLDS_THE_POOL
    stays = tell("Of a pool with raidz or dRAID it never leaves again.") if held else ""
    step = LiveStep(kind=StepKind.ADD, vdev=words, new=one.vdev.members, made=one.vdev, needs=one.identities)
    return LiveDifference(
        way=LiveWay.CANNOT if problem else LiveWay.STEP,
        place=pool,
        name=one.vdev.vdev_class.value,
        found="",
        wanted=words,
        text=tell("{pool} lacks {vdev} ({disks}).", pool=pool, vdev=words, disks=labels),
        reason=problem or stays,
        rewrite=tell("What is stored already stays where it is; only new data spread over it.")
        if held and not problem
        else "",
        step=None if problem else step,
    )


def removals(left_over: Sequence[LiveTop], target: PoolToBe, ground: JudgedBy) -> Iterator[LiveDifference]:
    """Yield a step for each vdev that the design does not have, and why where OpenZFS keeps it."""
    for top in left_over:
        problem = _removal_problem(top, target, ground)
        yield LiveDifference(
            way=LiveWay.CANNOT if problem else LiveWay.STEP,
            place=top.name,
            name=top.vdev.vdev_class.value,
            found=vdev_words(top.vdev),
            wanted="",
            text=tell("{vdev} ({what}) is in the pool; the design does not have it.", vdev=top.name,
                      what=vdev_words(top.vdev)),
            reason=problem or _mind(top),
            step=None if problem else _removal(top),
            bars=top.vdev.vdev_class is VdevClass.DATA,
        )  # fmt: skip


def _removal(top: LiveTop) -> LiveStep:
    lone = top.seats[0].identity if top.vdev.kind is VdevKind.STRIPE else None
    frees = tuple(seat.identity for seat in top.seats)
    return LiveStep(kind=StepKind.REMOVE, vdev=top.name, old=lone, frees=frees, made=top.vdev)


def _mind(top: LiveTop) -> str:
    if top.vdev.vdev_class not in HOLDS_THE_POOL:
        return ""
    return tell("Its data move to the others; the table of where they went costs memory for good.")


def _removal_problem(top: LiveTop, target: PoolToBe, ground: JudgedBy) -> str:
    """Return why `zpool remove` refuses; empty where nothing that was read speaks against it."""
    if top.vdev.vdev_class in SINGLY and top.seats[0].state == "INUSE":
        return tell("The spare stands in for another disk: replace that one, then zpool detach frees the spare.")
    if top.vdev.vdev_class not in HOLDS_THE_POOL:
        return ""
    parity = target.with_parity()
    if parity is not None:
        return tell(_KEPT, vdev=parity)
    staying = [one for one in target.tops if one.name not in target.leaving]
    if top.vdev.vdev_class is VdevClass.DATA and not _has_data(staying, target):
        return tell("It would be the last data vdev: a pool cannot be emptied.")
    others = {ground.ashifts[one.name] for one in target.tops if one.name in ground.ashifts}
    others |= {ground.design.ashift} if any(one.vdev.vdev_class in HOLDS_THE_POOL for one in target.added) else set()
    if len(others) > 1:
        return tell("zpool remove wants one ashift in all vdevs; here are {ashifts}.",
                    ashifts=", ".join(str(one) for one in sorted(others)))  # fmt: skip
    return _room_problem(top, staying, target, ground)


def _has_data(staying: Sequence[LiveTop], target: PoolToBe) -> bool:
    vdevs = [*(one.vdev for one in staying), *(one.vdev for one in target.added)]
    return any(vdev.vdev_class is VdevClass.DATA for vdev in vdevs)


def _room_problem(top: LiveTop, staying: Sequence[LiveTop], target: PoolToBe, ground: JudgedBy) -> str:
    """Return that the data do not fit into the vdevs that stay; empty where they do, or nobody knows."""
    moved = top.sizes.allocated_bytes if top.sizes is not None else None
    free = [one.sizes.free_bytes if one.sizes is not None else None for one in staying
            if one.vdev.vdev_class is VdevClass.DATA]  # fmt: skip
    comes = [min((ground.design.disk(m.disk_key).size_bytes or 0 for m in one.vdev.members), default=0)
             for one in target.added if one.vdev.vdev_class is VdevClass.DATA]  # fmt: skip
    if moved is None or None in free:
        return ""
    room = sum(one for one in free if one is not None) + sum(comes)
    if moved <= room:
        return ""
    return tell("Its data take {data}, the others have {room} free.", data=binary(moved), room=binary(room))
