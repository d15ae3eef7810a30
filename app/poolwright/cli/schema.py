"""`poolwright schema`: the JSON Schema of design files, or of what a command prints with --json."""

import argparse
import sys

from poolwright import paths
from poolwright.cli.main import COMMANDS
from poolwright.cli.options import options


def configure(parser: argparse.ArgumentParser) -> None:
    options(parser, "answers_of --json", answers_of={"choices": [name for name in COMMANDS if name != "schema"]})


def run(args: argparse.Namespace) -> int:
    if args.answers_of is not None:
        file = paths.resources_folder() / "schema" / f"{args.answers_of}.schema.json"
        sys.stdout.write(file.read_text(encoding="utf-8"))
        return 0
    from poolwright.store.design_file import design_schema

    sys.stdout.write(design_schema())
    return 0
