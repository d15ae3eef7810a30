"""What fio says beside its results: that it was ended, that an option is not known, that a disk is full."""

from collections.abc import Iterator

_BEGINNINGS = ("fio: ", "error: ")
_WITHIN = ("Segmentation fault", ": No space left on device")  # for machines
_MOST_SAID = 5
_MOST_LETTERS = 300


def messages_in(*texts: str) -> Iterator[str]:
    """Yield what fio said, in its own words, each sentence once and the first five."""
    said: dict[str, None] = {}
    for text in texts:
        for line in text.split("\n"):
            words = line.rstrip().rsplit("\r", 1)[-1].strip()  # its progress is written over itself
            if words.startswith(_BEGINNINGS) or any(part in words for part in _WITHIN):
                said.setdefault(words[:_MOST_LETTERS])
                if len(said) == _MOST_SAID:
                    break
    yield from list(said)[:_MOST_SAID]
