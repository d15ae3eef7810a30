"""The RAM of a machine from /proc/meminfo."""

import re

_TOTAL = re.compile(r"^[ \t]*MemTotal:[ \t]+([0-9]{1,15})[ \t]*(kB|KB|kiB|KiB)?[ \t]*$", re.MULTILINE)


def read_meminfo(text: str) -> int | None:
    """Return MemTotal in bytes; None where the text does not have it.

    The kernel writes “kB” and means 1024 bytes. MemTotal is what the kernel was given: a little less than is installed.
    """
    match = _TOTAL.search(text.replace("\r", ""))
    if match is None:
        return None
    return int(match.group(1)) * (1024 if match.group(2) else 1) or None
