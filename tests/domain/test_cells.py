"""Tables as CSV: nothing in them is run by a spreadsheet, and numbers stay numbers."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolwright.domain.shown import cell_text, cell_value, csv_text


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
