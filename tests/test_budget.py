"""The program only shrinks, and no room grows unnoticed."""

import pytest
from tests.budget import allowed, over, sizes


@pytest.mark.parametrize("table", ["total", "rooms"])
def test_that_nothing_is_larger_than_the_budget(table: str) -> None:
    assert over(sizes(), allowed(), table=table) == {}, (
        "what is new is paid for with as many lines less, here or elsewhere in the room; lines moved between rooms, or "
        "fewer than before, are recorded by: python -m tests.budget"
    )
