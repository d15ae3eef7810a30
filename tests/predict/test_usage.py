"""What data charge, against deltas of `used` that were read from real pools (ashift 12, OpenZFS 2.4)."""

import pytest
from tests.predict.shipped import layout

from poolwright.capacity.device import MemberKind
from poolwright.capacity.pool import PoolCapacity, predict_pool
from poolwright.domain.units import GIB, KIB, MIB, TB, TIB
from poolwright.domain.version import ZfsVersion
from poolwright.predict.usage import DatasetUsage, PoolUsage, StoredContent, predict_usage


def pool(*specs: str) -> PoolCapacity:
    return predict_pool(layout(*specs), ashift=12, version=ZfsVersion(2, 4, 4), members=MemberKind.FILE)


MIRROR, RAIDZ2, DRAID = pool("mirror:2x4TB"), pool("raidz2:8x6TB"), pool("draid2:8d:2s:24x6TB")
POOLS = {"mirror": MIRROR, "raidz2": RAIDZ2, "draid2": DRAID}


def one(capacity: PoolCapacity, content: StoredContent) -> DatasetUsage:
    return predict_usage(capacity, (content,)).datasets[0]


def file_of(size: int, block: int = 128 * KIB, ratio: float | None = None) -> StoredContent:
    return StoredContent(name="home", logical_bytes=size, file_bytes=size, block_bytes=block, compress_ratio=ratio)


@pytest.mark.parametrize(
    ("kind", "size", "block", "data", "indirect"),
    [
        ("mirror", 1, 128 * KIB, 4096, 0),
        ("raidz2", 4096, 128 * KIB, 8736, 0),
        ("draid2", 4096, 128 * KIB, 32720, 0),
        ("raidz2", 5000, 128 * KIB, 17472, 0),
        ("mirror", 100_000, 128 * KIB, 102_400, 0),
        ("raidz2", 100_000, 128 * KIB, 104_832, 0),
        ("mirror", 131_073, 128 * KIB, 262_144, 2 * 4096),
        ("raidz2", 131_073, 128 * KIB, 2 * 131_040, 2 * 8736),
        ("mirror", 10_000_000, 128 * KIB, 77 * 131_072, 2 * 4096),
        ("raidz2", MIB, MIB, 995_904, 0),
        ("raidz2", MIB, 4 * KIB, 256 * 8736, 2 * 17_472),
        ("draid2", MIB, 4 * KIB, 256 * 32_720, 2 * 32_720),
        ("raidz2", 10_000_000, 16 * KIB, 611 * 17_472, 2 * 34_944),
    ],
)
def test_that_uncompressed_files_charge_what_was_measured(
    kind: str, size: int, block: int, data: int, indirect: int
) -> None:
    found = one(POOLS[kind], file_of(size, block))
    assert found.data.typical == pytest.approx(data)
    assert found.data.low == found.data.high == found.data.typical
    dnode = one(POOLS[kind], file_of(1)).metadata.typical
    assert found.metadata.typical == pytest.approx(indirect + dnode)


def test_that_small_files_cost_what_ten_thousand_of_them_were_measured_to_cost() -> None:
    # 10,000 files of 100 to 4000 random bytes: 4460 bytes each on a mirror, 9510 on raidz2 of 8.
    for kind, each in (("mirror", 4460), ("raidz2", 9510)):
        content = StoredContent(
            name="mail", logical_bytes=10_000 * 2048, file_bytes=2048, block_bytes=128 * KIB, compress_ratio=None
        )
        assert one(POOLS[kind], content).used.typical == pytest.approx(10_000 * each, rel=0.002)


@pytest.mark.parametrize(("block", "factor"), [(4 * KIB, 2.133), (8 * KIB, 2.133), (16 * KIB, 1.066), (128 * KIB, 1.0)])
def test_that_a_volume_on_raidz2_of_8_pays_for_padding(block: int, factor: float) -> None:
    content = StoredContent(name="vm", logical_bytes=10 * GIB, block_bytes=block, volume=True, compress_ratio=None)
    assert one(RAIDZ2, content).data.typical / (10 * GIB) == pytest.approx(factor, abs=1e-3)


def test_that_compression_counts_only_what_whole_sectors_save() -> None:
    half = one(MIRROR, StoredContent(name="a", logical_bytes=GIB, block_bytes=128 * KIB, compress_ratio=2.0))
    assert half.data.typical == pytest.approx(GIB / 2)
    assert half.data.low < half.data.typical < half.data.high
    # A block of 8K at a ratio of 1.5 still takes two sectors: nothing is saved.
    small = one(
        MIRROR, StoredContent(name="a", logical_bytes=GIB, block_bytes=8 * KIB, volume=True, compress_ratio=1.5)
    )
    assert small.data.typical == pytest.approx(GIB)
    # Less than an eighth saved is not kept.
    little = one(MIRROR, StoredContent(name="a", logical_bytes=GIB, block_bytes=128 * KIB, compress_ratio=1.1))
    assert little.data.typical == pytest.approx(GIB)
    # So little that it fits into the block pointer.
    assert one(MIRROR, file_of(4096, ratio=100.0)).data.typical == 0


def test_that_the_padded_end_of_a_file_is_free_with_compression() -> None:
    size = 129 * KIB
    assert one(MIRROR, file_of(size)).data.typical == 256 * KIB
    assert one(MIRROR, file_of(size, ratio=1.0)).data.typical == 128 * KIB + 4 * KIB


def test_that_a_special_vdev_takes_metadata_and_small_blocks() -> None:
    capacity = pool("raidz2:8x6TB", "special/mirror:2x960GB")
    small = StoredContent(
        name="mail", logical_bytes=GIB, file_bytes=2048, block_bytes=128 * KIB, special_small_bytes=16 * KIB
    )
    large = StoredContent(name="film", logical_bytes=TB, block_bytes=MIB, special_small_bytes=16 * KIB)
    found = predict_usage(capacity, (small, large))
    mail, film = found.datasets
    assert mail.special.typical == pytest.approx(mail.used.typical)
    assert film.special.typical == pytest.approx(film.metadata.typical)
    assert found.normal.typical == pytest.approx(film.data.typical)
    assert not found.special_overflows
    # On the mirror a small file takes one sector and not the padded 8736 bytes of the raidz2.
    assert mail.data.typical < one(RAIDZ2, small).data.typical / 2


def test_that_what_a_special_vdev_cannot_hold_lies_on_the_data_vdevs() -> None:
    capacity = pool("raidz2:8x6TB", "special/mirror:2x100GB")
    content = StoredContent(
        name="mail", logical_bytes=TB, file_bytes=4096, block_bytes=128 * KIB, special_small_bytes=4096
    )
    found = predict_usage(capacity, (content,))
    assert found.special_overflows
    assert found.special_bytes is not None
    assert found.special.typical == pytest.approx(0.75 * found.special_bytes)
    assert found.normal.typical > 0.9 * TB


def test_that_a_tree_of_datasets_adds_up() -> None:
    contents = (
        StoredContent(
            name="home", logical_bytes=2 * TIB, file_bytes=200 * KIB, block_bytes=128 * KIB, compress_ratio=1.4
        ),
        StoredContent(name="vm", logical_bytes=3 * TIB, block_bytes=16 * KIB, volume=True, compress_ratio=1.2),
        StoredContent(name="empty", logical_bytes=0, block_bytes=128 * KIB),
    )
    found: PoolUsage = predict_usage(RAIDZ2, contents)
    assert found.used.typical == pytest.approx(sum(d.used.typical for d in found.datasets))
    assert found.datasets[2].used.typical == 0
    assert found.used.low < found.used.typical < found.used.high


def test_that_the_band_of_the_ratio_is_the_band_of_the_space() -> None:
    content = StoredContent(
        name="a", logical_bytes=GIB, block_bytes=128 * KIB, compress_ratio=1.6, ratio_band=(1.0, 4.0)
    )
    found = one(MIRROR, content)
    # Whole sectors of 4 KiB: 80 KiB, 32 KiB and 128 KiB of each block of 128.
    assert [found.data.low, found.data.typical, found.data.high] == [GIB * n / 128 for n in (32, 80, 128)]


def test_that_bytes_on_disks_are_those_of_every_member() -> None:
    # 128 KiB blocks: 2 copies on the mirror; 45 sectors for 32 of data on raidz2 of 8, 42.7 without padding.
    content = StoredContent(name="a", logical_bytes=GIB, block_bytes=128 * KIB, compress_ratio=None)
    mirror, raidz = one(MIRROR, content), one(RAIDZ2, content)
    assert (mirror.disk_bytes, mirror.ideal_disk_bytes) == (2 * GIB, 2 * GIB)
    assert raidz.disk_bytes == pytest.approx(GIB * 45 / 32)
    assert raidz.ideal_disk_bytes == pytest.approx(GIB / 0.75)


def test_that_unlike_vdevs_count_by_their_space() -> None:
    content = file_of(GIB)
    alike = [one(pool(spec), content).disk_bytes for spec in ("raidz2:8x6TB", "mirror:2x6TB")]
    mixed = one(pool("raidz2:8x6TB", "mirror:2x6TB", "raidz2:8x6TB", "mirror:2x6TB"), content).disk_bytes
    assert min(alike) < mixed < max(alike)
