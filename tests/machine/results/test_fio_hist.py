"""Logs of fio's histograms: real ones of several versions, held against what fio itself says of the same run."""

import json
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from poolwright.domain.errors import UserError
from poolwright.domain.latency import Direction, Latency, Measurement
from poolwright.machine.fio.hist import read_fio_hist
from poolwright.store.read_results import read_result

FILES = sorted((Path(__file__).parents[4] / "shared" / "corpus" / "fio_logs").glob("*hist*"))


def only(data: bytes, name: str = "x_clat_hist.1.log") -> Measurement:
    (recorded,) = read_result(data, name)
    (measured,) = recorded.measured
    return measured


def completion(measured: Measurement) -> Latency:
    assert measured.completion is not None
    return measured.completion


def row(bins: int, *counted: tuple[int, int]) -> bytes:
    counts = [0] * bins
    for place, count in counted:
        counts[place] = count
    return f"500, 0, 4096, {', '.join(map(str, counts))}\n".encode()


@pytest.mark.skipif(not FILES, reason="the collection of real files is not here")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_that_each_operation_of_a_real_log_is_counted(path: Path) -> None:
    data = path.read_bytes()
    rows = [[int(field) for field in line.split(b",")] for line in data.splitlines()]
    measured = only(data, path.name)
    assert {row[1] for row in rows} == {list(Direction).index(measured.direction)}
    assert completion(measured).count == sum(sum(row[3:]) for row in rows)
    assert {row[2] for row in rows} == {measured.block_bytes}


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("fio") is None, reason="fio is not installed")
@pytest.mark.parametrize("coarseness", [0, 3])
def test_that_the_bins_are_those_that_fio_itself_tells_of_the_run(tmp_path: Path, coarseness: int) -> None:
    words = (
        "--name=x --rw=randrw --bs=4k --size=4m --time_based --runtime=1 --write_hist_log=x --log_hist_msec=200 "
        f"--log_hist_coarseness={coarseness} --output-format=json+ --output=x.json"
    )
    subprocess.run(["fio", *words.split()], cwd=tmp_path, check=True, capture_output=True)
    (job,) = json.loads((tmp_path / "x.json").read_text())["jobs"]
    (recorded,) = read_result((tmp_path / "x_clat_hist.1.log").read_bytes(), "x_clat_hist.1.log")
    assert {one.direction for one in recorded.measured} == {Direction.READ, Direction.WRITE}
    for measured in recorded.measured:
        told = {int(ns): count for ns, count in job[measured.direction.value]["clat_ns"]["bins"].items()}
        edges = [edge for edge, _ in completion(measured).histogram]
        most = Counter[int]()
        for ns, count in told.items():
            most[next((edge for edge in edges if edge >= ns), 0)] += count
        # The last window is in the report alone.
        assert all(count <= most[edge] for edge, count in completion(measured).histogram)
        if not coarseness:
            assert set(edges) <= set(told)


@pytest.mark.parametrize(
    ("bins", "place", "ns"),
    [(1856, 7, 7), (1856, 128, 129), (1856, 191, 255), (1856, 192, 258), (928, 3, 7), (1216, 7, 7000), (608, 3, 7000)],
    ids=["fio 3", "two in a bin", "its last", "four in a bin", "fio 3, coarse", "fio 2", "fio 2, coarse"],
)
def test_that_a_bin_has_the_time_that_fio_gives_it(bins: int, place: int, ns: int) -> None:
    assert completion(only(row(bins, (place, 5)))).histogram == ((ns, 5),)


def test_that_rows_of_another_kind_are_passed_over_and_told() -> None:
    data = row(1856, (7, 5)) + row(1216, (7, 5)) + b"torn\n500, 9, 4096, 1\n" + row(1856, (8, 1))
    (recorded,) = read_fio_hist(data, where="x_clat_hist.1.log")
    assert completion(recorded.measured[0]).count == 6
    assert any("3 rows" in note for note in recorded.notes)


def test_that_a_log_without_a_row_is_refused() -> None:
    with pytest.raises(UserError, match="no row of a log of histograms"):
        read_result(b"1001, 0, 16384, 0, 0, 2\n", "x_clat_hist.1.log")
