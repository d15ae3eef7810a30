"""A verdict in words: of a run in one sentence, of a value with its unit."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from poolwright.bench.judging.verdicts import RATES, Factor, Foretold, Judgement, TestVerdict
from poolwright.bench.record import BenchTest, Ended, RunRecord
from poolwright.domain.rates import rate_text
from poolwright.predict.number_words import band_text, operations_text
from poolwright.predict.runs import Metric
from poolwright.texts import listed, marked, tell, tell_counted

JUDGEMENTS = {
    Judgement.PASSED: marked("as expected"),
    Judgement.SLOWER: marked("slower than expected"),
    Judgement.TOO_FAST: marked("faster than the disks can be"),
    Judgement.CANNOT_TELL: marked("cannot tell"),
}
FACTORS = {
    Factor.CPU: marked("the processor"),
    Factor.ONE_CORE: marked("one core"),
    Factor.DISKS: marked("all disks"),
    Factor.ONE_DISK: marked("one slow disk"),
    Factor.LOG: marked("the log device"),
    Factor.LINK: marked("the links to the disks"),
    Factor.ARC: marked("memory (ARC)"),
    Factor.NETWORK: marked("the network"),
    Factor.WRITE_CACHE: marked("a write cache"),
    Factor.JOB: marked("the job itself"),
}
_MORE = marked("more than expected")
_ENDED = {
    Ended.WHOLE: marked("The run came to its end."),
    Ended.BUDGET: marked("The run was ended by a limit that was set for it."),
    Ended.CANCELLED: marked("The run was stopped by hand."),
    Ended.FAILED: marked("The run failed on its way."),
}
_MOST_NAMED = 4
METRICS = {
    Metric.SEQ_READ: marked("sequential read"),
    Metric.SEQ_WRITE: marked("sequential write"),
    Metric.RAND_READ: marked("random reads"),
    Metric.RAND_WRITE: marked("random writes"),
    Metric.SYNC_WRITE: marked("synchronous writes"),
}


def judgement_words(verdict: TestVerdict) -> str:
    """Return the verdict on a test in two or three words; what lies above its band is told as such."""
    return tell(_MORE if is_more(verdict) else JUDGEMENTS[verdict.judgement])


def is_more(verdict: TestVerdict) -> bool:
    """Tell whether a test passed with more than the whole expected band, as disks well can."""
    if verdict.judgement is not Judgement.PASSED or verdict.measured is None or verdict.expected is None:
        return False
    return verdict.measured.median > verdict.expected.high


def value_words(metric: Metric | None, value: float) -> str:
    """Return a measured value with its unit: 1.2 GB/s, 6,300/s."""
    return rate_text(value) if metric is None or metric in RATES else tell("{count}/s", count=operations_text(value))


def expected_words(verdict: TestVerdict) -> str:
    """Return the expected band; empty where there is none."""
    if verdict.expected is None:
        return ""
    metric = verdict.metric
    return band_text(verdict.expected, lambda value: value_words(metric, value))


def factor_words(verdict: TestVerdict) -> str:
    """Return the limiting factor, a slow disk with its name; that none was found, where none was."""
    limiting = verdict.limiting
    if limiting is None:
        return tell("none found") if verdict.measured is not None else ""
    name = tell(FACTORS[limiting.factor])
    if limiting.disk is None:
        return name
    if limiting.serial is None:
        return tell("{factor}: {disk}", factor=name, disk=limiting.disk)
    return tell("{factor}: {disk}, serial {serial}", factor=name, disk=limiting.disk, serial=limiting.serial)


def run_sentence(record: RunRecord, judgement: Judgement, tests: Sequence[TestVerdict]) -> str:
    if not tests:
        return tell("Nothing was measured: {why}", why=record.why) if record.why else tell("Nothing was measured.")
    titles = {run.test.name: run.test.title for run in record.tests}
    named = _named([titles[test.test] for test in tests if test.judgement is judgement])
    first = next(test for test in tests if test.judgement is judgement)
    sentence = _sentence(judgement, named, first, len(tests))
    more = sum(map(is_more, tests))
    if more and judgement is Judgement.PASSED:
        sentence = tell_counted(
            "{sentence} In one it gives more than was expected.",
            "{sentence} In {count} it gives more than was expected.",
            more,
            sentence=sentence,
        )
    if record.ended is Ended.WHOLE:
        return sentence
    return tell("{sentence} {ended}", sentence=sentence, ended=ended_words(record))


def ended_words(record: RunRecord) -> str:
    """Return in a sentence how a run ended that did not end by itself."""
    return tell(_ENDED[record.ended])


def _named(titles: Sequence[str]) -> str:
    if len(titles) <= _MOST_NAMED:
        return listed(titles)
    count = len(titles) - _MOST_NAMED
    others = tell_counted("one more test", "{count} more tests", count)
    return listed([*titles[:_MOST_NAMED], others])


def _sentence(judgement: Judgement, named: str, first: TestVerdict, count: int) -> str:
    if judgement is Judgement.PASSED:
        return tell_counted(
            "The pool gives what was expected of it.",
            "The pool gives what was expected of it in all {count} tests.",
            count,
        )
    if judgement is Judgement.TOO_FAST:
        return tell("Faster than the disks can be: {tests}. A cache was measured, not the pool.", tests=named)
    if judgement is Judgement.CANNOT_TELL:
        why = first.reasons[0] if first.reasons else ""
        return tell("Cannot tell: {tests}. {why}", tests=named, why=why).rstrip()
    factor = factor_words(first) if first.limiting is not None else ""
    if factor:
        return tell("Slower than expected: {tests}. What limits it is {factor}.", tests=named, factor=factor)
    return tell("Slower than expected: {tests}.", tests=named)


# What is expected of tests before they run, in sentences.


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
