"""A comparison and a report made by hand, with every kind of value there is: what is drawn and written is known.

Run ``python -m tests.emit.by_hand`` from the repository to write the golden reports anew, then read the difference.
"""

from collections.abc import Iterable
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

from tests.changes.existing_machines import audits, machine
from tests.design.side_by_side import TODAY
from tests.emit.answered import terminal_text
from tests.emit.machines import macblog_design, odd_disk

from poolwright.design.compare import Comparison, compare
from poolwright.design.comparison_columns import Cell, ColumnRemark, ComparedDesign, ComparedKind
from poolwright.design.evaluate import evaluate
from poolwright.domain.design import Dataset, Design, HostAdvice, NotChosen, Ranking, ScoreTerm, Setting
from poolwright.domain.disk import Media
from poolwright.domain.estimate import Estimate, Origin, OriginKind
from poolwright.domain.finding import Finding, Outcome, Severity, Source
from poolwright.domain.growth import parse_growth_step
from poolwright.domain.money import Money, money
from poolwright.domain.units import GB, TIB
from poolwright.domain.workload import Budget
from poolwright.emit.comparison_charts import comparison_csv
from poolwright.emit.drawing import stacked, svg
from poolwright.emit.report import Block, Picture, Report, ReportHeading, html_text, markdown_text
from poolwright.emit.report_comparison import comparison_report
from poolwright.emit.report_design import DesignSubject, design_report
from poolwright.emit.report_pools import audit_report
from poolwright.table_library import load_drive_book

GOLDEN = Path(__file__).parent / "golden" / "reports"
AUDITED = ("expanded", "wrong")
PREDICTED = ("In short", "What to expect")
MODEL = Origin(kind=OriginKind.PREDICTED, source="a model")
SHOP = Origin(kind=OriginKind.TYPED, source="a shop", when="2026-11-02")


def guess(low: float, typical: float, high: float, *, source: str = "a model", limit: str = "disks") -> Cell:
    origin = Origin(kind=OriginKind.PREDICTED, source=source)
    return Cell(estimate=Estimate(low=low, typical=typical, high=high, limit=limit, origin=origin))


def euros(amount: int) -> Cell:
    return Cell(money=Money(amount=Decimal(amount), currency="EUR"), origin=SHOP)


def column(key: str, cells: dict[str, Cell], settings: Iterable[Setting], *remarks: ColumnRemark) -> ComparedDesign:
    return ComparedDesign(
        key=key,
        title=f"plan {key}",
        layout=f"layout of {key}",
        kind=ComparedKind.ZFS,
        cells=cells,
        settings={("dataset tank", one.name): one for one in settings},
        remarks=remarks,
    )


def columns() -> tuple[ComparedDesign, ...]:
    """Return three designs: one with all there is, one a little like it, and one of which little is known."""
    all_there_is = {
        "layout": Cell(text="2 x raidz2 of 8"),
        "ashift": Cell(text="12"),
        "disks": Cell(number=16),
        "usable": Cell(number=10 * TIB, note="without reserve"),
        "survived": Cell(number=2),
        "survives_two": Cell(number=1.0),
        "loss": guess(1e-8, 1e-7, 1e-6),
        "rebuild": guess(4, 10, 30),
        "seq_read": guess(0.9 * GB, 1 * GB, 1.2 * GB),
        "seq_write": guess(0.1 * GB, 0.5 * GB, 3 * GB),
        "rand_read": guess(190, 200, 210),
        "sync_write": guess(9, 10, 11, source="another model"),
        "purchase": euros(4000),
        "per_tb": euros(400),
        "energy": guess(900, 1000, 1100),
        "power": replace(guess(200, 300, 400), currency="EUR"),
        "warnings": Cell(number=3),
    }
    alike = {
        "layout": Cell(text="8 x mirror of 2"),
        "ashift": Cell(text="12"),
        "disks": Cell(number=16),
        "usable": Cell(number=5 * TIB),
        "survived": Cell(number=1),
        "survives_two": Cell(number=0.9),
        "loss": guess(1e-4, 1e-3, 1e-2),
        "rebuild": guess(3, 5, 12),
        "seq_read": guess(1.0 * GB, 1.1 * GB, 1.3 * GB),
        "seq_write": Cell(note="nobody measured it"),
        "rand_read": guess(1900, 2000, 2100),
        "sync_write": guess(9, 10, 11, source="another model"),
        "purchase": euros(4000),
        "per_tb": Cell(money=Money(amount=Decimal(800), currency="USD"), origin=SHOP),
        "energy": guess(900, 1000, 1100),
        "warnings": Cell(number=0),
    }
    settings = (Setting(name="compression", value="lz4", reason="cheap"), Setting(name="atime", value="off"))
    return (
        column("one", all_there_is, settings, ColumnRemark(text="It is <odd>.", source="a page")),
        column("two", alike, settings[:1]),
        column("three", {"layout": Cell(text="raid6"), "usable": Cell(number=10 * TIB)}, ()),
    )


def comparison() -> Comparison:
    return compare(columns())


def finding(number: int, severity: Severity, **changes: object) -> Finding:
    found = Finding(
        rule_id=f"rule.{number}", title=f"Title {number}", severity=severity, basis="measured", subject="pool tank",
        outcome=Outcome.VIOLATED, text=f"Text {number}.",
    )  # fmt: skip
    return replace(found, **changes)  # type: ignore[arg-type]


def design() -> Design:
    """Return the blog's two pools, with a spare in no place, a volume, wishes, prices and planned steps."""
    plain = macblog_design()
    left = odd_disk(
        9, 2000398934016, by_id=(), serial=None, model=None, logical_sector_bytes=None, enclosure="shelf", slot="7",
        media=Media.HDD,
    )  # fmt: skip
    prices = replace(parse_growth_step("replace:12TB@1 at 80%"), price_per_disk=money("310", "EUR"))
    return replace(
        plain,
        disks=(*plain.disks, left),
        budget=Budget(
            least_usable_bytes=TIB, survive=2, price_per_disk=money(250, "EUR"), price_on="2026-11-20",
        ),
        pool_settings=(Setting(name="autotrim", value="on", reason="flash", rule_id="trim.on"),),
        datasets=(*plain.datasets, Dataset(name="disk", volume_bytes=8 << 30)),
        inventory_origin=SHOP,
        growth=(prices, parse_growth_step("expand@1")),
    )  # fmt: skip


def subject() -> DesignSubject:
    """Return what a report on it is made of, findings of every weight among it."""
    found = evaluate(design(), drives=load_drive_book(), today=TODAY)
    main, *further = found.pools
    book = Source(kind="document", ref="a book, page 3")
    findings = (
        finding(1, Severity.NOTE, why="Because.", users_own=True),
        finding(2, Severity.WARN, advice="Change it.", sources=(book, book, Source(kind="page", ref="zpool(8)"))),
        finding(3, Severity.BLOCK),
        finding(4, Severity.NOTE, outcome=Outcome.CANNOT_TELL, missing=("ram", "ups")),
        finding(5, Severity.NOTE, outcome=Outcome.HOLDS),
        finding(6, Severity.NOTE, outcome=Outcome.HOLDS),
    )
    advice = (
        HostAdvice(kind="command", title="Scrub monthly", command="zpool scrub tank", reason="bits rot", why="Said."),
        HostAdvice(kind="file", title="Less cache", file="/etc/x.conf", content="a=1 | `b`", sources=(book, book)),
    )
    terms = (
        ScoreTerm(name="risk", title="Yearly risk", points=25.5, weight=30, value=0.85, why="1 in 20 million"),
        ScoreTerm(name="extra", title="Beside", points=-1.5, weight=0, value=0.0, why="odd"),
    )
    pools = (replace(main, findings=findings), *(replace(pool, findings=()) for pool in further))
    known = replace(found, design=ranked(found.design, *terms), pools=pools)
    return DesignSubject(evaluation=known, advice=advice, made="a test")


def ranked(design: Design, *terms: ScoreTerm) -> Design:
    """Return the design as the first of a ranking with these terms of its score."""
    others = (NotChosen(family="raidz1", reason="it survives one failure"),)
    ranking = Ranking(
        goal=design.workload.goal, rank=1, examined=9, score=sum(term.points for term in terms), terms=terms,
        not_chosen=others, layout=design.layout_words(),
    )  # fmt: skip
    return replace(design, ranking=ranking)


def without_predictions(report: Report) -> Report:
    """Return the parts of a report that the models of speed and risk have no say in."""
    blocks: list[Block] = []
    kept = True
    for block in report.blocks:
        if isinstance(block, ReportHeading) and block.level == 2:
            kept = block.text not in PREDICTED
        blocks += [block] if kept else []
    return replace(report, blocks=tuple(blocks))


def golden_reports() -> dict[str, str]:
    """Return the golden files by name; of HTML what is in the body, an element in a line."""
    audits_of = {name: audit_report(tuple(audits(name).values()), machine(name), made="a test") for name in AUDITED}
    whole = {
        "comparison": comparison_report(comparison(), title="One & two", made="a test"),
        "design": without_predictions(design_report(subject())),
    }
    found = {f"{name}.md": markdown_text(report) for name, report in whole.items()}
    for name, report in whole.items():
        body = html_text(report).partition("<body>")[2]
        found[f"{name}.html"] = body.replace("><", ">\n<")
    found |= {f"audit-{name}.md": markdown_text(report) for name, report in audits_of.items()}
    for name, report in audits_of.items():
        drawings = [block.drawing for block in report.blocks if isinstance(block, Picture)]
        found[f"audit-{name}.svg"] = svg(stacked(drawings, name))
    return found | {"comparison.csv": comparison_csv(comparison()), "terminal.txt": terminal_text()}


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for name, text in golden_reports().items():
        (GOLDEN / name).write_text(text, encoding="utf-8")
