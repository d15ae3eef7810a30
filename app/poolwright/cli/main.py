"""The command line: finds the command, runs it, turns failures into a text and an exit status.

Only the module of the command that was asked for is imported, so that each answers fast."""

import argparse
import importlib
import sys
from argparse import Namespace
from collections.abc import Sequence
from contextlib import nullcontext
from types import ModuleType
from typing import Any, NoReturn, cast

from poolwright import __version__
from poolwright.cli.output import abandon_output, prepare_streams, print_json, say
from poolwright.domain.errors import EnvironmentFailure, PoolwrightError, Refusal, UserError
from poolwright.texts import in_english, marked, tell

# name -> (module under poolwright.cli, one line of help)
COMMANDS = {
    "inventory": ("inventory", marked("list the disks of a machine, a capture or an example")),
    "recommend": ("recommend", marked("rank every layout of the disks for a goal")),
    "buy": ("buy", marked("tell which disks to buy within money and bays, from a catalogue")),
    "capacity": ("capacity", marked("tell to the byte what OpenZFS will report for a new pool")),
    "usage": ("usage", marked("tell what the datasets of a design will really take, and when they fill the pool")),
    "growth": ("growth", marked("plan a pool's growth: what zfs list prints after each step, when, at what cost")),
    "outage": ("outage", marked("tell what becomes of a design's pools when disks, a shelf or a controller are gone")),
    "risk": ("risk", marked("tell how likely a pool is lost within a year, and why")),
    "predict": ("predict", marked("tell how fast a pool will be, with a band and what limits it")),
    "roles": ("roles", marked("tell what flash drives are worth as special, log, cache, dedup or a pool of their own")),
    "bind": ("bind", marked("match the planned disks of a design to the real ones of a machine")),
    "script": ("script", marked("write the guarded script of a design, its undo twin, or another form")),
    "schema": ("schema", marked("print the JSON Schema of designs, or of a command’s answers")),
    "collector": ("collector", marked("print the script that captures a machine's disks")),
    "audit": ("audit", marked("judge the pools that exist on a machine, and explain the sizes they print")),
    "improve": ("improve", marked("tell what to add, replace or rebuild in a pool that exists, with so much to spend")),
    "migrate": ("migrate", marked("plan the move of a pool to another layout with too few disks, step by step")),
    "synclog": ("synclog", marked("the synchronous-write model: commits of the intent log and load per disk")),
    "compare": ("compare", marked("tell two to six designs apart: numbers, risk, speed, cost, commands")),
    "report": ("report", marked("write a report on a design with its reasons: Markdown, HTML or PDF")),
    "bench": ("bench", marked("measure a pool by profiles, read what other tools measured, and judge it")),
    "rules": ("rules", marked("list, check or explain the rules")),
}
INTERRUPTED = 130


class _Parser(argparse.ArgumentParser):
    """Raises what is wrong instead of leaving the process, so that it is told as every other failure is."""

    def error(self, message: str) -> NoReturn:
        what = message.removeprefix("argument ")
        if what.endswith(": expected one argument"):
            raise UserError(
                tell("{option} needs a value", option=what.partition(":")[0]),
                todo=tell("After a minus write “=”: --option=-1."),
            )
        if what.startswith("unrecognized arguments: "):
            raise self._unknown(what.removeprefix("unrecognized arguments: ").split(" "))
        raise UserError(what[0].upper() + what[1:], todo=self._help_tells())

    def _unknown(self, words: list[str]) -> UserError:
        options = [option for action in self._actions for option in action.option_strings]
        if words[0].partition("=")[0] in options:
            what = tell("{command} reads options only before “--”", command=self.prog)
            return UserError(what, where=words[0], todo=self._help_tells())
        near = _nearest(words[0].partition("=")[0], options)
        what = (
            tell("{command} has no option {word}", command=self.prog, word=words[0])
            if words[0].startswith("-")
            else tell("{command} does not take {word}", command=self.prog, word=words[0])
        )
        return UserError(what, todo=_hinted(near, self._help_tells()))

    def _help_tells(self) -> str:
        return tell("`{command} --help` tells more.", command=self.prog)

    def parse_args(self, args: Sequence[str] | None = None, namespace: Namespace | None = None) -> Namespace:  # type: ignore[override]
        """Parse as argparse does; what is unknown is told by the parser of its command."""
        found, unknown = self.parse_known_args(args, namespace)
        if words := [word for word in unknown if word != "--"]:
            raise self._of_command(getattr(found, "command", None))._unknown(words)
        return found

    def _of_command(self, command: str | None) -> "_Parser":
        for action in self._actions:
            if isinstance(action, argparse._SubParsersAction) and command in action.choices:
                return cast("_Parser", action.choices[command])
        return self

    def _check_value(self, action: argparse.Action, value: object) -> None:
        if action.choices is None or value in action.choices:
            return
        known = [str(choice) for choice in action.choices]
        near = _nearest(str(value), known)
        if action.dest == "command":
            raise UserError(
                tell("There is no command “{value}”", value=value),
                todo=_hinted(near, tell("`poolwright --help` lists them.")),
            )
        name = action.option_strings[0] if action.option_strings else str(action.metavar)
        raise UserError(
            tell("“{value}” does not fit {name}", value=value, name=name),
            todo=_hinted(near, tell("Write one of {known}.", known=", ".join(known))),
        )

    def _print_message(self, message: str, file: Any = None) -> None:
        # argparse swallows failures to write.
        (file or sys.stderr).write(message)


def _nearest(word: str, known: Sequence[str]) -> list[str]:
    from difflib import get_close_matches

    return get_close_matches(word, known, n=1)


def _hinted(near: Sequence[str], todo: str) -> str:
    return f"{tell('Did you mean {word}?', word=near[0])} {todo}" if near else todo


def build_parser(command: str | None) -> argparse.ArgumentParser:
    parser = _Parser(
        allow_abbrev=False,
        prog="poolwright",
        description=tell("Design ZFS pools. Without a command the window opens."),
        epilog=tell(
            "Exit status: 0 done, 1 request cannot be met, 2 bad usage or input, 3 the machine or a tool failed."
        ),
    )
    parser.add_argument("--version", action="version", version=f"poolwright {__version__}")
    # Done before the command line is asked (__main__), alone: it opens the pages. No command has it as its own.
    parser.add_argument(
        "--self-test",
        action="store_true",
        default=argparse.SUPPRESS,
        help=tell("try every page of this installation on an example, and exit"),
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    for name, (module, english) in COMMANDS.items():
        text = tell(english)
        sub = commands.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".", allow_abbrev=False)
        if name == command:
            _load(module).configure(sub)
            add_examples(sub, name)
    return parser


def _load(module: str) -> ModuleType:
    return importlib.import_module(f"poolwright.cli.{module}")


def run(argv: list[str]) -> int:
    """Run ``argv`` and return the exit status. JSON is for programs, in English whatever language was chosen."""
    as_json = "--json" in argv
    with in_english() if as_json else nullcontext():
        return _run(argv, as_json=as_json)


def _run(argv: list[str], *, as_json: bool) -> int:
    try:
        prepare_streams(as_json=as_json)
        status = _answer(argv, as_json=as_json)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader went away (a pager, head). Nothing is wrong.
        abandon_output()
        return 0
    except KeyboardInterrupt:
        abandon_output()
        return INTERRUPTED
    except PoolwrightError as error:
        return report(error, as_json=False)
    except OSError as error:
        if error.filename is not None:
            return _tell_fault(as_json=as_json)
        # No file is named: it was standard output that took no more.
        abandon_output()
        failure = EnvironmentFailure(
            tell("The answer cannot be written: {strerror}", strerror=error.strerror),
            where=tell("standard output"),
            todo=tell("Make room there."),
        )
        return report(failure, as_json=False)
    except Exception:  # noqa: BLE001 - the status of a fault must not be that of a request that cannot be met
        return _tell_fault(as_json=as_json)
    return status


def _tell_fault(*, as_json: bool) -> int:
    from traceback import format_exc

    say(format_exc().rstrip())
    fault = EnvironmentFailure(
        tell("This is a fault of Poolwright"), todo=tell("Please report it with the lines above.")
    )
    try:
        status = report(fault, as_json=as_json)
        sys.stdout.flush()
    except OSError:
        abandon_output()
        return fault.exit_status
    return status


def _answer(argv: list[str], *, as_json: bool) -> int:
    command = next((word for word in argv if not word.startswith("-")), None)
    try:
        try:
            args = build_parser(command).parse_args(argv)
        except SystemExit as done:  # --help and --version have printed what they were asked for
            return int(done.code or 0)
        if hasattr(args, "self_test"):
            raise UserError(tell("--self-test stands alone"), todo=tell("Write `poolwright --self-test`."))
        if args.command is None:
            raise UserError(tell("No command was given"), todo=tell("`poolwright --help` lists them."))
        return int(_load(COMMANDS[args.command][0]).run(args))
    except PoolwrightError as error:
        return report(error, as_json=as_json, one_line="--batch" in argv)


def error_document(error: PoolwrightError) -> dict[str, object]:
    document: dict[str, object] = {"error": error.text}
    if error.where:
        document["where"] = error.where
    if error.todo:
        document["todo"] = error.todo
    if isinstance(error, Refusal):
        document["reasons"] = list(error.reasons or (error.what,))
    return document


def report(error: PoolwrightError, *, as_json: bool, one_line: bool = False) -> int:
    say(f"poolwright: {error.text}")
    if isinstance(error, Refusal):
        for reason in error.reasons:
            say(f"  - {reason}")
    if as_json:
        print_json(error_document(error), one_line=one_line)
    return error.exit_status


# What the help of each command says beside its options: examples that run as they stand, and how values are written.

_EXAMPLES = """\
poolwright inventory --example thesis
poolwright inventory --disks "12 x 16TB CMR SATA" "2 x 960GB nvme" --json
poolwright recommend --example thesis --goal safety --capacity 80TB --save-design tank.json
poolwright recommend --example thesis --goal safety --take 2 --title wide --save-design wide.json
poolwright recommend --disks "6 x 16TB" --goal safety -O compression=zstd --dataset home quota=2T
poolwright recommend --disks "4 x 8TB, 4 x 4TB" --goal safety --allow partitions
poolwright recommend --disks "6 x 16TB" --goal safety --layout raidz2:5x16TB spare/stripe:1x16TB
poolwright buy --money "4000 USD" --bays 8 --capacity 40TB
poolwright buy --write-catalogue
poolwright capacity --vdev raidz2:6x16TB --vdev raidz2:6x16TB --recordsize 16K
poolwright capacity --vdev raidz2:8x6TB special/mirror:2x960GB --then "attach:6TB@1"
poolwright usage tank.json --data tank=40TiB --growth 20
poolwright usage --layout raidz2:6x16TB --volume vm1=2TiB,16K --data vm1=1TiB
poolwright growth tank.json --then "add:raidz2:8x6TB on 2028-03" --commands
poolwright growth --layout raidz2:6x16TB --used 20TiB --growth 30 --then "attach:16TB@1 at 80%"
poolwright outage tank.json
poolwright outage --layout raidz2:8x6TB raidz2:8x6TB --example thesis
poolwright risk --vdev raidz2:8x6TB --afr 1.5
poolwright risk --vdev raidz2:8x6TB --vdev spare/stripe:1x6TB --same-batch --simulate 100000
poolwright predict --vdev raidz2:8x6TB --vdev raidz2:8x6TB --disk-read 180MB/s --clients 20
poolwright predict --vdev mirror:2x6TB --example thesis
poolwright roles tank.json --working-set 500G
poolwright roles --layout raidz2:6x16TB --disks "6 x 16TB" "2 x 960GB nvme plp" --preset nfs --ram 64GiB
poolwright audit --example thesis --goal concurrent --sizes --json
poolwright audit --example thesis --design tank.json --format html -o audit.html
poolwright improve --example thesis --money "2000 USD"
poolwright migrate --now mirror:2x6TB --stored 3TB --buy "2 x 6TB hdd" --layout raidz2:4x6TB
poolwright migrate --now raidz1:3x6TB --stored 3TB --buy "3 x 6TB hdd" --layout raidz2:6x6TB --backup-exists
poolwright script tank.json -o create-tank.sh
poolwright script tank.json --format undo -o destroy-tank.sh
poolwright script --fixed-part
poolwright bind tank.json --example thesis
poolwright bind tank.json --example thesis -o bound.json
poolwright schema
poolwright schema recommend
poolwright collector
poolwright synclog --volumes 4 --fsync 1 --log-device nvme
poolwright synclog --paper
poolwright compare tank.json wide.json --differences
poolwright compare --layout raidz2:8x6TB --layout raidz3:8x6TB --differences
poolwright report tank.json -o tank.html
poolwright bench --list
poolwright bench --profile sanity --directory . --yes --design tank.json --repeats 1 --seconds 1 -o run.zip
poolwright bench --verdict run.zip tank.json
poolwright bench --paper-volumes tank -o volumes.sh
poolwright rules --explain redundancy.none-for-safety
poolwright rules --check
"""  # for machines
EXAMPLES: dict[str, list[str]] = {}
for _line in _EXAMPLES.splitlines():
    EXAMPLES.setdefault(_line.split()[1], []).append(_line)
_WRITTEN = {
    "SIZE": marked("SIZE is a number with its unit: 16TB, 500GB, 4TiB, 128K."),
    "RATE": marked("RATE is an amount a second with its unit: 800MB/s, 10Gbit/s."),
    "PERCENT": marked("PERCENT is a number of per cent: 20, 0.01."),
    "SPEC": marked(
        "SPEC of a vdev is TYPE:NxSIZE, such as raidz2:8x6TB; before it may stand special/, log/, cache/, spare/."
    ),
    "AMOUNT": marked("AMOUNT is money with its currency: 4000 EUR."),
    "STEP": marked("STEP is add:SPEC, attach:SIZE, replace:SIZE, expand, detach or remove; @2 is the second vdev."),
}


def add_examples(parser: argparse.ArgumentParser, command: str) -> None:
    used = {action.metavar for action in parser._actions if isinstance(action.metavar, str)}
    if any(action.option_strings == ["--disks"] and action.nargs == "+" for action in parser._actions):
        used.discard("SPEC")
        if {"--vdev", "--layout"} & {name for action in parser._actions for name in action.option_strings}:
            used.add("SPEC")
    written = [tell(text) for word, text in _WRITTEN.items() if word in used]
    notes = [parser.epilog] if parser.epilog else []
    blocks = [*notes, "\n".join(written), "\n".join((tell("examples:"), *(f"  {line}" for line in EXAMPLES[command])))]
    parser.epilog = "\n\n".join(block for block in blocks if block)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
