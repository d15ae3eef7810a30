"""The numbers in the summary, which are there as soon as there is something to tell."""

from poolwright.ui.shell.main_window import MainWindow
from poolwright.ui.shell.summary_numbers import SummaryNumbers


def numbers_of(window: MainWindow) -> SummaryNumbers:
    found = window.summary.numbers
    assert found is not None
    return found
