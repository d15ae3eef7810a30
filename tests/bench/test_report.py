"""The report of a run: its verdict first, each number with its band, reasons, place and job files; charts of both."""

import re
from dataclasses import replace

import pytest
from tests.bench.judging.made_runs import Made, bench_test, design_of, place_of, record_of, run_of

from poolwright.bench.charts import verdict_charts
from poolwright.bench.judging.expected import expected
from poolwright.bench.judging.verdict import judge
from poolwright.bench.judging.verdicts import Expectation, RunVerdict
from poolwright.bench.record import Ended, RunRecord
from poolwright.bench.report import run_report
from poolwright.domain.estimate import Estimate
from poolwright.emit.chart import Chart, ChartMark
from poolwright.emit.report import Report, ReportHeading, ReportTable, TextTone, Words, html_text, markdown_text
from poolwright.predict.measured_runs import Metric

PLACE = place_of(fill_percent=62, fragmentation_percent=18, fio="fio-3.33", warnings=("No scrub for 40 days.",))
MADE = (
    (Metric.SEQ_READ, Made(value=6e8)),
    (Metric.SEQ_WRITE, Made(value=1.1e8, slow=3, slower=4.0)),
    (Metric.SYNC_WRITE, Made(value=9000.0)),
)

Judged = tuple[RunRecord, RunVerdict, dict[str, Expectation]]


@pytest.fixture(scope="module")
def judged() -> Judged:
    """Return a run with a good test, a slow disk, and writes that nothing kept."""
    runs = []
    for number, (metric, made) in enumerate(MADE):
        notes = ("Of all tests.", "Of the first.") if number == 0 else ("Of all tests.",)
        runs.append(run_of(replace(bench_test(metric), notes=notes), PLACE, made))
    record = record_of(runs, PLACE)
    expectation = expected(record.profile, design_of(), None, PLACE)
    return record, judge(record, expectation), expectation


def test_that_the_verdict_stands_first_in_its_colour(judged: Judged) -> None:
    record, verdict, expectation = judged
    heading, first, *_ = run_report(record, verdict, expectation).blocks
    assert isinstance(heading, ReportHeading)
    assert isinstance(first, Words)
    assert (first.text, first.tone) == (verdict.sentence, TextTone.BLOCK)
    assert "SER3" in first.text


def test_that_each_test_has_its_numbers_its_band_and_what_limits_it(judged: Judged) -> None:
    read, write, sync = rows_of(run_report(*judged))
    assert [cell.text for cell in read[:1]] == ["Test of seq_read"]
    assert read[1].text == "600 MB/s"
    assert read[1].small == "3 repeats, ± 1 %"
    assert re.fullmatch(r"\d+ MB/s to [\d.]+ [MG]B/s", read[2].text)
    assert read[2].small.startswith("typically ")
    assert [row[3].text for row in (read, write, sync)] == [
        "as expected",
        "slower than expected",
        "faster than the disks can be",
    ]
    assert write[4].text == "one slow disk: sdd, serial SER3"
    assert sync[1].text == "9,000 IOPS"


def rows_of(report: Report) -> tuple[tuple[Words, ...], ...]:
    return next(block for block in report.blocks if isinstance(block, ReportTable)).rows


def test_that_reasons_steps_knowledge_place_and_job_files_are_told(judged: Judged) -> None:
    text = markdown_text(run_report(*judged))
    slow = judged[1].tests[1]
    assert slow.limiting is not None
    for told in (*slow.limiting.evidence, *slow.reasons, *slow.next_steps):
        assert plain_words(told) in plain_words(text)
    assert text.count("Of all tests.") == 1
    assert re.search(r"Of the first\.[^\n]*Test of seq_read", text)
    for fact in ("tank/scratch", "2.3.2", "62 %", "18 %", "fio-3.33", "128 KiB", "primarycache", "No scrub", "SER7"):
        assert fact in text, fact
    assert "[job]" in text
    assert str(next(iter(judged[2].values())).estimate.origin)[:40] in text  # type: ignore[union-attr]


def plain_words(text: str) -> str:
    return re.sub(r"[\\\s]+", " ", text)


def test_that_a_run_without_a_design_says_why_nothing_is_expected() -> None:
    record = replace(record_of([run_of(bench_test(), PLACE, Made(value=6e8))], PLACE), ended=Ended.BUDGET, why="full")
    expectation = expected(record.profile, None, None, PLACE)
    verdict = judge(record, expectation)
    report = run_report(record, verdict, expectation)
    (row,) = rows_of(report)
    assert (row[2].text, row[2].small) == ("no prediction", "")
    assert expectation["seq_read"].why in markdown_text(report)
    assert "did not come to its end (budget). full" in markdown_text(report)
    (chart,) = verdict_charts(record, verdict)
    assert [series.name for series in chart.series] == ["Measured"]


def test_that_what_is_said_of_several_tests_is_said_once() -> None:
    once = Made(value=6e8, repeats=1)
    record = record_of(
        [run_of(bench_test(metric), PLACE, once) for metric in (Metric.SEQ_READ, Metric.RAND_READ)], PLACE
    )
    expectation = expected(record.profile, None, None, PLACE)
    report = run_report(record, judge(record, expectation), expectation)
    headings = [block.text for block in report.blocks if isinstance(block, ReportHeading) and block.level == 3]
    assert headings.count("All tests") == 2  # reasons, and the lines of the job files
    assert rows_of(report)[0][1].small == "1 repeat"


def test_that_the_charts_hold_medians_with_their_spread_against_the_bands(judged: Judged) -> None:
    record, verdict, _ = judged
    rates, counts = verdict_charts(record, verdict)
    assert rates.rows == ("Test of seq_read", "Test of seq_write")
    assert (rates.x.unit, rates.x.log, counts.x.unit, counts.x.log) == ("GB/s", False, "1/s", True)
    measured, band = marks(rates, "Measured")[0], marks(rates, "Expected")[0]
    spread, expectation = verdict.tests[0].measured, verdict.tests[0].expected
    assert spread is not None
    assert isinstance(expectation, Estimate)
    assert [measured.x, measured.low, measured.high] == [v / 1e9 for v in (spread.median, spread.least, spread.most)]
    assert [band.x, band.low, band.high] == [v / 1e9 for v in (expectation.typical, expectation.low, expectation.high)]
    assert measured.label == "600 MB/s"


def marks(chart: Chart, name: str) -> tuple[ChartMark, ...]:
    return next(series for series in chart.series if series.name == name).marks


def test_that_words_of_a_foreign_run_are_no_markup() -> None:
    place = replace(PLACE, host="<script>alert(1)</script>", properties=(("x", "a\x1b[31m"),))
    record = replace(record_of([run_of(bench_test(), place, Made(value=6e8))], place), name="<img src=x>")
    expectation = expected(record.profile, None, None, place)
    text = html_text(run_report(record, judge(record, expectation), expectation))
    assert "<script" not in text
    assert "<img" not in text
    assert "\x1b" not in text
