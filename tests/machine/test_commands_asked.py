"""Each command that reads a machine: how it is run, and what is told where its answer is not what was hoped for."""

import shlex

import pytest
from tests.machines.writing import block, by_id, lsblk, nvme_smartctl, smartctl, zpool_status
from tests.texts.brackets import Bracketed

from poolwright import texts
from poolwright.domain.command import Batch, Command, Completed, Ending
from poolwright.domain.errors import EnvironmentFailure
from poolwright.domain.host import Inventory
from poolwright.machine.collect import read_machine
from poolwright.machine.packed import collector_part
from poolwright.process.blocking import drive

ZERO = frozenset({0})
COLUMNS = "NAME,KNAME,PKNAME,TYPE,SIZE,LOG-SEC,PHY-SEC,ROTA,RM,RO,MODEL,SERIAL,WWN,FSTYPE,LABEL,MOUNTPOINT,TRAN"
SDA = block("sda", children=[{"name": "sda1", "kname": "sda1", "type": "part"}])
NOTHING = "smartctl reported nothing for /dev/sda"
NAMELESS = "/dev/disk/by-id cannot be listed: the disks have no stable names here"
Answer = str | tuple[int, str, str] | Ending


def test_that_a_command_that_printed_too_much_is_said_to() -> None:
    command = Command(argv=("zdb",), most_output_bytes=3 << 20)
    done = Completed(command=command, ending=Ending.EXITED, status=0, truncated=True)
    assert done.complaint == "zdb printed more than 3 MiB"


class Machine:
    """Answers commands from a table and keeps what was asked, in turns; what is not in it is not installed."""

    def __init__(self, answers: dict[str, Answer]) -> None:
        self.answers = answers
        self.turns: list[Batch] = []

    def __call__(self, batch: Batch) -> tuple[Completed, ...]:
        self.turns.append(batch)
        return tuple(self._answer(command) for command in batch)

    def _answer(self, command: Command) -> Completed:
        found = self.answers.get(command.text, Ending.NOT_FOUND)
        if isinstance(found, Ending):
            return Completed(command=command, ending=found)
        status, out, err = found if isinstance(found, tuple) else (0, found, "")
        return Completed(command=command, ending=Ending.EXITED, status=status, stdout=out.encode(), stderr=err.encode())

    def read(self) -> Inventory:
        return drive(read_machine(name="here"), self)

    @property
    def asked(self) -> list[Command]:
        return [command for batch in self.turns for command in batch]

    @property
    def lines(self) -> list[str]:
        return [command.text for command in self.asked]


def machine(*devices: dict[str, object], **more: Answer) -> Machine:
    answers: dict[str, Answer] = {
        "lsblk -J -b -O": lsblk(*devices),
        "ls -l /dev/disk/by-id": "total 0\n",
        "zpool status -P": (0, "", "no pools available\n"),
        "zpool import": (1, "", "no pools available to import\n"),
        "cat /proc/meminfo": "MemTotal:       16307280 kB\n",
        "zfs version": "zfs-2.3.2-1\n",
        "smartctl --scan --json": '{"smartctl": {}, "devices": []}',
    }
    for device in devices:
        path = str(device["path"])
        answers[f"smartctl --json -x {path}"] = smartctl(path)
    return Machine(answers | more)


def told(inventory: Inventory) -> list[str]:
    return [note.text for note in inventory.notes]


@pytest.mark.parametrize(
    ("line", "root", "seconds", "accepted"),
    [
        ("lsblk -J -b -O", False, 30.0, ZERO),
        ("ls -l /dev/disk/by-id", False, 30.0, ZERO),
        ("zpool status -P", False, 30.0, ZERO),
        ("zpool import", True, 120.0, ZERO),
        ("sh -c ", False, 60.0, ZERO),  # where the disks are plugged in
        ("smartctl --scan --json", True, 30.0, None),
        ("smartctl --json -x /dev/sda", True, 60.0, None),
        ("smartctl --json -x -d megaraid,4 /dev/bus/0", True, 60.0, None),
        ("nvme id-ns -o json /dev/nvme0n1", True, 30.0, ZERO),
    ],
)
def test_that_a_command_is_run_with_the_rights_and_the_patience_it_needs(
    line: str, root: bool, seconds: float, accepted: frozenset[int] | None
) -> None:
    hidden = '{"devices": [{"name": "/dev/bus/0", "type": "megaraid,4"}, {"name": "/dev/sda", "type": "sat"}]}'
    box = machine(block("sda"), block("nvme0n1"), **{"smartctl --scan --json": hidden})
    box.read()
    (found,) = [command for command in box.asked if command.text.startswith(line)]
    assert (found.needs_root, found.timeout_seconds, found.accepted) == (root, seconds, accepted)


def test_that_exported_pools_are_looked_for_and_root_is_asked_once() -> None:
    box = machine(SDA)
    assert told(box.read()) == []
    assert "zpool import" in box.lines
    assert box.turns[0][0].text == "lsblk -J -b -O"
    # What only root is told is asked in one turn, so that a password is asked for once.
    assert [{command.needs_root for command in turn} for turn in box.turns if turn][:2] == [{False}, {True}]


def test_that_which_disks_smartctl_is_asked_of_depends_on_what_they_are() -> None:
    mapped = {"name": "mpatha", "kname": "dm-0", "path": "/dev/mapper/mpatha", "type": "mpath"}
    both = {"serial": "S1", "wwn": "0x5000c50000000001"}
    box = machine(
        block("sda", **both), block("sdb", **both), block("xvda"), block("mmcblk0"), block("pmem0"),
        block("sdc", serial="M", children=[mapped]), block("sdd", serial="M", children=[mapped]),
    )  # fmt: skip
    box.read()
    # One path of a disk that is seen twice; both of a multipath device, which itself is not asked.
    assert [c.argv[-1] for c in box.asked if c.text.startswith("smartctl --json -x /dev")] == [
        "/dev/sda", "/dev/sdc", "/dev/sdd",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "answer", "notes"),
    [
        ("zpool status -P", Ending.NOT_FOUND, ["zpool is not installed: existing pools are not known"]),
        ("zpool status -P", (1, "", "no rights\n"), ["zpool status reported nothing: no rights"]),
        ("ls -l /dev/disk/by-id", Ending.NOT_FOUND, [NAMELESS]),
        ("ls -l /dev/disk/by-id", (2, "", "ls: No such file\n"), [f"{NAMELESS} (ls: No such file)"]),
        ("ls -l /dev/disk/by-id", "", [f"{NAMELESS} (it printed nothing)"]),
        ("cat /proc/meminfo", "", ["/proc/meminfo cannot be read: the RAM is not known (it printed nothing)"]),
        ("cat /etc/os-release", "", []),
        ("zpool import", (1, "", "cannot open\n"), ["zpool import reported nothing: cannot open"]),
        ("zpool import", "", ["zpool import reported nothing: it printed nothing"]),
        ("zpool import", Ending.NOT_FOUND, []),
        ("smartctl --json -x /dev/sda", "", [f"{NOTHING}: it printed nothing"]),
        ("smartctl --json -x /dev/sda", Ending.TIMED_OUT, [f"{NOTHING}: smartctl did not answer within 60 s"]),
        ("smartctl --scan --json", "{", []),
        ("smartctl --scan --json", "nothing", []),
    ],
)  # fmt: skip
def test_that_what_is_missing_is_told_once(line: str, answer: Answer, notes: list[str]) -> None:
    found = [text for text in told(machine(SDA, **{line: answer}).read()) if "No zpool status" not in text]
    assert [text for text in found if "No smartctl output" not in text] == notes


def test_that_the_loaded_module_tells_the_version_where_the_tools_are_absent() -> None:
    for status in (Ending.NOT_FOUND, (1, "", "failed")):
        box = machine(block("sda"), **{"zfs version": status, "cat /sys/module/zfs/version": "2.1.11-1\n"})
        assert box.read().host.zfs_version == "2.1.11-1"
    assert machine(block("sda"), **{"zfs version": Ending.NOT_FOUND}).read().host.zfs_version is None


def test_that_pools_are_read_from_standard_output_where_there_is_one() -> None:
    box = machine(block("sda"), **{"zpool status -P": (0, zpool_status("tank", "/dev/sda1"), "no pools available\n")})
    assert [pool.name for pool in box.read().pools] == ["tank"]


@pytest.mark.parametrize(
    ("answer", "old", "words"),
    [
        (Ending.NOT_FOUND, "", "lsblk reported nothing: lsblk: program not found"),
        ((1, "", "lsblk: failed\n"), "", "lsblk reported nothing: lsblk: failed"),
        ((0, "", ""), "", "lsblk reported nothing:"),
        ("{}", "", "nothing from lsblk"),
    ],
)
def test_that_without_lsblk_there_is_nothing_to_say(answer: Answer, old: str, words: str) -> None:
    box = machine(block("sda"), **{"lsblk -J -b -O": answer, f"lsblk -P -b -o {COLUMNS}": old})
    with pytest.raises(EnvironmentFailure, match=words) as failed:
        box.read()
    assert failed.value.where == "here"
    assert failed.value.todo


def test_that_an_old_lsblk_is_asked_for_the_columns_it_knows() -> None:
    row = 'NAME="sda" KNAME="sda" TYPE="disk" SIZE="6001175126016" SERIAL="SERsda" FSTYPE="" MOUNTPOINT=""\n'
    answers: dict[str, Answer] = {"lsblk -J -b -O": (1, "", "invalid option"), f"lsblk -P -b -o {COLUMNS}": row}
    box = machine(block("sda"), **answers)
    (disk,) = box.read().disks
    assert (disk.path, disk.size_bytes, disk.use_known) == ("/dev/sda", 6001175126016, True)
    assert str(disk.origin_of("size_bytes")) == "lsblk on here"


def silent(path: str) -> str:
    return smartctl(path, user_capacity=None, scsi_product=None, scsi_model_name=None, serial_number=None,
                    logical_block_size=None, physical_block_size=None, smart_status=None)  # fmt: skip


def test_that_a_disk_without_capacity_is_asked_as_another_type_and_the_first_that_tells_it_counts() -> None:
    box = machine(
        block("sda"), block("nvme0n1"),
        **{
            "smartctl --json -x /dev/sda": silent("/dev/sda"),
            "smartctl --json -x /dev/nvme0n1": silent("/dev/nvme0n1"),
            "smartctl --json -x -d sat /dev/sda": smartctl("/dev/sda", rotation_rate=5400),
            "smartctl --json -x -d scsi /dev/sda": smartctl("/dev/sda", rotation_rate=7200),
        },
    )  # fmt: skip
    disks = {disk.path: disk for disk in box.read().disks}
    assert disks["/dev/sda"].rotation_rpm == 5400
    tried = [command.argv for command in box.asked if "-d" in command.argv]
    assert tried == [("smartctl", "--json", "-x", "-d", kind, "/dev/sda") for kind in ("sat", "scsi")]
    neither = machine(block("sda"), **{"smartctl --json -x /dev/sda": silent("/dev/sda")})
    assert neither.read().disks[0].rotation_rpm is None


def test_that_the_formats_of_nvme_drives_are_asked_of_nvme() -> None:
    formats = '{"nsze": 244190646, "flbas": 1, "lbafs": [{"ms": 0, "ds": 9}, {"ms": 0, "ds": 12}]}'
    drive_ = block("nvme0n1", serial="NV1", model="EXAMPLE NVMe 1TB", size=1000204886016)
    for answer, known in ((formats, 2), ((1, formats, ""), 0), ("usage: nvme", 0)):
        box = machine(drive_, **{"nvme id-ns -o json /dev/nvme0n1": answer})
        box.answers["smartctl --json -x /dev/nvme0n1"] = nvme_smartctl("/dev/nvme0n1")
        (disk,) = box.read().disks
        assert len(disk.lba_formats) == known
    assert "nvme id-ns" not in " ".join(machine(block("sda")).lines)


def test_that_disks_that_may_not_be_opened_are_counted() -> None:
    denied = '{"smartctl": {"messages": [{"string": "/dev/sda: Operation not permitted"}], "exit_status": 2}}'
    box = machine(block("sda"), block("sdb"), block("sdc"))
    for name in ("sda", "sdc"):
        box.answers[f"smartctl --json -x /dev/{name}"] = (2, denied.replace("sda", name), "")
    assert "smartctl may not open 2 of 3 disks: run as root to learn sector sizes and health" in told(box.read())


# Whole machines, and what smartctl may answer there.


def whole(*names: str, **more: Answer) -> Machine:
    """Return a machine where all that is asked is there, with these disks of SAS."""
    answers: dict[str, Answer] = {
        "ls -l /dev/disk/by-id": by_id(**{name: f"scsi-SX_SER{name}" for name in names}),
        "cat /proc/cpuinfo": "processor\t: 0\nprocessor\t: 1\n",
        "cat /etc/os-release": 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n',
        "uname -r": "6.1.0-25-amd64\n",
        "uname -n": "box\n",
        "zfs version": "zfs-2.3.2-1\nzfs-kmod-2.3.2-1\n",
    }
    return machine(*map(block, names), **(answers | more))


def test_that_a_complete_machine_is_read_without_a_note() -> None:
    system = block("sdz", mountpoints=["/"], serial="SYSTEM1")
    recording = whole("sda", "sdb", **{"lsblk -J -b -O": lsblk(block("sda"), block("sdb"), system)})
    recording.answers["smartctl --json -x /dev/sdz"] = smartctl("/dev/sdz", serial_number="SYSTEM1")
    box = recording.read()
    assert told(box) == []
    assert [(d.path, d.by_id_name, d.rotation_rpm) for d in box.disks if not d.in_use] == [
        ("/dev/sda", "scsi-SX_SERsda", 7200), ("/dev/sdb", "scsi-SX_SERsdb", 7200),
    ]  # fmt: skip
    host = box.host
    assert (host.name, host.ram_bytes, host.cores, host.kernel) == ("box", 16307280 * 1024, 2, "6.1.0-25-amd64")
    assert (host.os_name, host.zfs_version) == ("Debian GNU/Linux 12 (bookworm)", "2.3.2-1")


READING_PROGRAMS = {"sh", "lsblk", "ls", "cat", "uname", "smartctl", "nvme", "zpool", "zfs"}


def test_that_only_reading_commands_are_run() -> None:
    recording = whole("sda", "nvme0n1")
    recording.read()
    for line in recording.lines:
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
    recording = whole("sda")
    recording.answers = {k: v for k, v in recording.answers.items() if not k.startswith("smartctl")}
    box = recording.read()
    assert "package smartmontools" in "\n".join(told(box))
    assert (box.disks[0].physical_sector_bytes, box.disks[0].health) == (4096, None)


def test_that_a_second_path_is_not_asked_in_any_language() -> None:
    twice = lsblk(*(block(name, wwn="0x5000cca2", serial="S1") for name in ("sda", "sdb")))
    box = whole("sda", **{"lsblk -J -b -O": twice})
    texts.use(Bracketed())
    try:
        box.read()
    finally:
        texts.use(None)
    assert [line for line in box.lines if line.startswith("smartctl --json -x")] == ["smartctl --json -x /dev/sda"]


def test_that_a_smartctl_without_json_is_asked_again_for_text() -> None:
    old = "smartctl 6.5 2016-01-24 r4214 [x86_64-linux] (local build)\n"
    usage = f"{old}=======> UNRECOGNIZED OPTION: json\n"
    facts = "Device Model:     ST6000NM0034\nSector Size:      4096 bytes logical/physical\n"
    text = f"{old}\n=== START OF INFORMATION SECTION ===\n{facts}"
    recording = whole("sda", **{"smartctl --json -x /dev/sda": (1, usage, "")})
    recording.answers["smartctl -x /dev/sda"] = text
    assert recording.read().disks[0].logical_sector_bytes == 4096


def test_that_drives_behind_a_raid_controller_are_asked_by_their_type() -> None:
    scan = '{"smartctl": {}, "devices": [{"name": "/dev/bus/0", "type": "megaraid,4"}]}'
    drive4 = smartctl("/dev/bus/0", serial_number="R4", device={"name": "/dev/bus/0", "type": "megaraid,4"})
    box = whole("sda", **{"smartctl --scan --json": scan, "smartctl --json -x -d megaraid,4 /dev/bus/0": drive4}).read()
    assert [d.serial for d in box.disks] == ["SERsda", "R4"]


def test_that_this_very_machine_can_be_read() -> None:
    try:
        box = drive(read_machine())
    except EnvironmentFailure:
        pytest.skip("lsblk tells nothing here")
    assert box.host.kernel
    assert len({d.key for d in box.disks}) == len(box.disks)
