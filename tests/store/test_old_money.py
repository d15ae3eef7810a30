"""Designs and libraries from before money knew its currency still open; nothing unknown becomes known."""

import json
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from tests.store.samples import amounts, full_design

from poolwright.catalogue_library import shipped_catalogue
from poolwright.domain.catalogue import planned_disks
from poolwright.domain.errors import UserError
from poolwright.domain.money import Money, money
from poolwright.store.database import Database, migrations
from poolwright.store.design_file import from_json, to_json
from poolwright.store.library import Catalogues


def _as_schema_1(**budget: object) -> str:
    document = json.loads(to_json(full_design()))
    document["schema"] = 1
    kept = document["design"]["budget"]
    for name in ("currency", "price_on"):
        del kept[name]
    kept |= {"money": 9999.5, "price_per_disk": 50.1} | budget
    document["design"]["growth"][1]["price_per_disk"] = 129.9
    return json.dumps(document)


def test_that_a_design_of_schema_1_opens_with_its_amounts_and_no_currency() -> None:
    design = from_json(_as_schema_1())
    assert (design.budget.money, design.budget.price_per_disk) == (money("9999.5"), money("50.1"))
    assert design.growth[1].price_per_disk == money("129.9")
    assert design.budget.currency is None
    assert from_json(to_json(design)) == design


def test_that_a_design_from_when_there_were_exchange_rates_opens_without_them() -> None:
    document = json.loads(to_json(full_design()))
    rate = {"base": "USD", "quote": "EUR", "rate": "0.92", "on": "2026-11-20", "origin": "typed by you"}
    document["design"]["budget"]["rates"] = [rate]
    assert from_json(json.dumps(document)) == full_design()


def test_that_disks_of_the_shipped_catalogue_are_known_to_be_priced_in_dollars() -> None:
    bought = planned_disks(shipped_catalogue().products[0], 2)
    document = json.loads(to_json(replace(full_design(), disks=(*full_design().disks, *bought))))
    document["schema"] = 1
    for disk in document["design"]["disks"][-2:]:
        disk["price"] = float(disk["price"]["amount"])
    document["design"]["disks"][-1]["origins"] = []
    one, other = from_json(json.dumps(document)).disks[-2:]
    assert one.price == bought[0].price
    assert other.price is not None
    assert other.price.currency is None


@given(amounts())
def test_that_every_amount_comes_back_digit_by_digit(amount: Money) -> None:
    design = full_design()
    kept = replace(design, budget=replace(design.budget, money=amount))
    assert from_json(to_json(kept)) == kept


@pytest.mark.parametrize(
    "bad",
    [
        {"amount": 50.1, "currency": "EUR"},
        {"amount": "50,10", "currency": "EUR"},
        {"amount": "NaN", "currency": "EUR"},
        {"amount": "1e5", "currency": "EUR"},
        {"amount": "5", "currency": "Taler"},
        {"amount": "5", "unit": "EUR"},
        {"currency": "EUR"},
        "5 EUR",
        True,
        {"amount": "-5", "currency": "EUR"},
    ],
)
def test_that_damaged_amounts_are_refused_with_their_place(bad: object) -> None:
    with pytest.raises(UserError, match="money"):
        from_json(_as_schema_1(money=bad))


def test_that_a_catalogue_of_the_third_version_keeps_its_prices_and_gets_exact_ones(tmp_path: Path) -> None:
    path = tmp_path / "library.sqlite"
    Database.open(path, steps=migrations()[:3]).close()
    rows = [
        ("50.1", 50.1, "€"),
        ("299.99", 299.99, "USD"),
        ("12.345", 12.345, " eur "),
        ("7", 7.0, ""),
        ("8", 8.0, "XYZ"),
    ]
    with sqlite3.connect(path) as old:
        for place, (_, price, currency) in enumerate(rows):
            old.execute(
                "INSERT INTO product (key, place, vendor, model, media, size_bytes, price, currency, priced_on, source)"
                " VALUES (?, ?, '', 'M', 'hdd', 1, ?, ?, '2026-11', 'shop')",
                (f"k{place}", place, price, currency),
            )
    old.close()
    with Database.open(path) as database:
        found = Catalogues(database).load()
    assert found is not None
    assert [p.price.amount if p.price else None for p in found.products] == [money(text).amount for text, _, _ in rows]
    assert [p.price.currency if p.price else None for p in found.products] == ["EUR", "USD", "EUR", None, None]
