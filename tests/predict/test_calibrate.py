"""Runs on a host adapt the prediction and narrow its band."""

import pytest

from poolwright.domain.errors import UserError
from poolwright.domain.units import MIB
from poolwright.domain.vdev import VdevKind, parse_spec
from poolwright.predict.measured_runs import NO_RUNS, Calibration, Metric, make_run, read_runs
from poolwright.predict.media import disk_rates
from poolwright.predict.speed import SpeedPrediction, predict_speed

DISK = disk_rates(read_bytes_per_second=160.0 * MIB, write_bytes_per_second=130.0 * MIB)
HEAD = "vdevs,metric,value\n"


def of(spec: str, runs: str = "", count: int = 1) -> SpeedPrediction:
    calibration = Calibration(runs=read_runs(HEAD + runs)) if runs else NO_RUNS
    return predict_speed((parse_spec(spec),) * count, disks=DISK, calibration=calibration)


def width(prediction: SpeedPrediction, name: str) -> float:
    estimate = getattr(prediction, name)
    return float(estimate.high / estimate.low)


def test_that_a_run_is_met_and_its_band_is_much_narrower() -> None:
    runs = "stripe:24x6TB,seq_write,2882MiB/s\nstripe:24x6TB,seq_read,3052MiB/s\n"
    before, after = of("stripe:24x6TB"), of("stripe:24x6TB", runs)
    assert after.seq_write.typical == pytest.approx(2882 * MIB, rel=0.07)
    assert after.seq_read.typical == pytest.approx(3052 * MIB, rel=0.05)
    for name in ("seq_write", "seq_read"):
        assert width(after, name) < 0.5 * width(before, name)
        assert "adapted to this host by its runs" in getattr(after, name).origin.source


def test_that_a_slow_host_is_learned_from_one_run_and_holds_other_pools_too() -> None:
    slow = "stripe:12x6TB,seq_read,500MiB/s\n"
    before, after = of("raidz2:8x6TB", count=2), of("raidz2:8x6TB", slow, count=2)
    assert after.seq_read.typical < 0.6 * before.seq_read.typical
    assert after.seq_write.typical < before.seq_write.typical
    assert "calibrated" in after.seq_read.limit
    assert "by its runs" in after.seq_write.origin.source
    assert of("stripe:1x6TB", slow).seq_read.typical > 130 * MIB


def test_that_a_pool_far_larger_than_the_runs_is_called_extrapolated() -> None:
    found = of("stripe:24x6TB", "stripe:4x6TB,seq_read,600MiB\n")
    assert "6.0 times the data disks" in " ".join(found.extrapolations)
    assert not of("stripe:8x6TB", "stripe:4x6TB,seq_read,600MiB\n").extrapolations


def test_that_runs_of_operations_adapt_operations() -> None:
    before = of("raidz2:8x6TB")
    runs = "".join(
        f"raidz2:8x6TB,{name},{2 * getattr(before, name).typical}\n"
        for name in ("rand_read_iops", "rand_write_iops", "sync_write_iops")
    )
    after = of("raidz2:8x6TB", runs)
    for name in ("rand_read_iops", "rand_write_iops", "sync_write_iops"):
        assert 1.5 < getattr(after, name).typical / getattr(before, name).typical < 2
        assert width(after, name) < width(before, name)
    assert after.seq_read == before.seq_read


def test_that_several_vdevs_stand_in_one_cell_in_any_of_the_usual_ways() -> None:
    cells = [
        "raidz2:8x6TB raidz2:8x6TB",
        "2*raidz2:8x6TB",
        "raidz2:8x6TB;raidz2:8x6TB",
        "raidz2:8x6TB + raidz2:8x6TB",
        '"raidz2:8x6TB,raidz2:8x6TB"',
    ]
    runs = read_runs(HEAD + "".join(f"{cell},seq_read,1GB/s\n" for cell in cells))
    assert {run.layout for run in runs} == {(parse_spec("raidz2:8x6TB"),) * 2}
    mixed = read_runs(HEAD + '"raidz1:1TB,1TB,2TB",seq_write,1e8\n')[0]
    assert (mixed.layout[0].kind, mixed.layout[0].width) == (VdevKind.RAIDZ, 3)
    assert (mixed.metric, mixed.value) == (Metric.SEQ_WRITE, 1e8)


def test_that_further_columns_are_passed_over_and_sizes_and_clients_are_read() -> None:
    head = "\ufeffnote,value, metric,vdevs,recordsize,clients,blocksize\n"
    text = head + "mine,1GB/s,seq_read,stripe:8x6TB,1M,3,4K\n,1GB/s,seq_read,stripe:8x6TB,\n"
    first, second = read_runs(text)
    assert (first.record_bytes, first.clients, first.request_bytes) == (1 << 20, 3, 4 << 10)
    assert (second.record_bytes, second.clients, second.request_bytes) == (128 << 10, None, None)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("", "column"),
        ("vdevs,metric\nstripe:1x6TB,seq_read\n", "column"),
        (HEAD, "no run"),
        (HEAD + "stripe:1x6TB,speed,1GB/s\n", "line 2"),
        (HEAD + "stripe:1x6TB,seq_read,1GB/s\nraidz9:3x6TB,seq_read,1GB/s\n", "line 3"),
        (HEAD + "stripe:1x6TB,seq_read,160\n", "unit"),
        (HEAD + "stripe:1x6TB,seq_read\n", "line 2"),
        (HEAD + "spare/stripe:1x6TB,seq_read,1GB/s\n", "needs a data vdev"),
        (HEAD + "stripe:1x6TB,rand_read_iops,-3\n", "above 0"),
        (HEAD + "999999999*stripe:1x6TB,seq_read,1GB/s\n", "out of range"),
        (HEAD + "stripe:1x6TB,seq_read,1GB/s\n" * 1001, "“1002” is out of range"),
    ],
)
def test_that_bad_runs_are_refused_with_their_place(text: str, word: str) -> None:
    with pytest.raises(UserError, match=word):
        read_runs(text)


@pytest.mark.parametrize("rate", ["100kB/s", "900TB/s"])
def test_that_absurd_runs_still_end_in_finite_numbers(rate: str) -> None:
    run = make_run("stripe:8x6TB", "seq_read", rate, where="test")
    found = predict_speed((parse_spec("raidz2:8x6TB"),), disks=DISK, calibration=Calibration(runs=(run,)))
    assert 0 < found.seq_read.low < found.seq_read.typical < found.seq_read.high < 1e18


@pytest.mark.parametrize("metric", ["seq_read", "seq_write"])
@pytest.mark.parametrize("share", [0.02, 0.1, 0.35, 0.5, 0.7, 1.0, 1.3, 1.6])
@pytest.mark.parametrize("spec", ["stripe:1x6TB", "mirror:2x6TB", "raidz2:6x6TB", "raidz2:12x6TB"])
def test_that_a_run_lies_in_the_band_it_leaves_however_far_from_what_was_expected(
    spec: str, share: float, metric: str
) -> None:
    value = share * getattr(of(spec), metric).typical
    after = getattr(of(spec, f"{spec},{metric},{value / MIB}MiB/s\n"), metric)
    assert after.low <= value <= after.high
