"""What the kernel says of a process, also of one that ends while it is asked."""

from pathlib import Path


def state_of(pid: int) -> str:
    """Return the letter of the kernel for the state of a process, empty for one that is gone."""
    return _told(pid, "stat").rpartition(")")[2].strip()[:1]


def parent_of(pid: int) -> int | None:
    """Return the parent of a process, None for one that is gone."""
    told = _told(pid, "stat").rpartition(")")[2].split()
    return int(told[1]) if told else None


def name_of(pid: int) -> str:
    """Return the name of a process, empty for one that is gone."""
    return _told(pid, "comm").strip()


def runs(pid: int) -> bool:
    """Tell whether a process is there and more than an entry that its parent has not collected yet."""
    return state_of(pid) not in ("", "Z")


def _told(pid: int, what: str) -> str:
    try:
        return Path(f"/proc/{pid}/{what}").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return ""
