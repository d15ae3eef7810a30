"""What the pool is for: one of three goals, and details under it."""

from dataclasses import dataclass
from enum import StrEnum


class Goal(StrEnum):
    """The three scenarios of the thesis (chapter 6)."""

    SAFETY = "safety"
    CONCURRENT = "concurrent"
    SPEED = "speed"


class Sharing(StrEnum):
    """How clients reach the data."""

    LOCAL = "local"
    NFS = "nfs"
    SMB = "smb"
    ISCSI = "iscsi"


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """A goal with what is known of the I/O under it; None is unknown.

    Shares are per cent; sizes and rates are bytes and bytes/s; ``growth_percent`` is per year.
    """

    goal: Goal
    preset: str | None = None
    read_percent: int | None = None
    sequential_percent: int | None = None
    io_size_bytes: int | None = None
    sync_write_percent: int | None = None
    clients: int | None = None
    typical_file_bytes: int | None = None
    compressible: bool | None = None
    duplicate_factor: float | None = None
    working_set_bytes: int | None = None
    growth_percent: int | None = None
    network_bytes_per_second: int | None = None
    sharing: Sharing | None = None
    volumes: bool = False  # zvols rather than files


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What a design must keep to. None means no limit or no wish.

    ``money`` and ``price_per_disk`` are in one currency, whatever it is; ``bays`` counts slots for disks of any role.
    ``import_on`` names the oldest system that must be able to import the pool: an OpenZFS series such as ``2.1``,
    ``freebsd-13``, or ``grub2`` where the boot loader reads it. ``most_yearly_loss`` is a probability (0 to 1),
    rates are bytes/s of sequential I/O; ``buy_most`` is how many disks may be bought (None: as money and bays admit).
    """

    least_usable_bytes: int | None = None
    survive: int | None = None
    spares: int | None = None
    bays: int | None = None
    money: float | None = None
    price_per_disk: float | None = None
    ram_bytes: int | None = None
    import_on: str | None = None
    most_yearly_loss: float | None = None
    most_rebuild_hours: float | None = None
    least_read_bytes_per_second: int | None = None
    least_write_bytes_per_second: int | None = None
    buy_most: int | None = None
