"""The outlook page and the summary as a person uses them: read, press for the origin, assume something else."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLabel, QLineEdit, QPushButton, QSpinBox, QWidget
from pytestqt.qtbot import QtBot
from tests.ui.conftest import thesis_design
from tests.ui.controls import judged, named, part_of, press, say_where, there
from tests.ui.summary_at_hand import numbers_of

from poolwright.domain.design import Design, Vdev
from poolwright.domain.finding import Outcome
from poolwright.domain.money import money
from poolwright.domain.vdev import VdevKind
from poolwright.emit.report import Picture, ReportTable
from poolwright.emit.report_outlook import chain_chart
from poolwright.predict.assessment import Assessment
from poolwright.rules.rulebook import RuleBook
from poolwright.ui.outlook.pane import OutlookPane
from poolwright.ui.parts.report_view import Shown
from poolwright.ui.shell.main_window import MainWindow
from poolwright.ui.state.preferences import Preferences
from poolwright.ui.state.session import Session
from poolwright.ui.state.sources import example

RUNS = """vdevs,metric,value
5*raidz2:8x6TB,seq_read,3900MB/s
5*raidz2:8x6TB,seq_write,2400MB/s
"""


@pytest.fixture
def page(window: MainWindow, design: Design) -> OutlookPane:
    return opened(window, design)


def opened(window: MainWindow, design: Design) -> OutlookPane:
    window.session.start_from(example("thesis"))
    window.session.change_design(design, "Choose layout")
    page = part_of(window, OutlookPane, "outlook")
    page.fold.head.click()
    return page


def blocks(page: OutlookPane) -> list[Shown]:
    return [block for view in page.views for block in view.blocks]


def text(page: OutlookPane) -> str:
    return "\n".join(view.toPlainText() for view in page.views)


def row(page: OutlookPane, name: str) -> list[str]:
    """Return the cells of the first row that begins so."""
    tables = (block for block in blocks(page) if isinstance(block, ReportTable))
    rows = ([cell.text for cell in cells] for table in tables for cells in table.rows)
    return next(cells for cells in rows if cells[0] == name)


def line(root: QWidget, start: str) -> QAbstractButton:
    """Return the line that begins so, such as “Resilver: 24 h”."""
    found = [b for b in root.findChildren(QAbstractButton) if b.accessibleName().startswith(f"{start}: ")]
    assert len(found) == 1, f"{len(found)} lines begin with {start}"
    return found[0]


def told(root: QWidget, start: str) -> str:
    return line(root, start).accessibleName().partition(": ")[2]


def type_over(root: QWidget, name: str, text: str) -> None:
    field = named(root, QLineEdit, name)
    field.selectAll()
    QTest.keyClicks(field, text)


@pytest.mark.slow
def test_that_the_speeds_stand_on_the_page_with_band_limit_and_model(page: OutlookPane) -> None:
    assert row(page, "Sequential read")[1] == "1.18 GB/s"
    assert row(page, "Sequential read")[3] == "network"
    assert row(page, "Random reads")[1] == "990 IOPS"
    assert row(page, "Synchronous writes")[2]
    assert "typical error on other machines: 46 %" in text(page)
    assert all(v.minimumHeight() >= v.document().size().height() for v in page.views), "the page scrolls, nothing in it"


@pytest.mark.slow
def test_that_the_narrowest_link_is_named(page: OutlookPane, window: MainWindow) -> None:
    expected = there(window.session.expected)

    def narrowest(expected: Assessment) -> set[str]:
        found = chain_chart(expected.speed.chain)
        return {found.rows[int(m.y)] for one in found.series for m in one.marks if m.label.endswith(", narrowest")}

    assert narrowest(expected) == {"network"}
    type_over(page, "Network", "100 Gbit/s")
    faster = there(window.session.expected)
    assert "network" not in narrowest(faster)
    assert any(isinstance(block, Picture) for block in blocks(page))


@pytest.mark.slow
def test_that_a_rate_without_its_unit_is_refused_in_place(page: OutlookPane, window: MainWindow) -> None:
    type_over(page, "One disk reads", "180")
    assert window.session.expectations.assumed.disk_read is None
    remarks = [label.text() for label in page.findChildren(QLabel) if label.accessibleDescription() == "One disk reads"]
    assert any("180 MB/s" in text for text in remarks)


@pytest.mark.slow
def test_that_runs_narrow_the_band(page: OutlookPane, window: MainWindow, tmp_path: Path) -> None:
    file = tmp_path / "runs.csv"
    file.write_text(RUNS)
    before = there(window.session.expected)
    press(named(page, QPushButton, "Open runs…"))
    say_where(page, file)
    after = there(window.session.expected)
    wide, narrow = before.itself.seq_read, after.itself.seq_read
    assert narrow.high / narrow.low < wide.high / wide.low / 2
    assert "2 from runs.csv" in named(page, QLabel, "Runs on this host").text()
    assert "without runs" in text(page)
    press(named(page, QPushButton, "Forget the runs"))
    assert window.session.expected == before


@pytest.mark.slow
def test_that_a_file_that_holds_no_runs_changes_nothing(page: OutlookPane, window: MainWindow, tmp_path: Path) -> None:
    file = tmp_path / "notes.csv"
    file.write_text("dear,all\n1,2\n")
    page.assumed.open_runs_file(file)
    assert "The runs lack a column" in window.message.text()
    assert window.session.expectations.assumed.calibration.runs == ()
    page.assumed.open_runs_file(tmp_path / "none.csv")
    assert "There is no such file" in window.message.text()


@pytest.mark.slow
def test_that_fill_and_load_change_the_rebuild(page: OutlookPane, window: MainWindow) -> None:
    assert row(page, "Resilver")[1] == "14 h"
    fill = named(page, QSpinBox, "Pool full to (%)")
    fill.setValue(0)
    assert row(page, "Resilver")[1] == "2 s"
    fill.setValue(100)
    assert row(page, "Resilver")[1] == "18 h"
    named(page, QSpinBox, "Load meanwhile (%)").setValue(10)
    assert row(page, "Resilver")[1] == "20 h"
    assert told(window.summary, "Resilver") == "20 h"


@pytest.mark.slow
def test_that_the_risk_is_told_in_odds_with_its_terms(page: OutlookPane) -> None:
    assert row(page, "Loss a year")[1] == "1 in 13,000"
    assert row(page, "… by disks alone")[1] == "1 in 57 million"
    assert "a backup does" in text(page)
    vdevs, machine = row(page, "5 × raidz2 of 8"), row(page, "whole machine")
    assert vdevs[4] == "1.57 %"
    assert int(vdevs[2].split()[0]) + int(machine[2].split()[0]) == 100


@pytest.mark.slow
def test_that_a_worse_disk_raises_the_risk_as_it_is_typed(page: OutlookPane, window: MainWindow) -> None:
    type_over(page, "AFR of a disk (%)", "8")
    worse = row(page, "Loss a year")[1]
    assert worse == told(window.summary, "Loss a year")
    assert worse != "1 in 13,000"
    assert row(page, "5 × raidz2 of 8")[4] == "8.00 %"
    type_over(page, "Correlation", "0.5")
    remarks = [label.text() for label in page.findChildren(QLabel) if label.accessibleDescription() == "Correlation"]
    assert any("Give 1 to 100." in text for text in remarks)
    assert row(page, "Loss a year")[1] == worse
    QTest.keyClick(named(page, QLineEdit, "AFR of a disk (%)"), Qt.Key.Key_Backspace)
    assert row(page, "Loss a year")[1] == "1 in 13,000"


@pytest.mark.slow
def test_that_a_price_makes_the_cost_known(page: OutlookPane, window: MainWindow) -> None:
    assert "Enter the price of a disk" in text(page)
    window.session.set_budget(replace(window.session.budget, currency="EUR"))
    judged(window.session)
    type_over(page, "Price of a disk", "185")
    assert row(page, "Price of the disks")[1] == "8,140.00 EUR"
    assert told(window.summary, "Price") == "8,140.00 EUR"
    power = row(page, "Cost of electricity")
    type_over(page, "Years", "10")
    assert row(page, "Cost of electricity") != power


@pytest.mark.slow
def test_that_prices_are_remembered_and_failure_rates_are_not(page: OutlookPane, window: MainWindow) -> None:
    type_over(page, "Price of a kWh", "0.42")
    type_over(page, "AFR of a disk (%)", "3")
    later = Session(window)
    later.take_preferences(window.preferences)
    assert later.expectations.assumed.kwh_price == money("0.42")
    assert later.expectations.assumed.cost_date is not None
    assert later.expectations.assumed.afr_percent is None
    later.library.close()


def test_that_kept_nonsense_counts_as_nothing(window: MainWindow) -> None:
    kept = Preferences()
    kept.keep_arrangement("assumed-years", "minus one")
    kept.keep_arrangement("assumed-cooling_factor", "0.2")
    window.session.expectations.take_preferences(kept)
    assert window.session.expectations.assumed.years is None
    assert window.session.expectations.assumed.cooling_factor is None


@pytest.mark.slow
def test_that_the_summary_follows_on_every_page(window: MainWindow) -> None:
    window.session.start_from(example("thesis"))
    assert numbers_of(window).isHidden()
    window.session.change_design(thesis_design(), "Choose layout")
    assert told(window.summary, "Sequential read") == "1.18 GB/s"
    assert told(window.summary, "Loss a year") == "1 in 13,000"
    before = told(window.summary, "Loss a year")
    window.session.change_design(thesis_design(width=10), "Choose layout")
    judged(window.session)
    assert told(window.summary, "Loss a year") != before
    press(line(window.summary, "Loss a year"))
    assert "Markov chain" in line(window.summary, "Loss a year").accessibleDescription()


@pytest.mark.slow
def test_that_other_disks_forget_what_was_assumed_of_these(page: OutlookPane, window: MainWindow) -> None:
    type_over(page, "AFR of a disk (%)", "3")
    window.session.expectations.open_runs(RUNS, "runs.csv")
    window.session.start_from(example("thesis"))
    assert window.session.expectations.assumed.afr_percent is None
    assert window.session.expectations.assumed.calibration.runs == ()


@pytest.mark.slow
def test_that_a_pool_without_redundancy_has_nothing_to_rebuild(window: MainWindow, design: Design) -> None:
    members = design.vdevs[0].members[:4]
    page = opened(window, replace(design, vdevs=(Vdev(kind=VdevKind.STRIPE, members=members),)))
    assert row(page, "Resilver")[1] == "unknown"
    assert "No redundancy: nothing can be rebuilt." in text(page)
    assert told(window.summary, "Resilver") == "none possible"
    assert row(page, "4 × single disk")[4:7] == ["1.57 %", "none possible", "none possible"]


@pytest.mark.slow
def test_that_what_was_never_measured_is_said(window: MainWindow, design: Design) -> None:
    members = design.vdevs[0].members[:3]
    page = opened(window, replace(design, vdevs=(Vdev(kind=VdevKind.MIRROR, members=members),)))
    assert "The band is wider here: mirrors of 3; only pairs were measured." in text(page)


@pytest.mark.slow
def test_that_rules_are_told_what_is_predicted(
    window: MainWindow, design: Design, rules: RuleBook, qtbot: QtBot
) -> None:
    opened(window, design)
    session = window.session
    session.set_rules(rules)
    assert outcome(session, "expected.days-of-rebuild") is not Outcome.CANNOT_TELL
    before = outcome(session, "expected.days-of-rebuild")
    with qtbot.waitSignal(session.expectations.settled):
        session.expectations.assume(load_percent=95)
    assert (before, outcome(session, "expected.days-of-rebuild")) == (Outcome.HOLDS, Outcome.VIOLATED)


def outcome(session: Session, rule_id: str) -> Outcome:
    return next(f.outcome for f in there(there(session.assessment).findings) if f.rule_id == rule_id)


# Where the rates of one disk come from is said as it is: told of the disks, measured of the model, or usual.


@pytest.mark.slow
def test_that_a_rate_told_with_the_disks_is_not_said_to_be_that_of_their_class(window: MainWindow) -> None:
    design = thesis_design()
    told_rate = tuple(replace(disk, read_bytes_per_second=250_000_000) for disk in design.disks)
    window.session.show_design(replace(design, disks=told_rate))
    texts = [label.text() for label in part_of(window, OutlookPane, "outlook").findChildren(QLabel)]
    assert any(text.startswith("From the disks") for text in texts)
    assert sum(text.startswith("Not measured") for text in texts) == 1  # how fast one writes
