"""arc_summary and arcstat, as real machines print them."""

from pathlib import Path

import numpy as np
import pytest

from poolwright.domain.errors import UserError
from poolwright.domain.latency import BenchTool, Recorded
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


def curves(recorded: Recorded) -> dict[str, list[float]]:
    return {curve.detail: curve.values.tolist() for curve in recorded.curves}


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
    with pytest.raises(UserError, match="nothing of the ARC"):
        read("ZFS Subsystem Report   Fri Nov 20 08:41:00 2026\n")


def test_that_arcstat_tells_the_share_of_hits_and_none_where_nothing_was_asked() -> None:
    told = "    time  read  miss  miss%  dmis  dm%  arcsz     c\n"
    told += "23:59:59     8     2     25     0    0   391M  1.5G\n00:00:01     0     0      0     0    0   391M  1.5G\n"
    recorded = read(told)
    found = curves(recorded)
    assert found["hits"][0] == 0.75
    assert np.isnan(found["hits"][1])
    assert found["demand hits"][0] == 1.0
    assert found["size"] == [391 * (1 << 20)] * 2
    assert found["c"] == [1.5 * (1 << 30)] * 2
    assert recorded.curves[0].ms.tolist() == [0, 2000]


def test_that_the_newer_columns_of_arcstat_are_known() -> None:
    told = "    time  read  ddread  ddh%  dmread  dmh%  pread  ph%   size      c  avail\n"
    told += "14:30:07   100      60    50      40   100      0    0   3.4G   3.9G   1.1G\n"
    found = curves(read(told))
    assert found["demand data hits"] == [0.5]
    assert found["demand metadata hits"] == [1.0]
    assert np.isnan(found["prefetch hits"][0])
    assert found["size"] == [3.4 * (1 << 30)]


def test_that_a_heading_alone_is_refused() -> None:
    with pytest.raises(UserError, match="no row of arcstat"):
        read("    time  read  miss  miss%\n")


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the collection of real files is not here")
def test_that_real_ones_are_read() -> None:
    for path in sorted(CORPUS.iterdir()):
        (recorded,) = read_result(path.read_bytes(), path.name)
        assert len(recorded.facts) > 30 or len(recorded.curves) > 3
        assert recorded.tool in (BenchTool.ARC_SUMMARY, BenchTool.ARCSTAT)
