"""A run as a report: the verdict first, then the measurements, what limits them, what to try, where and how."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC
from typing import Any, TypeVar

from poolwright.bench import charts
from poolwright.bench.judging import verdicts
from poolwright.bench.judging.side_by_side import noise_floor, noise_words
from poolwright.bench.judging.table_comparison import TableVerdict, compared_value_text, documented_text, ratio_words
from poolwright.bench.judging.verdicts import Expectation, Judgement, RunVerdict, TestVerdict, factor_words, value_words
from poolwright.bench.record import BenchTarget, Ended, RunRecord, TestRun
from poolwright.domain.grouping import grouped
from poolwright.domain.measurement import Latency, latency_words, percentile
from poolwright.domain.units import binary
from poolwright.emit import report
from poolwright.emit.chart import Chart, chart_drawing
from poolwright.emit.report import Block, Bullets, Picture, ReportHeading, ReportTable, TextTone, Words
from poolwright.predict.number_words import hours_text
from poolwright.shipped import shipped
from poolwright.texts import _, capital, dated, ngettext, numeral

_T = TypeVar("_T")  # for machines
_TONES = {
    Judgement.PASSED: TextTone.OK,
    Judgement.SLOWER: TextTone.BLOCK,
    Judgement.TOO_FAST: TextTone.WARN,
    Judgement.CANNOT_TELL: TextTone.MUTED,
}
_PERCENTS = (50.0, 95.0, 99.0, 99.9)
# How facts of the target are written that are no texts.
_FORMATS: dict[str, Callable[[Any], str]] = {"bytes": binary, "percent": "{} %".format, "lines": "; ".join}
_SIZES = ("recordsize", "volblocksize", "special_small_blocks")


def run_report(
    record: RunRecord,
    verdict: RunVerdict,
    expectation: Mapping[str, Expectation],
    published: TableVerdict = TableVerdict(tables=()),  # noqa: B008 - a value
) -> report.Report:
    """Return the report of a run. ``expectation`` is what was expected of each test, by its name.

    ``published`` is what documents measured on comparable hardware.
    """
    place, host = record.place, record.place.host
    where = _("{tool} on {host}", tool=place.directory, host=host)
    if place.pool is not None:
        where = _("pool {pool} on {host}", pool=place.pool, host=host)
    began = f"{dated(record.started.astimezone(UTC), '%Y-%m-%d %H:%M')} UTC"
    return report.Report(
        title=record.name,
        subtitle=f"{record.profile.question} {_('{one}, {other}', one=where, other=began)}",
        blocks=(
            *_verdict(record, verdict),
            *_tests(record, verdict, expectation),
            *_charts(record, verdict, expectation),
            *_latency(record),
            *_published(published),
            *_causes(record, verdict),
            *_origins(record, expectation),
            *_knowledge(record),
            *_place(record.place),
            *_how(record),
        ),
        foot=_("Measured by Poolwright {program}. The expected bands are of models.", program=record.program),
    )


def verdict_blocks(
    record: RunRecord, verdict: RunVerdict, expectation: Mapping[str, Expectation], published: TableVerdict
) -> list[Block]:
    """Return the reasons for the verdict on these tests, without their values, charts and the target."""
    return [*_causes(record, verdict), *_published(published), *_origins(record, expectation), *_knowledge(record)]


def answer_parts(
    record: RunRecord, verdict: RunVerdict, expectation: Mapping[str, Expectation], published: TableVerdict
) -> report.Blocks:
    """Yield what a terminal shows of the report: the verdict and numbers, then reasons and what to try."""
    (__, __, *ended), (__, numbers, measured) = _verdict(record, verdict), _tests(record, verdict, expectation)
    yield report.Answer(text=verdict.sentence, figures={"judgement": verdict.judgement})
    yield from (*ended, numbers)
    yield report.Behind(report.WHY, (measured, *_causes(record, verdict)))
    yield report.Behind(report.ALL, (*_latency(record), *_published(published)))


def _verdict(record: RunRecord, verdict: RunVerdict) -> Iterator[Block]:
    yield ReportHeading(text=_("Verdict"))
    yield Words(verdict.sentence, _TONES[verdict.judgement], strong=True)
    if record.ended is not Ended.WHOLE:
        ended = _("The run did not come to its end ({ended}). {why}", ended=record.ended, why=record.why)
        yield Words(ended, TextTone.WARN)


def _tests(record: RunRecord, verdict: RunVerdict, expectation: Mapping[str, Expectation]) -> Iterator[Block]:
    judged = {test.test: test for test in verdict.tests}
    header = (_("Test"), capital(_("measured")), _("Expected"), _("Verdict"), _("Limited by"))
    rows = [_test_row(run, judged.get(run.test.name), expectation.get(run.test.name)) for run in record.tests]
    if len({row[2].small for row in rows}) == 1:  # what is said of all tests, the reasons say once
        rows = [(*row[:2], replace(row[2], small=""), *row[3:]) for row in rows]
    yield ReportHeading(text=_("Tests"))
    yield ReportTable(header=header, rows=tuple(rows), right=frozenset((1, 2)))
    yield Words(_("Measured: the median of the repeats, ± half of what lies between least and most."), TextTone.MUTED)


def _test_row(run: TestRun, test: TestVerdict | None, expectation: Expectation | None) -> tuple[Words, ...]:
    silent = Words(text="-", tone=TextTone.MUTED)
    measured = expected = limit = judgement = silent
    if expectation is not None and expectation.why:
        expected = Words(text=_("no prediction"), tone=TextTone.MUTED, small=expectation.why)
    if test is not None:
        judgement = Words(text=verdicts.judgement_words(test), tone=_TONES[test.judgement], strong=True)
        if (spread := test.measured) is not None:
            count, share = len(spread.values), 50 * spread.spread
            small = ngettext("{count} repeat", "{count} repeats, ± {spread:.0f} %", count, spread=share)
            measured = Words(text=value_words(test.metric, spread.median), strong=True, small=small)
        if test.expected is not None:
            typical = _("typically {value}", value=value_words(test.metric, test.expected.typical))
            expected = Words(text=verdicts.expected_words(test), small=typical)
        limit = Words(text=factor_words(test)) if factor_words(test) else silent
    return Words(text=run.test.title, strong=True), measured, expected, judgement, limit


def _charts(record: RunRecord, verdict: RunVerdict, expectation: Mapping[str, Expectation]) -> Iterator[Block]:
    answers, judged = charts.profile_charts(record, expectation), charts.verdict_charts(record, verdict)
    for title, found in ((record.profile.question, answers), (_("Measured and expected"), judged)):
        yield from (ReportHeading(text=title), *_pictures(found)) if found else ()
    if judged:
        caption = _("Discs: measured, median with least and most. Rings: expected, with the band.")
        yield Words(caption, TextTone.MUTED)


def _pictures(found: Iterable[Chart | None]) -> Iterator[Block]:
    return (Picture(drawing=chart_drawing(chart)) for chart in found if chart is not None)


def _latency(record: RunRecord) -> Iterator[Block]:
    named = ((run.test.title, charts.latency_of_test(run)) for run in record.tests)
    latencies = [(title, latency) for title, latency in named if latency is not None]
    if not latencies:
        return
    percents = (numeral(percent, "g", "%") for percent in _PERCENTS)
    header = (_("Test"), capital(_("mean")), *percents, capital(_("longest")))
    rows = tuple((Words(text=title, strong=True), *_times(latency)) for title, latency in latencies)
    yield ReportHeading(text=_("Latency"))
    yield ReportTable(header=header, rows=rows, right=frozenset(range(1, len(header))))
    if len(latencies) <= charts.MOST_LINES:
        yield from _pictures((charts.percentile_chart(_("Percentiles"), latencies),))
        yield from _pictures(charts.histogram_chart(*one) for one in latencies)


def _times(latency: Latency) -> Iterator[Words]:
    for ns in (latency.mean_ns, *(percentile(latency, percent) for percent in _PERCENTS), latency.most_ns):
        yield Words(text="-", tone=TextTone.MUTED) if ns is None else Words(text=latency_words(ns))


def _published(published: TableVerdict) -> Iterator[Block]:
    if not published.rows:
        return
    rows = tuple(
        (
            Words(text=row.what, strong=True),
            Words(text=compared_value_text(row, row.measured)),
            Words(text=documented_text(row), small=row.basis),
            Words(text=ratio_words(row), small=row.source),
        )
        for row in published.rows
    )
    yield ReportHeading(text=_("Against published measurements"))
    yield ReportTable(header=(_("Test"), capital(_("measured")), _("Document"), _("Ratio")), rows=rows)
    yield from (Words(why, TextTone.MUTED) for why in published.why)


def _bulleted(title: str, items: Iterable[Words]) -> Iterator[Block]:
    if kept := tuple(items):
        yield from (ReportHeading(text=title), Bullets(items=kept))


def _causes(record: RunRecord, verdict: RunVerdict) -> Iterator[Block]:
    """Yield what limits each test with its evidence, what disturbed it, likely reasons and what to try.

    What is true of all tests stands first; tests with the same text are listed together.
    """
    judged = {test.test: test for test in verdict.tests}
    items_of = [_verdict_items(judged.get(run.test.name)) for run in record.tests]
    shared = _shared(items_of)
    own = (tuple(item for item in items if item not in shared) for items in items_of)
    every = [(shared, _("All tests")), *zip(own, (run.test.title for run in record.tests), strict=True)]
    titles_of = grouped((items, title) for items, title in every if items)
    if titles_of:
        yield ReportHeading(text=_("Reasons and what to try"))
    for items, titles in titles_of.items():
        yield from (ReportHeading(text=", ".join(titles), level=3), Bullets(items=items))


def _shared(several: Sequence[Sequence[_T]]) -> tuple[_T, ...]:
    """Return what all of several have, in the order of the first; one alone shares nothing."""
    first, *others = several or ((),)
    return tuple(item for item in first if others and all(item in other for other in others))


def _verdict_items(test: TestVerdict | None) -> tuple[Words, ...]:
    if test is None:
        return ()
    items = []
    if test.limiting is not None:
        evidence = " ".join(test.limiting.evidence)
        items.append(Words(text=_("Limited by {factor}", factor=factor_words(test)), strong=True, small=evidence))
    items += [Words(text=mark, tone=TextTone.WARN) for mark in test.marks]
    items += [Words(text=reason) for reason in test.reasons if reason not in test.marks]
    items += [Words(text=_("Try: {step}", step=step), tone=TextTone.NOTE) for step in test.next_steps]
    return tuple(items)


def _origins(record: RunRecord, expectation: Mapping[str, Expectation]) -> Iterator[Block]:
    known = (
        (run.test.title, expectation[run.test.name].estimate) for run in record.tests if run.test.name in expectation
    )
    titles_of = grouped(
        (str(band.origin), _("{title} (limit: {limit})", title=title, limit=band.limit))
        for title, band in known
        if band is not None
    )
    items = (Words(text=", ".join(titles), small=source) for source, titles in titles_of.items())
    return _bulleted(_("Where the figures come from"), items)


def _knowledge(record: RunRecord) -> Iterator[Block]:
    titles_of = grouped((note, run.test.title) for run in record.tests for note in run.test.notes)
    every = len(record.tests)
    items = (Words(text=note, small="" if len(of) == every else ", ".join(of)) for note, of in titles_of.items())
    return _bulleted(_("Notes"), items)


def _place(target: BenchTarget) -> Iterator[Block]:
    yield ReportHeading(text=_("Where it was measured"))
    every = ((fact, getattr(target, fact["field"])) for fact in shipped("place")["fact"])
    known = ((fact, value) for fact, value in every if value not in (None, "", ()))
    yield from _table((_(fact.get("title", "fio")), _FORMATS.get(fact.get("as", ""), str)(v)) for fact, v in known)
    properties = [(n, binary(int(v)) if n in _SIZES and v.isdecimal() else v) for n, v in target.properties]
    parts = ((d.name, (d.model, d.serial, None if d.bytes is None else binary(d.bytes))) for d in target.disks)
    disks = [(name, ", ".join(filter(None, told))) for name, told in parts]
    told = ((_("Disks"), disks), (_("Properties"), properties), (_("Parameters of the module"), target.parameters))
    for title, facts in told:
        yield from (ReportHeading(text=title, level=3), *_table(facts)) if facts else ()
    if target.warnings:
        yield Bullets(items=tuple(Words(text=text, tone=TextTone.WARN) for text in target.warnings))


def _how(record: RunRecord) -> Iterator[Block]:
    profile = record.profile
    facts = [
        (_("Profile"), f"{profile.title} ({profile.name})"),
        (_("Took"), hours_text(record.seconds / 3600)),
        (_("At rest before it"), noise_words(noise_floor(record.idle, record.place.pool))),
        (_("First random seed"), str(record.seed)),
        (capital(_("source")), profile.source),
        (_("Compared with"), profile.table),
    ]
    yield ReportHeading(text=_("How it was measured"))
    yield from _table([(name, value) for name, value in facts if value])
    files = [(run.test.title, run.job_file.strip()) for run in record.tests]
    shared = _shared([text.partition("\n\n")[0].split("\n") for __, text in files if text])  # of [global]
    own = [(title, [line for line in text.split("\n") if line not in shared]) for title, text in files]
    for title, lines in ((_("All tests"), shared), *own):
        if code := "\n".join(lines).strip():
            yield ReportHeading(text=title, level=3)
            yield report.Code(text=code, shell=False)


def _table(facts: Iterable[tuple[str, str]]) -> Iterator[Block]:
    if rows := tuple((Words(name), Words(value)) for name, value in facts):
        yield ReportTable(header=("", ""), rows=rows)
