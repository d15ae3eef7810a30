"""Where the designs of a comparison stand among all layouts."""

from dataclasses import replace

import pytest
from tests.advise.side_by_side import column, concurrent, one_vdev, safety

from poolwright.domain.units import TIB
from poolwright.ui.plots.against import Against
from poolwright.ui.ranking.front_plot import front_marks


def test_that_a_mark_stands_at_the_values_of_the_table() -> None:
    columns = (column(safety()), column(concurrent()))
    for against, name, scale in ((Against.SURVIVED, "survived", 1), (Against.READ, "itself_read", 1e9)):
        marks = front_marks(columns, against)
        assert [mark.letters for mark in marks] == ["A", "B"]
        for mark, one in zip(marks, columns, strict=True):
            value, usable = one.cell(name).value, one.cell("usable").value
            assert value is not None
            assert usable is not None
            assert (mark.x, mark.y) == (value / scale, usable / TIB)


def test_that_rarer_losses_stand_further_to_the_right() -> None:
    safe, quick = front_marks((column(safety()), column(concurrent())), Against.RISK)
    assert safe.x > quick.x > 0


def test_that_designs_at_one_place_share_a_mark_and_unknown_ones_have_none() -> None:
    same = replace(safety(), key="copy")
    unknown = replace(one_vdev(), disks=tuple(replace(d, size_bytes=None) for d in one_vdev().disks))
    (mark,) = front_marks((column(safety()), column(unknown), column(same)), Against.RISK)
    assert (mark.letters, mark.number) == ("AC", 0)


@pytest.mark.parametrize("against", list(Against))
def test_that_every_axis_has_its_row(against: Against) -> None:
    assert len(front_marks((column(safety()),), against)) == 1
