"""What fio says beside its results: that it was ended, that an option is not known, that a disk is full."""

import re
from collections.abc import Iterator

_SAID = re.compile(r"^[ \t]*((?:fio: |error: |.*Segmentation fault|.*: No space left on device).*)$", re.MULTILINE)
_MOST_SAID = 5
_MOST_LETTERS = 300


def messages_in(*texts: str) -> Iterator[str]:
    """Yield what fio said, in its own words, each sentence once and the first five."""
    said: dict[str, None] = {}
    for text in texts:
        for match in _SAID.finditer(text):
            said.setdefault(match[1].strip()[:_MOST_LETTERS])
            if len(said) == _MOST_SAID:
                break
    yield from list(said)[:_MOST_SAID]
