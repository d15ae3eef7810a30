"""Drive-managed SMR models, which no tool can recognise: neither drive nor kernel says so.

Every entry stands in one of these:
- Western Digital's list of 22 April 2020 (“On WD Red NAS Drives”): WD Red, Blue and Black.
- Toshiba's statement of 28 April 2020: P300, DT02, DT02-V, L200 and MQ04 of the sizes it names.
- smartmontools' drive database (drivedb.h, 7.3), whose families end in “(SMR)”: also BarraCuda 3.5 and Archive HDD.
- Seagate's presentation of October 2016 (AnandTech 10757): BarraCuda 2.5 and Mobile HDD have shingled platters.
A model that is missing here is not thereby CMR: the answer is then “unknown”.
"""

import re

_SMR = re.compile(
    r"""
    (?: WD(?: [2346]0EFAX | [246]0EZAZ | [12]0SPZX | 10SPSX )
      | ST(?: 2000DM00[589] | 3000DM007 | 4000DM00[45] | 6000DM003 | 8000DM004 )
      | ST[568]000AS00[01][12]
      | ST(?: 500LM030 | 1000LM048 | 2000LM015 | 3000LM024 | 4000LM024 | 5000LM000 )
      | ST(?: 1000LM035 | 2000LM007 )
      | (?:TOSHIBA[ _])?(?: HDWD2[246]0 | HDWL1[12]0 | DT02ABA[46]00V? | MQ04[AU]B[FD][12]00 )
    )(?![0-9])
    """,
    re.VERBOSE,
)


def is_known_smr(model: str | None) -> bool:
    """Tell whether the maker, or smartmontools' drive database, says that this model is drive-managed SMR."""
    name = (model or "").upper().replace("WDC ", "").replace("WDC_", "").strip()
    return bool(_SMR.match(name))


# Western Digital's data sheets of the Ultrastar Hs14, HC620, HC650, HC670, HC680 and HC690: all are host-managed.
_HOST_MANAGED = re.compile(r"(?:.*\b)?(?:[HW]SH7[23]\d{4}|HS14\b|HC6[2-9]0\b)")


def is_host_managed(model: str | None) -> bool:
    """Tell whether this model is host-managed SMR, which kernels before 4.10 and old lsblk do not say."""
    return bool(_HOST_MANAGED.match((model or "").upper().strip()))


def is_smr_family(family: str | None) -> bool:
    """Tell whether smartctl's name for the model family says SMR, as newer drive databases do."""
    return (family or "").rstrip().endswith("(SMR)")
