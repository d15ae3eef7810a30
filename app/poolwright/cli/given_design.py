"""The design that a command is asked about: a file, a layout named on the command line, or a pool that exists.

A layout is written as `recommend` takes it, ``--layout raidz2:8x6TB special/mirror:2x960GB``. It is placed on the disks
that --from, --example or --disks name, else on such as it names itself. What it is for and what is set on it are said
by the options of `recommend`; a design from a file carries all that, so that they are refused beside one. A machine
alone, ``--from X --pool NAME``, means its pool, of which only the use can be told.
"""

import argparse
from collections.abc import Sequence
from dataclasses import replace

from poolwright.cli.design_options import add_pool_options
from poolwright.cli.design_source import add_source_options, design_of_machine, has_source, read_design, read_source
from poolwright.cli.options import options
from poolwright.cli.output import assumed
from poolwright.cli.workload_options import WORKLOAD_KEYS, add_workload_options, workload_of
from poolwright.domain.design import Design
from poolwright.domain.errors import UserError, excluded
from poolwright.texts import N_, _

_GROUP = "asked_layout"
_TODO = N_("Name a design file, a layout (--layout raidz2:8x6TB), or a machine and its pool (--from X --pool NAME).")


def add_design_arguments(parser: argparse.ArgumentParser, *, several: bool = False) -> None:
    """Add DESIGN and ``--layout`` before the command's own options, which hold where a name is the same."""
    options(parser, "designs --layout:several" if several else "design --layout")
    add_source_options(parser, required=False)
    group = parser.add_argument_group(_("with --layout: what it is for, and what is set on it"))
    add_workload_options(group)
    options(group, "--ram --ups --price --currency --zfs --ashift")
    add_pool_options(group)
    parser.set_defaults(**{_GROUP: group}, pool=None)


def read_given_design(args: argparse.Namespace) -> Design:
    names = [] if args.design is None else [args.design]
    designs = _read(args, names, [args.layout] if args.layout else [])
    if not designs:
        raise UserError(_("No design is named"), todo=_(_TODO))
    if len(designs) > 1:
        raise excluded("DESIGN", "--layout")
    return designs[0]


def with_retention(design: Design, args: argparse.Namespace) -> Design:
    """Return the design with the snapshots that options say are kept."""
    new = {key: getattr(args, key, None) or getattr(design.budget, key) for key in ("keep", "keep_there", "change")}
    return replace(design, budget=replace(design.budget, **new))


def read_given_designs(args: argparse.Namespace) -> tuple[Design, ...]:
    """Return the designs of all files, then those of all layouts, or the pool of a machine."""
    if has_source(args) and args.designs and not args.layout:
        return (*(read_design(name) for name in args.designs), _of_machine(args))
    return _read(args, args.designs, args.layout or [])


def _read(args: argparse.Namespace, names: Sequence[str], layouts: Sequence[Sequence[str]]) -> tuple[Design, ...]:
    if not layouts and has_source(args) and not names:
        return (_of_machine(args),)
    if not layouts:
        _refuse_options_of_layouts(args)
        return tuple(map(read_design, names))
    from poolwright.cli.own_layout import design_of_layout

    asked = [design_of_layout(words, _as_recommend(args)) for words in layouts]
    # What was assumed of disks that nobody has seen; a design that is read tells it where it is shown.
    for text in dict.fromkeys(note for __, notes in asked for note in notes):
        assumed.append(_("understood: disks: {text}", text=text))
    return (*map(read_design, names), *(design for design, __ in asked))


def _as_recommend(args: argparse.Namespace) -> argparse.Namespace:
    """Return the options as `recommend` has them, of which the others have some."""
    of_budget = (
        "capacity", "survive", "spares", "bays", "money", "import_on", "risk", "rebuild_hours", "read", "write",
        "keep", "change",
    )  # fmt: skip
    told = {**dict.fromkeys(of_budget), **vars(args), "title": None, "allow": None}
    return argparse.Namespace(**{**told, "then": told["then"] or []})


def _of_machine(args: argparse.Namespace) -> Design:
    of_use = {key.replace("-", "_") for key in WORKLOAD_KEYS}
    _refuse_options_of_layouts(args, but=(*of_use, "pool", "from_paths", "host", "example", "disks"))
    used = any(getattr(args, key, None) is not None for key in of_use)
    return design_of_machine(read_source(args), args.pool, workload_of(_as_recommend(args)) if used else None)


def _refuse_options_of_layouts(args: argparse.Namespace, *, but: Sequence[str] = ()) -> None:
    """Refuse what says something of a layout where there is none: the file of a design says it already."""
    sources = {"--from": "from_paths", "--host": "host", "--example": "example", "--disks": "disks"}
    given = [option for option, name in sources.items() if name not in but and getattr(args, name) is not None]
    # Options of the same name that are the command's own have left the group.
    actions = [a for a in getattr(args, _GROUP)._group_actions if a.dest not in but]
    given += [a.option_strings[-1] for a in actions if getattr(args, a.dest, a.default) != a.default]
    if given:
        raise UserError(_("{given} goes with --layout", given=given[0]), todo=_("A design file says that itself."))
