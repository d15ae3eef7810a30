"""`poolwright script`: a design file as the guarded script that builds its pool."""

import argparse
import sys
from datetime import UTC, datetime
from pathlib import Path

from poolwright import __version__
from poolwright.capacity.of_design import predict_design
from poolwright.capacity.pool import PoolCapacity
from poolwright.cli.output import print_json
from poolwright.domain.design import Design, HostAdvice
from poolwright.domain.errors import UserError

LARGEST_FILE_BYTES = 16 << 20


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("design", metavar="DESIGN", help="a design file (JSON), or - for standard input")
    parser.add_argument(
        "--format", choices=("sh",), default="sh", help="what to write: sh, the guarded script (default)"
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="write to FILE instead of standard output")
    parser.add_argument("--json", action="store_true", help="print one JSON document with the script and its commands")


def run(args: argparse.Namespace) -> int:
    """Write the script; return the exit status."""
    from poolwright.emit.host_notes import with_host_advice
    from poolwright.emit.script import guarded_script
    from poolwright.judging import advice_for
    from poolwright.rule_library import load_shipped
    from poolwright.store.design_file import from_json
    from poolwright.store.files import SCRIPT_MODE, write_text

    where = "standard input" if args.design == "-" else args.design
    design = from_json(_read(args.design), where=where)
    predicted = predict_design(design)
    script = guarded_script(
        design,
        generated_at=datetime.now(tz=UTC).strftime("%Y-%m-%d %H:%M UTC"),
        program_version=__version__,
        predicted_size_bytes=predicted.pool_size_bytes,
        predicted_available_bytes=predicted.available_bytes,
    )
    advice = advice_for(load_shipped(), design)
    text = with_host_advice(script, advice)
    if args.output is not None:
        write_text(Path(args.output), text, mode=SCRIPT_MODE)
    if args.json:
        print_json(_document(design, predicted, text, args.output, advice))
    elif args.output is None:
        sys.stdout.write(text)
    return 0


def _document(
    design: Design, predicted: PoolCapacity, text: str, output: str | None, advice: tuple[HostAdvice, ...]
) -> dict[str, object]:
    from poolwright.cli.proposals import host_advice_document
    from poolwright.emit.actions import plan_actions
    from poolwright.emit.commands import commands

    return {
        "format": "sh",
        "pool": design.pool_name,
        "commands": [{"argv": list(c.argv), "reason": c.reason} for c in commands(plan_actions(design))],
        "pool_size_bytes": predicted.pool_size_bytes,
        "available_bytes": predicted.available_bytes,
        "host_advice": host_advice_document(advice),
        "file": output,
        "script": text,
    }


def _read(name: str) -> str:
    try:
        if name == "-":
            raw = sys.stdin.buffer.read(LARGEST_FILE_BYTES + 1)
        else:
            with Path(name).open("rb") as file:
                raw = file.read(LARGEST_FILE_BYTES + 1)
    except OSError as error:
        raise UserError(f"Cannot read the design: {error.strerror}", where=name, todo="Check the path.") from None
    if len(raw) > LARGEST_FILE_BYTES:
        raise UserError(f"The file is larger than {LARGEST_FILE_BYTES >> 20} MiB: not a design", where=name)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise UserError("The file is not UTF-8 text: not a design", where=name) from None
