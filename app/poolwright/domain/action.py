"""Changes of pools as values. What is done stands here; `emit.commands` says it to a shell.

The ``path`` of a member is how commands name it; None where who writes them finds it."""

from dataclasses import dataclass, replace
from enum import StrEnum
from uuid import UUID

from poolwright.domain.design import Member, Setting, Vdev


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionDisk:
    """Write a table on an empty disk; ``words`` are sgdisk's, a row a partition."""

    device: Member
    table: UUID
    words: tuple[tuple[str, ...], ...]
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CreatePool:
    """``force`` says why `zpool create` wants -f, None when it does not; ``mountpoint`` is None for the default."""

    pool: str
    ashift: int
    vdevs: tuple[Vdev, ...]
    pool_settings: tuple[Setting, ...] = ()
    root_settings: tuple[Setting, ...] = ()
    mountpoint: str | None = None
    force: str | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateDataset:
    """A filesystem, or a zvol of ``volume_bytes``; ``name`` is the full name with the pool."""

    name: str
    settings: tuple[Setting, ...] = ()
    volume_bytes: int | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetProperty:
    """Set a property of a dataset or, with ``of_pool``, of a pool; ``inherit`` it from the dataset above instead.

    ``others`` are further datasets that get the same.
    """

    name: str
    setting: Setting
    of_pool: bool = False
    inherit: bool = False
    others: tuple[str, ...] = ()
    reason: str = ""


def set_on_pool(pool: str, name: str, value: str) -> SetProperty:
    return SetProperty(name=pool, setting=Setting(name=name, value=value), of_pool=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class AddVdevs:
    """``ashift`` is None where there is none to give; a ``trial`` tells what would be made, and writes nothing."""

    pool: str
    vdevs: tuple[Vdev, ...]
    ashift: int | None
    force: bool = False
    trial: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Attach:
    """A side beside the device ``to``, or a disk for the raidz called ``widens``."""

    pool: str
    to: Member
    device: Member
    widens: str = ""
    ashift: int | None = None  # of a vdev whose blocks are smaller than the sectors of the new disk
    force: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Replace:
    pool: str
    old: Member
    new: Member
    ashift: int | None = None
    force: bool = False


class Verb(StrEnum):
    DETACH = "detach"
    REMOVE = "remove"
    OFFLINE = "offline"
    ONLINE = "online"
    EXPAND = "online -e"
    SCRUB = "scrub"
    RESILVER = "resilver"
    CLEAR = "clear"
    UPGRADE = "upgrade"
    DISCARD_CHECKPOINT = "checkpoint -d"
    DESTROY = "destroy"


@dataclass(frozen=True, slots=True, kw_only=True)
class OnPool:
    """What a word of zpool does to a pool, or to members of it, or to a vdev by its name."""

    pool: str
    verb: Verb
    devices: tuple[Member | str, ...] = ()
    moves_data: bool = False  # a vdev that holds data is removed
    trial: bool = False  # tells how much memory its map would take, and writes nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class Reimport:
    """Export and import, by names that stay unless ``stable`` is False, under another name or unmounted at ``root``."""

    pool: str
    as_name: str = ""
    root: str = ""
    stable: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Copy:
    """Send a snapshot with all below it, from ``since`` on; ``options`` say how its blocks are sent and received."""

    snapshot: str
    target: str
    options: tuple[str, ...] = ()
    receiving: tuple[str, ...] = ("-F", "-u")
    since: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunCommand:
    """A command that has no action of its own: it reads, or makes what a step needs beside the pools.

    What it prints goes to another one where ``into`` names that.
    """

    argv: tuple[str, ...]
    into: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    pool: str
    activity: str  # a word of `zpool wait -t`


Creation = PartitionDisk | CreatePool | CreateDataset | SetProperty  # one command each, with its reason
Change = AddVdevs | Attach | Replace | OnPool | Reimport | Copy | RunCommand | Wait
Action = Creation | Change


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard:
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """What has to be typed before anything is taken away or overwritten."""

    words: str


Line = Guard | Ask | Action


def rehearsed(action: Action) -> tuple[Action, ...]:
    """Return the trial of an action for which zpool has one (-n), which shows what nobody can take back."""
    match action:
        case AddVdevs() | OnPool(moves_data=True):
            return (replace(action, trial=True),)
    return ()


def awaited(action: Action) -> tuple[Action, ...]:
    """Return an action with what waits for its end, where it goes on after its command has ended."""
    match action:
        case Attach():
            activity = "raidz_expand" if action.widens else "resilver"
        case Replace():
            activity = "replace"
        case OnPool(moves_data=True):
            activity = "remove"
        case _:
            return (action,)
    return action, Wait(pool=action.pool, activity=activity)


def expands(action: Action | None) -> bool:
    return isinstance(action, OnPool) and action.verb is Verb.EXPAND


def coming(action: Action | None) -> tuple[Member, ...]:
    match action:
        case AddVdevs() | CreatePool():
            return tuple(device for vdev in action.vdevs for device in vdev.members)
        case Attach():
            return (action.device,)
        case Replace():
            return (action.new,)
    return ()


def named(action: Action | None) -> Member | None:
    """Return the device of the pool that a command names, to whose place, side or end it comes."""
    match action:
        case Attach():
            return action.to
        case Replace():
            return action.old
        case OnPool(verb=Verb.DETACH | Verb.REMOVE, devices=(Member() as device,)):
            return device
    return None
