"""What predictions take from a machine: class and models of the disks a layout is made of, and the host's limits."""

import argparse
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from poolwright.advise.own_layout import ALIKE
from poolwright.cli.batch import texts
from poolwright.domain.disk import Disk, Media, slowest
from poolwright.domain.errors import UserError
from poolwright.domain.inventory import Inventory
from poolwright.domain.units import drive_size
from poolwright.domain.vdev import ALLOCATION_CLASSES, Layout, VdevClass
from poolwright.texts import tell, told_once

# Options of `cli.sources`, as they are called in a request.
MACHINE_KEYS = frozenset({"example", "from", "host", "disks"})
DATA = frozenset({VdevClass.DATA})
SUPPORT = frozenset(ALLOCATION_CLASSES)


def given_options(args: argparse.Namespace) -> dict[str, object]:
    """Return the options that were given on the command line, by the names they have in a request of a batch."""
    given = {key.replace("_", "-"): value for key, value in vars(args).items() if value is not None}
    paths = given.pop("from-paths", None)
    return given if paths is None else given | {"from": [str(path) for path in paths]}


def machine_of(options: Mapping[str, object]) -> Inventory | None:
    """Return the machine that a request names; None where it names none. Raises UserError for one it cannot read."""
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
    from poolwright.inventory.recorded import open_captures
    from poolwright.inventory.typed.read import read_typed

    if key == "example":
        return read_example(" ".join(words))
    if key == "host":
        from poolwright.cli.hosts import only_host, read_over_ssh

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


def slowest_media(disks: tuple[Disk, ...]) -> Media | None:
    """Return the slowest class among ``disks``; None where one is unknown, or there are none."""
    return slowest({disk.media for disk in disks})
