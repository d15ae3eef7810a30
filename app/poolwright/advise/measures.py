"""What a score is made from."""

from dataclasses import dataclass

from poolwright.advise.enumerate import Shape
from poolwright.predict.media import DiskRates
from poolwright.predict.outlook import Forecast


@dataclass(frozen=True, slots=True, kw_only=True)
class Measures:
    """A shape with its numbers: usable bytes of all its pools, what is predicted of one pool.

    ``disks`` and ``raw_bytes`` count every ticked disk, used or not; ``rates`` are those of one disk alone, ``clients``
    how many work at once (None: plenty).
    """

    shape: Shape
    usable_bytes: int
    failures_survived: int
    disks: int
    raw_bytes: int
    forecast: Forecast
    rates: DiskRates
    clients: int | None = None
