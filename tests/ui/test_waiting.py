"""Whoever waits sees on the page how far the work is, and can stop it there."""

from collections.abc import Generator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QProgressBar, QPushButton
from pytestqt.qtbot import QtBot
from tests.design.test_recommend import disks
from tests.ui.controls import named

from poolwright.design.changes import changes
from poolwright.design.recommend import recommend
from poolwright.design.request import Request
from poolwright.domain.host import Host
from poolwright.domain.workload import Goal, Workload
from poolwright.jobs.job import SlicedJob
from poolwright.judging import judge_maker
from poolwright.rules.rulebook import RuleBook
from poolwright.ui.parts.page import JobStrip
from poolwright.ui.parts.widgets import ElidedLabel
from poolwright.ui.shell.main_window import MainWindow

pytestmark = pytest.mark.slow


def endless() -> Generator[float, None, None]:
    while True:
        yield 0.25


@pytest.mark.parametrize("name", ["design", "compare", "reference", "commands", "buying", "recommendation"])
@pytest.mark.parametrize("height", [500, 800])
def test_that_each_page_shows_how_far_the_work_is_and_stops_it(
    window: MainWindow, qtbot: QtBot, name: str, height: int
) -> None:
    window.resize(800 if height == 500 else 1280, height)
    window.show_page(name)
    page, queue = window.page(name), window.session.jobs
    (strip,) = page.findChildren(JobStrip)
    sentence = named(page, QLabel, "What to do here")
    title = named(page, QLabel, "Page title")
    qtbot.wait(50)
    before = title.mapTo(window, title.rect().topLeft()), page.area.mapTo(window, page.area.rect().topLeft())
    queue.add(SlicedJob("Ranking layouts", "meadow", endless(), queue))
    qtbot.waitUntil(strip.isVisible)
    assert "Ranking layouts" in {label.text() for label in strip.findChildren(QLabel)}
    qtbot.waitUntil(lambda: strip.findChildren(QProgressBar)[0].value() == 250)
    assert strip.mapTo(window, strip.rect().bottomRight()).x() <= window.width()
    assert sentence.isVisible() is (height == 800)
    # What is being read stays where it is.
    qtbot.wait(20)
    assert before == (title.mapTo(window, title.rect().topLeft()), page.area.mapTo(window, page.area.rect().topLeft()))
    QTest.mouseClick(strip.findChildren(QPushButton)[0], Qt.MouseButton.LeftButton)
    assert queue.jobs == ()
    assert strip.isHidden()
    assert sentence.isVisible()


def test_that_a_page_that_comes_into_sight_shows_what_runs(window: MainWindow, qtbot: QtBot) -> None:
    window.show_page("recommendation")
    window.session.jobs.add(SlicedJob("Ranking layouts", "meadow", endless(), window.session.jobs))
    window.show_page("design")
    (strip,) = window.page("design").findChildren(JobStrip)
    qtbot.waitUntil(strip.isVisible)
    (elsewhere,) = window.page("recommendation").findChildren(JobStrip)
    assert not elsewhere.isVisible()
    window.session.jobs.cancel_all()


def test_that_a_long_command_is_shortened_in_sight_and_whole_in_the_tooltip(window: MainWindow, qtbot: QtBot) -> None:
    window.show_page("hosts")
    title = "Reading ssh://root@198.51.100.17:2222: ssh -o ControlMaster=auto -o ConnectTimeout=10 -o BatchMode=yes"
    window.session.jobs.add(SlicedJob(title, "meadow", endless(), window.session.jobs))
    (strip,) = window.page("hosts").findChildren(JobStrip)
    qtbot.waitUntil(strip.isVisible)
    (label,) = strip.findChildren(ElidedLabel)
    assert label.toolTip() == title
    assert strip.mapTo(window, strip.rect().bottomRight()).x() <= window.width()
    window.session.jobs.cancel_all()


def test_that_a_page_with_a_stop_of_its_own_shows_no_second_one(window: MainWindow, qtbot: QtBot) -> None:
    window.show_page("verify")
    (strip,) = window.page("verify").findChildren(JobStrip)
    window.session.jobs.add(SlicedJob("Sanity check", "meadow", endless(), window.session.jobs))
    qtbot.waitUntil(strip.isVisible)
    strip.leave_job(to_page=True)
    assert not strip.isVisible()
    window.session.jobs.cancel_all()


def test_that_trying_changes_tells_how_far_it_is() -> None:
    request = Request(disks=disks(6), workload=Workload(goal=Goal.SAFETY))
    judge = judge_maker(RuleBook(), Host())
    shares: list[float] = []
    changes(request, recommend(request, judge), judge, shares.append)
    assert shares == sorted(shares)
    assert len(set(shares)) > 3
    assert 0 <= shares[0] < shares[-1] < 1
