"""The badge of planned disks: one text in one place, wherever they are shown."""

from datetime import date

import pytest
from tests.advise.binding.at_hand import machine, planned_design, real_disk

from poolwright.advise.binding.applying import bound_design
from poolwright.advise.binding.binding import bind_disks
from poolwright.advise.compared import zfs_column
from poolwright.advise.evaluate import evaluate
from poolwright.cli.main import run
from poolwright.domain.disk import Disk
from poolwright.domain.plan_only import plan_only
from poolwright.drive_library import load_drive_book
from poolwright.emit.compared_words import layout_with_badge
from poolwright.emit.report_design import DesignSubject, report_markdown
from poolwright.ui.design.picture.content import content_of
from poolwright.ui.design.picture.words import tile_lines
from poolwright.ui.disks.columns import DiskColumn, tooltip, use_text
from poolwright.ui.disks.detail import heed

BADGE = "plan only: bind before script"
PLANNED = planned_design("mirror:2x8TB")
BOUND = bound_design(bind_disks(PLANNED, machine([real_disk("sda"), real_disk("sdb")])))


def test_that_it_is_said_of_planned_disks_only() -> None:
    real, planned = Disk(key="a"), Disk(key="b", planned=True)
    assert plan_only((real, planned)) == BADGE
    assert plan_only((real, planned), short=True) == "plan only"
    assert plan_only((real,)) == ""
    assert plan_only(()) == ""


def test_that_the_table_of_disks_and_the_details_say_it() -> None:
    planned, real = PLANNED.disks[0], BOUND.disks[0]
    assert use_text(planned) == "plan only"
    assert tooltip(planned, DiskColumn.USE) == BADGE
    assert any(BADGE in line.text.lower() for line in heed(planned))
    assert use_text(real) == "nothing"
    assert not any(BADGE in line.text.lower() for line in heed(real))


def test_that_the_picture_says_it_of_a_tile() -> None:
    for design, said in ((PLANNED, True), (BOUND, False)):
        content = content_of(design, (), capacity=None, problem="", findings=())
        assert (BADGE in tile_lines(next(iter(content.tiles())), None)) is said


@pytest.mark.parametrize(("design", "said"), [(PLANNED, True), (BOUND, False)], ids=("planned", "bound"))
def test_that_comparisons_and_reports_say_it(design: object, said: bool) -> None:
    evaluation = evaluate(design, drives=load_drive_book(), today=date(2026, 1, 1))  # type: ignore[arg-type]
    assert (BADGE in layout_with_badge(zfs_column(evaluation))) is said
    assert (BADGE in report_markdown(DesignSubject(evaluation=evaluation))) is said


def test_that_the_list_of_disks_on_the_command_line_says_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["inventory", "--disks", "2 x 8TB"]) == 0
    assert capsys.readouterr().out.count("plan only") == 2
