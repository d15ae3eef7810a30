"""In which blocks the data of a workload lie: what OpenZFS's defaults make of it."""

from dataclasses import replace

import pytest

from poolwright.design.measures import block_bytes
from poolwright.domain.units import KIB, MIB
from poolwright.domain.workload import Goal, Workload

PLAIN = Workload(goal=Goal.CONCURRENT)


@pytest.mark.parametrize(
    ("workload", "size"),
    [
        (PLAIN, 128 * KIB),
        (replace(PLAIN, typical_file_bytes=4 * KIB), 4 * KIB),
        (replace(PLAIN, typical_file_bytes=2 * MIB), 128 * KIB),
        (replace(PLAIN, io_size_bytes=MIB), MIB),
        (replace(PLAIN, io_size_bytes=MIB, typical_file_bytes=4 * KIB), MIB),
        (replace(PLAIN, io_size_bytes=MIB - KIB), 128 * KIB),
        (replace(PLAIN, io_size_bytes=8 * KIB), 128 * KIB),  # a file that is read in pieces has records of the default
    ],
)
def test_that_files_lie_in_records_that_fit_what_reads_them(workload: Workload, size: int) -> None:
    assert block_bytes(workload) == size


@pytest.mark.parametrize(("io", "size"), [(8 * KIB, 8 * KIB), (128 * KIB, 128 * KIB), (MIB, 128 * KIB)])
def test_that_volumes_and_databases_lie_in_blocks_of_their_io_up_to_the_default_of_files(io: int, size: int) -> None:
    assert block_bytes(replace(PLAIN, preset="database", io_size_bytes=io)) == size
    assert block_bytes(replace(PLAIN, volumes=True, io_size_bytes=io)) == size


def test_that_volumes_without_an_io_size_have_blocks_of_16_kib_as_since_openzfs_2_2() -> None:
    volumes = replace(PLAIN, volumes=True, typical_file_bytes=MIB)
    assert block_bytes(volumes) == 16 * KIB
    assert block_bytes(replace(volumes, volumes=False, preset="database")) == 128 * KIB
