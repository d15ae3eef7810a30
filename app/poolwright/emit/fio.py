"""fio job files fitted to the design's workload: what the pool is for, asked of the pool itself.

fio itself is told where and how large by DIRECTORY and SIZE where the design does not know it.
"""

from poolwright.domain.design import Design
from poolwright.domain.names import check_names
from poolwright.domain.units import GIB, binary
from poolwright.emit.fio_options import DIRECT_SINCE, WITHOUT_ZEROS, FioOptions, clients_of, workload_jobs, written_data
from poolwright.emit.names import comment, comment_line, commented
from poolwright.emit.stamp import Stamp
from poolwright.texts import tell, tell_counted

RAM_FACTOR = 4  # so that at most a quarter can come from the ARC
RAMP_SECONDS, RUN_SECONDS = 15, 120


def fio_job_file(design: Design, stamp: Stamp) -> str:
    """Return a job file of fio 3.x for the design's main pool; run where the pool is, in a dataset made for it.

    Raises UserError for names that no command may hold.
    """
    check_names(design)
    clients = clients_of(design.workload)
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
