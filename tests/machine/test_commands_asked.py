"""Each command that reads a machine: how it is run, and what is told where its answer is not what was hoped for."""

import pytest
from tests.machines.writing import block, lsblk, nvme_smartctl, smartctl, zpool_status

from poolwright.domain.command import Batch, Command, Completed, Ending
from poolwright.domain.errors import EnvironmentFailure
from poolwright.domain.inventory import Inventory
from poolwright.machine.collect import read_machine
from poolwright.process.blocking import drive

ZERO = frozenset({0})
COLUMNS = "NAME,KNAME,PKNAME,TYPE,SIZE,LOG-SEC,PHY-SEC,ROTA,RM,RO,MODEL,SERIAL,WWN,FSTYPE,LABEL,MOUNTPOINT,TRAN"
SDA = block("sda", children=[{"name": "sda1", "kname": "sda1", "type": "part"}])
NOTHING = "smartctl told nothing of /dev/sda"
NAMELESS = "/dev/disk/by-id cannot be listed: the disks have no stable names here"
Answer = str | tuple[int, str, str] | Ending


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

    def read(self, *, look_for_exported: bool = True) -> Inventory:
        return drive(read_machine(name="here", look_for_exported=look_for_exported), self)

    @property
    def asked(self) -> list[Command]:
        return [command for batch in self.turns for command in batch]


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
    (found,) = [command for command in box.asked if command.text == line]
    assert (found.needs_root, found.timeout_seconds, found.accepted) == (root, seconds, accepted)


def test_that_exported_pools_are_looked_for_only_when_asked() -> None:
    for look in (True, False):
        box = machine(SDA)
        assert told(box.read(look_for_exported=look)) == []
        assert ("zpool import" in [command.text for command in box.asked]) is look
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
        ("zpool status -P", (1, "", "no rights\n"), ["zpool status failed, existing pools are not known: no rights"]),
        ("ls -l /dev/disk/by-id", Ending.NOT_FOUND, [NAMELESS]),
        ("ls -l /dev/disk/by-id", (2, "", "ls: No such file\n"), [f"{NAMELESS} (ls: No such file)"]),
        ("ls -l /dev/disk/by-id", "", [f"{NAMELESS} (nothing was printed)"]),
        ("cat /proc/meminfo", "", ["/proc/meminfo cannot be read: the RAM is not known (nothing was printed)"]),
        ("cat /etc/os-release", "", []),
        ("zpool import", (1, "", "cannot open\n"), ["zpool import could not look for exported pools: cannot open"]),
        ("zpool import", "", ["zpool import could not look for exported pools: it printed nothing"]),
        ("zpool import", Ending.NOT_FOUND, []),
        ("smartctl --json -x /dev/sda", "", [f"{NOTHING}: it printed nothing"]),
        ("smartctl --json -x /dev/sda", Ending.TIMED_OUT, [f"{NOTHING}: smartctl did not answer within 60 s"]),
        ("smartctl --scan --json", "{", []),
        ("smartctl --scan --json", "nothing", []),
    ],
)  # fmt: skip
def test_that_what_is_missing_is_told_once(line: str, answer: Answer, notes: list[str]) -> None:
    found = [text for text in told(machine(SDA, **{line: answer}).read()) if "no zpool status" not in text]
    assert [text for text in found if "no smartctl output" not in text] == notes


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
        (Ending.NOT_FOUND, "", "lsblk is not installed"),
        ((1, "", "lsblk: failed\n"), "", "lsblk failed: lsblk: failed"),
        ((0, "", ""), "", "lsblk failed:"),
        ("{}", "", "not from lsblk"),
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
    assert "nvme id-ns" not in " ".join(c.text for c in machine(block("sda")).asked)


def test_that_disks_that_may_not_be_opened_are_counted() -> None:
    denied = '{"smartctl": {"messages": [{"string": "/dev/sda: Operation not permitted"}], "exit_status": 2}}'
    box = machine(block("sda"), block("sdb"), block("sdc"))
    for name in ("sda", "sdc"):
        box.answers[f"smartctl --json -x /dev/{name}"] = (2, denied.replace("sda", name), "")
    assert "smartctl may not open 2 of 3 disks: run as root to learn sector sizes and health" in told(box.read())
