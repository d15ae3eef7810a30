"""A language in which every text stands in brackets: what is seen without them was written, not told."""


class Bracketed:
    """Looks texts up as `poolwright.texts` wants it."""

    def gettext(self, message: str, /) -> str:
        """Return the text in brackets; what has none to tell stays empty."""
        return f"⟦{message}⟧" if message else message

    def ngettext(self, msgid1: str, msgid2: str, n: int, /) -> str:
        """Return the form for ``n`` in brackets."""
        return f"⟦{msgid1 if n == 1 else msgid2}⟧"


def bare(text: str) -> str:
    """Return ``text`` without the brackets."""
    return text.replace("⟦", "").replace("⟧", "")
