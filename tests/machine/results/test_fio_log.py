"""Logs of fio, each row against a plain reading of it. Real files are skipped where they are absent."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolwright.domain.errors import UserError
from poolwright.domain.measurement import BenchTool, Direction, Observer, Recorded, TimeCurve, What
from poolwright.machine.fio import log as rows_module
from poolwright.machine.fio.log import number_rows, read_fio_log, together
from poolwright.store.read_results import read_result

CORPUS = Path(__file__).parents[4] / "shared" / "corpus" / "fio_logs"
FILES = sorted(CORPUS.iterdir()) if CORPUS.is_dir() else []
UNITS = {"bw": 1024, "iops": 1, "clat": 1, "slat": 1, "lat": 1}


def read(text: str, name: str = "job_lat.1.log") -> Recorded:
    (recorded,) = read_fio_log(text.encode(), where=name)
    return recorded


@pytest.mark.skipif(not FILES, reason="the collection of real files is not here")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_that_each_row_of_a_real_log_is_on_its_curve(path: Path) -> None:
    data = path.read_bytes()
    if "hist" in path.name:
        with pytest.raises(UserError, match="write_hist_log is not read"):
            read_result(data, path.name)
        return
    (recorded,) = read_result(data, path.name)
    if not data:
        assert not recorded.curves
        return
    unit = UNITS[path.name.split("_")[-1].split(".")[0]]
    rows = [[int(field) for field in line.split(",")] for line in data.decode().splitlines()]
    for place, direction in enumerate(Direction):
        mine = [(row[0], float(row[1] * unit)) for row in rows if row[2] == place]
        read = [
            (ms, value)
            for curve in recorded.curves
            if curve.direction is direction
            for ms, value in zip(curve.ms.tolist(), curve.values.tolist(), strict=True)
        ]
        assert read == sorted(mine, key=lambda row: row[0])
    assert all("of fio 2 all times" in note and len(rows[0]) == 4 for note in recorded.notes)


@pytest.mark.parametrize(
    "rest", ["", ", 4096", ", 4096, 0", ", 4096, 8192, 0", ", 4096, 8192, 0x4001", ", 4096, 1, 2, 3"]
)
def test_that_every_number_of_columns_reads_alike(rest: str) -> None:
    recorded = read(f"1, 1234567890123, 0{rest}\n2, 5, 1{rest}\n30, 7, 0{rest}\n")
    first, second = recorded.curves
    assert (first.direction, first.ms.tolist(), first.values.tolist()) == (Direction.READ, [1, 30], [1234567890123, 7])
    assert (second.direction, second.values.tolist()) == (Direction.WRITE, [5])
    assert (first.what, first.detail, first.name) == (What.LATENCY, "lat", "job 1")


def test_that_of_average_and_most_the_average_is_taken() -> None:
    assert read("500, 40, 90, 1, 0, 0, 0\n1000, 41, 91, 1, 0, 0, 0\n").curves[0].values.tolist() == [40, 41]


def test_that_each_job_in_one_file_has_a_curve_of_its_own() -> None:
    recorded = read("500, 1, 0, 0\n1000, 2, 0, 0\n500, 3, 0, 0\n1000, 4, 0, 0\n", "all_iops.log")
    assert [(curve.name, curve.values.tolist()) for curve in recorded.curves] == [
        ("all #1", [1, 2]),
        ("all #2", [3, 4]),
    ]


def test_that_operations_written_down_out_of_order_are_put_in_order() -> None:
    (curve,) = read("10, 1, 0, 0\n12, 2, 0, 0\n11, 3, 0, 0\n").curves
    assert (curve.ms.tolist(), curve.values.tolist()) == ([10, 11, 12], [1, 3, 2])


def test_that_times_since_1970_begin_at_nothing_and_tell_when_it_was() -> None:
    recorded = read("1795160000500, 1, 0, 0\n1795160001000, 2, 0, 0\n")
    assert recorded.curves[0].ms.tolist() == [0, 500]
    assert recorded.started is not None
    assert recorded.started.year == 2026


def test_that_rows_unlike_the_others_are_passed_over_and_told() -> None:
    recorded = read("1, 2, 0, 0\nfio: terminating\n3, -4, 0, 0\n5, 6, 0, 0\n7, 8")
    assert recorded.curves[0].ms.tolist() == [1, 5]
    assert "3 lines" in recorded.notes[0]


def test_that_a_log_whose_name_does_not_tell_what_it_holds_is_refused() -> None:
    with pytest.raises(UserError, match="only by its name"):
        read("1, 2, 0, 0\n", "some.log")
    with pytest.raises(UserError, match="nothing from fio"):
        read("1, 2, 9, 0\n")


FIELD = st.one_of(st.integers(0, 10**16 - 1).map(str), st.sampled_from(["", "-1", "1.5", "x", "0x1", " 7", "1" * 17]))
LINES = st.lists(st.lists(FIELD, min_size=1, max_size=4).map(", ".join), max_size=30)


@given(lines=LINES, size=st.integers(8, 64), ending=st.sampled_from(["", "\n"]))
def test_that_rows_are_the_same_at_once_and_one_by_one(lines: list[str], size: int, ending: str) -> None:
    data = ("\n".join(["1, 2, 3", *lines]) + ending).encode()
    expected = []
    for line in data.decode().split("\n"):
        fields = [field.strip() for field in line.split(",")]
        if len(fields) == 3 and all(field.isdigit() and len(field) <= 16 for field in fields[:2]):
            expected.append([int(field) for field in fields[:2]])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rows_module, "_SLICE", size)
        columns, _ = number_rows(data, (0, 1))
    assert np.stack(columns, axis=1).tolist() == expected


def test_that_a_log_of_a_client_is_read() -> None:
    (recorded,) = read_result(b"500, 7, 1, 0\n", "x_bw.1.log.10.0.0.1")
    assert recorded.curves[0].values.tolist() == [7 * 1024]


def test_that_a_log_that_begins_with_a_blank_line_or_a_short_one_is_read_or_refused() -> None:
    (recorded,) = read_fio_log(b"\n500, 100, 0, 4096\n1000, 110, 0, 4096\n", where="x_bw.1.log")
    assert recorded.curves[0].ms.tolist() == [500, 1000]
    with pytest.raises(UserError, match="nothing from fio"):
        read_fio_log(b"12\n500, 100, 0, 4096\n", where="x_bw.1.log")


def test_that_an_empty_log_of_submissions_is_no_failure() -> None:
    (recorded,) = read_result(b"", "randread_slat.1.log")
    assert "synchronous" in recorded.notes[0]
    with pytest.raises(UserError, match="empty"):
        read_result(b"", "randread_clat.1.log")


def test_that_a_latency_log_that_fio_2_may_have_written_tells_what_its_numbers_may_be() -> None:
    """A fifth column came with fio 3.18; before that nothing tells microseconds of fio 2 from nanoseconds of fio 3."""
    assert "of fio 2 all times" in read("500, 40, 0, 4096\n", "a_clat.1.log").notes[0]
    assert read("500, 600000, 0, 4096\n", "a_clat.1.log").notes == ()  # no operation took longer than the run
    assert read("500, 40, 0, 4096, 0, 0\n", "a_clat.1.log").notes == ()
    assert read("500, 40, 0, 4096\n", "a_bw.1.log").notes == ()


# Logs of several jobs as one application.


def log(what: What, ms: list[int], values: list[float], detail: str = "") -> Recorded:
    curve = TimeCurve(
        name="job", source=Observer.APPLICATION, what=what, ms=np.array(ms), values=np.array(values),
        direction=Direction.WRITE, detail=detail,
    )  # fmt: skip
    return Recorded(tool=BenchTool.FIO, where="x", curves=(curve,))


def test_that_rates_of_jobs_are_summed_where_their_steps_are_the_same() -> None:
    logs = [log(What.RATE, [500, 1001, 1502], [10.0, 20.0, 30.0]), log(What.RATE, [499, 1000], [1.0, 2.0])]
    (rate,) = together(logs, 500)
    assert rate.ms.tolist() == [500, 1000, 1500]
    assert rate.values.tolist() == [11.0, 22.0, 30.0]


def test_that_a_step_that_a_job_tells_twice_counts_once() -> None:
    (rate,) = together([log(What.RATE, [990, 1010, 1500], [10.0, 20.0, 5.0])], 500)
    assert rate.values.tolist() == [15.0, 5.0]


def test_that_latencies_are_averaged_and_the_whole_one_counts() -> None:
    logs = [
        log(What.LATENCY, [500], [100.0], "lat"),
        log(What.LATENCY, [500], [300.0], "lat"),
        log(What.LATENCY, [500], [9.0], "slat"),
    ]
    (latency,) = together(logs, 500)
    assert latency.values.tolist() == [200.0]
