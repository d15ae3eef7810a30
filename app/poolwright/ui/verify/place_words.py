"""A place in a line of words."""

from poolwright.bench.running.place import BenchPlace
from poolwright.domain.units import binary
from poolwright.texts import tell


def place_words(place: BenchPlace) -> str:
    """Return what was found in a directory: filesystem or dataset and pool, room, versions, memory."""
    parts = [_where(place), tell("{size} free", size=binary(place.free_bytes))]
    if place.pool is not None:
        parts.append(_pool(place))
    if place.arc_most_bytes is not None:
        parts.append(tell("ARC up to {size}", size=binary(place.arc_most_bytes)))
    elif place.ram_bytes is not None:
        parts.append(tell("{size} of RAM", size=binary(place.ram_bytes)))
    parts.append(_versions(place))
    return " · ".join(part for part in parts if part)


def _where(place: BenchPlace) -> str:
    if place.dataset is None:
        return tell("{filesystem}, no ZFS: it can be measured, not judged", filesystem=place.filesystem)
    return tell("dataset {dataset}", dataset=place.dataset)


def _pool(place: BenchPlace) -> str:
    health = place.pool_health or tell("health unknown")
    if place.fill_percent is None:
        return tell("pool {pool}, {health}", pool=place.pool, health=health)
    return tell("pool {pool}, {health}, {fill} % full", pool=place.pool, health=health, fill=place.fill_percent)


def _versions(place: BenchPlace) -> str:
    parts = []
    if place.module is not None:
        parts.append(tell("OpenZFS {version}", version=place.module))
    if place.fio is not None:
        parts.append(place.fio)
    return ", ".join(parts)
