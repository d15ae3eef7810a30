"""`poolwright schema`: the JSON Schema of design files, or of what a command prints with --json."""

import argparse
import sys

from poolwright import paths
from poolwright.cli.main import COMMANDS
from poolwright.cli.options import options

NO_REPORT = "what it prints is a JSON Schema"  # for machines


def configure(parser: argparse.ArgumentParser) -> None:
    options(parser, "answers_of --json", answers_of={"choices": [name for name in COMMANDS if name != "schema"]})


def run(args: argparse.Namespace) -> int:
    file = paths.resources_folder() / "schema" / f"{args.answers_of or 'design'}.schema.json"
    sys.stdout.write(file.read_text(encoding="utf-8"))
    return 0
