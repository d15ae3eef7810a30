"""The recommendation page with disks of several sizes, and while a search still goes on."""

import pytest
from PySide6.QtWidgets import QComboBox, QLabel, QPushButton
from pytestqt.qtbot import QtBot
from tests.ui.controls import choose, part_of, press, there, visit
from tests.ui.controls import shown as named
from tests.ui.rankings import details_of, ranked, ranking_in, twelve_ranked, use_layout, wait_for_ranking
from tests.ui.test_outlook_page import row

from poolwright.domain.disk import Disk, Media
from poolwright.domain.estimate import Origin, OriginKind
from poolwright.domain.host import Inventory
from poolwright.domain.units import GB
from poolwright.domain.vdev import VdevClass, describe
from poolwright.domain.workload import Goal, Workload
from poolwright.rules.presets import apply_preset, preset
from poolwright.rules.rulebook import RuleBook
from poolwright.ui.outlook.pane import OutlookPane
from poolwright.ui.ranking.page import RecommendationPage
from poolwright.ui.ranking.pane import CandidateColumn
from poolwright.ui.shell.main_window import MainWindow
from poolwright.ui.state.sources import example, typed_disks


@pytest.fixture
def odd(window: MainWindow, qtbot: QtBot, rules: RuleBook) -> RecommendationPage:
    """Return the page with the blog's five disks of two sizes."""
    window.session.set_rules(rules)
    window.session.start_from(example("macblog"))
    window.session.set_workload(Workload(goal=Goal.SAFETY))
    return ranking_in(window, qtbot)


def take_up_packed(page: RecommendationPage, window: MainWindow) -> None:
    """Move to the first layout of partitions, which has a second pool of what the larger disks have more."""
    row = there(page.candidates.model.row_of(next(c for c in ranked(window).candidates if c.partitioned and c.further)))
    page.candidates.table.selectRow(row)


def test_that_whole_disks_come_first_and_packed_ones_are_shown_with_their_second_pool(
    odd: RecommendationPage, window: MainWindow
) -> None:
    assert odd.cards.cards[0].accessibleName() == "First choice: raidz2 of 5 (2 × 3 TB, 3 × 2 TB)"
    assert "AnyRAID\nPreview of one vdev" in details_of(odd)
    row = there(odd.candidates.model.row_of(ranked(window).best))
    assert odd.candidates.model.index(row, CandidateColumn.STRANDED).data() == "2.00"
    take_up_packed(odd, window)
    assert there(odd.selected).partitioned
    assert " of 5 (2 TB partitions)" in details_of(odd)
    assert "Pool 2, from the left-over space: mirror of 2 (1 TB partitions)" in details_of(odd)


def test_that_all_that_is_said_of_a_layout_can_be_scrolled_to_in_a_low_window(
    odd: RecommendationPage, window: MainWindow, qtbot: QtBot
) -> None:
    window.resize(800, 500)
    qtbot.waitUntil(lambda: odd.stands_low)
    press(named(odd, QPushButton, "Why…"))
    report, button = odd.why.report, odd.why.look
    qtbot.waitUntil(lambda: window.height() < report.height() <= button.y())
    assert odd.area.verticalScrollBar().maximum() > report.height() - window.height()


@pytest.mark.slow
def test_that_the_page_says_what_was_not_looked_at_and_packed_disks_make_a_design_of_two_pools(
    odd: RecommendationPage, window: MainWindow, qtbot: QtBot
) -> None:
    text = details_of(odd)
    assert "Not looked at" in text
    assert " ".join(ranked(window).left_out) in text
    take_up_packed(odd, window)
    use_layout(odd, qtbot)
    design = there(window.session.design)
    assert [len(pool.vdevs) for pool in design.pools()] == [1, 1]
    assert len({pool.pool_name for pool in design.pools()}) == 2
    assert {m.part for v in design.all_vdevs() for m in v.members} == {1, 2}
    assert all(pool.datasets[0].settings for pool in design.pools())
    assert not odd.use.isEnabled()


@pytest.mark.slow
def test_that_first_layouts_are_shown_while_the_search_goes_on(
    window: MainWindow, qtbot: QtBot, rules: RuleBook
) -> None:
    window.session.set_rules(rules)
    sizes = (4, 8, 12, 16, 20)  # take long enough to look in between, on any machine
    disks = tuple(Disk(key=f"{s}-{n}", size_bytes=s * 10**12, media=Media.HDD) for s in sizes for n in range(24))
    origin = Origin(kind=OriginKind.TYPED, source="typed")
    window.session.start_from(Inventory(name="five sizes", disks=disks, origin=origin))
    window.session.tick(disk.key for disk in disks)
    page = visit(window, RecommendationPage)
    qtbot.waitUntil(lambda: page.selected is not None, timeout=30_000)
    assert window.session.recommendation is None
    assert page.cards.isVisible()
    assert named(page, QLabel, "State of the ranking").text().startswith("The best layouts found so far")
    wait_for_ranking(window, qtbot)
    assert page.selected is ranked(window).best


@pytest.mark.slow
def test_that_what_flash_drives_are_worth_is_said(window: MainWindow, qtbot: QtBot, rules: RuleBook) -> None:
    window.session.set_rules(rules)
    window.session.start_from(example("thesis"))
    window.session.set_workload(Workload(goal=Goal.CONCURRENT, sync_write_percent=40, clients=50))
    page = ranking_in(window, qtbot)
    told = details_of(page)
    assert all(f"Flash: {role}" in told for role in ("log", "cache", "special"))
    use_layout(page, qtbot)
    design = there(window.session.design)
    # A log helps so many synchronous writes; it is in the design, and the layout still counts as taken.
    assert any(vdev.vdev_class is VdevClass.LOG for vdev in design.vdevs)
    assert not page.use.isEnabled()


def test_that_no_disks_lead_to_the_disks_page(window: MainWindow, rules: RuleBook) -> None:
    window.session.set_rules(rules)
    window.show_page("recommendation")
    press(named(window.page("recommendation"), QPushButton, "Choose disks"))
    assert window.current_page() == "disks"


# A ranking that is stopped: what it found stays, what it did not try is said, and it can be asked again.


@pytest.fixture
def stopped_page(window: MainWindow, qtbot: QtBot, rules: RuleBook) -> RecommendationPage:
    return twelve_ranked(window, qtbot, rules, count=4)


@pytest.mark.slow
def test_that_a_cancelled_ranking_can_be_started_again(
    stopped_page: RecommendationPage, window: MainWindow, qtbot: QtBot
) -> None:
    window.session.set_workload(Workload(goal=Goal.SPEED))
    window.session.jobs.cancel_all()
    assert named(stopped_page, QLabel, "State of the ranking").text() == "The ranking was cancelled."
    assert window.session.recommendation is None
    press(named(stopped_page, QPushButton, "Rank again"))
    wait_for_ranking(window, qtbot)
    assert ranked(window).goal is Goal.SPEED


@pytest.mark.slow
def test_that_a_stopped_ranking_keeps_what_it_found_and_says_what_was_not_tried(
    stopped_page: RecommendationPage, window: MainWindow, qtbot: QtBot
) -> None:
    inventory = there(window.session.inventory)
    window.session.tick([d.key for d in inventory.disks])
    qtbot.waitUntil(lambda: "so far" in named(stopped_page, QLabel, "State of the ranking").text(), timeout=30_000)
    window.session.jobs.cancel_all()
    assert "was cancelled" in named(stopped_page, QLabel, "State of the ranking").text()
    told = named(stopped_page.notice, QLabel, "Reasons").text()
    assert told.startswith("Not tried: ")
    assert "draid3" in told
    window.show_page("start")
    window.show_page("recommendation")
    assert describe(there(stopped_page.selected).main.layout) in details_of(stopped_page)
    assert named(stopped_page.notice, QLabel, "Reasons").text() == told
    press(named(stopped_page, QPushButton, "Rank again"))
    wait_for_ranking(window, qtbot)
    assert ranked(window).examined > 500


# What would change the answer, asked on the recommendation page.


@pytest.fixture
def changes_page(window: MainWindow, rules: RuleBook, qtbot: QtBot) -> RecommendationPage:
    window.session.set_rules(rules)
    window.session.sources.take_read(typed_disks("6 x 8TB"))
    found = visit(window, RecommendationPage)
    qtbot.waitUntil(lambda: window.session.recommendation is not None, timeout=20_000)
    qtbot.waitUntil(lambda: offered(found))
    return found


def offered(changes_page: RecommendationPage) -> bool:
    return changes_page.why.look.isVisibleTo(changes_page.why)


def lines(changes_page: RecommendationPage) -> list[str]:
    return details_of(changes_page).splitlines()


@pytest.mark.slow
def test_that_the_changes_are_worked_out_when_asked_for(changes_page: RecommendationPage, qtbot: QtBot) -> None:
    assert not any("Would change" in line for line in lines(changes_page))
    changes_page.why.look.click()
    assert not changes_page.why.look.isEnabled()
    qtbot.waitUntil(
        lambda: any("3 failures to survive: raidz3 of 6" in line for line in lines(changes_page)), timeout=30_000
    )
    assert not offered(changes_page)
    assert any("stripe" in line for line in lines(changes_page))  # why not stays below it


@pytest.mark.slow
def test_that_another_question_ends_the_search_for_changes(changes_page: RecommendationPage, qtbot: QtBot) -> None:
    changes_page.why.look.click()
    session = changes_page.session
    session.tick(list(session.ticked)[:4])
    qtbot.waitUntil(lambda: session.recommendation is not None and not session.jobs.jobs, timeout=20_000)
    qtbot.waitUntil(lambda: offered(changes_page))
    assert changes_page.why.look.isEnabled()
    assert not any("Would change" in line for line in lines(changes_page))


# The recommendation page where unlike drives meet unlike data: two pools first, used as one design.


@pytest.fixture
def unlike(window: MainWindow, qtbot: QtBot, rules: RuleBook) -> RecommendationPage:
    """Return the page with hard disks and SSDs, asked to hold machines and films."""
    disks = (
        *(Disk(key=f"h{n}", size_bytes=16_000_900_661_248, media=Media.HDD) for n in range(8)),
        *(Disk(key=f"s{n}", size_bytes=1920 * GB, media=Media.SSD, power_loss_protection=True) for n in range(8)),
    )
    origin = Origin(kind=OriginKind.TYPED, source="typed")
    window.session.set_rules(rules)
    window.session.start_from(Inventory(name="unlike drives", disks=disks, origin=origin))
    window.session.tick(disk.key for disk in disks)
    both = apply_preset(Workload(goal=Goal.SAFETY), preset("vm-images"), preset("media-archive"))
    window.session.set_workload(both)
    return ranking_in(window, qtbot)


def test_that_the_card_shows_both_pools_and_use_makes_one_design_of_them(
    unlike: RecommendationPage, window: MainWindow, qtbot: QtBot
) -> None:
    words = "VM images on SSD: 4 × mirror of 2; Media archive on HDD: raidz2 of 8"
    assert unlike.cards.cards[0].accessibleName() == f"First choice: {words}"
    told = details_of(unlike)
    assert "VM images on SSD: 6.81 TiB, survives any 1 failure, goal concurrent; reads " in told
    assert "Media archive on HDD: 82.6 TiB, survives any 2 failures, goal safety; reads " in told
    assert ranked(window).answers[1].trade_off.startswith("one pool to look after")
    use_layout(unlike, qtbot)
    design = there(window.session.design)
    assert [pool.pool_name for pool in design.pools()] == ["tank", "tank-bulk"]
    assert [pool.workload.preset for pool in design.pools()] == ["vm-images", "media-archive"]
    assert [[d.name for d in pool.datasets] for pool in design.pools()] == [["", "vm", "vm-iso"], ["", "media"]]
    assert not unlike.use.isEnabled()


def test_that_the_outlook_tells_of_each_pool(unlike: RecommendationPage, window: MainWindow, qtbot: QtBot) -> None:
    use_layout(unlike, qtbot)
    page = part_of(window, OutlookPane, "outlook")
    assert row(page, "Random reads")[1] == "35,000 IOPS"
    choose(named(page, QComboBox, "Pool"), "tank-bulk")
    assert any("pool tank-bulk" in label.text() for label in page.findChildren(QLabel))
    assert row(page, "Random reads")[1] == "200 IOPS"
