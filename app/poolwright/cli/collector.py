"""`poolwright collector`: the script a person runs on a machine that Poolwright cannot reach."""

import argparse
import sys

from poolwright.domain.errors import EnvironmentFailure
from poolwright.paths import resources_folder


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's options: there are none."""
    parser.epilog = (
        "Run it there as root: sh collector.sh > machine.capture; then: poolwright inventory --from machine.capture"
    )


def run(args: argparse.Namespace) -> int:  # noqa: ARG001 - every command takes the options
    """Print the script; exit status 0."""
    file = resources_folder() / "collector.sh"
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise EnvironmentFailure(
            f"The collector script is missing: {error.strerror}", where=str(file), todo="Install Poolwright again."
        ) from None
    sys.stdout.write(text)
    return 0
