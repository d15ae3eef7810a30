"""Where a profile is to run, and whether it may: what was found there, and each reason against it."""

import re
from dataclasses import dataclass

from poolwright.domain.version import ZfsVersion
from poolwright.emit.names import quote
from poolwright.texts import tell

_OVER_NETWORK = re.compile(r"nfs|cifs|smb|ceph|glusterfs|fuse\.(?:glusterfs|sshfs|ceph)|9p")


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceDisk:
    """A disk of the pool: its name in ``zpool iostat``, the kernel's, serial and temperature where known.

    ``flushed`` tells whether the kernel asks it to empty its write cache ("write back"); without, what it confirms is
    taken as kept.
    """

    name: str
    kernel_name: str | None = None
    serial: str | None = None
    model: str | None = None
    rotational: bool | None = None
    bytes: int | None = None
    flushed: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchPlace:
    """A directory on a machine. All of ZFS is None on another filesystem, which may be measured but not judged.

    ``properties`` are the dataset's (recordsize, compression, primarycache, sync, atime, ...) as zfs prints them with
    -p. ``activity`` is a scrub, resilver, trim, expansion or removal under way; with ``autotrim`` trims belong to how
    the pool works. ``refusals`` are sentences: with one of them nothing is run. ``warnings`` go with the result.
    ``commands`` are what a person runs to have a dataset made for the run, and to take it away, exactly. ``links`` are
    the network's, with the bytes/s that each can carry. ``may_make`` tells that this user may have a dataset made below
    the one that is mounted at the directory; ``makes`` are the properties of the one that the run makes, None where it
    makes none.
    ``tools`` are those beside fio that are installed, ``volumes`` the devices of the paper's; None where nobody looked.
    """

    directory: str
    filesystem: str
    host: str
    free_bytes: int
    ram_bytes: int | None = None
    cores: int | None = None
    kernel: str | None = None
    fio: str | None = None
    dataset: str | None = None
    properties: tuple[tuple[str, str], ...] = ()
    pool: str | None = None
    pool_health: str | None = None
    pool_bytes: int | None = None
    fill_percent: int | None = None
    fragmentation_percent: int | None = None
    activity: str | None = None
    autotrim: bool | None = None
    userland: ZfsVersion | None = None
    module: ZfsVersion | None = None
    arc_most_bytes: int | None = None
    arc_bytes: int | None = None
    parameters: tuple[tuple[str, str], ...] = ()
    layout: tuple[str, ...] = ()
    disks: tuple[PlaceDisk, ...] = ()
    has_log: bool | None = None
    links: tuple[tuple[str, int], ...] = ()
    tools: tuple[str, ...] | None = None
    volumes: tuple[str, ...] | None = None
    refusals: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    may_make: bool = False
    makes: tuple[tuple[str, str], ...] | None = None

    def property(self, name: str) -> str | None:
        """Return a property of the dataset as zfs prints it, None where it is not known."""
        return dict(self.properties).get(name)


def over_network(place: BenchPlace) -> bool:
    """Tell whether a directory lies on another machine."""
    return _OVER_NETWORK.match(place.filesystem) is not None


def left_behind(name: str, *, dataset: bool = False) -> str:
    """Return in a sentence that the directory or dataset of a run is there yet, and what takes it away."""
    remove = "zfs destroy" if dataset else "rm -r --"  # for machines
    return tell("A run left {name} behind. To remove it: {command}", name=name, command=f"{remove} {quote(name)}")
