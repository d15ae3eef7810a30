"""fio job files fitted to the design's workload: what the pool is for, asked of the pool itself.

fio itself is told where and how large by DIRECTORY and SIZE where the design does not know it.
"""

from dataclasses import dataclass

from poolwright.domain.design import Design
from poolwright.domain.names import check_names
from poolwright.domain.units import GIB, KIB, MIB, binary
from poolwright.domain.version import ZfsVersion
from poolwright.domain.workload import Goal, Workload
from poolwright.emit.names import comment, comment_line, commented
from poolwright.emit.stamp import Stamp
from poolwright.texts import tell, tell_counted

# Before 2.3 O_DIRECT is taken and ignored: everything goes through the ARC (openzfs#10018).
DIRECT_SINCE = ZfsVersion(2, 3)
RAM_FACTOR = 4  # so that at most a quarter can come from the ARC
RAMP_SECONDS, RUN_SECONDS = 15, 120
MOST_JOBS = 64
_SEQUENTIAL_BYTES = MIB
_RANDOM_BYTES = {Goal.SAFETY: 128 * KIB, Goal.CONCURRENT: 16 * KIB, Goal.SPEED: 128 * KIB, Goal.SPACE: 128 * KIB}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Job:
    name: str
    why: str
    options: tuple[tuple[str, str], ...]


def fio_job_file(design: Design, stamp: Stamp) -> str:
    """Return a job file of fio 3.x for the design's main pool; run where the pool is, in a dataset made for it.

    Raises UserError for names that no command may hold.
    """
    check_names(design)
    workload = design.workload
    clients = min(workload.clients or _clients(workload.goal), MOST_JOBS)
    size = _size_hint(design, clients)
    lines = [
        comment_line(
            tell(
                "fio jobs for the design “{design}”, pool {pool}.", design=comment(design.name), pool=design.pool_name
            ),
            mark="; ",
        ),
        *_said(stamp.words),
        ";",
        *_said(tell("It writes. Make a dataset for it and destroy that afterwards:")),
        f";   zfs create {comment(design.pool_name)}/poolwright-fio",  # for machines
        f";   export DIRECTORY=/{comment(design.pool_name)}/poolwright-fio SIZE={size}",  # for machines
        ";   fio --output-format=json FILE",  # for machines
        *_said(_size_words(design, clients)),
        "",
        "[global]",
        *(f"{name}={value}" for name, value in _global(design)),
    ]
    for job in _jobs(workload, clients):
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


def _clients(goal: Goal) -> int:
    return {Goal.SAFETY: 4, Goal.CONCURRENT: 32, Goal.SPEED: 4, Goal.SPACE: 4}[goal]


def _per_client(design: Design, clients: int) -> int | None:
    ram = design.machine.ram_bytes
    return None if ram is None else max(GIB, -(-RAM_FACTOR * ram // clients // GIB) * GIB)


def _size_hint(design: Design, clients: int) -> str:
    size = _per_client(design, clients)
    return f"{size >> 30}G" if size is not None else "100G"


def _size_words(design: Design, clients: int) -> str:
    ram = design.machine.ram_bytes
    if ram is None:
        return tell_counted(
            "SIZE is for each of {count} client: {factor} times the RAM together, which is not known here.",
            "SIZE is for each of {count} clients: {factor} times the RAM together, which is not known here.",
            clients,
            factor=RAM_FACTOR,
        )
    return tell_counted(
        "SIZE is for each of {count} client: together {factor} times the {ram} of RAM.",
        "SIZE is for each of {count} clients: together {factor} times the {ram} of RAM.",
        clients,
        factor=RAM_FACTOR,
        ram=binary(ram),
    )


def _global(design: Design) -> list[tuple[str, str]]:
    direct = design.version >= DIRECT_SINCE
    return [
        ("directory", "${DIRECTORY}"),
        ("size", "${SIZE}"),
        # ZFS has no preallocation: fio's attempt would write zeros, which are compressed away.
        ("fallocate", "none"),
        ("ioengine", "libaio" if direct else "psync"),
        ("direct", "1" if direct else "0"),
        # Other bytes in every block: neither compression nor dedup can make the pool look fast.
        ("refill_buffers", "1"),
        ("buffer_compress_percentage", "0"),
        ("dedupe_percentage", "0"),
        ("randrepeat", "0"),
        ("norandommap", "1"),
        ("time_based", "1"),
        ("ramp_time", str(RAMP_SECONDS)),
        ("runtime", str(RUN_SECONDS)),
        ("group_reporting", "1"),
        ("filename_format", "$jobnum"),
    ]


def _jobs(workload: Workload, clients: int) -> list[_Job]:
    random_bytes = workload.io_size_bytes or _RANDOM_BYTES[workload.goal]
    jobs = [
        _job("sequential-write", tell("Large files written"), rw="write", bs=_SEQUENTIAL_BYTES, jobs=clients),
        _job("sequential-read", tell("The same files read back"), rw="read", bs=_SEQUENTIAL_BYTES, jobs=clients),
        _job("random-read", tell("Reads all over the files"), rw="randread", bs=random_bytes, jobs=clients),
        _job("random-write", tell("Writes all over the files"), rw="randwrite", bs=random_bytes, jobs=clients),
    ]
    mixed = _mixed(workload, random_bytes, clients)
    if mixed is not None:
        jobs.append(mixed)
    if workload.sync_write_percent:
        jobs.append(
            _Job(
                name="synchronous-write",
                why=tell(
                    "{percent} % of the writes wait until they are on stable storage",
                    percent=workload.sync_write_percent,
                ),
                options=(*_options("randwrite", random_bytes, clients), ("fsync", "1"), ("end_fsync", "1")),
            )
        )
    return jobs


def _mixed(workload: Workload, size: int, clients: int) -> _Job | None:
    """Return reads and writes in the workload's own proportion, where it is known."""
    if workload.read_percent is None or workload.read_percent in (0, 100):
        return None
    random_share = 100 - (workload.sequential_percent or 0)
    extra = (("rwmixread", str(workload.read_percent)), ("percentage_random", str(random_share)))
    return _Job(
        name="as-described",
        why=tell(
            "{reads} % reads, {random} % random, as the workload says",
            reads=workload.read_percent,
            random=random_share,
        ),
        options=(*_options("randrw", size, clients), *extra),
    )


def _job(name: str, why: str, *, rw: str, bs: int, jobs: int) -> _Job:
    return _Job(name=name, why=why, options=_options(rw, bs, jobs))


def _options(rw: str, bs: int, jobs: int) -> tuple[tuple[str, str], ...]:
    return (("rw", rw), ("bs", str(bs)), ("numjobs", str(jobs)), ("iodepth", "8" if rw.startswith("rand") else "1"))
