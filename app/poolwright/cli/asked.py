"""The design that a command is asked about: a file, a layout named on the command line, or a pool that exists.

A layout is written as `recommend` takes it, ``--layout raidz2:8x6TB special/mirror:2x960GB``. It is placed on the disks
that --from, --example or --disks name, else on such as it names itself. What it is for and what is set on it are said
by the options of `recommend`; a design from a file carries all that, so that they are refused beside one. A machine
alone, ``--from X --pool NAME``, means its pool, of which only the use can be told.
"""

import argparse
from collections.abc import Sequence

from poolwright.cli.design_source import read_design
from poolwright.cli.output import say
from poolwright.cli.sources import version_for
from poolwright.cli.wishes import budget_of, workload_of
from poolwright.design.request import Request
from poolwright.domain.design import Design
from poolwright.domain.disk import Disk, Unfit
from poolwright.domain.errors import UserError
from poolwright.domain.inventory import Inventory
from poolwright.drive_library import load_drive_book
from poolwright.texts import marked, tell

_GROUP = "asked_layout"
_TODO = marked(
    "Name a design file, a layout (--layout raidz2:8x6TB), or a machine and its pool (--from X --pool NAME)."
)


def add_asked_options(parser: argparse.ArgumentParser, *, several: bool = False) -> None:
    """Add DESIGN and ``--layout`` with its options, before the options that are the command's own.

    Where a command has an option of the same name, its own holds. With ``several``, each ``--layout`` is one design.
    """
    from poolwright.capacity.device import LEAST_ASHIFT, MOST_ASHIFT
    from poolwright.cli.design_options import add_pool_options
    from poolwright.cli.numbers import add_currency_option, whole_number
    from poolwright.cli.sources import add_source_options
    from poolwright.cli.wishes import add_workload_options

    # Later options take the place of earlier ones; the parser's own group has copied how conflicts are met.
    parser.conflict_handler = parser._optionals.conflict_handler = "resolve"
    parser.add_argument(
        "designs" if several else "design",
        metavar="DESIGN",
        nargs="*" if several else "?",
        help=tell("designs: files (JSON) or names of the library, the first is the reference")
        if several
        else tell("a design: a file (JSON), a name of the library, or - for standard input"),
    )
    _add_layout_option(parser, several=several)
    add_source_options(parser, required=False)
    group = parser.add_argument_group(tell("with --layout: what it is for, and what is set on it"))
    add_workload_options(group)
    group.add_argument("--ram", metavar="SIZE", help=tell("RAM of the host"))
    group.add_argument(
        "--ups", choices=("yes", "no"), help=tell("whether the host has an uninterruptible power supply")
    )
    group.add_argument("--price", metavar="AMOUNT", help=tell("price of one disk, such as “289.90 EUR”"))
    add_currency_option(group)
    group.add_argument("--zfs", metavar="VERSION", help=tell("OpenZFS version (default: the host's)"))
    group.add_argument(
        "--ashift",
        type=whole_number("--ashift", least=LEAST_ASHIFT, most=MOST_ASHIFT),
        metavar="N",
        help=tell("9 to 16 (default: from the physical sector size)"),
    )
    add_pool_options(group)
    parser.set_defaults(**{_GROUP: group}, pool=None)


def _add_layout_option(parser: argparse.ArgumentParser, *, several: bool) -> None:
    parser.add_argument(
        "--layout",
        metavar="SPEC",
        action="append" if several else "extend",
        nargs="+",
        help=tell(
            "instead of a file: a layout, such as 2*raidz2:6x16TB special/mirror:2x960GB, or “2 x raidz2 of 6” of "
            "disks that are named; each --layout is one design"
        )
        if several
        else tell(
            "instead of a file: a layout, such as 2*raidz2:6x16TB special/mirror:2x960GB, or “2 x raidz2 of 6” of "
            "disks that are named"
        ),
    )


def input_names(args: argparse.Namespace) -> tuple[str, ...]:
    """Return the names of the files that are read, which no output may be written over."""
    designs = getattr(args, "designs", None) or ([args.design] if getattr(args, "design", None) else [])
    return (*designs, *(str(path) for path in args.from_paths or ()))


def read_asked(args: argparse.Namespace) -> Design:
    """Return the one design that is asked about; raises UserError and Refusal as `read_asked_designs`."""
    names = [] if args.design is None else [args.design]
    designs = _read(args, names, [args.layout] if args.layout else [])
    if not designs:
        raise UserError(tell("No design is named"), todo=tell(_TODO))
    if len(designs) > 1:
        raise UserError(tell("DESIGN and --layout name two designs"), todo=tell("Give one of the two."))
    return designs[0]


def read_asked_designs(args: argparse.Namespace) -> tuple[Design, ...]:
    """Return the designs of all files, then those of all layouts, or the pool of a machine.

    Raises UserError where an option stands without its layout, or names what is not known; Refusal where the disks are
    not enough for a layout, or OpenZFS would not make it.
    """
    from poolwright.cli.sources import has_source

    if has_source(args) and args.designs and not args.layout:
        return (*(read_design(name) for name in args.designs), _of_machine(args))
    return _read(args, args.designs, args.layout or [])


def _read(args: argparse.Namespace, names: Sequence[str], layouts: Sequence[Sequence[str]]) -> tuple[Design, ...]:
    from poolwright.cli.sources import has_source

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
    from poolwright.cli.design_source import design_of_machine
    from poolwright.cli.sources import read_source
    from poolwright.cli.wishes import WORKLOAD_KEYS, workload_of

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
            tell("{given} goes with --layout", given=given[0]),
            todo=tell("A design file says that itself: leave it away, or name a layout."),
        )


def _of_layout(words: Sequence[str], args: argparse.Namespace) -> tuple[Design, tuple[str, ...]]:
    """Return the design of a layout, and what was assumed of its disks where they were typed."""
    import uuid

    from poolwright.changes.against.tops import offered_after, seated_like, without_pool
    from poolwright.cli.laid_out import disks_named_by, first_laid_out, layout_at_hand
    from poolwright.cli.live import live_pool
    from poolwright.cli.sources import has_source, read_source
    from poolwright.design.assign import Identity
    from poolwright.domain.names import check_pool_name
    from poolwright.domain.vdev import describe
    from poolwright.rule_library import load_shipped

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
    made = first_laid_out(layout, requests, identity, inventory=inventory, book=load_shipped(), options=told)
    made = seated_like(made, beside) if beside is not None else made
    typed = args.from_paths is None and args.host is None and args.example is None
    return made, tuple(note.text for note in inventory.notes) if typed else ()


def _told(args: argparse.Namespace) -> argparse.Namespace:
    """Return the options as `recommend` has them: numbers that a command reads itself as text, the rest unsaid."""
    of_budget = (
        "capacity",
        "survive",
        "spares",
        "bays",
        "money",
        "import_on",
        "risk",
        "rebuild_hours",
        "read",
        "write",
    )
    from poolwright.cli.design_options import DEFAULT_POOL

    told = {**dict.fromkeys(of_budget), **vars(args), "title": None, "allow": None}
    texts = {name: f"{value:g}" for name, value in told.items() if isinstance(value, float)}
    pool = told["pool"] or DEFAULT_POOL
    return argparse.Namespace(**{**told, **texts, "pool": pool, "then": told["then"] or []})


# What the options of a command ask of the disks of a machine: one value for every command that plans with them.


def request_of(args: argparse.Namespace, inventory: Inventory, disks: tuple[Disk, ...] | None = None) -> Request:
    """Return the request for ``disks``; by default `disks_offered`."""
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
    """Return the disks that nothing uses, those that cannot be taken with the reason, which is told of them.

    Where nothing is free it is all disks, so that the refusal says why.
    """
    free = [disk for disk in inventory.disks if not disk.uses and not (disk.removable and Unfit.NO_SIZE in disk.unfit)]
    return tuple(free) if any(not disk.refusals() for disk in free) else inventory.disks
