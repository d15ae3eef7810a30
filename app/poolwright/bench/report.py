"""A run as a report: the verdict first, then the measurements, what limits them, what to try, where and how."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC
from typing import Any, TypeVar

from poolwright.bench.charts.profile_charts import profile_charts
from poolwright.bench.charts.verdict import (
    MOST_LINES,
    NamedLatency,
    histogram_chart,
    latency_of_test,
    percentile_chart,
    verdict_charts,
)
from poolwright.bench.judging.side_by_side import noise_floor, noise_words
from poolwright.bench.judging.table_comparison import TableVerdict, compared_value_text, documented_text, ratio_words
from poolwright.bench.judging.verdicts import (
    Expectation,
    Judgement,
    RunVerdict,
    TestVerdict,
    expected_words,
    factor_words,
    judgement_words,
    value_words,
)
from poolwright.bench.record import BenchTarget, Ended, RunRecord, TestRun
from poolwright.domain.measurement import Latency, latency_words, percentile
from poolwright.domain.units import binary
from poolwright.emit.chart import chart_drawing
from poolwright.emit.report import (
    ALL,
    WHY,
    Answer,
    Behind,
    Block,
    Blocks,
    Bullets,
    Code,
    Picture,
    Report,
    ReportHeading,
    ReportTable,
    TextTone,
    Words,
)
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
    published: TableVerdict | None = None,
) -> Report:
    """Return the report of a run. ``expectation`` is what was expected of each test, by its name.

    ``published`` is what documents measured on comparable hardware.
    """
    judged = {test.test: test for test in verdict.tests}
    began = f"{dated(record.started.astimezone(UTC), '%Y-%m-%d %H:%M')} UTC"
    return Report(
        title=record.name,
        subtitle=f"{record.profile.question} {_('{one}, {other}', one=_where(record.place), other=began)}",
        blocks=(
            *_verdict(record, verdict),
            *_tests(record, judged, expectation),
            *_charts(record, verdict, expectation),
            *_latency(record),
            *_published(published),
            *_causes(record, judged),
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
    judged = {test.test: test for test in verdict.tests}
    return [*_causes(record, judged), *_published(published), *_origins(record, expectation), *_knowledge(record)]


def answer_parts(
    record: RunRecord, verdict: RunVerdict, expectation: Mapping[str, Expectation], published: TableVerdict
) -> Blocks:
    """Yield what a terminal shows of the report: the verdict and numbers, then reasons and what to try."""
    judged = {test.test: test for test in verdict.tests}
    (__, __, *ended), (__, numbers, measured) = _verdict(record, verdict), _tests(record, judged, expectation)
    yield Answer(text=verdict.sentence, figures={"judgement": verdict.judgement})
    yield from (*ended, numbers)
    yield Behind(WHY, (measured, *_causes(record, judged)))
    yield Behind(ALL, (*_latency(record), *_published(published)))


def _where(target: BenchTarget) -> str:
    if target.pool is None:
        return _("{tool} on {host}", tool=target.directory, host=target.host)
    return _("pool {pool} on {host}", pool=target.pool, host=target.host)


def _verdict(record: RunRecord, verdict: RunVerdict) -> list[Block]:
    words = Words(verdict.sentence, _TONES[verdict.judgement], strong=True)
    blocks: list[Block] = [ReportHeading(text=_("Verdict")), words]
    if record.ended is not Ended.WHOLE:
        ended = _("The run did not come to its end ({ended}). {why}", ended=record.ended, why=record.why)
        blocks.append(Words(ended, TextTone.WARN))
    return blocks


def _tests(record: RunRecord, judged: Mapping[str, TestVerdict], expectation: Mapping[str, Expectation]) -> list[Block]:
    header = (_("Test"), capital(_("measured")), _("Expected"), _("Verdict"), _("Limited by"))
    rows = [_test_row(run, judged.get(run.test.name), expectation.get(run.test.name)) for run in record.tests]
    if len({row[2].small for row in rows}) == 1:  # what is said of all tests, the reasons say once
        rows = [(*row[:2], replace(row[2], small=""), *row[3:]) for row in rows]
    return [
        ReportHeading(text=_("Tests")),
        ReportTable(header=header, rows=tuple(rows), right=frozenset((1, 2))),
        Words(_("Measured: the median of the repeats, ± half of what lies between least and most."), TextTone.MUTED),
    ]


def _test_row(run: TestRun, test: TestVerdict | None, expectation: Expectation | None) -> tuple[Words, ...]:
    silent = Words(text="-", tone=TextTone.MUTED)
    measured = expected = limit = judgement = silent
    if expectation is not None and expectation.why:
        expected = Words(text=_("no prediction"), tone=TextTone.MUTED, small=expectation.why)
    if test is not None:
        judgement = Words(text=judgement_words(test), tone=_TONES[test.judgement], strong=True)
        if (spread := test.measured) is not None:
            count, share = len(spread.values), 50 * spread.spread
            small = ngettext("{count} repeat", "{count} repeats, ± {spread:.0f} %", count, spread=share)
            measured = Words(text=value_words(test.metric, spread.median), strong=True, small=small)
        if test.expected is not None:
            typical = _("typically {value}", value=value_words(test.metric, test.expected.typical))
            expected = Words(text=expected_words(test), small=typical)
        limit = Words(text=factor_words(test)) if factor_words(test) else silent
    return Words(text=run.test.title, strong=True), measured, expected, judgement, limit


def _charts(record: RunRecord, verdict: RunVerdict, expectation: Mapping[str, Expectation]) -> list[Block]:
    answers = [Picture(drawing=chart_drawing(chart)) for chart in profile_charts(record, expectation)]
    blocks: list[Block] = [ReportHeading(text=record.profile.question), *answers] if answers else []
    charts = verdict_charts(record, verdict)
    if not charts:
        return blocks
    pictures = [Picture(drawing=chart_drawing(chart)) for chart in charts]
    caption = _("Discs: measured, median with least and most. Rings: expected, with the band.")
    return [*blocks, ReportHeading(text=_("Measured and expected")), *pictures, Words(caption, TextTone.MUTED)]


def _latency(record: RunRecord) -> list[Block]:
    latencies = [
        NamedLatency(name=run.test.title, latency=latency)
        for run in record.tests
        if (latency := latency_of_test(run)) is not None
    ]
    if not latencies:
        return []
    percents = (numeral(percent, "g", "%") for percent in _PERCENTS)
    header = (_("Test"), capital(_("mean")), *percents, capital(_("longest")))
    rows = tuple((Words(text=each.name, strong=True), *_times(each.latency)) for each in latencies)
    blocks: list[Block] = [
        ReportHeading(text=_("Latency")),
        ReportTable(header=header, rows=rows, right=frozenset(range(1, len(header)))),
    ]
    if len(latencies) > MOST_LINES:
        return blocks
    charts = (percentile_chart(_("Percentiles"), latencies), *(histogram_chart(x.name, x.latency) for x in latencies))
    return blocks + [Picture(drawing=chart_drawing(chart)) for chart in charts if chart is not None]


def _times(latency: Latency) -> tuple[Words, ...]:
    times = (latency.mean_ns, *(percentile(latency, percent) for percent in _PERCENTS), latency.most_ns)
    return tuple(Words("-", TextTone.MUTED) if ns is None else Words(latency_words(ns)) for ns in times)


def _published(published: TableVerdict | None) -> list[Block]:
    if published is None or not published.rows:
        return []
    rows = tuple(
        (
            Words(text=row.what, strong=True),
            Words(text=compared_value_text(row, row.measured)),
            Words(text=documented_text(row), small=row.basis),
            Words(text=ratio_words(row), small=row.source),
        )
        for row in published.rows
    )
    table = ReportTable(header=(_("Test"), capital(_("measured")), _("Document"), _("Ratio")), rows=rows)
    heading = ReportHeading(text=_("Against published measurements"))
    return [heading, table, *(Words(why, TextTone.MUTED) for why in published.why)]


def _causes(record: RunRecord, judged: Mapping[str, TestVerdict]) -> list[Block]:
    """Return what limits each test with its evidence, what disturbed it, likely reasons and what to try.

    What is true of all tests stands first; tests with the same text are listed together.
    """
    items_of = [_verdict_items(judged.get(run.test.name)) for run in record.tests]
    shared = _shared(items_of)
    titles_by_items: dict[tuple[Words, ...], list[str]] = {shared: [_("All tests")]}
    for run, items in zip(record.tests, items_of, strict=True):
        titles_by_items.setdefault(tuple(item for item in items if item not in shared), []).append(run.test.title)
    blocks: list[Block] = []
    for items, titles in titles_by_items.items():
        if items:
            blocks += [ReportHeading(text=", ".join(titles), level=3), Bullets(items=items)]
    return [ReportHeading(text=_("Reasons and what to try")), *blocks] if blocks else []


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


def _origins(record: RunRecord, expectation: Mapping[str, Expectation]) -> list[Block]:
    titles_by_origin: dict[str, list[str]] = {}
    for run in record.tests:
        expected = expectation.get(run.test.name)
        if expected is not None and expected.estimate is not None:
            limit = _("{title} (limit: {limit})", title=run.test.title, limit=expected.estimate.limit)
            titles_by_origin.setdefault(str(expected.estimate.origin), []).append(limit)
    items = tuple(Words(text=", ".join(titles), small=source) for source, titles in titles_by_origin.items())
    return [ReportHeading(text=_("Where the figures come from")), Bullets(items=items)] if items else []


def _knowledge(record: RunRecord) -> list[Block]:
    titles_by_note: dict[str, list[str]] = {}
    for run in record.tests:
        for note in run.test.notes:
            titles_by_note.setdefault(note, []).append(run.test.title)
    items = [
        Words(text=note, small="" if len(titles) == len(record.tests) else ", ".join(titles))
        for note, titles in titles_by_note.items()
    ]
    return [ReportHeading(text=_("Notes")), Bullets(items=tuple(items))] if items else []


def _place(target: BenchTarget) -> list[Block]:
    blocks: list[Block] = [
        ReportHeading(text=_("Where it was measured")),
        *_table(_place_facts(target)),
        *_table(_disks(target), _("Disks")),
        *_table(
            ((n, binary(int(v)) if n in _SIZES and v.isdecimal() else v) for n, v in target.properties), _("Properties")
        ),
        *_table(target.parameters, _("Parameters of the module")),
    ]
    if target.warnings:
        blocks.append(Bullets(items=tuple(Words(text=text, tone=TextTone.WARN) for text in target.warnings)))
    return blocks


def _place_facts(target: BenchTarget) -> list[tuple[str, str]]:
    facts = ((fact, getattr(target, fact["field"])) for fact in shipped("place")["fact"])
    known = ((fact, value) for fact, value in facts if value not in (None, "", ()))
    return [(_(fact.get("title", "fio")), _FORMATS.get(fact.get("as", ""), str)(value)) for fact, value in known]


def _disks(target: BenchTarget) -> list[tuple[str, str]]:
    return [
        (disk.name, ", ".join(filter(None, (disk.model, disk.serial, binary(disk.bytes) if disk.bytes else None))))
        for disk in target.disks
    ]


def _how(record: RunRecord) -> list[Block]:
    profile = record.profile
    facts = [
        (_("Profile"), f"{profile.title} ({profile.name})"),
        (_("Took"), hours_text(record.seconds / 3600)),
        (_("At rest before it"), noise_words(noise_floor(record.idle, record.place.pool))),
        (_("First random seed"), str(record.seed)),
        (capital(_("source")), profile.source),
        (_("Compared with"), profile.table),
    ]
    blocks: list[Block] = [ReportHeading(text=_("How it was measured")), *_table([(n, v) for n, v in facts if v])]
    files = [(run.test.title, run.job_file.strip()) for run in record.tests]
    shared = _shared([text.partition("\n\n")[0].split("\n") for __, text in files if text])  # of [global]
    own = [(title, [line for line in text.split("\n") if line not in shared]) for title, text in files]
    for title, lines in ((_("All tests"), shared), *own):
        if code := "\n".join(lines).strip():
            blocks += [ReportHeading(text=title, level=3), Code(text=code, shell=False)]
    return blocks


def _table(facts: Iterable[tuple[str, str]], title: str = "") -> list[Block]:
    rows = tuple((Words(name), Words(value)) for name, value in facts)
    above = [ReportHeading(text=title, level=3)] if title else []
    return [*above, ReportTable(header=("", ""), rows=rows)] if rows else []
