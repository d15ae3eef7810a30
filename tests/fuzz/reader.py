"""A function that takes text from outside, as it is fuzzed and scaled."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from poolwright.domain.errors import PoolwrightError

CORPUS = Path(__file__).parents[3] / "shared" / "corpus"
MOST_SEED_BYTES = 1 << 18


@dataclass(frozen=True, kw_only=True)
class Reader:
    """A function of a text; ``seeds`` are texts it takes, ``corpus`` names folders of recorded ones."""

    name: str
    read: Callable[[str], object]
    seeds: tuple[str, ...] = ()
    corpus: tuple[str, ...] = ()

    def __call__(self, text: str) -> None:
        """Read ``text``; whatever is raised but PoolwrightError is a fault."""
        try:
            self.read(text)
        except PoolwrightError as error:
            _told(error)

    @cache  # noqa: B019 - there are a few dozen readers, all of them kept
    def all_seeds(self) -> tuple[str, ...]:
        files = (path for folder in self.corpus for path in sorted((CORPUS / folder).glob("*")))
        recorded = (path.read_text(encoding="utf-8", errors="replace") for path in files if path.is_file())
        return (*self.seeds, *(text for text in recorded if len(text) < MOST_SEED_BYTES))


def _told(error: PoolwrightError) -> None:
    assert error.text
