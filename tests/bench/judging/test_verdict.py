"""Whether a verdict is true of pools whose truth is known, because they were made up."""

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from tests.bench.judging.made_runs import (
    BEGAN,
    Made,
    band,
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

from poolwright.bench.judging.expected import expected
from poolwright.bench.judging.side_by_side import while_measured
from poolwright.bench.judging.verdict import judge
from poolwright.bench.judging.verdicts import Factor, Judgement, RunVerdict, TestVerdict, judgement_words
from poolwright.bench.record import BenchJob, BenchTest, Ended, Engine, Repeat, TestRun
from poolwright.domain.measurement import BenchTool, Direction, Measurement, Observer, Recorded, TimeCurve, What
from poolwright.domain.units import MB
from poolwright.domain.version import ZfsVersion
from poolwright.predict.measured_runs import MeasuredRun, Metric

METRICS = tuple(Metric)
# What hard disks make of random writes nobody can foretell within a factor of 25 before a run told.
JUDGED = tuple(metric for metric in METRICS if metric is not Metric.RAND_WRITE)


def verdict(metric: Metric, made: Made, seed: int = 1, **changes: object) -> TestVerdict:
    place = place_of(**changes)  # type: ignore[arg-type]
    run = run_of(bench_test(metric), place, made, seed)
    return judge(record_of((run,), place), {run.test.name: expectation(metric)}).tests[0]


@pytest.mark.slow
@pytest.mark.parametrize("metric", JUDGED)
def test_that_a_pool_that_gives_what_was_expected_passes(metric: Metric) -> None:
    found = [verdict(metric, Made(value=typical(metric)), seed) for seed in range(20)]
    assert {one.judgement for one in found} == {Judgement.PASSED}
    assert found[0].expected == expectation(metric).estimate


@pytest.mark.parametrize("metric", METRICS)
def test_that_half_of_the_least_expected_is_slower(metric: Metric) -> None:
    estimate = band(metric)
    found = [verdict(metric, Made(value=estimate.low / 2), seed) for seed in range(20)]
    assert {one.judgement for one in found} == {Judgement.SLOWER}
    assert found[0].reasons
    assert found[0].next_steps


@pytest.mark.parametrize("metric", [Metric.SEQ_READ, Metric.RAND_READ])
@pytest.mark.parametrize("share", [0.3, *(pytest.param(share, marks=pytest.mark.slow) for share in (0.7, 0.95, 1.0))])
@pytest.mark.parametrize("factor", [1.0, 3.0, 30.0])
def test_that_what_came_from_the_arc_is_never_a_pass(metric: Metric, share: float, factor: float) -> None:
    found = [verdict(metric, Made(value=factor * typical(metric), memory=share), seed) for seed in range(10)]
    assert {one.judgement for one in found} == {Judgement.TOO_FAST}
    assert "ARC" in found[0].reasons[0]


def test_that_the_arc_that_answers_most_is_named_as_what_limits() -> None:
    found = verdict(Metric.RAND_READ, Made(value=20 * typical(Metric.RAND_READ), memory=0.95))
    assert found.limiting is not None
    assert found.limiting.factor is Factor.ARC


@pytest.mark.parametrize("metric", METRICS)
def test_that_more_than_all_disks_could_give_is_too_fast_whatever_was_watched(metric: Metric) -> None:
    ceiling = expectation(metric).ceiling
    assert ceiling is not None
    found = verdict(metric, Made(value=1.2 * ceiling, memory=None))
    assert found.judgement is Judgement.TOO_FAST


def test_that_reads_that_nobody_watched_are_not_judged_unless_they_are_slow() -> None:
    usual = typical(Metric.SEQ_READ)
    assert verdict(Metric.SEQ_READ, Made(value=usual, memory=None)).judgement is Judgement.CANNOT_TELL
    assert verdict(Metric.SEQ_READ, Made(value=usual / 10, memory=None)).judgement is Judgement.SLOWER


def test_that_repeats_that_disagree_about_the_verdict_give_none() -> None:
    estimate = band(Metric.SEQ_WRITE)
    found = verdict(Metric.SEQ_WRITE, Made(value=estimate.low, spread=0.3))
    assert found.judgement is Judgement.CANNOT_TELL
    assert "10 times" in found.next_steps[0]
    # The same spread inside of the band asks for more repeats and still passes.
    inside = verdict(Metric.SEQ_WRITE, Made(value=estimate.typical, spread=0.3))
    assert inside.judgement is Judgement.PASSED
    assert any("10 times" in step for step in inside.next_steps)
    assert verdict(Metric.SEQ_WRITE, Made(value=estimate.typical, spread=0.7)).judgement is Judgement.CANNOT_TELL


def test_that_a_rate_that_still_falls_across_the_edge_of_the_band_is_not_judged() -> None:
    estimate = band(Metric.SEQ_WRITE)
    found = verdict(Metric.SEQ_WRITE, Made(value=estimate.low * 1.1, fall=-0.6, seconds=120))
    assert found.judgement is Judgement.CANNOT_TELL
    assert "during the measurement" in found.reasons[0]


def laid_out_first(run: TestRun, seconds: int) -> TestRun:
    """Return a test whose files are written, at 400 MB/s, before it begins, and removed after it."""
    writing, reading = np.full(seconds, 400e6), np.zeros(seconds)

    def repeat_of(repeat: Repeat) -> Repeat:
        (watched,) = repeat.watched
        curves = [
            replace(
                one,
                ms=np.arange(len(one.values) + 2 * seconds, dtype=np.int64) * 1000,
                values=np.concatenate([reading, one.values, reading]),
            )
            for one in watched.curves
        ]
        written = np.concatenate([writing, np.zeros(len(curves[0].values) - seconds)])
        curves.append(curve("tank", Observer.POOL, What.RATE, written, Direction.WRITE))
        assert repeat.application is not None
        return replace(
            repeat,
            application=replace(repeat.application, started=BEGAN + timedelta(seconds=seconds)),
            watched=(replace(watched, started=BEGAN, curves=tuple(curves)),),
        )

    return replace(run, repeats=tuple(map(repeat_of, run.repeats)))


@pytest.mark.parametrize("metric", [Metric.SEQ_READ, Metric.RAND_READ])
def test_that_laying_out_files_before_a_test_neither_disturbs_it_nor_passes_for_the_cache(metric: Metric) -> None:
    run = run_of(bench_test(metric), place_of(), Made(value=typical(metric)))
    plain = judge(record_of((run,), place_of()), {run.test.name: expectation(metric)}).tests[0]
    found = judge(record_of((laid_out_first(run, 90),), place_of()), {run.test.name: expectation(metric)}).tests[0]
    assert (found.judgement, found.marks) == (Judgement.PASSED, ())
    assert found.limiting == plain.limiting


def test_that_a_clock_that_was_set_meanwhile_hides_nothing() -> None:
    run = laid_out_first(run_of(bench_test(), place_of(), Made(value=typical(Metric.SEQ_READ))), 10)
    moved = [
        replace(repeat, application=replace(repeat.application, started=BEGAN - timedelta(days=1)))
        for repeat in run.repeats
        if repeat.application is not None
    ]
    found = while_measured(replace(run, repeats=tuple(moved)))
    assert found.repeats[0].watched == run.repeats[0].watched


@pytest.mark.parametrize(("detail", "is_marked"), [("size", False), ("c", True)])
def test_that_an_arc_that_empties_is_no_disturbance_but_one_that_is_told_to_shrink_is(
    detail: str, *, is_marked: bool
) -> None:
    run = run_of(bench_test(), place_of(), Made(value=typical(Metric.SEQ_READ)))
    falling = curve("ARC", Observer.ARC, What.BYTES, np.linspace(8e9, 1e9, 60), detail=detail)
    kept = [
        replace(each, watched=(replace(each.watched[0], curves=(*each.watched[0].curves, falling)),))
        for each in run.repeats
    ]
    found = judge(
        record_of((replace(run, repeats=tuple(kept)),), place_of()), {run.test.name: expectation(Metric.SEQ_READ)}
    )
    assert any("shrank" in mark for mark in found.tests[0].marks) is is_marked


def test_that_a_disturbed_test_is_marked_and_not_judged() -> None:
    place = place_of()
    test = bench_test(Metric.SEQ_WRITE)
    run = run_of(test, place, Made(value=typical(Metric.SEQ_WRITE)))
    busy = Recorded(
        tool=BenchTool.PROC, where="idle", curves=(curve("cpu", Observer.CPU, What.BUSY, np.full(10, 0.6)),)
    )
    written = Recorded(
        tool=BenchTool.ZPOOL_IOSTAT,
        where="idle",
        curves=(curve("tank", Observer.POOL, What.RATE, np.full(10, 500.0 * MB), Direction.WRITE),),
    )
    for idle, word in ((busy, "processor"), (written, "wrote")):
        found = judge(record_of((run,), place, idle=(idle,)), {test.name: expectation(Metric.SEQ_WRITE)}).tests[0]
        assert found.judgement is Judgement.CANNOT_TELL
        assert word in found.marks[0]
    scrubbed = replace(place, activity="scrub, 12 % done")
    found = judge(record_of((run,), scrubbed), {test.name: expectation(Metric.SEQ_WRITE)}).tests[0]
    assert "scrub" in found.marks[0]


@pytest.mark.parametrize(("autotrim", "disturbed"), [(True, False), (False, True), (None, True)])
def test_that_trims_disturb_a_pool_that_does_not_trim_as_it_goes(autotrim: bool | None, disturbed: bool) -> None:
    place, test = replace(place_of(), autotrim=autotrim), bench_test(Metric.SEQ_WRITE)
    run = run_of(test, place, Made(value=typical(Metric.SEQ_WRITE)))
    waits = curve("tank", Observer.POOL, What.LATENCY, np.full(10, 2.0e6), detail="trim")
    trims = Recorded(tool=BenchTool.ZPOOL_IOSTAT, where="pool", curves=(waits,))
    run = replace(run, repeats=tuple(replace(one, watched=(*one.watched, trims)) for one in run.repeats))
    found = judge(record_of((run,), place), {test.name: expectation(Metric.SEQ_WRITE)}).tests[0]
    assert any("A trim of the pool" in mark for mark in found.marks) == disturbed


def test_that_a_place_without_zfs_is_told_and_not_judged() -> None:
    place = place_of(pool=None, dataset=None, filesystem="ext4", layout=(), properties=())
    place = replace(place, disks=())
    test = bench_test(Metric.SEQ_READ)
    run = run_of(test, place, Made(value=1e9, memory=None))
    told = expected(profile_of(test), design_of(), None, place)
    busy = Recorded(
        tool=BenchTool.PROC, where="idle", curves=(curve("cpu", Observer.CPU, What.BUSY, np.full(10, 0.6)),)
    )
    found = judge(record_of((run,), place, idle=(busy,)), told)
    assert found.judgement is Judgement.CANNOT_TELL
    assert found.sentence.startswith("No verdict: the directory is on ext4"), "what stays is said first"
    assert "processor 60 %" in found.sentence
    assert "Measure in a directory of a pool" in found.tests[0].next_steps[0]


def test_that_a_test_that_never_ended_says_so() -> None:
    place, test = place_of(), bench_test(Metric.SEQ_READ)
    run = run_of(test, place, Made(value=1e9))
    cut = replace(run, repeats=tuple(replace(r, ended=Ended.CANCELLED, why="Cancelled.") for r in run.repeats))
    found = judge(record_of((cut,), place, ended=Ended.CANCELLED), {test.name: expectation(Metric.SEQ_READ)})
    assert found.judgement is Judgement.CANNOT_TELL
    assert found.sentence == "The run was stopped by hand."


def test_that_the_worst_test_gives_the_verdict_on_the_run() -> None:
    place = place_of()
    good = run_of(bench_test(Metric.SEQ_READ), place, Made(value=typical(Metric.SEQ_READ)))
    slow = run_of(bench_test(Metric.SEQ_WRITE), place, Made(value=typical(Metric.SEQ_WRITE) / 20))
    other = run_of(bench_test(None), place, Made(value=1e8))
    told = {run.test.name: expectation(run.test.metric) for run in (good, slow) if run.test.metric}
    found = judge(record_of((good, slow, other), place), told)
    assert found.judgement is Judgement.SLOWER
    assert "Test of seq_write" in found.sentence
    # What no prediction answers says nothing against the others.
    assert judge(record_of((good, other), place), told).judgement is Judgement.PASSED


def test_that_a_slow_disk_is_the_first_reason_and_is_named() -> None:
    found = verdict(Metric.SEQ_READ, Made(value=typical(Metric.SEQ_READ) / 20, slow=3, slower=5.0, busy=0.3))
    assert found.limiting is not None
    assert (found.limiting.factor, found.limiting.serial) == (Factor.ONE_DISK, "SER3")
    assert "one slow disk" in found.reasons[0]


def test_that_a_band_too_wide_to_be_missed_lets_nothing_pass() -> None:
    metric = Metric.RAND_WRITE
    found = verdict(metric, Made(value=typical(metric)))
    assert found.judgement is Judgement.CANNOT_TELL
    assert "Calibrate" in found.next_steps[0]
    run = MeasuredRun(layout=design_of().layout(), metric=metric, value=typical(metric))
    made = run_of(bench_test(metric), place_of(), Made(value=typical(metric)))
    told = {made.test.name: expectation(metric, runs=(run,))}
    assert judge(record_of((made,), place_of()), told).judgement is Judgement.PASSED


def test_that_the_properties_in_force_decide_what_is_foretold() -> None:
    profile = profile_of(bench_test(Metric.SYNC_WRITE), bench_test(Metric.SEQ_WRITE))
    off = expected(profile, design_of(), None, place_of(properties=(("sync", "disabled"),)))
    assert off["sync_write"].estimate is None
    assert "sync=disabled" in off["sync_write"].why
    assert off["seq_write"].estimate is not None
    always = expected(profile, design_of(), None, place_of(properties=(("sync", "always"),)))
    assert always["seq_write"].estimate is None
    old = expected(profile, design_of(), None, place_of(module=ZfsVersion(0, 6, 5)))
    assert old["seq_write"].estimate != off["seq_write"].estimate


@pytest.mark.slow
def test_that_a_run_of_many_tests_is_told_in_a_sentence_that_can_be_read() -> None:
    place = place_of()
    runs = []
    for number in range(1, 31):
        run = run_of(bench_test(), place, Made(value=typical(Metric.SEQ_READ)))
        runs.append(replace(run, test=replace(run.test, name=f"at-{number}", title=f"Read at {number} %")))
    good = run_of(bench_test(Metric.SEQ_WRITE), place, Made(value=typical(Metric.SEQ_WRITE)))
    found = judge(record_of((*runs, good), place), {good.test.name: expectation(Metric.SEQ_WRITE)})
    named = "Read at 1 %, Read at 2 %, Read at 3 %, Read at 4 % and 26 more tests"
    assert found.sentence == f"Cannot be judged: {named}. Nothing was foretold of this test."


def test_that_more_than_the_whole_band_is_told_as_more_than_was_expected() -> None:
    estimate = band(Metric.RAND_READ)
    usual, more = (verdict(Metric.RAND_READ, Made(value=value)) for value in (estimate.typical, 1.5 * estimate.high))
    assert (usual.judgement, more.judgement) == (Judgement.PASSED, Judgement.PASSED)
    assert (judgement_words(usual), judgement_words(more)) == ("as expected", "more than expected")
    place = place_of()
    run = run_of(bench_test(Metric.RAND_READ), place, Made(value=1.5 * estimate.high), 1)
    sentence = judge(record_of((run,), place), {run.test.name: expectation(Metric.RAND_READ)}).sentence
    assert sentence.endswith(
        "In one it gives more than was expected. A band as wide as a factor of 7 rules out gross faults only."
    )


def test_that_a_full_pool_in_use_is_held_against_what_full_pools_give() -> None:
    test = bench_test(Metric.SEQ_READ)
    filler = replace(test, name="fill-85", x=85.0, metric=None)
    profile = profile_of(test, filler, replace(test, name="after"))

    def reads(fill: int, name: str = test.name) -> float:
        estimate = expected(profile, design_of(), None, place_of(fill_percent=fill))[name].estimate
        assert estimate is not None
        return estimate.typical

    assert reads(91) < 0.3 * reads(0)
    assert 0.7 * reads(0) < reads(60) < 0.85 * reads(0)
    assert reads(0, "after") == reads(85)  # as full as the run itself has made it


ZONES = ("outer", "middle", "inner")
USUAL = (240e6, 200e6, 120e6)


def disk(number: int, rates: tuple[float, ...], gb: int = 8000) -> TestRun:
    size = str(int(gb * 1e9 * 0.03) >> 20 << 20)
    jobs = tuple(
        BenchJob(
            name=f"{number}-SER{number}-{zone}",
            options=(("stonewall", "1"), ("filename", f"/dev/disk{number}"), ("size", size)),
        )
        for zone in ZONES
    )
    measured = tuple(
        Measurement(name=job.name, direction=Direction.READ, rate=rate, seconds=5.0)
        for job, rate in zip(jobs, rates, strict=True)
    )
    application = Recorded(tool=BenchTool.FIO, where="fio.json", measured=measured)
    repeat = Repeat(number=1, started=BEGAN, seconds=15.0, ended=Ended.WHOLE, application=application)
    test = BenchTest(name=f"disk-{number}", title=f"ST8000 {number}", jobs=jobs, engine=Engine.SIBLINGS)
    return TestRun(test=test, job_file="", repeats=(repeat,))


def judged(*disks: TestRun) -> RunVerdict:
    return judge(record_of(disks, place_of()), {})


@pytest.mark.parametrize("zone", range(3))
def test_that_a_disk_with_one_slow_zone_is_named_with_its_serial(zone: int) -> None:
    slow = tuple(rate * (0.5 if n == zone else 1.0) for n, rate in enumerate(USUAL))
    verdict = judged(*(disk(n, USUAL) for n in range(1, 5)), disk(5, slow))
    assert verdict.judgement is Judgement.SLOWER
    assert "SER5" in verdict.sentence
    found = verdict.tests[-1].limiting
    assert found is not None
    assert (found.factor, found.serial, found.disk) == (Factor.ONE_DISK, "SER5", "ST8000 5")
    assert any(ZONES[zone] in text for text in found.evidence)
    assert {test.judgement for test in verdict.tests[:-1]} == {Judgement.PASSED}


def test_that_healthy_disks_which_differ_by_a_tenth_pass() -> None:
    verdict = judged(*(disk(n, tuple(rate * (1 + 0.05 * (n - 3)) for rate in USUAL)) for n in range(1, 6)))
    assert {test.judgement for test in verdict.tests} == {Judgement.PASSED}
    assert verdict.sentence.startswith("No disk reads slower")


def test_that_disks_of_another_size_are_no_siblings() -> None:
    flash = [disk(n, (3e9, 3e9, 3e9), gb=960) for n in range(1, 5)]
    verdict = judged(*flash, *(disk(n, USUAL) for n in range(5, 8)))
    assert {test.judgement for test in verdict.tests} == {Judgement.PASSED}


def test_that_the_value_of_a_disk_is_the_mean_of_its_zones_and_not_their_sum() -> None:
    first, *_ = judged(*(disk(n, USUAL) for n in range(1, 4))).tests
    assert first.measured is not None
    assert first.measured.median == pytest.approx(sum(USUAL) / 3)


def test_that_disks_are_not_judged_while_something_else_keeps_the_machine_busy() -> None:
    ms, busy = np.arange(5) * 1000, np.full(5, 0.9)
    cores = TimeCurve(name="all", source=Observer.CPU, what=What.BUSY, ms=ms, values=busy)
    record = record_of((*(disk(n, USUAL) for n in range(1, 5)), disk(5, (50e6, 200e6, 120e6))), place_of())
    idle = Recorded(tool=BenchTool.PROC, where="idle/samples.txt", curves=(cores,))
    verdict = judge(replace(record, idle=(idle,)), {})
    assert {test.judgement for test in verdict.tests} == {Judgement.CANNOT_TELL}
    assert all("processor 90 %" in test.marks[0] for test in verdict.tests)
