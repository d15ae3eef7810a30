"""The systems a pool can be made for, by name: a system yields the OpenZFS that it ships, and what follows from it."""

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from poolwright.domain.errors import not_there
from poolwright.domain.version import ZfsVersion, parse_modelled
from poolwright.shipped import shipped

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
    told = {name: value for name, value in entry.items() if name not in ("zfs", "releases", "sources")}
    return System(**told, version=ZfsVersion.parse(entry["zfs"]))


def _key(name: str) -> str:
    """Return the key of a name; a third number and a patch level, by which no OpenZFS differs, are left out."""
    words = re.findall(r"[a-z]+|[0-9]+(?:\.[0-9]+)?", re.sub(r"(\d\.\d+)\.\d+|-p\d+\b", r"\1", name.lower()))
    return "-".join(_SHORT.get(word, word) for word in words if word not in _FILLING)


def known_system(name: str | None) -> System | None:
    """Return the system of this name: “proxmox 9”, “Debian 13 backports”; None where nothing is called so."""
    return systems().get(_key(name)) if name else None


def system_of(os_name: str | None, kernel: str | None) -> System | None:
    """Return the system that a machine runs, by what it calls itself; None where that is none of them."""
    if os_name is None:
        return None
    told = known_system(os_name)
    looks = f"{os_name} {kernel or ''}"
    return told or next((s for s in systems().values() if s.seen and re.search(s.seen, looks)), None)


def read_zfs(text: str) -> System:
    """Return the OpenZFS that is meant by a version, or by the name of a system that ships it. Raises UserError."""
    if found := known_system(text):
        return found
    if re.match(r"(?:zfs-|v)?[0-9]", text.strip()) or not re.search(r"[A-Za-z]", text):
        return System(version=parse_modelled(text))
    raise not_there(text, (entry["key"] for entry in shipped("systems")["system"]))
