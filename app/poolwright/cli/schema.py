"""`poolwright schema`: the JSON Schema of design files, for editors and for programs that write designs."""

import argparse
import sys

from poolwright.cli.options import options


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    options(parser, "--json:schema")


def run(args: argparse.Namespace) -> int:  # noqa: ARG001 - every command has this form
    """Print the schema; return the exit status."""
    from poolwright.store.design_file import design_schema

    sys.stdout.write(design_schema())
    return 0
