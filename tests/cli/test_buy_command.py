"""`poolwright buy` as a person calls it."""

import csv
import io
from decimal import Decimal
from pathlib import Path

import pytest
from tests.command_line import answer_of, printed, refused, written

from poolwright.cli.main import run
from poolwright.domain.money import money
from poolwright.domain.units import TIB
from poolwright.store.design_file import from_json

SHOP = "model;media;size_bytes;price;currency;priced_on\nM8;hdd;8 TB;140;EUR;2026-11\nL16;hdd;16 TB;330;EUR;2026-11\n"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return written(tmp_path / "shop.csv", SHOP)


@pytest.mark.slow
def test_that_the_answer_is_one_json_document_within_the_money(shop: Path, tmp_path: Path) -> None:
    saved = tmp_path / "design.json"
    asked = ["--catalogue", str(shop), "--money", "1300 EUR", "--bays", "8", "--capacity", "20TiB"]
    found = answer_of("buy", *asked, "--save-cheapest", str(saved))
    costs = [found[name]["cost"] for name in ("cheapest", "best")]
    assert [cost["currency"] for cost in costs] == ["EUR", "EUR"]
    assert Decimal(costs[0]["amount"]) <= Decimal(costs[1]["amount"]) <= 1300
    assert found["cheapest"]["usable_bytes"] >= 20 * TIB
    assert found["cheapest"]["priced_on"] == "2026-11"
    assert found["cheapest"]["failures_survived"] == 2
    design = from_json(saved.read_text(encoding="utf-8"), where="saved")
    assert len(design.used_keys()) == found["cheapest"]["count"]
    assert design.ranking is not None
    assert all(disk.planned and disk.price for disk in design.disks)
    assert design.budget.money == money(1300, "EUR")


@pytest.mark.slow
def test_that_disks_at_hand_are_used_first(shop: Path) -> None:
    asked = ["--catalogue", str(shop), "--disks", "6 x 8TB hdd", "--buy-most", "2", "--capacity", "20TiB"]
    told = printed("buy", *asked)
    assert told.startswith("Buy nothing: the disks in the machine are enough: raidz2 of 6")
    assert "Not searched:" in told


def test_that_the_shipped_catalogue_can_be_taken_and_edited(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["buy", "--write-catalogue"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert {"model", "price", "priced_on"} <= rows[0].keys()
    assert all(row["priced_on"] == "2024-09" for row in rows)


def test_that_too_little_money_ends_with_1_and_a_bad_catalogue_with_2(shop: Path, tmp_path: Path) -> None:
    assert run(["buy", "--catalogue", str(shop), "--money", "100 EUR", "--bays", "4"]) == 1
    bad = written(tmp_path / "bad.csv", "model,media\nA,hdd\n")
    assert "size_bytes" in refused("buy", "--catalogue", str(bad), "--money", "100 EUR")


@pytest.mark.slow
def test_that_euros_do_not_buy_what_is_priced_in_dollars(tmp_path: Path) -> None:
    shop = written(
        tmp_path / "dollars.csv", "model,media,size_bytes,price,currency,priced_on\nM8,hdd,8 TB,50.10,USD,2026-11-02\n"
    )
    asked = ["buy", "--catalogue", str(shop), "--bays", "12", "--survive", "1", "--money"]
    assert "in which currency" in refused(*asked, "460.92")
    assert "--rate N says what 1 USD is in EUR" in refused(*asked, "460.92 EUR")
    in_euros = answer_of(*asked, "250.50 EUR", "--rate", "0.5")
    assert in_euros["best"]["price"] == {"amount": "25.05", "currency": "EUR"}
    found = answer_of(*asked, "501 USD")
    assert max(offer["count"] for offer in found["front"]) == 10
    assert found["best"]["price"] == {"amount": "50.10", "currency": "USD"}
    assert found["best"]["cost"]["currency"] == "USD"
    assert "M8: 50.10 USD, 2026-11-02" in printed(*asked, "501 USD")
