"""What a judge says where it cannot know, or where the obvious answer would be wrong."""

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest
from tests.bench.judging.made_runs import (
    Made,
    bench_test,
    curve,
    design_of,
    expectation,
    place_of,
    profile_of,
    record_of,
    run_of,
    typical,
)

from poolwright.bench.judging.expected import expected, runs_of
from poolwright.bench.judging.limiting import limiting_factor
from poolwright.bench.judging.side_by_side import noise_floor, noise_words
from poolwright.bench.judging.verdict import judge
from poolwright.bench.judging.verdicts import Factor, Judgement, RunVerdict, Spread, TestVerdict
from poolwright.bench.record import BenchJob, BenchTarget, BenchTest, Ended, Profile, RunRecord, TestRun
from poolwright.domain.measurement import BenchTool, Direction, Observer, Recorded, What
from poolwright.domain.vdev import parse_layout
from poolwright.predict.measured_runs import MeasuredRun, Metric

GIGABIT = 125_000_000


def over_network(run: TestRun, rate: float) -> TestRun:
    carried = Recorded(
        tool=BenchTool.PROC,
        where="sampler",
        curves=(curve("eth0", Observer.NETWORK, What.RATE, np.full(60, rate), Direction.READ),),
    )
    return replace(run, repeats=tuple(replace(each, watched=(carried,)) for each in run.repeats))


def elsewhere(filesystem: str) -> BenchTarget:
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
    # What was asked for goes over it where a disk is reached by iSCSI.
    slow = run_of(bench_test(Metric.SEQ_READ), place, Made(value=118e6, memory=None))
    found, carried = (limiting_factor(over_network(each, 120e6), place) for each in (run, slow))
    assert found is None or found.factor is not Factor.NETWORK
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
    told = expectation(Metric.SYNC_WRITE, place)
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
    (found,) = judge(record_of((unread,), place), {test.name: expectation(Metric.SEQ_READ, place)}).tests
    assert found.judgement is Judgement.CANNOT_TELL
    assert found.reasons[0].startswith("It ran to its end")
    assert "printed" in found.next_steps[0]


def test_that_a_run_too_short_to_see_a_drift_says_so() -> None:
    place, test = place_of(), bench_test(Metric.SEQ_READ)
    told = expectation(Metric.SEQ_READ, place)
    steps = {}
    for seconds in (10, 60):
        run = run_of(test, place, Made(value=typical(Metric.SEQ_READ), seconds=seconds))
        (found,) = judge(record_of((run,), place), {test.name: told}).tests
        assert found.judgement is Judgement.PASSED
        steps[seconds] = " ".join(found.next_steps)
    assert "whether the rate drifts" in steps[10]
    assert "drift" not in steps[60]


@pytest.mark.parametrize(("seconds", "judgement"), [(4, Judgement.CANNOT_TELL), (30, Judgement.PASSED)])
def test_that_writes_of_a_few_seconds_are_not_judged(seconds: int, judgement: Judgement) -> None:
    place, test = place_of(), bench_test(Metric.SEQ_WRITE)
    told = expectation(Metric.SEQ_WRITE, place)
    run = run_of(test, place, Made(value=typical(Metric.SEQ_WRITE), seconds=seconds))
    (found,) = judge(record_of((run,), place), {test.name: told}).tests
    assert found.judgement is judgement
    short = [why for why in found.reasons if "less than 4 transaction groups" in why]
    assert len(short) == (1 if judgement is Judgement.CANNOT_TELL else 0)
    assert not (short and found.narrows)
    elsewhere = replace(place, filesystem="ext4", dataset=None, pool=None)
    (found,) = judge(record_of((run,), elsewhere), {}).tests
    assert not any("transaction groups" in why for why in found.reasons)


def test_that_a_test_ended_by_a_limit_tells_to_allow_more() -> None:
    place, test = place_of(), bench_test(Metric.SEQ_READ)
    run = run_of(test, place, Made(value=1e9))
    why = "The writes allowed are used up: 1.00 GiB."
    cut = replace(run, repeats=tuple(replace(each, ended=Ended.BUDGET, why=why) for each in run.repeats))
    record = replace(record_of((cut,), place), ended=Ended.BUDGET, why=why)
    verdict = judge(record, {test.name: expectation(Metric.SEQ_READ, place)})
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


LAYOUT = parse_layout(["raidz2:8x6TB"])
SPREAD = Spread(values=(5e8,), median=5e8, least=5e8, most=5e8, spread=0.0)


def record(*tests: BenchTest, recordsize: str | None = "1048576") -> RunRecord:
    properties = (("recordsize", recordsize),) if recordsize else ()
    return RunRecord(
        name="x",
        started=datetime(2026, 1, 2, tzinfo=UTC),
        seconds=1.0,
        ended=Ended.WHOLE,
        profile=Profile(name="p", title="p", question="?", tests=tests),
        place=BenchTarget(directory="/t", filesystem="zfs", host="h", free_bytes=1, pool="tank", properties=properties),
        tests=tuple(TestRun(test=test, job_file="", repeats=()) for test in tests),
    )


def made(name: str, metric: Metric | None = Metric.SEQ_READ) -> BenchTest:
    return BenchTest(name=name, title=name, jobs=(BenchJob(name=name, options=()),), metric=metric)


def verdict(*tests: TestVerdict) -> RunVerdict:
    return RunVerdict(judgement=Judgement.PASSED, sentence="", tests=tests)


READ = TestVerdict(test="read", judgement=Judgement.SLOWER, metric=Metric.SEQ_READ, measured=SPREAD)


def test_that_a_clean_test_becomes_a_run_of_its_pool_with_the_records_of_its_dataset() -> None:
    (run,) = runs_of(record(made("read")), verdict(READ), LAYOUT)
    assert (run.layout, run.metric, run.value, run.record_bytes) == (LAYOUT, Metric.SEQ_READ, 5e8, 1 << 20)
    (run,) = runs_of(record(made("read"), recordsize=None), verdict(READ), LAYOUT)
    assert run.record_bytes == 128 << 10


@pytest.mark.parametrize(
    "judged",
    [
        replace(READ, judgement=Judgement.TOO_FAST),
        replace(READ, judgement=Judgement.CANNOT_TELL),
        replace(READ, marks=("a scrub ran",)),
        replace(READ, narrows=False),
        replace(READ, metric=None),
        replace(READ, measured=None),
    ],
)
def test_that_what_came_from_memory_was_disturbed_or_is_unknown_tells_nothing(judged: TestVerdict) -> None:
    assert runs_of(record(made("read")), verdict(judged), LAYOUT) == ()


def test_that_of_several_tests_of_one_kind_the_fastest_counts() -> None:
    few = replace(READ, test="few", measured=replace(SPREAD, median=1e8))
    (run,) = runs_of(record(made("few"), made("read")), verdict(few, READ), LAYOUT)
    assert run.value == 5e8


def measured(metric: Metric, made: Made) -> tuple[MeasuredRun, ...]:
    place, test = place_of(), bench_test(metric)
    run = run_of(test, place, made)
    found = record_of((run,), place)
    told = expected(found.profile, design_of(), None, place)
    return runs_of(found, judge(found, told), design_of().layout())


def test_that_a_run_that_drifts_or_is_slow_from_memory_narrows_nothing() -> None:
    value = typical(Metric.SEQ_READ)
    assert len(measured(Metric.SEQ_READ, Made(value=value))) == 1
    assert measured(Metric.SEQ_READ, Made(value=value, fall=-0.5)) == ()
    assert measured(Metric.SEQ_READ, Made(value=value / 20, memory=0.6)) == ()
    assert len(measured(Metric.SEQ_READ, Made(value=value / 20))) == 1


def test_that_a_band_too_wide_to_be_missed_is_narrowed_by_the_run_that_could_not_miss_it() -> None:
    value = typical(Metric.RAND_WRITE)
    (run,) = measured(Metric.RAND_WRITE, Made(value=value))
    assert run.value == pytest.approx(value)
    assert measured(Metric.RAND_WRITE, Made(value=value, repeats=1)) == ()


def test_that_a_run_is_as_uncertain_as_its_repeats_differ() -> None:
    def error(*values: float) -> float:
        spread = replace(SPREAD, values=values)
        (run,) = runs_of(record(made("read")), verdict(replace(READ, measured=spread)), LAYOUT)
        return run.error

    assert error(5e8) == error(5e8, 5e8) == 0.0
    assert error(4.9e8, 5.1e8) == pytest.approx(0.02, rel=0.01)  # standard deviation 0.0283, over the root of two
    assert error(4e8, 5e8, 6e8) > error(4.5e8, 5e8, 5.5e8)
