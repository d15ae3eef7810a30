"""What is expected of tests before they run, in sentences."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from poolwright.bench.judging.expected import Foretold
from poolwright.bench.judging.verdict_words import value_words
from poolwright.bench.profiles.profile import BenchTest
from poolwright.texts import tell


def foretold_lines(tests: Sequence[BenchTest], foretold: Mapping[str, Foretold]) -> Iterator[str]:
    """Yield what each test should give; of those of which nothing is expected for one reason it is said once."""
    nothing = Counter(foretold[test.name].why for test in tests if foretold[test.name].estimate is None)
    told: set[str] = set()
    for test in tests:
        found = foretold[test.name]
        if found.estimate is not None or nothing[found.why] == 1:
            yield foretold_told(test, found)
        elif found.why not in told:
            told.add(found.why)
            yield tell("Nothing is expected of {count} tests. {why}", count=nothing[found.why], why=found.why)


def nothing_foretold(tests: Sequence[BenchTest], foretold: Mapping[str, Foretold]) -> Iterator[str]:
    """Yield of which tests nothing is expected, and why; what would help where that is known."""
    without = [test for test in tests if foretold[test.name].estimate is None]
    yield from foretold_lines(without, foretold)
    yield from dict.fromkeys(foretold[test.name].todo for test in without if foretold[test.name].todo)


def foretold_told(test: BenchTest, foretold: Foretold) -> str:
    """Return in a sentence what a test should give, before it runs."""
    if foretold.estimate is None:
        return tell("{title}: nothing is expected. {why}", title=test.title, why=foretold.why)
    return tell(
        "{title}: {low} to {high} expected",
        title=test.title,
        low=value_words(test.metric, foretold.estimate.low),
        high=value_words(test.metric, foretold.estimate.high),
    )
