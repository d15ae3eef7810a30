"""What is told of values that OpenZFS refuses: each bound, each name and each reason, in full sentences."""

from typing import Any

import pytest
from tests.cases import cases
from tests.domain.written import dataset, tank

from poolwright.domain.dataset_edits import in_whole_blocks
from poolwright.domain.dataset_properties import dataset_properties, user_property_problem, value_problem
from poolwright.domain.pool_settings import entered_pool_value, is_set_afterwards, pool_value_problem
from poolwright.domain.setting_problems import dataset_problems, fixed_settings, setting_problems
from poolwright.domain.version import ZfsVersion

V232 = ZfsVersion(2, 3, 2)
TOO_LONG = "A mount point has at most 255 bytes between two slashes and 1023 in all"
BY_ITSELF = "A new volume reserves its size by itself; leave refreservation unset for that"


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        *cases(__file__, "filesystem"),
        ("mountpoint", "/" + "a" * 255, None), ("mountpoint", "/" + "a" * 256, TOO_LONG),
        ("mountpoint", "/abcdefg" * 127 + "/abcdef", None), ("mountpoint", "/abcdefg" * 128, TOO_LONG),
        ("context", "a" * 8191, None), ("context", "a" * 8192, "context has at most 8191 bytes"),
        ("org.example:note", "ä" * 4095, None),
        ("org.example:note", "ä" * 4096, "org.example:note has at most 8191 bytes"),
    ],
)  # fmt: skip
def test_that_a_value_of_a_filesystem_is_taken_or_told_why_not(name: str, value: str, problem: str | None) -> None:
    assert value_problem(name, value, V232, volume=False) == problem


@pytest.mark.parametrize(
    ("name", "value", "version", "problem"),
    [
        ("volblocksize", "16K", V232, None),
        ("recordsize", "128K", V232, "A volume has no property recordsize"),
        ("refreservation", "auto", V232, BY_ITSELF),
        ("refreservation", "none", V232, None),
        ("volblocksize", "2M", ZfsVersion(2, 1, 99), "volblocksize is a power of two from 512 to 1M, not 2M"),
        ("volblocksize", "1M", ZfsVersion(2, 1, 99), None),
    ],
)  # fmt: skip
def test_that_a_value_of_a_volume_is_taken_or_told_why_not(
    name: str, value: str, version: ZfsVersion, problem: str | None
) -> None:
    assert value_problem(name, value, version, volume=True) == problem


@pytest.mark.parametrize(
    ("value", "version", "problem"),
    [
        ("100K", ZfsVersion(2, 3, 99), "special_small_blocks is a power of two from 512 to 16M, not 100K"),
        ("100K", ZfsVersion(2, 4, 0), None),
        ("16M", ZfsVersion(2, 4, 0), None),
        ("16385K", ZfsVersion(2, 4, 0), "special_small_blocks is at most 16M"),
        ("0", ZfsVersion(2, 1, 0), None),
        ("2M", ZfsVersion(2, 1, 0), "special_small_blocks is a power of two from 512 to 1M, not 2M"),
    ],
)
def test_that_small_blocks_are_what_the_version_takes(value: str, version: ZfsVersion, problem: str | None) -> None:
    assert value_problem("special_small_blocks", value, version, volume=False) == problem


@pytest.mark.parametrize(
    ("name", "good"),
    [("a:b", True), ("a:" + "b" * 253, True), ("a:" + "b" * 254, False), ("A:b", False), ("-a:b", False)],
)
def test_that_a_property_of_ones_own_has_a_name_of_small_letters(name: str, good: bool) -> None:
    problem = user_property_problem(name, "x")
    assert (problem is None) is good
    assert good or "is no name of a user property: small letters" in str(problem)


@pytest.mark.parametrize(("name", "value", "problem"), cases(__file__, "pool"))
def test_that_a_value_of_a_pool_is_taken_or_told_why_not(name: str, value: str, problem: str | None) -> None:
    assert pool_value_problem(name, value, V232) == problem


@pytest.mark.parametrize(
    ("name", "since"),
    [
        ("feature@blake3", ZfsVersion(2, 2, 0)), ("feature@raidz_expansion", ZfsVersion(2, 3, 0)),
        ("feature@block_cloning_endian", ZfsVersion(2, 4, 0)), ("org.example:note", ZfsVersion(2, 2, 0)),
        ("dedup_table_quota", ZfsVersion(2, 3, 0)), ("feature@draid", ZfsVersion(2, 1, 0)),
        ("compatibility", ZfsVersion(2, 1, 0)),
    ],
)  # fmt: skip
def test_that_a_property_is_taken_from_the_version_on_that_brought_it(name: str, since: ZfsVersion) -> None:
    value = {"org.example:note": "x", "dedup_table_quota": "none", "compatibility": "off"}.get(name, "enabled")
    before = ZfsVersion(since.major, since.minor - 1, 99)
    assert pool_value_problem(name, value, since) is None
    assert str(before) in str(pool_value_problem(name, value, before))
    assert value_problem("compression", "zstd-3", ZfsVersion(0, 8, 6), volume=False) is not None


def test_that_a_size_of_a_pool_is_given_as_it_was_meant() -> None:
    assert entered_pool_value("dedup_table_quota", " 100GB ") == "100000000000"
    assert entered_pool_value("dedup_table_quota", "100G") == "100G"
    assert entered_pool_value("dedup_table_quota", "auto") == "auto"
    assert entered_pool_value("comment", " 100GB ") == "100GB"
    assert is_set_afterwards("bootfs")
    assert (is_set_afterwards("org.example:note"), is_set_afterwards("autotrim")) == (True, False)


@pytest.mark.parametrize(("datasets", "pool", "problems"), cases(__file__, "designs"))
def test_that_what_a_design_would_be_refused_for_is_told_with_its_place(
    datasets: list[list[Any]], pool: str, problems: list[str]
) -> None:
    assert list(setting_problems(tank(*(dataset(*told) for told in datasets), pool=pool))) == problems


def test_that_only_what_cannot_be_changed_later_is_given_at_birth() -> None:
    one = dataset("a", "atime=off normalization=formC casesensitivity=mixed x:y=1")
    assert [s.name for s in fixed_settings(tank(one), one)] == ["normalization", "casesensitivity"]
    assert dataset_problems(tank(one), one) == ()
    assert in_whole_blocks(dataset("v", "", 1)).volume_bytes == 16384


# zfs_prop.c: ZFS_TYPE_VOLUME, PROP_ONETIME and what is not handed down (PROP_DEFAULT).
OF_VOLUMES = (
    "volblocksize compression copies dedup redundant_metadata checksum sync logbias encryption keyformat keylocation "
    "pbkdf2iters readonly primarycache secondarycache snapdev volmode reservation refreservation snapshot_limit"
)
ONCE = "volblocksize encryption keyformat pbkdf2iters casesensitivity normalization utf8only"
OWN = "volblocksize keylocation canmount quota refquota reservation refreservation filesystem_limit snapshot_limit"
SINCE_2_3 = {"prefetch", "direct", "longname"}


@pytest.mark.parametrize(
    ("version", "of_volumes", "more"),
    [
        (ZfsVersion(2, 2, 99), set(), set()),
        (ZfsVersion(2, 3, 0), {"prefetch"}, SINCE_2_3),
        (ZfsVersion(2, 4, 0), {"prefetch", "special_small_blocks"}, SINCE_2_3),
    ],
)
def test_that_properties_are_of_volumes_for_good_or_of_one_dataset_as_openzfs_has_them(
    version: ZfsVersion, of_volumes: set[str], more: set[str]
) -> None:
    known = dataset_properties(version).values()
    assert {p.name for p in known if p.applies(volume=True)} == {*OF_VOLUMES.split(), *of_volumes}
    assert {p.name for p in known if not p.applies(volume=False)} == {"volblocksize"}
    assert {p.name for p in known if p.fixed} == set(ONCE.split())
    assert {p.name for p in known if not p.inherits} == set(OWN.split())
    assert {p.name for p in known} & SINCE_2_3 == more
    reserved = dataset_properties(version).get("refreservation")
    assert reserved is not None
    assert (reserved.default_of(volume=True), reserved.default_of(volume=False)) == ("auto", "none")
