"""What OpenZFS keeps in RAM by default: the ARC, and the writes that may be under way."""

from poolwright.domain.host import Host
from poolwright.domain.units import GIB, MIB
from poolwright.domain.version import ZfsVersion

_V22, _V23 = ZfsVersion(2, 2, 0), ZfsVersion(2, 3, 0)


def arc_bytes(host: Host, version: ZfsVersion) -> int | None:
    """Return the default limit of the ARC; None where the RAM is unknown.

    Linux: half of the RAM, since OpenZFS 2.3 the larger of the RAM less 1 GiB and 5/8 of it. FreeBSD has had the latter
    all along (`arc_default_max`).
    """
    ram = host.ram_bytes
    if ram is None:
        return None
    freebsd = host.os_name is not None and "freebsd" in host.os_name.lower()
    if version >= _V23 or freebsd:
        return max(ram - GIB, ram * 5 // 8)
    return ram // 2


def dirty_bytes(host: Host) -> int | None:
    """Return `zfs_dirty_data_max`: a tenth of the RAM, at most 4 GiB (zfs(4)); None where the RAM is unknown."""
    return None if host.ram_bytes is None else min(host.ram_bytes // 10, 4 * GIB)


def log_bytes(host: Host, version: ZfsVersion) -> int | None:
    """Return `zfs_wrlog_data_max`, beyond which OpenZFS holds writes back: twice the dirty data (zfs(4), since 2.2)."""
    dirty = dirty_bytes(host)
    return None if dirty is None or version < _V22 else 2 * dirty


def cache_fill_rate(version: ZfsVersion) -> int:
    """Return `l2arc_write_max` in bytes/s: 8 MiB, since OpenZFS 2.3 32 MiB (#15457)."""
    return (32 if version >= _V23 else 8) * MIB
