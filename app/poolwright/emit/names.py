"""How names of devices and text from outside reach a shell and the comments of a file; who wrote that, and when."""

import re
import shlex
from collections import Counter
from dataclasses import dataclass

from poolwright.domain.disk import HOW_TO_BIND, Disk
from poolwright.domain.errors import Refusal, UserError
from poolwright.domain.shown import folded, is_plain, is_plain_text, shown_text
from poolwright.texts import N_, _, punctuated

BY_ID = "/dev/disk/by-id/"
_SOUGHT = re.compile(r"[A-Za-z0-9_-]{2,64}")
# zfs takes capitals in no property, and a user property has a colon somewhere.
_PROPERTY = re.compile(r"[a-z0-9][a-z0-9_.:@-]*\Z")

# A pool may be called so. Bash would take it as a name where it stands; who reads it, and shellcheck, would not.
_SHELL_WORDS = frozenset((
    "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if", "in", "select", "then",
    "time", "until", "while",
))  # fmt: skip
# What a terminal obeys, and halves of characters, which stand for bytes that are no UTF-8.
_CONTROL = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")
# Shell words that mean what they are, by what `shlex.quote` takes for such: most words, and of most scripts thousands.
_BARE = re.compile(r"[A-Za-z0-9_@%+=:,./-]+")
_WIDTH = 107
_UNSEEN = N_("“{text}” holds a control character and cannot be written into a script")
_LONGEST_COMMENT = 2000
# People take these for quotes and shells do not, so a word with one of them is written byte by byte.
_LIKE_QUOTES = frozenset("‘’‚‛“”„‟´′″")


def check_setting(name: str, value: str, *, where: str) -> None:
    """Raise UserError unless ``name`` can be a property and ``value`` can be written on a command line."""
    if not _PROPERTY.match(name):
        raise UserError(_("“{name}” is not a property name", name=shown_text(name)), where=where)
    if _CONTROL.search(value):
        raise UserError(_(_UNSEEN, text=shown_text(value)), where=where)


def device_problem(disk: Disk) -> str | None:
    """Return why a script cannot name this disk, or None when it has a good name under /dev/disk/by-id."""
    if disk.nameable:
        return None
    label = shown_text(disk.label)
    if disk.planned:
        return _("{disk} is planned: it was typed or bought on paper, so no script can name it", disk=label)
    if disk.by_id_name is None:
        return _unnamed(disk, label)
    return _(
        "{disk} is a mapped device (device mapper, multipath, md, LVM); scripts are written for whole disks", disk=label
    )


def _unnamed(disk: Disk, label: str) -> str:
    problem = _(
        "{disk} has no usable name under /dev/disk/by-id, and /dev/sdX may be another disk after a restart", disk=label
    )
    if disk.origin_of("by_id") is not None and not disk.by_id:
        return _("{disk} has no link under /dev/disk/by-id: a virtual disk needs a serial number of its own, set on "
                    "its host; then read the machine again", disk=label)  # fmt: skip
    kernel, serial = (disk.path or "").removeprefix("/dev/"), disk.telling_serial or ""
    if disk.serial and not serial:
        problem = _(
            "{disk} cannot be named: “{serial}” is no serial number, and no WWN is known",
            disk=label, serial=shown_text(disk.serial),
        )  # fmt: skip
    sought = next((word for word in (kernel, serial) if _SOUGHT.fullmatch(word)), None)
    if sought is None:
        return problem
    listing = f"ls -l {BY_ID} | grep -wF {sought}"  # for machines
    return _("{problem}; `{listing}` shows the missing link", problem=problem, listing=listing)


def device_path(disk: Disk) -> str:
    """Return the path of the disk under /dev/disk/by-id; raises Refusal with the reason where there is none."""
    problem = device_problem(disk)
    if problem is not None:
        again = _("Change the design, or read the machine again so that every disk is known.")
        raise Refusal(problem, todo=_(HOW_TO_BIND) if disk.planned else again)
    return f"{BY_ID}{disk.by_id_name}"


class StandIns:
    """What stands for disks without a name: where each sits, else its number in the order in which they are asked for.

    Whoever fills them in keeps the members of a vdev spread: ``<shelf 2, disk 5>``, ``<shelf 2, bay 7>``, ``<disk 1>``.
    """

    def __init__(self, word: str = "disk") -> None:
        self._word, self._found, self._counts = word, dict[str, str](), Counter[str]()

    def path(self, disk: Disk) -> str:
        if disk.key not in self._found:
            where = disk.place_words(str.format)  # in English: commands are the same in every language
            self._counts.update({"", where})
            number = f"{self._word} {self._counts[where]}"
            words = where if disk.bay and self._counts[where] == 1 else ", ".join(filter(None, (where, number)))
            self._found[disk.key] = f"{BY_ID}<{shown_text(words)}>"
        return self._found[disk.key] if device_problem(disk) is not None else device_path(disk)


def part_path(path: str, part: int | None) -> str:
    return path if part is None else f"{path}-part{part}"


def quote(text: str) -> str:
    """Return ``text`` as one word of a shell, whatever it holds; raises UserError for control characters.

    The only way by which text of ours enters a script. A character that cannot be seen stands as its bytes, so that
    the word is what it looks like: ``$'a\\342\\200\\256b'``, which bash, zsh and ksh read alike.
    """
    if _BARE.fullmatch(text) and text not in _SHELL_WORDS:
        return text
    if _CONTROL.search(text):
        raise UserError(_(_UNSEEN, text=shown_text(text)))
    if text in _SHELL_WORDS:
        return f"'{text}'"
    if is_plain_text(text) and not any(c in _LIKE_QUOTES for c in text):
        return shlex.quote(text)
    return f"$'{''.join(_byte_escaped(c) for c in text)}'"


def comment(text: str, *, longest: int = 200) -> str:
    """Return ``text`` fit for a comment: one line, no control, direction or line-separating characters."""
    cleaned = shown_text(punctuated(text))
    return cleaned if len(cleaned) <= longest else cleaned[: longest - 1] + "…"


def comment_line(text: str, *, mark: str = "# ") -> str:
    """Return ``text`` as one line of a comment: where it has words from outside, none may begin a line of its own."""
    return f"{mark}{comment(text, longest=_LONGEST_COMMENT)}"


def commented(text: str, *, mark: str = "# ") -> list[str]:
    """Return ``text`` as lines of a comment, each with ``mark`` before it; nothing of it is cut."""
    shown = comment(" ".join(text.split()), longest=_LONGEST_COMMENT)
    return [f"{mark}{line}" for line in folded(shown, _WIDTH)]


def _byte_escaped(character: str) -> str:
    if character in "\\'":
        return f"\\{character}"
    return (
        character
        if is_plain(character) and character not in _LIKE_QUOTES
        else "".join(f"\\{byte:03o}" for byte in character.encode())
    )


# When and by which version of the program an export was written.


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamp:
    """``generated_at`` is shown as it is; the core asks no clock."""

    generated_at: str
    program_version: str

    @property
    def words(self) -> str:
        return _("Written by Poolwright {version}, {when}.", version=self.program_version, when=self.generated_at)


def head_lines(title: str, stamp: Stamp, course: str = "") -> list[str]:
    """Return what stands above a script: what it is, by whom and when it was written, how it is used."""
    lines = [comment_line(title), *commented(stamp.words)]
    return [*lines, "#", *commented(course)] if course else lines
