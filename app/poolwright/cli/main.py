"""The command line: finds the command, runs it, turns failures into a text and an exit status.

Only the module of the command that was asked for is imported, so that each answers fast."""

import argparse
import importlib
import json
import sys
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any, NoReturn, cast

from poolwright import __version__
from poolwright.cli.output import abandon, assumed, check_outputs, prepare_streams, print_json, say
from poolwright.domain.disk import HOW_TO_BIND, HOW_TO_NAME
from poolwright.domain.errors import EnvironmentFailure, PoolwrightError, Refusal, UserError, excluded
from poolwright.paths import resources_folder
from poolwright.texts import N_, _, capital, in_english, sentence

# name -> (module under poolwright.cli, one line of help)
COMMANDS = {
    "inventory": ("inventory", N_("which disks are there, and what uses them")),
    "recommend": ("recommend", N_("the best layout for the disks, and why")),
    "show": ("show", N_("one design: space, speed, risk, failures, fill")),
    "buy": ("buy", N_("what to buy for money and bays")),
    "capacity": ("capacity", N_("space to the byte, as OpenZFS will report it")),
    "usage": ("usage", N_("what the data take, and when the pool is full")),
    "growth": ("growth", N_("how the pool grows, when, at what cost")),
    "outage": ("outage", N_("what survives when disks, a shelf or a controller fail")),
    "risk": ("risk", N_("probability of losing a pool per year, and why")),
    "predict": ("predict", N_("throughput and IOPS, and what limits them")),
    "backup": ("backup", N_("room for snapshots, a second pool for a copy, hours on the line")),
    "roles": ("roles", N_("which special, log or cache devices would help")),
    "bind": ("bind", N_("match planned disks to real ones")),
    "script": ("script", N_("guarded script, undo, rehearsal, ansible, disko, sheet …")),
    "schema": ("schema", N_("JSON Schema of designs and of each command’s answers")),
    "collector": ("collector", N_("the script that captures a machine’s disks")),
    "audit": ("audit", N_("check the health and configuration of a pool")),
    "improve": ("improve", N_("what to change next, with so much to spend")),
    "migrate": ("migrate", N_("move it to another layout, even with too few disks")),
    "synclog": ("synclog", N_("model of synchronous writes (ZIL/SLOG)")),
    "compare": ("compare", N_("two to six designs, or one with the pool that exists")),
    "report": ("report", N_("a report for people: Markdown, HTML or PDF")),
    "bench": ("bench", N_("measure a pool, read what other tools measured, judge it")),
    "rules": ("rules", N_("list, check or explain the rules")),
}
# What help shows first, by what one has: the name for people, who may also type the older one of the table above.
GROUPS = (
    (N_("Design"), ("disks", "recommend", "show", "compare", "buy", "flash", "grow")),
    (N_("Build"), ("bind", "script", "report")),
    (N_("A pool that exists"), ("audit", "diff", "improve", "migrate")),
    (N_("Measure"), ("bench",)),
)
MORE_GROUPS = (
    (N_("One design"), ("capacity", "speed", "risk", "failures", "fill", "backup", "adopt")),
    (N_("Plumbing"), ("collector", "rules", "schema", "synclog")),
)
ALIASES = {
    "adopt": "script", "diff": "compare", "disks": "inventory", "flash": "roles", "grow": "growth", "speed": "predict",
    "failures": "outage", "fill": "usage",
}  # fmt: skip
# What an alias says beside its command, and its own line of help.
_MEANT = {"adopt": ["--format", "json"], "diff": ["--live"]}
_OWN_HELP = {"adopt": N_("a pool as a design file"), "diff": N_("a pool against its design, and the commands")}
# What shows one part of a design whole.
PARTS = {"--space": "capacity", "--speed": "predict", "--risk": "risk", "--failures": "outage", "--fill": "usage"}
INTERRUPTED = 130


# What argparse says by itself.
_HEADS = (N_("positional arguments"), N_("options"), N_("show this help message and exit"))


def _of_argparse(text: str) -> str:
    return _("usage: {command}", command="") if text == "usage: " else _(text)


argparse._ = _of_argparse  # type: ignore[attr-defined]


class _Parser(argparse.ArgumentParser):
    """Raises what is wrong instead of leaving the process, so that it is told as every other failure is."""

    def error(self, message: str) -> NoReturn:
        what = message.removeprefix("argument ")
        if what.endswith(": expected one argument"):
            raise UserError(
                _("{name} needs a value", name=what.partition(":")[0]), todo=_("After a minus write “=”: --option=-1.")
            )
        if what.startswith("unrecognized arguments: "):
            raise self._unknown(what.removeprefix("unrecognized arguments: ").split(" "))
        raise UserError(what[0].upper() + what[1:], todo=self._help_tells())

    def _unknown(self, words: list[str]) -> UserError:
        options = [option for action in self._actions for option in action.option_strings]
        if words[0].partition("=")[0] in options:
            what = _("{command} reads options only before “--”", command=self.prog)
            return UserError(what, where=words[0], todo=self._help_tells())
        if words[0].startswith("-o"):
            from poolwright.cli.options import no_property

            return no_property(words[0][2:] or next((word for word in words[1:] if word[0] != "-"), ""))
        what = (
            _("{command} has no option {word}", command=self.prog, word=words[0])
            if words[0].startswith("-")
            else _("{command} does not take {word}", command=self.prog, word=words[0])
        )
        if "--from" in options and Path(words[0]).exists():
            return UserError(what, todo=_("What tools printed is read with --from {path}.", path=words[0]))
        return UserError(what, todo=_hinted(words[0].partition("=")[0], options, self._help_tells()))

    def _help_tells(self) -> str:
        return _("`{command} --help` tells more.", command=self.prog)

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
        if action.dest == "command":
            todo = _hinted(str(value), known, _("`poolwright --help` lists them."))
            raise UserError(_("“{name}” does not exist", name=value), todo=todo)
        name = action.option_strings[0] if action.option_strings else str(action.metavar)
        from poolwright.cli.options import unfit

        todo = _hinted(str(value), known, _("Choose from {names}.", names=", ".join(known)))
        raise unfit(str(value), name, todo)

    def format_help(self) -> str:
        """Return the help, of a command with its notes and examples, which only who asks for help waits for."""
        before, command = self.epilog, self.prog.partition(" ")[2]
        if not command:
            return self.format_groups(GROUPS)
        self.epilog, self.formatter_class = _notes(self, command), argparse.RawDescriptionHelpFormatter
        self.usage = short_usage(self)
        try:
            return super().format_help()
        finally:
            self.epilog = before

    def format_groups(self, groups: Sequence[tuple[str, Sequence[str]]]) -> str:
        lines = [_("usage: {command}", command="poolwright [COMMAND] [OPTIONS]"), "", self.description or ""]
        for title, names in groups:
            texts = ((name, _OWN_HELP.get(name) or COMMANDS[ALIASES.get(name, name)][1]) for name in names)
            rows = (f"  {name:<10}  {_(text)}" for name, text in texts)
            lines += ["", _(title), *rows]
        if groups is GROUPS:
            lines += ["", _("`poolwright --help --all` lists the others, `poolwright COMMAND --help` the options.")]
        return "\n".join((*lines, self.epilog or "", ""))

    def _print_message(self, message: str, file: Any = None) -> None:
        # argparse swallows failures to write.
        (file or sys.stderr).write(message)


def short_usage(parser: argparse.ArgumentParser) -> str:
    places = (f"[{action.metavar}]" for action in parser._actions if not action.option_strings)
    return " ".join((parser.prog, "[OPTIONS]", *places))


def _hinted(word: str, known: Sequence[str], todo: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(word, known, n=1)
    return f"{_('Did you mean {word}?', word=near[0])} {todo}" if near else todo


def build_parser(command: str | None) -> argparse.ArgumentParser:
    parser = _Parser(
        allow_abbrev=False,
        prog="poolwright",
        description=_("Design ZFS pools. Without a command the window opens."),
        epilog=_("Exit status: 0 done, 1 request cannot be met, 2 bad usage or input, 3 the machine or a tool failed."),
    )
    parser.add_argument("--version", action="version", version=f"poolwright {__version__}")
    # Done before the command line is asked (__main__), alone: it opens the pages. No command has it as its own.
    parser.add_argument(
        "--self-test",
        action="store_true",
        default=argparse.SUPPRESS,
        help=_("try every page of this installation on an example, and exit"),
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    for name, (module, english) in COMMANDS.items():
        text = _(english)
        sub = commands.add_parser(name, help=text, description=sentence(capital(text)), allow_abbrev=False)
        if name == command:
            importlib.import_module(f"poolwright.cli.{module}").configure(sub)
    return parser


def run(argv: list[str]) -> int:
    """Run ``argv`` and return the exit status. JSON is for programs, in English whatever language was chosen."""
    as_json = "--json" in argv
    with in_english() if as_json else nullcontext():
        try:
            prepare_streams(as_json=as_json)
            status = _answer(argv, as_json=as_json)
            sys.stdout.flush()
        except BrokenPipeError:
            # The reader went away (a pager, head). Nothing is wrong.
            abandon(sys.stdout)
            return 0
        except KeyboardInterrupt:
            abandon(sys.stdout)
            return INTERRUPTED
        except PoolwrightError as error:
            return report(error, as_json=False)
        except OSError as error:
            if error.filename is not None:
                return _tell_fault(as_json=as_json)
            # No file is named: it was standard output that took no more.
            abandon(sys.stdout)
            what = _("The file cannot be written: {strerror}", strerror=error.strerror)
            failure = EnvironmentFailure(what, where=_("standard output"), todo=_("Make room there."))
            return report(failure, as_json=False)
        except Exception:  # noqa: BLE001 - the status of a fault must not be that of a request that cannot be met
            return _tell_fault(as_json=as_json)
        return status


def _tell_fault(*, as_json: bool) -> int:
    from traceback import format_exc

    say(format_exc().rstrip())
    fault = EnvironmentFailure(_("This is a fault of Poolwright"), todo=_("Please report it with the lines above."))
    try:
        status = report(fault, as_json=as_json)
        sys.stdout.flush()
    except OSError:
        abandon(sys.stdout)
        return fault.exit_status
    return status


def _answer(argv: list[str], *, as_json: bool) -> int:
    try:
        place = next((n for n, word in enumerate(argv) if not word.startswith("-")), None)
        asked = [word for word in dict.fromkeys(argv) if word in PARTS]
        if place is None or argv[place] != "show" or not asked or "--help" in argv:
            return _answer_one(argv, place)
        return _show_parts(argv, place, asked, as_json=as_json)
    except PoolwrightError as error:
        return report(error, as_json=as_json, one_line="--batch" in argv)
    finally:
        for text in dict.fromkeys(assumed):
            sys.stdout.flush()
            say(text)
        assumed.clear()


def _show_parts(argv: list[str], place: int, asked: list[str], *, as_json: bool) -> int:
    """Answer each part of a design that is asked for; an option that only some of them take goes to those."""
    typed = [word for word in argv if word not in asked]
    if len(asked) == 1:
        return _answer_one([*typed[:place], PARTS[asked[0]], *typed[place + 1 :]], place, "show")
    if given := [word for word in typed if word.partition("=")[0] in ("-w", "--output", "--format")]:
        raise excluded(given[0], " ".join(asked))
    parsers = {name: cast("_Parser", build_parser(name))._of_command(name) for name in map(PARTS.__getitem__, asked)}
    nargs = {name: {f: a.nargs for a in one._actions for f in a.option_strings} for name, one in parsers.items()}
    known = {flag: count for own in nargs.values() for flag, count in own.items()}
    documents, worst = dict[str, Any](), 0
    for name, own in nargs.items():
        foreign = {flag: count for flag, count in known.items() if flag not in own}
        words = [name, *_without(foreign, (*typed[:place], *typed[place + 1 :]))]
        with redirect_stdout(StringIO()) if as_json else nullcontext() as printed:
            sys.stdout.write("\n" if documents and not as_json else "")
            worst = max(worst, _answer_one(words, 0, "show"))
        documents[name] = printed and json.loads(printed.getvalue())
    if as_json:
        all_of = {key: [text for one in documents.values() for text in one[key]] for key in ("warnings", "next")}
        answer = next(iter(documents.values()))["answer"]
        print_json({"schema": 1, "kind": "poolwright-show", "answer": answer, **all_of, **documents})
    return worst


def _without(flags: Mapping[str, Any], words: Sequence[str]) -> Iterator[str]:
    """Yield the words but those flags, which have so many values, and their values."""
    left = 0
    for word in words:
        name, equals, __ = word.partition("=")
        if name in flags:
            left = 0 if equals else {None: 1, 0: 0}.get(flags[name], len(words))
        elif not left or word.startswith("--"):
            left = 0
            yield word
        else:
            left -= 1


def _answer_one(argv: list[str], place: int | None, typed: str = "") -> int:
    command = None if place is None else ALIASES.get(argv[place], argv[place])
    if place is not None:
        typed = typed or argv[place]
        argv = [*argv[:place], str(command), *_MEANT.get(argv[place], ()), *argv[place + 1 :]]
    if command is None and {"--help", "--all"} <= set(argv):
        sys.stdout.write(cast("_Parser", build_parser(None)).format_groups((*GROUPS, *MORE_GROUPS)))
        return 0
    try:
        parser = cast("_Parser", build_parser(command))
        if place is not None and command in COMMANDS:  # help names the command as it was typed
            parser._of_command(command).prog = f"poolwright {typed}"
        args = parser.parse_args(argv)
    except SystemExit as done:  # --help and --version have printed what they were asked for
        return int(done.code or 0)
    if hasattr(args, "self_test"):
        raise UserError(_("--self-test stands alone"), todo=_("Write `poolwright --self-test`."))
    if args.command is None:
        raise UserError(_("No command was given"), todo=_("`poolwright --help` lists them."))
    args.argv = argv
    check_outputs(args)
    return int(importlib.import_module(f"poolwright.cli.{COMMANDS[args.command][0]}").run(args))


def error_document(error: PoolwrightError) -> dict[str, object]:
    reasons = list(error.reasons or (error.what,)) if isinstance(error, Refusal) else None
    document = {"error": error.text, "where": error.where, "todo": error.todo, "reasons": reasons}
    return {name: value for name, value in document.items() if value}


def report(error: PoolwrightError, *, as_json: bool, one_line: bool = False) -> int:
    say(f"poolwright: {error.text}")
    if isinstance(error, Refusal):
        for reason in (each for each in error.reasons if each != error.what):
            say(f"  - {reason}")
    captures = {_(HOW_TO_BIND): "CAPTURE", _(HOW_TO_NAME): "CAPTURE LISTING"}  # for machines
    if error.todo in captures:
        say(f"  poolwright bind DESIGN --from {captures[error.todo]} -w BOUND")  # for machines
    if as_json:
        print_json(error_document(error), one_line=one_line)
    return error.exit_status


# What the help of each command says beside its options: how values are written, and examples that run as they stand.

_WRITTEN = {
    "SIZE": N_("SIZE is a number with its unit: 16TB, 500GB, 4TiB, 128K."),
    "RATE": N_("RATE is an amount a second with its unit: 800MB/s, 10Gbit/s."),
    "PERCENT": N_("PERCENT is a number of per cent: 20, 0.01."),
    "SPEC": N_(
        "SPEC of a vdev is TYPE:NxSIZE, such as raidz2:8x6TB; before it may stand special/, log/, cache/, spare/."
    ),
    "AMOUNT": N_("AMOUNT is money with its currency: 4000 EUR."),
    "STEP": N_("STEP is add:SPEC, attach:SIZE, replace:SIZE, expand, detach or remove; @2 is the second vdev."),
}


def examples_of(command: str) -> list[str]:
    text = (resources_folder() / "examples.txt").read_text(encoding="utf-8")
    own, meant = f"poolwright {ALIASES.get(command, command)} ", _MEANT.get(command, ())
    found = (line for line in text.splitlines() if line.startswith(own) and all(word in line for word in meant))
    return [line.replace(own, f"poolwright {command} ", 1) for line in found]


_MOST_EXAMPLES = 3


def _notes(parser: argparse.ArgumentParser, command: str) -> str:
    used = {action.metavar for action in parser._actions if action.dest != "disks"}  # whose SPEC is no vdev
    words = [_(text) for word, text in _WRITTEN.items() if word in used]
    shown = [f"  {line}" for line in examples_of(command)[:_MOST_EXAMPLES]]
    examples = "\n".join((_("examples:"), *shown)) if shown else ""
    return "\n\n".join(block for block in (parser.epilog, "\n".join(words), examples) if block)
