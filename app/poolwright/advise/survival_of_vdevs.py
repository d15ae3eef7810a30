"""How vdevs of any kind stand random failures: exact counting over the disks themselves, partitions included."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations_with_replacement
from math import comb

from poolwright.domain.design import Design, Vdev
from poolwright.domain.vdev import VdevClass, VdevKind

LOSING = (VdevClass.DATA, VdevClass.SPECIAL, VdevClass.DEDUP)


def failures_survived(design: Design) -> int | None:
    """Return how many disks may fail, whichever they are, without loss of a pool; None without a data vdev.

    Tolerance of the weakest vdev, less where one disk holds several of its members.
    """
    least: int | None = None
    for vdev in design.all_vdevs():
        if vdev.vdev_class not in LOSING:
            continue
        worst = sorted(Counter(member.disk_key for member in vdev.members).values(), reverse=True)
        gone = survived = 0
        for members in worst:
            gone += members
            if gone > _tolerance(vdev):
                break
            survived += 1
        least = survived if least is None else min(least, survived)
    return least


def survival_share(design: Design, failures: int) -> float | None:
    """Return the share of all sets of ``failures`` disks whose failing at once loses no pool of the design.

    Counted over the disks that hold data, special or dedup vdevs; None when there are fewer of them than that.
    A dRAID counts as lost where more disks fail than it has parity.
    """
    vdevs = [vdev for vdev in design.all_vdevs() if vdev.vdev_class in LOSING]
    parts: dict[str, Counter[int]] = {}
    for number, vdev in enumerate(vdevs):
        for member in vdev.members:
            parts.setdefault(member.disk_key, Counter())[number] += 1
    if len(parts) < failures:
        return None
    # Disks with the same part in the same vdevs are interchangeable: count classes of them instead of disks.
    classes = Counter(tuple(sorted(part.items())) for part in parts.values())
    tolerances = [_tolerance(vdev) for vdev in vdevs]
    kinds = list(classes)
    survived = 0
    for chosen in combinations_with_replacement(range(len(kinds)), failures):
        counted = Counter(chosen)
        ways = 1
        for kind, times in counted.items():
            ways *= comb(classes[kinds[kind]], times)
        if ways and _stands([kinds[kind] for kind in chosen], tolerances):
            survived += ways
    return survived / comb(len(parts), failures)


def _stands(failed: Sequence[tuple[tuple[int, int], ...]], tolerances: Sequence[int]) -> bool:
    gone: Counter[int] = Counter()
    for disk in failed:
        for vdev, members in disk:
            gone[vdev] += members
    return all(members <= tolerances[vdev] for vdev, members in gone.items())


def _tolerance(vdev: Vdev) -> int:
    return len(vdev.members) - 1 if vdev.kind is VdevKind.MIRROR else vdev.parity
