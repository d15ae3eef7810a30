"""Synchronous writes confirmed sooner than the disks can keep them: what tells of a cache that confirms early."""

import re
from collections.abc import Iterator

from poolwright.bench.judging.served import SMALL_SHARE
from poolwright.bench.judging.verdicts import Factor, Limiting
from poolwright.bench.running.place import BenchPlace, PlaceDisk
from poolwright.predict.number_words import share_text
from poolwright.texts import listed, tell

# The fastest platters turn 15,000 times a minute: a write on one place is kept once a turn at most.
MOST_TURNS = 250.0
_VIRTUAL = re.compile(r"qemu|virtual|vbox|vmware|\bmsft\b", re.IGNORECASE)
_NO_FLUSH = ("zfs_nocacheflush", "zil_nocacheflush")


def confirmed_early(place: BenchPlace, per_second: float, writers: int | None, memory: float | None) -> Limiting:
    """Return the cache that confirms writes as the limiting factor, with whatever was seen of it.

    ``per_second`` are the writes that were confirmed to all ``writers``, ``memory`` the share of their bytes that no
    disk had taken when they were.
    """
    evidence = tuple(_evidence(place, per_second, writers, memory))
    return Limiting(
        factor=Factor.WRITE_CACHE, evidence=evidence or (tell("Nothing that was watched tells whose cache it is."),)
    )


def _evidence(place: BenchPlace, per_second: float, writers: int | None, memory: float | None) -> Iterator[str]:
    for name, value in place.parameters:
        if name in _NO_FLUSH and value == "1":
            yield tell("{name}=1: ZFS never asks a disk to empty its cache.", name=name)
    disks = _keeping(place)
    if memory is not None and memory > SMALL_SHARE:
        yield tell("The disks took {share} less than was confirmed meanwhile.", share=share_text(memory))
    each = per_second / max(1, writers or 1)
    if disks and all(disk.rotational for disk in disks) and each > MOST_TURNS:
        yield tell(
            "Each writer was answered {each:,.0f} times a second, and the platters turn {turns:.0f} times at most.",
            each=each,
            turns=MOST_TURNS,
        )
    virtual = [_name(disk) for disk in disks if _VIRTUAL.search(disk.model or "")]
    if virtual:
        yield tell(
            "A virtual machine's disk: the host's cache mode decides what is kept ({disks}).", disks=listed(virtual)
        )
    through = [_name(disk) for disk in disks if disk.flushed is False]
    if through:
        yield tell("The kernel asks for no flush (write through): {disks}.", disks=listed(through))
    back = [_name(disk) for disk in disks if disk.flushed]
    if back:
        yield tell(
            "The kernel asks for flushes (write back), and they are confirmed at once: {disks}.", disks=listed(back)
        )


def _keeping(place: BenchPlace) -> tuple[PlaceDisk, ...]:
    logs = {name for line in place.layout if line.startswith("logs ") for name in line.split()[1:]}
    return tuple(disk for disk in place.disks if disk.name in logs) or place.disks


def _name(disk: PlaceDisk) -> str:
    return disk.kernel_name or disk.name
