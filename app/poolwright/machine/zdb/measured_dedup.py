"""Reads what `zdb -S`, `zdb -DD` and `zpool status -D` print of deduplication, as facts."""

from poolwright.domain.dedup_text import DedupHistogram, read_dedup_histogram
from poolwright.domain.errors import UserError
from poolwright.domain.measurement import BenchTool, Recorded
from poolwright.texts import tell


def read_zdb_dedup(data: bytes, *, where: str) -> tuple[Recorded, ...]:
    """Return the factors and the totals. Raises UserError where there is no histogram, or an empty one."""
    try:
        found = read_dedup_histogram(data.decode("utf-8", errors="replace"))
    except UserError as error:
        raise UserError(error.what, where=where, todo=error.todo) from error
    told: tuple[tuple[str, float | None], ...] = (
        ("dedup_ratio", found.factor),
        ("compress_ratio", found.compress),
        ("copies", found.copies),
        ("together_ratio", found.together),
        *(
            (f"{name}_{part}", number)
            for name, side in (("allocated", found.allocated), ("referenced", found.referenced))
            for part, number in (
                ("blocks", side.blocks),
                ("logical_bytes", side.logical_bytes),
                ("physical_bytes", side.physical_bytes),
                ("disk_bytes", side.disk_bytes),
            )
        ),
        ("table_disk_bytes", found.table_disk_bytes),
        ("table_core_bytes", found.table_core_bytes),
    )  # for machines
    facts = tuple((name, float(value)) for name, value in told if value is not None)
    return (Recorded(tool=BenchTool.ZDB, where=where, facts=facts, notes=tuple(_notes(found))),)


def _notes(found: DedupHistogram) -> list[str]:
    notes = [tell("The numbers are rounded to three digits, as they were printed.")]
    if found.simulated:
        notes.append(tell("Simulated: what deduplication would do if all data were written with it."))
    notes.append(
        tell(
            "What it is worth, and the memory that the table takes, is told by a design's support devices and by "
            "poolwright roles DESIGN --zdb FILE."
        )
    )
    if found.added_up:
        notes.append(tell("The line with the totals is missing: the rows that are there are added up."))
    if found.dedup is None:
        notes.append(tell("No ratio is printed: it is the bytes on disk that are referenced, over the allocated."))
    return notes
