"""fio's text for people and for scripts, against what it says as JSON of the same run. Real files may be absent."""

import shutil
import subprocess
from pathlib import Path

import pytest
from tests.cases import table

from poolwright.domain.errors import UserError
from poolwright.domain.measurement import Direction, Measurement
from poolwright.machine.fio.results import read_fio_json, read_fio_text
from poolwright.store.read_results import read_result

CORPUS = Path(__file__).parents[4] / "shared" / "corpus" / "fio_text"
FILES = sorted(CORPUS.iterdir()) if CORPUS.is_dir() else []
LISTING: str = table(__file__, "listing")


def text_and_json(output: str) -> tuple[list[Measurement], list[Measurement]]:
    begin, end = output.index("\n{\n"), output.index("\n}\n") + 3
    (read,) = read_fio_text((output[:begin] + "\n" + output[end:]).encode(), where="text")
    (told,) = read_fio_json(output.encode(), where="json")
    return list(read.measured), list(told.measured)


def hold_alike(output: str) -> None:
    """Hold the text of a run against its JSON: as near as three digits are, which is what the text prints."""
    read, told = text_and_json(output)
    assert [(one.name, one.direction, one.block_bytes) for one in read] == [
        (one.name, one.direction, one.block_bytes) for one in told
    ]
    for one, other in zip(read, told, strict=True):
        assert one.seconds == other.seconds
        for name in ("bytes", "rate", "iops"):
            assert getattr(one, name) == pytest.approx(getattr(other, name), rel=0.006), name
        assert one.completion is not None
        assert other.completion is not None
        assert one.completion.mean_ns == pytest.approx(other.completion.mean_ns, rel=0.01)
        exact = dict(other.completion.percentiles)
        for percent, ns in one.completion.percentiles:
            assert ns == pytest.approx(exact[percent], rel=0.05, abs=1000)


@pytest.mark.skipif(not FILES, reason="the collection of real files is not here")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_that_each_real_text_reads_and_says_what_its_json_says(path: Path) -> None:
    output = path.read_text()
    if "mixed" in path.name:
        hold_alike(output)
    elif output.startswith("fio: unrecognized") or "terse" in path.name:
        with pytest.raises(UserError, match=r"unrecognized option|is not read"):
            read_result(output.encode(), path.name)
    else:
        (recorded,) = read_result(output.encode(), path.name)
        assert f"fio-{recorded.version}_" in path.name
        assert all(one.rate and one.iops and one.seconds and one.completion for one in recorded.measured)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("fio") is None, reason="fio is not installed")
def test_that_a_run_here_says_the_same_in_both_forms(tmp_path: Path) -> None:
    job = ["--name=job", "--rw=randrw", "--bs=8k", "--size=4m", "--number_ios=600", "--ioengine=psync"]
    output = subprocess.run(
        ["fio", *job, "--output-format=normal,json"], cwd=tmp_path, capture_output=True, text=True, check=True
    ).stdout
    hold_alike(output)


def test_that_the_listing_of_the_thesis_reads_with_the_numbers_of_its_lines_between() -> None:
    (recorded,) = read_result(LISTING.encode(), "listing 7")
    (one,) = recorded.measured
    assert (one.name, one.direction, one.pattern, one.block_bytes) == ("test.file", Direction.WRITE, "write", 4096)
    assert (one.bytes, one.rate, one.iops, one.seconds) == (51200 << 10, 219742 << 10, 54935, 0.233)
    assert one.completion is not None
    assert one.completion.mean_ns == pytest.approx(15590)
    assert dict(one.completion.percentiles)[99.99] == 57000
    assert (recorded.version, one.cpu_user, one.jobs) == ("2.1.3", 15.09, 1)


REPORT: str = table(__file__, "report")


def test_that_reports_on_the_way_are_not_taken_for_results() -> None:
    (recorded,) = read_result(REPORT.encode(), "status-interval.txt")
    (one,) = recorded.measured
    assert (one.name, one.seconds, one.rate) == ("a", 2.0, 40 << 20)
    assert "One earlier report is left out" in recorded.notes[0]


def test_that_a_last_report_that_was_cut_off_does_not_hide_the_one_before() -> None:
    (recorded,) = read_result(REPORT[: REPORT.rindex("  read:")].encode(), "cut.txt")
    assert [one.seconds for one in recorded.measured] == [1.0]


def test_that_runs_of_one_name_one_after_the_other_are_all_results() -> None:
    (recorded,) = read_result((REPORT + REPORT.replace("pid=77", "pid=78")).encode(), "twice.txt")
    assert [one.seconds for one in recorded.measured] == [2.0, 2.0]


def test_that_a_job_of_a_client_is_called_by_its_name_and_its_sum_has_a_rate() -> None:
    told = "<nas1> " + REPORT.replace(
        "a: (groupid=0, jobs=1): err= 0: pid=77: Thu Nov 26 13:55:29",
        "All clients: (groupid=0, jobs=2): err= 0: pid=0: Thu Nov 26 13:55:29",
    ).replace("BW=40.0MiB/s (41.9MB/s)", "BW=40.0Mi (41.9M)")
    (recorded,) = read_result(told.encode(), "client.txt")
    assert [(one.name, one.pattern, one.rate) for one in recorded.measured] == [
        ("a", "randrw", 80 << 20),
        ("All clients", None, 40 << 20),
    ]


@pytest.mark.parametrize(
    ("printed", "rate", "moved"),
    [
        ("BW=376Mibit/s (394Mbit/s)(94.0MiB/2000msec)", 47 << 20, 94 << 20),
        ("BW=50.9MB/s (48.5MiB/s)(102MB/2000msec)", 50_900_000, 102_000_000),
        ("BW=48.5MiB/s (50.9MB/s)(97.0MiB/2000msec)", 48.5 * (1 << 20), 97 << 20),
    ],
)
def test_that_bits_and_thousands_are_read_as_what_they_are(printed: str, rate: float, moved: int) -> None:
    (recorded,) = read_result(REPORT.replace("BW=40.0MiB/s (41.9MB/s)(80.0MiB/2000msec)", printed).encode(), "u.txt")
    (one,) = recorded.measured
    assert one.rate == pytest.approx(rate)
    assert one.bytes == moved


def test_that_what_both_ways_did_together_is_neither_lost_nor_taken_for_one_of_them() -> None:
    (only,) = read_result(REPORT.replace("  read:", "  mixed:").encode(), "mixed.txt")
    assert [(one.direction, one.rate) for one in only.measured] == [(Direction.MIXED, 40 << 20)]
    once_more = "  mixed: IOPS=0, BW=0 (0)(0B/2000msec)\n    clat (nsec): min=1, max=7, avg=99.00, stdev=1.0\n"
    (both,) = read_result((REPORT + once_more).encode(), "both.txt")
    assert [(one.direction, one.completion and one.completion.mean_ns) for one in both.measured] == [
        (Direction.READ, 20000.0)
    ]


@pytest.mark.parametrize("head", ["2", "3;fio-3.33", "5;fio-3.33"])
def test_that_the_terse_line_is_refused_and_what_is_read_is_named(head: str) -> None:
    with pytest.raises(UserError, match="fio terse is not read; fio --output-format=json is"):
        read_result(f"{head};a job;0;0;8192;4096;512;2000;1;9\n".encode(), "terse")
