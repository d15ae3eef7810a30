"""Presets of the workload."""

from dataclasses import replace

import pytest

from poolwright.domain.workload import Goal, Sharing, Workload
from poolwright.rules.presets import (
    DETAILS,
    PRESETS,
    TRAITS,
    Preset,
    apply_preset,
    filled_by,
    goal_of_data,
    goal_words,
    of_answer,
    preset,
    shared_by,
    with_data_toggled,
    with_sharing_toggled,
)
from poolwright.shipped import shipped

EMPTY = Workload(goal=Goal.SAFETY)


def _chosen(key: str) -> Preset:
    found = preset(key)
    assert found is not None
    return found


def test_that_no_word_of_the_data_is_passed_over() -> None:
    about = {"key", "title", "summary", "goal", "dataset", "recordsize", "at_random", "traits", "below"}
    assert {key for entry in shipped("presets")["preset"] for key in entry} <= {*about, *DETAILS}
    below = [each for entry in shipped("presets")["preset"] for each in entry.get("below", ())]
    assert {key for each in below for key in each} <= {"dataset", "use", *DETAILS}
    known = {"name", "kind", "default", "since", "words", "filesystems", "volumes", "inherits", "fixed"}
    entries = shipped("dataset_properties")["property"]
    assert {key for entry in entries for key in entry} == {*known, "volume_default"}
    assert {key for entry in shipped("pool_properties")["property"] for key in entry} <= {*known, "usual"}


def test_that_presets_have_traits_that_rules_can_ask_for() -> None:
    assert {trait for known in PRESETS for trait in known.traits} == set(TRAITS)
    assert len({known.key for known in PRESETS}) == len(PRESETS)


def test_that_the_next_preset_takes_the_details_of_the_former_one_back() -> None:
    made = apply_preset(apply_preset(EMPTY, _chosen("smb")), _chosen("backup-target"))
    assert made.sharing is None
    assert made.read_percent == 20


def test_that_typed_details_survive_a_preset_that_does_not_fill_them() -> None:
    typed = Workload(goal=Goal.SPEED, clients=12, sharing=Sharing.NFS)
    made = apply_preset(typed, _chosen("scratch"))
    assert made.clients == 12
    assert made.sharing is Sharing.NFS


def test_that_how_data_are_shared_is_chosen_apart_from_what_they_are() -> None:
    both = with_sharing_toggled(with_sharing_toggled(EMPTY, Sharing.NFS), Sharing.SMB)
    assert shared_by(both) == {"nfs", "smb"}
    assert both.uses == ("nfs", "smb")
    held = with_data_toggled(with_sharing_toggled(both, Sharing.SMB), "database")
    assert held.uses == ("database",)
    assert shared_by(held) == {"nfs"}
    assert with_data_toggled(held, "database").uses == ("nfs",)
    assert shared_by(with_sharing_toggled(held, Sharing.NFS)) == set()


def test_that_a_changed_detail_no_longer_counts_as_the_presets() -> None:
    filled = apply_preset(EMPTY, _chosen("database"))
    changed = Workload(goal=Goal.SAFETY, preset="database", read_percent=10, io_size_bytes=filled.io_size_bytes)
    assert filled_by(filled, "read_percent")
    assert not filled_by(changed, "read_percent")
    assert filled_by(changed, "io_size_bytes")
    assert apply_preset(changed, None).read_percent == 10


def test_that_an_unknown_preset_of_a_foreign_design_fills_nothing() -> None:
    foreign = Workload(goal=Goal.SAFETY, preset="from-the-future", read_percent=5)
    assert preset("from-the-future") is None
    assert not filled_by(foreign, "read_percent")


@pytest.mark.parametrize("chosen", PRESETS, ids=lambda p: p.key)
def test_that_sizes_of_a_preset_are_powers_of_two_and_its_shares_round(chosen: Preset) -> None:
    for size in (chosen.workload.io_size_bytes, chosen.workload.typical_file_bytes):
        assert size is None or (size >= 4096 and size & (size - 1) == 0)
    shares = (chosen.workload.read_percent, chosen.workload.sequential_percent, chosen.workload.sync_write_percent)
    assert all(share is None or (0 <= share <= 100 and share % 5 == 0) for share in shares)


def _several(*keys: str, goal: Goal = Goal.SAFETY) -> Workload:
    return apply_preset(Workload(goal=goal), *map(_chosen, keys))


PAIRS = [(a.key, b.key) for a in PRESETS for b in PRESETS if a.key != b.key]


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_that_of_several_presets_the_hardest_demand_of_each_detail_counts(first: str, second: str) -> None:
    both = _several(first, second)
    assert both == _several(second, first)
    assert set(both.uses) == {first, second}
    for alone in (_several(first), _several(second)):
        assert both.sequential_percent is not None
        assert both.sequential_percent <= (alone.sequential_percent or 0)
        assert (both.io_size_bytes or 0) <= (alone.io_size_bytes or 0)
        assert (both.sync_write_percent or 0) >= (alone.sync_write_percent or 0)
        assert both.volumes >= alone.volumes
        assert alone.compressible is not False or both.compressible is False
    filled = {*_chosen(first).filled, *_chosen(second).filled}
    assert {d for d in DETAILS if filled_by(both, d)} <= filled


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_that_each_of_several_kinds_of_data_keeps_what_suits_it(first: str, second: str) -> None:
    both = _several(first, second)
    for key in (first, second):
        assert of_answer(both, _chosen(key)) == _several(key)


@pytest.mark.parametrize("chosen", PRESETS, ids=lambda p: p.key)
def test_that_one_preset_has_the_whole_workload_to_itself(chosen: Preset) -> None:
    typed = replace(_several(chosen.key), clients=7, read_percent=3, sharing=Sharing.LOCAL)
    assert typed.presets_beside == ()
    assert of_answer(typed, chosen) == typed


def test_that_a_typed_detail_is_meant_for_the_data_whose_demand_it_replaces() -> None:
    typed = replace(_several("media-archive", "database"), io_size_bytes=8192, clients=40)
    database, media = (of_answer(typed, _chosen(key)) for key in ("database", "media-archive"))
    assert (database.io_size_bytes, media.io_size_bytes) == (8192, 1 << 20)
    assert (database.clients, media.clients) == (40, 40)
    assert filled_by(typed, "io_size_bytes") is None


def test_that_a_detail_names_the_preset_whose_demand_it_is() -> None:
    both = _several("vm-images", "database")
    decided = {detail: found.key for detail in DETAILS if (found := filled_by(both, detail))}
    assert decided["sync_write_percent"] == "database"
    assert decided["volumes"] == "vm-images"
    assert (both.preset, both.presets_beside) == ("database", ("vm-images",))


def test_that_a_preset_taken_back_leaves_the_other_as_if_it_had_been_alone() -> None:
    both = replace(_several("nfs", "vm-images"), clients=12)
    assert apply_preset(both, _chosen("nfs")) == replace(_several("nfs"), clients=12)
    assert apply_preset(both) == Workload(goal=Goal.SAFETY, clients=12)


@pytest.mark.parametrize(
    ("workload", "goal"),
    [
        (Workload(goal=Goal.SAFETY, preset="vm-images"), Goal.CONCURRENT),
        (Workload(goal=Goal.SAFETY, preset="media-archive", presets_beside=("database",)), Goal.CONCURRENT),
        (Workload(goal=Goal.SAFETY, sharing=Sharing.ISCSI), Goal.CONCURRENT),
        (Workload(goal=Goal.SAFETY, clients=50), Goal.CONCURRENT),
        (Workload(goal=Goal.SAFETY, clients=50, sequential_percent=95), Goal.SAFETY),
        (Workload(goal=Goal.SAFETY, clients=4), Goal.SAFETY),
        (Workload(goal=Goal.SPEED, preset="scratch"), Goal.SAFETY),
    ],
)
def test_that_data_decide_the_goal_and_never_give_up_redundancy(workload: Workload, goal: Goal) -> None:
    assert goal_of_data(workload) is goal


@pytest.mark.parametrize(
    ("keys", "data"),
    [
        (("database",), "databases"),
        (("media-archive", "vm-images", "database"), "databases and images of virtual machines"),
    ],
)
def test_that_the_goal_of_random_data_names_them_alone(keys: tuple[str, ...], data: str) -> None:
    workload = apply_preset(Workload(goal=Goal.SAFETY), *map(preset, keys))
    workload = replace(workload, goal=goal_of_data(workload))
    assert goal_words(workload, told=False).startswith(f"Goal concurrent: {data} are random I/O of many at once. ")


def test_that_a_share_says_how_often_clients_wait_unless_a_person_did() -> None:
    backup = with_data_toggled(EMPTY, "backup-target")
    over_nfs = with_sharing_toggled(backup, Sharing.NFS)
    by = filled_by(over_nfs, "sync_write_percent")
    assert (backup.sync_write_percent, over_nfs.sync_write_percent, by) == (0, 50, preset("nfs"))
    assert with_sharing_toggled(over_nfs, Sharing.SMB).sync_write_percent == 0
    assert with_sharing_toggled(over_nfs, Sharing.NFS) == backup
    assert with_data_toggled(over_nfs, "database").sync_write_percent == 90
    said = with_sharing_toggled(replace(backup, sync_write_percent=5), Sharing.NFS)
    assert (said.sync_write_percent, filled_by(said, "sync_write_percent")) == (5, None)
