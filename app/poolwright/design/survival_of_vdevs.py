"""How vdevs of any kind stand random failures: exact counting over the disks themselves, partitions included."""

from collections import Counter
from math import comb

from poolwright.design.survival import survivable_sets
from poolwright.domain.design import Design
from poolwright.domain.vdev import HOLDS_THE_POOL


def failures_survived(design: Design) -> int | None:
    """Return how many disks may fail, whichever they are, without loss of a pool; None without a data vdev.

    Tolerance of the weakest vdev, less where one disk holds several of its members.
    """
    least: int | None = None
    for vdev in design.all_vdevs():
        if vdev.vdev_class not in HOLDS_THE_POOL:
            continue
        worst = sorted(Counter(member.disk_key for member in vdev.members).values(), reverse=True)
        gone = survived = 0
        for members in worst:
            gone += members
            if gone > vdev.failures_survived:
                break
            survived += 1
        least = survived if least is None else min(least, survived)
    return least


def survival_share(design: Design, failures: int) -> float | None:
    """Return the share of all sets of ``failures`` (up to 4) disks whose failing at once loses no pool of the design.

    Counted over the disks that hold data, special or dedup vdevs; None when there are fewer of them than that.
    A dRAID counts as lost where more disks fail than it has parity.
    """
    vdevs = [vdev for vdev in design.all_vdevs() if vdev.vdev_class in HOLDS_THE_POOL]
    held: dict[str, Counter[int]] = {}
    for number, vdev in enumerate(vdevs):
        for member in vdev.members:
            held.setdefault(member.disk_key, Counter())[number] += 1
    if len(held) < failures:
        return None
    # Disks with the same parts of the same vdevs are interchangeable: count classes of them instead of disks.
    alike = Counter(tuple(parts.items()) for parts in held.values())
    return survivable_sets(alike, [vdev.failures_survived for vdev in vdevs])[failures] / comb(len(held), failures)
