"""What the undo takes for its own and what it leaves alone: each guard alone, where just one thing is otherwise."""

import fcntl
import os
import shlex
from pathlib import Path

import pytest
from tests.emit.functions import asked, endings
from tests.emit.pretend import Machine, machine_for, script_for, small_design
from tests.emit.undoing import undo_for

LABEL = "LABEL 0\n    name: '{pool}'\n    state: {state}\n    txg: {txg}\n    pool_guid: {guid}\n"
DEEPER = "    vdev_tree:\n        pool_guid: 77\n"
ZPOOL = "6a898cc3-1dd2-11b2-99a6-080020736631"
TAIL = "6a945a3b-1dd2-11b2-99a6-080020736631"


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    made = machine_for(small_design(), tmp_path / "machine")
    for number in (1, 9):
        made.partition("sdb", f"sdb{number}")
        (made.root / f"sys/sdb/sdb{number}/partition").write_text(f"{number}\n")
    return made


def ended(machine: Machine, trials: dict[str, str]) -> dict[str, tuple[int, str]]:
    return endings(asked(machine, undo_for(small_design(), machine), trials))


def label(pool: str = "tank", guid: int = 77, state: int = 2, txg: int = 4, more: str = "") -> str:
    text = LABEL.format(pool=pool, guid=guid, state=state, txg=txg) + more
    return f"tell sdb1 zdb {shlex.quote(text)}"


# What is found on the first partition, what is known before, what comes of it.
# The pool of this design was destroyed by an undo, or by hand.
UNDOING, MADE = (f"proven['pool 77']=0; progress[0]={word}" for word in ("undoing", "made"))
PLACES = {
    "nothing": ("", "empty"),
    "a file system": ("tell sdb1 blkid TYPE=ext4", "foreign"),
    "a signature": ("tell sdb1 wipefs '0x438,,,ext4'", "foreign"),
    "of an imported pool": ("pool_leaves=' sdb1 '", "foreign"),
    "on a disk of an imported pool": ("pool_leaves=' sdb '", "foreign"),
    "of a pool to be imported": ("listed_leaves=' sdb1 '", "foreign"),
    "that zdb cannot read": ("zdb() { return 1; }", "foreign"),
    "destroyed": (f"{label()}; {UNDOING}", "ours"),
    "destroyed by hand": (f"{label()}; {MADE}", "ours back"),
    "destroyed, not proven": (f"{label()}; progress[0]=undoing", "foreign"),
    "destroyed, another proven": (f"{label()}; proven['pool 78']=0; progress[0]=undoing", "foreign"),
    "destroyed, named": (f"{label()}; told_guids=' 77 '", "ours"),
    "destroyed, a longer one named": (f"{label()}; told_guids=' 770 177 '", "foreign"),
    "not destroyed": (f"{label(state=0)}; {UNDOING}", "foreign kept"),
    "not destroyed, not proven": (label(state=0), "foreign kept there"),
    "not destroyed, named": (f"{label(state=0)}; told_guids=' 77 '", "ours"),
    "not destroyed, of others": (label(pool="other", state=0), "foreign"),
    "never a pool": (f"{label(state=0, txg=0)}; progress[0]=begun", "ours"),
    "never a pool, of others": (f"{label(pool='other', state=0, txg=0)}; progress[0]=begun", "foreign"),
    "never a pool, but it was made": (f"{label(state=0, txg=0)}; progress[0]=made", "foreign kept never"),
    "a pool, though it was begun": (f"{label(state=0)}; progress[0]=begun", "foreign kept there"),
    "a spare": ("tell sdb1 zdb $'LABEL 0\\n    state: 3\\n    guid: 5'; proven['vdev 5']=0", "ours"),
    "a spare of others": ("tell sdb1 zdb $'LABEL 0\\n    state: 3\\n    guid: 5'; proven['vdev 6']=0", "foreign"),
    "a spare, named": ("tell sdb1 zdb $'LABEL 0\\n    state: 3\\n    guid: 5'; told_guids=' 5 '", "ours"),
    "a cache": (
        "tell sdb1 zdb $'LABEL 0\\n    state: 4\\n    guid: 5\\nL2ARC device\\n    pool_guid: 9'; proven['vdev 5']=0",
        "ours",
    ),
    "a second label of others": (
        f"{label(more=LABEL.format(pool='other', guid=99, state=2, txg=4))}; {UNDOING}",
        "foreign",
    ),
    "a guid of a vdev further in": (f"{label(guid=99, more=DEEPER)}; {UNDOING}", "foreign"),
    "more than a label": (f"{label()}; {UNDOING}; tell sdb1 wipefs '0x438,,,ext4'", "foreign"),
    "nothing but a label": (f"{label()}; {UNDOING}; tell sdb1 wipefs '# offset' '0x3f000,,,zfs_member'", "ours"),
    "signatures that cannot be read": (f"{label()}; {UNDOING}; wipefs() {{ return 1; }}", "foreign"),
    "labels in part": (f"{label(more='    labels = 0 1 ')}; {MADE}", "foreign back"),
    "all labels": (f"{label(more='    labels = 0 1 2 3 ')}; {MADE}", "ours back"),
    "labels in part, being undone": (f"{label(more='    labels = 0 1 ')}; {UNDOING}", "ours"),
    "labels in part, named": (f"{label(more='    labels = 0 1 ')}; told_guids=' 77 '", "ours"),
}


@pytest.mark.slow
def test_that_only_what_is_proven_to_be_of_this_design_is_taken_for_its_own(machine: Machine) -> None:
    shown = '; judge_place 1 "$root/dev/sdb1"; seen=$verdict; [ -z "$not_destroyed" ] || seen="$seen kept"; '
    shown += '[ -z "$never_was" ] || seen="$seen never"; [ "$pools_there" = " " ] || seen="$seen there"; '
    shown += '[ -z "${brought_back[0]-}" ] || seen="$seen back"; echo "$seen"'
    before = "listed_leaves=' '; pool_leaves=' '; "
    told = ended(machine, {name: f"{before}{found or 'true'}{shown}" for name, (found, _) in PLACES.items()})
    assert {name: text for name, (_, text) in told.items()} == {name: verdict for name, (_, verdict) in PLACES.items()}
    assert {status for status, _ in told.values()} == {0}


@pytest.mark.slow
def test_that_a_whole_disk_is_cleared_only_where_its_table_is_proven_too(machine: Machine) -> None:
    ours = f"tell sdb1 blkid PART_ENTRY_NAME=zfs-1 PART_ENTRY_TYPE={ZPOOL}; tell sdb9 blkid PART_ENTRY_TYPE={TAIL}; "
    ours += "tell sdb blkid PTTYPE=gpt PTUUID=abc"
    bare = "partition_node() { :; }; tell sda blkid PTTYPE=gpt; "
    bare += "tell sda wipefs '# offset,uuid,label,type' '0x200,,,gpt' '0x1fe,,,PMBR'"
    name = "ata-ST6000NM0034_ZAD00001"
    shown = 'echo "$verdict"'
    trials = {
        "gone": "disk_dev[1]=; judge_disk 1",
        "empty": "judge_disk 0",
        "in a pool": "pool_leaves=' sda '; judge_disk 0",
        "with a file system": "tell sda blkid TYPE=ext4; judge_disk 0",
        "with a signature": "tell sda wipefs 'x ext4'; judge_disk 0",
        "with a table": f"{bare}; judge_disk 0",
        "with a table of a creation": f"{bare}; progress[0]=begun; judge_disk 0",
        "with a table and more": f"{bare} '0x438,,,ext4'; progress[0]=begun; judge_disk 0",
        "with a table in doubt": f"{bare}; wipefs() {{ return 1; }}; progress[0]=begun; judge_disk 0",
        "with a table and a partition": f"{bare.replace('sda', 'sdb')}; progress[0]=begun; judge_disk 1",
        "with the table of zpool": f"{ours}; judge_disk 1",
        "with the table of this pool": f"{ours}; proven['table {name} abc']=0; judge_disk 1",
        "with another table recorded": f"{ours}; proven['table {name} abd']=0; judge_disk 1",
        "with the table of another disk": f"{ours}; proven['table x abc']=0; judge_disk 1",
        "with the table of zpool, begun": f"{ours}; progress[0]=begun; judge_disk 1",
        "with that and a label of others": f"{ours}; progress[0]=begun; {label('other', 99)}; judge_disk 1",
        "with that and a whole label of others": (
            f"{ours}; progress[0]=begun; {label('other', 99)}; judge_disk 1".replace("sdb1 zdb", "sdb zdb")
        ),
        "that zdb cannot read": f"{ours}; progress[0]=begun; zdb() {{ return 1; }}; judge_disk 1",
    }
    before = "listed_leaves=' '; pool_leaves=' '"
    told = ended(machine, {name: f"{before}; {found}; {shown}" for name, found in trials.items()})
    found_ours = ("with a table of a creation", "with the table of this pool", "with the table of zpool, begun")
    others = {"gone": "missing", "empty": "empty", **dict.fromkeys(found_ours, "ours")}
    assert {name: text for name, (_, text) in told.items()} == dict.fromkeys(trials, "foreign") | others


def test_that_the_labels_on_the_disks_are_those_of_the_pool_that_would_be_destroyed(machine: Machine) -> None:
    asks = "pool_number=0; label_device() { [ $1 != 1 ] || echo $root/dev/sdb1; }; labels_match 77"
    spare = "tell sdb1 zdb $'LABEL 0\\n    state: 3\\n    guid: 5'"
    trials = {
        "the same": f"{label(state=0)}; {asks}",
        "none": asks,
        "another": f"{label(state=0, guid=78)}; {asks}",
        "a spare of the pool": f"{spare}; proven['vdev 5']=0; {asks}",
        "a spare of others": f"{spare}; proven['vdev 6']=0; {asks}",
        "unreadable": f"zdb() {{ return 1; }}; {asks}",
    }
    told = ended(machine, trials)
    assert {name for name, (status, _) in told.items() if status == 0} == {"the same", "none", "a spare of the pool"}


def test_that_the_undo_runs_only_on_the_machine_of_the_creation_and_of_its_disks(machine: Machine) -> None:
    host = "machine_id() { echo here; }; "
    trials = {
        "this": f"{host}check_host here h",
        "unknown": f"{host}check_host '' ''; check_host - -",
        "another": f"{host}check_host there h",
        "another, moved": f"{host}moved_here=yes; check_host there h",
        "recorded elsewhere": f"{host}recorded_machine=there; check_machine",
        "recorded here": f"{host}recorded_machine=here; check_machine",
        "one disk": "disk_dev=('' '' x); check_machine",
        "no disk": "disk_dev=('' '' ''); check_machine",
    }
    told = ended(machine, trials)
    refused = {name for name, (status, _) in told.items() if status == 1}
    assert refused == {"another", "recorded elsewhere", "no disk"}
    assert {status for status, _ in told.values()} == {0, 1}


def test_that_a_pool_is_destroyed_only_where_it_is_proven_and_still_the_same(machine: Machine) -> None:
    proof = "own_property() { :; }; vdev_guids() { echo 5; }; use_pool 0; "
    again = "use_pool 0; pool_data=(BEFORE); compare_layout() { SAME; }; zpool() { echo GUID; }; "
    again += "tell_losses() { pool_data[0]=NOW; }; proven['pool 77']=0; look_again_at; echo on"

    def look(same: str = "true", guid: int = 77, before: str = "no", now: str = "no") -> str:
        words = (("SAME", same), ("GUID", str(guid)), ("BEFORE", before), ("NOW", now))
        text = again
        for word, value in words:
            text = text.replace(word, value)
        return text

    trials = {
        "proven": f"{proof}proven['pool 77']=0; prove_pool 77; echo on",
        "not proven": f"{proof}prove_pool 77; echo on",
        "another proven": f"{proof}proven['pool 78']=0; prove_pool 77; echo on",
        "named": f"{proof}told_guids=' 77 '; prove_pool 77; echo on",
        "a longer one named": f"{proof}told_guids=' 177 '; prove_pool 77; echo on",
        "by itself on another machine": (
            "own_property() { echo there h; }; is_recorded() { true; }; use_pool 0; prove_pool 77; echo on"
        ),
        "unchanged": look(),
        "with data all along": look(before="yes", now="yes"),
        "other vdevs meanwhile": look(same="false"),
        "another pool meanwhile": look(guid=78),
        "data meanwhile": look(now="yes"),
    }
    told = ended(machine, trials)
    went_on = {"proven", "named", "unchanged", "with data all along"}
    assert {name for name, (status, _) in told.items() if status == 0} == went_on
    assert {name for name, (_, text) in told.items() if text.endswith("on")} == went_on
    assert {status for status, _ in told.values()} == {0, 1}


def test_that_exactly_the_words_are_typed_and_data_are_asked_for_by_name(machine: Machine) -> None:
    asks = "use_pool 0; pool_data=(DATA); confirm <<<'TYPED'; echo on"

    def typed(words: str, data: str = "no") -> str:
        return asks.replace("DATA", data).replace("TYPED", words)

    refuse = "with_data=WITH; pool_data=(no DATA); refuse_data; echo on"
    trials = {
        "words": typed("destroy tank"),
        "data": typed("destroy tank with its data", "yes"),
        "too little for data": typed("destroy tank", "yes"),
        **{repr(words): typed(words) for words in ("", "tank", "destroy", "destroy tank ", "destroy tank2", "yes")},
        "no data": refuse.replace("WITH", "no").replace("DATA", "no"),
        "data that may go": refuse.replace("WITH", "yes").replace("DATA", "yes"),
        "data that may not": refuse.replace("WITH", "no").replace("DATA", "yes"),
    }
    told = ended(machine, trials)
    went_on = {"words", "data", "no data", "data that may go"}
    assert {name for name, (status, _) in told.items() if status == 0} == went_on
    assert {status for status, _ in told.values()} == {0, 1}


@pytest.mark.slow
def test_that_whatever_is_in_a_pool_or_cannot_be_seen_in_it_counts_as_data(machine: Machine) -> None:
    known = 'own_property() { echo "5 43008 3"; }; objects_of() { echo 3; }; only_folders() { true; }; '
    fresh = ("tank/home", "filesystem", "5", "yes", "none", "-", "-", "43008", "/nowhere")

    def row(before: str = "true", **columns: str) -> str:
        names = ("name", "type", "guid", "mounted", "key", "origin", "token", "logical", "mountpoint")
        cells = [columns.get(name, value) for name, value in zip(names, fresh, strict=True)]
        text = "\\t".join(cells)
        return f"{known}{before}; pool_data=(no); tell_dataset $'{text}'; echo \"${{pool_data[0]}}\""

    pool = 'use_pool 0; pool_data=(no); ASK; echo "${pool_data[0]}"'
    data = {
        "of another": row(name="tank/photos"),
        "a clone": row(origin="tank@a"),
        "being received": row(token="1-a"),
        "locked": row(key="unavailable"),
        "untold": row(logical="-"),
        "grown": row(logical="43009"),
        "more files": row("objects_of() { echo 4; }"),
        "files not told": row("objects_of() { return 1; }"),
        "a file in sight": row("only_folders() { false; }"),
        "made anew": row("is_untouched() { false; }", guid="6"),
        "a volume made anew": row(type="volume", guid="6"),
        "a volume written to": row(type="volume", logical="43007"),
        "a snapshot": pool.replace("ASK", "zfs() { echo tank@a; }; tell_names snapshot"),
        "snapshots not told": pool.replace("ASK", "zfs() { return 1; }; tell_names snapshot"),
        "a bookmark": pool.replace("ASK", "zfs() { echo tank#a; }; tell_names bookmark"),
        "bookmarks not told": pool.replace("ASK", "zfs() { return 1; }; tell_names bookmark"),
        "a checkpoint": pool.replace("ASK", "zpool() { echo 4096; }; tell_pool_state"),
        "a checkpoint not told": pool.replace("ASK", "zpool() { return 1; }; tell_pool_state"),
        "datasets not told": pool.replace("ASK", "zfs() { return 1; }; tell_datasets"),
        "not synced": pool.replace(
            "ASK", "zpool() { [ $1 != sync ] && echo -; }; zfs() { :; }; tell_datasets() { :; }; tell_losses 77"
        ),
    }
    none = {
        "fresh": row(),
        "smaller": row(logical="20992"),
        "fewer files": row("objects_of() { echo 2; }"),
        "not mounted": row("only_folders() { false; }", mounted="no"),
        "made anew, untouched": row("is_untouched() { true; }", guid="6"),
        "a volume": row(type="volume"),
        "no snapshot": pool.replace("ASK", "zfs() { :; }; tell_names snapshot"),
        "no checkpoint": pool.replace("ASK", "zpool() { echo -; }; tell_pool_state"),
        "synced": pool.replace("ASK", "zpool() { echo -; }; zfs() { :; }; tell_datasets() { :; }; tell_losses 77"),
    }
    told = ended(machine, data | none)
    found = {name: text.splitlines()[-1] for name, (_, text) in told.items()}
    assert found == dict.fromkeys(data, "yes") | dict.fromkeys(none, "no")


def test_that_a_pool_that_is_only_exported_is_never_taken_apart(machine: Machine) -> None:
    asks = "not_destroyed='tank (guid 77)'; BEFORE; refuse_half_a_pool; echo on"
    trials = {
        "none": "refuse_half_a_pool; echo on",
        "exported": asks.replace("BEFORE", "true"),
        "never a pool": asks.replace("BEFORE", "never_was=77"),
        "never a pool here, but there": asks.replace("BEFORE", "never_was=77; pools_there=' 77 '"),
        "destroyed": asks.replace("BEFORE", "brought_back[0]=77"),
    }
    told = ended(machine, trials)
    assert {name: status for name, (status, _) in told.items()} == dict.fromkeys(told, 1) | {"none": 0}
    assert "Import it" in told["exported"][1]
    assert "a failed `zpool create`" in told["never a pool"][1]
    assert "Import it" in told["never a pool here, but there"][1]
    assert "was destroyed" in told["destroyed"][1]


def test_that_a_label_is_cleared_with_force_only_where_it_is_not_destroyed(machine: Machine) -> None:
    asks = 'run() { echo "$@"; }; clear_label "$root/dev/sdb1"'
    trials = {
        "none": asks,
        "destroyed": f"{label()}; {asks}",
        "not destroyed": f"{label(state=0)}; {asks}",
        "unreadable": f"zdb() {{ return 1; }}; {asks}",
        "no device": 'run() { echo "$@"; }; clear_label ""',
    }
    told = ended(machine, trials)
    device = str(machine.root / "dev/sdb1")
    assert told["none"] == told["no device"] == (0, "")
    assert told["destroyed"] == (0, f"zpool labelclear {device}")
    assert told["not destroyed"] == (0, f"zpool labelclear -f {device}")
    assert told["unreadable"][0] == 3


def test_that_a_pool_whose_volume_is_in_use_is_not_destroyed(machine: Machine) -> None:
    around = (
        'use_pool 0; proc="$root/proc"; dev_zvol="$root/zvol"; system="$root/config"; touch "$root/dev/zd0"; '
        'mkdir -p "$dev_zvol/tank/vm" "$root/sys/zd0/holders" "$proc/1/fd"; echo qemu >"$proc/1/comm"; '
        'ln -sf "$root/dev/zd0" "$dev_zvol/tank/vm/disk"; '
    )
    after = 'check_volumes; rm -r "$root/proc" "$root/zvol"'
    trials = {
        "free": f"{around}{after}",
        "a machine": f'{around}ln -s "$root/dev/zd0" "$proc/1/fd/9"; {after}',
        "swap": f"{around}tell zd0 mount '[SWAP]'; {after}",
        "LVM": f'{around}rm -rf "$proc/1"; touch "$root/sys/zd0/holders/dm-0"; {after}',
        "iSCSI": f'{around}rm -r "$proc/1" "$root/sys/zd0/holders/dm-0"; '
        'mkdir -p "$system/target/core/iblock_0/vm"; '
        f'echo "$root/dev/zd0" >"$system/target/core/iblock_0/vm/udev_path"; {after}',
    }
    told = ended(machine, trials)
    assert told["free"][0] == 0, told["free"]
    for name, words in {
        "a machine": "tank/vm/disk: is in use by qemu (process 1)",
        "swap": "is in use at [SWAP]",
        "LVM": "is tied to dm-0",
        "iSCSI": "iblock_0/vm/udev_path",
    }.items():
        assert told[name][0] == 1, name
        assert words in told[name][1]
        assert "was not destroyed" in told[name][1]


def test_that_a_list_by_which_systemd_would_mount_what_is_gone_is_named(machine: Machine) -> None:
    around = (
        "pool_state=(existing); look_again_at() { :; }; check_volumes() { :; }; record_undoing() { :; }; "
        'run() { :; }; have() { false; }; mount_lists=$root/lists; mkdir -p "$mount_lists"; '
    )
    trials = {
        "none": f"{around}destroy_pools",
        "empty": f'{around}: >"$mount_lists/tank"; destroy_pools',
        "kept": f'{around}echo tank >"$mount_lists/tank"; destroy_pools',
    }
    told = ended(machine, trials)
    assert told["none"] == told["empty"] == (0, "")
    assert told["kept"][0] == 0
    assert told["kept"][1].startswith(f"note: {machine.root}/lists/tank still names tank: ")
    assert told["kept"][1].endswith(f": >{machine.root}/lists/tank")


def test_that_a_script_that_takes_turns_waits_for_no_other_one(machine: Machine) -> None:
    turns = {
        "alone": "take_turn; echo free",
        "beside another": 'exec 7<"$dev_by_id"; flock 7; take_turn; echo free',
        "after another": '(exec 7<"$dev_by_id"; flock 7); take_turn; echo free',
        "where there is no flock": 'have() { return 1; }; exec 7<"$dev_by_id"; flock 7; take_turn; echo free',
    }
    told = ended(machine, turns)
    assert {name: text for name, (status, text) in told.items() if status == 0} == dict.fromkeys(
        ("alone", "after another", "where there is no flock"), "free"
    )
    assert told["beside another"][0] == 1
    assert "Another such script is at work" in told["beside another"][1]


@pytest.mark.parametrize("kind", ["create", "undo"])
def test_that_of_two_runs_at_once_the_second_changes_nothing(machine: Machine, kind: str) -> None:
    held = os.open(machine.root / "dev/by-id", os.O_RDONLY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
        script = (undo_for if kind == "undo" else script_for)(small_design(), machine)
        second = machine.run(script, typed="destroy tank\n" if kind == "undo" else "tank\n")
        assert second.status == 1, second.text
        assert "Another such script is at work" in second.text
        assert second.changes() == []
        assert "Another such script" not in machine.run(script, "--check").text
    finally:
        os.close(held)
