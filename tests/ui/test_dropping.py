"""What is dropped on any page of the window, or pasted: each opens where it belongs, else it is said why not."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QAction, QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget
from pytestqt.qtbot import QtBot
from tests.ui.conftest import thesis_design
from tests.ui.controls import there

from poolwright.store.design_file import to_json
from poolwright.ui.shell.main_window import MainWindow

MACHINES = Path(__file__).parents[1] / "machines"
CAPTURE = MACHINES / "vm-mixed-sectors.capture"
FIO = (
    '{"fio version": "fio-3.33", "timestamp": 1, "jobs": [{"jobname": "a", "groupid": 0, "error": 0, "job options": '
    '{"rw": "read", "bs": "128k"}, "read": {"io_bytes": 1048576, "bw_bytes": 1048576, "iops": 8.0, "runtime": 1000, '
    '"total_ios": 8}, "write": {"io_bytes": 0}}]}'
)


def drop(onto: QWidget, path: Path) -> bool:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    copying, left, none = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(QPoint(5, 5), copying, data, left, none)
    QApplication.sendEvent(onto, enter)
    assert enter.isAccepted()
    event = QDropEvent(QPointF(5, 5), copying, data, left, none)
    QApplication.sendEvent(onto, event)
    return event.isAccepted()


def idle(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not window.session.jobs.jobs, timeout=20_000)


@pytest.mark.parametrize("page", ["start", "disks", "verify", "hosts", "library"])
def test_that_a_capture_opens_from_any_page(window: MainWindow, qtbot: QtBot, page: str) -> None:
    shown = window.page_now(page)
    onto = shown if page in ("disks", "verify") else window
    assert drop(onto, CAPTURE)
    qtbot.waitUntil(lambda: window.session.inventory is not None, timeout=20_000)
    assert window.current_page() == "disks"


def test_that_the_menu_opens_whatever_a_drop_opens(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    design = tmp_path / "tank.json"
    design.write_text(to_json(thesis_design()), encoding="utf-8")
    for file in (CAPTURE, design):
        (act,) = (a for a in window.findChildren(QAction) if a.text() == "&Open…" and a.shortcut().toString())
        act.trigger()
        dialogs = [d for d in window.findChildren(QFileDialog) if d.isVisible()]
        dialogs[0].filesSelected.emit([str(file)])
        dialogs[0].reject()
        idle(window, qtbot)
    assert window.message.isHidden(), window.message.text()
    assert window.session.inventory is not None
    assert window.session.design is not None


def test_that_a_whole_folder_opens(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "readme.md").write_text("these are my disks\n", encoding="utf-8")
    (tmp_path / "z-lsblk.txt").write_text(
        'NAME="sda" KNAME="sda" TYPE="disk" SIZE="6001175126016" SERIAL="Z1" FSTYPE="" MOUNTPOINT=""\n',
        encoding="utf-8",
    )
    assert drop(window, tmp_path)
    qtbot.waitUntil(lambda: window.session.inventory is not None, timeout=20_000)
    assert [disk.serial for disk in there(window.session.inventory).disks] == ["Z1"]


def test_that_designs_open_as_designs_whatever_their_ending(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    files = [tmp_path / "tank.txt", tmp_path / "second"]
    for file, key in zip(files, ("one", "two"), strict=True):
        file.write_text(to_json(replace(thesis_design(), key=key, name=key)), encoding="utf-8")
    window.session.open_files(map(str, files))
    qtbot.waitUntil(lambda: window.session.design is not None, timeout=20_000)
    assert there(window.session.design).name == "one"
    assert {entry.name for entry in window.session.library.entries()} == {"one", "two"}


@pytest.mark.slow
def test_that_results_of_fio_go_to_verify(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    file.write_text(FIO, encoding="utf-8")
    assert drop(window, file)
    qtbot.waitUntil(lambda: window.current_page() == "verify", timeout=20_000)
    page = window.page("verify")
    qtbot.waitUntil(lambda: page.results.table.rowCount() == 1, timeout=20_000)  # type: ignore[attr-defined]
    assert page.results.isVisibleTo(page)  # type: ignore[attr-defined]
    assert window.session.inventory is None


def test_that_what_is_nothing_of_it_is_said(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    file = tmp_path / "letter.txt"
    file.write_text("Dear disk,\nhow are you?\n", encoding="utf-8")
    assert drop(window, file)
    idle(window, qtbot)
    assert "This cannot be opened here" in window.message.text()
    assert "letter.txt" in window.message.text()
