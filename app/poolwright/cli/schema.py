"""`poolwright schema`: the JSON Schema of design files, for editors and for programs that write designs."""

import argparse
import sys

from poolwright.cli.options import options


def configure(parser: argparse.ArgumentParser) -> None:
    options(parser, "--json")


def run(args: argparse.Namespace) -> int:  # noqa: ARG001 - every command has this form
    from poolwright.store.design_file import design_schema

    sys.stdout.write(design_schema())
    return 0
