"""Advice for the host as comments at the end of a script: read by a person, run by nobody."""

import textwrap
from collections.abc import Sequence

from poolwright.domain.design import HostAdvice
from poolwright.emit.names import comment

_WIDTH = 110
_LONGEST = 2000  # nothing that somebody shall copy is cut


def with_host_advice(script: str, advice: Sequence[HostAdvice]) -> str:
    """Return ``script`` with ``advice`` as comments below it; unchanged where there is none."""
    if not advice:
        return script
    lines = ["# After the pool exists, for the host: none of this is run by the script."]
    for piece in advice:
        lines.append("#")
        lines.append(_line(f"{piece.title} ({piece.kind})"))
        reason = piece.reason[:1].upper() + piece.reason[1:]
        lines.extend(_wrapped(" ".join(_sentence(text) for text in (reason, piece.why) if text)))
        if piece.command:
            lines.append(f"#     $ {comment(piece.command, longest=_LONGEST)}")
        if piece.sources:
            lines.extend(_wrapped(f"From: {'; '.join(f'{source.kind} {source.ref}' for source in piece.sources)}."))
    return f"{script.rstrip()}\n\n" + "\n".join(lines) + "\n"


def _sentence(text: str) -> str:
    return text if text.endswith((".", "?")) else f"{text}."


def _wrapped(text: str) -> list[str]:
    cleaned = comment(text, longest=_LONGEST)
    return [_line(part) for part in textwrap.wrap(cleaned, _WIDTH, break_long_words=False, break_on_hyphens=False)]


def _line(text: str) -> str:
    # The bar keeps words that tools read in comments, such as a directive to shellcheck, from being taken as such.
    return f"# | {comment(text, longest=_LONGEST)}"
