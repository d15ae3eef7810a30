"""Many requests at once: one JSON object a line in, one JSON document a line out; a bad line does not stop the rest."""

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from poolwright.cli.input_file import check_text
from poolwright.cli.main import error_document
from poolwright.cli.numbers import shown
from poolwright.cli.output import say
from poolwright.domain.errors import PoolwrightError, UserError
from poolwright.texts import tell, tell_counted

MOST_LINE_CHARACTERS = 1 << 20
_DIGITS = re.compile(r"\s*[0-9]{1,18}\s*\Z")


def add_batch_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--json`` and ``--batch`` to a command."""
    parser.add_argument("--json", action="store_true", help=tell("print one JSON document"))
    parser.add_argument(
        "--batch",
        metavar="FILE",
        help=tell(
            "many requests, a JSON object a line with the same options; - reads standard input. "
            "Prints one JSON document a line; status 0 where any line was answered"
        ),
    )


def add_vdev_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--vdev``, which takes one SPEC or several and may be repeated; ``--layout``, as other commands call it."""
    parser.add_argument(
        "--vdev",
        "--layout",
        metavar="SPEC",
        action="extend",
        nargs="+",
        help=tell("vdevs such as raidz2:8x6TB (disks sold as 6 TB; also bytes, 5.5TiB); repeatable"),
    )


def run_batch(source: str, answer: Callable[[Mapping[str, object]], dict[str, object]]) -> int:
    """Answer each line of ``source`` (a file, or - for standard input) with one JSON document on a line."""
    encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
    empty = lines = good = worst = 0
    for line in _lines(source):
        lines += 1
        if not line.strip():
            empty += 1
            continue
        # An empty line between others is a bad line; those at the end are not.
        for _ in range(empty):
            sys.stdout.write(encode({"error": tell("The line is empty.")}) + "\n")
        empty = 0
        try:
            result = answer(_parse(line))
            good += 1
        except PoolwrightError as error:
            result = error_document(error)
            worst = max(worst, error.exit_status)
        sys.stdout.write(encode(result) + "\n")
        if source == "-":
            sys.stdout.flush()
    return _status(source, lines=lines, good=good, worst=worst)


def _status(source: str, *, lines: int, good: int, worst: int) -> int:
    """Return 0 where any line was answered, else what the gravest mistake gives; raises UserError without a request."""
    if good:
        return 0
    if not worst:
        raise UserError(tell("The batch holds no request"), where=source, todo=tell("Write one JSON object a line."))

    say(
        tell_counted(
            "poolwright: Not one of {count} line could be answered ({source}). The reasons stand in their places.",
            "poolwright: Not one of {count} lines could be answered ({source}). The reasons stand in their places.",
            lines,
            source=source,
        )
    )
    return worst


def _parse(line: str) -> Mapping[str, object]:
    if len(line) > MOST_LINE_CHARACTERS:
        raise UserError(
            tell("The line is too long"), todo=tell("At most {most} characters.", most=MOST_LINE_CHARACTERS)
        )
    try:
        parsed = json.loads(line)
    except (ValueError, RecursionError) as error:  # no JSON, a number of thousands of digits, nested too deep
        todo = tell('Write one JSON object a line, such as {"vdev": ["raidz2:8x6TB"], "ashift": 12}.')
        raise UserError(tell("The line is not JSON: {error}", error=error), todo=todo) from None
    if not isinstance(parsed, dict):
        raise UserError(
            tell("The line is not a JSON object"), todo=tell('Write {"vdev": ["raidz2:8x6TB"], "ashift": 12}.')
        )
    return parsed


def _lines(source: str) -> Iterator[str]:
    if source == "-":
        yield from sys.stdin
        return
    check_text(source, tell("batch"), todo=tell("Write one JSON object a line, in UTF-8."))
    with Path(source).open(encoding="utf-8-sig", errors="replace") as stream:
        yield from stream


def texts(options: Mapping[str, object], name: str) -> list[str]:
    """Return the option ``name`` as a list of texts; a single text counts as one. Raises UserError."""
    value = options.get(name, [])
    if isinstance(value, str):
        return value.split()
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return value
    raise UserError(
        tell("“{name}” must be a text or a list of texts", name=name),
        todo=tell('Write "raidz2:8x6TB" or a list of such texts.'),
    )


def vdev_texts(options: Mapping[str, object]) -> list[str]:
    """Return the vdevs that are asked about. Raises UserError where none is."""
    specs = texts(options, "vdev")
    if not specs:
        raise UserError(tell("No vdev was given"), todo=tell("Give at least one, such as --vdev raidz2:8x6TB."))
    return specs


def flag(options: Mapping[str, object], name: str, default: int) -> int:
    """Return the option ``name`` as a whole number, ``default`` where it is absent. Raises UserError."""
    value = options.get(name)
    if value is None:
        return default
    if isinstance(value, str) and _DIGITS.match(value):
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise UserError(
            tell("“{text}” does not fit --{name}", text=shown(str(value)), name=name),
            todo=tell("Write a whole number such as 2."),
        )
    return value
