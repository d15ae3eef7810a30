"""The built-in profiles: what each asks, whether fio takes it, and that it costs no more than was said."""

import json
import shutil
import subprocess
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.bench.profiles.places import ELSEWHERE, ON_ZFS, place
from tests.emit.pretend import small_design

from poolwright.bench.profiles.access import BenchWishes
from poolwright.bench.profiles.catalogue import BUILT_IN, effort_of, find_built_in, make_profile, writes
from poolwright.bench.record import BenchTest, Engine, Profile, job_text
from poolwright.domain.design import Design, FurtherPool
from poolwright.domain.disk import Disk
from poolwright.domain.errors import Refusal
from poolwright.domain.units import GIB, MIB, TIB
from poolwright.domain.vdev import VdevKind
from poolwright.domain.workload import Goal, Workload
from poolwright.table_library import load_shipped_tables

STEPS = BenchWishes(steps=True)


def made(name: str, wishes: BenchWishes = STEPS, **changes: Any) -> Profile:
    return make_profile(find_built_in(name), place(ON_ZFS, **changes), design(), wishes)


def design() -> Design:
    workload = Workload(goal=Goal.CONCURRENT, read_percent=70, sync_write_percent=30, io_size_bytes=16384, clients=2)
    return small_design(workload=workload)


def options(test: BenchTest) -> dict[str, str]:
    return dict(test.options) | dict(test.jobs[0].options)


def fio() -> str:
    found = shutil.which("fio")
    if found is None:
        pytest.skip("fio is not installed")
    return found


def run_fio(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([fio(), *arguments], cwd=folder, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.parametrize("name", [known.name for known in BUILT_IN])
def test_that_each_profile_has_a_question_a_table_that_exists_and_tests_of_different_names(name: str) -> None:
    profile = made(name)
    assert profile.question.endswith((".", "?"))
    names = [test.name for test in profile.tests]
    assert len(set(names)) == len(names)
    assert profile.table is None or any(table.name == profile.table for table in load_shipped_tables().tables)
    assert all(test.notes for test in profile.tests)


@pytest.mark.slow
@pytest.mark.parametrize("name", [known.name for known in BUILT_IN])
def test_that_fio_takes_every_option_of_every_test(name: str, tmp_path: Path) -> None:
    tests = [test for test in made(name).tests if test.engine in (Engine.FIO, Engine.SIBLINGS)]
    for number, test in enumerate(tests):
        (tmp_path / f"job{number}").write_text(job_text(test, 7), encoding="utf-8")
    if tests:
        told = run_fio("--parse-only", *(f"job{number}" for number in range(len(tests))), folder=tmp_path)
        assert (told.returncode, told.stderr) == (0, "")


def data_in(folder: Path) -> int:
    return sum(
        path.stat().st_size for path in folder.iterdir() if path.suffix != ".log" and path.name not in ("job", "out")
    )


TINY = ["sanity", "design", "standard", "clients", "patterns", "depth", "sync", "recordsize", "compressible", "l2arc"]


@pytest.mark.slow
@pytest.mark.parametrize("name", TINY)
def test_that_a_profile_runs_and_costs_no_more_than_was_said(name: str, tmp_path: Path) -> None:
    wishes = BenchWishes(seconds=0.4, repeats=1, steps=True)
    profile = made(name, wishes, free_bytes=64 * MIB, ram_bytes=64 * MIB, disks=(), properties={"recordsize": "4096"})
    few = [profile.tests[0], *profile.tests[1:6:2]]
    profile = replace(profile, tests=tuple(dict.fromkeys(few)))
    effort = effort_of(profile, place(free_bytes=64 * MIB, ram_bytes=64 * MIB, disks=()))
    began, written, most = time.monotonic(), 0, 0
    kept: tuple[object, ...] = ()
    for number, test in enumerate(profile.tests):
        files = (test.file_bytes, test.files, test.compress_percent, test.record_bytes)
        if files != kept and not test.keeps_files:  # as the runner does
            for path in tmp_path.iterdir():
                path.unlink()
        kept = files
        (tmp_path / "job").write_text(job_text(test, number), encoding="utf-8")
        before = data_in(tmp_path)
        told = run_fio("--output-format=json", "--output=out", "job", folder=tmp_path)
        assert told.returncode == 0, told.stderr
        jobs = json.loads((tmp_path / "out").read_text(encoding="utf-8"))["jobs"]
        assert all(job["error"] == 0 for job in jobs)
        assert sum(job["write" if writes(test) else "read"]["io_bytes"] for job in jobs) > 0
        after = data_in(tmp_path)
        laid_out = 0 if options(test)["rw"] == "write" else max(0, after - before)
        written += sum(job["write"]["io_bytes"] for job in jobs) + laid_out
        most = max(most, after)
    assert time.monotonic() - began <= effort.seconds
    assert written <= effort.written_bytes
    assert most <= effort.space_bytes


@pytest.mark.slow
def test_that_logs_are_written_for_each_job_and_for_a_thousand_together(tmp_path: Path) -> None:
    profile = made("concurrency", BenchWishes(seconds=0.4), free_bytes=64 * MIB, properties={"recordsize": "4096"})
    many = next(test for test in profile.tests if test.name == "randread-100")
    (tmp_path / "job").write_text(job_text(many, 1), encoding="utf-8")
    assert run_fio("job", folder=tmp_path).returncode == 0
    assert len(list(tmp_path.glob("log_bw*.log"))) == 1


def test_that_what_is_written_is_not_compressed_away_unless_it_was_asked() -> None:
    for known in BUILT_IN:
        for test in made(known.name).tests:
            if test.engine is Engine.FIO:
                assert options(test)["refill_buffers"] == "1"
                assert options(test)["buffer_compress_percentage"] == str(test.compress_percent)
                assert known.name == "paper" or options(test)["fallocate"] == "none"
                assert known.name == "compressible" or test.compress_percent == 0


def test_that_tests_of_writes_run_over_several_groups_of_transactions() -> None:
    for known in BUILT_IN:
        for test in made(known.name).tests:
            if test.engine is Engine.FIO and writes(test) and test.seconds is not None and not test.sync:
                told = any("transaction groups" in note for note in test.notes)
                assert test.seconds >= 20 or told, test.name
                assert options(test)["end_fsync"] == "1"


def test_that_the_standard_job_is_that_of_the_thesis() -> None:
    write, read = made("standard").tests
    expected = {"ioengine": "libaio", "bs": "131072", "numjobs": "10", "fallocate": "none", "refill_buffers": "1"}
    assert expected.items() <= options(write).items()
    assert "randrepeat=0" in job_text(write, 1)
    assert (options(write)["rw"], options(read)["rw"]) == ("write", "read")
    assert write.file_bytes * write.files <= 17 * GIB < (write.file_bytes + MIB) * write.files
    assert write.repeats == 3


def test_that_the_three_clients_begin_half_a_minute_apart_in_the_proportions_of_the_thesis() -> None:
    (test,) = made("clients").tests
    jobs = [dict(job.options) for job in test.jobs]
    assert [job["numjobs"] for job in jobs] == ["1", "5", "10"]
    assert [job["startdelay"] for job in jobs] == ["0ms", "30000ms", "60000ms"]
    sizes = [int(job["size"]) for job in jobs]
    assert sizes[0] == pytest.approx(10 * sizes[1], rel=0.01)
    assert sizes[1] == pytest.approx(10 * sizes[2], rel=0.01)
    assert all(job["new_group"] == "1" for job in jobs)


def test_that_the_sweep_goes_to_a_thousand_and_stops_at_the_knee() -> None:
    tests = made("concurrency").tests
    assert [test.x for test in tests[:10]] == [1, 2, 5, 10, 25, 50, 100, 250, 500, 1000]
    assert all(test.stops_at_knee for test in tests)
    assert {options(test)["rw"] for test in tests} == {"randread", "randwrite"}
    assert options(tests[9])["numjobs"] == "1000"


def test_that_a_queue_depth_is_made_by_threads_on_zfs_and_by_libaio_elsewhere() -> None:
    on_zfs = made("depth").tests[-1]
    assert (options(on_zfs)["numjobs"], options(on_zfs).get("iodepth")) == ("128", None)
    assert any("one request at a time" in note for note in on_zfs.notes)
    other = make_profile(find_built_in("depth"), ELSEWHERE).tests[-1]
    assert (options(other)["numjobs"], options(other)["iodepth"], options(other)["direct"]) == ("1", "128", "1")


def test_that_small_writes_into_large_records_are_a_deliberate_mismatch() -> None:
    tests = made("recordsize", BenchWishes()).tests
    mismatch = [test for test in tests if test.name.startswith("mismatch")]
    assert {options(test)["bs"] for test in mismatch} == {"4096", "16384"}
    assert all(any("up to" in note for note in test.notes) for test in mismatch)
    assert all(not test.needs for test in tests)
    assert any("zfs set recordsize=" in note for note in tests[0].notes)
    swept = [test for test in made("recordsize").tests if test.needs]
    assert {test.needs[0] for test in swept} >= {"zfs set recordsize=1048576 tank/bench"}


def test_that_synchronous_writers_are_measured_with_and_past_the_log_device() -> None:
    tests = made("sync").tests
    assert [test.x for test in tests] == [1, 8, 32] * 3
    assert [bool(test.needs) for test in tests] == [False] * 3 + [True] * 6
    assert all(options(test)["sync"] == "1" for test in tests)
    bare = made("sync", BenchWishes(), has_log=False).tests
    assert len(bare) == 3
    assert any("Log device: no" in note for note in bare[0].notes)


def test_that_the_paper_is_asked_as_it_was_written() -> None:
    tests = made("paper").tests
    cases = {(options(test)["fsync"], int(options(test)["bs"]) // 1024) for test in tests}
    assert cases == {("1", 4), ("5", 4), ("10", 4), ("20", 4), ("5", 8), ("5", 16), ("5", 32)}
    for test in tests:
        assert (options(test)["iodepth"], test.seconds, test.repeats, len(test.jobs)) == ("100", 600.0, 3, 3)
    assert [dict(job.options)["filename"] for job in tests[0].jobs] == [
        f"/dev/zvol/tank/poolwright-paper-{number}" for number in (1, 2, 3)
    ]


def test_that_passes_read_one_file_larger_than_the_arc_and_keep_it() -> None:
    tests = made("l2arc").tests
    assert [test.x for test in tests] == list(range(1, 11))
    assert tests[0].file_bytes == 12 * GIB
    assert all(test.repeats == 1 and not test.cache_proof for test in tests)
    assert effort_of(make_profile(find_built_in("l2arc"), ON_ZFS), ON_ZFS).written_bytes == 12 * GIB
    closed = made("l2arc", properties={"primarycache": "metadata"}).tests
    assert closed[0].needs == ("zfs set primarycache=all tank/bench",)


def test_that_the_pool_is_filled_upwards_from_where_it_is_and_never_to_its_end() -> None:
    tests = made("fill").tests
    levels = [test.x or 0 for test in tests if test.name.startswith("fill-")]
    assert levels == [20, 30, 40, 50, 60, 70, 80, 85, 90]
    assert all(test.keeps_files and "unlink" not in options(test) for test in tests)
    assert {options(test)["rw"] for test in tests} == {"write", "read"}
    assert {options(test)["rw"] for test in made("fill-random").tests if test.name.startswith("fill-")} == {"randwrite"}
    with pytest.raises(Refusal, match="95 % full"):
        made("fill", fill_percent=95)


def test_that_files_of_four_and_sixteen_gibibytes_are_read_with_and_past_the_cache() -> None:
    tests = made("cache").tests
    assert {test.file_bytes for test in tests} == {4 * GIB, 16 * GIB}
    assert [test.cache_proof for test in tests if "-cache" in test.name and "no-cache" not in test.name] == [False] * 4
    with pytest.raises(Refusal, match="do not fit"):
        made("cache", free_bytes=GIB)


def test_that_dd_says_that_its_zeros_are_compressed_away() -> None:
    write, read = made("dd").tests
    assert job_text(write, 1) == "if=/dev/zero of=data bs=1M count=10000 conv=fsync status=progress\n"
    assert job_text(read, 1) == "if=data of=/dev/null bs=1M count=10000 status=progress\n"
    assert not write.cache_proof
    assert any("zeros" in note for note in write.notes)
    assert made("dd", properties={"compression": "off"}).tests[0].cache_proof


def test_that_siblings_are_only_ever_read() -> None:
    tests = made("siblings").tests
    for test in tests:
        assert test.engine is Engine.SIBLINGS
        assert {dict(job.options)["rw"] for job in test.jobs} == {"read"}
        assert all(dict(job.options)["filename"].startswith("/dev/") for job in test.jobs)
    offsets = [int(dict(job.options)["offset"]) for job in tests[0].jobs]
    assert offsets == sorted(offsets)
    assert len(set(offsets)) == 3
    assert len(tests[-1].jobs) == len(tests) - 1


def test_that_siblings_are_the_free_disks_of_the_machine_before_there_is_a_design() -> None:
    free = (
        Disk(key="a", path="/dev/sda", serial="A1", size_bytes=4 * TIB),
        Disk(key="b", path="/dev/sdb", serial="B1", size_bytes=4 * TIB),
        Disk(key="plan", size_bytes=4 * TIB, planned=True),
    )
    tests = make_profile(find_built_in("siblings"), ELSEWHERE, disks=free).tests
    assert [dict(test.jobs[0].options)["filename"] for test in tests] == ["/dev/sda", "/dev/sdb", "/dev/sda"]
    with pytest.raises(Refusal, match="None of the disks has a name"):
        make_profile(find_built_in("siblings"), ELSEWHERE, disks=free[2:])


def test_that_siblings_are_the_disks_of_every_pool_of_a_design() -> None:
    design = small_design()
    (vdev,) = design.vdevs[:1]
    moved = replace(vdev, members=vdev.members[:1], kind=VdevKind.STRIPE, parity=0)
    first = replace(
        design,
        vdevs=(replace(vdev, members=vdev.members[1:]),),
        further_pools=(FurtherPool(pool_name="b", vdevs=(moved,)),),
    )
    paths = [
        dict(job.options)["filename"]
        for job in make_profile(find_built_in("siblings"), ELSEWHERE, first).tests[-1].jobs
    ]
    assert len(paths) == len(set(paths)) == len(vdev.members)


def test_that_the_sanity_check_ends_within_two_minutes() -> None:
    for where in (ON_ZFS, ELSEWHERE, place(arc_most_bytes=400 * GIB, ram_bytes=512 * GIB)):
        profile = make_profile(find_built_in("sanity"), where)
        assert effort_of(profile, where).seconds < 115
        assert effort_of(profile, where).written_bytes <= 5 * GIB
        assert all(test.repeats >= 3 for test in profile.tests)


@pytest.mark.parametrize(
    ("layout", "spread"),
    [
        (("mirror-0 sda sdb", "mirror-1 sdc sdd"), 2),
        (("raidz1-0 sda sdb sdc sdd",), 3),
        (("disk sda", "disk sdb", "disk sdc", "disk sdd"), 4),
        (("raidz1-0 sda sdb sdc", "disk sdd"), 1),
        (("mirror-0 sda sdb", "spares sdc", "cache sdd"), 1),
    ],
)
def test_that_writes_wear_each_disk_by_its_part_of_the_layout(layout: tuple[str, ...], spread: int) -> None:
    flash = tuple(replace(disk, model="SSD 1", rotational=False) for disk in ON_ZFS.disks)
    effort = effort_of(made("patterns"), place(disks=flash, layout=layout), {"SSD 1": 10**15})
    assert effort.wear == pytest.approx(effort.written_bytes / spread / 10**15)


def test_that_synchronous_writes_wear_the_log_whole() -> None:
    small = replace(ON_ZFS.disks[3], model="LOG", rotational=False)
    spot = place(disks=(*ON_ZFS.disks[:3], small), layout=("raidz1-0 sda sdb sdc", "logs sdd"))
    waiting, plain = (effort_of(made(name), spot, {"LOG": 10**15}) for name in ("sync", "patterns"))
    assert waiting.wear is not None
    assert 0.9 * waiting.written_bytes < waiting.wear * 10**15 <= waiting.written_bytes
    assert plain.wear == 0


def test_that_a_profile_of_a_design_needs_one() -> None:
    with pytest.raises(Refusal, match="made from a design"):
        make_profile(find_built_in("design"), ON_ZFS)
    words = {options(test)["rw"] for test in made("design").tests}
    assert words == {"write", "read", "randread", "randwrite", "randrw"}


def test_that_only_reads_go_past_the_arc_by_direct_io() -> None:
    for name in ("patterns", "sync"):
        for test in made(name, arc_most_bytes=400 * GIB).tests:
            assert options(test)["direct"] == ("0" if writes(test) else "1"), test.name
            assert test.cache_proof
    partial = [test for test in made("recordsize", arc_most_bytes=400 * GIB).tests if test.name.startswith("mismatch")]
    assert [test.cache_proof for test in partial] == [False, False]
