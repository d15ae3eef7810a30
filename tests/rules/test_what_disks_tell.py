"""What serials, sizes and models tell of disks: deliveries, slack for a replacement, power-loss protection."""

import pytest

from poolwright.domain.disk import Disk, Media
from poolwright.rules.profile import keeps_writes


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
