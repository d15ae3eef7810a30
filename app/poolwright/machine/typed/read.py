"""Disks typed by hand: “12 x 16TB CMR SATA + 2 x 960GB NVMe PLP”. They are planned, not seen.

A group is a number of disks and their size, in either order, and words about them, which may also stand between the
two (“2 x Optane 400GB”). Groups follow each other behind ``+``, ``;``, a comma or a new line, or simply with the next
number and size. Beside the words of `drive_words` a group takes ``model=NAME``, ``shelf=NAME`` (``in 3 shelves``) and
the sequential rates that were measured of one disk: ``read=180MB/s``, ``write=150MB/s``, or a bare ``180MB/s`` for
reading.
"""

import difflib
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from poolwright.domain.disk import Disk, Note
from poolwright.domain.errors import UserError
from poolwright.domain.estimate import Origin, OriginKind
from poolwright.domain.host import Inventory
from poolwright.domain.rates import rate_text
from poolwright.domain.shown import whole_text
from poolwright.domain.units import is_disk_unit, not_understood, number_of, out_of_range, parse_drive_size, shortened
from poolwright.machine.drive_words import MOST_WORDS, Said, known_words, said_by, said_by_code
from poolwright.machine.typed.group import Token, TokenKind, TypedGroup, tokens_of
from poolwright.shipped import shipped
from poolwright.texts import N_, _, either

MOST_DISKS = 4096
_HELP = N_(
    "Write COUNT x SIZE and what you know of the disks: “12 x 16TB CMR SATA”, “2 x 960GB nvme PLP”, “4 x 4TB ssd 4kn”."
)
_PIECES = frozenset({"pcs", "pc", "pieces", "stück", "stk", "disk", "disks", "drive", "drives", "hdds", "ssds", "of"})
_SINGULAR = {"hdds": "hdd", "ssds": "ssd", "nvmes": "nvme"}
_LONGEST_WORD = 40
_NEAR = 3
_RPM_DIGITS = (4, 5)


def read_typed(specs: Sequence[str], *, name: str = N_("typed disks")) -> Inventory:
    """Return the planned disks that ``specs`` describe; several groups may stand in one text.

    Every fact that was not typed is assumed, says so in its origin and in a note. Raises UserError with the word that
    was not understood, where it stands and what it may have been.
    """
    asked = " ".join(specs).strip()
    text = whole_text(asked)
    reader = _Reader(text)
    if not reader.groups:
        raise UserError(_("No disks were named"), todo=_(_HELP))
    disks: list[Disk] = []
    notes = [] if text == asked else [Note(text=_("What is no text was read as “\ufffd”: {text}", text=text))]
    by_size = {group.medium_by_size() for group in reader.groups} - {None}
    others = by_size.pop() if len(by_size) == 1 else None
    for group in reader.groups:
        if len(disks) + group.count > MOST_DISKS:
            raise out_of_range(len(disks) + group.count, 1, MOST_DISKS, of=shortened(group.text))
        group.assume(others)
        disks.extend(group.disks(first=len(disks) + 1))
        if group.assumed:
            notes.append(Note(text=_("{disks}: assumed {what}", disks=group.text, what=", ".join(group.assumed))))
        where = f"1–{group.shelves}" if group.shelves else group.shelf
        facts = [_("in shelf {shelf}", shelf=where)] if where else []
        facts += [f"{way}s {rate_text(rate)}" for way, rate in group.rates.items()]
        if facts:
            notes.append(Note(text=f"{group.text}: {', '.join(facts)}"))
        notes.extend(Note(text=f"{group.text}: {remark}") for remark in group.remarks)
    bays = Counter[str]()
    for place, disk in enumerate(disks):
        if disk.enclosure:  # so that a plan, its script and its picture number them alike
            bays[disk.enclosure] += 1
            disks[place] = replace(disk, slot=str(bays[disk.enclosure]))
    origin = Origin(kind=OriginKind.TYPED, source=_("typed: {text}", text=text))
    return Inventory(name=_(name), disks=tuple(disks), notes=tuple(notes), origin=origin)


class _Reader:
    """Goes through the pieces once; ``groups`` are what it found."""

    def __init__(self, text: str) -> None:
        self.groups: list[TypedGroup] = []
        self._text = text
        self._tokens = list(tokens_of(text))
        self._next = 0
        begin = True
        while self._next < len(self._tokens):
            token = self._tokens[self._next]
            if token.kind in (TokenKind.END, TokenKind.COMMA):
                begin = True
                self._next += 1
                continue
            ended = self._next > 0 and self._tokens[self._next - 1].kind is TokenKind.END
            if self._group(begin=begin or not self.groups):
                begin = False
            elif not self.groups or ended:
                raise self._no_size(token)
            else:
                self._words(self.groups[-1])
                begin = False

    def _group(self, *, begin: bool) -> bool:
        """Read number and size of the next group; ``begin`` where one is due. Tell whether there is one."""
        start = self._next
        token = self._tokens[start]
        # A number may be one of the words: 7200, 512e, 10K.
        if token.kind is not TokenKind.NUMBER or (not begin and self._meaning_at(start) is not None):
            return False
        behind = self._kind(start + 1)
        if not token.unit and behind is TokenKind.TIMES:
            return self._take(token, start + 2)
        size = self._size_at(start)
        if size is not None and self._kind(size[1]) is TokenKind.TIMES and self._kind(size[1] + 1) is TokenKind.NUMBER:
            return self._add(self._tokens[size[1] + 1], size[0], start, size[1] + 2)
        if not begin:
            return False
        if not token.unit:
            after = start + 1
            while self._kind(after) is TokenKind.WORD and self._tokens[after].text.casefold() in _PIECES:
                after += 1
            self._bring_size_to(after, known=True)
            if self._kind(after) is TokenKind.NUMBER and self._size_at(after) is not None:
                return self._take(token, after)
        if size is None and self.groups and (token.unit or self._meaning_at(start) is not None):
            return False
        if size is None and not token.unit and self._kind(start + 1) is TokenKind.WORD:
            raise self._no_size(token)
        return self._add(None, size[0] if size else token.text, start, size[1] if size else start + 1)

    def _no_size(self, token: Token) -> UserError:
        rest, at = self._text[token.at :], self._tokens.index(token)
        ends = (TokenKind.COMMA, TokenKind.END)
        until = next((n for n in range(at, len(self._tokens)) if self._kind(n) in ends), len(self._tokens))
        if any(self._size_at(place) for place in range(at, until)):
            return not_understood(rest, _(_HELP), where=_place(token))
        return UserError(_("{text} names no size", text=shortened(rest)), where=_place(token), todo=_(_HELP))

    def _take(self, count: Token, at: int) -> bool:
        """Read the size at ``at`` or behind the words there, of ``count`` disks."""
        if self._kind(at) is TokenKind.WORD:
            self._bring_size_to(at, known=False)
        if self._kind(at) is not TokenKind.NUMBER:
            raise self._no_size(count)
        size = self._size_at(at)
        text, after = size if size is not None else (self._tokens[at].text, at + 1)
        return self._add(count, text, self._next, after)

    def _bring_size_to(self, at: int, *, known: bool) -> None:
        """Put the size in front of the words at ``at``, where it stands behind them (``known``: only if all are)."""
        size = at
        while self._kind(size) in (TokenKind.WORD, TokenKind.NUMBER) and self._size_at(size) is None:
            said = self._meaning_at(size)
            if said is None and known:
                return
            size += said[1] if said is not None else 1
        found = self._size_at(size) if self._kind(size) is TokenKind.NUMBER else None
        if found is not None:
            self._tokens[at : found[1]] = [*self._tokens[size : found[1]], *self._tokens[at:size]]

    def _add(self, count: Token | None, size: str, start: int, after: int) -> bool:
        group = TypedGroup(
            count=1 if count is None else _count(count),
            size_text=size,
            size_bytes=parse_drive_size(size),
            at=self._tokens[start].at,
        )
        self.groups.append(group)
        self._end(group, after)
        return True

    def _end(self, group: TypedGroup, after: int) -> None:
        """Note that ``group`` reaches to the piece before ``after``, which is the next."""
        last = self._tokens[after - 1]
        group.end = max(group.end, last.at + len(last.text))  # the size may stand behind the words
        group.text = self._text[group.at : group.end]
        self._next = after

    def _size_at(self, at: int) -> tuple[str, int] | None:
        """Return the size with a unit at ``at`` and where it ends; None where there is none."""
        token = self._tokens[at]
        if token.kind is not TokenKind.NUMBER:
            return None
        if token.unit:
            return (token.text, at + 1) if is_disk_unit(token.unit) else None
        if self._kind(at + 1) is TokenKind.WORD and is_disk_unit(self._tokens[at + 1].text):
            return f"{token.digits} {self._tokens[at + 1].text}", at + 2
        return None

    def _kind(self, at: int) -> TokenKind | None:
        return self._tokens[at].kind if at < len(self._tokens) else None

    def _meaning_at(self, at: int) -> tuple[Said, int] | None:
        """Return what the words at ``at`` say, the longest known run of them, and how many they are."""
        before = self._tokens[at - 1].text if at else ""
        for length in range(MOST_WORDS, 0, -1):
            run = self._tokens[at : at + length]
            if len(run) == length and all(t.kind in (TokenKind.WORD, TokenKind.NUMBER) for t in run):
                said = said_by(tuple(_SINGULAR.get(t.text.casefold(), t.text) for t in run), before)
                if said is not None:
                    return said, length
        return None

    def _words(self, group: TypedGroup) -> None:
        token = self._tokens[self._next]
        end = self._next + 1
        said = self._meaning_at(self._next)
        if said is not None:
            end = self._next + said[1]
            group.hear(said[0], tuple(t.text for t in self._tokens[self._next : end]))
        elif (taken := typed_fact(group, self._tokens, self._next)) is not None:
            end = taken
        elif (size := self._size_at(self._next)) is not None and parse_drive_size(size[0]) == group.size_bytes:
            end = size[1]  # the size again, as part of the model's name
        elif (rpm := self._rpm(token)) is not None:
            group.hear(Said(rotation_rpm=rpm), (token.text,))
            end += not token.unit
        elif token.kind is TokenKind.WORD and (code := said_by_code(token.text)) is not None:
            group.hear(code, (token.text,), model=True)
        else:
            raise _unknown(token)
        self._end(group, end)

    def _rpm(self, token: Token) -> int | None:
        named = token.unit or (
            self._tokens[self._next + 1].text if self._kind(self._next + 1) is TokenKind.WORD else ""
        )
        good = token.digits.isdigit() and len(token.digits) in _RPM_DIGITS and named.casefold() == "rpm"
        return int(token.digits) if good else None


def _count(token: Token) -> int:
    number = number_of(token.digits)
    if token.unit or number != int(number):
        todo = _("Write whole numbers, and a blank behind a comma between groups: 3 x 4TB, 5 x 4TB.")
        raise not_understood(token.text, todo, where=_place(token))
    if not 0 < number <= MOST_DISKS:
        raise out_of_range(token.text, 1, MOST_DISKS, of=_place(token))
    return int(number)


def _unknown(token: Token) -> UserError:
    if token.kind is TokenKind.NUMBER and is_disk_unit(token.unit):
        return not_understood(token.text, _("Write a comma before further disks."), where=_place(token))
    near = difflib.get_close_matches(token.text[:_LONGEST_WORD].casefold(), known_words(), _NEAR)
    todo = (
        _("Is {tuple} meant?", tuple=either(tuple(f"“{word}”" for word in near)))
        if near
        else _("Write what is known, such as CMR, SAS, 7200, 4Kn, PLP.")
    )
    return UserError(
        _("{text} is not understood", text=shortened(token.text)),
        where=_place(token),
        todo=_("{todo} A model is written model=NAME, a shelf shelf=NAME, a measured rate read=180MB/s.", todo=todo),
    )


def _place(token: Token) -> str:
    return _("character {number}", number=token.at + 1)


# Facts of typed disks that are values rather than words: model=NAME, shelf=2, read=180MB/s.

# Bytes alone: bits a second are the speed of a link.
_RATE = re.compile(r"[kKMGT]i?B(?:/s|ps)\Z")
_SPAN = re.compile(r"1(?:\.\.|-|–)([1-9][0-9]?)\Z")  # shelf=1..3
_SHELVES = frozenset({"shelf", "shelves", "enclosure", "enclosures", "jbod", "jbods"})
_LONGEST_NAME = 60
_NAME = re.compile(r"[^\x00-\x1f\x7f]+\Z")
_QUOTES = "\"'“”"
_WAYS = {"read": ("read",), "reads": ("read",), "write": ("write",), "writes": ("write",), "rate": ("read", "write")}


def typed_fact(group: TypedGroup, tokens: Sequence[Token], at: int) -> int | None:
    """Read the fact that begins at ``at`` into ``group``; return where it ends, None where there is none.

    Raises UserError for a name that is empty or too long, a rate that is none, and a fact that is told twice.
    """
    token = tokens[at]
    if token.kind is TokenKind.NUMBER:
        apart = not token.unit and at + 1 < len(tokens)
        unit = tokens[at + 1].text if apart else token.unit
        if _RATE.match(unit) is None:
            return None
        group.measure("read", f"{token.digits} {unit}")
        return at + 1 + apart
    key, sign, value = token.text.partition("=")
    key = key.casefold()
    if not sign:
        number, word = (*(token.text.casefold() for token in tokens[at + 1 : at + 3]), "", "")[:2]
        if key in ("in", "across", "over") and word in _SHELVES and number.isdigit():
            group.shelves = min(max(1, int(number)), group.count)
            return at + 3
        return _shelf_behind(group, tokens, at) if key in _SHELVES else None
    if key == "model":
        end = _end_of_model(tokens, at, value)
        group.name_model(_name(" ".join([value, *(t.text for t in tokens[at + 1 : end])]), "model"))
        return end
    if key in _SHELVES and (span := _SPAN.match(value)):
        group.shelves = min(int(span[1]), group.count)
    elif key in _SHELVES:
        group.stand_in(_name(value, "shelf"))
    elif key in _WAYS:
        for way in _WAYS[key]:
            group.measure(way, value)
    else:
        return None
    return at + 1


def _end_of_model(tokens: Sequence[Token], at: int, value: str) -> int:
    """Return where a model ends: at the closing quote, or, behind a maker's name, before the next fact or group."""
    quoted, end = value[:1] in _QUOTES, at + 1
    if quoted or value.casefold() in shipped("drives")["makers"].split():
        while end < len(tokens) and not (quoted and tokens[end - 1].text[-1] in _QUOTES and len(value) > 1):
            behind = tokens[end + 1].kind if end + 1 < len(tokens) else None
            apart = tokens[end].kind not in (TokenKind.WORD, TokenKind.NUMBER) or "=" in tokens[end].text
            if not quoted and (apart or behind is TokenKind.TIMES):
                break
            end += 1
    return end


def _shelf_behind(group: TypedGroup, tokens: Sequence[Token], at: int) -> int | None:
    """Take the name behind the word shelf, unless it is the number of the next group."""
    kinds = [token.kind for token in tokens[at + 1 : at + 3]]
    if not kinds or kinds[0] not in (TokenKind.WORD, TokenKind.NUMBER) or kinds[1:] == [TokenKind.TIMES]:
        return None
    group.stand_in(_name(tokens[at + 1].text, "shelf"))
    return at + 2


def _name(text: str, what: str) -> str:
    name = text.strip("\"'“”")
    if not 0 < len(name) <= _LONGEST_NAME or _NAME.match(name) is None:
        todo = _("Write {what}=NAME, at most {longest_name} letters.", what=what, longest_name=_LONGEST_NAME)
        raise not_understood(text, todo)
    return name
