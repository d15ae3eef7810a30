"""What is said to people about datasets: what each property does, where a value comes from, what a dataset takes."""

from PySide6.QtCore import QCoreApplication

from poolwright.domain.design import Dataset
from poolwright.domain.estimate import Estimate
from poolwright.domain.inheritance import Effective, SettingSource
from poolwright.domain.units import TB, binary
from poolwright.predict.space import DatasetSpace
from poolwright.ui.parts.theme import Tone


def full_name(pool_name: str, name: str) -> str:
    """Return the name as `zfs list` prints it."""
    return f"{pool_name}/{name}".rstrip("/")


def source_words(effective: Effective, pool_name: str) -> str:
    """Return where a value comes from, in the words of `zfs get`."""
    if effective.source is SettingSource.LOCAL:
        return _tr("local")
    if effective.inherited_from is not None:
        return _tr("inherited from {name}", name=full_name(pool_name, effective.inherited_from))
    return _tr("default")


def reason_words(effective: Effective) -> str:
    """Return why a property has its value; what it does where nobody gave a reason."""
    if effective.reason:
        return effective.reason
    if effective.source is SettingSource.DEFAULT:
        return property_words(effective.name)
    return _tr("set by hand")


def band_words(estimate: Estimate) -> str:
    """Return the low and the high end of a number of bytes."""
    low, high = binary(round(estimate.low)), binary(round(estimate.high))
    if low == high:
        return low
    number, _, unit = low.partition(" ")
    return _tr("{low} to {high}", low=number if high.endswith(f" {unit}") else low, high=high)


def kind_words(dataset: Dataset) -> str:
    """Return filesystem, or volume and its size."""
    if dataset.volume_bytes is None:
        return _tr("filesystem")
    return _tr("volume, {size}", size=binary(dataset.volume_bytes))


def stored_words(space: DatasetSpace) -> str:
    """Return which share of the disks' bytes a typical block fills."""
    return f"{100 * space.efficiency:.0f} %"


def told_words(effective: Effective) -> str:
    """Return why a property has its value, and what it does."""
    why, does = reason_words(effective), property_words(effective.name)
    told = why if not does or why == does else f"{why}. {does}"
    told = f"{told[:1].upper()}{told[1:]}"
    if not effective.changed or effective.default_value is None:
        return f"{told}."
    return _tr("{told}. OpenZFS's default is {value}.", told=told, value=effective.default_value)


def poor(space: DatasetSpace) -> bool:
    """Tell whether blocks of this size waste a fifth or more of what the disks could hold."""
    return space.efficiency < 0.8 * space.nominal


def bill_words(space: DatasetSpace, money: str) -> str:
    """Return what padding and small blocks cost a dataset; empty where nothing is known or lost."""
    if space.usage is None or not space.waste_bytes or space.waste_bytes < TB / 1000:
        return ""
    lost = _tr("{size} of the disks go to padding and extra parity", size=f"{space.waste_bytes / TB:,.2f} TB")
    return f"{lost}, {money}" if money else lost


def dataset_notes(space: DatasetSpace, bill: str) -> tuple[tuple[str, Tone], ...]:
    """Return what there is to say about a dataset, each line with its tone."""
    lines: list[tuple[str, Tone]] = []
    if poor(space):
        text = _tr(
            "Blocks of {size} are stored at {share:.0f} %, where {most:.0f} % are data disks.",
            size=binary(space.block_bytes),
            share=100 * space.efficiency,
            most=100 * space.nominal,
        )
        lines.append((f"{text} {bill}." if bill else text, Tone.WARN))
    elif bill:
        lines.append((f"{bill[0].upper()}{bill[1:]}.", Tone.NOTE))
    if space.reserved_bytes and space.dataset.volume_bytes is not None:
        told = _tr(
            "The volume reserves {size} as soon as it is made. refreservation=none makes it thin.",
            size=binary(space.reserved_bytes),
        )
        lines.append((told, Tone.NOTE))
    lines.extend((note, Tone.NOTE) for note in space.notes)
    return tuple(lines)


def property_words(name: str) -> str:
    """Return in a sentence what a property does; empty for one that nobody described."""
    return (_words_of_blocks() | _words_of_files() | _words_of_pools()).get(name, "")


def _words_of_blocks() -> dict[str, str]:
    return {
        "recordsize": _tr("The largest block of a file; smaller files take one smaller block"),
        "volblocksize": _tr("The block of the volume; cannot be changed later"),
        "compression": _tr("How blocks are packed; lz4 costs next to nothing"),
        "copies": _tr("How often each block is stored, beside the redundancy of the vdevs"),
        "special_small_blocks": _tr("Blocks up to this size go to the special vdev"),
        "dedup": _tr("Stores equal blocks once; its tables want memory"),
        "redundant_metadata": _tr("How much of the metadata is stored once more"),
        "checksum": _tr("How damage to blocks is found"),
        "sync": _tr("Whether writes that must be on stable storage wait for it"),
        "logbias": _tr("Whether synchronous writes aim at short waits or at throughput"),
        "encryption": _tr("Encrypts the dataset; cannot be changed later"),
        "keyformat": _tr("What the key of an encrypted dataset looks like"),
        "keylocation": _tr("Where the key of an encrypted dataset is read"),
        "pbkdf2iters": _tr("How often a passphrase is stretched into a key"),
        "readonly": _tr("Refuses every change"),
        "primarycache": _tr("What is kept in memory (ARC)"),
        "secondarycache": _tr("What may go to a cache device (L2ARC)"),
        "prefetch": _tr("What is read ahead"),
        "direct": _tr("Whether O_DIRECT goes past the ARC"),
    }


def _words_of_files() -> dict[str, str]:
    return {
        "mountpoint": _tr("Where it is mounted"),
        "canmount": _tr("Whether it is mounted by itself; not handed down"),
        "sharenfs": _tr("Shared over NFS, with which options"),
        "sharesmb": _tr("Shared over SMB, with which options"),
        "atime": _tr("Notes each access to a file, which is a write"),
        "relatime": _tr("Notes accesses once a day or after a change only"),
        "xattr": _tr("Where extended attributes are kept"),
        "dnodesize": _tr("How large the entry of a file may be"),
        "acltype": _tr("Which access control lists files have"),
        "aclinherit": _tr("How new files take over access control lists"),
        "aclmode": _tr("What chmod does to access control lists"),
        "casesensitivity": _tr("Whether A and a differ in names; cannot be changed later"),
        "normalization": _tr("How Unicode names are compared; cannot be changed later"),
        "utf8only": _tr("Refuses names that are not UTF-8; cannot be changed later"),
        "snapdir": _tr("Whether .zfs is seen in the root of the filesystem"),
        "snapdev": _tr("Whether snapshots of volumes have devices"),
        "volmode": _tr("How volumes appear as devices"),
        "quota": _tr("The most that this and all below it may use; not handed down"),
        "refquota": _tr("The most that this alone may use; not handed down"),
        "reservation": _tr("Kept free for this and all below it; not handed down"),
        "refreservation": _tr("Kept free for this alone; a volume reserves its size by itself"),
        "filesystem_limit": _tr("How many filesystems may be made below"),
        "snapshot_limit": _tr("How many snapshots may be made"),
        "devices": _tr("Whether device files can be opened"),
        "exec": _tr("Whether programs can be run"),
        "setuid": _tr("Whether set-uid bits are honoured"),
        "overlay": _tr("Whether it may be mounted over files that are there"),
        "zoned": _tr("Managed from a container"),
        "nbmand": _tr("Mandatory locks of SMB; has no effect on Linux"),
        "vscan": _tr("Virus scan; has no effect on Linux"),
        "longname": _tr("Names of files of up to 1023 bytes"),
    }


def _words_of_pools() -> dict[str, str]:
    return {
        "autoexpand": _tr("Lets a vdev grow into larger disks by itself"),
        "autoreplace": _tr("Whether a new disk in the place of a lost one is formatted and taken without being asked"),
        "failmode": _tr("When disks needed are gone: wait for them, continue with errors on new writes, or panic"),
        "comment": _tr("A text of up to 32 characters that is seen even where the pool cannot be imported"),
        "autotrim": _tr("Whether freed space is given back to flash at once"),
        "multihost": _tr("Refuses import while another host has the pool; needs a host id"),
        "delegation": _tr("Whether rights on datasets can be given to users"),
        "listsnapshots": _tr("Whether zfs list shows snapshots without -t"),
        "cachefile": _tr("Where the host notes that it has the pool; none for pools that a cluster imports"),
        "bootfs": _tr("The filesystem that a boot loader starts from; set once it exists"),
        "compatibility": _tr("Which features may be enabled, so that older systems import the pool"),
        "dedup_table_quota": _tr("How large the table of deduplication may grow"),
    }


def _tr(text: str, **values: object) -> str:
    return QCoreApplication.translate("datasets", text).format(**values)
