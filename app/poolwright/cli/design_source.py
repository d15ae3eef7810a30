"""Reads the design a command is asked about: a file, or standard input."""

from poolwright.cli.input_file import read_text
from poolwright.domain.design import Design


def read_design(name: str) -> Design:
    """Return the design in the file ``name``, ``-`` for standard input. Raises UserError, naming the file."""
    from poolwright.store.design_file import from_json

    return from_json(read_text(name, "design"), where="standard input" if name == "-" else name)
