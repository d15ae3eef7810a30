"""A real SSH server of the tests' own: on 127.0.0.1, with keys and port of its own, and OpenSSH's client told of it."""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from tests.process.processes import name_of

SSHD = shutil.which("sshd", path="/usr/sbin:/usr/local/sbin:/sbin:/usr/bin")


@dataclass(kw_only=True)
class OwnSshd:
    """A server; ``config`` is the client's configuration, in which the host is called ``near``."""

    folder: Path
    port: int
    child: subprocess.Popen[bytes] | None = None
    authorized: Path = field(init=False)
    before: list[str] = field(default_factory=list)  # commands in a mount namespace of the server's own

    def __post_init__(self) -> None:
        self.authorized = self.folder / "authorized"

    @property
    def config(self) -> Path:
        return self.folder / "config"

    @property
    def options(self) -> tuple[str, ...]:
        return ("-F", str(self.config))

    def trust(self) -> None:
        key = (self.folder / "host_key.pub").read_text(encoding="utf-8")
        (self.folder / "known_hosts").write_text(f"[127.0.0.1]:{self.port} {key}", encoding="utf-8")

    def trust_another(self) -> None:
        key = (self.folder / "user_key.pub").read_text(encoding="utf-8")
        (self.folder / "known_hosts").write_text(f"[127.0.0.1]:{self.port} {key}", encoding="utf-8")

    def with_user(self, name: str, password: str, *, sudoers: str = "", shell: str = "/bin/sh") -> None:
        """Let a user be there, for the server alone, who may do what ``sudoers`` says."""
        hashed = subprocess.run(
            ["openssl", "passwd", "-6", password], check=True, capture_output=True, text=True
        ).stdout
        for file, line in (
            ("passwd", f"{name}:x:4711:4711::/:{shell}"), ("group", f"{name}:x:4711:"),
            ("shadow", f"{name}:{hashed.strip()}:19000:0:99999:7:::"), ("sudoers", sudoers),
        ):  # fmt: skip
            theirs, own = Path("/etc") / file, self.folder / file
            if theirs.exists():
                own.write_text(
                    f"{theirs.read_text(encoding='utf-8')}\n{line}\n".replace("\n\n", "\n"), encoding="utf-8"
                )
                own.chmod(theirs.stat().st_mode & 0o777)
                self.before.append(f"mount --bind {own} {theirs}")
        # Read as that user, who may not enter the folder of the tests.
        self.before += ["mount -t tmpfs none /srv", f"cp {self.authorized} /srv/authorized"]
        self.authorized = Path("/srv/authorized")
        config = self.config.read_text(encoding="utf-8").replace("User root", f"User {name}")
        self.config.write_text(config, encoding="utf-8")

    def with_busybox(self, program: str) -> str:
        """Let there be nothing but BusyBox for who logs in; return the line of configuration that shuts one in."""
        self.before += [
            "mount -t tmpfs -o mode=755 none /mnt", "mkdir /mnt/bin /mnt/proc /mnt/sys /mnt/dev",
            f"cp {program} /mnt/bin/busybox",
            "for a in $(/mnt/bin/busybox --list); do [ -e /mnt/bin/$a ] || ln -s busybox /mnt/bin/$a; done",
            "rm -f /mnt/bin/lsblk /mnt/bin/blkid",
            "mount --rbind /proc /mnt/proc", "mount --rbind /sys /mnt/sys", "mount --rbind /dev /mnt/dev",
        ]  # fmt: skip
        return "ChrootDirectory /mnt"

    def fingerprint(self) -> str:
        words = ["ssh-keygen", "-lf", str(self.folder / "host_key.pub")]
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()[1]

    def start(self, *lines: str, trusted: bool = False) -> None:
        """Serve, with further lines of configuration; ``trusted`` is a server whose key the client knows."""
        if trusted:
            self.trust()
        text = [
            f"Port {self.port}", "ListenAddress 127.0.0.1", f"HostKey {self.folder / 'host_key'}", "PidFile none",
            f"AuthorizedKeysFile {self.authorized}", "StrictModes no", "UsePAM no",
            "PasswordAuthentication no", "KbdInteractiveAuthentication no", "LogLevel QUIET", "PermitRootLogin yes",
            f"SetEnv HOME={self.folder}",  # what a login does by itself on this machine is not part of the tests
        ]  # fmt: skip
        config = self.folder / "sshd_config"
        config.write_text("\n".join((*lines, *text)) + "\n", encoding="utf-8")
        assert SSHD is not None
        words = [SSHD, "-D", "-f", str(config)]
        if self.before:
            words = ["unshare", "--mount", "sh", "-ec", "\n".join((*self.before, 'exec "$@"')), "sh", *words]
        self.child = subprocess.Popen(words, start_new_session=True)
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
                return
            time.sleep(0.05)
        pytest.skip("no SSH server can be run here")

    def stop(self) -> None:
        """End the server and every connection to it."""
        if self.child is not None:
            for pid in _below(self.child.pid):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            self.child.wait(10)
            self.child = None

    def drop(self) -> None:
        """End every connection, and leave what runs behind them to hear of it by itself."""
        assert self.child is not None
        for pid in _below(self.child.pid)[:-1]:
            if name_of(pid).startswith("sshd"):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)


def _below(pid: int) -> list[int]:
    """Return a process and all that it started, the youngest first."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                stat = (entry / "stat").read_text(encoding="utf-8", errors="replace")
                parents[int(entry.name)] = int(stat.rpartition(")")[2].split()[1])
    found = [pid]
    for each in found:
        found.extend(child for child, parent in parents.items() if parent == each)
    return found[::-1]


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def _key(path: Path) -> None:
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)], check=True)


@pytest.fixture
def own_sshd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OwnSshd]:
    """Return a server that is not started yet, whose key the client does not know yet; the client's key is let in."""
    if SSHD is None or os.geteuid() != 0 or shutil.which("ssh-keygen") is None:
        pytest.skip("an SSH server is started here as root, from openssh-server")
    Path("/run/sshd").mkdir(exist_ok=True)  # where the server of Debian parts from its rights
    folder = tmp_path_factory.mktemp("sshd")
    made = OwnSshd(folder=folder, port=free_port())
    _key(folder / "host_key")
    _key(folder / "user_key")
    shutil.copy(folder / "user_key.pub", folder / "authorized")
    made.config.write_text(
        "Host near\n  HostName 127.0.0.1\n"
        f"  Port {made.port}\n  User root\n  IdentityFile {folder / 'user_key'}\n  IdentitiesOnly yes\n"
        f"  UserKnownHostsFile {folder / 'known_hosts'}\n  GlobalKnownHostsFile /dev/null\n  IdentityAgent none\n",
        encoding="utf-8",
    )
    yield made
    made.stop()
