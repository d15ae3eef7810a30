"""What is sampled beside a run: the kernel's and the ARC's counters as curves, while they come and afterwards."""

import itertools
import math
import os
import signal
import subprocess
import time
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poolwright.bench.running.run import sampler
from poolwright.domain.errors import UserError
from poolwright.domain.measurement import BenchTool, Direction, Observer, Recorded, TimeCurve, What
from poolwright.machine.fio.live import FioReports
from poolwright.machine.sampler import SamplerReader, read_sampler
from poolwright.machine.samples import Sample
from poolwright.store.read_results import read_result

STAT = "cpu  {u} 0 0 {i} {w} 0 0 0 0 0\ncpu0 {u} 0 0 {i} {w} 0 0 0 0 0\nintr 5\n"
DISKS = "   8 0 sda {r} 0 {rs} {rm} {w} 0 {ws} {wm} 0 {busy} 0 0 0 0 0\n   8 1 sda1 9 9 9 9 9 9 9 9 9 9 9\n"
ARC = "13 1 0x01 123 33456 1 2\nname                            type data\nhits 4 {h}\nmisses 4 {m}\nsize 4 {s}\n"


def told() -> str:
    """Return two readings, a second apart."""
    pieces = []
    for n in (0, 1):
        pieces += [f"@stat - {100 + n}.5", STAT.format(u=100 + 60 * n, i=100 + 30 * n, w=10 * n).rstrip()]
        busy = {"r": 10 + 4 * n, "rs": 100 + 16 * n, "rm": 8 * n, "w": 5, "ws": 50, "wm": 1, "busy": 250 * n}
        pieces += [f"@diskstats - {100 + n}.5", DISKS.format(**busy).rstrip()]
        pieces += [f"@arcstats - {100 + n}.5", ARC.format(h=1000 + 90 * n, m=50 + 10 * n, s=4096).rstrip()]
        pieces += [f"@hwmon drivetemp-sda-temp1 {100 + n}.5", str(31000 + 500 * n)]
    return "\n".join(pieces) + "\n"


def curve(recorded: Recorded, source: Observer, what: What, detail: str = "", name: str | None = None) -> TimeCurve:
    found = [
        c for c in recorded.curves
        if (c.source, c.what, c.detail) == (source, what, detail) and (name is None or c.name == name)
        and c.direction in (None, Direction.READ)
    ]  # fmt: skip
    return found[0]


def test_that_counters_become_what_happened_between_two_readings() -> None:
    (recorded,) = read_result(told().encode(), "samples.txt")
    assert recorded.tool is BenchTool.PROC
    assert curve(recorded, Observer.CPU, What.BUSY, name="cpu0").values.tolist() == [0.6]
    assert curve(recorded, Observer.CPU, What.SHARE, "iowait").values.tolist() == [0.1]
    assert curve(recorded, Observer.DISK, What.RATE).values.tolist() == [16 * 512.0]
    assert curve(recorded, Observer.DISK, What.IOPS).values.tolist() == [4.0]
    assert curve(recorded, Observer.DISK, What.LATENCY, "await").values.tolist() == [2e6]
    assert curve(recorded, Observer.DISK, What.BUSY).values.tolist() == [0.25]
    assert curve(recorded, Observer.ARC, What.SHARE, "hits").values.tolist() == [0.9]
    assert curve(recorded, Observer.TEMPERATURE, What.CELSIUS).values.tolist() == [31.0, 31.5]
    assert {c.name for c in recorded.curves if c.source is Observer.DISK} == {"sda"}  # no partition


def same(one: Iterable[Sample], other: Iterable[Sample]) -> bool:
    return [(s.ms, s.key, s.value) for s in one] == [(s.ms, s.key, s.value) for s in other]


@settings(max_examples=60, deadline=None)
@given(cuts=st.lists(st.integers(0, len(told())), max_size=12))
def test_that_it_does_not_matter_where_the_stream_is_cut(cuts: list[int]) -> None:
    data, whole, pieces = told().encode(), SamplerReader(), SamplerReader()
    places = [0, *sorted(cuts), len(data)]
    found = [s for a, b in itertools.pairwise(places) for s in pieces.feed(data[a:b])]
    assert same((*found, *pieces.end()), (*whole.feed(data), *whole.end()))


@settings(max_examples=100, deadline=None)
@given(end=st.integers(0, len(told())), at=st.integers(0, len(told())), noise=st.binary(max_size=8))
def test_that_a_cut_or_broken_stream_tells_what_is_whole_in_it(end: int, at: int, noise: bytes) -> None:
    data = told().encode()
    broken = data[:at] + noise + data[at:end]
    reader = SamplerReader()
    for sample in (*reader.feed(broken), *reader.end()):
        assert not math.isinf(sample.value)


@pytest.mark.parametrize("jump", [-3600, -2, 7200])
def test_that_a_clock_that_is_set_under_a_run_tears_no_curve(jump: int) -> None:
    text = ""
    for n in range(6):
        moment = 10_000 + n + (jump if n > 2 else 0)
        text += f"@stat - {moment}.5\n{STAT.format(u=100 + 60 * n, i=100 + 30 * n, w=10 * n)}"
    (recorded,) = read_sampler(text.encode(), where="samples.txt")
    busy = curve(recorded, Observer.CPU, What.BUSY)
    assert list(busy.ms) == [0, 1000, 2000, 3000, 4000]
    assert list(busy.values) == [pytest.approx(0.6)] * 5


def test_that_one_reading_alone_tells_no_rate() -> None:
    first = told().partition("@stat - 101")[0]
    (recorded,) = read_sampler(first.encode(), where="x")
    assert not recorded.curves
    with pytest.raises(UserError, match="nothing from the sampler"):
        read_sampler(b"@stat - 1.0\ncpu 1 2 3\n", where="x")


@pytest.mark.slow
def test_that_the_sampler_of_this_machine_tells_its_cores(tmp_path: Path) -> None:
    command = sampler(str(tmp_path), None)
    with subprocess.Popen(command.argv, stdout=subprocess.PIPE, start_new_session=True) as child:
        try:
            assert child.stdout is not None
            reader, found, until = SamplerReader(), list[Sample](), time.monotonic() + 10
            while (
                not any(s.key.what is What.BUSY and s.key.source is Observer.CPU for s in found)
                and time.monotonic() < until
            ):
                found += reader.feed(os.read(child.stdout.fileno(), 1 << 16))
        finally:
            os.killpg(child.pid, signal.SIGKILL)
    shares = [s.value for s in found if s.key.source is Observer.CPU and s.key.what is not What.COUNT]
    assert shares
    assert all(0 <= share <= 1 for share in shares)


def report(ms: int, written: int, ios: int) -> bytes:
    took = f'"clat_ns": {{"mean": 1.0, "N": {ios}}}, "lat_ns": {{"mean": 1000.0, "N": {ios}}}'
    write = f'{{"runtime": {ms}, "io_bytes": {written}, "total_ios": {ios}, {took}}}'
    return f'{{\n"fio version": "fio-3.36",\n"jobs": [{{"jobname": "a", "write": {write}}}]\n}}\n'.encode()


def test_that_running_averages_of_fio_become_the_rate_of_each_second() -> None:
    reader = FioReports()
    assert reader.feed(b"fio: something\n" + report(1000, 1000, 10)[:40]) == ()
    first = reader.feed(report(1000, 1000, 10)[40:])
    second = reader.feed(report(2000, 5000, 30))
    assert {s.key.what: s.value for s in first} == {What.RATE: 1000.0, What.IOPS: 10.0, What.LATENCY: 1000.0}
    assert {s.key.what: s.value for s in second} == {What.RATE: 4000.0, What.IOPS: 20.0, What.LATENCY: 1000.0}
    assert reader.feed(report(2000, 5000, 30)) == ()  # ended: it reports the same again
