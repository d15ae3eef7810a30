"""What holds of every judgement, whatever is known or unknown."""

from dataclasses import dataclass, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.command_line import answer_of
from tests.design.role_cases import disk, flash, raidz2_design, tunables_design

from poolwright.design.roles.advice import apply_roles, judge_roles, setting_of
from poolwright.design.roles.model import RoleChoices, Verdict
from poolwright.design.roles.share import criticise, plan_roles
from poolwright.design.support import Role, chosen_roles
from poolwright.domain.design import Dataset, Design
from poolwright.domain.disk import Media
from poolwright.domain.estimate import Estimate
from poolwright.domain.host import Host
from poolwright.domain.units import GIB, KIB, TIB
from poolwright.domain.version import ZfsVersion
from poolwright.domain.workload import Goal, Workload

MAYBE_PERCENT = st.none() | st.sampled_from([0, 5, 20, 50, 80, 100])
WORKLOADS = st.builds(
    Workload,
    goal=st.sampled_from(Goal),
    read_percent=MAYBE_PERCENT,
    sequential_percent=MAYBE_PERCENT,
    sync_write_percent=MAYBE_PERCENT,
    io_size_bytes=st.none() | st.sampled_from([4 * KIB, 128 * KIB, 1 << 20]),
    typical_file_bytes=st.none() | st.sampled_from([100, 16 * KIB, 1 << 20, 1 << 34]),
    compressible=st.none() | st.booleans(),
    duplicate_factor=st.none() | st.sampled_from([1.0, 1.5, 2.0, 11.0]),
    working_set_bytes=st.none() | st.sampled_from([1, GIB, 500 * GIB, 100 * TIB]),
    growth_percent=st.none() | st.sampled_from([0, 20, 100]),
    network_bytes_per_second=st.none() | st.sampled_from([125_000_000, 12_500_000_000]),
    volumes=st.booleans(),
)
RAM = st.none() | st.sampled_from([GIB, 16 * GIB, 64 * GIB, 1024 * GIB])
VERSIONS = st.sampled_from([ZfsVersion(2, 1, 0), ZfsVersion(2, 2, 0), ZfsVersion(2, 3, 2), ZfsVersion(2, 4, 0)])
DATA = st.none() | st.sampled_from([0, 1, TIB, 200 * TIB])


def in_order(value: Estimate | None) -> bool:
    return value is None or 0 <= value.low <= value.typical <= value.high


@pytest.mark.slow
@given(workload=WORKLOADS, ram=RAM, version=VERSIONS, drives=st.integers(0, 4), logical=DATA, ssds=st.booleans())
@settings(max_examples=60, deadline=None)
def test_that_every_judgement_has_reasons_and_ordered_numbers(
    workload: Workload, ram: int | None, version: ZfsVersion, drives: int, logical: int | None, ssds: bool
) -> None:
    base = raidz2_design(*flash(drives))
    if ssds:
        base = replace(base, disks=tuple(replace(d, media=Media.SSD) for d in base.disks))
    design = replace(
        base,
        workload=workload,
        host=Host(ram_bytes=ram),
        version=version,
        datasets=(Dataset(name=""), Dataset(name="data", logical_bytes=logical)),
    )
    advice = judge_roles(setting_of(design))
    for judged in advice.judgements:
        assert judged.because
        assert (judged.verdict is Verdict.CANNOT_TELL) or not judged.missing
        assert in_order(judged.size)
        if judged.gain is not None:
            assert in_order(judged.gain.before)
            assert in_order(judged.gain.after)
        for block in judged.small_blocks:
            assert 0 <= block.share_of_bytes <= 1
            assert 0 <= block.share_of_files <= 1
            assert in_order(block.moved)
    made = apply_roles(design, advice, advice.helpful)
    carried = {part.role for part in plan_roles(advice, advice.helpful).planned}
    assert chosen_roles(made) == carried
    again = judge_roles(setting_of(made))
    assert [j.verdict for j in again.judgements] == [j.verdict for j in advice.judgements]
    assert apply_roles(made, again, ()) == design


@given(seconds=st.floats(0.5, 600), ram=RAM, version=VERSIONS)
@settings(max_examples=10, deadline=None)
def test_that_a_log_of_any_seconds_has_an_ordered_size(seconds: float, ram: int | None, version: ZfsVersion) -> None:
    design = replace(raidz2_design(*flash(2), sync_write_percent=50, ram=ram), version=version)
    judged = judge_roles(setting_of(design, RoleChoices(ingest_seconds=seconds))).of(Role.LOG)
    assert in_order(judged.size)


def test_that_every_present_role_that_does_not_help_is_criticised() -> None:
    design: Design = tunables_design(sequential_percent=95, sync_write_percent=0)
    advice = judge_roles(setting_of(design))
    for role in Role:
        told = {critique.role for critique in criticise(advice, {role})}
        assert told == (set() if advice.of(role).verdict is Verdict.HELPS else {role})


def test_that_disks_of_unknown_media_do_not_pass_for_flash() -> None:
    design = raidz2_design(*flash(2), sync_write_percent=50)
    unknown = replace(design, disks=tuple(replace(d, media=None) if d.media is Media.HDD else d for d in design.disks))
    advice = judge_roles(setting_of(unknown))
    assert advice.setting.data_media is None
    assert advice.of(Role.LOG).verdict is Verdict.HELPS
    assert disk(0).media is Media.HDD


# Ordinary machines with flash to spare: what experienced administrators say of it.

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
def test_that_flash_is_used_as_experienced_administrators_would(name: str) -> None:
    case = MACHINES[name]
    found = answer_of("roles", "--layout", *case.layout.split(), "--disks", *case.disks, *case.told.split())
    verdicts = {role["role"]: role["verdict"] for role in found["roles"]}
    assert (verdicts["special"], verdicts["log"], verdicts["cache"]) == (case.special, case.log, case.cache)
    assert {part["role"] for part in found["plan"]["devices"]} == case.planned
    assert not found["plan"]["refused"]
