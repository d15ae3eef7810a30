"""What a score is made from."""

from dataclasses import dataclass

from poolwright.advise.enumerate import Shape


@dataclass(frozen=True, slots=True, kw_only=True)
class Measures:
    """A shape with its numbers: usable bytes of all its pools, exact survival, and the disks there were to use.

    ``survival`` is the share of all sets of 1 to 4 failing disks that a pool survives; ``disks`` and ``raw_bytes``
    count every ticked disk, used or not.
    """

    shape: Shape
    usable_bytes: int
    failures_survived: int
    survival: tuple[float, ...]
    disks: int
    raw_bytes: int
