"""Words that people use of disks, and what each certainly says: class, brand and family words of typed lists.

A family says only what holds for every drive that is sold under its name. Where its drives differ it says so in a note
instead, and where most of a size are shingled it says SMR, marked as assumed. Sources: the makers' data sheets and the
lists that `smr_models` names.
"""

import re
from dataclasses import dataclass
from functools import cache

from poolwright.domain.disk import Media
from poolwright.texts import marked


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a word says of a disk; None where it says nothing. ``note`` is for people.

    ``shingled_gb`` are sizes in GB at which the family is usually, but not always, SMR.
    """

    media: Media | None = None
    flash: bool = False
    transport: str | None = None
    smr: bool | None = None
    host_managed: bool | None = None
    power_loss_protection: bool | None = None
    rotation_rpm: int | None = None
    sectors: tuple[int, int] | None = None
    note: str = ""
    shingled_gb: tuple[int, ...] = ()
    brand: bool = False


_HDD, _SSD, _NVME = Media.HDD, Media.SSD, Media.NVME
_NOTHING = Said()
_BRAND = Said(brand=True)
_UNCERTAIN = marked("enterprise, datacenter or consumer settles nothing: add what is known, such as PLP or CMR")
_QLC = marked("QLC flash writes slowly once its cache is full")
_HOST_MANAGED = Said(media=_HDD, smr=True, host_managed=True)
_WORDS: dict[str, Said] = {
    **dict.fromkeys(("hdd", "disk", "disks", "nearline"), Said(media=_HDD)),
    **dict.fromkeys(("ssd", "ssds", "flash", "m.2", "slc", "mlc", "tlc"), Said(flash=True)),
    **dict.fromkeys(("nvme", "pcie", "u.2", "u.3", "e1.s", "e3.s"), Said(media=_NVME, transport="nvme")),
    "sata": Said(transport="sata"),
    "sas": Said(transport="sas"),
    "usb": Said(transport="usb"),
    "nl-sas": Said(media=_HDD, transport="sas"),
    **dict.fromkeys(("cmr", "pmr"), Said(smr=False)),
    **dict.fromkeys(("smr", "dm-smr"), Said(smr=True)),
    "ha-smr": Said(smr=True, note=marked("host-aware SMR: not for ZFS")),
    "hm-smr": _HOST_MANAGED,
    "512n": Said(sectors=(512, 512)),
    "512e": Said(sectors=(512, 4096)),
    "4kn": Said(sectors=(4096, 4096)),
    "qlc": Said(flash=True, note=_QLC),
    "no-plp": Said(power_loss_protection=False),
    **dict.fromkeys(("plp", "power-loss-protection", "power loss protection"), Said(power_loss_protection=True)),
    **dict.fromkeys(("enterprise", "datacenter", "consumer"), Said(note=_UNCERTAIN)),
    **dict.fromkeys((
        "pro", "max", "drive", "dc", "drives", "à", "of", "each", "2.5in", "3.5in", "lff", "sff", "6g", "12g", "24g",
        "6gb/s", "12gb/s", "6gbps", "12gbps", "gen3", "gen4", "gen5",
    ), _NOTHING),
    **{f"{speed}{end}": Said(media=_HDD, rotation_rpm=rpm) for speed, rpm in (
        ("5400", 5400), ("5.4k", 5400), ("5900", 5900), ("7200", 7200), ("7.2k", 7200), ("7,2k", 7200),
        ("10000", 10000), ("10k", 10000), ("15000", 15000), ("15k", 15000),
    ) for end in ("", "rpm", " rpm")},
}  # fmt: skip
_BRANDS = [
    "seagate", "wd", "wdc", "western", "digital", "hgst", "hitachi", "toshiba", "kioxia", "samsung", "intel",
    "solidigm", "micron", "crucial", "kingston", "sandisk", "hpe", "hp", "dell", "lenovo", "netapp",
]  # fmt: skip
_CLIENT_SATA = Said(media=_SSD, transport="sata", power_loss_protection=False)
_CLIENT_NVME = Said(media=_NVME, transport="nvme", power_loss_protection=False)
_SERVER_SATA = Said(media=_SSD, transport="sata", power_loss_protection=True)
_SERVER_SAS = Said(media=_SSD, transport="sas", power_loss_protection=True)
_SERVER_NVME = Said(media=_NVME, transport="nvme", power_loss_protection=True)
_CMR_DISK = Said(media=_HDD, smr=False)
_CMR_SATA_DISK = Said(media=_HDD, smr=False, transport="sata")
_RED_NOTE = marked("by Western Digital’s list of 2020 WD Red EFAX of 2 to 6 TB are SMR; the older EFRX are CMR")
_FAMILIES: dict[str, Said] = {
    "optane": _SERVER_NVME,
    "exos": Said(media=_HDD, note=marked("Exos are CMR but for the models sold as SMR (5E8, HSMR): write which")),
    "red": Said(
        media=_HDD, transport="sata", shingled_gb=(2000, 3000, 4000, 6000), note=_RED_NOTE,
    ),
    "barracuda": Said(
        media=_HDD, transport="sata", shingled_gb=(2000, 3000, 4000, 6000, 8000),
        note=marked("the BarraCuda of 2 to 8 TB sold since 2016 are SMR"),
    ),
    "skyhawk": Said(media=_HDD, transport="sata", note=marked("SkyHawk are CMR or SMR by model: write which")),
    "ultrastar": Said(note=marked("Ultrastar are hard disks and SSDs, the HC6xx host-managed SMR: write which")),
    **dict.fromkeys((f"hc{n}" for n in (310, 320, 330, 510, 520, 530, 550, 555, 560, 570, 580, 590)), _CMR_DISK),
    **dict.fromkeys(("exos x16", "exos x18", "exos x20", "exos x22", "exos x24", "exos 7e8", "exos 7e10"), _CMR_DISK),
    **dict.fromkeys(("mg", "mg06", "mg07", "mg08", "mg09", "mg10", "mg11"), _CMR_DISK),
    **dict.fromkeys((
        "ironwolf", "ironwolf pro", "red plus", "red pro", "gold", "barracuda pro", "n300", "x300",
    ), _CMR_SATA_DISK),
    **dict.fromkeys(("hc620", "hc650", "hc670", "hc680", "hc690", "hs14"), _HOST_MANAGED),
    **dict.fromkeys((
        "850 evo", "850 pro", "860 evo", "860 pro", "870 evo", "mx500", "bx500", "sa500", "red sa500", "sa510",
        "blue sa510",
    ), _CLIENT_SATA),
    **dict.fromkeys(("860 qvo", "870 qvo"), Said(
        media=_SSD, transport="sata", power_loss_protection=False, note=_QLC,
    )),
    **dict.fromkeys((
        "960 evo", "960 pro", "970 evo", "970 evo plus", "970 pro", "980", "980 pro", "990 evo", "990 evo plus",
        "990 pro", "pm9a1", "660p", "670p", "sn570", "sn580", "sn700", "red sn700", "sn770", "black sn770", "sn850x",
        "black sn850x", "p5 plus", "kc3000",
    ), _CLIENT_NVME),
    **dict.fromkeys((
        "pm863", "pm863a", "sm863", "sm863a", "pm883", "sm883", "pm893", "5100", "5200", "5300", "5400",
        "s3500", "s3510", "s3520", "s3610", "s3700", "s3710", "s4500", "s4510", "s4520", "s4600", "s4610", "s4620",
        "dc500m", "dc500r", "dc600m",
    ), _SERVER_SATA),
    **dict.fromkeys(("pm1643", "pm1643a", "pm1653"), _SERVER_SAS),
    **dict.fromkeys((
        "pm983", "pm9a3", "pm1725", "pm1725a", "pm1725b", "pm1733", "pm1735", "pm1743", "7300", "7400", "7450", "7500",
        "9300", "9400", "p3600", "p3700", "p4500", "p4510", "p4600", "p4610", "p5510", "p5520", "p5620",
        "d7-p5510", "d7-p5520", "d7-p5620", "d5-p5316", "d5-p5430", "dc1000b", "dc1500m",
        "900p", "905p", "p1600x", "p4800x", "p5800x", "optane 900p", "optane 905p", "optane p1600x", "optane p4800x",
        "optane p5800x",
    ), _SERVER_NVME),
}  # fmt: skip
# A number alone is a model only behind its maker's name.
_NEEDS_BRAND = {
    **dict.fromkeys(("5100", "5200", "5300", "5400", "7300", "7400", "7450", "7500", "9300", "9400"), "micron"),
    "980": "samsung", "red": "wd", "gold": "wd", "red plus": "wd", "red pro": "wd", "mg": "toshiba",
}  # fmt: skip
_ALSO_CALLED = {"wd": ("wdc", "digital")}
# Makers' model numbers, by what their beginning says.
_CODES = (
    (re.compile(r"(?:ST[0-9]{3,5}[A-Z]{2}[0-9]{3,4}[A-Z]?|WD[0-9]{2,3}[A-Z]{4})\Z"), Said(media=_HDD)),
    (re.compile(r"[HW]SH7[23][0-9]{4}[A-Z0-9]{4,8}\Z"), _HOST_MANAGED),
    (re.compile(r"(?:WUH|HUH|HUS)[0-9]{6}[A-Z0-9]{4,8}\Z"), Said(media=_HDD)),
    (
        re.compile(r"(?:MG[0-9]{2}[A-Z]{3}[0-9]{2,5}[A-Z]{0,3}|HDW[A-Z][0-9]{2,3}|DT0[0-9][A-Z]{3}[0-9]{3}V?)\Z"),
        Said(media=_HDD),
    ),
    (re.compile(r"(?:MZ-?7[-0-9A-Z]{4,20}|SSDSC2[-0-9A-Z]{4,16})\Z"), Said(media=_SSD, transport="sata")),
    (re.compile(r"(?:MZ-?[QV1][-0-9A-Z]{4,20}|SSDPE[-0-9A-Z]{4,16})\Z"), Said(media=_NVME, transport="nvme")),
    (re.compile(r"(?:MTFD[-0-9A-Z]{6,20}|CT[0-9]{3,4}[A-Z0-9]{3,12})\Z"), Said(flash=True)),
)
MOST_WORDS = 3  # of one family's name


@cache
def known_words() -> tuple[str, ...]:
    """Return every word and family that is understood, for telling what a misspelt one is near."""
    families = {f"{_NEEDS_BRAND[name]} {name}" if name in _NEEDS_BRAND else name for name in _FAMILIES}
    return tuple(sorted({*_WORDS, *families, *_BRANDS}))


def said_by(words: tuple[str, ...], before: str) -> Said | None:
    """Return what ``words`` say together, one word or a family's several; None where they are not known.

    ``before`` is the word in front of them, which some families need.
    """
    name = " ".join(word.casefold() for word in words)
    needed = _NEEDS_BRAND.get(name)
    if needed is None or before.casefold() in {needed, *_ALSO_CALLED.get(needed, ())}:
        family = _FAMILIES.get(name)
        if family is not None:
            return family
    if len(words) == 1 and name in _BRANDS:
        return _BRAND
    return _WORDS.get(name)


def is_family(words: tuple[str, ...], said: Said) -> bool:
    """Tell whether ``words`` name a product rather than a kind, so that they belong into the model's name."""
    return said.brand or _FAMILIES.get(" ".join(word.casefold() for word in words)) is said


def said_by_code(word: str) -> Said | None:
    """Return what a maker's model number such as ST16000NM001G says; None where the word is none."""
    name = word.upper()
    found = next((said for pattern, said in _CODES if pattern.match(name)), None)
    if found is not None and found.media is Media.HDD and is_known_smr(name):
        return Said(media=Media.HDD, smr=True)
    return found


# Drive-managed SMR models, which no tool can recognise: neither drive nor kernel says so.

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
_SMR_MODELS_HOST_MANAGED = re.compile(r"(?:.*\b)?(?:[HW]SH7[23]\d{4}|HS14\b|HC6[2-9]0\b)")


def is_host_managed(model: str | None) -> bool:
    """Tell whether this model is host-managed SMR, which kernels before 4.10 and old lsblk do not say."""
    return bool(_SMR_MODELS_HOST_MANAGED.match((model or "").upper().strip()))


def is_smr_family(family: str | None) -> bool:
    """Tell whether smartctl's name for the model family says SMR, as newer drive databases do."""
    return (family or "").rstrip().endswith("(SMR)")
