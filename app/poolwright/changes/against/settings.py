"""Properties of the pool and of its datasets: what the design says and the pool has otherwise."""

from collections.abc import Iterator

from poolwright.changes.against.values import LiveDifference, LiveStep, LiveWay
from poolwright.domain.action import set_on_pool
from poolwright.domain.design import Design
from poolwright.domain.existing_pool import ExistingPool
from poolwright.domain.inheritance import SettingSource
from poolwright.domain.pool_settings import OTHER_NAMES, effective_pool_settings
from poolwright.texts import tell

_FEATURE = "feature@"
_NONE = ("", "-", "none")


def pool_changes(design: Design, known: ExistingPool, pool: str) -> Iterator[LiveDifference]:
    """Yield what the design sets and the pool has otherwise; nothing where the pool's properties were not read."""
    if not known.properties:
        return
    told = {one.name for one in known.properties}
    for setting in effective_pool_settings(design):
        name = OTHER_NAMES.get(setting.name, setting.name)
        found = known.value(name)
        # A design that says nothing of a property has nothing against what is there.
        if setting.source is SettingSource.DEFAULT or _same(name, found, setting.value):
            continue
        yield _change(name, found or "", setting.value, pool, reason=setting.reason, read=name in told)


def _same(name: str, found: str | None, wanted: str) -> bool:
    if name.startswith(_FEATURE) and wanted == "enabled":
        return found in ("enabled", "active")
    return found == wanted or (found in (None, *_NONE) and wanted in _NONE)


def _change(name: str, found: str, wanted: str, pool: str, *, reason: str, read: bool) -> LiveDifference:
    words = {"pool": pool, "name": name, "found": found or "-", "wanted": wanted}
    problem = ""
    if name.startswith(_FEATURE) and wanted == "disabled":
        problem = tell("A feature that is enabled once is enabled for good; only a new pool is without it.")
    mind = ""
    if name.startswith(_FEATURE) and not problem:
        mind = tell("For good: an older OpenZFS, or a boot loader, may not read the pool any more.")
    elif name == "compatibility":
        mind = tell("It keeps later `zpool upgrade` within the set; features that are enabled already stay.")
    return LiveDifference(
        way=LiveWay.CANNOT if problem else LiveWay.STEP,
        place=pool,
        name=name,
        found=found,
        wanted=wanted,
        text=tell("{pool}: {name} was not read, the design says {wanted}.", **words)
        if not read
        else tell("{pool}: {name} is {found}, the design says {wanted}.", **words),
        reason=problem or mind or reason,
        step=None if problem else LiveStep(action=set_on_pool(pool, name, wanted), vdev=pool),
    )
