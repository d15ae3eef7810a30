"""What the scripts believe about what was done before, and what counts as untouched since.

Only a record of their own, of this design, proves anything; of contents only what ZFS counts and what can be seen.
"""

import os
import re
from pathlib import Path

from tests.emit.functions import asked
from tests.emit.pretend import Machine, script_for, small_design

from poolwright.domain.action import CreatePool
from poolwright.emit.commands import plan_actions
from poolwright.emit.script import pool_mark

MARK = next(pool_mark(action) for action in plan_actions(small_design()) if isinstance(action, CreatePool))


def told(machine: Machine, trials: dict[str, str]) -> dict[str, list[str]]:
    return asked(machine, script_for(small_design(), machine), trials)


def test_that_a_record_is_believed_only_where_nobody_else_can_have_written_it(machine: Machine, tmp_path: Path) -> None:
    modes = {"600": True, "644": True, "444": True, "755": True, "620": False, "602": False, "666": False, "777": False}
    for mode in modes:
        (tmp_path / mode).touch()
        (tmp_path / mode).chmod(int(mode, 8))
    (tmp_path / "link").symlink_to("600")
    (tmp_path / "folder").mkdir(mode=0o700)
    user = f"id() {{ echo {os.getuid()}; }}"
    names = (*modes, "link", "folder", "nowhere")
    lines = told(
        machine,
        {name: f"{user}; is_own_file '{tmp_path / name}' && echo believed" for name in names}
        | {"of another": f"id() {{ echo {os.getuid() + 1}; }}; is_own_file '{tmp_path / '600'}' && echo believed"},
    )
    believed = {name for name, found in lines.items() if found[0] == "believed"}
    assert believed == {mode for mode, good in modes.items() if good}


BEGUN, MADE = "begun @ tank m1 h1 now", "made @ 77 m2 h2 now"
UNDONE = f"{MADE}; undoing @; undone @"


def reading(folder: Path, *files: str) -> str:
    """Return shell that reads records with these lines, and shows what is believed then."""
    reads = []
    for text in files:
        path = folder / f"{len(list(folder.glob('*.record')))}.record"
        path.write_text(text.replace("@", MARK).replace("; ", "\n") + "\n")
        reads.append(f"read_record_file '{path}'")
    return "; ".join(
        [*reads, 'declare -p progress proven | sed "s/^declare -A //"; echo "$recorded_machine $recorded_host"']
    )


def reached_in(lines: dict[str, list[str]]) -> dict[str, str]:
    """Return how far the last run came in each trial; nothing where no record counts."""
    return {name: (re.findall(r'\[0\]="?(\w+)', found[0]) or [""])[0] for name, found in lines.items()}


def test_that_of_two_records_that_disagree_the_one_that_was_completed_counts(machine: Machine, tmp_path: Path) -> None:
    pairs = {
        "made": (BEGUN, MADE),
        "made, the other way": (MADE, BEGUN),
        "undone": (BEGUN, UNDONE),
        "undone, the other way": (UNDONE, BEGUN),
    }
    lines = told(machine, {name: reading(tmp_path, *files) for name, files in pairs.items()})
    assert reached_in(lines) == {name: name.partition(",")[0] for name in pairs}


def test_that_lines_of_a_record_count_for_the_pool_of_their_mark_as_far_as_its_last_run_came(
    machine: Machine, tmp_path: Path
) -> None:
    trials = {
        "begun": reading(tmp_path, BEGUN),
        "made": reading(tmp_path, f"{BEGUN}; vdevs @ 5 6; table @ NAME T; {MADE}"),
        "undoing": reading(tmp_path, f"{MADE}; undoing @"),
        "undoing what was cut off": reading(tmp_path, f"{BEGUN}; undoing @"),
        "undone": reading(tmp_path, UNDONE),
        "of another": reading(tmp_path, "begun 0123456789abcdef tank m h now; made 0123456789abcdef 77 m h now"),
    }
    lines = told(machine, trials)
    assert reached_in(lines) == {
        "begun": "begun",
        "made": "made",
        "undoing": "undoing",
        "undoing what was cut off": "begun",
        "undone": "undone",
        "of another": "",
    }
    proofs = {name: sorted(set(found[1].split("[")[1:])) for name, found in lines.items()}
    assert [part.partition("]")[0].strip('"') for part in proofs["made"]] == [
        "pool 77", "table NAME T", "vdev 5", "vdev 6",
    ]  # fmt: skip
    assert proofs["begun"] == proofs["of another"] == []
    assert lines["begun"][2] == "m1 h1"
    assert lines["made"][2] == "m2 h2"
    assert lines["of another"][2] == " "


def test_that_a_pool_is_known_by_its_record_or_by_what_it_carries_itself(machine: Machine) -> None:
    carries = "own_property() { case $2 in *:design) echo DESIGN ;; *:pool) echo POOL ;; esac; }; use_pool 0; "

    def asks(what: str, design: str = MARK, pool: str = "77", before: str = "true") -> str:
        return f"{carries.replace('DESIGN', design).replace('POOL', pool)}{before}; {what} && echo known"

    cut_off = "progress[0]=begun; recorded_machine=$(machine_id)"
    trials = {
        "by itself": asks("is_recorded 77"),
        "by its record": asks("is_recorded 77", design="", pool="", before="proven['pool 77']=0"),
        "another design": asks("is_recorded 77", design="other"),
        "a copy": asks("is_recorded 77", pool="78"),
        "the record of the other pool": asks("is_recorded 77", pool="", before="proven['pool 77']=1"),
        "cut off": asks("was_cut_off", before=cut_off),
        "cut off elsewhere": asks("was_cut_off", before="progress[0]=begun; recorded_machine=elsewhere"),
        "made": asks("was_cut_off", before=f"{cut_off}; progress[0]=made"),
        "cut off, but of another design": asks("was_cut_off", design="other", before=cut_off),
    }
    lines = told(machine, trials)
    assert {name for name, found in lines.items() if found[0] == "known"} == {"by itself", "by its record", "cut off"}


def test_that_a_record_goes_into_files_of_its_own_and_nothing_begins_where_there_is_none(
    machine: Machine, tmp_path: Path
) -> None:
    (tmp_path / "open").write_text("")
    (tmp_path / "open").chmod(0o666)
    user = f"id() {{ echo {os.getuid()}; }}; "
    new, open_to_all = f"'{tmp_path}/new'", f"'{tmp_path}/open'"
    trials = {
        "new": f"{user}record_files=({new} {open_to_all}); record made; echo ${{#recorded_in[@]}}; stat -c%a {new}",
        "none": f"{user}record_files=({open_to_all} /nowhere/x); record made x || echo none",
        "begin": f"{user}record_files=({new}); record_begun; echo ${{progress[0]}}",
        "begin of a pool that is there": "pool_state=(existing); record_files=(); record_begun; echo on",
        "no begin": f"{user}record_files=({open_to_all}); record_begun; echo on",
    }
    lines = told(machine, trials)
    assert lines["new"] == ["1", "600", "status 0"]
    assert lines["none"][0] == "none"
    assert lines["begin"] == ["begun", "status 0"]
    assert lines["begin of a pool that is there"] == ["on", "status 0"]
    assert "Cannot write the record" in lines["no begin"][0]
    assert lines["no begin"][-1] == "status 3"
    assert (tmp_path / "open").read_text() == ""
    assert f"begun {MARK} tank " in (tmp_path / "new").read_text()


def test_that_files_are_counted_over_all_owners_and_unknown_where_zfs_does_not_tell(machine: Machine) -> None:
    trials = {
        "one owner": "zfs() { echo 7; }; objects_of tank",
        "three": "zfs() { printf '7\\n1\\n2\\n'; }; objects_of tank",
        "none": "zfs() { echo 0; }; objects_of tank",
        "no line": "zfs() { :; }; objects_of tank",
        "no number": "zfs() { printf '7\\n-\\n'; }; objects_of tank",
        "an old ZFS": "zfs() { echo 7; return 1; }; objects_of tank",
    }
    lines = told(machine, trials)
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
    trials = {
        "created": f"{zfs}record_fresh tank/vm tank/vm/disk1",
        "created before": f"{zfs}own_property() {{ echo 1 2 3; }}; record_fresh tank",
        "not counted": f"{zfs}objects_of() {{ return 1; }}; record_fresh tank/vm",
        "not synced": f"{zfs}zpool() {{ return 1; }}; record_fresh tank",
        "not listed": f"{zfs}zfs() {{ return 1; }}; record_fresh tank",
        "not recorded": f"{zfs}zfs() {{ [ $1 = list ] && printf '{listed}'; }}; record_fresh tank",
    }
    lines = told(machine, trials)
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
