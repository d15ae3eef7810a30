"""Facts of a pool that exists which its tree tells: devices that failed, count errors or stand in for others."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from poolwright.domain.disk import kernel_name, short_name, without_partition
from poolwright.domain.finding import FactValue
from poolwright.domain.pool import SERVING, STANDING_IN, USABLE, Pool, PoolNode
from poolwright.texts import _, first_of, ngettext

HOLDS_DATA = frozenset({"data", "special", "dedup"})
_WAS = re.compile(r"was (/\S+)")
_PARITY = re.compile(r"(?:raidz|draid)([123])?")


def tree_facts(pool: Pool, *, resilvering: bool, failing: frozenset[str] = frozenset()) -> dict[str, FactValue]:
    """Return what the lines of `zpool status` tell.

    ``resilvering`` says whether a resilver is under way, ``failing`` names the devices whose disks say so themselves.
    """
    leaves = pool.leaves()
    faulty = [leaf for leaf in leaves if leaf.state is not None and leaf.state not in SERVING]
    serving = [leaf for leaf in leaves if leaf.state == "DEGRADED"]
    last = list(last_copies(pool, resilvering=resilvering, failing=failing))
    # Of a device that was given up, or that is told of as failing, nothing more is to be said than that.
    named = {id(leaf) for leaf in (*faulty, *serving, *last)}
    groups = [node for vdev in pool.vdevs for node in vdev.walk() if node.children]
    lossy = [node for node in groups if node.read_errors or node.write_errors or node.checksum_errors]
    erring = [leaf for top in pool.vdevs for leaf in top.leaves() if _own_errors(leaf, top)]
    everywhere = all_erring(pool)
    spared = [leaf for top in pool.vdevs for leaf in with_spare(top)]
    named |= {id(leaf) for leaf in (*spared, *(leaf for top in everywhere for leaf in top.leaves()))}
    lost = [[n for n in lost_devices(v) if n.state != "OFFLINE"] for v in pool.vdevs if v.section in HOLDS_DATA]
    doubtful = [leaf for top in pool.vdevs for leaf in _doubtful(top, resilvering) if id(leaf) not in named]
    counting = [leaf for leaf in erring if id(leaf) not in {*named, *map(id, doubtful)}]
    filled = resilvering or any("resilvering" in (leaf.note or "") for leaf in leaves)
    status = " ".join((pool.status or "").split())
    return {
        "status_told": pool.status_read,
        "vdevs_told": bool(pool.vdevs),
        "usable": None if pool.state is None else pool.state in USABLE,
        "at_limit": first_of([v.name for v in pool.vdevs if _at_limit(v, resilvering)]),
        "faulty_devices": len(faulty),
        "faulty_names": first_of([device_name(node, pool.vdevs) for node in faulty]),
        "serving_devices": len(serving),
        "serving_names": _named(serving),
        "last_copies": _named(last),
        "unrepaired": first_of([node.name for node in lossy]),
        "all_erring": first_of([top.name for top in everywhere]),
        "replacing_stopped": first_of([n.name for n in groups if n.kind == "replacing" and not filled]),
        "spared": _named(spared),
        "spares": _named([leaf for leaf in leaves if leaf.section == "spares" and leaf.state == "INUSE"]),
        "log_unread": pool.log_unread,
        "devices_with_errors": len(counting),
        "error_names": _named(counting),
        "doubtful": _named(doubtful),
        "lost_together": first_of([device_name(n, pool.vdevs) for one in lost if len(one) > 1 for n in one]),
        "damaged_files": _damaged(pool.damaged_files),
        "data_errors": pool.damaged,
        "spares_in_use": len(spared),
        "small_sectors": "non-native block size" in status,
        "names_unstable": sum(1 for leaf in leaves if kernel_name(leaf.device)),
        "errata": status.startswith("Errata #"),
        "other_host": "Mismatch between pool hostid" in status,
    }


def _damaged(files: tuple[str, ...]) -> str:
    if not files:
        return _("damaged files")
    return ngettext("{count} damaged file: {names}", "{count} damaged files: {names}", len(files),
                        names=first_of(list(files)))  # fmt: skip


def last_copies(pool: Pool, *, resilvering: bool, failing: frozenset[str] = frozenset()) -> Iterator[PoolNode]:
    """Yield the devices that fail and hold what no other device of their vdev can give back."""
    for vdev in pool.vdevs:
        bare = vdev.section in HOLDS_DATA and not vdev.children
        for leaf in vdev.leaves() if bare or _at_limit(vdev, resilvering) else ():
            works = leaf.state in SERVING and "resilvering" not in (leaf.note or "")
            if works and (_own_errors(leaf, vdev) or leaf.state == "DEGRADED" or leaf.name in failing):
                yield leaf


def with_spare(top: PoolNode) -> Iterator[PoolNode]:
    """Yield the devices for which a spare stands in: their errors are why, and stay until they are tested."""
    first = (node.children[0] for node in top.walk() if node.kind == "spare" and node.children)
    return (one for one in first if not one.children)  # else its replacement is on the way


def all_erring(pool: Pool) -> list[PoolNode]:
    """Return the vdevs of which every device works and counts errors: their disks did not go bad all at once."""
    serving = [top for top in pool.vdevs if top.children and all(n.state in SERVING for n in top.leaves())]
    return [t for t in serving if all(n.read_errors or n.write_errors or n.checksum_errors for n in t.leaves())]


# Devices that count errors of their own where they may be lost next, beside one that is lost.
def _doubtful(vdev: PoolNode, resilvering: bool) -> list[PoolNode]:
    found = [leaf for leaf in vdev.leaves() if leaf.state in SERVING and _own_errors(leaf, vdev)]
    return found if _at_limit(vdev, resilvering, len(found)) else []


def _at_limit(vdev: PoolNode, resilvering: bool, doubtful: int = 0) -> bool:
    """Tell whether a vdev lacks so many devices, with those in doubt, that it bears no further loss, and works."""
    if vdev.section not in HOLDS_DATA or not vdev.children:
        return False
    missing = missing_seats(vdev, resilvering=resilvering)
    parity = _PARITY.match(vdev.kind)
    bears = int(parity.group(1) or 1) if parity is not None else len(vdev.children) - 1
    return 0 < missing <= bears <= missing + doubtful


def missing_seats(vdev: PoolNode, *, resilvering: bool) -> int:
    """Return how many places of a vdev have not all of their data on some device."""
    seats = list(vdev.children)
    if _filled_together(vdev):
        seats = [seat if seat.children else replace(seat, note=None) for seat in seats]
    return sum(1 for seat in seats if not _whole(seat, resilvering))


def _filled_together(vdev: PoolNode) -> bool:
    """Tell whether the marks say nothing: a distributed spare is filled on all disks of its dRAID at once."""
    plain = [child for child in vdev.children if not child.children and child.state in SERVING]
    return vdev.kind.startswith("draid") and all("resilvering" in (child.note or "") for child in plain)


def _whole(seat: PoolNode, resilvering: bool) -> bool:
    """Tell whether a place of a vdev has all of its data on some device."""
    if seat.kind in STANDING_IN and seat.children:
        first, *others = (_whole(child, resilvering) for child in seat.children)
        # One that takes a place for good is alone in it as soon as it is filled.
        return first or (any(others) and not resilvering and seat.kind != "replacing")
    return seat.state is None or (seat.state in SERVING and "resilvering" not in (seat.note or ""))


def lost_devices(node: PoolNode, *, covered: bool = False) -> Iterator[PoolNode]:
    """Yield the devices below a node that are gone and in whose place none is yet."""
    if not node.children:
        if not covered and node.state is not None and node.state not in SERVING:
            yield node
        return
    taken = covered or (node.kind in STANDING_IN and any(leaf.state == "ONLINE" for leaf in node.leaves()))
    for child in node.children:
        yield from lost_devices(child, covered=taken)


def _own_errors(leaf: PoolNode, vdev: PoolNode) -> bool:
    """Tell whether a device counts what is its own: a block that no redundancy gave back counts at all of them."""
    lost = (vdev.checksum_errors or 0) if vdev is not leaf else 0
    return bool((leaf.read_errors or 0) + (leaf.write_errors or 0) or (leaf.checksum_errors or 0) > lost)


def _named(nodes: list[PoolNode]) -> str:
    return first_of([node.label for node in nodes])


def device_name(node: PoolNode, vdevs: Sequence[PoolNode]) -> str:
    """Return what a person knows a device by; one that is gone is printed by its number, with what it was behind it."""
    was = _WAS.match(node.note or "")
    moved = was is None or not node.name.isdecimal() or name_of_another(node, vdevs)
    return node.label if moved or was is None else short_name(was.group(1))


def name_of_another(node: PoolNode, vdevs: Sequence[PoolNode]) -> bool:
    """Tell whether the kernel's name of a device that is gone is now that of another one: who pulls it loses two."""
    was = _WAS.match(node.note or "")
    name = without_partition(was.group(1))[0] if was is not None and kernel_name(was.group(1)) else None
    there = (leaf.device for top in vdevs for leaf in top.leaves() if leaf.state in SERVING)
    return name is not None and short_name(name) in {short_name(without_partition(one)[0]) for one in there}
