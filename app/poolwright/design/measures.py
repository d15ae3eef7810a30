"""What a score is made from."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from poolwright.capacity.vdev import DEFLATE_BLOCK_BYTES, allocated_bytes
from poolwright.domain.units import KIB, MIB
from poolwright.domain.vdev import VdevKind
from poolwright.domain.workload import Workload
from poolwright.predict.media import DiskRates
from poolwright.predict.outlook import Forecast
from poolwright.predict.speed import Typical

# How much of a pool's space the workload's own blocks fill with data: `zfs list` counts all in blocks of 128 KiB.

DEFAULT_RECORD_BYTES = 128 * KIB
DEFAULT_VOLUME_BLOCK_BYTES = 16 * KIB
LARGE_RECORD_BYTES = MIB


def block_bytes(workload: Workload) -> int:
    """Return the size of block in which the workload's data will lie, before compression.

    What compression saves is no room to plan with: a block that shrinks is still rounded up to whole sectors.
    A volume's blocks have the size of its I/O; a database's records too. Other files have records of 1 MiB where
    they are read in such pieces, of 128 KiB otherwise, and one block of their own size where they are smaller.
    """
    io_bytes = workload.io_size_bytes
    if workload.volumes:
        return min(io_bytes or DEFAULT_VOLUME_BLOCK_BYTES, DEFAULT_RECORD_BYTES)
    if workload.preset == "database" and io_bytes is not None:
        return min(io_bytes, DEFAULT_RECORD_BYTES)
    if io_bytes is not None and io_bytes >= LARGE_RECORD_BYTES:
        return LARGE_RECORD_BYTES
    return min(DEFAULT_RECORD_BYTES, workload.typical_file_bytes or DEFAULT_RECORD_BYTES)


@lru_cache(maxsize=1 << 11)
def filled(kind: VdevKind, width: int, parity: int, group_data: int, ashift: int, block: int) -> float:
    """Return the bytes of such blocks that a vdev holds for each byte that `zfs list` counts as usable."""
    usual = allocated_bytes(kind, width, parity, group_data, ashift, DEFLATE_BLOCK_BYTES) / DEFLATE_BLOCK_BYTES
    here = allocated_bytes(kind, width, parity, group_data, ashift, block) / block
    return usual / here


def mean_filled(parts: Iterable[tuple[float, float]]) -> float:
    """Return the mean of ``filled`` over vdevs, given with their usable bytes."""
    known = tuple(parts)
    total = sum([usable for usable, _ in known])
    return sum([usable * share for usable, share in known]) / total if total else 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Measures:
    """A layout with its numbers.

    ``forecast`` is predicted of the main pool, ``speed`` of all pools that work side by side on disks of their own.
    ``failures_survived`` are those of the weakest pool; ``usable_bytes`` counts all pools, ``held_bytes`` is the room
    in them for blocks of ``block_bytes``, as the workload writes them. ``data_members`` are the disks in data vdevs,
    ``yearly_failures`` the share of them that fails in a year. ``peers`` are further pools of equal rank, ``rests``
    those of left-over space. ``disks`` counts every ticked disk, used or not, ``most_disks`` and ``raw_bytes`` those of
    the medium that has most bytes, ``own_bytes`` those of the data's medium; ``rates`` are those of one disk alone
    (``outpaced``: of a faster one, of a medium that could hold the data as well), ``most`` what so many disks as
    ``most_disks`` give as stripes on this host, ``any_loss`` the yearly probability that any of the pools is lost by
    whatever cause, ``any_disk_loss`` by failures of disks alone (pools are taken as independent, what threatens the
    machine counts once), ``draid`` whether a pool has dRAID vdevs, ``clients`` how many work at once (None: plenty) and
    ``sequential_percent`` how much of what they do goes from start to end; ``taking`` is the number of shelves and
    controllers that take a pool with them, ``taking_least`` whether they may be more: that is known once the disks have
    places. So is which vdev has which disks of several models where they are not ``dealt`` in their order.
    """

    usable_bytes: int
    held_bytes: float
    block_bytes: int
    failures_survived: int
    spares: int
    data_members: int
    yearly_failures: float
    disks: int
    most_disks: int
    raw_bytes: int
    own_bytes: int
    forecast: Forecast
    speed: Typical
    rates: DiskRates
    most: Typical
    any_loss: float
    any_disk_loss: float
    draid: bool
    peers: int = 0
    rests: int = 0
    clients: int | None = None
    sequential_percent: int | None = None
    outpaced: bool = False
    taking: int = 0
    taking_least: bool = False
    dealt: bool = True
