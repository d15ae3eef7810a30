"""Designs of all kinds as a person would ask for them, and what a pool made of one must be, read by other means."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from poolwright.capacity.pool import predict_pools
from poolwright.domain.design import Design, Vdev
from poolwright.domain.vdev import VdevClass, VdevKind
from poolwright.emit.script import spellings

HARD = tuple(f"EMU5120{n}" for n in range(8))
NATIVE, OLD, DRIVES = ("EMU4KN00", "EMU4KN01"), ("EMUOLD00", "EMUOLD01"), ("EMUNVME0", "EMUNVME1")
_HEADS = {
    VdevClass.DATA: "",
    VdevClass.SPECIAL: "special",
    VdevClass.DEDUP: "dedup",
    VdevClass.LOG: "logs",
    VdevClass.CACHE: "cache",
    VdevClass.SPARE: "spares",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A design as the command line is asked for it, on the disks with these serial numbers."""

    title: str
    disks: tuple[str, ...]
    words: tuple[str, ...]
    first: str = "true"  # what the machine needs before


def asked(title: str, disks: tuple[str, ...], words: str, first: str = "true") -> Asked:
    """Return a line of the table; ``words`` are those of the command line."""
    return Asked(title=title, disks=disks, words=tuple(words.split()), first=first)


KEY, LOG = "/etc/zfs/pool.key", "log/mirror:2x8GB"
DESIGNS = (
    asked("one disk", HARD[:1], "--layout stripe:1x20GB"),
    asked("stripe of two", HARD[:2], "--layout stripe:1x20GB stripe:1x20GB -O compression=zstd"),
    asked("mirror", HARD[:2], "--layout mirror:2x20GB -O atime=off -O xattr=sa"),
    asked("mirror of three", HARD[:3], "--layout mirror:3x20GB"),
    asked("two mirrors", HARD[:4], "--layout 2*mirror:2x20GB --dataset home quota=5G reservation=1G"),
    asked("raidz1", HARD[:3], "--layout raidz1:3x20GB --dataset a refquota=2G --dataset b recordsize=1M"),
    asked("raidz2 with log and spare", HARD[:7] + DRIVES, f"--layout raidz2:6x20GB {LOG} spare/stripe:1x20GB"),
    asked("raidz3", HARD[:5], "--layout raidz3:5x20GB"),
    asked("two raidz2", HARD, "--layout 2*raidz2:4x20GB"),
    asked("draid1", HARD[:6], "--layout draid1:2d:1s:6x20GB"),
    asked("draid1 of four", HARD[:4], "--layout draid1:2d:1s:4x20GB"),
    asked("draid2", HARD, "--layout draid2:4d:1s:8x20GB"),
    asked("special", HARD[:2] + DRIVES, "--layout mirror:2x20GB special/mirror:2x8GB -O special_small_blocks=32K"),
    asked("dedup", HARD[:3] + DRIVES, "--layout raidz1:3x20GB dedup/mirror:2x8GB -O dedup=on"),
    asked("cache", HARD[:2] + DRIVES[:1], "--layout mirror:2x20GB cache/stripe:1x8GB"),
    asked("log and cache", HARD[:2] + DRIVES, "--layout mirror:2x20GB log/stripe:1x8GB cache/stripe:1x8GB"),
    asked("two spares", HARD[:4], "--layout mirror:2x20GB spare/stripe:1x20GB spare/stripe:1x20GB"),
    asked("native 4096", NATIVE, "--layout mirror:2x20GB"),
    asked("512-byte sectors", OLD, "--layout mirror:2x20GB"),
    asked("512-byte sectors, ashift 9", OLD, "--layout mirror:2x20GB --ashift 9"),
    asked("ashift 13", HARD[:3], "--layout raidz1:3x20GB --ashift 13"),
    asked("NVMe", DRIVES, "--layout mirror:2x8GB -O compression=off"),
    asked("NVMe of 4096", ("EMUNV4K0",), "--layout stripe:1x8GB"),
    asked("volumes", HARD[:2], "--layout mirror:2x20GB --volume vm1=1GiB,16K --volume vm2=512MiB,64K"),
    asked("volume on raidz2", HARD[:4], "--layout raidz2:4x20GB --volume vm1=1GiB,64K"),
    asked(
        "encrypted",
        HARD[:2],
        f"--layout mirror:2x20GB -O encryption=aes-256-gcm -O keyformat=raw -O keylocation=file://{KEY}",
        first=f"umask 077; head -c 32 /dev/urandom >{KEY}",
    ),
    asked("slack", HARD[:3], "--layout raidz1:3x20GB --slack"),
    asked("slack and log", HARD[:2] + DRIVES, "--layout mirror:2x20GB log/mirror:2x8GB --slack"),
    asked("pool properties", HARD[:2], "--layout mirror:2x20GB --pool-property failmode=continue"),
    asked("mounted elsewhere", HARD[:2], "--layout mirror:2x20GB --mountpoint /srv/pool --dataset l mountpoint=legacy"),
    asked("odd properties", HARD[:2], "--layout mirror:2x20GB --dataset s copies=2 casesensitivity=insensitive"),
    asked("nested", HARD[:2], "--layout mirror:2x20GB --dataset a --dataset a/b atime=on --dataset a/b/c atime=off"),
    asked("draid with log", HARD[:6] + DRIVES, "--layout draid2:3d:1s:6x20GB log/mirror:2x8GB"),
)  # fmt: skip
CORE = ("raidz1", "draid1 of four", "special", "slack", "encrypted")


def _path(design: Design, vdev: Vdev, number: int) -> str:
    member = vdev.members[number]
    disk = next(disk for disk in design.disks if disk.key == member.disk_key)
    return f"/dev/disk/by-id/{disk.by_id_name}-part{member.part or 1}"  # of a whole disk the one that zpool makes


def _word(vdev: Vdev) -> str:
    if vdev.kind is VdevKind.DRAID:
        return f"draid{vdev.parity}:{vdev.draid_data}d:{len(vdev.members)}c:{vdev.draid_spares}s"
    return f"raidz{vdev.parity}" if vdev.kind is VdevKind.RAIDZ else "mirror"


def designed_tree(design: Design) -> list[tuple[str, tuple[str, ...]]]:
    """Return each vdev as `zpool status -P` should show it: class and kind, with the paths of its members."""
    found: list[tuple[str, tuple[str, ...]]] = []
    for vdev in design.vdevs:
        paths = tuple(_path(design, vdev, n) for n in range(len(vdev.members)))
        head = _HEADS[vdev.vdev_class]
        if vdev.kind is VdevKind.STRIPE:
            found += [(f"{head} disk", (path,)) for path in paths]
        else:
            found.append((f"{head} {_word(vdev)}", paths))
    return sorted(found)


def shown_tree(status: str) -> list[tuple[str, tuple[str, ...]]]:
    """Return what `zpool status -P` shows in the same form."""
    head, found = "", list[tuple[str, tuple[str, ...]]]()
    for line in re.findall(r"^\t(.*)", status.partition("NAME ")[2], re.MULTILINE)[1:]:
        depth, name = len(line) - len(line.lstrip()), line.split()[0]
        if depth == 0:
            head = name
        elif depth == 4:
            kind, paths = found[-1]
            found[-1] = (kind, (*paths, name))
        elif name.startswith("/"):
            found.append((f"{head} disk", (name,)))
        elif not (head == "spares" and name.startswith("draid")):
            found.append((f"{head} {name.rpartition('-')[0]}", ()))
    return sorted(found)


def differences(design: Design, status: str, pool: str, datasets: str, sizes: str) -> Iterator[str]:
    """Yield in what a pool differs from its design, by what four commands printed of it."""
    if designed_tree(design) != shown_tree(status):
        yield f"designed {designed_tree(design)}, found {shown_tree(status)}"
    told: dict[tuple[str, str], str] = {}
    for line in (pool + datasets).splitlines():
        name, prop, value, *_ = line.split("\t")
        told[(name, prop)] = value
    if told[(design.pool_name, "ashift")] != str(design.ashift):
        yield f"ashift is {told[(design.pool_name, 'ashift')]}"
    wanted = [(design.pool_name, one) for one in design.pool_settings]
    for dataset in design.datasets:
        name = f"{design.pool_name}/{dataset.name}" if dataset.name else design.pool_name
        wanted += [(name, one) for one in dataset.settings]
        if dataset.volume_bytes and told.get((name, "volsize")) != str(dataset.volume_bytes):
            yield f"{name} has {told.get((name, 'volsize'))} bytes"
    for name, setting in wanted:
        found = told.get((name, setting.name))
        if found not in spellings(setting.name, setting.value):
            yield f"{name}: {setting.name} is {found}, not {setting.value}"
    capacity = predict_pools(design)[0]
    size, used, available = map(int, sizes.split())
    if size != capacity.pool_size_bytes:
        yield f"SIZE is {size}, predicted were {capacity.pool_size_bytes}"
    has_special = any(v.vdev_class in (VdevClass.SPECIAL, VdevClass.DEDUP) for v in design.vdevs)
    if used + available != capacity.available_bytes and not has_special:
        yield f"USED + AVAIL is {used + available}, predicted were {capacity.available_bytes}"
