"""The systems a pool may have to be importable on, by the names that `Budget.import_on` knows."""

from dataclasses import dataclass

from poolwright.domain.errors import UserError
from poolwright.shipped import shipped
from poolwright.texts import tell


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportTarget:
    key: str
    title: str
    why: str


IMPORT_TARGETS = tuple(ImportTarget(**entry) for entry in shipped("import_targets")["system"])


def import_target(key: str) -> ImportTarget:
    wanted = key.strip().lower()
    for target in IMPORT_TARGETS:
        if target.key == wanted:
            return target
    known = ", ".join(target.key for target in IMPORT_TARGETS)
    raise UserError(
        tell("“{key}” is no system that Poolwright knows to import on", key=key),
        todo=tell("Give one of {known}.", known=known),
    )
