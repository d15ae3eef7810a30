"""Text from outside as Markdown that shows exactly that text: nothing in it becomes a link, a table or HTML."""

import re

# An underscore between letters or digits means nothing in CommonMark and stays readable in plain text.
_SPECIAL = re.compile(r"[\\`*\[\]<>|#~&]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")


def markdown_words(text: str) -> str:
    """Return ``text`` on one line with what Markdown would read as its own escaped."""
    return _SPECIAL.sub(_escaped, " ".join(text.split()))


def _escaped(found: re.Match[str]) -> str:
    return f"\\{found[0]}"  # a template would be looked up anew for every word
