"""Every division of a few whole disks among the vdevs of one pool, its spares, and disks left idle."""

from collections.abc import Iterator, Sequence
from itertools import product

from poolwright.design.enumerate import MIRROR_WIDTHS, RAIDZ_PARITIES
from poolwright.design.stock import Taken
from poolwright.domain.vdev import VdevKind

Vdev = tuple[VdevKind, int, Taken]  # kind, parity, disks
Division = tuple[tuple[Vdev, ...], Taken]  # data vdevs, spares
_Counts = tuple[int, ...]


def divisions(counts: Sequence[int], spares: int | None, most: int) -> tuple[Division, ...] | None:
    """Return every division of disks, ``counts`` of each kind, the largest kind first; None beyond ``most``.

    Disks of one kind are interchangeable. A vdev is a single disk, a mirror of 2 to 4 or a raidz1-3, of any disks; a
    pool may have vdevs of several kinds. ``spares`` fixes the number of spares; otherwise each number is tried. Spares
    come from the largest disks left, for one must replace any member.
    """
    blocks = _blocks(tuple(counts))
    found: list[Division] = []
    for vdevs, left in _fillings(blocks, 0, tuple(counts)):
        total = sum(left)
        for number in range(total + 1) if spares is None else (spares,) if spares <= total else ():
            if len(found) == most:
                return None
            found.append((vdevs, _largest(left, number)))
    return tuple(found)


def _blocks(counts: _Counts) -> list[tuple[Vdev, _Counts]]:
    """Return every vdev that these disks could form, with the disks it takes."""
    found: list[tuple[Vdev, _Counts]] = []
    for taken in product(*(range(count + 1) for count in counts)):
        width = sum(taken)
        members = tuple((group, number) for group, number in enumerate(taken) if number)
        if width == 1:
            found.append(((VdevKind.STRIPE, 0, members), taken))
        if width in MIRROR_WIDTHS:
            found.append(((VdevKind.MIRROR, 0, members), taken))
        found.extend(((VdevKind.RAIDZ, p, members), taken) for p in RAIDZ_PARITIES if width > p)
    return found


def _fillings(
    blocks: Sequence[tuple[Vdev, _Counts]], first: int, left: _Counts
) -> Iterator[tuple[tuple[Vdev, ...], _Counts]]:
    """Yield every multiset of at least one of the blocks from number ``first`` on, with the disks it leaves."""
    for number in range(first, len(blocks)):
        vdev, taken = blocks[number]
        rest = tuple(have - used for have, used in zip(left, taken, strict=True))
        if min(rest) < 0:
            continue
        yield (vdev,), rest
        for others, idle in _fillings(blocks, number, rest):
            yield (vdev, *others), idle


def _largest(left: _Counts, number: int) -> Taken:
    taken = []
    for group, have in enumerate(left):
        held = min(have, number)
        if held:
            taken.append((group, held))
            number -= held
    return tuple(taken)
