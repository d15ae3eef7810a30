"""Machines over SSH in the window, by a real server: read, refused, cancelled, several at once, opened, asked for."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QInputDialog, QLineEdit, QPushButton, QTableView
from pytestqt.qtbot import QtBot
from tests.process.sshd import OwnSshd, own_sshd
from tests.ui.controls import enter, named, there, visit

from poolwright.process.ssh import SshFailure, SshTrouble
from poolwright.ui.hosts.page import HostsPage, ask_in_window
from poolwright.ui.shell.main_window import MainWindow
from poolwright.ui.state.hosts import HostPhase

__all__ = ["own_sshd"]


def press(page: HostsPage, name: str) -> None:
    (button,) = [each for each in page.findChildren(QPushButton) if name in (each.text(), each.accessibleName())]
    assert button.isEnabled()
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def view(page: HostsPage) -> QTableView:
    return there(page.findChild(QTableView))


def config(folder: Path, *names: str) -> Path:
    file = folder / "ssh_config"
    file.write_text("".join(f"Host {name}\n  HostName 127.0.0.1\n" for name in names), encoding="utf-8")
    return file


def test_that_without_a_host_no_table_is_shown_and_typed_ones_are_offered_and_remembered(
    window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    page = visit(window, HostsPage)
    page.hosts.use(config(tmp_path))
    assert (view(page).isVisible(), page._empty.isVisible()) == (False, True)
    page.hosts.use(config(tmp_path, "nas1"))
    assert (view(page).isVisible(), page._empty.isVisible()) == (True, False)
    page.hosts.use(config(tmp_path, "nas1", "*.example", "nas2"))
    assert [row.name for row in page.hosts.rows] == ["nas1", "nas2"]
    entry = there(page.findChild(QLineEdit))
    enter(entry, "root@192.0.2.7")
    assert [row.name for row in page.selected()] == ["root@192.0.2.7"]
    assert window.session.preferences.typed_hosts == ("root@192.0.2.7",)
    enter(entry, "-oProxyCommand=reboot")
    assert "cannot be the name of a host" in page.notice.text()
    press(page, "Forget this host")
    assert [row.name for row in page.hosts.rows] == ["nas1", "nas2"]
    assert not window.session.preferences.typed_hosts


@pytest.mark.slow
def test_that_an_unknown_key_is_shown_with_what_to_do_and_a_known_host_opens(
    window: MainWindow, qtbot: QtBot, own_sshd: OwnSshd
) -> None:
    own_sshd.start()
    page = visit(window, HostsPage)
    page.hosts.use(own_sshd.config)
    view(page).selectRow(0)
    press(page, "Read")
    qtbot.waitUntil(lambda: page.hosts.rows[0].phase is HostPhase.FAILED, timeout=20_000)
    assert "SHA256:" in page.notice.reasons()
    accept = "ssh -o StrictHostKeyChecking=ask near exit"
    assert page.notice.reasons().endswith(accept)
    named(page.notice, QPushButton, "Copy").click()
    assert QGuiApplication.clipboard().text() == accept
    own_sshd.trust()
    named(page.notice, QPushButton, "Try again").click()
    qtbot.waitUntil(lambda: window.session.inventory is not None, timeout=30_000)
    assert page.hosts.rows[0].phase is HostPhase.READ
    assert page.hosts.rows[0].way is not None
    assert window.current_page() == "disks"


@pytest.mark.slow
def test_that_one_that_hangs_and_one_that_is_not_there_disturb_no_other(
    window: MainWindow, qtbot: QtBot, own_sshd: OwnSshd
) -> None:
    own_sshd.start()
    own_sshd.trust()
    text = own_sshd.config.read_text(encoding="utf-8")
    hanging = own_sshd.folder / "hanging"
    hanging.write_text("#!/bin/sh\nexec sleep 600\n", encoding="utf-8")
    hanging.chmod(0o755)
    more = f"Host hangs\n  ProxyCommand {hanging}\nHost gone\n  HostName 127.0.0.1\n  Port 9\n"
    own_sshd.config.write_text(more + text, encoding="utf-8")
    page = visit(window, HostsPage)
    page.hosts.use(own_sshd.config)
    view(page).selectAll()
    press(page, "Read")

    def phases() -> dict[str, HostPhase]:
        return {row.name: row.phase for row in page.hosts.rows}

    qtbot.waitUntil(lambda: phases()["near"] is HostPhase.READ and phases()["gone"] is HostPhase.FAILED, timeout=30_000)
    assert phases()["hangs"] is HostPhase.READING
    assert window.session.inventory is None  # several are opened by hand
    error = page.hosts.rows[1].error
    assert isinstance(error, SshFailure)
    assert error.trouble is SshTrouble.REFUSED
    view(page).selectRow(0)
    press(page, "Cancel reading")
    qtbot.waitUntil(lambda: phases()["hangs"] is HostPhase.CANCELLED, timeout=5_000)
    view(page).selectRow(2)
    press(page, "Open machine")
    assert window.session.inventory is not None


@pytest.mark.slow
def test_that_a_server_that_dies_meanwhile_is_told_and_can_be_read_again(
    window: MainWindow, qtbot: QtBot, own_sshd: OwnSshd
) -> None:
    own_sshd.start()
    own_sshd.trust()
    page = visit(window, HostsPage)
    page.hosts.use(own_sshd.config)
    view(page).selectRow(0)
    press(page, "Read")
    qtbot.waitUntil(lambda: (page.hosts.rows[0].fraction or 0) > 0 or not page.hosts.rows[0].busy, timeout=20_000)
    own_sshd.stop()
    qtbot.waitUntil(lambda: page.hosts.rows[0].phase is HostPhase.FAILED, timeout=30_000)
    assert page.hosts.rows[0].failure is not None
    own_sshd.start()
    press(page, "Read")
    qtbot.waitUntil(lambda: not page.hosts.rows[0].busy, timeout=30_000)
    assert page.hosts.rows[0].phase is HostPhase.READ, page.hosts.rows[0]


def test_that_the_first_page_and_the_keys_lead_there(window: MainWindow, qtbot: QtBot) -> None:
    window.page_now("start").go.emit("hosts")
    assert window.current_page() == "hosts"
    window.page_now("start").go.emit("buying")
    assert window.current_page() == "buying"


# The window that asks for a password: what is typed is printed for who asked, and nothing where it is closed.


@pytest.mark.qt_log_ignore("propagateSizeHints")  # what the screen in memory says of any dialog
@pytest.mark.parametrize(("text", "status"), [("pass wörd", 0), (None, 1)])
def test_that_a_password_is_asked_for_hidden(
    qapp: QApplication, capsys: pytest.CaptureFixture[str], text: str | None, status: int
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
