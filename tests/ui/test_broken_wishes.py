"""A wish that the design does not keep is told wherever the design is shown: rail, summary, design page."""

from dataclasses import replace

from PySide6.QtWidgets import QLabel
from tests.ui.controls import named

from poolwright.domain.design import Design
from poolwright.domain.units import TB
from poolwright.ui.shell.main_window import MainWindow
from poolwright.ui.shell.registry import page_entries
from poolwright.ui.state.sources import example
from poolwright.ui.state.steps import StepState


def test_that_too_little_space_is_told_on_rail_summary_and_design_page(window: MainWindow, design: Design) -> None:
    status = next(entry.status for entry in page_entries() if entry.name == "design")
    assert status is not None
    window.session.start_from(example("thesis"))
    window.session.change_design(design, "Choose layout")
    window.show_page("design")
    assert status(window.session).state is StepState.DONE
    window.session.set_budget(replace(window.session.budget, least_usable_bytes=10_000 * TB, spares=9))
    told = status(window.session)
    assert told.state is StepState.ATTENTION
    assert told.reason.startswith("Not what is wanted: has 4 spares, 9 wanted; ")
    assert "usable, 8.88 PiB wanted" in told.reason
    assert named(window, QLabel, "Wishes that are not kept").text() == told.reason
    assert window.page("design").sentence() == told.reason
    window.session.set_budget(replace(window.session.budget, least_usable_bytes=None, spares=None))
    assert status(window.session).state is StepState.DONE
    assert not named(window, QLabel, "Wishes that are not kept").isVisible()
