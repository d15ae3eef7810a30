"""From a design to RAID 6 of the same disks."""

from dataclasses import replace

import pytest
from tests.design.side_by_side import TODAY, concurrent, keys, one_vdev, safety
from tests.texts.brackets import Bracketed

from poolwright import texts
from poolwright.design.md_column import md_column, md_raid6_of
from poolwright.domain.errors import Refusal
from poolwright.drive_library import load_drive_book


def test_that_raidz_vdevs_become_arrays_of_the_same_disks() -> None:
    raid = md_raid6_of(safety())
    assert [tuple(d.key for d in array) for array in raid.arrays] == [
        tuple(m.disk_key for m in vdev.members) for vdev in safety().vdevs[:5]
    ]
    assert len(raid.spares) == 4
    assert raid.words == "5 × RAID 6 of 8, striped, 4 spares"


def test_that_mirrors_are_dealt_to_arrays_of_at_most_eight() -> None:
    raid = md_raid6_of(concurrent())
    assert [len(array) for array in raid.arrays] == [8, 8, 7, 7, 7, 7]
    assert {disk.key for disk in raid.disks} == set(keys())


def test_that_three_disks_are_refused_with_the_reason() -> None:
    with pytest.raises(Refusal) as refusal:
        md_raid6_of(one_vdev(3, parity=1))
    assert refusal.value.reasons == ("RAID 6 needs 4 disks, the design has 3 for data.",)


def test_that_an_unknown_size_is_refused_with_the_disk() -> None:
    design = one_vdev()
    key = design.vdevs[0].members[2].disk_key
    disks = tuple(replace(d, size_bytes=None) if d.key == key else d for d in design.disks)
    with pytest.raises(Refusal) as refusal:
        md_raid6_of(replace(design, disks=disks))
    assert "is unknown" in refusal.value.reasons[0]


def test_that_what_nobody_measured_stays_unknown_and_says_so() -> None:
    column = md_column(one_vdev(), load_drive_book(), today=TODAY)
    for name in ("rand_read", "rand_write", "sync_write", "damage", "scrub"):
        cell = column.cell(name)
        assert cell.value is None
        assert cell.note
    assert column.cell("ashift").text is None
    assert any("checksum" in remark.text for remark in column.remarks)
    assert all(remark.source for remark in column.remarks)


def test_that_what_no_number_tells_is_cited_in_the_chosen_language() -> None:
    texts.use(Bracketed())
    try:
        column = md_column(safety(), load_drive_book(), today=TODAY)
    finally:
        texts.use(None)
    cited = [remark.source for remark in column.remarks if " " in remark.source]
    assert len(cited) == 4
    assert all("⟦" in source for source in cited)
