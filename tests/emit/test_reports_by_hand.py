"""Reports and charts of designs made by hand: every piece stands where a person saw that it belongs."""

from dataclasses import replace

import pytest
from tests.design.side_by_side import TODAY, safety
from tests.emit.by_hand import GOLDEN, column, columns, euros, finding, golden_reports, guess, subject

from poolwright.design.compare import LINES, Section, compare, verdict
from poolwright.design.comparison_columns import Cell, ComparedDesign, zfs_column
from poolwright.design.evaluate import evaluate
from poolwright.domain.disk import Media
from poolwright.domain.finding import Outcome, Severity
from poolwright.domain.money import money
from poolwright.domain.units import MB, TIB
from poolwright.domain.workload import Allowance, Budget
from poolwright.emit.comparison_charts import LETTERS, cell_band, cell_text
from poolwright.emit.report import (
    Block,
    Bullets,
    ReportHeading,
    ReportTable,
    TextTone,
    Words,
    answer_report,
    markdown_text,
    markdown_words,
)
from poolwright.emit.report_comparison import comparison_report, price_blocks, section_blocks
from poolwright.emit.report_design import DesignSubject, design_report, findings_blocks
from poolwright.predict.cost import DiskGroupCost, pool_cost
from poolwright.predict.drives import typed_rate
from poolwright.predict.number_words import Unit
from poolwright.table_library import load_drive_book


def test_that_reports_are_as_they_were_read() -> None:
    told = golden_reports()
    assert {path.name for path in GOLDEN.iterdir()} == set(told)
    for name, text in told.items():
        assert text == (GOLDEN / name).read_text(encoding="utf-8"), name


def section(blocks: tuple[Block, ...], title: str) -> list[Block]:
    """Return the blocks below a heading of level 2, up to the next."""
    at = next(n for n, b in enumerate(blocks) if isinstance(b, ReportHeading) and b.text == title)
    after = blocks[at + 1 :]
    ends = (n for n, b in enumerate(after) if isinstance(b, ReportHeading) and b.level == 2)
    return list(after[: next(ends, len(after))])


@pytest.fixture(scope="module")
def made() -> DesignSubject:
    return subject()


def test_that_the_short_part_tells_the_figures_of_the_assessment(made: DesignSubject) -> None:
    column = zfs_column(made.evaluation)
    (table,) = section(design_report(made).blocks, "In short")
    assert isinstance(table, ReportTable)
    assert [row[0].text for row in table.rows] == [
        "Usable", "Plan for 80 %", "Failures survived", "Loss a year", "… by disks alone", "Sequential read",
        "Sequential write", "Resilver", "Price of the disks",
    ]  # fmt: skip
    for title, value, band in table.rows:
        line = next(line for line in LINES if line.title == title.text)
        cell = column.cell(line.name)
        assert (value.text, value.strong) == (cell_text(cell, line.unit), True)
        assert (band.text, title.small) == (cell_band(cell, line.unit), cell.note)


def test_that_what_to_expect_tells_band_limit_and_reason_of_each_figure(made: DesignSubject) -> None:
    column = zfs_column(made.evaluation)
    blocks = section(design_report(made).blocks, "What to expect")
    lines = {line.title: line for line in LINES}
    tables = [block for block in blocks if isinstance(block, ReportTable)]
    assert [block.text for block in blocks if isinstance(block, ReportHeading)] == [
        "Safety", "Speed", "Cost",
    ]  # fmt: skip
    assert [block.level for block in blocks if isinstance(block, ReportHeading)] == [3] * 3
    told = [row[0].text for table in tables for row in table.rows]
    cells = [(line, column.cell(line.name)) for line in LINES]
    known = [line for line, cell in cells if cell.value is not None]
    sections = (Section.SAFETY, Section.SPEED, Section.COST)
    assert told == [line.title for section in sections for line in known if line.section is section]
    for table in tables:
        assert (table.header, set(table.right)) == (("", "Typical", "Band", "Limited by"), {1})
        for title, value, band, limit in table.rows:
            line = lines[title.text]
            cell = column.cell(line.name)
            assert (value.text, title.small, band.text) == (
                cell_text(cell, line.unit),
                cell.note,
                cell_band(cell, line.unit),
            )
            assert value.strong
            assert limit.text == ("" if cell.estimate is None else cell.estimate.limit)
    limits = [row[3].text for table in tables for row in table.rows if row[3].text]
    assert len(set(limits)) > 1
    (origins,) = section(design_report(made).blocks, "Where the figures come from")
    assert isinstance(origins, Bullets)
    seq_read = column.cell("seq_read").estimate
    assert seq_read is not None
    assert any("Sequential read" in item.text and item.small == str(seq_read.origin) for item in origins.items)


def test_that_every_wish_is_told_with_its_value(made: DesignSubject) -> None:
    wishes = Budget(
        least_usable_bytes=3 * TIB, survive=1, spares=2, bays=24, money=money(900, "EUR"), most_yearly_loss=1e-6,
        most_rebuild_hours=12, least_read_bytes_per_second=2 * 10**9, least_write_bytes_per_second=500 * 10**6,
        allow=(Allowance.WIDE,),
    )  # fmt: skip
    asked = (
        "at least 3.00 TiB usable, survives 1 failure, 2 spares, 24 bays, at most 900.00 EUR, pool loss at most "
        "1 in 1 million per year, a rebuild of at most 12 h, sequential read of at least 2.00 GB/s, sequential "
        "write of at least 500 MB/s, allowed: "
    )
    evaluation = made.evaluation

    def why(budget: Budget) -> list[Block]:
        other = replace(evaluation, design=replace(evaluation.design, budget=budget, ranking=None))
        return section(design_report(DesignSubject(evaluation=other)).blocks, "Why this design")

    (first,) = why(wishes)
    assert isinstance(first, Words)
    assert first.text.startswith(f"The goal is safety; asked for: {asked}")


def test_that_vdevs_are_numbered_as_zpool_status_does_and_disks_without_a_place_are_told() -> None:
    found = evaluate(safety(), drives=load_drive_book(), today=TODAY)
    tables = [
        b for b in section(design_report(DesignSubject(evaluation=found)).blocks, "Disks") if isinstance(b, ReportTable)
    ]
    places = [row[0].text for row in tables[0].rows]
    assert places == [*(f"tank: raidz2-{n}" for n in range(5)), "tank: spare disk", "not used", "not used"]


@pytest.mark.parametrize(
    ("shelves", "counts", "said"),
    [
        ("11223", "2 2 1", "The pool survives the loss of any one shelf."),
        ("11123", "3 1 1", "Shelves whose loss takes a pool: 1."),
        ("1122 ", "2 2 1", None),
        ("11111", None, None),
    ],
)
def test_that_it_is_told_how_the_disks_of_a_vdev_lie_in_the_shelves(
    made: DesignSubject, shelves: str, counts: str | None, said: str | None
) -> None:
    design = made.evaluation.design
    keys = design.vdevs[0].keys
    vdev = replace(design.vdevs[0], parity=2)
    disks = tuple(replace(design.disk(k), enclosure=s.strip() or None) for k, s in zip(keys, shelves, strict=True))
    evaluation = replace(made.evaluation, design=replace(design, disks=disks, vdevs=(vdev,), further_pools=()))
    found = section(design_report(DesignSubject(evaluation=evaluation)).blocks, "Disks")
    placed = [b for b in found if isinstance(b, ReportTable) and b.header[1].startswith("Shelf")]
    assert [" ".join(cell.text for cell in b.rows[0][1:]) for b in placed] == ([counts] if counts else [])
    assert not placed or (found[-1] is placed[0]) == (said is None)
    assert said is None or (isinstance(found[-1], Words) and found[-1].text == said)


def test_that_what_cannot_be_made_or_computed_is_told_in_its_place(made: DesignSubject) -> None:
    evaluation = made.evaluation
    unknown = replace(evaluation.main, capacity=None, problem="Nobody knows.")
    bad = replace(evaluation.design, pool_name="mirror")
    told = design_report(DesignSubject(evaluation=replace(evaluation, pools=(unknown,), design=bad)))
    (space,) = section(told.blocks, "Space")
    assert isinstance(space, Words)
    assert (space.text, space.tone) == ("Unknown. Nobody knows.", TextTone.WARN)
    (commands,) = section(told.blocks, "Commands")
    assert isinstance(commands, Words)
    assert commands.text.startswith("None: ")
    assert commands.tone is TextTone.WARN
    assert "Set up on the machine" not in markdown_text(told)
    assert told.foot == "Poolwright"


def test_that_what_is_there_already_costs_nothing_and_an_unknown_price_leaves_no_sum() -> None:
    there = DiskGroupCost(count=2, media=Media.HDD, drive=typed_rate(1), model="BROOK 8", at_hand=True)
    unknown = DiskGroupCost(count=3, media=Media.SSD, drive=typed_rate(1))
    blocks = price_blocks(pool_cost((there, unknown), usable_bytes=10**13))
    rows = [[words.text for words in row] for block in blocks if isinstance(block, ReportTable) for row in block.rows]
    assert [row[:4] for row in rows] == [
        ["2", "BROOK 8 (unknown)", "already here", "nothing"],
        ["3", "model unknown (unknown)", "unknown", "unknown"],
    ]


def test_that_a_design_without_prices_steps_and_settings_has_no_such_parts(made: DesignSubject) -> None:
    evaluation = made.evaluation
    bare = replace(
        evaluation.design, growth=(), inventory_origin=None, pool_settings=(), datasets=(),
        further_pools=tuple(replace(pool, datasets=()) for pool in evaluation.design.further_pools),
    )  # fmt: skip
    told = design_report(DesignSubject(evaluation=replace(evaluation, design=bare, cost=None)))
    titles = [block.text for block in told.blocks if isinstance(block, ReportHeading)]
    assert {"Prices", "Planned growth", "Set up on the machine"}.isdisjoint(titles)
    assert [type(block) for block in section(told.blocks, "Properties")] == [Words]
    assert [type(block) for block in section(told.blocks, "Disks")] == [ReportTable]


def test_that_what_speaks_for_a_design_is_counted_and_a_column_has_its_problems() -> None:
    heading, good, agree = findings_blocks((finding(1, Severity.NOTE, outcome=Outcome.HOLDS),))
    assert isinstance(heading, ReportHeading)
    assert isinstance(good, Words)
    assert (good.text, good.tone) == ("No findings.", TextTone.OK)
    assert isinstance(agree, Words)
    assert (agree.text, agree.tone) == ("1 check passed.", TextTone.MUTED)
    (_, silent) = findings_blocks(None)
    assert isinstance(silent, Words)
    assert (silent.text, silent.tone) == ("The rules were not checked.", TextTone.MUTED)


def test_that_a_comparison_names_whom_the_rules_find_what_others_do_not_have(made: DesignSubject) -> None:
    both, lone, good = finding(1, Severity.NOTE), finding(2, Severity.WARN), finding(3, Severity.NOTE)
    of_first = (both, lone, replace(lone, subject="pool other"), replace(good, outcome=Outcome.HOLDS))
    one, other, none = (
        zfs_column(replace(made.evaluation, pools=(replace(made.evaluation.main, findings=findings),)))
        for findings in (of_first, (both,), None)
    )

    def told(*columns: ComparedDesign) -> list[tuple[Words, ...]]:
        apart = [replace(column, key=str(number)) for number, column in enumerate(columns)]
        blocks = section_blocks(compare(apart), LETTERS[: len(apart)], [Section.RULES])
        return [block.items for block in blocks if isinstance(block, Bullets)]

    assert told(one, other) == [(Words("A: Title 2", small="Warning"),)]
    assert told(one, other, none) == [(Words("A: Title 2", small="Warning"), Words("A, B: Title 1", small="Note"))]
    assert told(other, other) == []


def test_that_a_report_on_a_comparison_lies_across_from_four_columns_on() -> None:
    three, more = columns(), tuple(column(str(n), {}, ()) for n in range(3))
    assert not comparison_report(compare(three), title="", made="").wide
    assert comparison_report(compare((*three, more[0])), title="", made="").wide


@pytest.mark.parametrize(
    ("second", "words"),
    [
        ({"usable": 115, "rebuild": 10, "survived": 2}, "B holds 15 % more and resilvers 4 times as fast."),
        ({"usable": 101, "survived": 3}, "B survives 3 failures."),
        ({"usable": 200, "survived": 1}, "B holds 2 times as much; A survives 2 failures."),
        ({"loss": 0.2, "purchase": 50}, "B is 2.5 times less likely to be lost and costs 50 % less."),
        ({"usable": 101, "rebuild": 36}, "They differ in nothing that decides."),
    ],
)
def test_that_a_comparison_says_in_a_sentence_what_each_is_ahead_in(second: dict[str, float], words: str) -> None:
    first = {"usable": 100.0, "rebuild": 40.0, "survived": 2.0, "loss": 0.5, "purchase": 100.0}
    cells = [{name: Cell(number=value) for name, value in figures.items()} for figures in (first, first | second)]
    assert verdict(compare([column(key, found, ()) for key, found in zip("ab", cells, strict=True)]), "AB") == words


@pytest.mark.parametrize(
    ("cell", "unit", "text", "band"),
    [
        (Cell(text="raidz2"), Unit.TEXT, "raidz2", ""),
        (Cell(), Unit.TEXT, "—", ""),
        (Cell(), Unit.BYTES, "unknown", ""),
        (Cell(number=TIB), Unit.BYTES, "1.00 TiB (1.10 TB)", ""),
        (euros(12), Unit.MONEY, "12.00 EUR", ""),
        (replace(guess(9, 10, 11), currency="EUR"), Unit.MONEY, "10.00 EUR", "9.00 to 11.00"),
        (guess(9, 10, 11), Unit.MONEY, "10.00", "9.00 to 11.00"),
        (guess(10, 50, 99), Unit.OPERATIONS, "50 IOPS", "10 to 99"),
        (guess(10, 50, 100), Unit.OPERATIONS, "10–100 IOPS", ""),
        (guess(1 * MB, 2 * MB, 25 * MB), Unit.RATE, "1.00 MB/s–25.0 MB/s", ""),
        (guess(1, 2, 25), Unit.HOURS, "2 h", "1 h to 25 h"),
        (guess(2, 2, 2), Unit.HOURS, "2 h", ""),
    ],
)
def test_that_a_cell_is_told_with_its_band(cell: Cell, unit: Unit, text: str, band: str) -> None:
    assert (cell_text(cell, unit), cell_band(cell, unit)) == (text, band)


def test_that_a_fence_is_longer_than_any_in_what_it_holds(made: DesignSubject) -> None:
    advice = replace(made.advice[0], command="echo ```` `", reason="")
    text = markdown_text(design_report(DesignSubject(evaluation=made.evaluation, advice=(advice,))))
    assert "\n`````sh\necho ```` `\n`````\n" in text
    assert f"\n**{markdown_words(advice.title)}** (Said.)\n" in text


def test_that_the_short_part_says_that_disks_are_planned_before_what_openzfs_would_refuse(made: DesignSubject) -> None:
    found = made.evaluation
    design = replace(found.design, disks=tuple(replace(disk, planned=True) for disk in found.design.disks))
    pools = tuple(replace(pool, problem="It is too narrow.") for pool in found.pools[:1])
    told = replace(made, evaluation=replace(found, design=design, pools=pools))
    notes = [block for block in section(design_report(told).blocks, "In short") if isinstance(block, Words)]
    assert [note.tone for note in notes] == [TextTone.NOTE, TextTone.BLOCK]
    assert notes[0].text.startswith("This is a plan: ")
    assert notes[1].text.endswith("It is too narrow.")


def test_that_one_wide_table_lays_a_report_across() -> None:
    tables = [ReportTable(header=("x",) * columns, rows=()) for columns in (2, 9)]
    assert not answer_report(tables[:1], asked="", made="").wide
    assert answer_report(tables, asked="", made="").wide
