"""A run is one file that comes back whole; what is no such file, or was made to do harm, is refused."""

import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest
from tests.bench.profiles.places import ON_ZFS

from poolwright.bench.profiles.catalogue import find_built_in, make_profile
from poolwright.bench.record import Ended, Repeat, RunRecord, TestRun, job_text
from poolwright.bench.run_file import read_run, run_archive
from poolwright.domain.errors import UserError
from poolwright.domain.measurement import BenchTool, Observer, Recorded, TimeCurve, What

NOW = datetime(2026, 11, 23, 10, 30, tzinfo=UTC)
CURVE = TimeCurve(
    name="sda", source=Observer.DISK, what=What.BUSY, ms=np.array([0, 1000]), values=np.array([0.5, np.nan])
)


def made_record() -> RunRecord:
    profile = make_profile(find_built_in("patterns"), ON_ZFS)
    files = (("errors.txt", b"\x00\xff raw"), ("log_bw.1.log", b"500, 1, 0, 0, 0\n"))
    repeat = Repeat(number=1, started=NOW, seconds=31.25, ended=Ended.WHOLE, files=files)
    failed = replace(repeat, number=2, ended=Ended.FAILED, why="The directory is full. “ü”", files=())
    idle = Recorded(tool=BenchTool.PROC, where="idle/samples.txt", curves=(CURVE,), facts=(("load", 0.25),))
    runs = tuple(TestRun(test=test, job_file=job_text(test, 1), repeats=(repeat, failed)) for test in profile.tests)
    return RunRecord(
        name="Before the change", started=NOW, seconds=130.5, ended=Ended.FAILED, why="full", profile=profile,
        place=ON_ZFS, tests=runs, idle=(idle,), design='{"a": 1}', seed=7, program="1.0",
    )  # fmt: skip


def test_that_a_run_comes_back_whole_with_its_raw_output_and_curves() -> None:
    record = made_record()
    found = read_run(run_archive(record), where="run.zip")
    assert found == record
    assert found.tests[0].repeats[0].files == record.tests[0].repeats[0].files
    (curve,) = found.idle[0].curves
    assert curve.values.dtype == np.float64
    assert np.array_equal(curve.values, CURVE.values, equal_nan=True)
    assert read_run(run_archive(found), where="again.zip") == record
    assert read_run(described(b'"arc_most_bytes"', b'"arc_bytes": 1, "arc_most_bytes"'), where="older.zip") == record


def test_that_the_archive_can_be_opened_without_the_program() -> None:
    with zipfile.ZipFile(io.BytesIO(run_archive(made_record()))) as archive:
        names = archive.namelist()
        assert {"run.json", "1/job.fio", "1/1/log_bw.1.log"} <= set(names)
        assert b"rw=write" in archive.read("1/job.fio")
        assert json.loads(archive.read("run.json"))["run"]["place"]["pool"] == "tank"


def repacked(change: Callable[[str, bytes], tuple[str, bytes]]) -> bytes:
    packed = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(run_archive(made_record()))) as archive,
        zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as other,
    ):
        for name in archive.namelist():
            other.writestr(*change(name, archive.read(name)))
    return packed.getvalue()


def described(old: bytes, new: bytes) -> bytes:
    return repacked(lambda name, data: (name, data.replace(old, new) if name == "run.json" else data))


@pytest.mark.parametrize(
    "data",
    [
        b"", b"PK\x03\x04", run_archive(made_record())[:-40], repacked(lambda n, d: (n.replace("run.json", "x"), d)),
        repacked(lambda n, d: (n.replace("1/1/", "../../"), d)), repacked(lambda n, d: ("/etc/" + n, d)),
        described(b'"seconds": 130.5', b'"seconds": {}'), described(b'"ended": "failed"', b'"ended": "never"'),
        described(b'"kind"', b'"kinds"'), described(b'"schema": 1', b'"schema": 2'),
        described(b'"seed": 7', b'"seed": 7, "more": 1'), described(b"{", b"["),
    ],
)  # fmt: skip
def test_that_what_is_no_run_is_refused(data: bytes) -> None:
    with pytest.raises(UserError):
        read_run(data, where="run.zip")


def test_that_an_archive_that_swells_is_not_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("poolwright.bench.run_file._MOST_BYTES", 1000)
    with pytest.raises(UserError, match="larger than"):
        read_run(run_archive(made_record()), where="run.zip")
