"""What a judge says where it cannot know, or where the obvious answer would be wrong."""

from dataclasses import replace

import numpy as np
import pytest
from tests.bench.judging.made_runs import (
    Made,
    bench_test,
    curve,
    design_of,
    foretold,
    place_of,
    profile_of,
    record_of,
    run_of,
)

from poolwright.bench.judging.expected import expected
from poolwright.bench.judging.limiting import limiting_factor
from poolwright.bench.judging.noise import noise_floor, noise_words
from poolwright.bench.judging.verdict import judge
from poolwright.bench.judging.verdicts import Factor, Judgement, TestVerdict
from poolwright.bench.record import BenchPlace, Ended, TestRun
from poolwright.domain.measurement import BenchTool, Direction, Observer, Recorded, What
from poolwright.predict.runs import Metric

GIGABIT = 125_000_000


def over_network(run: TestRun, rate: float) -> TestRun:
    carried = Recorded(
        tool=BenchTool.PROC,
        where="sampler",
        curves=(curve("eth0", Observer.NETWORK, What.RATE, np.full(60, rate), Direction.READ),),
    )
    return replace(run, repeats=tuple(replace(each, watched=(carried,)) for each in run.repeats))


def elsewhere(filesystem: str) -> BenchPlace:
    place = place_of(pool=None, dataset=None, filesystem=filesystem, layout=(), properties=())
    return replace(place, disks=(), links=(("eth0", GIGABIT), ("eth1", 10 * GIGABIT)))


@pytest.mark.parametrize("filesystem", ["nfs4", "nfs", "cifs", "smb3", "fuse.sshfs", "ceph"])
def test_that_a_full_link_limits_what_lies_on_another_machine(filesystem: str) -> None:
    place, made = elsewhere(filesystem), Made(value=110e6, memory=None)
    run = run_of(bench_test(Metric.SEQ_READ), place, made)
    full = limiting_factor(over_network(run, 115e6), place)
    assert full is not None
    assert (full.factor, full.evidence) == (Factor.NETWORK, ("eth0 carried 115 MB/s of 125 MB/s.",))
    assert limiting_factor(over_network(run, 60e6), place) is None


def test_that_a_busy_link_beside_a_local_pool_limits_nothing_of_it() -> None:
    place = place_of(links=(("eth0", GIGABIT),))
    run = run_of(bench_test(Metric.SEQ_READ), place, Made(value=1e9, memory=None))
    found = limiting_factor(over_network(run, 120e6), place)
    assert found is None or found.factor is not Factor.NETWORK
    # What was asked for went over it: a disk by iSCSI.
    slow = run_of(bench_test(Metric.SEQ_READ), place, Made(value=118e6, memory=None))
    carried = limiting_factor(over_network(slow, 120e6), place)
    assert carried is not None
    assert carried.factor is Factor.NETWORK


@pytest.mark.parametrize(("filesystem", "word"), [("ext4", "compared with each other"), ("nfs4", "has the pool")])
def test_that_another_filesystem_is_not_told_to_open_a_design(filesystem: str, word: str) -> None:
    place, test = elsewhere(filesystem), bench_test(Metric.SEQ_READ)
    profile = profile_of(test)
    run = run_of(test, place, Made(value=1e9, memory=None))
    for design in (None, design_of()):
        (found,) = judge(record_of((run,), place), expected(profile, design, None, place)).tests
        assert found.judgement is Judgement.CANNOT_TELL
        assert filesystem in found.reasons[0]
        assert word in found.next_steps[0]
        assert "design" not in " ".join(found.next_steps)


def too_early(**changes: object) -> TestVerdict:
    place = replace(place_of(), **changes)  # type: ignore[arg-type]
    told = foretold(Metric.SYNC_WRITE, place)
    assert told.ceiling is not None
    run = run_of(bench_test(Metric.SYNC_WRITE), place, Made(value=1.5 * told.ceiling, busy=0.95))
    (found,) = judge(record_of((run,), place), {run.test.name: told}).tests
    assert found.judgement is Judgement.TOO_FAST
    return found


def test_that_synchronous_writes_that_are_too_fast_are_not_limited_by_busy_disks() -> None:
    found = too_early()
    assert found.limiting is not None
    assert found.limiting.factor is Factor.WRITE_CACHE
    assert any("power-loss" in reason for reason in found.reasons)


def test_that_what_is_known_of_the_cache_is_the_evidence() -> None:
    def evidence(**changes: object) -> str:
        limiting = too_early(**changes).limiting
        assert limiting is not None
        return " ".join(limiting.evidence)

    disks = place_of().disks
    assert "zfs_nocacheflush=1" in evidence(parameters=(("zfs_nocacheflush", "1"),))
    assert "zfs_nocacheflush" not in evidence(parameters=(("zfs_nocacheflush", "0"),))
    through = (replace(disks[0], flushed=False), *(replace(disk, flushed=True) for disk in disks[1:]))
    assert "no flush (write through): sda." in evidence(disks=through)
    assert "confirmed at once: sdb, " in evidence(disks=through)
    assert "virtual machine" in evidence(disks=tuple(replace(disk, model="QEMU HARDDISK") for disk in disks))
    log = replace(disks[0], name="nvme0n1", kernel_name="nvme0n1", rotational=False, flushed=True)
    told = evidence(disks=(*disks, log), layout=(*place_of().layout, "logs nvme0n1"), has_log=True)
    assert "confirmed at once: nvme0n1." in told
    assert "platters" not in told


def test_that_output_that_nobody_could_read_is_not_called_a_run_that_did_not_end() -> None:
    place, test = place_of(), bench_test(Metric.SEQ_READ)
    run = run_of(test, place, Made(value=1e9))
    unread = replace(run, repeats=tuple(replace(each, application=None) for each in run.repeats))
    (found,) = judge(record_of((unread,), place), {test.name: foretold(Metric.SEQ_READ, place)}).tests
    assert found.judgement is Judgement.CANNOT_TELL
    assert found.reasons[0].startswith("It ran to its end")
    assert "printed" in found.next_steps[0]


def test_that_a_run_too_short_to_see_a_drift_says_so() -> None:
    place, test = place_of(), bench_test(Metric.SEQ_READ)
    told = foretold(Metric.SEQ_READ, place)
    assert told.estimate is not None
    steps = {}
    for seconds in (10, 60):
        run = run_of(test, place, Made(value=told.estimate.typical, seconds=seconds))
        (found,) = judge(record_of((run,), place), {test.name: told}).tests
        assert found.judgement is Judgement.PASSED
        steps[seconds] = " ".join(found.next_steps)
    assert "whether the rate drifts" in steps[10]
    assert "drift" not in steps[60]


@pytest.mark.parametrize(("seconds", "judgement"), [(4, Judgement.CANNOT_TELL), (30, Judgement.PASSED)])
def test_that_writes_of_a_few_seconds_are_not_judged(seconds: int, judgement: Judgement) -> None:
    place, test = place_of(), bench_test(Metric.SEQ_WRITE)
    told = foretold(Metric.SEQ_WRITE, place)
    assert told.estimate is not None
    run = run_of(test, place, Made(value=told.estimate.typical, seconds=seconds))
    (found,) = judge(record_of((run,), place), {test.name: told}).tests
    assert found.judgement is judgement
    short = [why for why in found.reasons if "less than 4 transaction groups" in why]
    assert len(short) == (1 if judgement is Judgement.CANNOT_TELL else 0)
    assert not (short and found.narrows)


def test_that_a_test_ended_by_a_limit_tells_to_allow_more() -> None:
    place, test = place_of(), bench_test(Metric.SEQ_READ)
    run = run_of(test, place, Made(value=1e9))
    why = "The writes allowed are used up: 1.00 GiB."
    cut = replace(run, repeats=tuple(replace(each, ended=Ended.BUDGET, why=why) for each in run.repeats))
    record = replace(record_of((cut,), place), ended=Ended.BUDGET, why=why)
    verdict = judge(record, {test.name: foretold(Metric.SEQ_READ, place)})
    assert verdict.tests[0].next_steps[0].startswith("Allow more")
    assert verdict.sentence.endswith("The run was ended by a limit that was set for it.")


def test_that_a_machine_nobody_looked_at_is_not_called_quiet() -> None:
    assert "cannot be ruled out" in noise_words(noise_floor(()))
    busy = Recorded(
        tool=BenchTool.PROC,
        where="idle",
        curves=(
            curve("cpu0", Observer.CPU, What.BUSY, np.full(5, 0.5)),
            curve("cpu1", Observer.CPU, What.BUSY, np.full(5, 0.1)),
            curve("tank", Observer.POOL, What.RATE, np.full(5, 3e6), Direction.READ),
            curve("tank", Observer.POOL, What.RATE, np.zeros(5), Direction.WRITE),
        ),
    )
    assert noise_words(noise_floor((busy,), "tank")) == "processor 30 %, the pool read 3.00 MB/s, wrote 0 B/s"
