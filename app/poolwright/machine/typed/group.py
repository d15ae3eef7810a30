"""One group of typed disks: what was said of it, what follows, what has to be assumed."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from typing import Any

from poolwright.domain.disk import Disk, Media, Note, NoteLevel, Unfit
from poolwright.domain.errors import UserError
from poolwright.domain.estimate import Origin, OriginKind
from poolwright.domain.rates import parse_disk_rate
from poolwright.domain.units import GB, is_disk_unit, label_bytes, parse_size, shortened
from poolwright.machine.drive_words import Said, is_family, said_by_word
from poolwright.shipped import shipped
from poolwright.texts import N_, _

_BARE_LETTER = re.compile(r"([0-9][0-9.,]*) ?([mgtp])i?\Z", re.IGNORECASE)
_PLURALS = {Media.HDD: N_("hard disks"), Media.SSD: "SSDs", Media.NVME: N_("NVMe SSDs")}
_SAID = ("media", "transport", "smr", "host_managed", "power_loss_protection", "rotation_rpm", "sectors")


@dataclass(slots=True, kw_only=True)
class TypedGroup:
    """Disks that are alike; their words are ``text``, from ``at`` to ``end`` of the whole."""

    count: int
    size_text: str
    size_bytes: int
    at: int
    end: int = 0
    text: str = ""
    assumed: list[str] = field(default_factory=list)
    _remarks: list[Said] = field(default_factory=list)
    model_given: str = ""
    shelf: str = ""
    shelves: int = 0  # over so many they are spread, where no shelf is named
    rates: dict[str, int] = field(default_factory=dict)
    _values: dict[str, Any] = field(default_factory=dict)
    _sources: dict[str, str] = field(default_factory=dict)
    _of_family: set[str] = field(default_factory=set)
    _names: list[str] = field(default_factory=list)
    _flash: str = ""
    _shingled: str = ""

    def hear(self, said: Said, words: tuple[str, ...], *, model: bool = False) -> None:
        """Take in what ``words`` say. Raises UserError where that contradicts what was said before."""
        name = " ".join(words)
        family = model or is_family(words, said)
        if family:
            self._names.append(name)
        for fact in _SAID:
            value = getattr(said, fact)
            if value is not None:
                self._tell(fact, value, name, family)
        if said.rotation_rpm is not None:
            self._tell("media", Media.HDD, name, family)
        if said.flash:
            self._flash = name
        if self._flash and self._values.get("media") is Media.HDD:
            raise _contradiction(self._flash, self._sources["media"])
        if said.note and not said.shingled_gb:
            self._remarks.append(said)
        if parse_size(self.size_text) // GB in said.shingled_gb:
            self._shingled = _(said.note)

    @property
    def remarks(self) -> list[str]:
        """Return what is to be said of the words; not what a more exact word, such as CMR or HC620, has answered."""
        kept = (said for said in self._remarks if said.smr is not None or said.flash or "smr" not in self._sources)
        return [_(said.note) for said in kept]

    def name_model(self, name: str) -> None:
        """Take in the model of these disks, and what its number says. Raises UserError for a second one."""
        if self.model_given:
            raise _contradiction(self.model_given, name)
        for word in name.split():
            said = said_by_word(word)
            if said is not None:
                self.hear(said, (word,), model=True)
                self._names.remove(word)
        self.model_given = name

    def stand_in(self, shelf: str) -> None:
        """Take in the shelf in which these disks are. Raises UserError for a second one."""
        if self.shelf:
            raise _contradiction(_("shelf {name}", name=self.shelf), _("shelf {name}", name=shelf))
        self.shelf = shelf

    def measure(self, way: str, text: str) -> None:
        """Take in the sequential rate of one disk that was measured, ``way`` read or write; raises UserError."""
        if way in self.rates:
            raise UserError(
                _("{text} is a second {way} rate", text=shortened(text), way=way), todo=_("Omit one of them.")
            )
        self.rates[way] = int(parse_disk_rate(text))

    def medium_by_size(self) -> Media | None:
        """Return the medium that the size alone tells; None where it was said, or the size was sold as both."""
        said = "media" in self._values or self._values.get("transport") == "nvme" or self._flash
        if said or "power_loss_protection" in self._values or self.size_bytes in _sold("both_gb"):
            return None
        return Media.SSD if self.size_bytes in _sold("flash_gb") else Media.HDD

    def assume(self, others: Media | None = None) -> None:
        """Fill in what nobody said, and note it; ``others`` is what the other disks are, told by their sizes alone."""
        bare = _BARE_LETTER.match(self.size_text)
        if parse_size(self.size_text) != self.size_bytes:
            text = _("{size_bytes:,} bytes, the usual size behind the label {size_text}",
                        size_bytes=self.size_bytes, size_text=self.size_text)  # fmt: skip
            self.assumed.append(text)
        elif bare is not None:
            sold = f"{bare.group(1)}{bare.group(2).upper()}B"
            text = _("{size_bytes} bytes, in 1024s; the drive sold as {sold} is written so",
                        size_bytes=self.size_bytes, sold=sold)  # fmt: skip
            self.assumed.append(text)
        self._assume_media(others)
        if self._values.get("smr") is None and self._shingled:
            self._values["smr"] = True
            self.assumed.append(_("SMR, because {shingled}; write CMR where it is", shingled=self._shingled))
        if self._values["media"] is not Media.HDD:
            self._values["smr"] = False
        if "sectors" not in self._values:
            self._values["sectors"] = (512, 4096)
            self.assumed.append(_("512-byte logical and 4096-byte physical sectors (512e)"))

    def disks(self, *, first: int) -> list[Disk]:
        """Return the disks, numbered from ``first``; `assume` comes before."""
        values = self._values
        logical, physical = values["sectors"]
        notes = [Note(text=_("planned; assumed {what}", what=", ".join(self.assumed)))] if self.assumed else []
        notes += [Note(text=remark, level=NoteLevel.WARN) for remark in dict.fromkeys(self.remarks)]
        tag = re.sub(r"[^A-Za-z0-9.]", "", self.size_text.replace(",", "."))
        model = self.model_given or " ".join(self._names) or None
        all_notes, origins = tuple(notes), self._origins(model)
        return [
            Disk(
                key=f"planned-{tag}-{number:02d}",
                model=model,
                size_bytes=self.size_bytes,
                logical_sector_bytes=logical,
                physical_sector_bytes=physical,
                media=values["media"],
                rotation_rpm=values.get("rotation_rpm"),
                smr=values.get("smr"),
                transport=values.get("transport"),
                power_loss_protection=values.get("power_loss_protection"),
                read_bytes_per_second=self.rates.get("read"),
                write_bytes_per_second=self.rates.get("write"),
                enclosure=str(1 + (number - first) * self.shelves // self.count)
                if self.shelves
                else self.shelf or None,
                planned=True,
                unfit=(Unfit.HOST_MANAGED,) if values.get("host_managed") else (),
                notes=all_notes,
                origins=origins,
            )
            for number in range(first, first + self.count)
        ]

    def _tell(self, fact: str, value: object, name: str, family: bool) -> None:
        """Keep a fact: what is said of these disks comes before what holds for their family."""
        before = self._values.get(fact)
        of_model = before is not None and fact not in self._of_family
        if before is not None and before != value and (fact == "media" or of_model is not family):
            raise _contradiction(self._sources[fact], name)
        if of_model and family:
            return
        self._values[fact], self._sources[fact] = value, name
        if family:
            self._of_family.add(fact)
        else:
            self._of_family.discard(fact)

    def _assume_media(self, others: Media | None) -> None:
        if self._values.get("media") is None:
            if self._values.get("transport") == "nvme":
                media = Media.NVME
            elif self._flash or self._values.get("power_loss_protection") is not None:
                media = Media.SSD
            elif self.size_bytes in _sold("both_gb"):
                media = others or Media.SSD
            else:
                media = self.medium_by_size() or Media.HDD
            self._values["media"] = media
            if self._flash.casefold() == "m.2" and "transport" not in self._values:
                self.assumed.append(_("SSDs that are no faster than SATA, as M.2 drives may be either"))
            elif self._flash:
                self._sources["media"] = self._flash
            else:
                self.assumed.append(_(_PLURALS[media]))
        if self._values["media"] is Media.NVME:
            self._values["transport"] = "nvme"

    def _origins(self, model: str | None) -> tuple[tuple[str, Origin], ...]:
        assumed = Origin(kind=OriginKind.ASSUMED, source=_("assumed, because it was not typed"))
        label = Origin(
            kind=OriginKind.COMPUTED,
            source=_("capacity behind {size_text} (IDEMA LBA1-03, SFF-8447)", size_text=self.size_text),
        )
        typed = Origin(kind=OriginKind.TYPED, source=_("typed by hand"))
        sold = parse_size(self.size_text) != self.size_bytes
        found = [("size_bytes", label if sold else typed)]
        fields = {"sectors": ("logical_sector_bytes", "physical_sector_bytes")}
        for fact in _SAID:
            source = self._sources.get(fact)
            if self._values.get(fact) is None or (
                fact in ("smr", "transport") and source is None and not self._shingled
            ):
                continue
            origin = (
                assumed
                if source is None
                else Origin(kind=OriginKind.TYPED, source=_("typed by hand: {source}", source=source))
            )
            found += [(name, origin) for name in fields.get(fact, (fact,)) if fact != "host_managed"]
        found += [(f"{way}_bytes_per_second", typed) for way in self.rates]
        found += [("enclosure", typed)] if self.shelf else []
        if model is not None:
            found.append(("model", typed))
        return tuple(found)


@cache
def _sold(kind: str) -> frozenset[int]:
    """Return the bytes of the drives that are sold in the capacities of a list of `rules/data/drives.toml`."""
    return frozenset(map(label_bytes, shipped("drives")[kind]))


def _contradiction(before: str, word: str) -> UserError:
    return UserError(_("“{word}” contradicts “{before}”", word=word, before=before), todo=_("Omit one of them."))


# The pieces of a typed list of disks: numbers with their unit, signs of times, separators, words.


class TokenKind(StrEnum):
    NUMBER = "number"
    TIMES = "times"
    COMMA = "comma"
    END = "end"  # what surely ends a group
    WORD = "word"


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A piece, where it begins (from 0), and of a number its digits and what is attached to them."""

    kind: TokenKind
    text: str
    at: int
    digits: str = ""
    unit: str = ""


_BLANKS = re.compile(r"[^\S\n]+")
_DIGITS = re.compile("[0-9](?:[0-9.,'’_\u00a0\u2009\u202f]*[0-9])?")
_ATTACHED = re.compile(r"[^\s,;+×*0-9][^\s,;+×*]*")
# “x” behind a number: a number or a word follows, perhaps after blanks, or nothing yet.
_TIMES = re.compile(r"[x×*](?=[0-9a-z\s]|\Z)", re.IGNORECASE)
_TRAILING_TIMES = re.compile(r"x[0-9]+\Z", re.IGNORECASE)
_JOINING = frozenset(("and", "und", "&"))
_WORD = re.compile(r"[^\s,;+×*]+")


def tokens_of(text: str) -> Iterator[Token]:
    """Yield the pieces of ``text`` in time proportional to its length."""
    at, after_number = 0, False
    while at < len(text):
        blanks = _BLANKS.match(text, at)
        if blanks is not None:
            at = blanks.end()
            continue
        if text[at] in ";+\n":
            token = Token(kind=TokenKind.END, text=text[at], at=at)
        elif text[at] == ",":
            token = Token(kind=TokenKind.COMMA, text=",", at=at)
        elif text[at] in "×*" or (after_number and _TIMES.match(text, at)):
            token = Token(kind=TokenKind.TIMES, text=text[at], at=at)
        elif (digits := _DIGITS.match(text, at)) is None:
            word = match.group() if (match := _WORD.match(text, at)) else text[at]
            token = Token(kind=TokenKind.END if word.casefold() in _JOINING else TokenKind.WORD, text=word, at=at)
        else:
            attached = None if _TIMES.match(text, digits.end()) else _ATTACHED.match(text, digits.end())
            unit = "" if attached is None else _TRAILING_TIMES.sub("", attached.group())  # 16TBx12
            token = Token(kind=TokenKind.NUMBER, text=digits.group() + unit, at=at, digits=digits.group(), unit=unit)
        yield token
        at, after_number = at + len(token.text), token.kind is TokenKind.NUMBER or is_disk_unit(token.text)
