"""Where the disks of a command come from: a capture, a host, an example machine, a list typed by hand, this machine."""

import argparse
from dataclasses import replace

from poolwright.cli.options import options
from poolwright.domain.errors import UserError
from poolwright.domain.host import Controller
from poolwright.domain.inventory import Inventory
from poolwright.domain.version import DEFAULT_VERSION, ZfsVersion, parse_modelled
from poolwright.texts import tell

_EXAMPLES = "thesis, paper, macblog, wikibook, tunables"  # for machines


def add_source_options(parser: argparse.ArgumentParser, *, required: bool = True) -> None:
    group = parser.add_mutually_exclusive_group(required=required)
    options(group, "--from:sources --host:sources --example --disks", example={"examples": _EXAMPLES})


def capture_names(args: argparse.Namespace) -> tuple[str, ...]:
    return tuple(str(path) for path in args.from_paths or ())


def has_source(args: argparse.Namespace) -> bool:
    return any(told is not None for told in (args.from_paths, args.host, args.example, args.disks))


def read_source(args: argparse.Namespace) -> Inventory:
    found = _inventory(args)
    named = getattr(args, "controller", None)
    if named is None:
        return found
    if not named.strip():
        raise UserError(
            tell("“” is no name of a controller"), where="--controller", todo=tell("Write it as its label does.")
        )
    return replace(found, host=replace(found.host, controllers=(*found.host.controllers, Controller(name=named))))


def read_machine_of(args: argparse.Namespace) -> Inventory:
    """Return the inventory the options name, else that of this machine."""
    return read_source(args) if has_source(args) else read_this_machine()


def _inventory(args: argparse.Namespace) -> Inventory:
    if args.from_paths:
        from poolwright.store.capture_files import open_captures

        return open_captures(args.from_paths)
    if args.host is not None:
        from poolwright.cli.over_ssh import only_host, read_over_ssh

        return read_over_ssh(only_host(args.host))
    if args.example is not None:
        return read_example(args.example)
    if args.disks is not None:
        from poolwright.machine.typed.read import read_typed

        return read_typed(args.disks)
    raise UserError(tell("No disks were named"), todo=tell("Give --from, --host, --example or --disks."))


def read_example(name: str) -> Inventory:
    from poolwright.machine.examples import example_file, load_example
    from poolwright.paths import resources_folder

    file = resources_folder() / "machines" / example_file(name)
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise UserError(
            tell("The example machine “{name}” is missing: {strerror}", name=name, strerror=error.strerror),
            where=str(file),
            todo=tell("Install Poolwright again."),
        ) from None
    return load_example(name, text)


def read_this_machine() -> Inventory:
    from poolwright.machine.collect import read_machine
    from poolwright.process.blocking import drive

    return drive(read_machine())


def host_version(inventory: Inventory) -> ZfsVersion | None:
    try:
        return parse_modelled(inventory.host.zfs_version or "")
    except UserError:
        return None


def version_for(told: str | None, inventory: Inventory) -> ZfsVersion:
    return parse_modelled(told) if told is not None else host_version(inventory) or DEFAULT_VERSION
