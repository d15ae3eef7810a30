"""What a pool is made of, as far as it decides which tests fit it and which rows of a measured table it is held to."""

from dataclasses import dataclass

from poolwright.bench.record import BenchTarget
from poolwright.predict.tables import LayoutShape

# The tables' words for vdevs by their names; a bare disk is a part of a stripe.
_TABLED = {"disk": "stripe"} | {name: name for name in ("mirror", "raidz1", "raidz2", "raidz3")}
# How the lines of a layout begin that are no data vdevs.
LOGS = ("log ", "logs ")
OTHER_CLASSES = ("cache ", "spares ", "special ", "dedup ")


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolHardware:
    """``shape`` is the layout of the data vdevs, None where they are unlike each other or of a kind no table has.

    ``data`` and ``logs`` are the names of its disks and log devices. ``spins`` tells whether its data disks are hard
    disks, None where that is not known or some are.
    """

    shape: LayoutShape | None = None
    spins: bool | None = None
    has_cache: bool = False
    flash_log: bool = False
    data: frozenset[str] = frozenset()
    logs: frozenset[str] = frozenset()


def hardware_of(place: BenchTarget) -> PoolHardware:
    """Return what the pool of a directory is made of; nothing is known of one without a pool."""
    data = [line.split() for line in place.layout if not line.startswith((*OTHER_CLASSES, *LOGS))]
    names = frozenset(name for words in data for name in words[1:])
    logs = frozenset(name for line in place.layout if line.startswith(LOGS) for name in line.split()[1:])
    spinning, logging = ({d.rotational for d in place.disks if d.name in these} for these in (names, logs))
    return PoolHardware(
        shape=_shape(data),
        spins=spinning.pop() if len(spinning) == 1 else None,
        has_cache=any(line.startswith("cache ") for line in place.layout),
        flash_log=logging == {False},
        data=names,
        logs=logs,
    )


def _shape(data: list[list[str]]) -> LayoutShape | None:
    kinds = {(_TABLED.get(name.partition("-")[0]), len(members)) for name, *members in data}
    word, width = kinds.pop() if len(kinds) == 1 else (None, 0)
    return None if word is None or not width else LayoutShape(word=word, groups=len(data), width=width)
