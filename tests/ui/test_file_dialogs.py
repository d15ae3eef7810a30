"""A file dialog that was closed is gone: each holds a thread and files that watch its directory."""

from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QFileDialog, QPushButton
from pytestqt.qtbot import QtBot
from tests.ui.controls import press

from poolwright.ui.shell.main_window import MainWindow

UI = Path(__file__).parents[2] / "app" / "poolwright" / "ui"


@pytest.mark.parametrize("text", ["Open…", "Choose…"])
def test_that_a_closed_file_dialog_is_gone(window: MainWindow, qtbot: QtBot, text: str) -> None:
    window.show_page("verify")
    page = window.page("verify")
    (button,) = (b for b in page.findChildren(QPushButton) if b.text() == text and b.isVisible())
    for _ in range(3):
        press(button)
        (dialog,) = page.findChildren(QFileDialog)
        dialog.reject()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        assert not page.findChildren(QFileDialog)


def test_that_every_file_dialog_that_stays_open_is_made_in_one_place() -> None:
    made = [path.name for path in UI.rglob("*.py") if "QFileDialog(" in path.read_text(encoding="utf-8")]
    assert made == ["save_file.py"]
