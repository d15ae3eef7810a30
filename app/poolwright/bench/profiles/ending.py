"""Timed tests that end earlier, when so many bytes were moved."""

from dataclasses import replace

from poolwright.bench.profiles.fio_job import fio_bytes
from poolwright.bench.profiles.profile import BenchJob, BenchTest

_UNTIL_TIME = frozenset(("time_based", "ramp_time"))


def jobs_in(test: BenchTest) -> tuple[dict[str, str], ...]:
    return tuple(dict(test.options) | dict(job.options) for job in test.jobs)


def jobs_of(test: BenchTest) -> int:
    """Return how many processes or threads a test has in all."""
    return sum(map(_count, jobs_in(test)))


def at_once(test: BenchTest) -> int:
    """Return the bytes of one block of each job."""
    return sum(_count(job) * fio_bytes(job.get("bs", "4k")) for job in jobs_in(test))


def asked_bytes(test: BenchTest) -> int | None:
    """Return how many bytes the jobs of a test move at most by what they say (io_size); None where one says nothing,
    or runs by time.
    """
    jobs = jobs_in(test)
    if any("io_size" not in job or job.get("time_based", "0") != "0" for job in jobs):
        return None
    return sum(fio_bytes(job["io_size"]) * _count(job) for job in jobs)


def ended_after(test: BenchTest, most_bytes: int) -> BenchTest:
    """Return a test whose repeats end with their time or with so many bytes, the same for each of its jobs.

    fio looks at io_size only where a job does not run by time; its ramp would move bytes that nobody counts.
    """
    each = most_bytes // jobs_of(test)
    blocks = (fio_bytes(job.get("bs", "4k")) for job in jobs_in(test))
    jobs = tuple(_ending(job, each, block) for job, block in zip(test.jobs, blocks, strict=True))
    options = tuple(option for option in test.options if option[0] not in _UNTIL_TIME)
    return replace(test, options=options, jobs=jobs, ramp_seconds=0.0)


def _ending(job: BenchJob, most_bytes: int, block: int) -> BenchJob:
    kept = tuple(option for option in job.options if option[0] not in {*_UNTIL_TIME, "io_size"})
    return BenchJob(name=job.name, options=(*kept, ("io_size", str(max(1, most_bytes // block) * block))))


def _count(job: dict[str, str]) -> int:
    told = job.get("numjobs", "1")
    return int(told) if told.isdigit() else 1
