"""Timed tests that end earlier, when so many bytes were moved."""

from dataclasses import replace

from poolwright.bench.profiles.fio_job import fio_bytes
from poolwright.bench.profiles.profile import BenchJob, BenchTest

_UNTIL_TIME = frozenset(("time_based", "ramp_time"))


def jobs_of(test: BenchTest) -> int:
    """Return how many processes or threads a test has in all."""
    return sum(_count(test, job) for job in test.jobs)


def at_once(test: BenchTest) -> int:
    """Return the bytes of one block of each job."""
    shared = dict(test.options)
    return sum(_count(test, job) * fio_bytes((shared | dict(job.options)).get("bs", "4k")) for job in test.jobs)


def asked_bytes(test: BenchTest) -> int | None:
    """Return how many bytes the jobs of a test move at most by what they say (io_size); None where one says nothing."""
    shared, total = dict(test.options), 0
    for job in test.jobs:
        told = (shared | dict(job.options)).get("io_size")
        if told is None:
            return None
        total += fio_bytes(told) * _count(test, job)
    return total


def ended_after(test: BenchTest, most_bytes: int) -> BenchTest:
    """Return a test whose repeats end with their time or with so many bytes, the same for each of its jobs.

    fio looks at io_size only where a job does not run by time; its ramp would move bytes that nobody counts.
    """
    each = most_bytes // jobs_of(test)
    shared = dict(test.options)
    jobs = tuple(_ending(job, each, fio_bytes((shared | dict(job.options)).get("bs", "4k"))) for job in test.jobs)
    options = tuple(option for option in test.options if option[0] not in _UNTIL_TIME)
    return replace(test, options=options, jobs=jobs, ramp_seconds=0.0)


def _ending(job: BenchJob, most_bytes: int, block: int) -> BenchJob:
    kept = tuple(option for option in job.options if option[0] not in {*_UNTIL_TIME, "io_size"})
    return BenchJob(name=job.name, options=(*kept, ("io_size", str(max(1, most_bytes // block) * block))))


def _count(test: BenchTest, job: BenchJob) -> int:
    told = (dict(test.options) | dict(job.options)).get("numjobs", "1")
    return int(told) if told.isdigit() else 1
