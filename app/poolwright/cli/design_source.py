"""Reads the design a command is asked about: a file, or standard input."""

from poolwright.cli.input_file import read_text
from poolwright.domain.design import Design
from poolwright.domain.names import check_names
from poolwright.texts import tell


def read_design(name: str) -> Design:
    """Return the design in the file ``name``, ``-`` for standard input.

    Raises UserError, naming the file; also for names of pools and datasets that no command may hold, since what a
    command prints is copied.
    """
    from poolwright.store.design_file import from_json

    where = tell("standard input") if name == "-" else name
    design = from_json(read_text(name, tell("design")), where=where)
    check_names(design, where=where)
    return design
