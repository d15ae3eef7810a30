"""fio job files fitted to the design's workload: what the pool is for, asked of the pool itself.

fio itself is told where and how large by DIRECTORY and SIZE where the design does not know it.
"""

from dataclasses import dataclass

from poolwright.domain.design import Design
from poolwright.domain.names import check_names
from poolwright.domain.units import GIB, KIB, MIB, binary
from poolwright.domain.version import ZfsVersion
from poolwright.domain.workload import Goal, Workload
from poolwright.emit.names import Stamp, comment, comment_line, commented
from poolwright.texts import _

# What fio is told wherever it measures ZFS, and the jobs that a workload is: one home for exports and the benchmark.

FioOptions = tuple[tuple[str, str], ...]

# Before 2.3 O_DIRECT is taken and ignored: everything goes through the ARC (openzfs#10018).
DIRECT_SINCE = ZfsVersion(2, 3)
# More processes measure the scheduler of the machine, not the pool.
MOST_JOBS = 64
SEQUENTIAL_BYTES = MIB
_RANDOM_BYTES = {Goal.SAFETY: 128 * KIB, Goal.CONCURRENT: 16 * KIB, Goal.SPEED: 128 * KIB, Goal.SPACE: 128 * KIB}
_CLIENTS = {Goal.SAFETY: 4, Goal.CONCURRENT: 32, Goal.SPEED: 4, Goal.SPACE: 4}
# ZFS has no preallocation: fio's attempt would write zeros, which are compressed away.
WITHOUT_ZEROS: FioOptions = (("fallocate", "none"),)


def written_data(compress_percent: int = 0) -> FioOptions:
    """Return what makes fio write other bytes in every block: compression and dedup cannot make the pool look fast.

    ``compress_percent`` of each block can be compressed away; 0 is noise.
    """
    return (("refill_buffers", "1"), ("buffer_compress_percentage", str(compress_percent)), ("dedupe_percentage", "0"))


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkloadJob:
    """One kind of access of a workload: ``rw`` is fio's word, ``extra`` what it needs besides block and jobs."""

    name: str
    why: str
    rw: str
    block_bytes: int
    jobs: int
    extra: FioOptions = ()

    @property
    def options(self) -> FioOptions:
        usual = (("rw", self.rw), ("bs", str(self.block_bytes)), ("numjobs", str(self.jobs)))
        return (*usual, *self.extra)


def clients_of(workload: Workload) -> int:
    """Return how many clients are played: as told, else as the goal has them, and at most `MOST_JOBS`."""
    return min(workload.clients or _CLIENTS[workload.goal], MOST_JOBS)


def workload_jobs(workload: Workload) -> tuple[WorkloadJob, ...]:
    """Return the accesses of a workload, one after the other: the four plain ones, then what it says of itself."""
    size, clients = workload.io_size_bytes or _RANDOM_BYTES[workload.goal], clients_of(workload)
    plain = (
        ("sequential-write", _("Sequential write"), "write", SEQUENTIAL_BYTES),
        ("sequential-read", _("Sequential read"), "read", SEQUENTIAL_BYTES),
        ("random-read", _("Random read"), "randread", size),
        ("random-write", _("Random write"), "randwrite", size),
    )  # for machines
    jobs = [WorkloadJob(name=name, why=why, rw=rw, block_bytes=bs, jobs=clients) for name, why, rw, bs in plain]
    if workload.read_percent is not None and workload.read_percent not in (0, 100):
        jobs.append(_mixed(workload, workload.read_percent, size, clients))
    if workload.sync_write_percent:
        why = _("{percent} % of the writes wait until they are on stable storage", percent=workload.sync_write_percent)
        extra = (("fsync", "1"), ("end_fsync", "1"))
        jobs.append(
            WorkloadJob(name="synchronous-write", why=why, rw="randwrite", block_bytes=size, jobs=clients, extra=extra)
        )
    return tuple(jobs)


def _mixed(workload: Workload, reads: int, size: int, clients: int) -> WorkloadJob:
    random = 100 - (workload.sequential_percent or 0)
    return WorkloadJob(
        name="as-described",
        why=_("{reads} % reads, {random} % random, as the workload says", reads=reads, random=random),
        rw="randrw",
        block_bytes=size,
        jobs=clients,
        extra=(("rwmixread", str(reads)), ("percentage_random", str(random))),
    )


RAM_FACTOR = 4  # so that at most a quarter can come from the ARC
RAMP_SECONDS, RUN_SECONDS = 15, 120


def fio_job_file(design: Design, stamp: Stamp) -> str:
    """Return a job file of fio 3.x for the design's main pool; run where the pool is, in a dataset made for it.

    Raises UserError for names that no command may hold.
    """
    check_names(design)
    clients = clients_of(design.workload)
    ram = design.machine.ram_bytes
    size = 100 if ram is None else max(1, -(-RAM_FACTOR * ram // clients // GIB))
    lines = [
        comment_line(
            _("fio jobs for the design “{design}”, pool {pool}.", design=comment(design.name), pool=design.pool_name),
            mark="; ",
        ),
        *_said(stamp.words),
        ";",
        *_said(_("It writes. Make a dataset for it and destroy that afterwards:")),
        f";   zfs create {comment(design.pool_name)}/poolwright-fio",  # for machines
        f";   export DIRECTORY=/{comment(design.pool_name)}/poolwright-fio SIZE={size}G",  # for machines
        ";   fio --output-format=json FILE",  # for machines
        *_said(_size_words(ram)),
        "",
        "[global]",
        *(f"{name}={value}" for name, value in _global(design)),
    ]
    for job in workload_jobs(design.workload):
        lines += [
            "",
            *_said(job.why),
            f"[{job.name}]",
            "stonewall",
            *(f"{name}={value}" for name, value in job.options),
        ]
    return "\n".join([*lines, ""])


def _said(text: str) -> list[str]:
    return commented(text, mark="; ")


def _size_words(ram: int | None) -> str:
    if ram is None:
        return _("SIZE is for each client: {factor} times the RAM together. It is not known here.", factor=RAM_FACTOR)
    words = {"factor": RAM_FACTOR, "ram": binary(ram)}
    return _("SIZE is for each client: together {factor} times the {ram} of RAM.", **words)


def _global(design: Design) -> FioOptions:
    direct = design.version >= DIRECT_SINCE
    return (
        ("directory", "${DIRECTORY}"),
        ("size", "${SIZE}"),
        *WITHOUT_ZEROS,
        ("ioengine", "libaio" if direct else "psync"),
        ("direct", "1" if direct else "0"),
        *written_data(),
        ("randrepeat", "0"),
        ("norandommap", "1"),
        ("time_based", "1"),
        ("ramp_time", str(RAMP_SECONDS)),
        ("runtime", str(RUN_SECONDS)),
        ("group_reporting", "1"),
        ("filename_format", "$jobnum"),
    )
