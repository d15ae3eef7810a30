"""What a person does with the partitions that are reserved beside the data: once, and again on each new disk.

The scripts make the partitions and leave them empty; the commands here are shown and run by nobody but a person.
"""

from collections.abc import Iterator

from poolwright.domain.as_built import reserved_by_disk
from poolwright.domain.design import Design
from poolwright.domain.reserve import ReservedPartition, ReservePurpose
from poolwright.domain.units import MIB, binary
from poolwright.emit.names import BY_ID, comment, device_problem
from poolwright.emit.partitions import Partition, SplitDisk, split_disks
from poolwright.texts import tell, tell_counted

_FORMATS = {
    ReservePurpose.ESP: "mkfs.vfat -F 32 -n EFI {device}",
    ReservePurpose.BOOT: "mkfs.ext4 {device}",
    ReservePurpose.SWAP: "mkswap {device}",
    ReservePurpose.TRUENAS: "mkswap {device}",
}  # for machines


def reserved_words(design: Design) -> tuple[str, ...]:
    """Return each kind of reserved partition with its size, place and on how many disks, in words."""
    found: dict[ReservedPartition, int] = {}
    for partitions in reserved_by_disk(design).values():
        for partition in partitions:
            found[partition] = found.get(partition, 0) + 1
    return tuple(_words(partition, count) for partition, count in found.items())


def _words(partition: ReservedPartition, count: int) -> str:
    if partition.at_end:
        return tell_counted(
            "{purpose}, {size} at the end of {count} disk",
            "{purpose}, {size} at the end of each of {count} disks",
            count,
            purpose=partition.words,
            size=binary(partition.size_bytes),
        )
    return tell_counted(
        "{purpose}, {size} at the beginning of {count} disk",
        "{purpose}, {size} at the beginning of each of {count} disks",
        count,
        purpose=partition.words,
        size=binary(partition.size_bytes),
    )


def noted(command: str, note: str) -> str:
    """Return a command line with a comment behind it."""
    return f"{command}   # {comment(note)}"


def new_disk_steps(split: SplitDisk, device: str) -> Iterator[tuple[str, str]]:
    """Yield the commands, each with a note, that make a new, empty disk such a one: its table, then what is reserved.

    Numbers, places, sizes, types and names are those of the design, so that a larger disk takes them as well; the
    GUIDs are its own.
    """
    for part in split.partitions:
        place = f"{part.number}:{part.start_bytes // MIB}M:+{part.size_bytes // MIB}M"
        words = f"-n {place} -t {part.number}:{part.type_code} -c {part.number}:{part.name}"  # for machines
        yield f"sgdisk {words} {device}", _use(part)
    reserved = [(part, part.reserved.purpose) for part in split.partitions if part.reserved is not None]
    if reserved:
        yield "udevadm settle", tell("until the partitions are there")  # for machines
    for part, purpose in reserved:
        yield _fill(part, purpose, device)


def _use(part: Partition) -> str:
    return tell("for {pool}", pool=part.pool) if part.reserved is None else part.reserved.words


def _fill(part: Partition, purpose: ReservePurpose, disk: str) -> tuple[str, str]:
    device = f"{disk}-part{part.number}"
    if purpose is ReservePurpose.BIOS:
        return f"grub-install --target=i386-pc {disk}", tell("where the machine starts from BIOS")  # for machines
    if purpose is ReservePurpose.RAID:
        command = f"mdadm --manage /dev/md/reserved --add {device}"  # for machines
        return command, tell("to the array that its sisters form; cat /proc/mdstat tells it")
    return _FORMATS[purpose].format(device=device), _after(purpose)


def _after(purpose: ReservePurpose) -> str:
    if purpose is ReservePurpose.ESP:
        return tell(
            "then fill it: proxmox-boot-tool init on Proxmox, else grub-install, or copy the files of a healthy one"
        )
    if purpose is ReservePurpose.BOOT:
        return tell("then copy the files of a healthy one, and name its UUID in /etc/fstab")
    return tell("then swapon, and name its UUID in /etc/fstab")


def first_commands(design: Design) -> tuple[str, ...]:
    """Return what is run once after the creation, for each kind of partition on all of its disks."""
    found: dict[tuple[ReservePurpose, int], list[str]] = {}
    for split in split_disks(design):
        disk = design.disk(split.disk_key)
        name = BY_ID + (disk.by_id_name or "") if device_problem(disk) is None else f"{BY_ID}<{comment(disk.label)}>"
        for part in split.partitions:
            if part.reserved is not None:
                found.setdefault((part.reserved.purpose, part.number), []).append(name)
    return tuple(line for (purpose, number), disks in found.items() for line in _first(purpose, number, disks))


def _first(purpose: ReservePurpose, number: int, disks: list[str]) -> Iterator[str]:
    devices = [f"{disk}-part{number}" for disk in disks]
    if purpose is ReservePurpose.BIOS:
        yield from (f"grub-install --target=i386-pc {disk}" for disk in disks)  # for machines
    elif purpose is ReservePurpose.RAID:
        command = f"mdadm --create /dev/md/reserved --level=1 --metadata=1.0 --raid-devices={len(devices)}"
        yield noted(
            f"{command} {' '.join(devices)}", tell("1.0 lies at the end, so that firmware can read an ESP in it")
        )
    else:
        yield from (_FORMATS[purpose].format(device=device) for device in devices)
