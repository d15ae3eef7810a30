"""The space of a pool as a JSON object, in the answers of every command that has one."""

from poolwright.capacity.cascade import cascade
from poolwright.capacity.pool import PoolCapacity
from poolwright.domain.version import OLDEST_CURRENT, ZfsVersion, age_told
from poolwright.texts import tell


def capacity_document(capacity: PoolCapacity) -> dict[str, object]:
    """Return the space of a pool as a JSON object."""
    return {
        "vdev": [str(spec) for spec in capacity.layout],
        "ashift": capacity.ashift,
        "zfs": str(capacity.version),
        "members": capacity.members.value,
        "pool_size_bytes": capacity.pool_size_bytes,
        "available_bytes": capacity.available_bytes,
        "slop_bytes": capacity.slop_bytes,
        "plan_bytes": capacity.plan_bytes,
        "metaslab_count": capacity.metaslab_count,
        "metaslab_shift": capacity.metaslab_shift,
        "steps": [
            {"name": s.name, "title": s.title, "change_bytes": s.change_bytes, "bytes": s.bytes_left, "why": s.why}
            for s in cascade(capacity)
        ],
        "vdevs": [
            {
                "spec": str(capacity.layout[v.index]),
                "class": v.top.vdev_class.value,
                "top_level_vdevs": v.count,
                "asize_bytes": v.capacity.asize_bytes,
                "metaslab_count": v.capacity.metaslab_count,
                "metaslab_shift": v.capacity.metaslab_shift,
                "size_bytes": v.capacity.raw_bytes,
                "embedded_log_bytes": v.capacity.embedded_bytes,
                "deflate_ratio": v.capacity.ratio,
            }
            for v in capacity.vdevs
        ],
        "origin": _origin(capacity.version),
        "notes": version_notes(capacity.version),
    }


def _origin(version: ZfsVersion) -> str:
    if version < OLDEST_CURRENT:
        return tell("OpenZFS's own arithmetic of that version, by its source; checked where such pools were printed")
    return tell("OpenZFS's own arithmetic, checked against real pools of 2.1 to 2.4")


def version_notes(version: ZfsVersion) -> list[str]:
    """Return what is to be said of an old version, if anything."""
    told = age_told(version)
    return [] if told is None else [told]
