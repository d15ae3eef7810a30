"""Every text that a person reads, in the language of the person.

A text is a literal at the place where it is said, with named values in it: ``_("{count} disks are new", count=3)``.
A tool finds the literals (`_`, `ngettext`, `N_`) and writes them to one list for translators, in the form
that GNU gettext reads; `make check` fails on a text that is not marked. No sentence is put together from pieces: in
another language they stand in another order. Numbers with units are written by `poolwright.domain.units` beforehand,
others by `numeral` or as values of a text.

The language is chosen once, before anything is said: `use` takes what looks texts up (the standard library's
``gettext.GNUTranslations``, or anything with its two methods). Without, texts are told as they stand here, in English.
Functions that remember what they told are marked by `per_language`, so that `use` makes them forget it.
"""

import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from decimal import Decimal
from string import Formatter
from typing import Protocol, TypeVar


class Translations(Hashable, Protocol):
    def gettext(self, message: str, /) -> str:
        """Return the text in that language; where it is not known, as it is."""
        ...

    def ngettext(self, msgid1: str, msgid2: str, n: int, /) -> str:
        """Return the form for ``n`` things; where it is not known, the first for one and the second for others."""
        ...


class Remembering(Protocol):
    """What remembers its answers: a function under ``functools.cache`` or ``lru_cache``."""

    def cache_clear(self) -> None: ...


_catalogue: Translations | None = None
_decimal_comma = False
_told: list[Remembering] = []
R = TypeVar("R", bound=Remembering)


def per_language(remembering: R) -> R:
    """Mark a function that remembers answers with told texts in them: another language makes it forget them."""
    _told.append(remembering)
    return remembering


def use(catalogue: Translations | None) -> None:
    """Tell everything from now on in the language of ``catalogue``; None is English."""
    global _catalogue, _decimal_comma  # noqa: PLW0603 - one language for the whole program, as in gettext
    if catalogue is not _catalogue:
        for remembering in _told:
            remembering.cache_clear()
    _catalogue = catalogue
    _decimal_comma = catalogue is not None and catalogue.gettext("en") in _WITH_COMMA


@contextmanager
def in_english() -> Iterator[None]:
    """Tell everything in English meanwhile: what programs read is the same in every language."""
    before = _catalogue
    use(None)
    try:
        yield
    finally:
        use(before)


def chosen() -> Translations | None:
    return _catalogue


def _(text: str, /, **values: object) -> str:
    """Return ``text`` in the chosen language with ``values`` in the places of their names.

    A text without values is returned with its braces as they are. Raises KeyError where a value is not given.
    """
    found = text if _catalogue is None else _catalogue.gettext(text)
    return _filled(found, values) if values else found


def ngettext(one: str, several: str, /, count: int, **values: object) -> str:
    """Return the form that the chosen language has for ``count`` things; ``{count}`` in it is the number in digits."""
    english = one if count == 1 else several
    found = english if _catalogue is None else _catalogue.ngettext(one, several, count)
    return _filled(found, {"count": numeral(count), **values})


def _filled(text: str, values: Mapping[str, object]) -> str:
    return _LOCAL.vformat(text, (), values) if _decimal_comma else text.format(**values)


def numeral(value: object, form: str = ",", unit: str = "") -> str:
    """Return a number as the chosen language writes it: 1,234.5 is 1.234,5 in German. ``form`` as of `format`."""
    return f"{marked(format(value, form))} {unit}".rstrip()


def marked(number: str) -> str:
    """Return a number in English as the chosen language writes it, or the other way round."""
    return number.translate(_MARKS) if _decimal_comma else number


def dated(day: date, form: str = "%Y-%m-%d") -> str:
    """Return a day, or with another ``form`` a month or moment, as the chosen language writes it."""
    german = form.replace("%Y-%m-%d", "%d.%m.%Y").replace("%Y-%m", "%m.%Y")
    return format(day, german if _decimal_comma else form)


class _Local(Formatter):
    """Writes the numbers and days among values as the language does."""

    def format_field(self, value: object, form: str) -> str:
        if isinstance(value, date):
            return dated(value, form or "%Y-%m-%d")
        told: str = super().format_field(value, form)
        return marked(told) if isinstance(value, int | float | Decimal) else told


_LOCAL, _MARKS, _WITH_COMMA = _Local(), str.maketrans(".,", ",."), ("de",)


def N_(text: str, /) -> str:  # noqa: N802 - gettext's own name for it
    """Return ``text`` as it is: for tables of texts that are made before a language is chosen and told by `_`."""
    return text


def language() -> str:
    """Return the code of the language that texts are told in, as HTML names it; translators write theirs for it."""
    return _("en")


def capital(text: str) -> str:
    """Return ``text`` as the beginning of a line: one text for translators serves a cell and its head."""
    return text[:1].upper() + text[1:]


def inside(title: str) -> str:
    """Return a title as it stands inside a sentence or over a column of a terminal; “SIZE” and German nouns stay."""
    stays = title[1:2].isupper() or len(title) == 1 or language() != "en"
    return title if stays else title[:1].lower() + title[1:]


def before_colon(title: str) -> str:
    """Return what a title says before the colon of the language."""
    return title.partition("：" if language() == "zh-CN" else ": ")[0]


# Chinese has its own marks beside its signs, without blanks; the stop of a German abbreviation ends a sentence too.
_HAN, _BEGIN = "[\u3007\u4e00-\u9fff）”]", "[\u4e00-\u9fff（“]"
_CHINESE = {
    rf"(?<={_HAN}) ?\(([^()]+)\)| ?\(([^()]*{_HAN}[^()]*)\)": r"（\1\2）",
    **{rf"(?<={_HAN}){at} |(?<!poolwright){at} (?={_BEGIN})": to for at, to in ((",", "，"), (";", "；"), (":", "："))},
    rf"(?<={_HAN})\.(?= |$)|(?<=[^\s\d])\. (?={_BEGIN})": "。",
    rf"({_HAN}.*\w)\.$": r"\1。",
    r"(?<=\d) %": "%",
    r"(?<=[\u4e00-\u9fff]) (?=[\u4e00-\u9fff])": "",
    r"(?<=[，。：；？！）、]) +(?=[^\s-])": "",
}  # fmt: skip
_AFTER_FIGURE = re.compile(r"(\d\S*(?: [A-Za-zµ/]{1,5})?|\b[A-Z]), (?=[^\s])")
_OTHERWISE = {"zh-CN": _CHINESE, "de": {r"(?<=Mio\.|Mrd\.)\.(?!\.)": ""}}


def punctuated(text: str) -> str:
    """Return a line put together of told texts with the marks of the language."""
    for found, written in _OTHERWISE.get(language(), {}).items():
        text = re.sub(found, written, text)
    if language() == "zh-CN" and re.search(_HAN, text):
        text = _AFTER_FIGURE.sub(r"\1，", text)
    return text


def quoted(text: str) -> str:
    return _("“{text}”", text=text)


def sentence(text: str) -> str:
    """Return a text with the full stop of the language, where it does not end yet; nothing of nothing."""
    return text if not text or text.endswith(tuple(".?!。？")) else _("{text}.", text=text)


def says(told: str, *texts: str) -> bool:
    """Tell whether ``told`` is one of these ``texts`` without values, told in the chosen language or in English.

    For what is looked for among texts that were told before, perhaps in another run or language.
    """
    return any(told in (text, _(text)) for text in texts)


def comma() -> str:
    return "、" if language() == "zh-CN" else ", "


CLAUSES = N_("{clauses} and {last}")  # Chinese joins clauses by other words than names


def listed(names: Sequence[str], words: str = N_("{names} and {last}")) -> str:
    if len(names) < 2:
        return "".join(names)
    return _(words, **dict.fromkeys(("names", "clauses"), comma().join(names[:-1])), last=names[-1])


def either(names: Sequence[str]) -> str:
    return listed(names, N_("{names} or {last}"))


def first_of(names: Sequence[str], most: int = 4, *, between: str = "") -> str:
    """Return ``most`` of the names and how many there are besides: a, b and 3 more."""
    shown = (between or comma()).join(names[:most])
    if len(names) <= most:
        return shown
    return _("{names} and {count} more", names=shown, count=len(names) - most)
