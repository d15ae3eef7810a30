"""What predictions take from a machine: class and models of the disks a layout is made of, and the host's limits."""

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from math import isfinite, nan
from pathlib import Path

from poolwright.cli.design_source import check_text, design_of_machine, pool_of_design, read_design
from poolwright.cli.main import error_document
from poolwright.cli.options import options, shown, unfit, whole_number
from poolwright.cli.output import say
from poolwright.design.own_layout import ALIKE
from poolwright.domain.design import Design
from poolwright.domain.disk import Disk
from poolwright.domain.errors import PoolwrightError, UserError
from poolwright.domain.inventory import Inventory
from poolwright.domain.origin import Origin, OriginKind
from poolwright.domain.rates import parse_disk_rate
from poolwright.domain.units import drive_size
from poolwright.domain.vdev import ALLOCATION_CLASSES, Layout, VdevClass
from poolwright.texts import tell, tell_counted, told_once

# Options of `cli.sources`, as they are called in a request.
MACHINE_KEYS = frozenset({"example", "from", "host", "disks"})
# A design that stands for layout, disks and host; no line of a batch can name one.
ASKED = "asked"
_OF_COMMAND = frozenset({"json", "batch", "command"})  # which say nothing of a request
DATA = frozenset({VdevClass.DATA})
SUPPORT = frozenset(ALLOCATION_CLASSES)


def add_design_options(parser: argparse.ArgumentParser) -> None:
    from poolwright.cli.sources import add_source_options

    options(parser, "design")
    add_source_options(parser, required=False)
    options(parser, "--pool:of")


def given_options(args: argparse.Namespace) -> dict[str, object]:
    given = {key.replace("_", "-"): value for key, value in vars(args).items() if value is not None}
    design = _asked(args)
    paths = given.pop("from-paths", None)
    for name in ("design", "pool", *_OF_COMMAND):
        given.pop(name, None)
    if design is not None:
        without = {key: value for key, value in given.items() if key not in MACHINE_KEYS}
        return without | {"vdev": [str(spec) for spec in design.layout()], ASKED: design}
    return given if paths is None else given | {"from": [str(path) for path in paths]}


def _asked(args: argparse.Namespace) -> Design | None:
    from poolwright.cli.sources import has_source, read_source

    if args.design is not None:
        if args.vdev or has_source(args):
            raise UserError(
                tell("A design file says its vdevs and disks itself"), where=args.design,
                todo=tell("Leave --vdev and the machine away, or the file."),
            )  # fmt: skip
        return pool_of_design(read_design(args.design), args.pool)
    if args.pool is not None and (args.vdev or not has_source(args)):
        raise UserError(
            tell("--pool names a pool of a machine"), todo=tell("Write --from X --pool NAME, without --vdev.")
        )
    if args.vdev or args.batch is not None or not has_source(args):
        return None
    return design_of_machine(read_source(args), args.pool)


def asked_design(options: Mapping[str, object]) -> Design | None:
    design = options.get(ASKED)
    if design is not None and not isinstance(design, Design):
        raise UserError(tell("Unknown option {unknown}", unknown=ASKED), todo=tell("Name the vdevs."))
    return design


def machine_of(options: Mapping[str, object]) -> Inventory | None:
    design = asked_design(options)
    if design is not None:
        used = design.used_keys()
        disks = tuple(disk for disk in design.disks if disk.key in used)
        origin = design.inventory_origin or Origin(kind=OriginKind.TYPED, source=design.name)
        return Inventory(name=design.inventory_name, host=design.host, disks=disks, origin=origin)
    named = {key: texts(options, key) for key in MACHINE_KEYS if options.get(key) is not None}
    if len(named) > 1:
        raise UserError(tell("Several machines were named"), todo=tell("Give one of from, host, example and disks."))
    for key, words in named.items():
        return _read(key, tuple(words))
    return None


@told_once
@lru_cache(maxsize=16)
def _read(key: str, words: tuple[str, ...]) -> Inventory:
    from poolwright.cli.sources import read_example
    from poolwright.machine.typed.read import read_typed
    from poolwright.store.capture_files import open_captures

    if key == "example":
        return read_example(" ".join(words))
    if key == "host":
        from poolwright.cli.over_ssh import only_host, read_over_ssh

        return read_over_ssh(only_host(words))
    return open_captures([Path(word) for word in words]) if key == "from" else read_typed([" ".join(words)])


def disks_of(machine: Inventory, layout: Layout, classes: frozenset[VdevClass] = DATA) -> tuple[Disk, ...]:
    """Return the disks that have the sizes of the members of these vdevs; UserError where no data vdev's are there."""
    sizes = {size for spec in layout if spec.vdev_class in classes for size in spec.sizes}
    found: dict[str, Disk] = {}
    for size in sorted(sizes):
        alike = [d for d in machine.disks if d.size_bytes and abs(d.size_bytes - size) <= ALIKE * size]
        if not alike and classes == DATA:
            there = sorted({drive_size(d.size_bytes) for d in machine.disks if d.size_bytes})
            raise UserError(
                tell("{name} has no disks of {size}", name=machine.name, size=drive_size(size)),
                todo=tell("It has {there}.", there=", ".join(there) or tell("none")),
            )
        found |= {disk.key: disk for disk in alike}
    return tuple(found.values())


# Many requests at once: one JSON object a line in, one JSON document a line out; a bad line does not stop the rest.

MOST_LINE_CHARACTERS = 1 << 20


def run_batch(source: str, answer: Callable[[Mapping[str, object]], dict[str, object]]) -> int:
    """Answer each line of ``source`` (a file, or - for standard input) with one JSON document on a line."""
    encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
    empty = lines = good = worst = 0
    for line in _lines(source):
        lines += 1
        if not line.strip():
            empty += 1
            continue
        # An empty line between others is a bad line; those at the end are not.
        for _ in range(empty):
            sys.stdout.write(encode({"error": tell("The line is empty.")}) + "\n")
        empty = 0
        try:
            result = answer(_parse(line))
            good += 1
        except PoolwrightError as error:
            result = error_document(error)
            worst = max(worst, error.exit_status)
        sys.stdout.write(encode(result) + "\n")
        if source == "-":
            sys.stdout.flush()
    return _status(source, lines=lines, good=good, worst=worst)


def _status(source: str, *, lines: int, good: int, worst: int) -> int:
    """Return 0 where any line was answered, else what the gravest mistake gives; raises UserError without a request."""
    if good:
        return 0
    if not worst:
        raise UserError(tell("The batch holds no request"), where=source, todo=tell("Write one JSON object a line."))

    say(
        tell_counted(
            "poolwright: Not one of {count} line could be answered ({source}). The reasons stand in their places.",
            "poolwright: Not one of {count} lines could be answered ({source}). The reasons stand in their places.",
            lines,
            source=source,
        )
    )
    return worst


def _parse(line: str) -> Mapping[str, object]:
    if len(line) > MOST_LINE_CHARACTERS:
        raise UserError(
            tell("The line is too long"), todo=tell("At most {most} characters.", most=MOST_LINE_CHARACTERS)
        )
    try:
        parsed = json.loads(line)
    except (ValueError, RecursionError) as error:  # no JSON, a number of thousands of digits, nested too deep
        todo = tell('Write one JSON object a line, such as {"vdev": ["raidz2:8x6TB"], "ashift": 12}.')
        raise UserError(tell("The line is not JSON: {error}", error=error), todo=todo) from None
    if not isinstance(parsed, dict):
        raise UserError(
            tell("The line is not a JSON object"), todo=tell('Write {"vdev": ["raidz2:8x6TB"], "ashift": 12}.')
        )
    return parsed


def _lines(source: str) -> Iterator[str]:
    if source == "-":
        yield from sys.stdin
        return
    check_text(source, tell("batch"), todo=tell("Write one JSON object a line, in UTF-8."))
    with Path(source).open(encoding="utf-8-sig", errors="replace") as stream:
        yield from stream


def check_known(options: Mapping[str, object], known: Iterable[str]) -> None:
    """Refuse what a request may not name; raises UserError."""
    unknown = sorted(set(options) - {*known, *_OF_COMMAND})
    if unknown:
        raise UserError(
            tell("Unknown option {unknown}", unknown=", ".join(unknown)),
            todo=tell("Known are {known}.", known=", ".join(sorted(set(known) - {ASKED}))),
        )


def dashed(line: Mapping[str, object]) -> dict[str, object]:
    """Return a request with its options called as on the command line; null is as if it were not there."""
    return {key.replace("_", "-"): value for key, value in line.items() if value is not None}


def texts(options: Mapping[str, object], name: str) -> list[str]:
    value = options.get(name, [])
    if isinstance(value, str):
        return value.split()
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return value
    raise UserError(
        tell("“{name}” must be a text or a list of texts", name=name),
        todo=tell('Write "raidz2:8x6TB" or a list of such texts.'),
    )


def vdev_texts(options: Mapping[str, object]) -> list[str]:
    specs = texts(options, "vdev")
    if not specs:
        raise UserError(tell("No vdev was given"), todo=tell("Give at least one, such as --vdev raidz2:8x6TB."))
    return specs


def text(options: Mapping[str, object], name: str) -> str | None:
    """Return an option as a text, which a number may stand for; None where it is absent."""
    value = options.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise UserError(
            tell("“{name}” must be a text or a number", name=name),
            todo=tell("Write it in quotes, or as a bare number."),
        )
    return str(value)


def whole(options: Mapping[str, object], name: str, *, least: int = 0, most: int = 10**18) -> int | None:
    value = options.get(name)
    given = text(options, name)
    if isinstance(value, float):
        raise unfit(str(value), f"--{name}", tell("Write a whole number such as 2."))
    return None if given is None else whole_number(f"--{name}", least=least, most=most)(given)


def number(options: Mapping[str, object], name: str, *, percent: bool = False) -> float | None:
    given = text(options, name)
    if given is None:
        return None
    try:
        found = float(given.strip().removesuffix("%" if percent else " "))
    except ValueError:
        found = nan
    if not isfinite(found):
        raise unfit(given, f"--{name}", tell("Write a number such as 1.5."))
    return found


def rate(options: Mapping[str, object], name: str, parse: Callable[..., float] = parse_disk_rate) -> float | None:
    """Return a rate in bytes/s; a number of JSON is that already."""
    value = options.get(name)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return parse_disk_rate(f"{value} B/s", what=name)
    given = text(options, name)
    return None if given is None else parse(given, what=name)


def choice(options: Mapping[str, object], name: str, known: Iterable[str]) -> str | None:
    given = text(options, name)
    if given is not None and given not in (words := [str(word) for word in known]):
        raise UserError(
            tell("{name} “{text}” is not known", name=name.capitalize(), text=shown(given)),
            todo=tell("Write one of {known}.", known=", ".join(words)),
        )
    return given
