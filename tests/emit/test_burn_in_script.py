"""The script of the burn-in: it reads all of every disk, writes to none, goes on after a stop, and is read here."""

import json
import re
import subprocess
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest
from tests.emit.functions import check_shell
from tests.emit.pretend import STAMP, Machine, Result, disk, small_design

from poolwright.domain.burn_in import BurnInVerdict
from poolwright.domain.disk import Disk
from poolwright.domain.errors import Refusal
from poolwright.emit.exports import ExportContext, export_text
from poolwright.emit.script import burn_in_script, fixed_part
from poolwright.store.capture_files import open_captures

MIB = 1 << 20
SIZE = 65 * MIB + 4096  # the last piece is no whole MiB
DISKS = tuple(disk(number, size_bytes=SIZE) for number in (1, 2, 3))
SMARTCTL = Path(__file__).with_name("stand_in_smartctl.sh").read_text(encoding="utf-8")


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    made = Machine(tmp_path / "machine")
    for letter, each in zip("abc", DISKS, strict=True):
        made.plug(f"sd{letter}", each)
        (made.root / "dev" / f"sd{letter}").write_bytes(bytes([ord(letter)]) * SIZE)
    stub = made.root / "bin" / "smartctl"
    stub.unlink()
    stub.write_text(SMARTCTL.replace("@ROOT@", str(made.root)).replace("@SIZE@", str(SIZE)))
    stub.chmod(0o755)
    return made


def script_for(machine: Machine) -> str:
    """Return the script with pieces of 32 MiB in place of 16 GiB."""
    text = machine.here(burn_in_script(replace(small_design(), vdevs=(), disks=DISKS), STAMP))
    fixed = fixed_part("burn-in")
    smaller = fixed.replace("slice=$((16 << 30))", "slice=$((32 << 20))")
    old, new = (sha256(part.encode()).hexdigest() for part in (fixed, smaller))
    return text.replace(fixed, smaller).replace(old, new)


def burn_in(machine: Machine, *words: str) -> Result:
    return machine.run(script_for(machine), "--result", str(machine.root / "out.capture"), *words)


def verdicts(machine: Machine) -> dict[str, tuple[BurnInVerdict | None, tuple[str, ...]]]:
    found: dict[str, tuple[BurnInVerdict | None, tuple[str, ...]]] = {}
    for each in open_captures([machine.root / "out.capture"]).disks:
        assert each.burn_in is not None
        found[each.serial or each.key] = (each.burn_in.verdict, each.burn_in.reasons)
    return found


def test_that_healthy_disks_are_read_to_the_last_byte_and_are_a_go(machine: Machine) -> None:
    result = burn_in(machine)
    assert result.status == 0, result.text
    assert verdicts(machine) == dict.fromkeys(("ZAD00001", "ZAD00002", "ZAD00003"), (BurnInVerdict.GO, ()))
    told = (machine.root / "out.capture").read_text(encoding="utf-8")
    assert [line.split()[1:3] for line in told.splitlines() if line.startswith("read ")][:3] == [
        ["0", str(32 * MIB)], [str(32 * MIB), str(32 * MIB)], [str(64 * MIB), str(MIB + 4096)],
    ]  # fmt: skip
    assert not (machine.root / "out.capture.part").exists()


def test_that_grown_sectors_and_a_failed_self_test_are_no_go_in_the_script_and_here(machine: Machine) -> None:
    machine.tell("sda", "grown", "")
    machine.tell("sdb", "failed", "")
    result = burn_in(machine)
    assert (result.status, result.text.count("NO-GO")) == (1, 2)
    assert "NO-GO ata-ST6000NM0034_ZAD00001: bad sectors: 0 before, 8 after" in result.text
    assert verdicts(machine) == {
        "ZAD00001": (BurnInVerdict.NO_GO, ("reallocated sectors: 0 before, 8 after",)),
        "ZAD00002": (BurnInVerdict.NO_GO, ("its long self-test failed",)),
        "ZAD00003": (BurnInVerdict.GO, ()),
    }


def test_that_a_disk_that_cannot_be_read_on_is_left_and_the_others_are_read(machine: Machine) -> None:
    (machine.root / "dev/sdb").write_bytes(b"b" * 40 * MIB)
    result = burn_in(machine)
    assert (result.status, "ZAD00002: a read error at byte 41943040" in result.text) == (1, True), result.text
    found = verdicts(machine)
    assert found["ZAD00002"] == (BurnInVerdict.NO_GO, ("a read error at 40.0 MiB", "62 % of it was read"))
    assert found["ZAD00001"][0] is BurnInVerdict.GO


def test_that_another_disk_at_the_place_of_one_that_was_pulled_is_not_read_for_it(machine: Machine) -> None:
    machine.tell("sdb", "gone", DISKS[1].by_id[0])
    (machine.root / "out.capture.new").mkdir()
    assert burn_in(machine).status == 3
    (machine.root / "out.capture.new").rmdir()
    result = burn_in(machine)  # goes on without it
    assert (result.status, "NO-GO ata-ST6000NM0034_ZAD00002: the disk is gone" in result.text) == (1, True), result.text
    found = {serial: (verdict, why[:1]) for serial, (verdict, why) in verdicts(machine).items()}
    assert found["ZAD00002"] == (BurnInVerdict.NO_GO, ("a read error at 0 B",))


def test_that_a_drive_without_a_long_self_test_is_no_go_and_no_go_either(machine: Machine) -> None:
    (machine.root / "no_test").touch()
    assert burn_in(machine).status == 0
    assert set(verdicts(machine).values()) == {(None, ("no result of a long self-test",))}


def test_that_it_goes_on_where_it_was_and_begins_no_second_self_test(machine: Machine) -> None:
    (machine.root / "out.capture.new").mkdir()
    assert burn_in(machine).status == 3
    (machine.root / "out.capture.new").rmdir()
    facts = machine.root / "out.capture.part" / DISKS[0].by_id[0]
    lines = facts.read_text(encoding="utf-8").splitlines(keepends=True)
    facts.write_text("".join(line for line in lines if not line.startswith(f"read {64 * MIB} ")), encoding="utf-8")
    assert burn_in(machine).status == 0
    told = (machine.root / "out.capture").read_text(encoding="utf-8")
    assert told.count("\nread ") == 9
    assert (machine.root / "asked").read_text(encoding="utf-8").count("-t long ") == 3
    assert {verdict for verdict, __ in verdicts(machine).values()} == {BurnInVerdict.GO}
    assert burn_in(machine).status == 2  # nothing is written over


def test_that_nothing_is_begun_on_disks_that_are_not_those_of_the_design(machine: Machine) -> None:
    machine.tell("sdb", "serial", "OTHER")
    result = burn_in(machine)
    assert (result.status, "has the serial number OTHER" in result.text) == (1, True)
    assert not (machine.root / "asked").exists() or "-t" not in (machine.root / "asked").read_text(encoding="utf-8")
    machine.tell("sdb", "serial", DISKS[1].serial or "")
    assert burn_in(machine, "--check").status == 0
    assert not (machine.root / "out.capture.part").exists()


@pytest.mark.parametrize("link", [False, True])
def test_that_no_folder_of_somebody_else_is_taken_for_its_own(machine: Machine, link: bool) -> None:
    folder, work = machine.root / "films", machine.root / "out.capture.part"
    folder.mkdir()
    (folder / "film").touch()
    work.symlink_to(folder) if link else folder.rename(work)
    result = burn_in(machine)
    assert (result.status, f"{work} exists" in result.text) == (2, True), result.text
    assert [each.name for each in work.iterdir()] == ["film"]


def test_that_it_can_write_to_no_disk(machine: Machine) -> None:
    before = [(machine.root / "dev" / name).read_bytes() for name in ("sda", "sdb", "sdc")]
    result = burn_in(machine)
    assert [(machine.root / "dev" / name).read_bytes() for name in ("sda", "sdb", "sdc")] == before
    asked = {" ".join(call[:2]) for call in result.calls if call[0] not in {"id", "stat", "lsblk", "udevadm"}}
    assert asked <= {"blockdev --getsize64", "blockdev --getss", "blockdev --getro", "zpool status", "sleep 60"}
    words = {line.rpartition(" ")[0] for line in (machine.root / "asked").read_text(encoding="utf-8").splitlines()}
    assert words <= {"--json", "--json -x", "-A", "-t long", "-c -l selftest", "-l selftest", "-i"}
    own = fixed_part("burn-in").partition("# ---------------------------------------------------------------- burn-in")[
        2
    ]
    reading = [line for line in own.splitlines() if re.search(r"\bdd bs=", line)]
    assert len(reading) == 2
    assert all('<"$dev" >/dev/null' in line and "of=" not in line for line in reading)
    # No redirection leads to a device.
    assert not re.search(r'>+\s*"?\$\{?(?:dev|disk_dev|2)\b', own)


def test_that_bash_and_shellcheck_accept_it_and_planned_disks_are_refused(machine: Machine, tmp_path: Path) -> None:
    path = tmp_path / "burn-in.sh"
    design = replace(small_design(), vdevs=(), disks=DISKS)
    path.write_text(export_text("burn-in", design, ExportContext(stamp=STAMP)), encoding="utf-8")
    check_shell(path)
    with pytest.raises(Refusal, match="planned"):
        burn_in_script(replace(design, disks=(Disk(key="p", size_bytes=10**12, planned=True),)), STAMP)


def capture_of(tmp_path: Path, *sections: str) -> tuple[Disk, ...]:
    text = "".join(f"### file: burn-in/{number}\n{each}### status: 0\n" for number, each in enumerate(sections))
    (tmp_path / "one.capture").write_text(f"### poolwright-capture 1\n{text}### end\n", encoding="utf-8")
    return open_captures([tmp_path / "one.capture"]).disks


def test_that_what_the_real_smartctl_says_of_a_file_is_unknown_and_no_go_of_it_is_made(tmp_path: Path) -> None:
    file = tmp_path / "disk"
    file.write_bytes(bytes(MIB))
    told = subprocess.run(["smartctl", "--json", "-x", file], check=False, text=True, stdout=subprocess.PIPE).stdout
    assert "exit_status" in json.loads(told)["smartctl"]
    head = f"poolwright-burn-in 1\nname ata-X_1\nsize {MIB}\nserial 1\ntest none\nread 0 {MIB} 0.5\nended 1800000000"
    (found,) = capture_of(tmp_path, f"{head}\n@before\n{told}@after\n{told}")
    assert found.burn_in is not None
    assert (found.serial, found.by_id_name, found.burn_in.verdict) == ("1", "ata-X_1", None)
    assert found.burn_in.reasons == ("no result of a long self-test", "SMART counters were not read")


DRIVES = {
    "ATA": ("ata_smart_self_test_log", {"extended": {"table": [{"type": {"value": 2}, "status": {"value": 0}}]}}),
    "NVMe": ("nvme_self_test_log", {"table": [{"self_test_code": {"value": 2}, "self_test_result": {"value": 0}}]}),
    "SCSI": ("scsi_self_test_0", {"code": {"value": 2}, "result": {"value": 0}}),
}


@pytest.mark.parametrize("kind", DRIVES)
def test_that_every_kind_of_drive_tells_of_its_test_and_a_slow_one_is_told_beside_its_siblings(
    kind: str, tmp_path: Path
) -> None:
    name, log = DRIVES[kind]
    sections = []
    for number, seconds in enumerate((100, 101, 99, 130, 400)):
        smart = {
            "device": {"name": "/dev/sdx", "protocol": kind},
            "smartctl": {},
            "model_name": "M",
            "serial_number": f"S{number}AB",
            "user_capacity": {"bytes": 10**10},
            "scsi_grown_defect_list": 0,
        }
        head = f"poolwright-burn-in 1\nname ata-M_S{number}AB\nsize {10**10}\ntest started\nread 0 {10**10} {seconds}\n"
        sections.append(f"{head}@before\n{json.dumps(smart)}\n@after\n{json.dumps(smart | {name: log})}\n")
    verdicts = [disk.burn_in and disk.burn_in.verdict for disk in capture_of(tmp_path, *sections)]
    assert verdicts == [*[BurnInVerdict.GO] * 3, BurnInVerdict.WATCH, BurnInVerdict.NO_GO]
