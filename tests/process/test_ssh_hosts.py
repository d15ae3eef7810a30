"""Machines over SSH, by a real server on this machine: reached or not and why, root there or not, BusyBox."""

import os
import shutil
import signal
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from tests.process.sshd import OwnSshd, free_port, own_sshd

from poolwright.domain.command import Batch, Command, Completed, Reading
from poolwright.domain.host import Inventory
from poolwright.machine.collect import read_machine
from poolwright.process.blocking import drive, run_batch
from poolwright.process.on_host import SshHost
from poolwright.process.ssh import Asker, RootBy, SshFailure, SshTrouble, arrived, read_host, visiting

__all__ = ["own_sshd"]
pytestmark = pytest.mark.slow
PASSWORD = "pass word'$(x)"


def near(server: OwnSshd) -> SshHost:
    return SshHost(name="near", options=server.options)


def answering(folder: Path, text: str) -> Asker:
    file = folder / "answer"
    file.write_text(text + "\n", encoding="utf-8")
    return Asker(argv=("sh", "-c", f"cat {file}; echo asked >>{folder / 'asked'}", "asker"))


def refused(server: OwnSshd, host: SshHost | None = None, asker: Asker | None = None) -> SshFailure:
    with pytest.raises(SshFailure) as failed:
        drive(read_host(host or near(server), asker))
    assert failed.value.todo
    return failed.value


def bare(found: Inventory) -> object:
    """Return what was read, without the name by which the machine was reached, and what changes by itself."""
    disks = tuple(replace(disk, origins=(), temperature_celsius=None, power_on_hours=None) for disk in found.disks)
    return disks, found.pools, replace(found.host, origins=())


def test_that_a_machine_over_ssh_is_the_same_machine_and_nothing_is_left_behind(
    own_sshd: OwnSshd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "r"))
    (tmp_path / "r").mkdir(mode=0o700)
    own_sshd.start(trusted=True)
    there, here = drive(read_host(near(own_sshd))), drive(read_machine(name="near"))
    assert bare(there) == bare(here)
    assert there.notes == here.notes
    assert list((tmp_path / "r").iterdir()) == []
    held = subprocess.run(["pgrep", "-f", str(own_sshd.config)], capture_output=True, check=False)
    assert held.stdout == b""


def test_that_all_commands_share_one_connection_in_a_private_folder(own_sshd: OwnSshd) -> None:
    own_sshd.start("MaxSessions 3", trusted=True)
    visit = drive(arrived(near(own_sshd)))
    try:
        assert visit.folder.stat().st_mode & 0o777 == 0o700
        assert visit.way is not None
        assert visit.way.words == f"root@127.0.0.1:{own_sshd.port}"

        def many() -> Reading[tuple[Completed, ...]]:
            batch = tuple(Command(argv=("sh", "-c", f"sleep 0.3; echo {n} $SSH_CONNECTION")) for n in range(8))
            return (yield batch)

        answers = drive(visiting(visit, many()))
        assert [answer.text.split()[0] for answer in answers] == [str(n) for n in range(8)]
        # More at once than the server lets share one connection come by one of their own, or once more.
        assert len({answer.text.split()[2] for answer in answers}) < 8
    finally:
        visit.leave()
    assert not visit.folder.exists()


def test_that_an_unknown_key_is_shown_and_a_changed_one_is_an_alarm(own_sshd: OwnSshd) -> None:
    own_sshd.start()
    told = own_sshd.fingerprint()
    unknown = refused(own_sshd)
    assert unknown.trouble is SshTrouble.UNKNOWN_KEY
    assert told in unknown.text
    assert unknown.command == "ssh -o StrictHostKeyChecking=ask near exit"
    assert not (own_sshd.folder / "known_hosts").exists()
    own_sshd.trust_another()
    changed = refused(own_sshd)
    assert changed.trouble is SshTrouble.CHANGED_KEY
    assert "ALARM" in changed.text
    assert told in changed.text
    assert "ssh-keygen -f" in changed.command


def test_that_a_question_whether_to_trust_a_key_is_never_answered_yes(own_sshd: OwnSshd, tmp_path: Path) -> None:
    own_sshd.start()
    asker = answering(tmp_path, "yes")
    assert refused(own_sshd, asker=asker).trouble is SshTrouble.UNKNOWN_KEY
    assert not (tmp_path / "asked").exists()


def test_that_each_way_not_to_arrive_is_told_in_its_own_words(own_sshd: OwnSshd) -> None:
    own_sshd.start(trusted=True)
    (own_sshd.folder / "authorized").write_text("", encoding="utf-8")
    assert refused(own_sshd).trouble is SshTrouble.NOT_LET_IN
    assert refused(own_sshd, SshHost(name="nowhere.invalid")).trouble is SshTrouble.NO_NAME
    elsewhere = SshHost(name="near", options=("-p", str(free_port()), *own_sshd.options))
    assert refused(own_sshd, elsewhere).trouble is SshTrouble.REFUSED
    own_sshd.config.write_text("Hots near\n", encoding="utf-8")
    assert refused(own_sshd).trouble is SshTrouble.NO_CONFIGURATION


def test_that_a_host_without_a_shell_says_so(own_sshd: OwnSshd) -> None:
    own_sshd.start("ForceCommand echo This account is not available", trusted=True)
    found = refused(own_sshd)
    assert found.trouble is SshTrouble.NO_SHELL
    assert "This account is not available" in found.text


def test_that_a_connection_that_drops_while_it_is_used_is_told(own_sshd: OwnSshd) -> None:
    own_sshd.start(trusted=True)
    turns: list[Batch] = []

    def runner(batch: Batch) -> tuple[Completed, ...]:
        turns.append(batch)
        if any("lsblk" in word for command in batch for word in command.argv):
            own_sshd.stop()
        return run_batch(batch)

    with pytest.raises(SshFailure) as failed:
        drive(read_host(near(own_sshd)), runner)
    assert failed.value.trouble is SshTrouble.LOST


def test_that_a_passphrase_comes_by_askpass_and_stands_in_no_argument(own_sshd: OwnSshd, tmp_path: Path) -> None:
    own_sshd.start(trusted=True)
    key = str(own_sshd.folder / "user_key")
    subprocess.run(["ssh-keygen", "-q", "-p", "-P", "", "-N", PASSWORD, "-f", key], check=True)
    assert refused(own_sshd).trouble is SshTrouble.NOT_LET_IN
    seen: list[Command] = []

    def runner(batch: Batch) -> tuple[Completed, ...]:
        seen.extend(batch)
        return run_batch(batch)

    found = drive(read_host(near(own_sshd), answering(tmp_path, PASSWORD)), runner)
    assert found.disks
    assert (tmp_path / "asked").read_text(encoding="utf-8").count("asked") == 1
    assert PASSWORD not in repr([(command.argv, command.environment) for command in seen])


needs_users = pytest.mark.skipif(
    shutil.which("sudo") is None or shutil.which("openssl") is None or shutil.which("unshare") is None,
    reason="users of its own need sudo, openssl and unshare",
)


def root_probe() -> Reading[tuple[Completed, ...]]:
    commands = (Command(argv=("id", "-u"), needs_root=True), Command(argv=("id", "-u")))
    return (yield commands)


@needs_users
@pytest.mark.parametrize(
    ("sudoers", "given", "by", "ids"),
    [
        ("", "", RootBy.PERHAPS, ["4711", "4711"]),
        ("poolop ALL=(ALL) NOPASSWD: ALL", "", RootBy.SUDO, ["0", "4711"]),
        ("poolop ALL=(ALL) NOPASSWD: /usr/bin/id", "", RootBy.PERHAPS, ["0", "4711"]),
        ("poolop ALL=(ALL) ALL", PASSWORD, RootBy.PASSWORD, ["0", "4711"]),
        ("poolop ALL=(ALL) ALL", "wrong", RootBy.PERHAPS, ["4711", "4711"]),
    ],
)
def test_that_root_is_had_by_sudo_where_it_can_be(
    own_sshd: OwnSshd, tmp_path: Path, sudoers: str, given: str, by: RootBy, ids: list[str]
) -> None:
    own_sshd.with_user("poolop", PASSWORD, sudoers=sudoers)
    own_sshd.start(trusted=True)
    visit = drive(arrived(near(own_sshd), answering(tmp_path, given) if given else None))
    try:
        answers = drive(visiting(visit, root_probe()))
        assert [answer.text.strip() for answer in answers] == ids
        assert visit.rights.by is by
        assert list(visit.without_root) == ([] if ids[0] == "0" else ["id"])
        assert PASSWORD not in repr(visit)
    finally:
        visit.leave()


@needs_users
def test_that_a_password_of_the_login_comes_by_askpass(own_sshd: OwnSshd, tmp_path: Path) -> None:
    own_sshd.with_user("poolop", PASSWORD)
    own_sshd.start("PasswordAuthentication yes", "PubkeyAuthentication no", trusted=True)
    assert refused(own_sshd).trouble is SshTrouble.NOT_LET_IN
    assert refused(own_sshd, asker=answering(tmp_path, "wrong")).trouble is SshTrouble.NOT_LET_IN
    found = drive(read_host(near(own_sshd), answering(tmp_path, PASSWORD)))
    told = [note.text for note in found.notes if "not root there" in note.text]
    assert told, [note.text for note in found.notes]
    assert "smartctl" in told[0]


@needs_users
def test_that_busybox_alone_tells_names_sizes_and_sectors(own_sshd: OwnSshd) -> None:
    busybox = shutil.which("busybox")
    if busybox is None:
        pytest.skip("busybox-static is not installed")
    own_sshd.with_user("poolop", PASSWORD)
    own_sshd.start(own_sshd.with_busybox(busybox), trusted=True)
    there, here = drive(read_host(near(own_sshd))), drive(read_machine())
    assert any("no lsblk" in note.text for note in there.notes)
    facts = ("path", "size_bytes", "logical_sector_bytes", "physical_sector_bytes", "model")
    assert [[getattr(disk, fact) for fact in facts] for disk in there.disks] == [
        [getattr(disk, fact) for fact in facts] for disk in here.disks
    ]
    assert all(a.serial == b.serial or b.serial is None for a, b in zip(there.disks, here.disks, strict=True))
    assert not any(disk.use_known for disk in there.disks)
    assert there.host.ram_bytes == here.host.ram_bytes


def test_that_a_server_that_hangs_is_given_up(own_sshd: OwnSshd) -> None:
    own_sshd.start(trusted=True)
    assert own_sshd.child is not None
    os.kill(own_sshd.child.pid, signal.SIGSTOP)
    host = SshHost(name="near", options=("-o", "ConnectTimeout=1", *own_sshd.options))
    try:
        assert refused(own_sshd, host).trouble is SshTrouble.SILENT
    finally:
        os.kill(own_sshd.child.pid, signal.SIGCONT)


def test_that_a_host_behind_another_is_reached_and_its_key_looked_at_from_there(own_sshd: OwnSshd) -> None:
    own_sshd.start(trusted=True)
    text = own_sshd.config.read_text(encoding="utf-8")
    behind = text.replace("Host near", "Host behind") + "  ProxyJump near\n  HostKeyAlias behind\n"
    own_sshd.config.write_text(text + behind, encoding="utf-8")
    host = SshHost(name="behind", options=own_sshd.options)
    unknown = refused(own_sshd, host)
    assert unknown.trouble is SshTrouble.UNKNOWN_KEY
    told = own_sshd.fingerprint()
    assert any(told in fact for fact in unknown.facts), unknown.text
    key = (own_sshd.folder / "host_key.pub").read_text(encoding="utf-8")
    with (own_sshd.folder / "known_hosts").open("a", encoding="utf-8") as known:
        known.write(f"behind {key}")
    assert drive(read_host(host)).disks
