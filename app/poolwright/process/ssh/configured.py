"""The hosts that ~/.ssh/config names, to be offered; how one is really reached OpenSSH itself tells (`ssh -G`)."""

import glob
import os
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from poolwright.domain.command import Command, Completed
from poolwright.process.on_host import SshHost

MOST_HOSTS = 2000
_MOST_FILES = 200
_MOST_BYTES = 1 << 20
_WORDS = re.compile(r"^\s*([A-Za-z]+)(?:\s*=\s*|\s+)(\S.*?)\s*$")


def configured_hosts(file: Path | None = None) -> tuple[str, ...]:
    """Return the names that `Host` lines give, in their order, without patterns; what follows a `Match` counts as well.

    Files that `Include` names are read where they can be. A file that is missing or cannot be read names none.
    """
    start = Path.home() / ".ssh" / "config" if file is None else file
    found: dict[str, None] = {}
    for keyword, words in _lines(start, start.parent, []):
        if keyword == "host":
            found |= dict.fromkeys(word for word in words if _is_name(word))
        if len(found) > MOST_HOSTS:
            break
    return tuple(found)[:MOST_HOSTS]


def _is_name(word: str) -> bool:
    return not set(word) & set("*?!%") and not word.startswith("-") and word.isprintable() and word != ""


def _lines(file: Path, folder: Path, read: list[Path]) -> Iterator[tuple[str, tuple[str, ...]]]:
    if file in read or len(read) >= _MOST_FILES:
        return
    read.append(file)
    try:
        with file.open("rb") as opened:
            text = opened.read(_MOST_BYTES).decode("utf-8", "replace")
    except (OSError, ValueError):
        return
    for keyword, words in config_lines(text):
        yield keyword, words
        if keyword == "include":
            for word in words:
                pattern = os.path.join(folder, os.path.expanduser(word))  # noqa: PTH111, PTH118 - a pattern, no path
                for name in sorted(glob.glob(pattern))[:MOST_HOSTS]:  # noqa: PTH207
                    yield from _lines(Path(name), folder, read)


def config_lines(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Return keyword, in small letters, and words of each line of a configuration."""
    for line in text.splitlines():
        found = None if line.lstrip().startswith("#") else _WORDS.match(line)
        if found is None:
            continue
        try:
            words = shlex.split(found[2], comments=True)
        except ValueError:  # a quote that is not closed
            words = found[2].split()
        yield found[1].lower(), tuple(words)


@dataclass(frozen=True, slots=True, kw_only=True)
class SshWay:
    """How OpenSSH reaches a host: its address, port and user, and through what."""

    address: str
    port: int
    user: str
    jump: str | None = None
    proxied: bool = False  # by a command of the configuration

    @property
    def words(self) -> str:
        """Return it as one writes it: root@192.0.2.7, user@nas.example:2222."""
        port = "" if self.port == SSH_PORT else f":{self.port}"
        return f"{self.user}@{self.address}{port}"


SSH_PORT = 22


def asks_way(host: SshHost) -> Command:
    """Return the command that tells how a host is reached; it connects to nothing."""
    return Command(argv=("ssh", "-G", *host.options, "--", host.name), timeout_seconds=10)


def way_of(answer: Completed) -> SshWay | None:
    """Return what `asks_way` told; None where it told nothing."""
    said = dict(line.partition(" ")[::2] for line in answer.text.splitlines())
    if not answer.ok or "hostname" not in said:
        return None
    port, jump, command = (said.get(name, "") for name in ("port", "proxyjump", "proxycommand"))
    return SshWay(
        address=said["hostname"],
        port=int(port) if port.isascii() and port.isdigit() and len(port) < 6 else SSH_PORT,
        user=said.get("user", ""),
        jump=jump if jump not in ("", "none") else None,
        proxied=command not in ("", "none"),
    )
