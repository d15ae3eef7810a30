"""Names: which ones OpenZFS takes, which ones we refuse although it takes them, and how text reaches a shell.

The character rules are those of ``module/zcommon/zfs_namecheck.c`` and of ``zpool_name_valid`` in ``libzfs_pool.c``.
"""

import re
import shlex

from poolwright.domain.disk import Disk
from poolwright.domain.errors import Refusal, UserError
from poolwright.domain.version import OLDEST_MODELLED, ZfsVersion

BY_ID = "/dev/disk/by-id/"
LONGEST_POOL_NAME = 239
LONGEST_NAME = 255
DEEPEST_DATASET = 49

_POOL_CHARACTERS = re.compile(r"[A-Za-z0-9_.:-]*\Z")
_COMPONENT = re.compile(r"[A-Za-z0-9_.:-]+\Z")
_SOLARIS_DISK = re.compile(r"c[0-9]")
_RESERVED_STARTS = ("mirror", "raidz", "spare")
# With the default mount point a pool of this name would try to cover a directory the system lives in.
_SYSTEM_FOLDERS = frozenset(
    ["bin", "boot", "dev", "etc", "lib", "lib32", "lib64", "proc", "root", "run", "sbin", "sys", "tmp", "usr", "var"]
)
_BY_ID_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:+@-]*\Z")
_LONGEST_FILE_NAME = 255
_MAPPED = ("dm-", "md-", "lvm-", "raid-")
_PROPERTY = re.compile(r"[a-z0-9][a-z0-9_.:@-]*\Z")


def pool_name_problem(name: str, version: ZfsVersion) -> str | None:
    """Return why a pool cannot or should not have this name, or None when it is good.

    Stricter than OpenZFS where a legal name invites an accident: spaces, ``c0…``, names of system folders.
    """
    shown = shown_text(name)
    if not name:
        return "A pool needs a name"
    if len(name) > LONGEST_POOL_NAME:
        return f"A pool name has at most {LONGEST_POOL_NAME} characters, this one has {len(name)}"
    if not name[0].isascii() or not name[0].isalpha():
        return f"“{shown}”: a pool name starts with a letter from a to z"
    if not _POOL_CHARACTERS.match(name):
        return f"“{shown}”: a pool name consists of letters a to z, digits and - _ . :"
    draid = ("draid",) if version >= OLDEST_MODELLED else ()
    for word in (*_RESERVED_STARTS, *draid):
        if name.startswith(word):
            return f"“{shown}”: OpenZFS keeps names that start with “{word}” for vdevs"
    if name == "log":
        return "“log” is a word of zpool create"
    if _SOLARIS_DISK.match(name):
        return f"“{shown}” reads like a disk name (c0t0d0), and some ZFS tools refuse it"
    if name in _SYSTEM_FOLDERS:
        return f"“{shown}” would be mounted over the system folder /{name}"
    return None


def check_pool_name(name: str, version: ZfsVersion) -> None:
    """Raise UserError with the reason unless ``name`` is a good pool name."""
    problem = pool_name_problem(name, version)
    if problem is not None:
        raise UserError(problem, where="pool name", todo="Choose a name such as tank or pool1.")


def dataset_name_problem(pool: str, name: str) -> str | None:
    """Return why ``name`` (relative to the pool) cannot or should not name a dataset, or None when it is good."""
    shown = shown_text(name)
    full = f"{pool}/{name}"
    if not name:
        return "A dataset needs a name"
    if len(full) > LONGEST_NAME:
        return f"“{shown}”: with its pool a dataset name has at most {LONGEST_NAME} characters"
    parts = name.split("/")
    if len(parts) > DEEPEST_DATASET:
        return f"“{shown}”: datasets nest at most {DEEPEST_DATASET} deep"
    for part in parts:
        if part in ("", ".", ".."):
            return f"“{shown}”: empty parts and the parts . and .. are not allowed"
        if not _COMPONENT.match(part):
            return f"“{shown}”: a dataset name consists of letters a to z, digits and - _ . : with / between the parts"
        if part.startswith("-"):
            return f"“{shown}”: a part that starts with a dash is read as an option by other tools"
    return None


def check_dataset_name(pool: str, name: str) -> None:
    """Raise UserError with the reason unless ``name`` is a good dataset name below ``pool``."""
    problem = dataset_name_problem(pool, name)
    if problem is not None:
        raise UserError(problem, where="dataset name", todo="Choose a name such as home or vm/disk1.")


def check_setting(name: str, value: str, *, where: str) -> None:
    """Raise UserError unless ``name`` can be a property and ``value`` can be written on a command line."""
    if not _PROPERTY.match(name):
        raise UserError(f"“{shown_text(name)}” is not a property name", where=where)
    if _unwritable(value):
        raise UserError(f"The value of {name} holds a control character", where=where)


def device_problem(disk: Disk) -> str | None:
    """Return why a script cannot name this disk, or None when it has a good name under /dev/disk/by-id."""
    label = shown_text(disk.label)
    if disk.planned:
        return f"{label} is planned: it was typed or bought on paper, so no script can name it"
    name = disk.by_id_name
    if name is None:
        return f"{label} has no usable name under /dev/disk/by-id, and /dev/sdX may be another disk after a restart"
    if not _BY_ID_NAME.match(name) or len(name) > _LONGEST_FILE_NAME:
        return f"{label} has a name under /dev/disk/by-id that is not safe to write"
    if name.startswith(_MAPPED):
        return f"{label} is a mapped device (device mapper, multipath, md, LVM); scripts are written for whole disks"
    return None


def device_path(disk: Disk) -> str:
    """Return the path of the disk under /dev/disk/by-id; raises Refusal with the reason where there is none."""
    problem = device_problem(disk)
    if problem is not None:
        raise Refusal(problem, todo="Read the machine again, or open a capture that holds /dev/disk/by-id.")
    return f"{BY_ID}{disk.by_id_name}"


def quote(text: str) -> str:
    """Return ``text`` as one word of a POSIX shell, whatever it holds; raises UserError for control characters.

    The only way by which text of ours enters a script.
    """
    if _unwritable(text):
        raise UserError(f"“{shown_text(text)}” holds a control character and cannot be written into a script")
    return shlex.quote(text)


def comment(text: str, *, longest: int = 200) -> str:
    """Return ``text`` fit for a comment: one line, no control, direction or line-separating characters."""
    cleaned = shown_text(text)
    return cleaned if len(cleaned) <= longest else cleaned[: longest - 1] + "…"


def shown_text(text: str) -> str:
    """Return ``text`` for people, with every unprintable character replaced by a question mark."""
    return "".join(c if c.isprintable() else "?" for c in text)


def _unwritable(text: str) -> bool:
    return any(ord(c) < 0x20 or ord(c) == 0x7F or 0xD800 <= ord(c) <= 0xDFFF for c in text)
