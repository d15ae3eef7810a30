"""What predictions take from a machine: class and models of the disks a layout is made of, and the host's limits."""

import argparse
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from poolwright.cli.batch import texts
from poolwright.design.own_layout import ALIKE
from poolwright.domain.design import Design
from poolwright.domain.disk import Disk
from poolwright.domain.errors import UserError
from poolwright.domain.inventory import Inventory
from poolwright.domain.origin import Origin, OriginKind
from poolwright.domain.units import drive_size
from poolwright.domain.vdev import ALLOCATION_CLASSES, Layout, VdevClass
from poolwright.texts import tell, told_once

# Options of `cli.sources`, as they are called in a request.
MACHINE_KEYS = frozenset({"example", "from", "host", "disks"})
# A design that stands for layout, disks and host; no line of a batch can name one.
ASKED = "asked"
DATA = frozenset({VdevClass.DATA})
SUPPORT = frozenset(ALLOCATION_CLASSES)


def add_design_options(parser: argparse.ArgumentParser) -> None:
    """Add DESIGN, and the machine whose pool is taken for one where no vdev is given."""
    from poolwright.cli.design_source import add_pool_option
    from poolwright.cli.sources import add_source_options

    parser.add_argument(
        "design", metavar="DESIGN", nargs="?",
        help=tell("a design instead of --vdev: a file (JSON), a name of the library, or - for standard input"),
    )  # fmt: skip
    add_source_options(parser, required=False)
    add_pool_option(parser)


def given_options(args: argparse.Namespace) -> dict[str, object]:
    """Return the options that were given on the command line, by the names they have in a request of a batch."""
    given = {key.replace("_", "-"): value for key, value in vars(args).items() if value is not None}
    design = _asked(args)
    paths = given.pop("from-paths", None)
    for name in ("design", "pool"):
        given.pop(name, None)
    if design is not None:
        without = {key: value for key, value in given.items() if key not in MACHINE_KEYS}
        return without | {"vdev": [str(spec) for spec in design.layout()], ASKED: design}
    return given if paths is None else given | {"from": [str(path) for path in paths]}


def _asked(args: argparse.Namespace) -> Design | None:
    """Return the design that a file holds, or a pool of a machine is; None where a layout is asked about."""
    from poolwright.cli.design_source import design_of_machine, pool_of_design, read_design
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
    """Return the design that a request is about; None for one about a layout. Raises UserError."""
    design = options.get(ASKED)
    if design is not None and not isinstance(design, Design):
        raise UserError(tell("Unknown option {unknown}", unknown=ASKED), todo=tell("Name the vdevs."))
    return design


def machine_of(options: Mapping[str, object]) -> Inventory | None:
    """Return the machine that a request names; None where it names none. Raises UserError for one it cannot read."""
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
    """Return the machine; a batch that names it a thousand times reads it once."""
    from poolwright.cli.sources import read_example
    from poolwright.machine.typed.read import read_typed
    from poolwright.store.capture_files import open_captures

    if key == "example":
        return read_example(" ".join(words))
    if key == "host":
        from poolwright.cli.sources import only_host, read_over_ssh

        return read_over_ssh(only_host(words))
    return open_captures([Path(word) for word in words]) if key == "from" else read_typed([" ".join(words)])


def disks_of(machine: Inventory, layout: Layout, classes: frozenset[VdevClass] = DATA) -> tuple[Disk, ...]:
    """Return the disks of ``machine`` that have the sizes of the members of the vdevs of these classes.

    Raises UserError where the data vdevs have a size that the machine has not.
    """
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
