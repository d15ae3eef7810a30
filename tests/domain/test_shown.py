"""Text from outside is what it looks like wherever it is shown or written; no spreadsheet runs it, numbers stay so."""

import csv
import io
import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases import cases

from poolwright.domain.shown import (
    cell_text,
    cell_value,
    csv_text,
    is_plain,
    is_plain_text,
    json_escaped,
    shown_lines,
    shown_text,
    yaml_escaped,
)

UNSEEN = "\u202e\u2066\u200b\u2060\ufeff\x1b\x85\x80\u2028\u3164\ufe0f\U000e0041"


@pytest.mark.parametrize("character", UNSEEN, ids=[f"U+{ord(c):04X}" for c in UNSEEN])
def test_that_what_cannot_be_seen_stands_as_an_escape(character: str) -> None:
    assert not is_plain(character)
    for shown in (shown_text(f"a{character}b"), shown_lines(f"a{character}b"), json_escaped(f'"a{character}b"')):
        assert character not in shown
        assert f"{ord(character):x}" in shown or "\\ud" in shown


def test_that_ordinary_text_of_any_language_stays() -> None:
    for text in ("tank", "Müller’s pool", "диск 3", "データ", "مرحبا", "a_b-c.d:e", "5 × raidz2", "€ 50,10"):
        assert is_plain_text(text)
        assert shown_text(text) == shown_lines(text) == json_escaped(text) == yaml_escaped(text) == text


@given(st.text())
def test_that_shown_text_is_one_line_of_characters_that_can_be_seen(text: str) -> None:
    shown = shown_text(text)
    assert is_plain_text(shown)
    assert not any(unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") for c in shown)
    assert shown_text(shown) == shown


@given(st.text())
def test_that_json_means_the_same_with_escapes(text: str) -> None:
    written = json_escaped(json.dumps({"text": text}, ensure_ascii=False, indent=2))
    assert json.loads(written) == {"text": text}
    assert is_plain_text(written.replace("\n", ""))


@pytest.mark.parametrize(("before", "first", "last", "behind"), cases(__file__, "shown"))
def test_that_fillers_and_selectors_are_unseen_and_their_neighbours_are_not(
    before: int, first: int, last: int, behind: int
) -> None:
    assert [is_plain(chr(code)) for code in (before, first, last, behind)] == [True, False, False, True]


@pytest.mark.parametrize(
    "text",
    [
        "=1+1", "=cmd|' /C calc'!A0", "+1+1", "-2+3+cmd", "@SUM(A1)", " =1", "\t=1", '"=1', "＝1+1", "-part1", "+3 TiB",
        "\ttank", "\rtank",
    ],
)  # fmt: skip
def test_that_no_cell_is_a_formula(text: str) -> None:
    assert cell_text(text) == f"'{text}"
    assert cell_value(cell_text(text)) == text


@pytest.mark.parametrize(
    "text", ["", "-", "-5", "+3.5", "-1,5", "1e-9", "-2.5e-7", "tank", "a=b", "5 × raidz2", "'quoted'"]
)
def test_that_other_cells_stay_as_they_are(text: str) -> None:
    assert cell_text(text) == text
    assert cell_value(text) == text


@given(st.lists(st.lists(st.text("a-=+@'\" ,\n\t0ä", min_size=1), min_size=1, max_size=3), min_size=1, max_size=3))
def test_that_cells_come_back(rows: list[list[str]]) -> None:
    read = csv.reader(io.StringIO(csv_text(rows, exact=True), newline=""))
    assert [[cell_value(cell) for cell in row] for row in read] == rows


def test_that_rows_made_one_by_one_are_each_their_own() -> None:
    assert csv_text((str(n + m) for m in (0, 1)) for n in (10, 20)) == "10,11\n20,21\n"
