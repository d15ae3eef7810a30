"""Every chart of the window: zoomed, moved, read with pointer and keys, switched, the same as in a report."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pyqtgraph as pg
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QImage, QMouseEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLayout, QMainWindow, QPushButton, QScrollArea, QTabBar, QToolButton
from pytestqt.qtbot import QtBot
from tests.ui.conftest import thesis_design
from tests.ui.controls import position_of, there
from tests.ui.test_small_windows import LEAST_PLOT, SMALL, shown

from poolwright.design.candidate import Recommendation
from poolwright.design.recommend import recommend
from poolwright.design.request import Request
from poolwright.domain.workload import Goal, Workload
from poolwright.emit.chart import Chart, ChartAxis, ChartMark, ChartSeries, SeriesKind, chart_drawing
from poolwright.emit.comparison_charts import Against, front_chart, layout_words
from poolwright.emit.drawing import Label
from poolwright.judging import judge_maker
from poolwright.questions import RankedRows
from poolwright.rules.rulebook import RuleBook
from poolwright.ui.parts.card import FoldCard
from poolwright.ui.parts.theme import Scheme, theme
from poolwright.ui.plots.chart_plot import ChartPlot
from poolwright.ui.plots.place import ChartHolder, how_to_read
from poolwright.ui.shell.main_window import MainWindow
from poolwright.ui.state.recommending import request_of
from poolwright.ui.state.sources import example

PAGES = {"design": 1, "recommendation": 1, "compare": 1, "reference": 2}
CTRL = Qt.KeyboardModifier.ControlModifier
NONE = Qt.KeyboardModifier.NoModifier


@pytest.fixture
def full(window: MainWindow, rules: RuleBook) -> MainWindow:
    """Return a small window with two designs and data that grow: every chart has something to show."""
    session = window.session
    session.set_rules(rules)
    session.library.save(replace(thesis_design(width=10), key="wide", name="thesis, wide", pool_name="wide"))
    session.start_from(example("thesis"))
    session.change_design(thesis_design(), "Choose layout")
    session.tick(disk.key for disk in example("thesis").usable()[:8])
    request = there(request_of(session))
    session.set_recommendation(RankedRows.of(recommend(request, judge_maker(rules))))
    session.expectations.assume(used_bytes=30 * 2**40, growth_percent=35)
    window.resize(SMALL)
    return window


def places_of(window: MainWindow, name: str, qtbot: QtBot) -> Iterator[ChartHolder]:
    """Bring each chart of a page into sight."""
    page = shown(qtbot, window, name)
    seen: set[ChartHolder] = set()
    known: set[QTabBar] = set()
    links = (link.click for link in page.findChildren(QPushButton) if link.text() == "Chart")

    def unfold() -> None:
        for card in page.findChildren(FoldCard):
            card.fold(folded=False)

    turns: list[Callable[[], object]] = [window.update, *links, unfold]
    while turns:
        turns.pop(0)()
        qtbot.wait(50)
        qtbot.waitUntil(lambda: not window.session.jobs.jobs, timeout=60_000)
        new = [bar for bar in page.findChildren(QTabBar) if bar.isVisibleTo(page) and bar not in known]
        known.update(new)
        turns[:0] = [partial(bar.setCurrentIndex, tab) for bar in new for tab in range(bar.count())]
        for place in page.findChildren(ChartHolder):
            if place.isVisible() and place.chart is not None and place not in seen:
                seen.add(place)
                qtbot.waitUntil(lambda one=place: one.plot is not None, timeout=20_000)  # type: ignore[misc]
                for area in [page.area, *page.findChildren(QScrollArea)]:
                    if area.isAncestorOf(place):
                        area.ensureWidgetVisible(place.plot or place)
                qtbot.wait(20)
                yield place


def ranges(plot: ChartPlot) -> list[list[float]]:
    return [list(part) for part in plot.view.box.viewRange()]


def width(plot: ChartPlot) -> float:
    left, right = ranges(plot)[0]
    return right - left


def wheel(plot: ChartPlot, modifiers: Qt.KeyboardModifier) -> bool:
    """Turn the wheel over the middle; tell whether the chart took it."""
    port = plot.view.viewport()
    at = plot.view.mapFromScene(plot.view.box.sceneBoundingRect().center())
    turned = QWheelEvent(
        QPointF(at), QPointF(port.mapToGlobal(at)), QPoint(), QPoint(0, 120), Qt.MouseButton.NoButton, modifiers,
        Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    plot.view.wheelEvent(turned)
    return turned.isAccepted()


def mouse(plot: ChartPlot, kind: QEvent.Type, at: QPoint, *, held: bool) -> None:
    port, left = plot.view.viewport(), Qt.MouseButton.LeftButton
    button = Qt.MouseButton.NoButton if kind is QEvent.Type.MouseMove else left
    event = QMouseEvent(kind, QPointF(at), QPointF(port.mapToGlobal(at)), button, left if held else button, NONE)
    if not held:
        event = QMouseEvent(kind, QPointF(at), QPointF(port.mapToGlobal(at)), button, Qt.MouseButton.NoButton, NONE)
    QApplication.sendEvent(port, event)


def drag(plot: ChartPlot, by: int) -> None:
    start = plot.view.mapFromScene(plot.view.box.sceneBoundingRect().center())
    mouse(plot, QEvent.Type.MouseButtonPress, start, held=True)
    for step in range(1, 5):
        mouse(plot, QEvent.Type.MouseMove, start + QPoint(by * step // 4, 0), held=True)
    mouse(plot, QEvent.Type.MouseButtonRelease, start + QPoint(by, 0), held=False)


def check_zoom(plot: ChartPlot, where: str) -> None:
    whole = ranges(plot)
    assert not wheel(plot, NONE), where
    assert ranges(plot) == whole, where
    assert wheel(plot, CTRL), where
    assert width(plot) < whole[0][1] - whole[0][0], where
    assert plot.view.is_zoomed, where
    near, before = ranges(plot), width(plot)
    drag(plot, -40)
    assert ranges(plot)[0][0] > near[0][0], where
    assert width(plot) == pytest.approx(before, rel=1e-6), where
    middle = plot.view.mapFromScene(plot.view.box.sceneBoundingRect().center())
    QTest.mouseDClick(plot.view.viewport(), Qt.MouseButton.LeftButton, NONE, middle)
    assert ranges(plot) == [pytest.approx(part) for part in whole], where
    QTest.keyClick(plot, Qt.Key.Key_Plus)
    left = ranges(plot)[0][0]
    QTest.keyClick(plot, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert ranges(plot)[0][0] > left, where
    QTest.keyClick(plot, Qt.Key.Key_0)
    assert ranges(plot) == [pytest.approx(part) for part in whole], where
    QTest.keyClick(plot, Qt.Key.Key_Minus)
    assert ranges(plot) == [pytest.approx(part) for part in whole], where  # never beyond all


def check_told(place: ChartHolder, where: str) -> None:
    plot = there(place.plot)
    drawn = next(series for series in plot.drawn.series if series.tells)
    number = len(drawn.series.marks) // 2
    at = plot.view.box.mapViewToScene(QPointF(*drawn.at[number]))
    if drawn.series.foot is not None:
        at = plot.view.box.mapViewToScene(QPointF(drawn.at[number][0], drawn.series.foot + 0.1))
    plot.view.scene().sigMouseMoved.emit(at)
    every = {m.told for series in plot.drawn.series for m in series.series.marks if m.told}
    assert any(told in place.hint.text() for told in every), where
    plot.view.scene().sigMouseMoved.emit(QPointF(-5, -5))
    assert plot.view.toolTip() == how_to_read(), where
    heard = []
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_Right):
        QTest.keyClick(plot, key)
        heard.append(place.hint.text())
        assert heard[-1] in every, where
        assert plot.accessibleDescription() == heard[-1], where
    assert len(set(heard)) > 1 or len(every) == 1, where


def check_legend(place: ChartHolder, where: str) -> None:
    plot, chart = there(place.plot), there(place.chart)
    assert [button.text() for button in place.legend.buttons()] == list(chart.legend), where
    if not chart.legend:
        assert not place.legend.isVisible(), where
        return
    assert place.legend.isVisible(), where
    button: QToolButton = place.legend.buttons()[-1]
    before, drawn = len(plot.drawn.series), [s for s in chart.series if s.name == button.text()]
    button.setFocus()
    QTest.keyClick(button, Qt.Key.Key_Space)
    assert len(plot.drawn.series) == before - len(drawn), where
    assert not button.isChecked(), where
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert len(plot.drawn.series) == before, where


def check_same_in_report(plot: ChartPlot, where: str) -> None:
    """The drawing has the series, limits and axis texts that the window has."""
    chart = there(plot.chart)
    texts = [shape.text for shape in chart_drawing(chart).shapes if isinstance(shape, Label)]
    limits = [line.label.format.format() for line in plot.view.item.items if getattr(line, "label", None) is not None]
    assert sorted(limits) == sorted(limit.name for limit in chart.limits), where
    axes = [axis.labelText for axis in (plot.view.left, plot.view.bottom) if axis.labelText]
    assert set(axes) <= {chart.x.words, chart.y.words}, where
    assert {*limits, *chart.legend, chart.x.words} <= set(texts), where
    assert len(plot.drawn.series) == len([series for series in chart.series if series.marks]), where
    low, high = ranges(plot)[0]
    # Over powers of ten the room decides whether every one, every second or third of them has its text.
    across = [[text for _, text in plot.view.bottom.ticks(low, high, room)] for room in (400.0, 600.0, 900.0)]
    known = [[text for text in at_once if text in texts] for at_once in across]
    assert max(map(len, known)) >= min(2, *map(len, across)), (where, across, texts)


@pytest.mark.slow
@pytest.mark.parametrize("name", list(PAGES))
def test_that_every_chart_is_zoomed_moved_read_and_switched(full: MainWindow, qtbot: QtBot, name: str) -> None:
    seen = 0
    for place in places_of(full, name, qtbot):
        plot = there(place.plot)
        where = f"{name}: {plot.accessibleName()}"
        assert plot.view.height() >= LEAST_PLOT, where
        check_same_in_report(plot, where)
        check_zoom(plot, where)
        check_told(place, where)
        check_legend(place, where)
        seen += 1
    assert seen >= PAGES[name]


@pytest.fixture
def frame(qtbot: QtBot, light: None) -> Iterator[QMainWindow]:
    """Return a window that keeps its size whatever the chart in it asks for."""
    made = QMainWindow()
    qtbot.addWidget(made)
    there(made.layout()).setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)
    made.resize(800, 500)
    made.show()
    yield made
    made.close()


@pytest.fixture
def live(frame: QMainWindow, qtbot: QtBot) -> ChartHolder:
    place = ChartHolder("Point at it.", print, frame)
    frame.setCentralWidget(place)
    frame.resize(700, 420)
    place.show_chart(curves(10))
    qtbot.waitUntil(lambda: place.plot is not None, timeout=20_000)
    return place


def curves(count: int) -> Chart:
    """Two curves that grow, as a run does that is measured now."""
    series = tuple(
        ChartSeries(
            name=name,
            kind=SeriesKind.CURVE,
            marks=tuple(ChartMark(x=x, y=x * rate, told=f"{name} {x}", of=(name, x)) for x in range(count)),
        )
        for name, rate in (("read", 2), ("write", 1))
    )
    x, y = ChartAxis(title="Time", unit="s", low=0, high=100), ChartAxis(title="Rate", unit="MB/s", low=0, high=200)
    return Chart(stem="run", title="Run", x=x, y=y, series=series)


def test_that_each_curve_is_told_at_the_pointer_the_menu_zooms_and_marks_are_picked(
    live: ChartHolder, qtbot: QtBot
) -> None:
    at = there(live.plot).view.box.mapViewToScene(QPointF(5.2, 150))
    assert there(live.plot).text_at(at) == "read 5 write 5"
    assert there(live.plot).text_at(there(live.plot).view.box.mapViewToScene(QPointF(50, 150))) == ""
    actions = {action.text(): action for action in there(live.plot).menu.actions()}
    actions["Zoom in"].trigger()
    assert width(there(live.plot)) < 100
    actions["Zoom out"].trigger()
    assert width(there(live.plot)) == pytest.approx(100)
    actions["Zoom in"].trigger()
    actions["Show all"].trigger()
    assert width(there(live.plot)) == pytest.approx(100)
    QTest.keyClick(there(live.plot), Qt.Key.Key_Right)
    QTest.keyClick(there(live.plot), Qt.Key.Key_Right)
    with qtbot.waitSignal(live.picked) as picked:
        QTest.keyClick(there(live.plot), Qt.Key.Key_Return)
    assert picked.args == [("read", 1)]
    with qtbot.waitSignal(live.picked) as picked:
        at = there(live.plot).view.mapFromScene(there(live.plot).view.box.mapViewToScene(QPointF(7, 14)))
        QTest.mouseClick(there(live.plot).view.viewport(), Qt.MouseButton.LeftButton, NONE, at)
    assert picked.args == [("read", 7)]


def test_that_new_values_leave_what_one_looks_at_in_sight(live: ChartHolder) -> None:
    QTest.keyClick(there(live.plot), Qt.Key.Key_Plus)
    before = ranges(there(live.plot))
    live.legend.buttons()[0].click()
    live.show_chart(curves(50))
    assert ranges(there(live.plot)) == before
    assert [drawn.series.name for drawn in there(live.plot).drawn.series] == ["write"]
    live.show_chart(replace(curves(50), stem="another"))
    assert ranges(there(live.plot))[0] == [0, 100]


# The chart of layouts in the window: read, told, saved, copied, in the colours of the window.


@pytest.fixture(scope="module")
def ranking() -> Recommendation:
    disks = example("thesis").usable()[:12]
    return recommend(Request(disks=disks, workload=Workload(goal=Goal.SAFETY)), judge_maker(RuleBook()))


@pytest.fixture
def plot(frame: QMainWindow, ranking: Recommendation) -> ChartPlot:
    made = ChartPlot(frame.setWindowTitle, frame)  # where a complaint can be read
    frame.setCentralWidget(made)
    made.show_chart(front_chart(ranking.candidates, ranking.best, Against.SURVIVED))
    made.select(ranking.candidates[3])
    return made


def test_that_capacity_begins_at_zero_and_the_chart_is_copied_as_a_table_and_a_picture(
    plot: ChartPlot, ranking: Recommendation
) -> None:
    (low, high) = plot.view.box.viewRange()[1]
    assert low == 0
    assert high > max(c.measures.usable_bytes for c in ranking.candidates) / 2**40
    lines = [line for line in there(plot.chart).csv().splitlines() if line.startswith("Layouts,")]
    assert len(lines) == len(ranking.candidates)
    next(a for a in plot.menu.actions() if a.text() == "Copy").trigger()
    assert not QGuiApplication.clipboard().image().isNull()


def test_that_pointing_at_a_dot_tells_its_layout_with_its_source(
    plot: ChartPlot, ranking: Recommendation, qtbot: QtBot
) -> None:
    dot = position_of(plot.drawn, ranking.best)
    for at, words in ((dot, layout_words(ranking.best)), (plot.view.box.mapViewToScene(QPointF(0, 0)), "")):
        with qtbot.waitSignal(plot.hovered) as told:
            plot.view.scene().sigMouseMoved.emit(at)
        assert told.args == [words]
    told = layout_words(ranking.best)
    assert "arithmetic of OpenZFS" in told
    assert "survives any 2 failures" in told
    for survived, words in ((1, "survives any 1 failure,"), (0, "survives no failure,")):
        assert words in layout_words(next(c for c in ranking.candidates if c.measures.failures_survived == survived))


def test_that_the_plot_follows_the_colours_of_the_window(plot: ChartPlot) -> None:
    light = plot.view.backgroundBrush().color().name()
    theme().choose(Scheme.DARK)
    assert plot.view.backgroundBrush().color().name() == theme().colours.base != light


@pytest.mark.slow
def test_that_the_png_is_twice_as_fine_as_the_screen_and_a_folder_that_is_gone_says_so(
    plot: ChartPlot, tmp_path: Path, frame: QMainWindow
) -> None:
    path = tmp_path / "plot.png"
    assert plot.chart is not None
    plot.menu.save(str(path))
    assert QImage(str(path)).width() == plot.view.viewport().width() * 2
    plot.menu.save(str(tmp_path / "gone" / "plot.png"))
    assert "cannot be written" in frame.windowTitle()


@pytest.mark.slow
def test_that_capacity_is_plotted_against_what_is_predicted(plot: ChartPlot, ranking: Recommendation) -> None:
    chart = front_chart(ranking.candidates, ranking.best, Against.RISK)
    assert [1 / mark.x for mark in chart.series[0].marks] == pytest.approx(
        [candidate.measures.any_loss for candidate in ranking.candidates]  # what tables and cards tell
    )
    plot.show_chart(front_chart(ranking.candidates, ranking.best, Against.WRITE))
    assert plot.accessibleName() == "Usable capacity against sequential write"
    best = max(ranking.candidates, key=lambda c: c.measures.forecast.speed.seq_write)
    others = [position_of(plot.drawn, c).x() for c in ranking.candidates]
    assert position_of(plot.drawn, best).x() == max(others)
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
