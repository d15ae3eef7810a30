"""The simulation of synchronous writes: against closed forms, against a second simulator, and its invariants."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poolwright.domain.estimate import Origin, OriginKind
from poolwright.domain.steps import at_once
from poolwright.domain.units import KIB, MB
from poolwright.predict.synclog_advice import busy_shares, compare, limit_of, loads, lopsided_share, written_bytes
from poolwright.predict.synclog_model import (
    AFTER,
    BEFORE,
    DEVICES,
    LOG_BLOCK_BYTES,
    POLICIES,
    Commit,
    Device,
    Drive,
    LogRun,
    Placement,
    Policy,
    Setup,
    log_blocks,
    simulate,
)

ORIGIN = Origin(kind=OriginKind.ASSUMED, source="test")
ALONE = Policy(commit=Commit.PER_REQUEST, placement=Placement.PER_VOLUME)
TOGETHER = Policy(commit=Commit.QUEUED, placement=Placement.PER_VOLUME)


def steady(microseconds: float, *, rate: float = 100.0 * MB, spread: float = 0.0) -> Device:
    return Device(write_seconds=microseconds * 1e-6, bytes_per_second=rate, spread=spread, origin=ORIGIN)


setups = st.builds(
    Setup,
    volumes=st.integers(1, 5),
    disks=st.integers(1, 5),
    requests_per_sync=st.integers(1, 12),
    block_bytes=st.sampled_from([512, 4 * KIB, 5000, 16 * KIB, 32 * KIB, 64 * KIB]),
    depth=st.integers(1, 9),
    disk=st.builds(
        Device,
        write_seconds=st.floats(0, 0.01),
        bytes_per_second=st.floats(1e6, 1e9),
        spread=st.floats(0, 1),
        origin=st.just(ORIGIN),
    ),
    log=st.sampled_from([None, DEVICES[Drive.SSD]]),
    host_seconds=st.floats(1e-6, 1e-3),
)
policies = st.sampled_from(POLICIES)
seeds = st.integers(0, 2**32)


@given(setup=setups, policy=policies, seed=seeds)
@settings(max_examples=60, deadline=None)
def test_that_every_request_is_committed_once_and_in_the_order_of_its_volume(
    setup: Setup, policy: Policy, seed: int
) -> None:
    run = at_once(simulate(setup, policy, requests=150, seed=seed))
    for volume in range(setup.volumes):
        commits = [c for c in run.commits if c.volume == volume]
        expected = 0
        for commit in commits:
            assert commit.first == expected
            assert commit.handed_over <= commit.began < commit.ended
            expected += commit.count
        for one, other in pairwise(commits):
            assert one.ended <= other.began


@given(setup=setups, policy=policies, seed=seeds)
@settings(max_examples=60, deadline=None)
def test_that_a_device_writes_one_block_at_a_time_in_the_order_asked(setup: Setup, policy: Policy, seed: int) -> None:
    run = at_once(simulate(setup, policy, requests=150, seed=seed))
    for device in range(len(setup.devices)):
        writes = [w for w in run.writes if w.device == device]
        for write in writes:
            assert write.asked <= write.began < write.ended
        for one, other in pairwise(writes):
            assert one.ended <= other.began
            assert one.asked <= other.asked
            assert other.began == max(one.ended, other.asked)


@given(setup=setups, policy=policies, seed=seeds)
@settings(max_examples=40, deadline=None)
def test_that_the_log_blocks_written_hold_what_was_committed(setup: Setup, policy: Policy, seed: int) -> None:
    run = at_once(simulate(setup, policy, requests=150, seed=seed))
    needed = sum(sum(log_blocks(c.count, setup.block_bytes)) for c in run.commits)
    under_way = setup.volumes * sum(log_blocks(setup.requests_per_sync, setup.block_bytes))
    assert needed <= sum(written_bytes(run)) <= needed + under_way
    assert all(share <= 1.0 + 1e-9 for share in busy_shares(run))


@given(setup=setups, policy=policies, seed=seeds)
@settings(max_examples=40, deadline=None)
def test_that_the_mean_number_of_waiting_requests_is_rate_times_latency(
    setup: Setup, policy: Policy, seed: int
) -> None:
    """Little's law, exact for the commits that ended: the areas are the same."""
    run = at_once(simulate(setup, policy, requests=150, seed=seed))
    edges = sorted([(c.handed_over, c.count) for c in run.commits] + [(c.ended, -c.count) for c in run.commits])
    area, waiting, before = 0.0, 0, 0.0
    for at, change in edges:
        area += waiting * (at - before)
        waiting, before = waiting + change, at
    assert area / run.seconds == pytest.approx(run.iops * run.latency_seconds)


@pytest.mark.parametrize("seed", [0, 7])
def test_that_a_seed_gives_one_result(seed: int) -> None:
    setup = Setup(disk=steady(40, spread=1.0))
    assert at_once(simulate(setup, AFTER, requests=500, seed=seed)) == at_once(
        simulate(setup, AFTER, requests=500, seed=seed)
    )
    other = at_once(simulate(setup, AFTER, requests=500, seed=seed + 1))
    assert other.seconds != at_once(simulate(setup, AFTER, requests=500, seed=seed)).seconds


@pytest.mark.parametrize("count", [1, 3, 20])
def test_that_one_volume_on_one_disk_takes_the_time_of_its_commits_one_after_the_other(count: int) -> None:
    setup = Setup(volumes=1, disks=1, requests_per_sync=count, disk=steady(100), host_seconds=7e-6)
    (one,) = log_blocks(1, setup.block_bytes)
    cycle = count * (7e-6 + 100e-6 + one / 100e6)
    run = at_once(simulate(setup, ALONE, requests=20 * count))
    assert run.seconds == pytest.approx(20 * cycle)
    assert run.iops == pytest.approx(count / cycle)
    # the k-th of them waits for k commits
    assert run.latency_seconds == pytest.approx((count + 1) / 2 * (100e-6 + one / 100e6))


def test_that_a_queue_committed_together_costs_one_log_block() -> None:
    setup = Setup(volumes=1, disks=1, requests_per_sync=5, disk=steady(100), host_seconds=7e-6)
    (size,) = log_blocks(5, setup.block_bytes)
    run = at_once(simulate(setup, TOGETHER, requests=100))
    assert run.iops == pytest.approx(5 / (5 * 7e-6 + 100e-6 + size / 100e6))
    assert run.requests_per_commit == 5


def test_that_log_blocks_of_one_commit_are_written_side_by_side() -> None:
    setup = Setup(volumes=1, disks=2, requests_per_sync=5, block_bytes=32 * KIB, disk=steady(100), host_seconds=7e-6)
    larger, smaller = log_blocks(5, setup.block_bytes)
    assert larger > smaller
    run = at_once(simulate(setup, TOGETHER, requests=100))
    assert run.iops == pytest.approx(5 / (5 * 7e-6 + 100e-6 + larger / 100e6))


def test_that_many_volumes_saturate_a_disk() -> None:
    setup = Setup(volumes=20, disks=1, requests_per_sync=1, disk=steady(100), host_seconds=1e-6)
    (size,) = log_blocks(1, setup.block_bytes)
    run = at_once(simulate(setup, BEFORE, requests=2000))
    assert run.iops == pytest.approx(1 / (100e-6 + size / 100e6), rel=0.001)
    assert limit_of(run) == "disks"


@pytest.mark.slow
def test_that_random_waits_average_to_the_latency_of_the_disk() -> None:
    setup = Setup(volumes=1, disks=1, requests_per_sync=1, disk=steady(1000, spread=1.0), host_seconds=1e-6)
    (size,) = log_blocks(1, setup.block_bytes)
    run = at_once(simulate(setup, ALONE, requests=20_000))
    mean = 1e-3 + size / 100e6
    deviation = 1e-3 / 3**0.5 / 20_000**0.5
    assert abs(run.latency_seconds - mean) < 4 * deviation
    assert run.latency_at(1.0) <= 2e-3 + size / 100e6


def test_that_the_depth_cuts_what_is_handed_over_at_once() -> None:
    setup = Setup(volumes=1, disks=1, requests_per_sync=10, depth=4, disk=steady(100))
    run = at_once(simulate(setup, TOGETHER, requests=100))
    assert [c.count for c in run.commits[:6]] == [4, 4, 2, 4, 4, 2]


@dataclass
class Thread:
    """A thread of the second simulator; all times are microseconds still to go."""

    preparing: int = 0
    group: int = 0  # requests being made ready
    unsynced: int = 0
    queue: int = 0
    committing: int = 0
    unwritten: int = 0  # log blocks of the commit
    turn: int = 0


class Ticking:
    """A second simulator, that knows no events: it looks at everything in every microsecond."""

    def __init__(self, setup: Setup, policy: Policy, wait: Callable[[], int]) -> None:
        self.setup, self.policy, self.wait = setup, policy, wait
        self.rate = round(setup.disk.bytes_per_second / 1e6)  # bytes a microsecond
        self.host = round(setup.host_seconds * 1e6)
        self.threads = [Thread() for _ in range(setup.volumes)]
        self.disks: list[list[tuple[Thread, int]]] = [[] for _ in range(setup.disks)]  # each block: whose, how long
        self.left = [0] * setup.disks
        self.turn = self.done = 0
        for thread in self.threads:
            self.prepare(thread)

    def prepare(self, thread: Thread) -> None:
        thread.unsynced = thread.unsynced or self.setup.requests_per_sync
        thread.group = min(self.setup.depth, thread.unsynced)
        thread.preparing = thread.group * self.host

    def tick(self) -> None:
        for number, disk in enumerate(self.disks):
            self.left[number] -= 1
            if disk and self.left[number] == 0:
                disk.pop(0)[0].unwritten -= 1
                self.left[number] = disk[0][1] if disk else 0
        for thread in self.threads:
            if thread.committing and not thread.unwritten:
                self.done, thread.committing = self.done + thread.committing, 0
                if not thread.queue:
                    self.prepare(thread)
            elif thread.preparing:
                thread.preparing -= 1
                if not thread.preparing:
                    thread.queue, thread.unsynced = thread.group, thread.unsynced - thread.group
            if thread.queue and not thread.committing:
                self.commit(thread)

    def commit(self, thread: Thread) -> None:
        thread.committing = 1 if self.policy.commit is Commit.PER_REQUEST else thread.queue
        thread.queue -= thread.committing
        for size in log_blocks(thread.committing, self.setup.block_bytes):
            number = self.turn if self.policy.placement is Placement.GLOBAL else thread.turn
            self.turn, thread.turn = (self.turn + 1) % self.setup.disks, (thread.turn + 1) % self.setup.disks
            self.disks[number].append((thread, self.wait() + size // self.rate))
            if len(self.disks[number]) == 1:
                self.left[number] = self.disks[number][0][1]
            thread.unwritten += 1


def ticks(setup: Setup, policy: Policy, until: int, wait: Callable[[], int]) -> int:
    """Return the requests that the second simulator commits until the microsecond ``until``."""
    ticking = Ticking(setup, policy, wait)
    for _ in range(until):
        ticking.tick()
    return ticking.done


@pytest.mark.slow
@given(
    disks=st.integers(1, 3),
    every=st.integers(1, 7),
    depth=st.integers(1, 8),
    block=st.sampled_from([4 * KIB, 16 * KIB, 40 * KIB]),
    wait=st.integers(1, 300),
    host=st.integers(1, 50),
    policy=policies,
)
@settings(max_examples=40, deadline=None)
def test_that_a_second_simulator_commits_exactly_as_many_of_one_volume(
    disks: int, every: int, depth: int, block: int, wait: int, host: int, policy: Policy
) -> None:
    setup = Setup(
        volumes=1,
        disks=disks,
        requests_per_sync=every,
        depth=depth,
        block_bytes=block,
        disk=steady(wait, rate=512.0 * MB),
        host_seconds=host * 1e-6,
    )
    run = at_once(simulate(setup, policy, requests=200))
    assert ticks(setup, policy, round(run.seconds * 1e6), lambda: wait) == run.requests


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize(("volumes", "disks", "block"), [(3, 3, 4 * KIB), (5, 2, 32 * KIB)])
def test_that_a_second_simulator_with_other_chances_finds_the_same_rate(
    policy: Policy, volumes: int, disks: int, block: int
) -> None:
    setup = Setup(
        volumes=volumes, disks=disks, block_bytes=block, disk=steady(80, rate=512.0 * MB, spread=1.0), host_seconds=9e-6
    )
    chance = np.random.default_rng(3)
    until = 150_000
    counted = ticks(setup, policy, until, lambda: int(chance.integers(0, 161)))
    assert counted / (until * 1e-6) == pytest.approx(at_once(simulate(setup, policy)).iops, rel=0.03)


@given(requests=st.integers(1, 2000), block=st.integers(512, 64 * KIB))
def test_that_log_blocks_are_never_too_large_and_hold_the_data(requests: int, block: int) -> None:
    sizes = list(log_blocks(requests, block))
    assert all(0 < size <= LOG_BLOCK_BYTES and size % (4 * KIB) == 0 for size in sizes)
    assert sum(sizes) > requests * block


def _loaded(run: LogRun) -> float:
    """Return the seconds in which devices were busy, from the steps of their load."""
    busy = 0.0
    for load in loads(run, begin=0.0, end=run.seconds):
        edges = (*load.seconds, run.seconds)
        busy += sum(later - at for at, later, blocks in zip(edges, edges[1:], load.blocks, strict=False) if blocks)
    return busy


def test_that_the_load_over_time_adds_up_to_the_busy_time() -> None:
    run = at_once(simulate(Setup(), BEFORE, requests=1000))
    assert _loaded(run) == pytest.approx(sum(busy_shares(run)) * run.seconds, rel=1e-9)


def test_that_one_pointer_for_all_leaves_fewer_disks_idle_beside_a_queue() -> None:
    setup = Setup(requests_per_sync=1)
    apart, common = (
        lopsided_share(at_once(simulate(setup, Policy(commit=Commit.PER_REQUEST, placement=placement), requests=5000)))
        for placement in Placement
    )
    assert common < apart / 2


def test_that_a_log_device_takes_every_block() -> None:
    run = at_once(simulate(Setup(log=DEVICES[Drive.NVME]), AFTER, requests=500))
    assert {write.device for write in run.writes} == {0}
    assert len(busy_shares(run)) == 1


def test_that_disks_that_flush_gain_more_from_batching_than_disks_that_answer_from_their_cache() -> None:
    cached, flushed = (
        at_once(compare(Setup(disk=DEVICES[drive]), requests=1500)) for drive in (Drive.CACHED_DISK, Drive.FLUSHED_DISK)
    )
    assert flushed.gain_percent() > 2 * cached.gain_percent()


def test_that_the_gain_lies_in_its_band_and_says_where_it_comes_from() -> None:
    gain = at_once(compare(Setup(), requests=1000)).gain()
    assert gain.low < gain.typical < gain.high
    assert "leave-one-out" in gain.origin.source


def test_that_the_comparison_reports_progress_and_tries_a_log_device_beside_it() -> None:
    steps = compare(Setup(), requests=1000)
    shares = []
    while True:
        try:
            shares.append(next(steps))
        except StopIteration as stop:
            comparison = stop.value
            break
    assert shares == sorted(shares)
    assert 0 < shares[0] < shares[-1] <= 1
    assert comparison.with_log is not None
    assert at_once(compare(Setup(log=DEVICES[Drive.SSD]), requests=100)).with_log is None


def test_that_a_log_block_is_full_to_its_last_byte_before_the_next_step_is_written() -> None:
    # zil_chain_t takes 184 bytes of each block, lr_write_t 192 of each record (OpenZFS, zil.h).
    assert list(log_blocks(1, 4096 - 184 - 192)) == [4096]
    assert list(log_blocks(1, 4096 - 184 - 192 + 1)) == [8192]
    assert list(log_blocks(2, 131072 - 184 - 192)) == [131072, 131072]
    assert list(log_blocks(3, 8192)) == [28672]
    assert list(log_blocks(0, 8192)) == []
