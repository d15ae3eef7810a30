"""A test as the text that its program takes: to be run in a directory of its own, with all names relative to it."""

from poolwright.bench.profiles.profile import BenchTest, Engine, JobOptions
from poolwright.domain.units import parse_size
from poolwright.machine.fio.words import LOG_MILLISECONDS

LOG_NAME = "log"
_LOGS: JobOptions = (
    ("write_bw_log", LOG_NAME),
    ("write_iops_log", LOG_NAME),
    ("write_lat_log", LOG_NAME),
    ("log_avg_msec", str(LOG_MILLISECONDS)),
)
# From issue to completion: where ZFS answers libaio, all the time goes by before fio calls an operation submitted.
_WHOLE_TIME: JobOptions = (("lat_percentiles", "1"), ("clat_percentiles", "0"))


def job_text(test: BenchTest, seed: int) -> str:
    """Return what one repeat is told: a fio job file; for dd its operands, for bonnie++ its options, a call a line.

    ``seed`` is another one in each repeat, so that none meets the blocks or the order of the last.
    """
    if test.engine is Engine.DD:
        return "".join(" ".join(f"{name}={value}" for name, value in job.options) + "\n" for job in test.jobs)
    if test.engine is Engine.BONNIE:
        return "".join(" ".join(f"{name} {value}".strip() for name, value in job.options) + "\n" for job in test.jobs)
    usual = {"randrepeat": "0", "randseed": str(seed), "group_reporting": "1"}
    options = usual | dict(_LOGS) | dict(_WHOLE_TIME) | dict(test.options)
    return sections_text(tuple(options.items()), tuple((job.name, job.options) for job in test.jobs))


def fio_bytes(text: str) -> int:
    """Return a size as fio reads it: the largest of a range, and every unit of 1024s. Raises UserError."""
    number = text.split(",", maxsplit=1)[0].rsplit("-", maxsplit=1)[-1].strip()
    return int(number) if number.isdigit() else parse_size(number.lower().removesuffix("b").removesuffix("i"))


def sections_text(shared: JobOptions, jobs: tuple[tuple[str, JobOptions], ...]) -> str:
    lines = ["[global]", *_lines(shared)]
    for name, options in jobs:
        lines += ["", f"[{name}]", *_lines(options)]
    return "\n".join([*lines, ""])


def _lines(options: JobOptions) -> list[str]:
    return [f"{name}={value}" for name, value in options]
