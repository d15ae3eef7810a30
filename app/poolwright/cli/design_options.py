"""Options that say how a design is to be: names, properties, datasets, steps; and the design of a command."""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from poolwright.cli import design_source
from poolwright.cli.design_source import has_source, read_design
from poolwright.cli.options import by, options, split_pair, unfit
from poolwright.cli.output import assumed
from poolwright.cli.workload_options import WORKLOAD_KEYS, add_workload_options, workload_of
from poolwright.domain.dataset_properties import OWN_SIZE, entered_bytes, entered_value, value_problem
from poolwright.domain.design import Dataset, Design, FurtherPool, Setting
from poolwright.domain.errors import UserError, excluded
from poolwright.domain.growth import parse_growth_step
from poolwright.domain.names import check_dataset_name
from poolwright.domain.pool_settings import entered_pool_value, pool_value_problem
from poolwright.domain.reserve import ReservedPartition, parse_reserve
from poolwright.domain.units import parse_size
from poolwright.domain.version import ZfsVersion
from poolwright.texts import N_, _

if TYPE_CHECKING:
    from poolwright.rules.rulebook import RuleBook

Pool = TypeVar("Pool", Design, FurtherPool)

DEFAULT_POOL = "tank"
_TYPED = N_("typed on the command line")
_VOLUME_BLOCK = "volblocksize"
_A_VOLUME = "vm1=200GiB, vm1=200GiB,16K"  # for machines
_LISTS = ("pool_properties", "root_properties", "then", "datasets", "slack", "reserve", "volume_texts")


def add_pool_options(group: argparse._ActionsContainer) -> None:
    options(
        group,
        "--pool:design --mountpoint -o|--pool-property -O|--root-property --dataset --volume --slack "
        "--reserve:design --then:design",
        pool={"pool": DEFAULT_POOL},
    )


def with_options(design: Design, args: argparse.Namespace, book: "RuleBook | None" = None) -> Design:
    """Return the design with the options: properties for every pool, mount point, datasets, steps for the main one."""
    if args.title is None and args.mountpoint is None and not any(getattr(args, name) for name in _LISTS):
        return design
    of_pool = [_setting(text, "-o", design.version) for text in args.pool_properties]
    of_root = [_setting(text, "-O", design.version) for text in args.root_properties]
    for setting in of_pool:
        if setting.name == "ashift":
            raise excluded("-o", setting.name, todo=_("Write {example}.", example="--ashift=N"))
        if (problem := pool_value_problem(setting.name, setting.value, design.version)) is not None:
            raise UserError(problem, where="-o", todo=_("See man {page}.", page="zpoolprops"))
    for setting in of_root:
        _check(setting, design, "-O", volume=False)
        if setting.name == "mountpoint":
            raise excluded("-O", setting.name, todo=_("Write {example}.", example="--mountpoint=PATH"))

    def with_settings(pool: Pool) -> Pool:
        settings, datasets = _merge(pool.pool_settings, of_pool), _with_root(pool.datasets, of_root)
        return replace(pool, pool_settings=settings, datasets=datasets)

    changed = replace(
        with_settings(design),
        further_pools=tuple(map(with_settings, design.further_pools)),
        growth=(*design.growth, *(parse_growth_step(text) for text in args.then)),
        name=design.name if args.title is None else args.title,
    )
    if args.mountpoint is not None:
        mountpoint = Setting(name="mountpoint", value=args.mountpoint, reason=_(_TYPED))
        _check(mountpoint, design, "--mountpoint", volume=False)
        changed = replace(changed, datasets=_with_root(changed.datasets, [mountpoint]))
    for words in args.datasets:
        changed = _with_dataset(changed, words)
    changed = _with_partitions(changed, args)
    for text in args.volume_texts:
        changed = _with_volume(changed, text, book)
    if of_pool or of_root or args.datasets or args.volume_texts or args.mountpoint is not None:
        _check_together(changed)
    return changed


def _with_partitions(design: Design, args: argparse.Namespace) -> Design:
    if args.slack:
        from poolwright.design.edits.reserve import with_slack

        design = with_slack(design, on=True)
    if args.reserve:
        from poolwright.design.edits.reserve import reserve_of, with_reserve

        asked = [reserve_of(parse_reserve(text), design) for text in args.reserve]
        more = [partition for partition in asked if partition not in design.reserve]  # the ranking made the others
        design = with_reserve(design, (*design.reserve, *more))
    return design


def reserved_on_all(texts: Sequence[str]) -> tuple[tuple[ReservedPartition, ...], list[str]]:
    """Return what ``--reserve`` asks for on every data disk, and the texts that mean some disks only: which those are
    is not known before there is a layout.
    """
    asked = {text: parse_reserve(text) for text in texts}
    others = [text for text in texts if asked[text].count is not None or asked[text].names]
    return tuple(asked[text].partition for text in texts if text not in others), others


def sizes_understood(args: argparse.Namespace, version: ZfsVersion) -> Iterator[tuple[str, int]]:
    for option, texts in (("-O", args.root_properties), *(("--dataset", words[1:]) for words in args.datasets)):
        for text in texts:
            name, __, value = text.partition("=")
            if (size := entered_bytes(name.strip(), value, version)) is not None:
                yield f"{option} {text}", size


def _setting(text: str, option: str, version: ZfsVersion) -> Setting:
    name, value = split_pair(text, option, "comment=backup" if option == "-o" else "compression=lz4")
    try:
        value = entered_pool_value(name, value) if option == "-o" else entered_value(name, value, version)
    except UserError as error:
        raise UserError(error.what, where=f"{option} {name}", todo=error.todo) from None
    return Setting(name=name, value=value, reason=_(_TYPED))


def _check_together(design: Design) -> None:
    """Refuse what each value alone does not show: encryption without a key, a property said twice."""
    from poolwright.domain.setting_problems import setting_problems

    problems = tuple(problem for pool in design.pools() for problem in setting_problems(pool))
    if problems:
        raise UserError(
            _("OpenZFS would refuse these properties: {problems}", problems="; ".join(dict.fromkeys(problems))),
            todo=_("Change -o, -O, --mountpoint, --dataset or --volume."),
        )


def _check(setting: Setting, design: Design, option: str, *, volume: bool) -> None:
    problem = value_problem(setting.name, setting.value, design.version, volume=volume)
    if problem is not None:
        raise UserError(problem, where=option, todo=_("See man {page}.", page="zfsprops"))


def _merge(settings: tuple[Setting, ...], given: list[Setting]) -> tuple[Setting, ...]:
    names = {setting.name for setting in given}
    return (*(s for s in settings if s.name not in names), *given)


def _with_root(datasets: tuple[Dataset, ...], given: list[Setting]) -> tuple[Dataset, ...]:
    if not given:
        return datasets
    from poolwright.domain.dataset_edits import set_properties

    return set_properties(datasets, "", given)


def _with_dataset(design: Design, words: list[str]) -> Design:
    """Return the design with one dataset more, or with its properties where the rules propose it already."""
    from poolwright.domain.dataset_edits import add, find, set_properties

    name, *texts = words
    name = name.removeprefix(f"{design.pool_name}/")
    check_dataset_name(design.pool_name, name)
    settings = [_setting(text, "--dataset", design.version) for text in texts]
    size = next((s.value for s in settings if s.name == OWN_SIZE), None)
    settings = [s for s in settings if s.name != OWN_SIZE]
    for setting in settings:
        _check(setting, design, f"--dataset {name}", volume=size is not None)
    known = find(design.datasets, name)
    if known is not None and known.volume_bytes is None and size is not None:
        raise UserError(
            _("{name} is a filesystem already", name=name), where="--dataset", todo=_("Choose another name.")
        )
    if known is None:
        volume = None if size is None else by(parse_size)(f"--dataset {name}", size)
        datasets = add(design.datasets, Dataset(name=name, settings=tuple(settings), volume_bytes=volume))
        return replace(design, datasets=datasets)
    return replace(design, datasets=set_properties(design.datasets, name, settings))


def _with_volume(design: Design, text: str, book: "RuleBook | None") -> Design:
    from poolwright.domain.dataset_edits import add, find

    name, rest = split_pair(text.strip().removesuffix(","), "--volume", _A_VOLUME)
    size_text, __, block_text = (part.strip() for part in rest.partition(","))
    if not size_text or text.strip().endswith(","):
        raise unfit(text, "--volume", _("Write {example}.", example=_A_VOLUME))
    name = name.removeprefix(f"{design.pool_name}/")
    check_dataset_name(design.pool_name, name)
    if find(design.datasets, name) is not None:
        raise UserError(_("{name} is there already", name=name), where="--volume", todo=_("Choose another name."))
    size = by(parse_size)(f"--volume {name}", size_text)
    volume = Dataset(name=name, volume_bytes=size)
    settings: tuple[Setting, ...] = ()
    if book is not None:
        from poolwright.rules.propose import proposals_for

        settings = proposals_for(book, design, volume)
    if block_text:
        block = Setting(name=_VOLUME_BLOCK, value=block_text.upper().removesuffix("IB"), reason=_(_TYPED))
        _check(block, design, f"--volume {name}", volume=True)
        settings = _merge(settings, [block])
    datasets = add(design.datasets, replace(volume, settings=settings))
    made = find(datasets, name)
    if made is not None and made.volume_bytes is not None and made.volume_bytes != size:
        assumed.append(
            _(
                "understood: --volume {name}: {size:,} bytes, in whole blocks as zfs create -V does",
                name=name,
                size=made.volume_bytes,
            )
        )
    return replace(design, datasets=datasets)


# The design that a command is asked about: a file, a layout named on the command line, or a pool that exists.

# A layout is written as `recommend` takes it, ``--layout raidz2:8x6TB special/mirror:2x960GB``. It is placed on the
# disks that --from, --example or --disks name, else on such as it names itself. What it is for and what is set on it
# are said by the options of `recommend`; a design from a file carries all that, so that they are refused beside one. A
# machine alone, ``--from X --pool NAME``, means its pool, of which only the use can be told.
_GROUP = "asked_layout"
_TODO = N_("Name a design file, a layout (--layout raidz2:8x6TB), or a machine and its pool (--from X --pool NAME).")


def add_design_arguments(parser: argparse.ArgumentParser, *, several: bool = False) -> None:
    """Add DESIGN and ``--layout`` before the command's own options, which hold where a name is the same."""
    options(parser, "designs --layout:several" if several else "design --layout")
    design_source.add_source_options(parser, required=False)
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
    given = {**dict.fromkeys(of_budget), **vars(args), "title": None, "allow": None}
    return argparse.Namespace(**{**given, "then": given["then"] or []})


def _of_machine(args: argparse.Namespace) -> Design:
    of_use = {key.replace("-", "_") for key in WORKLOAD_KEYS}
    _refuse_options_of_layouts(args, but=(*of_use, "pool", "from_paths", "host", "example", "disks"))
    used = any(getattr(args, key, None) is not None for key in of_use)
    return design_source.design_of_machine(
        design_source.read_source(args), args.pool, workload_of(_as_recommend(args)) if used else None
    )


def _refuse_options_of_layouts(args: argparse.Namespace, *, but: Sequence[str] = ()) -> None:
    """Refuse what says something of a layout where there is none: the file of a design says it already."""
    sources = {"--from": "from_paths", "--host": "host", "--example": "example", "--disks": "disks"}
    given = [option for option, name in sources.items() if name not in but and getattr(args, name) is not None]
    # Options of the same name that are the command's own have left the group.
    actions = [a for a in getattr(args, _GROUP)._group_actions if a.dest not in but]
    given += [a.option_strings[-1] for a in actions if getattr(args, a.dest, a.default) != a.default]
    if given:
        raise UserError(_("{given} goes with --layout", given=given[0]), todo=_("A design file says that itself."))
