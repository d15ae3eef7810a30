"""What is said to people about datasets: what each property does, where a value comes from, what a dataset takes."""

from poolwright.domain.design import Dataset
from poolwright.domain.inheritance import Effective, SettingSource
from poolwright.domain.steps import Estimate
from poolwright.domain.units import TB, binary
from poolwright.predict.space import DatasetSpace
from poolwright.texts import tell
from poolwright.ui.parts.theme import Tone


def full_name(pool_name: str, name: str) -> str:
    """Return the name as `zfs list` prints it."""
    return f"{pool_name}/{name}".rstrip("/")


def source_words(effective: Effective, pool_name: str) -> str:
    """Return where a value comes from, in the words of `zfs get`."""
    if effective.source is SettingSource.LOCAL:
        return tell("local")
    if effective.inherited_from is not None:
        return tell("inherited from {name}", name=full_name(pool_name, effective.inherited_from))
    return tell("default")


def reason_words(effective: Effective) -> str:
    """Return why a property has its value; what it does where nobody gave a reason."""
    if effective.reason:
        return effective.reason
    if effective.source is SettingSource.DEFAULT:
        return property_words(effective.name)
    return tell("set by hand")


def band_words(estimate: Estimate) -> str:
    """Return the low and the high end of a number of bytes."""
    low, high = binary(round(estimate.low)), binary(round(estimate.high))
    if low == high:
        return low
    number, _, unit = low.partition(" ")
    return tell("{low} to {high}", low=number if high.endswith(f" {unit}") else low, high=high)


def kind_words(dataset: Dataset) -> str:
    """Return filesystem, or volume and its size."""
    if dataset.volume_bytes is None:
        return tell("filesystem")
    return tell("volume, {size}", size=binary(dataset.volume_bytes))


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
    return tell("{told}. OpenZFS's default is {value}.", told=told, value=effective.default_value)


def poor(space: DatasetSpace) -> bool:
    """Tell whether blocks of this size waste a fifth or more of what the disks could hold."""
    return space.efficiency < 0.8 * space.nominal


def bill_words(space: DatasetSpace, money: str) -> str:
    """Return what padding and small blocks cost a dataset; empty where nothing is known or lost."""
    if space.usage is None or not space.waste_bytes or space.waste_bytes < TB / 1000:
        return ""
    lost = tell("{size} of the disks go to padding and extra parity", size=f"{space.waste_bytes / TB:,.2f} TB")
    return f"{lost}, {money}" if money else lost


def dataset_notes(space: DatasetSpace, bill: str) -> tuple[tuple[str, Tone], ...]:
    lines: list[tuple[str, Tone]] = []
    if poor(space):
        text = tell(
            "Blocks of {size} are stored at {share:.0f} %, where {most:.0f} % are data disks.",
            size=binary(space.block_bytes),
            share=100 * space.efficiency,
            most=100 * space.nominal,
        )
        lines.append((f"{text} {bill}." if bill else text, Tone.WARN))
    elif bill:
        lines.append((f"{bill[0].upper()}{bill[1:]}.", Tone.NOTE))
    if space.reserved_bytes and space.dataset.volume_bytes is not None:
        told = tell(
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
        "recordsize": tell("The largest block of a file; smaller files take one smaller block"),
        "volblocksize": tell("The block of the volume; cannot be changed later"),
        "compression": tell("How blocks are packed; lz4 costs next to nothing"),
        "copies": tell("How often each block is stored, beside the redundancy of the vdevs"),
        "special_small_blocks": tell("Blocks up to this size go to the special vdev"),
        "dedup": tell("Stores equal blocks once; its tables want memory"),
        "redundant_metadata": tell("How much of the metadata is stored once more"),
        "checksum": tell("How damage to blocks is found"),
        "sync": tell("Whether writes that must be on stable storage wait for it"),
        "logbias": tell("Whether synchronous writes aim at short waits or at throughput"),
        "encryption": tell("Encrypts the dataset; cannot be changed later"),
        "keyformat": tell("What the key of an encrypted dataset looks like"),
        "keylocation": tell("Where the key of an encrypted dataset is read"),
        "pbkdf2iters": tell("How often a passphrase is stretched into a key"),
        "readonly": tell("Refuses every change"),
        "primarycache": tell("What is kept in memory (ARC)"),
        "secondarycache": tell("What may go to a cache device (L2ARC)"),
        "prefetch": tell("What is read ahead"),
        "direct": tell("Whether O_DIRECT goes past the ARC"),
    }


def _words_of_files() -> dict[str, str]:
    return {
        "mountpoint": tell("Where it is mounted"),
        "canmount": tell("Whether it is mounted by itself; not handed down"),
        "sharenfs": tell("Shared over NFS, with which options"),
        "sharesmb": tell("Shared over SMB, with which options"),
        "atime": tell("Notes each access to a file, which is a write"),
        "relatime": tell("Notes accesses once a day or after a change only"),
        "xattr": tell("Where extended attributes are kept"),
        "dnodesize": tell("How large the entry of a file may be"),
        "acltype": tell("Which access control lists files have"),
        "aclinherit": tell("How new files take over access control lists"),
        "aclmode": tell("What chmod does to access control lists"),
        "casesensitivity": tell("Whether A and a differ in names; cannot be changed later"),
        "normalization": tell("How Unicode names are compared; cannot be changed later"),
        "utf8only": tell("Refuses names that are not UTF-8; cannot be changed later"),
        "snapdir": tell("Whether .zfs is seen in the root of the filesystem"),
        "snapdev": tell("Whether snapshots of volumes have devices"),
        "volmode": tell("How volumes appear as devices"),
        "quota": tell("The most that this and all below it may use; not handed down"),
        "refquota": tell("The most that this alone may use; not handed down"),
        "reservation": tell("Kept free for this and all below it; not handed down"),
        "refreservation": tell("Kept free for this alone; a volume reserves its size by itself"),
        "filesystem_limit": tell("How many filesystems may be made below"),
        "snapshot_limit": tell("How many snapshots may be made"),
        "devices": tell("Whether device files can be opened"),
        "exec": tell("Whether programs can be run"),
        "setuid": tell("Whether set-uid bits are honoured"),
        "overlay": tell("Whether it may be mounted over files that are there"),
        "zoned": tell("Managed from a container"),
        "nbmand": tell("Mandatory locks of SMB; has no effect on Linux"),
        "vscan": tell("Virus scan; has no effect on Linux"),
        "longname": tell("Names of files of up to 1023 bytes"),
    }


def _words_of_pools() -> dict[str, str]:
    return {
        "autoexpand": tell("Lets a vdev grow into larger disks by itself"),
        "autoreplace": tell("Whether a new disk in the place of a lost one is formatted and taken without being asked"),
        "failmode": tell("When disks needed are gone: wait for them, continue with errors on new writes, or panic"),
        "comment": tell("A text of up to 32 characters that is seen even where the pool cannot be imported"),
        "autotrim": tell("Whether freed space is given back to flash at once"),
        "multihost": tell("Refuses import while another host has the pool; needs a host id"),
        "delegation": tell("Whether rights on datasets can be given to users"),
        "listsnapshots": tell("Whether zfs list shows snapshots without -t"),
        "cachefile": tell("Where the host notes that it has the pool; none for pools that a cluster imports"),
        "bootfs": tell("The filesystem that a boot loader starts from; set once it exists"),
        "compatibility": tell("Which features may be enabled, so that older systems import the pool"),
        "dedup_table_quota": tell("How large the table of deduplication may grow"),
    }
