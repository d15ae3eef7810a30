"""The same conversations on another machine: OpenSSH's client runs each program there, nothing else changes.

The far side needs a POSIX login shell and the programs themselves. Its standard input is ours: when the connection
dies, however that comes about, the input of what runs there ends, and by that a run ends and cleans up behind itself.
A network that is gone without a word ends no input: dots are written into it, and their absence is heard.
"""

import shlex
from dataclasses import dataclass, replace
from typing import TypeVar

from poolwright.domain.command import Command, Completed, Ending
from poolwright.domain.errors import UserError
from poolwright.domain.shown import shown_text
from poolwright.process.piped import Answers, Conversation, Held, LetGo, Step, Watched, commands_of, through
from poolwright.texts import _

_LONGEST_NAME = 300
LOST_STATUS = 255  # what ssh ends with where itself failed; the programs that are run this way do not
# No terminal, no questions; a network that is silent for 15 s is given up.
_OPTIONS = (
    "-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=15", "-o", "ServerAliveInterval=5",
    "-o", "ServerAliveCountMax=3", "-o", "LogLevel=ERROR", "-o", "ForwardX11=no", "-o", "ForwardAgent=no",
)  # fmt: skip
# As `piped.child_environment` has it here. The shell stays: it tells of a program that was killed (status 128 +
# signal), which ssh would tell as a failure of its own.
_SET = "PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin LC_ALL=C; export PATH LC_ALL; unset LANGUAGE"  # for machines
_FAR = _SET + "; {words}; exit $?"
# Told to end, ssh would drop the connection, and with it what the far side has yet to say: the end of its input is
# enough.
_DEAF = ("sh", "-c", 'trap "" TERM; exec "$@"', "sh")  # for machines
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class SshHost:
    """A machine as OpenSSH knows it: ``name`` is an alias of its configuration, a host, or user@host.

    ``options`` are further arguments of ssh, which win over ours (``-F FILE``, ``-o NAME=VALUE``).
    """

    name: str
    options: tuple[str, ...] = ()


def command_on(command: Command, host: SshHost) -> Command:
    """Return what runs a command on a host, with the same words, environment and input; raises UserError.

    Each word is quoted for a POSIX shell, also the lines of a whole script (which no name may hold: `emit.names.quote`
    refuses them).
    """
    if not 0 < len(host.name) <= _LONGEST_NAME or host.name.startswith("-") or not host.name.isprintable():
        raise UserError(
            _("“{name}” cannot be the name of a host", name=shown_text(host.name[:_LONGEST_NAME])),
            todo=_("Write it as ssh takes it: a name, or user@host."),
        )
    if any("\0" in word for word in command.argv):
        raise UserError(_("A word of a command holds a zero byte"), where=shown_text(command.program))
    extra = ("env", *(f"{name}={value}" for name, value in command.environment)) if command.environment else ()
    line = _FAR.format(words=shlex.join((*extra, *command.argv)))
    return replace(command, argv=("ssh", *host.options, *_OPTIONS, "--", host.name, line), environment=())


def on_host(conversation: Conversation[_T], host: SshHost) -> Conversation[_T]:
    """Return a conversation that runs on a host what another one asks for, and gives it the answers as its own."""
    staying: dict[Held, Held] = {}

    def there(step: Step) -> Conversation[Answers]:
        answers = yield _there(step, host, staying)
        # What stays is answered by nothing once it is there.
        return tuple(map(answered, answers, commands_of(step)))

    return through(conversation, there)


def _there(step: Step, host: SshHost, staying: dict[Held, Held]) -> Step:
    if isinstance(step, tuple):
        return tuple(command_on(command, host) for command in step)
    if isinstance(step, Watched):
        beside = tuple(command_on(command, host) for command in step.beside)
        return replace(step, main=_deaf(command_on(step.main, host)), beside=beside, beats=True)
    if isinstance(step, Held):
        staying[step] = Held(command=_deaf(command_on(step.command, host)), beats=True)
        return staying[step]
    return LetGo(held=staying.get(step.held, step.held))


def _deaf(command: Command) -> Command:
    return command.wrapped(*_DEAF)


def answered(answer: Completed, command: Command) -> Completed:
    """Return an answer as one to the command that was asked for; a connection that failed is none of the program."""
    if answer.status == LOST_STATUS or answer.ending is Ending.KILLED:
        return replace(answer, command=command, ending=Ending.LOST, status=None)
    if answer.ending in (Ending.NOT_FOUND, Ending.NOT_PERMITTED):  # ssh itself, here
        said = f"ssh: {answer.ending.value}".encode()  # for machines
        return replace(answer, command=command, ending=Ending.LOST, stderr=said)
    return replace(answer, command=command)
