"""Block statistics as zdb prints them."""

from pathlib import Path

import pytest

from poolwright.domain.units import KIB, MIB
from poolwright.machine.zdb import read_block_count

RECORDED = (Path(__file__).parent / "zdb-blocks-of-our-machine.txt").read_text(encoding="utf-8")
# Releases before the total of metadata was printed.
OLDER = """Blocks  LSIZE   PSIZE   ASIZE     avg    comp   %Total  Type
     2    32K      8K     24K     12K    4.00     0.00  object directory
   100   12M     400K    800K      8K   30.00     0.10      L1 ZFS plain file
  1000  125M     100M    150M    150K    1.25    99.00      L0 ZFS plain file
  1100  137M     100M    151M    140K    1.36    99.10  ZFS plain file
  1102  137M     100M    151M    140K    1.36   100.00  Total

Block Size Histogram

  block   psize                lsize                asize
   size   Count   Size   Cum.  Count   Size   Cum.  Count   Size   Cum.
    512:   833K   416M   416M   833K   416M   416M      0      0      0
     4K:  2.63M  11.6G  15.6G   963K  5.31G  9.25G      0      0      0
"""


def test_that_the_output_of_our_machine_is_read() -> None:
    count = read_block_count(RECORDED)
    assert count.metadata_blocks == 732
    assert count.metadata_bytes == round(6.01 * MIB)
    assert count.data_logical_bytes == 406 * MIB
    assert count.classes[0].size_bytes == 512
    assert count.classes[-1].size_bytes == 128 * KIB  # empty buckets are left out
    assert sum(c.physical_bytes for c in count.classes) == pytest.approx(409 * MIB, rel=0.01)
