"""Whether a disk is an array that a RAID controller made, or a drive that it passes through."""

import re

from poolwright.machine.places.things import Thing

_NO_ARRAY = frozenset({"n/a", "jbod", "hidden", "hba", "raw"})  # for machines
_FIRST_ARRAY_CHANNEL = 2  # of megaraid_sas: drives that it passes through are on 0 and 1
_VOLUMES = 1  # the channel of the volumes that SAS adapters of LSI can make


def is_array(disk: Thing, driver: str | None) -> bool | None:
    """Tell whether a disk is an array; None where the driver does not say.

    Drivers of Smart Array and Adaptec controllers tell the level of each disk; those of LSI keep arrays on SCSI
    channels of their own (drivers/scsi/megaraid, mpt3sas, aacraid of Linux).
    """
    level = disk.fact("raid_level", "level")
    if level is not None:
        return level.lower() not in _NO_ARRAY
    channel = disk.way.channel
    if driver == "cciss":
        return True
    if driver is None or channel is None:
        return None
    if driver == "megaraid_sas":
        return channel >= _FIRST_ARRAY_CHANNEL
    if driver == "aacraid":
        return channel == 0
    if driver in {"mpt2sas", "mpt3sas", "mptsas"}:
        return channel == _VOLUMES
    return None


def level_of(disk: Thing) -> str | None:
    """Return the level of an array, as its driver tells it: RAID 5."""
    level = disk.fact("raid_level", "level") or ""
    return level if re.fullmatch(r"[\w+ ()-]{1,32}", level) else None
