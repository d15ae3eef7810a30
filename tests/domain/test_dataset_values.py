"""Which values of properties are possible: held against what `zfs create` took on a real machine."""

from pathlib import Path

import pytest

from poolwright.domain.dataset_properties import (
    dataset_properties,
    entered_bytes,
    entered_value,
    meaning,
    space_bytes,
    value_problem,
)
from poolwright.domain.errors import UserError
from poolwright.domain.version import ZfsVersion

V232 = ZfsVersion(2, 3, 2)
TAKEN = [
    line.split("\t")
    for line in Path(__file__).with_name("zfs-create-takes.tsv").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
]


@pytest.mark.parametrize(
    ("name", "value", "kind", "taken"), TAKEN, ids=[f"{row[2]} {row[0]}={row[1]}".strip() for row in TAKEN]
)
def test_that_a_value_is_possible_where_zfs_create_took_it(name: str, value: str, kind: str, taken: str) -> None:
    problem = value_problem(name, value, V232, volume=kind == "volume")
    assert (problem is None) == (taken == "yes"), problem


def test_that_every_default_is_a_possible_value() -> None:
    for text in ("2.1.11", "2.2.4", "2.3.2", "2.4.0"):
        version = ZfsVersion.parse(text)
        for item in dataset_properties(version).values():
            for volume in (False, True):
                # A mount point has its default from the name, a volume reserves its size unless told otherwise, and
                # iterations of 0 are those of a dataset that has no passphrase.
                named = item.name != "pbkdf2iters" and item.default_of(volume=volume) not in ("", "auto")
                if item.applies(volume=volume) and named:
                    assert value_problem(item.name, item.default_of(volume=volume), version, volume=volume) is None


def test_that_spellings_of_the_same_mean_the_same() -> None:
    for name, one, other in (
        ("recordsize", "128K", "131072"), ("compression", "on", "lz4"), ("compression", "zstd", "zstd-3"),
        ("quota", "none", "0"), ("quota", "1G", "1073741824"), ("acltype", "posixacl", "posix"), ("xattr", "on", "sa"),
    ):  # fmt: skip
        assert meaning(name, one, V232) == meaning(name, other, V232)
    assert meaning("compression", "zstd", V232) != meaning("compression", "lz4", V232)
    assert meaning("xattr", "on", ZfsVersion(2, 2, 4)) == "dir"


@pytest.mark.parametrize(
    ("value", "size"),
    [
        ("128K", 131072),
        ("128KB", 131072),
        ("1MiB", 1 << 20),
        ("6TB", 6 << 40),
        ("1.5T", 3 << 39),
        ("512", 512),
        ("512B", 512),
        ("5".zfill(30), 5),
        ("5".zfill(31), None),
        ("16E", None),
        ("18446744073709551615", (1 << 64) - 1),
    ],
)
def test_that_a_size_in_a_property_is_read_as_openzfs_reads_it(value: str, size: int | None) -> None:
    assert space_bytes(value) == size


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("quota", "100G", "100G"), ("quota", "100 GiB", "107374182400"), ("quota", "100GB", "100000000000"),
        ("quota", "1,5T", "1649267441664"), ("quota", "107374182400", "107374182400"), ("quota", "none", "none"),
        ("reservation", "0", "0"), ("recordsize", "131072", "131072"), ("recordsize", "1M", "1M"),
        ("compression", "gzip-9", "gzip-9"), ("copies", "2", "2"),
    ],
)  # fmt: skip
def test_that_a_typed_value_is_given_to_openzfs_as_it_was_meant(name: str, text: str, value: str) -> None:
    assert entered_value(name, text, ZfsVersion(2, 3, 2)) == value


@pytest.mark.parametrize(("name", "text"), [("quota", "100"), ("recordsize", "128"), ("quota", "100 apples")])
def test_that_a_typed_value_without_its_unit_is_refused(name: str, text: str) -> None:
    with pytest.raises(UserError):
        entered_value(name, text, ZfsVersion(2, 3, 2))


@pytest.mark.parametrize(
    ("name", "text", "size"),
    [
        ("recordsize", "1M", 1 << 20),
        ("recordsize", " 16k ", 16384),
        ("special_small_blocks", "0", 0),
        ("quota", "100 GiB", 100 << 30),
        ("quota", "none", None),
        ("compression", "lz4", None),
        ("org.example:size", "1M", None),
    ],
)
def test_that_a_size_that_was_typed_for_a_property_is_told_in_bytes(name: str, text: str, size: int | None) -> None:
    assert entered_bytes(name, text, V232) == size
