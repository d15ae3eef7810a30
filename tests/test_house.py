"""The house's own rules that no other tool checks: small files and functions, plain names, bound slots, no machine."""

import ast
import gc
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MOST_FILE_LINES = 600
MOST_FUNCTION_LINES = 50
# What is longer today, most of it one flat list of facts or settings; the numbers may only shrink.
LONG_FILES: dict[str, int] = {}
LONG_FUNCTIONS = {
    "app/poolwright/rules/layout_facts.py:vdev_facts": 59,
    "app/poolwright/rules/layout_facts.py:pool_facts": 102,
}
NAMELESS = {"utils", "util", "helpers", "helper", "misc", "common", "shared", "tools"}
CORE = ("domain", "capacity", "predict", "design", "changes", "rules", "emit")
# Written apart, so that this file does not hold them.
FOREIGN = re.compile(
    "|".join(("/wor" + "k/", "/roo" + "t/", "pythonhos" + "ted", r"\bpypi" + r"\.org", "artifac" + "tory"))
)
TEXTS = {".py", ".toml", ".sh", ".md", ".qss", ".csv", ".sql", ".txt", ".yml", ".capture", ""}


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def _looked_at(path: Path) -> list[ast.FunctionDef | ast.AsyncFunctionDef | ast.Call]:
    """Return the functions and the calls of a file, of one walk for all who ask: it takes longer than parsing."""
    return [n for n in ast.walk(_tree(path)) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef | ast.Call)]


@pytest.fixture(autouse=True, scope="module")
def trees() -> Iterator[None]:
    """Forget the trees afterwards: whoever looks for leaks looks through all objects, and they are a million.

    Nor does Python look for cycles meanwhile: there are none, and to look takes longer than parsing.
    """
    gc.disable()
    yield
    _tree.cache_clear()
    _looked_at.cache_clear()
    gc.enable()


def sources(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def function_lines(folder: str) -> dict[str, int]:
    """Return the length of every function; of those that share a name in a file, the longest."""
    lines: dict[str, int] = {}
    for path in sources(folder):
        for node in _looked_at(path):
            if not isinstance(node, ast.Call):
                assert node.end_lineno is not None
                name = f"{named(path)}:{node.name}"
                lines[name] = max(lines.get(name, 0), node.end_lineno - node.lineno + 1)
    return lines


def calls(path: Path) -> Iterator[ast.Call]:
    return (node for node in _looked_at(path) if isinstance(node, ast.Call))


def test_that_there_is_something_to_look_at() -> None:
    assert len(sources("app")) > 100
    assert any(
        is_unbound(call) for call in ast.walk(ast.parse("a.b.connect(lambda: c(d))")) if isinstance(call, ast.Call)
    )
    assert FOREIGN.search("see /wor" + "k/here")


@pytest.mark.parametrize("folder", ["app", "tests"])
def test_that_files_stay_small(folder: str) -> None:
    lines = {named(path): len(path.read_text(encoding="utf-8").splitlines()) for path in sources(folder)}
    assert {name: count for name, count in lines.items() if count > LONG_FILES.get(name, MOST_FILE_LINES)} == {}


@pytest.mark.parametrize("folder", ["app", "tests"])
def test_that_functions_stay_small(folder: str) -> None:
    sizes = function_lines(folder)
    assert {n: size for n, size in sizes.items() if size > LONG_FUNCTIONS.get(n, MOST_FUNCTION_LINES)} == {}


def test_that_no_exception_outlives_its_need() -> None:
    sizes = function_lines("app")
    assert {name for name in LONG_FUNCTIONS if sizes.get(name, 0) <= MOST_FUNCTION_LINES} == set()
    lines = {name: len((ROOT / name).read_text(encoding="utf-8").splitlines()) for name in LONG_FILES}
    assert {name for name, count in lines.items() if count <= MOST_FILE_LINES} == set()


def test_that_names_say_what_is_inside() -> None:
    everything = (path for folder in ("app", "tests") for path in (ROOT / folder).rglob("*"))
    assert [named(path) for path in everything if path.stem in NAMELESS] == []


def is_unbound(call: ast.Call) -> bool:
    """Tell whether a signal is connected to a lambda or partial, which PySide6 may outlive or crash on."""
    if not (isinstance(call.func, ast.Attribute) and call.func.attr == "connect"):
        return False
    for value in call.args:
        called = value.func if isinstance(value, ast.Call) else None
        name = called.attr if isinstance(called, ast.Attribute) else called.id if isinstance(called, ast.Name) else ""
        if isinstance(value, ast.Lambda) or name == "partial":
            return True
    return False


def test_that_slots_are_bound_methods() -> None:
    assert [f"{named(p)}:{c.lineno}" for p in sources("app") for c in calls(p) if is_unbound(c)] == []


def test_that_the_core_asks_neither_clock_nor_chance_nor_files() -> None:
    asked = {"now", "utcnow", "today", "open", "read_text", "write_text", "getenv"}
    found = []
    for room in CORE:
        for path in sources(f"app/poolwright/{room}"):
            for call in calls(path):
                name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
                unseeded = name == "default_rng" and not call.args and not call.keywords
                if (name in asked and not _of_the_package(call)) or unseeded:
                    found.append(f"{named(path)}:{call.lineno}: {name}")
    assert found == []


def _of_the_package(call: ast.Call) -> bool:
    """Tell whether a text is read that is part of the package itself."""
    return "files(" in ast.unparse(call)


def test_that_no_text_names_a_machine_or_a_package_host() -> None:
    folders = ("app", "tests", "rules", "resources", "packaging", ".ci")
    paths = [path for folder in folders for path in (ROOT / folder).rglob("*") if path.suffix in TEXTS]
    # In a second work tree .git is a file that names the first.
    paths += [path for path in ROOT.iterdir() if path.suffix in TEXTS and path.name != ".git"]
    found = []
    for path in paths:
        if not path.is_file() or path == Path(__file__):
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), start=1):
            if FOREIGN.search(line):
                found.append(f"{named(path)}:{number}")
    assert found == []


def test_that_csv_and_colours_are_written_in_one_place() -> None:
    told = {named(path): path.read_text(encoding="utf-8") for path in sources("app")}
    assert [name for name, text in told.items() if "csv.writer" in text or "csv.DictWriter" in text] == [
        "app/poolwright/domain/shown.py"
    ]
    colour = re.compile(r"\"#[0-9a-f]{6}\"")
    assert [name for name, text in told.items() if colour.search(text)] == ["app/poolwright/emit/palette.py"]


def test_that_rates_are_written_in_one_place_and_in_one_unit() -> None:
    told = {named(path): path.read_text(encoding="utf-8") for path in sources("app")}
    by_hand = re.compile(r"(?:decimal|binary)\([^{}]*\)\}/s|/ MIB:")
    # The one that tells a rate as it was understood tells it in both units.
    assert {name for name, text in told.items() if by_hand.search(text)} == {
        "app/poolwright/domain/rates.py"
    }  # fmt: skip
    rules = (line for path in (ROOT / "rules").glob("*.toml") for line in path.read_text(encoding="utf-8").splitlines())
    assert [line for line in rules if re.match(r"text .*\{[^}]*\} ?[KMG]i?B/s", line)] == []


def test_that_margins_gaps_and_forms_are_made_in_one_place() -> None:
    """Of rows, columns and grids by `parts/lay`, of fields with their names by `parts/form`."""
    made = {"setContentsMargins", "setSpacing", "setHorizontalSpacing", "setVerticalSpacing"}
    made |= {"QVBoxLayout", "QHBoxLayout", "QGridLayout", "QFormLayout"}
    found = set()
    for path in sources("app/poolwright/ui"):
        for call in calls(path):
            name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
            if name in made:
                found.add(named(path))
    assert found == {"app/poolwright/ui/parts/widgets.py"}
