"""Reports on paper: real PDF files with text that can be read back and pictures that stay vectors."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from tests.design.side_by_side import TODAY, column, concurrent, one_vdev, safety
from tests.ui.pdf_content import unpacked

from poolwright.design.compare import compare
from poolwright.design.evaluate import evaluate
from poolwright.drive_library import load_drive_book
from poolwright.emit.report_comparison import comparison_report
from poolwright.emit.report_design import DesignSubject, design_report
from poolwright.paper.report_pdf import pdf_of


@pytest.fixture(scope="module")
def compared(qapp: QApplication) -> bytes:
    return pdf_of(comparison_report(compare((column(safety()), column(concurrent()))), title="Two pools", made="Foot"))


def pages(pdf: bytes) -> int:
    return len(re.findall(rb"/Type\s*/Page\b(?!s)", pdf))


def test_that_a_comparison_fills_some_pages_of_a4(compared: bytes) -> None:
    assert compared.startswith(b"%PDF-")
    assert 4 <= pages(compared) <= 16
    box = re.search(rb"/MediaBox \[0 0 ([0-9.]+) ([0-9.]+)\]", compared)
    assert box is not None
    assert [round(float(side)) for side in box.groups()] == [595, 842]


@pytest.mark.slow
def test_that_nothing_on_the_pages_is_a_picture_of_dots(compared: bytes) -> None:
    assert b"/Subtype /Image" not in compared
    drawn = b"\n".join(unpacked(compared))
    assert len(re.findall(rb"\bre\b|\bl\b", drawn)) > 100  # rectangles and lines of the charts


@pytest.mark.slow
def test_that_many_columns_lie_across(qapp: QApplication) -> None:
    designs = [safety(), concurrent(), one_vdev(), one_vdev(10)]
    report = comparison_report(compare([column(design) for design in designs]), title="Four", made="")
    box = re.search(rb"/MediaBox \[0 0 ([0-9.]+) ([0-9.]+)\]", pdf_of(report))
    assert box is not None
    wide, high = (float(side) for side in box.groups())
    assert wide > high


def test_that_the_text_of_a_report_can_be_read_back(qapp: QApplication, tmp_path: Path) -> None:
    reader = shutil.which("pdftotext")
    if reader is None:
        pytest.skip("pdftotext is not installed")
    path = tmp_path / "r.pdf"
    found = evaluate(safety(), drives=load_drive_book(), today=TODAY)
    path.write_bytes(pdf_of(design_report(DesignSubject(evaluation=found, made="Poolwright, today"))))
    text = subprocess.run([reader, "-layout", str(path), "-"], capture_output=True, text=True, check=True).stdout
    for words in ("thesis, safety", "155 TiB", "Parity and padding", "EXAMPLET44", "zpool create"):
        assert words in text
    assert re.search(r"Poolwright, today +1 ?/ ?[0-9]", text)
    assert text.count("Poolwright, today") == pages(path.read_bytes())
