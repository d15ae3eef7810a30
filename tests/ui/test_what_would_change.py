"""What would change the answer, asked on the recommendation page."""

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from poolwright.rules.model import RuleBook
from poolwright.ui.ranking.page import RecommendationPage
from poolwright.ui.shell.main_window import MainWindow

pytestmark = pytest.mark.slow


@pytest.fixture
def page(window: MainWindow, rules: RuleBook, qtbot: QtBot) -> RecommendationPage:
    window.session.set_rules(rules)
    window.session.sources.take_typed("6 x 8TB")
    window.show_page("recommendation")
    found = window.page("recommendation")
    assert isinstance(found, RecommendationPage)
    qtbot.waitUntil(lambda: window.session.recommendation is not None, timeout=20_000)
    qtbot.waitUntil(lambda: offered(found))
    return found


def offered(page: RecommendationPage) -> bool:
    return page.whynot.look.isVisibleTo(page.whynot)


def lines(page: RecommendationPage) -> list[str]:
    return [label.text() for label in page.whynot.findChildren(QLabel)]


def test_that_the_changes_are_worked_out_when_asked_for(page: RecommendationPage, qtbot: QtBot) -> None:
    assert not any("Would change" in line for line in lines(page))
    page.whynot.look.click()
    assert not page.whynot.look.isEnabled()
    qtbot.waitUntil(lambda: any("3 failures to survive: raidz3 of 6" in line for line in lines(page)), timeout=30_000)
    assert not offered(page)
    assert any("stripe" in line for line in lines(page))  # why not stays below it


def test_that_another_question_ends_the_search_for_changes(page: RecommendationPage, qtbot: QtBot) -> None:
    page.whynot.look.click()
    session = page.session
    session.tick(list(session.ticked)[:4])
    qtbot.waitUntil(lambda: session.recommendation is not None and not session.jobs.jobs, timeout=20_000)
    qtbot.waitUntil(lambda: offered(page))
    assert page.whynot.look.isEnabled()
    assert not any("Would change" in line for line in lines(page))
