"""What people ask for and nobody should do to this pool, with the reason."""

from collections.abc import Iterator

from poolwright.changes.improve.ground import PoolAtHand
from poolwright.changes.improve.sketches import main_vdev
from poolwright.changes.improve.values import ChangeKind, PoolChange, Urgency
from poolwright.domain.vdev import VdevKind, describe
from poolwright.texts import tell


def unwise_changes(ground: PoolAtHand) -> Iterator[PoolChange]:
    like = main_vdev(ground)
    if like is None or not like.failures_survived:
        return
    words = describe((like.sizeless(),))
    yield PoolChange(
        kind=ChangeKind.LONE_DISK,
        urgency=Urgency.NOT,
        title=tell("Add a single disk as a vdev of its own"),
        why=tell("All data spread over it at once, and when it fails the whole pool is lost, {vdev} and all. zpool add "
                 "asks for -f for that reason; from a pool with raidz the disk never leaves again.", vdev=words)
        if like.kind is not VdevKind.MIRROR
        else tell("All data spread over it at once, and when it fails the whole pool is lost, mirrors and all."),
    )  # fmt: skip
    if like.kind in (VdevKind.RAIDZ, VdevKind.DRAID):
        yield PoolChange(
            kind=ChangeKind.UNLIKE_VDEV,
            urgency=Urgency.NOT,
            title=tell("Add a mirror of two beside the {vdev}", vdev=words),
            why=tell("It bears one failure and the pool no more than it; speed and share of parity then differ from "
                     "block to block, and it never leaves again.")
            if like.failures_survived > 1
            else tell("Speed and share of parity then differ from block to block, and it never leaves again; a further "
                      "{vdev} or larger disks keep the pool even.", vdev=words),
        )  # fmt: skip
