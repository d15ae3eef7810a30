"""Facts of layouts and disks, computed as OpenZFS and its commands do."""

import pytest
from tests.rules.machines import disk

from poolwright.domain.dataset_values import meaning
from poolwright.domain.replication import mixed
from poolwright.domain.vdev import parse_spec
from poolwright.domain.version import DEFAULT_VERSION, ZfsVersion
from poolwright.rules.dataset_plan import defaults
from poolwright.rules.profile import DiskProfile


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
    assert mixed(map(parse_spec, specs), DEFAULT_VERSION) is refused


@pytest.mark.parametrize("serial", ["", "0000000000", "unknown", "None", None])
def test_that_a_serial_that_is_none_is_not_taken_for_a_repeated_one(serial: str | None) -> None:
    profile = DiskProfile.from_disks((disk(0, serial=serial), disk(1, serial=serial)))
    assert [facts.serial_repeated for facts in profile.disks] == [False, False]


@pytest.mark.parametrize(
    ("version", "compression", "xattr", "relatime"),
    [("2.1", "off", "dir", "off"), ("2.2", "on", "dir", "on"), ("2.3", "on", "sa", "on")],
)
def test_that_defaults_are_those_of_the_version(version: str, compression: str, xattr: str, relatime: str) -> None:
    parsed = ZfsVersion.parse(version)
    found = defaults(parsed)
    assert (found["compression"], found["relatime"]) == (compression, relatime)
    assert meaning("xattr", found["xattr"], parsed) == xattr
