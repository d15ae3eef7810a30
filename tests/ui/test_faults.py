"""A fault is told and written down, and a running job can be seen and stopped."""

import logging
import time
from collections.abc import Generator

import pytest
from PySide6.QtCore import QMessageLogContext, Qt, QtMsgType
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from poolwright.domain.errors import UserError
from poolwright.jobs.job import SlicedJob
from poolwright.logs import Redactor
from poolwright.paths import user_data_folder
from poolwright.ui.parts.page import JobStrip
from poolwright.ui.shell.application import Faults, log_qt_message
from poolwright.ui.shell.main_window import MainWindow


def test_that_a_mistake_of_the_program_becomes_a_report(window: MainWindow) -> None:
    faults = Faults(Redactor(), window)
    faults.said.connect(window.show_fault)
    faults.on_exception(ValueError, ValueError("odd"), None)
    reports = list((user_data_folder() / "crashes").glob("crash-*.txt"))
    assert len(reports) == 1
    assert "ValueError: odd" in reports[0].read_text()
    assert str(reports[0]) in window.message.text()


def test_that_an_error_for_people_is_told_without_a_report(window: MainWindow) -> None:
    faults = Faults(Redactor(), window)
    faults.said.connect(window.show_fault)
    faults.on_exception(UserError, UserError("“x” is no size", todo="Write 6TB."), None)
    assert window.message.text() == "“x” is no size. Write 6TB."
    assert not (user_data_folder() / "crashes").exists()


def test_that_what_qt_says_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    log_qt_message(QtMsgType.QtWarningMsg, QMessageLogContext(), "something is odd")
    assert [(r.levelno, "something is odd" in r.getMessage()) for r in caplog.records] == [(logging.WARNING, True)]


def endless() -> Generator[float, None, None]:
    while True:
        time.sleep(0.001)
        yield 0.25


@pytest.mark.slow
def test_that_a_long_job_is_shown_and_can_be_cancelled(window: MainWindow, qtbot: QtBot) -> None:
    strip = window.page("start").findChildren(JobStrip)[0]
    queue = window.session.jobs
    queue.add(SlicedJob("Counting sheep", "meadow", endless(), queue))
    assert not strip.isVisible()  # not before 300 ms
    qtbot.waitUntil(strip.isVisible)
    QTest.mouseClick(strip.findChildren(QPushButton)[0], Qt.MouseButton.LeftButton)
    assert queue.jobs == ()
    qtbot.waitUntil(strip.isHidden)


@pytest.mark.slow
def test_that_a_short_job_is_not_shown(window: MainWindow, qtbot: QtBot) -> None:
    strip = window.page("start").findChildren(JobStrip)[0]
    queue = window.session.jobs
    job = SlicedJob("Counting", "meadow", (0.5 for _ in range(3)), queue)
    with qtbot.waitSignal(job.ended):
        queue.add(job)
    qtbot.wait(400)
    assert not strip.isVisible()
