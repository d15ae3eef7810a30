"""Places, small tests and orders for runs of the real fio in a directory."""

from dataclasses import replace
from pathlib import Path
from shutil import which

import pytest

from poolwright.bench.record import BenchJob, BenchTarget, BenchTest, Engine, Profile
from poolwright.bench.running.run import RunOrder

MIB = 1 << 20
needs_fio = pytest.mark.skipif(which("fio") is None, reason="fio is not installed")


def place(directory: Path) -> BenchTarget:
    return BenchTarget(directory=str(directory), filesystem="ext4", host="here", free_bytes=1 << 40)


def small(
    name: str = "write", *, rw: str = "write", mib: int = 8, seconds: float | None = None, repeats: int = 2
) -> BenchTest:
    timed = () if seconds is None else (("time_based", "1"), ("runtime", f"{seconds:g}"))
    options = (("bs", "64k"), ("size", f"{mib}M"), ("filename", "data"), ("ioengine", "psync"), ("fallocate", "none"))
    return BenchTest(
        name=name,
        title=f"Test {name}",
        jobs=(BenchJob(name=name, options=(("rw", rw),)),),
        options=(*options, *timed, ("write_bw_log", "test"), ("log_avg_msec", "200")),
        file_bytes=mib * MIB,
        seconds=seconds,
        repeats=repeats,
    )


def job_of(test: BenchTest, seed: int) -> str:
    if test.engine in (Engine.DD, Engine.BONNIE):
        return "".join(" ".join(f"{k}={v}" for k, v in job.options) + "\n" for job in test.jobs)
    lines = ["[global]", f"randseed={seed}", *(f"{k}={v}" for k, v in test.options)]
    for job in test.jobs:
        lines += [f"[{job.name}]", *(f"{k}={v}" for k, v in job.options)]
    return "\n".join(lines) + "\n"


def order(directory: Path, *tests: BenchTest) -> RunOrder:
    profile = Profile(name="small", title="Small", question="Does it run?", tests=tests)
    return RunOrder(profile=profile, place=place(directory), job_of=job_of, idle_seconds=0.2)


def with_options(test: BenchTest, *options: tuple[str, str]) -> BenchTest:
    return replace(test, options=(*test.options, *options))
