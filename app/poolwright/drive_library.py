"""Reads the drive statistics and the other causes of loss that ship with the program, for window and command line."""

from functools import cache

from poolwright import paths
from poolwright.domain.errors import EnvironmentFailure
from poolwright.predict.drives import CAUSE_TABLE, DRIVE_TABLE, FLEET_TABLE, DriveBook, read_drive_book
from poolwright.texts import tell, told_once


@told_once
@cache
def load_drive_book() -> DriveBook:
    """Return failure rates and prices by model, and the other causes of loss; read once in the life of the program.

    Raises EnvironmentFailure when a table is there and cannot be read.
    """
    texts = {}
    for name in (DRIVE_TABLE, FLEET_TABLE, CAUSE_TABLE):
        path = paths.rules_folder() / "tables" / name
        try:
            texts[name] = path.read_text(encoding="utf-8")
        except FileNotFoundError:
            continue
        except (OSError, UnicodeDecodeError) as error:
            raise EnvironmentFailure(
                tell("The drive statistics cannot be read: {error}", error=error), where=str(path)
            ) from error
    return read_drive_book(texts)
