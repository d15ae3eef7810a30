"""What keeps a whole run from writing: each guard that refuses, alone, while all others have nothing to say."""

from pathlib import Path

import pytest
from tests.cases import table
from tests.emit.functions import asked
from tests.emit.pretend import Machine, script_for, small_design
from tests.emit.undoing import undo_for

# All is well, and what would be written is told.
FINE: str = table(__file__, "fine")
REFUSES = "problem text x y"


def ended(machine: Machine, script: str, fine: str, trials: dict[str, str]) -> dict[str, tuple[int, list[str]]]:
    """Return the status of each trial and the steps that it took, in order."""
    told = asked(machine, script, {name: f"{fine}\n{commands}" for name, commands in trials.items()})
    steps = ("rehearsed", "begun", "wrote ", "partition ", "destroyed", "cleared", "looked")
    return {
        name: (int(lines[-1].split()[1]), [line for line in lines if line.startswith(steps)])
        for name, lines in told.items()
    }


def once(function: str, refuses: str) -> str:
    """Return shell in which a function has nothing to say when it is asked first and refuses when it is asked again."""
    return f"{function}() {{ forget_problems; looks=$((${{looks-0}} + 1)); [ $looks -lt 2 ] || {refuses}; }}"


def test_that_nothing_is_created_where_one_guard_refuses(machine: Machine) -> None:
    main = 'main --yes-create tank <<<""'
    early = ("check_fixed_part", "require_machine", "open_log", "find_pools")
    late = ("ask_keys", "require_witnesses")
    trials = {
        "nothing": main,
        **{name: f"{name}() {{ die 3 no; }}; {main}" for name in (*early, *late)},
        **{
            name: f"{name}() {{ {REFUSES}; }}; {main}"
            for name in ("check_files", "check_keys", "check_known", "check_mountpoints")
        },
        "check_disks": f"check_disks() {{ forget_problems; {REFUSES}; }}; {main}",
        "probe_disks": f"probe_disks() {{ {REFUSES}; }}; {main}",
        "rehearse": f"rehearse() {{ end_early 3; }}; {main}",
        "record_begun": f"record_begun() {{ die 3 no; }}; {main}",
        "a disk that was used": f"probe_disks() {{ used_disks=(1); used_words=([1]=x); }}; {main}",
        "a folder that is covered": f"check_mountpoints() {{ covered_count=1; }}; {main}",
        "another pool of the name": f"find_namesakes() {{ namesakes=(tank); }}; {main}",
        "no name": "main <<<''",
        "another name": "main <<<tank2",
        "the name": "main <<<tank",
        "written to while it was asked": "probe_again() { die 1 no; }; main <<<tank",
        "not asked, so not read again": f"probe_again() {{ die 1 no; }}; {main}",
        "a disk that changed meanwhile": f"{once('check_disks', REFUSES)}; {main}",
        "only checked": "main --check",
    }
    told = ended(machine, script_for(small_design(), machine), FINE, trials)
    created = [steps[2] for status, steps in told.values() if status == 0 and len(steps) > 2]
    assert set(created) == {told["nothing"][1][2]}
    assert created[0].startswith("wrote zpool create ")
    wrote = {name for name, (_, steps) in told.items() if any(step.startswith("wrote") for step in steps)}
    assert wrote == {"nothing", "the name", "not asked, so not read again"}
    refused = told.keys() - wrote - {"only checked"}
    assert all(told[name][0] in (1, 3) for name in refused), told
    assert {name for name, (_, steps) in told.items() if "begun" in steps} == wrote
    before = {*early, "check_files", "check_keys", "check_known", "check_mountpoints"}
    before |= {"check_disks", "probe_disks", "rehearse"}
    assert {name for name in refused if told[name][1] == []} == before
    assert told["only checked"] == (0, ["rehearsed"])


def test_that_nothing_is_added_to_a_pool_that_is_there_where_one_guard_refuses(machine: Machine) -> None:
    there = f"{FINE}\nfind_pools() {{ pool_state=(existing); }}\nmake_pending() {{ echo wrote it; }}\n"
    main = 'main --yes-create tank <<<""'
    trials = {
        "nothing": main,
        "nothing missing": f"find_pending() {{ pending=(); }}; {main}",
        **{name: f"{name}() {{ {REFUSES}; }}; {main}" for name in ("check_keys", "check_mountpoints")},
        **{name: f"{name}() {{ die 3 no; }}; {main}" for name in ("ask_keys", "require_witnesses")},
        "a folder that is covered": f"check_mountpoints() {{ covered_count=$((covered_count + 1)); }}; {main}",
        "folders that were agreed to before": f"covered_count=2; used_disks=(1); namesakes=(tank); {main}",
        "no name": "main <<<''",
        "the name": "main <<<tank",
        "only checked": "main --check",
    }
    told = ended(machine, script_for(small_design(), machine), there, trials)
    wrote = {name for name, (_, steps) in told.items() if steps}
    assert wrote == {"nothing", "the name", "folders that were agreed to before"}
    assert {name for name, (status, _) in told.items() if status == 0} == wrote | {"nothing missing", "only checked"}


def test_that_no_disk_is_partitioned_where_one_guard_refuses(machine: Machine) -> None:
    fine = f"{FINE}\nlook_again() {{ echo looked; }}\npartition_disks() {{ echo partition $1; }}\n"
    fine += "wait_for_partitions() { :; }\n"
    trials = {
        "nothing": "make_partitions",
        "check_disks": f"check_disks() {{ forget_problems; {REFUSES}; }}; make_partitions",
        "record_begun": "record_begun() { die 3 no; }; make_partitions",
        "what is found afterwards": f"{once('check_disks', REFUSES)}; make_partitions",
    }
    told = ended(machine, script_for(small_design(), machine), fine, trials)
    assert told == {
        "nothing": (0, ["looked", "begun", "partition make"]),
        "check_disks": (1, ["looked"]),
        "record_begun": (3, ["looked"]),
        "what is found afterwards": (3, ["looked", "begun", "partition make"]),
    }


# The undo, where all is well and there is something to do.
UNDOING: str = table(__file__, "undoing")


def test_that_nothing_is_destroyed_where_one_guard_refuses(machine: Machine) -> None:
    guards = (
        *("check_fixed_part", "require_machine", "open_log", "check_machine", "find_pools", "check_identities"),
        *("look", "refuse_half_a_pool", "require_witnesses", "look_again_at"),
    )
    main = "main <<<'destroy tank'"
    trials = {
        "nothing": main,
        **{name: f"{name}() {{ die 1 no; }}; {main}" for name in guards},
        "no record": f"record_undoing() {{ return 1; }}; {main}",
        "nothing to do": f"look() {{ :; }}; {main}",
        "nothing but disks of others": f"look() {{ left_alone=2; }}; {main}",
        "data": f"pool_data=(yes); {main}",
        "data that may go": "pool_data=(yes); main --with-data <<<'destroy tank with its data'",
        "data that may go, other words": f"pool_data=(yes); {main.replace('main', 'main --with-data')}",
        "not typed": "main <<<''",
        "only checked": f"{main.replace('main', 'main --check')}",
        "only labels": f"find_pools() {{ pool_state=(absent); }}; {main}",
        "disks that were left alone": f"clear_disks() {{ left_alone=1; echo cleared; }}; {main}",
    }
    told = ended(machine, undo_for(small_design(), machine), UNDOING, trials)
    done = (0, ["destroyed zpool destroy tank", "cleared"])
    assert told["nothing"] == told["data that may go"] == done
    assert told["disks that were left alone"] == (1, done[1])
    assert told["only labels"] == (0, ["cleared"])
    wrote = {name for name, (_, steps) in told.items() if steps}
    assert wrote == {"nothing", "data that may go", "disks that were left alone", "only labels"}
    good = {name for name, (status, _) in told.items() if status == 0}
    assert good - wrote == {"nothing to do", "only checked"}


def test_that_bad_usage_of_the_undo_ends_it_at_once(machine: Machine) -> None:
    good = ("--guid 77", "--record /etc/passwd", "--check --with-data --moved-here")
    bad = ("--guid 77x", "--guid", "--record /nowhere", "--record", "--force", "tank")
    trials = {words: f"parse_arguments {words}" for words in (*good, *bad)}
    told = ended(machine, undo_for(small_design(), machine), "", trials)
    assert {name: status for name, (status, _) in told.items()} == dict.fromkeys(bad, 2) | dict.fromkeys(good, 0)


@pytest.mark.slow
def test_that_an_identity_is_asked_of_every_disk_before_the_undo(machine: Machine) -> None:
    trials = {
        "as designed": "check_identities; echo on",
        "another serial": "tell sdb serial OTHER; check_identities; echo on",
        "another size": "tell sdc size 5; check_identities; echo on",
        "another kind": "tell sdc type mpath; check_identities; echo on",
        "one that is gone": "disk_dev[1]=; check_identities; echo on",
    }
    told = asked(machine, undo_for(small_design(), machine), trials)
    went_on = {name for name, lines in told.items() if lines[-2:] == ["on", "status 0"]}
    assert went_on == {"as designed", "one that is gone"}
    assert {lines[-1] for lines in told.values()} == {"status 0", "status 1"}


def test_that_a_run_whose_first_writing_command_fails_does_not_say_that_nothing_was_changed(machine: Machine) -> None:
    """Whatever the command was: nobody knows how far it came."""
    fails = "zpool() { return 1; }; zfs() { return 1; }; sgdisk() { return 1; }; wipefs() { return 1; }; "
    fails += "tell_left() { echo left; }; use_pool 0; "
    trials = {
        "a pool": f"{fails}create_pool",
        "a dataset": f"{fails}pending=(0); make_pending",
        "a partition": f"{fails}disk_table=(x); missing_partitions() {{ told=(-n 1); }}; partition_disks make",
        "a rehearsal": f"{fails}rehearse",
        "a pretended partition": (
            f"{fails}disk_table=(x); missing_partitions() {{ told=(-n 1); }}; partition_disks rehearse"
        ),
    }
    told = asked(machine, script_for(small_design(), machine), trials)
    trials = {
        "a destruction": f"{fails}record_undoing() {{ :; }}; look_again_at() {{ :; }}; pool_state=(existing); "
        "destroy_pools",
        "a disk": f"{fails}find_leaves() {{ :; }}; find_listed() {{ :; }}; judge_disk() {{ verdict=ours; }}; "
        "clear_label() { :; }; clear_disks",
    }
    told |= asked(machine, undo_for(small_design(), machine), trials)
    pretended = {"a rehearsal", "a pretended partition"}
    assert {name for name, lines in told.items() if "left" in lines} == told.keys() - pretended
    assert {name for name, lines in told.items() if "Nothing was changed." in lines} == pretended
    assert {lines[-1] for lines in told.values()} == {"status 3"}


def test_that_a_value_is_as_designed_in_any_way_in_which_the_tools_print_it(machine: Machine) -> None:
    asks = "zfs() { case $2 in -Hp) echo EXACT ;; *) echo SHOWN ;; esac; }; also recordsize 1048576 1M; "
    asks += "check_property tank/home recordsize 1048576 zfs; echo $difference_count"

    def of(shown: str, exact: str) -> str:
        return asks.replace("SHOWN", shown).replace("EXACT", exact)

    trials = {
        "as written": of("1048576", "1048576"),
        "as shown": of("1M", "1M"),
        "exactly": of("1.00M", "1048576"),
        "another": of("128K", "131072"),
        "one that another property may have": f"also copies 1048576 2; {of('2', '2')}",
        "untold": asks.replace("echo EXACT", "return 1").replace("echo SHOWN", "return 1"),
    }
    told = asked(machine, script_for(small_design(), machine), trials)
    assert {name: lines[-2] for name, lines in told.items()} == {
        **dict.fromkeys(("as written", "as shown", "exactly"), "0"),
        **dict.fromkeys(("another", "one that another property may have", "untold"), "1"),
    }
    assert "tank/home: recordsize is 128K, the design says 1048576" in told["another"][0]
    assert "recordsize is unknown" in told["untold"][0]


def test_that_what_lies_on_each_disk_is_told_when_a_run_ends_early(machine: Machine) -> None:
    machine.partition("sdb", "sdb1")
    trials = {
        "nothing": "disk_state 0",
        "gone": "disk_dev[0]=; disk_state 0",
        "a file system": "tell sda blkid TYPE=ext4; disk_state 0",
        "partitions": "tell sdb1 blkid TYPE=zfs_member LABEL=tank; disk_state 1",
        "in a pool": "pool_leaves=' sdb '; disk_state 1",
    }
    told = asked(machine, script_for(small_design(), machine), trials)
    assert {name: "".join(lines[:-1]) for name, lines in told.items()} == {
        "nothing": "",
        "gone": "the disk is gone",
        "a file system": "ext4",
        "partitions": "partitions sdb1 (zfs_member named tank)",
        "in a pool": "serves an imported pool",
    }


def test_that_only_a_log_of_ones_own_is_written_on(machine: Machine, tmp_path: Path) -> None:
    mark = "# Log of a Poolwright script\n"
    for name, text in {"own": mark, "other": f"x\n{mark}", "empty": ""}.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "link").symlink_to("own")
    (tmp_path / "link to nothing").symlink_to("nothing")
    (tmp_path / "folder").mkdir()
    not_owned = '[() { [[ $1 != -O ]] && builtin [ "$@"; }'
    names = ("own", "new", "other", "empty", "link", "link to nothing", "folder")
    trials = {name: f"POOLWRIGHT_LOG='{tmp_path / name}'; open_log" for name in names}
    trials["of another user"] = f"POOLWRIGHT_LOG='{tmp_path}/own'; {not_owned}; open_log"
    told = asked(machine, script_for(small_design(), machine), trials)
    assert {name for name, lines in told.items() if lines[-1] == "status 0"} == {"own", "new"}
    assert {lines[-1] for lines in told.values()} == {"status 0", "status 2"}
    assert (tmp_path / "other").read_text() == f"x\n{mark}"
    assert not (tmp_path / "nothing").exists()
