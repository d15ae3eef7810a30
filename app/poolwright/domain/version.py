"""OpenZFS versions, and which of them a statement holds for."""

import re
from dataclasses import dataclass

from poolwright.domain.errors import UserError

_VERSION = re.compile(r"^(?:zfs-|v)?([0-9]{1,4})\.([0-9]{1,4})(?:\.([0-9]{1,4}))?(?![0-9A-Za-z])")
# The newest patch release known of each series: what a bare “2.3” stands for.
_NEWEST_PATCH = {(0, 8): 6, (2, 0): 7, (2, 1): 16, (2, 2): 11, (2, 3): 9, (2, 4): 4}


@dataclass(frozen=True, slots=True, order=True)
class ZfsVersion:
    """A release of OpenZFS; comparable."""

    major: int
    minor: int
    patch: int = 0

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}.{self.patch}"

    @classmethod
    def parse(cls, text: str) -> "ZfsVersion":
        """Return the version ``text`` names: ``2.3``, ``2.3.2`` or ``zfs-2.3.2-1~bpo12``.

        A series without a patch number means its newest known release. Raises UserError.
        """
        match = _VERSION.match(text.strip())
        if match is None:
            raise UserError(
                f"“{text}” is not an OpenZFS version",
                todo="Write 2.1, 2.2, 2.3, 2.4 or a full one such as 2.3.2.",
            )
        major, minor = int(match.group(1)), int(match.group(2))
        patch = int(match.group(3)) if match.group(3) is not None else _NEWEST_PATCH.get((major, minor), 0)
        return cls(major, minor, patch)


DEFAULT_VERSION = ZfsVersion(2, 3, 9)
OLDEST_MODELLED = ZfsVersion(2, 1, 0)
NEWEST_MODELLED = ZfsVersion(2, 4, 99)  # what development after 2.4 calls itself


def parse_modelled(text: str) -> ZfsVersion:
    """Return the version that ``text`` names; raises UserError where its arithmetic is not known here."""
    version = ZfsVersion.parse(text)
    if not OLDEST_MODELLED <= version <= NEWEST_MODELLED:
        raise UserError(f"OpenZFS {version} is not modelled", todo="Poolwright knows 2.1 to 2.4.")
    return version
