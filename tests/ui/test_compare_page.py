"""Designs side by side in the window: ticked, marked, filtered, saved, reopened, exported."""

import csv
import re
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QAbstractItemModel, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QLineEdit, QPushButton, QTableView, QWidget
from pytestqt.qtbot import QtBot
from tests.ui.conftest import thesis_design
from tests.ui.controls import named, there, visit

from poolwright.design.candidate import Recommendation
from poolwright.design.recommend import recommend
from poolwright.design.slots import placed_vdevs
from poolwright.domain.design import Design
from poolwright.emit.comparison_charts import LETTERS
from poolwright.judging import judge_maker
from poolwright.questions import RankedRows
from poolwright.rules.rulebook import RuleBook
from poolwright.store.library import Part
from poolwright.ui.compare.page import ComparePage
from poolwright.ui.shell.main_window import MainWindow
from poolwright.ui.state.recommending import request_of
from poolwright.ui.state.sources import example


def wide_design() -> Design:
    return replace(thesis_design(width=10), key="wide", name="thesis, wide", pool_name="wide")


@pytest.fixture
def page(window: MainWindow, qtbot: QtBot) -> ComparePage:
    session = window.session
    session.library.save(wide_design())
    session.start_from(example("thesis"))
    session.change_design(thesis_design(), "Choose layout")
    window.resize(1600, 900)
    made = visit(window, ComparePage)
    assert not header(made), "nothing is compared that nobody asked for"
    tick(made, "Linux md RAID 6", qtbot)
    made._add.setChecked(False)
    return made


def settle(page: ComparePage, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not page.session.jobs.jobs, timeout=20_000)


def offers(page: ComparePage) -> QAbstractItemModel:
    return named(page, QTableView, "Designs to compare").model()


def tick(page: ComparePage, title: str, qtbot: QtBot, state: Qt.CheckState = Qt.CheckState.Checked) -> None:
    model = offers(page)
    row = line_of(model, title)
    assert model.setData(model.index(row, 0), state, Qt.ItemDataRole.CheckStateRole)
    settle(page, qtbot)


def line_of(model: QAbstractItemModel, title: str) -> int:
    """Return the line of an offer, which has the letter of its column before its title."""
    texts = [str(model.index(row, 0).data()) for row in range(model.rowCount())]
    return next(row for row, text in enumerate(texts) if title in (text, text[3:]))


def header(page: ComparePage) -> list[str]:
    return [column.title for column in page.comparison.columns] if page.comparison is not None else []


def press(page: ComparePage, text: str) -> None:
    button = next(b for b in page.findChildren(QPushButton) if b.text() == text and b.isVisible())
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def ranked(page: ComparePage, qtbot: QtBot) -> Recommendation:
    page.session.tick(member.disk_key for member in thesis_design().vdevs[0].members)
    request = there(request_of(page.session))
    found = RankedRows.of(recommend(request, judge_maker(RuleBook())))
    page.session.set_recommendation(found)
    settle(page, qtbot)
    return found


def save_as(page: ComparePage, name: str) -> None:
    named(page, QLineEdit, "Name of the comparison").setText(name)
    page._on_save()


def test_that_an_md_raid_stands_beside_the_open_design_once_it_is_ticked(page: ComparePage) -> None:
    assert header(page) == ["thesis, raidz2", "md RAID 6 of “thesis, raidz2”"]
    shown = page.all_values.toPlainText()
    assert "✓ 2 s" in shown
    assert "the thesis measured sequential access alone" in shown


@pytest.mark.slow
def test_that_a_key_ticks_what_it_stands_on_and_unticking_takes_the_column_away(
    page: ComparePage, qtbot: QtBot
) -> None:
    view, model = named(page, QTableView, "Designs to compare"), offers(page)
    row = line_of(model, "thesis, wide")
    press(page, "Add or remove")
    view.setFocus()
    view.setCurrentIndex(model.index(row, 0))
    QTest.keyClick(view, Qt.Key.Key_Space)
    settle(page, qtbot)
    assert header(page)[2] == "thesis, wide"
    tick(page, "Linux md RAID 6", qtbot, Qt.CheckState.Unchecked)
    assert header(page) == ["thesis, raidz2", "thesis, wide"]
    tick(page, "thesis, wide", qtbot, Qt.CheckState.Unchecked)
    assert page.comparison is None
    assert not page._export.isEnabled()


@pytest.mark.slow
def test_that_the_better_value_is_marked_and_sources_are_said(page: ComparePage, qtbot: QtBot) -> None:
    tick(page, "thesis, wide", qtbot)
    assert page.verdict.text().startswith("C holds the most")
    assert "✓ " in page.values.toPlainText()
    page.fold.head.click()
    shown = page.all_values.toPlainText()
    for words in ("The same: pools 1", "No checksums of data", "md(4)", "one piece of each record"):
        assert words in shown


@pytest.mark.slow
def test_that_a_comparison_is_named_saved_reopened_renamed_and_deleted(page: ComparePage, qtbot: QtBot) -> None:
    with qtbot.waitSignal(page.session.said) as said:
        save_as(page, "  ")
    assert said.args == ["Give the comparison a name first."]
    assert page.saved() == ()
    tick(page, "thesis, wide", qtbot)
    save_as(page, "before the purchase")
    settle(page, qtbot)
    (kept,) = page.saved()
    assert kept.name == "before the purchase"
    assert [(part.design_key, part.kind.value) for part in kept.parts] == [
        ("thesis-raidz2", "design"),
        ("thesis-raidz2", "md-raid6"),
        ("wide", "design"),
    ]
    tick(page, "thesis, wide", qtbot, Qt.CheckState.Unchecked)
    page._on_opened(kept.key)
    settle(page, qtbot)
    assert header(page)[2] == "thesis, wide"
    save_as(page, "after it")
    assert [entry.name for entry in page.saved()] == ["after it"]
    page._on_delete()
    assert page.saved() == ()
    press(page, "Undo")
    assert [entry.name for entry in page.saved()] == ["after it"]


@pytest.mark.slow
def test_that_a_saved_comparison_keeps_its_designs_when_another_is_opened(page: ComparePage, qtbot: QtBot) -> None:
    tick(page, "thesis, wide", qtbot)
    save_as(page, "x")
    settle(page, qtbot)
    page.session.open_design(wide_design())
    settle(page, qtbot)
    assert header(page) == ["thesis, raidz2", "md RAID 6 of “thesis, raidz2”", "thesis, wide"]


@pytest.mark.slow
def test_that_a_layout_of_the_ranking_can_be_compared_and_becomes_a_design_when_saved(
    page: ComparePage, qtbot: QtBot
) -> None:
    found = ranked(page, qtbot)
    page.front.picked.emit(found.candidates[7])
    settle(page, qtbot)
    title = header(page)[-1]
    assert found.candidates[7].words in title
    before = len(page.session.library.entries())
    save_as(page, "with a layout")
    settle(page, qtbot)
    assert len(page.session.library.entries()) == before + len(
        [c for c in page.saved()[0].parts if c.design_key not in ("thesis-raidz2", "wide")]
    )
    assert all(isinstance(choice, Part) for choice in page._wanted)


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["html", "pdf", "md", "csv"])
def test_that_the_comparison_is_written_in_every_format(
    page: ComparePage, qtbot: QtBot, tmp_path: Path, ending: str
) -> None:
    path = tmp_path / f"c.{ending}"
    with qtbot.waitSignal(page.session.said, timeout=60_000) as told:
        page.export_to(str(path))
        assert path.exists() is (ending == "csv")  # nothing is drawn while the window waits
    assert told.args == [f"Saved to {path}"]
    content = path.read_bytes()
    if ending == "pdf":
        assert content.startswith(b"%PDF-")
    elif ending == "csv":
        assert {row["design"] for row in csv.DictReader(content.decode().splitlines())} == {
            "thesis, raidz2",
            "md RAID 6 of “thesis, raidz2”",
        }
    else:
        assert "thesis, raidz2" in content.decode()


@pytest.mark.slow
def test_that_a_file_that_cannot_be_written_is_told(page: ComparePage, tmp_path: Path, qtbot: QtBot) -> None:
    with qtbot.waitSignal(page.session.complained):
        page.export_to(str(tmp_path / "nowhere" / "c.html"))


def test_that_designs_are_chosen_where_none_are_compared_and_are_drawn_without_a_ranking(
    page: ComparePage, qtbot: QtBot
) -> None:
    assert not page.adding.isVisible(), "two are compared"
    press(page, "Add or remove")
    assert page.chooser.isVisible()
    assert page.session.recommendation is None
    tick(page, "thesis, wide", qtbot)
    marks = [mark.label for series in there(page.front.chart).series for mark in series.marks]
    assert marks == ["A", "B", "C"]
    assert "A thesis, raidz2" in page.values.toPlainText()
    page.window().resize(1280, 700)
    qtbot.waitUntil(lambda: page.front.plot is not None, timeout=20_000)
    plot = there(page.front.plot)
    qtbot.waitUntil(lambda: plot.view.height() <= plot.height(), timeout=5000)


def test_that_without_designs_the_page_says_what_to_do(window: MainWindow) -> None:
    page = visit(window, ComparePage)
    told = named(page, QWidget, "State of the comparison")
    assert told.property("text") == "Tick at least two designs to see them side by side."


@pytest.mark.slow
def test_that_the_page_says_that_it_compares_while_it_has_nothing_to_show(window: MainWindow, qtbot: QtBot) -> None:
    window.session.start_from(example("thesis"))
    window.session.change_design(thesis_design(), "Choose layout")
    page = visit(window, ComparePage)
    told = named(page, QLabel, "State of the comparison")
    model = offers(page)
    assert model.setData(model.index(1, 0), Qt.CheckState.Checked, Qt.ItemDataRole.CheckStateRole)
    assert page.session.jobs.jobs
    assert told.text() == "The designs are being compared."
    assert told.isVisible()
    assert not page.values.toPlainText()
    settle(page, qtbot)
    assert not told.isVisible()
    assert page.values.toPlainText()
    page.refresh_now()
    page._asking.cancel()
    assert "was stopped" in told.text()


@pytest.mark.slow
def test_that_a_design_that_is_compared_can_be_used(page: ComparePage, qtbot: QtBot) -> None:
    tick(page, "thesis, wide", qtbot)
    press(page, "Use C")
    settle(page, qtbot)
    assert page.session.design == wide_design()


@pytest.mark.slow
def test_that_a_layout_of_the_ranking_is_used_as_a_step_that_can_be_undone(page: ComparePage, qtbot: QtBot) -> None:
    session, before = page.session, page.session.design
    found = ranked(page, qtbot)
    tick(page, "First choice", qtbot)
    letter = LETTERS[len(header(page)) - 1]
    press(page, f"Use {letter}")
    settle(page, qtbot)
    shown = {b.text(): b.isEnabled() for b in page.findChildren(QPushButton) if b.isVisible()}
    assert shown[f"{letter} in use"] is False
    assert there(page.main_button()).text() == "Next: Design"
    assert there(session.design).vdevs == placed_vdevs(found.best.pools)[0]
    session.undo_steps.undo()
    settle(page, qtbot)
    assert session.design == before


@pytest.mark.slow
def test_that_the_front_is_in_the_report_with_the_designs_named(
    page: ComparePage, qtbot: QtBot, tmp_path: Path
) -> None:
    found = ranked(page, qtbot)
    with qtbot.waitSignal(page.session.said, timeout=60_000):
        page.export_to(str(tmp_path / "c.html"))
    text = (tmp_path / "c.html").read_text(encoding="utf-8")
    plot = text[text.index('aria-label="Usable capacity against loss a year"') :]
    plot = plot[: plot.index("</svg>")]
    assert "<h1>Comparison: " in text
    dots = plot.count("<circle") - len(re.findall(r"<circle[^>]*/>", plot))  # those of the legend tell nothing
    assert dots == len(found.candidates) + len(page.comparison.columns if page.comparison else ())
