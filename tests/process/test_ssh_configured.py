"""Which hosts ~/.ssh/config offers, and what is made of what OpenSSH's client says."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from poolwright.domain.command import Command, Completed, Ending
from poolwright.process.on_host import SshHost
from poolwright.process.piped import own_program
from poolwright.process.ssh import (
    ASKPASS,
    TERMINAL,
    SshTrouble,
    asks_way,
    configured_hosts,
    failure_of,
    is_confirmation,
    trouble_of,
    way_of,
)


def test_that_hosts_are_offered_without_patterns_and_with_what_is_included(tmp_path: Path) -> None:
    (tmp_path / "more.d").mkdir()
    (tmp_path / "more.d" / "10-lab").write_text('Host "lab 1" lab2\n  User root\n', encoding="utf-8")
    (tmp_path / "config").write_text(
        "# Host not-me\nHost nas1 nas#2 *.example !nas9\n  HostName 192.0.2.1\nInclude more.d/* gone\n"
        "host=backup\nMatch host nas1\n  User x\nHost *\n  Compression yes\nInclude config\n"
        "Include config\nHost nas1 -oProxyCommand=x # mine\n",
        encoding="utf-8",
    )
    assert configured_hosts(tmp_path / "config") == ("nas1", "nas#2", "lab 1", "lab2", "backup")
    assert configured_hosts(tmp_path / "none") == ()


def test_that_openssh_itself_tells_how_a_host_is_reached(tmp_path: Path) -> None:
    config = tmp_path / "config"
    config.write_text(
        "Host nas\n  HostName 192.0.2.7\n  Port 2222\n  User ops\nHost far\n  ProxyJump nas\n  HostName 10.0.0.1\n",
        encoding="utf-8",
    )
    for name, words, jump in (("nas", "ops@192.0.2.7:2222", None), ("root@far", "root@10.0.0.1", "nas")):
        command = asks_way(SshHost(name=name, options=("-F", str(config))))
        done = subprocess.run(command.argv, capture_output=True, check=True)
        way = way_of(Completed(command=command, ending=Ending.EXITED, status=0, stdout=done.stdout))
        assert way is not None
        assert (way.words, way.jump) == (words, jump)


@pytest.mark.parametrize(
    ("said", "trouble"),
    [
        ("ssh: Could not resolve hostname nas: Name or service not known", SshTrouble.NO_NAME),
        ("ssh: connect to host nas port 22: Connection refused", SshTrouble.REFUSED),
        ("ssh: connect to host nas port 22: Connection timed out", SshTrouble.SILENT),
        ("ssh: connect to host nas port 22: No route to host", SshTrouble.UNREACHABLE),
        ("root@nas: Permission denied (publickey,password).", SshTrouble.NOT_LET_IN),
        ("Received disconnect from x port 22:2: Too many authentication failures", SshTrouble.NOT_LET_IN),
        ("Host key verification failed.", SshTrouble.UNKNOWN_KEY),
        ("@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @\nHost key verification failed.", SshTrouble.CHANGED_KEY),
        ("kex_exchange_identification: Connection closed by remote host", SshTrouble.LOST),
        ("config: line 1: Bad configuration option: hots", SshTrouble.NO_CONFIGURATION),
        ("something else", SshTrouble.OTHER),
    ],
)
def test_that_each_trouble_is_known_by_what_ssh_says(said: str, trouble: SshTrouble) -> None:
    command = Command(argv=("ssh",))
    assert trouble_of(Completed(command=command, ending=Ending.EXITED, status=255, stderr=said.encode())) is trouble


def test_that_a_question_for_trust_is_told_from_one_for_a_password() -> None:
    assert is_confirmation("The authenticity of host 'x' can't be established. continue (yes/no/[fingerprint])?")
    assert not is_confirmation("root@fingerprint.example.com's password: ")
    assert not is_confirmation("Enter passphrase for key 'id_ed25519':")


@pytest.mark.slow
def test_that_the_terminal_is_asked_without_showing_what_is_typed() -> None:
    master, slave = os.openpty()
    argv = (*own_program(ASKPASS), TERMINAL, os.ttyname(slave), "Password for nas:")
    child = subprocess.Popen(argv, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, start_new_session=True)
    shown = b""
    while b"nas:" not in shown:
        shown += os.read(master, 200)
    os.write(master, b"s3cret word\n")
    out, _ = child.communicate(timeout=20)
    shown += os.read(master, 200)
    os.close(master)
    os.close(slave)
    assert out == b"s3cret word\n"
    assert child.returncode == 0
    assert b"s3cret" not in shown
    assert sys.executable == argv[0]


@pytest.mark.parametrize("said", ["Host key verification failed.", "something else", "Bad configuration option: x"])
def test_that_a_host_stands_quoted_in_a_command_to_type(said: str) -> None:
    answer = Completed(command=Command(argv=("ssh",)), ending=Ending.EXITED, status=255, stderr=said.encode())
    failure = failure_of(SshHost(name="nas$(reboot); x"), answer)
    assert "'nas$(reboot); x'" in (failure.todo or "")
