"""The properties of filesystems and volumes by version, as `rules/data/dataset_properties.toml` has them."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Any

from poolwright.domain.version import ZfsVersion
from poolwright.shipped import shipped

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
    words: tuple[str, ...] = ()
    filesystems: bool = True
    volumes: bool = False
    inherits: bool = True
    fixed: bool = False
    volume_default: str | None = None

    def applies(self, *, volume: bool) -> bool:
        return self.volumes if volume else self.filesystems

    def default_of(self, *, volume: bool) -> str:
        return self.volume_default if volume and self.volume_default is not None else self.default


@lru_cache(maxsize=16)
def dataset_properties(version: ZfsVersion) -> tuple[DatasetProperty, ...]:
    """Return the properties that can be set in this version, the ones people look at first at the front."""
    return tuple(
        _property(name, entry, version)
        for entry in shipped("dataset_properties")["property"]
        if came_by(entry.get("since"), version)
        for name in entry["name"].split()
    )


def _property(name: str, entry: Mapping[str, Any], version: ZfsVersion) -> DatasetProperty:
    volumes, defaults = entry.get("volumes", False), words_of(entry["default"], version)
    return DatasetProperty(
        name=name,
        kind=ValueKind(entry.get("kind", ValueKind.WORDS)),
        default=defaults[-1] if defaults else "",
        words=words_of(entry.get("words", ""), version),
        filesystems=entry.get("filesystems", True),
        volumes=came_by(volumes, version) if isinstance(volumes, str) else volumes,
        inherits=entry.get("inherits", True),
        fixed=entry.get("fixed", False),
        volume_default=entry.get("volume_default"),
    )


def words_of(text: str, version: ZfsVersion) -> tuple[str, ...]:
    """Return the words of a list that this version knows: “2.2:blake3” came with 2.2."""
    parts = (word.rpartition(":") for word in text.split())
    return tuple(word for since, _, word in parts if came_by(since, version))


def came_by(since: str | None, version: ZfsVersion) -> bool:
    """Tell whether what came with the first release of a series, or was always there, is in this version."""
    return not since or version >= ZfsVersion.parse(f"{since}.0")


def dataset_property(name: str, version: ZfsVersion) -> DatasetProperty | None:
    """Return the property of this name; None for user properties (``com.example:owner``) and unknown names."""
    return _by_name(version).get(name)


def is_user_property(name: str) -> bool:
    """Tell whether ``name`` is one of the user's own, which ZFS keeps, hands down and gives no meaning."""
    return ":" in name


@lru_cache(maxsize=16)
def _by_name(version: ZfsVersion) -> dict[str, DatasetProperty]:
    return {item.name: item for item in dataset_properties(version)}
