"""The properties of filesystems and volumes by version, as `rules/data/dataset_properties.toml` has them."""

import re
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import StrEnum
from functools import lru_cache

from poolwright.domain.shown import shown_text
from poolwright.domain.units import KIB, MIB, parse_block_size, parse_size
from poolwright.domain.version import ZfsVersion
from poolwright.shipped import shipped
from poolwright.texts import N_, _, first_of

V22, V23, V24 = ZfsVersion(2, 2, 0), ZfsVersion(2, 3, 0), ZfsVersion(2, 4, 0)
OWN_SIZE = "volsize"  # a volume's size is a field of the dataset and not one of its settings


class ValueKind(StrEnum):
    """What a value looks like: one of a few words, a block size, an amount of space, a number, or any text."""

    WORDS = "words"
    BLOCK = "block"
    SPACE = "space"
    NUMBER = "number"
    TEXT = "text"


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetProperty:
    """A property that can be set on a dataset.

    ``inherits`` says that children take it over, ``fixed`` that it can only be given when the dataset is made.
    ``default`` is the value of a filesystem where nobody set any. ``words`` are the values there are (kind words).
    """

    name: str
    kind: ValueKind
    default: str
    words: tuple[str, ...]
    filesystems: bool
    volumes: bool
    inherits: bool
    fixed: bool
    volume_default: str | None

    def applies(self, *, volume: bool) -> bool:
        return self.volumes if volume else self.filesystems

    def default_of(self, *, volume: bool) -> str:
        return self.volume_default if volume and self.volume_default is not None else self.default


@lru_cache(maxsize=16)
def dataset_properties(version: ZfsVersion) -> dict[str, DatasetProperty]:
    """Return the properties that can be set in this version by name, the ones people look at first at the front.

    None of them is a user's own (``com.example:owner``).
    """
    found: dict[str, DatasetProperty] = {}
    for entry in shipped("dataset_properties")["property"]:
        if not came_by(entry.get("since"), version):
            continue
        volumes, defaults = entry.get("volumes", False), words_of(entry["default"], version)
        alike = DatasetProperty(
            name="",
            kind=ValueKind(entry.get("kind", ValueKind.WORDS)),
            default=defaults[-1] if defaults else "",
            words=words_of(entry.get("words", ""), version),
            filesystems=entry.get("filesystems", True),
            volumes=came_by(volumes, version) if isinstance(volumes, str) else volumes,
            inherits=entry.get("inherits", True),
            fixed=entry.get("fixed", False),
            volume_default=entry.get("volume_default"),
        )
        found |= {name: replace(alike, name=name) for name in entry["name"].split()}
    return found


def words_of(text: str, version: ZfsVersion) -> tuple[str, ...]:
    """Return the words of a list that this version knows: “2.2:blake3” came with 2.2."""
    parts = (word.rpartition(":") for word in text.split())
    return tuple(word for since, __, word in parts if came_by(since, version))


def came_by(since: str | None, version: ZfsVersion) -> bool:
    """Tell whether what came with the first release of a series, or was always there, is in this version."""
    return not since or version >= ZfsVersion.parse(f"{since}.0")


def is_user_property(name: str) -> bool:
    """Tell whether ``name`` is one of the user's own, which ZFS keeps, hands down and gives no meaning."""
    return ":" in name


# Values of dataset properties: which ones OpenZFS takes, and which mean the same.

LARGEST_BLOCK_BYTES = 1 << 24
_LARGEST_BLOCK_BEFORE_22 = MIB
_LEAST_BLOCK = 512
LEAST_ITERATIONS = 100_000
_LARGEST_COUNT = 1 << 31
_LONGEST_TEXT = 8191
_LONGEST_PATH = 1023
_NFS_CHARACTERS = re.compile(r"[A-Za-z0-9_=@,.:/*?\[\] -]+\Z")
# OpenZFS also takes names that begin with a dash, a dot or a colon; other tools stumble over them.
_USER_NAME = re.compile(r"[a-z0-9][a-z0-9_.:-]*\Z")
_LONGEST_NAME = 255
# A number as zfs_nicestrtonum reads it: every letter counts in 1024s, also with B behind it, and no blank anywhere.
_SPACE = re.compile(r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+)([KMGTPEZ]?)(?:(?<=[KMGTPEZ])iB|B|)\Z", re.IGNORECASE)
_PREFIXES = "KMGTPEZ"
_MOST_DIGITS = 30
_LARGEST_SPACE = 1 << 64
# Less than a dataset takes for itself: zfs create fails, and what was meant had a unit.
_LEAST_QUOTA = MIB


def meaning(name: str, value: str, version: ZfsVersion) -> str:
    """Return what a value stands for, so that two spellings of the same compare as equal.

    ``compression=on`` is lz4, ``128K`` is 131072, ``none`` is no limit.
    """
    if name == "xattr" and value == "on":
        return "sa" if version >= V23 else "dir"
    known = dataset_properties(version).get(name)
    if known is not None and known.kind in (ValueKind.BLOCK, ValueKind.SPACE):
        size = space_bytes(value)
        return value if size is None else str(size) if size or known.kind is ValueKind.BLOCK else "none"
    same: dict[str, str] = shipped("dataset_properties")["same"].get(name, {})
    return same.get(value, value)


def space_bytes(text: str) -> int | None:
    """Return the bytes of a number as the ZFS tools read it, None where they refuse it.

    ``1GB``, ``1GiB`` and ``1G`` are all 2^30 bytes there; a comma, a blank and a sign are refused.
    """
    match = _SPACE.match(text)
    if match is None or len(match.group(1)) > _MOST_DIGITS:
        return None
    shift = 10 * (_PREFIXES.index(match.group(2).upper()) + 1) if match.group(2) else 0
    size = int(Decimal(match.group(1)) * (1 << shift))
    return size if size < _LARGEST_SPACE else None


def entered_value(name: str, text: str, version: ZfsVersion) -> str:
    """Return a value that a person typed as OpenZFS is to be given it.

    What OpenZFS would read otherwise than the rest of the program, ``100GB``, becomes plain bytes. Raises UserError for
    a size without its unit: ``quota=100`` would be 100 bytes.
    """
    known = dataset_properties(version).get(name)
    value = text.strip()
    if known is None or known.kind not in (ValueKind.BLOCK, ValueKind.SPACE) or not value[:1].isdigit():
        return value
    if value in ("0", "0B"):
        return value
    size = parse_block_size(value) if known.kind is ValueKind.BLOCK else parse_size(value)
    return value if space_bytes(value) == size else str(size)


def entered_bytes(name: str, text: str, version: ZfsVersion) -> int | None:
    """Return the bytes of a size that a person typed for a property; None where it is none.

    Raises as `entered_value`.
    """
    known = dataset_properties(version).get(name)
    if known is None or known.kind not in (ValueKind.BLOCK, ValueKind.SPACE) or not text.strip()[:1].isdigit():
        return None
    return space_bytes(entered_value(name, text, version))


def value_problem(name: str, value: str, version: ZfsVersion, *, volume: bool) -> str | None:
    """Return why OpenZFS of this version would not take ``name=value`` on a new dataset; None where it does.

    What depends on the pool, such as a special vdev, is not looked at.
    """
    if name == OWN_SIZE:
        return _("The size of a volume is entered as its size, not as a property")
    if is_user_property(name):
        return user_property_problem(name, value)
    if name in shipped("dataset_properties")["selinux"].split():
        return _long_or_odd(name, value)
    known = dataset_properties(version).get(name)
    if known is None:
        return _("OpenZFS {version} has no property “{name}” that can be set", version=version, name=shown_text(name))
    if not known.applies(volume=volume):
        kind = N_("A volume has no property {name}") if volume else N_("A filesystem has no property {name}")
        return _(kind, name=name)
    if known.kind is ValueKind.WORDS:
        if value in known.words:
            return None
        words = first_of(known.words, 8 if len(known.words) > 12 else 12)
        return _("{name} cannot be “{value}”; it takes {words}", name=name, value=shown_text(value), words=words)
    if known.kind is ValueKind.BLOCK:
        return _block_problem(name, value, version)
    if known.kind is ValueKind.SPACE:
        return _space_problem(name, value, volume=volume)
    return _number_problem(known, value) if known.kind is ValueKind.NUMBER else _text_problem(name, value)


def user_property_problem(name: str, value: str) -> str | None:
    if not _USER_NAME.match(name) or len(name) > _LONGEST_NAME:
        return _(
            "“{name}” is no name of a user property: small letters, digits and - _ . with a colon",
            name=shown_text(name),
        )
    return _long_or_odd(name, value)


def _space_problem(name: str, value: str, *, volume: bool) -> str | None:
    if value == "auto" and volume:
        return _("A new volume reserves its size by itself; leave refreservation unset for that")
    size = space_bytes(value)
    if value != "none" and size is None:
        return _("“{value}” is no amount of space; write none, 100G or 2T", value=shown_text(value))
    if name.endswith("quota") and value != "none" and (size or 0) < _LEAST_QUOTA:
        instead = "none" if size == 0 else _("a unit: {value}G", value=value) if value.isdigit() else _("at least 1M")
        return _(
            "{name}={value} leaves no room for the dataset itself; write {told}", name=name, value=value, told=instead
        )
    return None


def _number_problem(known: DatasetProperty, value: str) -> str | None:
    if known.name == "pbkdf2iters":
        count = space_bytes(value)
        good = count is not None and LEAST_ITERATIONS <= count < _LARGEST_COUNT
        return None if good else _("pbkdf2iters is a whole number from {least}", least=LEAST_ITERATIONS)
    good = space_bytes(value) is not None or (value == "none" and known.default == "none")
    if good:
        return None
    if known.default == "none":
        return _("{name} takes a whole number or none", name=known.name)
    return _("{name} takes a whole number", name=known.name)


def _block_problem(name: str, value: str, version: ZfsVersion) -> str | None:
    if name == "special_small_blocks" and value == "none":
        return None
    size = space_bytes(value)
    if size is None:
        return _("“{value}” is not a size; write 16K, 128K or 1M", value=shown_text(value))
    largest = LARGEST_BLOCK_BYTES if version >= V22 else _LARGEST_BLOCK_BEFORE_22
    if name == "special_small_blocks" and (size == 0 or version >= V24):
        return None if size <= LARGEST_BLOCK_BYTES else _("{name} is at most 16M", name=name)
    if size.bit_count() != 1 or not _LEAST_BLOCK <= size <= largest:
        shown = f"{largest // MIB}M" if largest >= MIB else f"{largest // KIB}K"
        return _("{name} is a power of two from 512 to {shown}, not {value}", name=name, shown=shown, value=value)
    return None


def _text_problem(name: str, value: str) -> str | None:
    if not value:
        return _("{name} needs a value", name=name)
    if name == "mountpoint":
        return _mountpoint_problem(value) or _long_or_odd(name, value)
    if name == "sharenfs" and value not in ("on", "off"):
        known = shipped("dataset_properties")["nfs"].split()
        if not (_NFS_CHARACTERS.match(value) and all(o.partition("=")[0] in known for o in value.split(","))):
            return _(
                "sharenfs is on, off or options of exports(5) with commas between them, such as rw=@10.0.0.0/8,crossmnt"
            )
    if name == "sharesmb" and value not in ("on", "off"):
        return _("sharesmb is on or off; options of Samba stand in smb.conf")
    if name == "keylocation" and not (
        value in ("none", "prompt") or re.match(r"file:///[^/]|https?://[^/]", value) is not None
    ):
        return _("A key lies at prompt, file:///…, https://… or http://…")
    return _long_or_odd(name, value)


def _mountpoint_problem(value: str) -> str | None:
    if value in ("none", "legacy"):
        return None
    if not value.startswith("/"):
        return _("A mount point begins with /, or is none or legacy")
    parts = value.split("/")[1:]
    if any(part in (".", "..") for part in parts):
        return _("“{value}”: write the mount point without . and ..", value=shown_text(value))
    if any(len(part.encode(errors="replace")) > _LONGEST_NAME for part in parts) or len(value) > _LONGEST_PATH:
        return _("A mount point has at most 255 bytes between two slashes and 1023 in all")
    return None


def _long_or_odd(name: str, value: str) -> str | None:
    """Return why a text cannot be a value that a script writes, reads back and compares."""
    if any(ord(c) < 0x20 or ord(c) == 0x7F or 0xD800 <= ord(c) <= 0xDFFF for c in value):
        return _("The value of {name} holds a control character", name=name)
    if len(value.encode()) > _LONGEST_TEXT:
        return _("{name} has at most {most} bytes", name=name, most=_LONGEST_TEXT)
    return None
