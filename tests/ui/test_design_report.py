"""The report on the design that is open in the window."""

from dataclasses import replace

import pytest
from tests.ui.conftest import thesis_design

from poolwright.process.worker import Reporter
from poolwright.questions import LayoutAsked, design_of_row, recommend
from poolwright.ui.state.recommending import identity_of, request_of
from poolwright.ui.state.session import Session
from poolwright.ui.state.sources import example


@pytest.mark.slow
def test_that_the_score_is_broken_down_for_a_chosen_layout_and_not_after_an_edit(session: Session) -> None:
    session.start_from(example("thesis"))
    session.tick(member.disk_key for member in thesis_design().vdevs[0].members)
    request = request_of(session)
    assert request is not None
    session.set_recommendation(recommend(Reporter(), request))
    assert session.recommendation is not None
    best = session.recommendation.best
    asked = LayoutAsked(request=request, row=1, identity=identity_of(session), inventory=session.inventory)
    session.choose(best, design_of_row(Reporter(), asked))
    chosen = session.design
    assert chosen is not None
    assert chosen.ranked is not None
    assert chosen.ranked.terms == best.terms
    session.change_design(replace(chosen, vdevs=thesis_design().vdevs), "Edit")
    assert session.design is not None
    assert session.design.ranked is None
