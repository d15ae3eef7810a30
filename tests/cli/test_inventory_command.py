"""`poolwright inventory` and `poolwright collector` as a person or a program calls them."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.command_line import answer_of, printed, refused, written
from tests.machines.writing import block, lsblk, smartctl, zpool_status

from poolwright.cli.inventory import inventory_blocks
from poolwright.cli.main import run
from poolwright.domain.disk import Disk
from poolwright.domain.errors import UserError
from poolwright.domain.estimate import Origin, OriginKind
from poolwright.domain.host import Host, Inventory

COLLECTOR = Path(__file__).parents[2] / "app/poolwright/machine/collector.sh"


def test_that_what_holds_a_pool_is_in_use(tmp_path: Path) -> None:
    (tmp_path / "a").write_text(lsblk(block("sda"), block("sdb", fstype="zfs_member", label="tank")))
    (tmp_path / "b").write_text(smartctl("/dev/sda"))
    (tmp_path / "c").write_text(zpool_status("tank", "sdb"))
    found = answer_of("inventory", "--from", str(tmp_path))
    first, second = found["disks"]
    assert (first["size_bytes"], first["in_use"], second["in_use"]) == (6001175126016, False, True)
    assert second["uses"] == [{"kind": "pool member", "detail": "tank"}]


def test_that_unknown_facts_are_null_in_json(tmp_path: Path) -> None:
    path = written(
        tmp_path / "a", smartctl("/dev/sda", user_capacity=None, smart_status=None, physical_block_size=None)
    )
    (disk,) = answer_of("inventory", "--from", str(path))["disks"]
    assert (disk["size_bytes"], disk["health"], disk["physical_sector_bytes"]) == (None,) * 3


def test_that_the_collector_is_printed_whole() -> None:
    assert printed("collector") == COLLECTOR.read_text(encoding="utf-8")


SHELLCHECK = shutil.which("shellcheck", path=f"{Path(sys.executable).parent}:{os.defpath}")


@pytest.mark.skipif(SHELLCHECK is None, reason="shellcheck is not installed")
def test_that_the_collector_passes_shellcheck() -> None:
    done = subprocess.run([str(SHELLCHECK), "-s", "sh", str(COLLECTOR)], capture_output=True, text=True, check=False)
    assert done.stdout == ""
    assert done.returncode == 0


WRITING = re.compile(
    r"\b(create|destroy|labelclear|wipefs|mkfs|format|dd|rm|mv|tee)\b"
    r"|zpool (?!status|import\b|list\b|get\b)|zpool import \S|>\s*/(?!dev/null)"
)


def test_that_the_collector_only_reads() -> None:
    code = [line for line in COLLECTOR.read_text(encoding="utf-8").splitlines() if not line.lstrip().startswith("#")]
    assert len(code) > 50
    assert not [line for line in code if WRITING.search(line)]


FAKES = {
    "lsblk": """case "$*" in
        *-J*) cat "$DATA/lsblk.json" ;;
        *) printf "sda disk\\nsdb disk\\nsr0 rom\\nzd0 disk\\n" ;;
    esac""",
    "smartctl": """case "$*" in
        *-V*) exit 0 ;;
        *--scan*) echo "/dev/bus/0 -d megaraid,3 # x" ;;
        *sda) cat "$DATA/sda.json"; exit 68 ;;
        *) echo "### file: forged"; exit 2 ;;
    esac""",
    "zpool": "echo no pools available",
}


def with_tools(folder: Path, fakes: dict[str, str]) -> Path:
    """Return a folder of programs that answer by these scripts; what they print lies in ``folder``."""
    tools = folder / "bin"
    tools.mkdir()
    for name, script in fakes.items():
        written(tools / name, f"#!/bin/sh\n{script}\n").chmod(0o755)
    return tools


@pytest.mark.parametrize("shell", ["sh", "dash", "bash"])
def test_that_what_the_collector_prints_is_opened_again(shell: str, tmp_path: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    tools = with_tools(tmp_path, FAKES)
    (tmp_path / "lsblk.json").write_text(lsblk(block("sda"), block("sdb")))
    (tmp_path / "sda.json").write_text(smartctl("/dev/sda"))
    environment = {"PATH": f"{tools}:/usr/bin:/bin", "DATA": str(tmp_path)}
    done = subprocess.run([shell, str(COLLECTOR)], capture_output=True, env=environment, check=True)
    path = tmp_path / "box.capture"
    path.write_bytes(done.stdout)
    found = answer_of("inventory", "--from", str(path))
    assert [(d["path"], d["rotation_rpm"]) for d in found["disks"]] == [("/dev/sda", 7200), ("/dev/sdb", None)]
    assert "forged" not in [line.removeprefix("### file: ") for line in done.stdout.decode().splitlines()]
    assert b"zd0" not in done.stdout
    assert done.stdout.endswith(b"### end\n")


@pytest.mark.slow
def test_that_ctrl_c_ends_the_reading_and_its_programs_at_once(tmp_path: Path) -> None:
    (tmp_path / "lsblk.json").write_text(lsblk(block("sda"), block("sdb")))
    slow = 'echo $$ >> "$DATA/pids"; sleep 60 & wait'
    tools = with_tools(tmp_path, {"lsblk": 'cat "$DATA/lsblk.json"', "smartctl": slow})
    environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "DATA": str(tmp_path)}
    argv = [sys.executable, "-m", "poolwright", "inventory"]
    child = subprocess.Popen(argv, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    pids = tmp_path / "pids"
    while not pids.exists() or not pids.read_text().strip():
        assert child.poll() is None
        time.sleep(0.02)
    started = time.monotonic()
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=20)
    assert (child.returncode, said) == (130, b"")
    assert time.monotonic() - started < 5
    # What is killed is gone a moment later, when whoever inherited it has taken notice.
    while running := [pid for pid in pids.read_text().split() if _runs(pid)]:
        assert time.monotonic() - started < 5, running
        time.sleep(0.02)


def _runs(pid: str) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_that_the_collector_asks_silent_disks_as_sat_and_scsi(tmp_path: Path) -> None:
    silent = smartctl("/dev/sda", user_capacity=None, smart_status=None, serial_number=None, rotation_rate=None,
                      logical_block_size=None, physical_block_size=None, scsi_product=None, scsi_model_name=None,
                      scsi_vendor=None)  # fmt: skip
    (tmp_path / "silent.json").write_text(silent)
    (tmp_path / "told.json").write_text(smartctl("/dev/sda"))
    (tmp_path / "lsblk.json").write_text(lsblk(block("sda", model=None)))
    fakes = {
        "lsblk": """case "$*" in *-J*) cat "$DATA/lsblk.json" ;; *) printf "fd0 disk\\nsda disk\\n" ;; esac""",
        "smartctl": """case "$*" in
            *-V*) exit 0 ;;
            *"-d sat"*) printf "smartctl 7.3 2022-02-28\\nRead Device Identity failed: Invalid\\n"; exit 2 ;;
            *"-d scsi"*) cat "$DATA/told.json" ;;
            *sda) cat "$DATA/silent.json" ;;
        esac""",
        "zpool": "echo no pools available",
    }
    tools = with_tools(tmp_path, fakes)
    environment = {"PATH": f"{tools}:/usr/bin:/bin", "DATA": str(tmp_path)}
    done = subprocess.run(["sh", str(COLLECTOR)], capture_output=True, env=environment, check=True)
    asked = re.findall(r"^### file: smartctl/(.*)$", done.stdout.decode(), re.MULTILINE)
    assert asked == ["sda", "sda-sat", "sda-scsi"]
    path = tmp_path / "box.capture"
    path.write_bytes(done.stdout)
    found = answer_of("inventory", "--from", str(path))
    (disk,) = found["disks"]
    assert (disk["rotation_rpm"], disk["model"], disk["warnings"]) == (7200, "SEAGATE ST6000NM0034", [])
    warned = found["warnings"]
    assert isinstance(warned, list)
    assert not [text for text in warned if "smartctl" in text]


def test_that_a_disk_nobody_looked_at_is_not_shown_as_free(tmp_path: Path) -> None:
    path = written(tmp_path / "a", smartctl("/dev/sda"))
    (disk,) = answer_of("inventory", "--from", str(path))["disks"]
    assert (disk["use_known"], disk["in_use"]) == (False, False)
    row = next(line for line in printed("inventory", "--from", str(path)).splitlines() if line.startswith("/dev/sda"))
    assert " unknown  SEAGATE" in row


@pytest.mark.parametrize("denied", [("/dev/sda",), ()])
def test_that_what_only_root_is_told_comes_with_the_line_to_type(denied: tuple[str, ...]) -> None:
    read = Origin(kind=OriginKind.READ, source="this machine")
    said = "\n".join(map(str, inventory_blocks(Inventory(name="box", origin=read, denied=denied))))
    assert ("poolwright collector | sudo sh | poolwright inventory --from -" in said) is bool(denied)


@pytest.mark.parametrize("options", [("--redact",), ("--redact-to", "new.capture"), ("--redact-pools",)])
def test_that_what_cannot_be_redacted_is_refused_before_several_hosts_are_asked(options: tuple[str, ...]) -> None:
    assert "redact" in refused("inventory", "--host", "one.invalid", "--host", "two.invalid", *options)


def test_that_several_hosts_are_redacted_each_and_a_shared_disk_stays_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def machine(name: str) -> Inventory:
        read = Origin(kind=OriginKind.READ, source=name)
        disk = Disk(key="ZAD1234X", serial="ZAD1234X", path="/dev/sda")
        return Inventory(name=name, origin=read, host=Host(name=name), disks=(disk,))

    found = (
        machine("alpha7.example.org"),
        machine("beta8"),
        UserError("gamma9 refuses the connection", where="gamma9"),
    )
    monkeypatch.setattr("poolwright.cli.inventory.read_side_by_side", lambda names: found)
    names = ("me@alpha7.example.org", "beta8", "gamma9")
    status = run(["inventory", *(word for name in names for word in ("--host", name)), "--redact", "--json"])
    answer = capsys.readouterr().out
    assert status == 2
    assert not [word for word in ("alpha7", "beta8", "gamma9", "ZAD1234X") if word in answer]
    alpha, beta, gamma = json.loads(answer)["hosts"]
    assert alpha["disks"][0]["serial"] == beta["disks"][0]["serial"]
    assert alpha["name"] != beta["name"]
    assert "refuses the connection" in gamma["error"]
