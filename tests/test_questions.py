"""What the window asks of the worker process: questions and answers are values that can be sent."""

from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from tests.changes.existing_machines import machine
from tests.ui.conftest import thesis_design
from tests.ui.test_size_commands import many_disks

from poolwright import questions
from poolwright.catalogue_library import shipped_catalogue, shipped_flash
from poolwright.changes.as_design import design_of_pool
from poolwright.changes.improve.pool_change import ImproveQuestion
from poolwright.design.assign import Identity
from poolwright.design.request import Request
from poolwright.domain.design import Design
from poolwright.domain.money import parse_money
from poolwright.domain.workload import Budget, Goal, Workload
from poolwright.machine.typed.read import read_typed
from poolwright.predict.assumptions import Assumptions
from poolwright.predict.synclog_model import Setup
from poolwright.process.worker import MOST_BYTES, Reporter, _disks_of, _packed, _Unpacker, answered_by
from poolwright.table_library import load_drive_book
from poolwright.ui.commands.page import export_context

TODAY = date(2026, 11, 1)
TYPED = read_typed(["4 x 4TB", "2 x 480GB SSD PLP"])
ASKED = Request(disks=TYPED.disks, workload=Workload(goal=Goal.SAFETY), host=TYPED.host, drives=load_drive_book())
SHOP = Request(disks=(), workload=ASKED.workload, budget=Budget(money=parse_money("900 USD"), bays=4))
LAYOUT = questions.LayoutAsked(request=ASKED, row=1, identity=Identity(key="key", name="a name"), inventory=TYPED)
CAPTURE = Path(__file__).parent / "machines" / "vm-mixed-sectors.capture"
GOOD = machine("good")
POOL = GOOD.pools[0]
MADE = design_of_pool(GOOD, POOL, workload=ASKED.workload)
SOLD: Any = {"catalogue": shipped_catalogue(), "drives": load_drive_book(), "today": TODAY, "flash": shipped_flash()}
MOVE = questions.MoveAsked(
    inventory=GOOD, pool=POOL.name, design=None, layout="raidz2:6x6TB", bought="6 x 6TB", stored="100G", backup=True
)


def of_design(design: Design) -> dict[str, tuple[Any, ...]]:
    """Return the arguments of all that is asked of a design."""
    known = load_drive_book(), Assumptions(), TODAY
    columns = (questions.ColumnAsked(of=design), questions.ColumnAsked(of=design, as_md=True))
    return {
        "judged_pools": (design, *known, 0),
        "design_report_on": (design, *known, 0),
        "write_script": (design, export_context(design, None)),
        "compare_designs": (columns, *known),
    }


CASES: dict[str, tuple[Any, ...]] = {
    "recommend": (ASKED,),
    "best_layout": (ASKED,),
    "weigh_wishes": (replace(ASKED, budget=Budget(spares=1)),),
    "what_would_change": (replace(ASKED, disks=ASKED.disks[:3]),),
    "row_details": (ASKED, 2, TYPED),
    "design_of_row": (LAYOUT,),
    "buy": (SHOP, shipped_catalogue()),
    "designs_of_offers": ((), TYPED),
    "audit": (GOOD, TODAY),
    "against_pool": (MADE.design, GOOD, POOL),
    "improve_pool": (MADE, GOOD.facts_of(POOL), ImproveQuestion(budget=SHOP.budget, **SOLD)),
    "plan_move": (MOVE,),
    "log_commits": (Setup(volumes=64, disks=64, requests_per_sync=1),),
    "measured_tables": (),
    "read_captures": ((CAPTURE,),),
    **of_design(thesis_design()),
}


def check_sent(value: object, *args: object) -> None:
    """Fail where a value is another once it was sent; what is the same as itself only is looked at from outside."""
    data = _packed(value, _disks_of(args))
    assert len(data) < MOST_BYTES
    back = _Unpacker(data, _disks_of(args)).load()
    assert back == value or repr(back) == repr(value)


@pytest.mark.parametrize("name", answered_by(questions.__name__))
def test_that_question_and_answer_are_the_same_after_they_were_sent(name: str) -> None:
    args = CASES[name]
    check_sent(args)
    named = {"with_old": False} if name == "buy" else {}
    check_sent(getattr(questions, name)(Reporter(), *args, **named), *args)


@pytest.mark.slow
@pytest.mark.parametrize("name", of_design(thesis_design()))
def test_that_answers_on_two_thousand_disks_are_few_enough_bytes(name: str) -> None:
    args = of_design(many_disks(2000))[name]
    assert len(_packed(getattr(questions, name)(Reporter(), *args), _disks_of(args))) < MOST_BYTES
