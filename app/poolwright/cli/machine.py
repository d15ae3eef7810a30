"""What predictions take from a machine: class and models of the disks a layout is made of, and the host's limits."""

import argparse
import json
import sys
from argparse import Namespace
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

from poolwright.cli import design_source
from poolwright.cli.main import error_document
from poolwright.cli.options import options
from poolwright.cli.output import answer, say
from poolwright.domain.design import Design
from poolwright.domain.disk import Disk
from poolwright.domain.errors import PoolwrightError, UserError, excluded
from poolwright.domain.estimate import Origin, OriginKind
from poolwright.domain.host import Inventory
from poolwright.domain.units import drive_size
from poolwright.domain.vdev import ALLOCATION_CLASSES, Layout, VdevClass
from poolwright.emit.report import Blocks
from poolwright.texts import N_, _, ngettext, per_language

Request = TypeVar("Request")
DATA = frozenset({VdevClass.DATA})
SUPPORT = frozenset(ALLOCATION_CLASSES)


def add_layout_options(parser: argparse.ArgumentParser) -> None:
    """Add ``--vdev``, or a design or a machine in its place: ``asked`` is then the design, None where vdevs are named.

    The parser goes along for the lines of a batch, which are read as the command line is.
    """
    options(parser, "--vdev|--layout design")
    design_source.add_source_options(parser, required=False)
    options(parser, "--pool")
    parser.set_defaults(asked=None, parser=parser)


def with_asked(args: Namespace) -> Namespace:
    """Return the options with the vdevs of the design that they name, if any."""
    args = Namespace(**vars(args))
    args.asked = _design_meant(args)
    if args.asked is not None:
        args.vdev = [str(spec) for spec in args.asked.layout()]
    elif not args.vdev:
        raise UserError(_("No vdev is named"), where="--vdev", todo=_("Write such as raidz2:8x6TB."))
    return args


def _design_meant(args: Namespace) -> Design | None:
    if args.design is not None:
        if args.vdev or design_source.has_source(args):
            raise excluded(args.design, "--vdev" if args.vdev else "--from, --host, --example, --disks")
        return design_source.pool_of_design(design_source.read_design(args.design), args.pool)
    if args.pool is not None and (args.vdev or not design_source.has_source(args)):
        raise excluded("--pool", "--vdev")
    if args.vdev or args.batch is not None or not design_source.has_source(args):
        return None
    return design_source.design_of_machine(design_source.read_source(args), args.pool)


def machine_of(args: Namespace) -> Inventory | None:
    design: Design | None = args.asked
    if design is not None:
        used = design.used_keys()
        disks = tuple(disk for disk in design.disks if disk.key in used)
        origin = design.inventory_origin or Origin(kind=OriginKind.TYPED, source=design.name)
        return Inventory(name=design.inventory_name, host=design.host, disks=disks, origin=origin)
    source = design_source.named_source(args)
    return None if source is None else _read(*source)


_read = per_language(lru_cache(maxsize=16)(design_source.read_named))  # the lines of a batch may all mean one machine


def disks_of(machine: Inventory, layout: Layout, classes: frozenset[VdevClass] = DATA) -> tuple[Disk, ...]:
    """Return the disks that have the sizes of the members of these vdevs; UserError where no data vdev's are there."""
    from poolwright.design.assign import is_about

    sizes = {size for spec in layout if spec.vdev_class in classes for size in spec.sizes}
    found: dict[str, Disk] = {}
    for size in sorted(sizes):
        alike = [disk for disk in machine.disks if is_about(disk, size)]
        if not alike and classes == DATA:
            there = sorted({drive_size(d.size_bytes) for d in machine.disks if d.size_bytes})
            raise UserError(
                _("{name} has no disks of {size}", name=machine.name, size=drive_size(size)),
                todo=_("Choose from {names}.", names=", ".join(there)) if there else None,
            )
        found |= {disk.key: disk for disk in alike}
    return tuple(found.values())


# Many requests at once: one JSON object a line in, one JSON document a line out; a bad line does not stop the rest.

MOST_LINE_CHARACTERS = 1 << 20


def answer_each(
    args: Namespace,
    request_of: Callable[[Namespace], Request],
    document: Callable[[Request], dict[str, object]],
    blocks: Callable[[Request], Blocks],
) -> int:
    """Answer what the options ask about; with --batch each line of it."""
    if args.batch is not None:
        return run_batch(args, lambda line: document(request_of(with_asked(line))))
    request = request_of(with_asked(args))
    answer(args, lambda: document(request), blocks(request))
    return 0


def run_batch(args: Namespace, answer_of: Callable[[Namespace], dict[str, object]]) -> int:
    """Answer each line of the batch with one JSON document on a line; what it leaves out the command line says.

    Status 0 where any line was answered, else what the gravest mistake gives; raises UserError without a request.
    """
    encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
    empty = lines = good = worst = 0
    for line in _lines(args.batch):
        lines += 1
        if not line.strip():
            empty += 1
            continue
        # An empty line between others is a bad line; those at the end are not.
        for __ in range(empty):
            sys.stdout.write(encode({"error": _("The line is empty.")}) + "\n")
        empty = 0
        try:
            result = answer_of(_with_line(args, _parse(line)))
            good += 1
        except PoolwrightError as error:
            result = error_document(error)
            worst = max(worst, error.exit_status)
        sys.stdout.write(encode(result) + "\n")
        if args.batch == "-":
            sys.stdout.flush()
    if good:
        return 0
    if not worst:
        raise UserError(_("The batch holds no request"), where=args.batch, todo=_(_ONE_A_LINE))
    none = ngettext(
        "poolwright: Not one of {count} line could be answered ({source}). The reasons stand in their places.",
        "poolwright: Not one of {count} lines could be answered ({source}). The reasons stand in their places.",
        lines,
        source=args.batch,
    )
    say(none)
    return worst


_OF_COMMAND = ("json", "batch", "command")  # which say nothing of a request
_ONE_A_LINE = N_('Write one JSON object a line, such as {"vdev": ["raidz2:8x6TB"], "ashift": 12}.')
_RATES = ("disk-read", "disk-write", "hba", "network")  # whose numbers are bytes a second


def _with_line(args: Namespace, line: dict[str, object]) -> Namespace:
    parser: argparse.ArgumentParser = args.parser
    known = {action.option_strings[-1][2:]: action for action in parser._actions if action.option_strings}
    known["vdev"] = known["layout"]
    asked, words = Namespace(**vars(args)), []
    for name, value in line.items():
        key = name.replace("_", "-")
        if key in _OF_COMMAND or value is None:
            continue
        if key in ("", "help"):  # as options they would end the options, or print the help and end the batch
            parser.error(f"unrecognized arguments: {key or '--'}")
        if (action := known.get(key)) is not None:
            setattr(asked, action.dest, None)
        words += _words(key, value, action)
    parser.parse_args(words, asked)
    return asked


def _words(key: str, value: object, action: argparse.Action | None) -> list[str]:
    """Return an option of a line as it is typed. Several words are told as a list, or in one text as in a shell."""
    if isinstance(value, bool):
        return [f"--{key}"] if value else []
    if isinstance(value, int | float):
        return [f"--{key}={value} B/s" if key in _RATES else f"--{key}={value}"]
    several = action is not None and (action.nargs == "+" or key in ("then", "calibrate", "preset", "host"))
    if isinstance(value, str):
        value = value.split() if several and key not in ("then", "reserve") else [value]
    elif not several or not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise UserError(
            _("“{name}” must be a text, a number or a list of texts", name=key),
            todo=_('Write "raidz2:8x6TB" or a list of such texts.'),
        )
    return [f"--{key}={' '.join(value)}"] if key == "disks" else [f"--{key}={item}" for item in value]


def _parse(line: str) -> dict[str, object]:
    if len(line) > MOST_LINE_CHARACTERS:
        raise UserError(_("The line is too long"), todo=_("At most {most} characters.", most=MOST_LINE_CHARACTERS))
    try:
        parsed = json.loads(line)
    except (ValueError, RecursionError) as error:  # no JSON, a number of thousands of digits, nested too deep
        todo = _(_ONE_A_LINE)
        raise UserError(_("The line is not JSON: {error}", error=error), todo=todo) from None
    if not isinstance(parsed, dict):
        raise UserError(_("The line is not a JSON object"), todo=_(_ONE_A_LINE))
    return parsed


def _lines(source: str) -> Iterator[str]:
    if source == "-":
        yield from sys.stdin
        return
    design_source.check_text(source, todo=_(_ONE_A_LINE))
    with Path(source).open(encoding="utf-8-sig", errors="replace") as stream:
        yield from stream
