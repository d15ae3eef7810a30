"""Ordinary machines with flash to spare: what experienced administrators say of it.

What each verdict follows: OpenZFS documentation, Performance and Tuning (Hardware: power-loss protection; Workload
Tuning: synchronous I/O, cache devices); zpoolconcepts(7) on special vdevs and their redundancy; TrueNAS documentation,
SLOG Devices and Fusion Pools; Lawrence Systems, ZFS Drive Layouts Explained (what each kind of device does, and when it
does nothing); the planning wiki wiki.familybrown.org/fester on special devices (most people need none). A log only for
synchronous writes and on drives that keep them, a special vdev as redundant as the data, RAM before a cache,
and nothing at all for streams.
"""

import json
from dataclasses import dataclass
from typing import Any

import pytest

from poolwright.cli.main import run

YES, NO, OPEN = "helps", "does not help", "it depends"


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A machine, what it is for, what is said of special, log and cache devices, and which are planned."""

    layout: str
    disks: tuple[str, ...]
    told: str
    special: str
    log: str
    cache: str
    planned: frozenset[str] = frozenset()


MACHINES = {
    # Virtual machines over NFS write synchronously: a mirrored log of drives that keep their writes, first of all.
    "eight disks in mirrors, two NVMe, guests over NFS": Case(
        layout="mirror:2x8TB mirror:2x8TB mirror:2x8TB mirror:2x8TB",
        disks=("8 x 8TB CMR SATA", "2 x 960GB nvme plp"),
        told="--goal concurrent --preset vm-images --sharing nfs --sync-percent 90 --clients 20 --ram 64G",
        special=OPEN, log=YES, cache=OPEN, planned=frozenset({"log"}),
    ),
    # Films: nothing is written synchronously, nothing is read twice at random, and one drive must not hold metadata.
    "twelve disks of films, one Optane": Case(
        layout="raidz2:12x16TB",
        disks=("12 x 16TB CMR SATA", "1 x 280GB nvme plp"),
        told="--goal safety --preset media-archive --ram 64G",
        special=NO, log=NO, cache=NO,
    ),
    # Home directories over SMB: small files and metadata on flash; SMB does not wait for writes.
    "six disks, two SATA SSDs, home directories over SMB": Case(
        layout="mirror:2x4TB mirror:2x4TB mirror:2x4TB",
        disks=("6 x 4TB CMR SATA", "2 x 500GB ssd no-plp"),
        told="--goal concurrent --preset home-directories --sharing smb --sync-percent 0 --ram 32G",
        special=YES, log=NO, cache=OPEN, planned=frozenset({"special"}),
    ),
    "backup target, two SSDs": Case(
        layout="raidz2:12x12TB",
        disks=("12 x 12TB CMR SATA", "2 x 480GB ssd plp"),
        told="--goal safety --preset backup-target --file-size 1G --ram 32G",
        special=NO, log=NO, cache=NO,
    ),
    # Commits on drives for desktops wait for their cells: two small drives with capacitors take the log.
    "database on NVMe for desktops, two Optane": Case(
        layout="mirror:2x2TB mirror:2x2TB",
        disks=("4 x 2TB nvme no-plp", "2 x 118GB nvme plp"),
        told="--goal concurrent --preset database --ram 128G",
        special=NO, log=YES, cache=NO, planned=frozenset({"log"}),
    ),
    "database on NVMe for servers, two more": Case(
        layout="mirror:2x1.92TB mirror:2x1.92TB mirror:2x1.92TB",
        disks=("6 x 1.92TB nvme plp", "2 x 400GB nvme plp"),
        told="--goal concurrent --preset database --ram 128G",
        special=NO, log=NO, cache=NO,
    ),
    "two hundred home directories over NFS, four NVMe": Case(
        layout="raidz2:8x16TB raidz2:8x16TB raidz2:8x16TB",
        disks=("24 x 16TB CMR SATA", "4 x 1.92TB nvme plp"),
        told="--goal concurrent --preset home-directories --sharing nfs --clients 200 --sync-percent 30 --ram 256G",
        special=YES, log=YES, cache=OPEN, planned=frozenset({"special", "log"}),
    ),
    "films at home, one NVMe for desktops": Case(
        layout="raidz1:4x8TB",
        disks=("4 x 8TB CMR SATA", "1 x 1TB nvme no-plp"),
        told="--goal safety --preset media-archive --ram 16G",
        special=NO, log=NO, cache=NO,
    ),
    # A photographer waits once for each picture that he copies: the disks stream, a log device would only take turns.
    "one photographer on NFS, two SSDs": Case(
        layout="raidz2:6x8TB",
        disks=("6 x 8TB CMR SATA", "2 x 480GB ssd plp"),
        told="--goal safety --preset nfs --clients 1 --file-size 40M --ram 32G",
        special=OPEN, log=NO, cache=OPEN,
    ),
    # Hot data that RAM does not hold: a cache would help, but not on the drives that take the log.
    "volumes over iSCSI, two large NVMe": Case(
        layout="mirror:2x8TB mirror:2x8TB mirror:2x8TB mirror:2x8TB",
        disks=("8 x 8TB CMR SATA", "2 x 2TB nvme plp"),
        told="--goal concurrent --preset iscsi --working-set 600G --ram 64G",
        special=NO, log=YES, cache=YES, planned=frozenset({"log"}),
    ),
    "guests, drives of which nobody knows whether they keep writes": Case(
        layout="mirror:2x8TB mirror:2x8TB",
        disks=("4 x 8TB CMR SATA", "2 x 500GB ssd"),
        told="--goal concurrent --preset vm-images --ram 64G",
        special=OPEN, log=YES, cache=OPEN, planned=frozenset({"log"}),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(MACHINES))
def test_that_flash_is_used_as_experienced_administrators_would(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    case = MACHINES[name]
    asked = ["--layout", *case.layout.split(), "--disks", *case.disks, *case.told.split()]
    assert run(["roles", *asked, "--json"]) == 0
    found: Any = json.loads(capsys.readouterr().out)
    verdicts = {role["role"]: role["verdict"] for role in found["roles"]}
    assert (verdicts["special"], verdicts["log"], verdicts["cache"]) == (case.special, case.log, case.cache)
    assert {part["role"] for part in found["plan"]["devices"]} == case.planned
    assert not found["plan"]["refused"]
