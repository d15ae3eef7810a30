"""Trade sizes: what a disk sold as 6 TB holds at least, whoever made it.

Makers agreed on it (IDEMA document LBA1-03, SFF-8447): up to 8 TB 97696368 sectors of 512 bytes for 50 GB and 1953504
for each further GB; above, 1953125 for each GB, rounded up to a multiple of 2^21. A disk that is larger than the agreed
size cannot be replaced by just any disk of the same label.
"""

from bisect import bisect_right
from functools import lru_cache

from poolwright.domain.slices import sliceable_bytes, whole_slice

_SECTOR, _FIRST, _EACH = 512, 97_696_368, 1_953_504
_FIRST_GB = 50
_ROUNDED_ABOVE_GB, _EACH_ROUNDED, _ROUNDED_TO = 8000, 1_953_125, 1 << 21
# What is sold, in GB of 10^9 bytes: flash, then hard disks.
_SOLD_GB = sorted({
    60, 64, 80, 100, 120, 128, 160, 200, 240, 250, 256, 280, 300, 320, 375, 400, 480, 500, 512, 600, 640, 750, 800,
    900, 960, 1000, 1024, 1200, 1500, 1600, 1800, 1920, 2000, 2048, 2400, 3000, 3200, 3840, 4000, 4096, 5000, 6000,
    6400, 7680, 8000, 10000, 12000, 12800, 14000, 15360, 16000, 18000, 20000, 22000, 24000, 26000, 28000, 30000, 30720,
    32000, 36000,
})  # fmt: skip
# A disk larger than its trade size by more than this is no disk of that label: a virtual one, or cut to size.
_MOST_PERCENT = 2


def _agreed(gigabytes: int) -> int:
    if gigabytes > _ROUNDED_ABOVE_GB:
        return -(-gigabytes * _EACH_ROUNDED // _ROUNDED_TO) * _ROUNDED_TO * _SECTOR
    return (_FIRST + _EACH * (gigabytes - _FIRST_GB)) * _SECTOR


_AGREED = tuple(_agreed(gigabytes) for gigabytes in _SOLD_GB)


@lru_cache(maxsize=1024)
def trade_bytes(size_bytes: int) -> int | None:
    """Return the agreed size of the largest trade size that ``size_bytes`` reaches; None where it is none."""
    place = bisect_right(_AGREED, size_bytes)
    best = _AGREED[place - 1] if place else None
    if best is None or (size_bytes - best) * 100 > best * _MOST_PERCENT:
        return None
    return best


def beyond_trade_size(size_bytes: int) -> int:
    """Return how many bytes a disk holds beyond its trade size; 0 where it has none."""
    agreed = trade_bytes(size_bytes)
    return 0 if agreed is None else size_bytes - agreed


# What the pool manager of TrueNAS leaves at the end of a disk for the same reason; of small disks a hundredth.
REPLACEMENT_SLACK_BYTES = 2 << 30
_LEAST_SHARE = 100


def slack_slice(size_bytes: int) -> int:
    """Return the bytes of the partition that leaves room for a slightly smaller replacement of a disk.

    It ends 2 GiB (of small disks a hundredth) before the agreed size of the disk's label, or before the disk's own end
    where it has none, in whole MiB.
    """
    agreed = trade_bytes(size_bytes) or size_bytes
    return min(whole_slice(agreed - min(REPLACEMENT_SLACK_BYTES, agreed // _LEAST_SHARE)), sliceable_bytes(size_bytes))
