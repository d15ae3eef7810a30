"""Options of the workload: each detail is told in one, and comes after the preset."""

import argparse
from dataclasses import fields

import pytest

from poolwright.cli.wishes import add_workload_options, workload_of
from poolwright.domain.errors import UserError
from poolwright.domain.units import GB, GIB, KIB, MIB
from poolwright.domain.workload import Sharing, Workload

OPTIONS = {
    "preset": ("--preset", "media-archive", "media-archive"),
    "read_percent": ("--read-percent", "70", 70),
    "sequential_percent": ("--sequential-percent", "90 %", 90),
    "io_size_bytes": ("--io-size", "64K", 64 * KIB),
    "sync_write_percent": ("--sync-percent", "5", 5),
    "clients": ("--clients", "12", 12),
    "typical_file_bytes": ("--file-size", "4MiB", 4 * MIB),
    "compressible": ("--compressible", "no", False),
    "duplicate_factor": ("--duplicates", "1.5", 1.5),
    "working_set_bytes": ("--working-set", "500GB", 500 * GB),
    "growth_percent": ("--growth", "30", 30),
    "network_bytes_per_second": ("--network", "1 Gbit/s", 125_000_000),
    "sharing": ("--sharing", "nfs", Sharing.NFS),
}


def parsed(*words: str) -> Workload:
    parser = argparse.ArgumentParser()
    add_workload_options(parser)
    return workload_of(parser.parse_args(words))


def test_that_every_detail_of_a_workload_has_an_option() -> None:
    # Further presets are told by the option of the first.
    assert OPTIONS.keys() | {"goal", "volumes", "presets_beside"} == {field.name for field in fields(Workload)}


@pytest.mark.parametrize("detail", OPTIONS)
def test_that_an_option_sets_its_detail_and_no_other(detail: str) -> None:
    option, text, value = OPTIONS[detail]
    assert getattr(parsed(option, text), detail) == value
    others = {name for name in OPTIONS if getattr(parsed(option, text), name) not in (None, value)}
    # A preset fills others: that is what it is for.
    assert others == set() or detail == "preset"


def test_that_what_is_told_comes_after_the_preset() -> None:
    told = parsed("--preset", "home-directories", "--compressible", "no", "--file-size", "1GiB")
    assert (told.compressible, told.typical_file_bytes, told.read_percent) == (False, GIB, 70)


@pytest.mark.parametrize(
    ("option", "text"),
    [("--read-percent", "101"), ("--sequential-percent", "-1"), ("--file-size", "big"), ("--working-set", "x"),
     ("--duplicates", "0.5"), ("--growth", "much")],
)  # fmt: skip
def test_that_what_cannot_be_read_is_refused(option: str, text: str) -> None:
    with pytest.raises(UserError):
        parsed(f"{option}={text}")
