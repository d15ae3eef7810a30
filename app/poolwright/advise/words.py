"""Layouts in words, with the sizes of the disks where several take part."""

from collections import Counter
from collections.abc import Sequence
from itertools import groupby

from poolwright.advise.pools import CandidatePool, PackedPool
from poolwright.advise.rank import survives
from poolwright.domain.units import drive_size
from poolwright.domain.vdev import VdevClass, VdevKind, VdevSpec, describe


def describe_pool(pool: CandidatePool) -> str:
    """Return a pool in words: ``raidz2 of 5 (2 × 3 TB, 3 × 2 TB), 1 spare``; sizes only where disks were packed."""
    if not isinstance(pool, PackedPool):
        return describe(pool.layout)
    sliced = any(made.slice_bytes is not None for made, _ in pool.plan.runs)
    parts = []
    for spec, run in groupby(pool.layout):
        parts.append(_part(spec, len(tuple(run)), sliced=sliced and spec.vdev_class is VdevClass.DATA))
    return ", ".join(parts)


def survivors(pools: Sequence[CandidatePool]) -> str:
    """Return in words how many failures pools survive, whichever disks they are; each by its number where they differ.

    A pool of left-over slices often survives fewer than the main one: its loss is not that of the main pool.
    """
    counts = [pool.failures_survived for pool in pools]
    if len(set(counts)) == 1:
        return survives(counts[0])
    return ", ".join(f"pool {number} {survives(count)}" for number, count in enumerate(counts, start=1))


def _part(spec: VdevSpec, count: int, *, sliced: bool) -> str:
    words = describe((spec,) * count)
    sizes = Counter(spec.sizes)
    if len(sizes) == 1:
        return f"{words} ({drive_size(spec.sizes[0])}{' partitions' if sliced else ''})"
    each = " each" if count > 1 and spec.kind is not VdevKind.STRIPE else ""
    return f"{words} ({', '.join(f'{number} × {drive_size(size)}' for size, number in sizes.items())}{each})"
