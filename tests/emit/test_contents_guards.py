"""What counts as untouched in a dataset: only what ZFS counts and what can be seen, on real folders."""

from pathlib import Path

from tests.emit.functions import asked
from tests.emit.pretend import Machine, script_for, small_design


def told(machine: Machine, trials: dict[str, str]) -> dict[str, list[str]]:
    return asked(machine, script_for(small_design(), machine), trials)


def test_that_files_are_counted_over_all_owners_and_unknown_where_zfs_does_not_tell(machine: Machine) -> None:
    lines = told(
        machine,
        {
            "one owner": "zfs() { echo 7; }; objects_of tank",
            "three": "zfs() { printf '7\\n1\\n2\\n'; }; objects_of tank",
            "none": "zfs() { echo 0; }; objects_of tank",
            "no line": "zfs() { :; }; objects_of tank",
            "no number": "zfs() { printf '7\\n-\\n'; }; objects_of tank",
            "an old ZFS": "zfs() { echo 7; return 1; }; objects_of tank",
        },
    )
    assert lines.pop("one owner") == ["7", "status 0"]
    assert lines.pop("three") == ["10", "status 0"]
    assert all(found == ["status 1"] for found in lines.values())


def test_that_a_dataset_is_untouched_only_where_all_that_is_counted_is_seen_to_be_folders(
    machine: Machine, tmp_path: Path
) -> None:
    (tmp_path / "folders/a/b").mkdir(parents=True)
    (tmp_path / "files/a").mkdir(parents=True)
    (tmp_path / "files/a/letter").touch()
    (tmp_path / "link").mkdir()
    (tmp_path / "link/away").symlink_to("/")
    asks = {
        "nothing in it": "is_untouched tank no - 1",
        "folders": f"is_untouched tank yes '{tmp_path}/folders' 3",
        "a file": f"is_untouched tank yes '{tmp_path}/files' 3",
        "a link": f"is_untouched tank yes '{tmp_path}/link' 2",
        "more than is seen": f"is_untouched tank yes '{tmp_path}/folders' 4",
        "not mounted": f"is_untouched tank no '{tmp_path}/folders' 3",
        "no folder": f"is_untouched tank yes '{tmp_path}/nowhere' 2",
    }
    lines = told(machine, asks)
    assert {name for name, found in lines.items() if found[-1] == "status 0"} == {"nothing in it", "folders"}
    assert {found[-1] for found in lines.values()} == {"status 0", "status 1"}


def test_that_what_is_in_new_datasets_is_recorded_and_in_others_only_while_nobody_used_them(machine: Machine) -> None:
    """A row of a dataset: name, type, guid, mounted, logical bytes, mountpoint."""
    rows = {
        "tank": "filesystem\t1\tyes\t43008\t/tank",
        "tank/home": "filesystem\t2\tyes\t43008\t/tank/home",
        "tank/vm": "filesystem\t3\tyes\t99999\t/tank/vm",
        "tank/vm/disk1": "volume\t4\t-\t16384\t-",
        "tank/photos": "filesystem\t5\tyes\t43008\t/tank/photos",
    }
    listed = "".join(f"{name}\t{row}\n" for name, row in rows.items()).replace("\t", "\\t").replace("\n", "\\n")
    zfs = f"zfs() {{ case $1 in list) printf '{listed}' ;; set) echo \"$3 $2\" ;; esac; }}; zpool() {{ :; }}; "
    zfs += "use_pool 0; own_property() { :; }; objects_of() { [ $1 = tank/vm ] && echo 9 || echo 1; }; "
    lines = told(
        machine,
        {
            "created": f"{zfs}record_fresh tank/vm tank/vm/disk1",
            "created before": f"{zfs}own_property() {{ echo 1 2 3; }}; record_fresh tank",
            "not counted": f"{zfs}objects_of() {{ return 1; }}; record_fresh tank/vm",
            "not synced": f"{zfs}zpool() {{ return 1; }}; record_fresh tank",
            "not listed": f"{zfs}zfs() {{ return 1; }}; record_fresh tank",
            "not recorded": f"{zfs}zfs() {{ [ $1 = list ] && printf '{listed}'; }}; record_fresh tank",
        },
    )
    fresh = "org.poolwright:fresh="
    assert lines["created"] == [
        f"tank {fresh}1 43008 1",
        f"tank/home {fresh}2 43008 1",
        f"tank/vm {fresh}3 99999 9",
        f"tank/vm/disk1 {fresh}4 16384 -",
        "status 0",
    ]
    assert lines["created before"] == [f"tank {fresh}1 43008 1", "status 0"]
    assert lines["not counted"] == [f"tank/vm {fresh}3 99999 -", "status 0"]
    assert lines["not synced"] == lines["not listed"] == ["status 0"]
    assert any("WARNING: what tank holds when new could not be recorded" in line for line in lines["not recorded"])
