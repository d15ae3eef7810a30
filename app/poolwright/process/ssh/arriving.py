"""On the way to a machine: one connection that all commands share, its key looked at, and who one is there.

First without any question (keys, agent); only where that is not enough, and somebody is there to answer, OpenSSH asks
for a password or passphrase by our own program (`Asker`). No secret is kept: what OpenSSH is told stays in it, and a
password for sudo in the memory of this visit.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from poolwright.domain.command import Command, Completed, Ending, Reading
from poolwright.domain.errors import EnvironmentFailure
from poolwright.domain.shown import shown_text
from poolwright.process.child import begin, close_streams, leave_behind, python_module
from poolwright.process.on_host import SshHost, command_on
from poolwright.process.ssh.configured import SshWay, asks_way, way_of
from poolwright.process.ssh.failures import ASKPASS, Asker, HostKeys, SshTrouble, failure_of, no_shell, trouble_of
from poolwright.process.ssh.root import Rights, rights_there
from poolwright.texts import tell

_OPEN_SECONDS = 45.0
_ASKED_SECONDS = 300.0  # somebody types
_PERSIST_SECONDS = 60  # the shared connection outlives a program that was killed by so much
_LONGEST_FOLDER = 60  # the path of a socket has 107 letters, of which OpenSSH takes some for itself
_LEAVE_SECONDS = 1.0
_ARRIVED = "poolwright-arrived"  # for machines
_FIRST = Command(argv=("echo", _ARRIVED), timeout_seconds=_OPEN_SECONDS)


@dataclass(slots=True, kw_only=True)
class Visit:
    """A machine that was reached: ``host`` goes by the shared connection; ``rights`` is what one may do there.

    ``without_root`` collects the programs that had to do without root. `leave` ends the connection.
    """

    host: SshHost
    folder: Path
    way: SshWay | None = None
    rights: Rights = field(default_factory=Rights)
    without_root: dict[str, None] = field(default_factory=dict)

    def leave(self) -> None:
        """End the shared connection and remove its folder; waits a moment at most."""
        child = begin(Command(argv=("ssh", *self.host.options, "-O", "exit", "--", self.host.name)))
        if not isinstance(child, Completed):
            with suppress(subprocess.TimeoutExpired):
                child.wait(_LEAVE_SECONDS)
            close_streams(child)
            leave_behind(child)
        shutil.rmtree(self.folder, ignore_errors=True)


def arrived(host: SshHost, asker: Asker | None = None) -> Reading[Visit]:
    """Reach a host: a conversation that returns the visit, which the caller leaves.

    Raises `SshFailure` where it is not reached, with what to do; ``asker`` asks for passwords, None asks for nothing.
    """
    command_on(_FIRST, host)  # raises for what is no name
    visit = Visit(host=_shared(host, folder := private_folder()), folder=folder)
    try:
        (told,) = yield (asks_way(host),)
        visit.way = way_of(told)
        answer = yield from _opened(visit, asker)
        if answer.status == 255 or answer.ending is not Ending.EXITED:
            keys = yield from _keys(host, visit.way, answer)
            raise failure_of(host, answer, keys)  # noqa: TRY301 - the visit is left on the way out
        if _ARRIVED not in answer.text:
            said = answer.text or answer.stderr.decode("utf-8", "replace")
            raise no_shell(host, said)  # noqa: TRY301
        visit.rights = yield from rights_there(visit.host, asker)
    except BaseException:
        visit.leave()
        raise
    return visit


def _shared(host: SshHost, folder: Path) -> SshHost:
    return replace(
        host,
        options=(
            *host.options, "-o", f"ControlPath={folder / 'c'}", "-o", "ControlMaster=auto",
            "-o", f"ControlPersist={_PERSIST_SECONDS}",
        ),
    )  # fmt: skip


def private_folder() -> Path:
    """Return a new folder that only this user may enter, with a short name; raises EnvironmentFailure."""
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    for base in (runtime, tempfile.gettempdir(), "/tmp"):  # noqa: S108 - the folder in it is made private
        if base and len(base) <= _LONGEST_FOLDER and os.access(base, os.W_OK | os.X_OK):
            with suppress(OSError):
                return Path(tempfile.mkdtemp(prefix="pw-", dir=base))
    raise EnvironmentFailure(
        tell("There is no place for a shared connection"), todo=tell("Make /tmp or XDG_RUNTIME_DIR writable.")
    )


def _opened(visit: Visit, asker: Asker | None) -> Reading[Completed]:
    (answer,) = yield (command_on(_FIRST, visit.host),)
    if asker is None or answer.status != 255 or trouble_of(answer) is not SshTrouble.NOT_LET_IN:
        return answer
    (answer,) = yield (_asking(command_on(_FIRST, visit.host), visit.folder, asker),)
    return answer


def _asking(command: Command, folder: Path, asker: Asker) -> Command:
    script = folder / "ask"
    script.write_text(asker.script(), encoding="utf-8")
    script.chmod(0o700)
    argv = tuple("BatchMode=no" if word == "BatchMode=yes" else word for word in command.argv)
    environment = [("SSH_ASKPASS", str(script)), ("SSH_ASKPASS_REQUIRE", "force")]
    if not os.environ.get("DISPLAY"):
        environment.append(("DISPLAY", "none"))  # OpenSSH before 8.4 asks nobody without one
    return replace(
        command,
        argv=(argv[0], "-o", "NumberOfPasswordPrompts=3", *argv[1:]),
        environment=tuple(environment),
        timeout_seconds=_ASKED_SECONDS,
    )


def _keys(host: SshHost, way: SshWay | None, answer: Completed) -> Reading[HostKeys]:
    """Return the keys that the host shows, where one is not trusted; asked for by the same way there."""
    if trouble_of(answer) not in (SshTrouble.UNKNOWN_KEY, SshTrouble.CHANGED_KEY) or way is None:
        return HostKeys()
    if way.proxied and way.jump is None:
        return HostKeys(why_not=tell("a key that cannot be looked at through its ProxyCommand"))
    scan = Command(argv=("ssh-keyscan", "-T", "5", "-p", str(way.port), way.address), accepted=None, timeout_seconds=20)
    if way.jump is not None:
        jump = way.jump.rpartition(",")[2]
        before = ("-J", way.jump.rpartition(",")[0]) if "," in way.jump else ()
        scan = command_on(
            scan, SshHost(name=jump if "://" in jump else f"ssh://{jump}", options=(*host.options, *before))
        )
    (found,) = yield (scan,)
    if not found.stdout.strip():
        return HostKeys(why_not=tell("a key that cannot be looked at now"))
    (read,) = yield (Command(argv=("ssh-keygen", "-lf", "-"), stdin=found.stdout, timeout_seconds=10),)
    return HostKeys(fingerprints=tuple(_fingerprint(line) for line in sorted(read.text.splitlines()) if line.strip()))


def _fingerprint(line: str) -> str:
    """Return “SHA256:… (ED25519)” of a line of ssh-keygen: bits, fingerprint, name, kind."""
    words: Sequence[str] = line.split()
    return shown_text(f"{words[1]} {words[-1]}" if len(words) > 2 else line)


def own_program() -> tuple[str, ...]:
    """Return how this program is started again to ask somebody."""
    frozen = getattr(sys, "frozen", False)
    return (sys.executable, ASKPASS) if frozen else python_module("poolwright", ASKPASS)
