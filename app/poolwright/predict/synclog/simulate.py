"""A discrete-event simulation of volumes, their intent logs and the devices the log blocks go to.

Deterministic for a seed. Events wait in a heap, ordered by time and then by the order in which they were made.
"""

import heapq
from collections import deque
from collections.abc import Generator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from poolwright.domain.errors import UserError
from poolwright.predict.synclog.model import Commit, Placement, Policy, Setup, log_blocks
from poolwright.texts import tell

if TYPE_CHECKING:
    import numpy as np

SEED = 2014
REQUESTS = 6_000
LEAST_REQUESTS, MOST_REQUESTS = 1, 1_000_000
_STEPS = 250  # events between two reports of progress: about a millisecond
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
class LogRun:
    """What happened. ``writes`` and ``commits`` are those that ended, in the order in which they ended."""

    setup: Setup
    policy: Policy
    seconds: float
    writes: tuple[LogWrite, ...]
    commits: tuple[CommitRecord, ...]

    @property
    def requests(self) -> int:
        return sum(commit.count for commit in self.commits)

    @property
    def iops(self) -> float:
        """Return committed requests per second, all volumes together."""
        return self.requests / self.seconds

    @property
    def latency_seconds(self) -> float:
        """Return the mean time from handing a request over to its commit."""
        return sum((c.ended - c.handed_over) * c.count for c in self.commits) / self.requests

    @property
    def requests_per_commit(self) -> float:
        """Return the mean number of requests that one commit took."""
        return self.requests / len(self.commits)

    @property
    def bytes_per_second(self) -> float:
        """Return the users' bytes committed per second."""
        return self.iops * self.setup.block_bytes

    def latency_at(self, share: float) -> float:
        """Return the latency in seconds that ``share`` (0 to 1) of the requests do not exceed."""
        weighed = sorted((c.ended - c.handed_over, c.count) for c in self.commits)
        wanted, seen = share * self.requests, 0
        for seconds, count in weighed:
            seen += count
            if seen >= wanted:
                return seconds
        return weighed[-1][0]


@dataclass(slots=True)
class _Volume:
    """A thread that writes, and its log: what waits for a commit, and how far the thread is."""

    unsynced: int = 0  # requests of this sync that were made ready
    ready: int = 0  # those the thread hands over next
    next_request: int = 0  # the first that no commit has taken
    waiting: int = 0
    waiting_since: float = 0.0
    pointer: int = 0


@dataclass(slots=True)
class _Machine:
    setup: Setup
    policy: Policy
    rng: "np.random.Generator"
    now: float = 0.0
    made: int = 0
    pointer: int = 0
    committed: int = 0
    events: list[tuple[float, int, int, int]] = field(default_factory=list)
    volumes: list[_Volume] = field(default_factory=list)
    queues: list[deque[tuple[LogWrite, CommitRecord]]] = field(default_factory=list)
    writes: list[LogWrite] = field(default_factory=list)
    commits: list[CommitRecord] = field(default_factory=list)
    draws: list[float] = field(default_factory=list)
    blocks: dict[int, tuple[int, ...]] = field(default_factory=dict)

    def begin(self) -> None:
        self.volumes = [_Volume() for _ in range(self.setup.volumes)]
        self.queues = [deque() for _ in self.setup.devices]
        for number in range(self.setup.volumes):
            self._prepare(number)

    def step(self) -> None:
        """Do what happens next: a device ended a block, or a volume hands requests over."""
        self.now, _, device, volume = heapq.heappop(self.events)
        if device >= 0:
            self._written(device)
        else:
            self._hand_over(volume)

    def _later(self, seconds: float, *, device: int = -1, volume: int = -1) -> None:
        self.made += 1
        heapq.heappush(self.events, (self.now + seconds, self.made, device, volume))

    def _prepare(self, number: int) -> None:
        volume = self.volumes[number]
        if volume.unsynced == self.setup.requests_per_sync:
            volume.unsynced = 0
        volume.ready = min(self.setup.depth, self.setup.requests_per_sync - volume.unsynced)
        volume.unsynced += volume.ready
        self._later(volume.ready * self.setup.host_seconds, volume=number)

    def _hand_over(self, number: int) -> None:
        volume = self.volumes[number]
        volume.waiting, volume.waiting_since = volume.ready, self.now
        self._commit(number)

    def _commit(self, number: int) -> None:
        """Commit what the policy takes of what waits; the volume has one commit under way at a time."""
        volume = self.volumes[number]
        count = 1 if self.policy.commit is Commit.PER_REQUEST else volume.waiting
        commit = CommitRecord(
            volume=number, first=volume.next_request, count=count, handed_over=volume.waiting_since, began=self.now
        )
        volume.next_request += count
        volume.waiting -= count
        sizes = self.blocks.get(count)
        if sizes is None:
            sizes = self.blocks[count] = tuple(log_blocks(count, self.setup.block_bytes))
        commit.waiting = len(sizes)
        for size in sizes:
            self._ask(
                LogWrite(device=self._next_device(volume), volume=number, size_bytes=size, asked=self.now), commit
            )

    def _next_device(self, volume: _Volume) -> int:
        count = len(self.queues)
        if self.policy.placement is Placement.GLOBAL:
            device, self.pointer = self.pointer, (self.pointer + 1) % count
        else:
            device, volume.pointer = volume.pointer, (volume.pointer + 1) % count
        return device

    def _ask(self, write: LogWrite, commit: CommitRecord) -> None:
        queue = self.queues[write.device]
        queue.append((write, commit))
        if len(queue) == 1:
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
        if commit.waiting == 0:
            self._committed(commit)

    def _committed(self, commit: CommitRecord) -> None:
        commit.ended = self.now
        self.commits.append(commit)
        self.committed += commit.count
        if self.volumes[commit.volume].waiting:
            self._commit(commit.volume)
        else:
            self._prepare(commit.volume)


def simulate(
    setup: Setup, policy: Policy, *, requests: int = REQUESTS, seed: int = SEED
) -> Generator[float, None, LogRun]:
    """Yield the share done every few milliseconds, return the run; it ends when ``requests`` are committed.

    Raises UserError for a question outside the model.
    """
    if not LEAST_REQUESTS <= requests <= MOST_REQUESTS:
        raise UserError(
            tell("{requests} requests cannot be simulated", requests=requests),
            todo=tell("Give 1 to {most_requests}.", most_requests=MOST_REQUESTS),
        )
    import numpy as np  # noqa: PLC0415 - a tenth of a second to import, which pages that only name a result do not pay

    machine = _Machine(setup, policy, np.random.default_rng(seed))
    machine.begin()
    while machine.committed < requests:
        for _ in range(_STEPS):
            machine.step()
            if machine.committed >= requests:
                break
        else:
            yield min(1.0, machine.committed / requests)
    return LogRun(
        setup=setup, policy=policy, seconds=machine.now, writes=tuple(machine.writes), commits=tuple(machine.commits)
    )
