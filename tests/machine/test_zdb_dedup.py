"""Histograms of zdb as the tools print them."""

from pathlib import Path

import pytest

from poolwright.domain.block_counts import read_dedup_count
from poolwright.domain.errors import UserError

CORPUS = Path(__file__).parents[3] / "shared" / "corpus"

SIMULATED = """Simulated DDT histogram:

bucket              allocated                       referenced
______   ______________________________   ______________________________
refcnt   blocks   LSIZE   PSIZE   DSIZE   blocks   LSIZE   PSIZE   DSIZE
------   ------   -----   -----   -----   ------   -----   -----   -----
     1     555K   69.3G   33.3G   33.3G     555K   69.3G   33.3G   33.3G
    2M        1    128K    128K    128K    2.13M    272G    272G    272G
 Total     555K   69.3G   33.3G   33.3G    2.67M    342G    306G    306G

dedup = 9.18, compress = 1.12, copies = 1.00, dedup * compress / copies = 10.26
"""


def test_that_the_simulation_of_the_thesis_is_read() -> None:
    count = read_dedup_count(SIMULATED)
    assert count.simulated
    assert count.factor == 9.18
    assert count.allocated.blocks == 555 * 1024
    assert count.referenced.logical_bytes == 342 << 30
    assert count.table_disk_bytes is None


def test_that_a_histogram_without_its_end_is_added_up() -> None:
    count = read_dedup_count(SIMULATED[: SIMULATED.index(" Total")])
    assert count.allocated.blocks == 555 * 1024 + 1
    assert count.factor == pytest.approx(9.18, rel=0.01)


def test_that_sizes_of_entries_are_told_from_sizes_of_tables() -> None:
    older = "DDT-sha256-zap-duplicate: 1183 entries, size 488 on disk, 155 in core\n" + SIMULATED
    newer = "DDT-sha256-zap-duplicate: dspace=454656; mspace=294912; entries=1284\n" + SIMULATED
    assert read_dedup_count(older).table_disk_bytes == 1183 * 488
    assert read_dedup_count(older).table_core_bytes == 1183 * 155
    assert (read_dedup_count(newer).table_disk_bytes, read_dedup_count(newer).table_core_bytes) == (454656, 294912)


def test_that_zpool_status_tells_entries_before_and_tables_since_2_3() -> None:
    older = " dedup: DDT entries 1000, size 400B on disk, 150B in core\n" + SIMULATED
    newer = " dedup: DDT entries 265611, size 82.9M on disk, 51.0M in core, 51.0M cached (100.00%)\n" + SIMULATED
    assert read_dedup_count(older).table_core_bytes == 150_000
    assert read_dedup_count(newer).table_core_bytes == 51 << 20


@pytest.mark.parametrize("text", ["", "no pool", "dedup = 1.00, compress = 1.00"])
def test_that_a_text_without_a_histogram_is_refused(text: str) -> None:
    with pytest.raises(UserError, match="no dedup histogram"):
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
