"""Results of other programs in the window: files and folders, opened and dropped, with the errors of each."""

import json
import time
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QTimer, QUrl
from PySide6.QtGui import QDropEvent
from pytestqt.qtbot import QtBot
from tests.pace import slowness
from tests.ui.controls import there, visit

from poolwright.process import elsewhere
from poolwright.ui.shell.main_window import MainWindow
from poolwright.ui.shell.warm_up import keep_for_good
from poolwright.ui.verify.page import VerifyPage

DD = b"64+0 records in\n64+0 records out\n67108864 bytes (67 MB, 64 MiB) copied, 0.5 s, 134 MB/s\n"
LOG = "".join(f"{100 * at}, {1000 + at}, 0, 4096, 0\n" for at in range(1, 50))
MOST_BLOCKED_SECONDS = 0.1


@pytest.fixture
def page(window: MainWindow) -> VerifyPage:
    window.resize(1280, 800)
    return visit(window, VerifyPage)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "results"  # the window keeps files of its own beside it
    made.mkdir()
    return made


def fio_json(jobs: int = 1) -> str:
    shares = {f"{percent}.000000": 1000 * percent for percent in range(1, 100)}
    bins = {str(1000 + 16 * at): at + 1 for at in range(400)}
    took = {"min": 1, "max": 9, "mean": 5.0, "stddev": 1.0, "N": 9, "percentile": shares, "bins": bins}
    read = {"io_bytes": 1 << 30, "bw": 1 << 10, "iops": 256.0, "runtime": 1_024_000, "total_ios": 9, "clat_ns": took}
    made = [{"jobname": f"job{at}", "groupid": 0, "error": 0, "elapsed": 9, "read": read} for at in range(jobs)]
    return json.dumps({"fio version": "fio-3.33", "timestamp": 1_795_160_000, "jobs": made})


def opened(page: VerifyPage, qtbot: QtBot, *paths: Path) -> None:
    page.take(paths)
    qtbot.waitUntil(lambda: not page.results.busy, timeout=60_000)


def test_that_room_is_told_with_its_unit_and_no_digit_that_nobody_measured(
    page: VerifyPage, qtbot: QtBot, folder: Path
) -> None:
    text = (
        "              capacity     operations     bandwidth \n"
        "pool        alloc   free   read  write   read  write\n"
        "----------  -----  -----  -----  -----  -----  -----\n"
        "tank        2.89T  2.20T      0      2   357K   459K\n"
    )
    (folder / "iostat.txt").write_text(text)
    opened(page, qtbot, folder)
    told = page.results.detail.toPlainText()
    assert "2.89 TiB" in told
    assert "e+" not in told
    assert "B (" not in told


def test_that_what_was_measured_is_not_squeezed_by_the_names_of_files(
    page: VerifyPage, qtbot: QtBot, folder: Path
) -> None:
    for number in range(3):
        (folder / f"{'a-long-name-of-a-file-' * 4}{number}.json").write_text(fio_json())
    opened(page, qtbot, folder)
    view = page.results.view
    widths = [view.columnWidth(column) for column in (0, 1)]
    assert min(widths) >= 140
    assert not view.horizontalScrollBar().maximum()


def test_that_only_columns_with_something_in_them_are_shown_and_with_their_part_of_a_low_window(
    page: VerifyPage, qtbot: QtBot, folder: Path
) -> None:
    (folder / "a.txt").write_bytes(DD)
    opened(page, qtbot, folder)
    results = page.results
    titles = [column.title for column in results.table.columns]
    assert results.view.isColumnHidden(titles.index("99 % within"))
    assert not results.view.isColumnHidden(titles.index("Rate"))
    (folder / "b.json").write_text(fio_json())
    opened(page, qtbot, folder)
    assert not results.view.isColumnHidden(titles.index("99 % within"))
    page.panes.bring_to_front(page.runs)
    page.window().resize(800, 500)
    qtbot.wait(50)
    page.panes.bring_to_front(page.results)
    qtbot.waitUntil(lambda: page.results.view.width() > page.results.width() // 3)


def test_that_a_result_is_told_drawn_over_time_and_as_latency(page: VerifyPage, qtbot: QtBot, folder: Path) -> None:
    (folder / "a.json").write_text(fio_json())
    (folder / "b_lat.1.log").write_text(LOG)
    opened(page, qtbot, folder)
    results = page.results
    assert results.said.text() == "2 results."
    assert results.table.index(0, 0).data() == "a.json"
    results.choice.setCurrentIndex(2)
    assert there(results.chart.chart).stem == "a-histogram"
    results.choice.setCurrentIndex(3)
    assert len(there(results.chart.chart).series[0].marks) == 99
    assert results.table.index(1, 1).data() == "fio: 1 curve"
    results.view.selectRow(1)
    results.choice.setCurrentIndex(1)
    assert [lane.key for lane in results.lanes.lanes] == ["latency"]


@pytest.mark.slow
def test_that_each_file_that_cannot_be_read_is_told_with_its_reason(
    page: VerifyPage, qtbot: QtBot, folder: Path
) -> None:
    (folder / "good.txt").write_bytes(DD)
    (folder / "empty.json").write_text("")
    (folder / "prose.txt").write_text("hello\n")
    opened(page, qtbot, folder)
    assert page.results.said.text() == "1 result, 2 files could not be read."
    rows = page.results.table.rows
    assert [(Path(row.where).name, row.error is None) for row in rows] == [
        ("good.txt", True),
        ("empty.json", False),
        ("prose.txt", False),
    ]
    page.results.choice.setCurrentIndex(0)
    page.results.view.selectRow(1)
    assert "The file is empty" in page.results.detail.toPlainText()


@pytest.mark.slow
def test_that_nothing_that_can_be_read_is_complained_of(page: VerifyPage, qtbot: QtBot, folder: Path) -> None:
    (folder / "prose.txt").write_text("hello\n")
    with qtbot.waitSignal(page.session.complained, timeout=20_000):
        page.take([folder])


def test_that_what_is_dropped_is_opened(page: VerifyPage, qtbot: QtBot, folder: Path) -> None:
    file = folder / "dd.txt"
    file.write_bytes(DD)
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(file))])
    none = Qt.KeyboardModifier.NoModifier
    event = QDropEvent(QPointF(9, 9), Qt.DropAction.CopyAction, mime, Qt.MouseButton.LeftButton, none)
    page.window().dropEvent(event)
    qtbot.waitUntil(lambda: page.results.table.rowCount() == 1, timeout=20_000)
    assert page.panes.shows(page.results)


@pytest.mark.slow
def test_that_a_large_file_is_read_by_another_process(
    page: VerifyPage, qtbot: QtBot, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(elsewhere, "LARGE_BYTES", 0)
    (folder / "b_lat.1.log").write_text(LOG)
    (folder / "c.txt").write_text("hello\n")
    opened(page, qtbot, folder)
    assert page.results.said.text() == "1 result, 1 file could not be read."
    (curve,) = page.results.table.rows[0].recorded.curves  # type: ignore[union-attr]
    assert len(curve.values) == 49


class Turns(QTimer):
    """Measures in processor time how long the window does not come to itself."""

    def __init__(self, page: VerifyPage) -> None:
        super().__init__(page)
        self.longest, self._last = 0.0, time.process_time()
        self.timeout.connect(self._on_turn)
        self.start(0)

    def _on_turn(self) -> None:
        now = time.process_time()
        self.longest, self._last = max(self.longest, now - self._last), now


@pytest.mark.slow
def test_that_a_folder_of_two_hundred_results_opens_without_blocking(
    page: VerifyPage, qtbot: QtBot, folder: Path
) -> None:
    for at in range(200):
        (folder / f"{at:03}.json").write_text(fio_json(4) if at % 20 else "no result of any tool")
    keep_for_good()  # what other tests left is not looked through meanwhile
    turns = Turns(page)
    began = time.process_time()
    opened(page, qtbot, folder)
    took = time.process_time() - began
    turns.stop()
    assert page.results.said.text() == "190 results, 10 files could not be read."
    assert page.results.table.rowCount() == 4 * 190 + 10
    assert took < 3 * slowness()
    assert turns.longest < MOST_BLOCKED_SECONDS * slowness()
