"""Risk and cost of the disks at hand: by their models, and only as well as they are known."""

import pytest

from poolwright.domain.design import Design, Member, Vdev
from poolwright.domain.disk import Disk, Media
from poolwright.domain.money import money
from poolwright.domain.origin import OriginKind
from poolwright.domain.units import TB
from poolwright.domain.vdev import VdevClass, VdevKind
from poolwright.drive_library import load_drive_book
from poolwright.predict.cost import cost_groups, pool_cost
from poolwright.predict.reliability import yearly_loss
from poolwright.predict.risk_conditions import design_conditions, mean_rate, rebuild_conditions

GOOD, BAD = "WDC WUH721816ALE6L4", "ST3000DM001-1CH166"


def disks(count: int, model: str | None, media: Media | None = Media.HDD, first: int = 0) -> list[Disk]:
    return [Disk(key=f"d{first + n}", model=model, media=media, size_bytes=16 * TB) for n in range(count)]


def test_that_mixed_models_have_their_mean_rate() -> None:
    book = load_drive_book()
    rates = [book.rate(model).typical for model in (GOOD, BAD)]
    mixed = mean_rate(disks(3, GOOD) + disks(1, BAD), book)
    assert mixed.typical == pytest.approx((3 * rates[0] + rates[1]) / 4)
    assert mixed.origin.kind is OriginKind.COMPUTED
    assert mean_rate(disks(4, GOOD), book) == book.rate(GOOD)


def test_that_the_slowest_media_and_one_shingled_disk_decide_a_rebuild() -> None:
    assert rebuild_conditions(disks(2, None, Media.NVME)).media is Media.NVME
    assert rebuild_conditions(disks(2, None, Media.NVME) + disks(1, None, Media.SSD)).media is Media.SSD
    assert rebuild_conditions(disks(2, None, Media.NVME) + disks(1, None, None)).media is Media.HDD
    shingled = Disk(key="s", smr=True, media=Media.HDD)
    assert rebuild_conditions([*disks(5, GOOD), shingled]).smr is True


def test_that_a_design_is_judged_by_the_models_it_uses() -> None:
    book = load_drive_book()
    designs = {}
    for model in (GOOD, BAD):
        data, flash = disks(6, model), disks(2, None, Media.SSD, first=6)
        designs[model] = Design(
            key="k",
            name="n",
            pool_name="tank",
            disks=(*data, *flash),
            vdevs=(
                Vdev(kind=VdevKind.RAIDZ, parity=2, members=tuple(Member(disk_key=d.key) for d in data)),
                Vdev(
                    kind=VdevKind.MIRROR,
                    vdev_class=VdevClass.SPECIAL,
                    members=tuple(Member(disk_key=d.key) for d in flash),
                ),
            ),
        )
    conditions = design_conditions(designs[BAD], book)
    assert conditions.drive == book.rate(BAD)
    assert conditions.support_drive == book.fleet
    assert conditions.support_rebuild.media is Media.SSD
    bad, good = (yearly_loss(designs[m].layout(), design_conditions(designs[m], book)) for m in (BAD, GOOD))
    assert bad.vdevs[0][0].log_kept < 1000 * good.vdevs[0][0].log_kept
    assert bad.vdevs[1][0].log_kept == good.vdevs[1][0].log_kept


def test_that_prices_come_from_the_person_or_the_dated_table_or_are_unknown() -> None:
    book = load_drive_book()
    known = cost_groups(disks(4, GOOD), book)
    assert known[0].price == money(209, "USD")
    assert known[0].price_origin is not None
    assert known[0].price_origin.when == "2024-09"
    assert pool_cost(known, usable_bytes=32 * TB).purchase == money(836, "USD")
    assert cost_groups(disks(4, "no such model"), book)[0].price is None
    typed = cost_groups(
        disks(2, GOOD) + disks(2, "no such model"), book, price_per_disk=money(300, "EUR"), price_on="2026-11-20"
    )
    assert [(g.count, g.price) for g in typed] == [(2, money(300, "EUR"))] * 2
    assert pool_cost(typed, usable_bytes=32 * TB).purchase == money(1200, "EUR")
    assert typed[0].price_origin is not None
    assert typed[0].price_origin.when == "2026-11-20"
