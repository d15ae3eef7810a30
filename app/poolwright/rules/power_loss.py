"""Which flash drives keep what they have confirmed when the power fails, as far as the model tells.

From the makers' data sheets: drives sold for servers carry capacitors, those sold for desktops do not. A model that is
in neither list is unknown.
"""

import re
from collections.abc import Sequence

from poolwright.domain.disk import Disk, Media

_WITH = re.compile(
    r"optane|\bP(4800|5800|1600)X|\bSSD(SC2[BK][ABX]|PE2K|PED[MK])|\bDC (S|P)[34]\d{3}|"
    r"\bMZ(7L|7K|WL|QL|1L|PL)|\b(PM|SM)(863|883|893|963|983|9A3|1643|1725|1733|1735)|"
    r"MICRON_?.?(5100|5200|5300|5400|7300|7400|7450|7500|9300|9400)|KINGSTON SEDC|DC[456]\d0[MRB]|"
    r"ULTRASTAR|\bHUS(MM|MR)|WUS[45]|\bXS\d+(SE|ME|LE)|\bKPM|\bCD[5678]-|NYTRO",
    re.IGNORECASE,
)
_WITHOUT = re.compile(
    r"SAMSUNG (SSD )?(8[3-7]0|9[5-9]0)|CRUCIAL|\bCT\d+(MX|BX|P[1-5])|\bWDS\d|WD_BLACK|WD BLUE|SANDISK SSD PLUS|"
    r"KINGSTON SA[24]00|KINGSTON S(NV|KC)|SABRENT|INTEL SSDPEKN|ADATA",
    re.IGNORECASE,
)


def keeps_writes(disk: Disk) -> bool | None:
    """Tell whether the drive keeps confirmed writes in a power cut; None where neither it was said nor the model tells.

    A hard disk does: it writes through when it is asked to flush, and OpenZFS asks.
    """
    if disk.media is Media.HDD:
        return True
    if disk.power_loss_protection is not None:
        return disk.power_loss_protection
    name = " ".join(part for part in (disk.vendor, disk.model) if part)
    if _WITH.search(name):
        return True
    return False if _WITHOUT.search(name) else None


def all_keep_writes(disks: Sequence[Disk]) -> bool | None:
    """Tell whether all keep their writes: False where one does not, None where one is unknown or there is none."""
    kept = {keeps_writes(disk) for disk in disks}
    return False if False in kept else None if None in kept or not kept else True
