"""Writes files so that a reader sees the old one or the new one, never half of either."""

import os
import re
import secrets
import stat
import string
from collections.abc import Collection, Iterable
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

from poolwright.domain.command import Command
from poolwright.domain.errors import EnvironmentFailure, UserError
from poolwright.texts import _

# Of new files; the user's umask takes its part away, as from every file that a program makes.
PLAIN_MODE = 0o666
# Readable and runnable for everybody: a script holds no secret, and does nothing before root has typed the pool's name.
SCRIPT_MODE = 0o777


def write_bytes(path: Path, content: bytes, *, mode: int = PLAIN_MODE, only_new: bool = False) -> None:
    """Write ``content`` to ``path``, whole or not at all; pipes and devices are written to.

    A file that is there keeps its permissions, its owner and its group; a script is made runnable for who may read it.
    Raises EnvironmentFailure, and UserError for a file that is there where it has to be ``only_new``; then nothing has
    changed.
    """
    part: Path | None = None
    try:
        path = path.resolve()
        if path.exists() and not path.is_file():
            path.write_bytes(content)
            return
        before = path.stat() if path.exists() else None
        part = path.with_name(f".{path.name[:40]}.{uuid4().hex}")
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600 if before else mode)
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            if before is not None:
                _keep(file.fileno(), before, runnable=mode == SCRIPT_MODE)
            os.fsync(file.fileno())
        _put(part, path, only_new=only_new)
    except OSError as error:
        if part is not None:
            part.unlink(missing_ok=True)
        raise EnvironmentFailure(
            _("The file cannot be written: {strerror}", strerror=error.strerror or error),
            where=str(path),
            todo=_("Make room there, or name another file."),
        ) from error


def _keep(handle: int, before: os.stat_result, *, runnable: bool) -> None:
    """Give a new file the owner and the permissions of the one it replaces."""
    with suppress(PermissionError):  # only root gives files away; the group may be one of ours
        os.fchown(handle, -1, before.st_gid)
        os.fchown(handle, before.st_uid, -1)
    kept = stat.S_IMODE(before.st_mode)
    os.fchmod(handle, kept | (kept & 0o444) >> 2 if runnable else kept)


def _put(part: Path, path: Path, *, only_new: bool) -> None:
    """Give the finished file its name; where it has to be new, in one step with the look whether the name is free."""
    if not only_new:
        part.replace(path)
        return
    try:
        path.hardlink_to(part)
    except FileExistsError:
        part.unlink()
        raise UserError(_("The file is there already"), where=str(path), todo=_("Choose another name.")) from None
    except OSError:
        if path.exists():
            raise
        part.replace(path)  # a file system without hard links
    else:
        part.unlink()


def write_text(path: Path, text: str, *, mode: int = PLAIN_MODE) -> None:
    write_bytes(path, text.encode(), mode=mode)


# The guarded script on disk, with the advice for its host in a file beside it.


def advice_path(script: Path) -> Path:
    """Return where the advice of a script is written: ``create-tank.sh`` has ``create-tank.advice.txt``."""
    return script.with_suffix(".advice.txt")


def write_script(script: Path, text: str, advice: str | None) -> Path | None:
    """Write a script, and its advice beside it; return the path of the advice, None where there is none.

    Raises as `write_text`.
    """
    write_text(script, text, mode=SCRIPT_MODE)
    if advice is None:
        return None
    write_text(advice_path(script), advice, mode=PLAIN_MODE)
    return advice_path(script)


# Serial numbers and names of a capture replaced by others: distinct, of the same shape, the same wherever they stand.

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
    from poolwright.process.blocking import run  # noqa: PLC0415 - few captures are redacted

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
            _("The names could not be replaced: {why}", why=answer.stderr.decode(errors="replace") or answer.ending),
            todo=_("This needs sh and awk."),
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
