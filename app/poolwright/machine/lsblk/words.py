"""Rows of an lsblk table whose columns were lost: web pages and chats squeeze runs of blanks to one."""

import re
from collections.abc import Sequence

_TYPES = (
    "disk|part|rom|loop|lvm|crypt|mpath|dm|md|raid\\d+|linear|dmraid|swap|cache|thin|vdo|zram|mmc|multipath|container"
)
_FLAG, _NUMBER = re.compile(r"[01]\Z"), re.compile(r"\d+\Z")
_SIZE = re.compile(r"\d+(?:[.,]\d+)?[BKMGTPE]?\Z")
_SHAPES = {
    "maj:min": re.compile(r"\d+:\d+\Z"),
    "rm": _FLAG, "ro": _FLAG, "rota": _FLAG, "hotplug": _FLAG,
    "size": _SIZE, "fssize": _SIZE, "fsavail": _SIZE, "fsused": _SIZE,
    "log-sec": _NUMBER, "phy-sec": _NUMBER, "min-io": _NUMBER,
    "fsuse%": re.compile(r"\d+%\Z"),
    "type": re.compile(rf"(?:{_TYPES})\Z"),
    "mountpoint": re.compile(r"/|\[SWAP\]\Z"),
    "mountpoints": re.compile(r"/|\[SWAP\]\Z"),
    "fstype": re.compile(r"[A-Za-z][\w.+-]*\Z"),
    "fsver": re.compile(r"[\d.]+\Z|FAT\d+\Z"),
    "uuid": re.compile(r"[0-9A-Za-z]{4,}(?:-[0-9A-Za-z]+)*\Z"),
    "tran": re.compile(r"(?:sata|sas|nvme|usb|ata|fc|iscsi|virtio|sbp|spi|mmc)\Z"),
}  # fmt: skip
# Free texts that do no harm where they are guessed wrong.
_FREE = frozenset({"label", "partlabel", "kname", "path", "pkname"})


def can_be_told(columns: Sequence[str]) -> bool:
    """Tell whether words can be given to these columns by their shape; ``columns`` begins with the name."""
    return all(column in _SHAPES or column in _FREE for column in columns[1:])


def cells_by_shape(columns: Sequence[str], row: str) -> dict[str, str] | None:
    """Return the cells of ``row`` (its name first, nothing drawn before it) by the shape of its words.

    Words are given to the columns from left to right; a column no word fits is empty. A mount point takes what is
    left. None where a word fits nowhere.
    """
    words = row.split()
    cells = {columns[0]: words[0]} if words else {}
    position = 1
    for number, word in enumerate(words[1:], 1):
        fitting = (i for i in range(position, len(columns)) if _fits(columns[i], word))
        found = next(fitting, None)
        if found is None:
            return None
        cells[columns[found]] = word
        position = found + 1
        if columns[found].startswith("mountpoint") and position == len(columns):
            cells[columns[found]] = " ".join(words[number:])
            break
    return cells


def _fits(column: str, word: str) -> bool:
    shape = _SHAPES.get(column)
    return shape is None or shape.match(word) is not None
