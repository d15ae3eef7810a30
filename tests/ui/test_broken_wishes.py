"""A wish that the design does not keep is told wherever the design is shown: rail, summary, design page."""

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QLabel
from tests.ui.controls import named, there

from poolwright.domain.design import Design
from poolwright.domain.units import TB
from poolwright.predict.assessment import together
from poolwright.ui.shell.main_window import MainWindow
from poolwright.ui.shell.rail import page_entries
from poolwright.ui.state.sources import example
from poolwright.ui.state.steps import StepState


@pytest.mark.slow
def test_that_too_little_space_is_told_on_rail_summary_and_design_page(window: MainWindow, design: Design) -> None:
    status = there(next(entry.status for entry in page_entries() if entry.name == "design"))
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


def test_that_risk_rebuild_and_rates_are_held_against_the_wishes_of_all_pools(
    window: MainWindow, design: Design
) -> None:
    status = there(next(entry.status for entry in page_entries() if entry.name == "design"))
    session = window.session
    session.start_from(example("thesis"))
    session.change_design(design, "Choose layout")
    risk, hours = there(session.expected).risk.probability, there(session.expected).rebuild
    assert hours is not None
    read = int(there(session.expected).itself.seq_read.typical)
    kept = replace(
        session.budget,
        most_yearly_loss=risk * 1.01,
        most_rebuild_hours=hours.typical * 1.01,
        least_read_bytes_per_second=read - 1,
    )
    session.set_budget(kept)
    assert status(session).state is StepState.DONE
    for budget, told in (
        (replace(kept, most_yearly_loss=risk / 2), "is lost with 1 in "),
        (replace(kept, most_rebuild_hours=hours.typical / 2), "h to rebuild, "),
        (replace(kept, least_read_bytes_per_second=2 * read), "reads about "),
        (replace(kept, least_write_bytes_per_second=10 * read), "writes about "),
    ):
        session.set_budget(budget)
        said = status(session)
        assert said.state is StepState.ATTENTION
        assert told in said.reason
        assert said.reason.count(" wanted") == 2, "in the heading and once more"
        assert named(window, QLabel, "Wishes that are not kept").text() == said.reason


def test_that_rates_of_several_pools_add_up_and_one_of_them_may_be_lost(window: MainWindow, design: Design) -> None:
    session = window.session
    session.start_from(example("thesis"))
    session.change_design(design, "Choose layout")
    one = there(session.expected)
    alone, both = together([one], shared=False), together([one, one], shared=False)
    assert both.speed.seq_read == 2 * alone.speed.seq_read
    assert both.rebuild_hours == alone.rebuild_hours
    assert alone.yearly_loss < both.yearly_loss < 2 * alone.yearly_loss, "what threatens all of them counts once"
    on_the_same = together([one, one], shared=True)
    assert on_the_same.speed == alone.speed
    assert on_the_same.rebuild_hours == 2 * (alone.rebuild_hours or 0)
