"""What the script says of the folders where datasets will be mounted: its own functions, run without a pool."""

import os
import subprocess
from pathlib import Path

import pytest
from tests.cases import table

from poolwright.emit.script import shell_part

# What the rest of the script provides, as far as these functions use it.
AROUND: str = table(__file__, "around")


def told(commands: str, *around: str) -> list[str]:
    """Return what the functions print when these commands call them, by bash ``around`` which another program runs."""
    script = f"set -euo pipefail\n{AROUND}\n{shell_part('28_mountpoints.sh')}\n{commands}\necho covered $covered_count"
    done = subprocess.run([*around, "bash", "-c", script], stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout.splitlines()


def test_that_only_a_free_folder_is_taken_without_a_word(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to("/etc")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / ".hidden").touch()
    for name, words in {
        "empty": "",
        "missing": "",
        "file": f"problem tank/a: would be mounted on {tmp_path}/file, which is no folder.",
        "link": "problem tank/a: would be mounted on the system folder /etc",
        "link/ssh": "problem tank/a: would be mounted on the system folder /etc/ssh",
        "full": f"  - tank/a will be mounted on {tmp_path}/full and cover what is there, 1 in all: .hidden",
    }.items():
        *lines, covered = told(f"check_mountpoint tank/a '{tmp_path}/{name}'")
        assert "\n".join(lines).startswith(words)
        assert bool(lines) == bool(words), name
        assert covered == f"covered {int(name == 'full')}"


def test_that_every_dataset_still_to_be_made_is_looked_at_where_it_will_be_mounted(tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter").touch()
    lines = told(f"""
set_to tank mountpoint /etc
set_to tank/kept mountpoint '{tmp_path}/full'
set_to tank/off canmount off
set_to tank/late canmount noauto
set_to tank/none mountpoint none
set_to tank/legacy mountpoint legacy
later tank zpool set autotrim=on tank
later tank/kept zfs create tank/kept
later tank/below zfs create tank/below
later tank/off zfs create tank/off
later tank/late zfs create tank/late
later tank/none zfs create tank/none
later tank/legacy zfs create tank/legacy
later tank/disk zfs create -V 1G tank/disk
check_mountpoints
""")
    problems = [line.partition(":")[0] for line in lines if line.startswith("problem")]
    # zpool refuses a folder that holds something, and /etc does; then the pool and what inherits from it.
    assert problems == ["problem tank", "problem tank", "problem tank/below"]
    assert f"  - tank/kept will be mounted on {tmp_path}/full and cover what is there, 1 in all: letter " in lines
    assert lines[-1] == "covered 1"


def test_that_two_datasets_on_one_folder_are_told_and_another_root_counts(tmp_path: Path) -> None:
    lines = told(f"""
set_to '' altroot '{tmp_path}'
set_to tank mountpoint /
set_to tank/a mountpoint /etc
set_to tank/b mountpoint /etc
later tank/a zfs create tank/a
later tank/b zfs create tank/b
check_mountpoints
""")
    assert lines == [
        f"problem tank/b: would be mounted on {tmp_path}/etc, where another dataset of the design is mounted",
        "covered 0",
    ]


def test_that_a_pool_that_is_there_already_is_not_looked_at_again() -> None:
    assert told("set_to tank mountpoint /etc\npool_state=(ready)\ncheck_mountpoints") == ["covered 0"]


def test_that_mountpoints_are_inherited() -> None:
    assert told("""
set_to tank/own mountpoint /srv/own
set_to tank/top mountpoint /
set_to tank/none mountpoint none
for dataset in tank tank/a/b tank/own tank/own/c tank/top/d tank/none/e; do mountpoint_of "$dataset"; done
""")[:-1] == ["/tank", "/tank/a/b", "/srv/own", "/srv/own/c", "/d", "none"]


def test_that_each_pool_has_its_own_mountpoints() -> None:
    assert told("""
expected_pool=(0 1) expected_of=(tank tank) expected_name=(mountpoint mountpoint)
expected_value=(/srv/first /srv/second)
mountpoint_of tank
pool_number=1
mountpoint_of tank
""") == ["/srv/first", "/srv/second", "covered 0"]


@pytest.mark.parametrize(("root", "folder"), [("/mnt", "/mnt/srv/a"), ("/mnt/", "/mnt/srv/a"), ("/", "/srv/a")])
def test_that_a_folder_is_where_this_machine_will_see_it_and_none_where_nothing_is_mounted(
    root: str, folder: str
) -> None:
    found = told(f"""
set_to '' altroot {root}
set_to tank/a mountpoint /srv/a
set_to tank/none mountpoint none
set_to tank/legacy mountpoint legacy
for dataset in tank/a tank/none tank/legacy; do folder_of "$dataset"; done
""")
    assert found == [folder, "covered 0"]


def test_that_a_pool_whose_root_is_not_mounted_still_needs_its_folder_empty(tmp_path: Path) -> None:
    (tmp_path / "letter").touch()
    lines = told(f"set_to tank mountpoint '{tmp_path}'\nset_to tank canmount off\ncheck_mountpoints")
    assert lines[0].startswith(
        f"problem tank: zpool creates no pool while {tmp_path} holds something, 1 in all: letter"
    )
    assert lines[1:] == ["covered 0"]


def test_that_a_folder_above_or_beside_another_is_not_the_same(tmp_path: Path) -> None:
    lines = told(f"""
set_to tank mountpoint '{tmp_path}/x/deep'
set_to tank/a mountpoint '{tmp_path}/x'
set_to tank/b mountpoint '{tmp_path}/x/d'
set_to tank/c mountpoint '{tmp_path}/x/deep'
for name in a b c; do later tank/$name zfs create tank/$name; done
check_mountpoints
""")
    assert [line.partition(":")[0] for line in lines] == ["problem tank/c", "covered 0"]


def test_that_what_lies_in_one_folder_is_not_told_of_the_next(tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter").touch()
    lines = told(f"check_mountpoint tank/a '{tmp_path}/full'\ncheck_mountpoint tank/b '{tmp_path}/missing'")
    assert len(lines) == 2
    assert lines[0].startswith("  - tank/a will be mounted on")
    assert lines[1] == "covered 1"


def test_that_a_system_folder_that_leads_elsewhere_is_one_all_the_same() -> None:
    """On some systems /snap is a link into a folder that is none by its name."""
    lines = told("readlink() { echo /srv/elsewhere; }\ncheck_mountpoint tank/a /snap")
    assert lines[0].startswith("problem tank/a: would be mounted on the system folder")


def test_that_each_covered_folder_counts_but_not_that_of_the_pool(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "letter").touch()
    at = [f"check_mountpoint tank/{name} '{tmp_path}/gone/../{name}'" for name in ("one", "two")]
    assert told("\n".join(at))[-1] == "covered 2"
    assert told(f"check_mountpoint tank '{tmp_path}/one'") == ["covered 0"]


def test_that_of_many_files_five_are_named_each_as_a_word_of_the_shell(tmp_path: Path) -> None:
    for number in range(1, 7):
        (tmp_path / f"file {number}").touch()
        if number == 5:
            assert told(f"list_files '{tmp_path}'\nsome_names \"${{files[@]}}\"")[0].count("file") == 5
    lines = told(f"""
list_files '{tmp_path}'
some_names "${{files[@]}}"
printf '\\n'
shopt -q nullglob && echo changed
shopt -q dotglob && echo changed
""")
    assert lines == [r"file\ 1 file\ 2 file\ 3 file\ 4 file\ 5 … ", "covered 0"]


def test_that_the_folder_of_another_pool_and_a_name_no_locale_reads_are_told(tmp_path: Path) -> None:
    others = "zfs() { printf 'rest/films\\ton\\t/films\\nrest/late\\tnoauto\\t/late\\ntank/own\\ton\\t/own\\n'; }"
    lines = told(f"{others}\nfor at in films late own; do check_mountpoint tank/a /$at; done")
    assert [line.partition(":")[0] for line in lines[:-1]] == ["problem tank/a"]
    assert "/films, where rest/films belongs" in lines[0]
    assert told("check_mountpoint tank/a '/bücher'") == ["covered 0"]
    assert "no locale" in told("wide=''; check_mountpoint tank/a '/bücher'")[0]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root mounts")
def test_that_a_folder_that_cannot_be_made_or_where_something_is_mounted_is_told(tmp_path: Path) -> None:
    for name in ("fixed/there", "taken"):
        (tmp_path / name).mkdir(parents=True)
    mounts = (
        f"mount --bind '{tmp_path}/fixed' '{tmp_path}/fixed'; mount -o remount,bind,ro '{tmp_path}/fixed'; "
        f"mount -t tmpfs none '{tmp_path}/taken'; "
    )
    looks = "; ".join(f"check_mountpoint tank/a '{tmp_path}/{at}'" for at in ("fixed/new", "fixed/there", "taken"))
    fixed, taken, covered = told(mounts + looks, "unshare", "--mount")
    assert f"which cannot be made: {tmp_path}/fixed is read-only" in fixed
    assert f"would be mounted on {tmp_path}/taken, where something is mounted" in taken
    assert covered == "covered 0"
