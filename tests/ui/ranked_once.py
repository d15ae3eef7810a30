"""One search for all tests of a module that ask the same: what is found is frozen, so that they can share it.

For tests of what is done with a ranking; those of the search itself and of how it is waited for do without.
"""

from collections.abc import Generator, Iterator

import pytest

from poolwright.advise.candidate import Recommendation
from poolwright.advise.recommend import Request
from poolwright.domain.host import Host
from poolwright.rules.model import RuleBook
from poolwright.ui.ranking import page as ranking
from poolwright.ui.state.recommending import Interim, recommending

__all__ = ["ranked_once"]


@pytest.fixture(scope="module")
def ranked_once() -> Iterator[None]:
    """Rank each request of this module but once; nothing is kept for the next module."""
    found: dict[tuple[Request, int, Host], tuple[RuleBook, Recommendation]] = {}

    def known(
        request: Request, book: RuleBook, host: Host, interim: Interim | None = None
    ) -> Generator[float, None, Recommendation]:
        asked = (request, id(book), host)
        if asked not in found:
            found[asked] = book, (yield from recommending(request, book, host, interim))  # its id stays its own
        yield 1.0
        return found[asked][1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ranking, "recommending", known)
        yield
