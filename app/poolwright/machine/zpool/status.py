"""The imported pools as `zpool status` shows them, text or JSON."""

import re

from poolwright.domain.errors import UserError
from poolwright.domain.pool import Pool
from poolwright.machine.zpool.status_json import begin_of_json, read_json_pools
from poolwright.machine.zpool.status_text import read_pools
from poolwright.texts import marked, tell

_NONE = re.compile(r"^[ \t]*no pools available(?: to import)?[ \t]*$", re.MULTILINE)
_HEALTHY = re.compile(r"^[ \t]*(all pools are healthy|pool '.*' is healthy)[ \t]*$", re.MULTILINE)
_FAILURES = (
    (re.compile(r"cannot open '[^']*': no such pool"), marked("There is no such pool on that machine")),
    (re.compile(r"ZFS modules are not loaded|modprobe zfs"), marked("The ZFS kernel module was not loaded")),
    (re.compile(r"/dev/zfs"), marked("The ZFS kernel module was not loaded")),
    (re.compile(r"[Pp]ermission denied|must be run as root"), marked("zpool was not allowed to read the pools")),
    (re.compile(r"zpool: (?:command )?not found"), marked("zpool was not found on that machine")),
    (
        re.compile(r"^[ \t]*usage:|invalid option|unrecognized", re.MULTILINE),
        marked("zpool did not know an option it was given"),
    ),
)


def read_zpool_status(text: str) -> tuple[Pool, ...]:
    """Return the pools in the output of `zpool status`, with any of -P -v -D -i -s -t -x -j.

    Pure. “no pools available” and “all pools are healthy” give an empty tuple; see `lists_every_pool`. JSON may be
    nested or flat, with numbers as strings or integers, keyed by name or guid. Raises UserError for anything else.
    """
    text = clean(text)
    begin = begin_of_json(text)
    if begin is not None:
        return read_json_pools(text, begin)
    pools = read_pools(text, importable=False)
    if not pools and not _NONE.search(text) and not _HEALTHY.search(text):
        raise not_pools(text, tell("zpool status"))
    return pools


def lists_every_pool(text: str) -> bool:
    """Tell whether the output may be all imported pools: `zpool status -x` says of healthy ones only that they are."""
    return _HEALTHY.search(text) is None


def clean(text: str) -> str:
    """Return ``text`` without byte-order mark, carriage returns and NULs; raises UserError when nothing is left."""
    text = text.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
    if not text.strip():
        raise UserError(tell("The zpool output is empty"), todo=tell("Run: zpool status -P (as root)"))
    return text


def not_pools(text: str, command: str) -> UserError:
    """Return what to tell a person about text in which no pool is described."""
    for pattern, what in _FAILURES:
        match = pattern.search(text)
        if match is not None:
            said = next(line.strip() for line in text.splitlines() if line.strip())[:200]
            return UserError(
                tell(what),
                where=tell("it said: {said}", said=said),
                todo=tell("Run as root: {command}", command=command),
            )
    return UserError(
        tell("This is not the output of {command}: there is no line “pool:”", command=command),
        todo=tell("Run as root: {command}", command=command),
    )


# The pools that are not imported but could be, as `zpool import` without arguments lists them.

_IMPORTABLE_NONE = re.compile(r"^[ \t]*no pools available to import[ \t]*$", re.MULTILINE)


def read_zpool_import(text: str) -> tuple[Pool, ...]:
    """Return the pools listed, each ``importable`` and with its guid; empty for “no pools available to import”.

    The list has no error counts, so these are None. Pure. Raises UserError when the text is something else.
    """
    text = clean(text)
    pools = read_pools(text, importable=True)
    if not pools and not _IMPORTABLE_NONE.search(text):
        raise not_pools(text, tell("zpool import"))
    return pools
