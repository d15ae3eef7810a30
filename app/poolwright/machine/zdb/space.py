"""Reads what zdb counted of a pool's space: all its blocks together (`zdb -b`), and its metaslabs (`zdb -m`, `-mm`)."""

import re
from collections.abc import Iterator

from poolwright.domain.errors import UserError
from poolwright.domain.latency import BenchTool, Recorded
from poolwright.machine.samples import size
from poolwright.texts import tell

_COUNTED = re.compile(
    r"^[ \t]*(bp count|ganged count|bp logical|bp physical|bp allocated|bp deduped|bp cloned|Normal class):"
    r"[ \t]+([0-9]{1,20})(?![0-9])",
    re.MULTILINE,
)
_NAMES = {
    "bp count": "blocks",
    "ganged count": "ganged_blocks",
    "bp logical": "logical_bytes",
    "bp physical": "physical_bytes",
    "bp allocated": "allocated_bytes",
    "bp deduped": "deduped_bytes",
    "bp cloned": "cloned_bytes",
    "Normal class": "normal_class_bytes",
}  # for machines
_WHOLE = 100  # per cent; unknown is 2^64 - 1 (ZFS_FRAG_INVALID)
_VDEV = re.compile(r"^[ \t]*vdev[ \t]+([0-9]{1,9})(?![0-9])", re.MULTILINE)
_METASLAB = re.compile(r"^[ \t]*metaslab[ \t]+[0-9]{1,9}[ \t]+offset[ \t].*[ \t]free[ \t]+([0-9.]+[KMGTPEB]?)[ \t\r]*$")
_FRAGMENTED = re.compile(r"^[ \t]*On-disk histogram:[ \t]+fragmentation[ \t]+([0-9]{1,20})[ \t\r]*$")
_LOG = re.compile(r"^[ \t]*Log Space", re.MULTILINE | re.IGNORECASE)  # changes not yet in the maps of the metaslabs
_STORED = re.compile(r"^[ \t]*smp_alloc = 0x([0-9a-fA-F]{1,16})[ \t\r]*$")


def read_zdb_block_sum(data: bytes, *, where: str) -> tuple[Recorded, ...]:
    """Return the totals of `zdb -b` as facts, in blocks and bytes. Raises UserError where there are none."""
    text = data.decode("utf-8", errors="replace")
    facts = tuple((_NAMES[match[1]], float(match[2])) for match in _COUNTED.finditer(text))
    if not facts:
        raise UserError(
            tell("There are no totals of blocks in this text"), where=where, todo=tell("Run zdb -b POOL to its end.")
        )
    return (Recorded(tool=BenchTool.ZDB, where=where, facts=facts),)


def read_zdb_metaslabs(data: bytes, *, where: str) -> tuple[Recorded, ...]:
    """Return of each vdev how many metaslabs it has, what is free and stored in them, and their fragmentation.

    The fragmentation, per cent, is that of the free space: the mean of the metaslabs, as
    ``metaslab_group_fragmentation`` of OpenZFS has it: one that was never written to (which prints none) has 0, one
    whose fragmentation is not known is left out, and where half of them are, nothing is told. Only -mm
    prints it. Raises UserError where there is no metaslab.
    """
    text = data.decode("utf-8", errors="replace")
    # What stands before the first vdev, then by turns the number of a vdev and what is said of it.
    _, *parts = _VDEV.split(_LOG.split(text)[0])
    facts = tuple(
        fact for vdev, said in zip(parts[::2], parts[1::2], strict=True) for fact in _of_vdev(int(vdev), said)
    )
    if not facts:
        raise UserError(
            tell("There is no metaslab in this text"), where=where, todo=tell("Run zdb -mm POOL, which prints them.")
        )
    notes = (
        tell("Fragmentation here is that of the free space; zdb -ddddd POOL tells that of the used space."),
        tell("Free space is rounded to three digits; what is stored leaves out changes not yet flushed."),
    )
    return (Recorded(tool=BenchTool.ZDB, where=where, facts=facts, notes=notes),)


def _of_vdev(vdev: int, said: str) -> Iterator[tuple[str, float]]:
    lines = said.splitlines()
    free = [value for match in map(_METASLAB.match, lines) if match and (value := size(match[1])) is not None]
    if not free:
        return
    yield f"vdev {vdev} metaslabs", len(free)  # for machines
    yield f"vdev {vdev} free_bytes", round(sum(free))  # for machines
    stored = [int(match[1], 16) for match in map(_STORED.match, lines) if match]
    if stored:
        yield f"vdev {vdev} stored_bytes", sum(stored)  # for machines
    shares = [int(match[1]) for match in map(_FRAGMENTED.match, lines) if match]
    known = [share for share in shares if share <= _WHOLE]
    valid = len(free) - len(shares) + len(known)
    if shares and valid > len(free) // 2:
        yield f"vdev {vdev} frag_percent", sum(known) / valid  # for machines
