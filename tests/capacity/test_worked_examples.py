"""The worked examples of OpenZFS's space arithmetic, each seen on a real pool."""

import pytest
from tests.cases import cases

from poolwright.capacity.device import MemberKind, device_bytes
from poolwright.capacity.pool import predict_pool
from poolwright.domain.errors import Refusal, UserError
from poolwright.domain.units import TIB
from poolwright.domain.vdev import parse_spec
from poolwright.domain.version import ZfsVersion

V2_3_2, V2_4_4 = ZfsVersion(2, 3, 2), ZfsVersion(2, 4, 4)


@pytest.mark.parametrize(
    ("spec", "members", "ashift", "size", "total"),
    [
        (f"stripe:{TIB}", "file", 9, 1090921693184, 1057098825728),
        (f"stripe:{TIB}", "file", 12, 1090921693184, 1057098825728),
        ("mirror:2x4000787030016", "disk", 12, 3985729650688, 3861712470016),
        ("raidz2:8x6001175126016", "file", 12, 48000554500096, 33987955261440),
        ("draid2:8d:2s:24x6001175126016", "file", 12, 132009863004160, 105315752391648),
    ],
)
def test_that_a_new_pool_has_the_size_that_real_openzfs_printed(
    spec: str, members: str, ashift: int, size: int, total: int
) -> None:
    capacity = predict_pool((parse_spec(spec),), ashift=ashift, version=V2_3_2, members=MemberKind(members))
    assert (capacity.pool_size_bytes, capacity.available_bytes) == (size, total)


@pytest.mark.parametrize(
    ("disk", "sector", "partition"),
    [
        (6001175126016, 512, 6001165074432),
        (6001175126016, 4096, 6001092722688),
        (4000787030016, 512, 4000776716288),
        (500107862016, 512, 500098400256),
        (960197124096, 512, 960187334656),
        (107374182912, 512, 107363696640),
    ],
)
def test_that_partition_1_of_a_whole_disk_has_the_size_seen_on_real_disks(
    disk: int, sector: int, partition: int
) -> None:
    assert device_bytes(disk, MemberKind.DISK, sector, V2_3_2) == partition


def test_that_a_special_vdev_raises_the_available_space_since_2_4_only() -> None:
    layout = (parse_spec("mirror:2x200000000000"), parse_spec("special/mirror:2x200000000000"))
    old = predict_pool(layout, ashift=12, version=V2_3_2, members=MemberKind.FILE)
    new = predict_pool(layout, ashift=12, version=V2_4_4, members=MemberKind.FILE)
    assert (old.available_bytes, new.available_bytes) == (193508409344, 194582151168)


def test_that_a_pool_without_data_vdev_is_refused() -> None:
    with pytest.raises(Refusal, match="data vdev"):
        predict_pool((parse_spec("special/mirror:2x1TB"),), ashift=12, version=V2_3_2)


@pytest.mark.parametrize(("taken", "refused"), [(9, 8), (16, 17), (12, 0)])
def test_that_an_ashift_openzfs_does_not_take_is_bad_input(taken: int, refused: int) -> None:
    assert predict_pool((parse_spec("mirror:2x6TB"),), ashift=taken, version=V2_3_2).available_bytes > 0
    with pytest.raises(UserError, match="9 to 16"):
        predict_pool((parse_spec("mirror:2x6TB"),), ashift=refused, version=V2_3_2)


@pytest.mark.parametrize(("most", "more", "word"), cases(__file__, "bounds"))
def test_that_a_vdev_is_taken_up_to_the_bounds_of_openzfs_and_not_beyond(most: str, more: str, word: str) -> None:
    assert predict_pool((parse_spec(most),), ashift=12, version=V2_3_2).available_bytes > 0
    with pytest.raises(Refusal) as refused:
        predict_pool((parse_spec(more),), ashift=12, version=V2_3_2)
    assert word in " ".join(refused.value.reasons)
