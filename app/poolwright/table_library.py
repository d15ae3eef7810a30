"""Reads the tables that ship with the program: what was measured, and what drives fail and cost."""

from functools import cache
from typing import TYPE_CHECKING

from poolwright import paths
from poolwright.predict.drives import CAUSE_TABLE, DRIVE_TABLE, FLEET_TABLE, DriveBook, read_drive_book
from poolwright.texts import per_language

if TYPE_CHECKING:
    from poolwright.predict.tables import Tables


@per_language
@cache
def load_shipped_tables() -> "Tables":
    """Return the shipped tables; read once in the life of the program.

    Raises RuleErrors with everything that is wrong in all of them, EnvironmentFailure where a file cannot be read.
    """
    from poolwright.predict.tables import load_tables  # noqa: PLC0415 - most ask for drives alone

    folder = paths.rules_folder() / "tables"
    found = (path for pattern in ("*.csv", "*.toml") for path in sorted(folder.glob(pattern)))
    return load_tables({path.name: paths.shipped_text(path) for path in found})


def rated_bytes() -> dict[str, int]:
    """Return how many bytes may be written to drives, by their models. Raises as `load_shipped_tables` does."""
    rows = load_shipped_tables().named("drive_endurance").rows
    return {row.text("model"): int(row.base("written_tb") or 0) for row in rows}


@per_language
@cache
def load_drive_book() -> DriveBook:
    """Return failure rates and prices by model, and the other causes of loss; read once in the life of the program.

    Raises EnvironmentFailure when a table is there and cannot be read.
    """
    texts = {}
    for name in (DRIVE_TABLE, FLEET_TABLE, CAUSE_TABLE):
        path = paths.rules_folder() / "tables" / name
        if path.exists():
            texts[name] = paths.shipped_text(path)
    return read_drive_book(texts)
