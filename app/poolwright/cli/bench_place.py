"""What every use of the benchmark on the command line is asked with: the place, the design and the wishes."""

import argparse
import os
from pathlib import Path
from typing import TypeVar

from poolwright.bench.profiles.wishes import BenchWishes
from poolwright.bench.running.looking import check_whole, look
from poolwright.bench.running.place import BenchPlace
from poolwright.cli.askpass import terminal_asker
from poolwright.cli.design_source import design_of_machine, read_design
from poolwright.cli.hosts import only_host, read_over_ssh
from poolwright.cli.sources import read_source, read_this_machine
from poolwright.domain.design import Design
from poolwright.domain.disk import Disk
from poolwright.domain.errors import UserError
from poolwright.domain.units import parse_size
from poolwright.process.blocking import drive
from poolwright.process.conversing import converse
from poolwright.process.on_host import SshHost, on_host
from poolwright.process.ssh.arriving import arrived
from poolwright.process.watched import Conversation
from poolwright.texts import tell

_T = TypeVar("_T")


def looked_at(directory: str, host: str | None = None) -> BenchPlace:
    """Return what is known of a directory of this machine, or of ``host``. Raises as `look`."""
    if host is not None:
        check_whole(directory, host)
    return run_there(look(directory if host is not None else os.fspath(Path(directory).absolute())), host)


def run_there(conversation: Conversation[_T], host: str | None) -> _T:
    """Run a conversation on ``host``, as `ssh` takes it, or on this machine; return its value."""
    if host is None:
        return converse(conversation)
    visit = drive(arrived(SshHost(name=host), terminal_asker()))
    try:
        return converse(on_host(conversation, visit.host))
    finally:
        visit.leave()


def free_disks(host: str | None) -> tuple[Disk, ...]:
    """Return the disks that nothing uses, of this machine or of ``host``; raises as the reading of either."""
    return (read_this_machine() if host is None else read_over_ssh(only_host([host]))).usable()


def own_design(args: argparse.Namespace, named: str | None = None) -> Design | None:
    """Return the design that is ``named`` or of ``--design``, else the pool of ``--from``; None where none was given.

    Raises as `read_design`.
    """
    name = named or args.design
    if args.from_paths is None:
        return None if name is None else read_design(name)
    if name is not None:
        raise UserError(tell("A design and --from name two pools"), todo=tell("Give one of the two."))
    return design_of_machine(read_source(args), args.pool)


def wishes_of(args: argparse.Namespace) -> BenchWishes:
    """Return what the options say; raises UserError."""
    return BenchWishes(
        repeats=args.repeats,
        seconds=args.seconds,
        most_bytes=None if args.max_bytes is None else parse_size(args.max_bytes, what=tell("amount of data")),
        fill_percent=args.fill,
        steps=args.steps,
    )
