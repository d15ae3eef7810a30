"""The picture of a pool: all of it in the room there is, and what the bar below a vdev tells."""

import pytest
from pytestqt.qtbot import QtBot

from poolwright.domain.vdev import parse_layout, shares_of, short_words
from poolwright.ui.parts.pool_picture import PoolPicture, blocks_of

WIDE, HIGH = 202, 80


@pytest.mark.parametrize(
    "layout",
    ["2*raidz3:11x16TB spare/stripe:2x16TB", "draid2:8d:1s:100x16TB", "50*mirror:2x16TB", "100*stripe:1x1TB",
     "12*raidz2:8x16TB special/mirror:3x1TB log/mirror:2x1TB spare/stripe:4x16TB"],
)  # fmt: skip
def test_that_up_to_100_disks_have_room_and_none_stands_outside(layout: str) -> None:
    for block in blocks_of(parse_layout([layout]), WIDE, HIGH):
        assert block.left + block.width <= WIDE
        assert block.bottom <= HIGH
        assert block.rows * block.columns >= block.spec.width


def test_that_the_bar_tells_data_and_distributed_spares() -> None:
    raidz, mirror, draid, stripe = parse_layout(["raidz2:8x1TB mirror:2x1TB draid2:8d:1s:21x1TB stripe:3x1TB"])
    assert [shares_of(spec) for spec in (raidz, mirror, stripe)] == [(0.75, 0), (0.5, 0), (1, 0)]
    assert shares_of(draid) == pytest.approx((0.8 * 20 / 21, 1 / 21))


def test_that_the_picture_says_its_layout_in_few_words(qtbot: QtBot) -> None:
    layout = parse_layout(["raidz2:8x1TB raidz2:8x1TB raidz2:7x1TB spare/stripe:1x1TB"])
    picture = PoolPicture()
    qtbot.addWidget(picture)
    picture.show_layout(layout)
    assert picture.accessibleDescription() == "raidz2 of 8, 8 and 7, 1 spare"
    picture.resize(WIDE, HIGH)
    sound = picture.grab().toImage()
    picture.show_layout(layout, [(1, 3)])
    assert picture.grab().toImage() != sound
    assert short_words(parse_layout(["3*raidz2:9x1TB 2*raidz2:8x1TB"])) == "3 × raidz2 of 9 and 2 of 8"
