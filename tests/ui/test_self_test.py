"""`poolwright --self-test` tells whether an installation works, and what of it does not."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QMessageLogContext, QtMsgType
from PySide6.QtWidgets import QWidget
from tests.pace import slowness
from tests.ui.conftest import thesis_design

from poolwright.ui.design.page import DesignPage
from poolwright.ui.shell import self_test
from poolwright.ui.shell.main_window import MainWindow
from poolwright.ui.shell.pages import page_entries
from poolwright.ui.shell.self_test import SelfTest

SECONDS = 30


@pytest.mark.slow
def test_that_every_page_is_tried_and_nothing_of_the_user_is_touched(tmp_path: Path) -> None:
    own = {name: str(tmp_path) for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME")}
    environment = {name: value for name, value in os.environ.items() if name != "QT_QPA_PLATFORM"} | own
    ended = subprocess.run(
        [sys.executable, "-m", "poolwright", "--self-test"],
        env=environment,
        capture_output=True,
        text=True,
        timeout=SECONDS * max(1.0, slowness()) * 3,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    *pages, last = ended.stdout.splitlines()
    assert [line.partition(":")[0] for line in pages] == [entry.name for entry in page_entries()]
    assert float(last.removeprefix("self-test passed in ").removesuffix(" s")) < SECONDS * max(1.0, slowness())
    assert list(tmp_path.iterdir()) == []


def test_that_a_page_that_does_not_come_or_is_empty_is_told(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(self_test, "MOST_SECONDS", 0.1)
    test = SelfTest(window)
    test._see("settings")
    assert test.problems == []
    assert capsys.readouterr().out.startswith("settings: ")
    monkeypatch.setattr(window, "show_page", str)
    test._see("reference")
    assert test.problems == ["The page “reference” did not appear."]
    test._take()
    assert test.problems[1:] == ["No layout was recommended for the example machine."]


def test_that_every_tab_of_a_page_is_tried(window: MainWindow) -> None:
    window.session.change_design(thesis_design(), "Choose layout")
    test = SelfTest(window)
    test._see("design")
    page = window.page("design")
    assert isinstance(page, DesignPage)
    assert {type(part).__name__ for part in page.stack.findChildren(QWidget)} >= {one.kind for one in page.entries()}
    assert test.problems == []


def test_that_what_no_code_caught_and_what_qt_warns_of_is_a_problem(window: MainWindow) -> None:
    test = SelfTest(window)
    test.on_exception(ValueError, ValueError("odd"), None)
    test.on_message(QtMsgType.QtInfoMsg, QMessageLogContext(), "fine")
    test.on_message(QtMsgType.QtWarningMsg, QMessageLogContext(), "not fine")
    assert test.problems == ["ValueError: odd", "Qt: not fine"]
