"""The window that asks for a password: what is typed is printed for who asked, and nothing where it is closed."""

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QInputDialog, QLineEdit
from pytestqt.qtbot import QtBot

from poolwright.ui.hosts.page import ask_in_window


@pytest.mark.qt_log_ignore("propagateSizeHints")  # what the screen in memory says of any dialog
@pytest.mark.parametrize(("text", "status"), [("pass wörd", 0), (None, 1)])
def test_that_a_password_is_asked_for_hidden(
    qapp: QApplication, qtbot: QtBot, capsys: pytest.CaptureFixture[str], text: str | None, status: int
) -> None:
    seen: list[QLineEdit.EchoMode] = []

    def answer() -> None:
        dialog = next(each for each in qapp.topLevelWidgets() if isinstance(each, QInputDialog) and each.isVisible())
        seen.append(dialog.textEchoMode())
        if text is None:
            dialog.reject()
        else:
            dialog.setTextValue(text)
            dialog.accept()

    QTimer.singleShot(200, answer)
    assert ask_in_window("Password for root@nas:") == status
    assert seen == [QLineEdit.EchoMode.Password]
    assert capsys.readouterr().out == ("" if text is None else f"{text}\n")


def test_that_a_key_is_never_accepted_in_a_window(qapp: QApplication, capsys: pytest.CaptureFixture[str]) -> None:
    assert ask_in_window("continue connecting (yes/no/[fingerprint])?") == 1
    assert capsys.readouterr().out == ""
