"""The collector: as one line that is pasted over there, its output pasted here; whether it asks all that SSH does."""

import base64
import gzip
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from poolwright.domain.errors import UserError
from poolwright.machine.collect import read_machine
from poolwright.machine.packed import BEGIN, COLLECTOR, END, one_line, unpacked
from poolwright.process.blocking import drive
from poolwright.store.capture_files import open_captures, open_pasted

ROOT = Path(__file__).parents[2]
CAPTURE = ROOT / "tests" / "machines" / "vm-mixed-sectors.capture"
# What a machine answers; each tool writes down how it was asked.
_LSBLK = """{"blockdevices": [
  {"name": "sda", "kname": "sda", "path": "/dev/sda", "type": "disk", "size": 6001175126016, "fstype": null,
   "mountpoint": null, "serial": "ZA1", "model": "ST6000"},
  {"name": "nvme0n1", "kname": "nvme0n1", "path": "/dev/nvme0n1", "type": "disk", "size": 960197124096, "fstype": null,
   "mountpoint": null, "serial": "NV1", "model": "NVMe"}]}"""
_SCAN = '{"devices": [{"name": "/dev/sda", "type": "sat"}, {"name": "/dev/bus/0", "type": "megaraid,4"}]}'
_TOOL = """#!/bin/sh
printf '%s %s\\n' "${{0##*/}}" "$*" >>{asked}
{answer}
"""


def packed(text: str) -> str:
    letters = base64.encodebytes(gzip.compress(text.encode())).decode()
    return f"$ c=H4sI...; echo {BEGIN}; gzip\n{BEGIN}\n{letters}{END}\nroot@nas:~# "


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """Return a folder of tools that pretend to be another machine's, and write down what they were asked."""
    tools = tmp_path / "tools"
    tools.mkdir()
    asked = tmp_path / "asked"
    (tmp_path / "lsblk.json").write_text(_LSBLK, encoding="utf-8")
    answers = {
        "lsblk": f'case "$*" in *-J*) cat {tmp_path / "lsblk.json"} ;; *) echo "sda disk"; echo "nvme0n1 disk" ;; esac',
        "smartctl": (
            f"case \"$*\" in *--scan*--json*) echo '{_SCAN}' ;; "
            '*--scan*) echo "/dev/sda -d sat # /dev/sda"; echo "/dev/bus/0 -d megaraid,4 # /dev/bus/0" ;; '
            '*) echo \'{"smartctl": {"exit_status": 2}}\' ;; esac'
        ),
        "zpool": 'echo "no pools available"',
        "zfs": "echo zfs-2.3.2-1",
        "nvme": "echo '{}'",
        "ls": 'echo "total 0"',
        "uname": "echo far",
        "cat": '/bin/cat "$@"',
    }
    for name, answer in answers.items():
        tool = tools / name
        tool.write_text(_TOOL.format(asked=asked, answer=answer), encoding="utf-8")
        tool.chmod(0o755)
    return tools


def asked_of(machine: Path) -> set[str]:
    file = machine.parent / "asked"
    lines = set(file.read_text(encoding="utf-8").splitlines())
    file.unlink()
    return lines


def test_that_the_collector_asks_all_that_is_asked_over_ssh(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{machine}:{os.environ['PATH']}")
    drive(read_machine())
    over_ssh = {line for line in asked_of(machine) if "cat" not in line.split()[0] or "/proc" in line}
    subprocess.run(["sh", str(COLLECTOR)], capture_output=True, check=True)
    collected = asked_of(machine)
    # Which drives hide behind controllers the collector asks in text; nvme it asks of the devices that are there.
    scans = {"smartctl --scan --json"}
    missing = {line for line in over_ssh - collected - scans if not line.startswith("nvme ")}
    assert missing == set()
    assert "smartctl --scan" in collected
    assert "nvme id-ns -o json" in COLLECTOR.read_text(encoding="utf-8")


@pytest.mark.slow
def test_that_the_one_line_makes_a_capture_that_is_pasted_here(tmp_path: Path) -> None:
    line = one_line(COLLECTOR.read_text(encoding="utf-8"))
    assert "\n" not in line
    assert len(line) < 16_000
    for shell in ("sh", "bash", "busybox sh"):
        if shutil.which(shell.split()[0]) is None:
            continue
        printed = subprocess.run(
            [*shell.split(), "-c", line], cwd=tmp_path, capture_output=True, check=True, text=True
        ).stdout
        pasted = open_pasted(f"$ {line}\n{printed}$ ")
        (file,) = tmp_path.glob("*.capture")
        kept = open_captures([file])
        assert [disk.path for disk in pasted.disks] == [disk.path for disk in kept.disks] != []
        file.unlink()


def test_that_a_packed_capture_is_read_through_what_a_terminal_does_to_it() -> None:
    text = CAPTURE.read_text(encoding="utf-8")
    for shown in (packed(text), packed(text).replace("\n", "\r\n"), packed(text).replace("\n", "\n    ")):
        assert unpacked(shown).strip() == text.strip()
    assert unpacked("lsblk: nothing packed") == "lsblk: nothing packed"


@pytest.mark.parametrize("damage", [lambda t: t[: len(t) // 2], lambda t: t.replace("x", "y")])
def test_that_a_damaged_one_is_refused_with_what_to_do(damage: object) -> None:
    assert callable(damage)
    with pytest.raises(UserError, match="Copy it again") as failed:
        unpacked(damage(packed(CAPTURE.read_text(encoding="utf-8"))))
    assert failed.value.todo


def test_that_a_bomb_is_not_unpacked() -> None:
    with pytest.raises(UserError, match="larger than 64 MiB"):
        unpacked(packed("0" * (65 << 20)))


def test_that_a_packed_file_opens(tmp_path: Path) -> None:
    file = tmp_path / "nas.capture.gz"
    file.write_bytes(gzip.compress(CAPTURE.read_bytes()))
    assert len(open_captures([file]).disks) == len(open_captures([CAPTURE]).disks)
