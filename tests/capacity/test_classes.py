"""Which kind of vdev OpenZFS takes for which class, and what is counted of it."""

import pytest

from poolwright.capacity.device import MemberKind
from poolwright.capacity.pool import VdevDevices, check_class, predict_devices, predict_pool
from poolwright.domain.errors import Refusal, UserError
from poolwright.domain.units import GIB
from poolwright.domain.vdev import VdevClass, VdevKind, VdevSpec, parse_spec
from poolwright.domain.version import ZfsVersion

V232, V240 = ZfsVersion(2, 3, 2), ZfsVersion(2, 4, 0)
SUPPORT = [vdev_class for vdev_class in VdevClass if vdev_class is not VdevClass.DATA]
# zpool_vdev.c and spa.c: cache and spare only plain devices, a log no parity, special and dedup parity since 2.4.
TAKEN = {
    VdevClass.CACHE: "stripe",
    VdevClass.SPARE: "stripe",
    VdevClass.LOG: "stripe mirror",
    VdevClass.SPECIAL: "stripe mirror",
    VdevClass.DEDUP: "stripe mirror",
}
ALL = "stripe mirror raidz draid"


def taken(vdev_class: VdevClass, kind: VdevKind, version: ZfsVersion) -> bool:
    spec = VdevSpec(kind=kind, sizes=(GIB,) * 6, parity=1, vdev_class=vdev_class)
    try:
        check_class(spec, version)
    except Refusal as refused:
        return [refused.where] != list(refused.reasons) or vdev_class.value not in refused.reasons[0]
    return True


@pytest.mark.parametrize("vdev_class", SUPPORT)
@pytest.mark.parametrize("kind", VdevKind)
def test_that_a_class_takes_the_kinds_that_openzfs_takes(vdev_class: VdevClass, kind: VdevKind) -> None:
    assert taken(vdev_class, kind, V232) is (kind.value in TAKEN[vdev_class].split())
    since_2_4 = ALL if vdev_class in (VdevClass.SPECIAL, VdevClass.DEDUP) else TAKEN[vdev_class]
    assert taken(vdev_class, kind, V240) is (kind.value in since_2_4.split())
    assert taken(VdevClass.DATA, kind, V232)


@pytest.mark.parametrize("vdev_class", SUPPORT)
def test_that_special_and_dedup_came_with_0_8(vdev_class: VdevClass) -> None:
    new = vdev_class in (VdevClass.SPECIAL, VdevClass.DEDUP)
    assert taken(vdev_class, VdevKind.STRIPE, ZfsVersion(0, 7, 99)) is not new
    assert taken(vdev_class, VdevKind.STRIPE, ZfsVersion(0, 8, 0))


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ("cache/mirror:2x1TB", "cache vdevs of OpenZFS 2.3.2 are plain devices, not mirror"),
        ("log/raidz1:3x1TB", "log vdevs of OpenZFS 2.3.2 are plain devices or mirrors, not raidz1"),
        ("special/draid1:2d:4x1TB", "special vdevs of OpenZFS 2.3.2 are plain devices or mirrors, not draid1:2d"),
    ],
)
def test_that_the_reason_names_what_the_class_does_take(spec: str, reason: str) -> None:
    with pytest.raises(Refusal) as refused:
        check_class(parse_spec(spec), V232)
    assert refused.value.reasons == (reason,)


@pytest.mark.parametrize(
    ("support", "in_size"), [("special", True), ("dedup", True), ("log", False), ("cache", False), ("spare", False)]
)
def test_that_of_support_vdevs_only_special_and_dedup_are_in_size_and_none_is_usable(
    support: str, in_size: bool
) -> None:
    data, beside = parse_spec("mirror:2x100GiB", exact=True), parse_spec(f"{support}/stripe:1x20GiB", exact=True)
    alone = predict_pool((data,), ashift=12, version=V232, members=MemberKind.FILE)
    both = predict_pool((data, beside), ashift=12, version=V232, members=MemberKind.FILE)
    # 20 GiB less the labels: 39 metaslabs of 512 MiB.
    assert both.pool_size_bytes - alone.pool_size_bytes == (39 << 29 if in_size else 0)
    assert both.available_bytes == alone.available_bytes
    assert both.normal_bytes == alone.normal_bytes == both.available_bytes + both.slop_bytes
    assert both.layout == (data, beside)
    assert [placed.index for placed in both.vdevs] == [0, 1]


def test_that_equal_vdevs_are_counted_each_and_named_by_their_place() -> None:
    stripe, mirror = parse_spec("stripe:50GiB,50GiB,60GiB", exact=True), parse_spec("mirror:2x100GiB", exact=True)
    pool = predict_pool((mirror, mirror, mirror, stripe), ashift=12, version=V232, members=MemberKind.FILE)
    leaf = {size: (size << 30) - 4718592 for size in (50, 60, 100)}
    assert [(v.index, v.count, v.device_sum, v.leaf_sum) for v in pool.vdevs] == [
        (0, 3, 600 * GIB, 6 * leaf[100]),
        (3, 2, 100 * GIB, 2 * leaf[50]),
        (3, 1, 60 * GIB, leaf[60]),
    ]
    assert pool.layout == (mirror, mirror, mirror, stripe)
    # 50 and 60 GiB less the labels: 99 and 119 metaslabs of 512 MiB; 100 GiB: 199.
    assert pool.metaslab_count == 3 * 199 + 2 * 99 + 119
    assert (pool.metaslab_shift, pool.pool_size_bytes) == (29, pool.metaslab_count << 29)
    twice = VdevDevices(spec=stripe, devices=stripe.sizes, count=2)
    doubled = predict_devices((twice,), ashift=12, version=V232, members=MemberKind.FILE)
    assert [(v.index, v.count, v.device_sum, v.leaf_sum) for v in doubled.vdevs] == [
        (0, 4, 200 * GIB, 4 * leaf[50]),
        (0, 2, 120 * GIB, 2 * leaf[60]),
    ]
    assert doubled.layout == (stripe, stripe)


def test_that_a_draid_keeps_its_group_and_spares_and_others_have_none() -> None:
    draid, raidz = parse_spec("draid2:4d:2s:14x1TB"), parse_spec("raidz2:8x1TB")
    pool = predict_pool((draid, raidz), ashift=12, version=V232)
    tops = [(v.top.kind, v.top.width, v.top.parity, v.top.group_data, v.top.spares) for v in pool.vdevs]
    assert tops == [(VdevKind.DRAID, 14, 2, 4, 2), (VdevKind.RAIDZ, 8, 2, 0, 0)]


def test_that_versions_are_modelled_from_0_6_0_on() -> None:
    layout = (parse_spec("mirror:2x1TB"),)
    assert predict_pool(layout, ashift=12, version=ZfsVersion(0, 6, 0)).available_bytes > 0
    with pytest.raises(UserError, match=r"0\.5\.99 is not modelled"):
        predict_pool(layout, ashift=12, version=ZfsVersion(0, 5, 99))
