"""The page that measures: looks at a place, tells what is expected, runs the real fio, and shows the verdict."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot
from tests.ui.controls import named, there, visit
from tests.ui.verify_at_hand import made_run

from poolwright.bench.record import Ended
from poolwright.bench.run_file import read_run
from poolwright.domain.disk import Disk
from poolwright.domain.estimate import Origin, OriginKind
from poolwright.domain.host import Inventory
from poolwright.domain.units import GIB
from poolwright.rules.rulebook import RuleBook
from poolwright.ui.parts.page import JobStrip
from poolwright.ui.shell.main_window import MainWindow
from poolwright.ui.verify.page import VerifyPage
from poolwright.ui.verify.setup_pane import ProfileChoice, RunLimits

SHORT = RunLimits(repeats=1, seconds=1.0, celsius=None)


@pytest.fixture
def page(designed: MainWindow) -> VerifyPage:
    return visit(designed, VerifyPage)


def look(page: VerifyPage, qtbot: QtBot, folder: Path) -> None:
    page.setup.directory.setText(str(folder))
    page.setup.directory.editingFinished.emit()
    qtbot.waitUntil(lambda: page.measuring.place is not None, timeout=20_000)


@pytest.fixture
def unused() -> Iterator[tuple[Disk, ...]]:
    """Files that a sweep takes for disks: it reads nothing that does not lie in /dev."""
    if not os.access("/dev/shm", os.W_OK):
        pytest.skip("nothing can be made in /dev/shm")
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        disks = []
        for number in range(3):
            file = Path(folder) / f"disk{number}"
            with file.open("wb") as opened:
                opened.truncate(4 * GIB)
            disks.append(Disk(key=f"d{number}", path=str(file), serial=f"ZR5A{number}KX", size_bytes=4 * GIB))
        yield tuple(disks)


def choose(page: VerifyPage, name: str) -> None:
    box = page.setup.profile
    at = next(n for n in range(box.count()) if isinstance(kept := box.itemData(n), ProfileChoice) and kept.name == name)
    box.setCurrentIndex(at)
    box.activated.emit(at)


@pytest.mark.slow
def test_that_nothing_runs_before_a_look_and_a_system_directory_is_refused(page: VerifyPage, qtbot: QtBot) -> None:
    assert not page.run_button.isEnabled()
    assert page.missing() == "Name a directory on the pool."
    look(page, qtbot, Path("/usr"))
    assert not page.run_button.isEnabled()
    assert page.setup.notice.isVisible()
    assert page.setup.notice.reasons()
    assert page.missing() == "Nothing is measured there."


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("fio") is None, reason="fio is not installed")
def test_that_run_looks_at_the_place_by_itself(page: VerifyPage, qtbot: QtBot, tmp_path: Path) -> None:
    page.setup.directory.setText("/usr")
    page.setup.directory.textEdited.emit("/usr")
    page.run_button.click()
    qtbot.waitUntil(page.setup.notice.isVisible, timeout=20_000)
    assert page.measuring.record is None
    page.setup.limits = SHORT
    page.setup.directory.setText(str(tmp_path))
    page.setup.directory.textEdited.emit(str(tmp_path))
    assert page.missing() == "", "nothing is left to name"
    page.setup.directory.editingFinished.emit()  # as a press on the button does, which takes the keyboard away
    page.run_button.click()
    qtbot.waitUntil(lambda: page.measuring.record is not None and not page.measuring.busy, timeout=60_000)
    assert there(page.measuring.record).ended is Ended.WHOLE


@pytest.mark.slow
def test_that_what_a_profile_costs_stands_beside_it(page: VerifyPage, qtbot: QtBot, tmp_path: Path) -> None:
    look(page, qtbot, tmp_path)
    assert "not ZFS" in page.setup.found.text()
    assert page.progress.text().startswith("At most ")
    page.setup.directory.setText("/elsewhere")
    page.setup.directory.textEdited.emit("/elsewhere")
    assert page.setup.found.text() == ""


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("fio") is None, reason="fio is not installed")
def test_that_a_run_is_watched_judged_saved_and_opened_again(page: VerifyPage, qtbot: QtBot, tmp_path: Path) -> None:
    folder = tmp_path / "bench"
    folder.mkdir()
    look(page, qtbot, folder)
    page.setup.limits = SHORT
    page.setup.limited.emit()
    page.run_button.click()
    assert page.stop_button.isVisible()
    (strip,) = page.findChildren(JobStrip)
    assert not strip.isVisible(), "one run has one button that ends it"
    lanes = ["throughput", "iops", "latency", "disks", "cpu", "arc"]
    assert [lane.key for lane in page.live.plots.lanes.lanes] == lanes, "they stand before anything is measured"
    qtbot.waitUntil(lambda: bool(page.live.plots.lanes.lanes[0].curves), timeout=30_000)
    assert [lane.key for lane in page.live.plots.lanes.lanes] == lanes
    qtbot.waitUntil(lambda: not page.measuring.busy, timeout=120_000)
    assert not list(folder.iterdir())
    record = there(page.measuring.record)
    assert record.ended is Ended.WHOLE
    qtbot.waitUntil(lambda: [run.profile for run in page.kept.entries()] == ["sanity"], timeout=20_000)
    assert all(line.verdict is not None and line.verdict.measured for line in page.tests.table.rows)
    assert page.notice.text() == there(page.measuring.verdict).sentence
    assert page.live.title.text() == "Measured"
    file = tmp_path / page.measuring.file_name()
    page.measuring.save(str(file))
    qtbot.waitUntil(file.exists, timeout=20_000)
    assert read_run(file.read_bytes(), where="run").started == record.started
    for ending, begins in (("html", b"<!"), ("pdf", b"%PDF")):
        report = tmp_path / f"report.{ending}"
        page.measuring.save_report(str(report))
        qtbot.waitUntil(report.exists, timeout=30_000)
        assert report.read_bytes().lstrip().startswith(begins)
    page.runs.view.selectRow(0)
    page.runs.open.click()
    qtbot.waitUntil(lambda: page.measuring.record is not record, timeout=20_000)
    again = there(page.measuring.record)
    assert again.started == record.started
    page.runs.delete.click()
    assert page.runs.table.rowCount() == 0
    named(page.runs.notice, QPushButton, "Put back").click()
    assert page.runs.table.rowCount() == 1
    page.take([file])
    qtbot.waitUntil(lambda: page.measuring.record is not again, timeout=20_000)
    opened = there(page.measuring.record)
    assert opened is not record
    assert opened.tests[0].repeats[0].seconds == record.tests[0].repeats[0].seconds


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("fio") is None, reason="fio is not installed")
def test_that_a_run_that_is_stopped_keeps_what_it_finished_and_leaves_no_file(
    page: VerifyPage, qtbot: QtBot, tmp_path: Path
) -> None:
    folder = tmp_path / "bench"
    folder.mkdir()
    look(page, qtbot, folder)
    page.run_button.click()
    qtbot.waitUntil(lambda: bool(list(folder.iterdir())), timeout=10_000)
    page.stop_button.click()
    qtbot.waitUntil(lambda: not page.measuring.busy, timeout=5_000)
    assert not list(folder.iterdir())
    assert there(page.measuring.record).ended is Ended.CANCELLED


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("fio") is None, reason="fio is not installed")
def test_that_disks_are_read_without_a_directory_before_there_is_a_design(
    window: MainWindow, qtbot: QtBot, rules: RuleBook, unused: tuple[Disk, ...]
) -> None:
    window.session.set_rules(rules)
    window.session.start_from(Inventory(name="here", origin=Origin(kind=OriginKind.READ, source="here"), disks=unused))
    page = visit(window, VerifyPage)
    choose(page, "siblings")
    assert not page.setup.directory.isVisible()
    qtbot.waitUntil(lambda: page.measuring.place is not None, timeout=20_000)
    assert page.setup.found.text().startswith("Reads the disks before they join a pool")
    assert page.missing() == ""
    page.setup.limits = SHORT
    page.setup.limited.emit()
    page.run_button.click()
    qtbot.waitUntil(lambda: not page.measuring.busy, timeout=120_000)
    record = there(page.measuring.record)
    assert record.ended is Ended.WHOLE, record.why
    assert [len(test.repeats) for test in record.tests] == [1] * 4
    named(page.notice, QPushButton, "Repeat it").click()
    assert page.measuring.of_disks
    choose(page, "sanity")
    assert page.setup.directory.isVisible()
    assert page.measuring.place is None or not page.measuring.of_disks


def test_that_a_file_that_is_no_run_is_told(page: VerifyPage, qtbot: QtBot, tmp_path: Path) -> None:
    file = tmp_path / "run.zip"
    file.write_bytes(b"no archive")
    with qtbot.waitSignal(page.session.complained):
        page.take([file])


@pytest.mark.slow
def test_that_a_job_file_of_fio_becomes_a_profile_of_ones_own(page: VerifyPage, qtbot: QtBot, tmp_path: Path) -> None:
    file = tmp_path / "mail.fio"
    file.write_text("[global]\nsize=64m\nbs=16k\nruntime=5\ntime_based=1\n[deliver]\nrw=randwrite\n")
    look(page, qtbot, tmp_path)
    page.take([file])
    choice = there(page.setup.choice())
    assert (choice.name, choice.own) == ("mail", True)
    assert [test.name for test in there(page.profile).tests] == ["deliver"]
    assert page.run_button.isEnabled()


def test_that_a_job_file_that_would_write_elsewhere_is_refused(page: VerifyPage, qtbot: QtBot, tmp_path: Path) -> None:
    file = tmp_path / "bad.fio"
    file.write_text("[bad]\nrw=write\nfilename=/dev/sda\nsize=1g\n")
    with qtbot.waitSignal(page.session.complained):
        page.take([file])
    choice = there(page.setup.choice())
    assert not choice.own
    assert page.own.isVisibleTo(page)
    assert "Line 3" in page.own.problems.text()


@pytest.mark.slow
def test_that_a_run_that_is_shown_is_repeated_as_it_was(page: VerifyPage, qtbot: QtBot, tmp_path: Path) -> None:
    look(page, qtbot, tmp_path)
    run = made_run()
    tests = tuple(replace(test, file_bytes=1 << 20) for test in run.profile.tests)
    profile = replace(run.profile, tests=tests)
    record = replace(run, place=replace(run.place, directory=str(tmp_path)), profile=profile)
    page.measuring.show(record, None)
    named(page.notice, QPushButton, "Repeat it").click()
    qtbot.waitUntil(lambda: page.profile is not None, timeout=20_000)
    assert page.setup.profile.currentText() == "Made, as it was run"
    assert page.profile == record.profile
    assert page.setup.directory.text() == str(tmp_path)
    # Another profile may be chosen instead, and the page works as before.
    page.setup.profile.setCurrentIndex(1)
    page.setup.profile.activated.emit(1)
    assert page.profile is not None
    assert page.profile != record.profile


def test_that_what_the_design_should_give_is_seen_before_a_directory_is_named(page: VerifyPage) -> None:
    assert page.measuring.place is None
    choose(page, "patterns")
    lines = page.tests.table.rows
    assert len(lines) == 4
    bands = [there(line.expectation.estimate) for line in lines]
    assert all(band.low < band.typical < band.high for band in bands)
    assert all(line.verdict is None for line in lines)
    assert [page.tests.table.index(row, 4).data() for row in range(4)] == ["to do"] * 4
    assert not page.tests.view.isColumnHidden(3), "what is measured has its room from the beginning"
    page.tests.view.grab()  # draws the bands
    assert not page.live.isVisible()
    choose(page, "fill")
    assert page.tests.table.rows, "a new pool is filled from nothing on"


@pytest.mark.slow
def test_that_it_is_said_of_what_nothing_is_expected(page: VerifyPage, qtbot: QtBot, tmp_path: Path) -> None:
    look(page, qtbot, tmp_path)
    assert "predictions are of ZFS" in page.about_tests.text()
    assert [line.expectation.estimate for line in page.tests.table.rows] == [None] * 4
    assert page.tests.view.isColumnHidden(1)
