"""A language in which texts stand in brackets, the values in them outside: what is outside was written, not told."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from poolwright import texts

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
def in_brackets() -> Iterator[None]:
    """Tell every text in brackets meanwhile."""
    texts.use(Bracketed())
    try:
        yield
    finally:
        texts.use(None)


def bare(text: str) -> str:
    """Return ``text`` without the brackets."""
    return text.replace("⟦", "").replace("⟧", "")


def outside(text: str) -> str:
    """Return what of ``text`` stands in no brackets, with a point for each pair of them."""
    before = ""
    while before != text:
        before, text = text, _INSIDE.sub("·", text)
    return text
