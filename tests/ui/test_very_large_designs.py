"""A layout of very many disks becomes the design in turns: what is seen and saved in the end is the same."""

import pytest
from tests.ui.controls import there, visit
from tests.ui.summary_at_hand import numbers_of as shown_numbers
from tests.ui.test_size import on_shelves, turns

from poolwright.design.evaluate import judge_pools, numbers_of
from poolwright.rules.rulebook import RuleBook
from poolwright.ui.ranking.page import RecommendationPage
from poolwright.ui.shell.main_window import MainWindow
from poolwright.ui.state.keeper import Library
from poolwright.ui.state.session import Session


@pytest.fixture
def page(window: MainWindow, session: Session, rules: RuleBook) -> RecommendationPage:
    session.set_rules(rules)
    session.start_from(on_shelves(320))
    window.show_page("recommendation")
    turns(window).step("rank")
    return visit(window, RecommendationPage)


@pytest.mark.slow
def test_that_a_chosen_layout_of_many_disks_is_judged_and_saved(
    page: RecommendationPage, window: MainWindow, session: Session, rules: RuleBook
) -> None:
    page.use.click()
    page.use.click()  # once more before it is the design
    assert session.undo_steps.position == 0
    turns(window).step("choose")
    design = there(session.design)
    assert len(session.undo_steps.steps) == 1
    assert not page.use.isEnabled()
    found = there(session.assessment)
    assert found.findings is not None
    assert found == judge_pools(numbers_of(design), rules, 320 - len(design.used_keys()), session.expectations.of)
    assert not shown_numbers(window).findings.isHidden()
    other = Library()
    assert other.read(design.key) == design
    other.close()


@pytest.mark.slow
def test_that_a_layout_left_before_its_disks_have_places_is_not_taken(
    page: RecommendationPage, window: MainWindow, session: Session
) -> None:
    found = there(session.recommendation)
    page.use.click()
    page._select(found.candidates[1])
    turns(window).step("wait")
    assert session.design is None


@pytest.mark.slow
def test_that_what_is_judged_is_the_design_of_now(
    page: RecommendationPage, window: MainWindow, session: Session
) -> None:
    page.use.click()
    turns(window).step("choose")
    before = session.assessment
    session.undo_steps.undo()
    session.undo_steps.redo()
    again = there(session.assessment)
    assert again.findings is None
    assert shown_numbers(window).findings.isHidden()
    turns(window).step("judge")
    assert session.assessment == before


@pytest.mark.slow
def test_that_a_large_design_is_opened_in_turns_and_brought_to_the_front(
    page: RecommendationPage, window: MainWindow, session: Session
) -> None:
    page.use.click()
    turns(window).step("choose")
    design = there(session.design)
    session.start_from(on_shelves(3))
    read = session.library.read(design.key)
    assert read == design
    session.show_design(read)
    turns(window).step("open")
    assert session.design == design
    assert there(session.assessment).findings is not None
    assert window.current_page() == "design"
