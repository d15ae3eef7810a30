"""The figures of all models are those that were read."""

import pytest
from tests.predict.figures import GOLDEN, PARTS, figures


def test_that_every_figure_is_the_one_that_was_read() -> None:
    told = list(figures())
    assert told == GOLDEN.read_text(encoding="utf-8").splitlines()
    assert len(told) > 400


@pytest.mark.parametrize("part", PARTS)
def test_that_no_figure_stands_twice(part: object) -> None:
    assert callable(part)
    names = [line.partition(": ")[0] for line in part()]
    assert len(set(names)) == len(names)
