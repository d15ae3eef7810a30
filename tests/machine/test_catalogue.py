"""The catalogue of disks one can buy, as people edit it in a spreadsheet."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolwright.catalogue_library import shipped_catalogue
from poolwright.domain.catalogue import Catalogue, Product, planned_disks
from poolwright.domain.disk import Media
from poolwright.domain.errors import UserError
from poolwright.domain.money import money
from poolwright.domain.units import TB
from poolwright.machine.catalogue import product_key, read_catalogue, write_catalogue
from poolwright.predict.cost import cost_groups
from poolwright.predict.risk_conditions import mean_rate
from poolwright.table_library import load_drive_book

_WORDS = st.text(alphabet=st.characters(categories=("L", "N"), include_characters=' ,;"-'), min_size=1).map(
    lambda text: f"x{text.strip()}"
)
_AMOUNTS = st.none() | st.floats(min_value=0, max_value=1e6, allow_nan=False)

_PRICES = st.none() | st.builds(
    lambda cents, places, currency: money(Decimal(cents).scaleb(-places), currency),
    st.integers(0, 10**8),
    st.integers(0, 6),
    st.sampled_from([None, "EUR", "JPY", "KWD"]),
)


@st.composite
def products(draw: st.DrawFn) -> tuple[Product, ...]:
    count = draw(st.integers(0, 4))
    return tuple(
        Product(
            key=f"k{number}",
            vendor=draw(st.just("") | _WORDS),
            model=draw(_WORDS),
            media=draw(st.sampled_from(Media)),
            size_bytes=draw(st.integers(64 << 20, 10**14)),
            logical_sector_bytes=draw(st.sampled_from([None, 512, 4096])),
            smr=draw(st.sampled_from([None, True, False])),
            power_loss_protection=draw(st.sampled_from([None, True, False])),
            price=draw(_PRICES),
            priced_on=draw(st.sampled_from(["", "2026-11-20"])),
            afr_percent=draw(_AMOUNTS),
            watts=draw(_AMOUNTS),
        )
        for number in range(count)
    )


@pytest.mark.slow
@given(products())
def test_that_a_catalogue_comes_back_from_its_csv_as_it_was(some: tuple[Product, ...]) -> None:
    catalogue = Catalogue(products=some)
    assert read_catalogue(write_catalogue(catalogue)) == catalogue


def test_that_every_bad_line_is_told_at_once_with_its_place() -> None:
    text = "model,media,size_bytes,price\nA,hdd,18 TB,cheap\nB,tape,1TB,1\n,hdd,1TB,1\nD,hdd,1TB,1\nD,hdd,2TB,1\n"
    with pytest.raises(UserError) as caught:
        read_catalogue(text, where="disks.csv")
    told = str(caught.value)
    for part in ("disks.csv", "line 2, price", "line 3, media", "line 4, model", "line 6, key: “d”"):
        assert part in told


def test_that_the_shipped_catalogue_has_old_prices_with_their_date_and_real_sizes() -> None:
    found = shipped_catalogue()
    assert len(found.products) == 35
    exos = found.product(product_key("ST16000NM001G"))
    assert exos is not None
    assert (exos.size_bytes, exos.price, exos.priced_on) == (16_000_900_661_248, money(165, "USD"), "2024-09")
    assert all(p.price and p.source for p in found.products)
    assert len({p.key for p in found.products}) == len(found.products)


def test_that_bought_disks_carry_price_watts_and_failure_rate_of_the_catalogue() -> None:
    product = Product(
        key="x", model="X", media=Media.HDD, size_bytes=8 * TB, price=money(150, "EUR"), priced_on="2026-11",
        afr_percent=0.9, watts=6.0,
    )  # fmt: skip
    disks = planned_disks(product, 3, first=4)
    assert [disk.key for disk in disks] == ["buy-x-04", "buy-x-05", "buy-x-06"]
    assert all(disk.planned for disk in disks)
    book = load_drive_book()
    (group,) = cost_groups(disks, book, price_per_disk=money(999, "EUR"))
    assert (group.count, group.price) == (3, money(150, "EUR"))
    assert group.watts is not None
    assert group.watts[1] == 6.0
    assert mean_rate(disks, book).typical == 0.9
    assert "2026-11" in str(group.price_origin)
