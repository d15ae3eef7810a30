"""What every command says about machines and designs of all kinds, recorded: a redesign keeps each word and figure.

`python -m tests.recorded.record --compare [GROUP ...]` prints what is said differently now, and fails where anything
is; without `--compare` it writes `said/` anew, of the groups named or all. What a change may alter is committed with
it: the diff of `said/` is the list of allowed differences. JSON keeps all its keys, of long lists the first rows.
"""

import json
import re
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, chdir, contextmanager
from datetime import datetime
from difflib import unified_diff
from functools import cache
from itertools import count
from pathlib import Path
from unittest.mock import Mock, patch
from uuid import UUID

from tests.command_line import poolwright
from tests.design.test_as_an_expert import MACHINES
from tests.machines.writing import block, lsblk

from poolwright import __version__

HERE = Path(__file__).parent
SAID = HERE / "said"
ROWS = 3  # of a list in JSON; the number of the others is kept
DIGITS = 6  # of a fraction
NOON = datetime(2026, 11, 30, 12)  # noqa: DTZ001 - wherever it is
_NO_JSON = {
    "help",
    "rules-check",
    "audit-html",
    "report-html",
    "migrate-sh",
    "fixed-part",
    "fixed-undo",
    "fixed-rehearsal",
}
_TEXTS = {
    "script", "undo", "rehearsal", "advice", "sheet", "ansible", "disko", "truenas", "fio", "json", "report",
}  # fmt: skip


@cache
def told() -> dict[str, dict[str, list[str]]]:
    """Return the tables of commands.toml."""
    return tomllib.loads((HERE / "commands.toml").read_text(encoding="utf-8"))


def groups() -> list[str]:
    """Return the names of what is recorded together, each in a file of its own."""
    return [*(f"design-{name}" for name in told()["on"]), *told()["commands"], *map(_file_of, _machines())]


def said(group: str) -> str:
    """Return what the commands of a group say, one below the other."""
    with tempfile.TemporaryDirectory() as folder, _same_each_time():
        return "".join(_one(folder, words) for words in _asked(group, Path(folder)))


def _machines() -> list[str]:
    return [machine for machine, _ in MACHINES]


def _file_of(machine: str) -> str:
    return "machine-" + re.sub(r"[^a-z0-9.]+", "-", machine.lower()).strip("-")[:70]


def _asked(group: str, folder: Path) -> Iterator[list[str]]:
    if group.startswith("design-"):
        words = told()["on"][group.removeprefix("design-")]
        design = folder / "design.json"
        made = poolwright("script", *words, "--format", "json", "-w", str(design))
        assert made.returncode == 0, made.stderr
        bound = folder / "bound.json"
        capture = folder / "machine.json"
        capture.write_text(_as_real(json.loads(design.read_text(encoding="utf-8"))), encoding="utf-8")
        poolwright("bind", str(design), "--from", str(capture), "-w", str(bound))
        for name, command in told()["design"].items():
            asked = [{"{design}": str(design), "{bound}": str(bound)}.get(word, word) for word in command]
            yield asked
            if name not in _TEXTS:
                yield [*asked, "--json"]
    elif group.startswith("machine-"):
        (machine,) = (m for m in _machines() if _file_of(m) == group)
        disks, options = machine.split("|")
        asked = ["recommend", "--disks", disks, *options.split()]
        yield from (asked, [*asked, "--json"])
    else:
        asked = told()["commands"][group]
        yield asked
        if group not in _NO_JSON:
            yield [*asked, "--json"]


def _as_real(file: dict[str, dict[str, list[dict[str, object]]]]) -> str:
    """Return what lsblk would print of a machine that has the disks of a design file."""
    names = ("sd" + (chr(96 + number // 26) if number >= 26 else "") + chr(97 + number % 26) for number in count())
    rows = [
        block(
            name,
            size=disk["size_bytes"],
            serial=f"SER{number:04}",
            id_link=f"ata-EXAMPLE_SER{number:04}",
            rota=disk["media"] == "hdd",
            model="EXAMPLE",
            log_sec=disk["logical_sector_bytes"],
            phy_sec=disk["physical_sector_bytes"],
            tran="nvme" if disk["media"] == "nvme" else "sata",
        )
        for number, (name, disk) in enumerate(zip(names, file["design"]["disks"], strict=False))
    ]
    return lsblk(*rows)


def _one(folder: str, words: list[str]) -> str:
    ran = poolwright(*words)
    out = _shortened(ran.stdout) if ran.stdout.startswith("{") else ran.stdout
    if "--fixed-part" not in words:
        for name, fixed in _fixed_parts().items():
            out = out.replace(fixed, f"<fixed part of {name}>\n")
    head = f"$ poolwright {' '.join(words)}\n[{ran.returncode}]\n"
    text = head + out + (f"--- standard error\n{ran.stderr}" if ran.stderr else "") + "\n"
    text = text.replace(folder, "<folder>").replace(f"Poolwright {__version__}", "Poolwright <version>")
    return re.sub(r"(?m)[ \t]+$", "", text)


@cache
def _fixed_parts() -> dict[str, str]:
    """Return what is the same in every script; it is recorded once, each of its kind."""
    return {kind: poolwright("script", "--fixed-part", "--format", kind).stdout for kind in ("sh", "undo", "rehearsal")}


def _shortened(text: str) -> str:
    try:
        document = json.loads(text)
    except ValueError:
        return text
    return json.dumps(_short(document), indent=1, ensure_ascii=False) + "\n"


def _short(value: object) -> object:
    match value:
        case dict():
            return {key: _short(each) for key, each in value.items()}
        case list() if len(value) > ROWS and not all(isinstance(each, str) for each in value):
            return [*map(_short, value[:ROWS]), f"and {len(value) - ROWS} more"]
        case list():
            return [*map(_short, value)]
        case float():
            return float(f"{value:.{DIGITS}g}")
        case str() if len(value) > 2000:
            return f"{value[:200]} … {len(value)} letters"
        case _:
            return value


@contextmanager
def _same_each_time() -> Iterator[None]:
    """Name what gets a random name by counting, on one and the same day."""
    numbers, then = count(1), Mock(now=lambda tz=None: NOON.replace(tzinfo=tz))
    with ExitStack() as patches:
        patches.enter_context(chdir(HERE.parents[1]))
        patches.enter_context(patch("uuid.uuid4", lambda: UUID(int=next(numbers), version=4)))
        for clock in ("cli.options", "cli.script", "cli.migrate", "paper.cover"):
            patches.enter_context(patch(f"poolwright.{clock}.datetime", then))
        yield


def compare(names: Sequence[str]) -> int:
    """Print how what the groups say differs from what is recorded; return 1 where it does."""
    differs = 0
    for group in names or groups():
        before = (SAID / f"{group}.txt").read_text(encoding="utf-8").splitlines(keepends=True)
        told = list(unified_diff(before, said(group).splitlines(keepends=True), group, "now", n=1))
        sys.stdout.writelines(told)
        differs |= bool(told)
    return int(differs)


def write(names: Sequence[str]) -> None:
    """Record the groups anew, all where none is named; what no group says any more goes."""
    SAID.mkdir(exist_ok=True)
    for old in SAID.glob("*.txt"):
        if old.stem not in groups():
            old.unlink()
    for group in names or groups():
        (SAID / f"{group}.txt").write_text(said(group), encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--compare"]:
        sys.exit(compare(sys.argv[2:]))
    write(sys.argv[1:])
