"""Which value of each property is in force on a dataset: its own, an inherited one, or the default."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from poolwright.domain.dataset_properties import (
    V22,
    V23,
    V24,
    DatasetProperty,
    dataset_properties,
    is_user_property,
    meaning,
)
from poolwright.domain.design import Dataset, Design, Setting
from poolwright.domain.version import OLDEST_CURRENT, ZfsVersion

MOUNTPOINT = "mountpoint"
_UNMOVED = frozenset(["none", "legacy"])


class SettingSource(StrEnum):
    LOCAL = "local"
    INHERITED = "inherited"
    DEFAULT = "default"


@dataclass(frozen=True, slots=True, kw_only=True)
class Effective:
    """A property in force on a dataset.

    ``inherited_from`` names the dataset (relative to the pool, '' is the root) whose own value it is, None unless
    inherited. ``default_value`` is OpenZFS's, None for user properties; ``changed`` says that the value means
    something else than it. ``reason`` and ``rule_id`` are those of the setting, wherever it was made.
    """

    name: str
    value: str
    source: SettingSource
    inherited_from: str | None = None
    default_value: str | None = None
    changed: bool = False
    reason: str = ""
    rule_id: str | None = None
    fixed: bool = False


def ancestors(name: str) -> tuple[str, ...]:
    """Return the names above a dataset, the nearest first and the root ('') last; none for the root."""
    if not name:
        return ()
    parts = name.split("/")
    return (*("/".join(parts[:depth]) for depth in range(len(parts) - 1, 0, -1)), "")


def all_datasets(design: Design) -> tuple[Dataset, ...]:
    """Return the datasets of the pool as it will be: the root and missing parents included, children after parents.

    The order among siblings is that of the design.
    """
    named = {dataset.name: dataset for dataset in design.datasets}
    places: dict[str, list[str]] = {"": []}
    for name in named:
        for one in (name, *ancestors(name)):
            if one and one not in places:
                places[one] = []
    for name in sorted(places, key=lambda name: name.count("/")):
        if name:
            places[name.rpartition("/")[0]].append(name)
    found: list[Dataset] = []
    waiting = [""]
    while waiting:
        name = waiting.pop()
        found.append(named.get(name) or Dataset(name=name))
        waiting.extend(reversed(places[name]))
    return tuple(found)


def effective_settings(design: Design, dataset: Dataset) -> tuple[Effective, ...]:
    """Return every property in force on ``dataset``, in the order of `dataset_properties`, then what nobody knows.

    Settings of the dataset's parents count where the property inherits; a parent need not be in the design.
    """
    resolver = Resolver(design)
    known = dataset_properties(design.version)
    volume = dataset.volume_bytes is not None
    found = [resolver.effective(dataset, item) for item in known.values() if item.applies(volume=volume)]
    others = dict.fromkeys(
        setting.name
        for holder in (dataset.name, *ancestors(dataset.name))
        for setting in resolver.settings(holder)
        if setting.name not in known and (holder == dataset.name or is_user_property(setting.name))
    )
    found.extend(e for name in others if (e := resolver.unknown(dataset, name)) is not None)
    return tuple(found)


class Resolver:
    def __init__(self, design: Design) -> None:
        self._version: ZfsVersion = design.version
        self._pool_name = design.pool_name
        self._settings = {dataset.name: dataset.settings for dataset in design.datasets}

    def settings(self, name: str) -> Sequence[Setting]:
        return self._settings.get(name, ())

    def value(self, dataset: Dataset, name: str) -> str:
        """Return the value in force of a known property; raises KeyError for a name that is none."""
        return self.effective(dataset, dataset_properties(self._version)[name]).value

    def effective(self, dataset: Dataset, known: DatasetProperty) -> Effective:
        """Return what is in force of ``known`` on ``dataset``, as it is given and not as it lies in the design."""
        default = known.default_of(volume=dataset.volume_bytes is not None)
        if known.name == MOUNTPOINT:
            default = f"/{self._pool_name}/{dataset.name}".rstrip("/")
        setting, holder = self._in_force(dataset, known)
        setting = setting or Setting(name=known.name, value=default)
        value = default if holder is None else setting.value
        if known.name == MOUNTPOINT and holder not in (None, dataset.name):
            value = _moved(value, holder or "", dataset.name)
        return self._made(dataset, setting, value, default, holder, fixed=known.fixed)

    def written(self, dataset: Dataset) -> tuple[Setting, ...]:
        """Return the settings of ``dataset`` that have to be given: not the defaults that only a rule proposed."""
        known = ((setting, dataset_properties(self._version).get(setting.name)) for setting in dataset.settings)
        return tuple(s for s, one in known if one is None or self._in_force(dataset, one)[1] == dataset.name)

    def _in_force(self, dataset: Dataset, known: DatasetProperty) -> tuple[Setting | None, str | None]:
        """Return the setting in force and the dataset that has to be given it.

        That is None where a rule proposes what every OpenZFS does by itself, and nothing else is set above.
        """
        found: tuple[Setting | None, str | None] = (None, None)
        for holder in (*reversed(ancestors(dataset.name)), dataset.name) if known.inherits else (dataset.name,):
            own = _find(dataset.settings if holder == dataset.name else self.settings(holder), known.name)
            if own is not None:
                needless = found[1] is None and self._needless(own, known, volume=dataset.volume_bytes is not None)
                found = (own, None if needless else holder)
        return found

    def _needless(self, setting: Setting, known: DatasetProperty, *, volume: bool) -> bool:
        if setting.rule_id is None or known.name == MOUNTPOINT:
            return False  # whoever asks for a default gets it pinned
        name = known.name
        for version in {self._version, OLDEST_CURRENT, V22, V23, V24}:
            one = dataset_properties(version).get(name)
            default = None if one is None else one.default_of(volume=volume)
            if default is not None and meaning(name, setting.value, version) != meaning(name, default, version):
                return False
        return True

    def unknown(self, dataset: Dataset, name: str) -> Effective | None:
        """Return a user property, or one that this version does not know; None where it is nowhere set."""
        for holder in (dataset.name, *(ancestors(dataset.name) if is_user_property(name) else ())):
            setting = _find(dataset.settings if holder == dataset.name else self.settings(holder), name)
            if setting is not None:
                return self._made(dataset, setting, setting.value, None, holder)
        return None

    def _made(
        self,
        dataset: Dataset,
        setting: Setting,
        value: str,
        default: str | None,
        holder: str | None,
        *,
        fixed: bool = False,
    ) -> Effective:
        """Return what is known of a value that ``holder`` has to be given (None: nobody, it is OpenZFS's default)."""
        name, version, inherited = setting.name, self._version, holder not in (None, dataset.name)
        own = SettingSource.DEFAULT if holder is None else SettingSource.LOCAL
        return Effective(
            name=name,
            value=value,
            source=SettingSource.INHERITED if inherited else own,
            inherited_from=holder if inherited else None,
            default_value=default,
            changed=default is None or meaning(name, value, version) != meaning(name, default, version),
            reason=setting.why,
            rule_id=setting.rule_id,
            fixed=fixed,
        )


def _find(settings: Sequence[Setting], name: str) -> Setting | None:
    # `zfs create` takes the last of several; a design refuses them when it is written as a script.
    return next((setting for setting in reversed(settings) if setting.name == name), None)


def _moved(mountpoint: str, holder: str, name: str) -> str:
    """Return where a dataset is mounted whose parent ``holder`` is mounted at ``mountpoint``."""
    if mountpoint in _UNMOVED:
        return mountpoint
    below = name.removeprefix(holder).strip("/")
    return f"{mountpoint.rstrip('/')}/{below}"
