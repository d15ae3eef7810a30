"""How one test is made from what it accesses, for the target, the design and the wishes of a run; and what ZFS does
with its measurement."""

from dataclasses import dataclass, field, replace

from poolwright.bench.record import BenchJob, BenchTarget, BenchTest, JobOptions, fio_bytes
from poolwright.capacity.pool import slop_bytes
from poolwright.design.roles.cache import arc_bytes, dirty_bytes
from poolwright.domain.design import Design
from poolwright.domain.disk import Disk
from poolwright.domain.errors import Refusal
from poolwright.domain.host import Host
from poolwright.domain.units import DEFAULT_RECORD_BYTES, GIB, KIB, MIB, binary
from poolwright.domain.version import DEFAULT_VERSION, ZfsVersion
from poolwright.emit.fio import DIRECT_SINCE, WITHOUT_ZEROS, written_data
from poolwright.machine.fio.jobs import count_of
from poolwright.predict.measured_runs import Metric
from poolwright.shipped import shipped
from poolwright.texts import _, numeral

# What a person wishes of a run beside its profile.


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchWishes:
    """None leaves it to the profile. ``repeats`` of each test, ``seconds`` of a repeat, ``most_bytes`` written in all.

    ``fill_percent``: the pool is filled so far first, by writes all over, and emptied at the end of the run.

    ``steps`` tells that a person stands by who runs what tests need as root; without, those tests are left out.
    """

    repeats: int | None = None
    seconds: float | None = None
    most_bytes: int | None = None
    fill_percent: int | None = None
    steps: bool = False


RUN_SECONDS, RAMP_SECONDS = 30.0, 5.0
REPEATS = 3
_FEW_JOBS = 64  # with more, threads instead of processes, and one log for all
_SMALLEST_FILE = MIB
_TRIAL_SECONDS = 10.0  # shorter repeats are a try and no measurement: their files need not beat the cache
_BYTES_A_SECOND = 256 * MIB  # data for each second of a try, and of a test that ends with its data


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """What one test does: ``rw`` is fio's word. Each job has a file of its own; ``shared`` lets all use one file,
    ``shared_files`` so many, those of a test with that many jobs.

    What `BenchTest` has too means the same there. ``seconds`` None ends it with the data, at latest after
    ``most_seconds``. ``data`` is the size of all files together, None the profile's own. ``cached`` says that the cache
    is meant to answer. ``compress`` is the share of what is written that can be compressed away, per cent. ``exact``
    says that its ``data`` is what is asked about, whatever is wished; ``end_after_bytes`` ends a timed test earlier.
    """

    name: str
    title: str
    rw: str
    block: int
    jobs: int = 1
    shared: bool = False
    shared_files: int | None = None
    data: int | None = None
    seconds: float | None = RUN_SECONDS
    ramp: float = RAMP_SECONDS
    most_seconds: float = 3600.0
    repeats: int = REPEATS
    x: float | None = None
    line: str = ""
    metric: Metric | None = None
    record: int | None = None
    sync: bool = False
    cached: bool = False
    compress: int = 0
    stops_at_knee: bool = False
    exact: bool = False
    end_after_bytes: int | None = None
    leaves_files: bool = False  # what it writes is not removed at its end
    keeps_files: bool = False  # it needs what the tests before it wrote
    extra: JobOptions = ()
    needs: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def writes(self) -> bool:
        return self.rw not in ("read", "randread")

    @property
    def fresh(self) -> bool:
        return self.rw == "write"


# What a test and its access call the same.
_ALIKE = ("name", "title", "x", "line", "metric", "sync", "stops_at_knee", "keeps_files", "needs")


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchSetup:
    """What the tests of a profile are made for: the target, and with which design and wishes.

    Where a person says how much may be written, files take one part in ``parts`` of it. ``disks`` are those of the
    machine that nothing uses, for what is asked before there is a design.
    """

    place: BenchTarget
    design: Design | None = None
    disks: tuple[Disk, ...] = ()
    wishes: BenchWishes = field(default_factory=BenchWishes)
    parts: int = 4

    @property
    def record_bytes(self) -> int:
        return whole_property(self.place, "recordsize") or DEFAULT_RECORD_BYTES

    @property
    def data_bytes(self) -> int:
        return usual_data_bytes(self.place, self.room_bytes)

    @property
    def room_bytes(self) -> int:
        room, most = most_room_bytes(self.place), self.wishes.most_bytes
        return room if most is None else min(room, most // self.parts)

    def shortened(self, size: int, *, timed: bool) -> int:
        """Return the size of all files of a test for the seconds that are wished of it, no more than ``size``.

        A test that ends with its data is shortened by them, a ``timed`` one where it is only a try.
        """
        seconds = self.wishes.seconds
        if seconds is None or (timed and seconds >= _TRIAL_SECONDS):
            return size
        return min(size, max(_SMALLEST_FILE, int(seconds * _BYTES_A_SECOND)))

    def fitting(self, size: int) -> int:
        """Return the size that a document's files have together, or less where less is wished.

        Raises Refusal where it has no room.
        """
        most = self.wishes.most_bytes
        wanted = self.shortened(size if most is None else min(size, most // self.parts), timed=False)
        if wanted > most_room_bytes(self.place):
            raise Refusal(
                _("Files of {size} do not fit", size=binary(wanted)),
                where=self.place.directory,
                todo=_("At most half of the free space is used. Make room, or write less."),
            )
        return wanted

    @property
    def dataset(self) -> str:
        return self.place.dataset or "DATASET"

    def test(self, access: Access) -> BenchTest:
        """Return the test of an access, sized and timed for the place, with what is to be known of its result."""
        size = access.data if access.data is not None else self.data_bytes
        size = size if access.exact else self.shortened(size, timed=access.seconds is not None)
        proof = cache_proof(self.place, access.block, size)
        seconds = None if access.seconds is None else self.wishes.seconds or access.seconds
        files = 1 if access.shared else access.shared_files or access.jobs
        single = max(size // files, _SMALLEST_FILE, access.block) // access.block * access.block
        notes = [*access.notes, *self._timing(access, seconds)]
        if access.cached:
            notes.append(_("The cache is meant to answer: this does not measure the disks."))
        partial = partial_fact(self.place, access.block, writes=access.writes) if access.record is None else None
        # Whole records are written without a look at what was there: nothing of that can come from a cache.
        reads = access.rw not in ("write", "randwrite") or (partial is not None and not access.fresh)
        if reads and not access.cached:
            notes.append(proof.note)
        notes += [partial] if partial is not None else []
        notes += zfs_facts(self.place, compress_percent=access.compress, writes=access.writes)
        test = BenchTest(
            **{name: getattr(access, name) for name in _ALIKE},
            jobs=(BenchJob(name=access.name, options=self._job(access)),),
            options=(
                *_files(access, single),
                # Writes stay as applications make them: past the ARC they would pass by the log device as well.
                *self._engine(access, direct=reads and proof.direct and not access.cached),
                *written_data(access.compress),
                *self._duration(access, seconds),
            ),
            file_bytes=single,
            files=files,
            seconds=seconds,
            ramp_seconds=_ramp(access, seconds),
            repeats=access.repeats if access.repeats == 1 else self.wishes.repeats or access.repeats,
            record_bytes=access.record or (self.record_bytes if self.place.dataset is not None else None),
            compress_percent=access.compress,
            cache_proof=not access.cached and (not reads or proof.holds),
            notes=tuple(dict.fromkeys(notes)),
        )
        return test if access.end_after_bytes is None else ended_after(test, access.end_after_bytes)

    def _timing(self, access: Access, seconds: float | None) -> tuple[str, ...]:
        least = LEAST_TXGS * txg_seconds(self.place)
        if self.place.dataset is None or seconds is None or not access.writes or access.sync or seconds >= least:
            return ()
        return (note("short", seconds=numeral(seconds, "g"), count=LEAST_TXGS),)

    def _job(self, access: Access) -> JobOptions:
        options = (("rw", access.rw), ("bs", str(access.block)), ("numjobs", str(access.jobs)))
        waits = access.sync and not any(name == "fsync" for name, __ in access.extra)
        return (*options, *((("sync", "1"),) if waits else ()), *access.extra)

    def _engine(self, access: Access, *, direct: bool) -> JobOptions:
        asked = {name for name, __ in access.extra}
        engine = () if "ioengine" in asked else (("ioengine", "psync"),)
        many = (("thread", "1"), ("per_job_logs", "0")) if access.jobs > _FEW_JOBS else ()
        return (*engine, ("direct", "1" if direct else "0"), *many)

    def _duration(self, access: Access, seconds: float | None) -> JobOptions:
        if seconds is None:
            return (("runtime", _time(access.most_seconds)),)
        ramp = _ramp(access, seconds)
        return (("time_based", "1"), ("runtime", _time(seconds)), *((("ramp_time", _time(ramp)),) if ramp else ()))


def _ramp(access: Access, seconds: float | None) -> float:
    """Return how long a test runs before it counts: as long as it should, and never most of a shortened one."""
    return 0.0 if seconds is None else min(access.ramp, seconds / 4)


def _time(seconds: float) -> str:
    return f"{round(seconds * 1000)}ms"


def _files(access: Access, single: int) -> JobOptions:
    """Return how the files are called, sized and laid out: read from and written over are those of all tests alike."""
    size = ("size", str(single))
    unlink = () if access.leaves_files else (("unlink", "1"),)
    if access.fresh:
        return (("filename_format", f"{access.name}.$jobnum"), size, *WITHOUT_ZEROS, *unlink, ("end_fsync", "1"))
    name = ("filename", "data") if access.shared else ("filename_format", "data.$jobnum")
    if access.shared_files is not None:
        name = ("filename", ":".join(f"data.{number}" for number in range(access.shared_files)))
        size = ("size", str(single * access.shared_files))
    overwrite = (("overwrite", "1"), ("end_fsync", "1")) if access.writes else ()
    # Without the map of blocks that were used already a test may go on beyond the file's size.
    any_block = (("norandommap", "1"),) if access.rw.startswith("rand") and access.seconds is not None else ()
    return (name, size, *WITHOUT_ZEROS, *overwrite, *any_block)


# Timed tests that end earlier, when so many bytes were moved.

_UNTIL_TIME = frozenset(("time_based", "ramp_time"))


def jobs_of(test: BenchTest) -> int:
    return sum(count_of(job, "numjobs") or 1 for job in test.job_options)


def bytes_in_flight(test: BenchTest) -> int:
    return sum((count_of(job, "numjobs") or 1) * fio_bytes(job.get("bs", "4k")) for job in test.job_options)


def asked_bytes(test: BenchTest) -> int | None:
    """Return how many bytes the jobs of a test move at most by what they say (io_size); None where one says nothing,
    or runs by time.
    """
    if any("io_size" not in job or job.get("time_based", "0") != "0" for job in test.job_options):
        return None
    return sum(fio_bytes(job["io_size"]) * (count_of(job, "numjobs") or 1) for job in test.job_options)


def ended_after(test: BenchTest, most_bytes: int) -> BenchTest:
    """Return a test whose repeats end with their time or with so many bytes, the same for each of its jobs.

    fio looks at io_size only where a job does not run by time; its ramp would move bytes that nobody counts.
    """
    each, jobs = most_bytes // jobs_of(test), []
    for job, said in zip(test.jobs, test.job_options, strict=True):
        block = fio_bytes(said.get("bs", "4k"))
        kept = (option for option in job.options if option[0] not in {*_UNTIL_TIME, "io_size"})
        jobs.append(BenchJob(name=job.name, options=(*kept, ("io_size", str(max(1, each // block) * block)))))
    options = tuple(option for option in test.options if option[0] not in _UNTIL_TIME)
    return replace(test, options=options, jobs=tuple(jobs), ramp_seconds=0.0)


# What ZFS does with a measurement, by version of userland and module: sentences that always go with the result, and how
# caches are kept out of it.
# Sources: zfsprops(7) (direct, primarycache, recordsize, logbias), zfs(4) (zfs_txg_timeout, zfs_dirty_data_max,
# zfs_arc_max, zfs_dio_enabled, zfs_dio_strict), openzfs#10018 (direct I/O, with 2.3), #17218 (an O_DIRECT that is not
# aligned goes on uncached instead of failing, with 2.4), #18660 and #18684 (libaio and io_uring are answered one at a
# time, also by 2.4), #15457 (l2arc_write_max).

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
    given = place.arc_most_bytes or parameter(place, "zfs_arc_max")
    return given or arc_bytes(Host(ram_bytes=place.ram_bytes), place.module or DEFAULT_VERSION)


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
    goes_on = place.module is not None and place.module >= _UNALIGNED_GOES_ON_SINCE
    if goes_on or parameter(place, "zfs_dio_strict") is not None:
        return _("Direct I/O of whole records bypasses the ARC; others fall back, or fail with zfs_dio_strict=1.")
    return _("Direct I/O of whole records bypasses the ARC; smaller writes do not, and requests below a page fail.")


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
