"""Pool and dataset names as OpenZFS checks them, and the stricter rules of the house."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.emit.pretend import disk

from poolwright.domain.errors import Refusal, UserError
from poolwright.domain.names import check_pool_name, dataset_name_problem, pool_name_problem
from poolwright.domain.version import DEFAULT_VERSION
from poolwright.emit.names import device_path, device_problem


@pytest.mark.parametrize("name", ["tank", "Tank2", "a", "pool-1_x.y:z", "logs", "cache", "special", "dedup", "x" * 239])
def test_that_ordinary_names_are_good(name: str) -> None:
    assert pool_name_problem(name, DEFAULT_VERSION) is None


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("", "needs a name"),
        ("mirror", "mirror"),
        ("mirror2", "mirror"),
        ("raidz", "raidz"),
        ("raidz-pool", "raidz"),
        ("draid1", "draid"),
        ("spares", "spare"),
        ("log", "word of zpool create"),
        ("c0t0", "c0t0d0"),
        ("c0t0d0", "c0t0d0"),
        ("c1", "c0t0d0"),
        ("a b", "consists of"),
        ("../x", "starts with a letter"),
        ("-x", "starts with a letter"),
        ("1tank", "starts with a letter"),
        ("tank/x", "consists of"),
        ("tank@x", "consists of"),
        ("tank%", "consists of"),
        ("tank\n", "consists of"),
        ("ätank", "starts with a letter"),
        ("tänk", "consists of"),
        ("etc", "/etc"),
        ("x" * 240, "239"),
    ],
)
def test_that_a_bad_name_is_refused_with_its_reason(name: str, word: str) -> None:
    problem = pool_name_problem(name, DEFAULT_VERSION)
    assert problem is not None
    assert word in problem
    with pytest.raises(UserError, match="pool name"):
        check_pool_name(name, DEFAULT_VERSION)


@given(st.text(max_size=300))
def test_that_what_passes_is_plain_ascii(name: str) -> None:
    if pool_name_problem(name, DEFAULT_VERSION) is None:
        assert name.isascii()
        assert set(name) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:")


@pytest.mark.parametrize("name", ["home", "vm/disk1", "a.b/c:d", "x" * 250, "/".join("a" * 49)])
def test_that_ordinary_dataset_names_are_good(name: str) -> None:
    assert dataset_name_problem("tank", name) is None


@pytest.mark.parametrize(
    "name", ["", ".", "..", "a/..", "a//b", "a/", "a@b", "a#b", "x" * 251, "/".join("a" * 50), "a\n"]
)
def test_that_bad_dataset_names_are_refused(name: str) -> None:
    assert dataset_name_problem("tank", name) is not None


def test_that_a_disk_is_named_by_its_best_by_id_name() -> None:
    one = disk(0, by_id=("wwn-0x5000c500a1b2c3d4", "ata-ST6000NM0034_ZAD00000"))
    assert device_path(one) == "/dev/disk/by-id/ata-ST6000NM0034_ZAD00000"


def test_that_a_disk_without_a_by_id_name_is_refused_and_told_what_to_do() -> None:
    with pytest.raises(Refusal) as error:
        device_path(disk(0, by_id=(), path="/dev/sda"))
    assert "/dev/sdX may be another disk" in error.value.text
    assert "Read the machine again" in error.value.text


def test_that_a_planned_disk_is_refused() -> None:
    assert "planned" in (device_problem(disk(0, planned=True)) or "")


@pytest.mark.parametrize("name", ["dm-uuid-mpath-35000c500", "dm-name-vg-lv", "md-uuid-1:2:3", "lvm-pv-uuid-x"])
def test_that_mapped_devices_are_refused(name: str) -> None:
    assert "mapped device" in (device_problem(disk(0, by_id=(name,))) or "")
