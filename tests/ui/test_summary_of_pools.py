"""A design of several pools says one thing: the summary and the comparison give the same numbers."""

from dataclasses import replace
from datetime import datetime

import pytest
from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QAbstractButton, QLabel, QScrollArea, QWidget
from pytestqt.qtbot import QtBot
from tests.emit.machines import macblog_design
from tests.ui.conftest import thesis_design
from tests.ui.controls import part_of, shown, there
from tests.ui.summary_at_hand import numbers_of

from poolwright.design.candidate import Candidate
from poolwright.design.comparison_columns import ComparedDesign, zfs_column
from poolwright.design.evaluate import evaluate
from poolwright.domain.design import Design, Vdev
from poolwright.domain.disk import Media
from poolwright.domain.estimate import Case, Estimate, Origin, OriginKind
from poolwright.domain.rates import rate_text
from poolwright.domain.units import binary
from poolwright.domain.vdev import VdevKind
from poolwright.domain.workload import Budget
from poolwright.machine.typed.read import read_typed
from poolwright.predict.number_words import hours_text, odds_text
from poolwright.rules.presets import apply_preset, preset
from poolwright.rules.rulebook import RuleBook
from poolwright.table_library import load_drive_book
from poolwright.ui.outlook.pane import OutlookPane
from poolwright.ui.parts.estimate_line import EstimateLine, OriginLine
from poolwright.ui.parts.finding_rows import each_count
from poolwright.ui.shell.main_window import MainWindow


def compared(window: MainWindow, rules: RuleBook) -> ComparedDesign:
    design = there(window.session.design)
    today = datetime.now().astimezone().date()
    return zfs_column(evaluate(design, drives=load_drive_book(), today=today, rules=rules))


def test_that_the_risk_of_all_pools_is_told(window: MainWindow, rules: RuleBook) -> None:
    window.session.set_rules(rules)
    window.session.change_design(macblog_design(), "Split disks")
    column = compared(window, rules)
    lines = numbers_of(window).lines
    loss, rebuild = column.cell("loss").value, column.cell("rebuild").value
    main = window.session.expected
    assert loss is not None
    assert rebuild is not None
    assert main is not None
    alone = there(column.cell("disk_loss").value)
    assert alone > 100 * main.risk.disk_probability  # the mirror beside it is the weak one
    assert loss > main.risk.probability
    assert odds_text(loss) in lines["risk"].button.accessibleName()
    each = f"tank {odds_text(main.risk.loss.typical)}"
    assert each in lines["risk"].button.accessibleDescription()
    assert hours_text(rebuild) in lines["rebuild"].button.accessibleName()


def test_that_before_a_layout_is_chosen_the_best_one_is_shown_as_a_design_would_be(
    window: MainWindow, qtbot: QtBot, rules: RuleBook
) -> None:
    window.session.set_rules(rules)
    window.session.start_from(read_typed(["12 x 16TB CMR SATA"]))
    best = best_so_far(window, qtbot)
    numbers = numbers_of(window)
    assert shown(window.summary, QLabel, "Usable capacity").text() == binary(best.measures.usable_bytes)
    assert shown(window.summary, QWidget, "Picture of the vdevs").accessibleDescription() == best.short_words
    assert numbers.value("survives") == f"any {best.measures.failures_survived}"
    assert numbers.value("risk") == odds_text(best.measures.any_loss)
    assert rate_text(best.predictions.speed.seq_read.typical) in numbers.speeds["seq_read"].value
    assert not numbers.change.isVisible()
    window.session.set_budget(replace(window.session.budget, spares=2, bays=12))
    qtbot.waitUntil(numbers.change.isVisible, timeout=60_000)
    lost = binary(best.measures.usable_bytes - best_so_far(window, qtbot).measures.usable_bytes)
    assert numbers.change.text.text().splitlines()[0].endswith(f"−{lost}")
    assert numbers.change.text.text().startswith("Hot spares, Drive bays: ")


def test_that_of_a_best_layout_both_pools_count(window: MainWindow, qtbot: QtBot, rules: RuleBook) -> None:
    window.session.set_rules(rules)
    window.session.start_from(read_typed(["24 x 16TB hdd, 2 x 960GB NVMe"]))
    both = map(preset, ("vm-images", "media-archive"))
    window.session.set_workload(apply_preset(window.session.workload, *both))
    best, numbers = best_so_far(window, qtbot), numbers_of(window)
    assert numbers.value("risk") == odds_text(best.measures.any_loss) != odds_text(best.predictions.risk.loss.typical)
    assert numbers.value("rebuild") == hours_text(there(best.measures.forecast.rebuild_hours))


def best_so_far(window: MainWindow, qtbot: QtBot) -> Candidate:
    so_far = there(window.summary.so_far)
    qtbot.waitUntil(lambda: so_far.best is not None, timeout=60_000)
    return there(so_far.best)


def test_that_a_search_without_a_layout_says_why(window: MainWindow, qtbot: QtBot, rules: RuleBook) -> None:
    window.session.set_rules(rules)
    window.session.set_budget(Budget(survive=3))
    window.session.start_from(read_typed(["2 x 16TB"]))
    qtbot.waitUntil(lambda: bool(there(window.summary.so_far).problem), timeout=60_000)
    assert there(window.summary.so_far).problem in {label.text() for label in window.summary.findChildren(QLabel)}


@pytest.mark.slow
def test_that_findings_of_all_pools_are_counted_alike(window: MainWindow, rules: RuleBook) -> None:
    window.session.set_rules(rules)
    window.session.change_design(macblog_design(), "Split disks")
    column = compared(window, rules)
    counts = [int(column.cell(row).value or 0) for row in ("warnings", "notes", "cannot_tell")]
    name = numbers_of(window).findings.button.accessibleName()
    assert name == f"Findings: {', '.join(filter(None, each_count(0, *counts)))}"


@pytest.mark.slow
def test_that_distributed_spares_count_as_spares(window: MainWindow, design: Design) -> None:
    members = tuple(m for vdev in design.vdevs for m in vdev.members)
    draid = Vdev(kind=VdevKind.DRAID, parity=2, draid_data=8, draid_spares=3, members=members)
    window.session.change_design(replace(design, vdevs=(draid,)), "Make dRAID")
    told = {b.accessibleName() for b in window.summary.findChildren(QAbstractButton)}
    assert "Hot spares: 3" in told


@pytest.mark.slow
def test_that_the_outlook_says_which_pool_it_is_of(window: MainWindow) -> None:
    window.session.change_design(macblog_design(), "Split disks")
    outlook = part_of(window, OutlookPane, "outlook")
    texts = [label.text() for label in outlook.findChildren(QLabel)]
    assert "Expected of pool tank while the others are idle." in texts


def test_that_flash_left_for_other_uses_is_not_told_as_unused(window: MainWindow, design: Design) -> None:
    def told(*more: Media) -> str:
        beside = tuple(
            replace(design.disks[0], key=f"more {number}", serial=None, by_id=(), media=media)
            for number, media in enumerate(more)
        )
        window.session.change_design(replace(design, disks=(*used, *beside)), "Look at other disks")
        return numbers_of(window).lines["used"].button.accessibleDescription()

    used = tuple(replace(disk, media=Media.HDD) for disk in design.disks if disk.key in design.used_keys())
    told()
    assert numbers_of(window).lines["used"].isHidden()
    assert "Of other media than the data: 2." in told(Media.SSD, Media.NVME)
    both = told(Media.HDD, Media.SSD)
    assert "Unassigned: 1. Of other media than the data: 1." in both


# The summary shows its values whole, whatever they are.


@pytest.mark.parametrize("value", ["unpredictable", "12,345–123,456 GB/s", "1 in 1,000,000", "12,345.67 GB/s"])
def test_that_no_value_of_the_summary_is_cut(window: MainWindow, value: str) -> None:
    window.session.show_design(thesis_design())
    area = there(window.summary.findChild(QScrollArea))
    for line in area.findChildren(OriginLine):
        if isinstance(line, EstimateLine):
            line.show_value(value, "")
    QCoreApplication.processEvents()
    inner = there(area.widget())
    assert inner.width() <= area.viewport().width()
    for line in (line for line in inner.findChildren(OriginLine) if line.isVisible()):
        label = next(w for w in line.button.findChildren(QLabel) if w.text() == value or w.font().bold())
        right = label.mapTo(inner, label.rect().topRight()).x()
        assert right < area.viewport().width()
        assert label.sizeHint().width() <= label.width()


# A predicted value on its line, and what stands there where nobody can tell one.


def estimate(low: float, high: float) -> Estimate:
    origin = Origin(kind=OriginKind.PREDICTED, source="a model")
    return Estimate(low=low, typical=5e8, high=high, limit="the disks", origin=origin)


@pytest.mark.parametrize(
    ("low", "high", "value"), [(1e8, 4e9, "0.10–4.0 GB/s"), (1e8, 1e9, "0.10–1.0 GB/s"), (2e8, 1e9, "500 MB/s")]
)
def test_that_a_speed_with_a_band_of_a_factor_of_ten_has_the_band_as_its_value(
    qtbot: QtBot, low: float, high: float, value: str
) -> None:
    line = EstimateLine("Sequential read", rate_text, (1e7, 1e11))
    qtbot.addWidget(line)
    line.show_estimate(estimate(low, high))
    assert line.value == value
    fresh = replace(estimate(1e8, 4e9), cases=(Case(when="new", value=4e9), Case(when="fragmented", value=1e8)))
    bare = EstimateLine("Write IOPS", "{:,.0f} IOPS".format, (10, 1e6))
    qtbot.addWidget(bare)
    bare.show_estimate(fresh)
    assert bare.value == "100,000,000–4,000,000,000"  # its name says the unit
    assert "4,000,000,000 IOPS new, 100,000,000 IOPS fragmented" in bare.origin.text()
