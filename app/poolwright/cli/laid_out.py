"""A layout that a person names as a design: on disks at hand, or on such as the layout itself names."""

import argparse
from collections.abc import Sequence
from functools import partial

from poolwright.cli.asked import disks_to_take
from poolwright.cli.design_options import with_options
from poolwright.design.assign import Identity
from poolwright.design.own_layout import ALIKE, own_design
from poolwright.design.request import Request
from poolwright.domain.design import Design
from poolwright.domain.disk import FLASH_MEDIA
from poolwright.domain.errors import Refusal, UserError
from poolwright.domain.inventory import Inventory
from poolwright.domain.md_raid import parse_layout
from poolwright.domain.units import TB, drive_size, parse_drive_size, written_bytes
from poolwright.domain.vdev import Layout, VdevClass, describe
from poolwright.emit.validity import check_design
from poolwright.judging import with_proposals
from poolwright.machine.typed.read import read_typed
from poolwright.rules.model import RuleBook
from poolwright.texts import tell

# What these hold is asked for at random and at once: nobody plans them on hard disks.
_ON_FLASH = (VdevClass.SPECIAL, VdevClass.DEDUP, VdevClass.LOG, VdevClass.CACHE)


def laid_out(
    layout: Layout,
    request: Request,
    identity: Identity,
    *,
    inventory: Inventory,
    book: RuleBook,
    options: argparse.Namespace,
) -> Design:
    """Return the design of ``layout`` on the disks of ``request``, with the proposed properties and those of options.

    Raises Refusal where the disks are too few or OpenZFS would not make it, UserError for a property it would refuse.
    """
    made = with_options(with_proposals(own_design(layout, request, identity, inventory), book), options, book)
    check_design(made, named=False)
    return made


def first_laid_out(
    layout: Layout,
    requests: Sequence[Request],
    identity: Identity,
    *,
    inventory: Inventory,
    book: RuleBook,
    options: argparse.Namespace,
) -> Design:
    """Do the same with the first of several requests whose disks are enough, where each has more than the one before.

    What the last one lacks is what is told.
    """

    def lay_out(number: int) -> Design:
        return laid_out(layout, requests[number], identity, inventory=inventory, book=book, options=options)

    least, most = 0, len(requests) - 1
    while least < most:
        middle = (least + most) // 2
        try:
            lay_out(middle)
            most = middle
        except Refusal:
            least = middle + 1
    return lay_out(least)


def layout_at_hand(words: Sequence[str], inventory: Inventory | None) -> Layout:
    """Return the layout of ``words``; vdevs whose size is not told get that of the disks of ``inventory``.

    Raises UserError where the words are wrong, or the disks are of several sizes and the words do not tell them apart.
    """
    return parse_layout(words, size_of=None if inventory is None else partial(_size_at_hand, inventory))


def _size_at_hand(inventory: Inventory, vdev_class: VdevClass) -> int:
    disks = disks_to_take(inventory) or inventory.disks
    flash = [d for d in disks if d.media in FLASH_MEDIA]
    spinning = [d for d in disks if d.media not in FLASH_MEDIA]
    chosen = (flash or spinning) if vdev_class in _ON_FLASH else (spinning or flash)
    sizes = sorted({d.size_bytes for d in chosen if d.size_bytes is not None}, reverse=True)
    # Models of one label differ by some bytes: the smallest holds for all.
    if not sizes or sizes[-1] < sizes[0] * (1 - ALIKE):
        told = ", ".join(drive_size(size) for size in sizes) or "unknown"
        raise UserError(
            tell(
                "The size of the disks of a {vdev_class} vdev is not clear: {told}",
                vdev_class=vdev_class.value,
                told=told,
            ),
            where="--layout",
            todo=tell("Write the sizes: raidz2:6x16TB, mirror:960GB,1TB."),
        )
    return sizes[-1]


def disks_named_by(layout: Layout) -> Inventory:
    """Return planned disks as the layout names them: of data vdevs and spares hard disks, unless only flash has the
    size; of special, dedup, log and cache vdevs flash.
    """
    groups: dict[tuple[int, bool], int] = {}
    for spec in layout:
        for size in spec.sizes:
            key = (size, spec.vdev_class in _ON_FLASH)
            groups[key] = groups.get(key, 0) + 1
    words = [f"{count} x {sold_as(size)}{' SSD' if flash else ''}" for (size, flash), count in groups.items()]
    return read_typed(words, name=describe(layout))


def sold_as(size_bytes: int) -> str:
    """Return the label of a disk of this size, where that says it to the byte; else its bytes."""
    labels = (drive_size(size_bytes), f"{size_bytes / TB:.2f}TB")
    return next((text for text in labels if parse_drive_size(text) == size_bytes), written_bytes(size_bytes))
