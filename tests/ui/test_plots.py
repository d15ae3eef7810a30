"""The chart of layouts in the window: read, told, saved, copied, in the colours of the window."""

from collections.abc import Iterator
from pathlib import Path

import pyqtgraph as pg
import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QLayout, QMainWindow
from pytestqt.qtbot import QtBot
from tests.ui.controls import there

from poolwright.design.candidate import Recommendation
from poolwright.design.recommend import recommend
from poolwright.design.request import Request
from poolwright.domain.workload import Goal, Workload
from poolwright.emit.chart import Chart, ChartAxis, ChartMark, ChartSeries, SeriesKind
from poolwright.emit.comparison_charts import Against, front_chart, layout_words
from poolwright.judging import judge_maker
from poolwright.rules.model import RuleBook
from poolwright.ui.parts.theme import Scheme, theme
from poolwright.ui.plots.chart_plot import ChartPlot
from poolwright.ui.plots.place import save_chart
from poolwright.ui.state.sources import example


@pytest.fixture(scope="module")
def ranking() -> Recommendation:
    disks = example("thesis").usable()[:12]
    return recommend(Request(disks=disks, workload=Workload(goal=Goal.SAFETY)), judge_maker(RuleBook()))


@pytest.fixture
def plot(qtbot: QtBot, light: None, ranking: Recommendation) -> Iterator[ChartPlot]:
    frame = QMainWindow()
    qtbot.addWidget(frame)
    made = ChartPlot(frame)
    frame.setCentralWidget(made)
    layout = there(frame.layout())
    layout.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)
    frame.resize(800, 500)
    frame.show()
    made.show_chart(front_chart(ranking.candidates, ranking.best, Against.SURVIVED))
    made.select(ranking.candidates[3])
    yield made
    frame.close()


def test_that_the_capacity_axis_begins_at_zero(plot: ChartPlot, ranking: Recommendation) -> None:
    (low, high) = plot.view.box.viewRange()[1]
    assert low == 0
    assert high > max(c.usable_bytes for c in ranking.candidates) / 2**40


def test_that_the_text_over_a_dot_names_its_source(ranking: Recommendation) -> None:
    told = layout_words(ranking.best)
    assert "arithmetic of OpenZFS" in told
    assert "survives any 2 failures" in told
    for survived, words in ((1, "survives any 1 failure,"), (0, "survives no failure,")):
        assert words in layout_words(next(c for c in ranking.candidates if c.failures_survived == survived))


def test_that_pointing_at_a_dot_tells_its_layout(plot: ChartPlot, ranking: Recommendation, qtbot: QtBot) -> None:
    dot = plot.drawn.position_of(ranking.best)
    for at, words in ((dot, layout_words(ranking.best)), (plot.view.box.mapViewToScene(QPointF(0, 0)), "")):
        with qtbot.waitSignal(plot.hovered) as told:
            plot.view.scene().sigMouseMoved.emit(at)
        assert told.args == [words]


def test_that_the_plot_follows_the_colours_of_the_window(plot: ChartPlot) -> None:
    light = plot.view.backgroundBrush().color().name()
    theme().choose(Scheme.DARK)
    assert plot.view.backgroundBrush().color().name() == theme().colours.base != light


@pytest.mark.slow
def test_that_the_png_is_twice_as_fine_as_the_screen(plot: ChartPlot, tmp_path: Path) -> None:
    path = tmp_path / "plot.png"
    assert plot.chart is not None
    save_chart(path, plot.view, plot.chart)
    assert QImage(str(path)).width() == plot.view.viewport().width() * 2


def test_that_the_csv_has_a_line_for_each_layout(plot: ChartPlot, ranking: Recommendation) -> None:
    lines = [line for line in plot.csv().splitlines() if line.startswith("Layouts,")]
    assert len(lines) == len(ranking.candidates)


def test_that_copy_puts_the_picture_on_the_clipboard(plot: ChartPlot) -> None:
    next(a for a in plot.menu().actions() if a.text() == "Copy").trigger()
    assert not QGuiApplication.clipboard().image().isNull()


@pytest.mark.slow
def test_that_a_folder_that_is_gone_says_so(plot: ChartPlot, tmp_path: Path, qtbot: QtBot) -> None:
    with qtbot.waitSignal(plot.failed) as failed:
        plot._save(str(tmp_path / "gone" / "plot.png"))
    assert "cannot be written" in there(failed.args)[0]


@pytest.mark.slow
def test_that_capacity_is_plotted_against_what_is_predicted(plot: ChartPlot, ranking: Recommendation) -> None:
    chart = front_chart(ranking.candidates, ranking.best, Against.RISK)
    assert [1 / mark.x for mark in chart.series[0].marks] == pytest.approx([c.yearly_loss for c in ranking.candidates])
    plot.show_chart(front_chart(ranking.candidates, ranking.best, Against.WRITE))
    assert plot.accessibleName() == "Usable capacity against sequential write"
    best = max(ranking.candidates, key=lambda c: c.measures.forecast.speed.seq_write)
    others = [plot.drawn.position_of(c).x() for c in ranking.candidates]
    assert plot.drawn.position_of(best).x() == max(others)
    assert plot.view.box.viewRange()[0][0] == 0


def test_that_what_is_written_beside_a_dot_hides_no_part_of_it(plot: ChartPlot) -> None:
    mark = ChartMark(x=0.793, y=0, low=0.79, high=0.796, told="measured 793 MB/s", label="793 MB/s")
    series = ChartSeries(name="Measured", kind=SeriesKind.DOTS, marks=(mark,))
    axes = ChartAxis(title="Rate", unit="GB/s", low=0, high=1.5), ChartAxis(title="", unit="", low=0, high=1)
    plot.show_chart(Chart(stem="run", title="Run", x=axes[0], y=axes[1], series=(series,), rows=("written",)))
    plot.grab()  # a text stands where it belongs once it was drawn
    (text,) = [item for item in plot.view.item.items if isinstance(item, pg.TextItem)]
    dot = plot.view.box.mapViewToScene(QPointF(0.793, 0)).x()
    assert text.sceneBoundingRect().left() >= dot + series.size / 2
