"""The parts of the model of synchronous writes: policies, devices, the question, and the arithmetic of log blocks.

Sizes are bytes, times seconds. The arithmetic of log blocks is that of zil.c of ZFS on Linux 0.6 (zil_lwb_commit,
zil_lwb_write_start): a record is a header and the data, a block holds a chain header and records up to 128 KiB, and
what is written of it is rounded up to 4 KiB. A record is never cut."""

import heapq
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from poolwright.domain.design import Design
from poolwright.domain.disk import Media, slowest
from poolwright.domain.estimate import Origin, OriginKind
from poolwright.domain.rates import rate_text
from poolwright.domain.units import KIB, MB, out_of_range
from poolwright.domain.vdev import VdevClass, VdevKind
from poolwright.predict.media import disk_rates
from poolwright.predict.throughput import flush_of, volumes_wait
from poolwright.rules.profile import all_keep_writes
from poolwright.texts import N_, _, numeral

RECORD_HEADER_BYTES = 192  # lr_write_t
CHAIN_HEADER_BYTES = 184  # zil_chain_t
LOG_BLOCK_BYTES = 128 * KIB
LOG_STEP_BYTES = 4 * KIB  # ZIL_MIN_BLKSZ
LEAST_BLOCK_BYTES, MOST_BLOCK_BYTES = 512, 64 * KIB
MOST_VOLUMES = MOST_DISKS = 64
MOST_REQUESTS_PER_SYNC = 1000
MOST_DEPTH = 1000


class Commit(StrEnum):
    """Which requests one commit of a volume's log takes (paper, section 2.1)."""

    PER_REQUEST = N_("per-request")  # each request commits alone, one after the other
    QUEUED = N_("queued")  # everything that waits is committed together


class Placement(StrEnum):
    """Which disk the next log block goes to (paper, section 2.2)."""

    PER_VOLUME = N_("per-volume")  # each volume goes round the disks on its own
    GLOBAL = N_("global")  # one pointer goes round the disks for all volumes


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    commit: Commit
    placement: Placement


BEFORE = Policy(commit=Commit.PER_REQUEST, placement=Placement.PER_VOLUME)
AFTER = Policy(commit=Commit.QUEUED, placement=Placement.GLOBAL)
POLICIES = (
    BEFORE,
    Policy(commit=Commit.PER_REQUEST, placement=Placement.GLOBAL),
    Policy(commit=Commit.QUEUED, placement=Placement.PER_VOLUME),
    AFTER,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Device:
    """A device that takes log blocks, one at a time, first come first served.

    A block of ``b`` bytes takes ``wait + b / bytes_per_second``; ``wait`` is uniform between ``1 - spread`` and
    ``1 + spread`` times ``write_seconds``.
    """

    write_seconds: float
    bytes_per_second: float
    spread: float
    origin: Origin


class Drive(StrEnum):
    CACHED_DISK = "cached"
    FLUSHED_DISK = "flushed"
    SSD = "ssd"
    NVME = "nvme"
    PLAIN_FLASH = "no-plp"


# Only the quotients of host time, latency and rate follow from the paper's percentages (the guide, Synchronous
# writes); the rate is assumed, and with it the scale of the other two.
HOST_SECONDS = 24e-6
PAPER_DISK = Device(
    write_seconds=38e-6,
    bytes_per_second=100.0 * MB,
    spread=0.5,
    origin=Origin(kind=OriginKind.PREDICTED, source=N_("latency fitted to the paper's gains, 100 MB/s assumed")),
)


def _device(media: Media, *, protected: bool | None = None) -> Device:
    rates = disk_rates(media=media, power_loss_protected=protected)
    flush = flush_of(rates)
    seconds = f"{flush.typical * 1e6:.0f} µs" if flush.typical < 1e-3 else numeral(flush.typical * 1e3, ".1f", "ms")
    return Device(
        write_seconds=flush.typical,
        bytes_per_second=rates.write_bytes_per_second,
        spread=1.0 if media is Media.HDD else 0.5,
        origin=Origin(
            kind=OriginKind.PREDICTED,
            source=_(
                "{words}: {seconds} until a write is safe ({source}), {rate}",
                words=_(flush.limit),
                seconds=seconds,
                source=flush.origin.source,
                rate=rate_text(rates.write_bytes_per_second),
            ),
        ),
    )


DEVICES = {
    Drive.CACHED_DISK: PAPER_DISK,
    Drive.FLUSHED_DISK: _device(Media.HDD),
    Drive.SSD: _device(Media.SSD, protected=True),
    Drive.NVME: _device(Media.NVME, protected=True),
    Drive.PLAIN_FLASH: _device(Media.SSD, protected=False),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """The question: what writes, how, and onto what.

    Each of ``volumes`` is written by one thread that hands over at most ``depth`` requests at once, and goes on when
    they are committed; after ``requests_per_sync`` requests (fio's fsync) everything must be committed. ``log`` is a
    separate log device, which then takes every log block in place of the disks.
    """

    volumes: int = 3
    disks: int = 3
    requests_per_sync: int = 5
    block_bytes: int = 4 * KIB
    depth: int = 100
    disk: Device = PAPER_DISK
    log: Device | None = None
    host_seconds: float = HOST_SECONDS  # to make one request ready, per volume

    def __post_init__(self) -> None:
        for name, value, least, most in (
            ("volumes", self.volumes, 1, MOST_VOLUMES),
            ("disks", self.disks, 1, MOST_DISKS),
            ("requests_per_sync", self.requests_per_sync, 1, MOST_REQUESTS_PER_SYNC),
            ("depth", self.depth, 1, MOST_DEPTH),
            # Larger ones may be written as data with a pointer in the log, not into it.
            ("block_bytes", self.block_bytes, LEAST_BLOCK_BYTES, MOST_BLOCK_BYTES),
        ):
            if not least <= value <= most:
                raise out_of_range(value, least, most, of=name)
        if self.host_seconds <= 0:
            raise out_of_range(self.host_seconds, of="host_seconds")

    @property
    def devices(self) -> tuple[Device, ...]:
        return (self.log,) if self.log is not None else (self.disk,) * self.disks


def log_blocks(requests: int, block_bytes: int) -> Iterator[int]:
    record = RECORD_HEADER_BYTES + -(-block_bytes // 8) * 8
    # zil_lwb_commit opens a new block where a record does not fit any more.
    fit = (LOG_BLOCK_BYTES - CHAIN_HEADER_BYTES) // record
    while requests > 0:
        held = min(requests, fit)
        used = CHAIN_HEADER_BYTES + held * record
        yield -(-used // LOG_STEP_BYTES) * LOG_STEP_BYTES
        requests -= held


# The model of synchronous writes asked for one design: its volumes, its vdevs, its log device, its workload.

_DRIVES = {Media.HDD: Drive.FLUSHED_DISK, Media.SSD: Drive.SSD, Media.NVME: Drive.NVME}


def setup_of(design: Design) -> Setup | None:
    """Return the question that ``design`` asks; None where it has no volumes or nothing is written synchronously."""
    # Where it has no volumes yet, each client writes one of its own; a disk is taken to flush to its platters, flash of
    # which nobody knows it to have power-loss protection. Log blocks go round the top-level data vdevs, or to the log
    # device.
    if not volumes_wait(design):
        return None
    workload = design.workload
    volumes = sum(1 for dataset in design.datasets if dataset.volume_bytes is not None)
    data = _devices(design, VdevClass.DATA)
    log = _devices(design, VdevClass.LOG)
    given = Setup()
    return Setup(
        volumes=min(volumes or workload.clients or given.volumes, MOST_VOLUMES),
        disks=min(max(1, len(data)), MOST_DISKS),
        requests_per_sync=min(max(1, round(100 / (workload.sync_write_percent or 100))), MOST_REQUESTS_PER_SYNC),
        block_bytes=min(max(workload.io_size_bytes or given.block_bytes, LEAST_BLOCK_BYTES), MOST_BLOCK_BYTES),
        disk=data[0] if data else DEVICES[Drive.FLUSHED_DISK],
        log=log[0] if log else None,
    )


def _devices(design: Design, vdev_class: VdevClass) -> list[Device]:
    found: list[Device] = []
    for vdev in design.vdevs:
        if vdev.vdev_class is vdev_class:
            count = len(vdev.members) if vdev.kind is VdevKind.STRIPE else 1
            disks = [design.disk(member.disk_key) for member in vdev.members]
            drive = _DRIVES[slowest({disk.media for disk in disks}) or Media.HDD]
            if drive is not Drive.FLUSHED_DISK and all_keep_writes(disks) is False:
                drive = Drive.PLAIN_FLASH
            found += [DEVICES[drive]] * count
    return found


# A discrete-event simulation of volumes, their intent logs and the devices the log blocks go to.

if TYPE_CHECKING:
    import numpy as np

SEED = 2014
REQUESTS = 6_000
LEAST_REQUESTS, MOST_REQUESTS = 1, 1_000_000
_DRAWS = 4096


@dataclass(slots=True, kw_only=True)
class LogWrite:
    """One log block of ``volume`` on a device: asked for, begun and ended at these seconds."""

    device: int
    volume: int
    size_bytes: int
    asked: float
    began: float = 0.0
    ended: float = 0.0


@dataclass(slots=True, kw_only=True)
class CommitRecord:
    """One commit of ``volume``: its requests ``first`` up to ``first + count``, handed over and committed at these
    seconds; ``waiting`` counts its log blocks that are not written yet."""

    volume: int
    first: int
    count: int
    handed_over: float
    began: float
    ended: float = 0.0
    waiting: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LogTrace:
    """What happened. ``writes`` and ``commits`` are those that ended, in the order in which they ended."""

    setup: Setup
    policy: Policy
    seconds: float
    writes: tuple[LogWrite, ...]
    commits: tuple[CommitRecord, ...]

    @property
    def requests(self) -> int:
        return sum(commit.count for commit in self.commits)


@dataclass(slots=True)
class _Volume:
    """A thread that writes, and its log: what waits for a commit, and how far the thread is."""

    unsynced: int = 0  # requests of this sync that were made ready
    ready: int = 0  # those the thread hands over next
    next_request: int = 0  # the first that no commit has taken
    waiting: int = 0
    waiting_since: float = 0.0
    pointer: int = 0


class _Machine:
    def __init__(self, setup: Setup, policy: Policy, rng: "np.random.Generator") -> None:
        self.setup, self.policy, self.rng = setup, policy, rng
        self.now, self.made, self.pointer, self.committed = 0.0, 0, 0, 0
        self.events: list[tuple[float, int, int, int]] = []
        self.volumes = [_Volume() for __ in range(setup.volumes)]
        self.queues: list[deque[tuple[LogWrite, CommitRecord]]] = [deque() for __ in setup.devices]
        self.writes: list[LogWrite] = []
        self.commits: list[CommitRecord] = []
        self.draws: list[float] = []
        for number in range(setup.volumes):
            self._prepare(number)

    def step(self) -> None:
        self.now, __, device, number = heapq.heappop(self.events)
        if device >= 0:
            self._written(device)
            return
        volume = self.volumes[number]
        volume.waiting, volume.waiting_since = volume.ready, self.now
        self._commit(number)

    def _later(self, seconds: float, *, device: int = -1, volume: int = -1) -> None:
        self.made += 1
        heapq.heappush(self.events, (self.now + seconds, self.made, device, volume))

    def _prepare(self, number: int) -> None:
        volume = self.volumes[number]
        # fio hands over at most `depth` requests and waits for all of them at each fsync.
        if volume.unsynced == self.setup.requests_per_sync:
            volume.unsynced = 0
        volume.ready = min(self.setup.depth, self.setup.requests_per_sync - volume.unsynced)
        volume.unsynced += volume.ready
        self._later(volume.ready * self.setup.host_seconds, volume=number)

    def _commit(self, number: int) -> None:
        """Commit what the policy takes of what waits; the volume has one commit under way at a time."""
        volume = self.volumes[number]
        # The paper's change: everything that waits goes with one commit instead of one each.
        count = 1 if self.policy.commit is Commit.PER_REQUEST else volume.waiting
        commit = CommitRecord(
            volume=number, first=volume.next_request, count=count, handed_over=volume.waiting_since, began=self.now
        )
        volume.next_request += count
        volume.waiting -= count
        sizes = tuple(log_blocks(count, self.setup.block_bytes))
        commit.waiting = len(sizes)
        for size in sizes:
            turn = self if self.policy.placement is Placement.GLOBAL else volume
            write = LogWrite(device=turn.pointer, volume=number, size_bytes=size, asked=self.now)
            turn.pointer = (turn.pointer + 1) % len(self.queues)
            self.queues[write.device].append((write, commit))
            if len(self.queues[write.device]) == 1:
                self._start(write)

    def _start(self, write: LogWrite) -> None:
        device = self.setup.devices[write.device]
        if not self.draws:
            self.draws = self.rng.random(_DRAWS).tolist()
        wait = device.write_seconds * (1 + device.spread * (2 * self.draws.pop() - 1))
        write.began = self.now
        self._later(wait + write.size_bytes / device.bytes_per_second, device=write.device)

    def _written(self, device: int) -> None:
        queue = self.queues[device]
        write, commit = queue.popleft()
        write.ended = self.now
        self.writes.append(write)
        if queue:
            self._start(queue[0][0])
        commit.waiting -= 1
        if commit.waiting:
            return
        commit.ended = self.now
        self.commits.append(commit)
        self.committed += commit.count
        if self.volumes[commit.volume].waiting:
            self._commit(commit.volume)
        else:
            self._prepare(commit.volume)


def simulate(setup: Setup, policy: Policy, *, requests: int = REQUESTS, seed: int = SEED) -> LogTrace:
    """Return what happens until ``requests`` are committed. Raises UserError for a question outside the model."""
    if not LEAST_REQUESTS <= requests <= MOST_REQUESTS:
        raise out_of_range(requests, LEAST_REQUESTS, MOST_REQUESTS, of="requests")
    import numpy as np  # noqa: PLC0415 - a tenth of a second to import, which pages that only name a result do not pay

    machine = _Machine(setup, policy, np.random.default_rng(seed))
    while machine.committed < requests:
        machine.step()
    return LogTrace(
        setup=setup, policy=policy, seconds=machine.now, writes=tuple(machine.writes), commits=tuple(machine.commits)
    )
