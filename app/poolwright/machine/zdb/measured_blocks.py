"""Reads where the blocks of files lie (`zdb -ddddd POOL`) and tells how far the used space is fragmented.

Source: the script fragments.awk, listing 8 of the thesis whose benchmarks this program repeats. It goes through the
blocks of level 0 in order of their offset in each file; one that does not begin where the one before it ended is a
fragment. The first block of a file has none before it. The number of the vdev is not looked at, so that a file striped
over several of them counts as fragmented.
"""

import re
from dataclasses import dataclass

from poolwright.domain.errors import UserError
from poolwright.domain.measurement import BenchTool, Recorded
from poolwright.texts import tell, tell_counted

_FILE = b"Indirect blocks"
_DATA = b"L0"
_HEX = re.compile(rb"[0-9A-Fa-f]{0,16}")


@dataclass(slots=True)
class _Count:
    """What the script counts; ``after`` is where the block before ended, 0 where there is none."""

    files: int = 0
    blocks: int = 0
    fragmented: int = 0
    contiguous: int = 0
    nowhere: int = 0
    after: int = 0

    def take(self, line: bytes) -> None:
        """Count one line as the script does: also one that tells no place, such as that of a hole."""
        if _FILE in line:
            self.files += 1
            self.after = 0
        if _DATA not in line:
            return
        words = line.split(None, 3)
        _, *place = words[2].split(b":") if len(words) > 2 else [b""]
        start, length = (_number(place[index]) if index < len(place) else 0 for index in (0, 1))
        self.blocks += 1
        self.nowhere += len(place) < 2
        if self.after:
            self.contiguous += start == self.after
            self.fragmented += start != self.after
        self.after = start + length


def _number(text: bytes) -> int:
    """Return the hexadecimal number that ``text`` begins with, 0 where there is none, as gawk does."""
    found = _HEX.match(text)
    return int(found[0] or b"0", 16) if found is not None else 0


def read_zdb_blocks(data: bytes, *, where: str) -> tuple[Recorded, ...]:
    """Return how many blocks of files do not follow the one before them. Raises UserError where no block is listed."""
    count = _Count()
    *lines, rest = data.split(b"\n")
    cut = _DATA in rest and len(rest.split()) < 4
    for line in lines if cut else (*lines, rest):
        count.take(line)
    if not count.files or not count.blocks:
        raise _refused(data, where)
    facts: list[tuple[str, float]] = [
        ("files", count.files),
        ("blocks", count.blocks),
        ("fragmented_blocks", count.fragmented),
        ("contiguous_blocks", count.contiguous),
    ]  # for machines
    notes = []
    compared = count.fragmented + count.contiguous
    if compared:
        facts.append(("used_fragmented_percent", count.fragmented * 100 / compared))
        facts.append(("used_contiguous_percent", count.contiguous * 100 / compared))
    else:
        notes.append(tell("No file has two blocks: there is nothing that could be fragmented."))
    if count.nowhere:
        notes.append(
            tell_counted(
                "One line with L0 tells no place on disk (a hole, data within its pointer); it is counted as a block.",
                "{count} lines with L0 tell no place on disk (holes, data within their pointers); they are counted as "
                "blocks.",
                count.nowhere,
            )
        )
    if cut:
        notes.append(tell("One line is cut off and was passed over."))
    return (Recorded(tool=BenchTool.ZDB, where=where, facts=tuple(facts), notes=tuple(notes)),)


def _refused(data: bytes, where: str) -> UserError:
    if b"vdev_tree:" in data:
        what = tell("This is the configuration of a pool (zdb -C, zdb -l), in which nothing is measured")
    else:
        what = tell("This text of zdb does not tell where the blocks of files lie")
    return UserError(what, where=where, todo=tell("Run zdb -ddddd POOL for the fragmentation of the used space."))
