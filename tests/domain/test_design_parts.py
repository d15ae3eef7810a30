"""Names, rates, units of failure and the parts of a design: bounds, and what is told at them."""

from dataclasses import replace
from string import ascii_letters, digits

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases import cases

from poolwright.domain.design import Dataset, Design, FurtherPool, Member, Setting, Vdev
from poolwright.domain.disk import Disk
from poolwright.domain.errors import UserError
from poolwright.domain.growth import GrowthKind, parse_growth_step
from poolwright.domain.names import (
    check_dataset_name,
    check_names,
    check_pool_name,
    dataset_name_problem,
    name_problems,
    pool_name_problem,
)
from poolwright.domain.outage import UnitKind, single_points, survives, top_vdevs, units_of
from poolwright.domain.rates import parse_disk_rate, parse_link_rate
from poolwright.domain.vdev import VdevClass, VdevKind, describe, parse_spec, tolerance
from poolwright.domain.version import ZfsVersion, age_told, parse_modelled

V232 = ZfsVersion(2, 3, 2)


@pytest.mark.parametrize(
    ("name", "version", "problem"),
    [
        ("tank", V232, None),
        ("", V232, "A pool needs a name"),
        ("a" * 239, V232, None),
        ("a" * 240, V232, "A pool name has at most 239 characters, this one has 240"),
        ("1tank", V232, "“1tank”: a pool name starts with a letter from a to z"),
        ("ätank", V232, "“ätank”: a pool name starts with a letter from a to z"),
        ("my tank", V232, "“my tank”: a pool name consists of letters a to z, digits and - _ . :"),
        ("mirrors", V232, "“mirrors”: OpenZFS keeps names that start with “mirror” for vdevs"),
        ("raidz", V232, "“raidz”: OpenZFS keeps names that start with “raidz” for vdevs"),
        ("draid", ZfsVersion(2, 1, 0), "“draid”: OpenZFS keeps names that start with “draid” for vdevs"),
        ("draid", ZfsVersion(2, 0, 99), None),
        ("log", V232, "“log” is a word of zpool create"),
        ("logs", V232, None),
        ("c0t0d0", V232, "“c0t0d0” reads like a disk name (c0t0d0), and some ZFS tools refuse it"),
        ("home", V232, None),
        ("tank\n", V232, "“tank\\x0a”: a pool name consists of letters a to z, digits and - _ . :"),
        ("lib32", V232, "“lib32” would be mounted over the system folder /lib32"),
    ],
)
def test_that_a_pool_name_is_good_or_told_why_not(name: str, version: ZfsVersion, problem: str | None) -> None:
    assert pool_name_problem(name, version) == problem
    if problem is not None:
        with pytest.raises(UserError) as refused:
            check_pool_name(name, version)
        assert (refused.value.what, refused.value.where) == (problem, "pool name")


@given(st.text(max_size=300))
def test_that_a_pool_name_that_passes_is_plain_ascii(name: str) -> None:
    if pool_name_problem(name, V232) is None:
        assert set(name) <= set(f"{ascii_letters}{digits}-_.:")


NOT_ALLOWED = "empty parts and the parts . and .. are not allowed"


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("a/b", None),
        ("", "A dataset needs a name"),
        ("a" * 250, None),
        ("a" * 251, f"“{'a' * 39}…”: with its pool a dataset name has at most 255 characters"),
        ("/".join("a" * 49), None),
        ("a//b", f"“a//b”: {NOT_ALLOWED}"),
        ("a/..", f"“a/..”: {NOT_ALLOWED}"),
        ("a/.", f"“a/.”: {NOT_ALLOWED}"),
        ("a b/c d", None),
        (
            "a /b",
            (
                "“a /b”: a dataset name consists of letters a to z, digits, inner blanks and - _ . : with / between "
                "the parts"
            ),
        ),
        ("a/-b", "“a/-b”: a part that starts with a dash is read as an option by other tools"),
    ],
)
def test_that_a_dataset_name_is_good_or_told_why_not(name: str, problem: str | None) -> None:
    found = dataset_name_problem("tank", name)
    assert (found or "").partition("”:")[2] == (problem or "").partition("”:")[2]
    assert (found is None) is (problem is None)
    if problem is not None:
        with pytest.raises(UserError) as refused:
            check_dataset_name("tank", name)
        assert refused.value.where == "dataset name"


def two_disks() -> tuple[Vdev, ...]:
    return (Vdev(kind=VdevKind.MIRROR, members=(Member(disk_key="a"), Member(disk_key="b"))),)


def test_that_the_names_of_every_pool_are_looked_at() -> None:
    second = FurtherPool(pool_name="tank", vdevs=two_disks())
    design = Design(key="k", name="n", pool_name="tank", vdevs=two_disks(), further_pools=(second,), version=V232)
    assert name_problems(design) == ("Two pools are called tank",)
    with pytest.raises(UserError, match="Names in the design cannot be used: Two pools are called tank") as refused:
        check_names(design, where="file")
    assert refused.value.where == "file"
    check_names(replace(design, pool_name="first"))
    assert name_problems(replace(design, pool_name="log")) == ("“log” is a word of zpool create",)


@pytest.mark.parametrize(
    ("text", "rate"),
    [
        ("10G", 1_250_000_000), ("10GbE", 1_250_000_000), ("10 Gbit/s", 1_250_000_000), ("1.25 GB/s", 1_250_000_000),
        ("10Gbps", 1_250_000_000), ("100 mbps", 12_500_000), ("2.5GBASE-T", 312_500_000), ("100 MbE", 12_500_000),
        ("1 GiB/s", 1 << 30), ("1 Gibit/s", 1 << 27), ("8 bit/s", 1), ("1 TB/s", 10**12), ("1000 TB/s", 10**15),
    ],
)  # fmt: skip
def test_that_a_link_counts_bits_unless_bytes_are_said(text: str, rate: int) -> None:
    assert parse_link_rate(text) == rate


@pytest.mark.parametrize(
    ("text", "rate"),
    [
        ("180 MB/s", 180e6), ("180MB", 180e6), ("180M", 180 << 20), ("1.2GiB/s", 1.2 * (1 << 30)),
        ("10 Gbit/s", 1.25e9),
        ("10000000", 1e7), ("1.5e8", 1.5e8), ("1e+09", 1e9), ("12Gb/s", 1.5e9), ("10GbE", 1.25e9), ("100 kB/s", 100e3),
        ("180 MB/sec", 180e6), ("180 MB/second", 180e6), ("180 MBps", 180e6), ("180 megabytes", None),
        ("180 Mbyte/s", 180e6), ("180 Mbytes/s", 180e6), ("180 MiByte/s", 180 << 20), ("80 Mbits/s", 1e7),
        ("180000000 B/s", 180e6),
        ("180000000 bytes", 180e6), ("180 kiB/s", 180 << 10), ("1 t", 1 << 40), ("180000000 /s", 180e6),
    ],
)  # fmt: skip
def test_that_a_disk_counts_bytes_unless_bits_are_said(text: str, rate: float | None) -> None:
    if rate is None:
        with pytest.raises(UserError, match="is no unit here"):
            parse_disk_rate(text)
    else:
        assert parse_disk_rate(text) == pytest.approx(rate)


@pytest.mark.parametrize(
    ("text", "link", "words", "todo"),
    cases(__file__, "ambiguous"),
)  # fmt: skip
def test_that_a_rate_that_may_be_two_is_asked_for_its_unit(text: str, link: bool, words: str, todo: str) -> None:
    with pytest.raises(UserError, match=words) as refused:
        (parse_link_rate if link else parse_disk_rate)(text)
    assert (refused.value.todo or "").startswith(todo)


def vdev(kind: VdevKind, keys: str, parity: int = 0, vdev_class: VdevClass = VdevClass.DATA) -> Vdev:
    return Vdev(kind=kind, members=tuple(Member(disk_key=k) for k in keys), parity=parity, vdev_class=vdev_class)


@pytest.mark.parametrize(
    ("vdevs", "lost", "alive"),
    [
        ((vdev(VdevKind.RAIDZ, "abcd", 2),), "ab", True),
        ((vdev(VdevKind.RAIDZ, "abcd", 2),), "abc", False),
        ((vdev(VdevKind.MIRROR, "abc"),), "ab", True),
        ((vdev(VdevKind.MIRROR, "abc"),), "abc", False),
        ((vdev(VdevKind.STRIPE, "ab"),), "a", False),
        ((vdev(VdevKind.STRIPE, "ab"),), "", True),
        ((vdev(VdevKind.MIRROR, "ab"), vdev(VdevKind.MIRROR, "cd")), "ac", True),
        ((vdev(VdevKind.MIRROR, "ab"), vdev(VdevKind.STRIPE, "c", 0, VdevClass.SPECIAL)), "c", False),
        ((vdev(VdevKind.MIRROR, "ab"), vdev(VdevKind.STRIPE, "c", 0, VdevClass.DEDUP)), "c", False),
        ((vdev(VdevKind.MIRROR, "ab"), vdev(VdevKind.STRIPE, "c", 0, VdevClass.LOG)), "c", True),
        ((vdev(VdevKind.MIRROR, "ab"), vdev(VdevKind.STRIPE, "c", 0, VdevClass.CACHE)), "c", True),
    ],
)
def test_that_a_pool_lives_while_each_vdev_has_enough_members(vdevs: tuple[Vdev, ...], lost: str, alive: bool) -> None:
    assert survives(vdevs, frozenset(lost)) is alive


@pytest.mark.parametrize(
    ("shelves", "vdevs", "taking"),
    [
        ({"one": "abcd"}, ("ab", "cd"), []),
        ({"one": "ac", "two": "bd"}, ("ab", "cd"), []),
        ({"one": "ab", "two": "cd"}, ("ab", "cd"), ["one", "two"]),
        ({"one": "ab", "two": "cd", "three": "x"}, ("ab",), []),
        ({"one": "ab", "two": "c"}, ("abc",), []),
        ({"one": "ab", "two": "cd"}, ("ab", "c"), []),
    ],
)
def test_that_a_shelf_takes_a_pool_only_where_there_are_several(
    shelves: dict[str, str], vdevs: tuple[str, ...], taking: list[str]
) -> None:
    disks = tuple(Disk(key=key, enclosure=name, controller="c") for name, keys in shelves.items() for key in keys)
    units = single_points([vdev(VdevKind.MIRROR, keys) for keys in vdevs], disks)
    assert [(unit.kind, unit.name) for unit in units] == [(UnitKind.ENCLOSURE, name) for name in sorted(taking)]


def test_that_a_stripe_is_many_vdevs_and_enclosures_come_first() -> None:
    assert top_vdevs(vdev(VdevKind.STRIPE, "ab")) == (("a",), ("b",))
    assert top_vdevs(vdev(VdevKind.MIRROR, "ab")) == (("a", "b"),)
    disks = (
        Disk(key="a", controller="c0", enclosure="e1"),
        Disk(key="b", enclosure="e0"),
        Disk(key="c", controller="c0"),
    )
    assert [(str(unit), sorted(unit.disk_keys)) for unit in units_of(disks)] == [
        ("enclosure e0", ["b"]), ("enclosure e1", ["a"]), ("controller c0", ["a", "c"]),
    ]  # fmt: skip


def test_that_a_layout_is_told_in_a_few_words() -> None:
    layout = tuple(
        parse_spec(text) for text in ("raidz2:8x6TB", "raidz2:8x6TB", "log/mirror:2x1TB", "spare/stripe:2x6TB")
    )
    assert describe(layout) == "2 × raidz2 of 8, log mirror of 2, 2 spares"
    assert describe((parse_spec("stripe:6TB"),)) == "single disk"
    assert describe((parse_spec("stripe:3x6TB"), parse_spec("cache/stripe:1TB"))) == "stripe of 3, cache single disk"
    assert describe((parse_spec("spare/stripe:6TB"),)) == "1 spare"
    kinds = ((VdevKind.MIRROR, 3, 0), (VdevKind.RAIDZ, 8, 2), (VdevKind.STRIPE, 1, 0), (VdevKind.DRAID, 9, 1))
    assert [tolerance(*kind) for kind in kinds] == [2, 2, 0, 1]
    assert tolerance(VdevKind.MIRROR, 0, 0) == 0


def test_that_a_hot_spare_of_two_pools_is_found() -> None:
    spare = vdev(VdevKind.STRIPE, "s", 0, VdevClass.SPARE)
    pools = (FurtherPool(pool_name="b", vdevs=(vdev(VdevKind.MIRROR, "cd"), spare)),)
    design = Design(key="k", name="n", pool_name="a", vdevs=(vdev(VdevKind.MIRROR, "ab"), spare), further_pools=pools)
    assert design.shared_spare() == "s"
    assert design.used_keys() == frozenset("abcds")
    assert len(design.all_vdevs()) == 4
    alone = replace(design, further_pools=(replace(pools[0], vdevs=pools[0].vdevs[:1]),))
    assert alone.shared_spare() is None
    renamed = design.renamed(pool_name="z")
    assert (renamed.name, renamed.pool_name, design.renamed(name="m").name) == ("n", "z", "m")
    with pytest.raises(UserError, match="refers to a disk “q”"):
        design.disk("q")


def test_that_each_pool_of_a_design_is_a_design_without_others() -> None:
    other = FurtherPool(
        pool_name="b", vdevs=two_disks(), ashift=13, pool_settings=(Setting(name="comment", value="x"),),
        datasets=(Dataset(name="d"),),
    )  # fmt: skip
    design = Design(key="k", name="n", pool_name="a", vdevs=two_disks(), further_pools=(other,), ashift=12)
    assert [pool.further_pools for pool in design.pools()] == [(), ()]
    main, second = design.pools()
    assert main == replace(design, further_pools=())
    for field in ("pool_name", "vdevs", "ashift", "pool_settings", "datasets"):
        assert getattr(second, field) == getattr(other, field), field
    assert (second.key, second.name) == ("k", "n")
    alone = replace(design, further_pools=())
    assert alone.pools() == (alone,)


def test_that_the_sizes_of_a_vdev_are_those_of_its_members() -> None:
    disks = (Disk(key="a", size_bytes=10), Disk(key="b", size_bytes=20), Disk(key="c"))
    design = Design(key="k", name="n", pool_name="p", disks=disks)
    draid = Vdev(
        kind=VdevKind.DRAID, parity=1, vdev_class=VdevClass.SPECIAL, draid_data=2, draid_spares=3,
        members=(Member(disk_key="a"), Member(disk_key="b", slice_bytes=5)),
    )  # fmt: skip
    spec = design.spec(draid)
    assert (spec.kind, spec.sizes, spec.parity, spec.vdev_class) == (VdevKind.DRAID, (10, 5), 1, VdevClass.SPECIAL)
    assert (spec.draid_data, spec.draid_spares) == (2, 3)
    assert draid.sizeless() == replace(spec, sizes=(0, 0), disk_bytes=None)
    assert Member(disk_key="a", path="/dev/sda") == draid.members[0]  # the same one, whatever a pool calls it
    assert replace(design, vdevs=(draid,)).layout() == (spec,)
    with pytest.raises(UserError, match="is unknown"):
        design.spec(vdev(VdevKind.STRIPE, "c"))
    ranks = [vdev(kind, "a", 0, role).rank for role in VdevClass for kind in (VdevKind.STRIPE, VdevKind.MIRROR)]
    assert len(set(ranks)) == len(ranks)
    assert (
        vdev(VdevKind.STRIPE, "a").rank
        < vdev(VdevKind.MIRROR, "a").rank
        < vdev(VdevKind.STRIPE, "a", 0, VdevClass.LOG).rank
    )


# The newest patch of each series, as the releases of OpenZFS are numbered.
@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("0.6", (0, 6, 5)), ("0.7", (0, 7, 13)), ("0.8", (0, 8, 6)), ("2.0", (2, 0, 7)), ("2.1", (2, 1, 16)),
        ("2.2", (2, 2, 11)), ("2.3", (2, 3, 9)), ("2.4", (2, 4, 4)), ("zfs-2.3.2-1~bpo12", (2, 3, 2)),
        ("v2.1.0", (2, 1, 0)),
        ("2.9", (2, 9, 0)), (" 2.3.0 ", (2, 3, 0)),
    ],
)  # fmt: skip
def test_that_a_series_stands_for_its_newest_release(text: str, version: tuple[int, int, int]) -> None:
    assert ZfsVersion.parse(text) == ZfsVersion(*version)
    assert str(ZfsVersion(*version)) == ".".join(map(str, version))


@pytest.mark.parametrize("text", ["2", "two", "2.3x", "2.3.2rc1", "12345.1"])
def test_that_what_is_no_version_is_told(text: str) -> None:
    with pytest.raises(UserError, match="is not understood"):
        ZfsVersion.parse(text)


def test_that_versions_are_modelled_from_0_6_0_to_2_4_99() -> None:
    for text, good in (("0.6.0", True), ("0.5.99", False), ("2.4.99", True), ("2.5.0", False)):
        if good:
            assert str(parse_modelled(text)) == text
        else:
            with pytest.raises(UserError, match=f"OpenZFS {text} is not modelled"):
                parse_modelled(text)
    assert age_told(ZfsVersion(2, 1, 0)) is None
    assert str(age_told(ZfsVersion(2, 0, 99))).endswith("hold back more of a large pool than 2.1 and newer do.")


@pytest.mark.parametrize(
    ("text", "kind", "size", "top", "percent", "day"),
    [
        ("attach:6TB", GrowthKind.ATTACH, 6_001_175_126_016, None, None, None),
        ("attach 6TB@2", GrowthKind.ATTACH, 6_001_175_126_016, 1, None, None),
        ("Replace: 12TB @1 at 80%", GrowthKind.REPLACE, 12_000_138_625_024, 0, 80, None),
        ("expand@1 on 2028-03", GrowthKind.EXPAND, None, 0, None, "2028-03"),
        ("remove", GrowthKind.REMOVE, None, None, None, None),
    ],
)
def test_that_a_step_is_read(
    text: str, kind: GrowthKind, size: int | None, top: int | None, percent: int | None, day: str | None
) -> None:
    step = parse_growth_step(text)
    assert (step.kind, step.size_bytes, step.top, step.at_percent, step.on) == (kind, size, top, percent, day)
    assert parse_growth_step(str(step)) == step


def test_that_a_vdev_to_add_is_a_spec() -> None:
    step = parse_growth_step("add:raidz2:8x6TB at 75 %")
    assert step.vdev is not None
    assert (step.vdev.word, step.vdev.width, step.at_percent) == ("raidz2", 8, 75)
    assert parse_growth_step(str(step)) == step


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("grow:6TB", "is not understood"), ("attach:6TB@x", "is not understood"),
        ("attach:6TB@0", "“@0” is out of range"),
        ("add:mirror:2x6TB@1", "is not understood"), ("expand:6TB", "“6TB” is not understood"),
        ("attach:6TB at 0%", "“0 %” is out"), ("attach:6TB at 101%", "“101 %” is out"),
        ("attach:x", "is not understood"), ("expand on 2028-13", "is not understood"),
        ("expand on 2028-02-31", "is not understood"),
    ],
)  # fmt: skip
def test_that_what_is_wrong_with_a_step_is_told(text: str, words: str) -> None:
    with pytest.raises(UserError) as refused:
        parse_growth_step(text)
    assert words in refused.value.text


def test_that_steps_are_read_to_their_bounds_and_exactly_for_files() -> None:
    assert [parse_growth_step(f"expand at {n}%").at_percent for n in (1, 100)] == [1, 100]
    assert parse_growth_step("attach:6TB", exact=True).size_bytes == 6 * 10**12
    grown = parse_growth_step("add:mirror:2x6TB", exact=True).vdev
    assert grown is not None
    assert grown.sizes == (6 * 10**12,) * 2
    for text in ("add:raidz2:8x6TB at 80%", "attach:6001175126017@2 on 2028-03-01", "detach@1"):
        assert str(parse_growth_step(text)) == text
