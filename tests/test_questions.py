"""What the window asks of the worker process: questions and answers are values that can be sent."""

from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from tests.ui.conftest import thesis_design

from poolwright import questions
from poolwright.catalogue_library import shipped_catalogue
from poolwright.design.assign import Identity
from poolwright.design.request import Request
from poolwright.domain.money import parse_money
from poolwright.domain.workload import Budget, Goal, Workload
from poolwright.drive_library import load_drive_book
from poolwright.machine.typed.read import read_typed
from poolwright.predict.assumptions import Assumptions
from poolwright.predict.synclog_advice import PaperRow
from poolwright.predict.synclog_model import Setup
from poolwright.process.worker import MOST_BYTES, Reporter, _disks_of, _packed, _Unpacker
from poolwright.ui.commands.page import export_context

TODAY = date(2026, 11, 1)
TYPED = read_typed(["4 x 4TB", "2 x 480GB SSD PLP"])
ASKED = Request(disks=TYPED.disks, workload=Workload(goal=Goal.SAFETY), host=TYPED.host, drives=load_drive_book())
SHOP = Request(disks=(), workload=ASKED.workload, budget=Budget(money=parse_money("900 USD"), bays=4))
LAYOUT = questions.LayoutAsked(request=ASKED, row=1, identity=Identity(key="key", name="a name"), inventory=TYPED)
COLUMNS = (questions.ColumnAsked(of=thesis_design()), questions.ColumnAsked(of=thesis_design(), as_md=True))
CAPTURE = Path(__file__).parent / "machines" / "vm-mixed-sectors.capture"
CASES: dict[str, tuple[Any, ...]] = {
    "recommend": (ASKED,),
    "what_would_change": (replace(ASKED, disks=ASKED.disks[:3]),),
    "row_details": (ASKED, 2, TYPED),
    "design_of_row": (LAYOUT,),
    "judged_pools": (thesis_design(), load_drive_book(), Assumptions(), TODAY, 0),
    "designs_of_offers": ((), TYPED),
    "commands_compared": (COLUMNS, load_drive_book(), Assumptions(), TODAY),
    "compare_designs": (COLUMNS, load_drive_book(), Assumptions(), TODAY),
    "audit": (TYPED, TODAY),
    "reproduce_paper": ((PaperRow(requests_per_sync=1, block_bytes=4096, gain_percent=None),),),
    "log_commits": (Setup(volumes=64, disks=64, requests_per_sync=1),),
    "measured_tables": (),
    "write_script": (thesis_design(), export_context(thesis_design(), None)),
    "read_captures": ((CAPTURE,),),
    "read_pasted": (CAPTURE.read_text(encoding="utf-8"),),
}


def check_sent(value: object, *args: object) -> None:
    """Fail where a value is another once it was sent; what is the same as itself only is looked at from outside."""
    data = _packed(value, _disks_of(args))
    assert len(data) < MOST_BYTES
    back = _Unpacker(data, _disks_of(args)).load()
    assert back == value or repr(back) == repr(value)


@pytest.mark.parametrize("name", CASES)
def test_that_question_and_answer_are_the_same_after_they_were_sent(name: str) -> None:
    args = CASES[name]
    check_sent(args)
    check_sent(getattr(questions, name)(Reporter(), *args), *args)


def test_that_the_best_offer_comes_back_as_it_was() -> None:
    found = questions.buy(Reporter(), SHOP, shipped_catalogue(), with_old=False)
    check_sent(found)
