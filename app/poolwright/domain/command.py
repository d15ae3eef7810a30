"""What to run and what came of it, apart from who runs it."""

import shlex
from collections.abc import Generator
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TypeVar

from poolwright.domain.shown import whole_escapes
from poolwright.texts import _

MOST_OUTPUT_BYTES = 64 << 20
DEFAULT_TIMEOUT_SECONDS = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One program with its arguments; nothing is ever passed through a shell.

    ``stdin`` is fed to the program, which otherwise reads nothing. ``accepted`` are exit statuses that are no
    failure; None accepts all (smartctl's status is a bit mask of facts). ``needs_root`` is a hint for whoever wraps
    the command in ssh or a privilege helper; both wrap by replacing ``argv`` (see `wrapped`). ``environment`` adds
    variables. Output beyond ``most_output_bytes`` (each of the two streams) is dropped and marked.
    """

    argv: tuple[str, ...]
    stdin: bytes | None = field(default=None, repr=False)  # it may be a password
    timeout_seconds: float = DEFAULT_TIMEOUT_SECONDS
    accepted: frozenset[int] | None = frozenset({0})
    needs_root: bool = False
    environment: tuple[tuple[str, str], ...] = ()
    most_output_bytes: int = MOST_OUTPUT_BYTES

    @property
    def program(self) -> str:
        return self.argv[0]

    @property
    def text(self) -> str:
        return shlex.join(self.argv)

    def wrapped(self, *front: str) -> "Command":
        return replace(self, argv=(*front, *self.argv))


class Ending(StrEnum):
    """How a command ended. Only EXITED has an exit status."""

    EXITED = "exited"
    KILLED = "killed by a signal"
    TIMED_OUT = "timed out"
    NOT_FOUND = "program not found"
    NOT_PERMITTED = "program could not be started"
    CANCELLED = "cancelled"
    LOST = "connection lost"  # to the machine where it ran or was to run


@dataclass(frozen=True, slots=True, kw_only=True)
class Completed:
    """What a command printed and how it ended. A program that is missing is an ending, not an exception.

    ``status`` is None unless the program exited by itself; ``truncated`` tells that output was dropped at the limit.
    """

    command: Command
    ending: Ending
    status: int | None = None
    stdout: bytes = b""
    stderr: bytes = b""
    truncated: bool = False
    seconds: float = 0.0

    @property
    def ok(self) -> bool:
        if self.ending is not Ending.EXITED or self.truncated:
            return False
        return self.command.accepted is None or self.status in self.command.accepted

    @property
    def missing(self) -> bool:
        """Tell whether the program is not installed (127 is what ssh, sudo and pkexec say for the inner one)."""
        return self.ending is Ending.NOT_FOUND or self.status == 127

    @property
    def text(self) -> str:
        return whole_escapes(self.stdout.decode("utf-8", "replace"))

    @property
    def complaint(self) -> str:
        """Return in one line what went wrong, in the program's own words where it has any; empty when ok."""
        if self.ok:
            return ""
        if self.ending is Ending.TIMED_OUT:
            return _(
                "{program} did not answer within {timeout_seconds:g} s",
                program=self.command.program,
                timeout_seconds=self.command.timeout_seconds,
            )
        lines = self.stderr.decode("utf-8", "replace").strip().splitlines()
        said = lines[-1].strip()[:300] if lines else ""
        if self.ending is Ending.LOST:
            return _("The connection to the machine failed or was lost ({why})", why=said or self.command.program)
        if self.ending is not Ending.EXITED:
            return f"{self.command.program}: {self.ending.value}"
        if self.truncated:
            return _(
                "{program} printed more than {most_output_bytes} MiB",
                program=self.command.program,
                most_output_bytes=self.command.most_output_bytes >> 20,
            )
        return said or _("{program} ended with status {status}", program=self.command.program, status=self.status)


Batch = tuple[Command, ...]
_T = TypeVar("_T")
Reading = Generator[Batch, tuple[Completed, ...], _T]
"""A conversation: the generator yields commands that may run side by side, receives what came of each, in the same
order, and returns a value at its end. An empty batch is a pause in long work on the answers. Whoever drives it (`jobs`
in the window, `blocking.drive` on the command line, a recording in tests) decides how the commands run."""
