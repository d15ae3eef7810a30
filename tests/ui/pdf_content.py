"""What stands in a PDF file, for tests that compare pages."""

import re
import zlib


def unpacked(pdf: bytes) -> list[bytes]:
    """Return the compressed streams of a PDF in their order: pages, fonts.

    Where a stream ends, its compression tells: its last byte may look like the line end before `endstream`.
    """
    assert pdf.startswith(b"%PDF-")
    starts = [found.end() for found in re.finditer(rb"\bstream\r?\n", pdf)]
    return [zlib.decompressobj().decompress(pdf[start:]) for start in starts if pdf[start : start + 1] == b"x"]
