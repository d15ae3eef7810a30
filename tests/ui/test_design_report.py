"""The report on the design that is open in the window."""

from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot
from tests.ui.conftest import thesis_design

from poolwright.design.recommend import recommend
from poolwright.domain.errors import PoolwrightError, UserError
from poolwright.judging import judge_maker
from poolwright.rules.model import RuleBook
from poolwright.ui.commands.export_pane import report_subject, save_design_report
from poolwright.ui.state.recommending import design_from, request_of
from poolwright.ui.state.session import Session
from poolwright.ui.state.sources import example


def test_that_there_is_no_report_without_a_design(session: Session) -> None:
    with pytest.raises(UserError, match="no design"):
        report_subject(session)


@pytest.mark.slow
@pytest.mark.parametrize(("ending", "begins"), [("md", b"# thesis"), ("html", b"<!DOCTYPE html>"), ("pdf", b"%PDF-")])
def test_that_the_ending_names_the_format(
    session: Session, qtbot: QtBot, tmp_path: Path, ending: str, begins: bytes
) -> None:
    session.start_from(example("thesis"))
    session.change_design(thesis_design(), "Choose layout")
    path = tmp_path / f"report.{ending}"
    failed: list[PoolwrightError] = []
    with qtbot.waitSignal(session.said, timeout=60_000):
        save_design_report(session, path, failed.append)
        assert not path.exists()  # nothing is drawn while the window waits
    assert failed == []
    assert path.read_bytes().startswith(begins)


@pytest.mark.slow
def test_that_the_score_is_broken_down_for_a_chosen_layout_and_not_after_an_edit(session: Session) -> None:
    session.start_from(example("thesis"))
    session.tick(member.disk_key for member in thesis_design().vdevs[0].members)
    request = request_of(session)
    assert request is not None
    session.set_recommendation(recommend(request, judge_maker(RuleBook())))
    assert session.recommendation is not None
    best = session.recommendation.best
    session.choose(best, design_from(best, request, session))
    chosen = report_subject(session).evaluation.design
    assert chosen.ranked is not None
    assert chosen.ranked.terms == best.terms
    session.change_design(replace(chosen, vdevs=thesis_design().vdevs), "Edit")
    assert report_subject(session).evaluation.design.ranked is None
