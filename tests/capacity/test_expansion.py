"""The space of a pool as it grows: to the byte what OpenZFS reported of real ones."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from poolwright.capacity.device import MemberKind, device_bytes, device_for
from poolwright.capacity.expansion import (
    Disks,
    GrownPool,
    attach_disk,
    detach_disk,
    new_pool,
    remove_vdev,
    replace_disks,
    take_steps,
    target,
)
from poolwright.capacity.pool import VdevDevices, predict_pool
from poolwright.domain.errors import Refusal, UserError
from poolwright.domain.growth import GrowthKind, GrowthStep, parse_growth_step
from poolwright.domain.units import GB
from poolwright.domain.vdev import VdevKind, parse_spec
from poolwright.domain.version import ZfsVersion

V232 = ZfsVersion(2, 3, 2)
TRUTH = Path(__file__).with_name("growth-of-our-machine.tsv")


class Row(NamedTuple):
    case: str
    ashift: int
    members: MemberKind
    autoexpand: bool
    created: str
    steps: str
    size: int
    total: int
    metaslabs: str


def rows() -> list[Row]:
    found = []
    for line in TRUTH.read_text("utf-8").splitlines()[3:]:
        case, ashift, members, auto, created, steps, size, total, metaslabs = line.split("\t")
        found.append(
            Row(case, int(ashift), MemberKind(members), auto == "on", created, steps, int(size), int(total), metaslabs)
        )
    return found


def pool_of(
    *specs: str, members: MemberKind = MemberKind.FILE, ashift: int = 12, version: ZfsVersion = V232, auto: bool = True
) -> GrownPool:
    vdevs = []
    for text in specs:
        spec = parse_spec(text)
        devices = tuple(device_bytes(size, members, 512, version) for size in spec.sizes)
        vdevs.append(VdevDevices(spec=spec, devices=devices))
    return new_pool(vdevs, ashift=ashift, version=version, members=members, autoexpand=auto)


def take_step(pool: GrownPool, step: GrowthStep) -> GrownPool:
    return take_steps(pool, [step])[0].pool


def grown(row: Row) -> GrownPool:
    pool = pool_of(*row.created.split(";"), members=row.members, ashift=row.ashift, auto=row.autoexpand)
    for step in row.steps.split(";"):
        if step and step != "import:":
            pool = take_step(pool, parse_growth_step(step.replace(":@", "@")))
    return pool


@pytest.mark.parametrize("row", rows(), ids=lambda row: f"{row.case}-{row.steps.count(';') + bool(row.steps)}")
def test_that_size_and_used_plus_avail_are_those_of_openzfs(row: Row) -> None:
    capacity = grown(row).capacity()
    assert capacity.pool_size_bytes == row.size
    assert capacity.available_bytes == row.total
    told = ",".join(f"{v.capacity.metaslab_count}*2^{v.capacity.metaslab_shift}" for v in capacity.vdevs)
    if ";remove" not in row.steps and "/" not in row.steps:
        assert told == row.metaslabs


def test_that_the_truth_holds_every_kind_of_growth() -> None:
    steps = {step.partition(":")[0] for row in rows() for step in row.steps.split(";") if step}
    assert {kind.value for kind in GrowthKind} <= steps
    words = {row.created.partition(":")[0] for row in rows()}
    assert {"raidz1", "raidz2", "raidz3", "mirror", "stripe", "draid1"} <= words
    assert {row.ashift for row in rows()} >= {9, 12}
    assert {row.members for row in rows()} == set(MemberKind)


@pytest.mark.parametrize("spec", ["raidz2:8x6TB", "mirror:2x4TB", "stripe:3x1TB", "draid2:4d:1s:14x2TB"])
def test_that_a_pool_without_steps_is_a_new_pool(spec: str) -> None:
    new = predict_pool((parse_spec(spec),), ashift=12, version=V232)
    assert pool_of(spec, members=MemberKind.DISK).capacity().available_bytes == new.available_bytes


@pytest.mark.parametrize(
    ("spec", "step", "words"),
    [
        ("draid1:3d:6x1TB", "attach:1TB", "distributed spares of a dRAID vdev"),
        ("raidz1:3x1TB", "attach:900GB", "too small"),
        ("raidz1:3x1TB", "detach@1", "out of a raidz vdev"),
        ("mirror:2x1TB", "add:raidz1:1x1TB", "at least 2"),
        ("mirror:2x1TB", "add:special/raidz1:3x1TB", "plain devices or mirrors"),
    ],
)
def test_that_a_step_openzfs_refuses_has_its_reason(spec: str, step: str, words: str) -> None:
    with pytest.raises(Refusal) as refused:
        take_step(pool_of(spec), parse_growth_step(step))
    assert any(words in reason for reason in refused.value.reasons)


@pytest.mark.parametrize("spec", ["raidz1:5x11882564023", "mirror:2x11882564023"])
@pytest.mark.parametrize("verb", ["attach", "replace"])
def test_that_a_slightly_smaller_disk_is_taken_as_openzfs_takes_it_after_an_import(spec: str, verb: str) -> None:
    # Seen on OpenZFS 2.3.2: 60 MB less is taken, 100 MB less is “too small”. Before the first import neither is.
    smaller = take_step(pool_of(spec), parse_growth_step(f"{verb}:{11882564023 - 60_000_000}"))
    assert smaller.top(0).asize < pool_of(spec).top(0).asize or verb == "attach"
    with pytest.raises(Refusal, match="too small"):
        take_step(pool_of(spec), parse_growth_step(f"{verb}:{11882564023 - 100_000_000}"))


def test_that_a_removed_vdev_is_no_part_of_the_layout_any_more() -> None:
    specs = ("mirror:2x1TB", "mirror:2x2TB", "special/mirror:2x100GB")
    pool = remove_vdev(pool_of(*specs), 0)
    assert pool.capacity().layout == tuple(parse_spec(spec) for spec in specs[1:])


def test_that_a_removed_log_leaves_its_number_to_the_next_vdev() -> None:
    pool = remove_vdev(pool_of("raidz1:3x1TB", "log/mirror:2x10GB"), 1)
    pool = take_step(pool, parse_growth_step("add:raidz1:3x1TB"))
    assert (len(pool.tops), pool.name(1)) == (2, "raidz1-1")


def test_that_disks_of_4096_byte_sectors_join_as_they_are_labelled() -> None:
    step = parse_growth_step("add:mirror:2x1TB")
    pool = pool_of("mirror:2x1TB", members=MemberKind.DISK, version=ZfsVersion(2, 5, 0))
    (large,) = take_steps(pool, [step], logical_sector_bytes=4096)
    (small,) = take_steps(pool, [step])
    assert large.pool != small.pool


def test_that_cache_and_spares_stay_in_the_layout_of_a_pool_that_grows() -> None:
    specs = ("mirror:2x1TB", "spare/stripe:2x1TB", "cache/stripe:1x500GB")
    pool = take_step(pool_of(*specs), parse_growth_step("add:cache/stripe:1x250GB"))
    others = tuple(parse_spec(spec) for spec in (*specs[1:], "cache/stripe:1x250GB"))
    assert pool.capacity().layout == (parse_spec(specs[0]), *others)
    assert pool.capacity().pool_size_bytes == pool_of(specs[0]).capacity().pool_size_bytes


# vdev_get_min_asize: whole metaslabs, shared out among a raidz's disks; a draid's without its spares, and 32 MiB more.
@pytest.mark.parametrize(
    ("spec", "least"),
    [
        ("mirror:2x100GiB", lambda whole: whole),
        ("stripe:1x100GiB", lambda whole: whole),
        ("raidz2:7x100GiB", lambda whole: -(-whole // 7)),
        ("draid1:3d:2s:9x100GiB", lambda whole: 33554432 - (-whole // 7)),
    ],
)
def test_that_a_replacement_must_hold_the_whole_metaslabs_of_its_vdev(spec: str, least: Callable[[int], int]) -> None:
    pool = pool_of(spec)
    top = pool.top(0)
    (placed,) = pool.capacity().vdevs
    whole = placed.capacity.metaslab_count << placed.capacity.metaslab_shift
    assert top.least_replacement_leaf == least(whole)
    assert top.asize - (1 << top.shift) < whole <= top.asize
    taken = device_for(least(whole))
    assert take_step(pool, parse_growth_step(f"replace:{taken}")).top(0).devices == (taken,) * top.width
    with pytest.raises(Refusal, match=f"{taken - (1 << 18)} bytes where {taken} are needed"):
        take_step(pool, parse_growth_step(f"replace:{taken - (1 << 18)}"))


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("mirror:2x1TB", "mirror-0"),
        ("raidz3:5x1TB", "raidz3-0"),
        ("draid2:4d:1s:9x1TB", "draid2:4d:9c:1s-0"),
        ("stripe:1x1TB", "disk 1"),
    ],
)
def test_that_a_vdev_is_called_as_zpool_status_calls_it(spec: str, name: str) -> None:
    assert pool_of(spec).name(0) == name
    assert pool_of("stripe:1x1TB", spec).name(1) == name.replace("-0", "-1").replace("disk 1", "disk 2")
    with pytest.raises(UserError, match=f"{name} has"):
        replace_disks(pool_of(spec), 0, Disks((10**12,) * 20, (10**12,) * 20))


def test_that_replacing_needs_a_size_and_a_device_of_each_member() -> None:
    two = (2 * 10**12,) * 2
    assert replace_disks(pool_of("mirror:2x1TB"), 0, Disks(two, two)).top(0).spec.sizes == two
    for sizes, devices in ((two, two[:1]), (two[:1], two), ((*two, *two), two)):
        with pytest.raises(UserError, match="mirror-0 has 2 members, not"):
            replace_disks(pool_of("mirror:2x1TB"), 0, Disks(sizes, devices))


def test_that_a_number_beside_the_vdevs_or_of_one_that_left_is_refused() -> None:
    pool = remove_vdev(pool_of("mirror:2x1TB", "mirror:2x1TB"), 0)
    assert pool.top(1).width == 2
    for number in (-1, 0, 2):
        with pytest.raises(UserError, match=f"“{number + 1}” is out of range") as refused:
            pool.top(number)
        assert refused.value.todo == "Give 1 to 2."


def test_that_larger_disks_are_used_at_once_with_autoexpand_and_when_asked_without() -> None:
    step = parse_growth_step("replace:2TB")
    small, large = (pool_of(spec).capacity().pool_size_bytes for spec in ("mirror:2x1TB", "mirror:2x2TB"))
    at_once = take_step(pool_of("mirror:2x1TB"), step)
    later = take_step(pool_of("mirror:2x1TB", auto=False), step)
    asked = take_step(later, parse_growth_step("expand"))
    assert later.capacity().pool_size_bytes == small
    assert small < large == asked.capacity().pool_size_bytes == at_once.capacity().pool_size_bytes
    # It keeps the size of its metaslabs.
    assert asked.top(0).shift == at_once.top(0).shift == pool_of("mirror:2x1TB").top(0).shift


def test_that_a_smaller_side_makes_a_mirror_smaller_whatever_autoexpand_says() -> None:
    spec, step = "mirror:2x11882564023", parse_growth_step(f"attach:{11882564023 - 60_000_000}")
    for auto in (True, False):
        pool = take_step(pool_of(spec, auto=auto), step)
        assert pool.top(0).asize == pool.top(0).offered < pool_of(spec).top(0).asize
        back = take_step(pool, parse_growth_step("detach"))
        assert (back.top(0).asize == pool_of(spec).top(0).asize) is auto


def test_that_a_mirror_loses_its_last_side_and_ends_as_a_single_disk() -> None:
    pool = pool_of("mirror:1TB,2TB,3TB")
    two = detach_disk(pool, 0)
    one = detach_disk(two, 0)
    assert (two.top(0).spec.kind, two.top(0).spec.sizes) == (VdevKind.MIRROR, pool.top(0).spec.sizes[:2])
    assert (one.top(0).spec.kind, one.top(0).spec.sizes, one.top(0).devices) == (
        VdevKind.STRIPE, pool.top(0).spec.sizes[:1], pool.top(0).devices[:1],
    )  # fmt: skip
    with pytest.raises(Refusal, match="Only a side of a mirror"):
        detach_disk(one, 0)
    again = take_step(one, parse_growth_step("attach:1TB"))
    assert (again.top(0).spec.kind, again.top(0).width) == (VdevKind.MIRROR, 2)


KEPT = (
    "zpool remove takes no vdev out of a pool that has raidz or dRAID, here {}: only spares, caches and logs leave it."
)
LAST = "It would be the last data vdev: a pool cannot be emptied."


@pytest.mark.parametrize(
    ("specs", "at", "reasons"),
    [
        (("mirror:2x1TB", "special/mirror:2x1TB"), 1, ()),
        (("raidz1:3x1TB", "dedup/stripe:1TB"), 1, (KEPT.format("raidz1-0"),)),
        (("draid1:2d:5x1TB", "log/mirror:2x1TB"), 1, ()),
        (("mirror:2x1TB", "mirror:2x1TB"), 0, ()),
        (("mirror:2x1TB", "special/mirror:2x1TB"), 0, (LAST,)),
        (("raidz2:4x1TB", "raidz3:5x1TB"), 0, (KEPT.format("raidz2-0"),)),
        (("raidz2:4x1TB",), 0, (KEPT.format("raidz2-0"), LAST)),
    ],
)
def test_that_a_vdev_leaves_or_every_reason_is_told(specs: tuple[str, ...], at: int, reasons: tuple[str, ...]) -> None:
    if not reasons:
        assert remove_vdev(pool_of(*specs), at).tops[at].removed
        return
    with pytest.raises(Refusal) as refused:
        remove_vdev(pool_of(*specs), at)
    assert (refused.value.what, refused.value.reasons) == (reasons[0], reasons)


def test_that_a_vdev_that_left_no_longer_keeps_others_from_leaving() -> None:
    pool = remove_vdev(pool_of("mirror:2x1TB", "mirror:2x1TB", "mirror:2x1TB"), 0)
    pool = remove_vdev(pool, 1)
    with pytest.raises(Refusal, match="the last data vdev"):
        remove_vdev(pool, 2)


def test_that_removed_data_keep_raidz_and_draid_out_and_let_mirrors_in() -> None:
    pool = remove_vdev(pool_of("mirror:2x1TB", "mirror:2x1TB"), 0)
    for spec in ("raidz1:3x1TB", "draid1:2d:4x1TB"):
        with pytest.raises(Refusal, match="was removed from this pool before"):
            take_step(pool, parse_growth_step(f"add:{spec}"))
    grown = take_step(pool, parse_growth_step("add:mirror:2x2TB"))
    # What was removed leaves its map behind, and its number with it.
    assert [top.removed for top in grown.tops] == [True, False, False]
    with_log = remove_vdev(pool_of("mirror:2x1TB", "log/stripe:1x10GB", "special/mirror:2x1TB"), 1)
    filled = take_step(with_log, parse_growth_step("add:stripe:2x1TB"))
    assert [top.spec.vdev_class.value for top in filled.tops] == ["data", "data", "special", "data"]


def test_that_expanding_a_raidz_uses_all_it_has_without_autoexpand_too() -> None:
    pool = take_step(pool_of("raidz1:3x1TB", auto=False), parse_growth_step("attach:1TB"))
    assert pool.top(0).asize == pool.top(0).offered == 4 * pool.top(0).shape.least_leaf_bytes
    assert (pool.top(0).born_width, pool.top(0).width) == (3, 4)
    single = take_step(pool_of("stripe:1x1TB", auto=False), parse_growth_step("attach:2TB"))
    assert single.top(0).asize == pool_of("stripe:1x1TB").top(0).asize


def test_that_raidz_grows_from_2_3_0_on() -> None:
    step = parse_growth_step("attach:1TB")
    assert take_step(pool_of("raidz1:3x1TB", version=ZfsVersion(2, 3, 0)), step).top(0).width == 4
    with pytest.raises(Refusal, match=r"needs OpenZFS 2\.3 and the feature raidz_expansion; this is 2\.2\.99"):
        take_step(pool_of("raidz1:3x1TB", version=ZfsVersion(2, 2, 99)), step)
    assert take_step(pool_of("mirror:2x1TB", version=ZfsVersion(2, 0, 0)), step).top(0).width == 3
    widest = attach_disk(pool_of(f"raidz1:254x{GB}"), 0, Disks((GB,), (GB,)))
    with pytest.raises(Refusal, match="at most 255"):
        attach_disk(widest, 0, Disks((GB,), (GB,)))


def test_that_a_step_without_a_number_is_done_to_the_only_vdev_it_fits() -> None:
    pool = pool_of("raidz1:3x1TB", "mirror:2x1TB")
    assert target(pool, parse_growth_step("detach")) == 1
    with pytest.raises(UserError, match="which of 2"):
        target(pool, parse_growth_step("expand"))
    assert target(pool, parse_growth_step("expand@2")) == 1
    left = remove_vdev(pool_of("mirror:2x1TB", "mirror:2x1TB"), 0)
    assert target(left, parse_growth_step("attach:1TB")) == target(left, parse_growth_step("detach")) == 1


def test_that_a_step_that_is_not_complete_is_told_of() -> None:
    for step, words in (
        (GrowthStep(kind=GrowthKind.ADD), "has to say which"),
        (GrowthStep(kind=GrowthKind.ATTACH), "how large the disk is"),
        (GrowthStep(kind=GrowthKind.REPLACE, top=0), "how large the disk is"),
    ):
        with pytest.raises(UserError, match=words):
            take_step(pool_of("mirror:2x1TB"), step)
