"""Measuring on another machine from the window, by a real server: where is chosen, looked at, run, stopped, refused."""

import shutil
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot
from tests.process.sshd import OwnSshd, own_sshd
from tests.ui.controls import choose, there, visit

from poolwright.bench.record import Ended
from poolwright.ui.shell.main_window import MainWindow
from poolwright.ui.verify.page import VerifyPage
from poolwright.ui.verify.setup_pane import RunLimits

__all__ = ["own_sshd"]
pytestmark = pytest.mark.slow
needs_fio = pytest.mark.skipif(shutil.which("fio") is None, reason="fio is not installed")


@pytest.fixture
def page(window: MainWindow) -> VerifyPage:
    return visit(window, VerifyPage)


@pytest.fixture
def near(page: VerifyPage, own_sshd: OwnSshd) -> OwnSshd:
    own_sshd.start()
    own_sshd.trust()
    page.hosts.use(own_sshd.config)
    choose(page.setup.machine, "near")
    return own_sshd


def look(page: VerifyPage, folder: str) -> None:
    page.setup.directory.setText(folder)
    page.setup.directory.editingFinished.emit()


def test_that_hosts_are_offered_and_one_that_is_not_reached_is_told(
    page: VerifyPage, near: OwnSshd, qtbot: QtBot
) -> None:
    page.session.preferences.typed_hosts = ("root@192.0.2.7",)
    page.hide()
    page.show()
    offered = [page.setup.machine.itemText(place) for place in range(page.setup.machine.count())]
    assert offered == ["this machine", "near", "root@192.0.2.7"]
    assert page.setup.host() == "near"
    page.session.preferences.typed_hosts = ()
    with qtbot.waitSignal(page.session.complained) as told:
        look(page, "bench")
    assert "Begin it with a /" in str(told.args)
    near.stop()
    with qtbot.waitSignal(page.session.complained, timeout=30_000) as told:
        look(page, "/srv")
    assert "near refuses the connection" in str(told.args)
    assert page.measuring.place is None


def test_that_another_directory_or_machine_is_looked_at_before_anything_runs_there(
    page: VerifyPage, near: OwnSshd, qtbot: QtBot, tmp_path: Path
) -> None:
    choose(page.setup.machine, "this machine")
    look(page, str(tmp_path))
    qtbot.waitUntil(page.run_button.isEnabled, timeout=20_000)
    page.setup.directory.textEdited.emit("/elsewhere")
    assert page.measuring.place is None
    look(page, str(tmp_path))
    qtbot.waitUntil(page.run_button.isEnabled, timeout=20_000)
    choose(page.setup.machine, "near")
    assert page.measuring.place is None


def begun(page: VerifyPage, qtbot: QtBot, beside: Path) -> Path:
    """Begin a run in a folder of its own, and return it once something lies in it."""
    folder = beside / "bench"
    folder.mkdir()
    look(page, str(folder))
    qtbot.waitUntil(page.run_button.isEnabled, timeout=30_000)
    page.run_button.click()
    qtbot.waitUntil(lambda: bool(list(folder.iterdir())), timeout=30_000)
    return folder


@needs_fio
def test_that_a_run_over_there_comes_to_its_end_and_leaves_nothing(
    page: VerifyPage, near: OwnSshd, qtbot: QtBot, tmp_path: Path
) -> None:
    folder = tmp_path / "bench"
    folder.mkdir()
    look(page, str(folder))
    qtbot.waitUntil(page.run_button.isEnabled, timeout=30_000)
    page.setup.limits = RunLimits(repeats=1, seconds=1.0, celsius=None)
    page.setup.limited.emit()
    page.run_button.click()
    qtbot.waitUntil(lambda: any(lane.curves for lane in page.live.plots.lanes.lanes), timeout=30_000)
    qtbot.waitUntil(lambda: not page.measuring.busy, timeout=120_000)
    record = there(page.measuring.record)
    assert record.ended is Ended.WHOLE
    assert not list(folder.iterdir())


@needs_fio
def test_that_a_run_ends_with_its_connection_and_leaves_nothing(
    page: VerifyPage, near: OwnSshd, qtbot: QtBot, tmp_path: Path
) -> None:
    folder = begun(page, qtbot, tmp_path)
    near.drop()
    qtbot.waitUntil(lambda: not page.measuring.busy, timeout=30_000)
    qtbot.waitUntil(lambda: not list(folder.iterdir()), timeout=10_000)
    record = there(page.measuring.record)
    assert record.ended is Ended.FAILED
    assert record.why


@needs_fio
def test_that_a_run_that_is_stopped_there_keeps_what_it_finished(
    page: VerifyPage, near: OwnSshd, qtbot: QtBot, tmp_path: Path
) -> None:
    folder = begun(page, qtbot, tmp_path)
    page.stop_button.click()
    qtbot.waitUntil(lambda: not page.measuring.busy, timeout=5_000)
    qtbot.waitUntil(lambda: not list(folder.iterdir()), timeout=5_000)
    assert there(page.measuring.record).ended is Ended.CANCELLED
