"""Small facts of a machine: processor cores, name of the system, OpenZFS version."""

import json
import re
from collections.abc import Iterator

_PROCESSOR = re.compile(r"^processor[ \t]*+(?:\d+[ \t]*+)?:", re.MULTILINE)
_KERNEL_MODULE = re.compile(r"^[ \t]*zfs-kmod-v?(\d+\.\d+\S*)", re.MULTILINE)
_USERLAND = re.compile(r"^[ \t]*zfs-v?(\d+\.\d+\S*)", re.MULTILINE)
_BARE = re.compile(r"^[ \t]*+v?(\d+\.\d+\.\d++\S*+)[ \t\r]*+$", re.MULTILINE)


def read_cpuinfo(text: str) -> int | None:
    """Return the number of physical cores from /proc/cpuinfo, or of logical processors where it does not tell cores.

    None when the text has no processor.
    """
    cores: set[tuple[str, str]] = set()
    for block in _paragraphs(text):
        fields = {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in block)}
        if "core id" in fields:
            cores.add((fields.get("physical id", ""), fields["core id"]))
    return len(cores) or len(_PROCESSOR.findall(text)) or None


def _paragraphs(text: str) -> Iterator[list[str]]:
    lines: list[str] = []
    for line in text.splitlines():
        if line.strip():
            lines.append(line)
        elif lines:
            yield lines
            lines = []
    yield lines


def read_os_release(text: str) -> str | None:
    """Return the name people call the system by (PRETTY_NAME, else NAME and VERSION) from /etc/os-release."""
    fields: dict[str, str] = {}
    for line in text.splitlines():
        key, equals, value = line.strip().partition("=")
        if equals and re.fullmatch(r"[A-Z_]+", key):
            quoted = re.fullmatch(r"(['\"])(.*)\1", value.strip())
            fields[key] = re.sub(r"\\(.)", r"\1", quoted.group(2) if quoted else value).strip()
    name = fields.get("PRETTY_NAME") or " ".join(v for v in (fields.get("NAME"), fields.get("VERSION")) if v)
    return name or None


def read_zfs_version(text: str) -> str | None:
    """Return the version of OpenZFS's kernel module, else of its tools, such as ``2.3.2-1~bpo12+2``.

    ``text`` is `zfs version`, `zfs version -j` or /sys/module/zfs/version; None when it has no version.
    """
    found = _from_json(text)
    if found is not None:
        text = found
    for pattern in (_KERNEL_MODULE, _USERLAND, _BARE):
        match = pattern.search(text)
        if match is not None:
            return match.group(1)
    return None


def _from_json(text: str) -> str | None:
    if not text.lstrip().startswith("{"):
        return None
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return None
    version = document.get("zfs_version") if isinstance(document, dict) else None
    if not isinstance(version, dict):
        return None
    # Old releases give the bare module version under "kernel", newer ones the text with its prefix.
    lines = [str(version[key]) for key in ("kernel", "userland") if isinstance(version.get(key), str)]
    return "\n".join(line if line.startswith("zfs-") else f"zfs-kmod-{line}" for line in lines)
