"""One search for all tests that ask the same: what is found is frozen, so that they can share it.

For tests of what is done with a ranking; those of the search itself and of how it is waited for do without.
"""

from collections.abc import Generator, Iterator

import pytest

from poolwright import texts
from poolwright.design.candidate import Recommendation
from poolwright.design.request import Request
from poolwright.domain.host import Host
from poolwright.rules.model import RuleBook
from poolwright.ui.ranking import page as ranking
from poolwright.ui.state.recommending import Interim, recommending

__all__ = ["ranked_once"]


_found: dict[object, tuple[RuleBook, Recommendation]] = {}


@pytest.fixture(scope="module")
def ranked_once() -> Iterator[None]:
    """Rank each request of the modules that ask for this but once, in each language."""

    def known(
        request: Request, book: RuleBook, host: Host, interim: Interim | None = None
    ) -> Generator[float, None, Recommendation]:
        asked = (request, id(book), host, texts.chosen())
        if asked not in _found:
            _found[asked] = book, (yield from recommending(request, book, host, interim))  # its id stays its own
        yield 1.0
        return _found[asked][1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ranking, "recommending", known)
        yield
