"""The report on the design that is open in the window."""

from dataclasses import replace

import pytest
from tests.ui.conftest import thesis_design

from poolwright.design.recommend import recommend
from poolwright.domain.steps import at_once
from poolwright.judging import judge_maker
from poolwright.questions import RankedRows
from poolwright.rules.model import RuleBook
from poolwright.ui.commands.export_pane import report_subject
from poolwright.ui.state.recommending import design_from, request_of
from poolwright.ui.state.session import Session
from poolwright.ui.state.sources import example


@pytest.mark.slow
def test_that_the_score_is_broken_down_for_a_chosen_layout_and_not_after_an_edit(session: Session) -> None:
    session.start_from(example("thesis"))
    session.tick(member.disk_key for member in thesis_design().vdevs[0].members)
    request = request_of(session)
    assert request is not None
    session.set_recommendation(RankedRows.of(recommend(request, judge_maker(RuleBook()))))
    assert session.recommendation is not None
    best = session.recommendation.best
    session.choose(best, design_from(best, request, session))
    assert session.design is not None
    chosen = at_once(report_subject(session, session.design)).evaluation.design
    assert chosen.ranked is not None
    assert chosen.ranked.terms == best.terms
    session.change_design(replace(chosen, vdevs=thesis_design().vdevs), "Edit")
    assert at_once(report_subject(session, session.design)).evaluation.design.ranked is None
