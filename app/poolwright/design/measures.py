"""What a score is made from."""

from dataclasses import dataclass

from poolwright.predict.media import DiskRates
from poolwright.predict.outlook import Forecast
from poolwright.predict.speed import Typical


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
