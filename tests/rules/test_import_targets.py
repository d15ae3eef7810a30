"""Every system that can be chosen as one that must import the pool gets the features it knows."""

import pytest

from poolwright.domain.disk import Disk, Media
from poolwright.domain.host import Host
from poolwright.domain.pool_settings import IMPORT_TARGETS
from poolwright.domain.version import ZfsVersion
from poolwright.domain.workload import Budget, Goal, Workload
from poolwright.rules.model import RuleBook
from poolwright.rules.profile import DiskProfile
from poolwright.rules.propose import Proposals, propose_properties


def proposed(book: RuleBook, system: str, version: str = "2.4.1", preset: str | None = None) -> Proposals:
    disks = [Disk(key=f"d{n}", path=f"/dev/sd{n}", size_bytes=10**12, media=Media.HDD) for n in range(4)]
    return propose_properties(
        book,
        goal=Goal.SAFETY,
        version=ZfsVersion.parse(version),
        profile=DiskProfile.from_disks(disks),
        workload=Workload(goal=Goal.SAFETY, preset=preset),
        budget=Budget(import_on=system),
        host=Host(),
    )


# What the files in cmd/zpool/compatibility.d of OpenZFS are called.
FILES = {
    "0.7": "zol-0.7",
    "0.8": "zol-0.8",
    "2.0": "openzfs-2.0-linux",
    "2.1": "openzfs-2.1-linux",
    "2.2": "openzfs-2.2",
    "2.3": "openzfs-2.3",
    "freebsd-13": "openzfs-2.1-freebsd",
    "freebsd-14": "openzfs-2.2",
    "grub2": "grub2",
}


def test_that_every_system_has_its_file_of_features(shipped: RuleBook) -> None:
    assert {target.key for target in IMPORT_TARGETS} == FILES.keys()
    for system, name in FILES.items():
        assert {s.name: s.value for s in proposed(shipped, system).pool}["compatibility"] == name


@pytest.mark.parametrize(("system", "version"), [("2.3", "2.2.4"), ("2.2", "2.1.11"), ("freebsd-14", "2.1.11")])
def test_that_a_system_newer_than_the_host_asks_for_nothing(shipped: RuleBook, system: str, version: str) -> None:
    assert "compatibility" not in {s.name for s in proposed(shipped, system, version).pool}


def test_that_no_newer_compression_is_proposed_where_another_system_must_read_it(shipped: RuleBook) -> None:
    for system in ("0.8", "grub2"):
        backup = proposed(shipped, system, preset="backup-target").datasets[0]
        assert "zstd" not in {s.value for s in backup.settings}
