"""What kind of drive lsblk describes, only as far as it can be believed."""

import re

from poolwright.domain.disk import LOOKS_LIKE_ARRAY, Media, Note, NoteLevel, Unfit
from poolwright.machine.lsblk.node import BlockNode
from poolwright.texts import tell

# Disks that a hypervisor or a test driver makes up: their ROTA says nothing of what lies below.
_VIRTUAL = re.compile(
    r"qemu|vbox|vmware|virtual|msft|xen|scsi_debug|persistentdisk|amazon elastic|bhyve|nutanix|blockvolume|opennebula",
    re.IGNORECASE,
)
# Logical drives of RAID controllers: ROTA is what the controller chose to say.
_RAID = re.compile(
    r"perc|logical[ _]volume|megaraid|serveraid|smart[ _]?array|raid|\bmr\d{4}|\blsi\b|avago|areca|adaptec|\bhsv\d",
    re.IGNORECASE,
)
_REMOTE = frozenset({"iscsi", "fc", "fcoe", "aoe"})
_DIRECT = frozenset({"sata", "sas", "ata", "sbp"})


def media_of(node: BlockNode) -> Media | None:
    """Return the media, or None where lsblk does not prove it.

    ROTA 1 is the kernel's default for every device that does not say otherwise, so virtual disks, USB bridges,
    logical drives of RAID controllers and remote LUNs with ROTA 1 stay unknown. ROTA 0 is said by the device.
    """
    if node.kname.startswith("nvme") or node.transport == "nvme":
        return Media.NVME
    if node.kname.startswith("mmcblk"):
        return Media.SSD
    if node.rotational is None or is_virtual(node) or is_raid(node) or node.transport in _REMOTE:
        return None
    if not node.rotational:
        return Media.SSD if node.model or node.transport in _DIRECT | {"usb"} else None
    if node.transport == "usb":
        return None
    return Media.HDD if node.model or node.transport in _DIRECT else None


def is_virtual(node: BlockNode) -> bool:
    """Tell whether the disk is made up by a hypervisor or a test driver."""
    if node.transport == "virtio" or re.match(r"(vd|xvd)[a-z]", node.kname):
        return True
    return _VIRTUAL.search(f"{node.vendor or ''} {node.model or ''}") is not None


def is_raid(node: BlockNode) -> bool:
    """Tell whether the disk looks like a logical drive of a RAID controller."""
    if node.kname.startswith("cciss!"):
        return True
    return _RAID.search(f"{node.vendor or ''} {node.model or ''}") is not None


def media_notes(node: BlockNode) -> tuple[Note, ...]:
    """Return what a person should know of this disk before giving it to ZFS."""
    notes: list[Note] = []
    if is_raid(node) and not is_virtual(node):
        notes.append(Note(text=tell(LOOKS_LIKE_ARRAY), level=NoteLevel.WARN))
    if node.transport in _REMOTE:
        notes.append(
            Note(text=tell("reached over {transport}: what is below it is not visible", transport=node.transport))
        )
    if node.zoned in {"host-managed", "host-aware"}:
        notes.append(Note(text=tell("zoned (SMR) drive, {zoned}: not for ZFS", zoned=node.zoned), level=NoteLevel.WARN))
    if node.state in {"offline", "transport-offline", "blocked", "quiesce"}:
        notes.append(Note(text=tell("the kernel has set this disk {state}", state=node.state), level=NoteLevel.WARN))
    return tuple(notes)


def unfit_of(node: BlockNode) -> tuple[Unfit, ...]:
    """Return why no pool can be made of this disk as the kernel shows it."""
    found = {
        Unfit.HOST_MANAGED: node.zoned == "host-managed",
        Unfit.NO_SIZE: node.size_bytes == 0,
        Unfit.OFFLINE: node.state in {"offline", "transport-offline", "dead", "deleting"},
    }
    return tuple(why for why, so in found.items() if so)
