"""Facts of layouts and disks, computed as OpenZFS and its commands do."""

import pytest
from tests.rules.machines import ONE_TB, disk, disks

from poolwright.domain.dataset_values import meaning
from poolwright.domain.disk import LbaFormat, Media
from poolwright.domain.vdev import parse_spec
from poolwright.domain.version import DEFAULT_VERSION, ZfsVersion
from poolwright.rules.dataset_plan import defaults
from poolwright.rules.layout_facts import (
    LayoutNumbers,
    group_label,
    groups_of,
    nominal_percent,
    pool_facts,
    replication_mismatch,
    stored_percent,
    vdev_facts,
)
from poolwright.rules.profile import DiskProfile


def _groups(*specs: str) -> list[object]:
    return list(groups_of(tuple(parse_spec(spec) for spec in specs)))


@pytest.mark.parametrize(
    ("specs", "refused"),
    [
        (["mirror:2x1TB", "mirror:2x1TB"], False),
        (["mirror:2x1TB", "mirror:3x1TB"], True),
        (["raidz2:8x1TB", "raidz2:6x1TB"], False),
        (["raidz1:8x1TB", "raidz2:8x1TB"], True),
        (["raidz2:8x1TB", "mirror:3x1TB"], False),
        (["raidz2:8x1TB", "mirror:2x1TB"], True),
        (["raidz2:8x1TB", "special/mirror:2x1TB"], True),
        (["raidz2:8x1TB", "special/mirror:3x1TB"], False),
        (["raidz2:8x1TB", "special/stripe:1x1TB"], True),
        (["raidz2:8x1TB", "draid2:8d:24x1TB"], False),
        (["raidz2:8x1TB", "log/stripe:1x1TB", "cache/stripe:1x1TB", "spare/stripe:2x1TB"], False),
        (["stripe:4x1TB"], False),
        (["mirror:2x1TB", "stripe:1x1TB"], True),
    ],
)
def test_that_a_mix_is_refused_where_zpool_create_refuses_it(specs: list[str], refused: bool) -> None:
    assert replication_mismatch(_groups(*specs), DEFAULT_VERSION) is refused  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("spec", "block", "stored"),
    [
        ("raidz2:8x6TB", 8192, 33),
        ("raidz2:8x6TB", 16384, 66),
        ("raidz2:8x6TB", 131072, 71),
        ("raidz1:3x6TB", 4096, 50),
        ("mirror:2x6TB", 8192, 50),
        ("stripe:1x6TB", 512, 12),
        ("draid2:8d:1s:24x6TB", 8192, 20),
        ("draid2:8d:1s:24x6TB", 32768, 80),
    ],
)
def test_that_a_small_block_costs_its_parity_and_padding(spec: str, block: int, stored: int) -> None:
    assert stored_percent(parse_spec(spec), 12, block) == stored


def test_that_the_nominal_share_leaves_out_parity_only() -> None:
    specs = ("raidz2:8x6TB", "mirror:3x6TB", "stripe:1x6TB", "draid2:8d:1s:24x6TB")
    assert [nominal_percent(parse_spec(spec)) for spec in specs] == [75, 33, 100, 80]


def test_that_a_pool_is_as_redundant_as_its_weakest_vdev_that_matters() -> None:
    specs = ("raidz2:8x6TB", "raidz2:8x6TB", "special/mirror:2x1TB", "log/stripe:1x1TB", "spare/stripe:3x6TB")
    layout = tuple(parse_spec(spec) for spec in specs)
    facts = pool_facts(
        groups_of(layout),
        profile=DiskProfile.from_disks(()),
        ashift=12,
        version=DEFAULT_VERSION,
        numbers=LayoutNumbers(),
    )
    assert (facts.data_vdevs, facts.data_disks, facts.disks, facts.spares, facts.log_vdevs) == (2, 16, 22, 3, 1)
    assert (facts.redundancy, facts.least_data_redundancy) == (1, 2)
    assert facts.physical_sector_bytes is None


def test_that_disks_of_a_stripe_are_vdevs_of_their_own() -> None:
    facts = pool_facts(
        groups_of((parse_spec("stripe:20x6TB"),)),
        profile=DiskProfile.from_disks(disks(20)),
        ashift=12,
        version=DEFAULT_VERSION,
        numbers=LayoutNumbers(),
    )
    assert (facts.data_vdevs, facts.bare_disks, facts.redundancy, facts.widest_vdev) == (20, 20, 0, 1)


def test_that_groups_are_named_in_words() -> None:
    layout = tuple(parse_spec(s) for s in ("raidz2:8x6TB", "raidz2:8x6TB", "spare/stripe:2x6TB", "log/mirror:2x1TB"))
    assert [group_label(group) for group in groups_of(layout)] == ["2 × raidz2 of 8", "2 spares", "log mirror of 2"]


def test_that_the_unusable_rest_of_larger_members_is_counted() -> None:
    group = groups_of((parse_spec("raidz1:3TB,2TB,2TB", exact=True),))[0]
    facts = vdev_facts(
        group, label="", profile=DiskProfile.from_disks(()), ashift=12, version=DEFAULT_VERSION, io_bytes=None
    )
    assert (facts.wasted_bytes, facts.size_step_bytes) == (10**12, 10**12)


def test_that_one_unknown_disk_leaves_the_profile_unknown_where_it_matters() -> None:
    profile = DiskProfile.from_disks((disk(0), disk(1, physical_sector_bytes=None, media=None)))
    assert profile.physical_sector_bytes is None
    assert profile.physical_sectors_mixed is None
    assert profile.media is None
    assert profile.flash is False  # one hard disk settles it
    assert DiskProfile.from_disks((disk(0, media=None),)).flash is None


def test_that_a_difference_seen_is_known_whatever_else_is_unknown() -> None:
    members = (disk(0), disk(1, physical_sector_bytes=512), disk(2, physical_sector_bytes=None))
    assert DiskProfile.from_disks(members).physical_sectors_mixed is True


@pytest.mark.parametrize("serial", ["", "0000000000", "unknown", "None", None])
def test_that_a_serial_that_is_none_is_not_taken_for_a_repeated_one(serial: str | None) -> None:
    profile = DiskProfile.from_disks((disk(0, serial=serial), disk(1, serial=serial)))
    assert [facts.serial_repeated for facts in profile.disks] == [False, False]


def test_that_a_repeated_serial_is_seen() -> None:
    profile = DiskProfile.from_disks((disk(0, serial="X1"), disk(1, serial="X1 "), disk(2)))
    assert [facts.serial_repeated for facts in profile.disks] == [True, True, False]


def test_that_a_drive_formatted_to_512_that_offers_4096_is_seen() -> None:
    formats = (LbaFormat(data_bytes=512, current=True), LbaFormat(data_bytes=4096))
    native = (LbaFormat(data_bytes=512), LbaFormat(data_bytes=4096, current=True))
    guarded = (LbaFormat(data_bytes=512, current=True), LbaFormat(data_bytes=4096, metadata_bytes=8))
    seen = DiskProfile.from_disks([disk(n, lba_formats=f) for n, f in enumerate((formats, native, guarded, ()))])
    assert [facts.offers_4096 for facts in seen.disks] == [True, False, False, False]


def test_that_sizes_and_media_of_a_mixed_set_are_known() -> None:
    profile = DiskProfile.from_disks((disk(0), disk(1, ONE_TB, media=Media.SSD)))
    assert (profile.media, profile.media_mixed, profile.least_bytes) == ("mixed", True, ONE_TB)


@pytest.mark.parametrize(
    ("version", "compression", "xattr", "relatime"),
    [("2.1", "off", "dir", "off"), ("2.2", "on", "dir", "on"), ("2.3", "on", "sa", "on")],
)
def test_that_defaults_are_those_of_the_version(version: str, compression: str, xattr: str, relatime: str) -> None:
    parsed = ZfsVersion.parse(version)
    found = defaults(parsed)
    assert (found["compression"], found["relatime"]) == (compression, relatime)
    assert meaning("xattr", found["xattr"], parsed) == xattr
