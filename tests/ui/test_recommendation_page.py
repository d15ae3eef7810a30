"""The recommendation page as a person uses it: rank, compare, look why, take a layout."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLabel, QPushButton, QTableView
from pytestqt.qtbot import QtBot
from tests.ui.controls import position_of, press, press_link, there
from tests.ui.controls import shown as named
from tests.ui.rankings import HARD_DISK_BYTES, at_rest, ranked, ranking_in, twelve_ranked, use_layout, wait_for_ranking

from poolwright.design.candidate import AnswerName
from poolwright.domain.finding import Outcome
from poolwright.domain.rates import rate_text
from poolwright.domain.vdev import VdevClass, describe
from poolwright.domain.workload import Budget, Goal, Workload
from poolwright.predict.number_words import band_text, operations_text
from poolwright.rules.model import RuleBook
from poolwright.rules.presets import apply_preset, preset
from poolwright.ui.parts.finding_rows import WhyDialog
from poolwright.ui.ranking.candidates import CandidateColumn
from poolwright.ui.ranking.layout_card import answer_title
from poolwright.ui.ranking.page import RecommendationPage
from poolwright.ui.shell.main_window import MainWindow


@pytest.fixture
def page(window: MainWindow, qtbot: QtBot, rules: RuleBook) -> RecommendationPage:
    return twelve_ranked(window, qtbot, rules)


def test_that_the_page_ranks_as_soon_as_it_is_shown(page: RecommendationPage, window: MainWindow) -> None:
    best = ranked(window).best
    assert page.selected is best
    assert named(page, QLabel, "Layout").text() == describe(best.layout)
    assert named(page, QLabel, "Place in the ranking").text().startswith("First choice, ")


@pytest.mark.slow
def test_that_the_card_tells_speeds_with_their_band_and_both_answers_of_flash(page: RecommendationPage) -> None:
    page.window().resize(1920, 1080)
    served, alone = there(page.selected).predictions.speed, there(page.selected).main.itself
    lines = named(page, QLabel, "Speeds of this layout").text().splitlines()
    assert lines[0].startswith(f"sequential: reads {rate_text(served.seq_read.typical)}")
    assert lines[2].startswith(f"without the network, sequential: reads {rate_text(alone.seq_read.typical)} (")
    fresh, aged = alone.rand_write_iops.cases  # both that are known, as nobody said how full the pool will be
    both = f"{operations_text(fresh.value)} fresh, {operations_text(aged.value)} aged"
    assert lines[3].endswith(f"writes {both} ({band_text(alone.rand_write_iops, operations_text)})")


@pytest.mark.slow
def test_that_a_used_layout_is_the_design_and_another_one_keeps_its_name(
    page: RecommendationPage, window: MainWindow, qtbot: QtBot
) -> None:
    use_layout(page, qtbot)
    design = there(window.session.design)
    assert design.layout() == ranked(window).best.layout
    assert {s.name for s in design.datasets[0].settings} >= {"compression", "atime"}
    assert not named(page, QPushButton, "In use").isEnabled()
    first = window.session.design
    page.candidates.table.selectRow(5)
    use_layout(page, qtbot)
    second = window.session.design
    assert first is not None
    assert second is not None
    assert second.vdevs != first.vdevs
    assert (second.key, second.name) == (first.key, first.name)
    window.session.undo_steps.undo()
    assert window.session.design == first


@pytest.mark.slow
def test_that_return_in_the_table_uses_the_layout(page: RecommendationPage, window: MainWindow, qtbot: QtBot) -> None:
    table = named(page, QTableView, "Layouts")
    table.setFocus()
    QTest.keyClick(table, Qt.Key.Key_Down)
    QTest.keyClick(table, Qt.Key.Key_Return)
    at_rest(window, qtbot)
    assert there(window.session.design).layout() == ranked(window).candidates[1].layout


@pytest.mark.slow
def test_that_each_named_answer_is_selected_by_its_button_and_says_its_price(
    page: RecommendationPage, window: MainWindow
) -> None:
    answers = ranked(window).answers
    assert answers[0].name is AnswerName.BALANCED
    assert len(answers) > 1
    buttons = [b for b in page.named.findChildren(QAbstractButton) if b.isVisible()]
    assert [b.text() for b in buttons] == [answer_title(answer.name) for answer in answers]
    for button, answer in zip(buttons, answers, strict=True):
        press(button)
        assert page.selected is answer.candidate
        assert answer.price in button.accessibleDescription()


@pytest.mark.slow
def test_that_terms_and_rows_tell_the_exact_numbers(page: RecommendationPage, window: MainWindow) -> None:
    best = ranked(window).best
    assert sum(term.points for term in best.terms) == pytest.approx(best.score)
    told = page.card._terms.toPlainText()
    assert all(term.title in told and term.why in told for term in best.terms)
    candidates = ranked(window).candidates
    assert page.candidates.model.rowCount() == len(candidates)
    shown = [page.candidates.model.index(row, CandidateColumn.USABLE).data() for row in range(len(candidates))]
    assert shown == [f"{c.usable_bytes / 2**40:.2f}" for c in candidates]


@pytest.mark.slow
def test_that_a_finding_opens_its_facts_and_sources(page: RecommendationPage, window: MainWindow) -> None:
    told = (Outcome.VIOLATED, Outcome.CANNOT_TELL)
    chosen = next(c for c in ranked(window).candidates if any(f.outcome in told for f in c.findings))
    page.candidates.table.selectRow(page.candidates.model.row_of(chosen) or 0)
    page.card._panes.tabs.setCurrentIndex(1)
    press_link(page.card._findings, "Why?")
    (dialog,) = page.findChildren(WhyDialog)
    finding = next(f for f in chosen.findings if dialog.windowTitle() == f"Why? {f.title}")
    assert finding.text in dialog.text.toPlainText()
    assert finding.sources[0].ref in dialog.text.toPlainText()
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


@pytest.mark.slow
def test_that_another_goal_ranks_again(page: RecommendationPage, window: MainWindow, qtbot: QtBot) -> None:
    window.session.set_workload(Workload(goal=Goal.CONCURRENT))
    wait_for_ranking(window, qtbot)
    assert ranked(window).goal is Goal.CONCURRENT
    assert page.selected is ranked(window).best


@pytest.mark.slow
def test_that_a_change_made_elsewhere_is_ranked_when_the_page_is_back(
    page: RecommendationPage, window: MainWindow, qtbot: QtBot
) -> None:
    window.show_page("start")
    window.session.set_budget(Budget(spares=1))
    assert window.session.recommendation is None
    qtbot.wait(50)
    assert window.session.recommendation is None
    ranking_in(window, qtbot)
    assert {c.spares for c in ranked(window).candidates} == {1}


@pytest.mark.slow
def test_that_why_not_of_a_family_and_of_an_impossible_budget_is_said(
    page: RecommendationPage, window: MainWindow, qtbot: QtBot
) -> None:
    page.views.tabs.setCurrentIndex(2)
    texts = [label.text() for label in page.whynot.findChildren(QLabel)]
    for rejected in ranked(window).rejected:
        assert rejected.family in texts
        assert rejected.reason in texts
    with_rule = [r for r in ranked(window).rejected if r.rule_id is not None]
    assert with_rule
    press(named(page, QPushButton, f"Why not {with_rule[0].family}? Rule {with_rule[0].rule_id}"))
    (dialog,) = page.findChildren(WhyDialog)
    dialog.close()
    window.session.set_budget(Budget(least_usable_bytes=10**15))
    qtbot.waitUntil(lambda: not window.session.jobs.jobs, timeout=30_000)
    assert "No layout of these disks meets the request" in named(page, QLabel, "State of the ranking").text()
    assert "909 TiB wanted" in named(page.notice, QLabel, "Reasons").text()
    assert "Ask for less capacity" in named(page.notice, QLabel, "What to do").text()
    press(named(page, QPushButton, "Change the budget"))
    assert window.current_page() == "budget"


@pytest.mark.slow
def test_that_several_pools_are_said_plainly(page: RecommendationPage, window: MainWindow, qtbot: QtBot) -> None:
    inventory = there(window.session.inventory)
    # Stripes are split where OpenZFS is as old as the measurement that found many vdevs slow.
    old = replace(inventory, host=replace(inventory.host, zfs_version="0.6.5"))
    window.session.start_from(old)
    window.session.tick(d.key for d in inventory.disks if d.size_bytes == HARD_DISK_BYTES)
    window.session.set_workload(Workload(goal=Goal.SPEED))
    wait_for_ranking(window, qtbot)
    several = next(c for c in ranked(window).candidates if c.copies == 3)
    page.candidates.filter.clear()
    page.candidates.table.selectRow(page.candidates.model.row_of(several) or 0)
    texts = [label.text() for label in page.card.findChildren(QLabel) if label.isVisible()]
    assert any(text.startswith("3 equal pools, each of this layout, in one design") for text in texts)


@pytest.mark.slow
def test_that_a_dot_of_the_plot_selects_its_layout_and_the_other_way_round(
    page: RecommendationPage, window: MainWindow, qtbot: QtBot
) -> None:
    window.resize(1920, 1080)
    qtbot.waitUntil(lambda: page.plot.plot is not None, timeout=30_000)
    plot = there(page.plot.plot)
    largest = max(ranked(window).candidates, key=lambda c: (c.failures_survived, c.usable_bytes))
    qtbot.wait(50)
    at = plot.view.mapFromScene(position_of(plot.drawn, largest))
    QTest.mouseClick(plot.view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(at.x(), at.y()))
    assert there(page.selected).failures_survived == largest.failures_survived
    assert there(page.selected).usable_bytes == largest.usable_bytes
    (index,) = page.candidates.table.selectionModel().selectedRows()
    assert page.candidates.model.row(index.row()) is page.selected
    assert plot.selected is page.selected


@pytest.mark.slow
def test_that_a_wish_below_the_floors_is_told_on_the_card_and_such_layouts_are_marked_with_why(
    page: RecommendationPage, window: MainWindow, qtbot: QtBot
) -> None:
    inventory = there(window.session.inventory)
    large = [d.key for d in inventory.disks if d.size_bytes == HARD_DISK_BYTES]
    window.session.tick(large[:8])
    window.session.set_budget(Budget(least_usable_bytes=37 * 10**12))
    wait_for_ranking(window, qtbot)
    found = ranked(window)
    told = named(page, QLabel, "How it stands to the other layouts")
    assert "one more disk (" in told.text()
    assert "would reach it." in told.text()
    lower = next(c for c in found.candidates if c.below)
    index = page.candidates.model.index(page.candidates.model.row_of(lower) or 0, CandidateColumn.LAYOUT)
    assert index.data() == lower.words
    assert "survives fewer than 2 failures" in index.data(Qt.ItemDataRole.ToolTipRole)
    assert "survives fewer than 2 failures" in index.data(Qt.ItemDataRole.AccessibleTextRole)
    assert not index.data(Qt.ItemDataRole.DecorationRole).isNull()
    page.candidates.table.selectRow(index.row())
    assert told.text() == "Not for a first choice: it survives fewer than 2 failures."
    first = page.candidates.model.row_of(found.best)
    assert page.candidates.model.index(first or 0, CandidateColumn.LAYOUT).data(Qt.ItemDataRole.DecorationRole) is None


@pytest.mark.slow
def test_that_the_button_which_uses_the_layout_stays_where_it_is(
    page: RecommendationPage, window: MainWindow, qtbot: QtBot
) -> None:
    use = page.card.use
    aimed_at = use.mapTo(window, use.rect().center())

    def stays() -> bool:
        qtbot.wait(20)
        return use.rect().contains(use.mapFrom(window, aimed_at)) and use.mapTo(window, QPoint()).y() == top

    top = use.mapTo(window, QPoint()).y()
    for candidate in ranked(window).candidates[:8]:
        page.candidates.selected.emit(candidate)
        assert stays()
    page.notice.show_searching()
    assert stays()
    assert page.notice.isVisible()


@pytest.mark.slow
def test_that_the_page_tells_which_flash_a_taken_design_has_beside_the_layout(
    window: MainWindow, qtbot: QtBot, rules: RuleBook
) -> None:
    session = window.session
    session.set_rules(rules)
    session.sources.take_typed("6 x 8TB, 2 x 480GB SSD PLP")
    session.set_workload(apply_preset(session.workload, preset("database")))
    page = ranking_in(window, qtbot)
    told = named(page, QLabel, "How it stands to the other layouts").text()
    use_layout(page, qtbot)
    design = there(session.design)
    support = tuple(spec for spec in design.layout() if spec.vdev_class is VdevClass.LOG)
    assert told.startswith(f"Beside it on flash, in the design that is made of it: {describe(support)}.")


@pytest.mark.slow
def test_that_a_layout_in_sight_is_judged_with_its_predictions(
    window: MainWindow, qtbot: QtBot, rules: RuleBook
) -> None:
    window.session.set_rules(rules)
    window.session.sources.open_example("thesis")
    window.session.set_workload(Workload(goal=Goal.SAFETY, network_bytes_per_second=125_000_000))
    page = ranking_in(window, qtbot)
    single = next(c for c in ranked(window).candidates if c.family == "raidz1")
    page.candidates.table.selectRow(page.candidates.model.row_of(single) or 0)
    at_rest(window, qtbot)
    shown = page.card._findings.toPlainText()
    assert "Single parity and a long rebuild" in shown
    assert "Network slower than the pool" in shown
    assert sum(term.points for term in single.terms) == pytest.approx(single.score)
    assert not any(term.name.startswith("expected.network") for term in single.terms)
