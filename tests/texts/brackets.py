"""A language in which texts stand in brackets, the values in them outside: what is outside was written, not told."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from poolwright import texts
from poolwright.languages import language

_VALUE = re.compile(r"(\{[^{}]*\})")
_INSIDE = re.compile(r"⟦[^⟦⟧]*⟧")


class Bracketed:
    """Looks texts up as `poolwright.texts` wants it."""

    def gettext(self, message: str, /) -> str:
        """Return the text in brackets, its values between them; what has none to tell stays empty."""
        return "⟦" + _VALUE.sub(r"⟧\1⟦", message) + "⟧" if message else message

    def ngettext(self, msgid1: str, msgid2: str, n: int, /) -> str:
        """Return the form for ``n`` in brackets."""
        return self.gettext(msgid1 if n == 1 else msgid2)


@contextmanager
def told_in(code: str) -> Iterator[None]:
    """Tell every text in a language meanwhile: its code, empty for the one of brackets."""
    texts.use(language(code) if code else Bracketed())
    try:
        yield
    finally:
        texts.use(None)


in_brackets = partial(told_in, "")


def bare(text: str) -> str:
    """Return ``text`` without the brackets."""
    return text.replace("⟦", "").replace("⟧", "")


def outside(text: str) -> str:
    """Return what of ``text`` stands in no brackets, with a point for each pair of them."""
    before = ""
    while before != text:
        before, text = text, _INSIDE.sub("·", text)
    return text
