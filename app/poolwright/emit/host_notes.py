"""Advice for the host as a text beside the script: read by a person, run by nobody."""

import textwrap
from collections.abc import Sequence

from poolwright.domain.design import HostAdvice
from poolwright.emit.names import comment

_WIDTH = 110
_LONGEST = 2000  # nothing that somebody shall copy is cut


def host_advice_text(pools: Sequence[str], advice: Sequence[HostAdvice]) -> str:
    """Return ``advice`` for the host of these pools as comments, so that not even run as a script it does anything."""
    lines = [
        f"# For the host of {comment(', '.join(pools))}, after the guarded script: what the script does not do.",
        "# Nothing of it is run by itself. Read each piece and type the command after the $ where you agree.",
    ]
    for piece in advice:
        lines.append("#")
        lines.append(_line(f"{piece.title} ({piece.kind})"))
        reason = piece.reason[:1].upper() + piece.reason[1:]
        lines.extend(_wrapped(" ".join(_sentence(text) for text in (reason, piece.why) if text)))
        if piece.command:
            lines.append(f"#     $ {comment(piece.command, longest=_LONGEST)}")
        if piece.content:
            lines.append(_line(f"In {piece.file}:"))
            lines.extend(_line(f"    {line}") for line in piece.content.splitlines())
        if piece.sources:
            lines.extend(_wrapped(f"From: {'; '.join(f'{source.kind} {source.ref}' for source in piece.sources)}."))
    if not advice:
        lines += ["#", "# There is no advice for this design."]
    return "\n".join(lines) + "\n"


def _sentence(text: str) -> str:
    return text if text.endswith((".", "?")) else f"{text}."


def _wrapped(text: str) -> list[str]:
    cleaned = comment(text, longest=_LONGEST)
    return [_line(part) for part in textwrap.wrap(cleaned, _WIDTH, break_long_words=False, break_on_hyphens=False)]


def _line(text: str) -> str:
    # The bar keeps words that tools read in comments, such as a directive to shellcheck, from being taken as such.
    return f"# | {comment(text, longest=_LONGEST)}"
