"""The recommendation page where unlike drives meet unlike data: two pools first, used as one design."""

import pytest
from PySide6.QtWidgets import QComboBox, QLabel, QPushButton
from pytestqt.qtbot import QtBot
from tests.ui.controls import choose, there, visit
from tests.ui.controls import shown as named
from tests.ui.rankings import ranked, use_layout, wait_for_ranking
from tests.ui.test_outlook_page import row

from poolwright.domain.disk import Disk, Media
from poolwright.domain.estimate import Origin, OriginKind
from poolwright.domain.host import Inventory
from poolwright.domain.units import GB
from poolwright.domain.workload import Goal, Workload
from poolwright.rules.model import RuleBook
from poolwright.rules.presets import apply_preset, preset
from poolwright.ui.outlook.page import OutlookPage
from poolwright.ui.ranking.page import RecommendationPage
from poolwright.ui.shell.main_window import MainWindow


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
    window.show_page("recommendation")
    wait_for_ranking(window, qtbot)
    made = window.page("recommendation")
    assert isinstance(made, RecommendationPage)
    return made


def test_that_the_card_shows_both_pools_and_use_makes_one_design_of_them(
    unlike: RecommendationPage, window: MainWindow, qtbot: QtBot
) -> None:
    words = "VM images on SSD: 4 × mirror of 2; Media archive on HDD: raidz2 of 8"
    assert named(unlike, QLabel, "Layout").text() == words
    told = "\n".join(label.text() for label in unlike.card.findChildren(QLabel) if not label.isHidden())
    assert "VM images on SSD: 6.81 TiB, survives any 1 failure, goal concurrent; reads " in told
    assert "Media archive on HDD: 82.6 TiB, survives any 2 failures, goal safety; reads " in told
    assert ranked(window).answers[1].price.startswith("one pool to look after")
    use_layout(unlike, qtbot)
    design = there(window.session.design)
    assert [pool.pool_name for pool in design.pools()] == ["tank", "tank-bulk"]
    assert [pool.workload.preset for pool in design.pools()] == ["vm-images", "media-archive"]
    assert [[d.name for d in pool.datasets] for pool in design.pools()] == [["", "vm", "vm-iso"], ["", "media"]]
    assert not named(unlike, QPushButton, "In use").isEnabled()


def test_that_the_outlook_tells_of_each_pool(unlike: RecommendationPage, window: MainWindow, qtbot: QtBot) -> None:
    use_layout(unlike, qtbot)
    page = visit(window, OutlookPage)
    assert row(page, "Random reads")[1] == "35,000"
    choose(named(page, QComboBox, "Pool"), "tank-bulk")
    assert "the pool tank-bulk" in page.sentence()
    assert row(page, "Random reads")[1] == "200"
