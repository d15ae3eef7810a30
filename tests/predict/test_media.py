"""What one disk gives where nobody told its rates."""

from math import exp, log, sqrt

import pytest

from poolwright.design.evaluator import alike
from poolwright.domain.disk import Disk, Media
from poolwright.domain.estimate import OriginKind
from poolwright.domain.units import MB, MIB, TB
from poolwright.predict.assumptions import rates_of_disks
from poolwright.predict.drives import read_drive_book
from poolwright.predict.media import (
    CLASS_SPREAD,
    KNOWN,
    MODEL_SPREAD,
    SIZED_SPREAD,
    ModelRates,
    disk_rates,
    find_rates,
    sized_rates,
)
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
    assert "20 TB, 7200 rpm" in large.origin.source
    assert disk_rates(media=Media.HDD).read_bytes_per_second == 160 * MIB
    assert disk_rates(media=Media.SSD, size_bytes=20 * TB) == disk_rates(media=Media.SSD)


def test_that_different_disks_count_by_their_mean_and_flash_beside_them_does_not() -> None:
    disks = [
        Disk(key="a", media=Media.HDD, size_bytes=16 * TB, rotation_rpm=7200),
        Disk(key="b", media=Media.HDD, size_bytes=4 * TB, rotation_rpm=7200),
        Disk(key="c", media=Media.SSD, size_bytes=TB),
    ]
    for some, size in ((disks[:2], "8 TB"), (disks[:1], "16 TB")):
        assert f"usual for a hard disk of {size}, 7200 rpm" in rates_of_disks(some).origin.source
        # Flash beside them makes the slower ones count, by their own sizes.
        assert rates_of_disks([*some, disks[2]]).origin == rates_of_disks(some).origin
    assert "class default (ssd)" in rates_of_disks(disks[2:]).origin.source


def _of_table(model: ModelRates) -> tuple[float | None, float | None]:
    """Return the read and write rate in bytes/s that stand in the table."""
    rows = load_shipped_tables().named(model.table).rows
    if model.table == "ashift_effect":
        found = {
            row.text("operation"): row.number_of("ashift_12_mib_s")
            for row in rows
            if row.text("spec") == "stripe:1" and row.text("members") == model.row
        }
        return (found["read"] or 0.0) * MIB, (found["write"] or 0.0) * MIB
    (row,) = (row for row in rows if row.text("device") == model.row)
    unit, size = ("mb_s", MB) if model.table == "disk_rates" else ("mib_s", MIB)
    read, write = (row.number_of(f"{way}_{unit}") for way in ("read", "write"))
    return None if read is None else read * size, None if write is None else write * size


@pytest.mark.parametrize("model", KNOWN, ids=[model.row for model in KNOWN])
def test_that_the_rates_of_a_model_are_those_of_the_table_it_names(model: ModelRates) -> None:
    read, write = _of_table(model)
    assert model.read == pytest.approx(read)
    assert model.write == (None if write is None else pytest.approx(write))


@pytest.mark.parametrize(
    ("printed", "row"),
    [
        ("ST16000NM001G-2KK103", "ST16000NM001G"),
        ("SEAGATE ST6000NM0034", "Seagate ST6000NM0034"),
        ("WDC WD30EFRX-68AX9N0", "WD30EFRX"),
        ("WD Blue SN570 1TB", "WD Blue SN570 1 TB"),
        ("SAMSUNG MZQLB960HAJR-00007", "PM983 960 GB"),
        ("ct500mx500ssd1", "Crucial MX500 500 GB"),
    ],
)
def test_that_a_model_is_found_as_tools_spell_it(printed: str, row: str) -> None:
    found = find_rates(printed)
    assert found is not None
    assert found.row == row


@pytest.mark.parametrize("printed", [None, "", "ST16000NM002G", "WD Blue SN570 2TB", "unknown", "Samsung SSD 870"])
def test_that_a_model_nobody_measured_is_not_taken_for_another(printed: str | None) -> None:
    assert find_rates(printed) is None


def test_that_a_known_model_comes_before_the_size_and_a_typed_rate_before_both() -> None:
    model = Disk(key="a", media=Media.HDD, model="WD140EDFZ", size_bytes=14 * TB, rotation_rpm=5400)
    found = rates_of_disks([model])
    assert (found.read_bytes_per_second, found.write_bytes_per_second) == (216 * MB, 199 * MB)
    assert found.read_spread == found.write_spread == MODEL_SPREAD < SIZED_SPREAD
    assert found.origin.kind is OriginKind.MEASURED
    assert "WD140EDFZ (table disk_rates)" in found.origin.source
    typed = rates_of_disks([model], read=180.0 * MB)
    assert typed.read_bytes_per_second == 180 * MB
    assert typed.write_bytes_per_second == pytest.approx(180 * MB * 199 / 216)
    assert typed.origin.kind is OriginKind.TYPED
    measured = Disk(key="b", media=Media.HDD, model="WD140EDFZ", size_bytes=14 * TB, read_bytes_per_second=150 * MB)
    assert rates_of_disks([measured]).read_bytes_per_second == 150 * MB


def test_that_a_model_of_which_only_reads_were_measured_writes_in_the_usual_proportion() -> None:
    red = Disk(key="a", media=Media.HDD, model="WD30EFRX", size_bytes=3 * TB, rotation_rpm=5400)
    found, sized = rates_of_disks([red]), disk_rates(media=Media.HDD, size_bytes=3 * TB, rpm=5400)
    assert found.read_bytes_per_second == pytest.approx(112.2 * MB)
    assert found.write_bytes_per_second / found.read_bytes_per_second == pytest.approx(
        sized.write_bytes_per_second / sized.read_bytes_per_second
    )


def test_that_a_model_tells_the_medium_that_nobody_told() -> None:
    disk = Disk(key="a", model="CT500MX500SSD1", size_bytes=TB // 2)
    found = rates_of_disks([disk])
    assert found.media is Media.SSD
    assert found.read_bytes_per_second == pytest.approx(470.4 * MB)
    assert found.read_spread < CLASS_SPREAD[Media.SSD]


def test_that_disks_of_which_one_model_was_measured_are_not_taken_for_alike() -> None:
    known, other = (
        Disk(key=model, media=Media.HDD, model=model, size_bytes=6 * TB, rotation_rpm=7200)
        for model in ("ST6000NM0034", "ST6000XX0000")
    )
    book = read_drive_book({})
    assert alike([known, known], book)
    assert not alike([known, other], book)
