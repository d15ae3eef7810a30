"""How `zpool get` and `zfs get` may print back a value that was set: exact numbers and canonical words."""

import re

_SIZE = re.compile(r"([0-9]+)([KMGTPE])(?:i?B)?\Z", re.IGNORECASE)
_POWER = {"K": 10, "M": 20, "G": 30, "T": 40, "P": 50, "E": 60}
# (property, value set) -> what the tools print for it, besides the value itself. From the index tables of zfs_prop.c.
_ALIASES: dict[tuple[str, str], tuple[str, ...]] = {
    ("compression", "gzip"): ("gzip-6",),
    ("compression", "gzip-6"): ("gzip",),
    ("compression", "zstd"): ("zstd-3",),
    ("compression", "zstd-3"): ("zstd",),
    ("compression", "zstd-fast"): ("zstd-fast-1",),
    ("compression", "zstd-fast-1"): ("zstd-fast",),
    ("acltype", "posixacl"): ("posix",),
    ("acltype", "noacl"): ("off",),
    ("acltype", "disabled"): ("off",),
    ("xattr", "on"): ("sa", "dir"),
    ("xattr", "dir"): ("on",),
    ("xattr", "sa"): ("on",),
    ("encryption", "on"): ("aes-256-gcm", "aes-256-ccm"),
    ("dedup", "sha256"): ("on",),
    ("cachefile", ""): ("-",),
    ("cachefile", "/etc/zfs/zpool.cache"): ("-",),
    ("comment", ""): ("-",),
}
# Where “none” is a size, -p prints 0.
_NONE_IS_ZERO = frozenset(
    ["quota", "refquota", "reservation", "refreservation", "filesystem_limit", "snapshot_limit", "dedup_table_quota"]
)


def spellings(name: str, value: str) -> tuple[str, ...]:
    """Return ``value`` and every other form in which the tools may print it back for the property ``name``."""
    found = [value]
    match = _SIZE.match(value)
    if match is not None:
        found.append(str(int(match.group(1)) << _POWER[match.group(2).upper()]))
    if value == "none" and name in _NONE_IS_ZERO:
        found.append("0")
    if name.startswith("feature@") and value == "enabled":
        found.append("active")  # enabled, and something uses it
    found.extend(_ALIASES.get((name, value), ()))
    return tuple(dict.fromkeys(found))


def exact(value: str) -> str:
    """Return a size in bytes (``16K`` as 16384), any other value as it is."""
    match = _SIZE.match(value)
    return value if match is None else str(int(match.group(1)) << _POWER[match.group(2).upper()])
