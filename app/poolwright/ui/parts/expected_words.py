"""The words behind a predicted number; see `predict.number_words` for the number itself."""

from collections.abc import Callable

from poolwright.domain.estimate import Estimate
from poolwright.predict.number_words import between_text
from poolwright.texts import tell


def sentence(text: str) -> str:
    """Return ``text`` with a capital and a full stop."""
    text = text.strip()
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith(('.', '?')) else '.'}" if text else ""


def origin_text(estimate: Estimate, text: Callable[[float], str], *more: str) -> str:
    """Return what stands behind an estimate, a line each: its band, what limits it, the model with its error."""
    lines = [
        between_text(estimate, text),
        tell("Limited by: {limit}.", limit=estimate.limit),
        *(sentence(part) for part in str(estimate.origin).split("; ")),
        *(sentence(part) for part in more if part),
    ]
    return "\n".join(lines)
