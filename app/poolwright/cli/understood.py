"""What was understood of typed sizes, rates and disks, where that is not what stands there letter by letter."""

import argparse
from collections.abc import Callable
from typing import Any

from poolwright.cli.design_options import sizes_understood
from poolwright.design.floors import allowed_titles
from poolwright.design.request import Request
from poolwright.domain import rates as read_back
from poolwright.domain.inventory import Inventory
from poolwright.texts import tell

# Option, where its value is kept, its field, and how it is said.
_BUDGET: tuple[tuple[str, str, Callable[[Any], str]], ...] = (
    ("capacity", "least_usable_bytes", read_back.size_read),
    ("ram", "ram_bytes", read_back.size_read),
    ("read", "least_read_bytes_per_second", read_back.rate_read),
    ("write", "least_write_bytes_per_second", read_back.rate_read),
    ("risk", "most_yearly_loss", read_back.chance_read),
    ("rebuild_hours", "most_rebuild_hours", read_back.hours_read),
    ("allow", "allow", allowed_titles),
)
_WORKLOAD: tuple[tuple[str, str, Callable[[Any], str]], ...] = (
    ("io_size", "io_size_bytes", read_back.size_read),
    ("file_size", "typical_file_bytes", read_back.size_read),
    ("working_set", "working_set_bytes", read_back.size_read),
    ("network", "network_bytes_per_second", read_back.link_read),
    ("growth", "growth_percent", read_back.growth_read),
)


def understood_lines(args: argparse.Namespace, request: Request, inventory: Inventory) -> tuple[str, ...]:
    """Return one line for each option that was read, and for each group of typed disks of which more was assumed."""
    typed = inventory.notes if args.disks else ()
    found = [tell("disks: {text}", text=note.text) for note in typed]
    for name, _, value, read in _read(args, request):
        found.append(f"--{name.replace('_', '-')} {getattr(args, name)}: {read(value)}")
    found.extend(f"{text}: {read_back.size_read(size)}" for text, size in sizes_understood(args, request.version))
    return tuple(found)


def understood_document(args: argparse.Namespace, request: Request, inventory: Inventory) -> dict[str, object]:
    """Return the values of the options that were read, in bytes, bytes/s, per cent or hours, and notes on the disks."""
    found: dict[str, object] = {field: value for _, field, value, _ in _read(args, request)}
    return {**found, "disks": [note.text for note in inventory.notes]} if args.disks else found


def _read(args: argparse.Namespace, request: Request) -> list[tuple[str, str, Any, Callable[[Any], str]]]:
    kept = ((request.budget, _BUDGET), (request.workload, _WORKLOAD))
    return [
        (name, field, getattr(values, field), read)
        for values, options in kept
        for name, field, read in options
        if getattr(args, name) is not None
    ]
