"""Names of pools, datasets, volumes and snapshots: which ones OpenZFS takes, and which we refuse although it does.

The character rules are those of ``module/zcommon/zfs_namecheck.c`` and of ``zpool_name_valid`` in ``libzfs_pool.c``.
"""

import re
from collections.abc import Sequence

from poolwright.domain.design import Design
from poolwright.domain.errors import UserError
from poolwright.domain.shown import shown_text
from poolwright.domain.version import DRAID_SINCE, ZfsVersion
from poolwright.texts import _

LONGEST_POOL_NAME = 239
LONGEST_NAME = 255
DEEPEST_DATASET = 49


def exists_already(pool: str) -> str:
    return _("The pool {name} exists already: a script that creates it would refuse its disks", name=shown_text(pool))


_POOL_CHARACTERS = re.compile(r"[A-Za-z0-9_.:-]*\Z")
# Pools that exist have them; at an end nobody would see a blank.
_DATASET_PART = re.compile(r"[A-Za-z0-9_.:-](?:[A-Za-z0-9_.: -]*[A-Za-z0-9_.:-])?\Z")
_SOLARIS_DISK = re.compile(r"c[0-9]")
_RESERVED_STARTS = ("mirror", "raidz", "spare")
# With the default mount point a pool of this name would try to cover a directory the system lives in.
_SYSTEM_FOLDERS = frozenset(
    ["bin", "boot", "dev", "etc", "lib", "lib32", "lib64", "proc", "root", "run", "sbin", "sys", "tmp", "usr", "var"]
)


def pool_name_problem(name: str, version: ZfsVersion) -> str | None:
    """Return why a pool cannot or should not have this name, or None when it is good.

    Stricter than OpenZFS where a legal name invites an accident: spaces, ``c0…``, names of system folders.
    """
    shown = shown_text(name)
    if not name:
        return _("A pool needs a name")
    if len(name) > LONGEST_POOL_NAME:
        return _(
            "A pool name has at most {most} characters, this one has {count}", most=LONGEST_POOL_NAME, count=len(name)
        )
    if not name[0].isascii() or not name[0].isalpha():
        return _("“{shown}”: a pool name starts with a letter from a to z", shown=shown)
    if not _POOL_CHARACTERS.match(name):
        return _("“{shown}”: a pool name consists of letters a to z, digits and - _ . :", shown=shown)
    draid = ("draid",) if version >= DRAID_SINCE else ()
    for word in (*_RESERVED_STARTS, *draid):
        if name.startswith(word):
            return _("“{shown}”: OpenZFS keeps names that start with “{word}” for vdevs", shown=shown, word=word)
    if name == "log":
        return _("“log” is a word of zpool create")
    if _SOLARIS_DISK.match(name):
        return _("“{shown}” reads like a disk name (c0t0d0), and some ZFS tools refuse it", shown=shown)
    if name in _SYSTEM_FOLDERS:
        return _("“{shown}” would be mounted over the system folder /{name}", shown=shown, name=name)
    return None


def check_pool_name(name: str, version: ZfsVersion) -> None:
    problem = pool_name_problem(name, version)
    if problem is not None:
        raise UserError(problem, where=_("pool name"), todo=_("Choose a name such as tank or pool1."))


def dataset_name_problem(pool: str, name: str) -> str | None:
    shown = shown_text(name)
    full = f"{pool}/{name}"
    if not name:
        return _("A dataset needs a name")
    if len(full) > LONGEST_NAME:
        return _(
            "“{shown}”: with its pool a dataset name has at most {most} characters", shown=shown, most=LONGEST_NAME
        )
    parts = name.split("/")
    if len(parts) > DEEPEST_DATASET:
        return _("“{shown}”: datasets nest at most {most} deep", shown=shown, most=DEEPEST_DATASET)
    for part in parts:
        if part in ("", ".", ".."):
            return _("“{shown}”: empty parts and the parts . and .. are not allowed", shown=shown)
        if not _DATASET_PART.match(part):
            return _(
                "“{shown}”: a dataset name consists of letters a to z, digits, inner blanks and - _ . : with / between "
                "the parts",
                shown=shown,
            )
        if part.startswith("-"):
            return _("“{shown}”: a part that starts with a dash is read as an option by other tools", shown=shown)
    return None


def check_dataset_name(pool: str, name: str) -> None:
    problem = dataset_name_problem(pool, name)
    if problem is not None:
        raise UserError(problem, where=_("dataset name"), todo=_("Choose a name such as home or vm/disk1."))


def name_problems(design: Design) -> tuple[str, ...]:
    found: list[str | None] = []
    for pool in design.pools():
        found.append(pool_name_problem(pool.pool_name, design.version))
        found += (dataset_name_problem(pool.pool_name, dataset.name) for dataset in pool.datasets if dataset.name)
    return tuple(dict.fromkeys([*filter(None, found), *called_twice(design.pools())]))


def called_twice(pools: Sequence[Design]) -> list[str]:
    names = [pool.pool_name for pool in pools]
    twice = sorted({name for name in names if names.count(name) > 1})
    return [_("Two pools are called {name}", name=shown_text(name)) for name in twice]


def check_names(design: Design, *, where: str | None = None) -> None:
    """Raise UserError with every reason where a pool or dataset of the design has a name that no command may hold."""
    problems = name_problems(design)
    if problems:
        raise UserError(
            _("Names in the design cannot be used: {problems}", problems="; ".join(problems)),
            where=where,
            todo=_("Open it in the window, where names are changed, or mend them in the file."),
        )
