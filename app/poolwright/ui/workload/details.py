"""The details of a workload as the form shows them: name, how to read and write them, and what they change."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from poolwright.advise.amounts import (
    parse_count,
    parse_factor,
    parse_growth,
    parse_percent,
    rate_text,
    size_text,
)
from poolwright.domain.rates import parse_link_rate
from poolwright.domain.read_back import growth_read, link_read, size_read
from poolwright.domain.units import parse_block_size, parse_size
from poolwright.domain.workload import Sharing
from poolwright.texts import tell


@dataclass(frozen=True, slots=True, kw_only=True)
class Detail:
    """A field of Workload."""

    field: str
    name: str
    help: str
    parse: Callable[[str], object] = str
    shown: Callable[[object], str] = str
    told: Callable[[Any], str] | None = None


def _size(value: object) -> str:
    return size_text(value) if isinstance(value, int) else ""


def _rate(value: object) -> str:
    return rate_text(value) if isinstance(value, int) else ""


def _percent(value: float) -> str:
    return f"{value:g} %"


def _factor(value: object) -> str:
    return f"{value:g}" if isinstance(value, float | int) else ""


def _io_size(text: str) -> int:
    return parse_block_size(text, what="I/O size")


def _file_size(text: str) -> int:
    return parse_block_size(text, what=tell("file size"))


def _working_set(text: str) -> int:
    return parse_size(text, what=tell("working set"))


def _clients(text: str) -> int:
    return parse_count(text, what=tell("number of clients"), least=1)


def _clients_told(count: int) -> str:
    return tell("one at a time") if count == 1 else tell("{count} at the same time", count=count)


def _factor_told(factor: float) -> str:
    return tell("no duplicates") if factor == 1 else tell("each block {factor:g} times", factor=factor)


def details() -> tuple[Detail, ...]:
    """Return the details in the order of the form."""
    return (*_of_the_io(), *_of_the_data(), *_of_the_clients())


def _of_the_io() -> tuple[Detail, ...]:
    return (
        Detail(
            field="read_percent",
            name=tell("Reads, % of I/O"),
            help=tell("Reads spread over the disks; each write goes to all disks of a mirror or a raidz stripe."),
            parse=parse_percent,
            told=_percent,
        ),
        Detail(
            field="sequential_percent",
            name=tell("Sequential, %"),
            help=tell("A raidz vdev answers small random reads about as fast as a single disk."),
            parse=parse_percent,
            told=_percent,
        ),
        Detail(
            field="io_size_bytes",
            name=tell("Typical I/O size"),
            help=tell("Decides recordsize or volblocksize, and how much raidz padding costs. Such as 16 KiB."),
            parse=_io_size,
            told=size_read,
            shown=_size,
        ),
        Detail(
            field="sync_write_percent",
            name=tell("Synchronous writes, %"),
            help=tell("Share of the writes that wait for stable storage. Only these gain from a log device."),
            parse=parse_percent,
            told=_percent,
        ),
        Detail(
            field="clients",
            name=tell("Clients at once"),
            help=tell("How many work at the same time."),
            parse=_clients,
            told=_clients_told,
        ),
    )


def _of_the_data() -> tuple[Detail, ...]:
    return (
        Detail(
            field="typical_file_bytes",
            name=tell("Typical file size"),
            help=tell("Small files gain nothing from a large recordsize, large ones do. Such as 4 MiB."),
            parse=_file_size,
            told=size_read,
            shown=_size,
        ),
        Detail(
            field="compressible", name=tell("Compressible"), help=tell("lz4 costs next to nothing and gives up early.")
        ),
        Detail(
            field="duplicate_factor",
            name=tell("Duplicate factor"),
            help=tell("How often a block is stored on average; 1 is no duplicates. Decides whether dedup pays."),
            parse=parse_factor,
            told=_factor_told,
            shown=_factor,
        ),
        Detail(
            field="working_set_bytes",
            name=tell("Working set"),
            help=tell("What is read again and again; more RAM than this needs no cache device. Such as 200 GiB."),
            parse=_working_set,
            told=size_read,
            shown=_size,
        ),
        Detail(
            field="growth_percent",
            name=tell("Growth, % a year"),
            help=tell("When the pool will be full."),
            parse=parse_growth,
            told=growth_read,
        ),
    )


def _of_the_clients() -> tuple[Detail, ...]:
    return (
        Detail(
            field="network_bytes_per_second",
            name=tell("Network"),
            help=tell("Clients get no more than the network carries. Such as 10 Gbit/s or 25GbE."),
            parse=parse_link_rate,
            told=link_read,
            shown=_rate,
        ),
        Detail(
            field="sharing",
            name=tell("Shared by"),
            help=tell("NFS and iSCSI wait for writes; SMB wants its own properties."),
        ),
        Detail(
            field="volumes",
            name=tell("Stored as"),
            help=tell("zvols have a volblocksize that cannot be changed later."),
        ),
    )


def choices(field: str) -> tuple[tuple[object, str], ...]:
    """Return the values of a detail that has only a few, with their words; empty for one that is typed."""
    unknown = (None, tell("unknown"))
    if field == "compressible":
        return unknown, (True, tell("yes")), (False, tell("no"))
    if field == "sharing":
        shared = ((Sharing.NFS, "NFS"), (Sharing.SMB, "SMB"), (Sharing.ISCSI, "iSCSI"))
        return unknown, (Sharing.LOCAL, tell("not shared")), *shared
    if field == "volumes":
        return (False, tell("files in datasets")), (True, tell("volumes (zvols)"))
    return ()
