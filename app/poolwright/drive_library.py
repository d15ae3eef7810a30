"""Reads the drive statistics and the other causes of loss that ship with the program, for window and command line."""

from functools import cache

from poolwright import paths
from poolwright.predict.drives import CAUSE_TABLE, DRIVE_TABLE, FLEET_TABLE, DriveBook, read_drive_book
from poolwright.texts import told_once


@told_once
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
