"""The page of synchronous writes does what its controls say."""

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QPushButton, QSlider, QTableView, QTextBrowser
from pytestqt.qtbot import QtBot
from tests.ui.controls import named, part_of, press, there

from poolwright.domain.design import Dataset, Design, Member, Vdev
from poolwright.domain.disk import Disk, Media
from poolwright.domain.units import KIB
from poolwright.domain.vdev import VdevClass, VdevKind
from poolwright.domain.version import ZfsVersion
from poolwright.domain.workload import Goal, Workload
from poolwright.predict.synclog_model import setup_of
from poolwright.ui.knowledge.page import ReferencePage
from poolwright.ui.knowledge.synclog import SynclogPane
from poolwright.ui.plots.chart_plot import ChartPlot
from poolwright.ui.shell.main_window import MainWindow

pytestmark = pytest.mark.slow
IOPS, GAIN = 1, 2  # columns


@pytest.fixture
def page(window: MainWindow, qtbot: QtBot) -> SynclogPane:
    made = part_of(window, SynclogPane, "synclog", ReferencePage)
    # Building it simulates nothing yet: that happens beside the window.
    assert made.comparison is None
    settle(made, qtbot)
    qtbot.waitUntil(lambda: made.load.plot is not None, timeout=10_000)
    return made


def settle(page: SynclogPane, qtbot: QtBot) -> None:
    """Wait until what the controls ask for is shown."""

    def settled() -> bool:
        shown = page.comparison
        return shown is not None and shown.setup == page.setup_asked() and not page.session.jobs.jobs

    qtbot.waitUntil(settled, timeout=30_000)


def cell(view: QTableView, row: int, column: int) -> str:
    return str(view.model().index(row, column).data())


def test_that_the_page_begins_with_the_paper_s_experiment_and_draws_what_is_selected(page: SynclogPane) -> None:
    assert there(page.comparison).setup.volumes == there(page.comparison).setup.disks == 3
    runs = named(page, QTableView, "The four combinations")
    assert runs.model().rowCount() == 4
    assert 80 < float(cell(runs, 3, GAIN)) < 92
    plot = there(page.load.plot)
    assert plot.text_at(at(plot, 0.5, 2.5)).startswith("Disk 1 from 0.419 ms on:")
    assert plot.text_at(at(plot, 0.5, 0.5)).startswith("Disk 3")
    assert plot.text_at(at(plot, 0.5, 7.0)) == ""
    assert plot.text_at(at(plot, -1.0, 0.5)) == ""
    plot = there(page.load.plot)
    before = plot.chart
    named(page, QTableView, "The four combinations").selectRow(3)
    assert plot.chart != before
    assert [text for _, text in there(plot.chart).y.ticks] == ["Disk 3", "Disk 2", "Disk 1"]


def test_that_a_slider_moved_by_keys_asks_anew_and_one_dragged_far_is_answered_for_where_it_rests(
    page: SynclogPane, qtbot: QtBot
) -> None:
    view = named(page, QTableView, "The four combinations")
    before = cell(view, 0, IOPS)
    QTest.keyClick(named(page, QSlider, "Block size"), Qt.Key.Key_Right)
    assert page.setup_asked().block_bytes == 8 * KIB
    settle(page, qtbot)
    assert cell(view, 0, IOPS) != before
    assert named(page, QSlider, "Block size").accessibleDescription() == "8 KiB"
    for _ in range(6):
        QTest.keyClick(named(page, QSlider, "Volumes"), Qt.Key.Key_Right)
        qtbot.wait(30)
    settle(page, qtbot)
    assert there(page.comparison).setup.volumes == 9


def test_that_a_log_device_is_the_only_lane(page: SynclogPane, qtbot: QtBot) -> None:
    box = named(page, QComboBox, "Log device")
    box.setCurrentIndex(1)
    settle(page, qtbot)
    plot = there(page.load.plot)
    assert [text for _, text in there(plot.chart).y.ticks] == ["Log device"]
    box.setCurrentIndex(0)
    settle(page, qtbot)
    assert there(page.comparison).setup.log is None


def at(plot: ChartPlot, x: float, y: float) -> QPointF:
    """Return where the pointer is over a place in the plot's own coordinates."""
    return QPointF(plot.view.box.mapViewToScene(QPointF(x, y)))


def test_that_the_advice_is_for_the_version_of_new_designs(page: SynclogPane, window: MainWindow) -> None:
    advice = named(page, QTextBrowser, "What it means for your pool")
    assert f"OpenZFS {window.session.version} commits waiting requests together" in advice.toPlainText()
    assert "zfs#6566" in advice.toPlainText()
    window.session.set_version(ZfsVersion(2, 1, 16))
    assert "OpenZFS 2.1.16" in advice.toPlainText()


def test_that_the_current_design_is_asked_about_with_its_own_version(page: SynclogPane, qtbot: QtBot) -> None:
    take = named(page, QPushButton, "From the design")
    assert not take.isEnabled()
    assert "No open design has volumes" in take.accessibleDescription()
    page.session.open_design(volumes_on_mirrors())
    settle(page, qtbot)
    assert take.isEnabled()
    press(take)
    asked = page.setup_asked()
    assert asked == setup_of(volumes_on_mirrors())
    assert (asked.volumes, asked.disks, asked.requests_per_sync, asked.block_bytes) == (14, 2, 4, 16 * KIB)
    assert named(page, QSlider, "Volumes").accessibleDescription() == "14"
    settle(page, qtbot)
    advice = named(page, QTextBrowser, "What it means for your pool")
    assert "For the design “volumes” with OpenZFS 2.1.16" in advice.toPlainText()
    QTest.keyClick(named(page, QSlider, "Volumes"), Qt.Key.Key_Left)
    settle(page, qtbot)
    assert "For the design" not in advice.toPlainText()
    assert page.setup_asked().volumes == 12


def volumes_on_mirrors() -> Design:
    """Two mirrors and a log device, written synchronously a quarter of the time by fourteen clients."""
    there = (*(disk(f"D{n}") for n in range(4)), disk("F", media=Media.NVME, size_bytes=100 * 10**9))
    mirrors = tuple(
        Vdev(kind=VdevKind.MIRROR, members=tuple(Member(disk_key=d.key) for d in there[n : n + 2])) for n in (0, 2)
    )
    log = Vdev(kind=VdevKind.STRIPE, vdev_class=VdevClass.LOG, members=(Member(disk_key="F"),))
    workload = Workload(goal=Goal.CONCURRENT, volumes=True, clients=14, sync_write_percent=25, io_size_bytes=16 * KIB)
    return Design(
        key="v", name="volumes", pool_name="tank", workload=workload, disks=there, vdevs=(*mirrors, log),
        version=ZfsVersion(2, 1, 16), datasets=(Dataset(name=""),),
    )  # fmt: skip


def disk(key: str, *, media: Media = Media.HDD, size_bytes: int = 6 * 10**12) -> Disk:
    return Disk(key=key, by_id=(f"ata-{key}",), size_bytes=size_bytes, media=media, physical_sector_bytes=4096)
