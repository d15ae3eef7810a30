"""`poolwright collector`: the script a person runs on a machine that Poolwright cannot reach."""

import argparse
import sys

from poolwright.cli.output import print_json
from poolwright.domain.errors import EnvironmentFailure
from poolwright.paths import resources_folder
from poolwright.texts import tell


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("--json", action="store_true", help=tell("print one JSON document with the text of the script"))
    parser.epilog = tell(
        "Save what it prints as collector.sh, run it there as root: sh collector.sh > machine.capture\n"
        "Then here: poolwright inventory --from machine.capture"
    )


def run(args: argparse.Namespace) -> int:
    """Print the script; exit status 0."""
    file = resources_folder() / "collector.sh"
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise EnvironmentFailure(
            tell("The collector script is missing: {strerror}", strerror=error.strerror),
            where=str(file),
            todo=tell("Install Poolwright again."),
        ) from None
    if args.json:
        print_json({"script": text})
    else:
        sys.stdout.write(text)
    return 0
