"""What a pool is made of, as far as it decides which rows of a measured table are comparable with it."""

import re
from dataclasses import dataclass

from poolwright.bench.judging.seen import OTHER_CLASSES
from poolwright.bench.running.place import BenchPlace
from poolwright.predict.table_model import LayoutShape

_GROUP = re.compile(r"(mirror|raidz[123])-\d+\Z")
_LOGS = ("log ", "logs ")


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


def hardware_of(place: BenchPlace) -> PoolHardware:
    """Return what the pool of a directory is made of; nothing is known of one without a pool."""
    data = [line.split() for line in place.layout if not line.startswith((*OTHER_CLASSES, *_LOGS))]
    logs = frozenset(name for line in place.layout if line.startswith(_LOGS) for name in line.split()[1:])
    names = frozenset(name for words in data for name in words[1:])
    kinds = {disk.rotational for disk in place.disks if disk.name in names}
    spinning_logs = [disk.rotational for disk in place.disks if disk.name in logs]
    return PoolHardware(
        shape=_shape(data),
        spins=kinds.pop() if len(kinds) == 1 else None,
        has_cache=any(line.startswith("cache ") for line in place.layout),
        flash_log=bool(spinning_logs) and not any(spins is not False for spins in spinning_logs),
        data=names,
        logs=logs,
    )


def _shape(data: list[list[str]]) -> LayoutShape | None:
    kinds = {(_word(words[0]), len(words) - 1) for words in data}
    if len(kinds) != 1:
        return None
    word, width = kinds.pop()
    return None if word is None or not width else LayoutShape(word=word, groups=len(data), width=width)


def _word(name: str) -> str | None:
    """Return the table's word for a vdev by its name; a bare disk is a part of a stripe."""
    if name == "disk":
        return "stripe"
    found = _GROUP.match(name)
    return found.group(1) if found else None
