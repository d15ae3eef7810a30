"""The properties of a pool as they are in force: what the design sets, and OpenZFS's defaults for the rest.

Source of the defaults: OpenZFS ``module/zcommon/zpool_prop.c``.
"""

from dataclasses import dataclass, replace

from poolwright.domain.dataset_properties import V23
from poolwright.domain.design import Design, Setting
from poolwright.domain.inheritance import Effective, SettingSource
from poolwright.domain.pool_properties import OTHER_NAMES, pool_words
from poolwright.domain.version import OLDEST_CURRENT, ZfsVersion

PoolSettings = tuple[Setting, ...]
_NONE = "-"  # what zpool get prints of a text that is not set


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolProperty:
    """A property that a new pool can be given: its default, and the words it takes (none: any text)."""

    name: str
    default: str
    words: tuple[str, ...] = ()


def pool_properties(version: ZfsVersion) -> tuple[PoolProperty, ...]:
    """Return the properties of pools of this version that people set, those that matter most first."""
    found = [
        PoolProperty(name=name, default=default, words=pool_words(name))
        for name, default in (
            ("autoexpand", "off"), ("autoreplace", "off"), ("failmode", "wait"), ("comment", _NONE),
            ("autotrim", "off"), ("multihost", "off"), ("delegation", "on"), ("listsnapshots", "off"),
            ("cachefile", _NONE), ("bootfs", _NONE),
        )
    ]  # fmt: skip
    if version >= OLDEST_CURRENT:
        found.append(PoolProperty(name="compatibility", default="off", words=("off", "legacy")))
    if version >= V23:
        found.append(PoolProperty(name="dedup_table_quota", default="auto", words=("auto", "none")))
    return tuple(found)


def effective_pool_settings(design: Design) -> tuple[Effective, ...]:
    """Return every property of the (main) pool: the known ones in order, then others that the design sets."""
    own = {OTHER_NAMES.get(s.name, s.name): s for s in design.pool_settings if s.name != "ashift"}
    known = pool_properties(design.version)
    rows = [_effective(p.name, own.pop(p.name, None), p.default) for p in known]
    return (*rows, *(_effective(name, setting, None) for name, setting in own.items()))


def _effective(name: str, setting: Setting | None, default: str | None) -> Effective:
    value = setting.value if setting is not None else default or ""
    return Effective(
        name=name,
        value=value,
        source=SettingSource.DEFAULT if setting is None else SettingSource.LOCAL,
        inherited_from=None,
        default_value=default,
        changed=value != default,
        reason="" if setting is None else setting.reason,
        rule_id=None if setting is None else setting.rule_id,
    )


def with_pool_settings(design: Design, pool: int, settings: PoolSettings) -> Design:
    """Return the design with these properties of its pool number ``pool``, 0 for the main one."""
    if pool == 0:
        return replace(design, pool_settings=settings)
    others = list(design.further_pools)
    others[pool - 1] = replace(others[pool - 1], pool_settings=settings)
    return replace(design, further_pools=tuple(others))


def set_in(settings: PoolSettings, setting: Setting) -> PoolSettings:
    """Return the settings with this one in the place of another of its name."""
    real = OTHER_NAMES.get(setting.name, setting.name)
    kept = tuple(s for s in settings if OTHER_NAMES.get(s.name, s.name) != real)
    return (*kept, setting)


def unset_in(settings: PoolSettings, name: str) -> PoolSettings:
    """Return the settings without those of this name: OpenZFS's default holds."""
    return tuple(s for s in settings if OTHER_NAMES.get(s.name, s.name) != name)


def proposed_in(settings: PoolSettings, proposed: PoolSettings) -> PoolSettings:
    """Return the settings with ``proposed`` in the place of all that rules proposed before; what was typed stays."""
    typed = tuple(s for s in settings if s.rule_id is None)
    names = frozenset(s.name for s in typed)
    return (*(s for s in proposed if s.name not in names), *typed)


def autoexpands(design: Design) -> bool | None:
    """Tell whether the design says that its pool grows with its disks; None where it says nothing."""
    value = next((s.value for s in design.pool_settings if s.name == "autoexpand"), None)
    return None if value is None else value == "on"
