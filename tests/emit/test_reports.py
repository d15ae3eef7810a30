"""Reports: whole, true to the comparison, well-formed, and without a thread to any network."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from tests.design.side_by_side import TODAY, column, concurrent, safety

from poolwright.design.compare import Comparison, compare
from poolwright.design.md_column import md_column
from poolwright.emit.drawing import svg
from poolwright.emit.report import Picture, html_text, markdown_text
from poolwright.emit.report_comparison import comparison_report
from poolwright.table_library import load_drive_book

GOLDEN = Path(__file__).parent / "golden" / "comparison-thesis.txt"
VOID = {"meta", "br", "hr", "img", "link", "input"}


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    design = safety()
    return compare((column(design), column(concurrent()), md_column(design, load_drive_book(), today=TODAY)))


def html_of(comparison: Comparison) -> str:
    return html_text(comparison_report(comparison, title="Safe <or> quick & cheap?", made="a test"))


class _Tags(HTMLParser):
    """Checks that every element is closed in order; collects what could reach out."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.reaching: list[str] = []
        self.seen: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        if tag not in VOID:
            self.open.append(tag)
        self.reaching.extend(f"{tag} {name}" for name, _ in attrs if name in ("src", "href", "srcset", "xlink:href"))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def check_html(text: str) -> _Tags:
    tags = _Tags()
    tags.feed(text)
    tags.close()
    assert tags.open == []
    assert tags.reaching == []
    assert not tags.seen & {"script", "link", "iframe", "img", "object"}
    outside = re.findall(r"https?://[^\s\"'<]+", text)
    assert set(outside) <= {"http://www.w3.org/2000/svg"}
    assert "url(" not in text
    assert "@import" not in text
    return tags


def test_that_the_comparison_is_one_well_formed_file_without_a_network(comparison: Comparison) -> None:
    text = html_of(comparison)
    tags = check_html(text)
    assert {"svg", "table", "style", "pre"} <= tags.seen
    assert "Safe &lt;or&gt; quick &amp; cheap?" in text
    assert "prefers-color-scheme:dark" in text
    assert "@media print" in text


def pictures(comparison: Comparison) -> Iterator[Picture]:
    report = comparison_report(comparison, title="x", made="y")
    yield from (block for block in report.blocks if isinstance(block, Picture))


def test_that_every_picture_is_a_vector_picture_with_a_title_in_its_frame(comparison: Comparison) -> None:
    found = list(pictures(comparison))
    assert len(found) == 4
    for picture in found:
        for with_colours in (False, True):
            root = ET.fromstring(svg(picture.drawing, with_colours=with_colours))
            wide, high = float(root.attrib["width"]), float(root.attrib["height"])
            assert root.attrib["role"] == "img"
            assert root.attrib["aria-label"] == picture.drawing.title
            for part in root.iter():
                for name, most in (("x", wide), ("cx", wide), ("y", high), ("cy", high)):
                    assert -1 <= float(part.attrib.get(name, 0)) <= most + 1
                if part.tag.endswith("rect"):
                    assert float(part.attrib["x"]) + float(part.attrib["width"]) <= wide
        assert "class=" not in svg(picture.drawing, with_colours=True)


def test_that_markdown_tables_keep_their_columns(comparison: Comparison) -> None:
    text = markdown_text(comparison_report(comparison, title="a|b *c*", made="made"))
    assert text.startswith("# a\\|b \\*c\\*\n")
    fenced = False
    width = 0
    for line in text.splitlines():
        if line.startswith("```"):
            fenced = not fenced
        if fenced or not line.startswith("|"):
            width = 0
            continue
        columns = len(re.split(r"(?<!\\)\|", line))
        assert width in (0, columns)
        width = columns
    assert not fenced
    assert "\n# B\nzpool create " in text


def normalised(comparison: Comparison) -> str:
    """Return a line for each row: predictions with two digits, counted numbers whole, who is best and how sure."""
    lines = []
    for row in comparison.rows:
        values = [
            cell.text
            if cell.text is not None
            else "?"
            if cell.value is None
            else f"~{cell.value:.2g}"
            if cell.estimate is not None
            else f"{cell.value:.10g}"
            for cell in row.cells
        ]
        best = ",".join("ABC"[n] for n in row.best) + ("" if row.sure else " by overlapping bands")
        lines.append(f"{row.line.name} [{row.line.unit}]: {' | '.join(values)}; best: {best or 'none'}")
    return "\n".join(lines) + "\n"


def test_that_the_thesis_comparison_is_as_it_was(comparison: Comparison) -> None:
    assert normalised(comparison) == GOLDEN.read_text(encoding="utf-8")
