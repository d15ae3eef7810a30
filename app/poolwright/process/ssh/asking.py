"""Who is asked for passwords: a small program of our own, beside the window or at the terminal.

What is typed goes from that program to who asked for it, through a pipe; it is in no argument, variable, file or log.
"""

import shlex
from dataclasses import dataclass

from poolwright.domain.command import Command

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
