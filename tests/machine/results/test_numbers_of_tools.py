"""What tools tell twice is read the same: for people and for programs, whole and cut, in this and other languages."""

import csv
import random
import shutil
import subprocess
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from tests.cases import cases, table

from poolwright import paths
from poolwright.domain.measurement import BenchTool, Direction, Observer, Recorded, TimeCurve, What
from poolwright.machine.samples import Sample
from poolwright.machine.zpool.iostat import PoolWatch
from poolwright.store.read_results import read_result

CORPUS = Path(__file__).parents[4] / "shared" / "corpus"
RECORDED = Path(__file__).parent / "recorded"
SEEDS = CORPUS.parent / "seeds"
needs_corpus = pytest.mark.skipif(not CORPUS.is_dir(), reason="the collection of real files is not here")
needs_sysstat = pytest.mark.skipif(not (shutil.which("sar") and shutil.which("sadf")), reason="sysstat is not here")
PASTED: str = table(__file__, "pasted")
PATH = {"PATH": "/usr/bin:/bin"}
HEAD = "Linux 5.4 (host) \t11/20/26 \t_x86_64_\t(2 CPU)\n\n"


def read(text: str | bytes) -> Recorded:
    (recorded,) = read_result(text.encode() if isinstance(text, str) else text, "output")
    return recorded


def by_key(recorded: Recorded) -> dict[tuple[object, ...], TimeCurve]:
    return {(c.name, c.source, c.what, c.direction, c.detail): c for c in recorded.curves}


def output(*words: str) -> bytes:
    return subprocess.run(words, capture_output=True, check=True, env={"LC_ALL": "C", **PATH}).stdout


@pytest.mark.slow
@needs_sysstat
def test_that_one_recording_is_the_same_in_sars_text_and_in_sadfs_json_and_values(tmp_path: Path) -> None:
    file = str(tmp_path / "recorded")
    output("sar", "-u", "-P", "ALL", "-d", "-n", "DEV", "-q", "-o", file, "1", "2")
    asked = ("-u", "-P", "ALL", "-d", "-n", "DEV", "-q")
    text = by_key(read(output("sar", *asked, "-f", file)))
    told = by_key(read(output("sadf", "-j", file, "--", *asked)))
    assert text.keys() == told.keys()
    assert {Observer.CPU, Observer.DISK, Observer.NETWORK} <= {c.source for c in told.values()}
    for other in (text, by_key(read(output("sadf", "-d", file, "--", "-u", "-P", "ALL")))):
        for key, curve in other.items():
            assert curve.ms.tolist() == told[key].ms.tolist()
            np.testing.assert_allclose(curve.values, told[key].values, atol=1e-9)


@needs_corpus
@pytest.mark.parametrize("path", sorted((CORPUS / "zpool_iostat").glob("*Hp*")), ids=lambda path: path.name)
def test_that_every_number_of_zpool_iostat_for_programs_is_kept_and_each_pool_is_found(path: Path) -> None:
    rows = [line.split("\t") for line in path.read_text().splitlines() if line]
    watch = PoolWatch()
    samples = (*watch.feed(path.read_bytes()), *watch.end())
    written = [s.value for s in samples if (s.key.what, s.key.direction) == (What.RATE, Direction.WRITE)]
    assert written == [float(row[6]) for row in rows]
    waits = [s.value for s in samples if s.key.detail == "disk_wait" and s.key.direction is Direction.WRITE]
    if len(rows[0]) > 7:
        np.testing.assert_array_equal(waits, [float("nan") if row[10] == "-" else float(row[10]) for row in rows])
    pools = {s.key.name for s in samples if s.key.source is Observer.POOL}
    assert pools == {"dpool", "mpool", "nv", "nv4k", "stripe", "tank"}


ONE = "tank\t10\t20\t1\t1\t5\t{n}\nmirror-0\t10\t20\t1\t1\t5\t{n}\nsda\t0\t0\t1\t1\t5\t{n}\nsdb\t0\t0\t1\t1\t5\t{n}\n"


def moments(samples: Iterable[Sample], name: str) -> list[tuple[int, float]]:
    wanted = (What.RATE, Direction.WRITE)
    return [(s.ms, s.value) for s in samples if s.key.name == name and (s.key.what, s.key.direction) == wanted]


def test_that_it_does_not_matter_where_the_output_of_zpool_is_cut() -> None:
    stream = "".join(ONE.format(n=n) for n in range(5)).encode()
    for seed in range(100):
        chance, watch, at = random.Random(seed), PoolWatch(pools=["tank"]), 0
        found: list[Sample] = []
        while at < len(stream):
            size = chance.choice([1, 3, 20, 90])
            found += watch.feed(stream[at : at + size])
            at += size
        found += watch.end()
        assert moments(found, "tank") == [(n * 1000, float(n)) for n in range(5)]
        assert moments(found, "sdb") == moments(found, "tank")


def test_that_a_disk_that_joins_a_pool_while_it_is_watched_is_told_from_the_next_second_on() -> None:
    watch = PoolWatch(pools=["tank"])
    found: list[Sample] = []
    for n in range(6):
        found += watch.feed((ONE.format(n=n) + (f"sdc\t0\t0\t1\t1\t5\t{n}\n" if n >= 3 else "")).encode())
    found += watch.end()
    assert moments(found, "tank") == [(n * 1000, float(n)) for n in range(6)]
    assert moments(found, "sdc") == [(4000, 4.0), (5000, 5.0)]


def test_that_a_clock_of_twelve_hours_goes_on_over_midnight_and_a_cut_line_is_passed_over() -> None:
    recorded = read(
        HEAD
        + "11:59:59 PM     CPU     %user     %nice   %system   %iowait    %steal     %idle\n"
        + "12:00:00 AM     all     10,00      0,00      0,00      5,00      0,00     85,00\n"
        + "12:00:01 AM     LINUX RESTART\t(2 CPU)\n"
        + "12:00:02 AM     all     20.00      0.00      0.00      0.00      0.00     80.00\n"
        + "Average:        all     15.00      0.00      0.00      2.50      0.00     82.50\n"
        + "12:00:03 AM     all     30.0"
    )
    (busy,) = [curve for curve in recorded.curves if curve.what is What.BUSY]
    assert (busy.ms.tolist(), busy.values.tolist()) == ([0, 2000], pytest.approx([0.1, 0.2]))
    assert len(recorded.notes) == 2


@pytest.mark.parametrize(
    "clock",
    [
        "14.02.{:02}       ", "14时02分{:02}秒    ", "14時02分{:02}秒    ", "14시 02분 {:02}초    ",
        "02:02:{:02} PM    ", "02:02:{:02} p. m.    ", "02:02:{:02} μμ    ", "02:02:{:02} PM IST    ",
    ],
)  # fmt: skip
def test_that_the_clocks_of_many_languages_are_read(clock: str) -> None:
    head = "Linux 6.1.0 (nas1) \t2026年11月26日 \t_x86_64_\t(2 CPU)\n\n"
    rows = (f"{clock.format(second)} {words}\n" for second, words in ((1, "CPU %user %idle"), (2, "all 10,00 90,00")))
    later = clock.format(4) + " all 20,00 80,00\n"
    recorded = read(head + "".join(rows) + later)
    assert recorded.host == "nas1"
    (busy,) = [curve for curve in recorded.curves if curve.what is What.BUSY]
    assert (busy.ms.tolist(), busy.values.tolist()) == ([0, 2000], pytest.approx([0.1, 0.2]))


def test_that_sizes_for_people_are_the_same_as_those_in_kilobytes() -> None:
    head = HEAD + "10:00:00          tps     rkB/s     wkB/s   areq-sz    aqu-sz     await     %util DEV\n"
    rows = "10:00:01       283.00      1.5M      4.0k   1016.8k      0.64      2.25      9.2% sda\n"
    recorded = read(head + rows + rows.replace("10:00:01", "10:00:02"))
    told = {(curve.what, curve.direction): curve.values[0] for curve in recorded.curves}
    assert told[What.RATE, Direction.READ] == 1.5 * (1 << 20)
    assert told[What.RATE, Direction.WRITE] == 4096
    assert told[What.BUSY, None] == pytest.approx(0.092)


@pytest.mark.parametrize(("text", "seconds"), cases(__file__, "printed_by_dd"))
def test_that_dd_is_read_in_every_language_and_of_every_maker(text: str, seconds: float) -> None:
    recorded = read(text)
    assert recorded.tool is BenchTool.DD
    assert [(one.bytes, one.seconds) for one in recorded.measured] == [(67108864, seconds)]


def test_that_the_last_progress_of_dd_is_no_run_of_its_own() -> None:
    progress, records = "60000000 bytes (60 MB, 57 MiB) copied, 2 s, 30.0 MB/s", "64+0 records in\n64+0 records out\n"
    recorded = read(f"\r{progress}\n{records}67108864 bytes (67 MB, 64 MiB) copied, 2.5 s, 27 MB/s\n")
    assert [(one.bytes, one.block_bytes) for one in recorded.measured] == [(67108864, 1 << 20)]
    synced = "66000000 bytes (66 MB, 63 MiB) copied, 2 s, 33 MB/s67108864 bytes (67 MB, 64 MiB) copied, 2.1 s, 31 MB/s"
    end = f"{records}67108864 bytes (67 MB, 64 MiB) copied, 2.5 s, 27 MB/s\n"
    twice = read(2 * f"{progress}\r{synced}\n\n{end}")
    assert [(one.bytes, one.seconds) for one in twice.measured] == 2 * [(67108864, 2.5)]
    warned = read(f"dd: warning: partial read (512 bytes); suggest iflag=fullblock\n{end}")
    assert (warned.measured[0].error, warned.notes[1:]) == (0, ())
    alone = read("1000 bytes copied, 1 s, 1.0 kB/s\n2000 bytes copied, 1 s, 2.0 kB/s\n")
    assert [one.bytes for one in alone.measured] == [1000, 2000]


@pytest.mark.slow
def test_that_what_the_real_dd_tells_of_its_progress_is_one_run() -> None:
    slowly = "(head -c 1048576 /dev/zero; sleep 1.2; head -c 1048576 /dev/zero)"
    command = f"{slowly} | dd of=/dev/null bs=64k iflag=fullblock status=progress"
    told = subprocess.run(["sh", "-c", command], capture_output=True, check=True, env={"LC_ALL": "C", **PATH}).stderr
    assert told.count(b"copied") > 1
    assert [(one.bytes, one.block_bytes) for one in read(told).measured] == [(2 << 20, 64 << 10)]


def test_that_three_runs_of_dd_have_a_mean_and_a_spread_and_each_its_direction() -> None:
    runs = "".join(
        f"dd if=/dev/zero of=f bs=1m\n1000 bytes transferred in {n}.0 secs (1 bytes/sec)\n" for n in (1, 2, 4)
    )
    recorded = read(runs + "dd if=f of=/dev/null\n1000 bytes transferred in 8.0 secs (1 bytes/sec)\n")
    assert [one.direction for one in recorded.measured] == [*[Direction.WRITE] * 3, Direction.READ]
    assert dict(read(runs).facts)["mean_rate"] == pytest.approx((1000 + 500 + 250) / 3)
    assert dict(read(runs).facts)["spread"] == pytest.approx((1000 - 250) / 500)


@needs_corpus
def test_that_the_table_of_bonnie_tells_what_its_line_tells() -> None:
    compared = 0
    for path in sorted((CORPUS / "bonnie").glob("*.txt")):
        lines = path.read_text().splitlines()
        table = [line for line in lines if line.count(",") < 20]
        if len(table) == len(lines) or not any("Sequential Output" in line for line in table):
            continue
        told = {one.name: one for one in read("\n".join(lines)).measured}
        for one in read("\n".join(table)).measured:
            rate = told[one.name].rate
            # From 1.98 on the table rounds to three digits: 368m, 1.4g.
            assert one.rate == (None if rate is None else pytest.approx(rate, rel=0.06))
            assert one.iops == told[one.name].iops
            compared += one.total == told[one.name].total
    assert compared > 60


def test_that_a_run_of_bonnie_on_files_alone_is_read() -> None:
    line = (
        "1.98,2.00a,vm,1,1795709931,,,,,,,,,,,,,,,,,2,,,,,1266,99,+++++,+++,+++++,+++,1331,99,+++++,+++,+++++,+++,"
        ",,,,,,1129us,247us,266us,1909us,7us,51us\n"
    )
    recorded = read(line)
    told = {one.name: one.iops for one in recorded.measured}
    assert told["sequential create"] == 1266
    assert told["random create"] == 1331
    assert told["random stat"] is None
    assert len(told) == 6


@needs_corpus
def test_that_a_host_that_touches_its_size_and_a_share_above_2000_are_read() -> None:
    recorded = read((CORPUS / "bonnie" / "unknown__index-4683413421__197_nas02_zfs_lz4.txt").read_bytes())
    told = {one.name: one for one in recorded.measured}
    assert recorded.host == "nas02.local"
    assert told["block read"].rate == 1638929 * 1024
    assert told["block write"].file_bytes == 261368 << 20
    assert dict(recorded.facts)["random seeks cpu_percent"] == 2046


def test_that_a_table_of_bonnie_pasted_without_its_host_is_read() -> None:
    recorded = read(PASTED)
    told = {one.name: one for one in recorded.measured}
    assert (recorded.tool, recorded.version, recorded.host) == (BenchTool.BONNIE, "1.03d", None)
    assert (told["block read"].rate, told["block read"].file_bytes) == (160000 * 1024, 300 << 20)
    assert (told["random seeks"].iops, told["sequential create"].iops) == (1300, 7700)
    assert told["random stat"].iops is None


@pytest.mark.skipif(not SEEDS.is_dir(), reason="the source documents are not here")
def test_that_the_blog_s_own_output_of_bonnie_is_read_as_its_table_has_it() -> None:
    (text,) = [t for t in (p.read_text() for p in SEEDS.glob("*.txt")) if "Reading ZEVO forums" in t[:200]]
    _, before, after = text.split("Version 1.03d")
    table_text = (paths.rules_folder() / "tables" / "bonnie_macblog.csv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(table_text.splitlines()))
    for run, printed in (("new_kernel", before.split("\n\nZFS array")[0]), ("finished_array", after)):
        told = [one.rate or one.iops for one in read("Version 1.03d" + printed).measured]
        table = [row for row in rows if row["run"] == run]
        factors = [1024 if row["unit"] == "KiB/s" else 1 for row in table]
        assert told == [float(row["rate"]) * f if row["rate"] else None for row, f in zip(table, factors, strict=True)]


def test_that_a_listing_that_counts_its_lines_is_read() -> None:
    listing = """ 2      capacity  operations  bandwidth
pool    alloc  free  read write  read write
-----
tank  307G  4.23T    3    18   366K  2.12M
tank  307G  4.23T    8  2.67K  36.0K  322M
 7 tank  308G  4.23T   16  2.21K  68.0K  255M
"""
    recorded = read(listing)
    assert {curve.name for curve in recorded.curves} == {"tank"}
    (written,) = [c for c in recorded.curves if c.what is What.RATE and c.direction is Direction.WRITE]
    assert written.values.tolist() == [322 << 20, 255 << 20]


def test_that_counters_of_the_log_are_not_taken_for_those_of_a_pool() -> None:
    head = "7 1 0x01 13 624 54309646790 270387270390\nname                            type data\n"
    assert read(head + "zil_commit_count                4    11\n").tool is BenchTool.PROC
    assert read(head + "arc_read_bytes                  4    11\n").tool is BenchTool.POOL_IOSTATS
    assert read(head + "hits 4 5\nmisses 4 5\nc_max 4 11\n").tool is BenchTool.ARCSTATS


# What OpenZFS printed beside a run in the virtual machine, read to the figures that stand in it.


def recorded(name: str) -> Recorded:
    (found,) = read_result((RECORDED / name).read_bytes(), name)
    return found


def curves(found: Recorded, source: Observer, what: What, detail: str = "") -> dict[str, TimeCurve]:
    return {
        curve.name: curve
        for curve in found.curves
        if (curve.source, curve.what, curve.detail) == (source, what, detail)
        and curve.direction in (None, Direction.READ)
    }


def test_that_each_report_of_zpool_iostat_tells_of_pool_and_disks() -> None:
    found = recorded("zpool-iostat-2.3.2.txt")
    assert found.started == datetime.fromtimestamp(1795441811, UTC)  # a first report may be of the time since import
    pool = curves(found, Observer.POOL, What.RATE)["tank"]
    assert pool.ms[:3].tolist() == [0, 2000, 5000]
    assert pool.values[:2].tolist() == [110872142, 37095412]
    disks = curves(found, Observer.DISK, What.LATENCY, "disk_wait")
    assert sorted(disks) == [f"scsi-35000c5000000000{n}" for n in range(6)]
    assert disks["scsi-35000c50000000003"].values[0] == 52870032


def test_that_the_sampler_tells_what_went_through_the_arc_and_past_it() -> None:
    found = recorded("samples-2.3.2.txt")
    assert found.started == datetime.fromtimestamp(1795441801.486, UTC)
    through = curves(found, Observer.ARC, What.RATE, "arc")["tank"].values
    assert round(float(through[-1])) == round((638372352 - 319998464) / (1795441816.071498160 - 1795441803.124031220))
    assert curves(found, Observer.ARC, What.RATE, "direct")["tank"].values[-1] == 0
    assert curves(found, Observer.ARC, What.BYTES, "c")["ARC"].values[-1] > 0
    assert {"sda", "sdb"} <= set(curves(found, Observer.DISK, What.RATE))
