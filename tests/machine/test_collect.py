"""Reading a machine: what is asked, and what is made of answers that are missing, refused or odd."""

import shlex

import pytest
from tests.machines.writing import block, by_id, lsblk, smartctl, smartctl_complaint, zpool_status
from tests.texts.brackets import Bracketed

from poolwright import texts
from poolwright.domain.command import Batch, Command, Completed, Ending
from poolwright.domain.disk import UseKind
from poolwright.domain.errors import EnvironmentFailure
from poolwright.domain.inventory import Inventory
from poolwright.machine.collect import read_machine
from poolwright.machine.packed import collector_part
from poolwright.process.blocking import drive


class Recording:
    """Answers commands from a table of command lines; what is not in it is not installed."""

    def __init__(self, answers: dict[str, str | tuple[int, str, str]]) -> None:
        self.answers = answers
        self.asked: list[str] = []

    def __call__(self, batch: Batch) -> tuple[Completed, ...]:
        return tuple(self.answer(command) for command in batch)

    def answer(self, command: Command) -> Completed:
        self.asked.append(command.text)
        found = self.answers.get(command.text)
        if found is None:
            return Completed(command=command, ending=Ending.NOT_FOUND)
        status, out, err = found if isinstance(found, tuple) else (0, found, "")
        return Completed(command=command, ending=Ending.EXITED, status=status, stdout=out.encode(), stderr=err.encode())

    def read(self) -> Inventory:
        return drive(read_machine(), self)


def machine(*names: str, **more: str | tuple[int, str, str]) -> Recording:
    answers: dict[str, str | tuple[int, str, str]] = {
        "lsblk -J -b -O": lsblk(*(block(name) for name in names)),
        "ls -l /dev/disk/by-id": by_id(**{name: f"scsi-SX_SER{name}" for name in names}),
        "zpool status -P": (0, "", "no pools available\n"),
        "zpool import": (0, "", "no pools available to import\n"),
        "cat /proc/meminfo": "MemTotal:       16307280 kB\n",
        "cat /proc/cpuinfo": "processor\t: 0\nprocessor\t: 1\n",
        "cat /etc/os-release": 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n',
        "uname -r": "6.1.0-25-amd64\n",
        "uname -n": "box\n",
        "zfs version": "zfs-2.3.2-1\nzfs-kmod-2.3.2-1\n",
        "smartctl --scan --json": '{"smartctl": {}, "devices": []}',
    }
    answers |= {f"smartctl --json -x /dev/{name}": smartctl(f"/dev/{name}") for name in names}
    return Recording(answers | more)


def notes(inventory: Inventory) -> str:
    return "\n".join(n.text for n in inventory.notes)


def test_that_a_complete_machine_is_read_without_a_note() -> None:
    system = block("sdz", mountpoints=["/"], serial="SYSTEM1")
    recording = machine("sda", "sdb", **{"lsblk -J -b -O": lsblk(block("sda"), block("sdb"), system)})
    recording.answers["smartctl --json -x /dev/sdz"] = smartctl("/dev/sdz", serial_number="SYSTEM1")
    box = recording.read()
    assert notes(box) == ""
    assert [(d.path, d.by_id_name, d.rotation_rpm) for d in box.disks if not d.in_use] == [
        ("/dev/sda", "scsi-SX_SERsda", 7200), ("/dev/sdb", "scsi-SX_SERsdb", 7200),
    ]  # fmt: skip
    host = box.host
    assert (host.name, host.ram_bytes, host.cores, host.kernel) == ("box", 16307280 * 1024, 2, "6.1.0-25-amd64")
    assert (host.os_name, host.zfs_version) == ("Debian GNU/Linux 12 (bookworm)", "2.3.2-1")


def typed(recording: Recording) -> list[str]:
    """Return the commands that ask a disk as another type."""
    return [line for line in recording.asked if line.startswith("smartctl") and " -d " in line]


READING_PROGRAMS = {"sh", "lsblk", "ls", "cat", "uname", "smartctl", "nvme", "zpool", "zfs"}


def test_that_only_reading_commands_are_run() -> None:
    recording = machine("sda", "nvme0n1")
    recording.read()
    for line in recording.asked:
        program, *words = line.split()
        assert program in READING_PROGRAMS
        if program == "sh":
            assert shlex.split(line) == ["sh", "-c", collector_part("places"), "places"]
        if program == "zpool":
            assert words in (["status", "-P"], ["import"])
        if program == "zfs":
            assert words == ["version"]
        if program == "nvme":
            assert words[:1] == ["id-ns"]


def test_that_without_smartctl_the_kernels_facts_stay_and_a_note_says_what_to_install() -> None:
    recording = machine("sda")
    recording.answers = {k: v for k, v in recording.answers.items() if not k.startswith("smartctl")}
    box = recording.read()
    assert "Install smartmontools" in notes(box)
    assert (box.disks[0].physical_sector_bytes, box.disks[0].health) == (4096, None)


def test_that_without_permission_one_note_asks_for_root() -> None:
    denied = {
        f"smartctl --json -x /dev/{n}": (
            2,
            smartctl_complaint(f"/dev/{n}", f"open device: /dev/{n} failed: Permission denied"),
            "",
        )
        for n in ("sda", "sdb")
    }
    box = machine("sda", "sdb", **denied).read()
    assert "smartctl may not open 2 of 2 disks: run as root" in notes(box)
    assert [d.health for d in box.disks] == [None, None]


def test_that_a_disk_that_vanished_since_lsblk_is_told_of() -> None:
    gone = smartctl_complaint("/dev/sdb", "Smartctl open device: /dev/sdb failed: No such device")
    box = machine("sda", "sdb", **{"smartctl --json -x /dev/sdb": (2, gone, "")}).read()
    assert "/dev/sdb was gone" in notes(box)


def test_that_a_smartctl_that_hangs_is_told_of_and_the_rest_goes_on() -> None:
    recording = machine("sda", "sdb")

    class Hanging(Recording):
        def answer(self, command: Command) -> Completed:
            if command.text == "smartctl --json -x /dev/sda":
                return Completed(command=command, ending=Ending.TIMED_OUT)
            return super().answer(command)

    box = Hanging(recording.answers).read()
    assert "smartctl told nothing of /dev/sda: smartctl did not answer within 60 s" in notes(box)
    assert [d.rotation_rpm for d in box.disks] == [None, 7200]


def test_that_a_second_path_is_not_asked_in_any_language() -> None:
    twice = lsblk(*(block(name, wwn="0x5000cca2", serial="S1") for name in ("sda", "sdb")))
    box = machine("sda", **{"lsblk -J -b -O": twice})
    texts.use(Bracketed())
    try:
        box.read()
    finally:
        texts.use(None)
    assert [command for command in box.asked if command.startswith("smartctl --json -x")] == [
        "smartctl --json -x /dev/sda"
    ]


def test_that_a_smartctl_without_json_is_asked_again_for_text() -> None:
    old = "smartctl 6.5 2016-01-24 r4214 [x86_64-linux] (local build)\n"
    usage = f"{old}=======> UNRECOGNIZED OPTION: json\n"
    lines = "Device Model:     ST6000NM0034\nSector Size:      4096 bytes logical/physical\n"
    text = f"{old}\n=== START OF INFORMATION SECTION ===\n{lines}"
    recording = machine("sda", **{"smartctl --json -x /dev/sda": (1, usage, "")})
    recording.answers["smartctl -x /dev/sda"] = text
    assert recording.read().disks[0].logical_sector_bytes == 4096


def test_that_pools_and_foreign_labels_are_seen() -> None:
    disks = lsblk(block("sda", fstype="zfs_member", label="tank"), block("sdb", fstype="zfs_member", label="old"))
    box = machine(
        "sda", "sdb", **{"lsblk -J -b -O": disks, "zpool status -P": zpool_status("tank", "/dev/sda1")}
    ).read()
    assert [d.uses[0].kind for d in box.disks] == [UseKind.POOL, UseKind.FOREIGN_POOL]


def test_that_a_machine_without_openzfs_is_read_with_a_note() -> None:
    recording = machine("sda")
    for line in ("zpool status -P", "zpool import", "zfs version"):
        del recording.answers[line]
    box = recording.read()
    assert "zpool is not installed" in notes(box)
    assert box.host.zfs_version is None


def test_that_an_unloaded_module_is_a_note_in_zpools_words() -> None:
    said = (1, "", "The ZFS modules are not loaded.\nTry running 'modprobe zfs' as root to load them.\n")
    assert "modprobe zfs" in notes(machine("sda", **{"zpool status -P": said}).read())


def test_that_drives_behind_a_raid_controller_are_asked_by_their_type() -> None:
    scan = '{"smartctl": {}, "devices": [{"name": "/dev/bus/0", "type": "megaraid,4"}]}'
    drive4 = smartctl("/dev/bus/0", serial_number="R4", device={"name": "/dev/bus/0", "type": "megaraid,4"})
    box = machine(
        "sda", **{"smartctl --scan --json": scan, "smartctl --json -x -d megaraid,4 /dev/bus/0": drive4}
    ).read()
    assert [d.serial for d in box.disks] == ["SERsda", "R4"]


# What smartctl 7.3 printed of a disk of QEMU's with the vendor “ATA” and no SAT, and of the same disk with `-d scsi`.
NOT_SAID = {"user_capacity": None, "logical_block_size": None, "physical_block_size": None, "rotation_rate": None,
            "serial_number": None, "smart_status": None, "scsi_vendor": None, "scsi_product": None,
            "scsi_model_name": None}  # fmt: skip
AS_SCSI = {"scsi_vendor": "ATA", "scsi_product": None, "scsi_model_name": "ATA ST6000NM0034", "smart_status": None}


def silent(*names: str) -> Recording:
    recording = machine(*names)
    for name in names:
        path = f"/dev/{name}"
        recording.answers[f"smartctl --json -x {path}"] = smartctl(path, **NOT_SAID)
        failed = "Read Device Identity failed: Invalid argument"
        recording.answers[f"smartctl --json -x -d sat {path}"] = (2, smartctl_complaint(path, failed), "")
        recording.answers[f"smartctl --json -x -d scsi {path}"] = (4, smartctl(path, **AS_SCSI), "")
    return recording


def test_that_a_disk_that_tells_nothing_is_asked_as_another_type_and_leaves_no_warning() -> None:
    box = silent("sda", "sdb").read()
    assert "smartctl" not in notes(box)
    assert [(d.rotation_rpm, d.model, d.vendor) for d in box.disks] == [(7200, "ST6000NM0034", None)] * 2
    assert [[n.level for n in d.notes] for d in box.disks] == [[], []]


def test_that_disks_that_tell_nothing_as_any_type_are_told_of_in_one_line() -> None:
    names = tuple(f"sd{letter}" for letter in "abcdefghijklmnop")
    recording = silent(*names)
    for name in names:
        recording.answers[f"smartctl --json -x -d scsi /dev/{name}"] = (2, "", "smartctl: scsi error\n")
    told = [line for line in notes(recording.read()).splitlines() if "smartctl" in line]
    assert told == ["smartctl told nothing of 16 disks (sda, sdb, sdc, … sdp): it printed no facts"]


def test_that_an_unknown_usb_bridge_is_only_asked_in_plain_scsi() -> None:
    unknown = smartctl_complaint("/dev/sda", "/dev/sda: Unknown USB bridge [0x1e91:0xa3a5 (0x100)]", status=1)
    recording = machine("sda", **{"smartctl --json -x /dev/sda": (1, unknown, "")})
    recording.answers["smartctl --json -x -d scsi /dev/sda"] = smartctl("/dev/sda", physical_block_size=None)
    recording.read()
    assert typed(recording) == ["smartctl --json -x -d scsi /dev/sda"]


def test_that_a_machine_without_pools_is_known_to_have_none() -> None:
    box = machine("sda", "sdb").read()
    assert "pool" not in notes(box)


def test_that_this_very_machine_can_be_read() -> None:
    try:
        box = drive(read_machine(look_for_exported=False))
    except EnvironmentFailure:
        pytest.skip("lsblk tells nothing here")
    assert box.host.kernel
    assert len({d.key for d in box.disks}) == len(box.disks)
