"""What an operator does with the benchmark on a pool in the machine, as `poolwright bench` does it here."""

import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from tests.zfs_vm.machine import Machine

from poolwright.bench.judging.expected import expected
from poolwright.bench.judging.verdict import judge
from poolwright.bench.judging.verdicts import Expectation, RunVerdict, TestVerdict
from poolwright.bench.profiles.access import BenchWishes
from poolwright.bench.profiles.catalogue import find_built_in, make_profile
from poolwright.bench.record import BenchTarget, JobOptions, RunRecord, job_text
from poolwright.bench.running.inspection import look
from poolwright.bench.running.run import RunOrder, Teller, run_profile, silent
from poolwright.domain.design import Design
from poolwright.domain.units import MIB
from poolwright.predict.assumptions import Assumptions
from poolwright.process.blocking import converse
from poolwright.process.on_host import SshHost, on_host

# Emulated processors read and write 10 to 30 MB/s: what takes minutes elsewhere is made small.
SHORT = BenchWishes(repeats=2, seconds=10)
FILES_BYTES = 128 * MIB


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A run with what was expected of it and the verdict."""

    record: RunRecord
    expectation: dict[str, Expectation]
    verdict: RunVerdict

    def of(self, test: str) -> TestVerdict:
        return next(one for one in self.verdict.tests if one.test == test)


@contextmanager
def connected(machine: Machine) -> Iterator[SshHost]:
    """Keep one connection open for all that is run: each of its own takes seconds of an emulated processor."""
    host, config = machine.reached()
    ssh = ["ssh", "-F", str(config)]
    with subprocess.Popen([*ssh, "-MN", host.name], stdin=subprocess.DEVNULL) as master:
        try:
            yield host
        finally:
            master.terminate()


def looked(host: SshHost, directory: str) -> BenchTarget:
    """Return what is known of a directory of the machine."""
    return converse(on_host(look(directory), host))


def measured(
    host: SshHost,
    directory: str,
    name: str,
    design: Design,
    *,
    wishes: BenchWishes = SHORT,
    only: str = ".*",
    options: JobOptions = (),
    assumed: Assumptions | None = None,
    told: Teller = silent,
    place: BenchTarget | None = None,
    files: int = FILES_BYTES,
) -> Measured:
    """Run the tests of a profile that are named as ``only`` says, with more ``options``; judge them by a design.

    ``place`` is the directory as it was looked at before. Half of what is free there may be taken: it is made to look
    as if that were room for so many bytes of ``files``.
    """
    place = replace(place or looked(host, directory), free_bytes=2 * files)
    profile = make_profile(find_built_in(name), place, design, wishes)
    tests = (test for test in profile.tests if re.fullmatch(only, test.name))
    profile = replace(profile, tests=tuple(replace(test, options=(*test.options, *options)) for test in tests))
    expectation = expected(profile, design, assumed, place)
    # At rest what watches takes a third of an emulated processor: no noise floor is taken, which would say so.
    order = RunOrder(profile=profile, place=place, job_of=job_text, idle_seconds=0)
    record = converse(on_host(run_profile(order, told), host))
    return Measured(record=record, expectation=expectation, verdict=judge(record, expectation))
