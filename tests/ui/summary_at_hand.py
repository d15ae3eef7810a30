"""The numbers in the summary, which are there as soon as there is something to tell."""

from tests.ui.controls import there

from poolwright.ui.shell.main_window import MainWindow
from poolwright.ui.shell.summary_numbers import SummaryNumbers


def numbers_of(window: MainWindow) -> SummaryNumbers:
    return there(window.summary.numbers)
