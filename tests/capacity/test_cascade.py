"""The way from raw to usable names each loss and loses nothing on the way."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from poolwright.capacity.device import MemberKind
from poolwright.capacity.explained import cascade
from poolwright.capacity.pool import predict_pool
from poolwright.domain.units import GIB
from poolwright.domain.vdev import Layout, VdevClass, VdevKind, VdevSpec, parse_spec
from poolwright.domain.version import ZfsVersion

VERSION = ZfsVersion(2, 3, 2)


@st.composite
def layouts(draw: st.DrawFn) -> Layout:
    vdevs = []
    for _ in range(draw(st.integers(1, 4))):
        kind = draw(st.sampled_from(list(VdevKind)))
        parity = draw(st.integers(1, 3)) if kind in (VdevKind.RAIDZ, VdevKind.DRAID) else 0
        width = draw(st.integers(parity + 2, 20))
        sizes = draw(st.lists(st.integers(8 * GIB, 30000 * GIB), min_size=width, max_size=width))
        vdevs.append(VdevSpec(kind=kind, parity=parity, sizes=tuple(sizes)))
    return tuple(vdevs)


@given(layout=layouts(), ashift=st.integers(9, 16), members=st.sampled_from(MemberKind))
def test_that_each_step_is_the_one_before_less_its_loss(layout: Layout, ashift: int, members: MemberKind) -> None:
    capacity = predict_pool(layout, ashift=ashift, version=VERSION, members=members)
    steps = cascade(capacity)
    assert steps[0].bytes_left == sum(sum(vdev.sizes) for vdev in layout)
    for before, step in pairwise(steps):
        assert step.bytes_left == before.bytes_left + step.change_bytes
        assert step.change_bytes <= 0
    by_name = {step.name: step for step in steps}
    assert by_name["usable"].bytes_left == capacity.available_bytes
    assert steps[-1].bytes_left == capacity.plan_bytes
    assert by_name["slop"].change_bytes == -capacity.slop_bytes
    assert len(by_name) == len(steps)


def test_that_equal_vdevs_repeated_as_one_object_or_as_copies_give_the_same() -> None:
    one = parse_spec("raidz2:8x6001175126016")
    repeated = predict_pool((one,) * 5, ashift=12, version=VERSION)
    copies = predict_pool(tuple(parse_spec("raidz2:8x6001175126016") for _ in range(5)), ashift=12, version=VERSION)
    assert repeated.available_bytes == copies.available_bytes
    assert [s.bytes_left for s in cascade(repeated)] == [s.bytes_left for s in cascade(copies)]
    assert repeated.metaslab_count == copies.metaslab_count


def test_that_each_loss_of_a_mixed_pool_is_what_openzfs_takes_there() -> None:
    """By hand: whole disks of 512-byte sectors, a raidz of unequal members, two equal mirrors of three, a special."""
    raidz = (4000787030016, 6001175126016, 6001175126016, 6001175126016)
    small = 960197124096
    layout = (
        VdevSpec(kind=VdevKind.RAIDZ, parity=1, sizes=raidz),
        *(VdevSpec(kind=VdevKind.MIRROR, sizes=(small,) * 3),) * 2,
        VdevSpec(kind=VdevKind.MIRROR, sizes=(small,) * 2, vdev_class=VdevClass.SPECIAL),
    )
    capacity = predict_pool(layout, ashift=12, version=VERSION)
    by_name = {step.name: -step.change_bytes for step in cascade(capacity)}
    disks = (*raidz, *(small,) * 6)
    assert cascade(capacity)[0].bytes_left == sum(disks)
    # Partition 1 leaves out 18465 sectors and ends on 2048; a leaf is whole 256 KiB less 4.5 MiB.
    parts = [(disk // 512 - 18465) // 2048 * 2048 * 512 for disk in disks]
    leaves = [part // 262144 * 262144 - 4718592 for part in parts]
    assert by_name["partitioning"] == sum(disks) - sum(parts)
    assert by_name["labels"] == sum(parts) - sum(leaves)
    assert by_name["unequal-members"] == sum(leaves[:4]) - 4 * leaves[0]
    assert by_name["mirror-copies"] == 2 * 2 * leaves[4]
    # 16 TB in metaslabs of 16 GiB at most, 960 GB in those of 2^33; each gives one to the log.
    slabs = (4 * leaves[0] >> 34, leaves[4] >> 33)
    assert by_name["metaslab-remainder"] == 4 * leaves[0] - (slabs[0] << 34) + 2 * (leaves[4] - (slabs[1] << 33))
    assert by_name["embedded-log"] == (1 << 34) + 2 * (1 << 33)
    assert by_name["parity"] == (slabs[0] - 1 << 25) * (512 - 372)
    log = (1 << 25) * 372 + 2 * (1 << 33)
    normal = (slabs[0] - 1 << 25) * 372 + 2 * (slabs[1] - 1 << 33)
    assert by_name["slop"] == min(normal >> 5, 128 * GIB) - log
    assert "draid-reserve" not in by_name
    available = normal - by_name["slop"]
    assert by_name["fill-reserve"] == available - available * 80 // 100
    assert (capacity.available_bytes, capacity.embedded_usable_bytes) == (available, log)


def test_that_the_losses_stand_in_the_order_in_which_openzfs_takes_them() -> None:
    layout = (
        parse_spec("mirror:2x6TB"), parse_spec("raidz1:6001175126016,6001175126016,4000787030016"),
        parse_spec("draid2:8d:2s:24x6TB"),
    )  # fmt: skip
    assert [step.name for step in cascade(predict_pool(layout, ashift=12, version=VERSION))] == [
        "raw", "partitioning", "labels", "unequal-members", "mirror-copies", "draid-reserve", "metaslab-remainder",
        "embedded-log", "parity", "slop", "usable", "fill-reserve",
    ]  # fmt: skip
