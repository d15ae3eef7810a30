"""A capture as one can carry it through a terminal: packed by gzip, written in letters, between two lines.

And the collector as one line that is pasted into a shell over there, which needs sh, gzip and base64 (or openssl).
"""

import base64
import binascii
import gzip
import re
import zlib
from functools import cache
from pathlib import Path

from poolwright.domain.errors import UserError
from poolwright.texts import _

BEGIN = "-----BEGIN POOLWRIGHT CAPTURE-----"  # for machines
END = "-----END POOLWRIGHT CAPTURE-----"  # for machines
MOST_BYTES = 64 << 20
_GZIP = b"\x1f\x8b"
_LETTERS = re.compile(r"[A-Za-z0-9+/=]+")
_LINE = (
    "c={packed}; f=poolwright-$(uname -n).capture; s=sh; "
    'if [ "$(id -u)" != 0 ] && command -v sudo >/dev/null 2>&1; then s="sudo sh"; fi; '
    'if command -v base64 >/dev/null 2>&1; then b="base64 -d"; e=base64; else b="openssl base64 -d -A"; '
    'e="openssl base64"; fi; printf %s "$c" | $b | gzip -dc | $s -s -- {words} >"$f"; '
    'echo {begin}; gzip -c "$f" | $e; echo {end}'
)  # for machines


# The script a person runs where Poolwright cannot reach; reading a machine runs parts of it.
COLLECTOR = Path(__file__).with_name("collector.sh")


@cache
def collector_part(name: str) -> str:
    """Return what stands between the lines ``# --- NAME`` and ``# ---`` of the collector."""
    return COLLECTOR.read_text(encoding="utf-8").partition(f"# --- {name}\n")[2].partition("# ---\n")[0]


def one_line(script: str, *, redact: bool = False) -> str:
    """Return one line for a shell that runs the collector ``script``, keeps its capture in a file there and prints it.

    What it prints is what `unpacked` reads. With ``redact`` serials and names are replaced over there already.
    """
    packed = base64.b64encode(gzip.compress(script.encode(), 9, mtime=0)).decode()
    line = _LINE.format(packed=packed, words="--redact" if redact else "", begin=BEGIN, end=END)
    return line.replace(" -- >", " >")


def unpacked(text: str, *, where: str = "") -> str:
    """Return the capture that stands packed in ``text``, with whatever a terminal printed around it; else the text.

    Raises UserError where it is damaged, or larger than 64 MiB when unpacked.
    """
    begin = text.rfind(BEGIN + "\n") if "\r" not in text else text.rfind(BEGIN)
    if begin < 0:
        return text
    body, __, __ = text[begin + len(BEGIN) :].partition(END)
    letters = "".join(_LETTERS.findall(body))
    try:
        data = base64.b64decode(letters + "=" * (-len(letters) % 4))
    except (binascii.Error, ValueError):
        raise _damaged(where) from None
    return unzipped(data, where=where).decode("utf-8", "replace")


def is_zipped(data: bytes) -> bool:
    return data.startswith(_GZIP)


def unzipped(data: bytes, *, where: str = "") -> bytes:
    unpack = zlib.decompressobj(wbits=31)
    try:
        found = unpack.decompress(data, MOST_BYTES)
    except zlib.error:
        raise _damaged(where) from None
    if unpack.unconsumed_tail:
        raise UserError(
            _("The file is larger than {most} MiB", most=MOST_BYTES >> 20),
            where=where or None,
            todo=_("Run the collector on that machine and bring its file."),
        )
    if not unpack.eof:
        raise _damaged(where)
    return found


def _damaged(where: str) -> UserError:
    what = _("The packed capture is cut off or damaged")
    return UserError(
        what, where=where or None, todo=_("Copy it again from “BEGIN” to “END”, or bring the file from there.")
    )
