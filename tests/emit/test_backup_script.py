"""The script of snapshots and a copy: what either machine is told, and that nothing of either is written over."""

import os
import subprocess
from dataclasses import replace
from pathlib import Path

from tests.emit.functions import check_shell
from tests.emit.pretend import STAMP, small_design

from poolwright.domain.retention import parse_retention
from poolwright.domain.workload import Budget
from poolwright.emit.exports import ExportContext, export_text

KEPT = Budget(keep=parse_retention("24h 30d 12m"), keep_there=parse_retention("60d 5y"))
TOOLS = {
    "id": 'case "$1" in -u) echo 0 ;; *) [ -e "$root/user" ] ;; esac',
    "zpool": "echo ONLINE",
    "zfs": 'echo "zfs $*" >>"$root/calls"\n[ "$1" != get ] || echo "$point"\n[ "$1" != list ] || [ -e "$root/there" ]',
    "syncoid": 'echo "--use-hold  as of 2.2"',
    "sanoid": "",
    "systemctl": "",
    "ssh-keygen": 'while [ "$1" != -f ]; do shift; done; echo secret >"$2"; echo public >"$2.pub"',
}  # fmt: skip


def script_in(root: Path, budget: Budget = KEPT) -> Path:
    """Return the script with its places below ``root``, where its tools are pretended."""
    design = replace(small_design(), budget=budget)
    text = export_text("backup", design, ExportContext(stamp=STAMP))
    text = text.replace("=/etc/", f"={root}/etc/")
    (root / "bin").mkdir(exist_ok=True)
    for name, does in TOOLS.items():
        (root / "bin" / name).write_text(f"#!/bin/sh\n{does}\n", encoding="utf-8")
        (root / "bin" / name).chmod(0o755)
    path = root / "backup.sh"
    path.write_text(text, encoding="utf-8")
    return path


def run(path: Path, *words: str, mountpoint: str = "none") -> tuple[int, str]:
    root = path.parent
    around = {"PATH": f"{root / 'bin'}:{os.environ['PATH']}", "POOLWRIGHT_LOG": str(root / "log")}
    done = subprocess.run(
        ["bash", path, *words], check=False, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        env={**around, "root": str(root), "point": mountpoint},
    )  # fmt: skip
    return done.returncode, done.stdout


def test_that_the_other_machine_prunes_by_its_own_retention_and_fetches_without_rolling_back(tmp_path: Path) -> None:
    path = script_in(tmp_path)
    check_shell(path)
    status, told = run(path, "--target", "nas1", "vault")
    assert status == 0, told
    conf = (tmp_path / "etc/sanoid/sanoid.conf").read_text(encoding="utf-8").splitlines()
    assert conf == [
        "[vault/backup/tank]", "recursive = yes", "autosnap = no", "autoprune = yes", "frequently = 0", "hourly = 0",
        "daily = 60", "weekly = 0", "monthly = 0", "yearly = 5",
    ]  # fmt: skip
    service = (tmp_path / "etc/systemd/system/syncoid-tank.service").read_text(encoding="utf-8")
    fetch = next(line for line in service.splitlines() if line.startswith("ExecStart=")).split()
    assert fetch[-2:] == ["zfsbackup@nas1:tank", "vault/backup/tank"]
    assert {"--no-rollback", "--use-hold", "--no-sync-snap", "--sendoptions=w", "--recvoptions=u"} < set(fetch)
    calls = (tmp_path / "calls").read_text(encoding="utf-8")
    assert "zfs create -o canmount=off -o mountpoint=none -o readonly=on vault/backup\n" in calls
    assert "public" in told
    assert "secret" not in told


def test_that_the_machine_of_the_pool_takes_snapshots_and_lets_a_user_send_them(tmp_path: Path) -> None:
    path = script_in(tmp_path)
    status, told = run(path, "--source")
    assert (status, "useradd" in told, (tmp_path / "etc").exists()) == (1, True, False)
    for name in ("user", "there"):
        (tmp_path / name).touch()
    assert run(path, "--source")[0] == 0
    conf = (tmp_path / "etc/sanoid/sanoid.conf").read_text(encoding="utf-8")
    assert conf.startswith("[tank]\nrecursive = yes\nautosnap = yes\nautoprune = yes\nfrequently = 0\nhourly = 24\n")
    assert conf.endswith("[tank/backup]\nrecursive = yes\nautosnap = no\nautoprune = no\n")  # copies of others
    told = "vault/backup/tank is there already. If it is no copy of tank on nas1, rename it"
    assert [told in run(path, "--target", "nas1", "vault")[1] for _ in range(2)] == [True, False]
    assert "zfs allow -u zfsbackup send,hold,release,bookmark tank\n" in (tmp_path / "calls").read_text("utf-8")


def test_that_a_file_that_is_there_stays_and_its_lines_are_told(tmp_path: Path) -> None:
    path, conf = script_in(tmp_path), tmp_path / "etc/sanoid/sanoid.conf"
    conf.parent.mkdir(parents=True)
    conf.write_text("[other]\n", encoding="utf-8")
    (tmp_path / "user").touch()
    status, told = run(path, "--source")
    assert (status, conf.read_text(encoding="utf-8")) == (0, "[other]\n")
    assert "    [tank]\n    recursive = yes\n" in told


def test_that_copies_go_nowhere_where_they_would_be_mounted(tmp_path: Path) -> None:
    path = script_in(tmp_path)
    (tmp_path / "there").touch()
    status, told = run(path, "--target", "nas1", "vault", mountpoint="/vault/backup")
    assert (status, (tmp_path / "etc").exists()) == (1, False), told
    assert "Nothing was changed." in told
    for wrong in (("--target", "nas1"), ("--target", "-x", "vault"), ("--target", "nas1", "a b"), ("--commands",), ()):
        assert run(path, *wrong)[0] == 2


def test_that_the_commands_never_force_and_leave_nothing_mounted(tmp_path: Path) -> None:
    status, told = run(script_in(tmp_path), "--commands", "nas2", "vault")
    lines = [line for line in told.splitlines() if not line.startswith("#")]
    assert (status, len(lines), (tmp_path / "calls").exists()) == (0, 7, False)
    received = [line.partition("| ")[2] for line in lines if "zfs receive" in line]
    assert all(" -u" in line and " -F" not in line for line in received)
    assert (
        "zfs send -R -w -I @backup-1 tank@backup-2 | ssh nas2 zfs receive -s -u -o readonly=on -x mountpoint " in told
    )
