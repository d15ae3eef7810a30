"""The command line within the tests' process: what every start of the program makes anew is made once for all."""

from collections.abc import Iterator
from functools import cache

import pytest

from poolwright import texts
from poolwright.cli import main, recommend
from poolwright.design.candidate import Recommendation
from poolwright.design.recommend import recommend as rank
from poolwright.design.request import JudgeMaker, Request
from poolwright.design.search import Progress


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


@pytest.fixture(autouse=True, scope="session")
def one_ranking() -> Iterator[None]:
    """Rank each request once in each language: what is found is frozen, and the rules are read once in any case."""
    found: dict[object, Recommendation] = {}

    def known(request: Request, make_judge: JudgeMaker, _: Progress) -> Recommendation:
        asked = (request, texts.chosen())
        if asked not in found:
            found[asked] = rank(request, make_judge)
        return found[asked]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recommend, "recommend", known)
        yield
