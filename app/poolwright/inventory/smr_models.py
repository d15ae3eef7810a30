"""Drive-managed SMR models, which no tool can recognise: neither drive nor kernel says so.

The lists are what the makers published when asked in spring 2020 and later in their data sheets:
Western Digital, “On WD Red NAS Drives” (blog, 22 April 2020) and the product briefs of WD Red, Blue and Black;
Seagate, “CMR and SMR hard drives” (product table); Toshiba, statement on consumer drives of 28 April 2020.
A model that is missing here is not thereby CMR: the answer is then “unknown”.
"""

import re

_SMR = re.compile(
    r"""
    WD(?:[2346]0EFAX|[2346]0EZAZ|80EAZZ|[12]0SPZX|10SPSX|10SPWX|10SPCX|20NMVW|[45]0NDZW|60NDZM|20NPVZ)
    | ST(?:[2]000DM00[58]|3000DM007|4000DM00[45]|5000DM000|6000DM003|8000DM004)
    | ST8000AS00[02]2
    | ST(?:500LM03[04]|1000LM0(?:35|37|48|49)|2000LM0(?:07|09|15)|3000LM024|4000LM0(?:16|24)|5000LM000)
    | (?:TOSHIBA[ _])?(?:MQ04[AU][BC][FD]\d{3}|DT02ABA[246]00\w*|HDWD2[46]0\w*|HDWL1[12]0\w*)
    """,
    re.VERBOSE,
)


def is_known_smr(model: str | None) -> bool:
    """Tell whether the maker has said that this model is drive-managed SMR."""
    name = (model or "").upper().replace("WDC ", "").replace("WDC_", "").strip()
    return bool(_SMR.match(name))
