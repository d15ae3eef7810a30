"""The space of AnyRAID, a preview: no OpenZFS release has it.

Sources: openzfs/zfs#17567 (anymirror) and #18406 (anyraidz), both open as of July 2026,
`module/zfs/vdev_anyraid.c:anyraid_calculate_size, calculate_asize, vdev_anyraid_asize`. Disks are cut into
tiles of one size; each logical tile lies on as many disks as a stripe is wide, on those with most tiles free. What
hot spares do and how fast it is they do not tell.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from poolwright.capacity.device import leaf_bytes
from poolwright.capacity.pool import slop_bytes
from poolwright.capacity.vdev import MOST_CHILDREN, TopVdev, top_capacity
from poolwright.domain.units import GIB, KIB, MIB
from poolwright.domain.vdev import VdevKind
from poolwright.domain.version import ZfsVersion

# zfs_anyraid_min_tile_size and anyraid_disk_shift: a tile is a 64th of the smallest disk, rounded up to a power of two.
LEAST_TILE_BYTES, _TILE_SHIFT = 16 * GIB, 6
_MOST_TILES = 1 << 16  # of a disk: VDEV_ANYRAID_MAX_TPD
_MOST_PARITY = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class AnyraidVdev:
    """A vdev of all disks, by its ``word`` in the pull requests, such as anyraidz1:2 (parity and data in a stripe).

    ``whole_bytes`` and ``cut_bytes`` are the most that released layouts hold which survive as many failures, of whole
    disks and in partitions; None where none does, or before anybody looked.
    """

    word: str
    survives: int
    tile_bytes: int
    usable_bytes: int
    whole_bytes: int | None = None
    cut_bytes: int | None = None


def anyraid_vdevs(
    devices: Sequence[int], *, survives: int, widest: int, ashift: int, version: ZfsVersion
) -> Iterator[AnyraidVdev]:
    """Yield the mirror of ``devices`` that survives so many failures, and the raidz with most room that has more.

    Its stripe is at most ``widest`` disks wide. Nothing where each disk has as many tiles as the others, or where no
    disk is beyond those of a stripe: such a vdev is a released one.
    """
    # Each disk has four tile maps (VDEV_ANYRAID_TOTAL_MAP_SIZE): a header, and 4 bytes for each of 2^24 tiles.
    maps = 4 * (max(8 * KIB, 1 << ashift) + 64 * MIB)
    leaves = [leaf_bytes(device) - maps for device in devices]
    if not survives + 2 <= len(leaves) <= MOST_CHILDREN or min(leaves) < LEAST_TILE_BYTES:
        return
    tile = 1 << (max(min(leaves) >> _TILE_SHIFT, LEAST_TILE_BYTES) - 1).bit_length()
    tiles = [min(_MOST_TILES, leaf // tile) for leaf in leaves]
    if len(set(tiles)) == 1:
        return

    def vdev(kind: VdevKind, data: int) -> AnyraidVdev:
        # Metaslabs, at most as large as a tile, never are larger than the 16 GiB that it has at least.
        mirror, width = kind is VdevKind.MIRROR, survives + data
        logical = logical_tiles(tiles, width) * tile
        top = TopVdev(kind=kind, width=width, parity=0 if mirror else survives, least_leaf_bytes=logical)
        found = top_capacity(top, ashift, version)
        return AnyraidVdev(
            word=f"anymirror{survives}" if mirror else f"anyraidz{survives}:{data}",
            survives=survives,
            tile_bytes=tile,
            usable_bytes=found.usable_bytes - slop_bytes(found.usable_bytes, found.embedded_usable_bytes, version),
        )

    mirror = vdev(VdevKind.MIRROR, 1)
    yield mirror
    most = min(widest, len(devices)) - survives if survives <= _MOST_PARITY else 0
    every = (mirror, *(vdev(VdevKind.RAIDZ, data) for data in range(2, most + 1)))
    largest = max(every, key=lambda one: one.usable_bytes)
    if largest is not mirror:
        yield largest


def logical_tiles(tiles: Sequence[int], width: int) -> int:
    """Return how many logical tiles, each on ``width`` disks, disks with these numbers of tiles bear."""
    # The largest k of them take part in every one at most: the others must bear the rest. It is what OpenZFS's greedy
    # allocation comes to.
    ordered = sorted(tiles)
    return min(sum(ordered[: len(ordered) - k]) // (width - k) for k in range(width))
