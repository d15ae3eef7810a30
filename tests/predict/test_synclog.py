"""The simulation of synchronous writes: against closed forms, and what always holds of it."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poolwright.domain.estimate import Origin, OriginKind
from poolwright.domain.units import KIB, MB
from poolwright.predict.synclog_advice import compare, limit_of, loads, lopsided_share, run_of
from poolwright.predict.synclog_model import (
    AFTER,
    BEFORE,
    DEVICES,
    POLICIES,
    Commit,
    Device,
    Drive,
    LogTrace,
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
@settings(max_examples=80, deadline=None)
def test_that_no_request_no_block_and_no_time_is_lost(setup: Setup, policy: Policy, seed: int) -> None:
    trace = simulate(setup, policy, requests=150, seed=seed)
    run = run_of(trace)
    for volume in range(setup.volumes):  # every request is committed once, in the order of its volume
        commits = [c for c in trace.commits if c.volume == volume]
        assert all(one.ended <= other.began for one, other in pairwise(commits))
        assert all(commit.handed_over <= commit.began < commit.ended for commit in commits)
        assert [c.first for c in commits] == [sum(c.count for c in commits[:n]) for n in range(len(commits))]
    for device in range(len(setup.devices)):  # a device writes one block at a time, in the order asked
        writes = [w for w in trace.writes if w.device == device]
        assert all(write.asked <= write.began < write.ended for write in writes)
        for one, other in pairwise(writes):
            assert one.asked <= other.asked
            assert other.began == max(one.ended, other.asked)
    needed = sum(sum(log_blocks(c.count, setup.block_bytes)) for c in trace.commits)
    under_way = setup.volumes * sum(log_blocks(setup.requests_per_sync, setup.block_bytes))
    assert needed <= sum(run.written_bytes) <= needed + under_way
    assert all(share <= 1.0 + 1e-9 for share in run.busy)
    # Little's law, exact for the commits that ended: the areas are the same.
    edges = sorted([(c.handed_over, c.count) for c in trace.commits] + [(c.ended, -c.count) for c in trace.commits])
    area, waiting, before = 0.0, 0, 0.0
    for at, change in edges:
        area += waiting * (at - before)
        waiting, before = waiting + change, at
    assert area / run.seconds == pytest.approx(run.iops * run.latency_seconds)


@pytest.mark.parametrize("seed", [0, 7])
def test_that_a_seed_gives_one_result(seed: int) -> None:
    setup = Setup(disk=steady(40, spread=1.0))
    trace = simulate(setup, AFTER, requests=500, seed=seed)
    assert trace == simulate(setup, AFTER, requests=500, seed=seed)
    assert trace.seconds != simulate(setup, AFTER, requests=500, seed=seed + 1).seconds


@pytest.mark.parametrize("count", [1, 3, 20])
def test_that_one_volume_on_one_disk_takes_the_time_of_its_commits_one_after_the_other(count: int) -> None:
    setup = Setup(volumes=1, disks=1, requests_per_sync=count, disk=steady(100), host_seconds=7e-6)
    (one,) = log_blocks(1, setup.block_bytes)
    cycle = count * (7e-6 + 100e-6 + one / 100e6)
    run = run_of(simulate(setup, ALONE, requests=20 * count))
    assert run.seconds == pytest.approx(20 * cycle)
    assert run.iops == pytest.approx(count / cycle)
    # the k-th of them waits for k commits
    assert run.latency_seconds == pytest.approx((count + 1) / 2 * (100e-6 + one / 100e6))


def test_that_a_queue_committed_together_costs_one_log_block() -> None:
    setup = Setup(volumes=1, disks=1, requests_per_sync=5, disk=steady(100), host_seconds=7e-6)
    (size,) = log_blocks(5, setup.block_bytes)
    run = run_of(simulate(setup, TOGETHER, requests=100))
    assert run.iops == pytest.approx(5 / (5 * 7e-6 + 100e-6 + size / 100e6))
    assert run.requests_per_commit == 5


def test_that_log_blocks_of_one_commit_are_written_side_by_side() -> None:
    setup = Setup(volumes=1, disks=2, requests_per_sync=5, block_bytes=32 * KIB, disk=steady(100), host_seconds=7e-6)
    larger, smaller = log_blocks(5, setup.block_bytes)
    assert larger > smaller
    run = run_of(simulate(setup, TOGETHER, requests=100))
    assert run.iops == pytest.approx(5 / (5 * 7e-6 + 100e-6 + larger / 100e6))


def test_that_many_volumes_saturate_a_disk() -> None:
    setup = Setup(volumes=20, disks=1, requests_per_sync=1, disk=steady(100), host_seconds=1e-6)
    (size,) = log_blocks(1, setup.block_bytes)
    run = run_of(simulate(setup, BEFORE, requests=2000))
    assert run.iops == pytest.approx(1 / (100e-6 + size / 100e6), rel=0.001)
    assert limit_of(run) == "disks"


@pytest.mark.slow
def test_that_random_waits_average_to_the_latency_of_the_disk() -> None:
    setup = Setup(volumes=1, disks=1, requests_per_sync=1, disk=steady(1000, spread=1.0), host_seconds=1e-6)
    (size,) = log_blocks(1, setup.block_bytes)
    trace = simulate(setup, ALONE, requests=20_000)
    mean = 1e-3 + size / 100e6
    deviation = 1e-3 / 3**0.5 / 20_000**0.5
    assert abs(run_of(trace).latency_seconds - mean) < 4 * deviation
    assert max(commit.ended - commit.handed_over for commit in trace.commits) <= 2e-3 + size / 100e6


def _loaded(trace: LogTrace) -> float:
    """Return the seconds in which devices were busy, from the steps of their load."""
    busy = 0.0
    for load in loads(trace, begin=0.0, end=trace.seconds):
        edges = (*load.seconds, trace.seconds)
        busy += sum(later - at for at, later, blocks in zip(edges, edges[1:], load.blocks, strict=False) if blocks)
    return busy


def test_that_the_load_over_time_adds_up_to_the_busy_time() -> None:
    trace = simulate(Setup(), BEFORE, requests=1000)
    assert _loaded(trace) == pytest.approx(sum(run_of(trace).busy) * trace.seconds, rel=1e-9)


def test_that_one_pointer_for_all_leaves_fewer_disks_idle_beside_a_queue() -> None:
    setup = Setup(requests_per_sync=1)
    apart, common = (
        lopsided_share(simulate(setup, Policy(commit=Commit.PER_REQUEST, placement=placement), requests=5000))
        for placement in Placement
    )
    assert common < apart / 2


def test_that_the_comparison_reports_progress_and_tries_a_log_device_beside_it() -> None:
    shares: list[float] = []
    comparison = compare(Setup(), requests=1000, progress=shares.append)
    assert shares == sorted(shares)
    assert 0 <= shares[0] < shares[-1] <= 1
    assert comparison.with_log is not None
    assert compare(Setup(log=DEVICES[Drive.SSD]), requests=100).with_log is None


def test_that_a_log_block_is_full_to_its_last_byte_before_the_next_step_is_written() -> None:
    # zil_chain_t takes 184 bytes of each block, lr_write_t 192 of each record (OpenZFS, zil.h).
    assert list(log_blocks(1, 4096 - 184 - 192)) == [4096]
    assert list(log_blocks(1, 4096 - 184 - 192 + 1)) == [8192]
    assert list(log_blocks(2, 131072 - 184 - 192)) == [131072, 131072]
    assert list(log_blocks(3, 8192)) == [28672]
    assert list(log_blocks(0, 8192)) == []
