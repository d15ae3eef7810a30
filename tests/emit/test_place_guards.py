"""What the script refuses about places on disks: what no tool sees there, and partitions that are not its own."""

from pathlib import Path

import pytest
from tests.emit.functions import asked
from tests.emit.machines import macblog_design
from tests.emit.pretend import Machine, machine_for, script_for, small_design
from tests.emit.undoing import undo_for

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
GRAIN = 64 * KIB


def told_places(size: int) -> dict[str, int]:
    """Return where on a disk of ``size`` bytes tools write what tells of contents, by their documentation.

    Labels of ZFS: two of 256 KiB in front and two behind what is whole in 256 KiB (on-disk format, 1.2.1); the same in
    a partition that begins at 1 MiB and, on Linux, ends 8 MiB before the end. md: its superblock at 0, 4 KiB or 8 to
    12 KiB before the end (1.x), or in the last whole 64 KiB but one (0.90). GPT: in sectors 1 to 33 and the last 33.
    """
    whole = size // (256 * KIB) * (256 * KIB)
    part = (size - MIB - 8 * MIB) // (256 * KIB) * (256 * KIB)
    return {
        "master boot record": 510,
        "GPT": 512,
        "backup of the GPT": size - 512,
        "ext superblock": 1024 + 56,
        "btrfs superblock": 64 * KIB + 64,
        "XFS superblock": 0,
        "LVM label": 512 + 24,
        "LUKS header": 6,
        "LUKS second header": 16 * KIB,
        "md 1.1": 0,
        "md 1.2": 4 * KIB,
        "md 1.0": (size // 512 - 16) // 8 * 8 * 512,
        "md 0.90": size // (64 * KIB) * (64 * KIB) - 64 * KIB,
        "swap": 4096 - 10,
        "ZFS label 0": 16 * KIB,
        "ZFS label 1": 256 * KIB + 16 * KIB,
        "ZFS label 2": whole - 512 * KIB + 16 * KIB,
        "ZFS label 3": whole - 256 * KIB + 16 * KIB,
        "ZFS label 0 in a partition": MIB + 16 * KIB,
        "ZFS label 1 in a partition": MIB + 256 * KIB + 16 * KIB,
        "ZFS label 2 in a partition": MIB + part - 512 * KIB + 16 * KIB,
        "ZFS label 3 in a partition": MIB + part - 256 * KIB + 16 * KIB,
        "ext superblock in a partition": MIB + 1024 + 56,
        "behind 63 sectors": 63 * 512 + 1024 + 56,
        "btrfs copy": 64 * MIB,
    }


@pytest.mark.parametrize("size", [64 * MIB * 40 + 12345 * 512, 500107862016, 6001175126016])
def test_that_every_place_is_read_where_a_tool_writes_what_it_is_known_by(machine: Machine, size: int) -> None:
    lines = asked(machine, script_for(small_design(), machine), {"places": f"places {size}"})["places"][:-1]
    places = [(int(first) * GRAIN, int(count) * GRAIN) for first, count in (line.split() for line in lines)]
    # The last whole piece of 64 KiB is read, and what stands behind it with it.
    missed = [
        name
        for name, at in told_places(size).items()
        if not any(first <= at < first + count for first, count in places)
    ]
    assert missed == []
    assert all(first < size for first, _ in places)
    # Between them lies no stretch as large as a 40th of the disk that nobody looks into.
    starts = sorted(first for first, _ in places)
    assert max(b - a for a, b in zip(starts, [*starts[1:], size], strict=True)) <= size / 40


def test_that_bytes_count_but_zeros_and_erased_flash_do_not(machine: Machine) -> None:
    for name, content in {
        "zeros": b"\0" * (4 * MIB),
        "erased": b"\xff" * (4 * MIB),
        "late": b"\0" * (MIB + 4096) + b"x",
        "mixed": b"\xff" * 4096 + b"\xfe" + b"\xff" * (4 * MIB),
        "short": b"\xff" * 512 + b"\0" * (4 * MIB),
    }.items():
        (machine.root / "cwd" / name).write_bytes(content)
    names = ("zeros", "erased", "late", "mixed", "short")
    told = asked(
        machine,
        script_for(small_design(), machine),
        {name: f"probe {name} {4 * MIB}" for name in names} | {"nowhere": f"probe nowhere {4 * MIB}"},
    )
    found = {name: (lines[0].split()[0] != "0", lines[0].split()[2]) for name, lines in told.items()}
    assert found["zeros"] == found["erased"] == (False, "-")
    assert found["late"] == (True, str(MIB))
    assert found["mixed"] == found["short"] == (True, "0")
    assert told["nowhere"][0].startswith("unread ")


def test_that_a_disk_that_cannot_be_read_or_was_written_to_meanwhile_is_a_problem(machine: Machine) -> None:
    def with_probe(result: str, before: str = "") -> str:
        probe = f"probe_one() {{ [ $1 != 1 ] || echo '1: {result}'; }}; forget_problems; used_words=({before}); "
        return f"{probe} used_disks=(1); refuse_on_problems() {{ problems; }}; "

    trials = {
        "unread": with_probe("unread 3 65536") + "probe_disks; problems; echo ${#used_disks[@]}",
        "unanswered": "probe_one() { kill -9 $BASHPID; }; forget_problems; probe_disks; problems; echo 0",
        "nothing read": "places() { :; }; probe sda 4194304; echo; echo",
        "empty": with_probe("0 80 -") + "probe_disks; problems; echo ${#used_disks[@]}",
        "used": with_probe("2 80 4096") + "probe_disks; problems; echo ${#used_disks[@]}",
        "still empty": with_probe("0 80 -") + "probe_again",
        "still the same": with_probe("2 80 4096", "[1]='2 of 80 places, the first at byte 4096'") + "probe_again",
        "more than before": with_probe("3 80 4096", "[1]='2 of 80 places, the first at byte 4096'") + "probe_again",
        "written now": with_probe("2 80 4096") + "probe_again",
    }
    told = asked(machine, script_for(small_design(), machine), trials)
    assert told["unread"][0].startswith("  - ata-ST6000NM0034_ZAD00001: cannot be read at byte 65536")
    assert told["nothing read"][0] == "unread 0 0"
    assert {n: lines[-3:-1] for n, lines in told.items() if n in ("unread", "unanswered", "empty", "used")} == {
        "unread": ["1", "0"],
        "unanswered": ["3", "0"],
        "empty": ["0", "0"],
        "used": ["0", "1"],
    }
    counts = {name: lines[-2] for name, lines in told.items() if name.startswith(("still", "more", "written"))}
    assert counts == {"still empty": "0", "still the same": "0", "more than before": "1", "written now": "1"}


@pytest.fixture
def split(tmp_path: Path) -> Machine:
    """Return a machine whose disks carry the tables and partitions of the design, and no pool."""
    made = machine_for(macblog_design(), tmp_path / "split")
    made.build(macblog_design())
    return made


@pytest.mark.slow
def test_that_a_partition_is_the_scripts_own_only_where_all_of_it_is_as_designed(split: Machine) -> None:
    blkid = split.root / "facts/sda1/blkid"
    facts = dict(line.split("=", 1) for line in blkid.read_text().splitlines())
    other = {
        "PART_ENTRY_UUID": "00000000-0000-4000-8000-000000000000",
        "PART_ENTRY_TYPE": "0fc63daf-8483-4772-8e79-3d69d8477de4",
        "PART_ENTRY_NUMBER": "11",
        "PART_ENTRY_OFFSET": str(int(facts["PART_ENTRY_OFFSET"]) + 1),
        "PART_ENTRY_SIZE": str(int(facts["PART_ENTRY_SIZE"]) - 1),
    }
    assert facts.keys() >= other.keys()
    judge = "forget_problems; check_our_table 0; problems"

    def with_facts(changed: dict[str, str]) -> str:
        told = " ".join(f"'{key}={value}'" for key, value in (facts | changed).items())
        return f"pool_state=(absent absent); tell sda1 blkid {told}; {judge}"

    trials = {
        "as designed": with_facts({}),
        **{key: with_facts({key: value}) for key, value in other.items()},
        "not empty": with_facts({"TYPE": "ext4"}),
        "a label of the pool": with_facts({"TYPE": "zfs_member", "LABEL": "tank"}),
        "a label of another": with_facts({"TYPE": "zfs_member", "LABEL": "rest"}),
        "of a pool that is there": "pool_state=(existing absent); tell sda1 blkid "
        + " ".join(f"{key}={value}" for key, value in (facts | {"TYPE": "zfs_member"}).items())
        + f"; {judge}",
        "mounted": f"pool_state=(absent absent); tell sda1 mount /srv; {judge}",
        "in a pool": f"pool_state=(absent absent); pool_leaves=' sda1 '; {judge}",
        "one too many": "pool_state=(absent absent); mkdir $root/sys/sda/sda7; echo 7 >$root/sys/sda/sda7/partition; "
        f"{judge}; rm -r $root/sys/sda/sda7",
    }
    told = asked(split, script_for(macblog_design(), split), trials)
    counts = {name: lines[-2] for name, lines in told.items()}
    assert counts == dict.fromkeys(trials, "1") | {"as designed": "0", "of a pool that is there": "0"}
    assert all("is another partition than the one of this design" in told[key][0] for key in other)
    assert "has a partition 7 that is not of this design" in told["one too many"][0]


@pytest.mark.slow
def test_that_only_partitions_that_are_missing_are_made_and_a_table_only_where_ours_is_not(split: Machine) -> None:
    shown = 'missing_partitions 0; printf "%s " "${told[@]}"'
    trials = {
        "all there": "missing_partitions 0; echo ${#told[@]}",
        "one missing": f"part_node[5]=; part_node[1]=; part_node[0]=; {shown}",
        "another table": f"part_node[0]=; part_node[1]=; tell sda blkid PTTYPE=gpt PTUUID=0; {shown}",
    }
    told = asked(split, script_for(macblog_design(), split), trials)
    assert told["all there"][0] == "0"
    assert told["one missing"][0].startswith("-n 1:1M:+1907727M -t 1:BF01 -c 1:")
    assert "-n 2:1907728M:+953859M -t 2:BF01" in told["one missing"][0]
    assert "-U" not in told["one missing"][0].split()
    assert told["another table"][0].startswith("-U ")


LABEL = "LABEL 0\\n    name: \\'rest\\'\\n    state: STATE\\n    txg: 4\\n    pool_guid: 4712"


@pytest.mark.slow
def test_that_a_split_disk_is_the_scripts_own_only_with_all_that_is_in_its_partitions(split: Machine) -> None:
    """The first disk serves two pools, each with a partition of its own."""
    judge = "listed_leaves=' '; pool_leaves=' '; progress[1]=undoing; judge_disk 0; echo $verdict"
    label = f"tell sda2 zdb $'{LABEL}'"
    trials = {
        "empty": judge,
        "another partition": f"tell sda2 blkid PART_ENTRY_NUMBER=2; {judge}",
        "files in the first": f"echo TYPE=ext4 >>$root/facts/sda1/blkid; {judge}",
        "files in the second": f"echo TYPE=ext4 >>$root/facts/sda2/blkid; {judge}",
        "a destroyed pool": f"{label.replace('STATE', '2')}; proven['pool 4712']=1; {judge}",
        "a destroyed pool of others": f"{label.replace('STATE', '2')}; {judge}",
        "a pool": f"{label.replace('STATE', '0')}; proven['pool 4712']=1; {judge}",
        "one that is gone": f"partition_node() {{ [ $2 != 1 ] || echo $root/dev/sda1; }}; {judge}",
        "the table of others": f"tell sda blkid PTTYPE=gpt PTUUID=0; {judge}",
    }
    told = asked(split, undo_for(macblog_design(), split), trials)
    own = {"empty", "a destroyed pool", "one that is gone"}
    assert {name: lines[0] for name, lines in told.items()} == dict.fromkeys(told, "foreign") | dict.fromkeys(
        own, "ours"
    )


@pytest.mark.slow
def test_that_a_table_is_cleared_only_with_the_last_partition_in_it(split: Machine) -> None:
    steps = (
        'run() { echo "$1 $2"; [ "$1" != sgdisk ] || command "$@"; }; clear_places() { :; }; udevadm() { :; }; '
        "clear_disk 0"
    )
    of_others = "mkdir $root/sys/sda/sda7; echo 7 >$root/sys/sda/sda7/partition; "
    told = asked(split, undo_for(macblog_design(), split), {"of others": of_others + steps})["of others"]
    assert told[:2] == ["sgdisk -d", "sgdisk -d"]
    assert "keeps its partition table" in told[2]
    assert told[3:] == ["status 0"]
    again = asked(split, undo_for(macblog_design(), split), {"all": "rm -r $root/sys/sda/sda7; " + steps})["all"]
    assert again == ["wipefs -q", "status 0"]


@pytest.mark.slow
def test_that_a_table_is_cleared_by_what_it_holds_and_not_by_what_the_kernel_could_not_forget(split: Machine) -> None:
    steps = 'run() { echo "$1 $2"; }; clear_places() { :; }; udevadm() { :; }; reread_table() { :; }; clear_disk 0'
    table = "Number  Start (sector)  End (sector)  Size  Code  Name\n   7  2048  4095  1024.0 KiB  8300  others\n"
    told = asked(
        split,
        undo_for(macblog_design(), split),
        {"remembered": steps, "of others, unknown to the kernel": f"sgdisk() {{ printf {table!r}; }}; {steps}"},
    )
    assert told["remembered"] == ["sgdisk -d", "sgdisk -d", "wipefs -q", "status 0"]
    assert "keeps its partition table" in told["of others, unknown to the kernel"][2]


def test_that_a_table_is_read_anew_until_nobody_looks_at_its_partitions(split: Machine) -> None:
    around = "udevadm() { :; }; sleep() { :; }; reread_table $root/dev/sda"
    busy = 'blockdev() { echo "$1"; [ -e $root/free ] || { touch $root/free; return 1; }; }'
    told = asked(
        split,
        undo_for(macblog_design(), split),
        {"busy once": f"{busy}; {around}", "busy for ever": f"blockdev() {{ echo busy; return 1; }}; {around}"},
    )
    assert told["busy once"] == ["--rereadpt", "--rereadpt", "status 0"]
    assert told["busy for ever"] == [*["busy"] * 20, "status 1"]


@pytest.mark.slow
def test_that_no_pool_is_built_on_partitions_that_do_not_come(split: Machine) -> None:
    waits = "sleep() { :; }; udevadm() { :; }; wait_for_partitions; echo on"
    trials = {
        "there": waits,
        "not seen by the kernel": f"partition_node() {{ :; }}; {waits}",
        "without a name": f"readlink() {{ :; }}; {waits}",
        "one missing": f"mv $root/sys/sde/sde1 $root/away; {waits}",
    }
    told = asked(split, script_for(macblog_design(), split), trials)
    assert {name: lines[-1] for name, lines in told.items()} == dict.fromkeys(told, "status 3") | {"there": "status 0"}
    assert "after half a minute" in told["one missing"][0]


@pytest.mark.slow
def test_that_old_labels_in_partitions_to_come_go_only_on_disks_that_were_agreed_to(tmp_path: Path) -> None:
    design = macblog_design()
    second_begin = (1 + 1907727) * MIB  # as sgdisk is told of the first partition: 1 MiB, 1,907,727 MiB
    end = second_begin + 953859 * MIB
    cleared = {MIB + 16 * KIB, second_begin - 512 * KIB + 16 * KIB, second_begin + 16 * KIB, end - 256 * KIB}
    kept = {510, 100 * GIB, end + 100 * KIB}

    def after(name: str, before: str) -> dict[str, set[int]]:
        machine = machine_for(design, tmp_path / name)
        for disk in ("sda", "sdb"):
            with (machine.root / f"dev/{disk}").open("r+b") as file:
                for at in cleared | kept:
                    file.seek(at)
                    file.write(b"\x01")
        trial = f'run() {{ command "$@"; }}; pool_state=(absent absent); {before} clear_agreed'
        assert asked(machine, script_for(design, machine), {name: trial})[name] == ["status 0"]
        found: dict[str, set[int]] = {}
        for disk in ("sda", "sdb"):
            with (machine.root / f"dev/{disk}").open("rb") as file:
                found[disk] = {at for at in cleared | kept if file.seek(at) == at and file.read(1) == b"\x01"}
        return found

    all_there = cleared | kept
    assert after("one agreed to", "used_disks=(0);") == {"sda": kept, "sdb": all_there}
    assert after("none", "used_disks=();") == {"sda": all_there, "sdb": all_there}
    assert after("a pool that is there", "used_disks=(0); pool_state[1]=existing;")["sda"] == kept | {
        at for at in cleared if at >= second_begin
    }
    assert after("a partition that is there", "used_disks=(0); part_node[0]=/dev/x;")["sda"] == kept | {
        at for at in cleared if at < second_begin
    }


def test_that_the_table_by_which_a_disk_is_known_goes_last_and_in_one_piece(machine: Machine) -> None:
    size = 200 * MIB
    with (machine.root / "dev/sda").open("r+b") as disk:
        disk.truncate(size)
        for at in (510, MIB + 16 * KIB, 65 * MIB, size - 512):
            disk.seek(at)
            disk.write(b"\x01")
    steps = f'run() {{ printf "%s\\n" "$*"; command "$@"; }}; clear_places $root/dev/sda {size}'
    told = asked(machine, undo_for(small_design(), machine), {"clear": steps})["clear"]
    assert told[-1] == "status 0"
    written = [line for line in told[:-1] if "of=" in line]
    assert len(written) == 4
    assert "count=1 seek=0 " in written[-1]
    assert not any(" seek=0 " in line for line in written[:-1])
    assert not (machine.root / "dev/sda").read_bytes().strip(b"\0")


def test_that_partitions_of_a_table_that_is_gone_are_forgotten_before_a_disk_is_judged(machine: Machine) -> None:
    stale = "mkdir -p $root/sys/sda/sda1; echo 1 >$root/sys/sda/sda1/partition; pool_leaves=' '; "
    reads = "blockdev() { [ $1 != --rereadpt ] || rm -r $root/sys/sda/sda1; }; judge_disk 0; echo $verdict"
    table = "tell sda blkid PTTYPE=gpt PTUUID=0; "
    told = asked(
        machine,
        undo_for(small_design(), machine),
        {"gone": stale + reads, "there": stale + table + reads + "; rm -rf $root/sys/sda/sda1"},
    )
    assert told["gone"] == ["empty", "status 0"]
    assert told["there"][0] == "foreign"
