"""The JSON documents in what fio printed: several in one stream, with text around them, the last one perhaps cut.

fio writes one object for a result, one more for each ``--status-interval``, and its messages between them.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from poolwright.domain.shown import whole_escapes

_BEGINS = re.compile(r'\{(?=\s*")')
_NO_NUMBER = re.compile(r'(?<=" : )-?(?:nan|inf)\b')  # older fio prints what C prints
_STRUCTURE = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]]')
_CLOSED = {"{": "}", "[": "]"}
_DEPTH_IN_JOBS = 2
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True, kw_only=True)
class FioDocument:
    """One object with the text before it; ``cut`` where only its finished jobs are in ``value``."""

    value: dict[str, Any]
    before: str
    cut: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FioDocuments:
    """The documents of a stream in order, and the text after the last one."""

    documents: tuple[FioDocument, ...]
    after: str


def fio_documents(text: str) -> FioDocuments:
    """Return the objects in ``text`` that are results of fio. Takes time in proportion to the text."""
    text = whole_escapes(text)
    text = _NO_NUMBER.sub("null", text) if "nan" in text or "inf" in text else text
    found: list[FioDocument] = []
    last = 0
    for begin, end, value, cut in _objects(text):
        if "jobs" in value or "client_stats" in value:
            found.append(FioDocument(value=value, before=text[last:begin], cut=cut))
            last = end
    return FioDocuments(documents=tuple(found), after=text[last:])


def _objects(text: str) -> Iterator[tuple[int, int, dict[str, Any], bool]]:
    at = 0
    while match := _BEGINS.search(text, at):
        begin = match.start()
        try:
            value, at = _DECODER.raw_decode(text, begin)
        except json.JSONDecodeError as error:
            at = max(error.pos, begin + 1)
            if value := _finished(text[begin:at]):
                yield begin, at, value, True
        except (ValueError, RecursionError):  # a number of thousands of digits, objects in objects in objects
            return
        else:
            yield begin, at, value, False


def _finished(text: str) -> dict[str, Any] | None:
    """Return a cut object with the jobs that are whole in it, None where there is none."""
    stack: list[str] = []
    kept: tuple[int, str] | None = None
    for match in _STRUCTURE.finditer(text):
        sign = match[0]
        if sign in _CLOSED:
            stack.append(_CLOSED[sign])
        elif sign in ("}", "]"):
            if not stack or stack.pop() != sign:
                break
            if len(stack) == _DEPTH_IN_JOBS and sign == "}":
                kept = match.end(), "".join(reversed(stack))
    if kept is None:
        return None
    end, closing = kept
    try:
        value = json.loads(text[:end] + closing)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
