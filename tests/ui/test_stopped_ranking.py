"""A ranking that is stopped: what it found stays, what it did not try is said, and it can be asked again."""

import pytest
from PySide6.QtWidgets import QLabel, QPushButton
from pytestqt.qtbot import QtBot
from tests.ui.controls import press
from tests.ui.controls import shown as named
from tests.ui.rankings import ranked, twelve_ranked, wait_for_ranking

from poolwright.domain.vdev import describe
from poolwright.domain.workload import Goal, Workload
from poolwright.rules.model import RuleBook
from poolwright.ui.ranking.page import RecommendationPage
from poolwright.ui.shell.main_window import MainWindow

pytestmark = pytest.mark.slow


@pytest.fixture
def page(window: MainWindow, qtbot: QtBot, rules: RuleBook) -> RecommendationPage:
    return twelve_ranked(window, qtbot, rules, count=4)


def test_that_a_cancelled_ranking_can_be_started_again(
    page: RecommendationPage, window: MainWindow, qtbot: QtBot
) -> None:
    window.session.set_workload(Workload(goal=Goal.SPEED))
    window.session.jobs.cancel_all()
    assert named(page, QLabel, "State of the ranking").text() == "The ranking was cancelled."
    assert window.session.recommendation is None
    press(named(page, QPushButton, "Rank again"))
    wait_for_ranking(window, qtbot)
    assert ranked(window).goal is Goal.SPEED


def test_that_a_stopped_ranking_keeps_what_it_found_and_says_what_was_not_tried(
    page: RecommendationPage, window: MainWindow, qtbot: QtBot
) -> None:
    inventory = window.session.inventory
    assert inventory is not None
    window.session.tick([d.key for d in inventory.disks])
    qtbot.waitUntil(lambda: "so far" in named(page, QLabel, "State of the ranking").text(), timeout=30_000)
    window.session.jobs.cancel_all()
    assert "best layouts found until then" in named(page, QLabel, "State of the ranking").text()
    told = named(page.notice, QLabel, "Reasons").text()
    assert told.startswith("Not tried: ")
    assert "draid3" in told
    window.show_page("start")
    window.show_page("recommendation")
    assert page.selected is not None
    assert named(page, QLabel, "Layout").text() == describe(page.selected.layout)
    assert named(page.notice, QLabel, "Reasons").text() == told
    press(named(page, QPushButton, "Rank again"))
    wait_for_ranking(window, qtbot)
    assert ranked(window).examined > 500
