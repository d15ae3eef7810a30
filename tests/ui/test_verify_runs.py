"""Kept runs in the window: drawn, put side by side, deleted and brought back; job files written and kept."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot
from tests.store.samples import stored_run
from tests.ui.controls import there, visit
from tests.ui.verify_at_hand import keep_runs, made_run

from poolwright.bench import own_profiles
from poolwright.bench.judging.side_by_side import MOST_RUNS
from poolwright.bench.judging.verdict import judge
from poolwright.emit.chart import Chart
from poolwright.process import elsewhere
from poolwright.store import library as runs
from poolwright.ui.shell.main_window import MainWindow
from poolwright.ui.verify.page import VerifyPage
from poolwright.ui.verify.runs_pane import DESIGN

STORED = stored_run()


@pytest.fixture
def page(window: MainWindow) -> VerifyPage:
    return visit(window, VerifyPage)


def seen_of(part: QWidget, page: VerifyPage) -> int:
    """Return how much of the height of a part is in sight without scrolling."""
    ground = page.area.viewport()
    return QRect(part.mapTo(ground, QPoint(0, 0)), part.size()).intersected(ground.rect()).height()


def tick(page: VerifyPage, *lines: int, state: Qt.CheckState = Qt.CheckState.Checked) -> None:
    for line in lines:
        page.runs.table.setData(page.runs.table.index(line, 0), state.value, Qt.ItemDataRole.CheckStateRole)


@pytest.mark.slow
def test_that_the_answer_of_a_run_is_drawn_and_leads_to_its_tests(page: VerifyPage) -> None:
    page.measuring.show(made_run(), None)
    assert "100 at once" in page.verdict.tests.toPlainText()
    chart = page.plots.chart
    assert isinstance(chart, Chart)
    assert [mark.x for mark in chart.series[0].marks] == [1, 10, 50, 100, 250]
    assert [limit.value for limit in chart.limits] == [50]
    titles = [page.plots.choice.itemText(number) for number in range(page.plots.choice.count())]
    page.plots.choice.setCurrentIndex(titles.index("How long operations took"))
    page.plots.test.setCurrentText("50 at once")
    assert there(page.plots.chart).title == "Latency of “50 at once”"
    page.plots.choice.setCurrentIndex(titles.index("Percentiles of latency"))
    assert there(page.plots.chart).legend == ("All repeats", "Repeat 1", "Repeat 2", "Repeat 3")


@pytest.mark.slow
def test_that_ticked_runs_stand_side_by_side_the_oldest_first(page: VerifyPage, qtbot: QtBot) -> None:
    keep_runs(page, qtbot, made_run(2000, hours=3), made_run(1000), made_run(500, hours=1))
    assert not page.runs.compare.isEnabled()
    tick(page, 0, 1, 2)
    tick(page, 2, state=Qt.CheckState.Unchecked)
    assert page.runs.compare.isEnabled()
    tick(page, 2)
    page.runs.compare.click()
    qtbot.waitUntil(lambda: page.compare.place.chart is not None, timeout=20_000)
    assert page.panes.shows(page.compare)
    table = page.compare.table
    assert [table.index(0, column).data() for column in range(1, 4)] == ["100/s", "50/s (-50.0 %)", "200/s (+100.0 %)"]
    page.compare.choice.setCurrentIndex(1)
    assert [round(mark.y) for mark in there(page.compare.place.chart).series[0].marks] == [100, 50, 200]


@pytest.mark.slow
def test_that_nobody_is_told_to_press_run_while_it_runs(page: VerifyPage, qtbot: QtBot) -> None:
    watch = page.watch
    assert "press Run" in watch.lanes._missing.text()
    watch.show_live("sync", "Writes that wait", ())
    assert watch.lanes._missing.text() == "The first values come within seconds."
    watch.show_record(made_run())
    assert watch.lanes._missing.text() == "Nothing was recorded over time."
    assert not page.verdict.isVisible()
    page.measuring.show(made_run(), None)
    qtbot.waitUntil(page.verdict.tests.isVisible)


@pytest.mark.slow
def test_that_a_run_without_a_design_has_no_empty_column_for_it(page: VerifyPage, qtbot: QtBot) -> None:
    keep_runs(page, qtbot, made_run())
    shown = [not page.runs.view.isColumnHidden(column) for column in range(page.runs.table.columnCount())]
    assert shown[DESIGN] is False
    assert all(shown[:4])


@pytest.mark.slow
def test_that_more_runs_than_can_stand_side_by_side_are_looked_at_over_time(page: VerifyPage, qtbot: QtBot) -> None:
    count = MOST_RUNS + 2
    keep_runs(page, qtbot, *(made_run(1000 + 100 * number, hours=number) for number in range(count)))
    tick(page, *range(count))
    assert len(page.runs.table.ticked) == count
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
    assert len(page.runs.table.ticked) == count - 1


@pytest.mark.slow
def test_that_many_runs_of_several_profiles_are_not_compared(page: VerifyPage, qtbot: QtBot) -> None:
    other = made_run(hours=MOST_RUNS)
    other = replace(other, profile=replace(other.profile, name="another"))
    keep_runs(page, qtbot, other, *(made_run(hours=number) for number in range(MOST_RUNS)))
    tick(page, *range(MOST_RUNS))
    assert page.runs.compare.isEnabled()
    tick(page, MOST_RUNS)
    assert not page.runs.compare.isEnabled()


@pytest.mark.slow
def test_that_the_bin_is_looked_into_put_back_from_and_emptied(page: VerifyPage, qtbot: QtBot) -> None:
    keep_runs(page, qtbot, made_run(), made_run(hours=1))
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
    assert len(page.kept.in_bin()) == 1
    page.runs.notice.pressed.emit("")
    assert page.kept.in_bin() == ()
    assert len(page.kept.entries()) == 1
    assert not page.runs.bin.isVisible()


@pytest.mark.slow
def test_that_a_large_run_is_packed_and_read_by_another_process(
    page: VerifyPage, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def here(_archive: bytes) -> str:
        raise AssertionError("the sum of an archive is made in the window")

    monkeypatch.setattr(elsewhere, "LARGE_BYTES", 0)
    monkeypatch.setattr(runs, "archive_sum", here)
    keep_runs(page, qtbot, made_run())
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
    monkeypatch.setattr(elsewhere, "LARGE_BYTES", 0)
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
    assert "Nothing is wrong" in own.problems.text()
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
    page.own.notice.pressed.emit("")
    assert own_profiles.text_of("mail") == text
    assert page.own.text.toPlainText() == text


@pytest.mark.slow
def test_that_a_plot_is_at_least_two_hundred_pixels_high_in_the_smallest_window(
    page: VerifyPage, window: MainWindow, qtbot: QtBot
) -> None:
    window.resize(800, 500)
    page.measuring.show(made_run(), None)
    page.panes.bring_to_front(page.plots)
    qtbot.waitUntil(lambda: page.plots.plot is not None, timeout=30_000)
    plot = there(page.plots.plot)
    qtbot.waitUntil(lambda: seen_of(plot, page) >= 200, timeout=5_000)
    page.panes.bring_to_front(page.watch)
    qtbot.waitUntil(lambda: page.watch.lanes.plot is not None, timeout=30_000)
    lanes = there(page.watch.lanes.plot)
    qtbot.waitUntil(lambda: seen_of(lanes, page) >= 200, timeout=5_000)


@pytest.mark.slow
@pytest.mark.parametrize("shown", [1, 2], ids=["over time", "latency"])
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
    page.panes.bring_to_front(page.results)
    page.results.open([tmp_path / "mail.json"])
    qtbot.waitUntil(lambda: page.results.table.rowCount() > 0, timeout=30_000)
    page.results.choice.setCurrentIndex(shown)
    place = page.results.lanes if shown == 1 else page.results.chart
    qtbot.waitUntil(lambda: place.plot is not None, timeout=30_000)
    plot = there(place.plot)
    qtbot.waitUntil(lambda: seen_of(plot, page) >= 200, timeout=5_000)


def test_that_runs_are_found_by_their_words_and_keep_their_ticks(
    page: VerifyPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = (replace(STORED, key="a", name="Office", pool="tank"), replace(STORED, key="b", name="Media", pool="fast"))
    monkeypatch.setattr(page.kept, "entries", lambda: kept)
    page.runs.refresh()
    tick(page, 0)
    (ticked,) = page.runs.table.ticked
    page.runs.search.setText("MEDIA fast")
    assert [page.runs.table.row(n).key for n in range(page.runs.table.rowCount())] == ["b"]
    page.runs.search.setText("nothing of the kind")
    assert page.runs.table.rowCount() == 0
    page.runs.search.clear()
    assert page.runs.table.rowCount() == 2
    assert page.runs.table.ticked == (ticked,)
