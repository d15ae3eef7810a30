"""What a step needs of OpenZFS: its version, and a feature of the pool that an old pool may not have enabled."""

from collections.abc import Iterator

from poolwright.capacity.expansion import RAIDZ_EXPANSION_SINCE
from poolwright.changes.against.values import LiveDifference, LiveStep, LiveWay
from poolwright.domain.action import AddVdevs, Attach, OnDevices, set_on_pool
from poolwright.domain.existing_pool import ExistingPool
from poolwright.domain.vdev import ALLOCATION_CLASSES, VdevKind
from poolwright.domain.version import ALLOCATION_CLASSES_SINCE, DRAID_SINCE, ZfsVersion
from poolwright.texts import tell

REMOVAL_SINCE = ZfsVersion(0, 8, 0)
_SINCE = {
    "raidz_expansion": RAIDZ_EXPANSION_SINCE,
    "draid": DRAID_SINCE,
    "allocation_classes": ALLOCATION_CLASSES_SINCE,
    "device_removal": REMOVAL_SINCE,
}


def feature_of(step: LiveStep) -> str | None:
    """Return the feature that `zpool` wants enabled for a step; None where it wants none."""
    match step.action:
        case AddVdevs(groups=(group, *_)):
            if group.vdev.kind is VdevKind.DRAID:
                return "draid"
            return "allocation_classes" if group.vdev_class in ALLOCATION_CLASSES else None
        case Attach() if step.action.widens:
            return "raidz_expansion"
        case OnDevices(moves_data=True):
            return "device_removal"
    return None


def version_problem(step: LiveStep, version: ZfsVersion) -> str | None:
    """Return which OpenZFS a step needs where the machine's is older; None where it is new enough."""
    feature = feature_of(step)
    since = _SINCE.get(feature or "")
    if since is None or version >= since:
        return None
    return tell(
        "It needs OpenZFS {since} and the feature {feature}; the machine has {version}.",
        since=f"{since.major}.{since.minor}",
        feature=feature,
        version=version,
    )


def enabling(steps: list[LiveStep], pool: str, known: ExistingPool) -> Iterator[LiveDifference]:
    """Yield a step for each feature that the others need and the pool has not enabled."""
    for feature in sorted({found for step in steps if (found := feature_of(step)) is not None}):
        if known.value(f"feature@{feature}") != "disabled":
            continue
        yield LiveDifference(
            way=LiveWay.STEP,
            place=pool,
            name=f"feature@{feature}",
            found="disabled",
            wanted="enabled",
            text=tell("The feature {feature} is not enabled, and a later step needs it.", feature=feature),
            reason=tell("For good: an older OpenZFS, or a boot loader, may not read the pool any more."),
            step=LiveStep(action=set_on_pool(pool, f"feature@{feature}", "enabled"), vdev=pool),
        )
