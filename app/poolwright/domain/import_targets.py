"""The systems a pool may have to be importable on, by the names that `Budget.import_on` knows."""

from dataclasses import dataclass

from poolwright.domain.errors import UserError
from poolwright.texts import marked, tell


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportTarget:
    """A system: its key in `Budget.import_on`, its name in words, and what choosing it costs."""

    key: str
    title: str
    why: str


# Each has a file in cmd/zpool/compatibility.d of OpenZFS, which the rules of presets.toml name.
IMPORT_TARGETS = (
    ImportTarget(
        key="0.7",
        title=marked("ZFS on Linux 0.7"),
        why=marked("No zstd, no dRAID, no special or dedup vdev, no encryption."),
    ),
    ImportTarget(key="0.8", title=marked("ZFS on Linux 0.8"), why=marked("No zstd, no dRAID.")),
    ImportTarget(key="2.0", title="OpenZFS 2.0", why=marked("No dRAID.")),
    ImportTarget(key="2.1", title="OpenZFS 2.1", why=marked("No blake3, no block cloning, no raidz expansion.")),
    ImportTarget(key="2.2", title="OpenZFS 2.2", why=marked("No raidz expansion, no fast dedup.")),
    ImportTarget(key="2.3", title="OpenZFS 2.3", why=marked("Every feature of 2.3 and none after it.")),
    ImportTarget(
        key="freebsd-13", title="FreeBSD 13", why=marked("Its OpenZFS is 2.1: no blake3, no raidz expansion.")
    ),
    ImportTarget(
        key="freebsd-14", title="FreeBSD 14", why=marked("Its OpenZFS is 2.2: no raidz expansion, no fast dedup.")
    ),
    ImportTarget(
        key="grub2",
        title="GRUB",
        why=marked("The boot loader reads the pool: no zstd, no dRAID, no special or dedup vdev."),
    ),
)


def import_target(key: str) -> ImportTarget:
    """Return the system with this key; raises UserError with those that are known."""
    wanted = key.strip().lower()
    for target in IMPORT_TARGETS:
        if target.key == wanted:
            return target
    known = ", ".join(target.key for target in IMPORT_TARGETS)
    raise UserError(
        tell("“{key}” is no system that Poolwright knows to import on", key=key),
        todo=tell("Give one of {known}.", known=known),
    )
