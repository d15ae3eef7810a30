"""Serial numbers and names of a capture replaced by others: distinct, of the same shape, the same wherever they stand.

Each letter or digit is moved within its kind by an amount that depends on a secret of this run and on all that stands
before it. So equal beginnings stay equal (a serial number that one tool cuts off still matches), different ones stay
different, and names below /dev/disk/by-id still hold the serial numbers of their disks. Of a world-wide name the
maker's part and the last digit stay, by which ports of a disk are told apart. These are pseudonyms, no encryption.
The collector does the same by `--redact`.
"""

import hmac
import re
import secrets
from collections.abc import Callable, Iterable
from dataclasses import dataclass

_DIGITS, _LOWER, _UPPER = "0123456789", "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_HEX, _HEX_UPPER = "0123456789abcdef", "0123456789ABCDEF"
_RUN = re.compile(r"[0-9A-Za-z]+")
_SHORTEST = 4
# Where a secret stands: the value is the last group that matched.
_SERIALS = re.compile(
    r'"(?:\w*_)?(?:serial|serialnumber|serial_number|sn)"\s*:\s*"([^"\n]+)"'
    r'|\bSERIAL(?:-SHORT)?="([^"\n]+)"'
    r"|^[ \t]*(?:Serial [Nn]umber|Unit serial number|Serial|sn)[ \t]*:[ \t]*(\S[^\n]*)"
    r"|^serial (\S[^\n]*)",
    re.MULTILINE | re.IGNORECASE,
)
# The last part of a name below by-id is the serial number, also where no tool tells it.
_BY_ID = re.compile(
    r"\b(?:ata|scsi|nvme|usb|virtio|mmc)-[^\s/\"]*?_([0-9A-Za-z.-]+?)(?:-0:\d+|_\d)?(?:-part\d+)?(?=[\s\"]|$)"
)
# Unless it is one of the model: names of some bridges and bays have no serial number.
_MODELS = re.compile(r"(?:model|product|Device Model|Model Number)\w*\"?\s*[:=]\s*\"?[^\"\n]+", re.IGNORECASE)
_UUIDS = re.compile(r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b")
_PART_TYPE = re.compile(r'"parttype"|PARTTYPE=|Partition GUID code', re.IGNORECASE)
_GUIDS = re.compile(r"^[ \t]*id: (\d{6,20})|\"(?:\w*_)?guid\"\s*:\s*\"?(\d{6,20})", re.MULTILINE)
_WWN = re.compile(
    r"(?:(?<=0x)|(?<=naa\.)|(?<=eui\.)|(?<=scsi-[123])|(?<![0-9A-Za-z]))"
    r"(?:[56][0-9a-f]{31}|(?<=0x)(?!0{16})[0-9a-f]{16}|[2356][0-9a-f]{15}|(?<=eui\.)(?:[0-9a-f]{32}|[0-9a-f]{16}))(?![0-9A-Za-z])",
    re.IGNORECASE,
)
_NVME_NAME = re.compile(r"(nvme\.[0-9a-f]{4}-)((?:[0-9a-f]{2})+)(?=-)")  # the serial number in hexadecimal
_SPACED_WWN = re.compile(r"(?<=LU WWN Device Id: )([0-9a-f]) ([0-9a-f]{6}) ([0-9a-f]{9})\b")
_SPACED_EUI = re.compile(r"(?<=: )([0-9a-f]{6}) ([0-9a-f]{10})\b")
_EUI_VALUE = re.compile(r'("(?:eui64|nguid|EUI64|NGUID)"\s*:\s*"(?:0x)?)([0-9A-Fa-f]{16,32})"')
_SPLIT_WWN = re.compile(r'("naa"\s*:\s*)(\d+)(,\s*"oui"\s*:\s*)(\d+)(,\s*"id"\s*:\s*)(\d+)')
_SPLIT_EUI = re.compile(r'("oui"\s*:\s*)(\d+)(,\s*"ext_id"\s*:\s*)(\d+)')
_MAKER, _EUI_MAKER = 7, 6  # hexadecimal digits that say who made it
_HOST = re.compile(
    r"^### file: hostname\n([^\n#]+)|^[ \t]*hostname: '?([^'\s]+)|\"hostname\"\s*:\s*\"([^\"\n]+)\"", re.MULTILINE
)
_HOST_SECTION = re.compile(r"(^### file: hostname\n)([^\n#]+)", re.MULTILINE)
# Names of hosts that say nothing of whose they are, and stand in other places for other things.
_COMMON = frozenset(
    ("localhost", "localdomain", "debian", "ubuntu", "fedora", "centos", "linux", "server", "proxmox", "truenas",
     "freenas", "home", "local", "example")
)  # fmt: skip
_PLACEHOLDERS = frozenset(
    ("none", "null", "unknown", "serial", "number", "default", "disk", "true", "false", "part", "device", "redacted",
     "hidden")
)  # fmt: skip
_POOL = re.compile(r"^[ \t]*pool: (\S+)|\"zfs_member\"", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pseudonyms:
    """Other names for the texts of one run: the same text gets the same one as long as the secret is the same."""

    secret: bytes

    def other(self, text: str, *, kept: int = 0, last: int = 0, alphabet: str = "") -> str:
        """Return ``text`` with its letters and digits moved, all but the first ``kept`` and the ``last``."""
        made = []
        for place, character in enumerate(text):
            kind = alphabet or next((k for k in (_DIGITS, _LOWER, _UPPER) if character in k), "")
            if place < kept or place >= len(text) - last or character not in kind:
                made.append(character)
                continue
            made.append(kind[(kind.index(character) + self._amount(text[:place].lower(), len(kind))) % len(kind)])
        return "".join(made)

    def _amount(self, before: str, count: int) -> int:
        digest = hmac.digest(self.secret, before.encode("utf-8", "replace"), "sha256")
        return 1 + int.from_bytes(digest[:6], "big") % (count - 1)  # never the same letter

    def run(self, text: str) -> str:
        """Return another run of letters and digits; a number does not begin with 0, which JSON would not take."""
        return self.other(text, kept=1 if text.isdigit() else 0)

    def wwn(self, text: str) -> str:
        """Return another world-wide name of the same maker, in the same letters."""
        alphabet = _HEX_UPPER if text != text.lower() else _HEX
        return self.other(text, kept=_MAKER, last=1, alphabet=alphabet)

    def eui(self, text: str) -> str:
        """Return another EUI of the same maker."""
        alphabet = _HEX_UPPER if text != text.lower() else _HEX
        return self.other(text, kept=_EUI_MAKER, last=1, alphabet=alphabet)


def other_word(text: str, made: Pseudonyms) -> str:
    """Return a text of several runs of letters and digits with each of those that can be a secret replaced."""
    return _RUN.sub(lambda match: made.run(match[0]) if len(match[0]) >= _SHORTEST else match[0], text)


def redacted(
    text: str, *, names: bool = False, hosts: Iterable[str] = (), pools: Iterable[str] = (), secret: bytes | None = None
) -> str:
    """Return a capture, or output of tools, without the serial numbers and names in it.

    Replaced are serial numbers, world-wide names, UUIDs, GUIDs of pools and the host's name, with ``names`` those of
    pools and datasets as well. ``hosts`` and ``pools`` are names that are known
    without looking for them. The same ``secret`` gives the same answer; None takes one that nobody knows.
    """
    made = Pseudonyms(secret=secrets.token_bytes(32) if secret is None else secret)
    words = _secret_words(text) | {run for host in hosts for run in _RUN.findall(host) if _is_secret(run, host=True)}
    found = _with_other_wwns(text, made)
    for host in sorted(set(hosts) - _COMMON, key=len, reverse=True):
        other_host = _RUN.sub(lambda run: made.run(run[0]), host)
        found = re.sub(rf"(?<![\w.-]){re.escape(host)}(?![\w-])", other_host, found)
    found = _UUIDS.sub(_unless_type(found, lambda uuid: made.other(uuid, alphabet=_hex_of(uuid))), found)
    found = _RUN.sub(lambda match: made.run(match[0]) if match[0] in words else match[0], found)
    section = _HOST_SECTION.search(text)  # as it was: short names are replaced here alone
    if section is not None:
        other = section[1] + _RUN.sub(lambda run: made.run(run[0]), section[2])
        found = _HOST_SECTION.sub(lambda _: other, found, count=1)
    return _without_pools(found, text, made, pools) if names else found


def _hex_of(uuid: str) -> str:
    return _HEX_UPPER if uuid != uuid.lower() else _HEX


def _unless_type(text: str, change: Callable[[str], str]) -> Callable[[re.Match[str]], str]:
    """Return a replacement that leaves the type of a partition, which is the same on every machine."""

    def replaced(match: re.Match[str]) -> str:
        line = text[max(0, match.start() - 24) : match.start()]
        return match[0] if _PART_TYPE.search(line) else change(match[0])

    return replaced


def _secret_words(text: str) -> frozenset[str]:
    """Return the runs of letters and digits that are to be replaced wherever they stand."""
    values = [
        next(filter(None, match.groups()), "")
        for pattern in (_SERIALS, _GUIDS, _HOST)
        for match in pattern.finditer(text)
    ]
    models = {run for match in _MODELS.finditer(text) for run in _RUN.findall(match[0])}
    by_id = [found for match in _BY_ID.finditer(text) if not (found := set(_RUN.findall(match[1]))) & models]
    words = [set(_RUN.findall(value)) for value in values]
    # udev's serial number may have the model in front.
    runs = set().union(*by_id, *(found - models if len(found) > 1 else found for found in words))
    hosts = {run for match in _HOST.finditer(text) for run in _RUN.findall(next(filter(None, match.groups()), ""))}
    return frozenset(run for run in runs if _is_secret(run, host=run in hosts))


def _is_secret(run: str, *, host: bool) -> bool:
    if len(run) < _SHORTEST or run.lower() in _COMMON | _PLACEHOLDERS:
        return False
    # A short word may be one of the language: serial numbers have a digit, or capitals only.
    capitals = len(run) > _SHORTEST + 1 and run == run.upper()
    return host or capitals or len(run) > 2 * _SHORTEST or any(c.isdigit() for c in run)


def _with_other_wwns(text: str, made: Pseudonyms) -> str:
    def spaced(match: re.Match[str]) -> str:
        other = made.wwn(match[1] + match[2] + match[3])
        return f"{other[:1]} {other[1:7]} {other[7:]}"

    def spaced_eui(match: re.Match[str]) -> str:
        other = made.eui(match[1] + match[2])
        return f"{other[:6]} {other[6:]}"

    def split(match: re.Match[str]) -> str:
        whole = f"{int(match[2]) & 15:x}{int(match[4]) & 0xFFFFFF:06x}{int(match[6]) & 0xFFFFFFFFF:09x}"
        return f"{match[1]}{match[2]}{match[3]}{match[4]}{match[5]}{int(made.wwn(whole)[_MAKER:], 16)}"

    def split_eui(match: re.Match[str]) -> str:
        whole = f"{int(match[2]) & 0xFFFFFF:06x}{int(match[4]) & 0xFFFFFFFFFF:010x}"
        return f"{match[1]}{match[2]}{match[3]}{int(made.eui(whole)[_EUI_MAKER:], 16)}"

    def hexed(match: re.Match[str]) -> str:
        serial = bytes.fromhex(match[2]).decode("latin-1")
        return match[1] + other_word(serial, made).encode("latin-1").hex()

    def any_name(match: re.Match[str]) -> str:
        before = match.string[max(0, match.start() - 4) : match.start()]
        if match[0].isdigit() and not before.endswith(("0x", ".", '"', "-3", "-2", "-1")):
            return match[0]  # a number
        return made.eui(match[0]) if before == "eui." else made.wwn(match[0])

    found = _SPLIT_WWN.sub(split, text)
    found = _NVME_NAME.sub(hexed, found)
    found = _SPLIT_EUI.sub(split_eui, found)
    found = _SPACED_WWN.sub(spaced, found)
    found = _SPACED_EUI.sub(spaced_eui, found)
    found = _EUI_VALUE.sub(lambda match: f'{match[1]}{made.eui(match[2])}"', found)
    return _WWN.sub(any_name, found)


def _without_pools(found: str, text: str, made: Pseudonyms, known: Iterable[str]) -> str:
    """Replace the names of pools where they stand as names: in lines of zpool and as labels and mount points."""
    pools = {match[1] for match in _POOL.finditer(text) if match[1]} | set(known)
    pools |= set(re.findall(r'"fstype"\s*:\s*"zfs_member"[^{}]*?"label"\s*:\s*"([^"\n]+)"', text))
    for pool in sorted(pools, key=len, reverse=True):
        other, name = made.other(pool), re.escape(pool)
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
