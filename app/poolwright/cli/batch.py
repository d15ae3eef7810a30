"""Many requests at once: one JSON object a line in, one JSON document a line out; a bad line does not stop the rest."""

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from poolwright.cli.main import error_document
from poolwright.domain.errors import EnvironmentFailure, PoolwrightError, UserError

MOST_LINE_CHARACTERS = 1 << 20
_DIGITS = re.compile(r"\s*[0-9]{1,18}\s*\Z")


def add_batch_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--json`` and ``--batch`` to a command."""
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--batch", metavar="FILE", help="many requests, a JSON object a line; - reads standard input")


def add_vdev_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--vdev``, which takes one SPEC or several and may be repeated."""
    parser.add_argument(
        "--vdev", metavar="SPEC", action="extend", nargs="+", help="vdevs such as raidz2:8x6TB; repeatable"
    )


def run_batch(source: str, answer: Callable[[Mapping[str, object]], dict[str, object]]) -> int:
    """Answer each line of ``source`` (a file, or - for standard input) with one JSON document on a line."""
    encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
    empty = 0
    for line in _lines(source):
        if not line.strip():
            empty += 1
            continue
        # An empty line between others is a bad line; those at the end are not.
        for _ in range(empty):
            sys.stdout.write(encode({"error": "The line is empty."}) + "\n")
        empty = 0
        try:
            result = answer(_parse(line))
        except PoolwrightError as error:
            result = error_document(error)
        sys.stdout.write(encode(result) + "\n")
        if source == "-":
            sys.stdout.flush()
    return 0


def _parse(line: str) -> Mapping[str, object]:
    if len(line) > MOST_LINE_CHARACTERS:
        raise UserError("The line is too long", todo=f"At most {MOST_LINE_CHARACTERS} characters.")
    try:
        parsed = json.loads(line)
    except (ValueError, RecursionError) as error:  # no JSON, a number of thousands of digits, nested too deep
        raise UserError(f"The line is not JSON: {error}") from None
    if not isinstance(parsed, dict):
        raise UserError("The line is not a JSON object", todo='Write {"vdev": ["raidz2:8x6TB"], "ashift": 12}.')
    return parsed


def _lines(source: str) -> Iterator[str]:
    if source == "-":
        yield from sys.stdin
        return
    try:
        with Path(source).open(encoding="utf-8", errors="replace") as stream:
            yield from stream
    except FileNotFoundError:
        raise UserError("There is no such file", where=source) from None
    except IsADirectoryError:
        raise UserError("This is a folder, not a file", where=source) from None
    except OSError as error:
        raise EnvironmentFailure(f"The file cannot be read: {error.strerror}", where=source) from None


def texts(options: Mapping[str, object], name: str) -> list[str]:
    """Return the option ``name`` as a list of texts; a single text counts as one. Raises UserError."""
    value = options.get(name, [])
    if isinstance(value, str):
        return value.split()
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return value
    raise UserError(f"“{name}” must be a text or a list of texts")


def flag(options: Mapping[str, object], name: str, default: int) -> int:
    """Return the option ``name`` as a whole number, ``default`` where it is absent. Raises UserError."""
    value = options.get(name)
    if value is None:
        return default
    if isinstance(value, str) and _DIGITS.match(value):
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise UserError(f"“{name}” must be a whole number, not {value!r}")
    return value
