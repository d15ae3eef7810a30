"""The figures of all models, and of whole designs, are those that were read."""

from types import ModuleType

import pytest
from tests.predict import design_figures, figures


@pytest.mark.parametrize(("module", "least"), [(figures, 580), (design_figures, 1500)])
def test_that_every_figure_is_the_one_that_was_read(module: ModuleType, least: int) -> None:
    told = list(module.figures())
    assert told == module.GOLDEN.read_text(encoding="utf-8").splitlines()
    assert len(told) > least


def test_that_no_figure_stands_twice() -> None:
    names = [line.partition(": ")[0] for line in figures.figures()]
    assert len(set(names)) == len(names)
