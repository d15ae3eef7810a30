"""The plot of layouts: where the dots stand, and what can be taken away."""

import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPointF
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QFileDialog, QLayout, QMainWindow
from pytestqt.qtbot import QtBot

from poolwright.advise.candidate import Recommendation
from poolwright.advise.recommend import Request, recommend
from poolwright.domain.workload import Goal, Workload
from poolwright.judging import judge_maker
from poolwright.rules.model import RuleBook
from poolwright.ui.parts.theme import Scheme, theme
from poolwright.ui.plots.against import Against, span, ticks
from poolwright.ui.plots.export import save_plot
from poolwright.ui.plots.swarm import WIDTH, pareto, swarm
from poolwright.ui.ranking.capacity_plot import CapacityPlot
from poolwright.ui.state.sources import example

points = st.lists(st.tuples(st.integers(0, 3), st.floats(0, 300, allow_nan=False)), max_size=200)


@given(points)
def test_that_no_dot_leaves_its_own_column(at: list[tuple[int, float]]) -> None:
    xs = [x for x, _ in at]
    for x, placed in zip(xs, swarm(xs, [y for _, y in at]), strict=True):
        assert abs(placed - x) <= WIDTH / 2 + 1e-9


@given(points)
def test_that_no_two_dots_stand_at_one_place(at: list[tuple[int, float]]) -> None:
    placed = swarm([x for x, _ in at], [y for _, y in at])
    spots = [(round(x, 9), y) for x, (_, y) in zip(placed, at, strict=True)]
    assert len(set(spots)) == len(spots)


@given(points)
def test_that_nothing_beats_a_point_of_the_front(at: list[tuple[int, float]]) -> None:
    front = pareto([x for x, _ in at], [y for _, y in at])
    for number in front:
        x, y = at[number]
        assert not any((a >= x and b > y) or (a > x and b >= y) for a, b in at)
    assert [at[n][0] for n in front] == sorted({at[n][0] for n in front})
    assert bool(front) == bool(at)


@pytest.fixture(scope="module")
def ranking() -> Recommendation:
    disks = example("thesis").usable()[:12]
    return recommend(Request(disks=disks, workload=Workload(goal=Goal.SAFETY)), judge_maker(RuleBook()))


@pytest.fixture
def plot(qtbot: QtBot, light: None, ranking: Recommendation) -> Iterator[CapacityPlot]:
    frame = QMainWindow()
    qtbot.addWidget(frame)
    made = CapacityPlot(frame)
    frame.setCentralWidget(made)
    layout = frame.layout()
    assert layout is not None
    layout.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)
    frame.resize(800, 500)
    frame.show()
    made.show_candidates(ranking.candidates, ranking.best)
    made.select(ranking.candidates[3])
    yield made
    frame.close()


def test_that_the_axes_have_titles_with_units(plot: CapacityPlot) -> None:
    item = plot.view.getPlotItem()
    assert item.getAxis("left").labelText == "Usable capacity (TiB)"
    assert item.getAxis("bottom").labelText == "Failures survived, whichever disks (count)"


def test_that_the_capacity_axis_begins_at_zero(plot: CapacityPlot, ranking: Recommendation) -> None:
    (low, high) = plot.view.getPlotItem().vb.viewRange()[1]
    assert low == 0
    assert high > max(c.usable_bytes for c in ranking.candidates) / 2**40


def test_that_the_text_over_a_dot_names_its_source(plot: CapacityPlot, ranking: Recommendation) -> None:
    told = plot.words_of(ranking.best)
    assert "arithmetic of OpenZFS" in told
    assert "survives any 2 failures" in told
    for survived, words in ((1, "survives any 1 failure,"), (0, "survives no failure,")):
        assert words in plot.words_of(next(c for c in ranking.candidates if c.failures_survived == survived))


def test_that_pointing_at_a_dot_tells_its_layout(plot: CapacityPlot, ranking: Recommendation, qtbot: QtBot) -> None:
    dot = plot.view.mapToScene(plot.position_of(ranking.best).toPoint())
    for at, words in ((dot, plot.words_of(ranking.best)), (plot.item.vb.mapViewToScene(QPointF(0, 0)), "")):
        with qtbot.waitSignal(plot.hovered) as told:
            plot.view.scene().sigMouseMoved.emit(at)
        assert told.args == [words]


def test_that_the_plot_follows_the_colours_of_the_window(plot: CapacityPlot) -> None:
    light = plot.view.backgroundBrush().color().name()
    theme().choose(Scheme.DARK)
    assert plot.view.backgroundBrush().color().name() == theme().colours.base != light


@pytest.mark.parametrize("kind", ["SVG", "PNG", "CSV"])
def test_that_the_plot_is_saved_where_the_user_says(plot: CapacityPlot, tmp_path: Path, kind: str) -> None:
    action = next(a for a in plot.menu().actions() if a.text() == f"Save as {kind}…")
    action.trigger()
    (dialog,) = plot.findChildren(QFileDialog)
    path = tmp_path / f"layouts.{kind.lower()}"
    dialog.fileSelected.emit(str(path))
    dialog.close()
    assert path.stat().st_size > 0


def test_that_the_svg_holds_the_axis_titles(plot: CapacityPlot, tmp_path: Path) -> None:
    path = tmp_path / "plot.svg"
    save_plot(path, plot.view, "Layouts", plot.csv())
    root = ET.parse(path).getroot()
    assert root.tag.endswith("svg")
    assert "Usable capacity (TiB)" in path.read_text()


def test_that_the_png_is_twice_as_fine_as_the_screen(plot: CapacityPlot, tmp_path: Path) -> None:
    path = tmp_path / "plot.png"
    save_plot(path, plot.view, "Layouts", plot.csv())
    assert QImage(str(path)).width() == plot.view.viewport().width() * 2


def test_that_the_csv_has_a_line_for_each_layout(plot: CapacityPlot, ranking: Recommendation) -> None:
    assert len(plot.csv().splitlines()) == len(ranking.candidates) + 1


def test_that_copy_puts_the_picture_on_the_clipboard(plot: CapacityPlot) -> None:
    next(a for a in plot.menu().actions() if a.text() == "Copy").trigger()
    assert not QGuiApplication.clipboard().image().isNull()


def test_that_a_folder_that_is_gone_says_so(plot: CapacityPlot, tmp_path: Path, qtbot: QtBot) -> None:
    with qtbot.waitSignal(plot.failed) as failed:
        plot._save(str(tmp_path / "gone" / "plot.png"))
    assert failed.args is not None
    assert "cannot be written" in failed.args[0]


def test_that_capacity_is_plotted_against_what_is_predicted(plot: CapacityPlot, ranking: Recommendation) -> None:
    plot.show_against(Against.RISK)
    rows = [line.split(",", 2) for line in plot.csv().splitlines()[1:]]
    assert [10 ** -float(row[0]) for row in rows] == pytest.approx(
        [c.measures.forecast.yearly_loss for c in ranking.candidates], rel=1e-4
    )
    assert plot.view.getPlotItem().getAxis("bottom").labelText.startswith("Yearly risk")
    plot.show_against(Against.WRITE)
    assert plot.accessibleName() == "Plot of usable capacity against sequential write"
    best = max(ranking.candidates, key=lambda c: c.measures.forecast.speed.seq_write)
    others = [plot.position_of(c).x() for c in ranking.candidates]
    assert plot.position_of(best).x() == max(others)


def test_that_the_marks_of_a_risk_are_odds() -> None:
    marks = ticks(Against.RISK, [3.2, 7.9])
    assert marks is not None
    assert marks[0][1] == "1 in 1,000"
    assert span(Against.RISK, [3.2, 7.9]) == (3.0, 8.0)


def test_that_a_speed_begins_at_zero() -> None:
    assert span(Against.READ, [1.0, 4.0])[0] == 0
    assert ticks(Against.READ, [1.0, 4.0]) is None
