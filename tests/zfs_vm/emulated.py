"""Emulated disks: what each pretends to be, and the sparse file outside the machine that holds what is on it."""

import hashlib
import os
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

GB, TB = 10**9, 10**12
BLOCK = 1 << 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Emulated:
    """A disk that QEMU emulates; ``bus`` is scsi or nvme, ``faults`` sectors that cannot be read or written."""

    serial: str
    size_bytes: int
    logical: int = 512
    physical: int = 4096
    model: str = "HARDDISK"
    bus: str = "scsi"
    read_only: bool = False
    wwn: int | None = None
    faults: tuple[tuple[str, int], ...] = ()  # ("read" or "write", sector of 512 bytes)

    @property
    def device(self) -> str:
        """Return the name by which QEMU knows it; of two disks with one serial number each has its own."""
        return f"{self.serial}-{self.wwn}" if self.wwn else self.serial

    @property
    def world_wide_name(self) -> int:
        """Return the number by which udev names a SCSI disk."""
        return 0x5000C50000000000 + (self.wwn or zlib.crc32(self.serial.encode()))

    @property
    def path(self) -> str:
        """Return the name that the disk has in the machine."""
        name = f"nvme-QEMU_NVMe_Ctrl_{self.serial}" if self.bus == "nvme" else f"wwn-{self.world_wide_name:#x}"
        return f"/dev/disk/by-id/{name}"


def hard_disks(stem: str, count: int, size_bytes: int, *, logical: int = 512, physical: int = 4096) -> list[Emulated]:
    """Return hard disks that are alike, their serial numbers counted up from 0."""
    return [
        Emulated(serial=f"{stem}{n}", size_bytes=size_bytes, logical=logical, physical=physical) for n in range(count)
    ]


# The disks that are always there: 512e, 4Kn and 512n hard disks, NVMe drives formatted to 512 and to 4096.
ALWAYS = (
    *hard_disks("EMU5120", 8, 20 * GB),
    *hard_disks("EMU4KN0", 2, 20 * GB, logical=4096),
    *hard_disks("EMUOLD0", 2, 20 * GB, physical=512),
    *(Emulated(serial=f"EMUNVME{n}", size_bytes=8 * GB, bus="nvme") for n in range(2)),
    Emulated(serial="EMUNV4K0", size_bytes=8 * GB, bus="nvme", logical=4096),
)


def filled(file: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the blocks of a disk's file that are not zero, each with its place."""
    with file.open("rb", buffering=0) as opened:
        at, end = 0, file.stat().st_size
        while at < end:
            try:
                begin = os.lseek(opened.fileno(), at, os.SEEK_DATA)
            except OSError:  # nothing but a hole is left
                return
            until = os.lseek(opened.fileno(), begin, os.SEEK_HOLE)
            at = max(at, begin // BLOCK * BLOCK)
            opened.seek(at)
            while at < until and (block := opened.read(BLOCK)):
                if block.count(0) != len(block):
                    yield at, block
                at += BLOCK


def digest(file: Path) -> str:
    """Return the sha256 of all that a disk holds and where; holes count as the zeros that they are."""
    found = hashlib.sha256()
    for at, block in filled(file):
        found.update(at.to_bytes(8, "big"))
        found.update(block)
    return found.hexdigest()
