"""What a profile stands on: the place, the design and the wishes, and how one test is made from them."""

from dataclasses import dataclass, field, replace

from poolwright.bench.profiles import knowledge
from poolwright.bench.record import BenchJob, BenchPlace, BenchTest, JobOptions, fio_bytes
from poolwright.domain.design import Design
from poolwright.domain.disk import Disk
from poolwright.domain.errors import Refusal
from poolwright.domain.units import DEFAULT_RECORD_BYTES, GIB, MIB, binary
from poolwright.emit.fio import WITHOUT_ZEROS, written_data
from poolwright.machine.fio.jobs import count_of
from poolwright.predict.measured_runs import Metric
from poolwright.texts import _

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
# Repeats that are wished shorter than this are a try and no measurement: their files need not beat the cache. So much
# data for each second of them, and of a test that ends with its data.
_A_TRY_SECONDS, _BYTES_A_SECOND = 10.0, 256 * MIB


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """What one test does: ``rw`` is fio's word. Each job has a file of its own; ``shared`` lets all use one file,
    ``over`` so many, those of a test with that many jobs.

    ``metric``, ``x`` and ``line`` go to the test. ``seconds`` None ends it with the data, at latest after
    ``most_seconds``. ``data`` is the size of all files together, None the profile's own. ``cached`` says that the cache
    is meant to answer. ``compress`` is the share of what is written that can be compressed away, per cent. ``exact``
    says that its ``data`` is what is asked about, whatever is wished; ``ends`` a timed test after so many bytes.
    """

    name: str
    title: str
    rw: str
    block: int
    jobs: int = 1
    shared: bool = False
    over: int | None = None
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
    knee: bool = False
    exact: bool = False
    ends: int | None = None
    stays: bool = False  # what it writes is not removed at its end
    builds: bool = False  # it needs what the tests before it wrote
    extra: JobOptions = ()
    needs: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def writes(self) -> bool:
        return self.rw not in ("read", "randread")

    @property
    def fresh(self) -> bool:
        return self.rw == "write"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """Where a profile is made for, with which design and wishes.

    Where a person says how much may be written, files take one part in ``parts`` of it. ``disks`` are those of the
    machine that nothing uses, for what is asked before there is a design.
    """

    place: BenchPlace
    design: Design | None = None
    disks: tuple[Disk, ...] = ()
    wishes: BenchWishes = field(default_factory=BenchWishes)
    parts: int = 4

    @property
    def record_bytes(self) -> int:
        return knowledge.whole_property(self.place, "recordsize") or DEFAULT_RECORD_BYTES

    @property
    def data_bytes(self) -> int:
        return data_bytes(self.place, self.room_bytes)

    @property
    def room_bytes(self) -> int:
        room, most = room_bytes(self.place), self.wishes.most_bytes
        return room if most is None else min(room, most // self.parts)

    def shortened(self, size: int, *, timed: bool) -> int:
        """Return the size of all files of a test for the seconds that are wished of it, no more than ``size``.

        A test that ends with its data is shortened by them, a ``timed`` one where it is only a try.
        """
        seconds = self.wishes.seconds
        if seconds is None or (timed and seconds >= _A_TRY_SECONDS):
            return size
        return min(size, max(_SMALLEST_FILE, int(seconds * _BYTES_A_SECOND)))

    def fitting(self, size: int) -> int:
        """Return the size that a document's files have together, or less where less is wished.

        Raises Refusal where it has no room.
        """
        most = self.wishes.most_bytes
        wanted = self.shortened(size if most is None else min(size, most // self.parts), timed=False)
        if wanted > room_bytes(self.place):
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
        size = self._sized(access)
        kept = kept_out(self.place, access.block, size)
        seconds = self._seconds(access)
        files = 1 if access.shared else access.over or access.jobs
        single = _file_size(size, files, access.block)
        notes = [*access.notes, *self._timing(access, seconds)]
        if access.cached:
            notes.append(_("The cache is meant to answer: this does not measure the disks."))
        partial = (
            knowledge.partial_fact(self.place, access.block, writes=access.writes) if access.record is None else None
        )
        # Whole records are written without a look at what was there: nothing of that can come from a cache.
        reads = access.rw not in ("write", "randwrite") or (partial is not None and not access.fresh)
        if reads and not access.cached:
            notes.append(kept.note)
        notes += [partial] if partial is not None else []
        notes += knowledge.zfs_facts(self.place, compress_percent=access.compress, writes=access.writes)
        test = BenchTest(
            name=access.name,
            title=access.title,
            jobs=(BenchJob(name=access.name, options=self._job(access)),),
            options=(
                *_files(access, single),
                # Writes stay as applications make them: past the ARC they would pass by the log device as well.
                *self._engine(access, direct=reads and kept.direct and not access.cached),
                *written_data(access.compress),
                *self._duration(access, seconds),
            ),
            file_bytes=single,
            files=files,
            seconds=seconds,
            ramp_seconds=_ramp(access, seconds),
            repeats=self._repeats(access),
            x=access.x,
            line=access.line,
            metric=access.metric,
            record_bytes=access.record or (self.record_bytes if self.place.dataset is not None else None),
            sync=access.sync,
            compress_percent=access.compress,
            cache_proof=not access.cached and (not reads or kept.proof),
            stops_at_knee=access.knee,
            keeps_files=access.builds,
            needs=access.needs,
            notes=tuple(dict.fromkeys(notes)),
        )
        return test if access.ends is None else ended_after(test, access.ends)

    def _sized(self, access: Access) -> int:
        size = access.data if access.data is not None else self.data_bytes
        return size if access.exact else self.shortened(size, timed=access.seconds is not None)

    def _repeats(self, access: Access) -> int:
        return access.repeats if access.repeats == 1 else self.wishes.repeats or access.repeats

    def _seconds(self, access: Access) -> float | None:
        if access.seconds is None:
            return None
        return self.wishes.seconds or access.seconds

    def _timing(self, access: Access, seconds: float | None) -> tuple[str, ...]:
        least = knowledge.LEAST_TXGS * knowledge.txg_seconds(self.place)
        if self.place.dataset is None or seconds is None or not access.writes or access.sync or seconds >= least:
            return ()
        return (
            _(
                "Repeats of {seconds} s are shorter than {count} transaction groups: memory takes much of such writes.",
                seconds=f"{seconds:g}",
                count=knowledge.LEAST_TXGS,
            ),
        )

    def _job(self, access: Access) -> JobOptions:
        told = (("rw", access.rw), ("bs", str(access.block)), ("numjobs", str(access.jobs)))
        waits = access.sync and not any(name == "fsync" for name, __ in access.extra)
        return (*told, *((("sync", "1"),) if waits else ()), *access.extra)

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


def _file_size(size: int, files: int, block: int) -> int:
    single = max(size // files, _SMALLEST_FILE, block)
    return single // block * block


def _files(access: Access, single: int) -> JobOptions:
    """Return how the files are called, sized and laid out: read from and written over are those of all tests alike."""
    size = ("size", str(single))
    tidy = () if access.stays else (("unlink", "1"),)
    if access.fresh:
        return (("filename_format", f"{access.name}.$jobnum"), size, *WITHOUT_ZEROS, *tidy, ("end_fsync", "1"))
    name = ("filename", "data") if access.shared else ("filename_format", "data.$jobnum")
    if access.over is not None:
        name = ("filename", ":".join(f"data.{number}" for number in range(access.over)))
        size = ("size", str(single * access.over))
    over = (("overwrite", "1"), ("end_fsync", "1")) if access.writes else ()
    # Without the map of blocks that were used already a test may go on beyond the file's size.
    free = (("norandommap", "1"),) if access.rw.startswith("rand") and access.seconds is not None else ()
    return (name, size, *WITHOUT_ZEROS, *over, *free)


# How a test is kept out of the cache, and how large its files are: decided for the place, and always told.

CACHE_FACTOR = 2  # files are larger than so many times what memory may hold
_BEYOND = 8  # and by an eighth of it, so that what is rounded down or grows on the way changes nothing
# Beyond, files that beat the cache by their size take longer than the tests: other ways are looked for first.
_USUAL_MOST = 128 * GIB
_WITHOUT_CACHE_BYTES = 16 * GIB
_LEAST_BYTES = 64 * MIB
_SHARE_OF_FREE = 2  # half of the free space at most


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptOut:
    """Whether what is measured cannot come from memory, by O_DIRECT (``direct``) or otherwise, in a sentence."""

    proof: bool
    note: str
    direct: bool = False


def room_bytes(place: BenchPlace) -> int:
    return place.free_bytes // _SHARE_OF_FREE


def data_bytes(place: BenchPlace, room: int | None = None) -> int:
    cached = knowledge.most_cached(place)
    room = room_bytes(place) if room is None else room
    enough = _WITHOUT_CACHE_BYTES if cached is None else CACHE_FACTOR * cached + cached // _BEYOND
    if _out_by_property(place) or (knowledge.direct_refusal(place, GIB) is None and enough > min(room, _USUAL_MOST)):
        enough = min(enough, _WITHOUT_CACHE_BYTES)
    return max(min(enough, room), min(_LEAST_BYTES, room))


def is_beaten_by_size(place: BenchPlace, room: int) -> bool:
    """Tell whether files of more than twice what memory may hold fit into ``room``; False where nobody knows."""
    cached = knowledge.most_cached(place)
    return cached is not None and CACHE_FACTOR * cached < room


def kept_out(place: BenchPlace, block_bytes: int, size: int, *, asks: bool = True) -> KeptOut:
    """Return what keeps reads of ``block_bytes`` in files of ``size`` bytes together out of the cache.

    ``asks`` tells whether what reads can ask for O_DIRECT.
    """
    cached = knowledge.most_cached(place)
    if _out_by_property(place):
        kind = place.property("primarycache")
        return KeptOut(
            proof=True,
            note=_(
                "primarycache={kind}: the ARC keeps no data, so sequential reads may be slower than with it.", kind=kind
            ),
        )
    if cached is not None and size > CACHE_FACTOR * cached:
        return KeptOut(
            proof=True,
            note=_(
                "Files of {size} against a cache of {cached}: at least half comes from the disks.",
                size=binary(size),
                cached=binary(cached),
            ),
        )
    refusal = knowledge.direct_refusal(place, block_bytes) if asks else _("nothing asks for O_DIRECT")
    if refusal is None:
        return KeptOut(proof=True, direct=True, note=_("Done with O_DIRECT, past the cache."))
    return KeptOut(proof=False, note=_unproved(size, cached, refusal))


def _unproved(size: int, cached: int | None, refusal: str) -> str:
    if cached is None:
        return _(
            "Not cache-proof: the cache's size is not known; {refusal}. Set primarycache=metadata.", refusal=refusal
        )
    return _(
        "Not cache-proof: files of {size}, {cached} of cache need {needed}; {refusal}. Set primarycache=metadata.",
        size=binary(size),
        needed=binary(CACHE_FACTOR * cached),
        cached=binary(cached),
        refusal=refusal,
    )


def _out_by_property(place: BenchPlace) -> bool:
    return place.property("primarycache") in ("metadata", "none")


# Timed tests that end earlier, when so many bytes were moved.

_UNTIL_TIME = frozenset(("time_based", "ramp_time"))


def jobs_of(test: BenchTest) -> int:
    return sum(count_of(job, "numjobs") or 1 for job in test.told)


def at_once(test: BenchTest) -> int:
    return sum((count_of(job, "numjobs") or 1) * fio_bytes(job.get("bs", "4k")) for job in test.told)


def asked_bytes(test: BenchTest) -> int | None:
    """Return how many bytes the jobs of a test move at most by what they say (io_size); None where one says nothing,
    or runs by time.
    """
    if any("io_size" not in job or job.get("time_based", "0") != "0" for job in test.told):
        return None
    return sum(fio_bytes(job["io_size"]) * (count_of(job, "numjobs") or 1) for job in test.told)


def ended_after(test: BenchTest, most_bytes: int) -> BenchTest:
    """Return a test whose repeats end with their time or with so many bytes, the same for each of its jobs.

    fio looks at io_size only where a job does not run by time; its ramp would move bytes that nobody counts.
    """
    each = most_bytes // jobs_of(test)
    blocks = (fio_bytes(job.get("bs", "4k")) for job in test.told)
    jobs = tuple(_ending(job, each, block) for job, block in zip(test.jobs, blocks, strict=True))
    options = tuple(option for option in test.options if option[0] not in _UNTIL_TIME)
    return replace(test, options=options, jobs=jobs, ramp_seconds=0.0)


def _ending(job: BenchJob, most_bytes: int, block: int) -> BenchJob:
    kept = tuple(option for option in job.options if option[0] not in {*_UNTIL_TIME, "io_size"})
    return BenchJob(name=job.name, options=(*kept, ("io_size", str(max(1, most_bytes // block) * block))))
