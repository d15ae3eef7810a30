"""`poolwright compare`: two to six designs side by side, and Linux RAID 6 of the same disks beside them."""

import argparse
from pathlib import Path

from poolwright.cli.asked import add_asked_options, input_names, read_asked_designs
from poolwright.cli.designs import evaluated, made_words, today
from poolwright.cli.live import add_live_options, check_live, run_live
from poolwright.cli.numbers import add_currency_option, money_document, with_currency
from poolwright.cli.output import add_force_option, check_outputs, print_json, print_line, print_table, write_output
from poolwright.cli.predictions import estimate_document, rounded
from poolwright.design.compare import ComparedRow, Comparison, Section, change_percent, check_count, compare
from poolwright.design.compared import Cell, ComparedDesign, zfs_column
from poolwright.domain.design import Design
from poolwright.domain.errors import UserError
from poolwright.drive_library import load_drive_book
from poolwright.predict.number_words import Unit
from poolwright.texts import tell


def configure(parser: argparse.ArgumentParser) -> None:
    add_asked_options(parser, several=True)
    parser.add_argument(
        "--md-raid6",
        action="store_true",
        help=tell("add Linux software RAID 6 of the first design's disks as a column"),
    )
    parser.add_argument("--differences", action="store_true", help=tell("print only the rows that differ"))
    parser.add_argument("--title", metavar="TEXT", default="Comparison", help=tell("title of the reports"))
    add_currency_option(parser)
    parser.add_argument("--html", metavar="FILE", help=tell("write a report that needs no network"))
    parser.add_argument("--pdf", metavar="FILE", help=tell("write the report as PDF"))
    parser.add_argument("--markdown", metavar="FILE", help=tell("write the report as Markdown"))
    parser.add_argument("--csv", metavar="FILE", help=tell("write all values as CSV, in base units"))
    add_live_options(parser)
    add_force_option(parser)
    parser.add_argument("--json", action="store_true", help=tell("print one JSON document"))


def run(args: argparse.Namespace) -> int:
    check_live(args)
    if args.live:
        return run_live(args)
    check_outputs(args, "--html", "--pdf", "--markdown", "--csv", inputs=input_names(args))
    asked = read_asked_designs(args)
    names = [*args.designs, *("--layout" for _ in args.layout or ())]
    names += [args.pool or "--from"] * (len(asked) - len(names))
    designs = _distinct([with_currency(design, args) for design in asked], names)
    check_count(len(designs) + bool(args.md_raid6))
    columns = [zfs_column(evaluated(design)) for design in designs]
    if args.md_raid6:
        from poolwright.design.md_column import md_column

        columns.append(md_column(designs[0], load_drive_book(), today=today()))
    comparison = compare(columns)
    written = _write_files(args, comparison)
    if args.json:
        print_json(comparison_document(comparison, written))
    elif written:
        for name in written:
            print_line(tell("Written: {name}", name=name))
    else:
        _print(comparison, only_differences=args.differences)
    return 0


def comparison_document(comparison: Comparison, written: list[str] | None = None) -> dict[str, object]:
    """Return the comparison as a JSON object: columns, rows with values in base units, properties, commands."""
    from poolwright.emit.column_commands import column_commands

    return {
        "columns": [
            {
                "key": column.key,
                "name": column.title,
                "kind": column.kind.value,
                "layout": column.layout,
                "commands": list(column_commands(column)),
                "remarks": [{"text": remark.text, "source": remark.source} for remark in column.remarks],
            }
            for column in comparison.columns
        ],
        "rows": [_row_document(row) for row in comparison.rows],
        "properties": [
            {
                "place": row.place,
                "name": row.name,
                "differs": row.differs,
                "values": [None if setting is None else setting.value for setting in row.settings],
            }
            for row in comparison.properties
        ],
        "files": written or [],
    }


def _row_document(row: ComparedRow) -> dict[str, object]:
    changes = change_percent(row, 0)
    return {
        "name": row.line.name,
        "title": row.line.title,
        "section": row.line.section.value,
        "unit": row.line.unit.value,
        "better": row.line.better.value,
        "differs": row.differs,
        "best": list(row.best),
        "sure": row.sure if row.best else None,
        "change_percent": [None if change is None else rounded(change) for change in changes],
        "values": [_cell_document(cell) for cell in row.cells],
    }


def _cell_document(cell: Cell) -> dict[str, object]:
    note = {"note": cell.note} if cell.note else {}
    if cell.estimate is not None:
        unit = {"currency": cell.currency} if cell.currency is not None else {}
        return {"value": rounded(cell.estimate.typical), **unit, **estimate_document(cell.estimate), **note}
    if cell.money is not None:
        return {"value": money_document(cell.money), "origin": str(cell.origin), **note}
    if cell.text is not None:
        return {"value": cell.text, "origin": str(cell.origin), **note}
    if cell.number is None:
        return {"value": None, **note}
    number = int(cell.number) if float(cell.number).is_integer() else rounded(cell.number)
    return {"value": number, "origin": str(cell.origin), **note}


def _distinct(designs: list[Design], names: list[str]) -> list[Design]:
    """Return the designs; copies of one design, changed or not, are told apart by their file. Raises UserError."""
    from dataclasses import replace

    keys = [design.key for design in designs]
    found = []
    for design, name in zip(designs, names, strict=True):
        if keys.count(design.key) == 1:
            found.append(design)
            continue
        if names.count(name) > 1:
            raise UserError(tell("A design stands twice in the comparison"), where=name)
        title = f"{design.name} ({Path(name).name})"
        found.append(replace(design, key=f"{design.key}:{name}", name=title))
    return found


def _write_files(args: argparse.Namespace, comparison: Comparison) -> list[str]:
    """Write what was asked for; return the names of the files."""

    written: list[str] = []
    if args.csv:
        from poolwright.emit.comparison_charts import comparison_csv

        write_output(args.csv, comparison_csv(comparison), force=args.force)
        written.append(args.csv)
    if args.html or args.markdown or args.pdf:
        from poolwright.emit.report_comparison import comparison_report

        report = comparison_report(comparison, title=args.title, made=made_words())
        if args.html:
            from poolwright.emit.report_html import html_text

            write_output(args.html, html_text(report), force=args.force)
            written.append(args.html)
        if args.markdown:
            from poolwright.emit.report_blocks import markdown_text

            write_output(args.markdown, markdown_text(report), force=args.force)
            written.append(args.markdown)
        if args.pdf:
            from poolwright.paper.display import pdf_bytes

            write_output(args.pdf, pdf_bytes(report), force=args.force)
            written.append(args.pdf)
    return written


def _print(comparison: Comparison, *, only_differences: bool) -> None:
    from poolwright.emit.comparison_charts import LETTERS, layout_with_badge, section_words

    for letter, column in zip(LETTERS, comparison.columns, strict=False):
        print_line(f"{letter}  {column.title}: {layout_with_badge(column)}")
    for section in Section:
        if section is Section.SHAPE:
            continue
        rows = [r for r in comparison.rows if r.line.section is section and (r.differs or not only_differences)]
        if rows:
            print_line()
            letters = LETTERS[: len(comparison.columns)]
            table = [[_title(row), *_cells(row, comparison.columns)] for row in rows]
            print_table((section_words(section), *letters), table)
    print_line()
    print_line(tell("≠ differs; * is the better value, ~ the better value by bands that overlap."))


def _title(row: ComparedRow) -> str:
    return f"{'≠' if row.differs else ' '} {row.line.title}"


def _cells(row: ComparedRow, columns: tuple[ComparedDesign, ...]) -> list[str]:
    from poolwright.emit.comparison_charts import cell_text

    marks = ["" if n not in row.best else "* " if row.sure else "~ " for n in range(len(columns))]
    unit = row.line.unit
    texts = [cell_text(cell, unit) for cell in row.cells]
    if unit is Unit.BYTES:
        texts = [text.partition(" (")[0] for text in texts]
    return [f"{mark}{text}" for mark, text in zip(marks, texts, strict=True)]
