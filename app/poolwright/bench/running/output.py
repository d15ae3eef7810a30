"""What the runner prints, taken apart as it comes: fio's reports, of which the last is kept, and the files after."""

import json
import re
from typing import Any

_END_OF_REPORT = b"\n}\n"
_BEGIN_OF_REPORT = re.compile(rb"(?:\A|[\r\n])(?=\{\n)")  # fio's line for people is written over itself
_FIRST_FILE = re.compile(rb"(?:\A|\n)@(?:file|end) ")
_FILE = re.compile(rb"\n?@file (\S+) ([0-9]{1,12})\n")
# What dd copied so far, with status=progress.
_COPIED = re.compile(rb"(?:\A|[\r\n])([0-9]{1,19}) bytes [^\r\n]{0,80}")
_BEHIND = 64  # so many bytes of what was heard may be the beginning of a line of the runner


class RunnerOutput:
    """Reports every second would fill the memory in an hour: fio's are running averages, so that the last one holds."""

    def __init__(self) -> None:
        self.report = b""
        self.reports = 0
        self._text = bytearray()
        self._rest = bytearray()
        self._in_files = False

    def feed(self, chunk: bytes) -> None:
        """Take what was printed next."""
        self._rest += chunk
        while not self._in_files and (end := self._rest.find(_END_OF_REPORT)) >= 0:
            whole = bytes(self._rest[: end + len(_END_OF_REPORT)])
            del self._rest[: len(whole)]
            found = _BEGIN_OF_REPORT.search(whole)
            begin = found.end() if found is not None else 0
            self._text += whole[:begin]
            self.report, self.reports = whole[begin:], self.reports + 1
        self._in_files = (
            self._in_files or _FIRST_FILE.search(self._rest, max(0, len(self._rest) - len(chunk) - _BEHIND)) is not None
        )

    @property
    def text(self) -> bytes:
        """Return what was printed besides reports and files: all that dd and bonnie++ say."""
        first = _FIRST_FILE.search(self._rest)
        return bytes(self._text + self._rest[: first.start() if first else len(self._rest)])

    @property
    def copied(self) -> int:
        """Return how many bytes dd says it has copied so far."""
        found = _COPIED.findall(self.text[-4 * _BEHIND :])
        return int(found[-1]) if found else 0

    def files(self) -> tuple[tuple[str, bytes], ...]:
        """Return the files that the program left, as far as they came; to be asked at the end."""
        first = _FIRST_FILE.search(self._rest)
        found: list[tuple[str, bytes]] = []
        at = first.start() if first else len(self._rest)
        while match := _FILE.match(self._rest, at):
            at = match.end() + int(match.group(2))
            found.append((match.group(1).decode("utf-8", "replace"), bytes(self._rest[match.end() : at])))
        return tuple(found)


def figures_of(report: bytes) -> tuple[int, float | None]:
    """Return what a report of fio says of its jobs: bytes written so far, and the s left where it knows them."""
    try:
        document: Any = json.loads(report)
        jobs = document["jobs"]
        written = sum(int(job["write"]["io_bytes"]) for job in jobs)
        left = [float(job["eta"]) for job in jobs if job.get("eta") is not None]
    except (ValueError, KeyError, TypeError, RecursionError):
        return 0, None
    most = max(left, default=None)
    return written, most if most is not None and most < 1e7 else None  # it prints 2147483647 where it does not know
