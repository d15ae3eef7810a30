"""What serials, sizes and models tell of disks: deliveries, slack for a replacement, power-loss protection."""

import pytest
from tests.rules.machines import SIX_TB, disk, disks

from poolwright.domain.disk import Disk, Media
from poolwright.domain.vdev import VdevKind, VdevSpec
from poolwright.domain.version import DEFAULT_VERSION
from poolwright.rules.design_judge import largest_delivery
from poolwright.rules.layout_facts import beyond_trade_size, replacement_slack, trade_bytes
from poolwright.rules.profile import keeps_writes


@pytest.mark.parametrize(
    ("size", "trade"),
    [
        (500107862016, 500107862016),
        (2000398934016, 2000398934016),
        (SIX_TB, SIX_TB),
        (18000207937536, 18000207937536),
        (960197124096, 960197124096),
        (SIX_TB + 5 * 10**9, SIX_TB),
        (6_000_000_000_000, None),
        (68719476736, None),
    ],
)
def test_that_trade_sizes_are_those_makers_agreed_on(size: int, trade: int | None) -> None:
    # 64 GiB of a virtual disk and 6 TB typed by hand are no trade sizes: the one is too far off, the other below.
    assert trade_bytes(size) == trade


def test_that_only_what_lies_beyond_the_trade_size_counts() -> None:
    assert beyond_trade_size(SIX_TB) == 0
    assert beyond_trade_size(SIX_TB + 4096) == 4096
    assert beyond_trade_size(6_000_000_000_000) == 0


def test_that_the_slack_is_what_is_left_behind_the_last_metaslab() -> None:
    mirror = VdevSpec(kind=VdevKind.MIRROR, sizes=(SIX_TB, SIX_TB))
    assert replacement_slack(mirror, DEFAULT_VERSION) == SIX_TB % (1 << 34)
    raidz = VdevSpec(kind=VdevKind.RAIDZ, sizes=(SIX_TB,) * 8, parity=2)
    assert replacement_slack(raidz, DEFAULT_VERSION) == SIX_TB * 8 % (1 << 34) // 8
    assert replacement_slack(VdevSpec(kind=VdevKind.DRAID, sizes=(SIX_TB,) * 8, parity=2), DEFAULT_VERSION) is None


def test_that_serials_close_together_are_one_delivery() -> None:
    together = tuple(disk(n, serial=f"ZA1XY{n:03}") for n in range(5))
    assert largest_delivery(together) == 5
    assert largest_delivery((*together, *disks(3))) == 5
    assert largest_delivery(disks(8)) == 1


def test_that_another_model_or_no_serial_is_no_delivery() -> None:
    assert largest_delivery(tuple(disk(n, serial=f"ZA1XY{n:03}", model=f"M{n}") for n in range(4))) == 1
    assert largest_delivery(tuple(disk(n, serial=None) for n in range(4))) == 1
    assert largest_delivery(()) == 0


@pytest.mark.parametrize(
    ("model", "media", "keeps"),
    [
        ("Samsung SSD 960 EVO 250GB", Media.NVME, False),
        ("CT1000MX500SSD1", Media.SSD, False),
        ("INTEL SSDPED1K375GA Optane", Media.NVME, True),
        ("Ultrastar800 100GB", Media.SSD, True),
        ("SAMSUNG MZ7LH960HAJR-00005", Media.SSD, True),
        ("Some New Drive", Media.NVME, None),
        (None, Media.SSD, None),
        ("ST6000NM0034", Media.HDD, True),
    ],
)
def test_that_the_model_tells_of_power_loss_protection_or_nobody_knows(
    model: str | None, media: Media, keeps: bool | None
) -> None:
    assert keeps_writes(Disk(key="k", model=model, media=media)) is keeps
