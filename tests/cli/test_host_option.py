"""`--host` on the command line, by a real server: one machine, several side by side, one that is not reached."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.command_line import written
from tests.process.sshd import OwnSshd, own_sshd

from poolwright.cli.main import run

__all__ = ["own_sshd"]
pytestmark = pytest.mark.slow


@pytest.fixture
def near(own_sshd: OwnSshd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OwnSshd:
    """Let ssh know the server: OpenSSH looks for its configuration in the home of the user, wherever HOME is."""
    client = written(tmp_path / "ssh", f'#!/bin/sh\nexec {shutil.which("ssh")} -F {own_sshd.config} "$@"\n')
    client.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    own_sshd.start()
    own_sshd.trust()
    return own_sshd


def printed(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, Any]:
    status = run([*argv, "--json"])
    return status, json.loads(capsys.readouterr().out)


def sizes(document: Any) -> list[object]:
    return [(disk["path"], disk["size_bytes"]) for disk in document["disks"]]


def test_that_a_host_is_read_as_this_machine_is(near: OwnSshd, capsys: pytest.CaptureFixture[str]) -> None:
    status, there = printed(capsys, "inventory", "--host", "near")
    _, here = printed(capsys, "inventory")
    assert status == 0
    assert sizes(there) == sizes(here)
    assert there["origin"]["source"] == "near"


def test_that_several_are_read_side_by_side_and_one_that_fails_leaves_the_others(
    near: OwnSshd, capsys: pytest.CaptureFixture[str]
) -> None:
    near.config.write_text(
        f"Host gone\n  HostName 127.0.0.1\n  Port 9\n{near.config.read_text(encoding='utf-8')}", encoding="utf-8"
    )
    status, document = printed(capsys, "inventory", "--host", "gone", "--host", "near")
    assert status == 3
    hosts = document["hosts"]
    assert [host["asked"] for host in hosts] == ["gone", "near"]
    assert "refuses the connection" in hosts[0]["error"]
    assert hosts[0]["todo"]
    assert hosts[1]["disks"]


def test_that_commands_that_take_one_machine_take_a_host(near: OwnSshd, capsys: pytest.CaptureFixture[str]) -> None:
    status, document = printed(capsys, "inventory", "--host", "near", "--redact")
    assert status == 0
    assert document["disks"]
    # The machine of the tests may have no free disk: then that is what is said, and not that it cannot be reached.
    status, document = printed(capsys, "recommend", "--host", "near", "--goal", "safety")
    assert status in (0, 1)
    status, document = printed(capsys, "recommend", "--host", "near", "--host", "far", "--goal", "safety")
    assert status == 2
    assert "One machine" in str(document["error"])
