"""Places that profiles are made for."""

from dataclasses import replace
from typing import Any

from poolwright.bench.record import BenchTarget, TargetDisk
from poolwright.domain.units import GIB, TIB
from poolwright.domain.version import ZfsVersion

_DISKS = tuple(TargetDisk(name=f"sd{letter}", kernel_name=f"sd{letter}", rotational=True) for letter in "abcd")
ON_ZFS = BenchTarget(
    directory="/tank/bench", filesystem="zfs", host="box", free_bytes=4 * TIB, ram_bytes=16 * GIB, cores=8,
    fio="fio-3.33", dataset="tank/bench", pool="tank", pool_health="ONLINE", pool_bytes=8 * TIB, fill_percent=12,
    properties=(("recordsize", "131072"), ("compression", "lz4"), ("primarycache", "all"), ("direct", "standard")),
    userland=ZfsVersion(2, 3, 2), module=ZfsVersion(2, 3, 2), arc_most_bytes=8 * GIB, disks=_DISKS, has_log=True,
)  # fmt: skip
ELSEWHERE = BenchTarget(
    directory="/srv/x", filesystem="ext4", host="box", free_bytes=4 * TIB, ram_bytes=16 * GIB, fio="fio-3.33"
)


def place(base: BenchTarget = ON_ZFS, *, properties: dict[str, str] | None = None, **changes: Any) -> BenchTarget:
    told = dict(base.properties) | (properties or {})
    return replace(base, properties=tuple(told.items()), **changes)
