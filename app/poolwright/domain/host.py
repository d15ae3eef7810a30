"""A machine, apart from its disks."""

from dataclasses import dataclass

from poolwright.domain.disk import Note
from poolwright.domain.origin import Origin
from poolwright.domain.unknown import zero_is_unknown


@dataclass(frozen=True, slots=True, kw_only=True)
class Controller:
    """A host bus adapter: name and, where known, the fastest rate of its links together in bytes/s."""

    name: str
    bytes_per_second: int | None = None

    def __post_init__(self) -> None:
        """Take a rate of 0 as unknown."""
        zero_is_unknown(self, "bytes_per_second")


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

    def __post_init__(self) -> None:
        """Take 0 as unknown."""
        zero_is_unknown(self, "ram_bytes", "cores", "network_bytes_per_second")
