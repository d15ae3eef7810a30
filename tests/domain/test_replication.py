"""Vdevs that `zpool` takes beside each other without -f."""

import pytest

from poolwright.domain.vdev import added_alike, created_alike, parse_spec
from poolwright.domain.version import ZfsVersion

OLD, NEW = ZfsVersion(2, 3, 4), ZfsVersion(2, 4, 0)


@pytest.mark.parametrize(
    ("left", "right", "created", "added", "added_later"),
    [
        ("raidz2:8x1TB", "raidz2:8x1TB", True, True, True),
        ("raidz2:8x1TB", "raidz2:6x1TB", True, False, True),
        ("raidz2:8x1TB", "raidz1:8x1TB", False, False, False),
        ("raidz2:8x1TB", "draid2:8d:24x1TB", True, False, True),
        ("raidz2:8x1TB", "mirror:3x1TB", True, True, True),
        ("raidz2:8x1TB", "mirror:2x1TB", False, False, False),
        ("mirror:2x1TB", "mirror:3x1TB", False, False, False),
        ("stripe:1x1TB", "stripe:2x1TB", True, True, True),
        ("mirror:1x1TB", "stripe:1x1TB", False, False, False),
    ],
)
def test_that_a_mirror_may_stand_beside_parity_that_bears_as_much_and_widths_are_free_where_they_are(
    left: str, right: str, created: bool, added: bool, added_later: bool
) -> None:
    for one, other in ((left, right), (right, left)):
        specs = parse_spec(one), parse_spec(other)
        assert created_alike(*specs, OLD) is created
        assert added_alike(*specs, OLD) is added
        assert added_alike(*specs, NEW) is added_later


@pytest.mark.parametrize(
    ("left", "right", "up_to_06", "from_07", "from_21"),
    [
        ("raidz2:8x1TB", "raidz2:8x1TB", True, True, True),
        ("raidz2:8x1TB", "raidz2:6x1TB", False, False, True),
        ("raidz2:8x1TB", "mirror:3x1TB", False, True, True),
        ("raidz2:8x1TB", "mirror:2x1TB", False, False, False),
        ("mirror:2x1TB", "mirror:3x1TB", False, False, False),
        ("stripe:1x1TB", "stripe:2x1TB", True, True, True),
    ],
)
def test_that_older_releases_take_fewer_mixes_beside_each_other_without_force(
    left: str, right: str, up_to_06: bool, from_07: bool, from_21: bool
) -> None:
    allowed = {(0, 6, 5): up_to_06, (0, 7, 0): from_07, (2, 0, 7): from_07, (2, 1, 0): from_21}
    for one, other in ((left, right), (right, left)):
        specs = parse_spec(one), parse_spec(other)
        assert {v: created_alike(*specs, ZfsVersion(*v)) for v in allowed} == allowed
    before_07 = ZfsVersion(0, 6, 5)
    assert added_alike(parse_spec(left), parse_spec(right), before_07) is up_to_06
