"""Failure rates by model: the right row, and an interval that says how much it is worth."""

import math

import pytest

from poolwright.domain.design import Design, Member, Vdev
from poolwright.domain.disk import Disk, Media
from poolwright.domain.errors import UserError
from poolwright.domain.estimate import OriginKind
from poolwright.domain.money import money
from poolwright.domain.units import TB
from poolwright.domain.vdev import VdevClass, VdevKind
from poolwright.predict.cost import cost_groups, pool_cost
from poolwright.predict.drives import DriveBook, gamma_quantile, model_rate, read_drive_book, typed_rate
from poolwright.predict.reliability import yearly_loss
from poolwright.predict.risk_conditions import design_conditions, mean_rate
from poolwright.table_library import load_drive_book

TABLE = """model,capacity_tb,drives,drive_days,failures,afr_percent,price_usd_2024_09,source
WDC HUH721212ALE604,12,1000,365250,10,1.0,199.00,statistics
ST8000NM0055,8,1000,3652500,200,2.0,,statistics
TOSHIBA NEW20TB,20,2,730,0,0.0,,statistics
"""
FLEET = "period,afr_percent,source\nQ1 2023,1.5,reports\nyear 2024,1.6,reports\nQ2 2025,1.4,reports\n"


@pytest.fixture
def book() -> DriveBook:
    return read_drive_book({"drive_afr.csv": TABLE, "fleet_afr.csv": FLEET})


@pytest.mark.parametrize(
    ("spelling", "row"),
    [
        ("HGST HUH721212ALE604", "WDC HUH721212ALE604"),
        ("huh721212ale604", "WDC HUH721212ALE604"),
        ("ST8000NM0055-1RM112", "ST8000NM0055"),
        ("ATA      ST8000NM0055-1RM", "ST8000NM0055"),
        ("ST6000NM0034", None),
        ("WDC", None),
        (None, None),
    ],
)
def test_that_a_model_is_found_however_a_tool_spells_it(book: DriveBook, spelling: str | None, row: str | None) -> None:
    found = book.find(spelling)
    assert (found.model if found else None) == row


def test_that_many_failures_give_the_plain_rate_and_the_exact_interval(book: DriveBook) -> None:
    rate = book.rate("HUH721212ALE604")
    # 10 failures in 1000 years; Poisson limits of 10 are 4.795 and 18.390 (Garwood 1936).
    assert (rate.low, rate.typical, rate.high) == pytest.approx((0.4795, 1.0, 1.8390), abs=1e-4)
    assert rate.origin.kind is OriginKind.MEASURED
    assert "10 failures in 1,000 drive years" in rate.origin.source


def test_that_a_model_without_failures_is_not_taken_for_immortal(book: DriveBook) -> None:
    rate = book.rate("TOSHIBA NEW20TB")
    assert 0 < rate.low < rate.typical < rate.high
    assert rate.typical == pytest.approx(1.6, rel=0.1)
    assert rate.origin.kind is OriginKind.PREDICTED


def test_that_an_unknown_model_gets_the_fleets_rate_and_the_spread_of_models(book: DriveBook) -> None:
    rate = book.rate("ST6000NM0034")
    assert rate.typical == 1.6
    assert rate.low <= 1.0
    assert rate.high >= 2.0 * 0.99
    assert "year 2024" in rate.origin.source


def test_that_impossible_rates_are_refused() -> None:
    with pytest.raises(UserError):
        typed_rate(-1.0)


def test_that_quantiles_of_the_gamma_distribution_are_right() -> None:
    # Shape 1 is the exponential distribution, shape n/2 half a chi-squared one.
    assert gamma_quantile(1, 0.5) == pytest.approx(math.log(2), rel=1e-9)
    assert gamma_quantile(1, 0.975) == pytest.approx(-math.log(0.025), rel=1e-9)
    assert gamma_quantile(5, 0.95) == pytest.approx(18.307038 / 2, rel=1e-7)
    assert gamma_quantile(1893, 0.5) == pytest.approx(1893 - 1 / 3, rel=1e-6)


def test_that_each_model_that_ships_has_a_rate_within_its_interval() -> None:
    book = load_drive_book()
    assert len(book.records) > 50
    for record in book.records:
        rate = model_rate(record, book.fleet)
        assert rate.low < rate.typical < rate.high
        assert book.rate(record.model) == rate


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
