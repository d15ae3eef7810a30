"""What one disk gives where nobody told its rates."""

from math import exp, log, sqrt

import pytest

from poolwright.domain.disk import Disk, Media
from poolwright.domain.units import GB, MB, MIB, TB
from poolwright.predict.media import CLASS_SPREAD, SIZED_SPREAD, disk_rates, sized_rates, usual_make
from poolwright.table_library import load_shipped_tables


def _measured() -> list[tuple[float, int, float, float | None]]:
    """TB, rpm, read and write rate in MB/s: the table, the thesis' disk, the blog's disks (5400 rpm, table 1)."""
    tables = load_shipped_tables()
    rows: list[tuple[float, int, float, float | None]] = []
    for row in tables.named("disk_rates").rows:
        size, rpm, read = (row.number_of(name) for name in ("size_tb", "rpm", "read_mb_s"))
        if row.text("media") == "hdd" and size is not None and rpm is not None and read is not None:
            rows.append((float(size), int(rpm), float(read), row.number_of("write_mb_s")))
    rows.append((6.0, 7200, 160 * MIB / MB, 130 * MIB / MB))
    blog = {
        (row.text("members"), row.text("operation")): (row.number_of("ashift_12_mib_s") or 0.0) * MIB / MB
        for row in tables.named("ashift_effect").rows
        if row.text("spec") == "stripe:1"
    }
    for model, size in (("30EZRSDTL", 3.0), ("20EADS", 2.0), ("20EARS", 2.0)):
        rows.append((size, 5400, blog[model, "read"], blog[model, "write"]))
    return rows


def test_that_the_rate_of_a_hard_disk_follows_from_its_size_and_turns_as_measured() -> None:
    rows = _measured()
    assert len(rows) == 9
    reads = [log(sized_rates(round(tb * TB), rpm)[0] / (read * MB)) for tb, rpm, read, _ in rows]
    writes = [log(sized_rates(round(tb * TB), rpm)[1] / (write * MB)) for tb, rpm, _, write in rows if write]
    assert sqrt(sum(e * e for e in reads) / len(reads)) == pytest.approx(0.12, abs=0.015)
    assert sqrt(sum(e * e for e in writes) / len(writes)) == pytest.approx(0.17, abs=0.02)
    assert abs(sum(reads)) / len(reads) < 0.02
    assert max(abs(e) for e in writes) < 0.42


def test_that_a_size_left_out_is_foretold_nearly_as_well() -> None:
    """The power of the size fitted anew without each row: one number and the mean."""
    points = [(log(tb) + 0.0, log(read) - 0.5 * log(rpm / 7200)) for tb, rpm, read, _ in _measured()]
    missed = []
    for index, (x, y) in enumerate(points):
        rest = points[:index] + points[index + 1 :]
        mx, my = (sum(v) / len(rest) for v in zip(*rest, strict=True))
        slope = sum((a - mx) * (b - my) for a, b in rest) / sum((a - mx) ** 2 for a, _ in rest)
        missed.append(abs(my + slope * (x - mx) - y))
    assert exp(sum(missed) / len(missed)) - 1 == pytest.approx(0.12, abs=0.03)


def test_that_a_large_modern_disk_is_not_taken_for_one_of_2014() -> None:
    large, small = (disk_rates(media=Media.HDD, size_bytes=size * TB, rpm=7200) for size in (20, 2))
    assert 240 * MB < large.read_bytes_per_second < 285 * MB  # the maker prints 285 for the outermost tracks
    assert small.read_bytes_per_second < 0.6 * large.read_bytes_per_second
    assert large.read_spread == SIZED_SPREAD < CLASS_SPREAD[Media.HDD]
    assert "20 TB and 7200 rpm" in large.origin.source
    assert disk_rates(media=Media.HDD).read_bytes_per_second == 160 * MIB
    assert disk_rates(media=Media.SSD, size_bytes=20 * TB) == disk_rates(media=Media.SSD)


def test_that_turns_count_and_what_is_told_comes_first() -> None:
    slow, fast = (sized_rates(4 * TB, rpm)[0] for rpm in (5400, 7200))
    assert slow < fast == sized_rates(4 * TB)[0]
    assert sized_rates(300 * GB, 15_000)[0] == 150 * MB
    assert disk_rates(media=Media.HDD, rpm=5400).iops == pytest.approx(0.75 * disk_rates(media=Media.HDD).iops)
    told = disk_rates(media=Media.HDD, read_bytes_per_second=100.0 * MB, size_bytes=20 * TB)
    assert told.read_bytes_per_second == 100 * MB


def test_that_a_small_disk_of_unknown_class_keeps_the_default() -> None:
    assert disk_rates(size_bytes=500 * GB).read_bytes_per_second == 160 * MIB
    assert disk_rates(size_bytes=16 * TB).read_bytes_per_second > 200 * MB


def test_that_different_disks_count_by_their_mean_and_flash_beside_them_does_not() -> None:
    disks = [
        Disk(key="a", media=Media.HDD, size_bytes=16 * TB, rotation_rpm=7200),
        Disk(key="b", media=Media.HDD, size_bytes=4 * TB, rotation_rpm=7200),
        Disk(key="c", media=Media.SSD, size_bytes=TB),
    ]
    assert usual_make(disks) == (8 * TB, 7200)
    assert usual_make(disks[:1]) == (16 * TB, 7200)
    assert usual_make(disks[2:]) == (None, None)
