"""Words that people use of disks, and what each certainly says, as `rules/data/drives.toml` has them."""

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from poolwright.domain.disk import Media
from poolwright.shipped import shipped

MOST_WORDS = 3  # of one family's name
_ALSO_CALLED = {"wd": ("wdc", "digital")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a word says of a disk; None where it says nothing. ``note`` is for people.

    ``shingled_gb`` are sizes in GB at which the family is usually, but not always, SMR. ``behind`` is the maker whose
    name has to stand before it: a number alone is no model.
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
    behind: str = ""


def _meaning(entry: dict[str, Any]) -> Said:
    fields = {name: value for name, value in entry.items() if name not in {"names", "begins"}}
    fields |= {name: tuple(map(int, fields[name].split())) for name in ("sectors", "shingled_gb") if name in fields}
    return Said(**(fields | {"media": Media(fields["media"]) if "media" in fields else None}))


@cache
def _meanings(kind: str) -> dict[str, Said]:
    entries = [(entry["names"], _meaning(entry)) for entry in shipped("drives")[kind]]
    return {name: said for names, said in entries for name in names.split(", ")}


@cache
def _brands() -> dict[str, Said]:
    return dict.fromkeys(shipped("drives")["brands"].split(", "), Said(brand=True))


@cache
def known_words() -> tuple[str, ...]:
    """Return every word and family that is understood, for telling what a misspelt one is near."""
    families = (f"{said.behind} {name}".strip() for name, said in _meanings("family").items())
    return tuple(sorted({*_meanings("word"), *families, *_brands()}))


def said_by(words: tuple[str, ...], before: str) -> Said | None:
    """Return what ``words`` say together, one word or a family's several; None where they are not known.

    ``before`` is the word in front of them, which some families need.
    """
    name = " ".join(word.casefold() for word in words)
    family = _meanings("family").get(name)
    if family is not None:
        makers = (family.behind, *_ALSO_CALLED.get(family.behind, ()))
        if not family.behind or before.casefold() in makers:
            return family
    return _brands().get(name) or _meanings("word").get(name)


def said_by_word(word: str) -> Said | None:
    """Return what one word of a model's name says, a number of its maker's or a word by itself."""
    return said_by_code(word) or said_by((word,), "")


def is_family(words: tuple[str, ...], said: Said) -> bool:
    """Tell whether ``words`` name a product rather than a kind, so that they belong into the model's name."""
    return said.brand or _meanings("family").get(" ".join(word.casefold() for word in words)) is said


@cache
def _codes() -> tuple[tuple[re.Pattern[str], Said], ...]:
    return tuple((re.compile(entry["begins"]), _meaning(entry)) for entry in shipped("drives")["code"])


def said_by_code(word: str) -> Said | None:
    """Return what a maker's model number such as ST16000NM001G says; None where the word is none."""
    name = word.upper()
    found = next((said for pattern, said in _codes() if pattern.match(name)), None)
    if found is not None and found.media is Media.HDD and _smr_models().match(name):
        return Said(media=Media.HDD, smr=True)
    return found


# Drive-managed SMR models, which no tool can recognise: neither drive nor kernel says so.


@cache
def _smr_models() -> re.Pattern[str]:
    return re.compile(shipped("drives")["smr_models"], re.VERBOSE)


def recording_of(model: str | None) -> bool | None:
    """Tell whether the maker, or smartmontools' drive database, says that this model is drive-managed SMR.

    None where neither says anything; False of a model that they say is CMR.
    """
    name = re.sub(r"\A(?:WDC|TOSHIBA|SEAGATE|HGST|HITACHI)[ _]+", "", (model or "").upper().strip())
    code = re.split(r"[- ]", name, maxsplit=1)[0]
    return True if _smr_models().match(name) else said.smr if (said := said_by_code(code)) is not None else None


# Western Digital's data sheets of the Ultrastar Hs14, HC620, HC650, HC670, HC680 and HC690: all are host-managed.
_SMR_MODELS_HOST_MANAGED = re.compile(r"(?:.*\b)?(?:[HW]SH7[23]\d{4}|HS14\b|HC6[2-9]0\b)")


def is_host_managed(model: str | None) -> bool:
    """Tell whether this model is host-managed SMR, which kernels before 4.10 and old lsblk do not say."""
    return bool(_SMR_MODELS_HOST_MANAGED.match((model or "").upper().strip()))
