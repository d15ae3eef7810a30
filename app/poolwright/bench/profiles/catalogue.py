"""The profiles that come with the program: each with its question, its plot and the table it is compared with."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from poolwright.bench.hardware import hardware_of
from poolwright.bench.profiles import access as accesses
from poolwright.bench.profiles import built_in
from poolwright.bench.profiles.access import BenchSetup, BenchWishes, asked_bytes, bytes_in_flight, most_dirty
from poolwright.bench.record import AnswerPlot, BenchTarget, BenchTest, Effort, Engine, Profile
from poolwright.bench.running.monitoring import IDLE_SECONDS
from poolwright.domain.design import Design
from poolwright.domain.disk import Disk
from poolwright.domain.errors import Refusal, not_there
from poolwright.domain.units import GIB, MIB, binary
from poolwright.machine.fio.jobs import fio_seconds, seconds_in
from poolwright.shipped import shipped
from poolwright.texts import _, ngettext

# What a profile costs at most: time, bytes, room, and endurance of flash.

SLOW_BYTES_PER_SECOND = 60e6  # a single old hard disk with parity to compute
_START_SECONDS = 2.0  # fio's own, and the removal of files
# The most that is written a second: of a disk by its kind, and in all where the disks are not known (memory's pace).
_MOST_OF_HDD, _MOST_OF_FLASH, _MOST_UNKNOWN = 300e6, 3e9, 12e9
# Operations a second of one writer that waits for each: on hard disks with a write cache, and on flash or unknown.
_MOST_SYNCED_ON_HDD, _MOST_SYNCED = 2_000, 25_000
# bonnie++ writes its file by characters, by blocks and over again, and reads it as often; its small files take so long.
_BONNIE_PASSES = 3
_BONNIE_FILES_SECONDS = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Writing:
    """What a test writes at most: ``layout`` before it, ``moved`` in each of its repeats."""

    test: BenchTest
    layout: int
    moved: int

    @property
    def whole(self) -> int:
        return self.layout + self.test.repeats * self.moved


def effort_of(profile: Profile, place: BenchTarget, rated_bytes: Mapping[str, int] | None = None) -> Effort:
    files = _RunFiles()
    seconds, written, read, synced = IDLE_SECONDS, 0.0, 0.0, 0.0
    for test in profile.tests:
        layout = files.prepare(test)
        seconds += layout / SLOW_BYTES_PER_SECOND + test.repeats * repeat_seconds(test, place)
        moved = test.repeats * _moved_bytes(test, place)
        written += layout + (moved if writes(test) else 0)
        synced += moved if writes(test) and test.sync else 0
        read += moved if reads(test) else 0
    return Effort(
        seconds=seconds,
        written_bytes=int(written),
        read_bytes=int(read),
        space_bytes=files.most,
        volume_bytes=max((test.volume_bytes for test in profile.tests), default=0),
        wear=_wear(place, rated_bytes or {}, written, synced),
    )


def _wear(place: BenchTarget, rated_bytes: Mapping[str, int], written: float, synced: float) -> float | None:
    """Return the share of its rated writes that the disk takes that wears most; None where no rating is known.

    Writes are spread over the data disks of the layout, all of them to each side of a mirror, and with parity each disk
    takes as much as each data disk's worth. Synchronous ones go to each log device as well, whole.
    """
    hardware = hardware_of(place)
    spread = 1 if hardware.shape is None else hardware.shape.data_disks
    shares = []
    for disk in place.disks:
        rated = rated_bytes.get(disk.model or "")
        counts = not hardware.data or disk.name in hardware.data or disk.name in hardware.logs
        if rated and counts:
            shares.append((synced if disk.name in hardware.logs else written / spread) / rated)
    return max(shares, default=None)


def repeat_seconds(test: BenchTest, place: BenchTarget) -> float:
    """Return how long one repeat takes at most, s: its own time, its start, and the fsync that ends it."""
    options = test.job_options[0]
    delay = max(seconds_in(job, "startdelay") for job in test.job_options)
    waits = "end_fsync" in options and not test.sync
    flush = (most_dirty(place) or GIB) / SLOW_BYTES_PER_SECOND if waits else 0.0
    if test.seconds is not None:
        # What memory holds goes out while the test runs: the fsync waits for a part of it only.
        return test.seconds + test.ramp_seconds + _START_SECONDS + min(flush, test.seconds)
    if test.engine is Engine.BONNIE:
        return repeat_bytes(test) / SLOW_BYTES_PER_SECOND + _BONNIE_FILES_SECONDS
    bound = fio_seconds(options["runtime"]) if "runtime" in options else float("inf")
    return delay + min(bound, _data_bytes(test) / SLOW_BYTES_PER_SECOND) + _START_SECONDS + flush


def writes(test: BenchTest) -> bool:
    if test.engine is Engine.DD:
        return dict(test.jobs[0].options).get("of") == "data"
    return test.engine is Engine.BONNIE or bool(_patterns(test) - {"read", "randread"})


def written_untold(test: BenchTest) -> int:
    """Return the bytes that one repeat writes at most with a tool that tells of it at its end only; 0 with fio."""
    if test.engine is Engine.BONNIE:
        return _BONNIE_PASSES * test.file_bytes
    return _data_bytes(test) if test.engine is Engine.DD and writes(test) else 0


def repeat_bytes(test: BenchTest) -> int:
    return 2 * _BONNIE_PASSES * test.file_bytes if test.engine is Engine.BONNIE else _data_bytes(test)


def reads(test: BenchTest) -> bool:
    if test.engine is Engine.DD:
        return dict(test.jobs[0].options).get("if") == "data"
    return test.engine is Engine.BONNIE or bool(_patterns(test) - {"write", "randwrite"})


def _patterns(test: BenchTest) -> set[str]:
    return {job.get("rw", "read").partition(":")[0] for job in test.job_options}


@dataclass(slots=True)
class _RunFiles:
    """The sizes of the files that stay in the directory of a run from test to test, and the most that they took."""

    sizes: dict[str, int] = field(default_factory=dict)
    most: int = 0
    kind: tuple[object, ...] | None = None

    def prepare(self, test: BenchTest) -> int:
        """Return the bytes that are written before a test begins, and note the files that it leaves."""
        options = test.job_options[0]
        kind = (test.file_bytes, test.files, test.compress_percent, test.record_bytes)
        if kind != self.kind and not test.keeps_files:
            self.sizes.clear()  # the runner begins anew where files differ
        self.kind = kind
        wanted = dict.fromkeys(_names(test), test.file_bytes)
        makes = test.engine is not Engine.FIO or not (reads(test) or "overwrite" in options)
        layout = 0 if makes else sum(size for name, size in wanted.items() if name not in self.sizes)
        self.most = max(self.most, sum((self.sizes | wanted).values()))
        if "unlink" not in options:
            self.sizes |= wanted
        return layout


def _names(test: BenchTest) -> tuple[str, ...]:
    options = test.job_options[0]
    if test.engine is not Engine.FIO:
        return ("data",) if test.file_bytes else ()
    if "filename" in options:
        return tuple(options["filename"].split(":"))
    form = options.get("filename_format", f"{test.name}.$jobnum")
    return tuple(form.replace("$jobnum", str(number)) for number in range(test.files))


def _data_bytes(test: BenchTest) -> int:
    asked = asked_bytes(test)
    times = max(int(job.get("loops", "1")) for job in test.job_options)
    return times * (test.file_bytes * test.files if asked is None else asked)


def _moved_bytes(test: BenchTest, place: BenchTarget) -> float:
    if test.seconds is None:
        return _data_bytes(test) * (_BONNIE_PASSES if test.engine is Engine.BONNIE else 1)
    most = _most_rate(place)
    options = test.job_options[0]
    if test.sync:
        every = int(options.get("fsync", "1"))
        spins = bool(place.disks) and all(disk.rotational for disk in place.disks)
        waits = _MOST_SYNCED_ON_HDD if spins and place.has_log is False else _MOST_SYNCED
        most = min(most, every * waits * bytes_in_flight(test))
    waiting = 0 if test.sync else most_dirty(place) or 0  # what memory has taken goes to the disks afterwards
    moved = (test.seconds + test.ramp_seconds) * most + waiting
    asked = asked_bytes(test)
    return moved if asked is None else min(moved, asked)


def _most_rate(place: BenchTarget) -> float:
    kinds = [disk.rotational for disk in place.disks]
    if not kinds or None in kinds:
        return _MOST_UNKNOWN
    return min(sum(_MOST_OF_HDD if spins else _MOST_OF_FLASH for spins in kinds), _MOST_UNKNOWN)


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltIn:
    name: str
    title: str
    question: str
    plot: AnswerPlot
    tests: built_in.Maker
    table: str | None = None
    source: str = ""
    fills_itself: bool = False  # it is no use to fill the pool first
    reads_disks: bool = False  # it needs no directory, only disks, and writes nothing


def _built_in(entry: dict[str, Any]) -> BuiltIn:
    # What is not listed in the file is made by a function that is called as the profile is.
    name = entry["name"].replace("-", "_")
    tests = partial(built_in.listed, entry["tests"]) if "tests" in entry else getattr(built_in, name)
    return BuiltIn(**(entry | {"plot": AnswerPlot(entry["plot"]), "tests": tests}))


BUILT_IN = tuple(map(_built_in, shipped("profiles")["profile"]))


def find_built_in(name: str) -> BuiltIn:
    found = next((known for known in BUILT_IN if known.name == name), None)
    if found is None:
        raise not_there(name, (known.name for known in BUILT_IN), where="profile")
    return found


def reads_disks(name: str | None) -> bool:
    return any(known.reads_disks for known in BUILT_IN if known.name == name)


def make_profile(
    known: BuiltIn,
    place: BenchTarget,
    design: Design | None = None,
    wishes: BenchWishes | None = None,
    disks: tuple[Disk, ...] = (),
) -> Profile:
    """Return the profile with its tests for a place; tests that need a person are in it only where one is there.

    ``disks`` are those of the machine that nothing uses, for a profile that reads disks before there is a design.
    Raises Refusal where it cannot be made for this place or without a design.
    """
    wishes = wishes or BenchWishes()
    setup = BenchSetup(place=place, design=design, wishes=wishes, disks=disks)
    make = partial(made_within, partial(_possible, known))
    percent = None if known.fills_itself or known.reads_disks else wishes.fill_percent
    tests = make(setup) if percent is None else built_in.filled_first(make, setup, percent)
    return Profile(
        name=known.name,
        title=_(known.title),
        question=_(known.question),
        tests=tests,
        plot=known.plot,
        table=known.table,
        source=_(known.source) if known.source else "",
    )


def _possible(known: BuiltIn, setup: BenchSetup) -> tuple[BenchTest, ...]:
    """Return the tests that can be done; where nobody stands by, the first one tells which cannot."""
    tests = known.tests(setup)
    kept = tests if setup.wishes.steps else tuple(test for test in tests if not test.needs)
    if not kept:
        steps = tuple(dict.fromkeys(step for test in tests for step in test.needs))
        raise Refusal(_("The tests of this profile need steps that you run"), reasons=steps)
    left = tuple(test for test in tests if test not in kept)
    if left:
        said = ngettext(
            "One more test needs a step that you run: {step}",
            "{count} more tests need steps that you run, the first: {step}",
            len(left),
            step=left[0].needs[0],
        )
        kept = (replace(kept[0], notes=(*kept[0].notes, said)), *kept[1:])
    return kept


# Tests within the bytes that a run may write: smaller files first, then shorter repeats.

_MARGIN = 0.95  # of what is allowed: a run that reached its limit would be ended for it
_LEAST_ROOM = 4 * MIB
_LEAST_SHARE = MIB


def made_within(make: built_in.Maker, setup: BenchSetup) -> tuple[BenchTest, ...]:
    """Return the tests of ``make``, made small enough to write no more than ``most_bytes`` in all.

    Raises Refusal with what the smallest need where even they write more.
    """
    most = setup.wishes.most_bytes
    tests = make(setup)
    if most is None:
        return tests
    least: int | None = None
    while True:
        fitted, needed = _fit(tests, setup.place, most)
        if fitted is not None:
            return fitted
        least = needed if least is None else min(least, needed)
        setup = replace(setup, parts=2 * setup.parts)
        if most // setup.parts < _LEAST_ROOM:
            raise Refusal(
                _("{most} written are too little for this profile", most=binary(most)),
                where=setup.place.directory,
                todo=_("It takes at least {least}. Allow more, or fewer repeats.", least=binary(least)),
            )
        tests = make(setup)


def _fit(tests: tuple[BenchTest, ...], place: BenchTarget, most: int) -> tuple[tuple[BenchTest, ...] | None, int]:
    """Return the tests so that they fit, or None with what they take at least."""
    allowed, files = int(most * _MARGIN), _RunFiles()
    writings = [
        Writing(test=test, layout=files.prepare(test), moved=int(_moved_bytes(test, place)) if writes(test) else 0)
        for test in tests
    ]
    if sum(writing.whole for writing in writings) <= allowed:
        return tests, 0
    fixed = sum(writing.whole if not _can_end(writing) else writing.layout for writing in writings)
    running = [writing for writing in writings if _can_end(writing)]
    needed = fixed + sum(_least(writing) * writing.test.repeats for writing in running)
    if needed > allowed or not running:
        return None, int(needed / _MARGIN)
    share = _share(running, allowed - fixed)
    note = _("Repeats that write end early, to keep within {most}: the shorter, the less they tell.", most=binary(most))
    ends = {writing.test: accesses.ended_after(writing.test, max(share, _least(writing))) for writing in running}
    noted = {test: replace(ended, notes=(note, *ended.notes)) for test, ended in ends.items()}
    return tuple(noted.get(test, test) for test in tests), 0


def _can_end(writing: Writing) -> bool:
    return writing.moved > 0 and writing.test.engine is Engine.FIO and writing.test.seconds is not None


def _least(writing: Writing) -> int:
    return min(writing.moved, max(_LEAST_SHARE, 2 * bytes_in_flight(writing.test)))


def _share(running: list[Writing], room: int) -> int:
    """Return how much each repeat may write; those that write less leave their share to the others."""
    low, high = 0, room
    while high - low > _LEAST_SHARE:
        share = (low + high) // 2
        taken = sum(min(writing.moved, max(share, _least(writing))) * writing.test.repeats for writing in running)
        low, high = (share, high) if taken <= room else (low, share)
    return low
