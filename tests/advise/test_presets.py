"""Presets of the workload."""

import pytest

from poolwright.advise.presets import DETAILS, PRESETS, Preset, apply_preset, from_preset, preset
from poolwright.domain.workload import Goal, Sharing, Workload

EMPTY = Workload(goal=Goal.SAFETY)


def _chosen(key: str) -> Preset:
    found = preset(key)
    assert found is not None
    return found


def test_that_the_preset_keys_are_unique() -> None:
    keys = [p.key for p in PRESETS]
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize("chosen", PRESETS, ids=lambda p: p.key)
def test_that_a_preset_gives_a_reason_for_exactly_the_details_it_fills(chosen: Preset) -> None:
    plain = Workload(goal=chosen.workload.goal)
    filled = {d for d in DETAILS if getattr(chosen.workload, d) != getattr(plain, d)}
    assert set(chosen.filled) == filled
    assert all(why for _, why in chosen.reasons)


@pytest.mark.parametrize("chosen", PRESETS, ids=lambda p: p.key)
def test_that_shares_of_a_preset_are_percentages_and_sizes_are_powers_of_two(chosen: Preset) -> None:
    w = chosen.workload
    for share in (w.read_percent, w.sequential_percent, w.sync_write_percent):
        assert share is None or 0 <= share <= 100
    assert w.io_size_bytes is not None
    assert w.io_size_bytes.bit_count() == 1


def test_that_a_preset_fills_its_details_and_leaves_the_goal() -> None:
    made = apply_preset(EMPTY, _chosen("database"))
    assert made.goal is Goal.SAFETY
    assert made.preset == "database"
    assert made.io_size_bytes == 16384
    assert made.clients is None


def test_that_the_next_preset_takes_the_details_of_the_former_one_back() -> None:
    made = apply_preset(apply_preset(EMPTY, _chosen("smb")), _chosen("backup-target"))
    assert made.sharing is None
    assert made.read_percent == 20


def test_that_typed_details_survive_a_preset_that_does_not_fill_them() -> None:
    typed = Workload(goal=Goal.SPEED, clients=12, sharing=Sharing.NFS)
    made = apply_preset(typed, _chosen("scratch"))
    assert made.clients == 12
    assert made.sharing is Sharing.NFS


def test_that_no_preset_leaves_only_what_was_typed() -> None:
    filled = apply_preset(Workload(goal=Goal.SPEED, clients=3), _chosen("iscsi"))
    assert apply_preset(filled, None) == Workload(goal=Goal.SPEED, clients=3)


def test_that_a_changed_detail_no_longer_counts_as_the_presets() -> None:
    filled = apply_preset(EMPTY, _chosen("database"))
    changed = Workload(goal=Goal.SAFETY, preset="database", read_percent=10, io_size_bytes=filled.io_size_bytes)
    assert from_preset(filled, "read_percent")
    assert not from_preset(changed, "read_percent")
    assert from_preset(changed, "io_size_bytes")
    assert apply_preset(changed, None).read_percent == 10


def test_that_the_origin_of_a_filled_detail_names_preset_and_reason() -> None:
    origin = _chosen("database").origin("io_size_bytes")
    assert origin is not None
    assert "Database" in str(origin)
    assert "InnoDB" in str(origin)


def test_that_an_unknown_preset_of_a_foreign_design_fills_nothing() -> None:
    foreign = Workload(goal=Goal.SAFETY, preset="from-the-future", read_percent=5)
    assert preset("from-the-future") is None
    assert not from_preset(foreign, "read_percent")


@pytest.mark.parametrize("chosen", PRESETS, ids=lambda p: p.key)
def test_that_sizes_of_a_preset_are_powers_of_two_and_its_shares_round(chosen: Preset) -> None:
    for size in (chosen.workload.io_size_bytes, chosen.workload.typical_file_bytes):
        assert size is None or (size >= 4096 and size & (size - 1) == 0)
    shares = (chosen.workload.read_percent, chosen.workload.sequential_percent, chosen.workload.sync_write_percent)
    assert all(share is None or (0 <= share <= 100 and share % 5 == 0) for share in shares)
