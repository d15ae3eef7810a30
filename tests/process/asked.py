"""Questions for tests of the worker process, which finds them by name as it finds those of the program."""

import os
import sys
import time
from dataclasses import replace

from poolwright.domain.errors import Refusal
from poolwright.domain.host import Inventory
from poolwright.process.worker import MOST_BYTES, Reporter
from poolwright.texts import ngettext


def double(_report: Reporter, number: int, *, and_add: int = 0) -> int:
    return 2 * number + and_add


def without_first(_report: Reporter, inventory: Inventory) -> Inventory:
    return replace(inventory, disks=(*inventory.disks[1:], replace(inventory.disks[0], model="another")))


def pid(_report: Reporter) -> int:
    return os.getpid()


def counted(report: Reporter, to: int) -> int:
    for number in range(to):
        report.share(number / to)
        report.so_far(number)
    return to


def chatter(_report: Reporter, times: int) -> str:
    """Print what looks like an answer and what does not, from Python and from below it."""
    for _ in range(times):
        print("\0" * 8, "stray")
        sys.stdout.flush()
        os.write(1, b"\0\0\0\0\0\0\0\4stray")
    return "done"


def refuse(_report: Reporter) -> None:
    raise Refusal("It cannot be", where="here", todo="Ask otherwise.", reasons=("one", "two"))


def stumble(_report: Reporter) -> int:
    return 1 // 0


def strange(_report: Reporter) -> None:
    class OnlyHere(Exception):
        pass

    raise OnlyHere("odd")


def too_much(_report: Reporter) -> bytes:
    return bytes(MOST_BYTES + 1)


def sleep(_report: Reporter, seconds: float) -> None:
    time.sleep(seconds)


def fall(_report: Reporter) -> None:
    os.write(2, b"the last straw\n")
    os.kill(os.getpid(), 9)


def disks(_report: Reporter, count: int) -> str:
    return ngettext("{count} disk", "{count} disks", count)
