"""On the way to a machine: one connection that all commands share, its key looked at, who one is there, or why not.

First without any question (keys, agent); only where that is not enough, and somebody is there to answer, OpenSSH asks
for a password or passphrase by our own program (`Asker`). No secret is kept: what OpenSSH is told stays in it, and a
password for sudo in the memory of this visit."""

import glob
import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import takewhile
from pathlib import Path
from shlex import quote
from typing import TypeVar

from poolwright.domain.command import Batch, Command, Completed, Ending, Reading
from poolwright.domain.errors import EnvironmentFailure
from poolwright.domain.host import Inventory
from poolwright.domain.shown import shown_text
from poolwright.machine.collect import read_machine
from poolwright.machine.remarks import warning
from poolwright.process.on_host import SshHost, answered, command_on, on_host
from poolwright.process.piped import Answers, Conversation, begin, close_streams, leave_behind, through
from poolwright.shipped import shipped
from poolwright.texts import _

_T = TypeVar("_T")

# The hosts that ~/.ssh/config names, to be offered; how one is really reached OpenSSH itself tells (`ssh -G`).

MOST_HOSTS = 2000
_MOST_FILES = 200
_MOST_BYTES = 1 << 20
_WORDS = re.compile(r"([A-Za-z]+)(?:\s*=\s*|\s+)(\S.*)")


def configured_hosts(file: Path | None = None) -> tuple[str, ...]:
    """Return the names that `Host` lines give, in their order, without patterns; what follows a `Match` counts as well.

    Files that `Include` names are read where they can be. A file that is missing or cannot be read names none.
    """
    start = Path.home() / ".ssh" / "config" if file is None else file
    found: dict[str, None] = {}
    for keyword, words in _lines(start, start.parent, []):
        if keyword == "host":
            names = (w for w in words if w and not set(w) & set("*?!%") and not w.startswith("-") and w.isprintable())
            found |= dict.fromkeys(names)
        if len(found) > MOST_HOSTS:
            break
    return tuple(found)[:MOST_HOSTS]


def _lines(file: Path, folder: Path, read: list[Path]) -> Iterator[tuple[str, tuple[str, ...]]]:
    if file in read or len(read) >= _MOST_FILES:
        return
    read.append(file)
    try:
        with file.open("rb") as opened:
            text = opened.read(_MOST_BYTES).decode("utf-8", "replace")
    except (OSError, ValueError):
        return
    for keyword, words in config_lines(text):
        yield keyword, words
        if keyword == "include":
            for word in words:
                pattern = os.path.join(folder, os.path.expanduser(word))  # noqa: PTH111, PTH118 - a pattern, no path
                for name in sorted(glob.glob(pattern))[:MOST_HOSTS]:  # noqa: PTH207
                    yield from _lines(Path(name), folder, read)


def config_lines(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Return keyword, in small letters, and words of each line of a configuration."""
    for line in text.splitlines():
        found = _WORDS.match(line.strip())
        if found is None:
            continue
        try:
            words = shlex.split(found[2])
        except ValueError:  # a quote that is not closed
            words = found[2].split()
        # A comment begins with a word, not within one.
        yield found[1].lower(), tuple(takewhile(lambda word: not word.startswith("#"), words))


@dataclass(frozen=True, slots=True, kw_only=True)
class SshWay:
    """How OpenSSH reaches a host: its address, port and user, and through what."""

    address: str
    port: int
    user: str
    jump: str | None = None
    proxied: bool = False  # by a command of the configuration

    @property
    def words(self) -> str:
        """Return it as one writes it: root@192.0.2.7, user@nas.example:2222."""
        if self.port == SSH_PORT:
            return f"{self.user}@{self.address}"
        address = f"[{self.address}]" if ":" in self.address else self.address
        return f"{self.user}@{address}:{self.port}"


SSH_PORT = 22


def asks_way(host: SshHost) -> Command:
    """Return the command that tells how a host is reached; it connects to nothing."""
    return Command(argv=("ssh", "-G", *host.options, "--", host.name), timeout_seconds=10)


def way_of(answer: Completed) -> SshWay | None:
    """Return what `asks_way` told; None where it told nothing."""
    said = dict(line.partition(" ")[::2] for line in answer.text.splitlines())
    if not answer.ok or "hostname" not in said:
        return None
    port, jump, command = (said.get(name, "") for name in ("port", "proxyjump", "proxycommand"))
    return SshWay(
        address=said["hostname"],
        port=int(port) if port.isascii() and port.isdigit() and len(port) < 6 else SSH_PORT,
        user=said.get("user", ""),
        jump=jump if jump not in ("", "none") else None,
        proxied=command not in ("", "none"),
    )


# Why a machine is not reached, in words, and what to do about it: told from what OpenSSH's client says.


class SshTrouble(StrEnum):
    UNKNOWN_KEY = "unknown host key"
    CHANGED_KEY = "changed host key"
    NOT_LET_IN = "not let in"
    NO_NAME = "name not found"
    REFUSED = "refused"
    SILENT = "no answer"
    UNREACHABLE = "unreachable"
    NO_CLIENT = "no client"
    NO_CONFIGURATION = "bad configuration"
    NO_SHELL = "no shell"
    LOST = "lost"
    GIVEN_UP = "given up"
    OTHER = "other"


class SshFailure(EnvironmentFailure):
    """A machine that is not reached: the ``trouble``, and a ``command`` that a person may run about it, if any."""

    def __init__(
        self, trouble: SshTrouble, what: str, *, where: str, todo: str, command: str = "", facts: tuple[str, ...] = ()
    ) -> None:
        self.trouble = trouble
        self.command = command
        self.facts = facts
        super().__init__(what, where=where, todo=todo)


@dataclass(frozen=True, slots=True, kw_only=True)
class HostKeys:
    """The keys that a host shows now: fingerprints as `ssh-keygen -lf` tells them; why not, where none is known."""

    fingerprints: tuple[str, ...] = ()
    why_not: str = ""


def trouble_of(answer: Completed) -> SshTrouble:
    if answer.ending is Ending.TIMED_OUT:
        return SshTrouble.SILENT
    if answer.ending in (Ending.NOT_FOUND, Ending.NOT_PERMITTED):
        return SshTrouble.NO_CLIENT
    if answer.ending is Ending.CANCELLED:
        return SshTrouble.GIVEN_UP
    text = answer.stderr.decode("utf-8", "replace")
    signs = (entry for entry in shipped("ssh")["trouble"] if "said" in entry)
    return next((SshTrouble(entry["kind"]) for entry in signs if re.search(entry["said"], text)), SshTrouble.OTHER)


def failure_of(host: SshHost, answer: Completed, keys: HostKeys | None = None) -> SshFailure:
    """Return the failure that people are told of, with the keys that the host shows where one is not trusted."""
    trouble, name = trouble_of(answer), shown_text(host.name)
    if trouble is SshTrouble.UNKNOWN_KEY:
        return _unknown(name, keys or HostKeys())
    if trouble is SshTrouble.CHANGED_KEY:
        return _changed(name, answer, keys or HostKeys())
    said = shown_text(_last_words(answer))
    plain = trouble is SshTrouble.NO_CLIENT or not said
    return _failure(trouble, name, said, where=name if plain else _("{host}; ssh: {said}", host=name, said=said))


def _failure(trouble: SshTrouble, name: str, said: str, *, where: str) -> SshFailure:
    known = next(entry for entry in shipped("ssh")["trouble"] if entry["kind"] == trouble)
    what, todo = _(known["why"], host=name, said=said), _(known["todo"], typed=quote(name))
    return SshFailure(trouble, what, where=where, todo=todo)


def lost(host: SshHost, answer: Completed) -> SshFailure:
    """Return the failure of a connection that ended while the machine was read."""
    name = shown_text(host.name)
    said = shown_text(_last_words(answer))
    return SshFailure(
        SshTrouble.LOST,
        _("The connection to {host} was lost while it was read: {said}", host=name, said=said),
        where=name,
        todo=_("Nothing was changed there. Read it again once it answers."),
    )


def _last_words(answer: Completed) -> str:
    lines = [line.strip() for line in answer.stderr.decode("utf-8", "replace").splitlines() if line.strip()]
    told = lines[-1] if lines else answer.ending.value
    return told.removeprefix("ssh: ").rstrip(".")[:200]


def _unknown(name: str, keys: HostKeys) -> SshFailure:
    shown = "; ".join(keys.fingerprints) or keys.why_not
    command = f"ssh -o StrictHostKeyChecking=ask {quote(name)} exit"  # for machines
    return SshFailure(
        SshTrouble.UNKNOWN_KEY,
        _("The key of {host} is not known here", host=name),
        where=_("it shows {keys}", keys=shown) if shown else name,
        todo=_(
            "Compare “ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub” there, then accept: {command}", command=command
        ),
        command=command,
        facts=keys.fingerprints,
    )


def _changed(name: str, answer: Completed, keys: HostKeys) -> SshFailure:
    text = answer.stderr.decode("utf-8", "replace")
    found = re.search(r"Offending \S+ key in (\S+):(\d+)", text)
    remove = re.search(r"ssh-keygen -f \S+ -R \S+", text)
    place = _("line {line} of {file}", line=found[2], file=found[1]) if found else _("the list of known hosts")
    shown = re.findall(r"(?:SHA256|MD5):\S+", text)
    facts = keys.fingerprints or tuple(shown)
    command = shown_text(remove[0]) if remove else ""
    todo = _("Do not go on before you know why. Once its administrator confirms the fingerprint, take the old key out.")
    return SshFailure(
        SshTrouble.CHANGED_KEY,
        _("ALARM: the key of {host} has CHANGED. Somebody may be listening, or it is another machine", host=name),
        where=_("{place} has another key than {keys}", place=place, keys="; ".join(facts) or name),
        todo=f"{todo} {command}".rstrip(),
        command=command,
        facts=facts,
    )


# Who is asked for passwords: a small program of our own, beside the window or at the terminal.

ASKPASS = "--askpass"  # for machines
WINDOW, TERMINAL = "window", "terminal"  # for machines
_PATIENCE_SECONDS = 300.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Asker:
    """The program that asks, with its first arguments; the question itself is its last."""

    argv: tuple[str, ...]

    def script(self) -> str:
        """Return a script that hands its first argument on: OpenSSH wants one file."""
        return f'#!/bin/sh\nexec {shlex.join(self.argv)} "$1"\n'

    def command(self, question: str) -> Command:
        """Return what asks a question: the answer is its output, without a line end; status 1 says that nobody did."""
        return Command(argv=(*self.argv, question), timeout_seconds=_PATIENCE_SECONDS, most_output_bytes=4096)


# How root is had on a remote host: by being root, by sudo, or not at all. Where sudo wants a password, somebody is
# asked for it; it goes to the standard input of `sudo -S` and is kept in memory until the visit ends.

_TRIES = 3
_PROBE = (
    'echo "uid $(id -u)"; command -v sudo >/dev/null 2>&1 || exit 0; '  # for machines
    'sudo -n true >/dev/null 2>&1; echo "sudo $?"'  # for machines
)


class RootBy(StrEnum):
    IS = "is root"
    SUDO = "sudo without a password"
    PASSWORD = "sudo with a password"  # noqa: S105 - says how, is none
    PERHAPS = "sudo, where it lets"
    NOT = "not"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rights:
    """How root is had on a machine; the ``password`` is shown nowhere."""

    by: RootBy = RootBy.NOT
    password: bytes = field(default=b"", repr=False)

    def with_sudo(self, command: Command) -> Command:
        """Return the command, wrapped in sudo where it needs root and sudo can give it."""
        if not command.needs_root or self.by in (RootBy.IS, RootBy.NOT):
            return command
        if self.by is RootBy.PASSWORD:
            fed = self.password + b"\n" + (command.stdin or b"")
            return replace(command.wrapped("sudo", "-k", "-S", "-p", "", "--"), stdin=fed)
        return command.wrapped("sudo", "-n", "--")

    def refused(self, answer: Completed) -> bool:
        """Tell whether it was sudo that refused, and the program did not run."""
        if answer.status == 0 or answer.stdout.strip() or self.by in (RootBy.IS, RootBy.NOT):
            return False
        said = answer.stderr.decode("utf-8", "replace")
        # Behind the lecture that sudo gives who uses it first.
        spoke = any(line.startswith(("sudo:", "Sorry, ")) for line in said.splitlines())
        return spoke and "command not found" not in said


def find_rights(host: SshHost, asker: Asker | None) -> Reading[Rights]:
    """Find out how root is had there; with ``asker`` somebody is asked for a password where sudo wants one."""
    (probe,) = yield (command_on(Command(argv=("sh", "-c", _PROBE)), host),)
    said = dict(line.partition(" ")[::2] for line in probe.text.splitlines())
    if said.get("uid") == "0":
        return Rights(by=RootBy.IS)
    if "sudo" not in said:
        return Rights(by=RootBy.NOT)
    if said["sudo"] == "0":
        return Rights(by=RootBy.SUDO)
    password = None if asker is None else (yield from _asked(host, asker))
    return Rights(by=RootBy.PERHAPS) if password is None else Rights(by=RootBy.PASSWORD, password=password)


def _asked(host: SshHost, asker: Asker) -> Reading[bytes | None]:
    """Return the password that sudo takes there; None where nobody gives one, or it does not help."""
    question = _("Password for sudo on {host} (empty: without root):", host=shown_text(host.name))
    for __ in range(_TRIES):
        (given,) = yield (asker.command(question),)
        password = given.stdout.rstrip(b"\r\n")
        if given.ending is not Ending.EXITED or given.status or not password:
            return None
        rights = Rights(by=RootBy.PASSWORD, password=password)
        (tried,) = yield (command_on(rights.with_sudo(Command(argv=("true",), needs_root=True)), host),)
        if tried.ok:
            return password
        if b"incorrect password" not in tried.stderr and b"try again" not in tried.stderr:
            return None
        question = _("sudo on {host} refused that password; again (empty: without root):", host=shown_text(host.name))
    return None


# The visit: from the first knock to the end of the connection.

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
    folder = private_folder()
    shared = ("ControlMaster=auto", f"ControlPath={folder / 'c'}", f"ControlPersist={_PERSIST_SECONDS}")
    options = (*host.options, *(word for value in shared for word in ("-o", value)))
    visit = Visit(host=replace(host, options=options), folder=folder)
    try:
        (told,) = yield (asks_way(host),)
        visit.way = way_of(told)
        answer = yield from _opened(visit, asker)
        if answer.status == 255 or answer.ending is not Ending.EXITED:
            keys = yield from _keys(host, visit.way, answer)
            raise failure_of(host, answer, keys)  # noqa: TRY301 - the visit is left on the way out
        if _ARRIVED not in answer.text:  # it lets one in and runs no command
            name, said = shown_text(host.name), (answer.text or answer.stderr.decode("utf-8", "replace")).strip()
            words = shown_text(said.splitlines()[-1][:200]) if said else _("it said nothing")
            raise _failure(SshTrouble.NO_SHELL, name, words, where=name)  # noqa: TRY301
        visit.rights = yield from find_rights(visit.host, asker)
    except BaseException:
        visit.leave()
        raise
    return visit


def private_folder() -> Path:
    """Return a new folder that only this user may enter, with a short name; raises EnvironmentFailure."""
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    for base in (runtime, tempfile.gettempdir(), "/tmp"):  # noqa: S108 - the folder in it is made private
        if base and len(base) <= _LONGEST_FOLDER and os.access(base, os.W_OK | os.X_OK):
            with suppress(OSError):
                return Path(tempfile.mkdtemp(prefix="pw-", dir=base))
    raise EnvironmentFailure(
        _("There is no place for a shared connection"), todo=_("Make /tmp or XDG_RUNTIME_DIR writable.")
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
        return HostKeys(why_not=_("a key that cannot be looked at through its ProxyCommand"))
    scan = Command(argv=("ssh-keyscan", "-T", "5", "-p", str(way.port), way.address), accepted=None, timeout_seconds=20)
    if way.jump is not None:
        jump = way.jump.rpartition(",")[2]
        before = ("-J", way.jump.rpartition(",")[0]) if "," in way.jump else ()
        scan = command_on(
            scan, SshHost(name=jump if "://" in jump else f"ssh://{jump}", options=(*host.options, *before))
        )
    (found,) = yield (scan,)
    if not found.stdout.strip():
        return HostKeys(why_not=_("a key that cannot be looked at now"))
    (read,) = yield (Command(argv=("ssh-keygen", "-lf", "-"), stdin=found.stdout, timeout_seconds=10),)
    return HostKeys(fingerprints=tuple(_fingerprint(line) for line in sorted(read.text.splitlines()) if line.strip()))


def _fingerprint(line: str) -> str:
    """Return “SHA256:… (ED25519)” of a line of ssh-keygen: bits, fingerprint, name, kind."""
    words: Sequence[str] = line.split()
    return shown_text(f"{words[1]} {words[-1]}" if len(words) > 2 else line)


# A reading made there, with root where that can be had; and whatever else runs there, as who one is.


def visiting(visit: Visit, reading: Reading[_T]) -> Reading[_T]:
    """Return a reading that runs there what another one asks for, and gives it the answers as its own.

    What sudo refuses is run without it, and kept in `Visit.without_root`. Raises `SshFailure` where the connection is
    lost; what one of many sessions at once was refused is asked again alone.
    """

    def there(batch: Batch) -> Reading[Answers]:
        return (yield from _there(visit, batch)) if batch else (yield ())

    return through(reading, there)


def visited(conversation: Conversation[_T], host: SshHost, asker: Asker | None = None) -> Conversation[_T]:
    """Return a conversation that reaches ``host``, is another one there (see `on_host`), and leaves however it ends.

    Raises `SshFailure` where the host is not reached. Nothing in it becomes root.
    """
    try:
        visit = yield from arrived(host, asker)
    except BaseException:
        conversation.close()
        raise
    try:
        return (yield from on_host(conversation, visit.host))
    finally:
        visit.leave()


def read_host(host: SshHost, asker: Asker | None = None) -> Reading[Inventory]:
    """Read a machine over SSH; a conversation that returns its inventory, and ends the connection however it ends.

    Every command only reads. Raises `SshFailure` where it is not reached or lost, and what `read_machine` raises.
    ``asker`` asks for passwords; None asks for nothing.
    """
    visit = yield from arrived(host, asker)
    try:
        found = yield from visiting(visit, read_machine(name=shown_text(host.name)))
    finally:
        visit.leave()
    programs, told = visit.without_root, {entry["kind"]: entry["why"] for entry in shipped("ssh")["without_root"]}
    if not programs or visit.rights.by not in told:  # all was read as root
        return found
    facts = "; ".join(_(told.get(program, program)) for program in programs)
    note = warning(_("{why}. Not known: {facts}.", why=_(told[visit.rights.by]), facts=facts))
    return replace(found, notes=(note, *found.notes))


def _there(visit: Visit, batch: Batch) -> Reading[tuple[Completed, ...]]:
    answers = yield from _sent(visit, tuple(visit.rights.with_sudo(command) for command in batch))
    again = [place for place, answer in enumerate(answers) if batch[place].needs_root and visit.rights.refused(answer)]
    never = visit.rights.by is RootBy.NOT
    alone = [command for place, command in enumerate(batch) if command.needs_root and (never or place in again)]
    visit.without_root |= dict.fromkeys(command.program for command in alone)
    found = list(answers)
    if again:
        for place, answer in zip(again, (yield from _sent(visit, tuple(batch[p] for p in again))), strict=True):
            found[place] = answer
    return tuple(replace(answer, command=command) for answer, command in zip(found, batch, strict=True))


def _sent(visit: Visit, batch: Batch) -> Reading[tuple[Completed, ...]]:
    raw = yield tuple(command_on(command, visit.host) for command in batch)
    answers = [answered(answer, command) for answer, command in zip(raw, batch, strict=True)]
    for place, answer in enumerate(answers):
        if answer.ending is Ending.LOST:
            (again,) = yield (command_on(batch[place], visit.host),)
            answers[place] = answered(again, batch[place])
            if answers[place].ending is Ending.LOST:
                raise lost(visit.host, answers[place])
    return tuple(answers)


# Questions of OpenSSH that are no passwords: whether to trust a key. They are answered no, always.

_YES_NO = re.compile(r"\(yes/no|fingerprint|authenticity of host|Are you sure|\[y/n\]", re.IGNORECASE)
_SECRET = re.compile(r"password:\s*\Z|passphrase for", re.IGNORECASE)  # of a host that may be called fingerprint


def is_confirmation(question: str) -> bool:
    """Tell whether a question wants yes or no, or is only shown (SSH_ASKPASS_PROMPT of OpenSSH 8.2)."""
    shown = os.environ.get("SSH_ASKPASS_PROMPT", "") in ("confirm", "none")
    return shown or (_YES_NO.search(question) is not None and _SECRET.search(question) is None)
