"""`poolwright script`: a design file as the guarded script that builds its pools, or in another form."""

import argparse
import sys
from datetime import UTC, datetime
from pathlib import Path

from poolwright import __version__
from poolwright.capacity.of_design import predict_pools
from poolwright.capacity.pool import PoolCapacity
from poolwright.cli.design_source import read_design
from poolwright.cli.output import print_json
from poolwright.cli.streams import say
from poolwright.domain.design import Design, HostAdvice
from poolwright.domain.errors import PoolwrightError

# The keys of emit.exports.EXPORTS: written here so that asking for help stays fast, held equal by a test.
FORMATS = ("sh", "undo", "sheet", "sheet-html", "ansible", "disko", "truenas", "fio", "json")
_WORDS = (
    "what to write: sh, the guarded script (default); undo, its twin; sheet or sheet-html, the recovery sheet; "
    "ansible, disko, truenas; fio, jobs fitted to the workload; json, the design itself"
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("design", metavar="DESIGN", help="a design file (JSON), or - for standard input")
    parser.add_argument("--format", choices=FORMATS, default="sh", metavar="FORMAT", help=_WORDS)
    parser.add_argument("-o", "--output", metavar="FILE", help="write to FILE instead of standard output")
    parser.add_argument("--json", action="store_true", help="print one JSON document with the text and its commands")


def run(args: argparse.Namespace) -> int:
    """Write the design in the wanted form; return the exit status."""
    from poolwright.emit.exports import ExportContext, export_format, export_text
    from poolwright.emit.script_tables import PredictedSpace
    from poolwright.emit.stamp import Stamp
    from poolwright.store.design_file import to_json
    from poolwright.store.files import PLAIN_MODE, SCRIPT_MODE, write_text

    design = read_design(args.design)
    capacities = predict_pools(design)
    advice = _advice(design) if args.format == "sh" else ()
    context = ExportContext(
        stamp=Stamp(
            generated_at=datetime.now(tz=UTC).strftime("%Y-%m-%d %H:%M UTC"),
            program_version=__version__,
        ),
        predicted=tuple(
            PredictedSpace(size_bytes=c.pool_size_bytes, available_bytes=c.available_bytes) for c in capacities
        ),
        advice=advice,
        design_text=to_json,
    )
    text = export_text(args.format, design, context)
    if args.output is not None:
        mode = SCRIPT_MODE if export_format(args.format).program else PLAIN_MODE
        write_text(Path(args.output), text, mode=mode)
    if args.json:
        document = {"format": args.format, "pool": design.pool_name, "file": args.output}
        if args.format == "sh":
            print_json(document | _script_document(design, capacities, advice) | {"script": text})
        else:
            print_json(document | {"text": text})
    elif args.output is None:
        sys.stdout.write(text)
    return 0


def _advice(design: Design) -> tuple[HostAdvice, ...]:
    """Return the advice for the host. Rules that cannot be read are told on standard error: the script needs none."""
    from poolwright.judging import advice_for
    from poolwright.rule_library import ADVICE, load_rules

    for with_own in (True, False):
        try:
            book = load_rules(only=(ADVICE,), with_own=with_own)
        except PoolwrightError as error:
            say(f"poolwright: {error.text}")
            left_out = "your own rules" if with_own else "advice for the host"
            say(f"poolwright: the script is written without {left_out}.")
        else:
            return advice_for(book, design)
    return ()


def _script_document(
    design: Design, capacities: tuple[PoolCapacity, ...], advice: tuple[HostAdvice, ...]
) -> dict[str, object]:
    from poolwright.cli.proposals import host_advice_document
    from poolwright.emit.actions import plan_actions
    from poolwright.emit.commands import commands

    pools = [
        {"pool": pool.pool_name, "pool_size_bytes": c.pool_size_bytes, "available_bytes": c.available_bytes}
        for pool, c in zip(design.pools(), capacities, strict=True)
    ]
    return {
        "commands": [{"argv": list(c.argv), "reason": c.reason} for c in commands(plan_actions(design))],
        "pool_size_bytes": capacities[0].pool_size_bytes,
        "available_bytes": capacities[0].available_bytes,
        "pools": pools,
        "host_advice": host_advice_document(advice),
    }
