"""A small model of a pool, after what `zpool` does, for the tests of designs held against live pools.

It knows nothing of how steps are found: it takes them as OpenZFS would, or refuses.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

from poolwright.changes.live_difference.values import LiveDifference
from poolwright.domain.action import AddVdevs, Attach, CreateDataset, OnPool, Replace, SetProperty, Verb, coming
from poolwright.domain.design import Dataset, Design, Member, Setting, Vdev
from poolwright.domain.disk import Disk, Media
from poolwright.domain.estimate import Origin, OriginKind
from poolwright.domain.host import Host, Inventory
from poolwright.domain.pool import ExistingDataset, ExistingPool, Pool, PoolNode, PropertyValue, VdevSizes
from poolwright.domain.vdev import VdevClass, VdevKind
from poolwright.domain.version import ZfsVersion

ORIGIN = Origin(kind=OriginKind.READ, source="a model")
TB = 10**12
VERSION = ZfsVersion(2, 3, 9)
_SECTIONS = {
    VdevClass.DATA: "data", VdevClass.SPECIAL: "special", VdevClass.DEDUP: "dedup", VdevClass.LOG: "logs",
    VdevClass.CACHE: "cache", VdevClass.SPARE: "spares",
}  # fmt: skip
_PROPERTIES = {"compression": ("on", "lz4", "zstd", "off"), "recordsize": ("131072", "1048576"), "atime": ("on", "off")}
_DEFAULTS = {"compression": "on", "recordsize": "131072", "atime": "on", "quota": "0"}


def disks(count: int = 14) -> tuple[Disk, ...]:
    """Return disks of 4 and 8 TB, each with a serial number and a stable name."""
    return tuple(
        Disk(
            key=f"S{n:03}", serial=f"S{n:03}", by_id=(f"ata-MODEL_S{n:03}",), path=f"/dev/sd{chr(97 + n)}",
            model="MODEL", size_bytes=(4 if n % 3 else 8) * TB, logical_sector_bytes=512, physical_sector_bytes=4096,
            media=Media.HDD,
        )
        for n in range(count)
    )  # fmt: skip


SIZES = {disk.key: disk.size_bytes or 0 for disk in disks()}


@dataclass
class ModelTop:
    """A top-level vdev: its number in the pool and its disks; ``least`` is what a new disk must have at least."""

    number: int
    kind: VdevKind
    parity: int
    vdev_class: VdevClass
    keys: list[str]
    least: int = 0

    def __post_init__(self) -> None:
        """Take the room of the smallest disk."""
        self.least = min(SIZES[key] for key in self.keys)

    def name(self) -> str:
        """Return what `zpool status` calls it."""
        if self.kind is VdevKind.STRIPE:
            return path_of(self.keys[0])
        return f"mirror-{self.number}" if self.kind is VdevKind.MIRROR else f"raidz{self.parity}-{self.number}"


def path_of(key: str) -> str:
    return f"/dev/disk/by-id/ata-MODEL_{key}-part1"


class RefusedError(Exception):
    """What OpenZFS would not do."""


@dataclass
class ModelPool:
    """A pool: vdevs, spares and caches, properties, datasets with their own settings."""

    tops: list[ModelTop] = field(default_factory=list)
    spares: list[str] = field(default_factory=list)
    caches: list[str] = field(default_factory=list)
    settings: dict[str, str] = field(default_factory=dict)
    datasets: dict[str, dict[str, str]] = field(default_factory=lambda: {"": {}})
    removed: bool = False

    def used(self) -> set[str]:
        return {*(key for top in self.tops for key in top.keys), *self.spares, *self.caches}

    def inventory(self) -> Inventory:
        """Return the machine as its tools would tell it."""
        nodes = [self._node(top) for top in sorted(self.tops, key=lambda t: list(_SECTIONS).index(t.vdev_class))]
        nodes += [_leaf(key, "cache", "ONLINE") for key in self.caches]
        nodes += [_leaf(key, "spares", "AVAIL") for key in self.spares]
        known = ExistingPool(
            name="tank",
            origin=ORIGIN,
            properties=tuple(PropertyValue(name=n, value=v, source="local") for n, v in self._properties().items()),
            vdevs=tuple(VdevSizes(name=top.name(), ashift=12) for top in self.tops),
            datasets=tuple(self._dataset(name) for name in sorted(self.datasets)),
            mapping_bytes=1 << 20 if self.removed else None,
        )
        return Inventory(
            name="model",
            host=Host(zfs_version=str(VERSION)),
            disks=disks(),
            pools=(Pool(name="tank", state="ONLINE", vdevs=tuple(nodes)),),
            existing=(known,),
            origin=ORIGIN,
        )

    def _properties(self) -> dict[str, str]:
        return {"autotrim": "off", "autoexpand": "off", "failmode": "wait", **self.settings}

    def _node(self, top: ModelTop) -> PoolNode:
        section = _SECTIONS[top.vdev_class]
        if top.kind is VdevKind.STRIPE:
            return _leaf(top.keys[0], section, "ONLINE")
        kind = "mirror" if top.kind is VdevKind.MIRROR else f"raidz{top.parity}"
        leaves = tuple(_leaf(key, section, "ONLINE") for key in top.keys)
        return PoolNode(name=top.name(), kind=kind, section=section, state="ONLINE", children=leaves)

    def _dataset(self, name: str) -> ExistingDataset:
        full = f"tank/{name}" if name else "tank"
        return ExistingDataset(name=full, kind="filesystem", properties=tuple(self._values(name)))

    def _values(self, name: str) -> Iterator[PropertyValue]:
        holders = [name, *_above(name)]
        for prop, default in _DEFAULTS.items():
            inherits = prop != "quota"
            at = next((h for h in (holders if inherits else holders[:1]) if prop in self.datasets.get(h, {})), None)
            if at is None:
                yield PropertyValue(name=prop, value=default, source="default")
            else:
                full = f"tank/{at}" if at else "tank"
                source = "local" if at == name else f"inherited from {full}"
                yield PropertyValue(name=prop, value=self.datasets[at][prop], source=source)

    def take(self, step: LiveDifference) -> None:
        """Do a step; raises RefusedError where OpenZFS would refuse it."""
        keys = [device.disk_key for device in coming(step.action)]
        if self.used() & set(keys):
            raise RefusedError(f"{keys} are in use")
        match step.action:
            case SetProperty(of_pool=True, setting=setting):
                self.settings[setting.name] = setting.value
            case SetProperty(name=name, setting=setting, inherit=True):
                del self.datasets[_below(name)][setting.name]
            case SetProperty(name=name, setting=setting):
                self.datasets[_below(name)][setting.name] = setting.value
            case CreateDataset(name=name, settings=settings):
                self._create(_below(name), settings)
            case AddVdevs(vdevs=(vdev,)):
                self._add(vdev, keys)
            case Attach() | Replace() as action:
                self._take_in(action, keys[0])
            case OnPool(verb=Verb.DETACH, devices=(Member() as device,)):
                self._detach(device.disk_key)
            case OnPool(verb=Verb.REMOVE):
                self._remove(step.frees[0][0])
            case OnPool(devices=devices):
                if not {device.disk_key for device in devices if isinstance(device, Member)} <= self.used():
                    raise RefusedError("disks that are not there")

    def _create(self, name: str, settings: tuple[Setting, ...]) -> None:
        if not set(_above(name)[:1]) <= set(self.datasets):
            raise RefusedError("no parent")
        self.datasets[name] = {s.name: s.value for s in settings}

    def _of(self, key: str) -> ModelTop:
        return next(top for top in self.tops if key in top.keys)

    def _add(self, made: Vdev, keys: list[str]) -> None:
        if made.vdev_class in (VdevClass.SPARE, VdevClass.CACHE):
            (self.spares if made.vdev_class is VdevClass.SPARE else self.caches).extend(keys)
            return
        if made.kind is VdevKind.RAIDZ and self.removed:
            raise RefusedError("no raidz after a removal")
        number = max((top.number for top in self.tops), default=-1) + 1
        self.tops.append(ModelTop(number, made.kind, made.parity, made.vdev_class, keys))

    def _take_in(self, action: Attach | Replace, key: str) -> None:
        if isinstance(action, Replace):
            top = self._of(action.old.disk_key)
            top.keys[top.keys.index(action.old.disk_key)] = key
        elif action.widens:
            top = next(top for top in self.tops if top.name() == action.widens)
            top.keys.append(key)
        else:
            top = self._of(action.to.disk_key)
            if top.kind is VdevKind.RAIDZ:
                raise RefusedError("a disk of a raidz takes no side")
            top.kind = VdevKind.MIRROR
            top.keys.append(key)
        if SIZES[key] < top.least:
            raise RefusedError("too small")

    def _detach(self, key: str) -> None:
        top = self._of(key)
        if top.kind is not VdevKind.MIRROR:
            raise RefusedError("only of mirrors")
        top.keys.remove(key)
        if len(top.keys) == 1:
            top.kind = VdevKind.STRIPE

    def _remove(self, key: str) -> None:
        for alone in (self.spares, self.caches):
            if key in alone:
                alone.remove(key)
                return
        top = self._of(key)
        if top.vdev_class is not VdevClass.LOG:
            if any(other.kind is VdevKind.RAIDZ for other in self.tops):
                raise RefusedError("raidz in the pool")
            self.removed = True
        self.tops.remove(top)
        if not any(other.vdev_class is VdevClass.DATA for other in self.tops):
            raise RefusedError("the last data vdev")


def _below(name: str) -> str:
    return name.partition("/")[2]


def _above(name: str) -> list[str]:
    parts = name.split("/") if name else []
    return ["/".join(parts[:n]) for n in range(len(parts) - 1, 0, -1)] + ([""] if name else [])


def _leaf(key: str, section: str, state: str) -> PoolNode:
    return PoolNode(name=path_of(key), kind="disk", section=section, state=state, path=path_of(key))


def random_pool(random: Random, *, parity: bool) -> ModelPool:
    """Return a pool of some of the disks, of mirrors and bare disks or with raidz as well."""
    pool, free = ModelPool(), [disk.key for disk in disks()]
    random.shuffle(free)
    number = 0
    for _ in range(random.randint(1, 3)):
        shapes = [(VdevKind.MIRROR, 0, 2), (VdevKind.MIRROR, 0, 3), (VdevKind.STRIPE, 0, 1)]
        if parity:
            shapes = [(VdevKind.RAIDZ, 1, 3), (VdevKind.RAIDZ, 2, 4), (VdevKind.RAIDZ, 1, 4), *shapes[:1]]
        kind, level, width = random.choice(shapes)
        if len(free) >= width + 2:
            pool.tops.append(ModelTop(number, kind, level, VdevClass.DATA, [free.pop() for _ in range(width)]))
            number += 1
    for vdev_class in (VdevClass.SPECIAL, VdevClass.LOG):
        if random.random() < 0.3 and len(free) >= 2:
            width = random.randint(1, 2)
            kind = VdevKind.MIRROR if width == 2 else VdevKind.STRIPE
            pool.tops.append(ModelTop(number, kind, 0, vdev_class, [free.pop() for _ in range(width)]))
            number += 1
    pool.spares = [free.pop() for _ in range(random.randint(0, 1)) if free]
    pool.caches = [free.pop() for _ in range(random.randint(0, 1)) if free]
    pool.settings = {"autotrim": random.choice(["on", "off"]), "failmode": random.choice(["wait", "continue"])}
    pool.datasets = {name: _random_settings(random) for name in random.sample(["a", "b", "a/c"], random.randint(0, 3))}
    if "a/c" in pool.datasets:
        pool.datasets.setdefault("a", {})
    pool.datasets[""] = _random_settings(random)
    return pool


def _random_settings(random: Random) -> dict[str, str]:
    chosen = {name: random.choice(values) for name, values in _PROPERTIES.items() if random.random() < 0.4}
    return {**chosen, **({"quota": str(TB)} if random.random() < 0.2 else {})}


def design_of(pool: ModelPool) -> Design:
    """Return a design of the same shape, written from the model and not by the program."""
    vdevs = [
        Vdev(kind=t.kind, parity=t.parity, vdev_class=t.vdev_class, members=tuple(Member(disk_key=k) for k in t.keys))
        for t in pool.tops
    ]
    for vdev_class, keys in ((VdevClass.SPARE, pool.spares), (VdevClass.CACHE, pool.caches)):
        if keys:
            members = tuple(Member(disk_key=key) for key in keys)
            vdevs.append(Vdev(kind=VdevKind.STRIPE, vdev_class=vdev_class, members=members))
    return Design(
        key="wanted",
        name="wanted",
        pool_name="tank",
        disks=disks(),
        vdevs=tuple(vdevs),
        version=VERSION,
        pool_settings=tuple(Setting(name=n, value=v) for n, v in pool.settings.items()),
        datasets=tuple(
            Dataset(name=name, settings=tuple(Setting(name=n, value=v) for n, v in own.items()))
            for name, own in pool.datasets.items()
        ),
    )


def shape_of(pool: ModelPool) -> tuple[object, ...]:
    """Return what two equal pools have in common."""
    tops = sorted((t.vdev_class.value, t.kind.value, t.parity, tuple(sorted(t.keys))) for t in pool.tops)
    return tops, sorted(pool.spares), sorted(pool.caches)
