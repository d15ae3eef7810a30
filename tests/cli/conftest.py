"""The command line within the tests' process: what every start of the program makes anew is made once for all."""

from collections.abc import Iterator
from functools import cache

import pytest

from poolwright import texts
from poolwright.cli import main


@pytest.fixture(autouse=True, scope="session")
def one_parser() -> Iterator[None]:
    """Make the parser of a command once in each language; a parser keeps nothing of what it has parsed."""
    build = main.build_parser

    @cache
    def of(command: str | None, _language: texts.Translations | None) -> object:
        return build(command)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(main, "build_parser", lambda command: of(command, texts.chosen()))
        yield
