"""What datasets take, against `zfs get used` of pools we made and wrote to with OpenZFS 2.3.2."""

from pathlib import Path

import pytest
from tests.predict.shipped import layout

from poolwright.capacity.pool import PoolCapacity, predict_pool
from poolwright.domain.version import ZfsVersion
from poolwright.predict.space import volume_reservation
from poolwright.predict.usage import StoredContent, block_efficiency, predict_usage

V232 = ZfsVersion(2, 3, 2)
HALF_RATIO = 1.97  # 8 KiB of zeros and 8 KiB of noise with what lz4 writes around them


def pool(*specs: str) -> PoolCapacity:
    return predict_pool(layout(*specs), ashift=12, version=V232)


POOLS = {
    "rz": pool("raidz2:8x6001175126016"),
    "mi": pool("mirror:2x6001175126016", "special/mirror:2x480103981056"),
    "dr": pool("draid2:4d:1s:11x6001175126016"),
    "two": pool("raidz1:3x6001175126016", "raidz1:3x6001175126016"),
    "mixed": pool("raidz1:3x6001175126016", "raidz1:5x6001175126016"),
}


def table(name: str) -> list[dict[str, str]]:
    lines = Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines()
    head, *rows = [line.split("\t") for line in lines if not line.startswith("#")]
    return [dict(zip(head, row, strict=True)) for row in rows]


USED, RESERVED = table("used-of-our-machine.tsv"), table("reserved-of-our-machine.tsv")


def content_of(row: dict[str, str]) -> StoredContent:
    size, volume = int(row["size_bytes"]), row["kind"] == "volume"
    ratio = None if row["compression"] == "off" else HALF_RATIO if row["data"] == "half" else 1.0
    return StoredContent(
        name="measured",
        logical_bytes=size * int(row["count"]),
        block_bytes=int(row["block_bytes"]),
        file_bytes=None if volume else size,
        volume=volume,
        compress_ratio=ratio,
        copies=int(row["copies"]),
        special_small_bytes=int(row["special_small_bytes"]),
    )


@pytest.mark.parametrize("row", USED, ids=[" ".join(list(row.values())[:9]) for row in USED])
def test_that_a_dataset_takes_what_was_measured(row: dict[str, str]) -> None:
    found = predict_usage(POOLS[row["pool"]], (content_of(row),)).datasets[0]
    measured = int(row["used_bytes"])
    assert found.used.typical == pytest.approx(measured, rel=0.015)
    assert found.used.low <= measured <= found.used.high


def test_that_nothing_but_metadata_is_estimated() -> None:
    # What is measured beyond the data's own blocks stays within a factor of two of the metadata predicted.
    for row in USED:
        found = predict_usage(POOLS[row["pool"]], (content_of(row),)).datasets[0]
        beyond = int(row["used_bytes"]) - found.data.typical
        assert found.metadata.low <= beyond <= found.metadata.high, row


def test_that_the_special_vdev_got_what_was_measured() -> None:
    # `zpool list -v` ALLOC of the special mirror before and after 3000 files of 4096 bytes: 618496 and 13905920.
    row = next(r for r in USED if r["special_small_bytes"] != "0" and r["size_bytes"] == "4096")
    found = predict_usage(POOLS["mi"], (content_of(row),))
    assert found.special.typical == pytest.approx(13905920 - 618496, rel=0.02)


@pytest.mark.parametrize("row", RESERVED, ids=[" ".join(row.values()) for row in RESERVED])
def test_that_a_volume_reserves_what_zfs_create_reserved(row: dict[str, str]) -> None:
    found = volume_reservation(POOLS[row["pool"]], int(row["volume_bytes"]), int(row["block_bytes"]))
    assert found == int(row["refreservation"])


@pytest.mark.parametrize(("block", "percent"), [(8192, 33.3), (16384, 66.7), (131072, 71.1), (1 << 20, 74.9)])
def test_that_a_block_fills_its_share_of_raidz2_of_8(block: int, percent: float) -> None:
    efficiency, nominal = block_efficiency(POOLS["rz"], block)
    assert 100 * efficiency == pytest.approx(percent, abs=0.1)
    assert nominal == pytest.approx(0.75)
