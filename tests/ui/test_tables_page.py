"""The page of the tables: found by subject and by words, read, sorted, copied, drawn."""

import csv
import io
import xml.etree.ElementTree as ET
from itertools import combinations, pairwise
from pathlib import Path

import pyqtgraph as pg
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit, QPushButton, QTableView, QTextBrowser
from pytestqt.qtbot import QtBot
from tests.ui.controls import named, part_of, position_of, say_where, there, visit
from tests.ui.test_theme import contrast

from poolwright.emit.chart import ChartMark, ends, kept_apart, log_axis, range_with_labels, ticks_between
from poolwright.emit.drawing import MARKERS, SERIES
from poolwright.emit.palette import DARK, LIGHT, Colours
from poolwright.emit.table_chart import SUBJECT_WORDS
from poolwright.predict.tables import MOST_SERIES, Row
from poolwright.process.worker import Reporter
from poolwright.ui.knowledge.page import ReferencePage
from poolwright.ui.knowledge.tables import TablesPane
from poolwright.ui.plots.chart_plot import ChartPlot
from poolwright.ui.shell.main_window import MainWindow


@pytest.fixture
def page(window: MainWindow, qtbot: QtBot) -> TablesPane:
    made = part_of(window, TablesPane, "tables", ReferencePage)
    qtbot.waitUntil(lambda: made.table is not None and not made.session.jobs.jobs, timeout=10_000)
    return made


_LEAST = 20  # pixels; before it is laid out a plot has none


def drawn(page: TablesPane, qtbot: QtBot, name: str) -> ChartPlot:
    """Show a table and wait until its plot is drawn at the size it has got."""
    page.take(name)
    page.panes.bring_to_front(page.plots)

    def settled() -> bool:
        plot = page.plots.plot
        return plot is not None and plot.view.box.sceneBoundingRect().height() > _LEAST and not plot._timer.isActive()

    qtbot.waitUntil(settled, timeout=20_000)
    return there(page.plots.plot)


def marks_of(plot: ChartPlot) -> list[ChartMark]:
    return [mark for series in there(plot.chart).series for mark in series.marks]


def column(view: QTableView, heading: str) -> list[str]:
    model, number = view.model(), header_number(view, heading)
    return [str(model.index(row, number).data()) for row in range(model.rowCount())]


def header_number(view: QTableView, heading: str) -> int:
    model = view.model()
    headings = [str(model.headerData(n, Qt.Orientation.Horizontal)) for n in range(model.columnCount())]
    return headings.index(heading)


def sort_by(view: QTableView, heading: str) -> None:
    header = view.horizontalHeader()
    number = header_number(view, heading)
    view.scrollTo(view.model().index(0, number))
    x = header.sectionViewportPosition(number) + 20
    QTest.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(x, header.height() // 2))


def test_that_tables_stand_by_their_subjects_and_are_chosen_by_keys(page: TablesPane) -> None:
    listed = [(SUBJECT_WORDS[table.subject], table.short) for table in page._listed.shown()]
    assert listed[0][0] == "Layouts"
    assert {("Layouts", "Pool throughput"), ("Caches and logs", "SLOG")} <= {*listed}
    before = page.table
    tree = named(page, QTableView, "Tables by subject")
    QTest.keyClick(tree, Qt.Key.Key_Down)
    assert page.table is not before
    assert named(page, QLabel, "Title of the table").text() == there(page.table).title


def test_that_a_search_finds_what_stands_in_the_rows(page: TablesPane, window: MainWindow) -> None:
    QTest.keyClicks(named(visit(window, ReferencePage), QLineEdit, "Search the reference"), "gzip lzjb")
    assert {table.name for table in page._listed.shown()} == {"compression", "feature_facts"}
    assert page.table in page._listed.shown()
    assert visit(window, ReferencePage).tabs.tabText(1) == "Tables (2)"


def test_that_the_table_names_source_method_conditions_and_places(page: TablesPane) -> None:
    page.take("raidz_levels")
    assert "MacZFS blog" in named(page, QLabel, "Source of the table").text()
    details = named(page, QTextBrowser, "How it was measured").toPlainText()
    for said in ("dd on whole disks", "table 5", "Read from a table", "HP Microserver", "The document has no table 4"):
        assert said in details


@pytest.mark.slow
def test_that_figures_stand_right_their_unit_in_the_heading_and_say_where_they_are_not_sharp(page: TablesPane) -> None:
    page.take("pool_throughput")
    view = named(page, QTableView, "Rows of the table")
    number = header_number(view, "Read\n(MB/s)")
    side = view.model().index(0, number).data(Qt.ItemDataRole.TextAlignmentRole)
    assert Qt.AlignmentFlag(side) & Qt.AlignmentFlag.AlignRight
    assert column(view, "Read\n(MB/s)")[:2] == ["160", "1,334"]
    page.take("recordsize")
    assert column(view, "Value")[:3] == ["≤ 20", "≤ 15", "≈ 100"]


def test_that_a_column_is_sorted_by_value_in_base_units(page: TablesPane) -> None:
    page.take("rebuild")
    page.panes.bring_to_front(page.rows)
    view = named(page, QTableView, "Rows of the table")
    sort_by(view, "Value")
    values = list(zip(column(view, "Value"), column(view, "Unit"), strict=True))
    times = [value for value in values if value[1] in ("s", "h")]
    assert times == [("2", "s"), ("18", "h"), ("18", "h"), ("30", "h")]
    sort_by(view, "Value")
    assert list(zip(column(view, "Value"), column(view, "Unit"), strict=True)) != values


@pytest.mark.slow
def test_that_the_filter_keeps_rows_and_csv_takes_them_with_their_sources(page: TablesPane) -> None:
    page.take("compression")
    page.panes.bring_to_front(page.rows)
    QTest.keyClicks(named(page, QLineEdit, "Filter the rows"), "gzip-9 300")
    assert named(page, QLabel, "Rows shown").text() == "1 of 17"
    QTest.mouseClick(named(page, QPushButton, "Copy as CSV"), Qt.MouseButton.LeftButton)
    (row,) = csv.DictReader(io.StringIO(QGuiApplication.clipboard().text()))
    assert (row["algorithm"], row["value"], row["unit"], row["place"]) == ("gzip-9", "300", "MiB/s", "chapter 5.3.1")


def test_that_columns_can_be_chosen_and_a_selected_row_tells_where_it_was_read(page: TablesPane) -> None:
    page.take("slog_sync")
    view = named(page, QTableView, "Rows of the table")
    number = header_number(view, "Line")
    assert view.isColumnHidden(number)
    menu = named(page, QPushButton, "Columns").menu()
    menu.aboutToShow.emit()
    next(action for action in menu.actions() if action.text() == "Line").trigger()
    assert not view.isColumnHidden(number)
    named(page, QTableView, "Rows of the table").selectRow(1)
    said = named(page, QLabel, "Source of the selected row").text()
    for part in ("chapter 5.6.2", "read from the text", "Line 847", "Printed as “332 MiB/s”", "limited by the SSD"):
        assert part in said


@pytest.mark.parametrize("name", ["pool_throughput", "slog_sync"])
def test_that_the_pointer_over_a_mark_tells_value_and_source(page: TablesPane, qtbot: QtBot, name: str) -> None:
    plot = drawn(page, qtbot, name)
    row = marks_of(plot)[1].of
    assert isinstance(row, Row)
    with qtbot.waitSignal(plot.hovered) as hovered:
        plot.view.scene().sigMouseMoved.emit(position_of(plot.drawn, row))
    assert row.provenance.place in there(hovered.args)[0]
    assert named(page, QLabel, "Value under the pointer").text() == there(hovered.args)[0]


@pytest.mark.slow
def test_that_the_pointer_over_a_limit_tells_its_source(page: TablesPane, qtbot: QtBot) -> None:
    plot = drawn(page, qtbot, "l2arc")
    at = plot.view.box.mapViewToScene(QPointF(1.5, 450))
    assert plot.text_at(at).startswith("approached over the passes: 450 MiB/s. Then 2016")
    assert plot.text_at(plot.view.box.mapViewToScene(QPointF(0.2, 50))) == ""


@pytest.mark.slow
def test_that_a_click_on_a_mark_selects_its_row(page: TablesPane, qtbot: QtBot) -> None:
    plot = drawn(page, qtbot, "pool_throughput")
    mark = marks_of(plot)[3]
    at = plot.view.mapFromScene(position_of(plot.drawn, mark.of))
    QTest.mouseClick(plot.view.viewport(), Qt.MouseButton.LeftButton, pos=at)
    view = named(page, QTableView, "Rows of the table")
    assert str(view.currentIndex().siblingAtColumn(header_number(view, "Vdevs")).data()) == f"{mark.x:g}"


def test_that_figures_known_from_pictures_only_are_said_to_be_unknown(page: TablesPane, qtbot: QtBot) -> None:
    drawn(page, qtbot, "concurrency")
    assert "are not known" in named(page, QLabel, "Value under the pointer").text()


@pytest.mark.slow
def test_that_a_table_without_a_plot_shows_its_rows(page: TablesPane, qtbot: QtBot) -> None:
    drawn(page, qtbot, "pool_throughput")
    page.take("feature_facts")
    assert page.panes.shows(page.rows)
    assert not page.plots.isVisible()
    page.take("slog_sync")
    assert page.panes.shows(page.plots)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["SVG", "PNG", "CSV"])
def test_that_a_plot_is_saved_where_the_user_says(page: TablesPane, qtbot: QtBot, tmp_path: Path, kind: str) -> None:
    plot = drawn(page, qtbot, "pool_throughput")
    next(a for a in plot.menu.actions() if a.text() == f"Save as {kind}…").trigger()
    path = tmp_path / f"plot.{kind.lower()}"
    say_where(plot, path)
    match kind:
        case "SVG":
            assert ET.parse(path).getroot().tag.endswith("svg")
            assert "Rate of the pool (MB/s)" in path.read_text()
        case "PNG":
            assert path.read_bytes().startswith(b"\x89PNG")
        case _:
            rows = list(csv.reader(io.StringIO(path.read_text())))
            assert rows[0][:3] == ["series", "Vdevs of the stripe, one disk each", "Rate of the pool (MB/s)"]
            assert ["read", "8", "1334"] in [row[:3] for row in rows]


@pytest.mark.slow
def test_that_every_plot_keeps_its_marks_and_labels_in_sight(page: TablesPane, qtbot: QtBot) -> None:
    for table in page.tables or ():
        for number, declared in enumerate(table.plots):
            plot = drawn(page, qtbot, table.name)
            named(page, QComboBox, "Which plot").setCurrentIndex(number)
            assert plot.accessibleName() == declared.title
            ground = plot.view.box.sceneBoundingRect()
            for mark in marks_of(plot):
                at = position_of(plot.drawn, mark.of)
                assert ground.adjusted(-1, -1, 1, 1).contains(at), (table.name, declared.title)
            for label in [item.textItem for item in plot.view.item.items if isinstance(item, pg.TextItem)]:
                box = label.mapRectToScene(label.boundingRect())
                assert ground.left() - 2 <= box.left(), (table.name, declared.title, label.toPlainText())
                assert box.right() <= ground.right() + 2, (table.name, declared.title, label.toPlainText())


def test_that_tables_that_cannot_be_read_are_told(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nowhere(_report: Reporter) -> None:
        """Bear a name that the worker process does not know."""

    monkeypatch.setattr("poolwright.ui.knowledge.tables.measured_tables", nowhere)
    window.ask("reference", "tables")
    qtbot.waitUntil(window.message.isVisible, timeout=10_000)
    assert "KeyError" in window.message.text()


# What the plots of tables compute: room for labels, labels that keep apart, colours that can be told apart.


values = st.floats(-1e6, 1e6, allow_nan=False)


@given(st.lists(st.tuples(values, st.floats(0, 190)), min_size=1, max_size=12))
def test_that_zero_and_every_label_are_in_the_range(labels: list[tuple[float, float]]) -> None:
    numbers, widths = [value for value, _ in labels], [width for _, width in labels]
    low, high = range_with_labels(numbers, widths, 400, least=0, most=0)
    assert low <= 0 <= high
    pixel = (high - low) / 400
    one_sided = all(value >= 0 for value in numbers) or all(value <= 0 for value in numbers)
    for value, width in labels:
        assert low <= value <= high
        if one_sided and width <= 100:
            # Six rounds come within two hundredths of the width.
            assert (high - value if value >= 0 else value - low) >= width * pixel - 0.02 * (high - low)


@given(st.lists(values, max_size=8), st.floats(1, 1e4))
def test_that_labels_kept_apart_keep_their_order_and_distance(wanted: list[float], distance: float) -> None:
    placed = kept_apart(wanted, distance)
    order = sorted(range(len(wanted)), key=lambda number: wanted[number])
    for before, after in pairwise(order):
        assert placed[after] - placed[before] >= distance * (1 - 1e-6) - 1e-6


def test_that_labels_far_apart_stay_where_they_are() -> None:
    assert kept_apart([30.0, 10.0], 5) == [30.0, 10.0]


def test_that_decades_have_a_tick_at_each_power_of_ten() -> None:
    axis = log_axis("Rate", [0.3, 42])
    assert [text for _, text in ticks_between(axis, *ends(axis), 8)] == ["0.1", "1", "10", "100"]


def series_colours(colours: Colours) -> list[str]:
    return [getattr(colours, role) for role in SERIES]


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_that_series_stand_out_from_the_ground(colours: Colours) -> None:
    assert len(SERIES) == len(set(MARKERS)) == MOST_SERIES
    assert min(contrast(colour, colours.base) for colour in series_colours(colours)) >= 3


# Linear RGB as people without one kind of cone see it (Vienot, Brettel and Mollon 1999).
_PROTAN = ((0.11238, 0.88762, 0.0), (0.11238, 0.88762, 0.0), (0.00401, -0.00401, 1.0))
_DEUTAN = ((0.29275, 0.70725, 0.0), (0.29275, 0.70725, 0.0), (-0.02234, 0.02234, 1.0))
_ALL = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
_TO_XYZ = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
_WHITE = (0.9505, 1.0, 1.089)

Three = tuple[float, float, float]


def times(matrix: tuple[Three, Three, Three], vector: Three) -> Three:
    x, y, z = (sum(a * b for a, b in zip(line, vector, strict=True)) for line in matrix)
    return x, y, z


def lab(colour: str, seen: tuple[Three, Three, Three]) -> Three:
    """Return a colour in CIE L*a*b*, as it is seen with these cones."""
    of = QColor(colour)
    r, g, b = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (of.redF(), of.greenF(), of.blueF())
    )
    seen_as = times(_TO_XYZ, times(seen, (r, g, b)))
    x, y, z = (max(part, 0.0) / white for part, white in zip(seen_as, _WHITE, strict=True))
    fx, fy, fz = (part ** (1 / 3) if part > 0.008856 else 7.787 * part + 16 / 116 for part in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("seen", [_ALL, _PROTAN, _DEUTAN])
def test_that_series_differ_for_any_eye(colours: Colours, seen: tuple[Three, Three, Three]) -> None:
    for one, other in combinations(series_colours(colours), 2):
        distance = sum((a - b) ** 2 for a, b in zip(lab(one, seen), lab(other, seen), strict=True)) ** 0.5
        assert distance >= 20, (one, other, distance)
