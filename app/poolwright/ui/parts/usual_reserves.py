"""Room beside the data as the makers of systems divide disks, to be chosen instead of typed."""

from poolwright.domain.reserve import ReservedPartition, parse_reserve
from poolwright.texts import marked

# Key, what it is called, and what is reserved.
USUAL_RESERVES = (
    ("proxmox", marked("Proxmox VE"), ("bios=1MiB", "esp=1GiB")),
    ("truenas", marked("older TrueNAS"), ("truenas=2GiB",)),
    ("debian", marked("Debian"), ("bios=1MiB", "esp=512MiB")),
    ("system", marked("ESP, boot, swap"), ("esp=512MiB", "boot=2GiB", "swap=8GiB:last")),
)


def usual_partitions(texts: tuple[str, ...]) -> tuple[ReservedPartition, ...]:
    return tuple(parse_reserve(text).partition for text in texts)
