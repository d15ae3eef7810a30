"""Where the rates of one disk come from is said as it is: told of the disks, measured of the model, or usual."""

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QLabel
from tests.ui.conftest import thesis_design

from poolwright.rules.model import RuleBook
from poolwright.ui.shell.main_window import MainWindow


@pytest.mark.slow
def test_that_a_rate_told_with_the_disks_is_not_said_to_be_that_of_their_class(
    window: MainWindow, rules: RuleBook
) -> None:
    design = thesis_design()
    told_rate = tuple(replace(disk, read_bytes_per_second=250_000_000) for disk in design.disks)
    window.session.show_design(replace(design, disks=told_rate))
    window.show_page("outlook")
    texts = [label.text() for label in window.page("outlook").findChildren(QLabel)]
    assert any(text.startswith("As told of the disks") for text in texts)
    assert sum(text.startswith("Not measured") for text in texts) == 1  # how fast one writes
