"""What the script refuses about a disk: each guard alone, on a machine where just one thing is wrong."""

import pytest
from tests.cases import table
from tests.emit.functions import asked
from tests.emit.pretend import Machine, script_for, small_design

NAME = "ata-ST6000NM0034_ZAD00001"
# What is wrong with the second disk, and how it is told; nothing where all is well.
WRONG = table(__file__, "wrong")


def trial(change: str) -> str:
    return f"forget_problems; pool_leaves=' sdz '; {change.replace('NAME', NAME)}; check_disk 1; problems"


def test_that_each_thing_that_is_wrong_with_a_disk_is_a_problem_and_none_where_all_is_well(machine: Machine) -> None:
    told = asked(machine, script_for(small_design(), machine), {n: trial(change) for n, (change, _) in WRONG.items()})
    for name, (_, words) in WRONG.items():
        *lines, count, status = told[name]
        wanted = words.replace("DEV", str(machine.root / "dev/sdb"))
        assert (count, status) == (str(int(wanted != "")), "status 0"), (name, told[name])
        assert "\n".join(lines).startswith(f"  - {NAME}: {wanted}" if wanted else ""), (name, lines)
        assert bool(lines) == bool(wanted), (name, lines)


@pytest.mark.parametrize(
    ("kernels", "taken"),
    [
        (("dm-3", "md127", "loop0", "zd16", "ram1", "zram0", "nbd0", "rbd0", "drbd1", "bcache0", "sr0", "fd0"), False),
        (("sda", "sdaa", "vda", "xvda", "hda", "nvme0n1", "mmcblk0", "pmem0", "dasda"), True),
    ],
)
def test_that_disks_are_taken_and_what_lies_upon_disks_is_not(
    machine: Machine, kernels: tuple[str, ...], taken: bool
) -> None:
    dev = machine.root / "dev"
    told = asked(
        machine, script_for(small_design(), machine), {kernel: f"check_kind x {dev}/{kernel}" for kernel in kernels}
    )
    for lines in told.values():
        assert lines[-1] == f"status {int(not taken)}", lines
        assert ("mapped or virtual" in lines[0]) is not taken


@pytest.mark.slow
def test_that_a_serial_number_may_be_padded_and_told_by_any_tool_but_is_needed(machine: Machine) -> None:
    asks = "forget_problems; check_serial NAME /dev/sdb ZAD00001; problems"
    quiet = "tell sdb serial ''; "
    trials = {
        "padded": f"tell sdb serial '  ZAD_00001 '; {asks}".replace("NAME", "x"),
        "by udev": f"{quiet}tell sdb udev ID_SERIAL=x ID_SERIAL_SHORT=ZAD00001; {asks}".replace("NAME", "x"),
        "by the drive": f"{quiet}tell sdb smartctl 'Serial Number:    ZAD00001'; {asks}".replace("NAME", "x"),
        "by udev of SCSI": f"{quiet}tell sdb udev ID_SCSI_SERIAL=ZAD00001; {asks}".replace("NAME", "x"),
        "by sg3-utils": f"{quiet}tell sdb udev SCSI_IDENT_SERIAL=ZAD00001; {asks}".replace("NAME", "x"),
        "by a SCSI drive": f"{quiet}tell sdb smartctl 'Serial number: ZAD00001'; {asks}".replace("NAME", "x"),
        "by another field": f"{quiet}tell sdb udev ID_MODEL=ZAD00001; {asks}".replace("NAME", "x"),
        "by the kernel": (
            "tell sdb serial ''; mkdir -p $root/sys/sdb/device; echo ZAD00001 >$root/sys/sdb/device/serial; "
            f"{asks}; rm -r $root/sys/sdb/device"
        ).replace("NAME", "x"),
        "two others": f"tell sdb serial ONE; tell sdb smartctl 'Serial number: TWO'; {asks}".replace("NAME", "x"),
        "by its name": quiet + asks.replace("NAME", "ata-x_ZAD00001"),
        "by the start of its name": quiet + asks.replace("NAME", "ata-ZAD00001_x"),
        "too short to be known by a name": quiet + "forget_problems; check_serial ata-x_001 /dev/sdb 001; problems",
        "untold": quiet + asks.replace("NAME", "x"),
        "untold without smartctl": f"{quiet}have() {{ false; }}; {asks}".replace("NAME", "x"),
        "not of the design": "forget_problems; check_serial x /dev/sdb ''; problems",
    }
    told = asked(machine, script_for(small_design(), machine), trials)
    good = {name for name in told if name.startswith("by ")} - {"by another field", "by the start of its name"}
    good |= {"padded", "not of the design"}
    assert {name for name, lines in told.items() if lines[-2:] == ["0", "status 0"]} == good
    assert {name for name, lines in told.items() if lines[-2:] == ["1", "status 0"]} == told.keys() - good
    assert "has the serial number ONE, TWO, the design says ZAD00001" in told["two others"][0]
    assert "the name ends with it" in told["by its name"][0]
    assert "Install smartmontools" in told["untold without smartctl"][0]
    assert "the design knows no serial number" in told["not of the design"][0]


@pytest.mark.slow
def test_that_the_undo_is_named_only_for_what_a_creation_of_this_design_left(machine: Machine) -> None:
    """Tables as zpool makes them, and no pool but that of the design in them."""
    for number in (1, 9):
        machine.partition("sdb", f"sdb{number}")
        (machine.root / f"sys/sdb/sdb{number}/partition").write_text(f"{number}\n")
    data, end = "6a898cc3-1dd2-11b2-99a6-080020736631", "6a945a3b-1dd2-11b2-99a6-080020736631"
    ours = f"tell sdb1 blkid PART_ENTRY_NAME=zfs-1 PART_ENTRY_TYPE={data}; tell sdb9 blkid PART_ENTRY_TYPE={end}"
    trials = {
        "bare": "true",
        "other order": f"tell sdb1 blkid PART_ENTRY_TYPE={data} PART_ENTRY_NAME=zfs-1",
        "with a label": "echo $'TYPE=zfs_member\nLABEL=tank' >>$root/facts/sdb1/blkid",
        "with the label of another": "echo $'TYPE=zfs_member\nLABEL=other' >>$root/facts/sdb1/blkid",
        "with a file system": "echo $'TYPE=ext4\nLABEL=tank' >>$root/facts/sdb1/blkid",
        "of another type": f"tell sdb1 blkid PART_ENTRY_NAME=zfs-1 PART_ENTRY_TYPE={end}",
        "of another name": f"tell sdb1 blkid PART_ENTRY_NAME=data PART_ENTRY_TYPE={data}",
        "without the second": "rm -r $root/facts/sdb9",
        "exported": "exported_name=(tank) exported_state=(ONLINE) exported_id=(7) exported_by=([sdb]=0)",
        "of others, exported": "exported_name=(other) exported_state=(ONLINE) exported_by=([sdb]=0)",
    }
    told = asked(
        machine,
        script_for(small_design(), machine),
        {
            name: f'{ours}; {change}; forget_problems; check_empty NAME "${{disk_dev[1]}}"; echo "${{!helps[@]}}"'
            for name, change in trials.items()
        },
    )
    undone = dict.fromkeys(("bare", "other order", "with a label", "of others, exported"), "undo")
    said = {name: lines[-2] for name, lines in told.items()}
    assert said == dict.fromkeys(told, "clear") | undone | {"exported": "text"}
    assert all("has partitions: sdb1" in " ".join(lines) for lines in told.values())


def test_that_a_disk_that_a_process_writes_or_another_namespace_has_mounted_is_in_use(machine: Machine) -> None:
    def process(target: str, flags: str = "", mounts: str = "") -> str:
        return (
            'proc="$root/proc"; mkdir -p "$proc"/{1,self}/{fd,fdinfo,ns}; echo qemu >"$proc/1/comm"; '
            f'ln -s "{target}" "$proc/1/{"ns/mnt" if mounts else "fd/7"}"; ln -s "mnt:[1]" "$proc/self/ns/mnt"; '
            f"echo 'flags:\t{flags}' >\"$proc/1/fdinfo/7\"; echo '{mounts}' >\"$proc/1/mountinfo\"; "
            'find_openers; check_use NAME "${disk_dev[1]}"; problems; rm -r "$root/proc"'
        )

    mount = f"36 35 8:17 / /srv rw shared:1 - ext4 {machine.root}/dev/sdb rw"
    trials = {
        "read": process("$root/dev/sdb", "0100000"),
        "written": process("$root/dev/sdb", "0100002"),
        "appended": process("$root/dev/sdb", "02001"),
        "another": process("$root/dev/sda", "0100002"),
        "mounted elsewhere": process("mnt:[2]", mounts=mount),
        "mounted in sight": process("mnt:[1]", mounts=mount),
    }
    told = asked(machine, script_for(small_design(), machine), trials)
    used = {"written", "appended", "mounted elsewhere"}
    assert {name for name, lines in told.items() if lines[-2] == "1"} == used, told
    assert {name for name, lines in told.items() if lines[-2] == "0"} == set(told) - used
    assert "in use by qemu (process 1)" in told["written"][0]
    assert "/srv, mounted in the namespace of qemu" in told["mounted elsewhere"][0]
