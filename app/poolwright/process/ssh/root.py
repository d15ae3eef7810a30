"""How root is had on a remote host: by being root, by sudo, or not at all.

Where sudo wants a password, somebody is asked for it; it goes to the standard input of `sudo -S` and is kept in memory
until the visit ends. What sudo refuses is run without it.
"""

from dataclasses import dataclass, field, replace
from enum import StrEnum

from poolwright.domain.command import Command, Completed, Ending, Reading
from poolwright.domain.shown import shown_text
from poolwright.process.on_host import SshHost, command_on
from poolwright.process.ssh.failures import Asker
from poolwright.texts import _

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
        said = answer.stderr.decode("utf-8", "replace").lstrip()
        return said.startswith(("sudo:", "Sorry, ")) and "command not found" not in said


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
