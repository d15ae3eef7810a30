"""OpenZFS versions, which of them a statement holds for, and the systems that ship them, by name."""

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from poolwright.domain.errors import UserError, not_there
from poolwright.domain.units import not_understood
from poolwright.shipped import shipped
from poolwright.texts import _

_VERSION = re.compile(r"^(?:zfs-|v)?([0-9]{1,4})\.([0-9]{1,4})(?:\.([0-9]{1,4}))?+(?![0-9A-Za-z])")
# The newest patch release known of each series: what a bare “2.3” stands for.
_NEWEST_PATCH = {(0, 6): 5, (0, 7): 13, (0, 8): 6, (2, 0): 7, (2, 1): 16, (2, 2): 11, (2, 3): 9, (2, 4): 4}


@dataclass(frozen=True, slots=True, order=True)
class ZfsVersion:
    major: int
    minor: int
    patch: int = 0

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}.{self.patch}"

    @classmethod
    def parse(cls, text: str) -> "ZfsVersion":
        """Return the version ``text`` names: ``2.3``, ``2.3.2`` or ``zfs-2.3.2-1~bpo12``.

        A series without a patch number means its newest known release. Raises UserError.
        """
        match = _VERSION.match(text.strip())
        if match is None:
            raise not_understood(
                text, _("Write 2.1, 2.2, 2.3, 2.4 or a full one such as 2.3.2; 0.6 to 2.0 for an old host.")
            )
        major, minor = int(match.group(1)), int(match.group(2))
        patch = int(match.group(3)) if match.group(3) is not None else _NEWEST_PATCH.get((major, minor), 0)
        return cls(major, minor, patch)


DEFAULT_VERSION = ZfsVersion(2, 3, 9)
OLDEST_MODELLED = ZfsVersion(0, 6, 0)
OLDEST_CURRENT = ZfsVersion(2, 1, 0)  # the oldest series whose pools were held byte for byte against real ones
NEWEST_MODELLED = ZfsVersion(2, 4, 99)  # what development after 2.4 calls itself
# Parity by vector instructions, and a pool of many vdevs no slower than two: what measurements on 0.6 say ends here.
VECTOR_PARITY_SINCE = ZfsVersion(0, 7, 0)
ALLOCATION_CLASSES_SINCE = ZfsVersion(0, 8, 0)  # special and dedup vdevs
DRAID_SINCE = ZfsVersion(2, 1, 0)


def parse_modelled(text: str) -> ZfsVersion:
    version = ZfsVersion.parse(text)
    if not OLDEST_MODELLED <= version <= NEWEST_MODELLED:
        raise not_modelled(version)
    return version


def not_modelled(version: ZfsVersion) -> UserError:
    return UserError(_("OpenZFS {version} is not modelled", version=version), todo=_("Poolwright knows 0.6 to 2.4."))


def age_told(version: ZfsVersion) -> str | None:
    """Return in a sentence that ``version`` is one of the old series, None for one that is still current."""
    if version >= OLDEST_CURRENT:
        return None
    return _(
        "OpenZFS {version} is old: its series gets no more fixes. The space is computed with its own rules, "
        "which hold back more of a large pool than {major}.{minor} and newer do.",
        version=version,
        major=OLDEST_CURRENT.major,
        minor=OLDEST_CURRENT.minor,
    )


def versions_between(since: object, until: object) -> str:
    """Return the versions from ``since`` to before ``until``; nothing where a statement holds for all."""
    if since and until:
        return _("OpenZFS {since} to before {until}", since=since, until=until)
    if since:
        return _("OpenZFS {since} and newer", since=since)
    return _("OpenZFS before {until}", until=until) if until else ""


# The systems that a pool can be made for, by name: each yields the OpenZFS that it ships, and what follows from it.

# What people add to a name that tells nothing, and what they say for short.
_FILLING = frozenset(["ve", "lts", "scale", "gnu", "linux", "release", "zfs"])
_SHORT = {"pve": "proxmox"}


@dataclass(frozen=True, slots=True, kw_only=True)
class System:
    """A system, or one of its point releases; one without a key is just an OpenZFS version."""

    version: ZfsVersion
    key: str = ""
    name: str = ""
    kind: str = ""
    install: str = ""
    seen: str = ""
    arc_percent: int | None = None
    arc_most_bytes: int | None = None


@cache
def systems() -> dict[str, System]:
    """Return every system by its key, each before its point releases."""
    found = {}
    for entry in shipped("systems")["system"]:
        found[entry["key"]] = _system(entry)
        for release, own in entry.get("releases", {}).items():
            name = f"{entry['name'].rpartition(' ')[0]} {release}"
            named = {"key": _key(name), "name": name, "seen": ""}
            found[named["key"]] = _system(entry | named | (own if isinstance(own, dict) else {"zfs": own}))
    return found


def _system(entry: dict[str, Any]) -> System:
    fields = {name: value for name, value in entry.items() if name not in ("zfs", "releases", "sources")}
    return System(**fields, version=ZfsVersion.parse(entry["zfs"]))


def _key(name: str) -> str:
    """Return the key of a name; a third number and a patch level, by which no OpenZFS differs, are left out."""
    words = re.findall(r"[a-z]+|[0-9]+(?:\.[0-9]+)?", re.sub(r"(\d\.\d+)\.\d+|-p\d+\b", r"\1", name.lower()))
    return "-".join(_SHORT.get(word, word) for word in words if word not in _FILLING)


def known_system(name: str | None) -> System | None:
    """Return the system of this name: “proxmox 9”, “Debian 13 backports”; None where nothing is called so."""
    return systems().get(_key(name)) if name else None


def read_zfs(text: str) -> System:
    """Return the OpenZFS that is meant by a version, or by the name of a system that ships it. Raises UserError."""
    if found := known_system(text):
        return found
    if re.match(r"(?:zfs-|v)?[0-9]", text.strip()) or not re.search(r"[A-Za-z]", text):
        return System(version=parse_modelled(text))
    raise not_there(text, (entry["key"] for entry in shipped("systems")["system"]))
