"""The recommendation page as a person uses it: rank, compare, look why, take a layout."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QTableView
from pytestqt.qtbot import QtBot
from tests.ui.controls import position_of, press, press_link, there
from tests.ui.controls import shown as named
from tests.ui.rankings import (
    HARD_DISK_BYTES,
    at_rest,
    details_of,
    ranked,
    ranking_in,
    twelve_ranked,
    use_layout,
    wait_for_ranking,
)
from tests.ui.summary_at_hand import numbers_of

from poolwright.design.candidate import AnswerName
from poolwright.design.explanations import why_below
from poolwright.domain.finding import Outcome
from poolwright.domain.units import binary
from poolwright.domain.vdev import VdevClass, describe, short_words
from poolwright.domain.workload import Budget, Goal, Workload
from poolwright.predict.number_words import odds_text
from poolwright.rules.presets import apply_preset, preset
from poolwright.rules.rulebook import RuleBook
from poolwright.ui.compare.page import ComparePage
from poolwright.ui.parts.finding_rows import WhyDialog
from poolwright.ui.parts.report_view import Link
from poolwright.ui.ranking.page import RecommendationPage
from poolwright.ui.ranking.pane import CandidateColumn, three_digits
from poolwright.ui.shell.main_window import MainWindow
from poolwright.ui.state.sources import typed_disks


@pytest.fixture
def page(window: MainWindow, qtbot: QtBot, rules: RuleBook) -> RecommendationPage:
    return twelve_ranked(window, qtbot, rules)


def test_that_the_page_ranks_as_soon_as_it_is_shown_and_a_card_is_the_selected_row(
    page: RecommendationPage, window: MainWindow
) -> None:
    best = ranked(window).best
    assert page.selected is best
    first = page.cards.cards[0]
    assert first.candidate is best
    assert first.isChecked()
    assert first.accessibleName() == f"First choice: {describe(best.main.layout)}"
    assert f"Survives {best.measures.failures_survived} · resilver " in first.accessibleDescription()
    heights = [card.height() for card in page.cards.cards]
    for pane in (page.plot, page.why, page.candidates):
        page.show_pane(pane)
        QApplication.processEvents()
        assert [card.height() for card in page.cards.cards] == heights
    assert page.use.text() == f"Use {describe(best.main.plan.layout)}"
    assert "First choice, " in details_of(page)
    for card in page.cards.cards:
        press(card)
        assert page.selected is card.candidate
        (index,) = page.candidates.table.selectionModel().selectedRows()
        assert page.candidates.model.row(index.row()) is card.candidate
        assert [other.isChecked() for other in page.cards.cards] == [other is card for other in page.cards.cards]
        assert page.use.text() == f"Use {short_words(there(card.candidate).main.plan.layout)}"
        assert page.main_button() is page.use


@pytest.mark.slow
def test_that_the_summary_tells_of_the_layout_that_is_selected(page: RecommendationPage, window: MainWindow) -> None:
    press(page.cards.cards[1])
    chosen = there(page.selected)
    assert numbers_of(window).usable_text == binary(chosen.measures.usable_bytes)
    assert numbers_of(window).value("risk") == odds_text(chosen.measures.any_loss)
    window.show_page("design")  # where nothing was taken
    assert numbers_of(window).best is not chosen


def test_that_the_rivals_are_those_somebody_would_take_with_those_below_a_floor_behind_a_divider(
    page: RecommendationPage, window: MainWindow
) -> None:
    press(page.show_all)
    model, found = page.candidates.model, ranked(window)
    shown = model.shown()
    assert len(shown) < 12
    assert shown[0] is found.best
    assert {id(c) for c in page.cards.shown} <= {id(c) for c in shown}
    above = [c for c in shown if not c.below]
    assert shown[: len(above)] == tuple(above)
    (divider,) = model.dividers
    assert divider == len(above)
    index = model.index(divider, 0)
    assert index.data() == f"Below: {why_below(shown[divider], found)}"
    assert not model.flags(index) & Qt.ItemFlag.ItemIsSelectable
    page.candidates.table.sortByColumn(CandidateColumn.USABLE, Qt.SortOrder.DescendingOrder)
    assert not model.dividers
    assert not any("Below" in row for row in model.csv().splitlines())


def typed(window: MainWindow, qtbot: QtBot, rules: RuleBook, disks: str, *data: str) -> RecommendationPage:
    """Return the page with the rivals for typed disks that hold such data."""
    window.session.set_rules(rules)
    window.session.start_from(typed_disks(disks))
    window.session.set_workload(apply_preset(window.session.workload, *map(preset, data)))
    page = ranking_in(window, qtbot)
    press(page.show_all)
    return page


@pytest.mark.slow
def test_that_cards_and_reasons_tell_one_difference_in_space_and_what_limits_the_iops(
    window: MainWindow, qtbot: QtBot, rules: RuleBook
) -> None:
    page = typed(window, qtbot, rules, "8 x 3.84TB nvme", "vm-images")
    first, roomy, *__ = page.cards.cards
    assert "Holds 34 % more with 16K blocks; raidz under small random I/O." in roomy.accessibleDescription()
    assert "18.5 TiB with 16K blocks" in roomy.accessibleDescription()
    # All drives read as fast in any layout: what tells these apart is what they write.
    assert "2,900–20,000 synchronous writes/s of 16K" in first.accessibleDescription()
    assert "20,000: with power-loss protection\n2,900: without" in first.toolTip()
    assert "The others lose most points on “raidz under small random I/O”" in first.accessibleDescription()
    assert not page.candidates.table.isColumnHidden(CandidateColumn.SYNC_WRITE)
    press(roomy)
    assert "Holds 34 % more with 16K blocks" in details_of(page)


@pytest.mark.slow
def test_that_a_log_that_a_layout_takes_with_it_is_on_its_card_and_on_the_button(
    window: MainWindow, qtbot: QtBot, rules: RuleBook
) -> None:
    page = typed(window, qtbot, rules, "6 x 8TB, 2 x 960GB nvme PLP", "vm-images")
    assert all("+ log mirror of 2" in card.accessibleDescription() for card in page.cards.cards)
    assert page.use.text() == "Use 3 × mirror of 2 + log mirror of 2"
    assert "1,200 random reads/s of 16K" in page.cards.cards[0].accessibleDescription()


@pytest.mark.slow
def test_that_a_divider_says_why_rows_with_more_points_stand_below_the_first(
    window: MainWindow, qtbot: QtBot, rules: RuleBook
) -> None:
    page = typed(window, qtbot, rules, "15 x 16TB in 3 shelves")
    model = page.candidates.model
    assert 1 in model.dividers
    assert model.index(1, 0).data() == "Scores higher, but is lost if one shelf or controller fails."
    assert [model.index(row, CandidateColumn.SHELF).data() for row in (0, 2)] == ["yes", "no"]
    end = min(row for row in model.dividers if row > 1)  # what is said is true of all rows up to the next
    assert {model.index(row, CandidateColumn.SHELF).data() for row in range(2, end)} == {"no"}
    assert numbers_of(window).value("shelf") == "survived"
    page.candidates.table.selectRow(2)
    assert numbers_of(window).value("shelf") == "pool lost"
    assert there(model.candidate(2)).score > there(model.candidate(0)).score


@pytest.mark.slow
def test_that_the_three_are_compared_and_a_row_with_the_first_by_space(
    page: RecommendationPage, window: MainWindow, qtbot: QtBot
) -> None:
    press(page.compare)
    compared = window.page("compare")
    assert isinstance(compared, ComparePage)
    qtbot.waitUntil(lambda: compared.comparison is not None, timeout=30_000)
    assert len(there(compared.comparison).columns) == len(page.cards.shown)
    window.show_page("recommendation")
    page.candidates.table.selectRow(3)
    QTest.keyClick(page.candidates.table, Qt.Key.Key_Space)
    at_rest(window, qtbot)
    layouts = {column.evaluation.design.layout() for column in there(compared.comparison).columns if column.evaluation}
    assert layouts == {ranked(window).best.main.layout, ranked(window).candidates[3].main.layout}


@pytest.mark.slow
def test_that_a_used_layout_is_the_design_and_another_one_keeps_its_name(
    page: RecommendationPage, window: MainWindow, qtbot: QtBot
) -> None:
    use_layout(page, qtbot)
    design = there(window.session.design)
    assert design.layout() == ranked(window).best.main.layout
    assert {s.name for s in design.datasets[0].settings} >= {"compression", "atime"}
    assert not page.use.isEnabled()
    first = window.session.design
    best, *others = ranked(window).candidates
    alike = next(c for c in others if (c.family, c.used_count) == (best.family, best.used_count))
    page.candidates.table.selectRow(there(page.candidates.model.row_of(alike)))
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
    assert there(window.session.design).layout() == ranked(window).candidates[1].main.layout


@pytest.mark.slow
def test_that_terms_and_rows_tell_exact_numbers_and_each_named_answer_its_price(
    page: RecommendationPage, window: MainWindow
) -> None:
    best = ranked(window).best
    assert sum(term.points for term in best.terms) == pytest.approx(best.score)
    told = details_of(page)
    assert all(term.title in told and term.why in told for term in best.terms)
    candidates = ranked(window).candidates
    assert page.candidates.model.rowCount() == len(candidates)
    shown = [page.candidates.model.index(row, CandidateColumn.USABLE).data() for row in range(len(candidates))]
    assert shown == [three_digits(c.measures.usable_bytes / 2**40) for c in candidates]
    answers = ranked(window).answers
    assert answers[0].name is AnswerName.BALANCED
    assert len(answers) > 1
    press(page.show_all)
    for answer in answers:
        page.candidates.table.selectRow(there(page.candidates.model.row_of(answer.candidate)))
        assert page.selected is answer.candidate
        assert answer.trade_off[1:] in details_of(page)


@pytest.mark.slow
def test_that_a_finding_opens_its_facts_and_sources(page: RecommendationPage, window: MainWindow) -> None:
    told = (Outcome.VIOLATED, Outcome.CANNOT_TELL)
    chosen = next(c for c in ranked(window).candidates if any(f.outcome in told for f in c.findings))
    page.candidates.table.selectRow(page.candidates.model.row_of(chosen) or 0)
    details_of(page)
    press_link(page.why.report, "Why?")
    (dialog,) = page.findChildren(WhyDialog)
    finding = next(f for f in chosen.findings if dialog.windowTitle() == f"Why? {f.title}")
    assert finding.text.replace("`", "") in dialog.text.toPlainText()
    assert finding.sources[0].ref in dialog.text.toPlainText()
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


@pytest.mark.slow
def test_that_a_change_made_elsewhere_is_ranked_later_and_another_goal_at_once(
    page: RecommendationPage, window: MainWindow, qtbot: QtBot
) -> None:
    window.show_page("start")
    window.session.set_budget(Budget(spares=1))
    assert window.session.recommendation is None
    qtbot.wait(50)
    assert window.session.recommendation is None
    ranking_in(window, qtbot)
    assert {c.spare_count for c in ranked(window).candidates} == {1}
    window.session.set_workload(Workload(goal=Goal.CONCURRENT))
    wait_for_ranking(window, qtbot)
    assert ranked(window).goal is Goal.CONCURRENT
    assert page.selected is ranked(window).best


@pytest.mark.slow
def test_that_why_not_of_a_family_and_of_an_impossible_budget_is_said(
    page: RecommendationPage, window: MainWindow, qtbot: QtBot
) -> None:
    press(named(page, QPushButton, "Why…"))
    text = page.why.report.toPlainText()
    for rejected in ranked(window).rejected:
        assert rejected.family in text
        assert rejected.reason in text
    (link, *__) = [block for block in page.why.report.blocks if isinstance(block, Link) and isinstance(block.of, str)]
    page.why.report.pressed.emit(link.of)
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
    several = next(c for c in ranked(window).candidates if c.main.copies == 3)
    page.candidates.filter.clear()
    page.candidates.table.selectRow(page.candidates.model.row_of(several) or 0)
    assert "3 equal pools, each of this layout, in one design" in details_of(page)


@pytest.mark.slow
def test_that_a_dot_of_the_plot_selects_its_layout_and_the_other_way_round(
    page: RecommendationPage, window: MainWindow, qtbot: QtBot
) -> None:
    press(named(page, QPushButton, "Chart"))
    qtbot.waitUntil(lambda: page.plot.plot is not None, timeout=30_000)
    plot = there(page.plot.plot)
    largest = max(ranked(window).candidates, key=lambda c: (c.measures.failures_survived, c.measures.usable_bytes))
    qtbot.wait(50)
    at = plot.view.mapFromScene(position_of(plot.drawn, largest))
    QTest.mouseClick(plot.view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(at.x(), at.y()))
    assert there(page.selected).measures.failures_survived == largest.measures.failures_survived
    assert there(page.selected).measures.usable_bytes == largest.measures.usable_bytes
    (index,) = page.candidates.table.selectionModel().selectedRows()
    assert page.candidates.model.row(index.row()) is page.selected
    assert plot.drawn.selected is page.selected


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
    assert "one more disk (" in details_of(page)
    assert page.notice.isVisible()
    assert page.notice.y() < page.cards.y()
    assert page.notice.text() in details_of(page)
    assert page.notice.text().endswith("would reach it.")
    assert numbers_of(window).broken_words == f"Does not meet: {found.best.missed[0].text}."
    lower = next(c for c in found.candidates if c.below)
    index = page.candidates.model.index(page.candidates.model.row_of(lower) or 0, CandidateColumn.LAYOUT)
    assert index.data() == lower.words
    assert "survives fewer than 2 failures" in index.data(Qt.ItemDataRole.ToolTipRole)
    assert "survives fewer than 2 failures" in index.data(Qt.ItemDataRole.AccessibleTextRole)
    assert not index.data(Qt.ItemDataRole.DecorationRole).isNull()
    page.candidates.table.selectRow(index.row())
    assert "Not for a first choice: it survives fewer than 2 failures." in details_of(page)
    first = page.candidates.model.row_of(found.best)
    assert page.candidates.model.index(first or 0, CandidateColumn.LAYOUT).data(Qt.ItemDataRole.DecorationRole) is None


@pytest.mark.slow
def test_that_the_button_which_uses_the_layout_stays_where_it_is(
    page: RecommendationPage, window: MainWindow, qtbot: QtBot
) -> None:
    use = page.use
    aimed_at = use.mapTo(window, use.rect().center())

    def stays() -> bool:
        qtbot.wait(20)
        right = use.mapTo(window, use.rect().topRight()) == corner
        return use.rect().contains(use.mapFrom(window, aimed_at)) and right

    corner = use.mapTo(window, use.rect().topRight())
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
    session.sources.take_read(typed_disks("6 x 8TB, 2 x 480GB SSD PLP"))
    session.set_workload(apply_preset(session.workload, preset("database")))
    page = ranking_in(window, qtbot)
    told = details_of(page)
    use_layout(page, qtbot)
    design = there(session.design)
    support = tuple(spec for spec in design.layout() if spec.vdev_class is VdevClass.LOG)
    assert f"Beside it on flash, in the design that is made of it: {describe(support)}." in told


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
    shown = details_of(page)
    assert "Single parity and a long rebuild" in shown
    assert "Network slower than the pool" in shown
    assert sum(term.points for term in single.terms) == pytest.approx(single.score)
    assert not any(term.name.startswith("expected.network") for term in single.terms)
