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
from poolwright.shipped import shipped
from poolwright.texts import _


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
