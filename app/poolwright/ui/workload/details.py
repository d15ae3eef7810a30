"""The details of a workload as the form shows them: name, how to read and write each, and what it changes."""

from functools import partial

from poolwright.design.amounts import parse_count, parse_factor, parse_growth, parse_percent, rate_text, size_text
from poolwright.domain.rates import parse_link_rate
from poolwright.domain.read_back import growth_read, link_read, size_read
from poolwright.domain.units import parse_block_size, parse_size
from poolwright.domain.workload import Sharing
from poolwright.texts import tell
from poolwright.ui.parts.form import Field, Typed, short


def details() -> tuple[Field, ...]:
    """Return the details in the order of the form."""
    return (*_of_the_io(), *_of_the_data(), *_of_the_clients())


def _of_the_io() -> tuple[Field, ...]:
    percent, unknown = Typed(parse_percent, str, _percent), tell("unknown")
    return (
        Field(
            "read_percent",
            tell("Reads, % of I/O"),
            percent,
            tell("Reads spread over the disks; each write goes to all disks of a mirror or a raidz stripe."),
            unknown,
        ),
        Field(
            "sequential_percent",
            tell("Sequential, %"),
            percent,
            tell("A raidz vdev answers small random reads about as fast as a single disk."),
            unknown,
        ),
        Field(
            "io_size_bytes",
            tell("Typical I/O size"),
            Typed(partial(parse_block_size, what=tell("I/O size")), size_text, size_read),
            tell("Decides recordsize or volblocksize, and how much raidz padding costs. Such as 16 KiB."),
            unknown,
        ),
        Field(
            "sync_write_percent",
            tell("Synchronous writes, %"),
            percent,
            tell("Share of the writes that wait for stable storage. Only these gain from a log device."),
            unknown,
        ),
        Field(
            "clients",
            tell("Clients at once"),
            Typed(partial(parse_count, what=tell("number of clients"), least=1), str, _clients_told),
            tell("How many work at the same time."),
            unknown,
        ),
    )


def _of_the_data() -> tuple[Field, ...]:
    unknown = tell("unknown")
    return (
        Field(
            "typical_file_bytes",
            tell("Typical file size"),
            Typed(partial(parse_block_size, what=tell("file size")), size_text, size_read),
            tell("Small files gain nothing from a large recordsize, large ones do. Such as 4 MiB."),
            unknown,
        ),
        Field(
            "compressible",
            tell("Compressible"),
            ((None, unknown), (True, tell("yes")), (False, tell("no"))),
            tell("lz4 costs next to nothing and gives up early."),
        ),
        Field(
            "duplicate_factor",
            tell("Duplicate factor"),
            Typed(parse_factor, short, _factor_told),
            tell("How often a block is stored on average; 1 is no duplicates. Decides whether dedup pays."),
            unknown,
        ),
        Field(
            "working_set_bytes",
            tell("Working set"),
            Typed(partial(parse_size, what=tell("working set")), size_text, size_read),
            tell("What is read again and again; more RAM than this needs no cache device. Such as 200 GiB."),
            unknown,
        ),
        Field(
            "growth_percent",
            tell("Growth, % a year"),
            Typed(parse_growth, str, growth_read),
            tell("When the pool will be full."),
            unknown,
        ),
    )


def _of_the_clients() -> tuple[Field, ...]:
    unknown = tell("unknown")
    shared = ((Sharing.NFS, "NFS"), (Sharing.SMB, "SMB"), (Sharing.ISCSI, "iSCSI"))
    return (
        Field(
            "network_bytes_per_second",
            tell("Network"),
            Typed(parse_link_rate, rate_text, link_read),
            tell("Clients get no more than the network carries. Such as 10 Gbit/s or 25GbE."),
            unknown,
        ),
        Field(
            "sharing",
            tell("Shared by"),
            ((None, unknown), (Sharing.LOCAL, tell("not shared")), *shared),
            tell("NFS and iSCSI wait for writes; SMB wants its own properties."),
        ),
        Field(
            "volumes",
            tell("Stored as"),
            ((False, tell("files in datasets")), (True, tell("volumes (zvols)"))),
            tell("zvols have a volblocksize that cannot be changed later."),
        ),
    )


def _percent(value: float) -> str:
    return f"{value:g} %"


def _clients_told(count: int) -> str:
    return tell("one at a time") if count == 1 else tell("{count} at the same time", count=count)


def _factor_told(factor: float) -> str:
    return tell("no duplicates") if factor == 1 else tell("each block {factor:g} times", factor=factor)
