"""What small files and commands tell of a host: RAM, processor cores, the system's name, kernel and OpenZFS."""

import re
from collections.abc import Callable
from contextlib import suppress

from poolwright.domain.errors import UserError
from poolwright.machine.json_values import is_json, parse_json, string
from poolwright.machine.recognition import PieceKind

_PROCESSOR = re.compile(r"^processor[ \t]*+(?:\d+[ \t]*+)?:", re.MULTILINE)
_KERNEL_MODULE = re.compile(r"^[ \t]*zfs-kmod-v?(\d+\.\d+\S*)", re.MULTILINE)
_USERLAND = re.compile(r"^[ \t]*zfs-v?(\d+\.\d+\S*)", re.MULTILINE)
_BARE = re.compile(r"^[ \t]*+v?(\d+\.\d+\.\d++\S*+)[ \t\r]*+$", re.MULTILINE)


def read_cpuinfo(text: str) -> int | None:
    """Return the number of physical cores from /proc/cpuinfo, or of logical processors where it does not tell cores.

    None when the text has no processor.
    """
    cores: set[tuple[str, str]] = set()
    for block in re.split(r"\n\s*\n", text):
        fields = {key.strip(): value.strip() for key, __, value in (line.partition(":") for line in block.splitlines())}
        if "core id" in fields:
            cores.add((fields.get("physical id", ""), fields["core id"]))
    return len(cores) or len(_PROCESSOR.findall(text)) or None


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
    if is_json(text):
        with suppress(UserError):
            document = parse_json(text, where="zfs version", tool="zfs version")  # for machines
            # Old releases give the bare module version under "kernel", newer ones the text with its prefix.
            lines = [string(document, "zfs_version", key) or "" for key in ("kernel", "userland")]
            text = "\n".join(line if line.startswith("zfs-") else f"zfs-kmod-{line}" for line in lines)
    found = (pattern.search(text) for pattern in (_KERNEL_MODULE, _USERLAND, _BARE))
    return next((match[1] for match in found if match is not None), None)


_TOTAL = re.compile(r"^[ \t]*MemTotal:[ \t]+([0-9]{1,15})[ \t]*(kB|KB|kiB|KiB)?[ \t]*$", re.MULTILINE)


def read_meminfo(text: str) -> int | None:
    """Return MemTotal in bytes; None where the text does not have it.

    The kernel writes “kB” and means 1024 bytes. MemTotal is what the kernel was given: a little less than is installed.
    """
    match = _TOTAL.search(text.replace("\r", ""))
    return int(match[1]) * (1024 if match[2] else 1) or None if match else None


def _first_line(text: str) -> str | None:
    return next((line.strip() for line in text.splitlines() if line.strip()), None)


# Which field of `Host` each tells.
HOST_FACTS: dict[PieceKind, tuple[str, Callable[[str], str | int | None]]] = {
    PieceKind.MEMINFO: ("ram_bytes", read_meminfo),
    PieceKind.CPUINFO: ("cores", read_cpuinfo),
    PieceKind.OS_RELEASE: ("os_name", read_os_release),
    PieceKind.ZFS_VERSION: ("zfs_version", read_zfs_version),
    PieceKind.UNAME: ("kernel", _first_line),
    PieceKind.HOSTNAME: ("name", _first_line),
}
