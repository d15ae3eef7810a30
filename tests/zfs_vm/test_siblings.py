"""The slowest of the disks is found before they become a pool, on the disks themselves, which are only read."""

from dataclasses import replace

from tests.zfs_vm.machine import Machine
from tests.zfs_vm.measuring import connected, looked
from tests.zfs_vm.test_pools import vdev

from poolwright.bench.judging.verdict import judge
from poolwright.bench.judging.verdicts import Judgement
from poolwright.bench.profiles.access import BenchWishes
from poolwright.bench.profiles.catalogue import find_built_in, make_profile
from poolwright.bench.record import BenchTarget, Ended, Profile, RunRecord, job_text
from poolwright.bench.running.run import RunOrder, run_profile
from poolwright.domain.design import Design
from poolwright.domain.vdev import VdevKind
from poolwright.process.blocking import converse
from poolwright.process.on_host import SshHost, on_host

WRITTEN = r"awk '$3 ~ /^(sd|nvme)/ { sum += $8 + $10 } END { print sum + 0 }' /proc/diskstats"


# What healthy disks and the slow one give, bytes/s: less than an emulated processor reads while others work beside it.
HEALTHY, SLOW = 4_000_000, 1_000_000
CANDIDATES = ("EMU51204", "EMU51205", "EMU51206", "EMU51207")


def run(host: SshHost, place: BenchTarget, profile: Profile) -> RunRecord:
    order = RunOrder(profile=profile, place=place, job_of=job_text, idle_seconds=0)
    return converse(on_host(run_profile(order), host))


def profile_of(machine: Machine, place: BenchTarget) -> Profile:
    disks = tuple(disk for disk in machine.disks("EMU512") if disk.serial in CANDIDATES)
    design = Design(
        key="candidates",
        name="Candidates",
        pool_name="tank",
        disks=disks,
        vdevs=(vdev(disks, VdevKind.RAIDZ, parity=1),),
    )
    return make_profile(find_built_in("siblings"), place, design, BenchWishes(seconds=2))


def test_that_the_slow_one_among_raw_disks_is_found_and_none_is_written_to(running: Machine) -> None:
    before = running.inventory.disks and running.run(f"mkdir -p /tmp/siblings; {WRITTEN}").text
    others = [serial for serial in CANDIDATES if serial != "EMU51206"]
    with connected(running) as host, running.slowed(others, rate=HEALTHY), running.slowed(["EMU51206"], rate=SLOW):
        place = replace(looked(host, "/tmp/siblings"), refusals=())
        record = run(host, place, profile_of(running, place))
    assert record.ended is Ended.WHOLE, record.why
    verdict = judge(record, {})
    assert verdict.judgement is Judgement.SLOWER, verdict
    assert {test.limiting.serial for test in verdict.tests if test.judgement is Judgement.SLOWER and test.limiting} == {
        "EMU51206"
    }
    assert "EMU51206" in verdict.sentence
    assert running.run(WRITTEN).text == before


def test_that_a_sweep_that_would_write_is_refused_there(running: Machine) -> None:
    before = running.run(f"mkdir -p /tmp/siblings; {WRITTEN}").text
    with connected(running) as host:
        place = replace(looked(host, "/tmp/siblings"), refusals=())
        profile = profile_of(running, place)
        first = profile.tests[0]
        jobs = tuple(
            replace(job, options=tuple((name, "write" if name == "rw" else value) for name, value in job.options))
            for job in first.jobs
        )
        record = run(host, place, replace(profile, tests=(replace(first, jobs=jobs),)))
    assert record.ended is Ended.FAILED
    assert "leads outside" in record.why
    assert running.run(WRITTEN).text == before
