"""A layout that a person names as a design: on disks at hand, or on such as the layout itself names; and its numbers.

Here is what places and evaluates a design, and what brings the search and the rules: a command that only reads one does
without.
"""

import argparse
import uuid
from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from poolwright.cli.design_options import DEFAULT_POOL, with_options
from poolwright.cli.design_source import has_source, read_source
from poolwright.cli.options import today
from poolwright.cli.workload_options import budget_of, workload_of
from poolwright.design.assign import ALIKE, Identity, own_design
from poolwright.design.request import Request
from poolwright.design.wishes import budget_objections
from poolwright.domain.design import Design
from poolwright.domain.disk import FLASH_MEDIA, Disk, Unfit
from poolwright.domain.errors import Refusal, UserError
from poolwright.domain.finding import Finding, Outcome
from poolwright.domain.host import Inventory
from poolwright.domain.names import check_pool_name
from poolwright.domain.units import TB, drive_size, parse_drive_size, written_bytes
from poolwright.domain.vdev import Layout, VdevClass, describe, parse_layout
from poolwright.domain.version import DEFAULT_VERSION
from poolwright.judging import with_proposals
from poolwright.rule_library import load_design_rules
from poolwright.rules.rulebook import RuleBook
from poolwright.table_library import load_drive_book
from poolwright.texts import _, marked

if TYPE_CHECKING:
    from poolwright.changes.as_design import PoolDesign
    from poolwright.design.evaluate import Evaluation


def design_of_layout(words: Sequence[str], args: argparse.Namespace) -> tuple[Design, tuple[str, ...]]:
    """Return the design of a layout, and what was assumed of its disks where they were typed."""
    name = args.pool or DEFAULT_POOL
    machine = read_source(args) if has_source(args) else None
    beside: PoolDesign | None = None
    own: tuple[Disk, ...] = ()
    if machine is not None and getattr(args, "live", False):
        from poolwright.changes.live_difference.tops import offered_after, seated_like, without_pool
        from poolwright.cli.compare import live_pool

        beside = live_pool(machine, args.pool)
    if machine is not None and beside is not None:
        machine, own = without_pool(machine, beside)
    layout = layout_at_hand(words, machine)
    inventory = disks_named_by(layout) if machine is None else machine
    request = request_of(args, inventory)
    check_pool_name(name, request.version)
    identity = Identity(key=str(uuid.uuid4()), name=describe(layout), pool_name=name)
    requests = [request] if beside is None else offered_after(own, beside, layout, request)
    made = place_layout(layout, requests, identity, inventory=inventory, book=load_design_rules(), options=args)
    made = made if beside is None else seated_like(made, beside.design.vdevs)
    typed = args.from_paths is None and args.host is None and args.example is None
    return made, tuple(note.text for note in inventory.notes) if typed else ()


# What the options of a command ask of the disks of a machine: one value for every command that plans with them.


def request_of(args: argparse.Namespace, inventory: Inventory, disks: tuple[Disk, ...] | None = None) -> Request:
    return Request(
        disks=disks_offered(inventory) if disks is None else disks,
        workload=workload_of(args),
        budget=budget_of(args, inventory.host),
        version=args.zfs.version if args.zfs else inventory.host.modelled or DEFAULT_VERSION,
        ashift=getattr(args, "ashift", None),
        host=inventory.host,
        drives=load_drive_book(),
        goal_told=args.goal is not None,
    )


def disks_to_take(inventory: Inventory) -> tuple[Disk, ...]:
    """Return the disks of `disks_offered` that can be taken; none where nothing is free."""
    return tuple(disk for disk in disks_offered(inventory) if not disk.refusals())


def disks_offered(inventory: Inventory) -> tuple[Disk, ...]:
    """Return the disks that nothing uses; where nothing is free all of them, so that the refusal says why."""
    free = [disk for disk in inventory.disks if not disk.uses and not (disk.removable and Unfit.NO_SIZE in disk.unfit)]
    return tuple(free) if any(not disk.refusals() for disk in free) else inventory.disks


# A layout that a person names as a design: on disks at hand, or on such as the layout itself names.

# What these hold is asked for at random and at once: nobody plans them on hard disks.
_ON_FLASH = (VdevClass.SPECIAL, VdevClass.DEDUP, VdevClass.LOG, VdevClass.CACHE)


def place_layout(
    layout: Layout,
    requests: Sequence[Request],
    identity: Identity,
    *,
    inventory: Inventory,
    book: RuleBook,
    options: argparse.Namespace,
) -> Design:
    """Return the design of ``layout`` with the proposed properties and those of options, on the disks of the first of
    ``requests`` that has enough; each has more than the one before, and what the last one lacks is what is told.

    Raises Refusal where the disks are too few or OpenZFS would not make it, UserError for a property it would refuse.
    """

    from poolwright.emit.validity import check_design

    def lay_out(number: int) -> Design:
        proposed = with_proposals(own_design(layout, requests[number], identity, inventory), book)
        made = with_options(proposed, options, book)
        check_design(made, named=False)
        return made

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
    """Return the layout of ``words``; vdevs whose size is not told get that of the disks of ``inventory``."""
    return parse_layout(words, size_of=None if inventory is None else partial(_size_at_hand, inventory))


def _size_at_hand(inventory: Inventory, vdev_class: VdevClass) -> int:
    disks = disks_to_take(inventory) or inventory.disks
    flash = [d for d in disks if d.media in FLASH_MEDIA]
    spinning = [d for d in disks if d.media not in FLASH_MEDIA]
    chosen = (flash or spinning) if vdev_class in _ON_FLASH else (spinning or flash)
    sizes = sorted({d.size_bytes for d in chosen if d.size_bytes is not None}, reverse=True)
    # Models of one label differ by some bytes: the smallest holds for all.
    if not sizes or sizes[-1] < sizes[0] * (1 - ALIKE):
        found = ", ".join(drive_size(size) for size in sizes) or "unknown"
        raise UserError(
            _("The size of the disks of a {vdev_class} vdev is not clear: {told}", vdev_class=vdev_class, told=found),
            where="--layout",
            todo=_("Write the sizes: raidz2:6x16TB, mirror:960GB,1TB."),
        )
    return sizes[-1]


def disks_named_by(layout: Layout) -> Inventory:
    """Return planned disks as the layout names them: of data vdevs and spares hard disks, unless only flash has the
    size; of special, dedup, log and cache vdevs flash.
    """
    from poolwright.machine.typed.read import read_typed

    groups = Counter((size, spec.vdev_class in _ON_FLASH) for spec in layout for size in spec.sizes)
    words = [f"{count} x {sold_as(size)}{' SSD' if flash else ''}" for (size, flash), count in groups.items()]
    return read_typed(words, name=describe(layout))


def sold_as(size_bytes: int) -> str:
    """Return the label of a disk of this size, where that says it to the byte; else its bytes."""
    labels = (marked(drive_size(size_bytes)), f"{size_bytes / TB:.2f}TB")
    return next((text for text in labels if parse_drive_size(text) == size_bytes), written_bytes(size_bytes))


# Evaluates the designs of commands that take them, as the window does.


def evaluate_design(design: Design, *, rules: RuleBook | None = None) -> "Evaluation":
    """Return everything known of a design; disks that may be used and have no place count as left over."""
    from poolwright.design.evaluate import evaluate, unassigned_of

    free = [disk.key for disk in design.disks if not disk.refusals()]
    return evaluate(
        design,
        drives=load_drive_book(),
        today=today(),
        rules=load_design_rules() if rules is None else rules,
        unassigned_disks=unassigned_of(design, free),
    )


def evaluate_possible(design: Design, book: RuleBook) -> "Evaluation":
    found = evaluate_design(design, rules=book)
    if found.main.capacity is None or found.usable_bytes is None:
        raise Refusal(_("This layout cannot be made"), todo=_("Change --layout."), reasons=(found.main.problem,))
    return found


def missed_wishes(found: "Evaluation") -> tuple[str, ...]:
    usable, survived = found.usable_bytes or 0, found.survived or 0
    return budget_objections(found.design.budget, found.spares, usable, survived)


def findings_to_show(findings: tuple[Finding, ...] | None) -> tuple[Finding, ...]:
    """Return what speaks against a design, then what cannot be told."""
    order = (Outcome.VIOLATED, Outcome.CANNOT_TELL)
    return tuple(finding for outcome in order for finding in findings or () if finding.outcome is outcome)


def findings_by_hand(proposed: Design, changed: Design, book: RuleBook) -> tuple[Finding, ...]:
    """Return the findings of ``changed`` that ``proposed``, the same layout without the person's options, has not.

    The list is ranked with the properties that the rules propose; what is set by hand is judged here, so that
    compression=off or copies=2 meets the same words beside a layout of the list as beside one of the person's own.
    """
    if changed == proposed:
        return ()
    before, found = (findings_to_show(evaluate_design(d, rules=book).findings) for d in (proposed, changed))
    known = {(finding.rule_id, finding.subject, finding.outcome) for finding in before}
    return tuple(one for one in found if (one.rule_id, one.subject, one.outcome) not in known)
