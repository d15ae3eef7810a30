"""The script that makes the paper's volumes and removes them: run by bash, with tools that only remember."""

import os
import subprocess
from pathlib import Path

import pytest
from tests.cases import table
from tests.emit.functions import check_shell

from poolwright.domain.errors import UserError
from poolwright.emit.names import Stamp
from poolwright.emit.script import volumes_script

_ZPOOL = """#!/bin/sh
[ "$5" = tank ] && printf '%s\\t%s\\n' "${HEALTH-ONLINE}" "${FREE-99999999999999}"
"""
# A volume is a file whose content is its mark.
_ZFS: str = table(__file__, "zfs")


def script(tmp_path: Path, pool: str = "tank") -> Path:
    path = tmp_path / "volumes.sh"
    stamp = Stamp(generated_at="2026-01-01", program_version="1")
    text = volumes_script(pool, stem="poolwright-paper", count=3, size_bytes=10 << 30, block_bytes=131072, stamp=stamp)
    path.write_text(text, encoding="utf-8")
    return path


def run(tmp_path: Path, *words: str, said: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    tools, state = tmp_path / "bin", tmp_path / "state"
    for name, text in (("zpool", _ZPOOL), ("zfs", _ZFS)):
        tools.mkdir(exist_ok=True)
        (tools / name).write_text(text, encoding="utf-8")
        (tools / name).chmod(0o755)
    state.mkdir(exist_ok=True)
    told = {"PATH": f"{tools}:{os.environ['PATH']}", "STATE": str(state), "POOLWRIGHT_LOG": str(tmp_path / "run.log")}
    return subprocess.run(
        ["bash", script(tmp_path), *words],
        input=said,
        env=told | environment,
        capture_output=True,
        text=True,
        check=False,
    )


def written(tmp_path: Path) -> list[str]:
    log = tmp_path / "state" / "log"
    return log.read_text(encoding="utf-8").splitlines() if log.exists() else []


@pytest.mark.slow
def test_that_bash_and_shellcheck_accept_the_volumes_script(tmp_path: Path) -> None:
    check_shell(script(tmp_path))


@pytest.mark.slow
def test_that_volumes_are_made_once_it_was_typed_and_removed_again(tmp_path: Path) -> None:
    assert run(tmp_path, "--make", said="no\n").returncode == 1
    assert written(tmp_path) == []
    made = run(tmp_path, "--make", said="make tank\n")
    assert made.returncode == 0, made.stderr
    assert [line.split()[-1] for line in written(tmp_path)] == [f"tank/poolwright-paper-{n}" for n in (1, 2, 3)]
    assert "create -V 10737418240 -o volblocksize=131072" in written(tmp_path)[0]
    assert "are there already" in run(tmp_path, "--make", "--yes").stdout
    assert len(written(tmp_path)) == 3
    assert run(tmp_path, "--remove", said="destroy tank\n").returncode == 0
    assert [line.split()[0] for line in written(tmp_path)[3:]] == ["destroy"] * 3
    assert "None of the volumes" in run(tmp_path, "--check").stdout


def test_that_a_volume_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    run(tmp_path, "--check")
    (tmp_path / "state" / "tank_poolwright-paper-2").write_text("mine\n", encoding="utf-8")
    for doing in ("--make", "--remove"):
        done = run(tmp_path, doing, "--yes")
        assert done.returncode == 1
        assert "was not made by this script" in done.stderr
    assert written(tmp_path) == []


def test_that_a_pool_that_is_not_well_or_too_full_gets_none(tmp_path: Path) -> None:
    assert "is DEGRADED" in run(tmp_path, "--make", "--yes", HEALTH="DEGRADED").stderr
    assert "bytes free" in run(tmp_path, "--make", "--yes", FREE="1000").stderr
    assert written(tmp_path) == []


def test_that_the_name_of_the_pool_is_no_way_in() -> None:
    with pytest.raises(UserError):
        script(Path("/nowhere"), "tank; reboot")


@pytest.mark.parametrize("missing", ["zfs", "zpool"])
def test_that_both_tools_are_wanted(tmp_path: Path, missing: str) -> None:
    path = tmp_path / "lacking.sh"
    text = script(tmp_path).read_text(encoding="utf-8")
    lacks = f'have() {{ [ "$1" != {missing} ]; }}; check_fixed_part() {{ :; }}\nmain "$@"\n'
    path.write_text(text.replace('main "$@"\n', lacks), encoding="utf-8")
    done = subprocess.run(["bash", path, "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert "not installed here" in done.stderr
