"""`poolwright collector`: the script a person runs on a machine that Poolwright cannot reach."""

import argparse

from poolwright.cli.options import options
from poolwright.cli.output import deliver
from poolwright.domain.errors import UserError
from poolwright.machine.packed import COLLECTOR, one_line
from poolwright.paths import shipped_text
from poolwright.texts import _


def configure(parser: argparse.ArgumentParser) -> None:
    options(parser, "--one-line --redact -w|--output --force --json")
    parser.epilog = _(
        "Save what it prints as collector.sh, run it there as root: sh collector.sh > machine.capture\n"
        "Then here: poolwright inventory --from machine.capture"
    )


def run(args: argparse.Namespace) -> int:
    text = shipped_text(COLLECTOR)
    if args.one_line:
        text = one_line(text, redact=args.redact) + "\n"
    elif args.redact:
        raise UserError(
            _("The script itself takes --redact where it is run"), todo=_("Run it as: sh collector.sh --redact")
        )
    deliver(args, text, lambda: {"line" if args.one_line else "script": text})
    return 0
