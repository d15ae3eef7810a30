"""A machine, apart from its disks."""

from dataclasses import dataclass

from poolwright.domain.disk import Note
from poolwright.domain.origin import Origin


@dataclass(frozen=True, slots=True, kw_only=True)
class Controller:
    """A host bus adapter: name and, where known, the fastest rate of its links together in bytes/s."""

    name: str
    bytes_per_second: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """What is known of the machine: RAM in bytes, cores, kernel, OpenZFS version, controllers, network in bytes/s."""

    name: str | None = None
    ram_bytes: int | None = None
    cores: int | None = None
    kernel: str | None = None
    os_name: str | None = None
    zfs_version: str | None = None
    controllers: tuple[Controller, ...] = ()
    network_bytes_per_second: int | None = None
    ups: bool | None = None
    notes: tuple[Note, ...] = ()
    origins: tuple[tuple[str, Origin], ...] = ()
