"""Reads what a command is asked about: a design (a file, standard input, a name, a pool that exists), or disks."""

import argparse
import codecs
import sys
from dataclasses import replace
from errno import EISDIR, ENAMETOOLONG, ENOENT
from pathlib import Path
from typing import Any

from poolwright.cli.options import options
from poolwright.cli.output import assumed
from poolwright.domain.design import Design
from poolwright.domain.errors import UserError, excluded, not_there
from poolwright.domain.host import Controller, Host, Inventory
from poolwright.domain.names import check_names
from poolwright.domain.shown import first_bad_line
from poolwright.domain.units import binary
from poolwright.domain.workload import Workload
from poolwright.texts import _, either, ngettext

# The sums of the rules that judged each design that was read when it was saved, by the key of the design.
saved_under: dict[str, dict[str, int]] = {}


def read_design(name: str) -> Design:
    """Return the design in the file ``name``, ``-`` for standard input; else the one of that name in the library."""
    from poolwright.store.design_file import from_json, rules_in

    where = _("standard input") if name == "-" else name
    try:
        text = read_text(name)
        if not text.lstrip().startswith("{"):
            todo = _("What tools printed is read with --from {path}.", path=name)
            raise UserError(_("This is not a design"), where=where, todo=todo)
        design, rules = from_json(text, where=where), rules_in(text)
    except FileMissing:
        saved = _of_library(name)
        if saved is None:
            raise
        design, rules = saved
    saved_under.update({design.key: rules} if rules else {})
    check_names(design, where=where)
    return design


def _of_library(name: str) -> tuple[Design, dict[str, int] | None] | None:
    """Return a saved design and the sums of the rules of then, None where none is; UserError where several are."""
    from poolwright.paths import library_file
    from poolwright.store.database import Database
    from poolwright.store.library import Designs

    file = library_file()
    if not file.is_file():
        return None
    with Database.open(file) as database:
        designs = Designs(database)
        found = [entry.key for entry in designs.list() if name in (entry.name, entry.key)]
        if len(found) > 1:
            raise UserError(
                _("The library has {count} designs of this name", count=len(found)), where=name,
                todo=_("Rename one, or write the key: {keys}.", keys=either(found)),
            )  # fmt: skip
        return (designs.open(found[0]), designs.rules_of(found[0])) if found else None


def design_of_machine(inventory: Inventory, name: str | None, workload: Workload | None = None) -> Design:
    """Return a pool of a machine as a design: that of this name, or the only one. Raises UserError."""
    from poolwright.changes.as_design import design_of_pool, imported_pool

    made = design_of_pool(inventory, imported_pool(inventory, name or only_pool(inventory)), workload=workload)
    assumed.extend(_("understood: {text}", text=text) for text in made.assumed)
    assumed.extend(filter(None, [made.expanded_words]))
    if not made.sizes_known and not made.assumed:
        assumed.append(
            _("understood: the size of a disk is not known, and 1 TiB stands in for it: read zpool list -v -p too")
        )
    return made.design


def pool_of_design(design: Design, name: str | None) -> Design:
    """Return the pool of this name, else the main one, saying which others there are. Raises UserError."""
    pools = {pool.pool_name: pool for pool in design.pools()}
    if name is not None and name not in pools:
        raise not_there(name, pools, where="--pool")
    first, *others = pools
    if name is None and others:
        remark = _("understood: pool {name}; --pool takes another: {others}", name=first, others=", ".join(others))
        assumed.append(remark)
    return pools[name or first]


def design_about(design: Design, name: str | None) -> Design:
    """Return the design by its main pool, or another pool of it without the others' disks."""
    pool = pool_of_design(design, name)
    if pool.pool_name == design.pool_name:
        return design
    others = design.used_keys() - pool.used_keys()
    return replace(pool, disks=tuple(disk for disk in design.disks if disk.key not in others), growth=())


def only_pool(inventory: Inventory) -> str:
    from poolwright.changes.as_design import why_no_pool

    names = [pool.name for pool in inventory.imported()]
    if not names:
        why, todo = why_no_pool(inventory)
        raise UserError(why, todo=todo)
    if len(names) != 1:
        raise UserError(
            _("{machine} has several pools", machine=inventory.name),
            todo=_("Name it: --pool {names}.", names=either(names)),
        )
    return names[0]


# Reads a file that a command is given by name, or standard input for “-”: no larger than it may be, and UTF-8.

LARGEST_FILE_BYTES = 16 << 20
_LOOKED_AT_BYTES = 64 << 10


class FileMissing(UserError):
    """No file has the name that was given."""


def read_raw(name: str, *, most_bytes: int = LARGEST_FILE_BYTES) -> bytes:
    try:
        if name == "-":
            raw = sys.stdin.buffer.read(most_bytes + 1)
        else:
            with Path(name).open("rb") as file:
                raw = file.read(most_bytes + 1)
    except OSError as error:
        raise _unreadable(error, name) from None
    if len(raw) > most_bytes:
        raise UserError(_("The file is larger than {most} MiB", most=most_bytes >> 20), where=name)
    return raw


def _unreadable(error: OSError, name: str) -> UserError:
    usual = {FileNotFoundError: _("there is no such file"), IsADirectoryError: _("this is a folder")}
    why = usual.get(type(error), error.strerror or str(error))
    # A folder may have the name of a pool, and no file a long one: the library may have a design of it.
    failure = FileMissing if error.errno in (ENOENT, EISDIR, ENAMETOOLONG) else UserError
    return failure(_("The file cannot be read: {why}", why=why), where=name, todo=_("Check the path."))


def read_text(name: str, *, todo: str | None = None, most_bytes: int = LARGEST_FILE_BYTES) -> str:
    """Return the text of a file, as `read_raw`; ``todo`` says what to do where it is not UTF-8 text."""
    raw, where = read_raw(name, most_bytes=most_bytes), name
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        text, where = "\0", f"{name}:{first_bad_line(error)}"
    if "\0" in text:
        raise UserError(_("The file is not UTF-8 text"), where=where, todo=todo or _("Name another file."))
    return text


def check_text(name: str, *, todo: str) -> None:
    try:
        with Path(name).open("rb") as file:
            begin = file.read(_LOOKED_AT_BYTES)
    except OSError as error:
        raise _unreadable(error, name) from None
    try:
        # The last character may be cut in two.
        codecs.getincrementaldecoder("utf-8")().decode(begin)
    except UnicodeDecodeError:
        begin = b"\0"
    if b"\0" in begin:
        raise UserError(_("The file is not UTF-8 text"), where=name, todo=todo)


# Where the disks of a command come from: a capture, a host, an example machine, a list typed by hand, this machine.

_SOURCES = ("from_paths", "host", "example", "disks")
_EXAMPLES = "thesis, paper, macblog, wikibook, tunables"  # for machines


def add_source_options(parser: argparse.ArgumentParser, *, required: bool = True) -> None:
    group = parser.add_mutually_exclusive_group(required=required)
    options(group, "--from --host:sources --example --disks", example={"examples": _EXAMPLES})


def has_source(args: argparse.Namespace) -> bool:
    return any(getattr(args, name) is not None for name in _SOURCES)


def named_source(args: argparse.Namespace) -> tuple[str, tuple[Any, ...]] | None:
    """Return the option that names a machine, with its words; None where none does. UserError where two do."""
    found = [(name, words) for name in _SOURCES if (words := getattr(args, name)) is not None]
    if len(found) > 1:
        raise excluded("--from", "--host, --example, --disks")
    return next(((name, (words,) if isinstance(words, str) else tuple(words)) for name, words in found), None)


def source_words(args: argparse.Namespace) -> list[str]:
    """Return the option that names the machine as it is typed, for a command that goes on from here."""
    key, words = named_source(args) or ("", ())
    if key == "host":
        return [part for word in words for part in ("--host", str(word))]
    return [f"--{key.removesuffix('_paths')}", *map(str, words)] if key else []


def read_named(key: str, words: tuple[Any, ...]) -> Inventory:
    if key == "from_paths":
        from poolwright.store.capture_files import open_captures

        return open_captures(words)
    if key == "host":
        from poolwright.cli.over_ssh import read_over_ssh

        return read_over_ssh(words)
    if key == "example":
        return read_example(words[0])
    from poolwright.machine.typed.read import read_typed

    return read_typed(words)


def read_source(args: argparse.Namespace) -> Inventory:
    source = named_source(args)
    if source is None:
        raise UserError(_("No disks were named"), todo=_("Give --from, --host, --example or --disks."))
    found = read_named(*source)
    named = getattr(args, "controller", None)
    if named is None:
        return found
    if not named.strip():
        raise UserError(_("“” is no name of a controller"), where="--controller", todo=_("Write it as its label does."))
    return replace(found, host=replace(found.host, controllers=(*found.host.controllers, Controller(name=named))))


def read_machine_of(args: argparse.Namespace) -> Inventory:
    """Return the inventory the options name, else that of this machine."""
    return read_source(args) if has_source(args) else read_this_machine()


def read_example(name: str) -> Inventory:
    from poolwright.machine.examples import example_file, load_example
    from poolwright.paths import resources_folder, shipped_text

    return load_example(name, shipped_text(resources_folder() / "machines" / example_file(name)))


def read_this_machine() -> Inventory:
    from poolwright.machine.collect import read_machine
    from poolwright.process.blocking import drive

    return drive(read_machine())


def host_words(host: Host) -> str:
    parts = [
        _("{ram} RAM", ram=binary(host.ram_bytes)) if host.ram_bytes is not None else None,
        ngettext("{count} core", "{count} cores", host.cores) if host.cores is not None else None,
        host.os_name,
        f"Linux {host.kernel}" if host.kernel else None,
        f"OpenZFS {host.zfs_version}" if host.zfs_version else None,
        *(c.name for c in host.controllers),
    ]
    return ", ".join(part for part in parts if part)
