"""Texts of rules with placeholders: ``{vdev.label}``, ``{pool.usable_bytes:size}``, ``{pool.spares:spare|spares}``."""

import string
from collections.abc import Callable
from dataclasses import dataclass

from poolwright.domain.finding import FactValue
from poolwright.domain.rates import rate_text
from poolwright.domain.units import binary, drive_size
from poolwright.texts import tell


def plain_value(value: FactValue) -> str:
    """Return a fact's value for people; an unknown one says so."""
    if value is None:
        return tell("unknown")
    if isinstance(value, bool):
        return tell("yes") if value else tell("no")
    if isinstance(value, float):
        return f"{value:g}"
    return str(value)


def _whole(value: FactValue) -> int | None:
    return value if isinstance(value, int) else None


def _hours(value: FactValue) -> str:
    return tell("{count} h", count=f"{value:.0f}") if isinstance(value, int | float) else plain_value(None)


def _rate(value: FactValue) -> str:
    return rate_text(value) if isinstance(value, int | float) else plain_value(None)


def _percent(value: FactValue) -> str:
    return f"{value:g} %" if isinstance(value, int | float) else plain_value(None)


# Between the words that follow a one and those that follow any other number.
_OR = "|"
# What else may stand behind the colon of a placeholder, for numbers only.
FORMATS: dict[str, Callable[[FactValue], str]] = {
    "": plain_value,
    "size": lambda value: binary(_whole(value)),
    "drive": lambda value: drive_size(_whole(value)),
    "rate": _rate,
    "hours": _hours,
    "percent": _percent,
}


def _written(value: FactValue, form: str) -> str:
    if _OR not in form:
        return FORMATS[form](value)
    one, _, many = form.partition(_OR)
    return f"{plain_value(value)} {one if value == 1 else many}"


def _is_form(form: str) -> bool:
    one, _, many = form.partition(_OR)
    return form in FORMATS or (bool(one.strip()) and bool(many.strip()) and _OR not in many)


@dataclass(frozen=True, slots=True, kw_only=True)
class FactText:
    """A text in parts: literal text, then the fact that follows it (None at the end) and how it is written."""

    parts: tuple[tuple[str, str | None, str], ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for _, name, _ in self.parts if name is not None)

    def fill(self, value_of: Callable[[str], FactValue]) -> str:
        """Return the text with each placeholder replaced by its value."""
        if len(self.parts) == 1 and self.parts[0][1] is None:
            return self.parts[0][0]
        done: list[str] = []
        for literal, name, form in self.parts:
            done.append(literal)
            if name is not None:
                done.append(_written(value_of(name), form))
        return "".join(done)

    def raw(self) -> str:
        """Return the text with its placeholders in braces, for people who read the rule itself."""
        return self.fill_names(lambda name: "{" + name + "}")

    def fill_names(self, word_for: Callable[[str], str]) -> str:
        """Return the text with each placeholder replaced by a word for it."""
        done: list[str] = []
        for literal, name, form in self.parts:
            done.append(literal)
            if name is not None:
                done.append(word_for(name) + (f" {form.partition(_OR)[2]}" if _OR in form else ""))
        return "".join(done)


def parse_template(text: str) -> FactText:
    """Return the template; raises ValueError when a brace does not match or a format is unknown."""
    parts: list[tuple[str, str | None, str]] = []
    for literal, name, form, conversion in string.Formatter().parse(text):
        if conversion or (name is not None and not name):
            raise ValueError(tell("a placeholder is empty or has a conversion"))
        if name is not None and not _is_form(form or ""):
            known = ", ".join(f for f in FORMATS if f)
            raise ValueError(
                tell(
                    "“{form}” is not a format; use one of {known}, or words for one and for more: disk|disks",
                    form=form,
                    known=known,
                )
            )
        parts.append((literal, name, form or ""))
    return FactText(parts=tuple(parts))
