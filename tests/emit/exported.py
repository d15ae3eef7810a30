"""The golden exports: designs recommended for the five documents' machines, and one made by hand, in every form.

Run ``python -m tests.emit.exported`` from the repository to write them anew, then read the difference.
"""

from pathlib import Path

from tests.emit.machines import macblog_design
from tests.emit.pretend import STAMP

from poolwright.capacity.pool import predict_pools
from poolwright.domain.design import Design
from poolwright.domain.errors import PoolwrightError, Refusal
from poolwright.emit.command_lines import command_lines
from poolwright.emit.commands import plan_actions
from poolwright.emit.exports import EXPORTS, ExportContext, export_text
from poolwright.emit.report import Code, Report, ReportHeading
from poolwright.emit.script import FIXED_PART, PARTS, fixed_part_sum
from poolwright.store.design_file import from_json

GOLDEN = Path(__file__).parent / "golden"
MACHINES = ("thesis", "paper", "macblog", "wikibook", "tunables", "two-pools", "by-hand")
KEYS = tuple(form.key for form in EXPORTS if form.key != "json")


def design_of(machine: str) -> Design:
    """Return the design of a machine: as recommended on 2026-11-20, or the one made by hand."""
    if machine == "by-hand":
        return macblog_design()
    return from_json((GOLDEN / "designs" / f"{machine}.json").read_text(encoding="utf-8"))


def context_of(design: Design) -> ExportContext:
    spaces = predict_pools(design)
    return ExportContext(stamp=STAMP, predicted=tuple((s.pool_size_bytes, s.available_bytes) for s in spaces))


def whole_text(machine: str, key: str) -> str:
    """Return an export; raises as `export_text`."""
    design = design_of(machine)
    return export_text(key, design, context_of(design))


def golden_text(machine: str, key: str) -> str:
    """Return what the golden file holds: the design's own part of the export, or why there is none.

    The part that is the same in every script is held by the golden script of the small office.
    """
    try:
        return own_part(whole_text(machine, key))
    except PoolwrightError as error:
        reasons = error.reasons if isinstance(error, Refusal) else ()
        return "\n".join(["refused", error.text, *reasons, ""])


def own_part(text: str) -> str:
    """Return what a script says of its design, without the fixed part and its checksum."""
    for kind in PARTS:
        text = text.replace(fixed_part_sum(kind), "<sha256>")
    return text.partition(f"\n{FIXED_PART}")[0] + "\n" if FIXED_PART in text else text


def written(key: str, design: Design) -> str:
    return export_text(key, design, ExportContext(stamp=STAMP))


def commands_under(report: Report, heading: str) -> list[str]:
    place = next(n for n, b in enumerate(report.blocks) if isinstance(b, ReportHeading) and b.text == heading)
    code = next(block for block in report.blocks[place:] if isinstance(block, Code))
    return code.text.splitlines()


def lines_text(*designs: Design) -> str:
    """Return the commands of designs line by line, each with what is told of it beside the line."""
    found = (line for one in designs for line in command_lines(one, plan_actions(one, placeholders=True)))
    marks = ("head", "irreversible", "unsure")
    told = ((line.text, *[m for m in marks if getattr(line, m)], line.rule_id, line.reason) for line in found)
    return "\n".join("  # ".join(filter(None, words)) for words in told) + "\n"


def golden_path(machine: str, key: str) -> Path:
    return GOLDEN / machine / f"{key}.txt"


if __name__ == "__main__":
    for machine in MACHINES:
        for key in KEYS:
            golden_path(machine, key).parent.mkdir(exist_ok=True)
            golden_path(machine, key).write_text(golden_text(machine, key), encoding="utf-8")
