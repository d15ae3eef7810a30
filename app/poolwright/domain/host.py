"""A machine, apart from its disks."""

from dataclasses import dataclass
from enum import StrEnum

from poolwright.domain.disk import Note
from poolwright.domain.origin import Origin
from poolwright.domain.unknown import zero_is_unknown
from poolwright.texts import marked


class ControllerKind(StrEnum):
    """What a controller shows of the drives behind it."""

    HBA = marked("HBA")  # the drives themselves
    RAID = marked("RAID controller")  # arrays that it makes of them
    PASSING = marked("RAID controller that passes drives through")


@dataclass(frozen=True, slots=True, kw_only=True)
class Controller:
    """A host bus adapter: name and, where known, the fastest rate of its links together in bytes/s.

    ``origin`` says where it was read; controllers that a person named have none, and no ``kind``.
    """

    name: str
    bytes_per_second: int | None = None
    kind: ControllerKind | None = None
    origin: Origin | None = None

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
