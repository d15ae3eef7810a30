"""The languages that the program is told in: which one is wanted, and its texts, each looked up when it is told.

A command tells a hundred of eight thousand texts: to read a whole catalogue, as gettext does, takes it 12 ms.
"""

import os
from bisect import bisect_left
from functools import cache
from struct import unpack_from

from poolwright.paths import resources_folder
from poolwright.texts import use

NAMES = {"en": "English", "de": "Deutsch", "zh_CN": "简体中文"}


class Language:
    """A catalogue as gettext's tools compile it (.mo): its texts are sorted, those that were told are remembered."""

    def __init__(self, code: str, data: bytes) -> None:
        self.code, self._data = code, data
        self._count, self._texts, self._told = unpack_from("<3I", data, 8)
        self._known: dict[str, list[str]] = {"": []}

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return language, (self.code,)  # another process reads it by itself

    def gettext(self, message: str, /) -> str:
        """Return the text in this language; where it is not known, as it is."""
        return (self._forms(message) or [message])[0]

    def ngettext(self, msgid1: str, msgid2: str, n: int, /) -> str:
        """Return the form for ``n`` things; German tells one from several, Chinese does not."""
        forms = self._forms(msgid1) or [msgid1, msgid2]
        return forms[0 if n == 1 else -1]

    def _forms(self, text: str) -> list[str]:
        if text not in self._known:
            wanted = text.encode()
            at = bisect_left(range(self._count), wanted, key=self._text)
            found = at < self._count and self._text(at) == wanted
            self._known[text] = self._at(self._told, at).decode().split("\0") if found else []
        return self._known[text]

    def _text(self, number: int) -> bytes:
        return self._at(self._texts, number).partition(b"\0")[0]

    def _at(self, table: int, number: int) -> bytes:
        length, begin = unpack_from("<2I", self._data, table + 8 * number)
        return self._data[begin : begin + length]


@cache
def language(code: str) -> Language | None:
    """Return a language by its code; None for English, and where its catalogue is not compiled."""
    try:
        return Language(code, (resources_folder() / "languages" / f"{code}.mo").read_bytes())
    except OSError:
        return None


def of_system() -> str:
    """Return the code of the first language that the environment asks for and that there is, as gettext reads it."""
    asked = [os.environ.get(name, "") for name in ("LC_ALL", "LC_MESSAGES", "LANG")]
    locale = next(filter(None, asked), "C")
    if locale.partition(".")[0] in ("C", "POSIX"):
        return "en"
    for name in (os.environ.get("LANGUAGE") or locale).split(":"):
        words = name.partition(".")[0].partition("@")[0].partition("_")
        code = "zh_CN" if words[0] == "zh" and words[2] not in ("TW", "HK", "MO", "Hant") else words[0]
        if code in NAMES:
            return code
    return "en"


def choose(code: str = "") -> str:
    """Tell everything from now on in this language, empty for that of the system; return its code."""
    use(language(code or of_system()))
    return code or of_system()
