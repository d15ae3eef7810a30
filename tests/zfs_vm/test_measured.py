"""Pools that exported scripts built on real OpenZFS are measured over SSH, judged, calibrated, foretold the better."""

import subprocess
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace

import pytest
from tests.zfs_vm.machine import Machine
from tests.zfs_vm.measuring import SHORT, Measured, connected, looked, measured
from tests.zfs_vm.operator import created
from tests.zfs_vm.test_pools import vdev

from poolwright.bench.judging.expected import runs_of
from poolwright.bench.judging.verdicts import MANY_REPEATS, Expectation, Factor, Judgement, TestVerdict
from poolwright.bench.profiles.access import BenchWishes
from poolwright.bench.record import Ended
from poolwright.bench.running.inspection import on_own_dataset
from poolwright.bench.running.run import RunProgress
from poolwright.domain.design import Dataset, Design, Setting
from poolwright.domain.units import MIB
from poolwright.domain.vdev import VdevKind
from poolwright.domain.version import ZfsVersion
from poolwright.predict.assumptions import Assumptions
from poolwright.predict.measured_runs import Calibration, Metric
from poolwright.process.on_host import SshHost

PLAIN = (Setting(name="compression", value="off"),)
PAST_THE_CACHE = (*PLAIN, Setting(name="primarycache", value="metadata"))
DATASETS = (Dataset(name="bench", settings=PAST_THE_CACHE), Dataset(name="cached", settings=PLAIN))
BENCH = "/tank/bench"
DISK_RATE = 1_000_000
# What each disk serves, bytes/s: less than the emulated processor asks for, so that the disks are what is measured. Of
# so little a good part goes to the records of each group of transactions itself.
KINDS = {"raidz2": DISK_RATE, "mirror": 3 * DISK_RATE}
LEFT_FOR_READS, LEFT_FOR_WRITES = 0.8, 0.65
# Four transaction groups: fewer are not judged.
SMALL = replace(SHORT, seconds=21)
# Little memory, and little read ahead: of short runs on slow disks both would be a good part. A greatest ARC below the
# least one, a 32nd of the memory, would be ignored.
LITTLE = {
    "zfs_dirty_data_max": 16 * MIB, "zfs_arc_min": 32 * MIB, "zfs_arc_max": 64 * MIB, "zfetch_max_distance": 4 * MIB,
}  # fmt: skip
CYCLE = {"standard": ".*", "sync": "sync-(1|8)", "concurrency": "rand(read|write)-10"}


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


@pytest.fixture
def little_memory(running: Machine) -> Iterator[None]:
    """Let the pools keep little in memory, so that what is measured is the disks."""
    files = " ".join(f"/sys/module/zfs/parameters/{name}" for name in LITTLE)
    before = running.run(f"cat {files}").text.split()

    def are(values: Iterable[object]) -> None:
        running.run(";".join(f"echo {value} >{file}" for value, file in zip(values, files.split(), strict=True)))

    are(LITTLE.values())
    yield
    are(before)


@pytest.mark.usefixtures("little_memory")
@pytest.mark.parametrize("kind", KINDS)
def test_that_what_was_measured_and_judged_narrows_what_is_foretold_and_the_next_run_lies_in_it(
    host: SshHost, running: Machine, request: pytest.FixtureRequest, kind: str
) -> None:
    design: Design = request.getfixturevalue(kind)
    directory = f"/{design.pool_name}/bench"
    known = Assumptions(disk_read=LEFT_FOR_READS * KINDS[kind], disk_write=LEFT_FOR_WRITES * KINDS[kind])

    def once(profile: str, tests: str, assumed: Assumptions, wishes: BenchWishes = SMALL) -> Measured:
        one = measured(host, directory, profile, design, only=tests, wishes=wishes, assumed=assumed)
        told = [(t.test, t.judgement.value, t.narrows, t.measured, t.limiting, t.reasons) for t in one.verdict.tests]
        print(kind, profile, *told, sep="\n  ", flush=True)
        assert one.record.ended is Ended.WHOLE, (profile, one.record.why)
        assert left(running, directory) == ""
        return one

    def until_told(profile: str, tests: str, assumed: Assumptions) -> list[Measured]:
        """Measure, and do what is advised where nothing could be told: more repeats."""
        found = [once(profile, tests, assumed)]
        untold = [t.test for t in found[0].verdict.tests if t.judgement is Judgement.CANNOT_TELL]
        return [*found, *(once(profile, test, assumed, replace(SMALL, repeats=MANY_REPEATS)) for test in untold)]

    def all_measured(assumed: Assumptions) -> list[Measured]:
        return [one for profile, tests in CYCLE.items() for one in until_told(profile, tests, assumed)]

    with running.slowed([disk.serial or "" for disk in design.disks], rate=KINDS[kind]):
        first = all_measured(known)
        runs = [run for one in first for run in runs_of(one.record, one.verdict, design.layout())]
        assert {run.metric for run in runs} == set(Metric), runs
        second = all_measured(replace(known, calibration=Calibration(runs=tuple(runs))))
    assert not [test for one in first for test in one.verdict.tests if test.judgement is Judgement.TOO_FAST]
    before, after = told_of(first), told_of(second)
    assert before.keys() == after.keys() == {"write", "read", "sync-1", "sync-8", "randread-10", "randwrite-10"}
    for name in before:
        assert_foretold(*before[name], *after[name])


def told_of(found: list[Measured]) -> dict[str, tuple[TestVerdict, Expectation]]:
    """Return the last verdict on each test that tells something of the pool, with what was foretold."""
    return {
        test.test: (test, one.expectation[test.test]) for one in found for test in one.verdict.tests if test.narrows
    }


def figures_of(test: TestVerdict, told: Expectation) -> str:
    band, found = told.estimate, test.measured
    expected = "nothing" if band is None else f"{band.low:.6g} to {band.high:.6g}"
    values = () if found is None else found.values
    return f"{test.test}: expected {expected}, measured {values}: {test.judgement.value}, narrows {test.narrows}"


def assert_foretold(first: TestVerdict, before: Expectation, second: TestVerdict, after: Expectation) -> None:
    """Tell whether a measured test made the band of the next narrower, and whether that one lies in it and passed."""
    assert first.measured is not None
    assert second.measured is not None
    assert before.estimate is not None
    assert after.estimate is not None
    figures = (figures_of(first, before), figures_of(second, after))
    assert after.estimate.low <= second.measured.median <= after.estimate.high, figures
    assert after.estimate.high / after.estimate.low < before.estimate.high / before.estimate.low, figures
    assert second.judgement is Judgement.PASSED, figures


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


@pytest.mark.parametrize("ending", ["whole", "cut"])
def test_that_a_dataset_is_made_for_the_run_and_is_gone_with_it(running: Machine, raidz2: Design, ending: str) -> None:

    before = running.run("zfs list -H -r -o name tank").text
    with connected(running) as host:
        place = on_own_dataset(looked(host, BENCH), "standard", SHORT)
        assert place.makes is not None
        seen: list[str] = []

        def told(_doing: str, _fraction: float | None, value: object) -> None:
            if isinstance(value, RunProgress) and value.test and not seen:
                seen.append(running.run("zfs list -H -r -o name,primarycache,com.sun:auto-snapshot,mounted tank").text)
                if ending == "cut":
                    subprocess.run(["ssh", *host.options, "-O", "exit", host.name], check=True, capture_output=True)
                    running.unreachable()

        found = measured(host, BENCH, "standard", raidz2, only="write", wishes=SHORT, told=told, place=place)
    made = next(line.split("\t") for line in seen[0].splitlines() if "/poolwright-bench-" in line)
    assert made[0].startswith("tank/bench/poolwright-bench-")
    assert made[2:] == ["false", "yes"]
    assert found.record.ended is (Ended.WHOLE if ending == "whole" else Ended.FAILED), found.record.why
    deadline = time.monotonic() + 120
    while running.run("zfs list -H -r -o name tank").text != before and time.monotonic() < deadline:
        time.sleep(1)
    assert running.run("zfs list -H -r -o name tank").text == before
    assert left(running, BENCH) == ""


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
