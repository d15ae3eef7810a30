"""What a score is made from."""

from dataclasses import dataclass

from poolwright.predict.media import DiskRates
from poolwright.predict.outlook import Forecast
from poolwright.predict.speed import Typical


@dataclass(frozen=True, slots=True, kw_only=True)
class Measures:
    """A layout with its numbers.

    ``forecast`` is predicted of the main pool, ``speed`` of all pools that work side by side on disks of their own.
    ``failures_survived`` are those of the main pool; ``usable_bytes`` counts all pools. ``credited_bytes`` counts the
    bytes of a further pool only as far as it protects them (see `rank.protection`). ``data_members`` are the disks for
    which ``spares`` are kept, 0 where none are wanted. ``peers`` are further pools of equal rank, ``rests`` those of
    left-over space. ``disks`` and ``raw_bytes`` count every ticked disk, used or not; ``rates`` are those of one disk
    alone, ``most`` what all ticked disks give as stripes on this host, ``any_loss`` the
    yearly probability that any of the pools is lost by whatever cause, ``any_disk_loss`` by failures of disks alone
    (pools are taken as independent, what threatens the machine counts once), ``clients`` how many work at once (None:
    plenty).
    """

    usable_bytes: int
    credited_bytes: float
    failures_survived: int
    spares: int
    data_members: int
    disks: int
    raw_bytes: int
    forecast: Forecast
    speed: Typical
    rates: DiskRates
    most: Typical
    any_loss: float
    any_disk_loss: float
    peers: int = 0
    rests: int = 0
    clients: int | None = None
