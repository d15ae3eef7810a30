"""`poolwright script --format plain`: the bare commands of a design, few enough to be read."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.emit.exported import MACHINES, design_of
from tests.emit.pretend import disk, small_design, vdev

from poolwright.cli.main import run
from poolwright.domain.design import Design
from poolwright.domain.vdev import VdevKind
from poolwright.store.design_file import to_json

# Each tool notes what it was called with; wipefs finds what the test says.
STAND_IN = """#!/bin/sh
[ "${0##*/}" != wipefs ] || { printf %s "$FOUND"; exit 0; }
printf '%s\\0' "${0##*/}" "$@" >>"$CALLS"
printf '\\n' >>"$CALLS"
"""


def plain(design: Design, folder: Path, *, words: tuple[str, ...] = ()) -> Path:
    (folder / "design.json").write_text(to_json(design), encoding="utf-8")
    target = folder / "plain.sh"
    assert run(["script", str(folder / "design.json"), "--format", "plain", "-o", str(target), *words]) == 0
    return target


def calls(script: Path, *, found: str = "") -> tuple[int, list[list[str]]]:
    """Run a script among stand-ins; return its status and what it called, without looks."""
    tools = script.parent / "bin"
    tools.mkdir()
    for name in ("zpool", "zfs", "sgdisk", "wipefs", "udevadm"):
        (tools / name).write_text(STAND_IN, encoding="utf-8")
        (tools / name).chmod(0o755)
    log = script.parent / "calls"
    log.touch()
    known = os.environ | {"PATH": f"{tools}:{os.environ['PATH']}", "CALLS": str(log), "FOUND": found}
    done = subprocess.run([script], env=known, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    return done.returncode, [line.split("\0")[:-1] for line in log.read_text().splitlines()]


@pytest.mark.parametrize("machine", MACHINES)
def test_that_it_runs_the_commands_of_the_guarded_script_in_forty_lines(
    machine: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = plain(design_of(machine), tmp_path)
    text = script.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 40
    shellcheck = Path(sys.executable).parent / "shellcheck"
    checked = subprocess.run([shellcheck, script], stdout=subprocess.PIPE, text=True, check=False)
    assert checked.stdout == ""
    assert run(["script", str(tmp_path / "design.json"), "--json"]) == 0
    wanted = [command["argv"] for command in json.loads(capsys.readouterr().out)["commands"]]
    status, made = calls(script)
    tried = [call for call in made if call[:2] == ["zpool", "create"] and "-n" in call]
    # The order of two pools and their datasets may be another one: all pools come first.
    assert status == 0
    assert sorted(c for c in made if c not in tried and c[0] != "udevadm") == sorted(wanted)
    assert [[w for w in call if w != "-n"] for call in tried] == [c for c in wanted if c[:2] == ["zpool", "create"]]
    first_pool = next(n for n, call in enumerate(made) if call[:2] == ["zpool", "create"])
    assert made[first_pool : first_pool + len(tried)] == tried


def test_that_a_disk_with_old_data_ends_it_where_zpool_would_not_look(tmp_path: Path) -> None:
    disks = tuple(disk(n) for n in range(6))
    unequal = (vdev(VdevKind.MIRROR, (0, 1)), vdev(VdevKind.RAIDZ, (2, 3, 4, 5), parity=2))
    script = plain(small_design(disks=disks, vdevs=unequal), tmp_path)
    assert " -f " in script.read_text(encoding="utf-8")
    assert calls(script, found="ext4") == (1, [])


def test_that_a_thousand_disks_are_forty_lines_as_well(tmp_path: Path) -> None:
    disks = tuple(disk(n) for n in range(1000))
    pairs = tuple(vdev(VdevKind.MIRROR, (n, n + 1)) for n in range(0, 1000, 2))
    text = plain(small_design(disks=disks, vdevs=pairs), tmp_path).read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 40
    assert sum(line.split().count("mirror") for line in text.splitlines() if not line.startswith("#")) == 500


def test_that_disks_without_a_name_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["script", "--layout", "raidz2:6x6TB", "--format", "plain"]
    assert run(words) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "no script can name it" in printed.err
