"""Layouts in words, with which disks where several kinds take part."""

from collections import Counter
from collections.abc import Sequence
from itertools import groupby

from poolwright.design.groups import EqualDisks
from poolwright.design.pools import CandidatePool, PackedPool
from poolwright.design.rank import survives
from poolwright.design.workshop import Made
from poolwright.domain.units import drive_size
from poolwright.domain.vdev import VdevKind, VdevSpec, describe
from poolwright.texts import tell

Members = tuple[tuple[str, int], ...]  # disks in words, such as 8 TB SMR, with their number


def describe_pool(pool: CandidatePool) -> str:
    """Return a pool in words: ``raidz2 of 5 (2 × 3 TB, 3 × 2 TB), 1 spare``; which disks where they were packed."""
    if not isinstance(pool, PackedPool):
        return describe(pool.layout)
    kinds, spares = pool.workshop.kinds, pool.plan.spares
    vdevs = [(made.spec, _members(made, kinds)) for made, count in pool.plan.runs for _ in range(count)]
    vdevs += [
        (spec, ((kinds[group].words, count),))
        for spec, (group, count) in zip(pool.workshop.spare_specs(spares), spares, strict=True)
    ]
    return ", ".join(_part(spec, members, len(tuple(run))) for (spec, members), run in groupby(vdevs))


def survivors(pools: Sequence[CandidatePool]) -> str:
    """Return in words how many failures pools survive, whichever disks they are; each by its number where they differ.

    A pool of left-over slices often survives fewer than the main one: its loss is not that of the main pool.
    """
    counts = [pool.failures_survived for pool in pools]
    if len(set(counts)) == 1:
        return survives(counts[0])
    return ", ".join(
        tell("pool {number} {survives}", number=number, survives=survives(count))
        for number, count in enumerate(counts, start=1)
    )


def _members(made: Made, kinds: Sequence[EqualDisks]) -> Members:
    """Return which disks a vdev is made of, and how many of each."""
    if made.slice_bytes is None:
        return tuple((kinds[group].words, count) for group, count in made.taken)
    size = drive_size(made.slice_bytes)
    shingled = all(kinds[group].shingled for group, _ in made.taken)
    told = tell("{size} SMR partitions", size=size) if shingled else tell("{size} partitions", size=size)
    return ((told, made.spec.width),)


def _part(spec: VdevSpec, made_of: Members, count: int) -> str:
    words, which = describe((spec,) * count), Counter[str]()
    for name, number in made_of:
        which[name] += number
    if len(which) == 1:
        return f"{words} ({next(iter(which))})"
    members = ", ".join(f"{number} × {name}" for name, number in which.items())
    if count > 1 and spec.kind is not VdevKind.STRIPE:
        return tell("{words} ({members} each)", words=words, members=members)
    return f"{words} ({members})"
