"""Histograms and block statistics of zdb as the tools print them."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.cases import table

from poolwright.domain.errors import UserError
from poolwright.domain.units import KIB, MIB
from poolwright.machine.zdb import read_block_count, read_dedup_count

CORPUS = Path(__file__).parents[3] / "shared" / "corpus"

BLOCKS = (Path(__file__).parent / "zdb-blocks-of-our-machine.txt").read_text(encoding="utf-8")
SIMULATED: str = table(__file__, "simulated")


def test_that_the_simulation_of_the_thesis_is_read() -> None:
    count = read_dedup_count(SIMULATED)
    assert count.simulated
    assert count.factor == 9.18
    assert count.allocated.blocks == 555 * 1024
    assert count.referenced.logical_bytes == 342 << 30
    assert count.table_disk_bytes is None


@pytest.mark.parametrize("text", ["", "no pool", "dedup = 1.00, compress = 1.00"])
def test_that_a_text_without_a_histogram_is_refused(text: str) -> None:
    with pytest.raises(UserError, match="nothing from zdb"):
        read_dedup_count(text)


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the recorded outputs are not here")
def test_that_every_recorded_histogram_is_read() -> None:
    files = [path for folder in ("zdb_S", "zdb_DD") for path in sorted((CORPUS / folder).glob("*.txt"))]
    assert files
    for path in files:
        text = path.read_text(encoding="utf-8", errors="replace")
        try:
            count = read_dedup_count(text)
        except UserError:
            assert "Total" not in text, path.name
            continue
        assert count.factor >= 1, path.name
        assert count.referenced.blocks >= count.allocated.blocks > 0, path.name
        assert count.simulated is (path.parent.name == "zdb_S"), path.name
        if path.parent.name == "zdb_DD" and "openzfs" not in path.name:
            assert count.table_disk_bytes, path.name


ROWS = """refcnt   blocks   LSIZE   PSIZE   DSIZE   blocks   LSIZE   PSIZE   DSIZE
------   ------   -----   -----   -----   ------   -----   -----   -----
     1      10    1.25M      1M      2M      10    1.25M      1M      2M
     2       5     640K    512K      1M      10    1.25M      1M      2M
"""
TOTAL = " Total      15    1.88M    1.5M      3M      20    2.50M      2M      4M\n"
FACTORS = "\ndedup = 1.33, compress = 1.25, copies = 2.00, dedup * compress / copies = 0.83\n"


def test_that_a_dedup_histogram_is_read_with_or_without_its_total() -> None:
    whole = read_dedup_count(f"Simulated DDT histogram:\n{ROWS}{TOTAL}{FACTORS}")
    one, all_of_them = whole.allocated, whole.referenced
    assert (one.blocks, one.physical_bytes, one.disk_bytes) == (15, 3 * MIB // 2, 3 * MIB)
    assert (all_of_them.blocks, all_of_them.logical_bytes, all_of_them.disk_bytes) == (20, 5 * MIB // 2, 4 * MIB)
    assert (whole.dedup, whole.compress, whole.copies, whole.factor) == (1.33, 1.25, 2.0, 1.33)
    assert (whole.simulated, whole.added_up, whole.table_disk_bytes) == (True, False, None)
    cut = read_dedup_count(ROWS)
    assert (cut.allocated.blocks, cut.allocated.disk_bytes, cut.referenced.disk_bytes) == (15, 3 * MIB, 4 * MIB)
    assert (cut.simulated, cut.added_up, cut.dedup, cut.copies, cut.factor) == (False, True, None, None, 4 / 3)
    nothing = replace(cut, allocated=replace(cut.allocated, disk_bytes=0))
    assert nothing.factor == 1.0
    assert read_dedup_count(f"{ROWS}{TOTAL}\ndedup = 1.33\n").compress is None
    with pytest.raises(UserError, match="is empty"):
        read_dedup_count(ROWS[:140])


@pytest.mark.parametrize(
    ("line", "disk", "core"),
    [
        ("DDT-sha256-zap-duplicate: dspace=1000; mspace=200; entries=10", 1000, 200),
        ("DDT-sha256-zap-duplicate: 10 entries, size 300 on disk, 150 in core", 3000, 1500),
        ("DDT entries 10, size 300B on disk, 150B in core", 3000, 1500),
        ("DDT entries 10, size 3K on disk, 1.5K in core, 1K cached", 3072, 1536),
        ("nothing", None, None),
    ],
)
def test_that_the_bytes_of_the_table_are_of_the_whole_or_of_an_entry(
    line: str, disk: int | None, core: int | None
) -> None:
    # With -DDD the line stands twice and counts once.
    found = read_dedup_count(f"{line}\n{line}\n{ROWS}{TOTAL}")
    assert (found.table_disk_bytes, found.table_core_bytes) == (disk, core)


def test_that_the_output_of_our_machine_is_read() -> None:
    count = read_block_count(BLOCKS)
    assert count.metadata_blocks == 732
    assert count.metadata_bytes == round(6.01 * MIB)
    assert count.data_logical_bytes == 406 * MIB
    assert count.classes[0].size_bytes == 512
    assert count.classes[-1].size_bytes == 128 * KIB  # empty buckets are left out
    assert sum(c.physical_bytes for c in count.classes) == pytest.approx(409 * MIB, rel=0.01)
