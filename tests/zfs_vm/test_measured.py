"""Pools that exported scripts built on real OpenZFS are measured over SSH, judged, calibrated, foretold the better."""

import subprocess
import time
from collections.abc import Iterator
from dataclasses import replace

import pytest
from tests.zfs_vm.machine import Machine
from tests.zfs_vm.measuring import SHORT, connected, looked, measured
from tests.zfs_vm.operator import created
from tests.zfs_vm.test_pools import vdev

from poolwright.bench.judging.calibrating import runs_of
from poolwright.bench.judging.verdicts import Factor, Judgement
from poolwright.bench.record import Ended
from poolwright.bench.running.run import RunProgress
from poolwright.domain.design import Dataset, Design, Setting
from poolwright.domain.units import MIB
from poolwright.domain.vdev import VdevKind
from poolwright.domain.version import ZfsVersion
from poolwright.predict.assumptions import Assumptions
from poolwright.predict.runs import Calibration
from poolwright.process.on_host import SshHost

PLAIN = (Setting(name="compression", value="off"),)
PAST_THE_CACHE = (*PLAIN, Setting(name="primarycache", value="metadata"))
DATASETS = (Dataset(name="bench", settings=PAST_THE_CACHE), Dataset(name="cached", settings=PLAIN))
BENCH = "/tank/bench"
DISK_RATE = 1_000_000
SMALL = replace(SHORT, most_bytes=192 * MIB, seconds=30)  # what was laid out is in memory for the first 5 s


@pytest.fixture(scope="module")
def raidz2(running: Machine) -> Design:
    """Return the design of the pool that its own script built."""
    assert running.inventory.disks
    running.blank()
    disks = running.disks("EMU512")[:6]
    design = Design(
        key="bench", name="Raidz2", pool_name="tank", disks=disks,
        vdevs=(vdev(disks, VdevKind.RAIDZ, parity=2),), datasets=DATASETS,
    )  # fmt: skip
    made = created(running, design)
    assert made.status == 0, made.text
    return design


@pytest.fixture(scope="module")
def mirror(running: Machine, raidz2: Design) -> Design:
    """Return the design of a pool beside it."""
    assert raidz2
    disks = running.disks("EMU4KN")
    design = Design(
        key="pair", name="Mirror", pool_name="pair", disks=disks,
        vdevs=(vdev(disks, VdevKind.MIRROR),), datasets=DATASETS,
    )  # fmt: skip
    made = created(running, design)
    assert made.status == 0, made.text
    return design


@pytest.fixture(scope="module")
def host(running: Machine) -> Iterator[SshHost]:
    with connected(running) as reached:
        yield reached


def left(machine: Machine, directory: str) -> str:
    return machine.run(f"ls {directory}").text


def test_that_versions_disks_and_serials_of_the_pool_are_found(host: SshHost, raidz2: Design) -> None:
    place = looked(host, BENCH)
    assert place.refusals == ()
    assert {disk.serial for disk in place.disks} == {disk.serial for disk in raidz2.disks}
    assert place.module == place.userland
    assert place.module is not None
    assert (dict(place.parameters).get("zfs_dio_enabled") is not None) is (place.module >= ZfsVersion(2, 3))


@pytest.mark.parametrize("kind", ["raidz2", "mirror"])
def test_that_what_was_measured_narrows_what_is_foretold_and_the_next_run_lies_in_it(
    host: SshHost, running: Machine, request: pytest.FixtureRequest, kind: str
) -> None:
    test = "read"  # what is written in seconds stays in memory, and the verdict says so
    design: Design = request.getfixturevalue(kind)
    directory = f"/{design.pool_name}/bench"
    # Slower than the emulated processor, so that the disks are what is measured.
    known = Assumptions(disk_read=float(DISK_RATE), disk_write=float(DISK_RATE))
    with running.slowed([disk.serial or "" for disk in design.disks], rate=DISK_RATE):
        first = measured(host, directory, "standard", design, only=test, wishes=SMALL, assumed=known)
        assert first.record.ended is Ended.WHOLE, first.record.why
        assert left(running, directory) == ""
        (run,) = runs_of(first.record, first.verdict, design.layout())
        told = replace(known, calibration=Calibration(runs=(run,)))
        second = measured(host, directory, "standard", design, only=test, wishes=SMALL, assumed=told)
    before, after = first.foretold[test].estimate, second.foretold[test].estimate
    found = second.verdict.tests[0].measured
    assert before is not None
    assert after is not None
    assert found is not None
    print(before.low, before.high, run.value, after.low, after.high, found.values, first.verdict, second.verdict)
    assert after.low <= found.median <= after.high
    assert after.high / after.low < before.high / before.low


@pytest.mark.parametrize(("profile", "tests"), [("sync", "sync-(1|8)"), ("concurrency", ".*-(1|10)")])
def test_that_synchronous_writes_and_many_at_once_are_measured_and_judged(
    host: SshHost, running: Machine, raidz2: Design, profile: str, tests: str
) -> None:
    found = measured(host, BENCH, profile, raidz2, only=tests)
    assert found.record.ended is Ended.WHOLE, found.record.why
    assert len(found.verdict.tests) >= 2
    assert all(test.measured is not None for test in found.verdict.tests)
    assert left(running, BENCH) == ""


def test_that_a_slow_disk_is_named_with_its_serial(host: SshHost, running: Machine, raidz2: Design) -> None:
    with running.slowed(["EMU51203"], iops=15):
        found = measured(host, BENCH, "patterns", raidz2, only=".*read.*")
    named = {
        test.limiting.serial
        for test in found.verdict.tests
        if test.limiting is not None and test.limiting.factor is Factor.ONE_DISK
    }
    assert named == {"EMU51203"}, found.verdict


def test_that_a_run_from_the_cache_is_not_called_fast(host: SshHost, raidz2: Design) -> None:
    known = Assumptions(disk_read=float(DISK_RATE), disk_write=float(DISK_RATE))
    past_no_cache = (("direct", "0"),)
    found = measured(
        host, "/tank/cached", "standard", raidz2, only="read", wishes=SMALL, options=past_no_cache, assumed=known
    )
    (test,) = found.verdict.tests
    assert test.judgement in (Judgement.CANNOT_TELL, Judgement.TOO_FAST), found.verdict
    assert runs_of(found.record, found.verdict, raidz2.layout()) == ()


def test_that_a_scrub_under_way_is_a_refusal(host: SshHost, running: Machine, raidz2: Design) -> None:
    running.run("head -c 50M /dev/urandom >/tank/cached/data; sync")
    with running.slowed([disk.serial or "" for disk in raidz2.disks], iops=2):
        running.run("zpool scrub tank")
        refused = looked(host, BENCH)
        running.run("zpool scrub -s tank")
    running.run("rm /tank/cached/data")
    assert any("scrub in progress" in why for why in refused.refusals), refused.refusals


def test_that_a_killed_connection_leaves_no_file_behind(running: Machine, raidz2: Design) -> None:
    with connected(running) as host:
        began: list[str] = []

        def cut(_doing: str, _fraction: float | None, value: object) -> None:
            if isinstance(value, RunProgress) and value.test and not began:
                began.append(left(running, BENCH))
                subprocess.run(["ssh", *host.options, "-O", "exit", host.name], check=True, capture_output=True)
                # No other connection is made: what removes the files is what runs there.
                running.unreachable()

        found = measured(host, BENCH, "standard", raidz2, wishes=SHORT, told=cut)
    assert began[0].startswith("poolwright-bench-")
    assert (found.record.ended, "connection" in found.record.why) == (Ended.FAILED, True), found.record.why
    deadline = time.monotonic() + 60
    while left(running, BENCH) and time.monotonic() < deadline:
        time.sleep(1)
    assert left(running, BENCH) == ""
    assert running.run("pgrep -x fio", check=False).text == ""
