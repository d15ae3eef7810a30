"""Why a machine is not reached, in words, and what to do about it: told from what OpenSSH's client says."""

import re
import shlex
from dataclasses import dataclass
from enum import StrEnum
from shlex import quote

from poolwright.domain.command import Command, Completed, Ending
from poolwright.domain.errors import EnvironmentFailure
from poolwright.domain.shown import shown_text
from poolwright.process.on_host import SshHost
from poolwright.texts import N_, _


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


# Looked for in this order: a changed key says of itself that verification failed, too.
_SIGNS: tuple[tuple[SshTrouble, re.Pattern[str]], ...] = (
    (SshTrouble.CHANGED_KEY, re.compile(r"REMOTE HOST IDENTIFICATION HAS CHANGED|[Hh]ost key for \S+ has changed")),
    (SshTrouble.CHANGED_KEY, re.compile(r"REVOKED HOST KEY")),
    (SshTrouble.UNKNOWN_KEY, re.compile(r"Host key verification failed|No \S+ host key is known for")),
    (SshTrouble.NO_NAME, re.compile(r"Could not resolve hostname|Name or service not known")),
    (SshTrouble.REFUSED, re.compile(r"Connection refused")),
    (SshTrouble.SILENT, re.compile(r"[Cc]onnection timed out|Operation timed out|timed out during banner")),
    (SshTrouble.UNREACHABLE, re.compile(r"No route to host|Network is unreachable")),
    (SshTrouble.NOT_LET_IN, re.compile(r"Permission denied|Too many authentication failures|No supported auth")),
    (SshTrouble.NO_CONFIGURATION, re.compile(r"Bad configuration|Bad owner or permissions|[Bb]ad port|terminating,")),
    (SshTrouble.LOST, re.compile(r"closed by|reset by peer|Broken pipe|new control master|[Cc]onnection closed")),
)  # fmt: skip
_WHAT = {
    SshTrouble.NO_NAME: (
        N_("The name {host} cannot be resolved"),
        N_("Check its spelling, or give it a HostName in ~/.ssh/config."),
    ),
    SshTrouble.REFUSED: (
        N_("{host} refuses the connection: nothing listens there"),
        N_("Check address and port, and whether its SSH server runs."),
    ),
    SshTrouble.SILENT: (N_("{host} does not answer"), N_("It may be off or behind a firewall.")),
    SshTrouble.UNREACHABLE: (
        N_("There is no way through the network to {host}"),
        N_("Check the network, a VPN, or whether it needs a ProxyJump."),
    ),
    SshTrouble.NOT_LET_IN: (
        N_("{host} accepts none of your keys"),
        N_("Add your key to ssh-agent or its authorized_keys, or use the window, which asks for a password."),
    ),
    SshTrouble.NO_CONFIGURATION: (
        N_("OpenSSH refuses its configuration: {said}"),
        N_("Fix ~/.ssh/config; ssh -G {typed} shows what it makes of it."),
    ),
    SshTrouble.LOST: (
        N_("The connection to {host} was closed: {said}"),
        N_("Try ssh -v {typed} to see where it ends."),
    ),
    SshTrouble.NO_CLIENT: (
        N_("OpenSSH's client is not installed here"),
        N_("Install openssh-client; or carry the collector to that machine."),
    ),
    SshTrouble.NO_SHELL: (
        N_("{host} accepts the login, but runs no command: {said}"),
        N_("Its login needs a POSIX shell; give a user with one, as user@host."),
    ),
    SshTrouble.GIVEN_UP: (N_("{host} was not reached: it was cancelled before"), N_("Nothing was done there.")),
    SshTrouble.OTHER: (N_("{host} cannot be reached: {said}"), N_("Try ssh -v {typed} to see where it ends.")),
}


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
    return next((trouble for trouble, sign in _SIGNS if sign.search(text)), SshTrouble.OTHER)


def failure_of(host: SshHost, answer: Completed, keys: HostKeys | None = None) -> SshFailure:
    """Return the failure that people are told of, with the keys that the host shows where one is not trusted."""
    trouble, name = trouble_of(answer), shown_text(host.name)
    if trouble is SshTrouble.UNKNOWN_KEY:
        return _unknown(name, keys or HostKeys())
    if trouble is SshTrouble.CHANGED_KEY:
        return _changed(name, answer, keys or HostKeys())
    said = shown_text(_last_words(answer))
    return _failure(trouble, name, said, where=name if trouble is SshTrouble.NO_CLIENT else _where(name, said))


def _failure(trouble: SshTrouble, name: str, said: str, *, where: str) -> SshFailure:
    what, todo = _WHAT[trouble]
    return SshFailure(trouble, _(what, host=name, said=said), where=where, todo=_(todo, typed=quote(name)))


def no_shell(host: SshHost, said: str) -> SshFailure:
    """Return the failure of a host that lets one in and runs no command."""
    name = shown_text(host.name)
    words = shown_text(said.strip().splitlines()[-1][:200]) if said.strip() else _("it said nothing")
    return _failure(SshTrouble.NO_SHELL, name, words, where=name)


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


def _where(name: str, said: str) -> str:
    return _("{host}; ssh: {said}", host=name, said=said) if said else name


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
