"""The table of volblocksize against waste, as a JSON list and as lines."""

from poolwright.capacity.pool import PoolCapacity
from poolwright.cli.output import print_line, print_table
from poolwright.cli.predictions import rounded
from poolwright.domain.units import KIB, binary
from poolwright.predict.volume_blocks import volume_blocks
from poolwright.rules.dataset_facts import volume_block_bytes
from poolwright.texts import tell


def block_document(capacity: PoolCapacity) -> list[dict[str, object]]:
    """Return each volblocksize with what a block of it takes."""
    return [
        {
            "volblocksize_bytes": found.block_bytes,
            "disk_bytes": found.disk_bytes,
            "efficiency": rounded(found.efficiency),
            "nominal_efficiency": rounded(found.nominal),
            "waste": rounded(found.waste),
            "reserved_of_1_tib_bytes": found.reserved_bytes,
        }
        for found in volume_blocks(capacity)
    ]


def print_blocks(capacity: PoolCapacity) -> None:
    """Print the table; the default of the version is marked."""
    usual = volume_block_bytes(capacity.version)
    rows = [
        (
            tell("{size}K (default)", size=found.block_bytes // KIB)
            if found.block_bytes == usual
            else f"{found.block_bytes // KIB}K",
            binary(found.disk_bytes),
            tell("{share:.0f} % of {nominal:.0f} %", share=100 * found.efficiency, nominal=100 * found.nominal),
            f"{100 * found.waste:.0f} %",
            binary(found.reserved_bytes),
        )
        for found in volume_blocks(capacity)
    ]
    print_line()
    header = (
        "volblocksize",
        tell("a block takes"),
        tell("stored at"),
        tell("wasted"),
        tell("a volume of 1 TiB reserves"),
    )
    print_table(header, rows, right=frozenset({1, 2, 3, 4}))
