"""``make measure``: how large the program is, how much of it a question enters, how long answers take.

What is measured of a running command is measured in a process of its own: `python -m tests.measure entered COMMAND...`.
"""

import json
import subprocess
import sys
import tempfile
import time
import tokenize
from collections.abc import Sequence
from contextlib import redirect_stdout
from io import StringIO
from types import CodeType, FrameType

from tests.budget import APP, sizes

ROOT = APP.parents[1]
COMMENTED = ("capacity", "predict", "changes", "emit")
TWELVE = ("recommend", "--disks", "12 x 16TB")
TIMED = {
    "the thesis' machine": ("recommend", "--example", "thesis", "--json"),
    "1,000 equal disks": ("recommend", "--disks", "1000 x 16TB", "--goal", "safety", "--json"),
    "1,000 disks of four kinds": (
        *("recommend", "--disks", "250 x 4TB, 250 x 8TB, 250 x 12TB, 250 x 16TB", "--goal", "safety", "--json"),
    ),
}


def entered(words: Sequence[str]) -> dict[str, int]:
    """Run a command; return how many functions of ours it called, how many modules it loaded, how deep calls lay."""
    own = f"{APP}/"
    codes: set[CodeType] = set()
    depth = deepest = 0

    def look(frame: FrameType, event: str, _: object) -> None:
        nonlocal depth, deepest
        if event in ("call", "return") and frame.f_code.co_filename.startswith(own):
            depth += 1 if event == "call" else -1
            deepest = max(deepest, depth)
            codes.add(frame.f_code)

    from poolwright.cli.main import run

    sys.setprofile(look)
    try:
        with redirect_stdout(StringIO()):
            status = run(list(words))
    finally:
        sys.setprofile(None)
    assert status == 0, words
    modules = sum(name.partition(".")[0] == "poolwright" for name in sys.modules)
    called = sum(not code.co_name.startswith("<") for code in codes)
    return {"functions": called, "modules": modules, "deepest": deepest}


def entered_elsewhere(words: Sequence[str]) -> dict[str, int]:
    command = [sys.executable, "-m", "tests.measure", "entered", *words]
    done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    found: dict[str, int] = json.loads(done.stdout)
    return found


def seconds(words: Sequence[str]) -> float:
    began = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "poolwright", *words],
        cwd=ROOT, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    return time.perf_counter() - began


def comment_share(room: str) -> float:
    """Return the share of lines with a comment among all lines of a room that are not blank."""
    comments = lines = 0
    for file in (APP / room).rglob("*.py"):
        lines += sum(bool(line.strip()) for line in file.read_text(encoding="utf-8").splitlines())
        with file.open("rb") as read:
            comments += sum(token.type == tokenize.COMMENT for token in tokenize.tokenize(read.readline))
    return comments / lines


def main() -> None:
    """Print every figure as soon as it is known."""
    for name, size in sizes()["total"].items():
        show(name.replace("_", " "), f"{size:,}")
    for room in COMMENTED:
        show(f"lines with a comment in {room}", f"{comment_share(room):.1%}")
    for name in ("README.md", "ARCHITECTURE.md"):
        show(f"bytes of {name}", f"{(ROOT / name).stat().st_size:,}")
    question = entered_elsewhere(TWELVE)
    show("recommend of 12 disks: functions entered", f"{question['functions']:,}")
    show("recommend of 12 disks: own modules", f"{question['modules']:,}")
    show("recommend of 12 disks: deepest call", f"{question['deepest']:,}")
    with tempfile.TemporaryDirectory() as folder:
        design = f"{folder}/tank.json"
        seconds(("recommend", "--example", "thesis", "--goal", "safety", "--save-design", design))
        show("script of a saved design: own modules", f"{entered_elsewhere(('script', design))['modules']:,}")
    for name, words in TIMED.items():
        show(f"recommend, {name}", f"{seconds(words):.1f} s")


def show(name: str, value: str) -> None:
    print(f"{name:<44}{value:>10}", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["entered"]:
        print(json.dumps(entered(sys.argv[2:])))
    else:
        main()
