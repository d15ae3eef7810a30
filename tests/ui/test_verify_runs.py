"""Kept runs in the window: drawn, put side by side, deleted and brought back; job files written and kept."""

import json
import time
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect, Qt, QTimer
from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot
from tests.pace import slowness
from tests.store.samples import stored_run
from tests.ui.controls import named, there, visit
from tests.ui.verify_at_hand import keep_runs, made_run

from poolwright.bench import own_profiles
from poolwright.bench.judging.side_by_side import MOST_RUNS
from poolwright.bench.judging.verdict import judge
from poolwright.emit.chart import Chart
from poolwright.process import worker
from poolwright.store import library as runs
from poolwright.ui.shell.main_window import MainWindow
from poolwright.ui.shell.warm_up import keep_for_good
from poolwright.ui.verify.earlier import DESIGN
from poolwright.ui.verify.page import VerifyPage

STORED = stored_run()


@pytest.fixture
def page(window: MainWindow) -> VerifyPage:
    return visit(window, VerifyPage)


def activity_of(part: QWidget, page: VerifyPage) -> int:
    """Return how much of the height of a part is in sight without scrolling."""
    ground = page.area.viewport()
    return QRect(part.mapTo(ground, QPoint(0, 0)), part.size()).intersected(ground.rect()).height()


def wait_to_see(page: VerifyPage, part: QWidget, plot: QWidget, qtbot: QtBot) -> None:
    """Wait until one who looks at a part sees enough of its plot: a plot that was just made has its height soon."""

    def is_seen() -> bool:
        page.show_part(part)
        return activity_of(plot, page) >= 200

    qtbot.waitUntil(is_seen, timeout=10_000)


def tick(page: VerifyPage, *lines: int, state: Qt.CheckState = Qt.CheckState.Checked) -> None:
    for line in lines:
        page.runs.table.setData(page.runs.table.index(line, 0), state.value, Qt.ItemDataRole.CheckStateRole)


@pytest.mark.slow
def test_that_the_answer_of_a_run_is_drawn_and_leads_to_its_tests(page: VerifyPage) -> None:
    page.measuring.show(made_run(), None)
    assert [line.test.title for line in page.tests.table.rows][3] == "100 at once"
    titles = [page.live.plots.choice.itemText(number) for number in range(page.live.plots.choice.count())]
    page.live.plots.choice.setCurrentIndex(1)
    chart = there(page.live.plots.chart.chart)
    assert [mark.x for mark in chart.series[0].marks] == [1, 10, 50, 100, 250]
    assert [limit.value for limit in chart.limits] == [50]
    page.live.plots.choice.setCurrentIndex(titles.index("How long operations took"))
    page.tests.select("randread-50")
    assert there(page.live.plots.chart.chart).title == "Latency of “50 at once”"
    page.live.plots.choice.setCurrentIndex(titles.index("Percentiles of latency"))
    assert there(page.live.plots.chart.chart).legend == ("All repeats", "Repeat 1", "Repeat 2", "Repeat 3")


@pytest.mark.slow
def test_that_ticked_runs_stand_side_by_side_the_oldest_first(page: VerifyPage, qtbot: QtBot) -> None:
    keep_runs(page.kept, qtbot, made_run(2000, hours=3), made_run(1000), made_run(500, hours=1))
    assert not page.runs.compare.isEnabled()
    tick(page, 0, 1, 2)
    tick(page, 2, state=Qt.CheckState.Unchecked)
    assert page.runs.compare.isEnabled()
    tick(page, 2)
    page.runs.compare.click()
    qtbot.waitUntil(lambda: page.compare.place.chart is not None, timeout=20_000)
    assert page.compare.isVisibleTo(page)
    table = page.compare.table
    assert [table.index(0, column).data() for column in range(1, 4)] == [
        "100 IOPS",
        "50 IOPS (-50.0 %)",
        "200 IOPS (+100.0 %)",
    ]
    page.compare.choice.setCurrentIndex(1)
    assert [round(mark.y) for mark in there(page.compare.place.chart).series[0].marks] == [100, 50, 200]


@pytest.mark.slow
def test_that_a_run_without_a_design_has_no_empty_column_for_it(page: VerifyPage, qtbot: QtBot) -> None:
    keep_runs(page.kept, qtbot, made_run())
    shown = [not page.runs.view.isColumnHidden(column) for column in range(page.runs.table.columnCount())]
    assert shown[DESIGN] is False
    assert all(shown[:4])


@pytest.mark.slow
def test_that_more_runs_than_can_stand_side_by_side_are_looked_at_over_time(page: VerifyPage, qtbot: QtBot) -> None:
    count = MOST_RUNS + 2
    keep_runs(page.kept, qtbot, *(made_run(1000 + 100 * number, hours=number) for number in range(count)))
    tick(page, *range(count))
    assert len(page.runs.ticked) == count
    page.runs.compare.click()
    qtbot.waitUntil(lambda: page.compare.place.chart is not None, timeout=20_000)
    chart = page.compare.place.chart
    assert isinstance(chart, Chart)
    assert [round(mark.y) for mark in chart.series[0].marks] == [100 + 10 * number for number in range(count)]
    assert len(chart.x.ticks) < count
    assert not page.compare.choice.isVisible()
    assert page.compare.table.columnCount() == count + 1
    page.runs.view.selectRow(0)
    page.runs.delete.click()
    assert len(page.runs.ticked) == count - 1


@pytest.mark.slow
def test_that_many_runs_of_several_profiles_are_not_compared(page: VerifyPage, qtbot: QtBot) -> None:
    other = made_run(hours=MOST_RUNS)
    other = replace(other, profile=replace(other.profile, name="another"))
    keep_runs(page.kept, qtbot, other, *(made_run(hours=number) for number in range(MOST_RUNS)))
    tick(page, *range(MOST_RUNS))
    assert page.runs.compare.isEnabled()
    tick(page, MOST_RUNS)
    assert not page.runs.compare.isEnabled()


@pytest.mark.slow
def test_that_the_bin_is_looked_into_put_back_from_and_emptied(page: VerifyPage, qtbot: QtBot) -> None:
    keep_runs(page.kept, qtbot, made_run(), made_run(hours=1))
    for _ in range(2):
        page.runs.view.selectRow(0)
        page.runs.delete.click()
    assert page.runs.bin.text() == "Bin (2)"
    page.runs.bin.click()
    assert page.runs.table.rowCount() == 2
    page.runs.view.selectRow(0)
    page.runs.back.click()
    assert len(page.kept.entries()) == 1
    page.runs.empty.click()
    assert len(page.kept.entries(in_bin=True)) == 1
    named(page.runs.notice, QPushButton, "Empty the bin").click()
    assert page.kept.entries(in_bin=True) == ()
    assert len(page.kept.entries()) == 1
    assert not page.runs.bin.isVisible()


@pytest.mark.slow
def test_that_a_large_run_is_packed_and_read_by_another_process(
    page: VerifyPage, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def here(_archive: bytes) -> str:
        raise AssertionError("the sum of an archive is made in the window")

    monkeypatch.setattr(worker, "LARGE_BYTES", 0)
    monkeypatch.setattr(runs, "archive_sum", here)
    keep_runs(page.kept, qtbot, made_run())
    page.runs.view.selectRow(0)
    page.runs.open.click()
    qtbot.waitUntil(lambda: page.measuring.record is not None, timeout=30_000)
    file = tmp_path / "run.zip"
    page.measuring.save(str(file))
    qtbot.waitUntil(file.exists, timeout=30_000)
    assert file.read_bytes().startswith(b"PK")
    with qtbot.waitSignal(page.session.complained, timeout=20_000):
        page.measuring.save(str(tmp_path / "not" / "there.zip"))


@pytest.mark.slow
def test_that_a_run_is_kept_though_the_window_closes_while_it_is_packed(
    page: VerifyPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "LARGE_BYTES", 0)
    run = made_run()
    page.kept.keep(run, judge(run, {}), None)
    assert page.kept.entries() == ()
    page.window().close()
    assert [entry.name for entry in page.kept.entries()] == ["Made run"]


def test_that_a_job_file_is_written_told_its_mistakes_and_kept_under_a_name_of_its_own(page: VerifyPage) -> None:
    own = page.own
    own.name.setText("mail")
    own.text.setPlainText("[global]\nsize=64m\n[deliver]\nrw=randwrite\nfilename=/dev/sda\n")
    own.check()
    assert own.problems.text().startswith("Line 5: ")
    assert not own.keep_button.isEnabled()
    own.text.setPlainText("; by hand\n[global]\nsize=64m\n[deliver]\nrw=randwrite\n")
    own.check()
    assert "is valid" in own.problems.text()
    own.keep_button.click()
    assert own_profiles.text_of("mail").startswith("; by hand")
    choice = there(page.setup.choice())
    assert (choice.name, choice.own) == ("mail", True)
    page.own.name.setText("sanity")
    page.own.check()
    assert "sanity" in page.own.problems.text()
    assert not page.own.keep_button.isEnabled()


@pytest.mark.slow
def test_that_a_deleted_job_file_comes_back_as_it_was(page: VerifyPage) -> None:
    text = "; by hand\n[global]\nsize=64m\n[deliver]\nrw=randwrite\n"
    own_profiles.keep_text(text, "mail")
    page.own.show_one("mail")
    page.own.delete_button.click()
    assert own_profiles.kept_profiles() == ()
    choice = there(page.setup.choice())
    assert not choice.own
    named(page.own.notice, QPushButton, "Put back").click()
    assert own_profiles.text_of("mail") == text
    assert page.own.text.toPlainText() == text


@pytest.mark.slow
def test_that_a_plot_is_at_least_two_hundred_pixels_high_in_the_smallest_window(
    page: VerifyPage, window: MainWindow, qtbot: QtBot
) -> None:
    window.resize(800, 500)
    page.measuring.show(made_run(), None)
    for shown, holder in ((0, page.live.plots.lanes), (1, page.live.plots.chart)):
        page.live.plots.choice.setCurrentIndex(shown)
        qtbot.waitUntil(lambda it=holder: it.plot is not None, timeout=30_000)  # type: ignore[misc]
        wait_to_see(page, page.live, there(holder.plot), qtbot)


@pytest.mark.slow
@pytest.mark.parametrize("shown", [0, 1], ids=["over time", "latency"])
def test_that_a_plot_of_a_result_can_be_read_in_the_smallest_window(
    window: MainWindow, page: VerifyPage, qtbot: QtBot, tmp_path: Path, shown: int
) -> None:
    window.resize(800, 500)
    window.show()
    bins = ", ".join(f'"{2000 << n}": {10 + n}' for n in range(12))
    report = """{"fio version": "fio-3.36", "timestamp_ms": %d000, "jobs": [{"jobname": "mail", "elapsed": %d,
    "read": {"io_bytes": %d, "total_ios": %d, "runtime": %d000, "bw": 1000, "iops": 10,
    "clat_ns": {"min": 1, "max": 9, "mean": 5, "stddev": 1, "N": 100, "bins": {%s}}}}]}
"""
    told = "".join(report % (1_700_000_000 + n, n, n << 20, n * 100, n, bins) for n in range(1, 9))
    (tmp_path / "mail.json").write_text(told)
    page.show_part(page.results)
    page.results.open([tmp_path / "mail.json"])
    qtbot.waitUntil(lambda: page.results.table.rowCount() > 0, timeout=30_000)
    page.results.plots.choice.setCurrentIndex(shown)
    place = page.results.plots.chart if shown else page.results.plots.lanes
    qtbot.waitUntil(lambda: place.plot is not None, timeout=30_000)
    wait_to_see(page, place, there(place.plot), qtbot)


def test_that_runs_are_found_by_their_words_and_keep_their_ticks(
    page: VerifyPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = (replace(STORED, key="a", name="Office", pool="tank"), replace(STORED, key="b", name="Media", pool="fast"))
    monkeypatch.setattr(page.kept, "entries", lambda in_bin=False: () if in_bin else kept)
    page.runs.refresh()
    tick(page, 0)
    (ticked,) = page.runs.ticked
    page.runs.search.setText("MEDIA fast")
    assert [page.runs.table.row(n).key for n in range(page.runs.table.rowCount())] == ["b"]
    page.runs.search.setText("nothing of the kind")
    assert page.runs.table.rowCount() == 0
    page.runs.search.clear()
    assert page.runs.table.rowCount() == 2
    assert page.runs.ticked == (ticked,)


# Results of other programs in the window: files and folders, opened and dropped, with the errors of each.


DD = b"64+0 records in\n64+0 records out\n67108864 bytes (67 MB, 64 MiB) copied, 0.5 s, 134 MB/s\n"
LOG = "".join(f"{100 * at}, {1000 + at}, 0, 4096, 0\n" for at in range(1, 50))
MOST_BLOCKED_SECONDS = 0.1


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
    qtbot.waitUntil(lambda: not page.session.jobs.jobs, timeout=60_000)


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


def test_that_only_columns_with_something_in_them_are_shown(page: VerifyPage, qtbot: QtBot, folder: Path) -> None:
    (folder / "a.txt").write_bytes(DD)
    opened(page, qtbot, folder)
    results = page.results
    titles = [column.title for column in results.table.columns]
    assert results.view.isColumnHidden(titles.index("99 % within"))
    assert not results.view.isColumnHidden(titles.index("Rate"))
    (folder / "b.json").write_text(fio_json())
    opened(page, qtbot, folder)
    assert not results.view.isColumnHidden(titles.index("99 % within"))


def test_that_a_result_is_told_drawn_over_time_and_as_latency(page: VerifyPage, qtbot: QtBot, folder: Path) -> None:
    (folder / "a.json").write_text(fio_json())
    (folder / "b_lat.1.log").write_text(LOG)
    opened(page, qtbot, folder)
    results = page.results
    assert results.said.text() == "2 results."
    assert results.table.index(0, 0).data() == "a.json"
    results.plots.choice.setCurrentIndex(1)
    assert there(results.plots.chart.chart).stem == "a-histogram"
    results.plots.choice.setCurrentIndex(2)
    assert len(there(results.plots.chart.chart).series[0].marks) == 99
    assert results.table.index(1, 1).data() == "fio: 1 curve"
    results.view.selectRow(1)
    assert [lane.key for lane in results.plots.lanes.lanes] == ["latency"]


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
    page.results.view.selectRow(1)
    assert "The file is empty" in page.results.detail.toPlainText()


@pytest.mark.slow
def test_that_nothing_that_can_be_read_is_complained_of(page: VerifyPage, qtbot: QtBot, folder: Path) -> None:
    (folder / "prose.txt").write_text("hello\n")
    with qtbot.waitSignal(page.session.complained, timeout=20_000):
        page.take([folder])


@pytest.mark.slow
def test_that_a_large_file_is_read_by_another_process(
    page: VerifyPage, qtbot: QtBot, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "LARGE_BYTES", 0)
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
