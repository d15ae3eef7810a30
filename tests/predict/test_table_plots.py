"""The plots that tables declare, and what is drawn from them."""

from pathlib import Path

import pytest

from poolwright.predict.tables import MOST_SERIES, UNITS, PlotKind, Subject, TableDrawing, Tables, draw, load_tables
from poolwright.table_library import load_shipped_tables

TOML = Path(__file__).with_name("plotted.toml").read_text(encoding="utf-8")
PLOT = """
[[plot]]
title   = "Rate"
kind    = "line"
x       = "vdevs"
y       = "value"
x_title = "Vdevs"
y_title = "Rate"
"""
HEADER = "vdevs,access,value,unit,precision,printed,document,place,line,read_from\n"
ROWS = (
    "8,read,80,MiB/s,exact,80,thesis,chapter 1,7,text\n"
    "1,read,10,MiB/s,about,10,thesis,chapter 1,7,text\n"
    "8,write,2,h,exact,2,thesis,chapter 1,8,text\n"
    ",read,0.5,GiB/s,exact,0.5,thesis,chapter 1,9,text\n"
)
READS = 'where = { access = "read" }\nunit = "MiB/s"\n'


def _load(plot: str) -> Tables:
    return load_tables({"rates.csv": HEADER + ROWS, "rates.toml": TOML + plot})


def _drawn(plot: str) -> TableDrawing:
    table = _load(plot).named("rates")
    return draw(table, table.plots[0])


def test_that_marks_stand_in_the_order_of_x_with_their_rows() -> None:
    drawing = _drawn(PLOT + READS)
    assert [(mark.x, mark.y) for mark in drawing.marks] == [(1, 10), (8, 80)]
    assert [mark.row.text("vdevs") for mark in drawing.marks] == ["1", "8"]
    assert drawing.y_unit == "MiB/s"


def test_that_figures_are_converted_to_the_unit_of_the_plot() -> None:
    drawing = _drawn(PLOT.replace("line", "bar") + READS.replace("MiB/s", "GiB/s"))
    assert [mark.y for mark in drawing.marks] == [80 / 1024, 10 / 1024, 0.5]


def test_that_a_limit_is_read_from_its_row() -> None:
    limit = '[[plot.limit]]\nname = "most"\naxis = "y"\ncolumn = "value"\nwhere = { unit = "GiB/s" }\n'
    (level,) = _drawn(PLOT + READS + limit).levels
    assert (level.name, level.value) == ("most", 512)
    assert level.row is not None


def test_that_every_shipped_plot_can_be_drawn_as_it_is_declared() -> None:
    for table in load_shipped_tables():
        for plot in table.plots:
            drawing, where = draw(table, plot), f"{table.name}: {plot.title}"
            assert 1 <= len(drawing.series) <= MOST_SERIES, where
            units = {mark.row.unit(mark.column) for mark in drawing.marks}
            assert len({UNITS[unit][0] for unit in (*units, drawing.y_unit)}) == 1, where
            assert plot.unit or len(units) == 1, where
            for series in drawing.series:
                at = [mark.x for mark in series.marks]
                assert plot.kind is PlotKind.SCATTER or len(set(at)) == len(at), where


def test_that_whiskers_are_the_exact_interval_of_the_counts() -> None:
    table = load_shipped_tables().named("drive_afr")
    drawing = draw(table, table.plots[0])
    mark = next(mark for mark in drawing.marks if mark.row.cell("failures") == 10)
    years = (mark.row.number_of("drive_days") or 0) / 365.25
    # Garwood's interval of ten events is 4.795 to 18.390.
    assert (mark.low or 0) * years / 100 == pytest.approx(4.795, abs=0.001)
    assert (mark.high or 0) * years / 100 == pytest.approx(18.390, abs=0.001)


def test_that_every_mark_of_the_shipped_plots_is_a_figure_of_its_row() -> None:
    for table in load_shipped_tables():
        for plot in table.plots:
            drawing = draw(table, plot)
            for mark in drawing.marks:
                divisor = mark.row.number_of(plot.per) if plot.per else 1
                figure = mark.row.base(mark.column)
                assert figure is not None
                assert divisor
                assert mark.y * UNITS[drawing.y_unit][1] == pytest.approx(figure / divisor)


@pytest.mark.parametrize(
    ("name", "titles"),
    [
        ("pool_throughput", ("number of vdevs", "per vdev", "width of raidz2")),
        ("concurrency", ("number of jobs",)),
        ("fill_level", ("Filled by random", "Filled by sequential")),
        ("l2arc", ("passes",)),
        ("slog_sync", ("Synchronous writes",)),
        ("ashift_effect", ("raidz, writing", "Single disks")),
        ("checksum_cost", ("CPU load", "sha256")),
        ("compression", ("do not compress",)),
        ("recordsize", ("recordsizes",)),
        ("raidz_levels", ("raidz1 against raidz2",)),
        ("rebuild", ("Time of a rebuild",)),
    ],
)
def test_that_the_plots_of_the_documents_are_declared(name: str, titles: tuple[str, ...]) -> None:
    declared = [plot.title for plot in load_shipped_tables().named(name).plots]
    assert all(any(title in each for each in declared) for title in titles)


def test_that_every_shipped_table_has_a_subject_and_a_short_name_of_its_own() -> None:
    tables = load_shipped_tables()
    assert all(table.subject is not Subject.OTHER for table in tables)
    assert len({table.short for table in tables}) == len(tables.names)
    assert max(len(table.short) for table in tables) <= 24
