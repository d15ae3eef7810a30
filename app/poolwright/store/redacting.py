"""Serial numbers and names of a capture replaced by others: distinct, of the same shape, the same wherever they stand.

The collector does it, here as on the machine it ran on: these are pseudonyms of one run, no encryption.
"""

import re
import secrets
import string
from collections.abc import Collection, Iterable
from pathlib import Path

from poolwright.domain.command import Command
from poolwright.domain.errors import EnvironmentFailure
from poolwright.process.blocking import run
from poolwright.texts import tell

_SECONDS = 120.0
_SHORTEST = 4  # shorter words are part of other texts: the collector leaves them
_POOL = re.compile(r"^[ \t]*pool: (\S+)", re.MULTILINE)
_LABEL = re.compile(r'"fstype"\s*:\s*"zfs_member"[^{}]*?"label"\s*:\s*"([^"\n]+)"')


def redacted(
    text: str,
    collector: Path,
    *,
    names: bool = False,
    hosts: Collection[str] = (),
    links: Iterable[str] = (),
    pools: Iterable[str] = (),
) -> str:
    """Return a capture, or output of tools, without the serial numbers and names in it.

    Replaced are serial numbers, world-wide names, UUIDs, GUIDs of pools and the host's name, with ``names`` those of
    pools and datasets as well. ``hosts``, ``links`` (below /dev/disk/by-id) and ``pools`` are names that are known
    without looking for them. Raises EnvironmentFailure where the script ``collector`` cannot do it.
    """
    known = [line for host in hosts for line in ("### file: hostname", host)]  # for machines
    known += ["", *(f'"id-link": "{link}"' for link in links)]
    command = Command(
        argv=("sh", str(collector), "--redact-text"),
        stdin="\n".join((*known, text)).encode("utf-8", "surrogateescape"),
        timeout_seconds=_SECONDS,
    )
    answer = run(command)
    if answer.status != 0 or answer.truncated:
        raise EnvironmentFailure(
            tell("The names could not be replaced: {why}", why=answer.stderr.decode(errors="replace") or answer.ending),
            todo=tell("This needs sh and awk."),
        )
    lines = answer.stdout.decode("utf-8", "surrogateescape").split("\n")[len(known) :]
    found = "\n".join(lines if text.endswith("\n") else lines[:-1])
    for host in {host for host in hosts if 0 < len(host) < _SHORTEST}:
        found = re.sub(rf"(?<![\w.-]){re.escape(host)}(?![\w-])", _other(host), found)
    return _without_pools(found, {*pools, *_POOL.findall(text), *_LABEL.findall(text)}) if names else found


def _other(name: str) -> str:
    """Return another name with letters and digits at the same places."""

    def drawn(character: str) -> str:
        kinds = (string.digits, string.ascii_lowercase, string.ascii_uppercase)
        kind = next((kind for kind in kinds if character in kind), "")
        return secrets.choice(kind.replace(character, "")) if kind else character

    return "".join(map(drawn, name))


def _without_pools(found: str, pools: Iterable[str]) -> str:
    """Replace the names of pools where they stand as names: in lines of zpool and as labels and mount points."""
    for pool in sorted(pools, key=len, reverse=True):
        other, name = _other(pool), re.escape(pool)
        found = re.sub(
            rf"(^[ \t]*pool: |^[ \t]+|\"label\"\s*:\s*\"|LABEL=\"){name}(?=[ \t\n\"/]|$)",
            rf"\g<1>{other}",
            found,
            flags=re.MULTILINE,
        )
        found = re.sub(rf"(?<=[\"'\s]/){name}(?=[/\"'\s]|$)", other, found)
        found = re.sub(
            rf"(\"(?:name|pool)\"\s*:\s*\"|\"pools\"\s*:\s*\{{\s*\"){name}(?=[/\"])", rf"\g<1>{other}", found
        )
    return found
