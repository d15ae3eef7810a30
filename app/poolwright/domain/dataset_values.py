"""Values of dataset properties: which ones OpenZFS takes, and which mean the same."""

import re

from poolwright.domain.dataset_properties import (
    OWN_SIZE,
    V22,
    V23,
    V24,
    DatasetProperty,
    ValueKind,
    dataset_property,
    is_user_property,
)
from poolwright.domain.errors import UserError
from poolwright.domain.units import KIB, MIB, parse_size
from poolwright.domain.version import ZfsVersion

LARGEST_BLOCK_BYTES = 16 * MIB
_LARGEST_BLOCK_BEFORE_22 = MIB
_LEAST_BLOCK = 512
_LONGEST_TEXT = 8191
_USER_NAME = re.compile(r"[a-z0-9][a-z0-9_.:-]*\Z")
_LONGEST_NAME = 255
# What the tools take for a value, by what they mean.
_SAME = {
    ("compression", "on"): "lz4",
    ("compression", "gzip"): "gzip-6",
    ("compression", "zstd"): "zstd-3",
    ("compression", "zstd-fast"): "zstd-fast-1",
    ("checksum", "on"): "fletcher4",
    ("dedup", "on"): "sha256",
    ("dedup", "verify"): "sha256,verify",
    ("acltype", "posixacl"): "posix",
    ("acltype", "noacl"): "off",
    ("acltype", "disabled"): "off",
    ("aclinherit", "secure"): "restricted",
    ("volmode", "geom"): "full",
    ("encryption", "on"): "aes-256-gcm",
}


def meaning(name: str, value: str, version: ZfsVersion) -> str:
    """Return what a value stands for, so that two spellings of the same compare as equal.

    ``compression=on`` is lz4, ``128K`` is 131072, ``none`` is no limit.
    """
    if name == "xattr" and value == "on":
        return "sa" if version >= V23 else "dir"
    known = dataset_property(name, version)
    if known is not None and known.kind in (ValueKind.BLOCK, ValueKind.SPACE):
        size = block_bytes(value)
        return value if size is None else str(size) if size or known.kind is ValueKind.BLOCK else "none"
    return _SAME.get((name, value), value)


def block_bytes(value: str) -> int | None:
    """Return the bytes of a size as properties have it; 0 for ``0``; None for what is no size."""
    text = value.strip()
    if text in ("0", "0B"):
        return 0
    if text.isascii() and text.isdigit():  # the usual case, and what `zfs get -p` prints
        return int(text)
    try:
        return parse_size(text)
    except UserError:
        return None


def value_problem(name: str, value: str, version: ZfsVersion, *, volume: bool) -> str | None:
    """Return why OpenZFS of this version would not take ``name=value`` on a new dataset; None where it does.

    What depends on the pool, such as a special vdev, is not looked at.
    """
    if name == OWN_SIZE:
        return "The size of a volume is entered as its size, not as a property"
    if is_user_property(name):
        return _user_problem(name, value)
    known = dataset_property(name, version)
    if known is None:
        return f"OpenZFS {version} has no property “{name}” that can be set"
    if not known.applies(volume=volume):
        return f"A {'volume' if volume else 'filesystem'} has no property {name}"
    return _problem(known, value, version, volume=volume)


def _problem(known: DatasetProperty, value: str, version: ZfsVersion, *, volume: bool) -> str | None:
    if known.kind is ValueKind.WORDS:
        if value in known.words:
            return None
        shown = ", ".join(known.words if len(known.words) <= 12 else known.words[:8])
        return f"{known.name} cannot be “{value}”; it takes {shown}{' and more' if len(known.words) > 12 else ''}"
    if known.kind is ValueKind.BLOCK:
        return _block_problem(known.name, value, version)
    if known.kind is ValueKind.SPACE:
        if value == "auto" and volume:
            return "A new volume reserves its size by itself; leave refreservation unset for that"
        size = block_bytes(value)
        # A quota of 0 is refused (“use none”), a reservation of 0 is none.
        good = value == "none" or (size is not None and (size > 0 or known.name.endswith("reservation")))
        return None if good else f"“{value}” is no amount of space; write none, 100G or 2T"
    if known.kind is ValueKind.NUMBER:
        good = (value.isascii() and value.isdigit()) or (value == "none" and known.default == "none")
        return None if good else f"{known.name} takes a whole number{' or none' if known.default == 'none' else ''}"
    return _text_problem(known.name, value)


def _block_problem(name: str, value: str, version: ZfsVersion) -> str | None:
    size = block_bytes(value)
    if size is None:
        return f"“{value}” is not a size; write 16K, 128K or 1M"
    largest = LARGEST_BLOCK_BYTES if version >= V22 else _LARGEST_BLOCK_BEFORE_22
    if name == "special_small_blocks" and (size == 0 or version >= V24):
        return None if size <= LARGEST_BLOCK_BYTES else f"{name} is at most 16M"
    if size & (size - 1) or not _LEAST_BLOCK <= size <= largest:
        shown = f"{largest // MIB}M" if largest >= MIB else f"{largest // KIB}K"
        return f"{name} is a power of two from 512 to {shown}, not {value}"
    return None


def _text_problem(name: str, value: str) -> str | None:
    if name == "mountpoint" and value not in ("none", "legacy") and not value.startswith("/"):
        return "A mount point begins with /, or is none or legacy"
    if name == "keylocation" and not (
        value in ("none", "prompt") or value.startswith(("file:///", "https://", "http://"))
    ):
        return "A key lies at prompt, file:///…, https://… or http://…"
    if not value:
        return f"{name} needs a value"
    return None if len(value) <= _LONGEST_TEXT else f"{name} has at most {_LONGEST_TEXT} characters"


def _user_problem(name: str, value: str) -> str | None:
    if not _USER_NAME.match(name) or len(name) > _LONGEST_NAME:
        return f"“{name}” is no name of a user property: small letters, digits and - _ . with a colon"
    return None if len(value) <= _LONGEST_TEXT else f"{name} has at most {_LONGEST_TEXT} characters"
