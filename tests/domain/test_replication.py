"""Vdevs that `zpool` takes beside each other without -f."""

import pytest

from poolwright.domain.replication import added_alike, created_alike
from poolwright.domain.vdev import parse_spec
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
        assert created_alike(*specs) is created
        assert added_alike(*specs, OLD) is added
        assert added_alike(*specs, NEW) is added_later
