"""Options that say how a design is to be: its names, properties, datasets, planned steps, and a layout of one's own."""

import argparse
from dataclasses import replace

from poolwright.domain.dataset_edits import add, find, set_property
from poolwright.domain.dataset_properties import OWN_SIZE
from poolwright.domain.dataset_values import entered_bytes, entered_value, value_problem
from poolwright.domain.design import Dataset, Design, Setting
from poolwright.domain.errors import UserError
from poolwright.domain.growth import parse_growth_step
from poolwright.domain.names import check_dataset_name
from poolwright.domain.pool_properties import entered_pool_value, pool_value_problem
from poolwright.domain.setting_problems import setting_problems
from poolwright.domain.units import parse_size
from poolwright.domain.version import ZfsVersion

_TYPED = "typed on the command line"


def add_design_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the design that is printed in full, and saved where asked."""
    group = parser.add_argument_group("the design that is printed in full and saved")
    group.add_argument("--pool", default="tank", metavar="NAME", help="the pool's name (tank)")
    group.add_argument("--title", metavar="TEXT", help="what the design is called (default: inventory and goal)")
    group.add_argument(
        "--layout",
        metavar="SPEC",
        action="extend",
        nargs="+",
        help="a layout of your own instead of the list's: raidz2:6x16TB raidz2:6x16TB special/mirror:2x960GB "
        "spare/stripe:1x16TB",
    )
    group.add_argument("--mountpoint", metavar="PATH", help="where the pool is mounted; none or legacy")
    group.add_argument(
        "-o", dest="pool_properties", metavar="NAME=VALUE", action="append", default=[],
        help="a property of the pool, as zpool create takes it; repeatable",
    )  # fmt: skip
    group.add_argument(
        "-O", dest="root_properties", metavar="NAME=VALUE", action="append", default=[],
        help="a property of the pool's root dataset, such as compression=zstd; repeatable",
    )  # fmt: skip
    group.add_argument(
        "--dataset",
        dest="datasets",
        metavar="WORD",
        action="append",
        nargs="+",
        default=[],
        help="a dataset and its properties: --dataset home quota=2T; with volsize=SIZE a volume; repeatable",
    )
    group.add_argument(
        "--then", metavar="STEP", action="append", default=[],
        help="a planned step of growth, such as “attach:16TB@1 at 80%%” (see growth); repeatable",
    )  # fmt: skip
    group.add_argument("--save-design", metavar="FILE", help="save it for script, report, compare and the window")


def with_options(design: Design, args: argparse.Namespace) -> Design:
    """Return the design with what the options say; raises UserError for what OpenZFS would refuse.

    Properties hold for every pool of the design, mount point, datasets and steps for the main one.
    """
    of_pool = [_setting(text, "-o", design.version) for text in args.pool_properties]
    of_root = [_setting(text, "-O", design.version) for text in args.root_properties]
    for setting in of_pool:
        _check_pool_property(setting, design)
    for setting in of_root:
        _check(setting, design, "-O", volume=False)
        if setting.name == "mountpoint":
            raise UserError("The mount point has an option of its own", where="-O", todo="Write --mountpoint PATH.")
    changed = replace(
        design,
        pool_settings=_merged(design.pool_settings, of_pool),
        datasets=_with_root(design.datasets, of_root),
        further_pools=tuple(
            replace(
                pool,
                pool_settings=_merged(pool.pool_settings, of_pool),
                datasets=_with_root(pool.datasets, of_root),
            )
            for pool in design.further_pools
        ),
        growth=(*design.growth, *(parse_growth_step(text) for text in args.then)),
        name=design.name if args.title is None else args.title,
    )
    if args.mountpoint is not None:
        mountpoint = Setting(name="mountpoint", value=args.mountpoint, reason=_TYPED)
        _check(mountpoint, design, "--mountpoint", volume=False)
        changed = replace(changed, datasets=set_property(changed.datasets, "", mountpoint))
    for words in args.datasets:
        changed = _with_dataset(changed, words)
    if of_pool or of_root or args.datasets or args.mountpoint is not None:
        _check_together(changed)
    return changed


def sizes_understood(args: argparse.Namespace, version: ZfsVersion) -> tuple[tuple[str, int], ...]:
    """Return each typed property that is a size, as ``-O quota=100GB``, with its bytes."""
    found = []
    for option, texts in (("-O", args.root_properties), *(("--dataset", words[1:]) for words in args.datasets)):
        for text in texts:
            name, _, value = text.partition("=")
            size = entered_bytes(name.strip(), value, version)
            if size is not None:
                found.append((f"{option} {text}", size))
    return tuple(found)


def _setting(text: str, option: str, version: ZfsVersion) -> Setting:
    """Return a typed property, sizes as the rest of the program reads them; raises UserError."""
    name, sign, value = (part.strip() for part in text.partition("="))
    if not sign or not name or not value:
        saves = "; --save-design FILE saves the design" if option == "-o" else ""
        raise UserError(
            f"“{text}” is not a property with its value",
            where=option,
            todo=f"Write NAME=VALUE, such as {'comment=backup' if option == '-o' else 'compression=lz4'}{saves}.",
        )
    try:
        value = entered_pool_value(name, value) if option == "-o" else entered_value(name, value, version)
    except UserError as error:
        raise UserError(error.what, where=f"{option} {name}", todo=error.todo) from None
    return Setting(name=name, value=value, reason=_TYPED)


def _check_pool_property(setting: Setting, design: Design) -> None:
    if setting.name == "ashift":
        raise UserError("ashift has an option of its own", where="-o", todo="Write --ashift N.")
    problem = pool_value_problem(setting.name, setting.value, design.version)
    if problem is not None:
        raise UserError(problem, where="-o", todo="man zpoolprops tells which there are.")


def _check_together(design: Design) -> None:
    """Refuse what each value alone does not show: encryption without a key, a property said twice."""
    problems = tuple(problem for pool in design.pools() for problem in setting_problems(pool))
    if problems:
        raise UserError(
            f"OpenZFS would refuse these properties: {'; '.join(dict.fromkeys(problems))}",
            todo="Change -o, -O, --mountpoint or --dataset.",
        )


def _check(setting: Setting, design: Design, option: str, *, volume: bool) -> None:
    problem = value_problem(setting.name, setting.value, design.version, volume=volume)
    if problem is not None:
        raise UserError(problem, where=option, todo="man zfsprops tells which there are.")


def _merged(settings: tuple[Setting, ...], told: list[Setting]) -> tuple[Setting, ...]:
    names = {setting.name for setting in told}
    return (*(s for s in settings if s.name not in names), *told)


def _with_root(datasets: tuple[Dataset, ...], told: list[Setting]) -> tuple[Dataset, ...]:
    for setting in told:
        datasets = set_property(datasets, "", setting)
    return datasets


def _with_dataset(design: Design, words: list[str]) -> Design:
    """Return the design with one dataset more, or with its properties where the rules propose it already."""
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
        raise UserError(f"{name} is a filesystem already", where="--dataset", todo="Choose another name.")
    if known is None:
        volume = None if size is None else parse_size(size, what="size of the volume")
        datasets = add(design.datasets, Dataset(name=name, settings=tuple(settings), volume_bytes=volume))
        return replace(design, datasets=datasets)
    datasets = design.datasets
    for setting in settings:
        datasets = set_property(datasets, name, setting)
    return replace(design, datasets=datasets)
