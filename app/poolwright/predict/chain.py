"""The chain that data pass from the disks to the network, and its narrowest link."""

import math
from dataclasses import dataclass

from poolwright.predict.belief import Rate
from poolwright.predict.caps import HostCaps
from poolwright.texts import marked, tell


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainLink:
    """One link: what it could pass alone, in bytes/s (None: not known); ``limit`` is the words an estimate uses for it.

    ``assumed`` marks a rate that nobody told or measured on this host.
    """

    name: str
    limit: str
    read_bytes_per_second: float | None
    write_bytes_per_second: float | None
    narrowest_read: bool = False
    narrowest_write: bool = False
    assumed: bool = False


def chain_of(
    reading: Rate, writing: Rate, host: HostCaps, *, calibrated: bool, network: float
) -> tuple[ChainLink, ...]:
    """Return disks, vdevs, HBA, host and network with the narrowest marked; ``network`` in bytes/s, inf for none."""
    how = tell("calibrated") if calibrated else tell("assumed")
    line = None if math.isinf(network) else network
    links = [
        (marked("disks"), tell("disks"), reading.disks, writing.disks),
        (marked("vdevs"), tell("raidz or mirror vdevs"), reading.vdevs, writing.vdevs),
        ("HBA", "HBA", reading.hba, writing.hba),
        ("CPU", tell("CPU (checksum, compression)"), reading.cpu, writing.cpu),
        (marked("host"), tell("host: bus, memory, parity, software ({how})", how=how), reading.host, writing.host),
        (marked("network"), tell("network"), line, line),
    ]
    if host.hba_bytes_per_second is None:
        links[4] = ("host", tell("host: HBA, bus, CPU together ({how})", how=how), reading.host, writing.host)
    lowest_read = min(range(len(links)), key=lambda i: _or_inf(links[i][2]))
    lowest_write = min(range(len(links)), key=lambda i: _or_inf(links[i][3]))
    return tuple(
        [
            ChainLink(
                name=name,
                limit=limit,
                read_bytes_per_second=read,
                write_bytes_per_second=write,
                narrowest_read=index == lowest_read,
                narrowest_write=index == lowest_write,
                assumed=name == "host" and not calibrated,
            )
            for index, (name, limit, read, write) in enumerate(links)
        ]
    )


def _or_inf(rate: float | None) -> float:
    return math.inf if rate is None else rate
