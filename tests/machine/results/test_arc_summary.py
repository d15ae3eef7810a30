"""arc_summary, as real machines print them."""

from pathlib import Path

import pytest

from poolwright.domain.errors import UserError
from poolwright.domain.measurement import BenchTool, Recorded
from poolwright.store.read_results import read_result

CORPUS = Path(__file__).parents[4] / "shared" / "corpus" / "arc_summary"
SUMMARY = """
------------------------------------------------------------------------
ZFS Subsystem Report                            Fri Nov 20 08:41:00 2026
Linux 6.1.0                                                      2.1.11-1
Machine: box (x86_64)                                            2.1.11-1

ARC size (current):                                    20.0 %  390.5 MiB
        Max size (high water):                           16:1    1.9 GiB
        Metadata cache size (current):                  < 0.1 %  0 Bytes

ARC total accesses (hits + misses):                                32.9k
        Cache hit ratio:                               99.8 %      32.8k
        Data prefetch efficiency:                         n/a          0

Tunables:
        zfs_abd_scatter_enabled                                        1
"""


def read(text: str) -> Recorded:
    (recorded,) = read_result(text.encode(), "told.txt")
    return recorded


def test_that_a_report_tells_its_sizes_counts_and_shares() -> None:
    recorded = read(SUMMARY)
    assert (recorded.tool, recorded.version, recorded.host) == (BenchTool.ARC_SUMMARY, "2.1.11-1", "box")
    assert dict(recorded.facts) == {
        "ARC size (current) (%)": 20.0,
        "ARC size (current)": 390.5 * (1 << 20),
        "ARC size (current): Metadata cache size (current) (%)": 0.1,
        "ARC size (current): Metadata cache size (current)": 0.0,
        "ARC total accesses (hits + misses)": 32_900.0,
        "ARC total accesses (hits + misses): Cache hit ratio (%)": 99.8,
        "ARC total accesses (hits + misses): Cache hit ratio": 32_800.0,
    }


def test_that_a_report_without_the_arc_is_refused() -> None:
    with pytest.raises(UserError, match="nothing from arc_summary"):
        read("ZFS Subsystem Report   Fri Nov 20 08:41:00 2026\n")


def test_that_rows_of_arcstat_are_refused_and_what_is_read_is_named() -> None:
    with pytest.raises(UserError, match="arcstat is not read"):
        read("    time  read  miss  miss%\n23:59:59     8     2     25\n")


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the collection of real files is not here")
def test_that_real_ones_are_read() -> None:
    for path in sorted(CORPUS.iterdir()):
        if "arcstat" not in path.name:
            (recorded,) = read_result(path.read_bytes(), path.name)
            assert len(recorded.facts) > 30
