"""The rates that a belief predicts, and how they move with what is believed of the host."""

import math
from collections.abc import Callable

import pytest

from poolwright.domain.disk import Media
from poolwright.domain.vdev import parse_spec
from poolwright.predict.belief import Rate, RateSetting, prior, read_rate, variance, write_rate
from poolwright.predict.groups import Groups, groups_of
from poolwright.predict.media import HostCaps, disk_rates

DISKS = disk_rates(media=Media.HDD)
LAYOUTS = (
    ("raidz2:8x6TB",) * 3,
    ("mirror:2x6TB",) * 10,
    ("stripe:12x6TB",),
    ("raidz1:3x6TB",),
    ("draid2:8d:2s:24x6TB",),
)


# Behind an HBA the share of parity on the links moves the writes a little too, which is left out on purpose.
@pytest.mark.parametrize(
    ("rate_of", "hba"),
    [(read_rate, None), (read_rate, 1e9), (write_rate, None)],
    ids=["read", "read by an HBA", "write"],
)
@pytest.mark.parametrize("specs", LAYOUTS, ids=lambda specs: specs[0])
def test_that_the_slopes_are_how_the_logarithm_of_the_rate_moves(
    rate_of: Callable[[Groups, tuple[float, ...], RateSetting], Rate], specs: tuple[str, ...], hba: float | None
) -> None:
    groups = groups_of(tuple(parse_spec(spec) for spec in specs))
    setting = RateSetting(disks=DISKS, hba=hba)
    belief = prior(HostCaps(), DISKS, 24)
    mean = belief.mean
    rate = rate_of(groups, mean, setting)
    slopes = dict(rate.slopes)
    step = 1e-5
    for number in range(len(mean)):
        moved = tuple(value + step * (n == number) for n, value in enumerate(mean))
        change = math.log(rate_of(groups, moved, setting).bytes_per_second / rate.bytes_per_second) / step
        assert slopes.get(number, 0.0) == pytest.approx(change, abs=1e-3), number


def test_that_a_rate_is_less_sure_than_the_least_sure_of_what_it_hangs_on_alone() -> None:
    groups = groups_of((parse_spec("stripe:1x6TB"),))
    belief = prior(HostCaps(), DISKS, 1)
    rate = read_rate(groups, belief.mean, RateSetting(disks=DISKS))
    parts = [(slope * math.sqrt(belief.covariance[n][n])) ** 2 for n, slope in rate.slopes]
    assert variance(belief, rate) == pytest.approx(sum(parts))


@pytest.mark.parametrize("rate_of", [read_rate, write_rate], ids=["read", "write"])
@pytest.mark.parametrize("specs", LAYOUTS, ids=lambda specs: specs[0])
def test_that_no_pool_moves_more_than_the_link_to_its_disks_and_a_wide_link_takes_nothing(
    rate_of: Callable[[Groups, tuple[float, ...], RateSetting], Rate], specs: tuple[str, ...]
) -> None:
    groups = groups_of(tuple(parse_spec(spec) for spec in specs))
    mean = prior(HostCaps(), DISKS, 24).mean

    def rate(hba: float | None = None, cpu: float | None = None) -> float:
        setting = RateSetting(disks=DISKS, hba=hba, cpu_read=cpu, cpu_write=cpu)
        return rate_of(groups, mean, setting).bytes_per_second

    free = rate()
    assert rate(hba=free / 10) < free / 10
    assert rate(cpu=free / 10) < free / 10
    assert rate(hba=free / 10, cpu=free / 20) < free / 20
    assert free * 0.99 < rate(hba=free * 1000, cpu=free * 1000) <= free
    assert rate(hba=free / 20) < rate(hba=free / 10) < rate(hba=free / 5) < free
