"""The manual pages and the completions of bash, zsh and fish, made of the parsers of the command line itself.

python packaging/describe.py FOLDER VERSION DATE
"""

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from poolwright.bench.profiles.catalogue import BUILT_IN
from poolwright.cli.main import ALIASES, COMMANDS, _notes, build_parser, short_usage
from poolwright.languages import choose
from poolwright.paths import resources_folder
from poolwright.rule_library import load_shipped
from poolwright.shipped import shipped
from poolwright.texts import inside

FILES = frozenset({"PATH", "FILE", "DESIGN", "DIR", "FILES", "RUN"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One option of a command: its spellings, its value in words, what may stand for it, what it does.

    What ends with = goes on with a value.
    """

    names: tuple[str, ...]
    value: str
    choices: tuple[str, ...]
    text: str


def known_values() -> dict[str, tuple[str, ...]]:
    """Return, by option, names that it takes beside what its parser lists."""
    datasets = shipped("dataset_properties")
    return {
        "--example": tuple(sorted(path.name.split(".")[0] for path in (resources_folder() / "machines").iterdir())),
        "--profile": tuple(profile.name for profile in BUILT_IN),
        "--explain": tuple(rule.id for rule in load_shipped().rules),
        "--pool-property": tuple(f"{entry['name']}=" for entry in shipped("pool_properties")["property"]),
        "--root-property": tuple(f"{name}=" for name in datasets["summaries"]),
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One command: what it does, how it is called, its options, examples and how values are written."""

    name: str
    text: str
    usage: str
    options: tuple[Option, ...]
    notes: str


def commands() -> Iterator[Command]:
    """Return every command as its parser has it."""
    known = known_values()
    for name in COMMANDS:
        parser = build_parser(name)
        chosen = next(a for a in parser._actions if isinstance(a, argparse._SubParsersAction)).choices[name]
        yield Command(
            name=name,
            text=chosen.description or "",
            usage=short_usage(chosen),
            options=tuple(_option(action, known) for action in chosen._actions if action.option_strings),
            notes=_notes(chosen, name),
        )


def _option(action: argparse.Action, known: dict[str, tuple[str, ...]]) -> Option:
    takes = action.nargs != 0
    value = action.metavar if isinstance(action.metavar, str) else action.dest.upper()
    choices = tuple(str(choice) for choice in action.choices or ())
    return Option(
        names=tuple(action.option_strings),
        value=("|".join(choices) if choices else value) if takes else "",
        choices=choices or known.get(action.option_strings[-1], ()),
        text=(action.help or "").replace("%%", "%"),
    )


def manuals(found: tuple[Command, ...], version: str, date: str) -> Iterator[tuple[str, str]]:
    """Yield the manual pages with their names, in roff with the macros of man: of the program and of each command."""
    yield from _of_program(found, version, date)
    yield from of_commands(found, version, date, "NAME", "SYNOPSIS", "OPTIONS", "NOTES", "SEE ALSO")


# The heads of the pages of commands in other languages, in which man looks for them first.
HEADS = {
    "de": ("BEZEICHNUNG", "ÜBERSICHT", "OPTIONEN", "ANMERKUNGEN", "SIEHE AUCH"),
    "zh_CN": ("名称", "概要", "选项", "注释", "参见"),
}


def _of_program(found: tuple[Command, ...], version: str, date: str) -> Iterator[tuple[str, str]]:
    pages = [f"poolwright\\-{command.name} (1)" for command in found]
    head = f'1 "{date}" "poolwright {version}" "User Commands"'
    lines = [
        f".TH POOLWRIGHT {head}",
        ".SH NAME",
        "poolwright \\- design ZFS pools",
        ".SH SYNOPSIS",
        ".B poolwright\n.RI [ DESIGN.json ]\n.br",
        ".B poolwright\n.I COMMAND\n.RI [ OPTION ...]",
        ".SH DESCRIPTION",
        "Poolwright ranks the layouts of disks for a goal, with reasons, tells to the byte what OpenZFS will report,",
        "and writes a guarded script that builds the pool. It never creates, changes or destroys a pool itself.",
        "Without a command the window opens.",
        ".SH COMMANDS",
    ]
    for command in found:
        lines += [".TP", f".BR poolwright\\-{command.name} (1)", roff(command.text)]
    yield "poolwright", "\n".join([*lines, *_ENDINGS, ", ".join(pages)]) + "\n"


def of_commands(found: tuple[Command, ...], version: str, date: str, *heads: str) -> Iterator[tuple[str, str]]:
    """Yield the pages of the commands, with these heads: name, synopsis, options, notes, see also."""
    name, synopsis, options, notes, also = (f'.SH "{head}"' for head in heads)
    for command in found:
        title = inside(command.text.rstrip("."))
        lines = [f'.TH POOLWRIGHT\\-{command.name.upper()} 1 "{date}" "poolwright {version}" "User Commands"', name]
        lines += [f"poolwright\\-{command.name} \\- {roff(title)}", synopsis, roff(command.usage), options]
        for option in command.options:
            value = f" {option.value}" if option.value else ""
            lines += [".TP", f".B {roff(', '.join(option.names) + value)}", roff(option.text)]
        lines += [notes, ".nf", roff(command.notes), ".fi", also, "poolwright(1)"]
        yield f"poolwright-{command.name}", "\n".join(lines) + "\n"


_ENDINGS = (
    ".SH EXIT STATUS",
    "0 done; 1 the request cannot be met; 2 bad usage or bad input; 3 the machine or a tool failed.",
    ".SH ADMINISTRATOR RIGHTS",
    "Poolwright itself never runs as root. On the disks page it offers to ask the disks as administrator: pkexec",
    "runs",
    ".I /usr/lib/poolwright/poolwright\\-read\\-disks",
    "(a short shell script) for the action org.poolwright.read\\-disks, which answers a closed list of questions",
    "with smartctl, nvme, zpool import and multipath and only reads. In a terminal, also without pkexec:",
    ".PP",
    ".nf",
    "poolwright collector | sudo sh | poolwright inventory \\-\\-from \\-",
    ".fi",
    ".SH SEE ALSO",
    "zpool(8), zfs(8), zpool-create(8), smartctl(8), fio(1),",
)


def roff(text: str) -> str:
    """Return text as roff takes it literally."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join(f"\\&{line}" if line.startswith((".", "'")) else line for line in escaped.splitlines())


def bash(found: tuple[Command, ...]) -> str:
    """Return the completion of bash."""
    cases = []
    for command in found:
        names = " ".join(name for option in command.options for name in option.names)
        cases.append(f"    {command.name}) options='{names}' ;;")
    values = [(f"{c.name}:{name}", o.choices) for c in found for o in c.options if o.choices for name in o.names]
    fill = 'mapfile -t COMPREPLY < <(compgen -W "{words}" -- "$word")'
    alike: dict[tuple[str, ...], list[str]] = {}
    for name, words in values:
        alike.setdefault(words, []).append(name)
    wanted = [
        f"    {'|'.join(names)}) {fill.format(words=' '.join(words))}"
        f"{'; compopt -o nospace' if words[0].endswith('=') else ''}; return ;;"
        for words, names in alike.items()
    ]
    hosts = "$(sed -n 's/^[Hh]ost[[:space:]]*//p' ~/.ssh/config 2>/dev/null | tr -d '*')"
    wanted.append(f"    *:--host) {fill.format(words=hosts)}; return ;;")
    return (
        "\n".join(
            [
                "# bash completion of poolwright",
                "_poolwright() {",
                "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} options=",
                "  local command=${COMP_WORDS[1]}",
                "  case $command in",
                *(f"    {alias}) command={name} ;;" for alias, name in ALIASES.items()),
                "  esac",
                "  COMPREPLY=()",
                '  if [ "$COMP_CWORD" = 1 ]; then',
                f"    {fill.format(words=' '.join((*COMMANDS, *ALIASES, '--help', '--version', '--self-test')))}",
                "    compopt -o default",
                "    return",
                "  fi",
                "  case $command:$before in",
                *wanted,
                "  esac",
                "  case $command in",
                *cases,
                "  esac",
                "  case $word in",
                '    -*) mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word") ;;',
                "    *) compopt -o default ;;",
                "  esac",
                "}",
                "complete -F _poolwright poolwright",
            ]
        )
        + "\n"
    )


def zsh(found: tuple[Command, ...]) -> str:
    """Return the completion of zsh."""
    lines = ["#compdef poolwright", "_poolwright() {", "  local -a commands", "  commands=("]
    lines += [f"    {_single(f'{c.name}:{c.text}')}" for c in found]
    lines += [
        "  )",
        "  if (( CURRENT == 2 )); then",
        "    _describe command commands",
        "    _files",
        "    return",
        "  fi",
    ]
    lines += ["  case $words[2] in"]
    for command in found:
        lines.append(f"    {command.name}) _arguments \\")
        for option in command.options:
            text = option.text.replace("[", "(").replace("]", ")").replace(":", " ")
            ending = f":{_kind(option)}" if option.value else ""
            lines += [f"      {_single(f'{name}[{text}]{ending}')} \\" for name in option.names]
        lines.append("      '*:file:_files' ;;")
    return "\n".join([*lines, "  esac", "}", '_poolwright "$@"']) + "\n"


def _kind(option: Option) -> str:
    if option.choices:
        return f"{option.names[-1].lstrip('-')}:({' '.join(option.choices)})"
    return f"{option.value.lower()}:_files" if option.value in FILES else f"{option.value.lower()}: "


def fish(found: tuple[Command, ...]) -> str:
    """Return the completion of fish."""
    lines = []
    for command in found:
        lines.append(f"complete -c poolwright -n __fish_use_subcommand -a {command.name} -d {_single(command.text)}")
        for option in command.options:
            names = " ".join(f"-l {n[2:]}" if n.startswith("--") else f"-s {n[1:]}" for n in option.names)
            value = " -x -a " + _single(" ".join(option.choices)) if option.choices else " -r" if option.value else ""
            seen = f"-n '__fish_seen_subcommand_from {command.name}'"
            lines.append(f"complete -c poolwright {seen} {names}{value} -d {_single(option.text)}")
    return "\n".join(lines) + "\n"


def _single(text: str) -> str:
    """Return text in single quotes for zsh and fish."""
    one_line = " ".join(text.split()).replace("\\", "").replace("'", "’")
    return f"'{one_line}'"


def main(folder: Path, version: str, date: str) -> None:
    """Write the files below ``folder``, which stands for /usr/share."""
    found = tuple(commands())
    texts = {
        **{f"man/man1/{name}.1": text for name, text in manuals(found, version, date)},
        "bash-completion/completions/poolwright": bash(found),
        "zsh/vendor-completions/_poolwright": zsh(found),
        "fish/vendor_completions.d/poolwright.fish": fish(found),
    }
    for code, heads in HEADS.items():
        choose(code)
        pages = of_commands(tuple(commands()), version, date, *heads)
        texts |= {f"man/{code}/man1/{name}.1": text for name, text in pages}
    choose("en")
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3])
