"""What ZFS does with a measurement, by version of userland and module: sentences that always go with the result, and
how caches are kept out of it.

Sources: zfsprops(7) (direct, primarycache, recordsize, logbias), zfs(4) (zfs_txg_timeout, zfs_dirty_data_max,
zfs_arc_max, zfs_dio_enabled, zfs_dio_strict), openzfs#10018 (direct I/O, with 2.3), #17218 (an O_DIRECT that is not
aligned goes on uncached instead of failing, with 2.4), #18660 and #18684 (libaio and io_uring are answered one at a
time, also by 2.4), #15457 (l2arc_write_max).
"""

from dataclasses import dataclass

from poolwright.bench.record import BenchTarget
from poolwright.capacity.pool import slop_bytes
from poolwright.design.roles.cache import arc_bytes, dirty_bytes
from poolwright.domain.host import Host
from poolwright.domain.units import DEFAULT_RECORD_BYTES, GIB, KIB, MIB, binary
from poolwright.domain.version import DEFAULT_VERSION, ZfsVersion
from poolwright.emit.fio import DIRECT_SINCE
from poolwright.shipped import shipped
from poolwright.texts import _, numeral

TXG_SECONDS = 5  # zfs_txg_timeout
LEAST_TXGS = 4
_PAGE = 4 * KIB
_DIRECT_FILESYSTEMS = frozenset({"ext2", "ext3", "ext4", "xfs", "btrfs", "f2fs"})
_UNALIGNED_GOES_ON_SINCE = ZfsVersion(2, 4)


def note(name: str, **values: object) -> str:
    """Return a sentence of `rules/data/bench_notes.toml`."""
    known = {entry["name"]: entry["note"] for entry in shipped("bench_notes")["knowledge"]}
    return _(known[name], **values)


def parameter(place: BenchTarget, name: str) -> int | None:
    text = dict(place.parameters).get(name, "")
    return int(text) if text.isdigit() else None


def whole_property(place: BenchTarget, name: str) -> int | None:
    text = place.property(name) or ""
    return int(text) if text.isdigit() else None


def txg_seconds(place: BenchTarget) -> float:
    return float(parameter(place, "zfs_txg_timeout") or TXG_SECONDS)


def most_cached(place: BenchTarget) -> int | None:
    if place.dataset is None:
        return place.ram_bytes
    told = place.arc_most_bytes or parameter(place, "zfs_arc_max")
    return told or arc_bytes(Host(ram_bytes=place.ram_bytes), place.module or DEFAULT_VERSION)


def most_dirty(place: BenchTarget) -> int | None:
    return parameter(place, "zfs_dirty_data_max") or dirty_bytes(Host(ram_bytes=place.ram_bytes))


def percent_bytes(place: BenchTarget) -> float:
    """Return the bytes of files that fill a hundredth of the pool: `zpool list` counts parity, files do not.

    What is free for files is what is free of the pool but for the slop, less its parity. 0 where no pool is known.
    """
    whole, used = place.pool_bytes or 0, place.fill_percent or 0
    left = whole * (100 - used) / 100 - slop_bytes(whole, 0, place.module or DEFAULT_VERSION)
    known = place.fill_percent is not None and left > 0
    share = min(1.0, place.free_bytes / left) if known else 1.0
    return share * whole / 100


def direct_refusal(place: BenchTarget, block_bytes: int) -> str | None:
    if place.dataset is None:
        known = place.filesystem in _DIRECT_FILESYSTEMS and block_bytes % _PAGE == 0
        return None if known else _("O_DIRECT is not relied on here ({filesystem})", filesystem=place.filesystem)
    record = whole_property(place, "recordsize") or DEFAULT_RECORD_BYTES
    unaligned = note("unaligned", block=binary(block_bytes), record=binary(record)) if block_bytes % record else None
    return _too_old(place) or _switched_off(place) or unaligned


def _too_old(place: BenchTarget) -> str | None:
    for who, version in (("userland", place.userland), ("module", place.module)):  # for machines
        if version is None:
            return _("the OpenZFS of the {part} is not known, so O_DIRECT is not relied on", part=who)
        if version < DIRECT_SINCE:
            return _("OpenZFS before 2.3 ignores O_DIRECT, and the {part} here is {version}", part=who, version=version)
    return None


def _switched_off(place: BenchTarget) -> str | None:
    off = {"direct=disabled": place.property("direct") == "disabled"}
    off["zfs_dio_enabled=0"] = parameter(place, "zfs_dio_enabled") == 0
    return next((_("{setting}: O_DIRECT is ignored", setting=name) for name, so in off.items() if so), None)


def zfs_facts(place: BenchTarget, *, compress_percent: int = 0, writes: bool = False) -> tuple[str, ...]:
    if place.dataset is None:
        return (_("This is {filesystem}, not ZFS: it is measured and not judged.", filesystem=place.filesystem),)
    facts = [_of_direct(place)]
    if writes:
        kind = place.property("compression") or _("unknown")
        facts.append(note("waits", seconds=numeral(txg_seconds(place), "g"), dirty=binary(most_dirty(place))))
        facts.append(note("compresses", kind=kind, percent=compress_percent))
    if place.property("dedup") not in (None, "off"):
        facts.append(_("dedup is on: every block written is looked up, though none is a duplicate."))
    return tuple(facts)


def _of_direct(place: BenchTarget) -> str:
    refusal = _too_old(place) or _switched_off(place)
    if refusal is not None:
        return _("Direct I/O: {refusal}.", refusal=refusal)
    strict = parameter(place, "zfs_dio_strict")
    if strict is None:
        strict = 0 if place.module is not None and place.module >= _UNALIGNED_GOES_ON_SINCE else None
    if strict is not None:
        return _("Direct I/O of whole records bypasses the ARC; others fall back, or fail with zfs_dio_strict=1.")
    return _("Direct I/O of whole records bypasses the ARC; smaller writes do not, and requests below a page fail.")


def depth_fact(place: BenchTarget) -> str | None:
    if place.dataset is None:
        return None
    return _("ZFS answers libaio and io_uring one request at a time: the queue depth is as many threads.")


def partial_fact(place: BenchTarget, block_bytes: int, *, writes: bool) -> str | None:
    record = whole_property(place, "recordsize")
    if record is None or block_bytes >= record:
        return None
    words = {"block": binary(block_bytes), "record": binary(record), "times": record // block_bytes}
    return note("part-written" if writes else "part-read", **words)


# How a test is kept out of the cache, and how large its files are: decided for the target, and always told.

_CACHE_FACTOR = 2  # files are larger than so many times what memory may hold
_BEYOND = 8  # and by an eighth of it, so that what is rounded down or grows on the way changes nothing
# Beyond, files that beat the cache by their size take longer than the tests: other ways are looked for first.
_USUAL_MOST = 128 * GIB
_WITHOUT_CACHE_BYTES = 16 * GIB
_LEAST_BYTES = 64 * MIB
_SHARE_OF_FREE = 2  # half of the free space at most


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheProof:
    """Whether what is measured cannot come from memory, by O_DIRECT (``direct``) or otherwise, in a sentence."""

    holds: bool
    note: str
    direct: bool = False


def most_room_bytes(place: BenchTarget) -> int:
    return place.free_bytes // _SHARE_OF_FREE


def usual_data_bytes(place: BenchTarget, room: int | None = None) -> int:
    cached = most_cached(place)
    room = most_room_bytes(place) if room is None else room
    enough = _WITHOUT_CACHE_BYTES if cached is None else _CACHE_FACTOR * cached + cached // _BEYOND
    if _out_by_property(place) or (direct_refusal(place, GIB) is None and enough > min(room, _USUAL_MOST)):
        enough = min(enough, _WITHOUT_CACHE_BYTES)
    return max(min(enough, room), min(_LEAST_BYTES, room))


def exceeds_cache(place: BenchTarget, size: int) -> bool:
    """Tell whether files of ``size`` together are more than twice what memory may hold; False where nobody knows."""
    cached = most_cached(place)
    return cached is not None and size > _CACHE_FACTOR * cached


def cache_proof(place: BenchTarget, block_bytes: int, size: int, *, asks: bool = True) -> CacheProof:
    """Return what keeps reads of ``block_bytes`` in files of ``size`` bytes together out of the cache.

    ``asks`` tells whether what reads can ask for O_DIRECT.
    """
    cached = most_cached(place)
    if _out_by_property(place):
        return CacheProof(holds=True, note=note("out-by-property", kind=place.property("primarycache")))
    if cached is not None and exceeds_cache(place, size):
        return CacheProof(holds=True, note=note("larger", size=binary(size), cached=binary(cached)))
    refusal = direct_refusal(place, block_bytes) if asks else _("nothing asks for O_DIRECT")
    if refusal is None:
        return CacheProof(holds=True, direct=True, note=_("Done with O_DIRECT, past the cache."))
    if cached is None:
        return CacheProof(holds=False, note=note("unproved", refusal=refusal))
    sizes = {"size": binary(size), "needed": binary(_CACHE_FACTOR * cached), "cached": binary(cached)}
    return CacheProof(holds=False, note=note("too-small", refusal=refusal, **sizes))


def _out_by_property(place: BenchTarget) -> bool:
    return place.property("primarycache") in ("metadata", "none")
