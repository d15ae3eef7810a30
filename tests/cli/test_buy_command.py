"""`poolwright buy` as a person calls it."""

import csv
import io
import json
from pathlib import Path

import pytest

from poolwright.cli.main import run
from poolwright.domain.units import TIB
from poolwright.store.design_file import from_json

SHOP = "model;media;size_bytes;price;currency;priced_on\nM8;hdd;8 TB;140;EUR;2026-11\nL16;hdd;16 TB;330;EUR;2026-11\n"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    path = tmp_path / "shop.csv"
    path.write_text(SHOP, encoding="utf-8")
    return path


def test_that_the_answer_is_one_json_document_within_the_money(
    shop: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saved = tmp_path / "design.json"
    asked = ["--catalogue", str(shop), "--money", "1300", "--bays", "8", "--capacity", "20TiB"]
    assert run(["buy", *asked, "--json", "--save-cheapest", str(saved)]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["cheapest"]["cost"] <= found["best"]["cost"] <= 1300
    assert found["cheapest"]["usable_bytes"] >= 20 * TIB
    assert found["cheapest"]["priced_on"] == "2026-11"
    assert found["cheapest"]["failures_survived"] == 2
    design = from_json(saved.read_text(encoding="utf-8"), where="saved")
    assert len(design.used_keys()) == found["cheapest"]["count"]
    assert all(disk.planned and disk.price for disk in design.disks)


@pytest.mark.slow
def test_that_disks_at_hand_are_used_first(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["--catalogue", str(shop), "--disks", "6 x 8TB hdd", "--buy-most", "2", "--capacity", "20TiB"]
    assert run(["buy", *asked]) == 0
    told = capsys.readouterr().out
    assert "Cheapest: nothing, the disks at hand are enough" in told
    assert "Left out:" in told


def test_that_the_shipped_catalogue_can_be_taken_and_edited(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["buy", "--write-catalogue"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert {"model", "price", "priced_on"} <= rows[0].keys()
    assert all(row["priced_on"] == "2024-09" for row in rows)


def test_that_too_little_money_ends_with_1_and_a_bad_catalogue_with_2(
    shop: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["buy", "--catalogue", str(shop), "--money", "100", "--bays", "4"]) == 1
    bad = tmp_path / "bad.csv"
    bad.write_text("model,media\nA,hdd\n", encoding="utf-8")
    assert run(["buy", "--catalogue", str(bad), "--money", "100"]) == 2
    assert "size_bytes" in capsys.readouterr().err
