"""The enumeration against a brute-force search that knows nothing of it."""

from collections.abc import Iterator

import pytest

from poolwright.design.equal_layouts import MOST_SPARES, EqualLayout, shapes
from poolwright.domain.vdev import VdevKind


def partitions(disks: int, least: int, most: int) -> Iterator[tuple[int, ...]]:
    """Yield every way to split exactly ``disks`` into parts of at least ``least``, in falling order."""
    if disks == 0:
        yield ()
        return
    for part in range(min(disks, most), least - 1, -1):
        for rest in partitions(disks - part, least, part):
            yield (part, *rest)


def brute_force(disks: int) -> set[tuple[str, tuple[int, ...], int]]:
    """Return every layout of one kind with equal widths, and those with widths one apart that use every disk."""
    found: set[tuple[str, tuple[int, ...], int]] = set()
    for kind, least, most in (("mirror", 2, 4), ("raidz1", 2, disks), ("raidz2", 3, disks), ("raidz3", 4, disks)):
        for members in range(least, disks + 1):
            for widths in partitions(members, least, most):
                for spares in range(min(MOST_SPARES, disks - members) + 1):
                    uneven = widths[0] == widths[-1] + 1 and kind != "mirror" and members + spares == disks
                    if widths[0] == widths[-1] or uneven:
                        found.add((kind, widths, spares))
    found |= {("stripe", (1,) * members, 0) for members in range(1, disks + 1)}
    return found


def described(shape: EqualLayout) -> tuple[str, tuple[int, ...], int]:
    widths = (shape.width + 1,) * shape.wide + (shape.width,) * shape.narrow
    word = f"raidz{shape.parity}" if shape.kind is VdevKind.RAIDZ else shape.kind.value
    return word, widths, shape.spares


@pytest.mark.parametrize("disks", [1, 2, 3, 5, 8, 13, 18])
def test_that_every_layout_is_enumerated_once_and_no_other(disks: int) -> None:
    made = [described(shape) for shape in shapes(disks) if shape.kind is not VdevKind.DRAID]
    assert len(made) == len(set(made))
    assert set(made) == brute_force(disks)


@pytest.mark.parametrize("disks", [9, 10, 23, 44])
def test_that_every_draid_of_ten_disks_and_more_is_enumerated_once_and_no_other(disks: int) -> None:
    made = [shape for shape in shapes(disks) if shape.kind is VdevKind.DRAID]
    wanted = {
        (parity, disks // vdevs, vdevs, data, distributed)
        for vdevs in range(1, disks + 1)
        if disks // vdevs >= 10
        for parity in (1, 2, 3)
        for data in (4, 8, 16)
        for distributed in (1, 2, 3, 4)
        if data + parity + distributed <= disks // vdevs
    }
    assert len(made) == len(wanted)
    assert {(s.parity, s.width, s.narrow, s.data, s.distributed) for s in made} == wanted
    assert all(s.disks <= disks and s.spares <= MOST_SPARES for s in made)


def test_that_a_wish_for_spares_is_kept_by_every_layout() -> None:
    found = list(shapes(20, spares=7))
    assert {shape.all_spares for shape in found} == {7}
    assert {shape.kind for shape in found} == set(VdevKind)


def test_that_no_layout_takes_more_disks_than_there_are() -> None:
    assert all(shape.disks * shape.pools <= 44 for shape in shapes(44, split_stripes=True))


def test_that_more_than_20_disks_are_also_split_into_several_stripes_where_asked() -> None:
    split = [shape for shape in shapes(44, split_stripes=True) if shape.pools > 1]
    assert split
    assert all(shape.kind is VdevKind.STRIPE and shape.narrow <= 20 for shape in split)
    assert not [shape for shape in shapes(20, split_stripes=True) if shape.pools > 1]
    assert [shape for shape in shapes(30, split_stripes=True) if shape.pools == 1] == list(shapes(30))
