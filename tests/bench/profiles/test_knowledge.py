"""What ZFS does with a measurement, by version and property, and how the cache is kept out."""

import pytest
from tests.bench.profiles.places import ON_ZFS, place

from poolwright.bench.profiles.access import cache_proof, direct_refusal, partial_fact, usual_data_bytes, zfs_facts
from poolwright.domain.units import GIB, KIB, MIB
from poolwright.domain.version import ZfsVersion

OLD, NEW = ZfsVersion(2, 2, 7), ZfsVersion(2, 3, 2)


def test_that_direct_io_is_relied_on_only_where_userland_and_module_have_it() -> None:
    assert direct_refusal(place(userland=NEW, module=NEW), 128 * KIB) is None
    assert "module here is 2.2.7" in (direct_refusal(place(userland=NEW, module=OLD), 128 * KIB) or "")
    assert "userland here is 2.2.7" in (direct_refusal(place(userland=OLD, module=NEW), 128 * KIB) or "")
    assert "not known" in (direct_refusal(place(userland=NEW, module=None), 128 * KIB) or "")


@pytest.mark.parametrize(
    ("block", "relied_on"), [(128 * KIB, True), (MIB, True), (16 * KIB, False), (192 * KIB, False)]
)
def test_that_direct_io_is_relied_on_only_for_whole_records(block: int, *, relied_on: bool) -> None:
    assert (direct_refusal(ON_ZFS, block) is None) is relied_on


def test_that_a_silent_fall_back_is_told() -> None:
    assert any("others fall back" in text for text in zfs_facts(place(parameters=(("zfs_dio_strict", "0"),))))
    assert any("others fall back" in text for text in zfs_facts(place(module=ZfsVersion(2, 4, 1))))
    assert any("requests below a page fail" in text for text in zfs_facts(ON_ZFS))


def test_that_files_are_more_than_twice_what_the_arc_holds() -> None:
    assert usual_data_bytes(ON_ZFS) == 17 * GIB
    assert cache_proof(ON_ZFS, 16 * KIB, 16 * GIB + 1).note.startswith("Files of 16")
    assert not cache_proof(ON_ZFS, 16 * KIB, 16 * GIB).holds
    # Without a limit told, what OpenZFS takes by default: half of the RAM on 2.2, nearly all of it since 2.3.
    assert usual_data_bytes(place(arc_most_bytes=None, userland=OLD, module=OLD)) == 17 * GIB
    assert usual_data_bytes(place(arc_most_bytes=None)) == 30 * GIB + 15 * GIB // 8


def test_that_a_dataset_without_cached_data_needs_less() -> None:
    bare = place(properties={"primarycache": "metadata"}, arc_most_bytes=200 * GIB)
    assert usual_data_bytes(bare) == 16 * GIB
    assert cache_proof(bare, 16 * KIB, GIB).note.startswith("primarycache=metadata")


def test_that_a_large_arc_is_passed_by_direct_io_where_blocks_are_whole_records() -> None:
    large = place(arc_most_bytes=400 * GIB)
    assert usual_data_bytes(large) == 16 * GIB
    assert cache_proof(large, MIB, 16 * GIB).direct
    small = cache_proof(large, 16 * KIB, 16 * GIB)
    assert not small.holds
    assert "need 800 GiB" in small.note


def test_that_too_little_room_is_told_and_never_passed_over() -> None:
    tight = place(free_bytes=8 * GIB, userland=OLD, module=OLD)
    kept = cache_proof(tight, MIB, usual_data_bytes(tight))
    assert not kept.holds
    assert "files of 4.00 GiB, 8.00 GiB of cache need 16.0 GiB" in kept.note
    assert "primarycache=metadata" in kept.note


@pytest.mark.parametrize(
    ("compression", "percent", "said"),
    [("off", 50, "50 %"), ("lz4", 0, "0 % of each"), ("lz4", 50, "(compression=lz4)")],
)
def test_that_compressibility_is_stated(compression: str, percent: int, said: str) -> None:
    facts = zfs_facts(place(properties={"compression": compression}), compress_percent=percent, writes=True)
    assert any(said in text for text in facts)


def test_that_parts_of_records_are_told() -> None:
    assert "up to 32 times" in (partial_fact(ON_ZFS, 4 * KIB, writes=True) or "")
    assert "whole record" in (partial_fact(ON_ZFS, 4 * KIB, writes=False) or "")
    assert partial_fact(ON_ZFS, 128 * KIB, writes=True) is None
