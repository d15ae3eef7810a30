"""The loader of the measured tables: what it gives, and what it refuses."""

from pathlib import Path

import pytest

from poolwright.domain.errors import UserError
from poolwright.domain.estimate import OriginKind
from poolwright.predict.tables import (
    UNIT_PER_ROW,
    UNITS,
    ColumnKind,
    ColumnType,
    Document,
    Precision,
    ReadFrom,
    Tables,
    load_tables,
    parse_shape,
)
from poolwright.rules.texts import RuleErrors

TOML = Path(__file__).with_name("rates.toml").read_text(encoding="utf-8")
HEADER = "spec,read,took,unit,precision,printed,document,place,line,read_from\n"
GOOD = "4*raidz2:8,1.5,2,h,about,1.5|2,thesis,chapter 1,7,text\n"


def _load(row: str = GOOD, toml: str = TOML) -> Tables:
    return load_tables({"rates.csv": HEADER + row, "rates.toml": toml})


def _problems(row: str = GOOD, toml: str = TOML) -> list[str]:
    with pytest.raises(RuleErrors) as caught:
        _load(row, toml)
    return [str(problem) for problem in caught.value.problems]


def test_that_a_row_gives_its_numbers_with_their_units_in_base_units_too() -> None:
    row = _load().named("rates").rows[0]
    assert (row.number_of("read"), row.unit("read"), row.base("read")) == (1.5, "MiB/s", 1.5 * 1048576)
    assert (row.number_of("took"), row.unit("took"), row.base("took")) == (2, "h", 7200)


def test_that_a_row_knows_where_it_was_read_and_under_which_conditions() -> None:
    row = _load().named("rates").rows[0]
    assert (row.provenance.document, row.provenance.place, row.provenance.line) == ("thesis", "chapter 1", 7)
    assert (row.provenance.read_from, row.provenance.precision) == (ReadFrom.TEXT, Precision.ABOUT)
    assert row.provenance.printed == ("1.5", "2")
    assert [(held.name, held.value) for held in row.conditions] == [("ashift", "12"), ("fill", "empty")]
    assert row.origin.kind is OriginKind.MEASURED
    assert row.origin.source == "rates.csv: Then 2016, ZFS unter Linux, chapter 1"


def test_that_rows_are_found_by_their_cells() -> None:
    table = _load(GOOD + "stripe:1,3,,,exact,3,thesis,chapter 1,8,text\n").named("rates")
    assert table.one(spec="stripe:1").number_of("read") == 3
    assert len(table.where(document="thesis")) == 2
    with pytest.raises(UserError, match="2 rows of rates match"):
        table.one(document="thesis")


def test_that_asking_for_what_is_not_there_names_it() -> None:
    tables = _load()
    with pytest.raises(UserError, match="“rate” does not exist"):
        tables.named("rate")
    with pytest.raises(UserError, match="no column “write”"):
        tables.named("rates").rows[0].cell("write")
    with pytest.raises(UserError, match="spec holds texts"):
        tables.named("rates").rows[0].number_of("spec")


@pytest.mark.parametrize(
    ("text", "disks", "data"),
    [
        ("stripe:20", 20, 20),
        ("20*mirror:2", 40, 20),
        ("raidz1:21", 21, 20),
        ("4*raidz2:8", 32, 24),
        ("raidz3:23", 23, 20),
        ("raid6:8", 8, 6),
    ],
)
def test_that_a_layout_of_a_table_knows_its_disks(text: str, disks: int, data: int) -> None:
    shape = parse_shape(text)
    assert (shape.disks, shape.data_disks) == (disks, data)


@pytest.mark.parametrize(
    ("row", "toml", "problem"),
    [
        (GOOD.replace("thesis", "hearsay"), TOML, "rates.csv:2: 'hearsay'"),
        (GOOD.replace("about", "roughly"), TOML, "'roughly' is not a valid Precision"),
        (GOOD.replace("text\n", "memory\n"), TOML, "'memory' is not a valid ReadFrom"),
        (GOOD.replace(",1.5,", ",fast,"), TOML, "fast"),
        (GOOD.replace(",2,h", ",2.5,h"), TOML, "2.5"),
        (GOOD.replace(",chapter 1", ""), TOML, "zip()"),
        (GOOD, TOML.replace('title       = "Rates"\n', ""), "'title'"),
        (GOOD, TOML.replace('type = "number"', 'type = "float"'), "'float' is not a valid ColumnType"),
        (GOOD, TOML.replace('means = "read rate"', 'mean = "read rate"'), "'mean'"),
        (GOOD, TOML.replace("place     =", "where     ="), "not those described"),
        (GOOD, TOML.replace("[columns]", "colour = 1\n[columns]"), "TypeError"),
        (GOOD, TOML.replace("[columns]", "[columns"), "TOMLDecodeError"),
    ],
)
def test_that_a_table_that_is_not_as_described_is_refused(row: str, toml: str, problem: str) -> None:
    (found,) = _problems(row, toml)
    assert found.startswith("rates.toml:1: ")
    assert problem in found


def test_that_a_named_source_beside_the_five_documents_is_taken() -> None:
    toml = TOML + '\n[external.handbook]\ntitle = "Our handbook"\nversion = "3"\n'
    row = _load(GOOD.replace("thesis", "handbook"), toml).named("rates").rows[0]
    assert row.provenance.title == "Our handbook, 3"


def test_that_what_is_wrong_in_any_table_is_told_at_once() -> None:
    bad = HEADER + GOOD.replace(",1.5,", ",fast,")
    with pytest.raises(RuleErrors, match="3 errors in the rules"):
        load_tables({"a.csv": bad, "a.toml": TOML, "b.csv": bad, "b.toml": TOML, "c.csv": HEADER})


def test_that_every_shipped_table_loads_and_has_a_title_of_its_own(tables: Tables) -> None:
    titles = [table.title for table in tables]
    assert len(titles) >= 35
    assert len(set(titles)) == len(titles)


def test_that_every_shipped_row_can_be_traced_and_read(tables: Tables) -> None:
    for table in tables:
        assert all(column.unit in (*UNITS, UNIT_PER_ROW) for column in table.columns), table.name
        needed = {column.name for column in table.columns if not column.optional}
        assert needed >= {"document", "place", "read_from"}
        for row in table.rows:
            where = row.provenance
            cells = dict(zip([column.name for column in table.columns], row.cells, strict=True))
            assert row.conditions
            assert [name for name in needed if cells[name] is None] == []
            shown = [part for part in where.printed if part.strip("+")]  # what bonnie++ could not measure
            figures = [c for c in table.columns if c.kind is ColumnKind.FIGURE and cells[c.name] is not None]
            assert all(row.unit(column.name) in UNITS for column in figures)
            assert not shown or len(shown) == len(figures), (table.name, row.number)
            if where.document in set(Document):
                assert where.line is not None
                assert shown or "+" in "".join(where.printed)
            for column in table.columns:
                if column.type is ColumnType.LAYOUT and cells[column.name] is not None:
                    assert row.shape(column.name).disks
