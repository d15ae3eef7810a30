"""A machine, apart from its disks."""

from dataclasses import dataclass, replace
from enum import StrEnum

from poolwright.domain.disk import Note
from poolwright.domain.number import zero_is_unknown
from poolwright.domain.origin import Origin, OriginKind
from poolwright.domain.workload import Budget
from poolwright.texts import marked, tell


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
        zero_is_unknown(self, "ram_bytes", "cores", "network_bytes_per_second")


# The machine as it is planned: what a person told of it comes before what was read.


def told_host(host: Host, budget: Budget) -> Host:
    told = {"ram_bytes": budget.ram_bytes, "ups": budget.ups}
    new = {name: value for name, value in told.items() if value is not None and value != getattr(host, name)}
    if not new:
        return host
    kept = tuple((name, origin) for name, origin in host.origins if name not in new)
    typed = Origin(kind=OriginKind.TYPED, source=tell("told with the budget"))
    return replace(host, **new, origins=(*kept, *((name, typed) for name in new)))  # type: ignore[arg-type]
