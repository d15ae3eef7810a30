"""The command line: finds the command, runs it, turns failures into a text and an exit status.

Only the module of the command that was asked for is imported, so that each answers fast.
"""

import argparse
import importlib
import os
import sys
from typing import Protocol, cast

from poolwright import __version__
from poolwright.cli.output import print_json
from poolwright.domain.errors import PoolwrightError, Refusal

# name -> (module under poolwright.cli, one line of help)
COMMANDS = {
    "inventory": ("inventory", "list the disks of a machine, a capture or an example"),
    "recommend": ("recommend", "rank every layout of the disks for a goal"),
    "capacity": ("capacity", "tell to the byte what OpenZFS will report for a new pool"),
    "script": ("script", "write the guarded script of a design"),
    "collector": ("collector", "print the script that captures a machine's disks"),
    "synclog": ("synclog", "the synchronous-write model: commits of the intent log and load per disk"),
    "rules": ("rules", "list, check or explain the rules"),
}
INTERRUPTED = 130


class Command(Protocol):
    """What a module of a command offers."""

    def configure(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's options."""

    def run(self, args: argparse.Namespace) -> int:
        """Do it; return the exit status."""


def build_parser(command: str | None) -> argparse.ArgumentParser:
    """Return the parser; only ``command`` gets its options."""
    parser = argparse.ArgumentParser(
        prog="poolwright",
        description="Design ZFS pools. Without a command the window opens.",
        epilog="Exit status: 0 done, 1 request cannot be met, 2 bad usage or input, 3 the machine or a tool failed.",
    )
    parser.add_argument("--version", action="version", version=f"poolwright {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    for name, (module, text) in COMMANDS.items():
        sub = commands.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".")
        if name == command:
            _load(module).configure(sub)
    return parser


def _load(module: str) -> Command:
    return cast("Command", importlib.import_module(f"poolwright.cli.{module}"))


def run(argv: list[str]) -> int:
    """Run the command line ``argv`` (without the program's name) and return the exit status."""
    command = next((word for word in argv if not word.startswith("-")), None)
    args = build_parser(command).parse_args(argv)
    if args.command is None:
        raise PoolwrightError("No command was given")
    try:
        return _load(COMMANDS[args.command][0]).run(args)
    except PoolwrightError as error:
        return report(error, as_json=getattr(args, "json", False))
    except BrokenPipeError:
        # The reader went away (a pager, head). Nothing is wrong; silence the flush at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return INTERRUPTED


def error_document(error: PoolwrightError) -> dict[str, object]:
    """Return a failure as the JSON object that every command prints for it."""
    document: dict[str, object] = {"error": error.text}
    if error.where:
        document["where"] = error.where
    if error.todo:
        document["todo"] = error.todo
    if isinstance(error, Refusal):
        document["reasons"] = list(error.reasons or (error.what,))
    return document


def report(error: PoolwrightError, *, as_json: bool) -> int:
    """Tell ``error`` on standard error (and as JSON on standard output where asked); return its exit status."""
    sys.stderr.write(f"poolwright: {error.text}\n")
    if isinstance(error, Refusal):
        for reason in error.reasons:
            sys.stderr.write(f"  - {reason}\n")
    if as_json:
        print_json(error_document(error))
    return error.exit_status
