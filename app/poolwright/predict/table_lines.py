"""The `.toml` beside a table, with the means to say at which of its lines something is wrong."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from poolwright.rules.reading import RuleFault
from poolwright.texts import tell

_Choice = TypeVar("_Choice", bound=StrEnum)


@dataclass(frozen=True, slots=True)
class Lines:
    """A description, to note problems at the line of the key they are about."""

    file: str
    content: str
    problems: list[RuleFault]

    def fail(self, text: str, key: str = "", nth: int = 0) -> None:
        """Note a problem at the ``nth`` line (from 0) that sets ``key``, else at the first line."""
        end = r"\b" if key[-1:].isalnum() else ""
        setting = re.compile(rf"\[{{0,2}}{re.escape(key)}{end}")
        lines = enumerate(self.content.splitlines(), start=1)
        numbers = [number for number, line in lines if key and setting.match(line)]
        self.problems.append(RuleFault(self.file, numbers[nth] if nth < len(numbers) else 1, text))

    def text(self, table: Mapping[str, object], key: str, where: str = "", at: str = "") -> str:
        """Return a text that must be there; notes where it is not, at the line that sets ``at``."""
        value = table.get(key)
        if isinstance(value, str) and value.strip():
            return value
        self.fail(f"{where}“{key}” {tell('is missing') if value is None else tell('must be a text')}", at or key)
        return ""

    def choice(self, table: Mapping[str, object], key: str, kind: type[_Choice], where: str, at: str) -> _Choice | None:
        """Return one of the values of ``kind``; notes any other."""
        try:
            return kind(str(table.get(key)))
        except ValueError:
            self.fail(
                tell(
                    "{where}“{key}” is not a {key2}; there are {kind}",
                    where=where,
                    key=table.get(key),
                    key2=key,
                    kind=", ".join(kind),
                ),
                at,
            )
            return None
