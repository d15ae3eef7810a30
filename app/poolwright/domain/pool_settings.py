"""The properties of a pool: what the design sets, OpenZFS's defaults for the rest, and which values are taken."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from poolwright.domain import dataset_properties
from poolwright.domain.design import Design, Setting
from poolwright.domain.errors import not_there
from poolwright.domain.inheritance import Effective, SettingSource
from poolwright.domain.shown import shown_text
from poolwright.domain.units import parse_size
from poolwright.domain.version import DRAID_SINCE, ZfsVersion, known_system
from poolwright.shipped import shipped
from poolwright.texts import _

PoolSettings = tuple[Setting, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolProperty:
    """A property that a new pool can be given: its default, and the words it takes (none: any text)."""

    name: str
    default: str
    words: tuple[str, ...] = ()


def pool_properties(version: ZfsVersion) -> tuple[PoolProperty, ...]:
    return tuple(
        PoolProperty(
            name=entry["name"],
            default=entry["default"],
            words=tuple(entry.get("words", entry.get("usual", "")).split()),
        )
        for entry in shipped("pool_properties")["property"]
        if dataset_properties.came_by(entry.get("since"), version)
    )


def effective_pool_settings(design: Design) -> tuple[Effective, ...]:
    """Return every property of the (main) pool: the known ones in order, then others that the design sets."""
    settings = {OTHER_NAMES.get(s.name, s.name): s for s in design.pool_settings if s.name != "ashift"}
    known = pool_properties(design.version)
    rows = [_effective(p.name, settings.pop(p.name, None), p.default) for p in known]
    return (*rows, *(_effective(name, setting, None) for name, setting in settings.items()))


def _effective(name: str, setting: Setting | None, default: str | None) -> Effective:
    value = setting.value if setting is not None else default or ""
    return Effective(
        name=name,
        value=value,
        source=SettingSource.DEFAULT if setting is None else SettingSource.LOCAL,
        default_value=default,
        changed=value != default,
        reason="" if setting is None else setting.why,
        rule_id=None if setting is None else setting.rule_id,
    )


def with_setting(settings: PoolSettings, setting: Setting) -> PoolSettings:
    return (*without_setting(settings, setting.name), setting)


def without_setting(settings: PoolSettings, name: str) -> PoolSettings:
    """Return the settings without those of this name: OpenZFS's default holds."""
    real = OTHER_NAMES.get(name, name)
    return tuple(s for s in settings if OTHER_NAMES.get(s.name, s.name) != real)


def with_proposed(settings: PoolSettings, proposed: Iterable[Setting]) -> PoolSettings:
    typed = tuple(s for s in settings if s.rule_id is None)
    names = frozenset(s.name for s in typed)
    return (*(s for s in proposed if s.name not in names), *typed)


def autoexpands(design: Design) -> bool | None:
    value = next((s.value for s in design.pool_settings if s.name == "autoexpand"), None)
    return None if value is None else value == "on"


# Properties of pools: which values `zpool create` takes, and which can only be set once the pool is there.

LONGEST_COMMENT = 32
_TABLE_QUOTA = "dedup_table_quota"
# `zpool create` refuses these; `zpool set` takes them.
AFTERWARDS = frozenset(["bootfs"])
OTHER_NAMES = {"listsnaps": "listsnapshots"}

_PRINTABLE = re.compile(r"[ -~]*\Z")
_COMPATIBILITY_FILE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*\Z")
_FEATURE = "feature@"


def is_set_afterwards(name: str) -> bool:
    """Tell whether a property is set after the creation, because `zpool create` does not take it."""
    return name in AFTERWARDS or dataset_properties.is_user_property(name)


def entered_pool_value(name: str, text: str) -> str:
    """Return a typed value as `zpool create` takes it: a size that it would read differently becomes bytes.

    Raises UserError for a size without its unit.
    """
    value = text.strip()
    if name != _TABLE_QUOTA or not value[:1].isdigit():
        return value
    size = parse_size(value)
    return value if dataset_properties.space_bytes(value) == size else str(size)


def pool_value_problem(name: str, value: str, version: ZfsVersion) -> str | None:
    """Return why a new pool of this version cannot have ``name=value``; None where it can.

    Stricter than OpenZFS where a value belongs to one import or to pools without feature flags.
    """
    real = OTHER_NAMES.get(name, name)
    if real.startswith(_FEATURE):
        return _feature_problem(real.removeprefix(_FEATURE), value, version)
    if dataset_properties.is_user_property(real):
        if version < dataset_properties.V22:
            return _("Pools of OpenZFS {version} have no properties of one's own; they came with 2.2", version=version)
        return dataset_properties.user_property_problem(real, value)
    known = shipped("pool_properties")
    # None where it takes any text, or a size.
    words: list[str] = next((e.get("words", "").split() for e in known["property"] if e["name"] == real), [])
    if value in words:
        return None
    if words:
        listed = ", ".join(words)
        return _("{name} cannot be “{value}”; it takes {words}", name=real, value=shown_text(value), words=listed)
    if real in known["not_ours"]:
        return _(known["not_ours"][real])
    if real in known["read_only"].split():
        return _("{real} can only be read", real=real)
    return _text_problem(real, value, version)


def _text_problem(name: str, value: str, version: ZfsVersion) -> str | None:
    if name == "comment":
        if not _PRINTABLE.match(value):
            return _("comment takes printable ASCII only, no umlauts or other letters: zpool create refuses it late")
        most, count = LONGEST_COMMENT, len(value)
        if count > most:
            return _("comment has at most {most} characters, this one {count}", most=most, count=count)
        return None
    if name == "cachefile" and value not in ("", "none"):
        if not value.startswith("/"):
            return _("cachefile is none, empty or an absolute path")
        if value.rpartition("/")[2] in ("", ".", ".."):
            return _("“{value}” names a folder; cachefile is a file", value=shown_text(value))
    if name == "compatibility" and version >= DRAID_SINCE:  # they came together
        return _compatibility_problem(value)
    if name == _TABLE_QUOTA and version >= dataset_properties.V23:
        if value in ("auto", "none") or dataset_properties.space_bytes(value):
            return None
        return _("dedup_table_quota takes auto, none or a size, not “{value}”", value=shown_text(value))
    if name in ("cachefile", "bootfs"):
        return None  # which datasets there are is known where the whole pool is looked at
    return _("Pools of OpenZFS {version} have no property “{name}”", version=version, name=shown_text(name))


def _compatibility_problem(value: str) -> str | None:
    if value in ("", "off", "legacy"):
        return None
    for name in value.removesuffix(",").split(","):
        if name in ("off", "legacy"):
            return _("compatibility is {name} alone, not together with others", name=name)
        if not _COMPATIBILITY_FILE.match(name):
            return _(
                "“{name}” is no name of a file in compatibility.d; write openzfs-2.1-linux,grub2", name=shown_text(name)
            )
    return None


def _feature_problem(name: str, value: str, version: ZfsVersion) -> str | None:
    if name not in dataset_properties.words_of(shipped("pool_properties")["features"], version):
        return _("OpenZFS {version} has no feature “{name}”", version=version, name=shown_text(name))
    if value not in ("enabled", "disabled"):
        return _(
            "feature@{name} is enabled or disabled on a new pool, not “{value}”", name=name, value=shown_text(value)
        )
    return None


# The systems a pool may have to be importable on, by the names that `Budget.import_on` knows.


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportTarget:
    key: str
    title: str
    why: str
    zfs: str = ""  # its OpenZFS, where the key does not name it


IMPORT_TARGETS = tuple(ImportTarget(**entry) for entry in shipped("import_targets")["system"])


def import_target(key: str) -> ImportTarget:
    """Return the target of a key, or of a system that ships such an OpenZFS. Raises UserError."""
    targets = {target.key: target for target in IMPORT_TARGETS}
    found = targets.get(key.strip().lower())
    if found is None and (system := known_system(key)):
        series = f"{system.version.major}.{system.version.minor}"
        found = targets.get(f"{system.kind}-{system.key.partition('-')[2].partition('.')[0]}") or targets[series]
    if found is None:
        raise not_there(key, (target.key for target in IMPORT_TARGETS))
    return found
