"""Every pool that real OpenZFS made, byte for byte."""

import csv
from collections.abc import Iterator
from pathlib import Path

import pytest

from poolwright.capacity.device import MemberKind, device_bytes
from poolwright.capacity.pool import predict_pool
from poolwright.domain.errors import Refusal
from poolwright.domain.vdev import Layout, parse_spec
from poolwright.domain.version import ZfsVersion

OWN = Path(__file__).parent / "pools-of-our-machine.tsv"
TRUTH = Path(__file__).parents[3] / "shared" / "truth"


def rows(path: Path) -> Iterator[list[str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        yield from (row for row in csv.reader(stream, delimiter="\t") if row and not row[0].startswith("#"))


def layout_of(text: str) -> Layout:
    return tuple(parse_spec(spec) for spec in text.split())


def check(row: list[str]) -> str | None:
    """Return what differs between a recorded pool and the prediction."""
    zfs, ashift, members, vdevs, status, size, total, *_ = row
    try:
        got = predict_pool(
            layout_of(vdevs), ashift=int(ashift), version=ZfsVersion.parse(zfs), members=MemberKind(members)
        )
    except Refusal as refusal:
        return None if status.startswith("refused") else f"{vdevs}: refused, but made: {refusal}"
    if status.startswith("refused"):
        return f"{vdevs}: predicted, but refused"
    if (got.pool_size_bytes, got.available_bytes) != (int(size), int(total)):
        return f"{vdevs} ashift {ashift}: {got.pool_size_bytes}, {got.available_bytes} instead of {size}, {total}"
    return None


def test_that_every_pool_made_on_our_own_machine_is_predicted_to_the_byte() -> None:
    recorded = list(rows(OWN))
    assert len(recorded) >= 150
    assert [wrong for row in recorded if (wrong := check(row))] == []


@pytest.mark.parametrize("name", ["pools-2.3.2", "pools-2.1.11", "pools-support"])
def test_that_every_pool_of_the_truth_tables_is_predicted_to_the_byte(name: str) -> None:
    path = TRUTH / f"{name}.tsv"
    if not path.is_file():
        pytest.skip("the truth tables are not beside this checkout")
    assert [wrong for row in rows(path) if (wrong := check(row))] == []


def test_that_every_whole_disk_of_the_truth_table_is_predicted_to_the_byte() -> None:
    path = TRUTH / "whole-disks-2.1.11.tsv"
    if not path.is_file():
        pytest.skip("the truth tables are not beside this checkout")
    for zfs, ashift, disk, sector, partition, _, size, total, *_ in rows(path):
        version = ZfsVersion.parse(zfs)
        assert device_bytes(int(disk), MemberKind.DISK, int(sector), version) == int(partition)
        got = predict_pool(
            layout_of(f"stripe:{disk}"), ashift=int(ashift), version=version, logical_sector_bytes=int(sector)
        )
        assert (got.pool_size_bytes, got.available_bytes) == (int(size), int(total))
