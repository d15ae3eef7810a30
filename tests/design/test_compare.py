"""Side by side: which rows differ, which value is better and how sure that is."""

from dataclasses import replace

import pytest
from tests.design.side_by_side import TODAY, column, concurrent, keys, members, one_vdev, safety
from tests.texts.brackets import in_brackets

from poolwright.design.compare import ComparedRow, change_percent, compare
from poolwright.design.comparison_columns import Cell, ComparedDesign, ComparedKind, zfs_column
from poolwright.design.md_column import md_column, md_raid6_of
from poolwright.domain.design import FurtherPool, Vdev
from poolwright.domain.errors import Refusal, UserError
from poolwright.domain.estimate import Estimate, Origin, OriginKind
from poolwright.domain.finding import Finding, Outcome, Severity
from poolwright.domain.vdev import VdevKind
from poolwright.table_library import load_drive_book

ORIGIN = Origin(kind=OriginKind.PREDICTED, source="a test")


def made(key: str, **cells: Cell) -> ComparedDesign:
    return ComparedDesign(key=key, title=key, layout="", kind=ComparedKind.ZFS, cells=cells)


def guess(low: float, typical: float, high: float) -> Cell:
    return Cell(estimate=Estimate(low=low, typical=typical, high=high, limit="", origin=ORIGIN))


def count(number: float | None) -> Cell:
    return Cell(number=number, origin=ORIGIN)


def row_of(name: str, *cells: Cell) -> ComparedRow:
    return compare([made(str(number), **{name: cell}) for number, cell in enumerate(cells)]).row(name)


def test_that_the_thesis_trade_is_told_row_by_row() -> None:
    found = compare((column(safety()), column(concurrent())))
    better = {row.line.name: row.best for row in found.rows}
    assert better["survived"] == better["survives_two"] == better["loss"] == (0,)
    assert better["rand_read"] == (1,)
    # Records of 1M leave long pieces on the disks of the raidz: they are rebuilt as quickly as a mirror's of 128K.
    assert not found.row("rebuild").best
    assert better["usable"] == (0,)
    assert better["disks"] == ()  # both use all 44
    assert not found.row("disks").differs
    assert found.row("layout").differs


def test_that_space_and_counts_are_those_of_the_parts_they_come_from() -> None:
    one = column(safety())
    assert one.evaluation is not None
    capacity = one.evaluation.main.capacity
    assert capacity is not None
    assert one.cell("usable").value == capacity.available_bytes
    assert one.cell("plan").value == capacity.plan_bytes
    assert one.cell("size").value == capacity.pool_size_bytes
    assert one.cell("purchase").value == 44 * 250
    assert one.cell("per_tb").value == round(44 * 250 / (capacity.available_bytes / 1e12), 2)


def finding(rule: str, severity: Severity, outcome: Outcome, subject: str = "pool") -> Finding:
    return Finding(
        rule_id=rule,
        title=rule,
        severity=severity,
        basis="",
        subject=subject,
        outcome=outcome,
        text=f"{rule} {subject}",
    )


def test_that_findings_are_counted_by_severity_and_unknown_without_rules() -> None:
    unjudged = column(safety())
    assert unjudged.cell("warnings").value is None
    evaluation = unjudged.evaluation
    assert evaluation is not None
    found = (
        finding("a", Severity.WARN, Outcome.VIOLATED, "raidz2-0"),
        finding("a", Severity.WARN, Outcome.VIOLATED, "raidz2-1"),
        finding("b", Severity.BLOCK, Outcome.VIOLATED),
        finding("c", Severity.WARN, Outcome.HOLDS),
        finding("d", Severity.NOTE, Outcome.CANNOT_TELL),
    )
    judged = zfs_column(replace(evaluation, pools=(replace(evaluation.main, findings=found),)))
    counted = [judged.cell(name).value for name in ("blocks", "warnings", "notes", "cannot_tell")]
    assert counted == [1, 2, 0, 1]
    of_host = finding("e", Severity.NOTE, Outcome.VIOLATED, "host")
    twice = zfs_column(replace(evaluation, pools=(replace(evaluation.main, findings=(*found, of_host)),) * 2))
    assert twice.cell("warnings").value == 4  # of the vdevs of each pool
    assert twice.cell("notes").value == 1  # there is one host


def test_that_pools_on_the_same_disks_are_scrubbed_one_after_the_other_and_others_at_once() -> None:
    one = column(one_vdev())
    alone = one.cell("scrub").value
    assert one.evaluation is not None
    assert alone is not None
    same = zfs_column(replace(one.evaluation, pools=(one.evaluation.main,) * 2))
    assert same.cell("scrub").value == pytest.approx(2 * alone)
    second = FurtherPool(pool_name="second", vdevs=(replace(one_vdev().vdevs[0], members=members(keys()[8:16])),))
    assert column(replace(one_vdev(), further_pools=(second,))).cell("scrub").value == alone


def test_that_unknown_stays_unknown_and_wins_nothing() -> None:
    row = row_of("usable", count(None), count(5), count(4))
    assert row.cells[0].value is None
    assert row.best == (1,)
    assert row.differs
    assert row_of("usable", count(None), count(5)).best == ()


@pytest.mark.parametrize(
    ("rates", "best"),
    [
        ((100, 100.9), ()),
        ((580, 470, 390), ()),  # which of them is the best nobody can tell
        ((580, 560, 390), (0, 1)),
        ((580, 400, 390), (0,)),
    ],
)
def test_that_predictions_are_marked_where_they_can_be_told_from_the_others(
    rates: tuple[float, ...], best: tuple[int, ...]
) -> None:
    assert row_of("rand_read", *(guess(rate / 2, rate, 2 * rate) for rate in rates)).best == best
    untold = (guess(rate / 4, rate, 4 * rate) for rate in rates)  # a band stands in the place of the value
    assert row_of("rand_read", *untold).best == ()
    assert row_of("usable", count(1000), count(1001)).best == (1,)


def test_that_a_cause_that_takes_several_disks_tells_why_the_safer_by_disks_is_lost_more_often() -> None:
    vdevs = tuple(Vdev(kind=VdevKind.RAIDZ, parity=2, members=members(keys()[n : n + 8])) for n in (0, 8, 16))
    draid = Vdev(kind=VdevKind.DRAID, parity=2, draid_data=8, draid_spares=1, members=members(keys()[:24]))
    pair = [column(replace(one_vdev(), key=key, vdevs=made)) for key, made in (("a", vdevs), ("b", (draid,)))]
    rows = {row.line.name: [cell.value or 0 for cell in row.cells] for row in compare(pair).deciding()}
    assert [a < b for a, b in (rows["disk_loss"], rows["loss"], rows["common_loss"])] == [True, False, False]
    assert compare(pair).row("common_loss").cells[0].note.startswith("until noticed and resilvered, ")


@pytest.mark.parametrize(("other_high", "sure"), [(89, True), (95, False)])
def test_that_an_order_is_sure_only_where_the_bands_are_apart(other_high: float, sure: bool) -> None:
    row = row_of("seq_read", guess(90, 100, 110), guess(50, 60, other_high))
    assert row.best == (0,)
    assert row.sure is sure
    assert row.lead == pytest.approx(100 / 60)


def test_that_one_distributed_spare_is_rebuilt_onto_as_two_are() -> None:
    def full(spares: int) -> float:
        draid = Vdev(kind=VdevKind.DRAID, parity=2, draid_data=4, draid_spares=spares, members=members(keys()[:16]))
        found = column(replace(one_vdev(), vdevs=(draid,))).cell("rebuild_full").value
        assert found is not None
        return found

    assert full(1) < 0.5 * full(0)  # all disks write it, not one replacement
    assert full(1) == pytest.approx(full(2), rel=0.2)


def test_that_a_design_that_openzfs_refuses_is_compared_with_its_reason() -> None:
    design = one_vdev()
    unknown = tuple(replace(d, size_bytes=None) for d in design.disks)
    refused = column(replace(design, key="x", disks=unknown))
    assert refused.cell("usable").value is None
    assert "is unknown" in refused.cell("usable").note
    assert compare((column(design), refused)).row("usable").best == ()


@pytest.mark.parametrize("number", [0, 1, 7])
def test_that_a_comparison_has_two_to_six_columns(number: int) -> None:
    with pytest.raises(UserError, match="2 to 6"):
        compare([made(str(n)) for n in range(number)])


def test_that_space_nobody_can_tell_says_why_in_each_of_its_cells() -> None:
    refused = column(one_vdev(width=2, parity=2))
    for name in ("usable", "plan", "size"):
        cell = refused.cell(name)
        assert cell.value is None
        assert "at least 3" in cell.note, name


def test_that_amounts_of_several_currencies_are_not_set_against_each_other() -> None:
    def price(number: float, currency: str) -> Cell:
        return Cell(number=number, currency=currency, origin=ORIGIN)

    assert change_percent(row_of("purchase", price(100, "EUR"), price(120, "USD")), 0) == (None, None)
    assert change_percent(row_of("purchase", price(100, "EUR"), price(150, "EUR")), 0) == (0.0, 50.0)


# From a design to RAID 6 of the same disks.


def test_that_an_unknown_size_is_refused_with_the_disk() -> None:
    design = one_vdev()
    key = design.vdevs[0].members[2].disk_key
    disks = tuple(replace(d, size_bytes=None) if d.key == key else d for d in design.disks)
    with pytest.raises(Refusal) as refusal:
        md_raid6_of(replace(design, disks=disks))
    assert "is unknown" in refusal.value.reasons[0]


def test_that_what_no_number_tells_is_cited_in_the_chosen_language() -> None:
    with in_brackets():
        column = md_column(safety(), load_drive_book(), today=TODAY)
    cited = [remark.source for remark in column.remarks if " " in remark.source]
    assert len(cited) == 4
    assert all("⟦" in source for source in cited)
