"""What terminals show of an answer that has every kind of block in it: wide and narrow, with options and without."""

from collections.abc import Iterator

from poolwright.domain.vdev import parse_layout
from poolwright.emit import report
from poolwright.emit.drawing import vdevs_drawing


def answer() -> Iterator[report.Part]:
    yield report.Answer(text="raidz2 of six disks: 40 TiB usable, two of them may fail.")
    yield report.facts(("Price", "900 EUR"), ("Power", ""), ("Resilver", "8 h"), right=True)
    yield "  One line that goes on for a while below itself.\nAnother."
    yield report.Words("Small.", report.TextTone.OK, small="below it\nand below that", full="on paper")
    yield report.Picture(drawing=vdevs_drawing(parse_layout(["mirror:2x4TB"])))
    yield from report.bullets("first", "", "second")
    against = (f"Warning number {n} is about this. More of it [a.rule]." for n in range(3))
    yield from report.warnings(*against, unknown=["Price?"])
    yield report.ReportHeading(text="Pools")
    cells = (report.Words("tank", small="its last scrub is long ago"), report.Words("DEGRADED"), report.Words("7"))
    other = (report.Words("b"), report.Words("ONLINE"), report.Words("12"))
    yield report.ReportTable(header=("Pool", "State", "Disks"), rows=(cells, other), right=frozenset({2}))
    yield report.Code(text="zpool status\nzpool list")
    yield report.Behind(report.WHY, ("Because.", report.Behind(report.ALL, ("All of it.",))))
    wide = report.table(("Path", "What"), [("/dev/sda", "a disk that stands at the very end")])
    yield report.Behind(report.ALL, (wide,))
    yield from report.endings(report.NEXT, "poolwright script", None)
    yield from (report.LastLine(title=report.SAVED, text="a.json"), report.LastLine(title=report.MORE, text="--json"))


_TERMINALS = {
    report.Terminal(): frozenset[str](),
    report.Terminal(width=30): frozenset({report.WHY}),
    report.Terminal(width=30, whole=False): frozenset({report.ALL}),
    report.Terminal(width=24, whole=False, colour=True): frozenset({report.WHY, report.ALL}),
}


def terminal_text() -> str:
    shown = [report.terminal_lines(report.in_sight(answer(), options), on) for on, options in _TERMINALS.items()]
    hidden = report.Behind(report.ALL, ("The rest.",))
    shown.append(report.terminal_lines(report.in_sight(["Only this.", hidden], frozenset())))
    return "\n\n\n".join("\n".join(lines) for lines in shown).replace("\x1b", "ESC")
