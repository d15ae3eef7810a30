"""The window and the command line give one answer for one machine: those that an expert signed, in both."""

import argparse
import json
from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot
from tests.command_line import poolwright as command_line
from tests.design.test_as_an_expert import MACHINES
from tests.ui.rankings import ranked, ranking_in

from poolwright.cli.design_source import read_source
from poolwright.cli.recommend import configure
from poolwright.cli.workload_options import budget_of
from poolwright.domain.workload import Goal, Sharing
from poolwright.rules.presets import apply_preset, preset
from poolwright.rules.rulebook import RuleBook
from poolwright.ui.shell.main_window import MainWindow

COMPARED = 10  # the first of each ranking


def _ask_in_the_window(window: MainWindow, args: argparse.Namespace) -> None:
    session = window.session
    inventory = read_source(args)
    session.start_from(inventory)
    session.set_workload(apply_preset(session.workload, *map(preset, args.preset or ())))
    details = {
        "clients": args.clients and int(args.clients),
        "sharing": args.sharing and Sharing(args.sharing),
        "volumes": args.volumes,
    }
    session.set_workload(replace(session.workload, **{k: v for k, v in details.items() if v is not None}))
    if args.goal:
        session.set_goal(Goal(args.goal))
    session.set_budget(budget_of(args, inventory.host))


@pytest.mark.slow
@pytest.mark.parametrize("machine", [machine for machine, _ in MACHINES])
def test_that_window_and_command_line_answer_alike(
    machine: str, window: MainWindow, qtbot: QtBot, rules: RuleBook
) -> None:
    disks, options = machine.split("|")
    words = ["--disks", disks, *options.split()]
    parser = argparse.ArgumentParser()
    configure(parser)
    window.session.set_rules(rules)
    _ask_in_the_window(window, parser.parse_args(words))
    page = ranking_in(window, qtbot)
    printed = command_line("recommend", *words, "--json")
    assert printed.returncode == 0
    answer = json.loads(printed.stdout)
    shown = ranked(window)
    assert window.session.workload.goal.value == answer["goal"]
    assert [(c.words, round(c.score, 3), c.measures.usable_bytes) for c in shown.candidates[:COMPARED]] == [
        (c["description"], c["score"], c["capacity"]["usable_bytes_all_pools"]) for c in answer["candidates"][:COMPARED]
    ]
    assert page.cards.cards[0].accessibleName() == f"First choice: {shown.best.words}"
    first = answer["candidates"][0]
    assert shown.best.measures.any_loss == pytest.approx(first["yearly_loss_any_pool_with_other_causes"], rel=1e-3)
