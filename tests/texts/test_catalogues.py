"""The languages: their catalogues fit the texts, and what they write of numbers is read back by them."""

import json
import random
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from tests.cases import cases
from tests.texts import catalogues
from tests.texts.brackets import told_in
from tests.texts.catalogues import FORMS, misfit, unfit
from tests.texts.extract import texts as extracted

from poolwright.design.amounts import parse_hours, parse_risk, risk_text, size_text
from poolwright.design.amounts import rate_text as link_text
from poolwright.domain.design import Setting
from poolwright.domain.errors import UserError
from poolwright.domain.money import Money, money_typed, parse_money
from poolwright.domain.rates import parse_link_rate
from poolwright.domain.units import binary, drive_text, drive_word, number_of, parse_drive_size, parse_size
from poolwright.languages import NAMES, language, of_system
from poolwright.texts import dated, listed, ngettext, numeral, punctuated, quoted

COMPLETE: tuple[str, ...] = ("de", "zh_CN")  # of these every text is there, of others what is there fits


@pytest.mark.slow
def test_that_every_text_is_there_in_every_language_with_its_values() -> None:
    found = extracted()
    for code in FORMS:
        wrong = unfit(found, code)
        assert code not in COMPLETE or wrong == {}
        assert {text: why for text, why in wrong.items() if why != "missing"} == {}


@pytest.mark.parametrize(
    ("english", "told", "code"),
    [
        ("{a} of {b}", "{a} von", "de"),
        ("{a} disks", "{b} Platten", "de"),
        ("{a:.1f} %", "{a} %", "de"),
        ("a disk", "eine Platte ", "de"),
        ("a disk", "", "de"),
        (("{count} disk of {a}", "{count} disks of {a}"), ("{count} Platte aus {a}", "{count} Platten"), "de"),
        (("{count} disk", "{count} disks"), ("{count} Platten",), "de"),
        (("{count} disk", "{count} disks"), ("{count} 块", "{count} 块"), "zh_CN"),
    ],
)
def test_that_a_translation_which_does_not_fit_is_found(english: object, told: object, code: str) -> None:
    assert misfit(english, told, code)


def test_that_one_thing_may_be_told_without_its_number_and_a_rule_has_its_own_forms() -> None:
    assert misfit(("{count} disk", "{count} disks"), ("eine Platte", "{count} Platten"), "de") == ""
    assert misfit("{pool.spares:spare|spares}", "{pool.spares:Spare|Spares}", "de") == ""


def test_that_translations_are_merged_by_their_english_text_and_gone_ones_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalogues, "FOLDER", tmp_path / "languages")
    for name, key in (("en", "en"), ("de", "t")):
        (tmp_path / name).mkdir()
        said = ["Cancel", "gone for good"] if name == "en" else ["Abbrechen", "weg"]
        lines = "".join(json.dumps({"id": number, key: text}) + "\n" for number, text in enumerate(said))
        (tmp_path / name / "000.jsonl").write_text(lines, encoding="utf-8")
    catalogues.main(tmp_path, tmp_path / "left")
    assert {message.id: message.string for message in catalogues.catalogue("de") if message.id} == {
        "Cancel": "Abbrechen"
    }
    left = list(catalogues._lines(tmp_path / "left" / "de" / "en"))
    assert len(left) > 7000
    assert "Cancel" not in [entry["en"] for entry in left]


@pytest.mark.parametrize(("environment", "code"), cases(__file__, "environments"))
def test_that_the_environment_names_the_language_as_for_other_programs(
    environment: dict[str, str], code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert of_system() == code


def test_that_a_language_without_a_compiled_catalogue_tells_english() -> None:
    assert language("en") is None
    assert language("nn") is None


def test_that_german_writes_numbers_days_and_quotes_its_way() -> None:
    with told_in("de"):
        assert [numeral(1234.5, ",.1f"), numeral(6_001_175_126_016)] == ["1.234,5", "6.001.175.126.016"]
        assert [binary(1_649_267_441_664), drive_text(1_920_383_410_176)] == ["1,50 TiB", "1,92 TB"]
        assert drive_word(1_920_383_410_176) == "1.92TB"
        assert ngettext("{count} disk", "{count} disks", 1200) == "1.200 Platten"
        assert str(Money(amount=Decimal("1234.5"), currency="EUR")) == "1.234,50 EUR"
        assert Money(amount=Decimal("1234.5"), currency="EUR").plain() == "1234.50"
        assert [dated(date(2026, 11, 3)), dated(date(2026, 11, 3), "%Y-%m")] == ["03.11.2026", "11.2026"]
        assert quoted("tank") == "„tank“"
        assert listed(["a", "b"]) == "a und b"
    assert numeral(1234.5, ",.1f") == "1,234.5"


@pytest.mark.parametrize("code", NAMES)
def test_that_what_is_shown_in_a_field_is_read_back(code: str) -> None:
    chance = random.Random(7)
    with told_in(code):
        for __ in range(300):
            size = chance.randrange(32 << 20, 1 << 60)
            size -= size % (1 << chance.choice((0, 20, 30, 40)))
            assert parse_size(size_text(size)) == size or size == 0
            assert parse_drive_size(drive_text(size)) == size or size == 0
            rate = chance.randrange(10**6, 10**10)
            assert parse_link_rate(link_text(rate)) == rate
            chosen = Money(amount=Decimal(chance.randrange(1, 10**7)) / 1000, currency="EUR")
            assert parse_money(money_typed(chosen)) == chosen
            odds = float(f"{chance.random():.4g}")
            assert parse_risk(risk_text(odds)) == pytest.approx(odds, rel=1e-5)


@pytest.mark.parametrize(("code", "put_together", "written"), cases(__file__, "punctuated"))
def test_that_a_line_put_together_has_the_marks_of_its_language(code: str, put_together: str, written: str) -> None:
    with told_in(code):
        assert punctuated(put_together) == written
    assert punctuated(put_together) == put_together


def test_that_german_reads_commas_and_asks_about_points_of_thousands() -> None:
    with told_in("de"):
        assert parse_size("5,5 TiB") == parse_size("5.5 TiB") == 11 << 39
        assert parse_size("1.234,5 TiB") == parse_size("1234,5 TiB")
        assert [number_of("1,920"), number_of("6.001.175"), number_of("1,25")] == [
            Decimal("1.920"), Decimal(6001175), Decimal("1.25"),
        ]  # fmt: skip
        assert parse_hours("1,5 h") == 1.5
        for text, written in (("1.234", "1,234"), ("16.000", "16000")):
            with pytest.raises(UserError, match=written):
                parse_size(f"{text} TB")
    assert number_of("1.234") == Decimal("1.234")
    with pytest.raises(UserError):
        number_of("1,234")


def test_that_a_reason_that_was_saved_in_english_is_told_in_the_language_that_is_shown() -> None:
    setting = Setting(name="atime", value="off", reason="reading a file need not write its access time")
    told = {setting.why}
    for code in COMPLETE:
        with told_in(code):
            told.add(setting.why)
    assert len(told) == 1 + len(COMPLETE)
    assert setting.reason in told
