"""The design that a command is asked about: a file, a layout named on the command line, or a pool that exists.

A layout is written as `recommend` takes it, ``--layout raidz2:8x6TB special/mirror:2x960GB``. It is placed on the disks
that --from, --example or --disks name, else on such as it names itself. What it is for and what is set on it are said
by the options of `recommend`; a design from a file carries all that, so that they are refused beside one. A machine
alone, ``--from X --pool NAME``, means its pool, of which only the use can be told.
"""

import argparse
from collections.abc import Sequence
from functools import partial

from poolwright.cli.design_options import DEFAULT_POOL, add_pool_options, with_options
from poolwright.cli.design_source import (
    add_source_options,
    design_of_machine,
    has_source,
    read_design,
    read_source,
    version_for,
)
from poolwright.cli.options import options, today
from poolwright.cli.output import say
from poolwright.cli.wishes import WORKLOAD_KEYS, add_workload_options, budget_of, workload_of
from poolwright.design.assign import ALIKE, Identity, own_design
from poolwright.design.evaluate import Evaluation, evaluate, unassigned_of
from poolwright.design.request import Request
from poolwright.domain.design import Design
from poolwright.domain.disk import FLASH_MEDIA, Disk, Unfit
from poolwright.domain.errors import Refusal, UserError
from poolwright.domain.host import Inventory
from poolwright.domain.units import TB, drive_size, parse_drive_size, written_bytes
from poolwright.domain.vdev import Layout, VdevClass, describe, parse_layout
from poolwright.drive_library import load_drive_book
from poolwright.emit.validity import check_design
from poolwright.judging import with_proposals
from poolwright.machine.typed.read import read_typed
from poolwright.rule_library import load_shipped
from poolwright.rules.model import RuleBook
from poolwright.texts import marked, tell

_GROUP = "asked_layout"
_TODO = marked(
    "Name a design file, a layout (--layout raidz2:8x6TB), or a machine and its pool (--from X --pool NAME)."
)


def add_asked_options(parser: argparse.ArgumentParser, *, several: bool = False) -> None:
    """Add DESIGN and ``--layout`` before the command's own options, which hold where a name is the same."""
    # Later options take the place of earlier ones; the parser's own group has copied how conflicts are met.
    parser.conflict_handler = parser._optionals.conflict_handler = "resolve"
    options(parser, "designs --layout:several" if several else "design --layout")
    add_source_options(parser, required=False)
    group = parser.add_argument_group(tell("with --layout: what it is for, and what is set on it"))
    add_workload_options(group)
    options(group, "--ram --ups --price --currency --zfs --ashift")
    add_pool_options(group)
    parser.set_defaults(**{_GROUP: group}, pool=None)


def input_names(args: argparse.Namespace) -> tuple[str, ...]:
    designs = getattr(args, "designs", None) or ([args.design] if getattr(args, "design", None) else [])
    return (*designs, *(str(path) for path in args.from_paths or ()))


def read_asked(args: argparse.Namespace) -> Design:
    names = [] if args.design is None else [args.design]
    designs = _read(args, names, [args.layout] if args.layout else [])
    if not designs:
        raise UserError(tell("No design is named"), todo=tell(_TODO))
    if len(designs) > 1:
        raise UserError(tell("DESIGN and --layout name two designs"), todo=tell("Give one of the two."))
    return designs[0]


def read_asked_designs(args: argparse.Namespace) -> tuple[Design, ...]:
    """Return the designs of all files, then those of all layouts, or the pool of a machine."""
    if has_source(args) and args.designs and not args.layout:
        return (*(read_design(name) for name in args.designs), _of_machine(args))
    return _read(args, args.designs, args.layout or [])


def _read(args: argparse.Namespace, names: Sequence[str], layouts: Sequence[Sequence[str]]) -> tuple[Design, ...]:
    if not layouts and has_source(args) and not names:
        return (_of_machine(args),)
    if not layouts:
        _refuse_options_of_layouts(args)
    asked = [_of_layout(words, args) for words in layouts]
    # What was assumed of disks that nobody has seen; a design that is read tells it where it is shown.
    for text in dict.fromkeys(note for _, notes in asked for note in notes):
        say(tell("understood: disks: {text}", text=text))
    return (*(read_design(name) for name in names), *(design for design, _ in asked))


def _of_machine(args: argparse.Namespace) -> Design:
    of_use = {key.replace("-", "_") for key in WORKLOAD_KEYS}
    _refuse_options_of_layouts(args, but=(*of_use, "pool", "from_paths", "host", "example", "disks"))
    used = any(getattr(args, key, None) is not None for key in of_use)
    return design_of_machine(read_source(args), args.pool, workload_of(_told(args)) if used else None)


def _refuse_options_of_layouts(args: argparse.Namespace, *, but: Sequence[str] = ()) -> None:
    """Refuse what says something of a layout where there is none: the file of a design says it already."""
    sources = {"--from": "from_paths", "--host": "host", "--example": "example", "--disks": "disks"}
    given = [option for option, name in sources.items() if name not in but and getattr(args, name) is not None]
    # Options of the same name that are the command's own have left the group.
    actions = [a for a in getattr(args, _GROUP)._group_actions if a.dest not in but]
    given += [a.option_strings[-1] for a in actions if getattr(args, a.dest, a.default) != a.default]
    if given:
        raise UserError(
            tell("{given} goes with --layout", given=given[0]), todo=tell("A design file says that itself.")
        )


def _of_layout(words: Sequence[str], args: argparse.Namespace) -> tuple[Design, tuple[str, ...]]:
    """Return the design of a layout, and what was assumed of its disks where they were typed."""
    import uuid

    from poolwright.changes.against.tops import offered_after, seated_like, without_pool
    from poolwright.cli.compare import live_pool
    from poolwright.domain.names import check_pool_name

    found = read_source(args) if has_source(args) else None
    told = _told(args)
    beside = live_pool(found, args.pool) if found is not None and getattr(args, "live", False) else None
    machine, own = without_pool(found, beside) if found is not None and beside is not None else (found, ())
    layout = layout_at_hand(words, machine)
    inventory = disks_named_by(layout) if machine is None else machine
    request = request_of(told, inventory)
    check_pool_name(told.pool, request.version)
    identity = Identity(key=str(uuid.uuid4()), name=describe(layout), pool_name=told.pool)
    requests = offered_after(own, beside, layout, request) if beside is not None else [request]
    made = laid_out(layout, requests, identity, inventory=inventory, book=load_shipped(), options=told)
    made = seated_like(made, beside) if beside is not None else made
    typed = args.from_paths is None and args.host is None and args.example is None
    return made, tuple(note.text for note in inventory.notes) if typed else ()


def _told(args: argparse.Namespace) -> argparse.Namespace:
    of_budget = (
        "capacity", "survive", "spares", "bays", "money", "import_on", "risk", "rebuild_hours", "read", "write",
    )  # fmt: skip
    told = {**dict.fromkeys(of_budget), **vars(args), "title": None, "allow": None}
    texts = {name: f"{value:g}" for name, value in told.items() if isinstance(value, float)}
    pool = told["pool"] or DEFAULT_POOL
    return argparse.Namespace(**{**told, **texts, "pool": pool, "then": told["then"] or []})


# What the options of a command ask of the disks of a machine: one value for every command that plans with them.


def request_of(args: argparse.Namespace, inventory: Inventory, disks: tuple[Disk, ...] | None = None) -> Request:
    return Request(
        disks=disks_offered(inventory) if disks is None else disks,
        workload=workload_of(args),
        budget=budget_of(args, inventory.host),
        version=version_for(args.zfs, inventory),
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


def laid_out(
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
        told = ", ".join(drive_size(size) for size in sizes) or "unknown"
        raise UserError(
            tell("The size of the disks of a {vdev_class} vdev is not clear: {told}", vdev_class=vdev_class, told=told),
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


# Evaluates the designs of commands that take them, as the window does.


def evaluated(design: Design, *, rules: RuleBook | None = None) -> Evaluation:
    """Return everything known of a design; disks that may be used and have no place count as left over."""
    free = [disk.key for disk in design.disks if not disk.refusals()]
    return evaluate(
        design,
        drives=load_drive_book(),
        today=today(),
        rules=load_shipped() if rules is None else rules,
        unassigned_disks=unassigned_of(design, free),
    )
