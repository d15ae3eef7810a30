"""What every use of the benchmark on the command line is asked with: the place, the design and the wishes."""

import argparse
import os
from pathlib import Path

from poolwright.bench.profiles.wishes import BenchWishes
from poolwright.bench.running.looking import look
from poolwright.bench.running.place import BenchPlace
from poolwright.cli.design_source import read_design
from poolwright.domain.design import Design
from poolwright.domain.units import parse_size
from poolwright.process.blocking import drive
from poolwright.texts import tell


def looked_at(directory: str) -> BenchPlace:
    """Return what is known of a directory of this machine. Raises as `look`."""
    return drive(look(os.fspath(Path(directory).absolute())))


def own_design(name: str | None) -> Design | None:
    """Return the design of ``--design``, None where it was not given; raises as `read_design`."""
    return None if name is None else read_design(name)


def wishes_of(args: argparse.Namespace) -> BenchWishes:
    """Return what the options say; raises UserError."""
    return BenchWishes(
        repeats=args.repeats,
        seconds=args.seconds,
        most_bytes=None if args.max_bytes is None else parse_size(args.max_bytes, what=tell("amount of data")),
        steps=args.steps,
    )
