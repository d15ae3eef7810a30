"""Money in the advice: exact purses, street prices in their own currency, reports with model, price and date."""

from dataclasses import replace
from decimal import Decimal
from random import Random

import pytest
from tests.design.side_by_side import TODAY, column, concurrent, safety
from tests.emit.drawn import report_html, report_markdown

from poolwright.catalogue_library import shipped_catalogue
from poolwright.design.buying import affordable
from poolwright.design.compare import compare
from poolwright.design.comparison_columns import zfs_column
from poolwright.design.evaluate import evaluate
from poolwright.design.wishes import affordable_disks, disks_cost, own_prices
from poolwright.domain.catalogue import Catalogue, Product, planned_disks, purchase_currency
from poolwright.domain.design import Design
from poolwright.domain.disk import Media
from poolwright.domain.errors import UserError
from poolwright.domain.money import Money, money, total
from poolwright.domain.units import TB
from poolwright.domain.workload import Budget
from poolwright.emit.comparison_charts import comparison_csv
from poolwright.emit.report import markdown_text
from poolwright.emit.report_comparison import comparison_report
from poolwright.emit.report_design import DesignSubject
from poolwright.table_library import load_drive_book

STREET = "HUH721212ALE604"


def eur(amount: int | str | Decimal) -> Money:
    return money(amount, "EUR")


def product(cents: int, currency: str | None = "EUR") -> Product:
    price = money(Decimal(cents).scaleb(-2), currency)
    return Product(key="p", model="P", media=Media.HDD, size_bytes=8 * TB, price=price, priced_on="2026-11-02")


def priced(model: str, **budget: object) -> Design:
    made = safety()
    return replace(
        made,
        disks=tuple(replace(disk, model=model) for disk in made.disks),
        budget=Budget(**budget),  # type: ignore[arg-type]
    )


def test_that_a_purse_of_exactly_ten_prices_buys_ten_disks() -> None:
    budget = Budget(money=eur("501.00"), price_per_disk=eur("50.10"), bays=24)
    assert affordable_disks(budget, 24)[0] == 10
    assert affordable(product(5010), budget, 0) == 10
    disks = planned_disks(product(5010), 24)
    assert affordable_disks(budget, 24, own_prices(budget, disks, disks))[0] == 10


@pytest.mark.slow
def test_that_three_ways_of_counting_agree_with_whole_cents_on_random_purses() -> None:
    random = Random(501)
    for _ in range(400):
        cents, count = random.randint(1, 60_000), random.randint(0, 90)
        purse = max(0, cents * count + random.choice((-1, 0, 0, 1, cents - 1)))
        budget = Budget(money=eur(Decimal(purse).scaleb(-2)), price_per_disk=product(cents).price, bays=96)
        disks = planned_disks(product(cents), 96)
        wanted = min(96, purse // cents)
        assert affordable_disks(budget, 96)[0] == wanted
        assert affordable(product(cents), budget, 0) == wanted
        assert affordable_disks(budget, 96, own_prices(budget, disks, disks))[0] == wanted
        assert disks_cost(budget, disks[:wanted], disks) == eur(Decimal(cents * wanted).scaleb(-2))


def test_that_a_purse_in_euros_buys_no_dollar_disks() -> None:
    dollars = product(5010, "USD")
    shop, asked = Catalogue(products=(dollars,)), Budget(money=eur("460.92"), bays=24)
    with pytest.raises(UserError, match="in EUR, the catalogue has prices in USD"):
        purchase_currency(asked, shop)
    assert purchase_currency(Budget(bays=4), shop) == "USD"
    mixed = Catalogue(products=(dollars, product(5011, "EUR")))
    with pytest.raises(UserError, match="no currency is chosen"):
        purchase_currency(Budget(bays=4), mixed)


def test_that_an_old_street_price_stays_in_dollars_with_its_month() -> None:
    book = load_drive_book()
    found = evaluate(priced(STREET, currency="EUR"), drives=book, today=TODAY).cost
    assert found is not None
    assert found.purchase == money(199, "USD") * 44
    assert "2024-09" in str(found.purchase_origin)
    assert "in USD, the budget in EUR" in found.problem


def test_that_prices_of_two_currencies_have_no_sum() -> None:
    made = priced(STREET)
    half = tuple(replace(d, price=eur(100)) if n % 2 else d for n, d in enumerate(made.disks))
    found = evaluate(replace(made, disks=half), drives=load_drive_book(), today=TODAY).cost
    assert found is not None
    assert (found.purchase, found.total, found.per_usable_tb) == (None, None, None)
    assert "USD" in found.problem
    assert "EUR" in found.problem


def test_that_a_kilowatt_hour_of_another_currency_is_not_added_to_euros() -> None:
    found = evaluate(
        priced("no such model", price_per_disk=money(30_000, "JPY")), drives=load_drive_book(), today=TODAY
    )
    assert found.cost is not None
    assert found.cost.purchase == money(30_000 * 44, "JPY")
    assert (found.cost.power, found.cost.total) == (None, None)
    assert "kWh in JPY" in found.cost.problem


def test_that_the_report_names_model_price_date_and_source() -> None:
    design = priced(STREET, currency="EUR", money=eur(9000))
    found = evaluate(design, drives=load_drive_book(), today=TODAY)
    for text in (report_markdown(DesignSubject(evaluation=found)), report_html(DesignSubject(evaluation=found))):
        for words in (STREET, "199.00 USD", "2024-09", "old street price", "8,756.00 USD", "9,000.00 EUR"):
            assert words in text, words


def test_that_no_design_is_cheaper_than_one_in_another_currency() -> None:
    dollars = evaluate(priced(STREET, currency="USD"), drives=load_drive_book(), today=TODAY)
    found = compare((column(concurrent()), zfs_column(dollars)))
    assert found.row("purchase").best == ()
    assert found.row("purchase").differs
    report = markdown_text(comparison_report(found, title="T", made="now"))
    assert "11,500.00 EUR" in report or "EUR" in report
    assert "8,756.00 USD" in report
    lines = comparison_csv(found).splitlines()
    bought = [line for line in lines if line.startswith("Cost,purchase,")]
    assert [("EUR" in line, "USD" in line) for line in bought] == [(True, False), (False, True)]


def test_that_shipped_prices_add_up_in_dollars_exactly() -> None:
    prices = [p.price for p in shipped_catalogue().products if p.price is not None]
    assert {price.currency for price in prices} == {"USD"}
    assert total(prices).amount == sum((price.amount for price in prices), Decimal(0))
