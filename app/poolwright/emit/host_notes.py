"""Advice for the host as a text beside the script: read by a person, run by nobody."""

from collections.abc import Sequence

from poolwright.domain.design import HostAdvice
from poolwright.emit.names import comment, comment_line, commented
from poolwright.texts import tell

# The bar keeps words that tools read in comments, such as a directive to shellcheck, from being taken as such.
_BAR = "# | "
_LONGEST = 2000  # nothing that somebody shall copy is cut


def host_advice_text(pools: Sequence[str], advice: Sequence[HostAdvice]) -> str:
    """Return ``advice`` for the host of these pools as comments, so that not even run as a script it does anything."""
    names = comment(", ".join(pools))
    lines = [
        comment_line(
            tell("For the host of {pools}, after the guarded script: what the script does not do.", pools=names)
        ),
        *commented(
            tell("Nothing of it is run by itself. Read each piece and type the command after the $ where you agree.")
        ),
    ]
    for piece in advice:
        lines.append("#")
        lines.append(_line(f"{piece.title} ({piece.kind})"))
        reason = piece.reason[:1].upper() + piece.reason[1:]
        lines.extend(commented(" ".join(_sentence(text) for text in (reason, piece.why) if text), mark=_BAR))
        if piece.command:
            lines.append(f"#     $ {comment(piece.command, longest=_LONGEST)}")
        if piece.content:
            lines.append(_line(tell("In {file}:", file=piece.file)))
            lines.extend(_line(f"    {line}") for line in piece.content.splitlines())
        if piece.sources:
            sources = "; ".join(f"{source.kind} {source.ref}" for source in piece.sources)
            lines.extend(commented(tell("From: {sources}.", sources=sources), mark=_BAR))
    if not advice:
        lines += ["#", *commented(tell("There is no advice for this design."))]
    return "\n".join(lines) + "\n"


def _sentence(text: str) -> str:
    return text if text.endswith((".", "?")) else f"{text}."


def _line(text: str) -> str:
    return f"{_BAR}{comment(text, longest=_LONGEST)}"
