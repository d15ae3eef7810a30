"""`audit` on real OpenZFS: pools made wrong on purpose show each of their faults and nothing else, good ones nothing.

All pools are made at once and read once over SSH, some on emulated disks, the others on files.
"""

import os
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from tests.design.audited_pools import FAULTS, without_machine
from tests.zfs_vm.conftest import series
from tests.zfs_vm.emulated import ALWAYS, BLOCK, filled
from tests.zfs_vm.machine import Machine

from poolwright.changes.audit import AuditRequest, PoolAudit, audit_machine
from poolwright.domain.finding import Severity
from poolwright.machine.packed import COLLECTOR
from poolwright.rule_library import load_shipped
from poolwright.table_library import load_drive_book

pytestmark = pytest.mark.skipif(series() == "2.1", reason="expands a raidz and relies on the defaults of 2.3")
FILES = "/mnt/audited"
BROKEN_BLOCKS = 6
LABELS_BYTES = 8 << 20
# $d3 … $d7 are disks, $n1 an NVMe drive on which the files of the other pools lie.
SCRIPT = r"""
set -e
mkfs.ext4 -q "$n1"; mkdir -p "$files"; mount "$n1" "$files"; cd "$files"
for n in $(seq 56); do truncate -s 1G "f$n"; done
head -c 16M /dev/urandom >/dev/shm/blob
data() { for n in $(seq $(($1 / 16))); do cat /dev/shm/blob; done; }  # MIB
f() { for n in "$@"; do printf '%s ' "$files/f$n"; done; }
created() { for n in 1 2 3; do ! zpool create "$@" || return 0; sleep 5; done; return 1; } # a busy udev is late
zpool create good mirror $(f 49 50)
zfs create good/data; data 16 >/good/data/x
zpool create fine raidz2 $(f 1 2 3 4)
zfs create -V 100M -s fine/vol
zpool create dra draid1:4d:8c:1s $(f 41 42 43 44 45 46 47 48)
zpool create -o ashift=9 mixed mirror $(f 51 52)
zpool add -f -o ashift=12 mixed mirror $(f 53 54)
created -f lone mirror $(f 55 56) special $d3
created sd mirror "$(readlink -f $d4)" "$(readlink -f $d5)"
zfs set sync=disabled sd
created err mirror $d6 $d7
zfs create err/data; data 64 >/err/data/x
zpool create hurt raidz2 $(f 5 6 7 8) spare $(f 9)
data 16 >/hurt/x
zpool offline hurt $(f 5); zpool replace hurt $(f 5) $(f 9)
zpool create edge raidz1 $(f 10 11 12); zpool offline edge $(f 10)
zpool create full mirror $(f 13 14)
data 784 >/full/x
zpool create marked mirror $(f 15 16); zpool checkpoint marked
zpool create rem $(f 17 18); data 64 >/rem/x
zpool sync rem; zpool remove -w rem $(f 18)
zpool create exp raidz1 $(f 19 20 21); zpool attach -w exp raidz1-0 $(f 22)
zpool create -o version=28 old mirror $(f 23 24)
zpool create -d plain mirror $(f 25 26)
zpool create odd mirror $(f 27 28); zpool set failmode=panic odd; zpool set cachefile=none odd
zfs create -o quota=20M odd/home; { data 16; head -c 3M /dev/shm/blob; } >/odd/home/x
head -c 32 /dev/urandom >/odd/key
zfs create -o encryption=on -o keyformat=raw -o keylocation=file:///odd/key odd/vault
zpool create dup mirror $(f 29 30); zfs create -o dedup=on dup/dd; data 16 >/dup/dd/x
zpool create uneven mirror $(f 31 32); data 592 >/uneven/x
zpool add uneven mirror $(f 33 34)
zpool create twins mirror $(f 37 38)
zfs create twins/data; data 16 >/twins/data/x
zpool sync twins; cp --reflink=always /twins/data/x /twins/data/y
zpool create twice mirror $(f 39 40); zfs create -o dedup=on twice/data
for n in 1 2 3 4; do cat /twins/data/x >/twice/data/$n; done
truncate -s 2G f36; zpool create -f strand mirror $(f 35 36)
zpool sync
zpool wait -t resilver hurt
"""
# The others have never been scrubbed.
SCRUBBED = ("good", "fine", "dra", "err", "rem", "exp", "full", "edge", "mixed", "lone", "sd")


def words() -> str:
    hard = [disk.path for disk in ALWAYS if disk.serial.startswith("EMU5120")]
    drives = [disk.path for disk in ALWAYS if disk.serial.startswith("EMUNVME")]
    named = [f"{letter}{n}={path}" for letter, paths in (("d", hard), ("n", drives)) for n, path in enumerate(paths)]
    return "\n".join((f"files={FILES}", *named)) + "\n"


def break_blocks(machine: Machine, serial: str) -> None:
    """Write other bytes over some blocks of a disk from outside, its labels left out."""
    disk = machine.emulated(serial)
    file = machine.file_of(disk)
    inside = [
        at for at, block in filled(file) if LABELS_BYTES < at < disk.size_bytes - LABELS_BYTES and block.count(0) < 999
    ]
    assert len(inside) > BROKEN_BLOCKS
    with file.open("r+b") as opened:
        for at in inside[:: len(inside) // BROKEN_BLOCKS][:BROKEN_BLOCKS]:
            opened.seek(at)
            opened.write(b"\x55" * BLOCK)


def audits_of(machine: Machine) -> dict[str, PoolAudit]:
    request = AuditRequest.usual(date(2000, 1, 1))  # the machine's own clock counts
    found = audit_machine(load_shipped(), machine.read(), request, load_drive_book())
    return {audit.pool.name: audit for audit in found}


@pytest.fixture(scope="module")
def made(running: Machine) -> Iterator[Machine]:
    running.blank()
    running.run(words() + SCRIPT, timeout=1800)
    break_blocks(running, "EMU51206")
    running.run(f"for pool in {' '.join(SCRUBBED)}; do zpool scrub -w $pool; done", timeout=1800)
    if kept := os.environ.get("POOLWRIGHT_RECORDINGS"):
        running.put("/tmp/operator/collector.sh", COLLECTOR.read_text(encoding="utf-8"))
        told = running.run("sh collector.sh 2>/dev/null", timeout=1800).text
        (Path(kept) / "audited.capture").write_text(told, encoding="utf-8")
    yield running
    running.blank()


@pytest.fixture(scope="module")
def audited(made: Machine) -> dict[str, PoolAudit]:
    return audits_of(made)


@pytest.mark.parametrize("pool", sorted(FAULTS))
def test_that_each_fault_is_found_and_nothing_else(audited: dict[str, PoolAudit], pool: str) -> None:
    assert without_machine({finding.rule_id for finding in audited[pool].findings}) == FAULTS[pool]


def test_that_every_pool_of_the_machine_is_audited(audited: dict[str, PoolAudit]) -> None:
    assert audited.keys() == FAULTS.keys()


def test_that_good_pools_give_notes_at_most(audited: dict[str, PoolAudit]) -> None:
    for pool in ("good", "fine", "dra", "twins"):
        assert {finding.severity for finding in audited[pool].findings} <= {Severity.NOTE}


def test_that_the_printed_sizes_are_explained_to_the_byte(audited: dict[str, PoolAudit]) -> None:
    for name, audit in audited.items():
        assert audit.sizes is not None, name
        assert audit.sizes.size is not None, (name, audit.sizes.missing)
        assert audit.sizes.available is not None
        rests = [cascade.rest_bytes for cascade in (audit.sizes.size, audit.sizes.available)]
        assert rests == [0, 0], (name, audit.sizes)


def test_that_shared_blocks_are_told(audited: dict[str, PoolAudit]) -> None:
    """16 MiB are cloned once, and written four times where they are deduplicated.

    Deduplicated is what is left when all else is explained, so blocks freed in the last seconds count against it.
    """
    for name, step, wanted in (("twins", "cloned", 16 << 20), ("twice", "deduplicated", 48 << 20)):
        sizes = audited[name].sizes
        assert sizes is not None
        for cascade in (sizes.available, sizes.allocated):
            assert cascade is not None
            (shared,) = [found.change_bytes for found in cascade.steps if found.name == step]
            assert wanted * 0.99 < shared < wanted * 1.05


def test_that_a_pool_not_scrubbed_for_two_months_is_told(made: Machine) -> None:
    made.run("date -s '+60 days'")
    try:
        good = audits_of(made)["good"]
    finally:
        made.run("hwclock -s 2>/dev/null || date -s '-60 days'")
    assert "existing.scrub-overdue" in {finding.rule_id for finding in good.findings}


def test_that_what_the_advice_says_is_impossible_is_refused(made: Machine) -> None:
    removed = made.run("zpool remove mixed mirror-1", check=False)
    assert removed.status != 0, removed.text
    replaced = made.run(f"truncate -s 1G {FILES}/new; zpool replace marked {FILES}/f15 {FILES}/new", check=False)
    assert replaced.status != 0
    assert "checkpoint" in replaced.text
