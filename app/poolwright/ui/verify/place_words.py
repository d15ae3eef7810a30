"""A place, what a profile costs, and how far a run is, each in a line of words."""

from poolwright.bench.profiles.profile import Effort, Profile
from poolwright.bench.running.place import BenchPlace
from poolwright.bench.running.run import RunProgress
from poolwright.bench.words import time_words
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


def effort_words(profile: Profile | None, effort: Effort | None) -> str:
    """Return what a profile costs at most, in a line; empty where there is none."""
    if profile is None or effort is None:
        return ""
    parts = [
        tell("At most {time}", time=time_words(effort.seconds)),
        tell("writes {size}", size=binary(effort.written_bytes)),
        tell("takes {size} of room meanwhile", size=binary(effort.space_bytes)),
    ]
    if effort.wear is not None:
        parts.append(tell("{share:.3f} % of the rated writes", share=100 * effort.wear))
    return ", ".join(parts) + "."


def progress_words(progress: RunProgress) -> str:
    """Return how far a run is: the share, the time left, what was written, the hottest disk."""
    parts = [f"{progress.fraction * 100:.0f} %"]
    if progress.seconds_left is not None:
        parts.append(tell("{time} left", time=time_words(progress.seconds_left)))
    if not progress.untold:
        parts.append(tell("{size} written", size=binary(progress.written_bytes)))
    if progress.celsius is not None:
        parts.append(f"{progress.celsius:.0f} °C")
    return ", ".join(parts)
